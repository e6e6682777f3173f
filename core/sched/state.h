// The scheduler's state and its steps. An input is checked first (scheduler.cc), then committed by the steps below;
// every input ends with Finish(), which propagates failures to dependants and dispatches what may be dispatched.
#ifndef PYSOLATE_SCHED_STATE_H_
#define PYSOLATE_SCHED_STATE_H_

#include <deque>
#include <string>
#include <unordered_map>
#include <vector>

#include "pysolate/scheduler.h"
#include "sched/column.h"
#include "sched/tables.h"

namespace pysolate {

struct Scheduler::Impl {
  Impl(const RunOptions& run, EventSink* event_sink);

  // ---- checks (scheduler.cc) ----
  Status Refuse(Code code, EventKind input, const char* what, uint64_t id) const { return {code, input, what, id}; }
  Status CheckOpen(TimeNs at, EventKind input) const;  // time and run
  Status CheckCall(TimeNs at, EventKind input, CallId call) const;
  Status CheckAttempt(TimeNs at, EventKind input, AttemptId attempt) const;
  Status CheckArrival(TimeNs at, EventKind input, ToolId tool, SiteId site, ScopeId scope, AttemptId parent) const;

  // ---- telling (inline: the price without a sink is one test) ----
  template <typename Fill>
  void Emit(EventKind kind, Fill&& fill) {
    ++seq;
    if (sink == nullptr) return;
    Event e;
    e.seq = seq;
    e.t = now;
    e.kind = kind;
    fill(e);
    sink->OnEvent(e);
  }
  void EmitCall(EventKind kind, CallId call) {
    Emit(kind, [&](Event& e) { e.call = call; });
  }

  // ---- calls (calls.cc) ----
  CallId AddCall(const ArriveInput& in, EventKind input);
  void SetArgs(CallId c, ArgsKey key, std::string_view preview);
  void Reached(CallId c, bool moved);
  void MoveTo(CallId c, const ReachInput& place);
  void Consumed(CallId c);
  void Settle(CallId c, AttemptId a, bool ok);
  void Restart(CallId c, AttemptId a, bool needs_reach);
  // Ends a call that is not terminal; `by`: for skips. Unbinds it.
  void EndCall(CallId c, CallState to, Reason reason, std::string_view why, CallId by = 0);
  void GiveUp(CallId c, Reason reason, std::string_view why) {
    EndCall(c, reached(c) ? CallState::kCancelled : CallState::kDiscarded, reason, why);
  }
  void RefuseEarly(CallId c, std::string_view why);
  std::string EarlyRefusal(const sched::CallHot& call) const;  // empty: none for good

  // ---- gates (gates.cc) ----
  void Reevaluate(CallId c);
  bool ArgumentsOpen(const sched::CallHot& h) const { return (h.flags & sched::kArgsFlag) != 0 && h.pending == 0; }
  bool ControlOpen(const sched::CallHot& h) const;
  // False and, where one thing is to blame, its id.
  bool ContractOpen(CallId c, CallId* call = nullptr, AttemptId* attempt = nullptr) const;
  void MakeReady(CallId c);
  void QueueEffect(CallId c, bool front);
  void AdvanceEffects();
  CallId PendingWriteBefore(RootId root, CallId read) const;
  void WriteGone(RootId root, CallId write);
  void ParkBehindWrite(CallId read);

  // ---- frontier and budget (frontier.cc) ----
  bool Less(const sched::FrontierItem& a, const sched::FrontierItem& b) const;  // a is popped before b
  bool Before(CallId a, CallId b) const;                                        // order key, then id
  std::string_view OrderOf(CallId c) const;
  uint64_t Prefix(CallId c) const;
  void Push(CallId c);
  bool CleanHead(sched::Lane& lane, int side);
  bool ReachedFits(const sched::Lane& lane) const;
  bool EarlyFits(const sched::Lane& lane) const;
  uint32_t LaneFor(ClassId klass, uint32_t cost);
  void Pump();
  void Finish();
  void RaiseRanks(CallId c);
  size_t FirstEdge(CallId c) const;  // its edges lie side by side from there

  // ---- attempts (attempts.cc) ----
  void Dispatch(CallId c);
  void Bind(CallId c, AttemptId a);
  void Unbind(CallId c, AttemptId a);
  bool TryJoin(CallId c);
  void Unwant(AttemptId a, bool was_reached, Reason reason, std::string_view why);
  void Abandon(AttemptId a, Reason reason, std::string_view why);
  void Succeeded(AttemptId a, int64_t bytes);
  void Failed(AttemptId a, Failure failure);
  void HandOutFailure(AttemptId a, Failure failure, bool past_deadline);
  void PassDeadline(AttemptId a);
  void Lose(AttemptId a);
  void Ended(AttemptId a, AttemptState state);
  void ReleaseSlot(AttemptId a);
  void SetSide(AttemptId a, bool reached_side);
  void BookAs(AttemptId a, Book book, Reason reason);
  void EndChildren(AttemptId a);
  void AddDeadline(AttemptId a, TimeNs due);
  void DropStaleDeadlines();
  CallId Taker(AttemptId a, bool reached_only) const;

  // ---- reuse (reuse.cc) ----
  uint32_t VersionFor(ToolId tool) const;
  uint32_t FindEntry(ToolId tool, ArgsKey key, uint32_t version) const;
  uint32_t MakeEntry(ToolId tool, ArgsKey key, uint32_t version);
  void FreeIfUnused(uint32_t e);
  void GrowTable();
  void List(CallId c);
  void Unlist(CallId c);
  void FollowVersion(CallId c);
  CallId FindEarly(ToolId tool, ArgsKey key);
  bool Shareable(CallId c) const;
  void Keep(AttemptId a, int64_t bytes);
  void PlaceKept(AttemptId a);
  void Unlink(uint32_t e);
  void LinkKept(uint32_t e, sched::KeptList list);
  void DropKept(uint32_t e, bool evict);
  void EvictOver();

  // ---- scopes (scopes.cc) ----
  void Activate(ScopeId s);
  void EndScope(ScopeId s, ScopeState state, Reason reason, std::string_view why);
  void EndCallsOf(ScopeId s, Reason reason, std::string_view why);

  // ---- questions (explain.cc) ----
  Gate FirstShut(CallId c) const;
  std::string ScopeText(ScopeId s) const;
  std::string BudgetText(CallId c) const;

  // ---- small accessors ----
  bool reached(CallId c) const { return (hot[c].flags & sched::kReachedFlag) != 0; }
  bool is_effect(CallId c) const { return tools[hot[c].tool].effect(); }
  uint32_t calls() const { return static_cast<uint32_t>(hot.size()) - 1; }
  uint32_t attempts() const { return static_cast<uint32_t>(rows.size()) - 1; }
  AttemptId parent_of(CallId c) const {
    if ((hot[c].flags & sched::kChildFlag) == 0) return 0;
    auto it = parents.find(c);
    return it == parents.end() ? 0 : it->second;
  }

  // ---- state ----
  EventSink* sink = nullptr;
  Mode mode = Mode::kOverlap;
  Policy policy = Policy::kOrder;
  bool speculate = false;
  bool ended = false;
  int64_t result_bytes = 0;
  int64_t orphan_after = 0;
  TimeNs now = 0;
  TimeNs end_time = -1;
  uint64_t seq = 0;

  sched::Column<sched::CallHot> hot;
  sched::Column<sched::CallCold> cold;
  sched::Column<sched::Edge> edges;
  sched::Column<sched::AttemptRow> rows;
  sched::Column<Reason> reasons;  // of attempts
  std::vector<char> orders;       // order keys, each behind its length (4 bytes)

  std::vector<sched::ToolRow> tools;
  std::vector<sched::ClassRow> classes;
  std::vector<sched::RootRow> roots;
  std::vector<sched::SiteRow> sites;
  std::vector<sched::ScopeRow> scopes;

  // budget
  uint32_t total_limit = kUnlimited, early_limit = kUnlimited;
  uint32_t total_held = 0, total_unreached = 0;

  // frontier
  std::vector<sched::Lane> lanes;
  uint32_t ready[2] = {};  // calls in state ready: [0] early, [1] reached

  // effects: who has the turn, who is next
  AttemptId effect_running = 0;
  std::deque<CallId> effect_queue;
  std::unordered_map<CallId, std::vector<CallId>> behind_write;  // early reads, by the pending write before them

  // reuse
  std::vector<sched::Entry> entries;
  std::vector<uint32_t> free_entries;
  std::vector<uint32_t> table;  // open addressing, power of two; 0 empty
  uint32_t table_used = 0;
  int64_t kept_bytes = 0, untaken_bytes = 0;
  uint32_t kept_head[2] = {}, kept_tail[2] = {};  // [0] taken, [1] untaken; oldest first

  // children
  std::unordered_map<CallId, AttemptId> parents;
  std::unordered_map<AttemptId, std::vector<CallId>> children;

  // deadlines: a heap, stale items are dropped when they come up
  std::vector<sched::Deadline> deadlines;
  std::vector<AttemptId> orphans;  // for explaining; may hold ended ones

  // only with Policy::kCriticalPath
  std::vector<uint32_t> ranks;  // longest chain of known dependants
  std::vector<CallId> edge_sources;

  std::vector<CallId> no_value;  // ended without a value: their dependants are skipped in Finish()
  CallId last_failure = 0;       // last consumed failure

  std::vector<CallId> look_again;  // a gate of theirs may have opened, for Finish()

  LedgerTotals totals;
  std::vector<Command> commands;
  std::vector<ScopeId> scope_scratch;
};

}  // namespace pysolate

#endif  // PYSOLATE_SCHED_STATE_H_
