// The incremental event graph and its scheduler: a deterministic state machine.
//
// Inputs with explicit times go in (a call arrived, its arguments are known, control reached it, an attempt completed),
// commands come out (start this attempt, ask that one to stop), and each input and each decision is told to an optional
// EventSink in the order of core/trace/FORMAT.md. No I/O, no clock, no threads, no exceptions, no recursion: the same
// inputs at the same times give the same decisions, byte for byte, on every platform.
//
// Words. A *call* is one arrival of a host call. It is *early* until control reaches it. An *attempt* is one physical
// execution; a call is bound to at most one at a time, equal repeatable calls may share one. Four *gates* stand before
// an undispatched call: arguments, control, contract, budget. See explain.h for states and gates, contract.h for what a
// tool promises, ledger.h for the account.
//
// Invariants, true after every input:
//  1. The ledger balances (LedgerTotals::balanced()).
//  2. A call whose four gates are open is dispatched: nothing ready waits while its budget is free.
//  3. No dispatch raised what is held above a limit. A slot is held until its attempt ends or is lost.
//  4. What unreached calls and orphans hold leaves room in every budget for its costliest tool whenever an early
//     attempt is dispatched, so at no budget does early work keep a reached call waiting.
//  5. Every call and every attempt makes exactly one terminal transition.
//  6. Only pure and immutable_read calls with shareable arguments (key != 0) were ever dispatched early.
//  7. Effects (open_read, private_write, external_write) run one after another in the order in which they were reached;
//     one that was interrupted keeps its turn until it ends or is lost. Calls made inside an attempt are exempt.
//
// Cost. A pop from the frontier is O(log frontier), all else O(1) amortized, whatever number of calls wait. At most 96
// bytes a call (with its attempt) plus 8 bytes an edge; order keys and kept results add their own size.
//
// Thread rule: one thread at a time. Lifetime: strings and spans given in are copied; what accessors return by
// reference lives until the next input.
#ifndef PYSOLATE_SCHEDULER_H_
#define PYSOLATE_SCHEDULER_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "pysolate/contract.h"
#include "pysolate/event.h"
#include "pysolate/explain.h"
#include "pysolate/ledger.h"
#include "pysolate/status.h"

namespace pysolate {

enum class Mode : uint8_t {
  kOverlap,
  kSequential,  // each call starts when reached; no early start, no sharing
};

// Within reached calls, and within early ones, pops follow:
enum class Policy : uint8_t {
  kOrder,         // the order key, then the id
  kCriticalPath,  // the longest chain of known dependants first (seen up to 64 calls upwards), then as kOrder
};

struct RunOptions {
  std::string_view program = {};
  Mode mode = Mode::kOverlap;
  Policy policy = Policy::kOrder;
  bool speculate = false;  // guessed calls may start in scopes whose condition is not known yet
  bool virtual_clock = true;
  int64_t unit = 0;                          // ns a unit of a virtual run; 0: real time
  int64_t result_bytes = 64ll << 20;         // bound on kept results
  int64_t orphan_deadline = 30'000'000'000;  // for attempts without a deadline that nobody wants, ns
  std::string_view source = {};
  std::string_view producer = "pysolate 0.1.0";
  uint32_t total = kUnlimited;        // attempts in flight
  uint32_t early_limit = kUnlimited;  // of these, before control reached one of their calls
};

// What the host has to do or to know, in the order in which it was decided.
struct Command {
  enum class Kind : uint8_t {
    kDispatch,  // start `attempt` for `call`
    kCancel,    // ask `attempt` to stop; sent once
    kSettle,    // `call` has the outcome of `attempt` (ok or not)
    kDeadline,  // `attempt` passed its deadline: for the calls bound to it that is the failure; it may still run
    kSkip,      // `call` ended because its input `by` failed
    kDrop,      // `call` ended as discarded or cancelled
    kEvict,     // forget the kept result of `attempt`
    kLost,      // `attempt` was given up: a later answer will be ignored
  };
  Kind kind;
  bool ok = false;
  AttemptId attempt = 0;
  CallId call = 0;
  CallId by = 0;
};

struct ArriveInput {
  ToolId tool = 0;
  SiteId site = 0;
  ScopeId scope = 1;
  // True: announced ahead of control. False: known to be coming, never started before it is reached.
  bool early = true;
  bool guess = false;                 // perhaps never reached, even if its scope becomes active
  AttemptId parent = 0;               // the attempt inside which it is made: a child, runs under that slot, never early
  std::span<const CallId> deps = {};  // calls whose values its arguments need
  std::string_view order = {};        // compared bytewise, then by id
};

struct ReachInput {
  ToolId tool = 0;
  SiteId site = 0;
  ScopeId scope = 1;
  ArgsKey key = 0;
  AttemptId parent = 0;
  std::string_view order = {};
  std::string_view preview = {};
};

struct ScopeInput {
  ScopeId parent = 0;
  ScopeKind kind = ScopeKind::kProgram;
  SiteId site = 0;
  int32_t line = 0;
  bool active = true;  // false: pending, its condition is not known
  std::string_view name = {};
};

struct SiteInput {
  std::string_view file = {}, function = {}, text = {};
  int32_t line = 0, col = 0, end_line = 0, end_col = 0;
};

// One line of a frontier: a call for which only the budget may be shut.
struct FrontierRow {
  CallId call = 0;
  bool reached = false;
  ClassId klass = 0;
  uint32_t cost = 0;
};

struct CallView {
  CallId call = 0;
  ToolId tool = 0;
  SiteId site = 0;
  ScopeId scope = 0;
  ArgsKey key = 0;
  AttemptId attempt = 0;  // bound to; for terminal calls the last one
  AttemptId parent = 0;
  CallState state = CallState::kWaiting;
  bool early = false;  // announced early
  bool guess = false;
  bool reached = false;
  bool promoted = false;
  bool refused = false;  // an early start was refused
  bool failed = false;   // its outcome is a failure
};

struct BudgetView {
  uint32_t limit = kUnlimited, held = 0;
  uint32_t unreached = 0;  // of held: by early attempts and orphans
  uint32_t room = 0;       // what early attempts have to leave: the cost of the costliest tool
};

// Virtual or real times of the run so far, in ns.
struct RunStats {
  TimeNs makespan = 0;        // last input's time (until `end`)
  TimeNs sequential_sum = 0;  // of the attempts that reached calls consumed, one after another
  TimeNs critical_path = 0;   // longest chain of these along dependencies
  TimeNs overlap_won = 0;     // max(0, sequential_sum - makespan)
  TimeNs overlap_left = 0;    // max(0, makespan - critical_path)
  uint32_t calls = 0, reached = 0, early = 0, promoted = 0, wasted = 0, refused = 0;
  uint32_t attempts = 0, waiting = 0, ready = 0, dispatched = 0, settled = 0, terminal = 0;
  uint32_t waiting_by_gate[kGates] = {};  // by the first shut gate; kBudget counts the frontier
};

struct SiteStats {
  SiteId site = 0;
  uint32_t calls = 0, reached = 0, early = 0, promoted = 0, wasted = 0, refused = 0;
};

class Scheduler {
 public:
  // Logs the `run` event, a `budget` event if a limit is given, and opens nothing. `sink` may be null and outlives the
  // scheduler.
  explicit Scheduler(const RunOptions& options, EventSink* sink = nullptr);
  ~Scheduler();
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  // ---- Inputs. `now` never decreases. Each returns what it refused; a refused input changed nothing. ----

  Made AddClass(TimeNs now, std::string_view name, uint32_t limit);
  Made AddRoot(TimeNs now, std::string_view name, std::string_view content = {});
  Made AddTool(TimeNs now, const Contract& contract);
  Made AddSite(TimeNs now, const SiteInput& site);

  // The first scope is the program (id 1). Opening one under a dead or closed parent is refused.
  Made OpenScope(TimeNs now, const ScopeInput& scope);
  // Its condition became known. A scope counts as active once it and all above it are.
  Status ActivateScope(TimeNs now, ScopeId scope);
  // Control will not go there (dead) or is through (closed); the same holds for all below it. Its unreached calls are
  // discarded, its reached ones that did not end are cancelled; what nobody wants any more is cancelled or orphaned.
  Status KillScope(TimeNs now, ScopeId scope);
  Status CloseScope(TimeNs now, ScopeId scope);

  // Limits may fall and rise at any time, 0 included; what is held above a lowered limit runs on.
  Status SetTotalBudget(TimeNs now, uint32_t limit);
  Status SetEarlyBudget(TimeNs now, uint32_t limit);
  Status SetClassBudget(TimeNs now, ClassId klass, uint32_t limit);

  // A call arrives, its arguments not known yet. If an early start is out of the question (contract, mode, child) it is
  // refused by an event and the call waits for control; in an ended scope an early call is refused and discarded at
  // once, any other is an error.
  Made Arrive(TimeNs now, const ArriveInput& call);
  // Its arguments are known, apart from the values of its dependencies. `key`: see ArgsKey.
  Status Args(TimeNs now, CallId call, ArgsKey key, std::string_view preview = {});
  // Control arrived at this very call. Activates pending scopes around it.
  Status Reach(TimeNs now, CallId call);
  // Control arrived at a call of the program: promotes the oldest early call with equal tool, key and root version (it
  // moves to the place that control came to), or makes a new one. -> its id.
  Made ReachCall(TimeNs now, const ReachInput& call);

  // The attempt's outcome. `bytes`: kept size of a plain result; 0: not plain, for one taker only.
  Status Complete(TimeNs now, AttemptId attempt, int64_t bytes, std::string_view preview = {});
  Status Fail(TimeNs now, AttemptId attempt, Failure failure, std::string_view error, std::string_view message = {});
  // The host confirms that the attempt ended without an outcome after it was asked to cancel.
  Status Stopped(TimeNs now, AttemptId attempt);
  // The program or its user gives a call up.
  Status Cancel(TimeNs now, CallId call, std::string_view why);
  // The program takes the value or the exception at the call's own place. REQUIRES: reached and settled.
  Status Consume(TimeNs now, CallId call);
  // Time passed: deadlines up to `now` are due.
  Status Tick(TimeNs now);
  Status Note(TimeNs now, std::string_view topic, std::string_view text, int32_t line = 0);
  // The program ended. What was not taken is discarded, what runs is cancelled or orphaned; only Complete, Fail,
  // Stopped, Tick and Note are accepted from here.
  Status End(TimeNs now, bool ok, std::string_view error = {});

  // Any input as the event that a trace holds: ids in it must be those that the scheduler would give. Used by replay.
  Made Apply(const Event& input);

  // ---- Commands ----

  std::span<const Command> commands() const;  // since the last ClearCommands
  void ClearCommands();

  // ---- Questions. Cheap unless said otherwise. ----

  TimeNs now() const;
  bool ended() const;
  uint64_t seq() const;          // of the last event
  TimeNs next_deadline() const;  // when a Tick is due at the latest; -1: never
  uint32_t call_count() const;
  uint32_t attempt_count() const;
  CallState state_of(CallId call) const;    // REQUIRES: 0 < call <= call_count()
  AttemptId attempt_of(CallId call) const;  // what it is bound to, 0 if nothing
  bool failed(CallId call) const;           // its outcome is a failure
  CallView View(CallId call) const;
  std::string_view tool_name(ToolId tool) const;
  uint32_t root_version(RootId root) const;

  // O(edges of the call and of its inputs).
  Explanation Explain(CallId call) const;
  // O(frontier log frontier): reached calls first, then early ones, each in pop order.
  std::vector<FrontierRow> Frontier() const;
  std::vector<CallId> WaitingAt(Gate gate) const;  // O(calls): those whose first shut gate it is
  LedgerTotals Totals() const;
  LedgerRow Row(AttemptId attempt) const;  // REQUIRES: 0 < attempt <= attempt_count()
  BudgetView TotalBudget() const;
  BudgetView EarlyBudget() const;
  BudgetView ClassBudget(ClassId klass) const;
  int64_t kept_bytes() const;
  RunStats Stats() const;                // O(calls + edges)
  std::vector<SiteStats> Sites() const;  // O(calls)

  // Bytes held for calls, attempts and edges (capacity of the tables), without kept results and order keys.
  size_t table_bytes() const;
  // Makes room for so many calls and edges at once.
  void Reserve(size_t calls, size_t edges);

  // Checks every invariant above by counting anew. O(everything): for tests. Empty: all hold.
  std::string CheckInvariants() const;

 private:
  friend struct SchedulerInputs;  // the inputs' shared steps (core/sched)
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace pysolate

#endif  // PYSOLATE_SCHEDULER_H_
