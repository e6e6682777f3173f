// Sequences of inputs as small numbers, so that they can be drawn at random, cut and shrunk: every number is taken
// modulo what exists at that moment, and any part of a sequence is a sequence.
#ifndef PYSOLATE_TESTS_PROPERTY_SEQUENCE_H_
#define PYSOLATE_TESTS_PROPERTY_SEQUENCE_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace pysolate::testing {

// The generator of SplitMix64 (Steele et al. 2014): one word of state, the same everywhere.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t Next() {
    uint64_t x = (state_ += 0x9e3779b97f4a7c15ull);
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    return x ^ (x >> 31);
  }
  uint32_t Below(uint32_t n) { return static_cast<uint32_t>(Next() % n); }

 private:
  uint64_t state_;
};

struct Op {
  uint8_t kind = 0;
  uint8_t a = 0, b = 0, c = 0, d = 0;
};
using Sequence = std::vector<Op>;

inline Sequence Draw(uint64_t seed, int kinds) {
  Random random(seed);
  Sequence ops(8 + random.Below(80));
  for (Op& op : ops) {
    op.kind = static_cast<uint8_t>(random.Below(static_cast<uint32_t>(kinds)));
    const uint64_t bits = random.Next();
    op.a = static_cast<uint8_t>(bits);
    op.b = static_cast<uint8_t>(bits >> 8);
    op.c = static_cast<uint8_t>(bits >> 16);
    op.d = static_cast<uint8_t>(bits >> 24);
  }
  return ops;
}

// The smallest sequence found that still `fails`: ever smaller pieces are cut out, then numbers are made smaller.
inline Sequence Shrink(Sequence ops, const std::function<bool(const Sequence&)>& fails) {
  for (bool smaller = true; smaller;) {
    smaller = false;
    for (size_t piece = ops.size() / 2; piece >= 1; piece /= 2) {
      for (size_t at = 0; at + piece <= ops.size();) {
        Sequence cut = ops;
        cut.erase(cut.begin() + static_cast<long>(at), cut.begin() + static_cast<long>(at + piece));
        if (fails(cut)) {
          ops = cut;
          smaller = true;
        } else {
          at += piece;
        }
      }
    }
    for (size_t i = 0; i < ops.size(); ++i) {
      for (uint8_t Op::*field : {&Op::a, &Op::b, &Op::c, &Op::d}) {
        for (uint8_t value : {0, 1, 2, 3}) {
          if (ops[i].*field <= value) break;
          Sequence simpler = ops;
          simpler[i].*field = value;
          if (!fails(simpler)) continue;
          ops = simpler;
          smaller = true;
          break;
        }
      }
    }
  }
  return ops;
}

}  // namespace pysolate::testing

#endif  // PYSOLATE_TESTS_PROPERTY_SEQUENCE_H_
