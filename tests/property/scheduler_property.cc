// Random sequences of inputs against the reference: `scheduler_property [--sequences N] [--seed S] [--only]`.
// A failure prints its seed and the smallest sequence found, step by step.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "property/against_reference.h"

using namespace pysolate::testing;  // NOLINT

namespace {

bool Fails(const Sequence& ops) { return !SideBySide().Run(ops).empty(); }

}  // namespace

int main(int argc, char** argv) {
  uint64_t sequences = 100000, seed = 1;
  for (int i = 1; i < argc; ++i) {
    const std::string flag = argv[i];
    if (flag == "--sequences" && i + 1 < argc) {
      sequences = std::strtoull(argv[++i], nullptr, 10);
    } else if (flag == "--seed" && i + 1 < argc) {
      seed = std::strtoull(argv[++i], nullptr, 10);
    } else {
      std::fprintf(stderr, "usage: scheduler_property [--sequences N] [--seed S]\n");
      return 2;
    }
  }
  uint64_t steps = 0;
  for (uint64_t i = 0; i < sequences; ++i) {
    const Sequence ops = Draw(seed + i, kOpKinds);
    steps += ops.size();
    if (SideBySide().Run(ops).empty()) continue;
    const Sequence least = Shrink(ops, Fails);
    std::string story;
    const std::string difference = SideBySide().Run(least, &story);
    std::printf("seed %llu differs (run it alone: --sequences 1 --seed %llu). Smallest case:\n%s%s\n",
                static_cast<unsigned long long>(seed + i), static_cast<unsigned long long>(seed + i), story.c_str(),
                difference.c_str());
    return 1;
  }
  std::printf("%llu sequences, %llu inputs: the scheduler and the reference agree (seeds from %llu)\n",
              static_cast<unsigned long long>(sequences), static_cast<unsigned long long>(steps),
              static_cast<unsigned long long>(seed));
  return 0;
}
