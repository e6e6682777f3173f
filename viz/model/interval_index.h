// Intervals in event numbers, appended in the order of their starts and closed later: which contain a cursor?
//
// A tree of maxima over the ends (fanout 16, kept implicit in one vector a level). Append is O(1) amortized, Close
// O(16 log n), Stab O(found * 16 log n). 8 bytes an interval plus 4 for its owner and 1/15 for the tree.
// Thread rule: one thread at a time.
#ifndef PYSOLATE_VIZ_MODEL_INTERVAL_INDEX_H_
#define PYSOLATE_VIZ_MODEL_INTERVAL_INDEX_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/column.h"

namespace pysolate::viz {

class IntervalIndex {
 public:
  static constexpr uint32_t kOpen = 0xffffffffu;

  // Starts an interval [start, open). REQUIRES: start is not below the last one. Returns its slot.
  uint32_t Append(uint32_t start, uint32_t owner);
  // The interval of the slot becomes [start, end): it no longer contains the cursor `end`.
  void Close(uint32_t slot, uint32_t end);

  size_t size() const { return start_.size(); }
  uint32_t owner(uint32_t slot) const { return owner_[slot]; }
  uint32_t start(uint32_t slot) const { return start_[slot]; }
  uint32_t end(uint32_t slot) const { return max_end_[0][slot]; }
  size_t MemoryBytes() const;

  // f(owner) -> bool for every interval with start <= cursor < end, in the order of the starts; false stops.
  template <class F>
  void Stab(uint32_t cursor, F f) const {
    StabRange(cursor, cursor, f);
  }
  // The same for every interval that contains a cursor in [from, to].
  template <class F>
  void StabRange(uint32_t from, uint32_t to, F f) const {
    const size_t n = std::upper_bound(start_.begin(), start_.end(), to) - start_.begin();
    if (n == 0) return;
    size_t i = 0;
    while (i < n) {
      // climb while aligned and the whole block is over, then descend
      size_t level = 0, block = i;
      while (level + 1 < max_end_.size() && block % kFan == 0 && max_end_[level + 1][block / kFan] <= from) {
        block /= kFan;
        ++level;
      }
      if (level == 0) {
        if (max_end_[0][i] > from && !f(owner_[i])) return;
        ++i;
      } else {
        size_t width = 1;
        for (size_t k = 0; k < level; ++k) width *= kFan;
        i = (block + 1) * width;
      }
    }
  }

 private:
  static constexpr size_t kFan = 16;
  Column<uint32_t> start_, owner_;
  std::vector<Column<uint32_t>> max_end_;  // level 0: the ends themselves
};

}  // namespace pysolate::viz

#endif  // PYSOLATE_VIZ_MODEL_INTERVAL_INDEX_H_
