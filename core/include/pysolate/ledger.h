// The account of every attempt. It balances after every input:
//
//     dispatched == consumed + discarded + retried + late + lost + cancelled + running
//
// Thread rule: plain data, copied out of the scheduler.
#ifndef PYSOLATE_LEDGER_H_
#define PYSOLATE_LEDGER_H_

#include <cstdint>
#include <string_view>

#include "pysolate/event.h"

namespace pysolate {

enum class AttemptState : uint8_t { kRunning, kSucceeded, kFailed, kCancelled, kLost };

// Under which column an attempt is booked. `kRunning`: in flight, or its outcome is there and not yet taken.
enum class Book : uint8_t { kRunning, kConsumed, kDiscarded, kRetried, kLate, kLost, kCancelled };
inline constexpr int kBooks = 7;

// Why an attempt was booked as it was, or why nobody wants it any more.
enum class Reason : uint8_t {
  kNone,
  kTaken,           // its outcome was consumed
  kScopeDead,       // the scope of its last call died
  kScopeClosed,     // the scope of its last call closed
  kCancel,          // the program or its user gave its last call up
  kEnd,             // the program ended
  kDeadline,        // its contract's deadline passed
  kOrphanDeadline,  // unwanted, and silent until its orphan deadline
  kFailure,         // it failed and its call starts anew
  kNotShared,       // its outcome could satisfy one call only
  kNewVersion,      // its root has a new version
  kEvicted,         // its kept result made room
  kParentEnded,     // the attempt that made the call ended
  kRefused,         // its early start was refused and the host gave it up
  kInputFailed,     // an input of its call failed
};

std::string_view Name(AttemptState v);
std::string_view Name(Book v);
std::string_view Name(Reason v);

struct LedgerRow {
  AttemptId attempt = 0;
  CallId call = 0;  // the call that it was dispatched for
  ToolId tool = 0;
  SiteId site = 0;
  AttemptId parent = 0;
  AttemptState state = AttemptState::kRunning;
  Book book = Book::kRunning;
  Reason reason = Reason::kNone;
  bool early = false;   // dispatched before control reached the call
  bool orphan = false;  // runs although nobody wants it
  bool cancel_requested = false;
  uint32_t cost = 0;  // held in its class while running; 0 for a child (it runs under its parent's slot)
  TimeNs start = 0;
  TimeNs end = -1;  // -1: still running
};

struct LedgerTotals {
  uint32_t dispatched = 0;
  uint32_t by_book[kBooks] = {};  // indexed by Book
  uint32_t orphans = 0;           // of those running: unwanted
  bool balanced() const {
    uint32_t sum = 0;
    for (uint32_t n : by_book) sum += n;
    return sum == dispatched;
  }
};

}  // namespace pysolate

#endif  // PYSOLATE_LEDGER_H_
