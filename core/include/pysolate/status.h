// What came of an input. A refused input is a value that says what was wrong and where; it changed nothing and was not
// logged.
#ifndef PYSOLATE_STATUS_H_
#define PYSOLATE_STATUS_H_

#include <cstdint>
#include <string>

#include "pysolate/event.h"

namespace pysolate {

enum class Code : uint8_t {
  kOk,
  kTimeBackwards,   // `now` is before the last input's time
  kUnknownId,       // an id that no event introduced
  kBadDependency,   // a dependency on the call itself or on a later one
  kScopeEnded,      // the scope is dead or closed
  kScopeKnown,      // the scope's fate is known already
  kCallEnded,       // the call is in a terminal state
  kAlreadyReached,  // control arrived twice at one call
  kArgsKnown,       // arguments given twice
  kNotReached,      // consumed before control arrived
  kNotSettled,      // consumed before its outcome was there
  kAttemptEnded,    // the attempt has its outcome already
  kAttemptLost,     // the attempt was given up; its answer is ignored
  kNotCancelled,    // `stopped` for an attempt that nobody asked to stop
  kRunEnded,        // after `end` only attempts may still report
  kBadValue,        // a number or a word out of range
  kMalformed,       // not the JSON text that was expected
};

struct [[nodiscard]] Status {
  Code code = Code::kOk;
  EventKind input = EventKind::kUnknown;  // the input that was refused
  const char* what = "";                  // the kind of thing that `id` counts: "call", "scope", ...; static storage
  uint64_t id = 0;

  bool ok() const { return code == Code::kOk; }
  // "consume: call 12 is not settled"
  std::string message() const;
};

// The id of something new, or why there is none (then 0).
struct [[nodiscard]] Made {
  uint32_t id = 0;
  Status status;
  bool ok() const { return status.ok(); }
};

}  // namespace pysolate

#endif  // PYSOLATE_STATUS_H_
