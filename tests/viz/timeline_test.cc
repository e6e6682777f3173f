#include "model/timeline.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <random>

#include "big_trace.h"
#include "model/overview.h"
#include "trace_script.h"

using namespace pysolate;
using namespace pysolate::viz;
using namespace pysolate::viz::testing;

namespace {

// Bars of one row must not overlap: that is what a row is for.
void CheckRowsAreDisjoint(const Document& document, Axis axis) {
  const Timeline& timeline = document.timeline();
  std::map<uint32_t, std::vector<std::pair<double, double>>> rows;
  for (CallId id = 1; id <= document.store().calls(); ++id) {
    double x0 = 0, x1 = 0;
    bool open = false;
    timeline.Span(id, axis, &x0, &x1, &open);
    REQUIRE(timeline.row_of(id) < timeline.rows());
    rows[timeline.row_of(id)].emplace_back(x0, x1);
  }
  for (auto& [row, spans] : rows) {
    std::sort(spans.begin(), spans.end());
    for (size_t i = 1; i < spans.size(); ++i) REQUIRE(spans[i].first >= spans[i - 1].second);
  }
}

}  // namespace

TEST_CASE("a call's place is decided when it arrives and never moves while the run grows") {
  const std::string text = BigTraceText(Shape::kAgent, 300);
  Document live("live", true);
  std::map<CallId, uint32_t> places;
  for (size_t at = 0; at < text.size(); at += 500) {
    live.Feed(std::string_view(text).substr(at, 500));
    for (CallId id = 1; id <= live.store().calls(); ++id) {
      const auto [known, is_new] = places.emplace(id, live.timeline().row_of(id));
      if (!is_new) REQUIRE(known->second == live.timeline().row_of(id));
    }
  }
  CHECK(places.size() >= 300);
  CheckRowsAreDisjoint(live, Axis::kTime);
  CheckRowsAreDisjoint(live, Axis::kEvent);
}

TEST_CASE("rows belong to one site each, and a finished file has each site's rows together") {
  const auto document = LoadBig(Shape::kAgent, 300);
  const Timeline& timeline = document->timeline();
  const TraceStore& store = document->store();
  for (CallId id = 1; id <= store.calls(); ++id) {
    REQUIRE(timeline.block_of(timeline.row_of(id)).site == store.call(id).site);
  }
  uint32_t next = 0;
  std::vector<SiteId> seen;
  for (const LaneBlock& block : timeline.blocks()) {
    CHECK(block.first_row == next);
    CHECK_FALSE(block.continued);
    next += block.rows;
    CHECK(std::find(seen.begin(), seen.end(), block.site) == seen.end());
    seen.push_back(block.site);
  }
  CHECK(next == timeline.rows());
  CheckRowsAreDisjoint(*document, Axis::kTime);
}

TEST_CASE("a live run's blocks cover the rows without gaps, and a site has few of them") {
  const std::string text = BigTraceText(Shape::kAgent, 2000);
  Document live("live", true);
  live.Feed(text);
  uint32_t next = 0;
  std::map<SiteId, int> blocks;
  for (const LaneBlock& block : live.timeline().blocks()) {
    CHECK(block.first_row == next);
    next += block.rows;
    CHECK(block.continued == (blocks[block.site]++ > 0));
  }
  CHECK(next == live.timeline().rows());
  for (const auto& [site, count] : blocks) CHECK(count <= 8);
}

TEST_CASE("a row is used again by a later call of its site") {
  TraceScript run;
  const auto fetch = run.Tool("fetch");
  const auto site = run.Site(1);
  for (int i = 0; i < 5; ++i) {
    const auto call = run.At(10 * i).Arrive(fetch, site);
    const auto attempt = run.Start(call);
    run.At(10 * i + 5).Take(call, attempt);
  }
  const auto document = run.End().Load();
  CHECK(document->timeline().rows() == 1);
}

TEST_CASE("the row of a cancelled call stays taken until its orphan has ended") {
  TraceScript run;
  const auto fetch = run.Tool("fetch");
  const auto site = run.Site(1);
  const auto gone = run.Arrive(fetch, site);
  const auto attempt = run.Start(gone);
  run.CallCancelled(gone).Orphan(attempt);
  const auto meanwhile = run.At(1).Arrive(fetch, site);
  run.At(5).Complete(attempt).Late(attempt);
  const auto after = run.At(6).Arrive(fetch, site);
  const auto document = run.Load(true);
  CHECK(document->timeline().row_of(meanwhile) != document->timeline().row_of(gone));
  CHECK(document->timeline().row_of(after) == document->timeline().row_of(gone));
}

TEST_CASE("the parts of a bar: waiting by gate, ready, running, held; early told apart") {
  TraceScript run;
  const auto fetch = run.Tool("fetch");
  const auto site = run.Site(1);
  const auto needed = run.Arrive(fetch, site);
  const auto first = run.Start(needed);
  const auto call = run.Arrive(fetch, site, {needed});
  run.At(2).Complete(first).Settle(needed, first).Args(call, "1").Ready(call);
  const auto attempt = run.At(3).Dispatch(call);
  run.At(4).Reach(call).Promote(call);
  run.At(7).Complete(attempt).Settle(call, attempt);
  run.At(9).Consume(call);
  const auto document = run.End().Load();
  std::vector<Segment> parts;
  document->timeline().Segments(call, Axis::kTime, document->store().events(), &parts);
  REQUIRE(parts.size() == 5);
  CHECK(parts[0].phase == Phase::kWaitArguments);
  CHECK(parts[0].early);
  CHECK(parts[1].phase == Phase::kReady);
  CHECK(parts[2].phase == Phase::kRunning);
  CHECK(parts[2].early);
  CHECK(parts[3].phase == Phase::kRunning);
  CHECK_FALSE(parts[3].early);
  CHECK(parts[4].phase == Phase::kHeld);
  for (size_t i = 1; i < parts.size(); ++i) CHECK(parts[i].x0 == parts[i - 1].x1);
  CHECK(parts[1].x0 == 2000);
  CHECK(parts[4].x1 == 9000);
  CHECK_FALSE(parts[4].open);

  SUBCASE("at a cursor in the middle the last part is open and ends there") {
    document->timeline().Segments(call, Axis::kTime, document->store().attempt(attempt).dispatch, &parts);
    REQUIRE(parts.size() == 3);
    CHECK(parts.back().phase == Phase::kRunning);
    CHECK(parts.back().open);
    CHECK(parts.back().to == 0);
  }
}

TEST_CASE("an effect that has its arguments waits by contract until it is reached") {
  TraceScript run;
  const auto save = run.Tool("save", Effect::kExternalWrite);
  const auto call = run.Arrive(save, run.Site(1));
  run.Args(call, "1");
  run.At(3).Reach(call).Ready(call);
  const auto document = run.Load();
  std::vector<Segment> parts;
  document->timeline().Segments(call, Axis::kTime, document->store().events(), &parts);
  REQUIRE_FALSE(parts.empty());
  CHECK(parts[0].phase == Phase::kWaitContract);
  CHECK(parts[0].x1 == 3000);
}

TEST_CASE("a query gives every visible call once: bars that do not merge, all looks at the cursor") {
  const auto document = LoadBig(Shape::kAgent, 200);
  const Timeline& timeline = document->timeline();
  const TraceStore& store = document->store();
  TimelineView view;
  for (const Axis axis : {Axis::kTime, Axis::kEvent}) {
    const ViewBox all = timeline.Fit(axis);
    timeline.Query(all, 1000000, 100000, store.events(), &view);
    REQUIRE(view.exact());
    CHECK(view.bars.size() == store.calls());
    CHECK(view.calls_shown == store.calls());
    for (const Bar& bar : view.bars) {
      REQUIRE(bar.look == store.LookAt(bar.call, store.events()));
      REQUIRE_FALSE(bar.future);
    }
    const EventNo middle = store.events() / 2;
    timeline.Query(all, 1000000, 100000, middle, &view);
    CHECK(view.bars.size() == store.calls());
    for (const Bar& bar : view.bars) {
      REQUIRE(bar.future == (store.call(bar.call).arrive > middle));
      if (!bar.future) REQUIRE(bar.look == store.LookAt(bar.call, middle));
      if (bar.open) REQUIRE(bar.x1 <= timeline.x_of(axis, middle));
    }
  }
}

TEST_CASE("a view of a part holds exactly the bars that reach into it") {
  const auto document = LoadBig(Shape::kAgent, 400);
  const Timeline& timeline = document->timeline();
  const TraceStore& store = document->store();
  std::mt19937 random(5);
  TimelineView view;
  for (int i = 0; i < 40; ++i) {
    const double extent = timeline.extent(Axis::kTime);
    const double x0 = extent * (random() % 1000) / 1000, row0 = random() % timeline.rows();
    const ViewBox box{Axis::kTime, x0, x0 + extent / 20, row0, row0 + 3};
    timeline.Query(box, 1 << 28, 100000, store.events(), &view);
    std::vector<CallId> shown, expected;
    for (const Bar& bar : view.bars) {
      REQUIRE(bar.merged == 1);
      shown.push_back(bar.call);
    }
    for (CallId id = 1; id <= store.calls(); ++id) {
      double a = 0, b = 0;
      bool open = false;
      timeline.Span(id, Axis::kTime, &a, &b, &open);
      const uint32_t row = timeline.row_of(id);
      if (a <= box.x1 && b >= box.x0 && row >= row0 && row < row0 + 3) expected.push_back(id);
    }
    std::sort(shown.begin(), shown.end());
    // A bar that ends exactly at the edge may be left out by its successor in the row; none may be missing inside.
    for (const CallId id : expected) {
      double a = 0, b = 0;
      bool open = false;
      timeline.Span(id, Axis::kTime, &a, &b, &open);
      if (b > box.x0) REQUIRE(std::binary_search(shown.begin(), shown.end(), id));
    }
    REQUIRE(shown.size() <= expected.size());
  }
}

TEST_CASE("merged bars keep count, and one failure among thousands does not vanish") {
  TraceScript run;
  const auto fetch = run.Tool("fetch");
  const auto site = run.Site(1);
  for (int i = 0; i < 3000; ++i) {
    const auto call = run.At(2 * i).Arrive(fetch, site);
    const auto attempt = run.Start(call);
    run.At(2 * i + 1);
    if (i == 1234) {
      run.Fail(attempt, "KeyError", "x").Settle(call, attempt, false).Reach(call).Consume(call);
    } else {
      run.Take(call, attempt);
    }
  }
  const auto document = run.End().Load();
  const Timeline& timeline = document->timeline();
  REQUIRE(timeline.rows() == 1);
  TimelineView view;
  timeline.Query(timeline.Fit(Axis::kTime), 100, 200, document->store().events(), &view);
  REQUIRE(view.exact());
  CHECK(view.bars.size() <= 100);
  CHECK(view.calls_shown == 3000);
  CHECK(view.bars_merged <= 3000);
  CHECK(std::count_if(view.bars.begin(), view.bars.end(),
                      [](const Bar& b) { return b.look == Look::kConsumedFailed; }) == 1);
}

TEST_CASE("however much is visible, what is drawn stays bounded") {
  const auto document = LoadBig(Shape::kWide, 30000);
  const Timeline& timeline = document->timeline();
  TimelineView view;
  for (const double share : {1.0, 0.3, 0.05, 0.01}) {
    ViewBox box = timeline.Fit(Axis::kTime);
    box.row1 = box.row0 + (box.row1 - box.row0) * share;
    box.x1 = box.x0 + (box.x1 - box.x0) * share;
    timeline.Query(box, 1600, 900, document->store().events(), &view);
    CHECK(view.bars.size() <= Timeline::kMaxBars + 900);
    CHECK(view.density.size() <= 80000);
    CHECK((view.bars.empty() || view.density.empty()));
  }
}

TEST_CASE("the density picture adds up to the calls' own time in each phase") {
  const auto document = LoadBig(Shape::kWide, 3000);
  const Timeline& timeline = document->timeline();
  const TraceStore& store = document->store();
  TimelineView view;
  const ViewBox all{Axis::kTime, 0, timeline.extent(Axis::kTime), 0, static_cast<double>(timeline.rows())};
  timeline.Query(all, 1200, 600, store.events(), &view);
  REQUIRE_FALSE(view.exact());
  double drawn[kPhases] = {}, expected[kPhases] = {};
  for (const DensityCell& cell : view.density) {
    for (int k = 0; k < kPhases; ++k) drawn[k] += cell.per_phase[k] * (cell.x1 - cell.x0) * (cell.row1 - cell.row0);
  }
  std::vector<Segment> parts;
  for (CallId id = 1; id <= store.calls(); ++id) {
    timeline.Segments(id, Axis::kTime, store.events(), &parts);
    for (const Segment& s : parts) expected[static_cast<int>(s.phase)] += s.x1 - s.x0;
  }
  for (int k = 0; k < kPhases; ++k) CHECK(drawn[k] == doctest::Approx(expected[k]).epsilon(0.001));
}

TEST_CASE("a point finds its call") {
  const auto document = LoadBig(Shape::kAgent, 200);
  const Timeline& timeline = document->timeline();
  const TraceStore& store = document->store();
  for (CallId id = 1; id <= store.calls(); ++id) {
    double x0 = 0, x1 = 0;
    bool open = false;
    timeline.Span(id, Axis::kEvent, &x0, &x1, &open);
    REQUIRE(timeline.Hit(Axis::kEvent, (x0 + x1) / 2, timeline.row_of(id) + 0.5, store.events()) == id);
  }
  CHECK(timeline.Hit(Axis::kEvent, -1, 0, store.events()) == 0);
  CHECK(timeline.Hit(Axis::kEvent, 1, 1e9, store.events()) == 0);
}

TEST_CASE("idle gaps are those in which nothing is in flight") {
  TraceScript run;
  const auto fetch = run.Tool("fetch");
  const auto site = run.Site(1);
  const auto a = run.Arrive(fetch, site);
  const auto attempt = run.Start(a);
  run.At(50).Take(a, attempt);
  const auto b = run.At(90).Arrive(fetch, site);
  const auto second = run.Start(b);
  run.At(95).Take(b, second);
  const auto document = run.At(99).End().Load();
  const auto& gaps = document->timeline().IdleGaps(10000);
  REQUIRE(gaps.size() == 1);
  CHECK(gaps[0].from == 50000);
  CHECK(gaps[0].to == 90000);
  CHECK(document->timeline().IdleGaps(1000).size() == 2);
}

TEST_CASE("the overview's columns are the means and peaks of the run") {
  const auto document = LoadBig(Shape::kAgent, 500);
  const TraceStore& store = document->store();
  std::vector<OverviewColumn> columns;
  for (const Axis axis : {Axis::kTime, Axis::kEvent}) {
    const double extent = axis == Axis::kTime ? static_cast<double>(store.end_time()) : store.events();
    document->overview().Query(axis, 0, extent, 50, &columns);
    REQUIRE(columns.size() == 50);
    // The mean over all columns is the mean over one column that holds everything.
    std::vector<OverviewColumn> whole;
    document->overview().Query(axis, 0, extent, 1, &whole);
    uint32_t peak_ready = 0, peak_running = 0;
    for (size_t k = 0; k < kInks; ++k) {
      double sum = 0;
      for (const OverviewColumn& c : columns) sum += c.mean[k];
      CHECK(sum / 50 == doctest::Approx(whole[0].mean[k]).epsilon(0.001));
    }
    for (const OverviewColumn& c : columns) {
      peak_ready = std::max(peak_ready, c.ready_max);
      peak_running = std::max(peak_running, c.running_max);
    }
    CHECK(peak_ready == document->overview().peak_ready());
    CHECK(peak_running == document->overview().peak_running());
  }
  // Counted directly: dispatched calls over the events.
  double dispatched = 0;
  for (EventNo e = 0; e < store.events(); ++e) dispatched += store.LooksAt(e)[static_cast<size_t>(Look::kDispatched)];
  std::vector<OverviewColumn> whole;
  document->overview().Query(Axis::kEvent, 0, store.events(), 1, &whole);
  CHECK(whole[0].mean[static_cast<size_t>(Ink::kDispatched)] ==
        doctest::Approx(dispatched / store.events()).epsilon(0.001));
}
