#include "model/timeline.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <tuple>

namespace pysolate::viz {
namespace {

constexpr double kMergePixels = 2;

// Which of two looks must not vanish in a merged bar: the higher rank wins.
int Rank(Look look) {
  switch (look) {
    case Look::kConsumedFailed:
    case Look::kSettledFailed:
      return 9;
    case Look::kOrphaned:
      return 8;
    case Look::kLost:
      return 7;
    case Look::kLateOk:
    case Look::kLateFailed:
      return 6;
    case Look::kDispatched:
      return 5;
    case Look::kReady:
      return 4;
    case Look::kWaiting:
      return 3;
    case Look::kSettled:
      return 2;
    case Look::kCancelled:
    case Look::kSkipped:
      return 1;
    case Look::kDiscarded:
    case Look::kConsumed:
    case Look::kAbsent:
      return 0;
  }
  return 0;
}

}  // namespace

std::string_view Name(Phase phase) {
  constexpr std::string_view kWords[kPhases] = {
      "waiting for arguments", "waiting for control", "waiting by contract", "ready", "running", "orphaned", "held"};
  return kWords[static_cast<size_t>(phase)];
}

bool PhaseAt(const TraceStore& store, CallId id, EventNo e, Look look, Phase* phase) {
  const CallInfo& c = store.call(id);
  switch (look) {
    case Look::kWaiting: {
      const bool reached = c.reach != 0 && c.reach <= e;
      if (c.args == 0 || c.args > e) {
        *phase = Phase::kWaitArguments;
      } else if (reached || store.tool(c.tool).effect > Effect::kImmutableRead) {
        *phase = Phase::kWaitContract;
      } else {
        *phase = Phase::kWaitControl;
      }
      return true;
    }
    case Look::kReady:
      *phase = Phase::kReady;
      return true;
    case Look::kDispatched:
      *phase = Phase::kRunning;
      return true;
    case Look::kOrphaned:
      *phase = Phase::kOrphaned;
      return true;
    case Look::kSettled:
    case Look::kSettledFailed:
      *phase = Phase::kHeld;
      return true;
    default:
      return false;
  }
}

Timeline::Timeline(const TraceStore* store) : store_(store), lanes_(1) {
  row_of_.push_back(kNoRow);
  index_in_row_.push_back(0);
  left_.push_back(0);
}

// ---- places

uint32_t Timeline::TakeRow(SiteId site) {
  if (site >= lanes_.size()) lanes_.resize(site + 1);
  SiteLanes& lane = lanes_[site];
  if (!lane.free.empty()) {
    std::pop_heap(lane.free.begin(), lane.free.end(), std::greater<>());
    const uint32_t row = lane.free.back();
    lane.free.pop_back();
    return row;
  }
  if (lane.spare == 0) {
    const bool at_bottom = lane.rows > 0 && lane.last_block + 1 == blocks_.size();
    // A block that is not at the bottom can't grow. The next one is as large as all before, so that a site has few.
    const uint32_t more = at_bottom || lane.rows == 0 ? 1 : lane.rows;
    if (!at_bottom) {
      lane.last_block = static_cast<uint32_t>(blocks_.size());
      blocks_.push_back({site, rows_, 0, lane.rows > 0});
    }
    lane.next_spare = rows_;
    lane.spare = more;
    lane.rows += more;
    blocks_[lane.last_block].rows += more;
    rows_ += more;
    bars_.resize(rows_);
  }
  --lane.spare;
  return lane.next_spare++;
}

void Timeline::Occupy(CallId id) {
  const uint32_t row = TakeRow(store_->call(id).site);
  row_of_[id] = row;
  index_in_row_[id] = static_cast<uint32_t>(bars_[row].calls.size());
  bars_[row].calls.push_back(id);
  if (bars_[row].calls.size() > bars_[row].notable.size() * kBlock) bars_[row].notable.push_back(0);
}

void Timeline::OnEvent(EventNo e) {
  const CallId id = store_->call_of(e);
  if (id == 0) return;
  if (id >= row_of_.size()) {
    row_of_.resize(id + 1, kNoRow);
    index_in_row_.resize(id + 1, 0);
    left_.resize(id + 1, 0);
  }
  const CallInfo& c = store_->call(id);
  if (c.arrive == e) Occupy(id);
  if (row_of_[id] == kNoRow) return;
  if (c.end != 0) {
    bars_[row_of_[id]].notable[index_in_row_[id] / kBlock] |= static_cast<uint16_t>(1u << static_cast<int>(c.look));
    if (left_[id] == 0) {
      // Its row is taken as long as its own attempt may still be drawn.
      const AttemptInfo& a = store_->attempt(c.attempt);
      if (c.attempt == 0 || a.call != id || a.end != 0) {
        left_[id] = e;
        auto& free = lanes_[c.site].free;
        free.push_back(row_of_[id]);
        std::push_heap(free.begin(), free.end(), std::greater<>());
      }
    }
  }
}

void Timeline::Regroup() {
  std::vector<SiteId> order(store_->sites() + 1);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](SiteId a, SiteId b) {
    const SiteInfo &x = store_->site(a), &y = store_->site(b);
    return std::make_tuple(store_->text(x.file), x.line, x.col) < std::make_tuple(store_->text(y.file), y.line, y.col);
  });
  const uint32_t calls = store_->calls();
  rows_ = 0;
  blocks_.clear();
  bars_.clear();
  row_of_.clear();
  row_of_.resize(calls + 1, kNoRow);
  index_in_row_.clear();
  index_in_row_.resize(calls + 1, 0);
  lanes_.assign(store_->sites() + 1, {});
  for (const SiteId site : order) {
    // Calls of the site in arrival order; rows freed by those that left before.
    using Leaving = std::pair<EventNo, CallId>;
    std::vector<Leaving> leaving;
    store_->ForEachCallOfSite(site, [&](CallId id) {
      while (!leaving.empty() && leaving.front().first <= store_->call(id).arrive) {
        auto& free = lanes_[site].free;
        free.push_back(row_of_[leaving.front().second]);
        std::push_heap(free.begin(), free.end(), std::greater<>());
        std::pop_heap(leaving.begin(), leaving.end(), std::greater<>());
        leaving.pop_back();
      }
      Occupy(id);
      if (left_[id] != 0) {
        bars_[row_of_[id]].notable[index_in_row_[id] / kBlock] |=
            static_cast<uint16_t>(1u << static_cast<int>(store_->call(id).look));
        leaving.emplace_back(left_[id], id);
        std::push_heap(leaving.begin(), leaving.end(), std::greater<>());
      }
      return true;
    });
    for (const Leaving& l : leaving) lanes_[site].free.push_back(row_of_[l.second]);
    std::make_heap(lanes_[site].free.begin(), lanes_[site].free.end(), std::greater<>());
  }
  density_.clear();
  density_upto_ = 0;
}

const LaneBlock& Timeline::block_of(uint32_t row) const {
  const auto it = std::upper_bound(blocks_.begin(), blocks_.end(), row,
                                   [](uint32_t value, const LaneBlock& b) { return value < b.first_row; });
  return *(it - 1);
}

// ---- axes

double Timeline::extent(Axis axis) const {
  if (axis == Axis::kEvent) return static_cast<double>(store_->events()) + 1;
  return std::max(1.0, static_cast<double>(store_->end_time()));
}

double Timeline::x_of(Axis axis, EventNo e) const {
  return axis == Axis::kEvent ? static_cast<double>(e) : static_cast<double>(store_->time(e));
}

EventNo Timeline::event_at(Axis axis, double x) const {
  if (!(x > 0)) return 0;
  if (axis == Axis::kEvent) return static_cast<EventNo>(std::min(x, static_cast<double>(store_->events())));
  return store_->FindTime(static_cast<TimeNs>(std::min(x, 9e18)));
}

void Timeline::Span(CallId id, Axis axis, double* x0, double* x1, bool* open) const {
  const EventNo left = id < left_.size() ? left_[id] : 0;
  *x0 = x_of(axis, store_->call(id).arrive);
  *open = left == 0;
  *x1 = left == 0 ? std::max(*x0, extent(axis)) : x_of(axis, left);
}

ViewBox Timeline::Fit(Axis axis) const {
  const double width = extent(axis), rows = std::max(1u, rows_);
  return {axis, -0.01 * width, 1.02 * width, 0, rows};
}

ViewBox Timeline::FitCall(const ViewBox& now, CallId id) const {
  if (row_of(id) == kNoRow) return now;
  double x0 = 0, x1 = 0;
  bool open = false;
  Span(id, now.axis, &x0, &x1, &open);
  const double least = now.axis == Axis::kEvent ? 8 : std::max(1.0, extent(Axis::kTime) * 1e-6);
  const double width = std::max(least, (x1 - x0) * 1.5);
  const double middle = (x0 + x1) / 2, row = row_of(id) + 0.5;
  const double height = std::min(now.row1 - now.row0, 24.0);
  ViewBox box = now;
  box.x0 = middle - width / 2;
  box.x1 = middle + width / 2;
  box.row0 = std::max(0.0, row - height / 2);
  box.row1 = box.row0 + height;
  return box;
}

// ---- bars

Look Timeline::MostNotable(const RowBars& bars, size_t from, size_t to, EventNo cursor) const {
  Look best = Look::kAbsent;
  int rank = -1;
  const auto take = [&](Look look) {
    if (Rank(look) > rank) {
      rank = Rank(look);
      best = look;
    }
  };
  for (size_t i = from; i < to;) {
    // All calls of a whole block but the row's last one before the cursor have ended, so their final looks count.
    if (i % kBlock == 0 && i + kBlock < to) {
      const uint16_t set = bars.notable[i / kBlock];
      for (int k = 0; k < kLooks; ++k) {
        if ((set >> k & 1) != 0) take(static_cast<Look>(k));
      }
      i += kBlock;
    } else {
      take(store_->LookAt(bars.calls[i], cursor));
      ++i;
    }
  }
  return best;
}

void Timeline::QueryRow(uint32_t row, const ViewBox& box, double merge, EventNo cursor, TimelineView* out) const {
  const RowBars& bars = bars_[row];
  const auto start_of = [&](CallId id) { return x_of(box.axis, store_->call(id).arrive); };
  const auto begin = bars.calls.begin(), end = bars.calls.end();
  auto it = std::partition_point(begin, end, [&](CallId id) { return start_of(id) < box.x0; });
  if (it != begin) {
    double x0 = 0, x1 = 0;
    bool open = false;
    Span(*(it - 1), box.axis, &x0, &x1, &open);
    if (x1 >= box.x0) --it;
  }
  const double now = x_of(box.axis, cursor);
  while (it != end) {
    const CallId id = *it;
    const EventNo arrive = store_->call(id).arrive;
    Bar bar;
    bar.call = id;
    bar.row = row;
    bar.x0 = start_of(id);
    if (bar.x0 > box.x1) break;
    bar.future = arrive > cursor;
    double unused = 0;
    Span(id, box.axis, &unused, &bar.x1, &bar.open);
    const bool over_at_cursor = !bar.open && left_[id] <= cursor;
    auto next = it + 1;
    if (bar.x1 - bar.x0 < merge && (over_at_cursor || bar.future)) {
      // Everything that starts within the merge width goes in, up to one that is wide, or across the cursor.
      const double limit = bar.x0 + merge;
      auto stop = std::partition_point(next, end, [&](CallId other) {
        return start_of(other) < limit && (store_->call(other).arrive > cursor) == bar.future;
      });
      if (stop != next) {
        double x0 = 0, x1 = 0;
        bool open = false;
        Span(*(stop - 1), box.axis, &x0, &x1, &open);
        if (open || x1 - x0 >= merge || (!bar.future && left_[*(stop - 1)] > cursor)) {
          --stop;
          if (stop != next) Span(*(stop - 1), box.axis, &x0, &x1, &open);
        }
        if (stop != next) bar.x1 = x1;
      }
      bar.merged = static_cast<uint32_t>(stop - it);
      next = stop;
    }
    if (bar.future) {
      bar.look = Look::kAbsent;
    } else if (bar.merged > 1) {
      bar.look = MostNotable(bars, it - begin, next - begin, cursor);
      bar.open = false;
      out->bars_merged += bar.merged;
    } else {
      bar.look = store_->LookAt(id, cursor);
      if (!over_at_cursor) {
        bar.open = true;
        bar.x1 = std::max(bar.x0, now);
      }
    }
    out->calls_shown += bar.merged;
    out->bars.push_back(bar);
    it = next;
  }
}

void Timeline::Query(const ViewBox& box, int width, int height, EventNo cursor, TimelineView* out) const {
  out->bars.clear();
  out->density.clear();
  out->calls_shown = out->bars_merged = 0;
  const double visible = box.row1 - box.row0;
  if (width <= 0 || height <= 0 || !(box.x1 > box.x0) || !(visible > 0)) return;
  if (height / visible < kMinRowPixels && visible > 64) {
    QueryDensity(box, width, height, out);
    return;
  }
  const auto first = static_cast<uint32_t>(std::clamp(std::floor(box.row0), 0.0, static_cast<double>(rows_)));
  const auto last = static_cast<uint32_t>(std::clamp(std::ceil(box.row1), 0.0, static_cast<double>(rows_)));
  // How many bars there would be, to choose a merge width that keeps to the cap.
  const double pixel = (box.x1 - box.x0) / width;
  const EventNo e0 = event_at(box.axis, box.x0), e1 = event_at(box.axis, box.x1);
  double expected = 0;
  for (uint32_t row = first; row < last; ++row) {
    const auto& calls = bars_[row].calls;
    const auto before = [&](EventNo limit) {
      return std::partition_point(calls.begin(), calls.end(),
                                  [&](CallId id) { return store_->call(id).arrive <= limit; });
    };
    expected += std::min<double>(static_cast<double>(before(e1) - before(e0)) + 1, width / kMergePixels);
  }
  const double merge = pixel * kMergePixels * std::max(1.0, expected / kMaxBars);
  for (uint32_t row = first; row < last; ++row) QueryRow(row, box, merge, cursor, out);
}

void Timeline::Segments(CallId id, Axis axis, EventNo cursor, std::vector<Segment>* out) const {
  out->clear();
  const CallInfo& c = store_->call(id);
  if (c.arrive == 0) return;
  bool in_segment = false;
  std::vector<EventNo> story;
  store_->StoryOf(id, cursor, &story);
  for (const EventNo e : story) {
    Phase phase = Phase::kHeld;
    const bool under_way = PhaseAt(*store_, id, e, store_->look_after(e), &phase);
    const bool early = c.reach == 0 || c.reach > e;
    if (in_segment) {
      Segment& last = out->back();
      if (under_way && last.phase == phase && last.early == early) continue;
      last.to = e;
      last.x1 = x_of(axis, e);
      last.open = false;
      in_segment = false;
      if (!(last.x1 > last.x0)) out->pop_back();  // no time passed in it
    }
    if (under_way) {
      out->push_back({phase, early, true, e, 0, x_of(axis, e), std::max(x_of(axis, e), x_of(axis, cursor))});
      in_segment = true;
    }
  }
}

CallId Timeline::Hit(Axis axis, double x, double row, EventNo cursor) const {
  if (!(row >= 0) || row >= rows_) return 0;
  const auto& calls = bars_[static_cast<uint32_t>(row)].calls;
  auto it = std::partition_point(calls.begin(), calls.end(),
                                 [&](CallId id) { return x_of(axis, store_->call(id).arrive) <= x; });
  if (it == calls.begin()) return 0;
  const CallId id = *(it - 1);
  const EventNo left = left_[id];
  double x1 = left == 0 ? extent(axis) : x_of(axis, left);
  if (store_->call(id).arrive <= cursor && (left == 0 || left > cursor)) x1 = x_of(axis, cursor);
  return x <= x1 ? id : 0;
}

// ---- density

void Timeline::UpdateDensity() const {
  constexpr auto kNowhere = History<kPhases>::kNowhere;
  for (; density_upto_ < store_->events();) {
    const EventNo e = ++density_upto_;
    const CallId id = store_->call_of(e);
    if (id == 0 || row_of(id) == kNoRow) continue;
    const EventNo previous = store_->prev_of_call(e);
    Phase before = Phase::kHeld, after = Phase::kHeld;
    const uint8_t from = previous != 0 && PhaseAt(*store_, id, previous, store_->look_after(previous), &before)
                             ? static_cast<uint8_t>(before)
                             : kNowhere;
    const uint8_t to = PhaseAt(*store_, id, e, store_->look_after(e), &after) ? static_cast<uint8_t>(after) : kNowhere;
    if (from == to) continue;
    uint32_t group = row_of_[id] / kGroup;
    for (size_t level = 0;; ++level, group /= kGroupFan) {
      if (level == density_.size()) density_.emplace_back();
      if (group >= density_[level].size()) density_[level].resize(group + 1);
      Group& g = density_[level][group];
      g.phases.Add(e, store_->time(e), from, to);
      if (store_->call(id).arrive == e) ++g.calls;
      if (level >= 3) break;
    }
  }
}

void Timeline::QueryDensity(const ViewBox& box, int width, int height, TimelineView* out) const {
  UpdateDensity();
  if (density_.empty()) return;
  const double row_pixels = height / (box.row1 - box.row0);
  size_t level = 0;
  double group_rows = kGroup;
  while (level + 1 < density_.size() && group_rows * row_pixels < 3) {
    ++level;
    group_rows *= kGroupFan;
  }
  const auto& groups = density_[level];
  const int columns = std::clamp(width / 12, 1, 160);
  const double step = (box.x1 - box.x0) / columns;
  const double end = extent(box.axis);
  const auto first = static_cast<size_t>(std::max(0.0, std::floor(box.row0 / group_rows)));
  for (size_t g = first; g < groups.size() && static_cast<double>(g) * group_rows < box.row1; ++g) {
    const double row0 = static_cast<double>(g) * group_rows;
    const double row1 = std::min(static_cast<double>(rows_), row0 + group_rows);
    size_t hint = 0;
    auto left = groups[g].phases.Integral(box.axis, std::max(0.0, box.x0), &hint);
    for (int i = 0; i < columns; ++i) {
      const double x0 = box.x0 + step * i, x1 = x0 + step;
      if (x0 > end) break;
      const auto right = groups[g].phases.Integral(box.axis, std::max(0.0, x1), &hint);
      DensityCell cell{row0, row1, x0, x1, {}};
      bool any = false;
      for (int k = 0; k < kPhases; ++k) {
        cell.per_phase[k] = static_cast<float>((right[k] - left[k]) / (step * (row1 - row0)));
        any = any || cell.per_phase[k] > 0;
      }
      if (any) out->density.push_back(cell);
      left = right;
    }
    out->calls_shown += groups[g].calls;
  }
  out->bars_merged = out->calls_shown;
}

// ---- gaps

const std::vector<Timeline::Gap>& Timeline::IdleGaps(TimeNs min_ns) const {
  if (min_ns != gaps_min_) {
    gaps_.clear();
    gaps_min_ = min_ns;
    gaps_upto_ = 0;
    gaps_in_flight_ = 0;
  }
  while (gaps_upto_ < store_->events()) {
    const EventNo e = ++gaps_upto_;
    const TimeNs from = store_->time(e - 1), to = store_->time(e);
    if (gaps_in_flight_ <= 0 && to - from >= min_ns && to > from) gaps_.push_back({from, to});
    if (const AttemptId attempt = store_->attempt_of(e); attempt != 0) {
      const AttemptInfo& a = store_->attempt(attempt);
      if (a.dispatch == e) ++gaps_in_flight_;
      if (a.end == e) --gaps_in_flight_;
    }
  }
  return gaps_;
}

size_t Timeline::MemoryBytes() const {
  size_t bytes = (row_of_.capacity() + index_in_row_.capacity() + left_.capacity()) * 4 +
                 lanes_.capacity() * sizeof(SiteLanes) + bars_.capacity() * sizeof(RowBars) +
                 blocks_.capacity() * sizeof(LaneBlock) + gaps_.capacity() * sizeof(Gap);
  for (const auto& lane : lanes_) bytes += lane.free.capacity() * 4;
  for (const auto& row : bars_) bytes += row.calls.capacity() * 4 + row.notable.capacity() * 2;
  for (const auto& level : density_) {
    bytes += level.capacity() * sizeof(Group);
    for (const auto& group : level) bytes += group.phases.MemoryBytes();
  }
  return bytes;
}

}  // namespace pysolate::viz
