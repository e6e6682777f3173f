// libFuzzer: bytes are inputs of the scheduler, five a step; the reference must agree and every invariant hold.
#include <cstdio>
#include <cstdlib>

#include "property/against_reference.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace pysolate::testing;  // NOLINT
  Sequence ops;
  for (size_t i = 0; i + 5 <= size && ops.size() < 120; i += 5) {
    ops.push_back({data[i], data[i + 1], data[i + 2], data[i + 3], data[i + 4]});
  }
  if (const std::string difference = SideBySide().Run(ops); !difference.empty()) {
    std::fprintf(stderr, "%s\n", difference.c_str());
    std::abort();
  }
  return 0;
}
