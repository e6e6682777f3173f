// Prints the model's scale figures: load time against the trace reader alone, memory against the file, CPU time of what
// one frame asks for. No test: absolute figures are for reading; ratios and counts are asserted elsewhere.
//
//   viz_model_measure [EVENTS...]       generated runs in three shapes (default 10000 100000 1000000)
//   viz_model_measure FILE.jsonl...     traces; also says what is strange about them
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "big_trace.h"
#include "model/viewer.h"

using namespace pysolate;
using namespace pysolate::viz;
using namespace pysolate::viz::testing;

namespace {

// CPU time in ms: other processes on the machine do not count.
double Now() { return static_cast<double>(std::clock()) * 1000 / CLOCKS_PER_SEC; }

class Nothing final : public EventSink {
 public:
  void OnEvent(const Event& event) override { sum += event.seq; }
  uint64_t sum = 0;
};

template <class F>
double Least(int times, F f) {
  double least = 1e300;
  for (int i = 0; i < times; ++i) {
    const double start = Now();
    f();
    least = std::min(least, Now() - start);
  }
  return least;
}

void FeedInChunks(std::string_view text, const auto& feed) {
  constexpr size_t kChunk = 1 << 20;
  for (size_t at = 0; at < text.size(); at += kChunk) feed(text.substr(at, kChunk));
}

double P95(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  return v.empty() ? 0 : v[v.size() * 95 / 100];
}

void Measure(const std::string& name, const std::string& text, bool strange) {
  const int times = text.size() > (20u << 20) ? 3 : 5;
  const double reader = Least(times, [&] {
    Nothing sink;
    TraceReader reader_alone(&sink);
    FeedInChunks(text, [&](std::string_view s) { reader_alone.Feed(s); });
    reader_alone.Finish();
  });
  ViewerModel model;
  const double load = Least(times, [&] {
    model.Open(name, false);
    FeedInChunks(text, [&](std::string_view s) { model.Feed(s); });
    model.Finish();
  });
  const TraceStore& store = model.store();
  std::printf("%s: %u events, %u calls, %u attempts, %.1f MB\n", name.c_str(), store.events(), store.calls(),
              store.attempts(), static_cast<double>(text.size()) / 1e6);
  std::printf("  load %.1f ms, reader alone %.1f ms: %.2f x;  memory %.1f MB: %.2f x the file\n", load, reader,
              load / reader, static_cast<double>(model.document().MemoryBytes()) / 1e6,
              static_cast<double>(model.document().MemoryBytes()) / static_cast<double>(text.size()));
  if (!model.document().banner().empty()) std::printf("  banner: %s\n", model.document().banner().c_str());
  // One frame at many cursors: everything that the panels ask for.
  std::vector<double> frames, timelines, frontiers, inspections, graphs;
  const int kFrames = 200;
  const auto timed = [](std::vector<double>* into, const auto& f) {
    const double start = Now();
    f();
    into->push_back(Now() - start);
  };
  for (int i = 0; i < kFrames; ++i) {
    const auto cursor = static_cast<EventNo>(static_cast<double>(store.events()) * i / kFrames);
    model.transport().GoTo(cursor);
    model.Select(1 + static_cast<CallId>(i) % std::max(1u, store.calls()));
    timed(&frames, [&] {
      model.Frame(0.016);
      model.looks();
      model.fates();
      timed(&timelines, [&] { model.timeline_view(1600, 700); });
      timed(&frontiers, [&] { model.frontier(); });
      model.ledger().Rows(0, 60);
      model.source();
      timed(&inspections, [&] { model.inspection(); });
      timed(&graphs, [&] { model.graph(); });
    });
  }
  std::printf("  frame p95 %.2f ms (timeline %.2f, frontier %.2f, inspector %.2f, graph %.2f)\n", P95(frames),
              P95(timelines), P95(frontiers), P95(inspections), P95(graphs));
  // Zoomed views, the whole run's figures, the call with the most dependents.
  std::vector<double> zooms;
  model.transport().GoToEnd();
  for (int i = 0; i < 60; ++i) {
    model.Zoom(1.2, model.timeline().extent(Axis::kTime) * 0.4);
    timed(&zooms, [&] { model.timeline_view(1600, 700); });
  }
  std::vector<OverviewColumn> columns;
  const double overview = Least(3, [&] {
    model.document().overview().Query(Axis::kTime, 0, model.timeline().extent(Axis::kTime), 1600, &columns);
  });
  const double metrics = Least(3, [&] { MetricsAt(store, store.events()); });
  CallId hub = 0;
  for (CallId id = 1; id <= store.calls(); ++id) {
    const auto relatives = [&](CallId c) { return store.call(c).dependents + store.call(c).deps_count; };
    if (hub == 0 || relatives(id) > relatives(hub)) hub = id;
  }
  const double select = Least(3, [&] {
    model.Select(0);
    model.Select(hub);
    model.inspection();
    model.graph();
  });
  std::printf("  zoom p95 %.2f ms, overview %.2f ms, metrics %.2f ms, selecting call %u (%u relatives) %.2f ms\n",
              P95(zooms), overview, metrics, hub,
              hub == 0 ? 0 : store.call(hub).dependents + store.call(hub).deps_count, select);
  if (!strange) return;
  for (EventNo e = 0; e <= store.events(); ++e) {
    model.ledger().Seek(e);
    if (!model.ledger().totals().balances()) {
      std::printf("  the ledger does not balance at event %u\n", e);
      break;
    }
  }
  uint32_t unexplained = 0;
  for (EventNo e = 1; e <= store.events(); ++e) {
    if (e < store.events() && store.time(e) == store.time(e + 1)) continue;
    for (const FrontierRow& row : FrontierAt(store, e).waiting) {
      if (row.gates[0].words.find("very step") == std::string::npos) continue;
      if (unexplained++ == 0) std::printf("  call %u waits without a reason at event %u\n", row.call, e);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<uint32_t> sizes;
  for (int i = 1; i < argc; ++i) {
    char* end = nullptr;
    const unsigned long n = std::strtoul(argv[i], &end, 10);
    if (*end == '\0' && n > 0) {
      sizes.push_back(static_cast<uint32_t>(n));
      continue;
    }
    std::ifstream file(argv[i], std::ios::binary);
    if (!file) {
      std::fprintf(stderr, "%s: cannot be opened\n", argv[i]);
      return 2;
    }
    std::ostringstream text;
    text << file.rdbuf();
    Measure(argv[i], text.str(), true);
  }
  if (argc == 1) sizes = {10000, 100000, 1000000};
  for (const uint32_t events : sizes) {
    for (const Shape shape : {Shape::kWide, Shape::kDeep, Shape::kAgent}) {
      Measure(std::string(Name(shape)), BigTraceText(shape, events / 9), false);
    }
  }
  return 0;
}
