#include "model/frontier.h"

#include <algorithm>

#include "model/inspector.h"

namespace pysolate::viz {
namespace {

constexpr uint32_t kNamedDeps = 6;  // calls named as waited for; the rest is a number

bool Happened(EventNo e, EventNo cursor) { return e != 0 && e <= cursor; }
bool ReachedAt(const TraceStore& store, CallId id, EventNo cursor) { return Happened(store.call(id).reach, cursor); }
bool IsEffect(const TraceStore& store, CallId id) {
  return store.tool(store.call(id).tool).effect > Effect::kImmutableRead;
}

bool OutcomeMissing(Look look) {
  return look == Look::kAbsent || look == Look::kWaiting || look == Look::kReady || look == Look::kDispatched;
}

std::string Call(CallId id) { return "call " + std::to_string(id); }

// What is the same for every call at one cursor: budgets, the effect that runs.
struct Moment {
  std::vector<BudgetUse> budgets;
  CallId running_effect = 0;
  uint32_t costliest = 1;
};

Moment MomentAt(const TraceStore& store, EventNo cursor) {
  Moment m;
  m.budgets = BudgetsAt(store, cursor);
  store.running().Stab(cursor, [&](AttemptId a) {
    const CallId id = store.attempt(a).call;
    if (id != 0 && IsEffect(store, id)) m.running_effect = id;
    return m.running_effect == 0;
  });
  for (ToolId id = 1; id <= store.tools(); ++id) m.costliest = std::max(m.costliest, store.tool(id).cost);
  return m;
}

void AddArgumentGates(const TraceStore& store, CallId id, EventNo cursor, std::vector<ShutGate>* gates) {
  if (Happened(store.call(id).args, cursor)) return;
  uint32_t missing = 0;
  for (const CallId dep : store.deps(id)) {
    if (!OutcomeMissing(store.LookAt(dep, cursor))) continue;
    if (++missing <= kNamedDeps) gates->push_back({Gate::kArguments, dep, 0, 0, "waiting for " + Call(dep)});
  }
  if (missing > kNamedDeps) {
    gates->push_back({Gate::kArguments, 0, 0, 0, "and for " + std::to_string(missing - kNamedDeps) + " calls more"});
  }
  if (missing == 0) gates->push_back({Gate::kArguments, 0, 0, 0, "arguments not known yet"});
}

std::string ScopeWords(const TraceStore& store, ScopeId id) {
  const ScopeInfo& s = store.scope(id);
  if (s.line > 0) return "scope of line " + std::to_string(s.line);
  return "scope " + std::to_string(id);
}

void AddControlGate(const TraceStore& store, CallId id, EventNo cursor, std::vector<ShutGate>* gates) {
  const CallInfo& c = store.call(id);
  if (ReachedAt(store, id, cursor) || c.scope == 0) return;
  // The outermost scope that is not active is the one to wait for.
  ScopeId shut = 0;
  for (ScopeId s = c.scope; s != 0; s = store.scope(s).parent) {
    if (store.ScopeAt(s, cursor) != ScopeState::kActive) shut = s;
  }
  if (shut == 0 || c.guess) return;
  const ScopeState state = store.ScopeAt(shut, cursor);
  gates->push_back({Gate::kControl, 0, 0, shut,
                    ScopeWords(store, shut) + (state == ScopeState::kPending ? " not reached"
                                               : state == ScopeState::kDead  ? " is dead"
                                                                             : " is closed")});
}

void AddContractGate(const TraceStore& store, CallId id, EventNo cursor, const Moment& m,
                     std::vector<ShutGate>* gates) {
  const CallInfo& c = store.call(id);
  const ToolInfo& tool = store.tool(c.tool);
  const bool reached = ReachedAt(store, id, cursor);
  if (IsEffect(store, id)) {
    const std::string effect = "effect " + std::string(Name(tool.effect));
    if (!reached) {
      gates->push_back({Gate::kContract, 0, 0, 0, effect + ": only when reached"});
    } else if (m.running_effect != 0 && m.running_effect != id) {
      gates->push_back({Gate::kContract, m.running_effect, 0, 0,
                        effect + ": one after another, " + Call(m.running_effect) + " runs"});
    }
    return;
  }
  if (reached) return;
  if (!tool.early && c.tool != 0) {
    gates->push_back({Gate::kContract, 0, 0, 0, "its tool opted out of early starts: only when reached"});
    return;
  }
  if (c.retried) {
    gates->push_back({Gate::kContract, 0, 0, 0, "its early attempt failed: only when reached"});
    return;
  }
  if (tool.root == 0 || m.running_effect == 0) return;
  if (store.tool(store.call(m.running_effect).tool).root == tool.root) {
    gates->push_back(
        {Gate::kContract, m.running_effect, 0, 0,
         "write of root " + std::string(store.root_name(tool.root)) + " pending in " + Call(m.running_effect)});
  }
}

std::string BudgetWords(const BudgetUse& b) {
  std::string words = "budget " + b.name + " " + std::to_string(b.held) + "/" + std::to_string(b.limit);
  if (b.an_orphan != 0) {
    words += b.held_by_orphans == 1 ? ", one held by orphan "
                                    : ", " + std::to_string(b.held_by_orphans) + " held by orphans such as ";
    words += std::to_string(b.an_orphan);
  }
  return words;
}

void AddBudgetGates(const TraceStore& store, CallId id, EventNo cursor, const Moment& m, std::vector<ShutGate>* gates) {
  const CallInfo& c = store.call(id);
  const ToolInfo& tool = store.tool(c.tool);
  const bool early = !ReachedAt(store, id, cursor);
  for (const BudgetUse& b : m.budgets) {
    const bool mine = b.klass == 0 || (b.klass == kUnlimited ? early : b.klass == tool.klass);
    if (!mine || b.limit == kUnlimited) continue;
    if (b.held + tool.cost > b.limit) {
      gates->push_back({Gate::kBudget, 0, b.an_orphan, 0, BudgetWords(b)});
    } else if (early && b.klass != kUnlimited && b.held + tool.cost + m.costliest > b.limit) {
      gates->push_back(
          {Gate::kBudget, 0, b.an_orphan, 0,
           BudgetWords(b) + ": early calls leave room for the costliest tool (" + std::to_string(m.costliest) + ")"});
    }
  }
}

std::vector<ShutGate> GatesOf(const TraceStore& store, CallId id, EventNo cursor, const Moment& m) {
  std::vector<ShutGate> gates;
  const Look look = store.LookAt(id, cursor);
  if (look == Look::kWaiting) {
    AddArgumentGates(store, id, cursor, &gates);
    AddControlGate(store, id, cursor, &gates);
    AddContractGate(store, id, cursor, m, &gates);
    if (gates.empty()) gates.push_back({Gate::kContract, 0, 0, 0, "its gates are asked in this very step"});
  } else if (look == Look::kReady) {
    AddBudgetGates(store, id, cursor, m, &gates);
  }
  return gates;
}

}  // namespace

std::vector<BudgetUse> BudgetsAt(const TraceStore& store, EventNo cursor) {
  std::vector<BudgetUse> budgets;
  budgets.push_back({0, "total", store.LimitAt(0, cursor), 0, 0, 0});
  budgets.push_back({kUnlimited, "early", store.LimitAt(kUnlimited, cursor), 0, 0, 0});
  for (ClassId id = 1; id <= store.classes(); ++id) {
    budgets.push_back({id, std::string(store.text(store.klass(id).name)), store.LimitAt(id, cursor), 0, 0, 0});
  }
  store.running().Stab(cursor, [&](AttemptId id) {
    const AttemptInfo& a = store.attempt(id);
    const bool orphan = Happened(a.orphan, cursor);
    const auto hold = [&](BudgetUse& b) {
      b.held += a.cost;
      if (orphan) {
        b.held_by_orphans += a.cost;
        b.an_orphan = id;
      }
    };
    hold(budgets[0]);
    if (a.early && !ReachedAt(store, a.call, cursor)) hold(budgets[1]);
    const ClassId klass = store.tool(store.call(a.call).tool).klass;
    if (klass != 0) hold(budgets[1 + klass]);
    return true;
  });
  return budgets;
}

bool PopsBefore(const TraceStore& store, EventNo cursor, CallId a, CallId b) {
  const bool reached_a = ReachedAt(store, a, cursor), reached_b = ReachedAt(store, b, cursor);
  if (reached_a != reached_b) return reached_a;
  const int order = store.text(store.call(a).order).compare(store.text(store.call(b).order));
  return order != 0 ? order < 0 : a < b;
}

Frontier FrontierAt(const TraceStore& store, EventNo cursor, uint32_t cap) {
  Frontier f;
  const LookCounts looks = store.LooksAt(cursor);
  f.ready_total = looks[static_cast<size_t>(Look::kReady)];
  f.waiting_total = looks[static_cast<size_t>(Look::kWaiting)];
  const Moment m = MomentAt(store, cursor);

  std::vector<CallId> ready;
  ready.reserve(f.ready_total);
  store.ready().Stab(cursor, [&](CallId id) {
    ready.push_back(id);
    return true;
  });
  const auto before = [&](CallId a, CallId b) { return PopsBefore(store, cursor, a, b); };
  if (ready.size() > cap) {
    std::nth_element(ready.begin(), ready.begin() + cap, ready.end(), before);
    ready.resize(cap);
  }
  std::sort(ready.begin(), ready.end(), before);
  for (const CallId id : ready) {
    FrontierRow row;
    row.call = id;
    row.reached = ReachedAt(store, id, cursor);
    row.place = static_cast<uint32_t>(f.ready.size()) + 1;
    row.since = store.time(store.LatestOfCall(id, cursor));
    for (EventNo e = store.LatestOfCall(id, cursor); e != 0 && store.look_after(e) == Look::kReady;
         e = store.prev_of_call(e)) {
      row.since = store.time(e);
    }
    row.gates = GatesOf(store, id, cursor, m);
    f.ready.push_back(std::move(row));
  }
  store.waiting().Stab(cursor, [&](CallId id) {
    if (f.waiting.size() >= cap) return false;
    FrontierRow row;
    row.call = id;
    row.reached = ReachedAt(store, id, cursor);
    row.since = store.time(store.call(id).arrive);
    row.gates = GatesOf(store, id, cursor, m);
    f.waiting.push_back(std::move(row));
    return true;
  });
  return f;
}

std::vector<ShutGate> ShutGates(const TraceStore& store, CallId call, EventNo cursor) {
  if (call == 0 || call > store.calls()) return {};
  return GatesOf(store, call, cursor, MomentAt(store, cursor));
}

std::array<GateAnswer, 4> FourQuestions(const TraceStore& store, CallId call, EventNo cursor) {
  std::array<GateAnswer, 4> answers{{{Gate::kArguments, true, "arguments are known"},
                                     {Gate::kControl, true, "control path is active"},
                                     {Gate::kContract, true, "contract allows it"},
                                     {Gate::kBudget, true, "budget is free"}}};
  if (call == 0 || call > store.calls() || !Happened(store.call(call).arrive, cursor)) {
    for (GateAnswer& a : answers) a = {a.gate, false, "has not arrived"};
    return answers;
  }
  if (!ReachedAt(store, call, cursor)) answers[1].words = "not reached yet, early start allowed";
  const Moment m = MomentAt(store, cursor);
  std::vector<ShutGate> gates = GatesOf(store, call, cursor, m);
  // A waiting call is asked about the budget too: what would be in its way next.
  if (store.LookAt(call, cursor) == Look::kWaiting) AddBudgetGates(store, call, cursor, m, &gates);
  for (const ShutGate& gate : gates) {
    GateAnswer& a = answers[static_cast<size_t>(gate.gate) - 1];
    a.words = a.open ? gate.words : a.words + "; " + gate.words;
    a.open = false;
  }
  return answers;
}

std::vector<std::string> Explain(const TraceStore& store, CallId call, EventNo cursor) {
  std::vector<std::string> lines;
  if (call == 0 || call > store.calls()) return lines;
  const CallInfo& c = store.call(call);
  std::string subject = "Call " + std::to_string(call) + " (" + std::string(store.tool_name(call));
  if (store.line_of(call) > 0) subject += ", line " + std::to_string(store.line_of(call));
  subject += ")";
  const auto at = [&](EventNo e) { return FormatTime(store, store.time(e)); };
  // The event with which the present look began.
  const Look look = store.LookAt(call, cursor);
  EventNo since = store.LatestOfCall(call, cursor);
  while (since != 0 && store.look_before(since) == look) since = store.prev_of_call(since);
  switch (look) {
    case Look::kAbsent:
      lines.push_back(subject + " has not arrived yet.");
      return lines;
    case Look::kWaiting:
      lines.push_back(subject + " is waiting.");
      break;
    case Look::kReady: {
      lines.push_back(subject + " is ready since " + at(since) + ": only the budget may be shut.");
      break;
    }
    case Look::kDispatched: {
      const EventNo dispatch = since;
      const AttemptId attempt = store.attempt_of(dispatch);
      const bool joined = store.kind(dispatch) == EventKind::kJoin;
      lines.push_back(subject + (joined ? " shares attempt " : " runs as attempt ") + std::to_string(attempt) +
                      " since " + at(dispatch) + ".");
      if (attempt != 0 && Happened(store.attempt(attempt).cancel_request, cursor)) {
        lines.push_back("A cancel was requested at " + at(store.attempt(attempt).cancel_request) + ".");
      }
      break;
    }
    case Look::kSettled:
    case Look::kSettledFailed:
      lines.push_back(subject + (look == Look::kSettled ? " has its value" : " has failed") + " since " + at(since) +
                      "; the program has not taken it yet.");
      if (!ReachedAt(store, call, cursor)) lines.push_back("It is early: the program has not come to it.");
      break;
    case Look::kConsumed:
      lines.push_back(subject + " gave its value to the program at " + at(since) + ".");
      break;
    case Look::kConsumedFailed:
      lines.push_back(subject + " raised in the program at " + at(since) + ".");
      break;
    case Look::kDiscarded:
      lines.push_back(subject + " was never reached and is discarded.");
      break;
    case Look::kCancelled:
      lines.push_back(subject + " was cancelled at " + at(since) + ".");
      break;
    case Look::kSkipped:
      lines.push_back(subject +
                      " was skipped: " + (c.by != 0 ? Call(c.by) + ", which it needs, failed." : "an input failed."));
      break;
    case Look::kOrphaned:
      lines.push_back(subject + " is over, but attempt " + std::to_string(c.attempt) +
                      " still runs as an orphan and holds its budget.");
      break;
    case Look::kLateOk:
    case Look::kLateFailed:
      lines.push_back(subject + " is over; its orphan ended late" + (look == Look::kLateOk ? "." : ", with an error."));
      break;
    case Look::kLost:
      lines.push_back(subject + " is over; its orphan was given up as lost.");
      break;
  }
  for (const ShutGate& gate : ShutGates(store, call, cursor)) {
    lines.push_back("Gate " + std::string(Name(gate.gate)) + ": " + gate.words + ".");
  }
  // Reasons that the trace itself gives.
  for (EventNo e = store.LatestOfCall(call, cursor); e != 0; e = store.prev_of_call(e)) {
    if (store.kind(e) == EventKind::kRefuse) {
      lines.push_back("Its early start was refused at " + at(e) + ": " + std::string(store.event_why(e)) + ".");
      break;
    }
    if (store.kind(e) == EventKind::kSuppress) {
      lines.push_back("Its failure stays unseen, because " + Call(store.other_of(e)) + " failed before it.");
      break;
    }
    if ((store.kind(e) == EventKind::kDiscard || store.kind(e) == EventKind::kCallCancelled ||
         store.kind(e) == EventKind::kOrphan || store.kind(e) == EventKind::kLost) &&
        !store.event_why(e).empty()) {
      lines.push_back("Reason: " + std::string(store.event_why(e)) + ".");
      break;
    }
  }
  // A completion that had to wait until the program made its next call.
  if (Happened(c.settle, cursor) && c.attempt != 0) {
    const EventNo outcome = store.attempt(c.attempt).outcome;
    if (outcome != 0 && outcome < c.settle && store.time(outcome) < store.time(c.settle) && !c.joined) {
      lines.push_back("Its attempt ended " + FormatDuration(store, store.time(c.settle) - store.time(outcome)) +
                      " before that was booked: the program was computing.");
    }
  }
  return lines;
}

}  // namespace pysolate::viz
