// What every event does to the tables, and what must be true before it.
#include <algorithm>
#include <string>

#include "trace/trace_index_impl.h"

namespace pysolate {
namespace {

std::string Numbered(const char* what, uint32_t id) { return std::string(what) + " " + std::to_string(id); }

bool Repeatable(Effect e) { return e == Effect::kPure || e == Effect::kImmutableRead; }

constexpr uint32_t AtMost(uint32_t cost, uint32_t limit) { return cost < limit ? cost : limit; }

}  // namespace

// ---------------------------------------------------------------------------------------- what is the case

void TraceIndex::Impl::Break(const Event& e, const char* rule, std::string text) {
  ++problem_count;
  if (problems.size() < kMaxKeptProblems) problems.push_back({e.seq, rule, std::move(text)});
}

bool TraceIndex::Impl::Known(const Event& e, const char* what, uint32_t id, size_t count) {
  if (id != 0 && id <= count) return true;
  Break(e, "unknown-id", Numbered(what, id) + " was not introduced");
  return false;
}

bool TraceIndex::Impl::KnownOrNone(const Event& e, const char* what, uint32_t id, size_t count) {
  return id == 0 || Known(e, what, id, count);
}

bool TraceIndex::Impl::Next(const Event& e, const char* what, uint32_t id, size_t count) {
  if (id == count + 1) return true;
  Break(e, "dense-ids",
        Numbered(what, id) +
            (id <= count ? " is introduced twice" : " is not the next one (" + std::to_string(count + 1) + ")"));
  return false;
}

bool TraceIndex::Impl::Live(const Event& e) {
  if (!Known(e, "call", e.call, calls.size())) return false;
  const CallFacts& c = calls[e.call - 1];
  if (!IsTerminal(c.state)) return true;
  Break(e, "one-end", Numbered("call", e.call) + " is " + std::string(StateWord(c.state)) + " already");
  return false;
}

bool TraceIndex::Impl::Running(const Event& e) {
  if (!Known(e, "attempt", e.attempt, attempts.size())) return false;
  const AttemptFacts& a = attempts[e.attempt - 1];
  if (a.state == AttemptState::kRunning) return true;
  Break(e, "one-end", Numbered("attempt", e.attempt) + " is " + std::string(StateWord(a.state)) + " already");
  return false;
}

// What a running attempt holds, by the side that it counts for now.
void TraceIndex::Impl::Count(const AttemptFacts& a, int by) {
  if (!Holds(a)) return;
  const auto add = [by](uint32_t& n, uint32_t cost) { n = by > 0 ? n + cost : n - cost; };
  const bool other_side = !OnReachedSide(a);
  add(held, 1);
  if (other_side) add(unreached, 1);
  const ClassId klass = ToolOf(calls[a.call - 1]).klass;
  if (klass == 0) return;
  add(classes[klass - 1].held, a.cost);
  if (other_side) add(classes[klass - 1].unreached, a.cost);
}

void TraceIndex::Impl::SetState(CallId id, CallState state) {
  CallFacts& c = calls[id - 1];
  const auto counts = [&] { return c.state == CallState::kReady && c.reach && c.parent == 0; };
  const auto count = [&](int by) {
    ready_reached += static_cast<uint32_t>(by);
    const ClassId klass = ToolOf(c).klass;
    if (klass != 0) classes[klass - 1].ready += static_cast<uint32_t>(by);
  };
  if (counts()) count(-1);
  c.state = state;
  if (counts()) count(1);
}

void TraceIndex::Impl::Bind(const Event& e) {
  CallFacts& c = calls[e.call - 1];
  c.attempt = e.attempt;
  c.bound = {e.seq, e.t};
  SetState(e.call, CallState::kDispatched);
  AttemptFacts& a = attempts[e.attempt - 1];
  Count(a, -1);
  ++a.calls;
  if (c.reach) ++a.reached_calls;
  Count(a, 1);
}

// A call that is bound lets go of its attempt.
void TraceIndex::Impl::Unbind(CallId id) {
  const CallFacts& c = calls[id - 1];
  AttemptFacts& a = attempts[c.attempt - 1];
  Count(a, -1);
  --a.calls;
  if (c.reach) --a.reached_calls;
  Count(a, 1);
}

void TraceIndex::Impl::End(AttemptId id, AttemptState state, const Event& e) {
  AttemptFacts& a = attempts[id - 1];
  Count(a, -1);
  a.state = state;
  a.end = {e.seq, e.t};
  --in_flight;
  if (a.orphan) --totals.orphans;
  if (running_effect == id) running_effect = 0;
}

void TraceIndex::Impl::BookAs(const Event& e, AttemptId id, Book book) {
  AttemptFacts& a = attempts[id - 1];
  if (a.book != Book::kRunning) {
    if (a.book == book) return;
    Break(e, "ledger",
          Numbered("attempt", id) + " is booked as " + std::string(StateWord(book)) + " after it was booked as " +
              std::string(StateWord(a.book)));
    return;
  }
  --totals.by_book[static_cast<int>(a.book)];
  ++totals.by_book[static_cast<int>(book)];
  a.book = book;
}

// ---------------------------------------------------------------------------------------------------- rules

// The first three gates of a call that is said to be ready.
void TraceIndex::Impl::CheckGates(const Event& e) {
  const CallFacts& c = calls[e.call - 1];
  const std::string call = Numbered("call", e.call);
  if (!c.args) Break(e, "arguments", call + " is ready before its arguments are known");
  for (const CallId d : DepsOf(e.call)) {
    const CallFacts& input = calls[d - 1];
    const bool has_value = (input.state == CallState::kSettled || input.state == CallState::kConsumed) && !input.failed;
    // A value that was given up after it was there is still a value.
    if (has_value || (IsTerminal(input.state) && input.settle && !input.failed)) continue;
    Break(e, "arguments", call + " is ready without the value of call " + std::to_string(d));
    break;
  }
  if (c.reach) return;
  const Scope& scope = scopes[c.scope - 1];
  if (!scope.active && !(run.speculate && c.guess && !scope.ended())) {
    Break(e, "control", call + " is ready before control is known to come to scope " + std::to_string(c.scope));
  }
}

// Effects run one after another, in the order in which control reached them; calls made inside an attempt are exempt.
void TraceIndex::Impl::CheckEffectTurn(const Event& e) {
  if (running_effect != 0) {
    Break(e, "effect-order",
          Numbered("call", e.call) + " has an effect and is dispatched while " + Numbered("attempt", running_effect) +
              " has one");
  }
  while (next_effect < effects.size()) {
    const CallFacts& c = calls[effects[next_effect] - 1];
    if (c.state != CallState::kWaiting && c.state != CallState::kReady) {
      ++next_effect;
      continue;
    }
    if (effects[next_effect] != e.call) {
      Break(
          e, "effect-order",
          Numbered("call", e.call) + " has an effect and passes that of call " + std::to_string(effects[next_effect]));
    }
    return;
  }
}

void TraceIndex::Impl::CheckBudget(const Event& e, const ToolFacts& tool) {
  const Class* k = tool.klass == 0 ? nullptr : &classes[tool.klass - 1];
  const std::string call = Numbered("call", e.call);
  const uint32_t cost = k == nullptr ? tool.cost : AtMost(tool.cost, k->limit);
  if (e.cost != cost) {
    Break(e, "budget",
          call + " is dispatched at cost " + std::to_string(e.cost) + " instead of " + std::to_string(cost));
  }
  if (total_limit != kUnlimited && held >= total_limit) {
    Break(e, "budget",
          call + " is dispatched while " + std::to_string(held) + " of " + std::to_string(total_limit) + " are held");
  }
  if (k != nullptr && k->limit != kUnlimited && (k->limit == 0 || uint64_t{k->held} + e.cost > k->limit)) {
    Break(e, "budget",
          call + " is dispatched at cost " + std::to_string(e.cost) + " while " + std::to_string(k->held) + " of " +
              std::to_string(k->limit) + " of \"" + std::string(k->name) + "\" are held");
  }
  if (!e.early) return;
  if (early_limit != kUnlimited && unreached >= early_limit) {
    Break(e, "budget",
          call + " is dispatched early while " + std::to_string(unreached) + " early ones and orphans run (limit " +
              std::to_string(early_limit) + ")");
  }
  if (total_limit != kUnlimited && uint64_t{unreached} + 2 > total_limit) {
    Break(e, "early-room", call + " is dispatched early and leaves no room for a reached call in the total");
  }
  if (k != nullptr && k->limit != kUnlimited &&
      uint64_t{k->unreached} + e.cost + AtMost(k->costliest, k->limit) > k->limit) {
    Break(e, "early-room",
          call + " is dispatched early and leaves no room for the costliest tool of \"" + std::string(k->name) + "\"");
  }
}

// When the scheduler is done with an input, nothing may be ready while its budget is free. Judged for reached calls,
// against the costliest tool of a class, so that a call which may rightly wait is never blamed.
void TraceIndex::Impl::CheckWakeUp(const Event& e) {
  if (ready_reached == 0 || run.ended) return;
  if (total_limit != kUnlimited && held >= total_limit) return;
  uint32_t in_classes = 0;
  for (const Class& k : classes) {
    in_classes += k.ready;
    if (k.ready == 0) continue;
    const bool fits =
        k.limit == kUnlimited || (k.limit != 0 && uint64_t{k.held} + AtMost(k.costliest, k.limit) <= k.limit);
    if (fits)
      Break(e, "lost-wake-up",
            "a reached call of class \"" + std::string(k.name) + "\" is ready and its budget is free");
  }
  if (in_classes < ready_reached) Break(e, "lost-wake-up", "a reached call is ready and the budget is free");
}

// --------------------------------------------------------------------------------------------------- events

void TraceIndex::Impl::Apply(const Event& e) {
  ++events;
  last_t = e.t;
  if (IsInput(e.kind) && !was_input) CheckWakeUp(e);
  if (e.kind != EventKind::kUnknown) was_input = IsInput(e.kind);
  if (run.ended && IsInput(e.kind) && e.kind != EventKind::kComplete && e.kind != EventKind::kFail &&
      e.kind != EventKind::kStopped && e.kind != EventKind::kTick && e.kind != EventKind::kNote) {
    Break(e, "after-end", "\"" + std::string(Name(e.kind)) + "\" after the end of the program");
    return;
  }
  switch (e.kind) {
    case EventKind::kRun:
      run.program = Keep(e.name);
      run.mode = Keep(e.why);
      run.clock = Keep(e.error);
      run.policy = Keep(e.order);
      run.source = Keep(e.text);
      run.producer = Keep(e.producer);
      run.unit = e.unit;
      run.speculate = e.speculate;
      return;
    case EventKind::kClass:
      if (!Next(e, "class", e.klass, classes.size())) return;
      classes.emplace_back();
      classes.back().name = Keep(e.name);
      classes.back().limit = e.limit;
      return;
    case EventKind::kRoot:
      if (!Next(e, "root", e.root, roots.size())) return;
      roots.emplace_back();
      roots.back().name = Keep(e.name);
      return;
    case EventKind::kTool:
      return OnTool(e);
    case EventKind::kSite: {
      if (!Next(e, "site", e.site, sites.size())) return;
      SiteFacts s{Keep(e.file), Keep(e.function), Keep(e.text), e.line, e.col, e.end_line, e.end_col};
      sites.push_back(s);
      return;
    }
    case EventKind::kScope:
      return OnScope(e);
    case EventKind::kScopeActive:
      return OnScopeActive(e);
    case EventKind::kScopeDead:
    case EventKind::kScopeClosed:
      return OnScopeEnd(e);
    case EventKind::kBudget:
      return OnBudget(e);
    case EventKind::kArrive:
      return OnArrive(e);
    case EventKind::kArgs:
      return OnArgs(e);
    case EventKind::kReach:
      return OnReach(e);
    case EventKind::kComplete:
    case EventKind::kFail:
      return OnOutcome(e);
    case EventKind::kStopped:
      return OnStopped(e);
    case EventKind::kCancel:
      Live(e);
      return;
    case EventKind::kConsume:
      return OnConsume(e);
    case EventKind::kEnd:
      run.ended = true;
      run.ok = e.ok;
      run.error = Keep(e.error);
      end_t = e.t;
      return;
    case EventKind::kPromote:
      return OnPromote(e);
    case EventKind::kRefuse:
      if (Live(e)) calls[e.call - 1].refused = true;
      return;
    case EventKind::kReady:
      return OnReady(e);
    case EventKind::kDispatch:
      return OnDispatch(e);
    case EventKind::kJoin:
      return OnJoin(e);
    case EventKind::kVersion:
      return OnVersion(e);
    case EventKind::kSettle:
      return OnSettle(e);
    case EventKind::kRetry:
      return OnRetry(e);
    case EventKind::kSuppress: {
      if (!Live(e)) return;
      CallFacts& c = calls[e.call - 1];
      if (c.state != CallState::kSettled || !c.failed) {
        Break(e, "call-state", Numbered("call", e.call) + " is suppressed though it has not failed");
        return;
      }
      if (!Known(e, "call", e.by, calls.size())) return;
      c.suppressed = true;
      c.by = e.by;
      return;
    }
    case EventKind::kSkip:
    case EventKind::kDiscard:
    case EventKind::kCallCancelled:
      return OnCallEnd(e);
    case EventKind::kCancelRequest:
    case EventKind::kOrphan:
      return OnUnwanted(e);
    case EventKind::kCancelled: {
      if (!Known(e, "attempt", e.attempt, attempts.size())) return;
      if (attempts[e.attempt - 1].state != AttemptState::kCancelled) {
        Break(e, "attempt-state",
              Numbered("attempt", e.attempt) + " is cancelled though the host has not said that it stopped");
        return;
      }
      BookAs(e, e.attempt, Book::kCancelled);
      return;
    }
    case EventKind::kLate:
      return OnLate(e);
    case EventKind::kLost:
      if (!Running(e)) return;
      if (attempts[e.attempt - 1].calls != 0) {
        Break(e, "attempt-state", Numbered("attempt", e.attempt) + " is given up though a call wants it");
      }
      End(e.attempt, AttemptState::kLost, e);
      BookAs(e, e.attempt, Book::kLost);
      return;
    case EventKind::kEvict: {
      if (!Known(e, "attempt", e.attempt, attempts.size())) return;
      AttemptFacts& a = attempts[e.attempt - 1];
      if (a.state != AttemptState::kSucceeded || a.evicted) {
        Break(e, "attempt-state", Numbered("attempt", e.attempt) + " has no kept result to drop");
        return;
      }
      a.evicted = true;
      return;
    }
    case EventKind::kTick:
    case EventKind::kNote:
    case EventKind::kUnknown:
      return;
  }
}

void TraceIndex::Impl::OnTool(const Event& e) {
  if (!Next(e, "tool", e.tool, tools.size())) return;
  if (!KnownOrNone(e, "class", e.klass, classes.size()) || !KnownOrNone(e, "root", e.root, roots.size())) return;
  ToolFacts t;
  t.name = Keep(e.name);
  t.effect = e.effect;
  t.klass = e.klass;
  t.root = e.root;
  t.cost = e.cost;
  t.deadline = e.deadline;
  t.retry = e.retry;
  t.cancellable = e.cancellable;
  t.early = e.early;
  t.reuse = e.reuse;
  tools.push_back(t);
  if (t.klass != 0) {
    uint32_t& costliest = classes[t.klass - 1].costliest;
    costliest = std::max(costliest, t.cost);
  }
}

void TraceIndex::Impl::OnScope(const Event& e) {
  if (!Next(e, "scope", e.scope, scopes.size())) return;
  if (e.scope != 1 && !Known(e, "scope", e.parent, scopes.size())) return;
  if (!KnownOrNone(e, "site", e.site, sites.size())) return;
  Scope s;
  s.state = e.scope_state;
  s.active = s.state == ScopeState::kActive;
  if (e.scope != 1) {
    Scope& parent = scopes[e.parent - 1];
    s.parent = e.parent;
    s.next_sibling = parent.first_child;
    parent.first_child = e.scope;
    s.active = s.active && parent.active;
    if (parent.ended())
      Break(e, "scope", Numbered("scope", e.scope) + " opens in scope " + std::to_string(e.parent) + ", which is over");
  }
  scopes.push_back(s);
}

void TraceIndex::Impl::OnScopeActive(const Event& e) {
  if (!Known(e, "scope", e.scope, scopes.size())) return;
  Scope& top = scopes[e.scope - 1];
  if (top.state != ScopeState::kPending) {
    Break(e, "scope", Numbered("scope", e.scope) + " is " + std::string(Name(top.state)) + " already");
    return;
  }
  top.state = ScopeState::kActive;
  if (top.parent != 0 && !scopes[top.parent - 1].active) return;
  std::vector<ScopeId> open{e.scope};
  while (!open.empty()) {
    Scope& s = scopes[open.back() - 1];
    open.pop_back();
    if (s.active || s.state != ScopeState::kActive) continue;
    s.active = true;
    for (ScopeId child = s.first_child; child != 0; child = scopes[child - 1].next_sibling) open.push_back(child);
  }
}

void TraceIndex::Impl::OnScopeEnd(const Event& e) {
  if (!Known(e, "scope", e.scope, scopes.size())) return;
  if (scopes[e.scope - 1].ended()) {
    Break(e, "scope", Numbered("scope", e.scope) + " is " + std::string(Name(scopes[e.scope - 1].state)) + " already");
    return;
  }
  const ScopeState state = e.kind == EventKind::kScopeDead ? ScopeState::kDead : ScopeState::kClosed;
  std::vector<ScopeId> over{e.scope};
  while (!over.empty()) {
    Scope& s = scopes[over.back() - 1];
    over.pop_back();
    if (s.ended()) continue;
    s.state = state;
    s.active = false;
    for (ScopeId child = s.first_child; child != 0; child = scopes[child - 1].next_sibling) over.push_back(child);
  }
}

void TraceIndex::Impl::OnBudget(const Event& e) {
  if (e.has_total) total_limit = e.total;
  if (e.has_early_limit) early_limit = e.early_limit;
  if (e.has_limit && Known(e, "class", e.klass, classes.size())) classes[e.klass - 1].limit = e.limit;
}

void TraceIndex::Impl::OnArrive(const Event& e) {
  if (!Next(e, "call", e.call, calls.size())) return;
  if (!Known(e, "tool", e.tool, tools.size()) || !Known(e, "scope", e.scope, scopes.size()) ||
      !KnownOrNone(e, "site", e.site, sites.size()) || !KnownOrNone(e, "attempt", e.parent, attempts.size())) {
    return;
  }
  for (const CallId d : e.deps) {
    if (!Known(e, "call", d, calls.size())) return;
  }
  if (!e.early && scopes[e.scope - 1].ended()) {
    Break(e, "scope", Numbered("call", e.call) + " arrives in scope " + std::to_string(e.scope) + ", which is over");
  }
  CallFacts c;
  c.tool = e.tool;
  c.site = e.site;
  c.scope = e.scope;
  c.parent = e.parent;
  c.early = e.early;
  c.guess = e.guess;
  c.arrive = {e.seq, e.t};
  calls.push_back(c);
  deps.insert(deps.end(), e.deps.begin(), e.deps.end());
  deps_end.push_back(static_cast<uint32_t>(deps.size()));
  args.emplace_back();
  effect_place.push_back(kNoPlace);
}

void TraceIndex::Impl::OnArgs(const Event& e) {
  if (!Live(e)) return;
  CallFacts& c = calls[e.call - 1];
  if (c.args) {
    Break(e, "call-state", Numbered("call", e.call) + " gets its arguments twice");
    return;
  }
  c.args = {e.seq, e.t};
  c.key = e.key;
  args[e.call - 1] = KeepPreview(e.text);
}

void TraceIndex::Impl::OnReach(const Event& e) {
  if (!Live(e)) return;
  CallFacts& c = calls[e.call - 1];
  if (c.reach) {
    Break(e, "call-state", Numbered("call", e.call) + " is reached twice");
    return;
  }
  if (!KnownOrNone(e, "site", e.site, sites.size()) || !KnownOrNone(e, "scope", e.scope, scopes.size())) return;
  if (e.scope != 0) {
    c.scope = e.scope;
    c.site = e.site;
  }
  if (!scopes[c.scope - 1].active) {
    Break(e, "control",
          Numbered("call", e.call) + " is reached in scope " + std::to_string(c.scope) + ", which is not active");
  }
  // The side that its attempt counts for, and its place among the ready ones, change with it.
  const bool bound = c.state == CallState::kDispatched || c.state == CallState::kSettled;
  if (bound) Unbind(e.call);
  const CallState state = c.state;
  SetState(e.call, CallState::kWaiting);
  c.reach = {e.seq, e.t};
  SetState(e.call, state);
  if (bound) {
    AttemptFacts& a = attempts[c.attempt - 1];
    Count(a, -1);
    ++a.calls;
    ++a.reached_calls;
    Count(a, 1);
  }
  if (!Repeatable(ToolOf(c).effect) && c.parent == 0) {
    effect_place[e.call - 1] = static_cast<uint32_t>(effects.size());
    effects.push_back(e.call);
  }
}

void TraceIndex::Impl::OnPromote(const Event& e) {
  if (!Live(e)) return;
  CallFacts& c = calls[e.call - 1];
  if (!c.early || !c.reach || c.promoted) {
    Break(e, "call-state", Numbered("call", e.call) + " is promoted though it is no early call that was just reached");
    return;
  }
  c.promoted = true;
}

void TraceIndex::Impl::OnReady(const Event& e) {
  if (!Live(e)) return;
  const CallFacts& c = calls[e.call - 1];
  if (c.state != CallState::kWaiting && c.state != CallState::kReady) {
    Break(e, "call-state", Numbered("call", e.call) + " is ready though it is " + std::string(StateWord(c.state)));
    return;
  }
  const ToolFacts& tool = ToolOf(c);
  if (!c.reach && (!Repeatable(tool.effect) || !tool.early || c.refused || !c.early)) {
    Break(e, "early-effect",
          Numbered("call", e.call) + " (" + std::string(Name(tool.effect)) + ") is ready before it is reached");
  }
  CheckGates(e);
  calls[e.call - 1].ready = {e.seq, e.t};
  SetState(e.call, CallState::kReady);
}

void TraceIndex::Impl::OnDispatch(const Event& e) {
  if (!Next(e, "attempt", e.attempt, attempts.size()) || !Live(e) ||
      !KnownOrNone(e, "attempt", e.parent, attempts.size())) {
    return;
  }
  const CallFacts& c = calls[e.call - 1];
  if (c.state != CallState::kReady) {
    Break(e, "call-state", Numbered("call", e.call) + " is dispatched though it is " + std::string(StateWord(c.state)));
    if (c.state != CallState::kWaiting) return;
  }
  const ToolFacts& tool = ToolOf(c);
  if (e.parent != c.parent) {
    Break(e, "call-state", Numbered("call", e.call) + " is dispatched under another attempt than it was made in");
  }
  if (e.early != !c.reach) {
    Break(e, "call-state",
          Numbered("call", e.call) +
              (e.early ? " is dispatched early after it was reached" : " is dispatched as reached before it was"));
  }
  if (!Repeatable(tool.effect)) {
    if (!c.reach) {
      Break(e, "early-effect",
            Numbered("call", e.call) + " (" + std::string(Name(tool.effect)) + ") is dispatched before it is reached");
    } else if (c.parent == 0) {
      CheckEffectTurn(e);
    }
  }
  if (c.parent == 0) CheckBudget(e, tool);

  AttemptFacts a;
  a.call = e.call;
  a.parent = c.parent;
  a.early = e.early;
  a.cost = e.cost;
  a.dispatch = {e.seq, e.t};
  attempts.push_back(a);
  values.emplace_back();
  errors.emplace_back();
  Count(attempts.back(), 1);
  ++totals.dispatched;
  ++totals.by_book[static_cast<int>(Book::kRunning)];
  peak_in_flight = std::max(peak_in_flight, ++in_flight);
  if (!Repeatable(tool.effect) && c.parent == 0) running_effect = e.attempt;
  Bind(e);
}

void TraceIndex::Impl::OnJoin(const Event& e) {
  if (!Live(e) || !Known(e, "attempt", e.attempt, attempts.size())) return;
  const CallFacts& c = calls[e.call - 1];
  const AttemptFacts& a = attempts[e.attempt - 1];
  const CallFacts& first = calls[a.call - 1];
  const std::string what = Numbered("call", e.call) + " joins " + Numbered("attempt", e.attempt);
  if (c.state != CallState::kWaiting && c.state != CallState::kReady) {
    Break(e, "call-state", what + " though it is " + std::string(StateWord(c.state)));
    return;
  }
  if (!Repeatable(ToolOf(c).effect)) Break(e, "sharing", what + " though it has an effect");
  if (c.tool != first.tool || c.key == 0 || c.key != first.key) {
    Break(e, "sharing", what + ", which is another call (tool or arguments differ)");
  }
  const bool there = a.state == AttemptState::kRunning || (a.state == AttemptState::kSucceeded && !a.evicted);
  if (!there || a.orphan) Break(e, "sharing", what + ", which has nothing to give");
  Bind(e);
}

void TraceIndex::Impl::OnVersion(const Event& e) {
  if (!Known(e, "root", e.root, roots.size()) || !KnownOrNone(e, "call", e.call, calls.size())) return;
  uint32_t& version = roots[e.root - 1].version;
  if (e.version != version + 1) {
    Break(e, "root-version",
          Numbered("root", e.root) + " goes from version " + std::to_string(version) + " to " +
              std::to_string(e.version));
  }
  version = e.version;
}

void TraceIndex::Impl::OnSettle(const Event& e) {
  if (!Live(e) || !Known(e, "attempt", e.attempt, attempts.size())) return;
  CallFacts& c = calls[e.call - 1];
  if (c.state != CallState::kDispatched || c.attempt != e.attempt) {
    Break(e, "call-state",
          Numbered("call", e.call) + " settles though it is not bound to attempt " + std::to_string(e.attempt));
    return;
  }
  AttemptFacts& a = attempts[e.attempt - 1];
  const ToolFacts& tool = ToolOf(c);
  if (a.state == AttemptState::kRunning && !e.ok && tool.deadline != 0 && e.t - a.dispatch.t >= tool.deadline) {
    c.timed_out = true;
    a.timed_out = true;
    Unbind(e.call);
  } else if (a.state != (e.ok ? AttemptState::kSucceeded : AttemptState::kFailed)) {
    Break(e, "call-state",
          Numbered("call", e.call) + " settles " + (e.ok ? "with a value" : "with a failure") + " though attempt " +
              std::to_string(e.attempt) + " is " + std::string(StateWord(a.state)));
    return;
  }
  c.failed = !e.ok;
  c.settle = {e.seq, e.t};
  SetState(e.call, CallState::kSettled);
}

void TraceIndex::Impl::OnRetry(const Event& e) {
  if (!Live(e) || !Known(e, "attempt", e.attempt, attempts.size())) return;
  CallFacts& c = calls[e.call - 1];
  if ((c.state != CallState::kDispatched && c.state != CallState::kSettled) || c.attempt != e.attempt) {
    Break(e, "call-state",
          Numbered("call", e.call) + " starts anew though it is not bound to attempt " + std::to_string(e.attempt));
    return;
  }
  if (!c.timed_out) Unbind(e.call);
  c.failed = false;
  c.timed_out = false;
  SetState(e.call, CallState::kWaiting);
  if (effect_place[e.call - 1] != kNoPlace) next_effect = std::min<size_t>(next_effect, effect_place[e.call - 1]);
  const AttemptFacts& a = attempts[e.attempt - 1];
  if (a.calls == 0 && a.book == Book::kRunning) {
    if (a.state == AttemptState::kFailed) BookAs(e, e.attempt, Book::kRetried);
    if (a.state == AttemptState::kSucceeded) BookAs(e, e.attempt, Book::kDiscarded);
  }
}

void TraceIndex::Impl::OnCallEnd(const Event& e) {
  if (!Live(e)) return;
  CallFacts& c = calls[e.call - 1];
  const std::string call = Numbered("call", e.call);
  CallState to = CallState::kDiscarded;
  if (e.kind == EventKind::kSkip) {
    to = CallState::kSkipped;
    if (!Known(e, "call", e.by, calls.size())) return;
    const auto inputs = DepsOf(e.call);
    if (std::find(inputs.begin(), inputs.end(), e.by) == inputs.end()) {
      Break(e, "call-state",
            call + " is skipped because of call " + std::to_string(e.by) + ", which is no input of it");
    }
    const CallFacts& by = calls[e.by - 1];
    if (!by.failed && (!IsTerminal(by.state) || by.state == CallState::kConsumed)) {
      Break(e, "call-state", call + " is skipped though its input, call " + std::to_string(e.by) + ", has not failed");
    }
    c.by = e.by;
  } else if (e.kind == EventKind::kCallCancelled) {
    to = CallState::kCancelled;
  } else if (c.reach) {
    Break(e, "call-state", call + " is discarded though it was reached");
  }
  const bool bound = (c.state == CallState::kDispatched || c.state == CallState::kSettled) && !c.timed_out;
  if (bound) {
    Unbind(e.call);
    const AttemptFacts& a = attempts[c.attempt - 1];
    const bool has_outcome = a.state == AttemptState::kSucceeded || a.state == AttemptState::kFailed;
    if (a.calls == 0 && has_outcome && a.book == Book::kRunning) BookAs(e, c.attempt, Book::kDiscarded);
  }
  SetState(e.call, to);
  c.end = {e.seq, e.t};
}

void TraceIndex::Impl::OnConsume(const Event& e) {
  if (!Live(e)) return;
  CallFacts& c = calls[e.call - 1];
  if (c.state != CallState::kSettled) {
    Break(e, "call-state", Numbered("call", e.call) + " is consumed though it is " + std::string(StateWord(c.state)));
    return;
  }
  if (!c.reach) Break(e, "call-state", Numbered("call", e.call) + " is consumed before it is reached");
  if (!c.timed_out) {
    BookAs(e, c.attempt, Book::kConsumed);
    Unbind(e.call);
  }
  SetState(e.call, CallState::kConsumed);
  c.end = {e.seq, e.t};
}

void TraceIndex::Impl::OnOutcome(const Event& e) {
  if (!Running(e)) return;
  const bool ok = e.kind == EventKind::kComplete;
  End(e.attempt, ok ? AttemptState::kSucceeded : AttemptState::kFailed, e);
  AttemptFacts& a = attempts[e.attempt - 1];
  a.bytes = e.bytes;
  a.failure = e.failure;
  values[e.attempt - 1] = KeepPreview(e.text);
  errors[e.attempt - 1] = KeepPreview(e.error);
}

void TraceIndex::Impl::OnStopped(const Event& e) {
  if (!Running(e)) return;
  if (attempts[e.attempt - 1].calls != 0) {
    Break(e, "attempt-state", Numbered("attempt", e.attempt) + " stops without an outcome though a call wants it");
  }
  End(e.attempt, AttemptState::kCancelled, e);
}

void TraceIndex::Impl::OnUnwanted(const Event& e) {
  if (!Running(e)) return;
  AttemptFacts& a = attempts[e.attempt - 1];
  const ToolFacts& tool = ToolOf(calls[a.call - 1]);
  const std::string attempt = Numbered("attempt", e.attempt);
  const bool overdue = tool.deadline != 0 && e.t - a.dispatch.t >= tool.deadline;
  if (a.calls != 0 && !overdue) Break(e, "attempt-state", attempt + " is called unwanted though a call wants it");
  if (e.kind == EventKind::kCancelRequest) {
    if (a.cancel_requested) Break(e, "cancel-once", attempt + " is asked to stop twice");
    if (!tool.cancellable) Break(e, "cancel-once", attempt + " is asked to stop though its tool can't");
    a.cancel_requested = true;
  }
  if (a.orphan) return;
  Count(a, -1);
  a.orphan = true;
  Count(a, 1);
  ++totals.orphans;
}

void TraceIndex::Impl::OnLate(const Event& e) {
  if (!Known(e, "attempt", e.attempt, attempts.size())) return;
  const AttemptFacts& a = attempts[e.attempt - 1];
  if (!a.orphan || a.state != (e.ok ? AttemptState::kSucceeded : AttemptState::kFailed)) {
    Break(e, "attempt-state", Numbered("attempt", e.attempt) + " is late though it is no orphan that ended so");
    return;
  }
  BookAs(e, e.attempt, Book::kLate);
}

// ------------------------------------------------------------------------------------------------- the end

void TraceIndex::Impl::Finish() {
  Event at_end;
  CheckWakeUp(at_end);
  if (run.ended) {
    for (size_t i = 0; i < calls.size(); ++i) {
      if (IsTerminal(calls[i].state)) continue;
      Break(at_end, "one-end",
            Numbered("call", static_cast<uint32_t>(i + 1)) + " is " + std::string(StateWord(calls[i].state)) +
                " after the program ended");
    }
  }
  LedgerTotals anew;
  for (size_t i = 0; i < attempts.size(); ++i) {
    const AttemptFacts& a = attempts[i];
    const auto id = static_cast<AttemptId>(i + 1);
    ++anew.dispatched;
    ++anew.by_book[static_cast<int>(a.book)];
    if (a.state == AttemptState::kRunning) {
      if (a.calls == 0 && !a.orphan && a.book == Book::kRunning) {
        Break(at_end, "ledger",
              Numbered("attempt", id) + " runs, nobody wants it, and it is neither an orphan nor asked to stop");
      }
    } else if (a.book == Book::kRunning && a.calls == 0) {
      Break(at_end, "ledger",
            Numbered("attempt", id) + " is " + std::string(StateWord(a.state)) + " and was never booked");
    }
  }
  if (!anew.balanced() || anew.dispatched != totals.dispatched) Break(at_end, "ledger", "the ledger does not balance");
}

}  // namespace pysolate
