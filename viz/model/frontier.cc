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

std::string Call(CallId id) { return "call " + std::to_string(id); }

bool IsWrite(Effect effect) { return effect == Effect::kPrivateWrite || effect == Effect::kExternalWrite; }

// What is the same for every call at one cursor: budgets, the effects in their order, writes that reads wait for.
struct Moment {
  std::vector<BudgetUse> budgets;
  std::vector<uint32_t> costliest;  // by class: of its tools
  AttemptId effect_running = 0;
  CallId effect_next = 0;              // first in the order of being reached
  std::vector<CallId> pending_writes;  // that name a root
};

Moment MomentAt(const TraceStore& store, EventNo cursor) {
  Moment m;
  m.budgets = BudgetsAt(store, cursor);
  m.costliest.assign(store.classes() + 1, 1);
  bool any_effect = false;
  for (ToolId id = 1; id <= store.tools(); ++id) {
    const ToolInfo& tool = store.tool(id);
    m.costliest[tool.klass] = std::max(m.costliest[tool.klass], tool.cost);
    any_effect = any_effect || tool.effect > Effect::kImmutableRead;
  }
  if (!any_effect) return m;
  const auto look_at = [&](CallId id) {
    const ToolInfo& tool = store.tool(store.call(id).tool);
    if (tool.effect <= Effect::kImmutableRead) return true;
    if (IsWrite(tool.effect) && tool.root != 0) m.pending_writes.push_back(id);
    const EventNo reach = store.call(id).reach;
    if (Happened(reach, cursor) && (m.effect_next == 0 || reach < store.call(m.effect_next).reach)) m.effect_next = id;
    return true;
  };
  store.waiting().Stab(cursor, look_at);
  store.ready().Stab(cursor, look_at);
  store.running().Stab(cursor, [&](AttemptId id) {
    const AttemptInfo& a = store.attempt(id);
    const ToolInfo& tool = store.tool(store.call(a.call).tool);
    if (a.call == 0 || a.parent != 0 || tool.effect <= Effect::kImmutableRead) return true;
    m.effect_running = id;
    if (IsWrite(tool.effect) && tool.root != 0) m.pending_writes.push_back(a.call);
    return true;
  });
  return m;
}

// Source order: by order key, then by id.
bool Before(const TraceStore& store, CallId a, CallId b) {
  const int order = store.text(store.call(a).order).compare(store.text(store.call(b).order));
  return order != 0 ? order < 0 : a < b;
}

void AddArgumentGates(const TraceStore& store, CallId id, EventNo cursor, std::vector<ShutGate>* gates) {
  uint32_t missing = 0;
  for (const CallId dep : store.deps(id)) {
    const Look look = store.LookAt(dep, cursor);
    if (look == Look::kSettled || look == Look::kConsumed) continue;
    const bool failed = look == Look::kSettledFailed || look == Look::kConsumedFailed;
    if (++missing > kNamedDeps) continue;
    gates->push_back({Gate::kArguments, dep, 0, 0, "waiting for " + Call(dep) + (failed ? ", which failed" : "")});
  }
  if (missing > kNamedDeps) {
    gates->push_back({Gate::kArguments, 0, 0, 0, "and for " + std::to_string(missing - kNamedDeps) + " calls more"});
  }
  if (missing == 0 && !Happened(store.call(id).args, cursor)) {
    gates->push_back({Gate::kArguments, 0, 0, 0, "its arguments are not known yet"});
  }
}

std::string ScopeWords(const TraceStore& store, ScopeId id) {
  const ScopeInfo& s = store.scope(id);
  if (s.line > 0) return "scope of line " + std::to_string(s.line);
  return "scope " + std::to_string(id);
}

void AddControlGate(const TraceStore& store, CallId id, EventNo cursor, std::vector<ShutGate>* gates) {
  const CallInfo& c = store.call(id);
  if (ReachedAt(store, id, cursor) || c.scope == 0) return;
  const ScopeState own = store.ScopeAt(c.scope, cursor);
  if (own == ScopeState::kActive || (own == ScopeState::kPending && c.guess && store.run().speculate)) return;
  // The outermost scope that is not active is the one to wait for.
  ScopeId shut = c.scope;
  for (ScopeId s = c.scope; s != 0; s = store.scope(s).parent) {
    if (store.ScopeAt(s, cursor) != ScopeState::kActive) shut = s;
  }
  const ScopeState state = store.ScopeAt(shut, cursor);
  gates->push_back({Gate::kControl, 0, 0, shut,
                    ScopeWords(store, shut) + (state == ScopeState::kPending ? " not reached"
                                               : state == ScopeState::kDead  ? " is dead"
                                                                             : " is closed")});
}

// Why the early start of a call was refused or taken back; "" if it was not.
std::string WhyOnlyWhenReached(const TraceStore& store, CallId id, EventNo cursor) {
  for (EventNo e = store.LatestOfCall(id, cursor); e != 0; e = store.prev_of_call(e)) {
    if (store.kind(e) == EventKind::kRetry) return "its early attempt failed";
    if (store.kind(e) == EventKind::kRefuse) {
      const std::string why(store.event_why(e));
      return why.empty() ? "its early start was refused" : why;
    }
  }
  return "";
}

void AddContractGate(const TraceStore& store, CallId id, EventNo cursor, const Moment& m,
                     std::vector<ShutGate>* gates) {
  const CallInfo& c = store.call(id);
  const ToolInfo& tool = store.tool(c.tool);
  const auto shut = [&](CallId call, AttemptId attempt, std::string words) {
    gates->push_back({Gate::kContract, call, attempt, 0, std::move(words)});
  };
  if (IsEffect(store, id)) {
    const std::string effect = "effect " + std::string(Name(tool.effect));
    if (!ReachedAt(store, id, cursor)) {
      shut(0, 0, effect + ": only when reached");
    } else if (c.parent == 0 && m.effect_running != 0) {
      const bool orphan = Happened(store.attempt(m.effect_running).orphan, cursor);
      shut(store.attempt(m.effect_running).call, m.effect_running,
           effect + ": one after another, attempt " + std::to_string(m.effect_running) +
               (orphan ? ", an orphan, has the turn" : " has the turn"));
    } else if (c.parent == 0 && m.effect_next != 0 && m.effect_next != id) {
      shut(m.effect_next, 0, effect + ": one after another, " + Call(m.effect_next) + " comes first");
    }
    return;
  }
  if (ReachedAt(store, id, cursor)) return;
  if (const std::string why = WhyOnlyWhenReached(store, id, cursor); !why.empty()) {
    shut(0, 0, why + ": only when reached");
    return;
  }
  if (!tool.early && c.tool != 0) {
    shut(0, 0, "its tool opted out of early starts: only when reached");
    return;
  }
  if (tool.root == 0) return;
  CallId write = 0;
  for (const CallId w : m.pending_writes) {
    if (store.tool(store.call(w).tool).root != tool.root || !Before(store, w, id)) continue;
    if (write == 0 || Before(store, write, w)) write = w;
  }
  if (write != 0)
    shut(write, 0, "write of " + Call(write) + " is pending on root " + std::string(store.root_name(tool.root)));
}

std::string BudgetWords(const BudgetUse& b) {
  if (b.klass == kUnlimited) return "early ceiling " + std::to_string(b.held) + "/" + std::to_string(b.limit);
  return "budget " + b.name + " " + std::to_string(b.held) + "/" + std::to_string(b.limit);
}

std::string OrphanWords(const BudgetUse& b) {
  if (b.orphans == 0) return "";
  if (b.orphans == 1) return ", one held by orphan " + std::to_string(b.an_orphan);
  return ", " + std::to_string(b.orphans) + " held by orphans (" + std::to_string(b.an_orphan) + ", ...)";
}

void AddBudgetGates(const TraceStore& store, CallId id, EventNo cursor, const Moment& m, std::vector<ShutGate>* gates) {
  const CallInfo& c = store.call(id);
  if (c.parent != 0) return;  // under its parent's slot
  const ToolInfo& tool = store.tool(c.tool);
  const bool early = !ReachedAt(store, id, cursor);
  for (const BudgetUse& b : m.budgets) {
    if (b.limit == kUnlimited) continue;
    const bool is_class = b.klass != 0 && b.klass != kUnlimited;
    if (b.klass == kUnlimited ? !early : is_class && b.klass != tool.klass) continue;
    const uint64_t cost = is_class ? std::min(tool.cost, b.limit) : 1;
    const uint64_t room = is_class ? std::min(m.costliest[b.klass], b.limit) : 1;
    std::string words;
    if (b.held + cost > b.limit) {
      words = BudgetWords(b);
    } else if (early && b.klass != kUnlimited && b.held_early + cost + room > b.limit) {
      words = BudgetWords(b) + ", " + (room == 1 ? "one" : std::to_string(room)) + " kept free for reached calls";
    } else {
      continue;
    }
    gates->push_back({Gate::kBudget, 0, b.an_orphan, 0, words + OrphanWords(b)});
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
  budgets.push_back({0, "total", store.LimitAt(0, cursor)});
  budgets.push_back({kUnlimited, "early", store.LimitAt(kUnlimited, cursor)});
  for (ClassId id = 1; id <= store.classes(); ++id) {
    budgets.push_back({id, std::string(store.text(store.klass(id).name)), store.LimitAt(id, cursor)});
  }
  store.running().Stab(cursor, [&](AttemptId id) {
    const AttemptInfo& a = store.attempt(id);
    if (a.parent != 0) return true;  // under its parent's slot
    const bool orphan = Happened(a.orphan, cursor);
    const bool early = orphan || !Happened(a.reached, cursor);
    const auto hold = [&](BudgetUse& b, uint32_t cost) {
      b.held += cost;
      if (early) b.held_early += cost;
      if (!orphan) return;
      b.held_by_orphans += cost;
      if (b.orphans++ == 0) b.an_orphan = id;
    };
    hold(budgets[0], 1);
    if (early) hold(budgets[1], 1);
    const ClassId klass = store.tool(store.call(a.call).tool).klass;
    if (klass != 0) hold(budgets[1 + klass], a.cost);
    return true;
  });
  return budgets;
}

namespace {

// Length of the longest chain of calls that wait for this one, as far as the scheduler looks.
uint32_t ChainBelow(const TraceStore& store, CallId id, EventNo cursor) {
  constexpr size_t kLookAt = 64;
  std::vector<std::pair<CallId, uint32_t>> queue{{id, 0}};
  uint32_t longest = 0;
  for (size_t i = 0; i < queue.size() && i < kLookAt; ++i) {
    const auto [call, depth] = queue[i];
    longest = std::max(longest, depth);
    store.ForEachDependent(call, [&, next = depth + 1](CallId dependent) {
      if (store.call(dependent).arrive <= cursor) queue.emplace_back(dependent, next);
      return queue.size() < kLookAt;
    });
  }
  return longest;
}

// What decides the place in the frontier, without looking at texts in most comparisons.
struct PopKey {
  uint64_t prefix;  // of the order key, or the longest chain first
  CallId call;
  bool early;
};

PopKey KeyOf(const TraceStore& store, EventNo cursor, CallId id) {
  PopKey key{0, id, !ReachedAt(store, id, cursor)};
  if (store.run().policy == "critical_path") {
    key.prefix = ~static_cast<uint64_t>(ChainBelow(store, id, cursor));
    return key;
  }
  const std::string_view order = store.text(store.call(id).order);
  for (size_t i = 0; i < 8; ++i) key.prefix = key.prefix << 8 | (i < order.size() ? static_cast<uint8_t>(order[i]) : 0);
  return key;
}

bool KeyBefore(const TraceStore& store, const PopKey& a, const PopKey& b) {
  if (a.early != b.early) return b.early;
  if (a.prefix != b.prefix) return a.prefix < b.prefix;
  return Before(store, a.call, b.call);
}

}  // namespace

bool PopsBefore(const TraceStore& store, EventNo cursor, CallId a, CallId b) {
  return KeyBefore(store, KeyOf(store, cursor, a), KeyOf(store, cursor, b));
}

Frontier FrontierAt(const TraceStore& store, EventNo cursor, uint32_t cap) {
  Frontier f;
  const LookCounts looks = store.LooksAt(cursor);
  f.ready_total = looks[static_cast<size_t>(Look::kReady)];
  f.waiting_total = looks[static_cast<size_t>(Look::kWaiting)];
  const Moment m = MomentAt(store, cursor);

  std::vector<PopKey> ready;
  ready.reserve(f.ready_total);
  store.ready().Stab(cursor, [&](CallId id) {
    ready.push_back(KeyOf(store, cursor, id));
    return true;
  });
  const auto before = [&](const PopKey& a, const PopKey& b) { return KeyBefore(store, a, b); };
  if (ready.size() > cap) {
    std::nth_element(ready.begin(), ready.begin() + cap, ready.end(), before);
    ready.resize(cap);
  }
  std::sort(ready.begin(), ready.end(), before);
  for (const auto& [prefix, id, early] : ready) {
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
