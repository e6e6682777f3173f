// The states that the viewer tells apart, their words, glyphs, patterns and colours.
//
// Thread rule: constants and pure functions.
// Source of the colours: chosen for colour-blind readers; tests/viz/palette_test.cc keeps the computation (smallest
// CIE76 distance over normal vision and three dichromacies, contrast against the background at least 3:1).
#ifndef PYSOLATE_VIZ_MODEL_STATE_H_
#define PYSOLATE_VIZ_MODEL_STATE_H_

#include <array>
#include <cstdint>
#include <string_view>

#include "pysolate/event.h"

namespace pysolate::viz {

// Position of an event in the store, counted from 1; 0 means "none" or "never". A *cursor* is an EventNo too: the
// state after the first `cursor` events. Event e has happened at cursor c if 0 < e <= c.
using EventNo = uint32_t;

// How a call looks at one moment: its state, told apart by outcome. Exactly one at a time. A call whose attempt
// nobody wants any more but which still runs is `orphaned`, then `late_*` or `lost`.
enum class Look : uint8_t {
  kAbsent,          // has not arrived yet
  kWaiting,         // one of the first three gates is shut
  kReady,           // only the budget may be shut
  kDispatched,      // bound to a running attempt
  kSettled,         // succeeded, not yet taken
  kSettledFailed,   // failed, not yet taken
  kConsumed,        // value taken
  kConsumedFailed,  // exception taken
  kDiscarded,       // never reached
  kCancelled,
  kSkipped,     // an input failed
  kOrphaned,    // call gone, attempt still runs
  kLateOk,      // orphan that ended by itself with a value
  kLateFailed,  // ... with an exception
  kLost,        // orphan that was given up
};
inline constexpr int kLooks = 15;
using LookCounts = std::array<uint32_t, kLooks>;  // index: Look

// What the ledger says about an attempt (core/trace/FORMAT.md, "The ledger"). Exactly one at a time.
enum class Fate : uint8_t { kNone, kRunning, kConsumed, kDiscarded, kRetried, kLate, kLost, kCancelled };
inline constexpr int kFates = 8;
using FateCounts = std::array<uint32_t, kFates>;  // index: Fate

// The four questions asked of every undispatched call.
enum class Gate : uint8_t { kNone, kArguments, kControl, kContract, kBudget };
inline constexpr int kGates = 5;

enum class Glyph : uint8_t {
  kNone,
  kRing,
  kDiamond,
  kTriangle,
  kTickHollow,
  kTick,
  kTickDash,
  kCross,
  kCrossHollow,
  kBarredCircle,
  kBarredCircleTick,
  kBarredCircleCross,
  kSlashedRing,
};
enum class Pattern : uint8_t { kOutline, kSolid, kHatch, kThickBorder, kDashedBorder };

// Six colour classes; every Look belongs to one of them.
enum class Ink : uint8_t { kWaiting, kReady, kDispatched, kSucceeded, kFailed, kOrphaned };
inline constexpr int kInks = 6;

struct Rgb {
  uint8_t r, g, b;
  friend constexpr bool operator==(const Rgb&, const Rgb&) = default;
};

struct LookStyle {
  Look look;
  std::string_view word;  // "settled", used in queries and tables
  Ink ink;
  Glyph glyph;
  Pattern pattern;
  bool open_right;  // the bar has no right edge while it looks like this
  bool terminal;    // the call's own story is over (an orphan's is not)
};

const LookStyle& StyleOf(Look look);
// The word of a look: "waiting", "settled_failed", ...
std::string_view Name(Look look);
std::string_view Name(Fate fate);
// "arguments", "control path", "contract", "budget".
std::string_view Name(Gate gate);
// True and *look set if `word` is one of the words.
bool LookFromName(std::string_view word, Look* look);

Rgb InkColour(Ink ink, bool dark);
Rgb BackgroundColour(bool dark);

}  // namespace pysolate::viz

#endif  // PYSOLATE_VIZ_MODEL_STATE_H_
