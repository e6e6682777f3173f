// The events of a trace as one flat C++ value. The byte format is described in core/trace/FORMAT.md.
//
// Thread rule: plain data; no hidden state.
// Lifetime: string_view and span fields of an Event point into storage of whoever produced it (the reader's line
// buffer, the scheduler's caller) and are valid only during the call that hands the Event over. Copy what you keep.
#ifndef PYSOLATE_EVENT_H_
#define PYSOLATE_EVENT_H_

#include <cstdint>
#include <span>
#include <string_view>

namespace pysolate {

// Dense ids, counted from 1 per kind of thing; 0 is "none".
using ToolId = uint32_t;
using ClassId = uint32_t;  // resource class
using RootId = uint32_t;
using SiteId = uint32_t;
using ScopeId = uint32_t;
using CallId = uint32_t;
using AttemptId = uint32_t;
using ArgsKey = uint32_t;  // equal keys of one tool mean equal canonical arguments; 0: never shared

// Nanoseconds since the start of the run.
using TimeNs = int64_t;

inline constexpr uint32_t kUnlimited = 0xffffffffu;  // written as -1 in a trace

enum class EventKind : uint8_t {
  kUnknown,
  // inputs
  kRun,
  kClass,
  kRoot,
  kTool,
  kSite,
  kScope,
  kScopeActive,
  kScopeDead,
  kScopeClosed,
  kBudget,
  kArrive,
  kArgs,
  kReach,
  kComplete,
  kFail,
  kStopped,
  kCancel,
  kConsume,
  kTick,
  kNote,
  kEnd,
  // decisions
  kPromote,
  kRefuse,
  kReady,
  kDispatch,
  kJoin,
  kVersion,
  kSettle,
  kRetry,
  kSuppress,
  kSkip,
  kDiscard,
  kCallCancelled,
  kCancelRequest,
  kCancelled,
  kOrphan,
  kLate,
  kLost,
  kEvict,
};
inline constexpr int kEventKinds = static_cast<int>(EventKind::kEvict) + 1;

constexpr bool IsInput(EventKind k) { return k >= EventKind::kRun && k <= EventKind::kEnd; }
constexpr bool IsDecision(EventKind k) { return k >= EventKind::kPromote; }

// The word used for a kind in a trace ("scope_dead"); "unknown" for kUnknown.
std::string_view Name(EventKind kind);
// The kind of a word; kUnknown if there is none.
EventKind EventKindFromName(std::string_view name);

enum class Effect : uint8_t { kPure, kImmutableRead, kOpenRead, kPrivateWrite, kExternalWrite };
enum class Failure : uint8_t { kStable, kTransient, kDeadline };
enum class ScopeKind : uint8_t { kProgram, kCell, kFunction, kBranch, kIteration, kTry, kHandler };
enum class ScopeState : uint8_t { kPending, kActive, kDead, kClosed };

std::string_view Name(Effect v);
std::string_view Name(Failure v);
std::string_view Name(ScopeKind v);
std::string_view Name(ScopeState v);

// One event. Which fields mean something follows from `kind` (FORMAT.md); all others keep their defaults.
struct Event {
  uint64_t seq = 0;
  TimeNs t = 0;
  EventKind kind = EventKind::kUnknown;

  bool early = false;                             // arrive, dispatch, tool (false: opted out)
  bool guess = false;                             // arrive
  bool ok = false;                                // settle, late, end
  bool cancellable = false;                       // tool
  bool reuse = false;                             // tool
  bool speculate = false;                         // run
  Effect effect = Effect::kExternalWrite;         // tool
  Failure failure = Failure::kStable;             // tool, fail
  ScopeKind scope_kind = ScopeKind::kProgram;     // scope
  ScopeState scope_state = ScopeState::kPending;  // scope

  CallId call = 0;
  AttemptId attempt = 0;
  ToolId tool = 0;
  ClassId klass = 0;
  RootId root = 0;
  SiteId site = 0;
  ScopeId scope = 0;
  uint32_t parent = 0;  // scope: parent scope; arrive, dispatch: parent attempt
  CallId by = 0;        // suppress, skip
  ArgsKey key = 0;      // args

  int32_t line = 0, col = 0, end_line = 0, end_col = 0;  // site, scope, note
  uint32_t cost = 0;                                     // tool, dispatch
  uint32_t retry = 0;                                    // tool
  uint32_t version = 0;                                  // run: format; version: of the root
  // class, budget: limits, kUnlimited for -1. has_* tell which a budget event carries.
  uint32_t limit = 0, total = 0, early_limit = 0;
  bool has_limit = false, has_total = false, has_early_limit = false;
  int64_t deadline = 0;  // tool, orphan: ns
  int64_t bytes = 0;     // complete, evict; run: result_bytes
  int64_t unit = 0;      // run: ns a unit

  std::string_view name;         // tool, class, root, scope; run: program; unknown: its word
  std::string_view file;         // site
  std::string_view function;     // site
  std::string_view text;         // args: preview; complete: value; fail: message; note: text; run: source; site: text
  std::string_view why;          // refuse, discard, cancel, ...; note: topic; run: mode
  std::string_view error;        // fail, end: exception type; root: content; run: clock
  std::string_view order;        // arrive, reach: order key; run: policy
  std::string_view producer;     // run
  std::span<const CallId> deps;  // arrive
};

// Hears every event in order, in the step in which it happens. Must not call back into the producer.
class EventSink {
 public:
  virtual ~EventSink() = default;
  virtual void OnEvent(const Event& event) = 0;
};

}  // namespace pysolate

#endif  // PYSOLATE_EVENT_H_
