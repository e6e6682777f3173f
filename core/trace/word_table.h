// A perfect hash over a fixed list of short words, built at compile time: the reader turns every field name and every
// kind into a number with one multiplication and one comparison.
#ifndef PYSOLATE_TRACE_WORD_TABLE_H_
#define PYSOLATE_TRACE_WORD_TABLE_H_

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace pysolate::trace_internal {

static_assert(std::endian::native == std::endian::little, "word prefixes are loaded as little-endian integers");

// The first eight bytes of a word as an integer, zero-padded. `readable` bytes may be loaded from `p`.
inline uint64_t LoadPrefix(const char* p, size_t length, size_t readable) {
  uint64_t v = 0;
  if (readable >= 8) {
    std::memcpy(&v, p, 8);
    return length >= 8 ? v : v & ((uint64_t{1} << (8 * length)) - 1);
  }
  std::memcpy(&v, p, length < 8 ? length : 8);
  return v;
}

// Words must differ in their length or in their first eight bytes. `Find` returns the position in the list, or -1.
template <size_t N>
class WordTable {
 public:
  constexpr explicit WordTable(const std::array<std::string_view, N>& words) : words_(words) {
    static_assert(N < 255);
    for (size_t i = 0; i < N; ++i) prefixes_[i] = Prefix(words[i]);
    for (multiplier_ = 0x9E3779B97F4A7C15u; !TryFill();)
      multiplier_ = multiplier_ * 6364136223846793005u + 1442695040888963407u;
  }

  int Find(const char* p, size_t length, size_t readable) const {
    const uint64_t prefix = LoadPrefix(p, length, readable);
    const uint8_t slot = slots_[SlotOf(prefix, length)];
    if (slot == kEmpty || prefixes_[slot] != prefix || words_[slot].size() != length) return -1;
    if (length > 8 && std::memcmp(words_[slot].data() + 8, p + 8, length - 8) != 0) return -1;
    return slot;
  }
  int Find(std::string_view word) const { return Find(word.data(), word.size(), word.size()); }

 private:
  static constexpr uint8_t kEmpty = 255;
  static constexpr int kBits = 10;

  static constexpr uint64_t Prefix(std::string_view word) {
    uint64_t v = 0;
    for (size_t i = 0; i < word.size() && i < 8; ++i) v |= uint64_t{static_cast<unsigned char>(word[i])} << (8 * i);
    return v;
  }
  constexpr size_t SlotOf(uint64_t prefix, size_t length) const {
    return ((prefix + length) * multiplier_) >> (64 - kBits);
  }
  constexpr bool TryFill() {
    for (auto& slot : slots_) slot = kEmpty;
    for (size_t i = 0; i < N; ++i) {
      uint8_t& slot = slots_[SlotOf(prefixes_[i], words_[i].size())];
      if (slot != kEmpty) return false;
      slot = static_cast<uint8_t>(i);
    }
    return true;
  }

  std::array<std::string_view, N> words_;
  std::array<uint64_t, N> prefixes_{};
  std::array<uint8_t, size_t{1} << kBits> slots_{};
  uint64_t multiplier_ = 0;
};

}  // namespace pysolate::trace_internal

#endif  // PYSOLATE_TRACE_WORD_TABLE_H_
