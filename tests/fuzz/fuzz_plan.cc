// The plan reader: the same tasks and the same error whatever the chunks; references name earlier tasks.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "sim/plan.h"

using namespace pysolate::sim;

namespace {

std::string Read(std::string_view text, size_t chunk) {
  std::string seen;
  uint32_t last = 0;
  PlanReader reader([&](const PlanTask& task) {
    if (task.number <= last) std::abort();
    last = task.number;
    seen += std::to_string(task.number) + task.tool + "(" + task.args + ")";
    for (const uint32_t input : task.inputs) {
      if (input >= task.number) std::abort();
      seen += "$" + std::to_string(input);
    }
  });
  for (size_t i = 0; i < text.size(); i += chunk) {
    if (!reader.Feed(text.substr(i, chunk))) break;
  }
  reader.Finish();
  return seen + reader.error() + std::to_string(reader.line());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (Read(text, size + 1) != Read(text, 1)) std::abort();
  return 0;
}
