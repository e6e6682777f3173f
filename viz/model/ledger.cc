#include "model/ledger.h"

#include <algorithm>

namespace pysolate::viz {
namespace {

// The attempt whose fate event e changed.
AttemptId BookedBy(const TraceStore& store, EventNo e) {
  const AttemptId named = store.attempt_of(e);
  return named != 0 ? named : store.call(store.call_of(e)).attempt;
}

TimeNs WallAt(const TraceStore& store, const AttemptInfo& a, EventNo cursor) {
  const EventNo end = a.end != 0 && a.end <= cursor ? a.end : cursor;
  return store.time(end) - store.time(a.dispatch);
}

bool IsWaste(Fate fate) {
  return fate == Fate::kDiscarded || fate == Fate::kLate || fate == Fate::kLost || fate == Fate::kCancelled;
}

std::string ReasonOf(const TraceStore& store, const AttemptInfo& a, EventNo cursor) {
  const auto why = [&](EventNo e) { return std::string(store.event_why(e)); };
  const bool booked = a.booked != 0 && a.booked <= cursor;
  if (booked) {
    switch (a.fate) {
      case Fate::kConsumed:
        return "taken by call " + std::to_string(store.call_of(a.booked));
      case Fate::kRetried:
        return "its failure did not count: call " + std::to_string(store.call_of(a.booked)) + " starts anew";
      case Fate::kCancelled:
        return a.cancel_request != 0 ? why(a.cancel_request) : why(a.booked);
      case Fate::kLate:
        return a.orphan != 0 ? why(a.orphan) : "ended when nobody wanted it";
      default:
        return why(a.booked);
    }
  }
  if (a.orphan != 0 && a.orphan <= cursor) return "orphan: " + why(a.orphan);
  if (a.cancel_request != 0 && a.cancel_request <= cursor) return "cancel requested: " + why(a.cancel_request);
  if (a.end != 0 && a.end <= cursor) return "its outcome is there and not yet taken";
  return "";
}

}  // namespace

bool LedgerTotals::balances() const {
  uint32_t sum = 0;
  for (int i = 1; i < kFates; ++i) sum += fates[static_cast<size_t>(i)];
  return sum == dispatched;
}

Ledger::Ledger(const TraceStore* store) : store_(store) {}

void Ledger::Apply(EventNo e, int sign) {
  const Fate from = store_->fate_before(e), to = store_->fate_after(e);
  if (from == to) return;
  const AttemptInfo& a = store_->attempt(BookedBy(*store_, e));
  const SiteId site = store_->call(a.call).site;
  if (site >= sites_.size()) sites_.resize(site + 1);
  SiteHits& hits = sites_[site];
  hits.site = site;
  dirty_ = true;
  const auto add = [&](uint32_t& n, int by) { n = static_cast<uint32_t>(static_cast<int64_t>(n) + by); };
  if (from == Fate::kNone) {
    add(hits.attempts, sign);
    if (a.early) add(hits.early, sign);
  }
  if (!a.early) return;
  const auto book = [&](Fate fate, int by) {
    if (fate == Fate::kConsumed) add(hits.early_hits, by);
    if (IsWaste(fate)) {
      add(hits.early_waste, by);
      hits.waste_time += by * WallAt(*store_, a, a.booked);
    }
  };
  book(from, -sign);
  book(to, sign);
}

void Ledger::Seek(EventNo cursor) {
  cursor = std::min(cursor, store_->events());
  while (cursor_ < cursor) Apply(++cursor_, 1);
  while (cursor_ > cursor) Apply(cursor_--, -1);
}

LedgerTotals Ledger::totals() const {
  LedgerTotals t;
  t.fates = store_->FatesAt(cursor_);
  const auto& dispatches = store_->of_kind(EventKind::kDispatch);
  t.dispatched =
      static_cast<uint32_t>(std::upper_bound(dispatches.begin(), dispatches.end(), cursor_) - dispatches.begin());
  store_->running().Stab(cursor_, [&](AttemptId id) {
    const EventNo orphan = store_->attempt(id).orphan;
    if (orphan != 0 && orphan <= cursor_) ++t.orphans;
    return true;
  });
  return t;
}

const std::vector<SiteHits>& Ledger::by_site() const {
  if (dirty_) {
    dirty_ = false;
    sorted_.clear();
    for (const SiteHits& hits : sites_) {
      if (hits.attempts != 0) sorted_.push_back(hits);
    }
    std::stable_sort(sorted_.begin(), sorted_.end(), [&](const SiteHits& a, const SiteHits& b) {
      const SiteInfo &x = store_->site(a.site), &y = store_->site(b.site);
      return x.line != y.line ? x.line < y.line : x.col < y.col;
    });
  }
  return sorted_;
}

std::vector<LedgerRow> Ledger::Rows(uint32_t from, uint32_t count) const {
  std::vector<AttemptId> orphans;
  store_->running().Stab(cursor_, [&](AttemptId id) {
    const EventNo orphan = store_->attempt(id).orphan;
    if (orphan != 0 && orphan <= cursor_) orphans.push_back(id);
    return true;
  });
  std::reverse(orphans.begin(), orphans.end());  // newest first
  uint32_t dispatched = 0;
  const FateCounts fates = store_->FatesAt(cursor_);
  for (int i = 1; i < kFates; ++i) dispatched += fates[static_cast<size_t>(i)];

  std::vector<LedgerRow> rows;
  const auto add = [&](AttemptId id, bool orphan) {
    const AttemptInfo& a = store_->attempt(id);
    rows.push_back({id, a.call, store_->call(a.call).site, store_->FateAt(id, cursor_), a.early, orphan, a.cost,
                    store_->time(a.dispatch), WallAt(*store_, a, cursor_), ReasonOf(*store_, a, cursor_)});
  };
  uint32_t at = from;
  for (; at < orphans.size() && rows.size() < count; ++at) add(orphans[at], true);
  // The others, newest first: ids go down from the number dispatched, orphans are left out.
  if (rows.size() >= count || at >= dispatched) return rows;
  AttemptId id = dispatched - (at - static_cast<uint32_t>(orphans.size()));
  size_t next_orphan = 0;
  while (next_orphan < orphans.size() && orphans[next_orphan] >= id) {
    ++next_orphan;
    --id;
  }
  for (; id > 0 && rows.size() < count; --id) {
    if (next_orphan < orphans.size() && orphans[next_orphan] == id) {
      ++next_orphan;
      continue;
    }
    add(id, false);
  }
  return rows;
}

}  // namespace pysolate::viz
