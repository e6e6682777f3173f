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
#include <vector>

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
    Step(e, t);
    if (changes_.size() % kStride == 0) checkpoints_.push_back({integral_t_, integral_e_, count_});
    changes_.push_back({t, e, from, to});
    Apply(from, to, &count_);
  }

  const std::array<int32_t, N>& now() const { return count_; }
  bool empty() const { return changes_.empty(); }

  // Integral of the counts over [0, x]. O(log changes).
  Sums Integral(Axis axis, double x) const {
    // changes before x
    const auto it =
        std::partition_point(changes_.begin(), changes_.end(), [&](const Change& c) { return X(axis, c) < x; });
    const size_t n = it - changes_.begin();
    if (n == 0) return {};
    const size_t base = (n - 1) / kStride;
    const Checkpoint& from = checkpoints_[base];
    Sums sums = axis == Axis::kTime ? from.over_time : from.over_events;
    auto counts = from.count;
    double last = X(axis, changes_[base * kStride]);
    for (size_t i = base * kStride; i < n; ++i) {
      const double here = X(axis, changes_[i]);
      for (int k = 0; k < N; ++k) sums[k] += counts[k] * (here - last);
      last = here;
      Apply(changes_[i].from, changes_[i].to, &counts);
    }
    for (int k = 0; k < N; ++k) sums[k] += counts[k] * (x - last);
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
  struct Checkpoint {
    Sums over_time, over_events;
    std::array<int32_t, N> count;
  };
  static double X(Axis axis, const Change& c) {
    return axis == Axis::kTime ? static_cast<double>(c.t) : static_cast<double>(c.e);
  }
  static void Apply(uint8_t from, uint8_t to, std::array<int32_t, N>* counts) {
    if (from != kNowhere) --(*counts)[from];
    if (to != kNowhere) ++(*counts)[to];
  }
  void Step(EventNo e, TimeNs t) {
    for (int k = 0; k < N; ++k) {
      integral_t_[k] += static_cast<double>(count_[k]) * static_cast<double>(t - last_t_);
      integral_e_[k] += static_cast<double>(count_[k]) * (e - last_e_);
    }
    last_t_ = t;
    last_e_ = e;
  }

  std::vector<Change> changes_;
  std::vector<Checkpoint> checkpoints_;
  std::array<int32_t, N> count_{};
  Sums integral_t_{}, integral_e_{};
  TimeNs last_t_ = 0;
  EventNo last_e_ = 0;
};

}  // namespace pysolate::viz

#endif  // PYSOLATE_VIZ_MODEL_HISTORY_H_
