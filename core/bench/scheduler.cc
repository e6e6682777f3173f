// The scheduler under load: the life of calls, and the shapes that break naive ones.
#include "pysolate/scheduler.h"

#include <optional>
#include <span>

#include "bench/bench.h"
#include "bench/binary_log.h"
#include "pysolate/trace.h"

namespace pysolate::bench {

namespace {

ToolId Prepare(Scheduler& s) {
  (void)s.OpenScope(0, {});
  Contract contract;
  contract.name = "read";
  contract.effect = Effect::kImmutableRead;
  return s.AddTool(0, contract).id;
}

// Completes and consumes whatever is dispatched until nothing is. -> calls consumed.
uint32_t Drain(Scheduler& s) {
  std::vector<Command> todo;
  uint32_t consumed = 0;
  TimeNs now = s.now();
  while (!s.commands().empty()) {
    todo.assign(s.commands().begin(), s.commands().end());
    s.ClearCommands();
    for (const Command& c : todo) {
      if (c.kind != Command::Kind::kDispatch) continue;
      ++now;
      (void)s.Complete(now, c.attempt, 0);
      consumed += s.Consume(now, c.call).ok();
    }
  }
  return consumed;
}

void ArriveReached(Scheduler& s, ToolId tool, std::span<const CallId> deps) {
  ArriveInput in;
  in.tool = tool;
  in.early = false;
  in.deps = deps;
  const CallId c = s.Arrive(0, in).id;
  (void)s.Args(0, c, 0);
  (void)s.Reach(0, c);
}

template <typename F>
double NsPerCall(uint32_t n, F&& run) {
  return Median(3,
                [&] {
                  const double start = CpuSeconds();
                  run();
                  return CpuSeconds() - start;
                }) *
         1e9 / n;
}

}  // namespace

double RunScheduler(const Graph& graph, bool logged, double* bytes_per_call, uint32_t* ran) {
  const double start = CpuSeconds();
  BinaryLog log;
  Scheduler s(RunOptions{}, logged ? &log : nullptr);
  const ToolId tool = Prepare(s);
  for (uint32_t c = 1; c <= graph.n; ++c) {
    const CallId* deps = &graph.deps[size_t{c - 1} * 3];
    ArriveReached(s, tool, {deps, deps[0] == 0 ? size_t{0} : size_t{3}});
  }
  *ran = Drain(s);
  const double seconds = CpuSeconds() - start;
  if (bytes_per_call != nullptr) {
    const double edges = graph.n > 1000 ? 3.0 * (graph.n - 1000) : 0;
    *bytes_per_call = (static_cast<double>(s.table_bytes()) - 8 * edges) / graph.n;
  }
  return seconds;
}

std::vector<Shape> RunShapes(uint32_t n) {
  std::vector<Shape> shapes;
  shapes.push_back({"chain", n, NsPerCall(n, [&] {
                      Scheduler s(RunOptions{});
                      const ToolId tool = Prepare(s);
                      for (CallId c = 1; c <= n; ++c) {
                        const CallId before = c - 1;
                        ArriveReached(s, tool, {&before, c == 1 ? size_t{0} : size_t{1}});
                      }
                      Drain(s);
                    })});
  shapes.push_back({"fan_out", n, NsPerCall(n, [&] {
                      Scheduler s(RunOptions{});
                      const ToolId tool = Prepare(s);
                      const CallId first = 1;
                      for (CallId c = 1; c <= n; ++c) ArriveReached(s, tool, {&first, c == 1 ? size_t{0} : size_t{1}});
                      Drain(s);
                    })});
  shapes.push_back({"frontier_on_budget", n, NsPerCall(n, [&] {
                      RunOptions options;
                      options.total = 1;
                      Scheduler s(options);
                      const ToolId tool = Prepare(s);
                      for (CallId c = 1; c <= n; ++c) ArriveReached(s, tool, {});
                      Drain(s);
                    })});
  shapes.push_back({"cancel_scope", n, NsPerCall(n, [&] {
                      RunOptions options;
                      options.total = 1;
                      Scheduler s(options);
                      const ToolId tool = Prepare(s);
                      ScopeInput in;
                      in.parent = 1;
                      const ScopeId scope = s.OpenScope(0, in).id;
                      ArriveInput call;
                      call.tool = tool;
                      call.scope = scope;
                      for (CallId c = 1; c <= n; ++c) (void)s.Args(0, s.Arrive(0, call).id, c);
                      (void)s.KillScope(0, scope);
                      s.ClearCommands();
                    })});
  return shapes;
}

TraceSpeed RunTrace(uint32_t calls) {
  class Recorder final : public EventSink {
   public:
    void OnEvent(const Event& e) override {
      events.push_back(e);
      ids.emplace_back(e.deps.begin(), e.deps.end());
    }
    std::vector<Event> events;
    std::vector<std::vector<CallId>> ids;
  };
  class Counter final : public EventSink {
   public:
    void OnEvent(const Event&) override { ++count; }
    uint64_t count = 0;
  };
  Recorder recorder;
  {
    const Graph graph = Layered(calls);
    Scheduler s(RunOptions{}, &recorder);
    const ToolId tool = Prepare(s);
    for (uint32_t c = 1; c <= graph.n; ++c) {
      const CallId* deps = &graph.deps[size_t{c - 1} * 3];
      ArriveReached(s, tool, {deps, deps[0] == 0 ? size_t{0} : size_t{3}});
    }
    Drain(s);
  }
  for (size_t i = 0; i < recorder.events.size(); ++i) recorder.events[i].deps = recorder.ids[i];
  std::string text;
  TraceSpeed speed;
  const auto count = static_cast<double>(recorder.events.size());
  speed.written = count / Median(5, [&] {
                    const double start = CpuSeconds();
                    TraceWriter writer;
                    for (const Event& e : recorder.events) writer.OnEvent(e);
                    text = writer.Take();
                    return CpuSeconds() - start;
                  });
  speed.read = count / Median(5, [&] {
                 const double start = CpuSeconds();
                 Counter counter;
                 TraceReader reader(&counter);
                 reader.Feed(text);
                 reader.Finish();
                 return CpuSeconds() - start;
               });
  return speed;
}

}  // namespace pysolate::bench
