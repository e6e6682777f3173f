#include "model/metrics.h"

#include <algorithm>
#include <cstdio>

#include "model/frontier.h"
#include "model/selection.h"

namespace pysolate::viz {
namespace {

std::string OneDecimal(double v) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.2f", v);
  return buffer;
}

TimeNs WallAt(const TraceStore& store, const AttemptInfo& a, EventNo cursor) {
  const EventNo end = a.end != 0 && a.end <= cursor ? a.end : cursor;
  return store.time(end) - store.time(a.dispatch);
}

}  // namespace

Metrics MetricsAt(const TraceStore& store, EventNo cursor) {
  Metrics m;
  cursor = std::min(cursor, store.events());
  const EventNo last = store.ended() ? std::min(cursor, store.end_event()) : cursor;
  m.makespan = store.time(last);

  // In flight over time, attempt by attempt: +1 at dispatch, -1 at the end.
  std::vector<std::pair<EventNo, int>> edges;
  for (AttemptId id = 1; id <= store.attempts(); ++id) {
    const AttemptInfo& a = store.attempt(id);
    if (a.dispatch > cursor) break;
    ++m.attempts;
    if (a.early) ++m.early;
    const TimeNs wall = WallAt(store, a, cursor);
    switch (store.FateAt(id, cursor)) {
      case Fate::kConsumed:
      case Fate::kRetried:
        m.sequential_sum += wall;
        break;
      case Fate::kDiscarded:
      case Fate::kLate:
      case Fate::kLost:
      case Fate::kCancelled:
        m.wasted += wall;
        break;
      default:
        break;
    }
    edges.emplace_back(a.dispatch, 1);
    if (a.end != 0 && a.end <= cursor) edges.emplace_back(a.end, -1);
  }
  std::sort(edges.begin(), edges.end());
  double area = 0;
  int64_t in_flight = 0;
  TimeNs since = 0;
  for (const auto& [e, step] : edges) {
    const TimeNs t = std::min(store.time(e), m.makespan);
    area += static_cast<double>(in_flight) * static_cast<double>(t - since);
    if (in_flight == 0) m.program_time += t - since;
    since = t;
    in_flight += step;
    m.peak_in_flight = std::max(m.peak_in_flight, static_cast<uint32_t>(std::max<int64_t>(0, in_flight)));
  }
  area += static_cast<double>(in_flight) * static_cast<double>(m.makespan - since);
  if (in_flight == 0) m.program_time += m.makespan - since;
  if (m.makespan > 0) m.mean_in_flight = area / static_cast<double>(m.makespan);
  m.sequential_sum += m.program_time;

  uint32_t ready = 0;
  std::vector<std::pair<EventNo, int>> widths;
  for (uint32_t slot = 0; slot < store.ready().size() && store.ready().start(slot) <= cursor; ++slot) {
    widths.emplace_back(store.ready().start(slot), 1);
    if (store.ready().end(slot) <= cursor) widths.emplace_back(store.ready().end(slot), -1);
  }
  std::sort(widths.begin(), widths.end());
  for (const auto& [e, step] : widths) {
    ready += static_cast<uint32_t>(step);
    m.peak_ready = std::max(m.peak_ready, ready);
  }

  const auto upto = [&](EventKind kind) {
    const auto& list = store.of_kind(kind);
    return static_cast<uint32_t>(std::upper_bound(list.begin(), list.end(), cursor) - list.begin());
  };
  const LookCounts looks = store.LooksAt(cursor);
  for (const uint32_t n : looks) m.calls += n;
  m.joined = upto(EventKind::kJoin);
  m.retries = upto(EventKind::kRetry);
  for (const CallId id : CriticalPath(store, cursor)) {
    const CallInfo& c = store.call(id);
    if (c.attempt == 0) continue;
    const AttemptInfo& a = store.attempt(c.attempt);
    m.critical_path += WallAt(store, a, cursor);
  }
  m.overlap_won = std::max<TimeNs>(0, m.sequential_sum - m.makespan);
  m.overlap_left = std::max<TimeNs>(0, m.makespan - m.critical_path - m.program_time);
  return m;
}

std::vector<Field> MetricRows(const TraceStore& store, EventNo cursor, const Metrics& m) {
  const auto time = [&](TimeNs ns) { return FormatDuration(store, ns); };
  std::vector<Field> rows{
      {"makespan", time(m.makespan)},
      {"sequential sum", time(m.sequential_sum)},
      {"critical path", time(m.critical_path)},
      {"overlap won",
       time(m.overlap_won) +
           (m.makespan > 0
                ? " (" + OneDecimal(static_cast<double>(m.sequential_sum) / static_cast<double>(m.makespan)) + "x)"
                : "")},
      {"overlap left", time(m.overlap_left)},
      {"nothing in flight", time(m.program_time)},
      {"in flight, peak", std::to_string(m.peak_in_flight)},
      {"in flight, mean", OneDecimal(m.mean_in_flight)},
      {"frontier, widest", std::to_string(m.peak_ready)},
      {"calls", std::to_string(m.calls)},
      {"attempts", std::to_string(m.attempts) + ", " + std::to_string(m.early) + " early"},
      {"shared", std::to_string(m.joined)},
      {"retries", std::to_string(m.retries)},
      {"wasted", time(m.wasted)},
  };
  for (const BudgetUse& b : BudgetsAt(store, cursor)) {
    const std::string limit = b.limit == kUnlimited ? "unlimited" : std::to_string(b.limit);
    rows.push_back({"budget " + b.name,
                    std::to_string(b.held) + " of " + limit +
                        (b.held_by_orphans > 0 ? ", " + std::to_string(b.held_by_orphans) + " by orphans" : "")});
  }
  return rows;
}

}  // namespace pysolate::viz
