#include "big_trace.h"

#include <algorithm>
#include <queue>
#include <random>
#include <vector>

#include "pysolate/trace.h"

namespace pysolate::viz::testing {
namespace {

// Calls are planned first, then played in virtual time: a call is dispatched when its dependencies have settled and a
// slot is free; the program takes the calls in order.
struct Plan {
  std::vector<CallId> deps;
  SiteId site = 1;
  ToolId tool = 1;
  TimeNs latency = 1000;
  bool dies = false;  // on an arm that is not taken
  bool fails = false;
};

class Player {
 public:
  Player(EventSink* sink, uint32_t budget) : sink_(sink), budget_(budget) {}

  void Head(uint32_t sites) {
    Event e = Make(EventKind::kRun);
    e.version = 1;
    e.name = "big.py";
    e.why = "overlap";
    e.error = "virtual";
    e.order = "order";
    e.unit = 1000;
    e.bytes = 1 << 26;
    e.producer = "test";
    Put(e);
    e = Make(EventKind::kBudget);
    e.total = budget_;
    e.has_total = true;
    Put(e);
    const struct {
      std::string_view name;
      Effect effect;
    } tools[] = {{"fetch", Effect::kImmutableRead}, {"parse", Effect::kPure}, {"save", Effect::kExternalWrite}};
    for (ToolId id = 1; id <= 3; ++id) {
      e = Make(EventKind::kTool);
      e.tool = id;
      e.name = tools[id - 1].name;
      e.effect = tools[id - 1].effect;
      e.cost = 1;
      e.early = e.reuse = e.effect <= Effect::kImmutableRead;
      Put(e);
    }
    e = Make(EventKind::kScope);
    e.scope = 1;
    e.scope_kind = ScopeKind::kProgram;
    e.scope_state = ScopeState::kActive;
    e.line = 1;
    Put(e);
    for (SiteId id = 1; id <= sites; ++id) {
      e = Make(EventKind::kSite);
      e.site = id;
      e.file = "big.py";
      e.function = "main";
      e.line = e.end_line = static_cast<int32_t>(id * 2);
      e.col = 4;
      e.end_col = 20;
      Put(e);
    }
  }

  // Plays one batch of calls to its end; ids go on from batch to batch.
  void Play(const std::vector<Plan>& plans, CallId first) {
    const auto n = static_cast<uint32_t>(plans.size());
    std::vector<uint32_t> missing(n, 0);
    std::vector<std::vector<uint32_t>> dependents(n);
    settled_.resize(first + n, false);
    for (uint32_t i = 0; i < n; ++i) {
      Event e = Of(EventKind::kArrive, first + i);
      e.tool = plans[i].tool;
      e.site = plans[i].site;
      e.scope = 1;
      e.early = true;
      e.deps = plans[i].deps;
      Put(e);
      for (const CallId dep : plans[i].deps) {
        if (dep < first || settled_[dep]) continue;
        ++missing[i];
        dependents[dep - first].push_back(i);
      }
      if (missing[i] == 0) MakeReady(first + i, plans[i]);
    }
    uint32_t next = 0;  // that the program takes
    uint32_t open = n;
    while (open > 0 || next < n) {
      Pop(plans, first);
      while (next < n && (plans[next].dies || settled_[first + next])) {
        if (!plans[next].dies) {
          Put(Of(EventKind::kConsume, first + next));
        }
        ++next;
        if (next < n && !plans[next].dies) {
          Put(Of(EventKind::kReach, first + next));
          Put(Of(EventKind::kPromote, first + next));
          Release(first + next, plans[next]);
        }
      }
      if (next == 0 && !reached_first_) {
        reached_first_ = true;
        Put(Of(EventKind::kReach, first));
        Put(Of(EventKind::kPromote, first));
        Release(first, plans[0]);
        continue;
      }
      Pop(plans, first);
      if (running_.empty()) break;
      const Running r = running_.top();
      running_.pop();
      now_ = std::max(now_, r.end);
      const uint32_t i = r.call - first;
      --held_;
      --open;
      if (r.orphan) {
        Put(Done(EventKind::kComplete, r.attempt));
        Event late = Done(EventKind::kLate, r.attempt);
        late.ok = true;
        Put(late);
        continue;
      }
      Event e = Done(plans[i].fails ? EventKind::kFail : EventKind::kComplete, r.attempt);
      e.text = plans[i].fails ? "no such page" : "{'status': 200, 'text': 'lorem ipsum'}";
      e.error = plans[i].fails ? "LookupError" : "";
      e.bytes = plans[i].fails ? 0 : 64;
      Put(e);
      e = Of(EventKind::kSettle, r.call);
      e.attempt = r.attempt;
      e.ok = !plans[i].fails;
      Put(e);
      settled_[r.call] = true;
      for (const uint32_t d : dependents[i]) {
        if (--missing[d] == 0) MakeReady(first + d, plans[d]);
      }
    }
    reached_first_ = false;
  }

  void End() {
    Event e = Make(EventKind::kEnd);
    e.ok = true;
    Put(e);
  }

 private:
  struct Running {
    TimeNs end;
    AttemptId attempt;
    CallId call;
    bool orphan;
    bool operator>(const Running& o) const { return end != o.end ? end > o.end : attempt > o.attempt; }
  };

  Event Make(EventKind kind) {
    Event e;
    e.seq = ++seq_;
    e.t = now_;
    e.kind = kind;
    return e;
  }
  Event Of(EventKind kind, CallId call) {
    Event e = Make(kind);
    e.call = call;
    return e;
  }
  Event Done(EventKind kind, AttemptId attempt) {
    Event e = Make(kind);
    e.attempt = attempt;
    return e;
  }
  void Put(const Event& e) { sink_->OnEvent(e); }

  void MakeReady(CallId call, const Plan& plan) {
    Event e = Of(EventKind::kArgs, call);
    e.key = call;
    const std::string preview = "'https://example.org/page/" + std::to_string(call) + "'";
    e.text = preview;
    Put(e);
    if (plan.tool == 3) {
      held_back_.push_back(call);
    } else {
      Put(Of(EventKind::kReady, call));
      ready_.push(call);
    }
  }
  // An effect is ready when it is reached.
  void Release(CallId call, const Plan& plan) {
    if (plan.tool != 3) return;
    const auto it = std::find(held_back_.begin(), held_back_.end(), call);
    if (it == held_back_.end()) return;
    held_back_.erase(it);
    Put(Of(EventKind::kReady, call));
    ready_.push(call);
  }
  void Pop(const std::vector<Plan>& plans, CallId first) {
    while (!ready_.empty() && held_ < budget_) {
      const CallId call = ready_.top();
      ready_.pop();
      const Plan& plan = plans[call - first];
      Event e = Of(EventKind::kDispatch, call);
      e.attempt = ++attempts_;
      e.early = plan.tool != 3;
      e.cost = 1;
      Put(e);
      ++held_;
      if (plan.dies) {
        e = Of(EventKind::kCallCancelled, call);
        e.why = "its scope died";
        Put(e);
        e = Done(EventKind::kOrphan, attempts_);
        e.why = "its scope died";
        Put(e);
      }
      running_.push({now_ + plan.latency, attempts_, call, plan.dies});
    }
  }

  EventSink* sink_;
  uint32_t budget_, held_ = 0;
  uint64_t seq_ = 0;
  TimeNs now_ = 0;
  AttemptId attempts_ = 0;
  bool reached_first_ = false;
  std::vector<bool> settled_;
  std::vector<CallId> held_back_;
  std::priority_queue<CallId, std::vector<CallId>, std::greater<>> ready_;
  std::priority_queue<Running, std::vector<Running>, std::greater<>> running_;
};

}  // namespace

std::string_view Name(Shape shape) {
  constexpr std::string_view kWords[] = {"wide", "deep", "agent-like"};
  return kWords[static_cast<size_t>(shape)];
}

void MakeBigTrace(Shape shape, uint32_t calls, EventSink* sink) {
  std::mt19937 random(static_cast<uint32_t>(shape) + 1);
  const auto latency = [&] { return static_cast<TimeNs>(500 + random() % 9500); };
  switch (shape) {
    case Shape::kWide: {
      Player player(sink, calls);
      player.Head(2);
      std::vector<Plan> plans(calls);
      std::vector<CallId> all;
      for (uint32_t i = 0; i + 1 < calls; ++i) {
        plans[i].latency = latency();
        all.push_back(i + 1);
      }
      plans.back().deps = all;
      plans.back().site = 2;
      plans.back().tool = 2;
      player.Play(plans, 1);
      player.End();
      return;
    }
    case Shape::kDeep: {
      Player player(sink, 8);
      player.Head(8);
      std::vector<Plan> plans(calls);
      for (uint32_t i = 0; i < calls; ++i) {
        plans[i].latency = latency();
        plans[i].site = 1 + i % 8;
        if (i >= 8) plans[i].deps = {i - 7};
      }
      player.Play(plans, 1);
      player.End();
      return;
    }
    case Shape::kAgent: {
      Player player(sink, 16);
      player.Head(5);
      CallId next = 1, summary = 0;
      while (next <= calls) {
        std::vector<Plan> turn;
        const uint32_t fan = 4 + random() % 24;
        std::vector<CallId> reads;
        for (uint32_t i = 0; i < fan; ++i) {
          Plan p;
          p.latency = latency();
          p.site = 1 + i % 2;
          if (summary != 0) p.deps = {summary};
          p.dies = i % 9 == 8;
          p.fails = random() % 40 == 0;
          if (!p.dies) reads.push_back(next + static_cast<CallId>(turn.size()));
          turn.push_back(p);
        }
        Plan digest;
        digest.tool = 2;
        digest.site = 3;
        digest.deps = reads;
        digest.latency = latency();
        turn.push_back(digest);
        Plan save;
        save.tool = 3;
        save.site = 4;
        save.deps = {next + static_cast<CallId>(turn.size()) - 1};
        save.latency = latency();
        turn.push_back(save);
        summary = next + static_cast<CallId>(turn.size()) - 2;
        player.Play(turn, next);
        next += static_cast<CallId>(turn.size());
      }
      player.End();
      return;
    }
  }
}

std::string BigTraceText(Shape shape, uint32_t calls) {
  TraceWriter writer;
  MakeBigTrace(shape, calls, &writer);
  return writer.Take();
}

std::unique_ptr<Document> LoadBig(Shape shape, uint32_t calls) {
  auto document = std::make_unique<Document>("big.jsonl");
  document->Feed(BigTraceText(shape, calls));
  document->Finish();
  return document;
}

}  // namespace pysolate::viz::testing
