// How an event changes the store: the state machine of calls and attempts as the trace format describes it.
#include <algorithm>

#include "model/store.h"

namespace pysolate::viz {
namespace {

constexpr EventNo kCheckpointEvery = 256;
constexpr uint32_t kWalkable = 32;   // events of a call that a backward walk may take
constexpr size_t kInternable = 128;  // longer texts hardly repeat
constexpr size_t kArenaLimit = 0xfffffff0u;

uint64_t Hash(std::string_view s) {
  uint64_t h = 0xcbf29ce484222325u;
  for (const char c : s) h = (h ^ static_cast<uint8_t>(c)) * 0x100000001b3u;
  return h ^ (h >> 29);
}

bool IsGone(Look look) {
  return look == Look::kConsumed || look == Look::kConsumedFailed || look == Look::kDiscarded ||
         look == Look::kCancelled || look == Look::kSkipped || look >= Look::kOrphaned;
}

}  // namespace

TraceStore::TraceStore() {
  log_.emplace_back();
  arena_.push_back('\0');  // the empty string, TextRef 0
  by_kind_.resize(kEventKinds);
  look_checkpoint_.push_back({});
  fate_checkpoint_.push_back({});
  calls_.emplace_back();
  attempts_.emplace_back();
  tools_.emplace_back();
  sites_.emplace_back();
  scopes_.emplace_back();
  classes_.emplace_back();
  roots_.push_back(0);
  first_dependent_.push_back(0);
  next_dependent_.push_back(0);
  dependent_.push_back(0);
  first_of_site_.push_back(0);
  last_of_site_.push_back(0);
  next_of_site_.push_back(0);
}

void TraceStore::OnEvent(const Event& e) {
  const auto number = static_cast<EventNo>(log_.size());
  LogRow& row = log_.emplace_back();
  row.time = e.t;
  row.kind = e.kind;
  row.ok = e.ok;
  by_kind_[static_cast<size_t>(e.kind)].push_back(number);
  if (e.seq != last_seq_ + 1) seq_base_.push_back({number, e.seq});
  last_seq_ = e.seq;

  switch (e.kind) {
    case EventKind::kUnknown:
      Strange(Anomaly::kUnknownKind);
      break;
    case EventKind::kRun:
      OnRun(e);
      break;
    case EventKind::kClass:
    case EventKind::kRoot:
    case EventKind::kTool:
    case EventKind::kSite:
      OnThing(e);
      break;
    case EventKind::kScope:
    case EventKind::kScopeActive:
    case EventKind::kScopeDead:
    case EventKind::kScopeClosed:
      OnScope(e);
      break;
    case EventKind::kBudget:
      OnBudget(e);
      break;
    case EventKind::kTick:
      break;
    case EventKind::kNote:
      log_.back().other = static_cast<uint32_t>(e.line);
      log_.back().text = AddText(e.text);
      log_.back().why = Intern(e.why);
      break;
    case EventKind::kEnd:
      log_.back().why = Intern(e.error);
      if (end_event_ == 0) {
        end_event_ = number;
      } else {
        Strange(Anomaly::kEndedTwice);
      }
      break;
    case EventKind::kArrive:
      OnArrive(e);
      break;
    case EventKind::kDispatch:
      OnDispatch(e);
      break;
    case EventKind::kComplete:
    case EventKind::kFail:
    case EventKind::kStopped:
    case EventKind::kCancelRequest:
    case EventKind::kCancelled:
    case EventKind::kOrphan:
    case EventKind::kLate:
    case EventKind::kLost:
    case EventKind::kEvict:
      OnAttempt(e);
      break;
    case EventKind::kVersion:
      log_.back().other = Known(e.root, roots());
      LinkToCall(Known(e.call, calls()));
      break;
    default:
      OnCall(e);
      break;
  }
  if (number % kCheckpointEvery == 0) {
    look_checkpoint_.push_back(looks_now_);
    fate_checkpoint_.push_back(fates_now_);
  }
}

// ---- texts

TextRef TraceStore::AddText(std::string_view s) {
  if (s.empty()) return 0;
  if (arena_.size() + s.size() + 5 > kArenaLimit) {
    Strange(Anomaly::kTextTooLarge);
    return 0;
  }
  const auto ref = static_cast<TextRef>(arena_.size());
  auto length = static_cast<uint32_t>(s.size());
  while (length >= 0x80) {
    arena_.push_back(static_cast<char>(length | 0x80));
    length >>= 7;
  }
  arena_.push_back(static_cast<char>(length));
  arena_.append(s.data(), s.size());
  return ref;
}

TextRef TraceStore::Intern(std::string_view s) {
  if (s.empty()) return 0;
  if (s.size() > kInternable) return AddText(s);
  if (interned_ * 2 >= intern_slots_.size()) GrowInternSlots();
  const size_t mask = intern_slots_.size() - 1;
  for (size_t at = Hash(s) & mask;; at = (at + 1) & mask) {
    if (intern_slots_[at] == 0) {
      ++interned_;
      return intern_slots_[at] = AddText(s);
    }
    if (text(intern_slots_[at]) == s) return intern_slots_[at];
  }
}

void TraceStore::GrowInternSlots() {
  std::vector<TextRef> old(std::max<size_t>(64, intern_slots_.size() * 2), 0);
  old.swap(intern_slots_);
  const size_t mask = intern_slots_.size() - 1;
  for (const TextRef ref : old) {
    if (ref == 0) continue;
    size_t at = Hash(text(ref)) & mask;
    while (intern_slots_[at] != 0) at = (at + 1) & mask;
    intern_slots_[at] = ref;
  }
}

// ---- small steps

void TraceStore::Strange(Anomaly a) {
  AnomalyCount& c = anomalies_[static_cast<size_t>(a)];
  if (c.count++ == 0) c.first = events();
}

uint32_t TraceStore::Known(uint32_t id, uint32_t count) {
  if (id <= count) return id;
  Strange(Anomaly::kUnknownId);
  return 0;
}

bool TraceStore::IsNew(uint32_t id, uint32_t count) {
  if (id == count + 1) return true;
  Strange(Anomaly::kIdOutOfOrder);
  return false;
}

void TraceStore::LinkToCall(CallId id) {
  if (id == 0) return;
  const EventNo number = events();
  CallInfo& c = calls_[id];
  LogRow& row = log_.back();
  row.call = id;
  row.prev_of_call = c.last;
  c.last = number;
  // Until SetLook says otherwise the look stays.
  row.look_change = static_cast<uint8_t>(static_cast<uint8_t>(c.look) * 17);
  if (c.story < 255) ++c.story;
  if (c.story > kWalkable) {
    auto& story = long_stories_[id];
    if (story.empty()) {
      for (EventNo e = number; e != 0; e = log_[e].prev_of_call) story.push_back(e);
      std::reverse(story.begin(), story.end());
    } else {
      story.push_back(number);
    }
  }
}

void TraceStore::SetLook(CallId id, Look to) {
  CallInfo& c = calls_[id];
  const Look from = c.look;
  if (from == to) return;
  const EventNo number = events();
  c.look = to;
  log_.back().look_change = static_cast<uint8_t>((log_.back().look_change & 0xf0) | static_cast<uint8_t>(to));
  if (from != Look::kAbsent) --looks_now_[static_cast<size_t>(from)];
  ++looks_now_[static_cast<size_t>(to)];
  if (from == Look::kWaiting) waiting_.Close(c.open_slot, number);
  if (from == Look::kReady) ready_.Close(c.open_slot, number);
  if (to == Look::kWaiting) c.open_slot = waiting_.Append(number, id);
  if (to == Look::kReady) c.open_slot = ready_.Append(number, id);
}

void TraceStore::SetFate(AttemptId id, Fate to) {
  AttemptInfo& a = attempts_[id];
  const Fate from = a.fate;
  // Booked is booked, but for a kept result that was written off and is taken by a later call after all.
  const bool corrected = from == Fate::kDiscarded && to == Fate::kConsumed;
  if (from != Fate::kNone && from != Fate::kRunning && !corrected) return;
  const EventNo number = events();
  a.fate = to;
  if (to != Fate::kRunning) {
    a.booked = number;
    if (a.first_booked == 0) {
      a.first_booked = number;
      a.first_fate = to;
    }
  }
  log_.back().fate_change = static_cast<uint8_t>(static_cast<uint8_t>(from) << 4 | static_cast<uint8_t>(to));
  if (from != Fate::kNone) --fates_now_[static_cast<size_t>(from)];
  ++fates_now_[static_cast<size_t>(to)];
}

void TraceStore::Bind(CallId id, AttemptId attempt) {
  CallInfo& c = calls_[id];
  if (c.bound) Unbind(id);
  c.attempt = attempt;
  c.bound = true;
  c.dispatch = events();
  ++attempts_[attempt].bound;
  AttemptInfo& a = attempts_[attempt];
  if (a.end == 0) a.orphan = 0;  // it is wanted again
  if (c.reach != 0 && a.reached == 0) a.reached = events();
}

void TraceStore::Unbind(CallId id) {
  CallInfo& c = calls_[id];
  if (!c.bound) return;
  c.bound = false;
  --attempts_[c.attempt].bound;
}

// The look of a call that is over and whose attempt is of no further interest.
Look TraceStore::GoneLook(CallId id) const {
  switch (log_[calls_[id].end].kind) {
    case EventKind::kConsume:
      return calls_[id].ok ? Look::kConsumed : Look::kConsumedFailed;
    case EventKind::kSkip:
      return Look::kSkipped;
    case EventKind::kDiscard:
      return Look::kDiscarded;
    default:
      return Look::kCancelled;
  }
}

void TraceStore::EndCall(CallId id, Look to) {
  CallInfo& c = calls_[id];
  if (c.end != 0) {
    Strange(Anomaly::kEndedTwice);
    return;
  }
  c.end = events();
  const bool was_bound = c.bound;
  Unbind(id);
  if (was_bound) {
    const AttemptInfo& a = attempts_[c.attempt];
    const bool taken = to == Look::kConsumed || to == Look::kConsumedFailed;
    if (taken) {
      SetFate(c.attempt, Fate::kConsumed);
    } else if (a.bound == 0 && a.end != 0) {
      SetFate(c.attempt, Fate::kDiscarded);
    } else if (a.bound == 0 && a.orphan != 0 && a.call == id) {
      to = Look::kOrphaned;
    }
  }
  SetLook(id, to);
}

void TraceStore::EndAttempt(AttemptId id) {
  AttemptInfo& a = attempts_[id];
  if (a.end != 0) return;
  a.end = events();
  running_.Close(id - 1, a.end);
}

// ---- things

void TraceStore::OnRun(const Event& e) {
  if (events() != 1) {
    Strange(Anomaly::kIdOutOfOrder);
    return;
  }
  run_.program = e.name;
  run_.mode = e.why;
  run_.clock = e.error;
  run_.policy = e.order;
  run_.producer = e.producer;
  run_.source = e.text;
  run_.has_source = !e.text.empty();
  run_.version = e.version;
  run_.unit = e.unit;
  run_.result_bytes = e.bytes;
  run_.speculate = e.speculate;
}

void TraceStore::OnThing(const Event& e) {
  switch (e.kind) {
    case EventKind::kClass: {
      log_.back().other = e.klass;
      if (!IsNew(e.klass, classes())) return;
      classes_.push_back({Intern(e.name)});
      AddLimit(e.klass, e.limit);
      return;
    }
    case EventKind::kRoot:
      log_.back().other = e.root;
      if (IsNew(e.root, roots())) roots_.push_back(Intern(e.name));
      return;
    case EventKind::kTool: {
      log_.back().other = e.tool;
      if (!IsNew(e.tool, tools())) return;
      ToolInfo t;
      t.name = Intern(e.name);
      t.effect = e.effect;
      t.failure = e.failure;
      t.klass = Known(e.klass, classes());
      t.root = Known(e.root, roots());
      t.cost = e.cost;
      t.retry = e.retry;
      t.deadline = e.deadline;
      t.cancellable = e.cancellable;
      t.early = e.early;
      t.reuse = e.reuse;
      tools_.push_back(t);
      return;
    }
    default: {
      log_.back().other = e.site;
      if (!IsNew(e.site, sites())) return;
      SiteInfo s;
      s.file = Intern(e.file);
      s.function = Intern(e.function);
      s.text = AddText(e.text);
      s.line = e.line;
      s.col = e.col;
      s.end_line = e.end_line;
      s.end_col = e.end_col;
      sites_.push_back(s);
      first_of_site_.push_back(0);
      last_of_site_.push_back(0);
      return;
    }
  }
}

void TraceStore::OnScope(const Event& e) {
  if (e.kind == EventKind::kScope) {
    log_.back().other = e.scope;
    if (!IsNew(e.scope, scopes())) return;
    ScopeInfo s;
    s.parent = Known(e.parent, scopes());
    s.kind = e.scope_kind;
    s.born_active = e.scope_state == ScopeState::kActive;
    s.site = Known(e.site, sites());
    s.line = e.line;
    s.name = Intern(e.name);
    s.depth = scopes_[s.parent].depth + 1;
    s.opened = events();
    scopes_.push_back(s);
    return;
  }
  const ScopeId id = Known(e.scope, scopes());
  log_.back().other = id;
  if (id == 0) return;
  ScopeInfo& s = scopes_[id];
  if (e.kind == EventKind::kScopeActive) {
    if (s.activated == 0) s.activated = events();
  } else if (s.ended == 0) {
    s.ended = events();
    s.dead = e.kind == EventKind::kScopeDead;
  } else {
    Strange(Anomaly::kEndedTwice);
  }
}

void TraceStore::AddLimit(uint32_t klass, uint32_t limit) {
  const LimitChange change{events(), klass, limit};
  limits_.push_back(change);
  limits_of_[klass].push_back(change);
}

void TraceStore::OnBudget(const Event& e) {
  if (e.has_total) AddLimit(0, e.total);
  if (e.has_early_limit) AddLimit(kUnlimited, e.early_limit);
  if (e.has_limit && e.klass != 0) {
    const ClassId id = Known(e.klass, classes());
    log_.back().other = id;
    if (id != 0) AddLimit(id, e.limit);
  }
}

// ---- calls

void TraceStore::OnArrive(const Event& e) {
  if (!IsNew(e.call, calls())) return;
  CallInfo c;
  c.arrive = events();
  c.tool = Known(e.tool, tools());
  c.site = Known(e.site, sites());
  c.scope = Known(e.scope, scopes());
  c.parent = Known(e.parent, attempts());
  c.early = e.early;
  c.guess = e.guess;
  if (!e.early) c.reach = c.arrive;
  c.order = AddText(e.order);
  c.deps_begin = static_cast<uint32_t>(deps_.size());
  for (const CallId dep : e.deps) {
    // Only calls before this one: so the graph has no cycle, whatever a trace says.
    if (Known(dep, calls()) == 0) continue;
    deps_.push_back(dep);
    ++c.deps_count;
    ++calls_[dep].dependents;
    dependent_.push_back(e.call);
    next_dependent_.push_back(first_dependent_[dep]);
    first_dependent_[dep] = static_cast<uint32_t>(dependent_.size() - 1);
  }
  calls_.push_back(c);
  first_dependent_.push_back(0);
  next_of_site_.push_back(0);
  SiteInfo& site = sites_[c.site];
  if (site.calls++ == 0) {
    site.tool = c.tool;
    first_of_site_[c.site] = e.call;
  } else {
    next_of_site_[last_of_site_[c.site]] = e.call;
  }
  last_of_site_[c.site] = e.call;
  LinkToCall(e.call);
  SetLook(e.call, Look::kWaiting);
}

void TraceStore::OnDispatch(const Event& e) {
  if (!IsNew(e.attempt, attempts())) return;
  AttemptInfo a;
  a.dispatch = events();
  a.call = Known(e.call, calls());
  a.parent = Known(e.parent, attempts());
  a.cost = e.cost;
  a.early = e.early;
  attempts_.push_back(a);
  running_.Append(events(), e.attempt);
  log_.back().other = e.attempt;
  SetFate(e.attempt, Fate::kRunning);
  if (a.call == 0) return;
  LinkToCall(a.call);
  const CallInfo& c = calls_[a.call];
  if (c.end != 0) {
    Strange(Anomaly::kEndedTwice);
    return;
  }
  if (c.look != Look::kReady && !c.retried) Strange(Anomaly::kNotReady);
  Bind(a.call, e.attempt);
  SetLook(a.call, Look::kDispatched);
}

void TraceStore::OnCall(const Event& e) {
  const CallId id = e.call == 0 ? 0 : Known(e.call, calls());
  if (id == 0) {
    if (e.kind != EventKind::kRefuse) Strange(Anomaly::kUnknownId);
    log_.back().why = Intern(e.why);
    return;
  }
  LinkToCall(id);
  CallInfo& c = calls_[id];
  const EventNo number = events();
  switch (e.kind) {
    case EventKind::kArgs:
      c.args = number;
      c.key = e.key;
      c.args_text = log_.back().text = AddText(e.text);
      break;
    case EventKind::kPromote:
      if (c.promote == 0) c.promote = number;
      [[fallthrough]];
    case EventKind::kReach:
      if (c.reach == 0) c.reach = number;
      if (c.bound && attempts_[c.attempt].reached == 0) attempts_[c.attempt].reached = number;
      break;
    case EventKind::kReady:
      // A ready call may have gone back behind a write without an event; it is then ready once more.
      if (c.look != Look::kWaiting && c.look != Look::kReady) {
        Strange(Anomaly::kNotReady);
      } else {
        c.ready = number;
        SetLook(id, Look::kReady);
      }
      break;
    case EventKind::kJoin: {
      const AttemptId attempt = Known(e.attempt, attempts());
      log_.back().other = attempt;
      if (attempt == 0 || IsGone(c.look)) {
        Strange(attempt == 0 ? Anomaly::kUnknownId : Anomaly::kEndedTwice);
        break;
      }
      Bind(id, attempt);
      c.joined = true;
      SetLook(id, Look::kDispatched);
      break;
    }
    case EventKind::kSettle:
      log_.back().other = Known(e.attempt, attempts());
      if (c.look != Look::kDispatched) {
        Strange(IsGone(c.look) ? Anomaly::kEndedTwice : Anomaly::kNotReady);
        break;
      }
      c.settle = number;
      c.ok = e.ok;
      // Its deadline failed the call while the attempt runs on: that is not the call's own any more.
      if (attempts_[c.attempt].end == 0) Unbind(id);
      SetLook(id, e.ok ? Look::kSettled : Look::kSettledFailed);
      break;
    case EventKind::kRetry: {
      const AttemptId attempt = Known(e.attempt, attempts());
      log_.back().other = attempt;
      if (IsGone(c.look)) {
        Strange(Anomaly::kEndedTwice);
        break;
      }
      Unbind(id);
      c.retried = true;
      c.settle = 0;
      if (attempt != 0 && attempts_[attempt].bound == 0 && attempts_[attempt].end != 0)
        SetFate(attempt, Fate::kRetried);
      SetLook(id, Look::kWaiting);
      break;
    }
    case EventKind::kConsume:
      if (c.look != Look::kSettled && c.look != Look::kSettledFailed) {
        Strange(IsGone(c.look) ? Anomaly::kEndedTwice : Anomaly::kNotReady);
        break;
      }
      EndCall(id, c.ok ? Look::kConsumed : Look::kConsumedFailed);
      break;
    case EventKind::kSkip:
      c.by = log_.back().other = Known(e.by, calls());
      EndCall(id, Look::kSkipped);
      break;
    case EventKind::kSuppress:
      c.by = log_.back().other = Known(e.by, calls());
      break;
    case EventKind::kDiscard:
      log_.back().why = Intern(e.why);
      EndCall(id, Look::kDiscarded);
      break;
    case EventKind::kCallCancelled:
      log_.back().why = Intern(e.why);
      EndCall(id, Look::kCancelled);
      break;
    default:  // cancel, refuse: a remark on the call
      log_.back().why = Intern(e.why);
      break;
  }
}

// ---- attempts

void TraceStore::OnAttempt(const Event& e) {
  const AttemptId id = e.attempt == 0 ? 0 : Known(e.attempt, attempts());
  log_.back().other = id;
  log_.back().why = Intern(e.kind == EventKind::kFail ? e.error : e.why);
  if (e.kind == EventKind::kComplete || e.kind == EventKind::kFail) log_.back().text = AddText(e.text);
  if (id == 0) {
    Strange(Anomaly::kUnknownId);
    return;
  }
  AttemptInfo& a = attempts_[id];
  const EventNo number = events();
  const CallId owner = a.call;
  LinkToCall(owner);
  const bool owner_is_orphan = owner != 0 && calls_[owner].look == Look::kOrphaned;
  switch (e.kind) {
    case EventKind::kComplete:
    case EventKind::kFail:
      if (a.end != 0) {
        // After `lost` a late answer is ignored by right; otherwise the trace lies.
        if (a.fate != Fate::kLost) Strange(Anomaly::kEndedTwice);
        break;
      }
      a.outcome = number;
      a.ok = e.kind == EventKind::kComplete;
      EndAttempt(id);
      // Orphaned once, then wanted again by a later call: its first call is simply over.
      if (owner_is_orphan && a.orphan == 0) SetLook(owner, GoneLook(owner));
      break;
    case EventKind::kStopped:
      if (a.end != 0 && a.fate != Fate::kLost) Strange(Anomaly::kEndedTwice);
      EndAttempt(id);
      break;
    case EventKind::kCancelled:
      EndAttempt(id);
      SetFate(id, Fate::kCancelled);
      if (owner_is_orphan) SetLook(owner, GoneLook(owner));
      break;
    case EventKind::kLate:
      EndAttempt(id);
      SetFate(id, Fate::kLate);
      if (owner_is_orphan) SetLook(owner, e.ok ? Look::kLateOk : Look::kLateFailed);
      break;
    case EventKind::kLost:
      EndAttempt(id);
      SetFate(id, Fate::kLost);
      if (owner_is_orphan) SetLook(owner, Look::kLost);
      break;
    case EventKind::kCancelRequest:
    case EventKind::kOrphan:
      // A cancel goes out when the last call that wants the attempt is gone, so both say that nobody does.
      if (a.end != 0) {
        Strange(Anomaly::kNotRunning);
        break;
      }
      if (e.kind == EventKind::kCancelRequest) a.cancel_request = number;
      if (a.orphan == 0) a.orphan = number;
      if (owner != 0 && calls_[owner].end != 0 && calls_[owner].attempt == id) SetLook(owner, Look::kOrphaned);
      break;
    default:
      a.evict = number;
      break;
  }
}

}  // namespace pysolate::viz
