// The log as a table of text, filtered. Rows are made when asked for.
//
// Thread rule: one thread at a time.
#ifndef PYSOLATE_VIZ_MODEL_EVENTS_TABLE_H_
#define PYSOLATE_VIZ_MODEL_EVENTS_TABLE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/store.h"

namespace pysolate::viz {

struct EventRow {
  EventNo event = 0;
  uint64_t seq = 0;
  TimeNs time = 0;
  EventKind kind = EventKind::kUnknown;
  bool decision = false;
  CallId call = 0;
  std::string what;  // DescribeEvent
};

class EventsTable {
 public:
  explicit EventsTable(const TraceStore* store);  // outlives the table

  // A text that must be contained in the kind's word or the description (case does not count), `kind:fail` for a kind,
  // `call:5` for a call; side by side all must hold. Empty: all events.
  void SetFilter(std::string_view text);
  const std::string& filter() const { return filter_; }
  // Takes in appended events, at most `budget` of them; false if some are left.
  bool Update(uint32_t budget = 100000);

  uint32_t rows() const;  // that pass the filter
  uint32_t total() const { return store_->events(); }
  EventNo event_at(uint32_t row) const;
  EventRow Row(uint32_t row) const;
  // First row whose event is at or after e (for scrolling to the cursor). O(log rows).
  uint32_t RowOf(EventNo e) const;
  // Rows [from, from + count) as tab-separated lines, with a head line.
  std::string Copy(uint32_t from, uint32_t count) const;

 private:
  bool Passes(EventNo e) const;
  const TraceStore* store_;
  std::string filter_;
  std::vector<std::string> words_;
  EventKind kind_ = EventKind::kUnknown;
  CallId call_ = 0;
  EventNo upto_ = 0;
  std::vector<EventNo> rows_;  // unused without a filter
};

}  // namespace pysolate::viz

#endif  // PYSOLATE_VIZ_MODEL_EVENTS_TABLE_H_
