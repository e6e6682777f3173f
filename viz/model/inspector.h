// One call in words: for the inspector, tooltips and the screen reader's twin.
//
// Thread rule: pure functions of the store.
#ifndef PYSOLATE_VIZ_MODEL_INSPECTOR_H_
#define PYSOLATE_VIZ_MODEL_INSPECTOR_H_

#include <cstdint>
#include <string>
#include <vector>

#include "model/selection.h"
#include "model/store.h"

namespace pysolate::viz {

struct Field {
  std::string name, value;
};

struct Transition {
  EventNo event = 0;
  TimeNs time = 0;
  TimeNs since_previous = 0;
  std::string what;           // "dispatched as attempt 3, early"
  std::string reason;         // may be empty
  Look look = Look::kAbsent;  // after it
  bool past = false;          // at or before the cursor
};

struct Inspection {
  CallId call = 0;
  bool arrived = false;            // at the cursor
  Look look = Look::kAbsent;       // at the cursor
  std::string title;               // "call 5: fetch('x')"
  std::string place;               // "two.py:3:4 in load"
  std::string scopes;              // "program > function load > iteration 3"
  std::string arguments, outcome;  // outcome: result or error so far, "" if none
  bool outcome_is_error = false;
  std::vector<Field> fields;  // contract, attempt, times, budget
  std::vector<Transition> transitions;
  std::vector<std::string> explain;
  Relation relation;
};
Inspection Inspect(const TraceStore& store, CallId call, EventNo cursor);

// "12.5 ms", "3 units": a duration in the run's own measure.
std::string FormatDuration(const TraceStore& store, TimeNs ns);
// "t = 1.204 s".
std::string FormatTime(const TraceStore& store, TimeNs ns);
// "call 5 fetch line 3".
std::string ShortName(const TraceStore& store, CallId call);
// What an event says, in a few words: "call 5 settled: ok".
std::string DescribeEvent(const TraceStore& store, EventNo e);

}  // namespace pysolate::viz

#endif  // PYSOLATE_VIZ_MODEL_INSPECTOR_H_
