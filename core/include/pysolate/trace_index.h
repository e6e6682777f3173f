// What a trace says, looked up by call and attempt, and whether it can be true.
//
// A TraceIndex hears the events of one trace in order (from a TraceReader or live from a scheduler) and derives from
// them, without any scheduler, each call's and attempt's story, the ledger and the run's figures. On the way it holds
// every event against the rules that all traces obey; an event that breaks one is a *problem*: it is recorded and,
// where applying it would make no sense (an unknown id, a second end), left out. So an index is safe on any input and
// its memory is linear in the number of events, whatever ids a trace claims.
//
// Thread rule: one thread at a time. No I/O. Lifetime: references and views returned live until the next event.
#ifndef PYSOLATE_TRACE_INDEX_H_
#define PYSOLATE_TRACE_INDEX_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pysolate/event.h"
#include "pysolate/explain.h"
#include "pysolate/ledger.h"

namespace pysolate {

// When something happened; seq 0: it did not.
struct Moment {
  uint64_t seq = 0;
  TimeNs t = 0;
  explicit operator bool() const { return seq != 0; }
};

struct CallFacts {
  ToolId tool = 0;
  SiteId site = 0;
  ScopeId scope = 0;
  AttemptId parent = 0;   // inside which it was made
  AttemptId attempt = 0;  // bound to last
  ArgsKey key = 0;
  CallId by = 0;  // skipped or suppressed because of
  CallState state = CallState::kWaiting;
  bool early = false;  // arrived ahead of control
  bool guess = false;
  bool promoted = false;
  bool refused = false;     // an early start was refused
  bool failed = false;      // its outcome is a failure
  bool suppressed = false;  // and stays unseen
  bool timed_out = false;   // by its attempt's deadline: the attempt itself is not its any more
  Moment arrive, args, reach, ready, bound, settle, end;  // bound: dispatched or joined; each the last of its kind
};

struct AttemptFacts {
  CallId call = 0;  // dispatched for
  AttemptId parent = 0;
  AttemptState state = AttemptState::kRunning;
  Book book = Book::kRunning;
  bool early = false;   // dispatched before control reached the call
  bool orphan = false;  // ran on although nobody wanted it (also while it was asked to stop)
  bool cancel_requested = false;
  bool timed_out = false;  // failed its call by its deadline and ran on
  bool evicted = false;
  Failure failure = Failure::kStable;  // of a failed one
  uint32_t cost = 0;                   // held in its class
  uint32_t calls = 0;                  // bound calls that have not ended
  uint32_t reached_calls = 0;          // of these, reached
  int64_t bytes = 0;
  Moment dispatch, end;
};

struct ToolFacts {
  std::string_view name;
  Effect effect = Effect::kExternalWrite;
  ClassId klass = 0;
  RootId root = 0;
  uint32_t cost = 1;
  int64_t deadline = 0;
  uint32_t retry = 0;
  bool cancellable = false, early = true, reuse = true;
};

struct SiteFacts {
  std::string_view file, function, text;
  int32_t line = 0, col = 0, end_line = 0, end_col = 0;
};

struct RunFacts {
  std::string_view program, mode, clock, policy, source, producer;
  int64_t unit = 0;
  bool speculate = false;
  bool ended = false;
  bool ok = false;         // of an ended run
  std::string_view error;  // exception type of a run that ended badly
};

// An event that cannot be true after those before it.
struct Problem {
  uint64_t seq = 0;  // of the event; 0: seen when the trace was over
  std::string rule;  // a short name to search for: "unknown-id", "call-state", "budget", ...
  std::string text;  // "call 7 is consumed before it settled"
};

struct TraceStats {
  TimeNs makespan = 0;        // time of `end`, or of the last event
  TimeNs sequential_sum = 0;  // of the attempts that reached calls consumed, one after another
  TimeNs critical_path = 0;   // longest chain of these along dependencies
  TimeNs overlap_won = 0;     // max(0, sequential_sum - makespan)
  TimeNs overlap_left = 0;    // max(0, makespan - critical_path)
  uint32_t peak_in_flight = 0;
  double mean_in_flight = 0;  // over the makespan
  uint32_t by_state[8] = {};  // calls, indexed by CallState
  uint32_t calls = 0, reached = 0, early = 0, promoted = 0, refused = 0, suppressed = 0;
  uint32_t attempts = 0;
  uint32_t wasted = 0;  // attempts dispatched early of which no call took the outcome
};

struct SiteCounts {
  SiteId site = 0;  // 0: calls without a site
  uint32_t calls = 0, reached = 0, early = 0, promoted = 0, refused = 0, attempts = 0, wasted = 0;
  TimeNs busy = 0;  // sum of its attempts' times
};

class TraceIndex final : public EventSink {
 public:
  static constexpr size_t kMaxKeptProblems = 1000;  // later ones are only counted

  TraceIndex();
  ~TraceIndex() override;
  TraceIndex(const TraceIndex&) = delete;
  TraceIndex& operator=(const TraceIndex&) = delete;

  void OnEvent(const Event& event) override;
  // The trace is over: holds what must be true at its end (after an `end` event no call is open).
  void Finish();

  uint64_t events() const;
  TimeNs last_time() const;
  const RunFacts& run() const;

  // Counts; ids run from 1 to the count. REQUIRES for lookups: an id in that range.
  uint32_t call_count() const;
  uint32_t attempt_count() const;
  uint32_t tool_count() const;
  uint32_t site_count() const;
  uint32_t class_count() const;
  uint32_t root_count() const;
  uint32_t scope_count() const;
  const CallFacts& call(CallId id) const;
  const AttemptFacts& attempt(AttemptId id) const;
  const ToolFacts& tool(ToolId id) const;
  const SiteFacts& site(SiteId id) const;
  std::string_view class_name(ClassId id) const;
  std::string_view root_name(RootId id) const;
  std::span<const CallId> deps(CallId id) const;
  std::string_view args(CallId id) const;           // preview
  std::string_view value(AttemptId id) const;       // preview; of a failed one the message
  std::string_view error_type(AttemptId id) const;  // of a failed one

  LedgerTotals totals() const;
  TraceStats Stats() const;               // O(calls + edges + attempts log attempts)
  std::vector<SiteCounts> Sites() const;  // those with calls, by id

  // In the order in which they were seen, the first kMaxKeptProblems.
  const std::vector<Problem>& problems() const;
  uint64_t problem_count() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Words for states, as used in checks and statistics ("dispatched", "lost").
std::string_view StateWord(CallState v);
std::string_view StateWord(AttemptState v);
std::string_view StateWord(Book v);

}  // namespace pysolate

#endif  // PYSOLATE_TRACE_INDEX_H_
