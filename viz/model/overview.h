// The strip over the timeline: how many calls were in each look, and how wide the ready frontier was, over the whole
// run. A pyramid of minima, maxima and means over event numbers, fanout 4; a query of w columns costs O(w log events).
//
// Thread rule: one thread at a time.
#ifndef PYSOLATE_VIZ_MODEL_OVERVIEW_H_
#define PYSOLATE_VIZ_MODEL_OVERVIEW_H_

#include <array>
#include <cstdint>
#include <vector>

#include "model/history.h"
#include "model/state.h"
#include "model/store.h"
#include "model/timeline.h"

namespace pysolate::viz {

struct OverviewColumn {
  std::array<float, kInks> mean{};  // calls per ink that are under way: waiting, ready, dispatched, (settled counts as
                                    // succeeded, settled_failed as failed), orphaned. Ended calls are not counted.
  uint32_t ready_max = 0;           // widest frontier within the column
  uint32_t running_max = 0;         // most attempts in flight
  bool empty = true;                // beyond the end of the trace
};

class Overview {
 public:
  explicit Overview(const TraceStore* store);  // outlives the overview
  void OnEvent(EventNo e);                     // REQUIRES: every event, in order

  // Columns for the whole run [0, extent] or a part of it, on either axis. On the time axis means are weighted by
  // time. `out` is replaced.
  void Query(Axis axis, double x0, double x1, int columns, std::vector<OverviewColumn>* out) const;
  // Largest sum of means over any column of the whole run (a scale for drawing).
  uint32_t peak_under_way() const { return peak_under_way_; }
  uint32_t peak_ready() const { return peak_ready_; }
  uint32_t peak_running() const { return peak_running_; }
  size_t MemoryBytes() const;

 private:
  struct Node {
    uint32_t ready = 0, running = 0;
  };
  static constexpr size_t kFan = 4, kBlock = 16;
  Node MaxOver(EventNo from, EventNo to) const;  // both included, rounded outwards to blocks of events
  void CloseBlock();

  const TraceStore* store_;
  History<kInks> history_;
  uint32_t peak_under_way_ = 0, peak_ready_ = 0, peak_running_ = 0;
  uint32_t under_way_ = 0, ready_ = 0, running_ = 0;
  // Maxima of whole blocks only: level 0 of kBlock events, each further level of kFan blocks; `open_` is the last
  // block.
  std::vector<Column<Node>> levels_;
  Node open_;
};

}  // namespace pysolate::viz

#endif  // PYSOLATE_VIZ_MODEL_OVERVIEW_H_
