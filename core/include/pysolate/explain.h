// Why a call waits: the shut gates in words and as data.
//
// Thread rule: plain data, copied out of the scheduler.
#ifndef PYSOLATE_EXPLAIN_H_
#define PYSOLATE_EXPLAIN_H_

#include <cstdint>
#include <string>
#include <vector>

#include "pysolate/event.h"

namespace pysolate {

enum class CallState : uint8_t {
  kWaiting,     // one of the first three gates is shut
  kReady,       // only the budget may be shut
  kDispatched,  // bound to a running attempt
  kSettled,     // its outcome is there, not yet taken
  kConsumed,    // terminal: the program took it
  kDiscarded,   // terminal: never reached
  kCancelled,   // terminal: reached, then given up
  kSkipped,     // terminal: an input failed
};
constexpr bool IsTerminal(CallState s) { return s >= CallState::kConsumed; }

// The four questions asked of every undispatched call.
enum class Gate : uint8_t { kArguments, kControl, kContract, kBudget };
inline constexpr int kGates = 4;

std::string_view Name(CallState v);
std::string_view Name(Gate v);

struct ShutGate {
  Gate gate = Gate::kArguments;
  // What it waits for, where that is one thing: a call (arguments, contract), a scope (control), an attempt that holds
  // an effect's turn (contract), a class (budget); else 0.
  uint32_t id = 0;
  std::string
      text;  // "waiting for call 12", "scope 3 (branch, line 8) not reached", "budget net 4/4, one held by orphan 7"
};

struct Explanation {
  CallId call = 0;
  CallState state = CallState::kWaiting;
  bool reached = false;
  AttemptId attempt = 0;
  std::vector<ShutGate> shut;  // in the order of the gates
  std::string text;            // all of it in one sentence
};

}  // namespace pysolate

#endif  // PYSOLATE_EXPLAIN_H_
