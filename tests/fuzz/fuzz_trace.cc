// The trace reader and the index: any bytes in any chunks give events or one error, and the same whatever the chunks;
// what was read is written and read again without a change.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "pysolate/trace.h"
#include "pysolate/trace_report.h"

using namespace pysolate;

namespace {

std::string Rewritten(std::string_view text, size_t chunk, TraceError* error) {
  TraceWriter writer;
  TraceReader reader(&writer);
  for (size_t i = 0; i < text.size(); i += chunk) {
    if (!reader.Feed(text.substr(i, chunk))) break;
  }
  reader.Finish();
  *error = reader.error();
  return writer.Take();
}

void Require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  TraceError whole, chunked, again;
  const std::string once = Rewritten(text, size + 1, &whole);
  Require(once == Rewritten(text, 3, &chunked));
  Require(whole.line == chunked.line && whole.message == chunked.message);
  if (!once.empty()) {
    Require(Rewritten(once, once.size(), &again) == once);
    Require(!again);
  }
  TraceReport report;
  report.Feed(text);
  report.Finish();
  Require(report.index().totals().balanced());
  report.StatsJson("fuzz");
  report.CheckJson("fuzz");
  return 0;
}
