// The program's text with its calls by line.
//
// Thread rule: one thread at a time.
#ifndef PYSOLATE_VIZ_MODEL_SOURCE_PANEL_H_
#define PYSOLATE_VIZ_MODEL_SOURCE_PANEL_H_

#include <cstdint>
#include <string>
#include <vector>

#include "model/state.h"
#include "model/store.h"

namespace pysolate::viz {

struct SourceLine {
  int32_t number = 0;         // from 1
  std::string text;           // of the run's source, else of the site
  std::vector<SiteId> sites;  // by column
  uint32_t calls = 0;         // arrived at the cursor
  LookCounts looks{};         // of these
};

class SourcePanel {
 public:
  explicit SourcePanel(const TraceStore* store);  // outlives the panel

  // Brings lines and counts up to date. O(events between the cursors).
  void Seek(EventNo cursor);
  bool has_source() const { return store_->run().has_source; }
  // Without source, lines that have calls only.
  const std::vector<SourceLine>& lines() const { return lines_; }
  // Index in lines() of a line number; -1 none.
  int IndexOf(int32_t line) const;
  // Line of the latest reached call at the cursor (where the program is); 0 unknown.
  int32_t current_line() const { return current_line_; }
  // Does the program stand in this line, waiting for a call to settle?
  bool blocked() const { return blocked_; }

 private:
  void Rebuild();
  void Apply(EventNo e, int sign);
  const TraceStore* store_;
  EventNo cursor_ = 0;
  uint32_t sites_seen_ = 0;
  bool source_seen_ = false;
  int32_t current_line_ = 0;
  bool blocked_ = false;
  std::vector<SourceLine> lines_;
  std::vector<int32_t> index_of_site_;
};

}  // namespace pysolate::viz

#endif  // PYSOLATE_VIZ_MODEL_SOURCE_PANEL_H_
