// Schedules as text: one input a line, what must be decided on it behind "=>".
//
//     Story s;
//     s.Tell(R"(
//       tool fetch immutable_read
//       early a fetch x          => ready a; dispatch a #1
//       @5 call a fetch x        => promote a
//       complete #1              => settle a #1 ok
//       take a
//     )");
//
// Calls and scopes have names, attempts are #1, #2, ... in the order of their dispatch; equal argument words are equal
// arguments, `~` is something that is no plain data, `?` is not known yet. After each line every invariant of
// scheduler.h is checked; at the end of the story its trace is replayed and must give the same events.
//
//     class NAME LIMIT | root NAME | tool NAME EFFECT [class=C cost=N root=R cancellable transient deadline=N retry=N
//       late(opted out of early starts) alone(no reuse)]
//     scope NAME KIND [in SCOPE] [pending] [line=N] | activate S | kill S | close S
//     total N | early-limit N | limit CLASS N                      (N or -)
//     early NAME TOOL ARGS [in S] [after a,b] [guess] [order=K]    an early call arrives
//     coming NAME TOOL ARGS [in S] [after a,b] [order=K]           one that only control may start
//     args NAME ARGS | reach NAME | take NAME | cancel NAME
//     call NAME TOOL ARGS [in S] [inside #N] [order=K]             control arrives at a call: must turn out to be NAME
//     complete #N [BYTES] | fail #N [transient|deadline] | stopped #N | tick | end [failed]
//
// `!! text` instead of `=>`: the input must be refused with that message, and change nothing.
#ifndef PYSOLATE_TESTS_SUPPORT_STORY_H_
#define PYSOLATE_TESTS_SUPPORT_STORY_H_

#include <doctest/doctest.h>

#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "pysolate/replay.h"
#include "pysolate/scheduler.h"

namespace pysolate::testing {

class Story final : public EventSink {
 public:
  explicit Story(RunOptions options = {}) : scheduler_(options, this) {
    ScopeInput program;
    Need(scheduler_.OpenScope(0, program).status);
    scopes_["program"] = 1;
    decisions_.clear();
  }

  ~Story() override {
    const ReplayResult replay = Replay(writer_.Take());
    INFO("trace: " << replay.difference.expected << "\nreplay: " << replay.difference.actual << replay.error.message);
    CHECK(replay.ok());
  }

  void OnEvent(const Event& e) override {
    writer_.OnEvent(e);
    if (IsDecision(e.kind)) decisions_.push_back(Words(e));
  }

  void Tell(const std::string& text) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      if (line.find_first_not_of(' ') == std::string::npos) continue;
      TellLine(line);
    }
  }

  Scheduler& scheduler() { return scheduler_; }
  CallId call(const std::string& name) const { return calls_.at(name); }
  std::string why(const std::string& name) const { return scheduler_.Explain(calls_.at(name)).text; }
  CallState state(const std::string& name) const { return scheduler_.state_of(calls_.at(name)); }
  // The frontier's names in pop order: "a b c".
  std::string frontier() const {
    std::string text;
    for (const FrontierRow& row : scheduler_.Frontier()) text += (text.empty() ? "" : " ") + NameOf(row.call);
    return text;
  }
  uint32_t booked(Book book) const { return scheduler_.Totals().by_book[static_cast<int>(book)]; }
  // The commands since the last time it was asked, like "dispatch #1; cancel #2".
  std::string commands() {
    static constexpr const char* kWords[] = {"dispatch", "cancel", "settle", "deadline",
                                             "skip",     "drop",   "evict",  "lost"};
    std::string text;
    for (const Command& c : scheduler_.commands()) {
      text += (text.empty() ? "" : "; ") + std::string(kWords[static_cast<int>(c.kind)]);
      if (c.call != 0 && c.kind != Command::Kind::kDeadline) text += " " + NameOf(c.call);
      if (c.attempt != 0 && c.kind != Command::Kind::kDrop) text += " #" + std::to_string(c.attempt);
    }
    scheduler_.ClearCommands();
    return text;
  }

 private:
  static void Need(const Status& status) {
    INFO(status.message());
    REQUIRE(status.ok());
  }

  std::string NameOf(CallId c) const {
    for (const auto& [name, id] : calls_) {
      if (id == c) return name;
    }
    return coming_.empty() ? "call" + std::to_string(c) : coming_;  // the call that this very line introduces
  }

  std::string Words(const Event& e) const {
    const std::string call = e.call == 0 ? "" : " " + NameOf(e.call);
    const std::string attempt = e.attempt == 0 ? "" : " #" + std::to_string(e.attempt);
    std::string text(Name(e.kind));
    switch (e.kind) {
      case EventKind::kRefuse:
        return text + call + ": " + std::string(e.why);
      case EventKind::kVersion:
        return text + " " + std::to_string(e.version) + call;
      case EventKind::kSettle:
      case EventKind::kLate:
        return text + call + attempt + (e.ok ? " ok" : " failed");
      case EventKind::kSuppress:
      case EventKind::kSkip:
        return text + call + " by " + NameOf(e.by);
      default:
        return text + call + attempt;
    }
  }

  static std::string Trim(const std::string& s) {
    const size_t from = s.find_first_not_of(" \t");
    return from == std::string::npos ? "" : s.substr(from, s.find_last_not_of(" \t") - from + 1);
  }

  void TellLine(const std::string& whole) {
    CAPTURE(whole);
    std::string line = whole, expected;
    bool refused = false, checked = false;
    if (const size_t at = line.find("=>"); at != std::string::npos) {
      expected = Trim(line.substr(at + 2));
      line.resize(at);
      checked = true;
    } else if (const size_t bang = line.find("!!"); bang != std::string::npos) {
      expected = Trim(line.substr(bang + 2));
      line.resize(bang);
      refused = true;
    }
    std::istringstream in(line);
    std::vector<std::string> w;
    for (std::string word; in >> word;) w.push_back(word);
    if (w[0][0] == '@') {
      now_ = std::stoll(w[0].substr(1));
      w.erase(w.begin());
    }
    decisions_.clear();
    const uint64_t seq = scheduler_.seq();
    const Status status = Do(w);
    coming_.clear();
    if (refused) {
      CHECK(status.message() == expected);
      CHECK(scheduler_.seq() == seq);
    } else {
      Need(status);
    }
    if (checked) {
      std::string got;
      for (const std::string& d : decisions_) got += (got.empty() ? "" : "; ") + d;
      CHECK(got == expected);
    }
    CHECK(scheduler_.CheckInvariants() == "");
  }

  // The word after `key`, or behind `key=`.
  static std::string After(const std::vector<std::string>& w, const std::string& key) {
    for (size_t i = 1; i < w.size(); ++i) {
      if (w[i] == key && i + 1 < w.size()) return w[i + 1];
      if (w[i].rfind(key + "=", 0) == 0) return w[i].substr(key.size() + 1);
    }
    return {};
  }
  static bool Has(const std::vector<std::string>& w, const std::string& word) {
    for (const std::string& x : w) {
      if (x == word) return true;
    }
    return false;
  }
  static uint32_t Count(const std::string& text) {
    return text == "-" ? kUnlimited : static_cast<uint32_t>(std::stoul(text));
  }
  static AttemptId Attempt(const std::string& text) { return text.empty() ? 0 : Count(text.substr(1)); }
  ArgsKey Key(const std::string& word) {
    if (word == "~") return 0;
    return keys_.emplace(word, static_cast<ArgsKey>(keys_.size()) + 1).first->second;
  }
  ScopeId ScopeOf(const std::vector<std::string>& w) {
    const std::string name = After(w, "in");
    return name.empty() ? 1 : scopes_.at(name);
  }
  // Ids that are not in the story can be named too: "?7".
  CallId CallOf(const std::string& name) const { return name[0] == '?' ? Count(name.substr(1)) : calls_.at(name); }

  Status Do(const std::vector<std::string>& w) {
    const std::string& verb = w[0];
    const std::string name = w.size() > 1 ? w[1] : "";
    if (verb == "class") {
      const Made made = scheduler_.AddClass(now_, name, Count(w[2]));
      classes_[name] = made.id;
      return made.status;
    }
    if (verb == "root") {
      const Made made = scheduler_.AddRoot(now_, name);
      roots_[name] = made.id;
      return made.status;
    }
    if (verb == "tool") return AddTool(w);
    if (verb == "scope") {
      ScopeInput in;
      in.parent = ScopeOf(w);
      for (int k = 0; k <= static_cast<int>(ScopeKind::kHandler); ++k) {
        if (Name(static_cast<ScopeKind>(k)) == w[2]) in.kind = static_cast<ScopeKind>(k);
      }
      in.active = !Has(w, "pending");
      if (!After(w, "line").empty()) in.line = std::stoi(After(w, "line"));
      in.name = name;
      const Made made = scheduler_.OpenScope(now_, in);
      if (made.ok()) scopes_[name] = made.id;
      return made.status;
    }
    if (verb == "activate") return scheduler_.ActivateScope(now_, scopes_.at(name));
    if (verb == "kill") return scheduler_.KillScope(now_, scopes_.at(name));
    if (verb == "close") return scheduler_.CloseScope(now_, scopes_.at(name));
    if (verb == "total") return scheduler_.SetTotalBudget(now_, Count(name));
    if (verb == "early-limit") return scheduler_.SetEarlyBudget(now_, Count(name));
    if (verb == "limit") return scheduler_.SetClassBudget(now_, classes_.at(name), Count(w[2]));
    if (verb == "early" || verb == "coming") return Arrive(w, verb == "early");
    if (verb == "args") return scheduler_.Args(now_, CallOf(name), Key(w[2]), w[2]);
    if (verb == "reach") return scheduler_.Reach(now_, CallOf(name));
    if (verb == "take") return scheduler_.Consume(now_, CallOf(name));
    if (verb == "cancel") return scheduler_.Cancel(now_, CallOf(name), "given up");
    if (verb == "call") return CallIt(w);
    if (verb == "complete") {
      return scheduler_.Complete(now_, Attempt(name), w.size() > 2 ? std::stoll(w[2]) : 1, "value");
    }
    if (verb == "fail") {
      const std::string kind = w.size() > 2 ? w[2] : "";
      const Failure failure = kind == "transient"  ? Failure::kTransient
                              : kind == "deadline" ? Failure::kDeadline
                                                   : Failure::kStable;
      return scheduler_.Fail(now_, Attempt(name), failure, "ValueError", "no");
    }
    if (verb == "stopped") return scheduler_.Stopped(now_, Attempt(name));
    if (verb == "tick") return scheduler_.Tick(now_);
    if (verb == "end") return scheduler_.End(now_, !Has(w, "failed"));
    FAIL("no such word: " << verb);
    return {};
  }

  Status AddTool(const std::vector<std::string>& w) {
    Contract c;
    c.name = w[1];
    for (int k = 0; k <= static_cast<int>(Effect::kExternalWrite); ++k) {
      if (Name(static_cast<Effect>(k)) == w[2]) c.effect = static_cast<Effect>(k);
    }
    if (!After(w, "class").empty()) c.klass = classes_.at(After(w, "class"));
    if (!After(w, "cost").empty()) c.cost = Count(After(w, "cost"));
    if (!After(w, "root").empty()) c.root = roots_.at(After(w, "root"));
    if (!After(w, "deadline").empty()) c.deadline = std::stoll(After(w, "deadline"));
    if (!After(w, "retry").empty()) c.retry = Count(After(w, "retry"));
    c.cancellable = Has(w, "cancellable");
    c.failure = Has(w, "transient") ? Failure::kTransient : Failure::kStable;
    c.early = !Has(w, "late");
    c.reuse = !Has(w, "alone");
    const Made made = scheduler_.AddTool(now_, c);
    tools_[w[1]] = made.id;
    return made.status;
  }

  Status Arrive(const std::vector<std::string>& w, bool early) {
    std::vector<CallId> deps;
    std::istringstream list(After(w, "after"));
    for (std::string d; std::getline(list, d, ',');) deps.push_back(CallOf(d));
    const std::string order = After(w, "order");
    ArriveInput in;
    in.tool = tools_.at(w[2]);
    in.scope = ScopeOf(w);
    in.early = early;
    in.guess = Has(w, "guess");
    in.deps = deps;
    in.order = order;
    coming_ = w[1];
    const Made made = scheduler_.Arrive(now_, in);
    if (!made.ok()) return made.status;
    calls_[w[1]] = made.id;
    if (w[3] == "?" || IsTerminal(scheduler_.state_of(made.id))) return {};
    return scheduler_.Args(now_, made.id, Key(w[3]), w[3]);
  }

  Status CallIt(const std::vector<std::string>& w) {
    const std::string order = After(w, "order");
    ReachInput in;
    in.tool = tools_.at(w[2]);
    in.scope = ScopeOf(w);
    in.key = Key(w[3]);
    in.parent = Attempt(After(w, "inside"));
    in.order = order;
    in.preview = w[3];
    coming_ = w[1];
    const Made made = scheduler_.ReachCall(now_, in);
    if (!made.ok()) return made.status;
    if (auto it = calls_.find(w[1]); it != calls_.end()) {
      CHECK(made.id == it->second);
    } else {
      CHECK(made.id == scheduler_.call_count());  // a new one, no other's promotion
      calls_[w[1]] = made.id;
    }
    return {};
  }

  TraceWriter writer_;
  std::vector<std::string> decisions_;
  std::map<std::string, CallId> calls_;
  std::map<std::string, ScopeId> scopes_;
  std::map<std::string, ToolId> tools_;
  std::map<std::string, ClassId> classes_;
  std::map<std::string, RootId> roots_;
  std::map<std::string, ArgsKey> keys_;
  std::string coming_;
  TimeNs now_ = 0;
  Scheduler scheduler_;  // last: it tells this object its first events when it is made
};

}  // namespace pysolate::testing

#endif  // PYSOLATE_TESTS_SUPPORT_STORY_H_
