#include "model/overview.h"

#include <algorithm>

namespace pysolate::viz {
namespace {

// Calls that are under way, by ink; those that are over (or absent) are nowhere.
uint8_t InkUnderWay(Look look) {
  const LookStyle& style = StyleOf(look);
  if (look == Look::kAbsent || style.terminal) return History<kInks>::kNowhere;
  return static_cast<uint8_t>(style.ink);
}

}  // namespace

Overview::Overview(const TraceStore* store) : store_(store) {}

void Overview::OnEvent(EventNo e) {
  const Look before = store_->look_before(e), after = store_->look_after(e);
  if (before != after) {
    const uint8_t from = InkUnderWay(before), to = InkUnderWay(after);
    if (from != to) {
      history_.Add(e, store_->time(e), from, to);
      if (from == History<kInks>::kNowhere) ++under_way_;
      if (to == History<kInks>::kNowhere) --under_way_;
      ready_ = static_cast<uint32_t>(history_.now()[static_cast<size_t>(Ink::kReady)]);
      peak_under_way_ = std::max(peak_under_way_, under_way_);
      peak_ready_ = std::max(peak_ready_, ready_);
    }
  }
  if (const AttemptId attempt = store_->attempt_of(e); attempt != 0) {
    const AttemptInfo& a = store_->attempt(attempt);
    if (a.dispatch == e) ++running_;
    if (a.end == e) --running_;
    peak_running_ = std::max(peak_running_, running_);
  }

  open_ = {std::max(open_.ready, ready_), std::max(open_.running, running_)};
  if ((e + 1) % kBlock == 0) CloseBlock();
}

void Overview::CloseBlock() {
  Node node = open_;
  for (size_t level = 0;; ++level) {
    if (level == levels_.size()) levels_.emplace_back();
    auto& nodes = levels_[level];
    nodes.push_back(node);
    if (nodes.size() % kFan != 0) break;
    for (size_t i = nodes.size() - kFan; i < nodes.size(); ++i) {
      node = {std::max(node.ready, nodes[i].ready), std::max(node.running, nodes[i].running)};
    }
  }
  open_ = {ready_, running_};  // what the next block begins with
}

Overview::Node Overview::MaxOver(EventNo from, EventNo to) const {
  Node best;
  const auto take = [&](const Node& n) { best = {std::max(best.ready, n.ready), std::max(best.running, n.running)}; };
  const size_t whole = levels_.empty() ? 0 : levels_[0].size();
  size_t at = from / kBlock;
  const size_t end = to / kBlock + 1;
  if (end > whole) take(open_);
  const size_t stop = std::min(end, whole);
  while (at < stop) {
    // The largest node that begins here and ends within.
    size_t level = 0, index = at, width = 1;
    while (level + 1 < levels_.size() && index % kFan == 0 && at + width * kFan <= stop) {
      index /= kFan;
      width *= kFan;
      ++level;
    }
    take(levels_[level][index]);
    at += width;
  }
  return best;
}

void Overview::Query(Axis axis, double x0, double x1, int columns, std::vector<OverviewColumn>* out) const {
  out->assign(static_cast<size_t>(std::max(columns, 0)), {});
  if (columns <= 0 || !(x1 > x0)) return;
  const double step = (x1 - x0) / columns;
  const double end = axis == Axis::kTime ? static_cast<double>(store_->end_time()) : store_->events();
  const auto event_at = [&](double x) -> EventNo {
    if (x < 0) return 0;
    if (axis == Axis::kTime) return store_->FindTime(static_cast<TimeNs>(std::min(x, 9e18)));
    return static_cast<EventNo>(std::min(x, static_cast<double>(store_->events())));
  };
  size_t hint = 0;
  auto left = history_.Integral(axis, std::max(0.0, x0), &hint);
  EventNo first = event_at(x0);
  for (int i = 0; i < columns; ++i) {
    OverviewColumn& column = (*out)[static_cast<size_t>(i)];
    const double to = x0 + step * (i + 1);
    const auto right = history_.Integral(axis, std::max(0.0, to), &hint);
    const EventNo last = event_at(to);
    if (to >= 0 && to - step <= end && store_->events() > 0) {
      column.empty = false;
      for (size_t k = 0; k < kInks; ++k)
        column.mean[k] = static_cast<float>(std::max(0.0, (right[k] - left[k]) / step));
      const Node top = MaxOver(std::max<EventNo>(first, 1), std::max<EventNo>(last, 1));
      column.ready_max = top.ready;
      column.running_max = top.running;
    }
    left = right;
    first = last;
  }
}

size_t Overview::MemoryBytes() const {
  size_t bytes = history_.MemoryBytes();
  for (const auto& level : levels_) bytes += level.capacity() * sizeof(Node);
  return bytes;
}

}  // namespace pysolate::viz
