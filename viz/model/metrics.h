// Figures of a run up to a cursor.
//
// Thread rule: pure functions of the store.
#ifndef PYSOLATE_VIZ_MODEL_METRICS_H_
#define PYSOLATE_VIZ_MODEL_METRICS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "model/inspector.h"
#include "model/store.h"

namespace pysolate::viz {

struct Metrics {
  TimeNs makespan = 0;        // time of the last event of a call or attempt, or of the end
  TimeNs sequential_sum = 0;  // wall time of the attempts that the program took, one after another, plus the program's
                              // own time (no call in flight)
  TimeNs program_time = 0;    // time with nothing in flight
  TimeNs critical_path = 0;   // wall time along the critical path
  TimeNs overlap_won = 0;     // sequential_sum - makespan, at least 0
  TimeNs overlap_left = 0;    // makespan - critical path - program time, at least 0
  uint32_t peak_in_flight = 0;
  double mean_in_flight = 0;
  uint32_t peak_ready = 0;
  uint32_t calls = 0, attempts = 0, early = 0, joined = 0, retries = 0;
  TimeNs wasted = 0;  // wall time of attempts that nobody took
};
// O(attempts up to the cursor). Keep the result while cursor and trace stay.
Metrics MetricsAt(const TraceStore& store, EventNo cursor);
// The same as rows for a table, with budget use.
std::vector<Field> MetricRows(const TraceStore& store, EventNo cursor, const Metrics& m);

}  // namespace pysolate::viz

#endif  // PYSOLATE_VIZ_MODEL_METRICS_H_
