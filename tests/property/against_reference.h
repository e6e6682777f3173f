// Runs one sequence on the scheduler and on the reference side by side. -> what differed, empty if nothing did.
#ifndef PYSOLATE_TESTS_PROPERTY_AGAINST_REFERENCE_H_
#define PYSOLATE_TESTS_PROPERTY_AGAINST_REFERENCE_H_

#include <algorithm>
#include <string>
#include <vector>

#include "property/reference.h"
#include "property/sequence.h"
#include "pysolate/scheduler.h"

namespace pysolate::testing {

enum OpKind : uint8_t {
  kOpTool,
  kOpScope,
  kOpActivate,
  kOpKill,
  kOpClose,
  kOpTotal,
  kOpEarly,
  kOpClassLimit,
  kOpArrive,
  kOpArrive2,
  kOpArgs,
  kOpArgs2,
  kOpReach,
  kOpCall,
  kOpCall2,
  kOpCall3,
  kOpComplete,
  kOpComplete2,
  kOpComplete3,
  kOpFail,
  kOpStopped,
  kOpCancel,
  kOpConsume,
  kOpConsume2,
  kOpConsume3,
  kOpTick,
  kOpWait,
  kOpEnd,
  kOpKinds
};

class SideBySide final : public EventSink {
 public:
  // `story`: says each step in words, for a failure that a person has to read.
  std::string Run(const Sequence& ops, std::string* story = nullptr) {
    RunOptions run;
    const Op first = ops.empty() ? Op{} : ops[0];
    run.mode = first.a % 8 == 7 ? Mode::kSequential : Mode::kOverlap;
    run.speculate = first.b % 2 == 1;
    run.result_bytes = first.c % 4 == 3 ? 10 : 1000;
    run.orphan_deadline = 20;
    Scheduler real(run, this);
    Reference ref(run);
    (void)real.OpenScope(0, {});
    (void)ref.Open(0, true);
    for (uint32_t limit : {2u, 4u}) {
      (void)real.AddClass(0, "class", limit);
      ref.classes.push_back({limit});
    }
    (void)real.AddRoot(0, "root");
    ref.root_versions.push_back(1);
    AddTool(real, ref, {1, 1, 3, 1, 0});
    AddTool(real, ref, {1, 1, 17, 1, 1});
    AddTool(real, ref, {1, 0, 33, 1, 0});
    AddTool(real, ref, {1, 4, 0, 0, 1});
    for (size_t i = 1; i < ops.size(); ++i) {
      said_.clear();
      ref.decisions.clear();
      std::string words;
      const auto [got, wanted] = Step(real, ref, ops[i], words);
      if (story != nullptr) {
        *story += "  " + words + "\n";
        for (const std::string& d : said_) *story += "      " + d + "\n";
      }
      if (got != wanted)
        return words + ": answered " + std::to_string(int(got)) + ", should " + std::to_string(int(wanted));
      if (std::string difference = Compare(real, ref); !difference.empty()) return words + ": " + difference;
      real.ClearCommands();
    }
    return {};
  }

  void OnEvent(const Event& e) override {
    if (!IsDecision(e.kind)) return;
    std::string text(Name(e.kind));
    if (e.kind == EventKind::kVersion) text += " " + std::to_string(e.version);
    if (e.call != 0) text += " " + std::to_string(e.call);
    if (e.attempt != 0) text += " #" + std::to_string(e.attempt);
    if (e.kind == EventKind::kSettle || e.kind == EventKind::kLate) text += e.ok ? " ok" : " failed";
    if (e.kind == EventKind::kDispatch && e.early) text += " early";
    if (e.kind == EventKind::kSuppress) text += " by " + std::to_string(e.by);
    said_.push_back(std::move(text));
  }

 private:
  struct Answer {
    Code got, wanted;
  };

  static void AddTool(Scheduler& real, Reference& ref, const Op& op) {
    Contract c;
    c.name = "tool";
    static constexpr Effect kEffects[] = {Effect::kPure,     Effect::kImmutableRead, Effect::kImmutableRead,
                                          Effect::kOpenRead, Effect::kPrivateWrite,  Effect::kExternalWrite};
    c.effect = kEffects[op.a % 6];
    c.klass = op.b % 4 == 3 ? 0 : op.b % 3;
    c.cost = 1 + op.b / 16 % 3;
    c.root = op.d % 2;
    c.cancellable = op.c % 2 == 1;
    c.retry = op.c / 2 % 8 == 0 ? 1 : 0;
    c.deadline = op.c / 16 % 4 == 3 ? 5 : 0;
    c.early = op.d / 2 % 8 != 7;
    c.reuse = op.d / 16 % 4 != 3;
    if (real.AddTool(real.now(), c).ok()) ref.tools.push_back(c);
  }

  Answer Step(Scheduler& real, Reference& ref, const Op& op, std::string& words) {
    const TimeNs now = ref.now;
    // One past the end now and then: an unknown id must be refused.
    const auto call = [&](uint8_t n) {
      return ref.calls.size() == 1 ? 1u : 1 + n % static_cast<uint32_t>(ref.calls.size() - 1 + (n > 248));
    };
    const auto attempt = [&](uint8_t n) -> AttemptId {
      // Mostly one that runs.
      std::vector<AttemptId> running;
      for (const Reference::Attempt& t : ref.attempts) {
        if (t.id != 0 && t.state == AttemptState::kRunning) running.push_back(t.id);
      }
      if (running.empty() || n > 240) return 1 + n % static_cast<uint32_t>(ref.attempts.size());
      return running[n % running.size()];
    };
    const auto scope = [&](uint8_t n) {
      return n % 3 != 0 ? 1u : 1 + n / 3 % static_cast<uint32_t>(ref.scopes.size() - 1);
    };
    const auto limit = [](uint8_t n) { return n % 6 == 5 ? kUnlimited : static_cast<uint32_t>(n % 6); };
    const auto name = [](const char* text, uint32_t id) { return std::string(text) + " " + std::to_string(id); };
    switch (op.kind % kOpKinds) {
      case kOpTool:
        words = "tool";
        if (ref.ended || ref.tools.size() > 8) return {Code::kOk, Code::kOk};
        AddTool(real, ref, op);
        return {Code::kOk, Code::kOk};
      case kOpScope: {
        const ScopeId parent = 1 + op.a % static_cast<uint32_t>(ref.scopes.size() - 1);
        words = name("scope in", parent) + (op.b % 2 ? " active" : " pending");
        ScopeInput in;
        in.parent = parent;
        in.active = op.b % 2 == 1;
        const Code wanted = ref.Open(parent, in.active);
        return {real.OpenScope(now, in).status.code, wanted};
      }
      case kOpActivate: {
        const ScopeId s = 1 + op.a % static_cast<uint32_t>(ref.scopes.size());
        words = name("activate", s);
        const Code wanted = ref.Activate(s);
        return {real.ActivateScope(now, s).code, wanted};
      }
      case kOpKill:
      case kOpClose: {
        // The program scope dies rarely.
        ScopeId s = 1 + op.a % static_cast<uint32_t>(ref.scopes.size());
        if (s == 1 && op.b % 8 != 0) s = static_cast<ScopeId>(ref.scopes.size() - 1);
        if (s == 1 && op.b % 8 != 0) return {Code::kOk, Code::kOk};
        const bool kill = op.kind % kOpKinds == kOpKill;
        words = name(kill ? "kill" : "close", s);
        const Code wanted = ref.EndScope(s, kill ? ScopeState::kDead : ScopeState::kClosed);
        return {(kill ? real.KillScope(now, s) : real.CloseScope(now, s)).code, wanted};
      }
      case kOpTotal: {
        words = name("total", limit(op.a));
        const Code wanted = ref.Budget(&ref.total, limit(op.a));
        return {real.SetTotalBudget(now, limit(op.a)).code, wanted};
      }
      case kOpEarly: {
        words = name("early limit", limit(op.a));
        const Code wanted = ref.Budget(&ref.early, limit(op.a));
        return {real.SetEarlyBudget(now, limit(op.a)).code, wanted};
      }
      case kOpClassLimit: {
        const ClassId k = 1 + op.b % 2;
        words = name("class", k) + name(" limit", limit(op.a));
        const Code wanted = ref.Budget(&ref.classes[k].limit, limit(op.a));
        return {real.SetClassBudget(now, k, limit(op.a)).code, wanted};
      }
      case kOpArrive:
      case kOpArrive2: {
        ArriveInput in;
        in.tool = 1 + op.a % static_cast<uint32_t>(ref.tools.size() - (op.a < 250));
        in.scope = scope(op.b);
        in.early = op.c % 8 != 7;
        in.guess = op.c % 16 / 8 == 1;
        std::vector<CallId> deps;
        for (int i = 0; i < op.d % 3; ++i) deps.push_back(call(static_cast<uint8_t>(op.d * (i + 7))));
        if (ref.calls.size() == 1 && op.d < 250) deps.clear();
        in.deps = deps;
        const std::string order(1, static_cast<char>('a' + op.c / 16 % 8));
        in.order = order;
        words = name("arrive tool", in.tool) + name(" scope", in.scope) + " order " + order +
                (in.early ? " early" : "") + (in.guess ? " guess" : "") + " deps";
        for (CallId d : deps) words += name("", d);
        const Code wanted = ref.Arrive(in);
        const Made made = real.Arrive(now, in);
        if (made.ok() && op.b % 4 != 0) {
          // Mostly the arguments follow at once.
          const ArgsKey key = op.d / 4 % 8 == 0 ? 0 : 1 + op.d / 4 % 3;
          words += name(", args key", key);
          const Code args_wanted = ref.Args(made.id, key);
          const Code args_got = real.Args(now, made.id, key).code;
          if (args_got != args_wanted) return {args_got, args_wanted};
        }
        return {made.status.code, wanted};
      }
      case kOpArgs:
      case kOpArgs2: {
        CallId c = call(op.a);
        for (CallId i = 1; i < ref.calls.size() && op.c % 4 != 0; ++i) {
          if (!ref.calls[i].args && !IsTerminal(ref.calls[i].state)) c = i;
        }
        words = name("args", c) + name(" key", op.b % 5);
        const Code wanted = ref.Args(c, op.b % 5);
        return {real.Args(now, c, op.b % 5).code, wanted};
      }
      case kOpReach: {
        const CallId c = call(op.a);
        words = name("reach", c);
        const Code wanted = ref.Reach(c);
        return {real.Reach(now, c).code, wanted};
      }
      case kOpCall:
      case kOpCall2:
      case kOpCall3: {
        ReachInput in;
        in.tool = 1 + op.a % static_cast<uint32_t>(ref.tools.size() - 1);
        in.scope = scope(op.b);
        in.key = op.c % 8 == 0 ? 0 : 1 + op.c % 3;
        if (op.d % 8 == 7) in.parent = attempt(op.c);
        const std::string order(1, static_cast<char>('a' + op.d % 8));
        in.order = order;
        words = name("call tool", in.tool) + name(" scope", in.scope) + name(" key", in.key) + " order " + order;
        if (in.parent != 0) words += name(" inside", in.parent);
        CallId id = 0;
        const Code wanted = ref.ReachCall(in, &id);
        const Made made = real.ReachCall(now, in);
        if (made.ok() && wanted == Code::kOk && made.id != id)
          words += name(": is", made.id) + name(" but should be", id);
        if (made.ok() && made.id != id) return {Code::kBadValue, Code::kOk};
        return {made.status.code, wanted};
      }
      case kOpComplete:
      case kOpComplete2:
      case kOpComplete3: {
        const AttemptId a = attempt(op.a);
        const int64_t bytes = op.b % 4 == 3 ? 0 : op.b % 8;
        words = name("complete", a) + name(" bytes", static_cast<uint32_t>(bytes));
        const Code wanted = ref.Complete(a, bytes);
        return {real.Complete(now, a, bytes).code, wanted};
      }
      case kOpFail: {
        const AttemptId a = attempt(op.a);
        const auto failure = static_cast<Failure>(op.b % 3);
        words = name("fail", a) + " " + std::string(Name(failure));
        const Code wanted = ref.Fail(a, failure);
        return {real.Fail(now, a, failure, "E").code, wanted};
      }
      case kOpStopped: {
        const AttemptId a = attempt(op.a);
        words = name("stopped", a);
        const Code wanted = ref.Stopped(a);
        return {real.Stopped(now, a).code, wanted};
      }
      case kOpCancel: {
        const CallId c = call(op.a);
        words = name("cancel", c);
        const Code wanted = ref.Cancel(c);
        return {real.Cancel(now, c, "").code, wanted};
      }
      case kOpConsume:
      case kOpConsume2:
      case kOpConsume3: {
        CallId c = call(op.a);
        for (CallId i = 1; i < ref.calls.size() && op.b % 4 != 0; ++i) {
          if (ref.calls[i].reached && ref.calls[i].state == CallState::kSettled) c = i;
        }
        words = name("consume", c);
        const Code wanted = ref.Consume(c);
        return {real.Consume(now, c).code, wanted};
      }
      case kOpTick: {
        words = "tick";
        const Code wanted = ref.Tick();
        return {real.Tick(now).code, wanted};
      }
      case kOpWait:
        ref.now += op.a % 8;
        words = name("at", static_cast<uint32_t>(ref.now));
        return {Code::kOk, Code::kOk};
      case kOpEnd: {
        words = "end";
        if (op.a % 32 != 0) return {Code::kOk, Code::kOk};
        const Code wanted = ref.End();
        return {real.End(now, true).code, wanted};
      }
    }
    return {Code::kOk, Code::kOk};
  }

  std::string Compare(const Scheduler& real, const Reference& ref) {
    // The two may say what follows from one input in another order; attempt ids keep the order of dispatches.
    std::vector<std::string> a = said_, b = ref.decisions;
    std::sort(a.begin(), a.end());
    std::sort(b.begin(), b.end());
    if (a != b) {
      std::string text = "decided";
      for (const std::string& d : said_) text += " [" + d + "]";
      text += ", should";
      for (const std::string& d : ref.decisions) text += " [" + d + "]";
      return text;
    }
    for (CallId c = 1; c < ref.calls.size(); ++c) {
      const CallView v = real.View(c);
      const Reference::Call& w = ref.calls[c];
      if (v.state != w.state || v.reached != w.reached || v.failed != w.failed || v.refused != w.refused) {
        return "call " + std::to_string(c) + " is " + std::string(Name(v.state)) + ", should be " +
               std::string(Name(w.state));
      }
    }
    for (AttemptId t = 1; t < ref.attempts.size(); ++t) {
      const LedgerRow r = real.Row(t);
      const Reference::Attempt& w = ref.attempts[t];
      if (r.state != w.state || r.book != w.book || r.cost != w.cost || r.early != w.early) {
        return "attempt " + std::to_string(t) + " is booked " + std::string(Name(r.book)) + ", should be " +
               std::string(Name(w.book));
      }
    }
    if (real.TotalBudget().held != ref.Held(0, false) || real.TotalBudget().unreached != ref.Held(0, true))
      return "total budget";
    for (ClassId k = 1; k < ref.classes.size(); ++k) {
      if (real.ClassBudget(k).held != ref.Held(k, false) || real.ClassBudget(k).unreached != ref.Held(k, true))
        return "class budget";
    }
    std::vector<CallId> frontier;
    for (const FrontierRow& row : real.Frontier()) frontier.push_back(row.call);
    if (frontier != ref.Frontier()) return "frontier in another order";
    if (std::string broken = real.CheckInvariants(); !broken.empty()) return "invariant: " + broken;
    return {};
  }

  std::vector<std::string> said_;
};

}  // namespace pysolate::testing

#endif  // PYSOLATE_TESTS_PROPERTY_AGAINST_REFERENCE_H_
