// The ready frontier at a cursor, and why every other undispatched call waits; `explain` for one call.
//
// The order is the scheduler's: reached calls before early ones, then by order key (bytewise), then by id; under the
// policy critical_path those that the longest known chain of calls depends on come first. Words are the user's:
// "waiting for call 12", "scope of line 8 not reached", "effect external_write: only when reached",
// "budget net 4/4, one held by orphan 7".
//
// Thread rule: pure functions of the store.
// Cost: O(calls listed * log); the totals come from the store's counts. Cut at `cap`, and say so by total.
#ifndef PYSOLATE_VIZ_MODEL_FRONTIER_H_
#define PYSOLATE_VIZ_MODEL_FRONTIER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "model/state.h"
#include "model/store.h"

namespace pysolate::viz {

struct ShutGate {
  Gate gate = Gate::kNone;
  CallId call = 0;        // arguments: the call waited for; contract: the effect before it
  AttemptId attempt = 0;  // budget: an attempt that holds a slot (an orphan first)
  ScopeId scope = 0;      // control path
  std::string words;
};

struct FrontierRow {
  CallId call = 0;
  bool reached = false;
  uint32_t place = 0;           // ready: 1 is popped next; waiting: 0
  TimeNs since = 0;             // time at which it became ready or arrived
  std::vector<ShutGate> gates;  // waiting: at least one; ready: budget if it is shut
};

struct Frontier {
  std::vector<FrontierRow> ready;    // in pop order
  std::vector<FrontierRow> waiting;  // in arrival order
  uint32_t ready_total = 0, waiting_total = 0;
};

// Frontier at a cursor, at most `cap` rows of each kind (the first ones).
Frontier FrontierAt(const TraceStore& store, EventNo cursor, uint32_t cap = 500);

// True if a is popped before b.
bool PopsBefore(const TraceStore& store, EventNo cursor, CallId a, CallId b);

// The gates of a call that are shut at the cursor; empty if it is dispatched, ended or has not arrived.
std::vector<ShutGate> ShutGates(const TraceStore& store, CallId call, EventNo cursor);

// One gate of the four, for the drawing of the four questions.
struct GateAnswer {
  Gate gate = Gate::kNone;
  bool open = false;
  std::string words;  // "arguments are known", or why not
};
std::array<GateAnswer, 4> FourQuestions(const TraceStore& store, CallId call, EventNo cursor);

// Sentences that say what a call does at the cursor and why, the state first: "Call 5 (fetch, line 3) is waiting." ...
std::vector<std::string> Explain(const TraceStore& store, CallId call, EventNo cursor);

// Use of one budget at a cursor.
struct BudgetUse {
  uint32_t klass = 0;  // as in LimitChange
  std::string name;    // "total", "early", or the class's name
  uint32_t limit = kUnlimited;
  uint64_t held = 0;  // total and early: running attempts; a class: their cost. Those made inside another hold nothing
  uint64_t held_early = 0;       // of it by attempts that no reached call wants (orphans too)
  uint64_t held_by_orphans = 0;  // of it by attempts that nobody wants
  AttemptId an_orphan = 0;       // the oldest of these
  uint32_t orphans = 0;          // how many they are
};
// Total, early ceiling and every class that has a name, in this order. O(running).
std::vector<BudgetUse> BudgetsAt(const TraceStore& store, EventNo cursor);

}  // namespace pysolate::viz

#endif  // PYSOLATE_VIZ_MODEL_FRONTIER_H_
