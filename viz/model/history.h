// How many things were in each of N states over a run: instant counts and means of any stretch, on either axis.
//
// Changes are appended in event order; every kStride changes a checkpoint keeps the counts and their integrals over
// time and over events, so that the mean of a stretch is two look-ups. About 10 bytes a change for N = 7.
// Thread rule: one thread at a time.
#ifndef PYSOLATE_VIZ_MODEL_HISTORY_H_
#define PYSOLATE_VIZ_MODEL_HISTORY_H_

#include <algorithm>
#include <array>
#include <cstdint>

#include "model/column.h"
#include "model/state.h"

namespace pysolate::viz {

enum class Axis : uint8_t { kTime, kEvent };

template <int N>
class History {
 public:
  static constexpr uint8_t kNowhere = 0xff;  // not in any of the states
  using Sums = std::array<double, N>;

  // At event e (time t) one thing went from a state to another; either may be kNowhere.
  void Add(EventNo e, TimeNs t, uint8_t from, uint8_t to) {
    if (changes_.size() % kStride == 0) checkpoints_.push_back(now_);
    changes_.push_back({t, e, from, to});
    Apply(changes_.back(), &now_);
  }

  const std::array<int32_t, N>& now() const { return now_.count; }
  bool empty() const { return changes_.empty(); }

  // Integral of the counts over [0, x]. O(log changes), less if *hint (0 at first, then kept by the caller) is from a
  // nearby x before.
  Sums Integral(Axis axis, double x, size_t* hint) const {
    const size_t n = FindBefore(axis, x, *hint);
    *hint = n;
    Sums sums{};
    if (n == 0) return sums;
    const size_t base = (n - 1) / kStride;
    Checkpoint at = checkpoints_[base];
    for (size_t i = base * kStride; i < n; ++i) Apply(changes_[i], &at);
    const Sums& offset = axis == Axis::kTime ? at.over_time : at.over_events;
    for (int k = 0; k < N; ++k) sums[k] = at.count[k] * x - offset[k];
    return sums;
  }

  size_t MemoryBytes() const {
    return changes_.capacity() * sizeof(Change) + checkpoints_.capacity() * sizeof(Checkpoint);
  }

 private:
  static constexpr size_t kStride = 32;
  struct Change {
    TimeNs t;
    EventNo e;
    uint8_t from, to;
  };
  // The integral of a count is count * x minus the sum of the x at which it rose, plus those at which it fell: so a
  // change touches two states only.
  struct Checkpoint {
    Sums over_time{}, over_events{};
    std::array<int32_t, N> count{};
  };
  static double X(Axis axis, const Change& c) {
    return axis == Axis::kTime ? static_cast<double>(c.t) : static_cast<double>(c.e);
  }
  static void Apply(const Change& c, Checkpoint* at) {
    if (c.from != kNowhere) {
      --at->count[c.from];
      at->over_time[c.from] -= static_cast<double>(c.t);
      at->over_events[c.from] -= c.e;
    }
    if (c.to != kNowhere) {
      ++at->count[c.to];
      at->over_time[c.to] += static_cast<double>(c.t);
      at->over_events[c.to] += c.e;
    }
  }
  // Number of changes before x: in steps that double from the hint on, then halving.
  size_t FindBefore(Axis axis, double x, size_t hint) const {
    size_t low = std::min(hint, changes_.size());
    if (low > 0 && X(axis, changes_[low - 1]) >= x) low = 0;
    size_t step = 1, high = low;
    while (high < changes_.size() && X(axis, changes_[high]) < x) {
      low = high + 1;
      high += step;
      step *= 2;
    }
    high = std::min(high, changes_.size());
    const Change* begin = changes_.begin();
    return std::partition_point(begin + low, begin + high, [&](const Change& c) { return X(axis, c) < x; }) - begin;
  }

  Column<Change> changes_;
  Column<Checkpoint> checkpoints_;
  Checkpoint now_;
};

}  // namespace pysolate::viz

#endif  // PYSOLATE_VIZ_MODEL_HISTORY_H_
