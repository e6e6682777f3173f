// Feeding the inputs of a trace to a fresh scheduler and comparing every event that it tells with the trace.
//
// Thread rule: one thread at a time. No I/O: events in, a difference out.
#ifndef PYSOLATE_REPLAY_H_
#define PYSOLATE_REPLAY_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>

#include "pysolate/scheduler.h"
#include "pysolate/trace.h"

namespace pysolate {

// The first place where trace and scheduler part.
struct ReplayDifference {
  uint64_t seq = 0;      // of the trace's event; 0: none
  std::string expected;  // the trace's line; empty: it has none here
  std::string actual;    // the scheduler's line, or in words why there is none
  explicit operator bool() const { return seq != 0; }
};

// Give it to a TraceReader. After a difference further events are counted and nothing more.
class Replayer final : public EventSink {
 public:
  Replayer();
  ~Replayer() override;

  void OnEvent(const Event& event) override;
  // The trace is over. `truncated`: its end is missing, so decisions may be missing too.
  void Finish(bool truncated);

  const ReplayDifference& difference() const { return difference_; }
  uint64_t inputs() const { return inputs_; }
  uint64_t decisions() const { return decisions_; }
  // The scheduler after the inputs so far; null before the `run` event. Lives as long as the replayer.
  const Scheduler* scheduler() const { return scheduler_.get(); }

 private:
  class Lines;
  void Differ(const Event& event, std::string actual);
  void Start(const Event& run);

  std::unique_ptr<Lines> lines_;
  std::unique_ptr<Scheduler> scheduler_;
  ReplayDifference difference_;
  uint64_t last_seq_ = 0;
  uint64_t inputs_ = 0, decisions_ = 0;
};

struct ReplayResult {
  TraceError error;  // the trace could not be read
  ReplayDifference difference;
  uint64_t inputs = 0, decisions = 0;
  bool truncated = false;
  bool ok() const { return !error && !difference; }
};
// Replays a whole trace.
ReplayResult Replay(std::string_view trace);

struct ExplainResult {
  std::string error;  // empty: there is an explanation
  Explanation explanation;
};
// Why `call` waited after the step that event `at` belongs to (0: at the end of the trace).
ExplainResult ExplainAt(std::string_view trace, CallId call, uint64_t at = 0);

}  // namespace pysolate

#endif  // PYSOLATE_REPLAY_H_
