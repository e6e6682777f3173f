#include "model/interval_index.h"

namespace pysolate::viz {

uint32_t IntervalIndex::Append(uint32_t start, uint32_t owner) {
  const size_t slot = start_.size();
  start_.push_back(start);
  owner_.push_back(owner);
  if (max_end_.empty()) max_end_.emplace_back();
  size_t index = slot;
  for (size_t level = 0;; ++level) {
    if (index < max_end_[level].size()) {
      max_end_[level][index] = kOpen;
    } else {
      max_end_[level].push_back(kOpen);
    }
    index /= kFan;
    // A further level pays as soon as the one below has two blocks.
    if (level + 1 == max_end_.size()) {
      if (max_end_[level].size() <= kFan) break;
      max_end_.emplace_back();
      const auto& below = max_end_[level];
      for (size_t i = 0; i < below.size(); i += kFan) {
        const size_t stop = std::min(below.size(), i + kFan);
        max_end_.back().push_back(*std::max_element(below.begin() + i, below.begin() + stop));
      }
      break;
    }
  }
  return static_cast<uint32_t>(slot);
}

void IntervalIndex::Close(uint32_t slot, uint32_t end) {
  max_end_[0][slot] = end;
  size_t index = slot;
  for (size_t level = 0; level + 1 < max_end_.size(); ++level) {
    const auto& below = max_end_[level];
    const size_t block = index / kFan;
    const size_t stop = std::min(below.size(), (block + 1) * kFan);
    uint32_t top = 0;
    for (size_t i = block * kFan; i < stop && top != kOpen; ++i) top = std::max(top, below[i]);
    auto& above = max_end_[level + 1][block];
    if (above == top) return;
    above = top;
    index = block;
  }
}

size_t IntervalIndex::MemoryBytes() const {
  size_t bytes = (start_.capacity() + owner_.capacity()) * sizeof(uint32_t);
  for (const auto& level : max_end_) bytes += level.capacity() * sizeof(uint32_t);
  return bytes;
}

}  // namespace pysolate::viz
