#include "pysolate/replay.h"

#include <utility>

namespace pysolate {

// What the scheduler told and the trace has not been compared with yet.
class Replayer::Lines final : public EventSink {
 public:
  void OnEvent(const Event& event) override { pending_.push_back(Line(event)); }

  // An event as text. Sequence numbers are the file's own affair: an unknown event between two others moves them.
  std::string Line(const Event& event) {
    Event copy = event;
    copy.seq = 0;
    writer_.OnEvent(copy);
    std::string line = writer_.Take();
    line.pop_back();
    return line;
  }
  bool empty() const { return pending_.empty(); }
  std::string Pop() {
    std::string line = std::move(pending_.front());
    pending_.pop_front();
    return line;
  }

 private:
  TraceWriter writer_;
  std::deque<std::string> pending_;
};

Replayer::Replayer() : lines_(std::make_unique<Lines>()) {}
Replayer::~Replayer() = default;

void Replayer::Differ(const Event& event, std::string actual) {
  difference_.seq = event.seq;
  difference_.expected = lines_->Line(event);
  difference_.actual = std::move(actual);
}

void Replayer::Start(const Event& run) {
  RunOptions options;
  options.program = run.name;
  options.mode = run.why == "sequential" ? Mode::kSequential : Mode::kOverlap;
  options.policy = run.order == "critical_path" ? Policy::kCriticalPath : Policy::kOrder;
  options.speculate = run.speculate;
  options.virtual_clock = run.error != "real";
  options.unit = run.unit;
  options.result_bytes = run.bytes;
  options.source = run.text;
  options.producer = run.producer;
  scheduler_ = std::make_unique<Scheduler>(options, lines_.get());
}

void Replayer::OnEvent(const Event& event) {
  if (event.kind == EventKind::kUnknown) return;
  last_seq_ = event.seq;
  ++(IsInput(event.kind) ? inputs_ : decisions_);
  if (difference_) return;
  if (lines_->empty()) {
    if (!IsInput(event.kind)) return Differ(event, "no decision");
    if (event.kind == EventKind::kRun && scheduler_ == nullptr) {
      Start(event);
    } else if (scheduler_ == nullptr) {
      return Differ(event, "refused: no run has begun");
    } else if (const Made made = scheduler_->Apply(event); !made.ok()) {
      return Differ(event, "refused: " + made.status.message());
    }
    scheduler_->ClearCommands();
  }
  std::string actual = lines_->Pop();
  if (actual != lines_->Line(event)) Differ(event, std::move(actual));
}

void Replayer::Finish(bool truncated) {
  if (difference_ || truncated || lines_->empty()) return;
  difference_.seq = last_seq_ + 1;
  difference_.actual = lines_->Pop();
}

ReplayResult Replay(std::string_view trace) {
  Replayer replayer;
  TraceReader reader(&replayer);
  ReplayResult result;
  if (!reader.Feed(trace) || !reader.Finish()) result.error = reader.error();
  result.truncated = reader.truncated();
  replayer.Finish(reader.truncated() || static_cast<bool>(result.error));
  result.difference = replayer.difference();
  result.inputs = replayer.inputs();
  result.decisions = replayer.decisions();
  return result;
}

namespace {

// Lets events pass up to the end of the step that `at` belongs to.
class Until final : public EventSink {
 public:
  Until(EventSink* sink, uint64_t at) : sink_(sink), at_(at) {}
  void OnEvent(const Event& event) override {
    if (at_ != 0 && event.seq > at_) return;
    sink_->OnEvent(event);
  }

 private:
  EventSink* sink_;
  uint64_t at_;
};

}  // namespace

ExplainResult ExplainAt(std::string_view trace, CallId call, uint64_t at) {
  Replayer replayer;
  Until until(&replayer, at);
  TraceReader reader(&until);
  ExplainResult result;
  if (!reader.Feed(trace) || !reader.Finish()) {
    result.error =
        (reader.error().line == 0 ? "" : "line " + std::to_string(reader.error().line) + ": ") + reader.error().message;
    return result;
  }
  const Scheduler* scheduler = replayer.scheduler();
  if (replayer.difference()) {
    result.error = "the trace does not replay: event " + std::to_string(replayer.difference().seq) + " differs";
  } else if (scheduler == nullptr || call == 0 || call > scheduler->call_count()) {
    result.error =
        "call " + std::to_string(call) + " has not arrived" + (at == 0 ? "" : " at event " + std::to_string(at));
  } else {
    result.explanation = scheduler->Explain(call);
  }
  return result;
}

}  // namespace pysolate
