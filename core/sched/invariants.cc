// Counts everything anew and compares: what scheduler.h promises after every input.
#include <algorithm>
#include <string>

#include "sched/state.h"

namespace pysolate {

using namespace sched;  // NOLINT

std::string Scheduler::CheckInvariants() const {
  const Impl& s = *impl_;
  auto wrong = [](const std::string& what, uint64_t id) { return what + " " + std::to_string(id); };

  if (!s.totals.balanced()) return "the ledger does not balance";
  if (s.totals.dispatched != s.attempts()) return "attempts that are in no book";
  uint32_t books[kBooks] = {};
  uint32_t held = 0, unreached = 0, orphans = 0, effects = 0;
  std::vector<uint32_t> class_held(s.classes.size()), class_unreached(s.classes.size());
  std::vector<uint32_t> wants(s.rows.size()), wants_reached(s.rows.size()), running_writes(s.roots.size());
  uint32_t ready[2] = {};
  for (CallId c = 1; c <= s.calls(); ++c) {
    const CallHot& h = s.hot[c];
    const bool is_reached = s.reached(c);
    if (h.state == CallState::kReady) ++ready[is_reached];
    if (h.state == CallState::kConsumed && !is_reached) return wrong("consumed but never reached: call", c);
    if (h.state == CallState::kDiscarded && is_reached) return wrong("discarded though reached: call", c);
    if (h.state == CallState::kCancelled && !is_reached) return wrong("cancelled though never reached: call", c);
    const bool bound =
        h.state == CallState::kDispatched || (h.state == CallState::kSettled && (h.flags & kTimedOutFlag) == 0);
    if (bound) {
      if (h.attempt == 0) return wrong("bound to nothing: call", c);
      ++wants[h.attempt];
      wants_reached[h.attempt] += is_reached;
    }
    if (h.state == CallState::kWaiting && !s.ended && s.ArgumentsOpen(h) && s.ControlOpen(h) && s.ContractOpen(c)) {
      return wrong("a lost wake-up, its first three gates are open: call", c);
    }
    if (s.ended && !IsTerminal(h.state)) return wrong("alive after the end: call", c);
    if (!IsTerminal(h.state) && s.scopes[h.scope].ended()) return wrong("alive in an ended scope: call", c);
  }
  for (AttemptId a = 1; a <= s.attempts(); ++a) {
    const AttemptRow& row = s.rows[a];
    const ToolRow& tool = s.tools[s.hot[row.call].tool];
    const Contract& contract = tool.contract;
    const bool running = row.state() == AttemptState::kRunning;
    const bool child = (row.flags & kChildAttempt) != 0;
    ++books[static_cast<int>(row.book())];
    if (row.wants != wants[a] || row.wants_reached != wants_reached[a]) return wrong("miscounted wants of attempt", a);
    if (running != (row.book() == Book::kRunning) && (running || row.wants == 0)) {
      return wrong("booked against its state: attempt", a);
    }
    if (((row.flags & kOrphanAttempt) != 0) != (row.wants == 0) && running) return wrong("orphan mark of attempt", a);
    if ((row.flags & kEarlyAttempt) != 0 && (!IsRepeatable(contract.effect) || s.cold[row.call].key == 0)) {
      return wrong("an effect or unshareable arguments dispatched early: attempt", a);
    }
    if (!running) continue;
    orphans += row.wants == 0;
    if (IsWrite(contract.effect) && contract.root != 0) ++running_writes[contract.root];
    if (child) continue;
    const bool unreached_side = (row.flags & kReachedSide) == 0;
    if (unreached_side != (row.wants_reached == 0)) return wrong("cost on the wrong side: attempt", a);
    ++held;
    unreached += unreached_side;
    class_held[contract.klass] += row.cost;
    if (unreached_side) class_unreached[contract.klass] += row.cost;
    if (tool.effect()) {
      ++effects;
      if (s.effect_running != a) return wrong("an effect without the turn: attempt", a);
    }
  }
  if (effects > 1) return "two effects run at once";
  if (effects == 0 && s.effect_running != 0) return "the effects' turn is held by nobody";
  if (!std::equal(books, books + kBooks, s.totals.by_book)) return "ledger totals differ from its rows";
  if (orphans != s.totals.orphans) return "miscounted orphans";
  if (held != s.total_held || unreached != s.total_unreached) return "miscounted total budget";
  for (ClassId k = 1; k < s.classes.size(); ++k) {
    if (class_held[k] != s.classes[k].held || class_unreached[k] != s.classes[k].unreached) {
      return wrong("miscounted budget of class", k);
    }
  }
  for (RootId r = 1; r < s.roots.size(); ++r) {
    if (running_writes[r] != s.roots[r].running_writes) return wrong("miscounted writes of root", r);
  }
  if (ready[0] != s.ready[0] || ready[1] != s.ready[1]) return "miscounted frontier";
  if (!s.ended) {
    for (const FrontierRow& row : Frontier()) {
      const Lane& lane = s.lanes[s.tools[s.hot[row.call].tool].lane];
      if (row.reached ? s.ReachedFits(lane) : s.EarlyFits(lane))
        return wrong("ready and fitting but undispatched: call", row.call);
    }
  }
  int64_t kept = 0;
  for (uint32_t e = 1; e < s.entries.size(); ++e) kept += s.entries[e].kept == KeptList::kNone ? 0 : s.entries[e].bytes;
  if (kept != s.kept_bytes) return "miscounted kept results";
  return {};
}

}  // namespace pysolate
