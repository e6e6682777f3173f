// Large runs, made by a small scheduler of their own: the same shapes at any size, always the same for a seed.
#ifndef PYSOLATE_TESTS_VIZ_BIG_TRACE_H_
#define PYSOLATE_TESTS_VIZ_BIG_TRACE_H_

#include <memory>
#include <string>
#include <string_view>

#include "model/document.h"
#include "pysolate/event.h"

namespace pysolate::viz::testing {

enum class Shape : uint8_t {
  kWide,   // one site, every call at once, then one that needs them all
  kDeep,   // chains: each call needs the one before
  kAgent,  // turns: a fan-out of reads, guesses that die, an effect, a summary; a budget, failures, orphans
};
std::string_view Name(Shape shape);

// Writes a run of about `calls` calls (8 to 11 events each) to a sink.
void MakeBigTrace(Shape shape, uint32_t calls, EventSink* sink);
// The same as the text of a trace.
std::string BigTraceText(Shape shape, uint32_t calls);
std::unique_ptr<Document> LoadBig(Shape shape, uint32_t calls);

}  // namespace pysolate::viz::testing

#endif  // PYSOLATE_TESTS_VIZ_BIG_TRACE_H_
