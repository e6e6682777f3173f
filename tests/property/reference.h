// The scheduler once more, written to be read: no index, no counter, no list that could go stale. Every question is
// answered by looking at all calls and attempts. The real one must decide the same on every input.
#ifndef PYSOLATE_TESTS_PROPERTY_REFERENCE_H_
#define PYSOLATE_TESTS_PROPERTY_REFERENCE_H_

#include <algorithm>
#include <string>
#include <vector>

#include "pysolate/scheduler.h"

namespace pysolate::testing {

class Reference {
 public:
  struct Class {
    uint32_t limit = kUnlimited;
  };
  struct Scope {
    ScopeId parent = 0;
    ScopeState state = ScopeState::kActive;
  };
  struct Call {
    CallId id = 0;
    ToolId tool = 0;
    ScopeId scope = 1;
    ArgsKey key = 0;
    AttemptId attempt = 0, parent = 0;
    std::string order;
    std::vector<CallId> deps;
    std::vector<bool> got;  // per dependency: its value was there
    bool doomed = false;    // an input had no value and never will when it arrived
    CallState state = CallState::kWaiting;
    bool early = false, guess = false, reached = false, args = false, refused = false, failed = false;
    bool needs_reach = false, timed_out = false;
    uint32_t tries = 0, version = 0;
    uint64_t reach_turn = 0;  // when control came
    bool listed = false;      // control can be matched with it
  };
  struct Attempt {
    AttemptId id = 0;
    CallId call = 0;
    std::vector<CallId> bound;  // in the order in which they joined
    AttemptState state = AttemptState::kRunning;
    Book book = Book::kRunning;
    bool early = false, child = false, abandoned = false, past_deadline = false;
    bool shared = false, kept = false;  // others may join
    uint32_t cost = 0, version = 0;
    int64_t bytes = 0;
    uint64_t kept_turn = 0;  // since when its kept result is where it is
    int kept_place = 0;      // 0 in use, 1 taken, 2 untaken
    TimeNs due = -1;
  };

  explicit Reference(const RunOptions& run)
      : mode(run.mode),
        speculate(run.speculate),
        result_bytes(run.result_bytes),
        total(run.total),
        early(run.early_limit),
        orphan_after(run.orphan_deadline) {}

  // ---- set-up ----
  std::vector<Contract> tools{{}};
  std::vector<Class> classes{{}};
  std::vector<uint32_t> root_versions{0};
  std::vector<Scope> scopes{{}};
  std::vector<Call> calls{{}};
  std::vector<Attempt> attempts{{}};
  std::vector<std::string> decisions;  // of the last input
  bool ended = false;
  TimeNs now = 0;

  // ---- inputs; each answers as the real one does ----

  Code Open(ScopeId parent, bool active) {
    if (ended) return Code::kRunEnded;
    if (parent >= scopes.size() || (parent == 0) != (scopes.size() == 1)) return Code::kUnknownId;
    if (parent != 0 && Over(parent)) return Code::kScopeEnded;
    scopes.push_back({parent, active ? ScopeState::kActive : ScopeState::kPending});
    return Code::kOk;
  }

  Code Activate(ScopeId s) {
    if (ended) return Code::kRunEnded;
    if (s == 0 || s >= scopes.size()) return Code::kUnknownId;
    if (Over(s)) return Code::kScopeEnded;
    if (scopes[s].state == ScopeState::kActive) return Code::kScopeKnown;
    scopes[s].state = ScopeState::kActive;
    Finish();
    return Code::kOk;
  }

  Code EndScope(ScopeId s, ScopeState state) {
    if (ended) return Code::kRunEnded;
    if (s == 0 || s >= scopes.size()) return Code::kUnknownId;
    if (Over(s)) return Code::kScopeEnded;
    for (ScopeId x = 1; x < scopes.size(); ++x) {
      if (Inside(x, s) && !Over(x)) scopes[x].state = state;
    }
    for (Call& c : calls) {
      if (c.id != 0 && !IsTerminal(c.state) && Over(c.scope)) GiveUp(c);
    }
    Finish();
    return Code::kOk;
  }

  Code Budget(uint32_t* which, uint32_t limit) {
    if (ended) return Code::kRunEnded;
    *which = limit;
    Finish();
    return Code::kOk;
  }

  Code Arrive(const ArriveInput& in) {
    if (ended) return Code::kRunEnded;
    if (in.tool == 0 || in.tool >= tools.size()) return Code::kUnknownId;
    if (in.scope == 0 || in.scope >= scopes.size()) return Code::kUnknownId;
    if (Code bad = Running(in.parent); in.parent != 0 && bad != Code::kOk) return bad;
    for (CallId d : in.deps) {
      if (d == 0) return Code::kUnknownId;
      if (d >= calls.size()) return Code::kBadDependency;
    }
    if (!in.early && Over(in.scope)) return Code::kScopeEnded;
    Add(in);
    Finish();
    return Code::kOk;
  }

  Code Args(CallId c, ArgsKey key) {
    if (Code bad = Known(c); bad != Code::kOk) return bad;
    if (IsTerminal(calls[c].state)) return Code::kCallEnded;
    if (calls[c].args) return Code::kArgsKnown;
    SetArgs(calls[c], key);
    Finish();
    return Code::kOk;
  }

  Code Reach(CallId c) {
    if (Code bad = Known(c); bad != Code::kOk) return bad;
    if (IsTerminal(calls[c].state)) return Code::kCallEnded;
    if (calls[c].reached) return Code::kAlreadyReached;
    return ReachAt(c, calls[c].scope, calls[c].order);
  }

  Code ReachCall(const ReachInput& in, CallId* id) {
    if (ended) return Code::kRunEnded;
    if (in.tool == 0 || in.tool >= tools.size()) return Code::kUnknownId;
    if (in.scope == 0 || in.scope >= scopes.size()) return Code::kUnknownId;
    if (Code bad = Running(in.parent); in.parent != 0 && bad != Code::kOk) return bad;
    if (Over(in.scope)) return Code::kScopeEnded;
    if (in.key != 0 && in.parent == 0 && mode == Mode::kOverlap) {
      Call* oldest = nullptr;
      for (Call& c : calls) {
        if (!c.listed || c.reached || IsTerminal(c.state) || c.tool != in.tool || c.key != in.key) continue;
        if (c.version != VersionOf(c)) continue;
        if (oldest == nullptr) oldest = &c;
      }
      if (oldest != nullptr) {
        *id = oldest->id;
        if (Code code = ReachAt(*id, in.scope, std::string(in.order)); code != Code::kCallEnded) return code;
      }
    }
    ArriveInput arrive;
    arrive.tool = in.tool;
    arrive.scope = in.scope;
    arrive.early = false;
    arrive.parent = in.parent;
    arrive.order = in.order;
    *id = Add(arrive);
    SetArgs(calls[*id], in.key);
    return ReachAt(*id, in.scope, std::string(in.order));
  }

  Code Complete(AttemptId a, int64_t bytes) {
    if (Code bad = Running(a); bad != Code::kOk) return bad;
    Attempt& t = attempts[a];
    t.state = AttemptState::kSucceeded;
    EndChildren(a);
    if (Wanted(t).empty()) {
      t.book = Book::kLate;
      Say("late #" + Id(a) + " ok");
      Finish();
      return Code::kOk;
    }
    const std::vector<CallId> takers = Wanted(t);
    const bool one = bytes == 0 && takers.size() > 1;
    const CallId only = one ? Taker(takers, false) : 0;
    t.kept = t.shared && bytes > 0;
    t.shared = t.kept;
    t.bytes = bytes;
    Place(t);
    for (CallId c : takers) {
      if (!one || c == only) {
        Settle(calls[c], true);
      } else {
        Restart(calls[c], false);
      }
    }
    Finish();
    return Code::kOk;
  }

  Code Fail(AttemptId a, Failure failure) {
    if (Code bad = Running(a); bad != Code::kOk) return bad;
    Attempt& t = attempts[a];
    t.state = AttemptState::kFailed;
    EndChildren(a);
    if (Wanted(t).empty()) {
      t.book = Book::kLate;
      Say("late #" + Id(a) + " failed");
    } else {
      HandOutFailure(a, failure, false);
    }
    Finish();
    return Code::kOk;
  }

  Code Stopped(AttemptId a) {
    if (Code bad = Running(a); bad != Code::kOk) return bad;
    if (!Wanted(attempts[a]).empty()) return Code::kNotCancelled;
    attempts[a].state = AttemptState::kCancelled;
    attempts[a].book = Book::kCancelled;
    Say("cancelled #" + Id(a));
    EndChildren(a);
    Finish();
    return Code::kOk;
  }

  Code Cancel(CallId c) {
    if (Code bad = Known(c); bad != Code::kOk) return bad;
    if (IsTerminal(calls[c].state)) return Code::kCallEnded;
    GiveUp(calls[c]);
    Finish();
    return Code::kOk;
  }

  Code Consume(CallId c) {
    if (Code bad = Known(c); bad != Code::kOk) return bad;
    Call& call = calls[c];
    if (IsTerminal(call.state)) return Code::kCallEnded;
    if (!call.reached) return Code::kNotReached;
    if (call.state != CallState::kSettled) return Code::kNotSettled;
    call.state = CallState::kConsumed;
    if (call.failed) last_failure_ = c;
    if (!call.timed_out) {
      Attempt& t = attempts[call.attempt];
      if (t.book == Book::kRunning) t.book = Book::kConsumed;
      Place(t);
    }
    Finish();
    return Code::kOk;
  }

  Code Tick() {
    while (true) {
      Attempt* due = nullptr;
      for (Attempt& t : attempts) {
        if (t.id == 0 || t.state != AttemptState::kRunning || t.due < 0 || t.due > now) continue;
        if (due == nullptr || t.due < due->due) due = &t;
      }
      if (due == nullptr) break;
      if (Wanted(*due).empty()) {
        due->state = AttemptState::kLost;
        due->book = Book::kLost;
        Say("lost #" + Id(due->id));
        EndChildren(due->id);
      } else {
        due->past_deadline = true;
        Abandon(*due);
        HandOutFailure(due->id, Failure::kDeadline, true);
      }
    }
    Finish();
    return Code::kOk;
  }

  Code End() {
    if (ended) return Code::kRunEnded;
    ended = true;
    for (size_t i = 1; i < calls.size(); ++i) {
      if (!IsTerminal(calls[i].state)) GiveUp(calls[i]);
    }
    return Code::kOk;
  }

  // ---- what is so at this moment ----

  // The calls that a budget may be shut for, in pop order.
  std::vector<CallId> Frontier() const {
    std::vector<CallId> ids;
    for (const Call& c : calls) {
      if (c.id != 0 && c.state == CallState::kReady) ids.push_back(c.id);
    }
    std::sort(ids.begin(), ids.end(), [&](CallId a, CallId b) {
      if (calls[a].reached != calls[b].reached) return calls[a].reached;
      return Before(calls[a], calls[b]);
    });
    return ids;
  }

  uint32_t Held(ClassId klass, bool only_unreached) const {
    uint32_t sum = 0;
    for (const Attempt& t : attempts) {
      if (t.id == 0 || t.state != AttemptState::kRunning || t.child) continue;
      if (only_unreached && WantedByReached(t)) continue;
      if (klass == 0) {
        ++sum;
      } else if (ContractOf(t.call).klass == klass) {
        sum += t.cost;
      }
    }
    return sum;
  }

  Mode mode;
  bool speculate;
  int64_t result_bytes;
  uint32_t total, early;
  int64_t orphan_after;

 private:
  static std::string Id(uint32_t id) { return std::to_string(id); }
  void Say(std::string text) { decisions.push_back(std::move(text)); }
  const Contract& ContractOf(CallId c) const { return tools[calls[c].tool]; }
  bool IsEffect(const Call& c) const { return !IsRepeatable(tools[c.tool].effect); }
  uint32_t VersionOf(const Call& c) const { return root_versions[tools[c.tool].root]; }
  bool Shareable(const Call& c) const {
    return c.key != 0 && tools[c.tool].reuse && !IsEffect(c) && mode == Mode::kOverlap && c.parent == 0;
  }
  bool Over(ScopeId s) const { return scopes[s].state == ScopeState::kDead || scopes[s].state == ScopeState::kClosed; }
  bool Inside(ScopeId s, ScopeId top) const {
    for (; s != 0; s = scopes[s].parent) {
      if (s == top) return true;
    }
    return false;
  }
  bool ActiveThroughout(ScopeId s) const {
    for (; s != 0; s = scopes[s].parent) {
      if (scopes[s].state != ScopeState::kActive) return false;
    }
    return true;
  }
  static bool Before(const Call& a, const Call& b) { return a.order != b.order ? a.order < b.order : a.id < b.id; }
  static bool HasValue(const Call& c) {
    return (c.state == CallState::kSettled || c.state == CallState::kConsumed) && !c.failed;
  }

  Code Known(CallId c) const {
    if (ended) return Code::kRunEnded;
    return c == 0 || c >= calls.size() ? Code::kUnknownId : Code::kOk;
  }
  Code Running(AttemptId a) const {
    if (a == 0 || a >= attempts.size()) return Code::kUnknownId;
    if (attempts[a].state == AttemptState::kLost) return Code::kAttemptLost;
    return attempts[a].state == AttemptState::kRunning ? Code::kOk : Code::kAttemptEnded;
  }

  // The live calls that want an attempt's outcome.
  std::vector<CallId> Wanted(const Attempt& t) const {
    std::vector<CallId> live;
    for (CallId c : t.bound) {
      const Call& call = calls[c];
      if (call.attempt != t.id || call.timed_out) continue;
      if (call.state == CallState::kDispatched || call.state == CallState::kSettled) live.push_back(c);
    }
    return live;
  }
  bool WantedByReached(const Attempt& t) const {
    for (CallId c : Wanted(t)) {
      if (calls[c].reached) return true;
    }
    return false;
  }
  CallId Taker(const std::vector<CallId>& takers, bool reached_only) const {
    for (CallId c : takers) {
      if (calls[c].reached) return c;
    }
    return reached_only ? 0 : takers.front();
  }

  // ---- the life of a call ----

  CallId Add(const ArriveInput& in) {
    Call c;
    c.id = static_cast<CallId>(calls.size());
    c.tool = in.tool;
    c.scope = in.scope;
    c.early = in.early;
    c.guess = in.guess;
    c.parent = in.parent;
    c.deps.assign(in.deps.begin(), in.deps.end());
    c.order = in.order;
    for (CallId d : c.deps) {
      c.got.push_back(HasValue(calls[d]));
      c.doomed = c.doomed || (!HasValue(calls[d]) && (calls[d].failed || IsTerminal(calls[d].state)));
    }
    calls.push_back(c);
    Call& call = calls.back();
    if (call.early && Over(call.scope)) {
      Refuse(call);
      End(call, CallState::kDiscarded, "discard");
      return call.id;
    }
    const Contract& contract = tools[call.tool];
    if (call.early && (mode == Mode::kSequential || call.parent != 0 || IsEffect(call) || !contract.early))
      Refuse(call);
    return call.id;
  }

  void Refuse(Call& c) {
    c.refused = true;
    Say("refuse " + Id(c.id));
  }

  void SetArgs(Call& c, ArgsKey key) {
    c.args = true;
    c.key = key;
    if (c.early && !c.reached && !c.refused && key == 0) Refuse(c);
    ListIfKnown(c);
  }

  bool ArgumentsOpen(const Call& c) const {
    if (!c.args) return false;
    return std::all_of(c.got.begin(), c.got.end(), [](bool there) { return there; });
  }

  void ListIfKnown(Call& c) {
    if (c.listed || !c.early || c.reached || c.parent != 0 || c.key == 0 || mode == Mode::kSequential) return;
    if (!ArgumentsOpen(c)) return;
    c.listed = true;
    c.version = VersionOf(c);
  }

  Code ReachAt(CallId id, ScopeId scope, const std::string& order) {
    if (Over(scope)) return Code::kScopeEnded;
    std::vector<ScopeId> pending;
    for (ScopeId s = scope; s != 0; s = scopes[s].parent) {
      if (scopes[s].state == ScopeState::kPending) pending.push_back(s);
    }
    for (size_t i = pending.size(); i-- > 0;) Activate(pending[i]);
    Call& c = calls[id];
    if (IsTerminal(c.state)) return Code::kCallEnded;
    c.scope = scope;
    c.order = order;
    c.reached = true;
    c.reach_turn = ++turn_;
    if (c.early) Say("promote " + Id(id));
    if (c.needs_reach) {
      c.needs_reach = false;
      c.tries = 0;
    }
    const bool bound = c.state == CallState::kDispatched || c.state == CallState::kSettled;
    if (bound && c.listed && c.version != VersionOf(c)) {
      // It read an older version: its value is none for this place.
      Attempt& t = attempts[c.attempt];
      Restart(c, false);
      Dropped(t);
    } else if (bound) {
      Place(attempts[c.attempt]);
    } else if (c.state == CallState::kReady) {
      Join(c);
    }
    Finish();
    return Code::kOk;
  }

  void Settle(Call& c, bool ok) {
    c.state = CallState::kSettled;
    c.failed = !ok;
    Say("settle " + Id(c.id) + " #" + Id(c.attempt) + (ok ? " ok" : " failed"));
    if (!ok) return;
    for (Call& d : calls) {
      for (size_t i = 0; i < d.deps.size(); ++i) {
        if (d.deps[i] == c.id) d.got[i] = true;
      }
      if (!IsTerminal(d.state)) ListIfKnown(d);
    }
  }

  void Restart(Call& c, bool needs_reach) {
    Say("retry " + Id(c.id) + " #" + Id(c.attempt));
    c.state = CallState::kWaiting;
    c.attempt = 0;
    c.failed = false;
    c.needs_reach = c.needs_reach || needs_reach;
  }

  void GiveUp(Call& c) {
    if (c.reached) {
      End(c, CallState::kCancelled, "call_cancelled");
    } else {
      End(c, CallState::kDiscarded, "discard");
    }
  }

  void End(Call& c, CallState to, const std::string& word) {
    if (c.state == CallState::kSettled && c.failed && last_failure_ != 0) {
      Say("suppress " + Id(c.id) + " by " + Id(last_failure_));
    }
    const bool bound = c.state == CallState::kDispatched || (c.state == CallState::kSettled && !c.timed_out);
    c.state = to;
    Say(word + " " + Id(c.id));
    if (bound) Dropped(attempts[c.attempt]);
  }

  // ---- the life of an attempt ----

  // A call let go of it.
  void Dropped(Attempt& t) {
    if (t.state == AttemptState::kRunning) {
      if (Wanted(t).empty()) Abandon(t);
      return;
    }
    if (Wanted(t).empty() && t.book == Book::kRunning) t.book = Book::kDiscarded;
    Place(t);
  }

  void Abandon(Attempt& t) {
    t.abandoned = true;
    t.shared = false;
    if (t.due < 0 || t.past_deadline) t.due = now + orphan_after;
    Say((ContractOf(t.call).cancellable ? "cancel_request #" : "orphan #") + Id(t.id));
  }

  void HandOutFailure(AttemptId a, Failure failure, bool past_deadline) {
    attempts[a].shared = false;
    const std::vector<CallId> takers = Wanted(attempts[a]);
    const CallId taker = Taker(takers, failure != Failure::kStable);
    bool taken = false;
    for (CallId id : takers) {
      Call& c = calls[id];
      const bool again = id == taker && c.tries < tools[c.tool].retry;
      if (id == taker && !again) {
        taken = true;
        c.timed_out = past_deadline;
        Settle(c, false);
      } else {
        if (again) ++c.tries;
        Restart(c, !c.reached && failure != Failure::kStable);
      }
    }
    if (!taken && !past_deadline) attempts[a].book = Book::kRetried;
  }

  void EndChildren(AttemptId a) {
    for (size_t i = 1; i < calls.size(); ++i) {
      if (calls[i].parent == a && !IsTerminal(calls[i].state)) GiveUp(calls[i]);
    }
  }

  // ---- kept results ----

  void Place(Attempt& t) {
    if (!t.kept) return;
    const bool wanted = !Wanted(t).empty();
    if (!wanted && t.book != Book::kConsumed) {
      t.kept = t.shared = false;
      Say("evict #" + Id(t.id));
      return;
    }
    const int place = !wanted ? 1 : WantedByReached(t) ? 0 : 2;
    if (place == t.kept_place) return;
    t.kept_place = place;
    t.kept_turn = ++turn_;
  }

  int64_t KeptBytes(int place) const {
    int64_t sum = 0;
    for (const Attempt& t : attempts) {
      if (t.kept && (place < 0 || t.kept_place == place)) sum += t.bytes;
    }
    return sum;
  }

  void EvictOver() {
    while (KeptBytes(-1) > result_bytes) {
      Attempt* oldest_taken = nullptr;
      Attempt* newest_untaken = nullptr;
      for (Attempt& t : attempts) {
        if (!t.kept) continue;
        if (t.kept_place == 1 && (oldest_taken == nullptr || t.kept_turn < oldest_taken->kept_turn)) oldest_taken = &t;
        if (t.kept_place == 2 && (newest_untaken == nullptr || t.kept_turn > newest_untaken->kept_turn))
          newest_untaken = &t;
      }
      Attempt* victim = oldest_taken != nullptr ? oldest_taken : newest_untaken;
      if (victim == nullptr) return;
      victim->kept = victim->shared = false;
      Say("evict #" + Id(victim->id));
      if (victim == newest_untaken) {
        for (CallId c : Wanted(*victim)) End(calls[c], CallState::kDiscarded, "discard");
      }
    }
  }

  // ---- gates ----

  bool ControlOpen(const Call& c) const {
    if (c.reached) return true;
    if (!c.early) return false;
    return ActiveThroughout(c.scope) || (speculate && c.guess && !Over(c.scope));
  }

  bool ContractOpen(const Call& c) const {
    const Contract& contract = tools[c.tool];
    if (c.reached) {
      if (!IsEffect(c) || c.parent != 0) return true;
      for (const Attempt& t : attempts) {
        if (t.id != 0 && t.state == AttemptState::kRunning && !t.child && IsEffect(calls[t.call])) return false;
      }
      for (const Call& other : calls) {
        if (other.id == 0 || other.id == c.id || !other.reached || other.parent != 0 || !IsEffect(other)) continue;
        if (other.state <= CallState::kReady && other.reach_turn < c.reach_turn) return false;
      }
      return true;
    }
    if (c.refused || c.needs_reach || !c.early) return false;
    if (contract.root == 0) return true;
    for (const Attempt& t : attempts) {
      if (t.id == 0 || t.state != AttemptState::kRunning) continue;
      if (IsWrite(ContractOf(t.call).effect) && ContractOf(t.call).root == contract.root) return false;
    }
    for (const Call& w : calls) {
      if (w.id == 0 || w.state > CallState::kReady || tools[w.tool].root != contract.root) continue;
      if (IsWrite(tools[w.tool].effect) && Before(w, c)) return false;
    }
    return true;
  }

  static uint32_t Clamp(uint32_t cost, uint32_t limit) { return std::min(cost, limit); }

  bool BudgetOpen(const Call& c) const {
    const Contract& contract = tools[c.tool];
    if (total != kUnlimited && Held(0, false) >= total) return false;
    const uint32_t limit = classes[contract.klass].limit;
    if (contract.klass != 0 && limit != kUnlimited) {
      if (limit == 0 || Held(contract.klass, false) + Clamp(contract.cost, limit) > limit) return false;
    }
    if (c.reached) return true;
    const uint32_t unreached = Held(0, true);
    if (total != kUnlimited && unreached + 2 > total) return false;
    if (early != kUnlimited && unreached >= early) return false;
    if (KeptBytes(2) >= result_bytes) return false;
    if (contract.klass == 0 || limit == kUnlimited) return true;
    uint32_t costliest = 0;
    for (const Contract& t : tools) {
      if (t.klass == contract.klass) costliest = std::max(costliest, t.cost);
    }
    return Held(contract.klass, true) + Clamp(contract.cost, limit) + Clamp(costliest, limit) <= limit;
  }

  // ---- what follows from an input ----

  bool Join(Call& c) {
    if (!Shareable(c)) return false;
    for (Attempt& t : attempts) {
      if (!t.shared || calls[t.call].tool != c.tool || calls[t.call].key != c.key || t.version != VersionOf(c))
        continue;
      c.state = CallState::kDispatched;
      c.attempt = t.id;
      t.bound.push_back(c.id);
      Say("join " + Id(c.id) + " #" + Id(t.id));
      if (t.state == AttemptState::kSucceeded) {
        Place(t);
        Settle(c, true);
      }
      return true;
    }
    return false;
  }

  void FollowVersion(Call& c) {
    if (c.listed && !c.reached) c.version = VersionOf(c);
  }

  void Dispatch(Call& c) {
    const Contract& contract = tools[c.tool];
    Attempt t;
    t.id = static_cast<AttemptId>(attempts.size());
    t.call = c.id;
    t.bound = {c.id};
    t.early = !c.reached;
    t.child = c.parent != 0;
    t.cost = t.child ? 0 : contract.klass == 0 ? contract.cost : Clamp(contract.cost, classes[contract.klass].limit);
    t.version = VersionOf(c);
    t.shared = Shareable(c);
    for (const Attempt& other : attempts) {
      if (other.shared && calls[other.call].tool == c.tool && calls[other.call].key == c.key &&
          other.version == t.version) {
        t.shared = false;
      }
    }
    if (contract.deadline != 0) t.due = now + contract.deadline;
    attempts.push_back(t);
    c.state = CallState::kDispatched;
    c.attempt = t.id;
    Say("dispatch " + Id(c.id) + " #" + Id(t.id) + (t.early ? " early" : ""));
    if (IsWrite(contract.effect) && contract.root != 0) {
      Say("version " + Id(++root_versions[contract.root]) + " " + Id(c.id));
    }
  }

  bool SkipOne() {
    for (Call& c : calls) {
      if (c.id == 0 || IsTerminal(c.state)) continue;
      bool skip = c.doomed;
      for (size_t i = 0; i < c.deps.size(); ++i) {
        const Call& input = calls[c.deps[i]];
        skip = skip || (!c.got[i] && (input.failed || IsTerminal(input.state)));
      }
      if (!skip) continue;
      End(c, CallState::kSkipped, "skip");
      return true;
    }
    return false;
  }

  bool ReadyOne() {
    for (Call& c : calls) {
      if (c.id == 0 || c.state != CallState::kWaiting) continue;
      if (!ArgumentsOpen(c) || !ControlOpen(c) || !ContractOpen(c)) continue;
      FollowVersion(c);
      Say("ready " + Id(c.id));
      if (Join(c)) return true;
      c.state = CallState::kReady;
      if (c.parent != 0) Dispatch(c);
      return true;
    }
    return false;
  }

  bool PopOne() {
    for (CallId id : Frontier()) {
      Call& c = calls[id];
      if (!BudgetOpen(c)) continue;
      if (!c.reached) {
        FollowVersion(c);
        if (!ContractOpen(c)) {
          c.state = CallState::kWaiting;
          return true;
        }
      }
      if (!Join(c)) Dispatch(c);
      return true;
    }
    return false;
  }

  void Finish() {
    EvictOver();
    while (SkipOne() || (!ended && (ReadyOne() || PopOne()))) {
    }
  }

  CallId last_failure_ = 0;
  uint64_t turn_ = 0;
};

}  // namespace pysolate::testing

#endif  // PYSOLATE_TESTS_PROPERTY_REFERENCE_H_
