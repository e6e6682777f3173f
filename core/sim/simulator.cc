#include "sim/simulator.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <queue>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "pysolate/contract.h"
#include "pysolate/scheduler.h"
#include "pysolate/trace.h"
#include "trace/json_text.h"

namespace pysolate::sim {
namespace {

constexpr std::string_view kPolicyNames[] = {"sequential", "levels", "greedy", "pysolate"};
constexpr TimeNs kEndOfTime = 8'000'000'000'000'000'000;

uint64_t Mix(uint64_t x) {
  // The finalizer of SplitMix64 (Steele et al. 2014).
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

double Fraction(uint64_t bits) { return static_cast<double>(bits >> 11) * 0x1.0p-53; }  // in [0, 1)

// Hears the scheduler and passes on to trace and index.
class Tee final : public EventSink {
 public:
  void OnEvent(const Event& e) override {
    writer.OnEvent(e);
    index.OnEvent(e);
  }
  TraceWriter writer;
  TraceIndex index;
};

class Simulation {
 public:
  Simulation(const Scenario& scenario, const SimOptions& options)
      : s_(scenario),
        options_(options),
        in_program_order_(options.policy == SimPolicy::kPysolate || options.policy == SimPolicy::kSequential),
        scheduler_(Options(), &tee_),
        calls_(scenario.calls.size()),
        scopes_(scenario.scopes.size()),
        unmade_(scenario.calls.size()) {}

  SimResult Run() {
    Introduce();
    while (true) {
      Pump();
      if (!Next()) break;
    }
    return Result();
  }

 private:
  enum class What : uint8_t { kBudget, kScope, kArrive, kWake, kDone };  // in this order at equal times
  struct Due {
    TimeNs t;
    What what;
    uint64_t tie;
    uint64_t serial;
    uint32_t id;
    bool operator>(const Due& o) const {
      if (t != o.t) return t > o.t;
      if (what != o.what) return what > o.what;
      if (tie != o.tie) return tie > o.tie;
      return serial > o.serial;
    }
  };
  struct Call {
    CallId id = 0;         // of the scheduler; 0: not made
    bool arrived = false;  // its time has come
    bool passed = false;   // control went past it, or it will never be made
    uint32_t tries = 0;
    std::vector<uint32_t> waiting;  // calls that can be announced when this one is made or passed
  };
  struct Scope {
    ScopeId id = 0;
    bool known = false;
  };

  RunOptions Options() const {
    RunOptions o;
    o.program = s_.name;
    o.mode = options_.policy == SimPolicy::kSequential ? Mode::kSequential : Mode::kOverlap;
    o.policy = s_.critical_path ? Policy::kCriticalPath : Policy::kOrder;
    o.speculate = s_.speculate;
    o.unit = s_.unit;
    o.producer = "pysolate simulate";
    o.total = options_.total.value_or(s_.total);
    o.early_limit = s_.early;
    return o;
  }

  void At(TimeNs t, What what, uint32_t id) {
    uint64_t tie = 0;
    if (what == What::kDone && options_.order_seed != 0) tie = Mix(options_.order_seed ^ Mix(id));
    due_.push({t, what, tie, ++serial_, id});
  }

  // ---- setting up ----

  void Introduce() {
    std::vector<ClassId> classes;
    for (const auto& [name, limit] : s_.classes) classes.push_back(scheduler_.AddClass(0, name, limit).id);
    std::vector<RootId> roots;
    for (const std::string& name : s_.roots) roots.push_back(scheduler_.AddRoot(0, name).id);
    for (const SimTool& t : s_.tools) {
      Contract c;
      c.name = t.name;
      c.effect = t.effect;
      c.failure = t.failure;
      c.klass = t.klass == kNone ? 0 : classes[t.klass];
      c.cost = t.cost;
      c.root = t.root == kNone ? 0 : roots[t.root];
      c.cancellable = t.cancellable;
      c.deadline = t.deadline;
      c.retry = t.retry;
      c.early = t.early;
      c.reuse = t.reuse;
      if (!in_program_order_) {  // a task graph without contracts
        c.effect = Effect::kPure;
        c.root = 0;
        c.reuse = false;
      }
      tools_.push_back(scheduler_.AddTool(0, c).id);
    }
    classes_ = std::move(classes);
    ScopeInput program;
    program.name = s_.name;
    program_ = scheduler_.OpenScope(0, program).id;
    for (size_t i = 0; i < s_.scopes.size(); ++i) {
      const SimScope& scope = s_.scopes[i];
      const bool known = scope.known_after == kNone && scope.known_at == 0 && scope.alive;
      ScopeInput in;
      in.parent = scope.parent == kNone ? program_ : scopes_[scope.parent].id;
      in.kind = scope.kind;
      in.active = known || !in_program_order_;
      in.name = scope.name;
      scopes_[i].id = scheduler_.OpenScope(0, in).id;
      scopes_[i].known = known;
      if (known) continue;
      if (scope.known_after == kNone) {
        At(scope.known_at, What::kScope, static_cast<uint32_t>(i));
      } else {
        known_after_[scope.known_after].push_back(static_cast<uint32_t>(i));
      }
    }
    for (size_t i = 0; i < s_.budget_changes.size(); ++i)
      At(s_.budget_changes[i].t, What::kBudget, static_cast<uint32_t>(i));
    for (size_t i = 0; i < s_.calls.size(); ++i) At(s_.calls[i].arrives, What::kArrive, static_cast<uint32_t>(i));
    if (s_.plan_ends > 0) At(s_.plan_ends, What::kWake, 0);
    Levels();
    LastWrites();
  }

  void Levels() {
    if (options_.policy != SimPolicy::kLevels) return;
    level_.resize(s_.calls.size());
    for (size_t i = 0; i < s_.calls.size(); ++i) {
      for (const uint32_t d : s_.calls[i].deps) level_[i] = std::max(level_[i], level_[d] + 1);
      if (level_[i] >= waves_.size()) waves_.resize(level_[i] + 1);
      waves_[level_[i]].push_back(static_cast<uint32_t>(i));
    }
  }

  // A scout announces no read of a root past a write that control has not come to.
  void LastWrites() {
    write_before_.assign(s_.calls.size(), kNone);
    std::vector<uint32_t> last(s_.roots.size(), kNone);
    for (size_t i = 0; i < s_.calls.size(); ++i) {
      const SimTool& tool = s_.tools[s_.calls[i].tool];
      if (tool.root == kNone) continue;
      if (IsWrite(tool.effect)) {
        last[tool.root] = static_cast<uint32_t>(i);
      } else {
        write_before_[i] = last[tool.root];
      }
    }
  }

  // ---- making calls ----

  enum class Fate : uint8_t { kAlive, kUnknown, kDead };
  // Whether control can come to the call as far as its scopes are known now.
  Fate FateOf(uint32_t call) const {
    bool unknown = false;
    for (uint32_t i = s_.calls[call].scope; i != kNone; i = s_.scopes[i].parent) {
      if (scopes_[i].known && !s_.scopes[i].alive) return Fate::kDead;
      unknown = unknown || !scopes_[i].known;
    }
    return unknown ? Fate::kUnknown : Fate::kAlive;
  }

  // Without a value for good: never made, or ended without one.
  bool HasNoValue(uint32_t call) const {
    const CallId id = calls_[call].id;
    if (id == 0) return calls_[call].passed;
    return scheduler_.failed(id) ||
           (IsTerminal(scheduler_.state_of(id)) && scheduler_.state_of(id) != CallState::kConsumed);
  }

  ArgsKey KeyOf(uint32_t call) {
    const SimCall& c = s_.calls[call];
    if (!c.has_key) return ++last_key_;
    const auto [it, is_new] = keys_.emplace(std::to_string(c.tool) + ":" + c.args, last_key_ + 1);
    if (is_new) ++last_key_;
    return it->second;
  }

  SiteId SiteOf(uint32_t call) {
    const SimCall& c = s_.calls[call];
    const std::string name = c.id.substr(0, c.id.find('['));
    const auto [it, is_new] = sites_.emplace(name, 0);
    if (is_new) {
      SiteInput site;
      site.file = s_.name;
      site.text = name;
      site.line = c.line != 0 ? c.line : static_cast<int32_t>(call + 1);
      site.end_line = site.line;
      it->second = scheduler_.AddSite(now_, site).id;
    }
    return it->second;
  }

  void Make(uint32_t call, bool early) {
    const SimCall& c = s_.calls[call];
    ArriveInput in;
    in.tool = tools_[c.tool];
    in.site = SiteOf(call);
    in.scope = c.scope == kNone ? program_ : scopes_[c.scope].id;
    in.early = early;
    in.guess = c.guess;
    char order[16];
    for (int i = 7, v = static_cast<int>(call); i >= 0; --i, v /= 10) order[i] = static_cast<char>('0' + v % 10);
    in.order = {order, 8};
    std::vector<CallId> deps;
    for (const uint32_t d : c.deps) {
      if (calls_[d].id != 0) deps.push_back(calls_[d].id);
    }
    in.deps = deps;
    --unmade_;
    const Made made = scheduler_.Arrive(now_, in);
    if (!made.ok()) {
      calls_[call].passed = true;
      Release(call);
      return;
    }
    ++open_;
    calls_[call].id = made.id;
    if (made.id >= by_id_.size()) by_id_.resize(made.id + 1, kNone);
    by_id_[made.id] = call;
    if (!IsTerminal(scheduler_.state_of(made.id))) (void)scheduler_.Args(now_, made.id, KeyOf(call), c.args);
    if (!in_program_order_ && !IsTerminal(scheduler_.state_of(made.id))) (void)scheduler_.Reach(now_, made.id);
    Release(call);
  }

  // Those that waited for this one are looked at by Pump: a long chain must not become deep recursion.
  void Release(uint32_t call) {
    std::vector<uint32_t>& waiting = calls_[call].waiting;
    released_.insert(released_.end(), waiting.begin(), waiting.end());
    waiting = {};
  }

  void Pass(uint32_t call) {
    calls_[call].passed = true;
    Release(call);
  }

  // The scout's part, once the call's time has come.
  void Announce(uint32_t call) {
    if (options_.policy != SimPolicy::kPysolate) return;
    const SimCall& c = s_.calls[call];
    Call& state = calls_[call];
    if (!state.arrived || state.id != 0 || state.passed || ended_) return;
    if (!IsRepeatable(s_.tools[c.tool].effect) || FateOf(call) == Fate::kDead) return;
    for (const uint32_t d : c.deps) {
      if (calls_[d].id != 0) continue;
      if (!calls_[d].passed) calls_[d].waiting.push_back(call);
      return;
    }
    if (const uint32_t write = write_before_[call]; write != kNone && calls_[write].id == 0 && !calls_[write].passed) {
      calls_[write].waiting.push_back(call);
      return;
    }
    Make(call, /*early=*/true);
  }

  // ---- time ----

  bool Next() {
    const TimeNs deadline = scheduler_.next_deadline();
    if (ended_ && in_flight_ == 0) return false;
    if (!due_.empty() && (deadline < 0 || due_.top().t <= deadline)) {
      const Due d = due_.top();
      due_.pop();
      now_ = std::max(now_, d.t);
      Happen(d);
      return true;
    }
    if (deadline >= 0) {
      now_ = std::max(now_, deadline);
      (void)scheduler_.Tick(now_);
      return true;
    }
    if (ended_) return false;
    stalled_ = true;
    (void)scheduler_.Note(now_, "host", "the program would wait for ever");
    End(false, "Stalled");
    return true;
  }

  void Happen(const Due& d) {
    switch (d.what) {
      case What::kBudget: {
        if (ended_) return;
        const BudgetChange& change = s_.budget_changes[d.id];
        (void)(change.klass == kNone ? scheduler_.SetTotalBudget(now_, change.limit)
                                     : scheduler_.SetClassBudget(now_, classes_[change.klass], change.limit));
        return;
      }
      case What::kScope:
        Know(d.id);
        return;
      case What::kArrive:
        calls_[d.id].arrived = true;
        if (options_.policy == SimPolicy::kGreedy && !ended_) MakeInGraph(d.id);
        Announce(d.id);
        return;
      case What::kWake:
        return;
      case What::kDone:
        Finish(d.id);
        return;
    }
  }

  void Know(uint32_t scope) {
    if (ended_ || scopes_[scope].known) return;
    scopes_[scope].known = true;
    if (!s_.scopes[scope].alive) {
      (void)scheduler_.KillScope(now_, scopes_[scope].id);
    } else if (in_program_order_) {
      (void)scheduler_.ActivateScope(now_, scopes_[scope].id);
    }
  }

  void Taken(uint32_t call) {
    const auto it = known_after_.find(call);
    if (it == known_after_.end()) return;
    for (const uint32_t scope : it->second) Know(scope);
  }

  void End(bool ok, std::string_view error) {
    ended_ = true;
    ok_ = ok;
    (void)scheduler_.End(now_, ok, error);
  }

  // ---- the host ----

  TimeNs Sample(uint32_t call, uint32_t attempt_no) const {
    const Distribution& d = s_.calls[call].duration;
    const uint64_t bits = Mix(s_.seed ^ Mix(call) ^ Mix(Mix(attempt_no)));
    double units = d.a;
    switch (d.kind) {
      case Distribution::Kind::kFixed:
        break;
      case Distribution::Kind::kUniform:
        units = d.a + (d.b - d.a) * Fraction(bits);
        break;
      case Distribution::Kind::kExponential:
        units = -d.a * std::log1p(-Fraction(bits));
        break;
      case Distribution::Kind::kNormal: {
        // Box and Muller 1958.
        const double r = std::sqrt(-2 * std::log1p(-Fraction(bits)));
        units = std::max(0.0, d.a + d.b * r * std::cos(6.283185307179586 * Fraction(Mix(bits))));
        break;
      }
      case Distribution::Kind::kChoice:
        units = d.choices[bits % d.choices.size()];
        break;
    }
    const double ns = std::min(units * static_cast<double>(s_.unit), 4e18);
    return std::llround(ns);
  }

  struct Work {
    uint32_t call = 0;
    bool fails = false;
    bool over = false;
  };

  void Pump() {
    while (true) {
      for (size_t i = 0; i < released_.size(); ++i) {
        if (in_program_order_) {
          Announce(released_[i]);
        } else if (!ended_) {
          MakeInGraph(released_[i]);
        }
      }
      released_.clear();
      const std::vector<Command> commands(scheduler_.commands().begin(), scheduler_.commands().end());
      scheduler_.ClearCommands();
      for (const Command& c : commands) Obey(c);
      const bool moved = in_program_order_ ? StepProgram() : StepGraph();
      if (!moved && scheduler_.commands().empty() && released_.empty()) return;
    }
  }

  void Obey(const Command& c) {
    switch (c.kind) {
      case Command::Kind::kDispatch: {
        const uint32_t call = by_id_[c.call];
        const SimCall& spec = s_.calls[call];
        if (c.attempt >= work_.size()) work_.resize(c.attempt + 1);
        Work& w = work_[c.attempt];
        w.call = call;
        ++in_flight_;
        const uint32_t attempt_no = calls_[call].tries++;
        w.fails = attempt_no < spec.fails || spec.outcome == Outcome::kError;
        if (spec.outcome == Outcome::kNever && !w.fails) return;
        const TimeNs took = Sample(call, attempt_no);
        if (now_ < kEndOfTime - took) At(now_ + took, What::kDone, c.attempt);
        return;
      }
      case Command::Kind::kCancel: {
        Work& w = work_[c.attempt];
        if (w.over || s_.calls[w.call].outcome == Outcome::kIgnoresCancel) return;
        if (scheduler_.Stopped(now_, c.attempt).ok()) Over(w);
        return;
      }
      case Command::Kind::kLost:
        Over(work_[c.attempt]);
        return;
      case Command::Kind::kSettle:
        settled_.push_back(c.call);
        return;
      case Command::Kind::kSkip:
      case Command::Kind::kDrop:
        --open_;
        return;
      case Command::Kind::kDeadline:
      case Command::Kind::kEvict:
        return;
    }
  }

  void Over(Work& w) {
    if (w.over) return;
    w.over = true;
    --in_flight_;
  }

  void Finish(AttemptId attempt) {
    Work& w = work_[attempt];
    if (w.over) return;
    Over(w);
    const SimCall& spec = s_.calls[w.call];
    if (w.fails) {
      (void)scheduler_.Fail(now_, attempt, s_.tools[spec.tool].failure, "SimulatedError", spec.id + " failed");
    } else {
      (void)scheduler_.Complete(now_, attempt, 16, "value of " + spec.id);
    }
  }

  // ---- the program: control in order ----

  // True if anything changed. Control stands at call pc_ until it has taken its outcome.
  bool StepProgram() {
    bool moved = false;
    while (!ended_) {
      if (pc_ == s_.calls.size()) {
        if (now_ < s_.plan_ends) return moved;
        End(true, {});
        return true;
      }
      const auto call = static_cast<uint32_t>(pc_);
      const SimCall& c = s_.calls[call];
      Call& state = calls_[call];
      if (!here_) {
        const Fate fate = FateOf(call);
        if (fate == Fate::kUnknown) {
          if (!WillBeKnown(call)) {
            Leave(call);
            moved = true;
            continue;
          }
          return moved;
        }
        if (fate == Fate::kDead ||
            std::any_of(c.deps.begin(), c.deps.end(), [&](uint32_t d) { return HasNoValue(d); })) {
          Leave(call);  // what was announced for it is discarded with its scope, or at the end
          moved = true;
          continue;
        }
        if (c.id[0] == '$' && !state.arrived) return moved;  // its line of the plan is not there yet
        if (c.computes > 0) {
          if (compute_until_ < 0) {
            compute_until_ = now_ + c.computes;
            At(compute_until_, What::kWake, 0);
          }
          if (now_ < compute_until_) return moved;
        }
        compute_until_ = -1;
        here_ = true;
        moved = true;
        if (state.id == 0) Make(call, /*early=*/false);
        if (state.id != 0 && !IsTerminal(scheduler_.state_of(state.id))) (void)scheduler_.Reach(now_, state.id);
      }
      if (state.id == 0 || (IsTerminal(scheduler_.state_of(state.id)))) {
        Leave(call);
        moved = true;
        continue;
      }
      if (scheduler_.state_of(state.id) != CallState::kSettled) return moved;
      const bool failed = scheduler_.failed(state.id);
      (void)scheduler_.Consume(now_, state.id);
      moved = true;
      Leave(call);
      if (failed && !c.caught) {
        End(false, "SimulatedError");
        return true;
      }
      Taken(call);
    }
    return moved;
  }

  // False if a scope around the call hangs on a call that control went past without taking it.
  bool WillBeKnown(uint32_t call) const {
    for (uint32_t i = s_.calls[call].scope; i != kNone; i = s_.scopes[i].parent) {
      if (scopes_[i].known) continue;
      const uint32_t after = s_.scopes[i].known_after;
      if (after != kNone && (after >= call || calls_[after].passed)) return false;
    }
    return true;
  }

  void Leave(uint32_t call) {
    here_ = false;
    ++pc_;
    Pass(call);
  }

  // ---- task graphs: greedy and by level ----

  void MakeInGraph(uint32_t call) {
    const SimCall& c = s_.calls[call];
    const auto never_made = [&](uint32_t d) { return calls_[d].id == 0 && calls_[d].passed; };
    if (FateOf(call) == Fate::kDead || std::any_of(c.deps.begin(), c.deps.end(), never_made)) {
      --unmade_;
      Pass(call);
      return;
    }
    for (const uint32_t d : c.deps) {
      if (calls_[d].id == 0) {  // it arrives later than its dependant
        calls_[d].waiting.push_back(call);
        return;
      }
    }
    Make(call, /*early=*/false);
  }

  // Every outcome is taken as soon as it is there; a failure ends its dependants and nothing else.
  bool StepGraph() {
    if (ended_) return false;
    bool moved = false;
    while (options_.policy == SimPolicy::kLevels && wave_ < waves_.size() && WaveMayStart()) {
      const std::vector<uint32_t>& wave = waves_[wave_++];
      for (const uint32_t call : wave) MakeInGraph(call);
      moved = true;
    }
    const std::vector<CallId> settled = std::exchange(settled_, {});
    for (const CallId id : settled) {
      if (scheduler_.state_of(id) != CallState::kSettled) continue;
      const uint32_t call = by_id_[id];
      const bool failed = scheduler_.failed(id);
      (void)scheduler_.Consume(now_, id);
      --open_;
      all_ok_ = all_ok_ && (!failed || s_.calls[call].caught);
      Taken(call);
      moved = true;
    }
    if (open_ == 0 && unmade_ == 0 && released_.empty() && scheduler_.commands().empty() && now_ >= s_.plan_ends) {
      End(all_ok_, all_ok_ ? std::string_view() : std::string_view("SimulatedError"));
      return true;
    }
    return moved;
  }

  bool WaveMayStart() const {
    if (open_ != 0) return false;
    return std::all_of(waves_[wave_].begin(), waves_[wave_].end(), [&](uint32_t call) { return calls_[call].arrived; });
  }

  // ---- what came out ----

  SimResult Result() {
    SimResult r;
    tee_.index.Finish();
    r.trace = tee_.writer.Take();
    r.stats = tee_.index.Stats();
    r.ledger = tee_.index.totals();
    r.ok = ok_;
    r.stalled = stalled_;
    trace_internal::JsonText out;
    const TraceStats& t = r.stats;
    out.Object().Int("pysolate_simulate", 1).Text("scenario", s_.name).Text("policy", Name(options_.policy));
    out.Int("unit", s_.unit).Bool("ok", r.ok).Bool("stalled", r.stalled);
    out.Int("makespan", t.makespan)
        .Number("makespan_units", static_cast<double>(t.makespan) / static_cast<double>(s_.unit));
    out.Int("sequential_sum", t.sequential_sum).Int("critical_path", t.critical_path);
    out.Int("overlap_won", t.overlap_won).Int("overlap_left", t.overlap_left);
    out.Int("peak_in_flight", t.peak_in_flight).Number("mean_in_flight", t.mean_in_flight);
    out.Int("attempts", t.attempts).Int("wasted", t.wasted);
    out.Int("problems", static_cast<int64_t>(tee_.index.problem_count()));
    out.Key("ledger").Object().Int("dispatched", r.ledger.dispatched);
    for (int i = 0; i < kBooks; ++i) out.Int(StateWord(static_cast<Book>(i)), r.ledger.by_book[i]);
    out.Bool("balanced", r.ledger.balanced()).EndObject().Key("calls").Array();
    for (size_t i = 0; i < calls_.size(); ++i) {
      out.Object().Text("id", s_.calls[i].id).Int("call", calls_[i].id);
      if (calls_[i].id == 0) {
        out.Text("state", "not_made");
      } else {
        const CallFacts& c = tee_.index.call(calls_[i].id);
        out.Text("state", StateWord(c.state)).Bool("failed", c.failed);
        if (c.bound) out.Int("start", c.bound.t);
        if (c.settle) out.Int("settle", c.settle.t);
      }
      out.EndObject();
    }
    r.json = out.EndArray().EndObject().Take();
    return r;
  }

  const Scenario& s_;
  const SimOptions options_;
  const bool in_program_order_;
  Tee tee_;
  Scheduler scheduler_;
  std::vector<Call> calls_;
  std::vector<Scope> scopes_;
  std::vector<ClassId> classes_;
  std::vector<ToolId> tools_;
  ScopeId program_ = 0;
  std::vector<uint32_t> by_id_;  // scheduler's call -> ours
  std::vector<Work> work_;       // by attempt
  std::unordered_map<std::string, ArgsKey> keys_;
  std::unordered_map<std::string, SiteId> sites_;
  std::unordered_map<uint32_t, std::vector<uint32_t>> known_after_;
  std::vector<uint32_t> write_before_;
  ArgsKey last_key_ = 0;

  std::priority_queue<Due, std::vector<Due>, std::greater<>> due_;
  uint64_t serial_ = 0;
  TimeNs now_ = 0;
  uint32_t in_flight_ = 0;

  size_t pc_ = 0;      // the call that control stands at or comes to next
  bool here_ = false;  // control has arrived at it
  TimeNs compute_until_ = -1;
  bool ended_ = false, ok_ = false, stalled_ = false;

  std::vector<uint32_t> level_;
  std::vector<std::vector<uint32_t>> waves_;
  size_t wave_ = 0;
  std::vector<uint32_t> released_;  // to be looked at again
  std::vector<CallId> settled_;     // since they were last taken
  size_t unmade_ = 0;               // calls that can still be made
  size_t open_ = 0;                 // made and not ended
  bool all_ok_ = true;
};

}  // namespace

std::string_view Name(SimPolicy policy) { return kPolicyNames[static_cast<int>(policy)]; }

std::optional<SimPolicy> SimPolicyFromName(std::string_view name) {
  for (int i = 0; i < 4; ++i) {
    if (kPolicyNames[i] == name) return static_cast<SimPolicy>(i);
  }
  return std::nullopt;
}

SimResult Simulate(const Scenario& scenario, const SimOptions& options) { return Simulation(scenario, options).Run(); }

}  // namespace pysolate::sim
