// The account of every attempt at a cursor: rows, totals that balance, hits and waste of early calls by site.
//
// Thread rule: one thread at a time.
#ifndef PYSOLATE_VIZ_MODEL_LEDGER_H_
#define PYSOLATE_VIZ_MODEL_LEDGER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "model/state.h"
#include "model/store.h"

namespace pysolate::viz {

struct LedgerRow {
  AttemptId attempt = 0;
  CallId call = 0;  // for whom it was dispatched
  SiteId site = 0;
  Fate fate = Fate::kNone;
  bool early = false;          // dispatched early
  bool orphan = false;         // orphaned at the cursor and still running
  uint32_t cost = 0;           // budget held
  TimeNs begin = 0, wall = 0;  // wall: so far, if it runs
  std::string reason;          // of its fate
};

struct LedgerTotals {
  uint32_t dispatched = 0;
  FateCounts fates{};
  uint32_t orphans = 0;  // running orphans
  // dispatched == sum of fates (without kNone). False only in a trace that lies.
  bool balances() const;
};

// Early attempts of one site.
struct SiteHits {
  SiteId site = 0;
  uint32_t attempts = 0;     // all of the site
  uint32_t early = 0;        // dispatched early
  uint32_t early_hits = 0;   // of these consumed
  uint32_t early_waste = 0;  // discarded, late, lost or cancelled
  TimeNs waste_time = 0;     // wall time of the waste
};

class Ledger {
 public:
  explicit Ledger(const TraceStore* store);  // outlives the ledger

  // Moves to a cursor. O(events between the two cursors), at most the whole trace once.
  void Seek(EventNo cursor);
  EventNo cursor() const { return cursor_; }
  LedgerTotals totals() const;
  // Sites that have attempts, by line.
  const std::vector<SiteHits>& by_site() const;
  // Attempts dispatched up to the cursor, running orphans first, then newest first: rows [from, from + count) of
  // totals().dispatched. O(orphans + count).
  std::vector<LedgerRow> Rows(uint32_t from, uint32_t count) const;

 private:
  void Apply(EventNo e, int sign);
  const TraceStore* store_;
  EventNo cursor_ = 0;
  std::vector<SiteHits> sites_;  // by SiteId
  mutable std::vector<SiteHits> sorted_;
  mutable bool dirty_ = true;
};

}  // namespace pysolate::viz

#endif  // PYSOLATE_VIZ_MODEL_LEDGER_H_
