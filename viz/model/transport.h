// The cursor and how it moves: steps, play, follow, breakpoints.
//
// Thread rule: one thread at a time. There is no clock: Advance is told how much time passed.
// Invariants: 0 <= cursor <= events; appended events move the cursor only while following.
#ifndef PYSOLATE_VIZ_MODEL_TRANSPORT_H_
#define PYSOLATE_VIZ_MODEL_TRANSPORT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "model/store.h"

namespace pysolate::viz {

struct Breakpoint {
  enum class What : uint8_t { kEventKind, kLine, kTool, kCondition, kEvent };
  What what = What::kEventKind;
  EventKind kind = EventKind::kUnknown;  // kEventKind
  int32_t line = 0;                      // kLine: an event of a call of this line
  ToolId tool = 0;                       // kTool
  EventNo event = 0;                     // kEvent
  // kCondition: `left` counted at each event, compared with a number; true after an event where it was false before.
  // "ready = 0 while running > 0" is two terms.
  struct Term {
    enum class Of : uint8_t { kLook, kRunning, kOrphans } of = Of::kLook;
    Look look = Look::kReady;
    enum class Op : uint8_t { kEqual, kNotEqual, kLess, kGreater, kLessEqual, kGreaterEqual } op = Op::kEqual;
    uint32_t value = 0;
  };
  std::vector<Term> terms;
  bool enabled = true;
};

// Reads "kind:fail", "line:12", "tool:fetch", "event:120" or "ready=0 running>0" (all terms must hold). On failure
// returns false and says in *error what is wrong and at which column (from 0).
struct ParseProblem {
  uint32_t column = 0;
  std::string message;
};
bool ParseBreakpoint(const TraceStore& store, std::string_view text, Breakpoint* out, ParseProblem* problem);
std::string Describe(const TraceStore& store, const Breakpoint& b);

class Transport {
 public:
  explicit Transport(const TraceStore* store);  // outlives the transport

  EventNo cursor() const { return cursor_; }
  TimeNs time() const { return store_->time(cursor_); }
  bool at_start() const { return cursor_ == 0; }
  bool at_end() const { return cursor_ == store_->events(); }

  // ---- moves. Each stops play; all but GoToEnd end following, if they moved away from the end. Return true if the
  // cursor moved.
  bool GoTo(EventNo cursor);  // clamped
  bool GoToStart() { return GoTo(0); }
  bool GoToEnd() { return GoTo(store_->events()); }
  bool StepEvent(int direction);              // -1 or +1
  bool StepDecision(int direction);           // to just after the next decision
  bool StepCall(CallId call, int direction);  // to the next event of that call
  bool StepSameKind(int direction);           // same kind as the current event
  // To the next place at which an enabled breakpoint hits; to the end (start) if none does, and returns false then.
  bool RunTo(int direction);

  // ---- play
  bool playing() const { return playing_; }
  void Play();  // from the start, if at the end
  void Pause();
  // Trace seconds per second; for real time 1. kMaxSpeed goes to the end in the next Advance.
  static constexpr double kMaxSpeed = 1e300;
  double speed() const { return speed_; }
  void SetSpeed(double speed);         // clamped to 0.25..64, or kMaxSpeed
  void FasterOrSlower(int direction);  // doubles or halves; max is above 64
  // Nanoseconds of trace time that play as one second at speed 1: virtual units, or scaled so that a run takes 20 s.
  TimeNs ns_per_second() const;
  // `dt` seconds passed. Plays, follows. True if the cursor moved. Stops at breakpoints and at the end.
  bool Advance(double dt);
  // Time shown while playing (between events); time() otherwise.
  TimeNs play_time() const { return playing_ ? static_cast<TimeNs>(play_time_) : time(); }

  // ---- live
  bool following() const { return following_; }
  void SetFollowing(bool on);  // on: goes to the end now and after every append

  // ---- breakpoints
  const std::vector<Breakpoint>& breakpoints() const { return breakpoints_; }
  void AddBreakpoint(Breakpoint b) { breakpoints_.push_back(std::move(b)); }
  void RemoveBreakpoint(size_t index);
  void EnableBreakpoint(size_t index, bool on);
  // Adds one at the current event's line (or at the event, if it has none), or removes that.
  void ToggleBreakpointHere();
  // Does the breakpoint hit when event e is applied?
  bool Hits(const Breakpoint& b, EventNo e) const;
  // Places of all enabled breakpoints (for the strip), at most `cap`, ascending; *total all of them.
  std::vector<EventNo> BreakpointEvents(uint32_t cap, uint32_t* total) const;
  // The breakpoint that stopped the last run, or -1.
  int stopped_by() const { return stopped_by_; }

 private:
  bool Move(EventNo cursor);
  EventNo FindHit(EventNo from, int direction, EventNo limit);

  const TraceStore* store_;
  EventNo cursor_ = 0;
  bool playing_ = false, following_ = false;
  double speed_ = 1, play_time_ = 0;
  int stopped_by_ = -1;
  std::vector<Breakpoint> breakpoints_;
};

}  // namespace pysolate::viz

#endif  // PYSOLATE_VIZ_MODEL_TRANSPORT_H_
