// A trace in memory: flat tables fed by a TraceReader, whole or as a live tail.
//
// Thread rule: one thread at a time. Nothing here reads a clock or a file.
// Invariants: (1) tables only grow; an index handed out stays valid. (2) Of every thing its record holds the numbers
// of the events that changed it, so its state at any cursor needs no replay. (3) A trace that lies (unknown ids, a call
// that ends twice, ...) is counted in anomalies(); the event stays in the log and the state machine ignores it.
// Sizes: an event takes 36 bytes plus its texts, a call 96 bytes plus dependencies, an attempt 56 bytes.
// Lifetime: references and string_views are valid until the next OnEvent.
// Cost: OnEvent is O(1) amortized (O(log calls) where an interval closes); lookups O(1) unless stated.
#ifndef PYSOLATE_VIZ_MODEL_STORE_H_
#define PYSOLATE_VIZ_MODEL_STORE_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/column.h"
#include "model/interval_index.h"
#include "model/state.h"
#include "pysolate/event.h"

namespace pysolate::viz {

// Reference to text in the store; resolve with TraceStore::text(). 0 is the empty string.
using TextRef = uint32_t;

struct RunInfo {
  std::string program, mode, clock, policy, producer, source;
  uint32_t version = 0;
  int64_t unit = 0;  // ns a unit of a virtual run, else 0
  int64_t result_bytes = 0;
  bool speculate = false;
  bool has_source = false;
};

struct ToolInfo {
  TextRef name = 0;
  Effect effect = Effect::kExternalWrite;
  Failure failure = Failure::kStable;
  ClassId klass = 0;
  RootId root = 0;
  uint32_t cost = 1, retry = 0;
  int64_t deadline = 0;
  bool cancellable = false, early = false, reuse = false;
};

struct SiteInfo {
  TextRef file = 0, function = 0, text = 0;
  int32_t line = 0, col = 0, end_line = 0, end_col = 0;
  ToolId tool = 0;  // tool of its first call
  uint32_t calls = 0;
};

struct ScopeInfo {
  ScopeId parent = 0;
  ScopeKind kind = ScopeKind::kProgram;
  bool born_active = false;
  SiteId site = 0;
  int32_t line = 0;
  TextRef name = 0;
  uint32_t depth = 0;
  EventNo opened = 0, activated = 0, ended = 0;  // ended: dead or closed, its own event
  bool dead = false;                             // of `ended`
};

struct ClassInfo {
  TextRef name = 0;
};

// Change of a limit. klass: 0 the total, kUnlimited the early ceiling, else a resource class.
struct LimitChange {
  EventNo at = 0;
  uint32_t klass = 0;
  uint32_t limit = kUnlimited;
};

struct CallInfo {
  EventNo arrive = 0, args = 0, ready = 0, reach = 0, promote = 0;  // first of each; ready: of the latest start
  EventNo dispatch = 0;                                             // latest dispatch or join
  EventNo settle = 0;                                               // latest
  EventNo end = 0;                                                  // consume, discard, call_cancelled or skip
  EventNo last = 0;                                                 // latest event about it or its own attempt
  ToolId tool = 0;
  SiteId site = 0;
  ScopeId scope = 0;
  AttemptId attempt = 0;  // latest bound
  ArgsKey key = 0;
  uint32_t parent = 0;  // attempt inside which it was made
  TextRef order = 0;
  TextRef args_text = 0;
  uint32_t deps_begin = 0, deps_count = 0;
  uint32_t dependents = 0;
  CallId by = 0;              // skip, suppress: the call that failed
  Look look = Look::kAbsent;  // after the last event
  bool early = false, guess = false, joined = false, retried = false, ok = false, bound = false;
  uint8_t story = 0;       // events about it; 255 is that many or more
  uint32_t open_slot = 0;  // of its open interval in waiting() or ready()
};
static_assert(sizeof(CallInfo) <= 96);

struct AttemptInfo {
  EventNo dispatch = 0;
  EventNo end = 0;  // complete, fail, stopped, cancelled, late or lost: the first
  // orphan: from here nobody wants it, though it runs (it may have been asked to stop instead of being marked).
  EventNo orphan = 0, cancel_request = 0, evict = 0;
  EventNo outcome = 0;  // complete or fail: its texts are value or error
  EventNo booked = 0;   // its latest fate but `running`
  CallId call = 0;      // for whom it was dispatched
  AttemptId parent = 0;
  uint32_t cost = 0;
  uint32_t bound = 0;             // live calls bound to it now
  Fate fate = Fate::kNone;        // after the last event
  Fate first_fate = Fate::kNone;  // where a fate was corrected (discarded, then taken by a later join)
  bool early = false, ok = false;
  EventNo first_booked = 0;
  EventNo reached = 0;  // from here a reached call wanted it: its cost is on the reached side
};
static_assert(sizeof(AttemptInfo) <= 56);

enum class Anomaly : uint8_t {
  kUnknownKind,
  kUnknownId,
  kIdOutOfOrder,
  kEndedTwice,
  kNotReady,
  kNotRunning,
  kTextTooLarge,
};
inline constexpr int kAnomalies = 7;
std::string_view Name(Anomaly anomaly);
struct AnomalyCount {
  uint32_t count = 0;
  EventNo first = 0;
};

class TraceStore final : public EventSink {
 public:
  TraceStore();
  void OnEvent(const Event& event) override;

  const RunInfo& run() const { return run_; }

  // ---- the log. EventNo arguments are in 1..events().
  EventNo events() const { return static_cast<EventNo>(log_.size() - 1); }
  EventKind kind(EventNo e) const { return log_[e].kind; }
  // Time of an event; time(0) is 0.
  TimeNs time(EventNo e) const { return log_[e].time; }
  TimeNs end_time() const { return log_.back().time; }
  uint64_t seq(EventNo e) const { return seq_base_.empty() ? e : SeqOf(e); }
  // Number of the event with this sequence number, or of the last one before it.
  EventNo FindSeq(uint64_t seq) const;
  // Last event with time <= t (a cursor). O(log events).
  EventNo FindTime(TimeNs t) const;
  // The call that the event is about (for events of an attempt: the call it was dispatched for); 0 none.
  CallId call_of(EventNo e) const { return log_[e].call; }
  // The attempt that the event is about; 0 none.
  AttemptId attempt_of(EventNo e) const;
  // What else it is about: scope, site, tool, class, root (by kind); for skip and suppress the call `by`.
  uint32_t other_of(EventNo e) const { return log_[e].other; }
  // Previous and next event about the same call; 0 none. Next: O(events of the call after e).
  EventNo prev_of_call(EventNo e) const { return log_[e].prev_of_call; }
  EventNo next_of_call(EventNo e) const;
  // The events about a call up to a cursor, ascending. `out` is replaced.
  void StoryOf(CallId id, EventNo cursor, std::vector<EventNo>* out) const;
  // Previous and next event of the same kind; 0 none. O(log events).
  EventNo prev_of_kind(EventNo e) const;
  EventNo next_of_kind(EventNo e) const;
  // All events of a kind, ascending.
  const Column<EventNo>& of_kind(EventKind kind) const { return by_kind_[static_cast<int>(kind)]; }
  // Preview, value, message, remark (Event::text) and reason, topic, error (Event::why or Event::error); "" if none.
  std::string_view event_text(EventNo e) const { return text(log_[e].text); }
  std::string_view event_why(EventNo e) const { return text(log_[e].why); }
  bool event_ok(EventNo e) const { return log_[e].ok; }

  // ---- things. Ids are in 1..count; record 0 is an empty one, so id 0 may be looked up.
  uint32_t calls() const { return static_cast<uint32_t>(calls_.size() - 1); }
  uint32_t attempts() const { return static_cast<uint32_t>(attempts_.size() - 1); }
  uint32_t tools() const { return static_cast<uint32_t>(tools_.size() - 1); }
  uint32_t sites() const { return static_cast<uint32_t>(sites_.size() - 1); }
  uint32_t scopes() const { return static_cast<uint32_t>(scopes_.size() - 1); }
  uint32_t classes() const { return static_cast<uint32_t>(classes_.size() - 1); }
  uint32_t roots() const { return static_cast<uint32_t>(roots_.size() - 1); }
  const CallInfo& call(CallId id) const { return calls_[id]; }
  const AttemptInfo& attempt(AttemptId id) const { return attempts_[id]; }
  const ToolInfo& tool(ToolId id) const { return tools_[id]; }
  const SiteInfo& site(SiteId id) const { return sites_[id]; }
  const ScopeInfo& scope(ScopeId id) const { return scopes_[id]; }
  const ClassInfo& klass(ClassId id) const { return classes_[id]; }
  std::string_view root_name(RootId id) const { return text(roots_[id]); }
  std::string_view text(TextRef ref) const;
  int32_t line_of(CallId id) const { return sites_[calls_[id].site].line; }
  std::string_view tool_name(CallId id) const { return text(tools_[calls_[id].tool].name); }

  // Calls whose outcome this call's arguments need; the other direction is newest first and may be walked with
  // ForEachDependent.
  std::span<const CallId> deps(CallId id) const;
  // f(CallId) -> bool; false stops.
  template <class F>
  void ForEachDependent(CallId id, F f) const {
    for (uint32_t link = first_dependent_[id]; link != 0; link = next_dependent_[link]) {
      if (!f(dependent_[link])) return;
    }
  }
  // Calls of a site in arrival order (linked, oldest first).
  template <class F>
  void ForEachCallOfSite(SiteId site, F f) const {
    for (CallId id = first_of_site_[site]; id != 0; id = next_of_site_[id]) {
      if (!f(id)) return;
    }
  }
  const std::vector<LimitChange>& limit_changes() const { return limits_; }

  // ---- state at a cursor
  // O(1) at or after the call's last event, else O(log of its events).
  Look LookAt(CallId id, EventNo cursor) const;
  // The latest event about the call at or before the cursor; 0 none. Same cost.
  EventNo LatestOfCall(CallId id, EventNo cursor) const;
  Fate FateAt(AttemptId id, EventNo cursor) const;
  // Number of calls and attempts in each state. O(1): a checkpoint and at most 255 deltas.
  LookCounts LooksAt(EventNo cursor) const;
  FateCounts FatesAt(EventNo cursor) const;
  // From look and to look of the one call that event e changed (equal if none).
  Look look_before(EventNo e) const { return static_cast<Look>(log_[e].look_change >> 4); }
  Look look_after(EventNo e) const { return static_cast<Look>(log_[e].look_change & 15); }
  Fate fate_before(EventNo e) const { return static_cast<Fate>(log_[e].fate_change >> 4); }
  Fate fate_after(EventNo e) const { return static_cast<Fate>(log_[e].fate_change & 15); }
  // Calls that are waiting, ready; attempts that are running. Stab queries cost O(found * log).
  const IntervalIndex& waiting() const { return waiting_; }
  const IntervalIndex& ready() const { return ready_; }
  const IntervalIndex& running() const { return running_; }
  // State of a scope at a cursor (dead and closed are inherited). O(depth).
  ScopeState ScopeAt(ScopeId id, EventNo cursor) const;
  // Limit in force at a cursor: klass as in LimitChange. O(log changes).
  uint32_t LimitAt(uint32_t klass, EventNo cursor) const;

  // ---- the run
  bool ended() const { return end_event_ != 0; }  // the program ended
  EventNo end_event() const { return end_event_; }
  const AnomalyCount& anomaly(Anomaly a) const { return anomalies_[static_cast<int>(a)]; }
  uint32_t anomalies() const;
  // Bytes held by this object.
  size_t MemoryBytes() const;

 private:
  TextRef Intern(std::string_view s);   // for what repeats: names, reasons
  TextRef AddText(std::string_view s);  // for what does not: previews
  void GrowInternSlots();
  uint64_t SeqOf(EventNo e) const;
  void Strange(Anomaly a);
  uint32_t Known(uint32_t id, uint32_t count);  // the id, or 0 and an anomaly
  bool IsNew(uint32_t id, uint32_t count);      // the next dense id? else an anomaly
  void LinkToCall(CallId id);
  void SetLook(CallId id, Look to);
  void SetFate(AttemptId id, Fate to);
  void Bind(CallId id, AttemptId attempt);
  void Unbind(CallId id);
  void EndCall(CallId id, Look to);
  void EndAttempt(AttemptId id);
  Look GoneLook(CallId id) const;
  void OnRun(const Event& e);
  void OnThing(const Event& e);
  void OnScope(const Event& e);
  void OnBudget(const Event& e);
  void OnArrive(const Event& e);
  void OnDispatch(const Event& e);
  void OnCall(const Event& e);
  void OnAttempt(const Event& e);
  void AddLimit(uint32_t klass, uint32_t limit);

  RunInfo run_;
  // The log by EventNo; element 0 is a dummy. One row an event, as it is written all at once.
  struct LogRow {
    TimeNs time = 0;
    CallId call = 0;
    uint32_t other = 0;
    EventNo prev_of_call = 0;
    TextRef text = 0, why = 0;
    EventKind kind = EventKind::kUnknown;
    bool ok = false;
    uint8_t look_change = 0, fate_change = 0;  // from << 4 | to
  };
  static_assert(sizeof(LogRow) == 32 || sizeof(LogRow) == 40);
  Column<LogRow> log_;
  struct SeqGap {
    EventNo from;
    uint64_t seq;
  };
  std::vector<SeqGap> seq_base_;  // where seq stops being the event number; empty in whole traces
  std::vector<Column<EventNo>> by_kind_;
  Column<LookCounts> look_checkpoint_;
  Column<FateCounts> fate_checkpoint_;
  LookCounts looks_now_{};
  FateCounts fates_now_{};
  // texts: arena of length-prefixed strings; names are interned
  Column<char> arena_;
  std::vector<TextRef> intern_slots_;  // open addressing by hash, 0 is empty
  size_t interned_ = 0;
  // things
  Column<CallInfo> calls_;
  Column<AttemptInfo> attempts_;
  std::vector<ToolInfo> tools_;
  std::vector<SiteInfo> sites_;
  std::vector<ScopeInfo> scopes_;
  std::vector<ClassInfo> classes_;
  std::vector<TextRef> roots_;
  std::vector<LimitChange> limits_;
  std::unordered_map<uint32_t, std::vector<LimitChange>> limits_of_;  // by LimitChange::klass
  Column<CallId> deps_;
  Column<uint32_t> first_dependent_, next_dependent_;
  Column<CallId> dependent_;
  Column<CallId> first_of_site_, last_of_site_, next_of_site_;
  std::unordered_map<CallId, std::vector<EventNo>> long_stories_;  // calls with more events than a walk may take
  // intervals
  IntervalIndex waiting_, ready_, running_;  // slot of an attempt: its id - 1
  EventNo end_event_ = 0;
  uint64_t last_seq_ = 0;
  std::array<AnomalyCount, kAnomalies> anomalies_{};
};

}  // namespace pysolate::viz

#endif  // PYSOLATE_VIZ_MODEL_STORE_H_
