// The inputs: each is checked, told, committed and finished. Steps are in the other files of this folder.
#include "pysolate/scheduler.h"

#include <algorithm>
#include <string>

#include "sched/state.h"

namespace pysolate {

using namespace sched;  // NOLINT

namespace {

constexpr uint32_t kMaxId = 0x7fffffff;
constexpr uint32_t kMaxCost = 0xffff;
constexpr uint32_t kMaxRetry = 255;

}  // namespace

// ---- set-up ----

Scheduler::Impl::Impl(const RunOptions& run, EventSink* event_sink)
    : sink(event_sink),
      mode(run.mode),
      policy(run.policy),
      speculate(run.speculate),
      result_bytes(run.result_bytes),
      orphan_after(run.orphan_deadline) {
  hot.emplace_back();
  cold.emplace_back();
  rows.emplace_back();
  reasons.push_back(Reason::kNone);
  tools.emplace_back();
  classes.emplace_back();
  roots.emplace_back();
  sites.emplace_back();
  scopes.emplace_back();
  entries.emplace_back();
  if (policy == Policy::kCriticalPath) ranks.push_back(0);
  LaneFor(0, 1);
  Emit(EventKind::kRun, [&](Event& e) {
    e.version = 1;
    e.name = run.program;
    e.why = run.mode == Mode::kSequential ? "sequential" : "overlap";
    e.error = run.virtual_clock ? "virtual" : "real";
    e.unit = run.unit;
    e.speculate = run.speculate;
    e.order = run.policy == Policy::kCriticalPath ? "critical_path" : "order";
    e.bytes = run.result_bytes;
    e.text = run.source;
    e.producer = run.producer;
  });
}

Scheduler::Scheduler(const RunOptions& options, EventSink* sink) : impl_(std::make_unique<Impl>(options, sink)) {
  if (options.total != kUnlimited) (void)SetTotalBudget(0, options.total);
  if (options.early_limit != kUnlimited) (void)SetEarlyBudget(0, options.early_limit);
}

Scheduler::~Scheduler() = default;

// ---- checks ----

Status Scheduler::Impl::CheckOpen(TimeNs at, EventKind input) const {
  if (at < now) return Refuse(Code::kTimeBackwards, input, "time", static_cast<uint64_t>(at));
  if (ended) return Refuse(Code::kRunEnded, input, "run", 0);
  return {};
}

Status Scheduler::Impl::CheckCall(TimeNs at, EventKind input, CallId call) const {
  if (Status bad = CheckOpen(at, input); !bad.ok()) return bad;
  if (call == 0 || call > calls()) return Refuse(Code::kUnknownId, input, "call", call);
  return {};
}

Status Scheduler::Impl::CheckAttempt(TimeNs at, EventKind input, AttemptId attempt) const {
  if (at < now) return Refuse(Code::kTimeBackwards, input, "time", static_cast<uint64_t>(at));
  if (attempt == 0 || attempt > attempts()) return Refuse(Code::kUnknownId, input, "attempt", attempt);
  const AttemptState state = rows[attempt].state();
  if (state == AttemptState::kLost) return Refuse(Code::kAttemptLost, input, "attempt", attempt);
  if (state != AttemptState::kRunning) return Refuse(Code::kAttemptEnded, input, "attempt", attempt);
  return {};
}

Status Scheduler::Impl::CheckArrival(TimeNs at, EventKind input, ToolId tool, SiteId site, ScopeId scope,
                                     AttemptId parent) const {
  if (Status bad = CheckOpen(at, input); !bad.ok()) return bad;
  if (tool == 0 || tool >= tools.size()) return Refuse(Code::kUnknownId, input, "tool", tool);
  if (site >= sites.size()) return Refuse(Code::kUnknownId, input, "site", site);
  if (scope == 0 || scope >= scopes.size()) return Refuse(Code::kUnknownId, input, "scope", scope);
  if (parent != 0) {
    if (Status bad = CheckAttempt(at, input, parent); !bad.ok()) return bad;
  }
  if (calls() >= kMaxId) return Refuse(Code::kBadValue, input, "call", kMaxId);
  return {};
}

// ---- definitions ----

Made Scheduler::AddClass(TimeNs now, std::string_view name, uint32_t limit) {
  Impl& s = *impl_;
  if (Status bad = s.CheckOpen(now, EventKind::kClass); !bad.ok()) return {0, bad};
  s.now = now;
  const auto id = static_cast<ClassId>(s.classes.size());
  s.classes.push_back({std::string(name), limit, 0, 0, 0});
  s.Emit(EventKind::kClass, [&](Event& e) {
    e.klass = id;
    e.name = name;
    e.limit = limit;
    e.has_limit = true;
  });
  return {id, {}};
}

Made Scheduler::AddRoot(TimeNs now, std::string_view name, std::string_view content) {
  Impl& s = *impl_;
  if (Status bad = s.CheckOpen(now, EventKind::kRoot); !bad.ok()) return {0, bad};
  s.now = now;
  const auto id = static_cast<RootId>(s.roots.size());
  s.roots.emplace_back();
  s.roots.back().name = name;
  s.Emit(EventKind::kRoot, [&](Event& e) {
    e.root = id;
    e.name = name;
    e.error = content;
  });
  return {id, {}};
}

Made Scheduler::AddTool(TimeNs now, const Contract& contract) {
  Impl& s = *impl_;
  constexpr EventKind kKind = EventKind::kTool;
  if (Status bad = s.CheckOpen(now, kKind); !bad.ok()) return {0, bad};
  if (contract.klass >= s.classes.size()) return {0, s.Refuse(Code::kUnknownId, kKind, "class", contract.klass)};
  if (contract.root >= s.roots.size()) return {0, s.Refuse(Code::kUnknownId, kKind, "root", contract.root)};
  if (contract.cost > kMaxCost) return {0, s.Refuse(Code::kBadValue, kKind, "cost", contract.cost)};
  if (contract.retry > kMaxRetry) return {0, s.Refuse(Code::kBadValue, kKind, "retry", contract.retry)};
  if (contract.deadline < 0) return {0, s.Refuse(Code::kBadValue, kKind, "deadline", 0)};
  if (contract.failure == Failure::kDeadline) return {0, s.Refuse(Code::kBadValue, kKind, "failure", 0)};
  s.now = now;
  const auto id = static_cast<ToolId>(s.tools.size());
  s.tools.emplace_back();
  ToolRow& tool = s.tools.back();
  tool.contract = contract;
  tool.name = contract.name;
  tool.contract.name = {};
  tool.lane = s.LaneFor(contract.klass, contract.klass == 0 ? 1 : contract.cost);
  ClassRow& k = s.classes[contract.klass];
  k.max_cost = std::max(k.max_cost, contract.cost);
  s.Emit(kKind, [&](Event& e) {
    e.tool = id;
    e.name = contract.name;
    e.effect = contract.effect;
    e.failure = contract.failure;
    e.klass = contract.klass;
    e.cost = contract.cost;
    e.root = contract.root;
    e.cancellable = contract.cancellable;
    e.deadline = contract.deadline;
    e.retry = contract.retry;
    e.early = contract.early;
    e.reuse = contract.reuse;
  });
  return {id, {}};
}

Made Scheduler::AddSite(TimeNs now, const SiteInput& site) {
  Impl& s = *impl_;
  if (Status bad = s.CheckOpen(now, EventKind::kSite); !bad.ok()) return {0, bad};
  s.now = now;
  const auto id = static_cast<SiteId>(s.sites.size());
  s.sites.push_back({std::string(site.file), site.line, site.col});
  s.Emit(EventKind::kSite, [&](Event& e) {
    e.site = id;
    e.file = site.file;
    e.function = site.function;
    e.text = site.text;
    e.line = site.line;
    e.col = site.col;
    e.end_line = site.end_line;
    e.end_col = site.end_col;
  });
  return {id, {}};
}

// ---- scopes ----

Made Scheduler::OpenScope(TimeNs now, const ScopeInput& in) {
  Impl& s = *impl_;
  constexpr EventKind kKind = EventKind::kScope;
  if (Status bad = s.CheckOpen(now, kKind); !bad.ok()) return {0, bad};
  const auto id = static_cast<ScopeId>(s.scopes.size());
  if (in.parent >= id || (in.parent == 0) != (id == 1))
    return {0, s.Refuse(Code::kUnknownId, kKind, "scope", in.parent)};
  if (in.site >= s.sites.size()) return {0, s.Refuse(Code::kUnknownId, kKind, "site", in.site)};
  if (in.parent != 0 && s.scopes[in.parent].ended()) return {0, s.Refuse(Code::kScopeEnded, kKind, "scope", in.parent)};
  s.now = now;
  s.scopes.emplace_back();
  ScopeRow& row = s.scopes.back();
  row.parent = in.parent;
  row.kind = in.kind;
  row.site = in.site;
  row.line = in.line;
  row.state = in.active ? ScopeState::kActive : ScopeState::kPending;
  if (in.parent != 0) {
    ScopeRow& parent = s.scopes[in.parent];
    if (parent.last_child == 0) {
      parent.first_child = id;
    } else {
      s.scopes[parent.last_child].next_sibling = id;
    }
    parent.last_child = id;
    row.active = in.active && parent.active;
  } else {
    row.active = in.active;
  }
  s.Emit(kKind, [&](Event& e) {
    e.scope = id;
    e.parent = in.parent;
    e.scope_kind = in.kind;
    e.site = in.site;
    e.line = in.line;
    e.scope_state = row.state;
    e.name = in.name;
  });
  return {id, {}};
}

Status Scheduler::ActivateScope(TimeNs now, ScopeId scope) {
  Impl& s = *impl_;
  constexpr EventKind kKind = EventKind::kScopeActive;
  if (Status bad = s.CheckOpen(now, kKind); !bad.ok()) return bad;
  if (scope == 0 || scope >= s.scopes.size()) return s.Refuse(Code::kUnknownId, kKind, "scope", scope);
  if (s.scopes[scope].ended()) return s.Refuse(Code::kScopeEnded, kKind, "scope", scope);
  if (s.scopes[scope].state == ScopeState::kActive) return s.Refuse(Code::kScopeKnown, kKind, "scope", scope);
  s.now = now;
  s.Emit(kKind, [&](Event& e) { e.scope = scope; });
  s.Activate(scope);
  s.Finish();
  return {};
}

// Steps that several inputs share.
struct SchedulerInputs {
  using Impl = Scheduler::Impl;
  struct Ending {
    EventKind kind;
    ScopeState state;
    Reason reason;
    const char* word;
  };
  static Status EndScope(Impl& s, TimeNs now, ScopeId scope, const Ending& ending);
  // Control arrives at `call`; at `place`, if that is known better than when the call was announced.
  static Status Reach(Scheduler& scheduler, Impl& s, TimeNs now, CallId call, const ReachInput* place);
};

Status Scheduler::KillScope(TimeNs now, ScopeId scope) {
  return SchedulerInputs::EndScope(*impl_, now, scope,
                                   {EventKind::kScopeDead, ScopeState::kDead, Reason::kScopeDead, "dead"});
}

Status Scheduler::CloseScope(TimeNs now, ScopeId scope) {
  return SchedulerInputs::EndScope(*impl_, now, scope,
                                   {EventKind::kScopeClosed, ScopeState::kClosed, Reason::kScopeClosed, "closed"});
}

Status SchedulerInputs::EndScope(Impl& s, TimeNs now, ScopeId scope, const Ending& ending) {
  if (Status bad = s.CheckOpen(now, ending.kind); !bad.ok()) return bad;
  if (scope == 0 || scope >= s.scopes.size()) return s.Refuse(Code::kUnknownId, ending.kind, "scope", scope);
  if (s.scopes[scope].ended()) return s.Refuse(Code::kScopeEnded, ending.kind, "scope", scope);
  s.now = now;
  s.Emit(ending.kind, [&](Event& e) { e.scope = scope; });
  s.EndScope(scope, ending.state, ending.reason, "scope " + std::to_string(scope) + " " + ending.word);
  s.Finish();
  return {};
}

// ---- budgets ----

Status Scheduler::SetTotalBudget(TimeNs now, uint32_t limit) {
  Impl& s = *impl_;
  if (Status bad = s.CheckOpen(now, EventKind::kBudget); !bad.ok()) return bad;
  s.now = now;
  s.total_limit = limit;
  s.Emit(EventKind::kBudget, [&](Event& e) {
    e.total = limit;
    e.has_total = true;
  });
  s.Finish();
  return {};
}

Status Scheduler::SetEarlyBudget(TimeNs now, uint32_t limit) {
  Impl& s = *impl_;
  if (Status bad = s.CheckOpen(now, EventKind::kBudget); !bad.ok()) return bad;
  s.now = now;
  s.early_limit = limit;
  s.Emit(EventKind::kBudget, [&](Event& e) {
    e.early_limit = limit;
    e.has_early_limit = true;
  });
  s.Finish();
  return {};
}

Status Scheduler::SetClassBudget(TimeNs now, ClassId klass, uint32_t limit) {
  Impl& s = *impl_;
  if (Status bad = s.CheckOpen(now, EventKind::kBudget); !bad.ok()) return bad;
  if (klass == 0 || klass >= s.classes.size()) return s.Refuse(Code::kUnknownId, EventKind::kBudget, "class", klass);
  s.now = now;
  s.classes[klass].limit = limit;
  s.Emit(EventKind::kBudget, [&](Event& e) {
    e.klass = klass;
    e.limit = limit;
    e.has_limit = true;
  });
  s.Finish();
  return {};
}

// ---- calls ----

Made Scheduler::Arrive(TimeNs now, const ArriveInput& in) {
  Impl& s = *impl_;
  constexpr EventKind kKind = EventKind::kArrive;
  if (Status bad = s.CheckArrival(now, kKind, in.tool, in.site, in.scope, in.parent); !bad.ok()) return {0, bad};
  const CallId id = s.calls() + 1;
  for (CallId d : in.deps) {
    if (d == 0) return {0, s.Refuse(Code::kUnknownId, kKind, "call", d)};
    if (d >= id) return {0, s.Refuse(Code::kBadDependency, kKind, "call", d)};
  }
  if (!in.early && s.scopes[in.scope].ended()) return {0, s.Refuse(Code::kScopeEnded, kKind, "scope", in.scope)};
  s.now = now;
  const CallId c = s.AddCall(in, kKind);
  s.Finish();
  return {c, {}};
}

Status Scheduler::Args(TimeNs now, CallId call, ArgsKey key, std::string_view preview) {
  Impl& s = *impl_;
  constexpr EventKind kKind = EventKind::kArgs;
  if (Status bad = s.CheckCall(now, kKind, call); !bad.ok()) return bad;
  if (IsTerminal(s.hot[call].state)) return s.Refuse(Code::kCallEnded, kKind, "call", call);
  if ((s.hot[call].flags & kArgsFlag) != 0) return s.Refuse(Code::kArgsKnown, kKind, "call", call);
  s.now = now;
  s.SetArgs(call, key, preview);
  s.Finish();
  return {};
}

Status Scheduler::Reach(TimeNs now, CallId call) { return SchedulerInputs::Reach(*this, *impl_, now, call, nullptr); }

Status SchedulerInputs::Reach(Scheduler& scheduler, Impl& s, TimeNs now, CallId call, const ReachInput* place) {
  constexpr EventKind kKind = EventKind::kReach;
  if (Status bad = s.CheckCall(now, kKind, call); !bad.ok()) return bad;
  if (IsTerminal(s.hot[call].state)) return s.Refuse(Code::kCallEnded, kKind, "call", call);
  if (s.reached(call)) return s.Refuse(Code::kAlreadyReached, kKind, "call", call);
  const ScopeId scope = place != nullptr ? place->scope : s.hot[call].scope;
  if (s.scopes[scope].ended()) return s.Refuse(Code::kScopeEnded, kKind, "scope", scope);
  if (!s.scopes[scope].active) {
    // Control is here, so everything around it is active: from the outside in.
    s.scope_scratch.clear();
    for (ScopeId x = scope; x != 0; x = s.scopes[x].parent) {
      if (s.scopes[x].state == ScopeState::kPending) s.scope_scratch.push_back(x);
    }
    for (size_t i = s.scope_scratch.size(); i-- > 0;) {
      if (Status bad = scheduler.ActivateScope(now, s.scope_scratch[i]); !bad.ok()) return bad;
    }
    if (IsTerminal(s.hot[call].state)) return s.Refuse(Code::kCallEnded, kKind, "call", call);
  }
  s.now = now;
  bool moved = false;
  if (place != nullptr) {
    moved = s.cold[call].site != place->site || s.hot[call].scope != place->scope || s.OrderOf(call) != place->order;
    if (moved) s.MoveTo(call, *place);
  }
  s.Reached(call, moved);
  s.Finish();
  return {};
}

Made Scheduler::ReachCall(TimeNs now, const ReachInput& in) {
  Impl& s = *impl_;
  constexpr EventKind kKind = EventKind::kReach;
  if (Status bad = s.CheckArrival(now, kKind, in.tool, in.site, in.scope, in.parent); !bad.ok()) return {0, bad};
  if (s.scopes[in.scope].ended()) return {0, s.Refuse(Code::kScopeEnded, kKind, "scope", in.scope)};
  if (in.key != 0 && in.parent == 0 && s.mode == Mode::kOverlap) {
    if (const CallId c = s.FindEarly(in.tool, in.key); c != 0) {
      Status status = SchedulerInputs::Reach(*this, s, now, c, &in);
      if (status.code != Code::kCallEnded) return {status.ok() ? c : 0, status};
      // Opening the scopes around ended it: a new call it is.
    }
  }
  ArriveInput arrive;
  arrive.tool = in.tool;
  arrive.site = in.site;
  arrive.scope = in.scope;
  arrive.early = false;
  arrive.parent = in.parent;
  arrive.order = in.order;
  s.now = now;
  const CallId c = s.AddCall(arrive, EventKind::kArrive);
  s.SetArgs(c, in.key, in.preview);
  Status status = SchedulerInputs::Reach(*this, s, now, c, nullptr);
  return {status.ok() ? c : 0, status};
}

Status Scheduler::Cancel(TimeNs now, CallId call, std::string_view why) {
  Impl& s = *impl_;
  if (Status bad = s.CheckCall(now, EventKind::kCancel, call); !bad.ok()) return bad;
  if (IsTerminal(s.hot[call].state)) return s.Refuse(Code::kCallEnded, EventKind::kCancel, "call", call);
  s.now = now;
  s.Emit(EventKind::kCancel, [&](Event& e) {
    e.call = call;
    e.why = why;
  });
  s.GiveUp(call, (s.hot[call].flags & kRefusedFlag) != 0 ? Reason::kRefused : Reason::kCancel, why);
  s.Finish();
  return {};
}

Status Scheduler::Consume(TimeNs now, CallId call) {
  Impl& s = *impl_;
  constexpr EventKind kKind = EventKind::kConsume;
  if (Status bad = s.CheckCall(now, kKind, call); !bad.ok()) return bad;
  if (IsTerminal(s.hot[call].state)) return s.Refuse(Code::kCallEnded, kKind, "call", call);
  if (!s.reached(call)) return s.Refuse(Code::kNotReached, kKind, "call", call);
  if (s.hot[call].state != CallState::kSettled) return s.Refuse(Code::kNotSettled, kKind, "call", call);
  s.now = now;
  s.Consumed(call);
  s.Finish();
  return {};
}

// ---- attempts ----

Status Scheduler::Complete(TimeNs now, AttemptId attempt, int64_t bytes, std::string_view preview) {
  Impl& s = *impl_;
  constexpr EventKind kKind = EventKind::kComplete;
  if (Status bad = s.CheckAttempt(now, kKind, attempt); !bad.ok()) return bad;
  if (bytes < 0) return s.Refuse(Code::kBadValue, kKind, "bytes", 0);
  s.now = now;
  s.Emit(kKind, [&](Event& e) {
    e.attempt = attempt;
    e.text = preview;
    e.bytes = bytes;
  });
  s.Succeeded(attempt, bytes);
  s.Finish();
  return {};
}

Status Scheduler::Fail(TimeNs now, AttemptId attempt, Failure failure, std::string_view error,
                       std::string_view message) {
  Impl& s = *impl_;
  constexpr EventKind kKind = EventKind::kFail;
  if (Status bad = s.CheckAttempt(now, kKind, attempt); !bad.ok()) return bad;
  s.now = now;
  s.Emit(kKind, [&](Event& e) {
    e.attempt = attempt;
    e.error = error;
    e.text = message;
    e.failure = failure;
  });
  s.Failed(attempt, failure);
  s.Finish();
  return {};
}

Status Scheduler::Stopped(TimeNs now, AttemptId attempt) {
  Impl& s = *impl_;
  constexpr EventKind kKind = EventKind::kStopped;
  if (Status bad = s.CheckAttempt(now, kKind, attempt); !bad.ok()) return bad;
  if (s.rows[attempt].wants != 0) return s.Refuse(Code::kNotCancelled, kKind, "attempt", attempt);
  s.now = now;
  s.Emit(kKind, [&](Event& e) { e.attempt = attempt; });
  s.Emit(EventKind::kCancelled, [&](Event& e) { e.attempt = attempt; });
  s.Ended(attempt, AttemptState::kCancelled);
  s.BookAs(attempt, Book::kCancelled, s.reasons[attempt]);
  s.Finish();
  return {};
}

Status Scheduler::Tick(TimeNs now) {
  Impl& s = *impl_;
  if (now < s.now) return s.Refuse(Code::kTimeBackwards, EventKind::kTick, "time", static_cast<uint64_t>(now));
  s.now = now;
  s.Emit(EventKind::kTick, [](Event&) {});
  while (true) {
    s.DropStaleDeadlines();
    if (s.deadlines.empty() || s.deadlines.front().due > now) break;
    const AttemptId a = s.deadlines.front().attempt;
    if (s.rows[a].wants != 0) {
      s.PassDeadline(a);
    } else {
      s.Lose(a);
    }
  }
  s.Finish();
  return {};
}

Status Scheduler::Note(TimeNs now, std::string_view topic, std::string_view text, int32_t line) {
  Impl& s = *impl_;
  if (now < s.now) return s.Refuse(Code::kTimeBackwards, EventKind::kNote, "time", static_cast<uint64_t>(now));
  s.now = now;
  s.Emit(EventKind::kNote, [&](Event& e) {
    e.why = topic;
    e.text = text;
    e.line = line;
  });
  return {};
}

Status Scheduler::End(TimeNs now, bool ok, std::string_view error) {
  Impl& s = *impl_;
  if (Status bad = s.CheckOpen(now, EventKind::kEnd); !bad.ok()) return bad;
  s.now = now;
  s.end_time = now;
  s.Emit(EventKind::kEnd, [&](Event& e) {
    e.ok = ok;
    e.error = error;
  });
  s.ended = true;
  for (CallId c = 1; c <= s.calls(); ++c) {
    if (!IsTerminal(s.hot[c].state)) s.GiveUp(c, Reason::kEnd, "the program ended");
  }
  s.no_value.clear();
  s.look_again.clear();
  return {};
}

// ---- any input, as an event ----

Made Scheduler::Apply(const Event& e) {
  Impl& s = *impl_;
  auto only = [](Status status) { return Made{0, status}; };
  auto named = [&](Made made, uint32_t id, const char* what) -> Made {
    if (made.ok() && id != 0 && made.id != id) return {made.id, s.Refuse(Code::kBadValue, e.kind, what, id)};
    return made;
  };
  switch (e.kind) {
    case EventKind::kClass:
      return named(AddClass(e.t, e.name, e.limit), e.klass, "class");
    case EventKind::kRoot:
      return named(AddRoot(e.t, e.name, e.error), e.root, "root");
    case EventKind::kTool: {
      Contract c;
      c.name = e.name;
      c.effect = e.effect;
      c.failure = e.failure;
      c.klass = e.klass;
      c.cost = e.cost;
      c.root = e.root;
      c.cancellable = e.cancellable;
      c.deadline = e.deadline;
      c.retry = e.retry;
      c.early = e.early;
      c.reuse = e.reuse;
      return named(AddTool(e.t, c), e.tool, "tool");
    }
    case EventKind::kSite:
      return named(AddSite(e.t, {e.file, e.function, e.text, e.line, e.col, e.end_line, e.end_col}), e.site, "site");
    case EventKind::kScope: {
      ScopeInput in{e.parent, e.scope_kind, e.site, e.line, e.scope_state == ScopeState::kActive, e.name};
      return named(OpenScope(e.t, in), e.scope, "scope");
    }
    case EventKind::kScopeActive:
      return only(ActivateScope(e.t, e.scope));
    case EventKind::kScopeDead:
      return only(KillScope(e.t, e.scope));
    case EventKind::kScopeClosed:
      return only(CloseScope(e.t, e.scope));
    case EventKind::kBudget: {
      Status status;
      if (e.has_total) status = SetTotalBudget(e.t, e.total);
      if (status.ok() && e.has_early_limit) status = SetEarlyBudget(e.t, e.early_limit);
      if (status.ok() && e.has_limit) status = SetClassBudget(e.t, e.klass, e.limit);
      return only(status);
    }
    case EventKind::kArrive: {
      ArriveInput in{e.tool, e.site, e.scope, e.early, e.guess, e.parent, e.deps, e.order};
      return named(Arrive(e.t, in), e.call, "call");
    }
    case EventKind::kArgs:
      return only(Args(e.t, e.call, e.key, e.text));
    case EventKind::kReach:
      if (e.scope != 0 && e.call != 0 && e.call <= s.calls() && e.scope < s.scopes.size() && e.site < s.sites.size()) {
        ReachInput place;
        place.site = e.site;
        place.scope = e.scope;
        place.order = e.order;
        return only(SchedulerInputs::Reach(*this, s, e.t, e.call, &place));
      }
      return only(Reach(e.t, e.call));
    case EventKind::kComplete:
      return only(Complete(e.t, e.attempt, e.bytes, e.text));
    case EventKind::kFail:
      return only(Fail(e.t, e.attempt, e.failure, e.error, e.text));
    case EventKind::kStopped:
      return only(Stopped(e.t, e.attempt));
    case EventKind::kCancel:
      return only(Cancel(e.t, e.call, e.why));
    case EventKind::kConsume:
      return only(Consume(e.t, e.call));
    case EventKind::kTick:
      return only(Tick(e.t));
    case EventKind::kNote:
      return only(Note(e.t, e.why, e.text, e.line));
    case EventKind::kEnd:
      return only(End(e.t, e.ok, e.error));
    default:
      return only(s.Refuse(Code::kBadValue, e.kind, "kind", static_cast<uint64_t>(e.kind)));
  }
}

}  // namespace pysolate
