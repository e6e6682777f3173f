#include "model/graph.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "big_trace.h"
#include "trace_script.h"

using namespace pysolate;
using namespace pysolate::viz;
using namespace pysolate::viz::testing;

namespace {

void CheckDrawing(const Graph& graph) {
  std::map<uint32_t, std::vector<float>> layers;
  for (const GraphNode& n : graph.nodes()) layers[n.layer].push_back(n.x);
  for (auto& [layer, xs] : layers) {
    std::sort(xs.begin(), xs.end());
    for (size_t i = 1; i < xs.size(); ++i) REQUIRE(xs[i] - xs[i - 1] > 0.99f);
  }
  for (const GraphEdge& e : graph.edges()) {
    REQUIRE(e.from < graph.nodes().size());
    REQUIRE(e.to < graph.nodes().size());
    if (e.kind == EdgeKind::kData || e.kind == EdgeKind::kChild) {
      REQUIRE(graph.nodes()[e.from].layer < graph.nodes()[e.to].layer);
    }
  }
}

}  // namespace

TEST_CASE("a diamond has three layers and no crossing") {
  TraceScript run;
  const auto fetch = run.Tool("fetch");
  const auto site = run.Site(1);
  const auto top = run.Arrive(fetch, site);
  const auto left = run.Arrive(fetch, site, {top}), right = run.Arrive(fetch, site, {top});
  const auto bottom = run.Arrive(fetch, site, {left, right, top});
  const auto document = run.Load();
  Graph graph(&document->store());
  CHECK(graph.Update(0, document->store().events()));
  CHECK(graph.whole_run());
  CHECK(graph.layers() == 3);
  CHECK(graph.shown() == 4);
  CHECK(graph.edges().size() == 5);
  CHECK(graph.Crossings() == 0);
  CHECK(graph.nodes()[static_cast<size_t>(graph.IndexOf(bottom))].layer == 2);
  CheckDrawing(graph);
  CHECK_FALSE(graph.Update(0, document->store().events()));
  const std::string dot = graph.Dot(document->store().events());
  CHECK(dot.find("c1 -> c4") != std::string::npos);
  CHECK(dot.find("4 of 4 calls") != std::string::npos);
}

TEST_CASE("the order within layers undoes needless crossings") {
  // Two trees whose leaves arrive interleaved.
  TraceScript run;
  const auto fetch = run.Tool("fetch");
  const auto site = run.Site(1);
  const auto a = run.Arrive(fetch, site), b = run.Arrive(fetch, site);
  for (int i = 0; i < 10; ++i) {
    run.Arrive(fetch, site, {a});
    run.Arrive(fetch, site, {b});
  }
  const auto document = run.Load();
  Graph graph(&document->store());
  graph.Update(0, document->store().events());
  CHECK(graph.Crossings() == 0);
  CheckDrawing(graph);
}

TEST_CASE("while the run grows, calls that are drawn stay where they are") {
  const std::string text = BigTraceText(Shape::kAgent, 150);
  Document live("live", true);
  Graph graph(&live.store());
  std::map<CallId, std::pair<float, float>> places;
  int moved = 0, steps = 0;
  for (size_t at = 0; at < text.size(); at += 3000) {
    live.Feed(std::string_view(text).substr(at, 3000));
    graph.Update(0, live.store().events());
    CheckDrawing(graph);
    if (places.size() < 20) places.clear();  // the first few may be laid out anew
    ++steps;
    for (const GraphNode& n : graph.nodes()) {
      const auto [known, is_new] = places.emplace(n.call, std::make_pair(n.x, n.y));
      if (!is_new && known->second != std::make_pair(n.x, n.y)) ++moved;
    }
  }
  CHECK(steps > 20);
  CHECK(moved == 0);
}

TEST_CASE("a large run shows the neighbourhood of the selection, nearest first, and says how much there is") {
  const auto document = LoadBig(Shape::kDeep, 5000);
  const TraceStore& store = document->store();
  Graph graph(&store);
  graph.Update(2500, store.events());
  CHECK_FALSE(graph.whole_run());
  CHECK(graph.total() == store.calls());
  CHECK(graph.shown() <= Graph::kMaxNodes);
  REQUIRE(graph.IndexOf(2500) >= 0);
  for (const CallId dep : store.deps(2500)) CHECK(graph.IndexOf(dep) >= 0);
  CheckDrawing(graph);
  // Without a selection: what is under way.
  graph.Update(0, store.events() / 2);
  CHECK(graph.shown() > 0);
  CheckDrawing(graph);
}

TEST_CASE("one call with very many dependents leaves room for its other relatives") {
  const auto document = LoadBig(Shape::kWide, 20000);
  Graph graph(&document->store());
  graph.Update(20000, document->store().events());
  CHECK(graph.shown() <= Graph::kMaxNodes);
  CHECK(graph.shown() > 10);
  CheckDrawing(graph);
}

TEST_CASE("edges of every kind are told apart") {
  TraceScript run;
  const auto fetch = run.Tool("fetch"), save = run.Tool("save", Effect::kExternalWrite);
  const auto site = run.Site(1);
  const auto condition = run.Arrive(fetch, site);
  const auto x = run.Start(condition);
  const auto arm = run.Scope(ScopeKind::kBranch, 2, ScopeState::kPending);
  const auto inside = run.Arrive(fetch, site, {}, true, arm);
  run.At(1).Take(condition, x).ScopeActive(arm);
  const auto y = run.Start(inside);
  const auto again = run.Arrive(fetch, site);
  run.Args(again, "'x'").Ready(again).Join(again, y);
  const auto first = run.Arrive(save, site, {}, false);
  const auto w = run.Start(first);
  run.Complete(w).Settle(first, w).Consume(first);
  const auto second = run.Arrive(save, site, {inside}, false);
  run.Start(second);
  const auto document = run.Load();
  Graph graph(&document->store());
  graph.Update(0, document->store().events());
  const auto has = [&](CallId from, CallId to, EdgeKind kind) {
    return std::any_of(graph.edges().begin(), graph.edges().end(), [&](const GraphEdge& e) {
      return graph.nodes()[e.from].call == from && graph.nodes()[e.to].call == to && e.kind == kind;
    });
  };
  CHECK(has(condition, inside, EdgeKind::kControl));
  CHECK(has(inside, again, EdgeKind::kJoin));
  CHECK(has(first, second, EdgeKind::kEffectOrder));
  CHECK(has(inside, second, EdgeKind::kData));
  CHECK(graph.edges().size() == 4);
}
