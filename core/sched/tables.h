// The rows that the scheduler keeps: dense ids are indexes, row 0 is unused. Sizes are part of the contract: at most 96
// bytes a call with its attempt, 8 bytes an edge.
#ifndef PYSOLATE_SCHED_TABLES_H_
#define PYSOLATE_SCHED_TABLES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "pysolate/contract.h"
#include "pysolate/explain.h"
#include "pysolate/ledger.h"

namespace pysolate::sched {

enum CallFlag : uint16_t {
  kEarlyFlag = 1 << 0,       // announced early
  kGuessFlag = 1 << 1,       //
  kReachedFlag = 1 << 2,     //
  kArgsFlag = 1 << 3,        // Args was given
  kNeedsReachFlag = 1 << 4,  // its early attempt failed in a way that satisfies nobody
  kRefusedFlag = 1 << 5,     // no early start, for good
  kFailedFlag = 1 << 6,      // its outcome is a failure
  kChildFlag = 1 << 7,       // made inside an attempt
  kMovedFlag = 1 << 8,       // reached in another scope than announced; listed in that scope's `moved`
  kTimedOutFlag = 1 << 9,    // settled by a deadline: its attempt does not count it any more
  kListedFlag = 1 << 10,     // in the list of early calls of entry `entry`
  kKeyFlag = 1 << 11,        // its arguments have a key: equal calls can be recognized
};

// What the life of a call touches again and again: half a cache line.
struct CallHot {
  ToolId tool = 0;
  CallState state = CallState::kWaiting;
  uint8_t tries = 0;  // attempts that the contract's retry has used up
  uint16_t flags = 0;
  uint32_t pending = 0;     // dependencies without a value
  uint32_t dependants = 0;  // newest edge that starts here, plus 1
  AttemptId attempt = 0;
  CallId bound_next = 0;  // ring of the calls bound to `attempt`
  uint32_t order = 0;     // offset of its order key in the arena, plus 1; 0: empty
  ScopeId scope = 0;
};
static_assert(sizeof(CallHot) == 32);

struct CallCold {
  SiteId site = 0;
  ArgsKey key = 0;
  uint32_t entry = 0;     // valid while kListedFlag is set
  CallId scope_next = 0;  // calls that arrived in the same scope
  CallId key_next = 0;    // early calls with equal tool, key and version
};
static_assert(sizeof(CallCold) == 20);

enum AttemptFlag : uint8_t {
  kEarlyAttempt = 1 << 0,     // dispatched early
  kOrphanAttempt = 1 << 1,    // runs, nobody wants it
  kCancelRequested = 1 << 2,  //
  kChildAttempt = 1 << 3,     // under its parent's slot
  kReachedSide = 1 << 4,      // its cost counts as reached
  kPastDeadline = 1 << 5,     // its contract's deadline passed
  kHasChildren = 1 << 6,
};

struct AttemptRow {
  CallId call = 0;     // dispatched for it; first of the ring
  CallId tail = 0;     // last of the ring: tail.bound_next == call
  uint32_t entry = 0;  // shares its outcome under this entry; 0: shares nothing
  uint32_t wants = 0;  // live calls bound to it
  uint32_t wants_reached = 0;
  uint16_t cost = 0;  // held in its class
  uint8_t flags = 0;
  uint8_t state_book = 0;  // AttemptState in the low, Book in the high half
  TimeNs start = 0;
  TimeNs end = -1;  // while it runs: when it is due, -1 never

  AttemptState state() const { return static_cast<AttemptState>(state_book & 15); }
  Book book() const { return static_cast<Book>(state_book >> 4); }
  void set_state(AttemptState s) { state_book = static_cast<uint8_t>((state_book & 0xf0) | static_cast<int>(s)); }
  void set_book(Book b) { state_book = static_cast<uint8_t>((state_book & 15) | (static_cast<int>(b) << 4)); }
};
static_assert(sizeof(AttemptRow) == 40);
static_assert(sizeof(CallHot) + sizeof(CallCold) + sizeof(AttemptRow) + sizeof(Reason) <= 96);

// An edge is owned by the call `to`: its edges lie side by side. `next` leads to the next older edge of the same source
// (plus 1), or, at the end of that chain, to the source itself with kSourceBit set: so eight bytes answer both "who
// waits for me" and, more slowly, "for whom do I wait".
struct Edge {
  CallId to = 0;
  uint32_t next = 0;
};
inline constexpr uint32_t kSourceBit = 0x80000000u;
static_assert(sizeof(Edge) == 8);

struct ToolRow {
  Contract contract;  // its name points into `name`
  std::string name;
  uint32_t lane = 0;
  bool effect() const { return !IsRepeatable(contract.effect); }
};

struct ClassRow {
  std::string name;
  uint32_t limit = kUnlimited;
  uint32_t held = 0, unreached = 0;
  uint32_t max_cost = 0;  // of the costliest tool
};

struct RootRow {
  std::string name;
  uint32_t version = 1;
  uint32_t running_writes = 0;
  std::vector<CallId> writes;          // arrived, not dispatched
  std::vector<CallId> behind_running;  // early reads to look at when running_writes is 0 again
};

struct SiteRow {
  std::string file;
  int32_t line = 0, col = 0;
};

struct ScopeRow {
  ScopeId parent = 0;
  ScopeId first_child = 0, last_child = 0, next_sibling = 0;
  SiteId site = 0;
  int32_t line = 0;
  CallId calls_head = 0, calls_tail = 0;
  std::vector<CallId> moved;  // reached here, announced elsewhere
  ScopeKind kind = ScopeKind::kProgram;
  ScopeState state = ScopeState::kPending;
  bool active = false;  // it and all above it are

  bool ended() const { return state == ScopeState::kDead || state == ScopeState::kClosed; }
};

// Everything known about one (tool, arguments key, root version): the early calls that control may arrive at, the
// attempt to share, and that attempt's kept result. Freed when the last of these is gone.
enum class KeptList : uint8_t { kNone, kPinned, kTaken, kUntaken };
struct Entry {
  ToolId tool = 0;
  ArgsKey key = 0;
  uint32_t version = 0;
  uint32_t early_live = 0;
  CallId early_head = 0, early_tail = 0;
  AttemptId attempt = 0;  // running or kept
  uint32_t bytes = 0;     // of the kept result, at most 4 GiB
  uint32_t kept_prev = 0, kept_next = 0;
  KeptList kept = KeptList::kNone;
};

// One item of a frontier's heap. Items are not removed when a call leaves the frontier otherwise: one is stale when its
// call is not ready any more.
struct FrontierItem {
  uint64_t prefix = 0;  // first bytes of the pop order, big end first
  CallId call = 0;
};

// The part of the frontier whose calls hold the same cost in the same class: its head stands for all of them.
struct Lane {
  ClassId klass = 0;
  uint32_t cost = 1;
  std::vector<FrontierItem> heap[2];  // [0] early, [1] reached
};

struct Deadline {
  TimeNs due = 0;
  AttemptId attempt = 0;
};

}  // namespace pysolate::sched

#endif  // PYSOLATE_SCHED_TABLES_H_
