#include "sim/scenario.h"

#include <rapidjson/document.h>
#include <rapidjson/error/en.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <unordered_map>

#include "sim/plan.h"

namespace pysolate::sim {
namespace {

using Json = rapidjson::Value;

constexpr double kMaxNs = 1e18;

class Reader {
 public:
  explicit Reader(Scenario* out) : s_(*out) {}

  ScenarioError Read(const Json& root) {
    ReadAll(root);
    return error_;
  }

  ScenarioError ReadPlan(std::string_view text) {
    s_.name = "plan";
    PlanReader plan([&](const PlanTask& task) { AddTask(task, 0); });
    plan.Feed(text);
    if (!plan.Finish()) {
      error_.line = plan.line();
      error_.reason = plan.error();
    }
    return error_;
  }

 private:
  // ---- errors and paths ----

  bool Fail(const std::string& at, std::string reason) {
    if (!error_) {
      error_.pointer = at;
      error_.reason = std::move(reason);
    }
    return false;
  }
  static std::string Child(const std::string& at, std::string_view key) {
    std::string out = at + "/";
    for (const char c : key) {
      if (c == '~')
        out += "~0";
      else if (c == '/')
        out += "~1";
      else
        out += c;
    }
    return out;
  }
  static std::string Child(const std::string& at, size_t i) { return at + "/" + std::to_string(i); }
  static std::string_view View(const Json& v) { return {v.GetString(), v.GetStringLength()}; }
  static const Json* Find(const Json& object, std::string_view key) {
    const auto it = object.FindMember(Json(rapidjson::StringRef(key.data(), key.size())));
    return it == object.MemberEnd() ? nullptr : &it->value;
  }
  bool Fields(const Json& object, const std::string& at, std::initializer_list<std::string_view> allowed) {
    if (!object.IsObject()) return Fail(at, "must be an object");
    for (const auto& member : object.GetObject()) {
      const std::string_view key = View(member.name);
      if (std::find(allowed.begin(), allowed.end(), key) == allowed.end())
        return Fail(Child(at, key), "is no field that a scenario has here");
    }
    return true;
  }

  // ---- values; an absent field keeps the default ----

  bool Text(const Json& o, const std::string& at, std::string_view key, std::string* out) {
    const Json* v = Find(o, key);
    if (v == nullptr) return true;
    if (!v->IsString()) return Fail(Child(at, key), "must be a string");
    *out = View(*v);
    return true;
  }
  bool Flag(const Json& o, const std::string& at, std::string_view key, bool* out) {
    const Json* v = Find(o, key);
    if (v == nullptr) return true;
    if (!v->IsBool()) return Fail(Child(at, key), "must be true or false");
    *out = v->GetBool();
    return true;
  }
  template <typename T>
  bool Whole(const Json& o, const std::string& at, std::string_view key, int64_t low, int64_t high, T* out) {
    const Json* v = Find(o, key);
    if (v == nullptr) return true;
    if (!v->IsInt64() || v->GetInt64() < low || v->GetInt64() > high) {
      return Fail(Child(at, key), "must be an integer from " + std::to_string(low) + " to " + std::to_string(high));
    }
    *out = static_cast<T>(v->GetInt64());
    return true;
  }
  bool Limit(const Json& v, const std::string& at, uint32_t* out) {
    if (!v.IsInt64() || v.GetInt64() < -1 || v.GetInt64() > 1'000'000'000) {
      return Fail(at, "must be a limit: an integer from 0 to 1000000000, or -1 for unlimited");
    }
    *out = v.GetInt64() == -1 ? kUnlimited : static_cast<uint32_t>(v.GetInt64());
    return true;
  }
  bool Units(const Json& v, const std::string& at, double* out) {
    if (!v.IsNumber() || !(v.GetDouble() >= 0)) return Fail(at, "must be a number of units, not negative");
    if (v.GetDouble() * static_cast<double>(s_.unit) > kMaxNs) return Fail(at, "is too long (more than 10^18 ns)");
    *out = v.GetDouble();
    return true;
  }
  bool Time(const Json& o, const std::string& at, std::string_view key, TimeNs* out) {
    const Json* v = Find(o, key);
    double units = 0;
    if (v == nullptr) return true;
    if (!Units(*v, Child(at, key), &units)) return false;
    *out = std::llround(units * static_cast<double>(s_.unit));
    return true;
  }
  template <typename E>
  bool Word(const Json& o, const std::string& at, std::string_view key, E last, E* out) {
    const Json* v = Find(o, key);
    if (v == nullptr) return true;
    std::string words;
    for (int i = 0; i <= static_cast<int>(last); ++i) {
      const std::string_view word = Name(static_cast<E>(i));
      if (v->IsString() && View(*v) == word) {
        *out = static_cast<E>(i);
        return true;
      }
      words += (i == 0 ? "" : ", ") + std::string(word);
    }
    return Fail(Child(at, key), "must be one of " + words);
  }
  bool Duration(const Json& o, const std::string& at_object, Distribution* out) {
    const Json* v = Find(o, "duration");
    if (v == nullptr) return true;
    const std::string at = Child(at_object, "duration");
    *out = Distribution();
    if (v->IsNumber()) return Units(*v, at, &out->a);
    if (!v->IsObject() || v->MemberCount() != 1) {
      return Fail(at,
                  "must be a number of units or one of {uniform: [from, to]}, {exponential: mean}, {normal: [mean, "
                  "deviation]}, "
                  "{choice: [..]}");
    }
    const std::string_view kind = View(v->MemberBegin()->name);
    const Json& value = v->MemberBegin()->value;
    const std::string inner = Child(at, kind);
    if (kind == "exponential") {
      out->kind = Distribution::Kind::kExponential;
      return Units(value, inner, &out->a);
    }
    if (kind != "uniform" && kind != "normal" && kind != "choice") return Fail(inner, "is no distribution");
    if (!value.IsArray() || value.Empty() || (kind != "choice" && value.Size() != 2)) {
      return Fail(inner, kind == "choice" ? "must be a list of numbers" : "must be two numbers");
    }
    std::vector<double> numbers(value.Size());
    for (rapidjson::SizeType i = 0; i < value.Size(); ++i) {
      if (!Units(value[i], Child(inner, i), &numbers[i])) return false;
    }
    if (kind == "choice") {
      out->kind = Distribution::Kind::kChoice;
      out->choices = std::move(numbers);
      return true;
    }
    out->kind = kind == "uniform" ? Distribution::Kind::kUniform : Distribution::Kind::kNormal;
    out->a = numbers[0];
    out->b = numbers[1];
    if (kind == "uniform" && out->b < out->a) return Fail(inner, "must not fall");
    return true;
  }
  template <typename Map>
  bool Reference(const Json& o, const std::string& at, std::string_view key, const Map& names, const char* what,
                 uint32_t* out) {
    std::string name;
    if (Find(o, key) == nullptr) return true;
    if (!Text(o, at, key, &name)) return false;
    const auto it = names.find(name);
    if (it == names.end()) return Fail(Child(at, key), "no " + std::string(what) + " is called \"" + name + "\"");
    *out = it->second;
    return true;
  }

  // ---- sections ----

  bool ReadAll(const Json& root) {
    if (!Fields(root, "",
                {"scenario", "name", "unit", "seed", "speculate", "order", "budget", "classes", "roots", "tools",
                 "scopes", "calls", "plan", "budgets"})) {
      return false;
    }
    int version = 0;
    if (Find(root, "scenario") == nullptr) return Fail("/scenario", "is missing (the version of the format, 1)");
    std::string order = "order";
    if (!Whole(root, "", "scenario", 1, 1, &version) || !Text(root, "", "name", &s_.name) ||
        !Whole(root, "", "unit", 1, 1'000'000'000'000, &s_.unit) ||
        !Whole(root, "", "seed", 0, 9007199254740991, &s_.seed) || !Flag(root, "", "speculate", &s_.speculate) ||
        !Text(root, "", "order", &order)) {
      return false;
    }
    if (order != "order" && order != "critical_path") return Fail("/order", "must be order or critical_path");
    s_.critical_path = order == "critical_path";
    return ReadBudget(root) && ReadClasses(root) && ReadRoots(root) && ReadTools(root) && ReadScopes(root) &&
           ReadCalls(root) && ReadPlanField(root) && ResolveScopes(root) && ReadBudgets(root);
  }

  bool ReadBudget(const Json& root) {
    const Json* v = Find(root, "budget");
    if (v == nullptr) return true;
    if (!Fields(*v, "/budget", {"total", "early"})) return false;
    if (const Json* total = Find(*v, "total"); total != nullptr && !Limit(*total, "/budget/total", &s_.total))
      return false;
    const Json* early = Find(*v, "early");
    return early == nullptr || Limit(*early, "/budget/early", &s_.early);
  }

  bool ReadClasses(const Json& root) {
    const Json* v = Find(root, "classes");
    if (v == nullptr) return true;
    if (!v->IsObject()) return Fail("/classes", "must be an object of limits");
    for (const auto& member : v->GetObject()) {
      const std::string name(View(member.name));
      uint32_t limit = 0;
      if (!Limit(member.value, Child("/classes", name), &limit)) return false;
      if (!classes_.emplace(name, s_.classes.size()).second) return Fail(Child("/classes", name), "is there twice");
      s_.classes.emplace_back(name, limit);
    }
    return true;
  }

  bool ReadRoots(const Json& root) {
    const Json* v = Find(root, "roots");
    if (v == nullptr) return true;
    if (!v->IsArray()) return Fail("/roots", "must be a list of names");
    for (rapidjson::SizeType i = 0; i < v->Size(); ++i) {
      if (!(*v)[i].IsString()) return Fail(Child("/roots", i), "must be a string");
      const std::string name(View((*v)[i]));
      if (!roots_.emplace(name, i).second) return Fail(Child("/roots", i), "is there twice");
      s_.roots.push_back(name);
    }
    return true;
  }

  bool ReadTools(const Json& root) {
    const Json* v = Find(root, "tools");
    if (v == nullptr) return true;
    if (!v->IsObject()) return Fail("/tools", "must be an object of contracts");
    for (const auto& member : v->GetObject()) {
      SimTool tool;
      tool.name = View(member.name);
      const std::string at = Child("/tools", tool.name);
      const Json& o = member.value;
      if (!Fields(o, at,
                  {"effect", "failure", "class", "cost", "root", "cancellable", "deadline", "retry", "early", "reuse",
                   "duration"}) ||
          !Word(o, at, "effect", Effect::kExternalWrite, &tool.effect) ||
          !Word(o, at, "failure", Failure::kTransient, &tool.failure) ||
          !Reference(o, at, "class", classes_, "class", &tool.klass) || !Whole(o, at, "cost", 0, 65535, &tool.cost) ||
          !Reference(o, at, "root", roots_, "root", &tool.root) || !Flag(o, at, "cancellable", &tool.cancellable) ||
          !Time(o, at, "deadline", &tool.deadline) || !Whole(o, at, "retry", 0, 255, &tool.retry) ||
          !Flag(o, at, "early", &tool.early) || !Flag(o, at, "reuse", &tool.reuse) ||
          !Duration(o, at, &tool.duration)) {
        return false;
      }
      if (!tools_.emplace(tool.name, s_.tools.size()).second) return Fail(at, "is there twice");
      s_.tools.push_back(std::move(tool));
    }
    return true;
  }

  bool ReadScopes(const Json& root) {
    const Json* v = Find(root, "scopes");
    if (v == nullptr) return true;
    if (!v->IsArray()) return Fail("/scopes", "must be a list");
    for (rapidjson::SizeType i = 0; i < v->Size(); ++i) {
      const std::string at = Child("/scopes", i);
      const Json& o = (*v)[i];
      SimScope scope;
      if (!Fields(o, at, {"id", "parent", "kind", "known_at", "known_after", "alive"}) ||
          !Text(o, at, "id", &scope.name))
        return false;
      if (scope.name.empty()) return Fail(Child(at, "id"), "is missing");
      if (!Reference(o, at, "parent", scopes_, "earlier scope", &scope.parent) ||
          !Word(o, at, "kind", ScopeKind::kHandler, &scope.kind) || !Time(o, at, "known_at", &scope.known_at) ||
          !Flag(o, at, "alive", &scope.alive)) {
        return false;
      }
      if (!scopes_.emplace(scope.name, i).second) return Fail(Child(at, "id"), "is there twice");
      s_.scopes.push_back(std::move(scope));
    }
    return true;
  }

  // References to calls can be resolved only when these are known.
  bool ResolveScopes(const Json& root) {
    const Json* v = Find(root, "scopes");
    if (v == nullptr) return true;
    for (rapidjson::SizeType i = 0; i < v->Size(); ++i) {
      if (!Reference((*v)[i], Child("/scopes", i), "known_after", calls_, "call", &s_.scopes[i].known_after))
        return false;
      if (const uint32_t c = s_.scopes[i].known_after; c != kNone) {
        for (uint32_t inside = s_.calls[c].scope; inside != kNone; inside = s_.scopes[inside].parent) {
          if (inside == i) return Fail(Child(Child("/scopes", i), "known_after"), "is a call inside the scope itself");
        }
      }
    }
    return true;
  }

  bool ReadCalls(const Json& root) {
    const Json* v = Find(root, "calls");
    if (v == nullptr) return true;
    if (!v->IsArray()) return Fail("/calls", "must be a list");
    for (rapidjson::SizeType i = 0; i < v->Size(); ++i) {
      const std::string at = Child("/calls", i);
      const Json& o = (*v)[i];
      if (!o.IsObject()) return Fail(at, "must be an object");
      if (Find(o, "loop") != nullptr ? !ReadLoop(o, at) : !ReadCall(o, at, "", nullptr, 0, kNone)) return false;
    }
    return true;
  }

  // {"loop":"pages","times":3,"every":1,"arrives":0,"scope":..,"calls":[..]}: turn i's calls are called ID[i]; inside a
  // turn ID means this turn's and prev:ID the turn's before (nothing in the first).
  bool ReadLoop(const Json& o, const std::string& at) {
    uint32_t times = 1, outer = kNone;
    TimeNs every = 0, start = 0;
    std::string name;
    if (!Fields(o, at, {"loop", "times", "every", "arrives", "scope", "calls"}) || !Text(o, at, "loop", &name) ||
        !Whole(o, at, "times", 0, kMaxCalls, &times) || !Time(o, at, "every", &every) ||
        !Time(o, at, "arrives", &start) || !Reference(o, at, "scope", scopes_, "scope", &outer)) {
      return false;
    }
    const Json* body = Find(o, "calls");
    const std::string body_at = Child(at, "calls");
    if (body == nullptr || !body->IsArray()) return Fail(body_at, "must be a list");
    for (uint32_t turn = 0; turn < times; ++turn) {
      SimScope scope;
      scope.name = name + "[" + std::to_string(turn) + "]";
      scope.kind = ScopeKind::kIteration;
      scope.parent = outer;
      const auto scope_index = static_cast<uint32_t>(s_.scopes.size());
      s_.scopes.push_back(std::move(scope));
      const double at_time = static_cast<double>(start) + static_cast<double>(every) * turn;
      if (at_time > kMaxNs) return Fail(Child(at, "every"), "makes the last turn too late (more than 10^18 ns)");
      for (rapidjson::SizeType i = 0; i < body->Size(); ++i) {
        if (!ReadCall((*body)[i], Child(body_at, i), "[" + std::to_string(turn) + "]", turn == 0 ? nullptr : &turn,
                      static_cast<TimeNs>(at_time), scope_index)) {
          return false;
        }
      }
      if (s_.scopes.size() > kMaxCalls) return Fail(Child(at, "times"), "makes more than 1000000 scopes");
    }
    return true;
  }

  bool ReadCall(const Json& o, const std::string& at, const std::string& suffix, const uint32_t* turn, TimeNs arrives,
                uint32_t scope) {
    if (!Fields(o, at,
                {"id", "tool", "args", "deps", "scope", "duration", "outcome", "fails", "arrives", "computes", "line",
                 "caught", "guess"})) {
      return false;
    }
    if (s_.calls.size() >= kMaxCalls) return Fail(at, "there are more than 1000000 calls");
    SimCall call;
    call.arrives = arrives;
    call.scope = scope;
    uint32_t tool = kNone;
    TimeNs later = 0;
    std::string outcome = "ok";
    if (!Text(o, at, "id", &call.id) || !Reference(o, at, "tool", tools_, "tool", &tool) ||
        !Text(o, at, "args", &call.args) || !Reference(o, at, "scope", scopes_, "scope", &call.scope) ||
        !Text(o, at, "outcome", &outcome) || !Whole(o, at, "fails", 0, 1000, &call.fails) ||
        !Time(o, at, "arrives", &later) || !Time(o, at, "computes", &call.computes) ||
        !Whole(o, at, "line", 0, 1'000'000'000, &call.line) || !Flag(o, at, "caught", &call.caught) ||
        !Flag(o, at, "guess", &call.guess)) {
      return false;
    }
    if (call.id.empty()) return Fail(Child(at, "id"), "is missing");
    if (tool == kNone) return Fail(Child(at, "tool"), "is missing");
    call.arrives += later;
    call.tool = tool;
    call.has_key = Find(o, "args") != nullptr && suffix.empty();
    call.duration = s_.tools[tool].duration;
    if (!Duration(o, at, &call.duration)) return false;
    if (outcome == "ok")
      call.outcome = Outcome::kOk;
    else if (outcome == "error")
      call.outcome = Outcome::kError;
    else if (outcome == "never")
      call.outcome = Outcome::kNever;
    else if (outcome == "ignores_cancel")
      call.outcome = Outcome::kIgnoresCancel;
    else
      return Fail(Child(at, "outcome"), "must be one of ok, error, never, ignores_cancel");
    if (!ReadDeps(o, at, suffix, turn, &call.deps)) return false;
    call.id += suffix;
    if (!calls_.emplace(call.id, s_.calls.size()).second)
      return Fail(Child(at, "id"), "there is another call \"" + call.id + "\"");
    s_.calls.push_back(std::move(call));
    return true;
  }

  bool ReadDeps(const Json& o, const std::string& at_call, const std::string& suffix, const uint32_t* turn,
                std::vector<uint32_t>* out) {
    const Json* v = Find(o, "deps");
    if (v == nullptr) return true;
    const std::string at = Child(at_call, "deps");
    if (!v->IsArray()) return Fail(at, "must be a list of call ids");
    for (rapidjson::SizeType i = 0; i < v->Size(); ++i) {
      if (!(*v)[i].IsString()) return Fail(Child(at, i), "must be a string");
      std::string name(View((*v)[i]));
      if (!suffix.empty() && name.starts_with("prev:")) {
        if (turn == nullptr) continue;
        name = name.substr(5) + "[" + std::to_string(*turn - 1) + "]";
      } else if (!suffix.empty() && calls_.contains(name + suffix)) {
        name += suffix;
      }
      const auto it = calls_.find(name);
      if (it == calls_.end()) return Fail(Child(at, i), "no earlier call is called \"" + name + "\"");
      out->push_back(it->second);
    }
    std::sort(out->begin(), out->end());
    out->erase(std::unique(out->begin(), out->end()), out->end());
    return true;
  }

  // "plan": the whole text, or chunks {"t":..,"text":..} as they arrive.
  bool ReadPlanField(const Json& root) {
    const Json* v = Find(root, "plan");
    if (v == nullptr) return true;
    TimeNs now = 0;
    PlanReader plan([&](const PlanTask& task) { AddTask(task, now); });
    const auto failed = [&](const std::string& at) {
      return Fail(at, "line " + std::to_string(plan.line()) + " of the plan: " + plan.error());
    };
    if (v->IsString()) {
      plan.Feed(View(*v));
      return plan.Finish() || failed("/plan");
    }
    if (!v->IsArray()) return Fail("/plan", "must be a string or a list of chunks");
    for (rapidjson::SizeType i = 0; i < v->Size(); ++i) {
      const std::string at = Child("/plan", i);
      const Json& chunk = (*v)[i];
      std::string text;
      TimeNs t = now;
      if (!Fields(chunk, at, {"t", "text"}) || !Time(chunk, at, "t", &t) || !Text(chunk, at, "text", &text))
        return false;
      if (t < now) return Fail(Child(at, "t"), "must not fall");
      now = t;
      if (!plan.Feed(text)) return failed(at);
    }
    s_.plan_ends = now;
    return plan.Finish() || failed("/plan");
  }

  void AddTask(const PlanTask& task, TimeNs now) {
    const auto [it, is_new] = tools_.emplace(task.tool, s_.tools.size());
    if (is_new) {
      SimTool tool;
      tool.name = task.tool;
      s_.tools.push_back(std::move(tool));
    }
    SimCall call;
    call.id = "$" + std::to_string(task.number);
    call.tool = it->second;
    call.args = task.args;
    call.arrives = now;
    call.duration = s_.tools[call.tool].duration;
    for (const uint32_t input : task.inputs) call.deps.push_back(calls_.at("$" + std::to_string(input)));
    call.has_key = task.inputs.empty();
    calls_.emplace(call.id, static_cast<uint32_t>(s_.calls.size()));
    s_.calls.push_back(std::move(call));
  }

  bool ReadBudgets(const Json& root) {
    const Json* v = Find(root, "budgets");
    if (v == nullptr) return true;
    if (!v->IsArray()) return Fail("/budgets", "must be a list of changes");
    for (rapidjson::SizeType i = 0; i < v->Size(); ++i) {
      const std::string at = Child("/budgets", i);
      const Json& o = (*v)[i];
      BudgetChange change;
      if (!Fields(o, at, {"t", "class", "limit"}) || !Time(o, at, "t", &change.t) ||
          !Reference(o, at, "class", classes_, "class", &change.klass)) {
        return false;
      }
      const Json* limit = Find(o, "limit");
      if (limit == nullptr) return Fail(Child(at, "limit"), "is missing");
      if (!Limit(*limit, Child(at, "limit"), &change.limit)) return false;
      s_.budget_changes.push_back(change);
    }
    std::stable_sort(s_.budget_changes.begin(), s_.budget_changes.end(),
                     [](const auto& a, const auto& b) { return a.t < b.t; });
    return true;
  }

  Scenario& s_;
  ScenarioError error_;
  std::unordered_map<std::string, uint32_t> classes_, roots_, tools_, scopes_, calls_;
};

}  // namespace

std::string ScenarioError::Text(std::string_view file) const {
  std::string out(file);
  if (line != 0) out += ":" + std::to_string(line);
  out += ": ";
  if (!pointer.empty()) out += pointer + ": ";
  return out + reason;
}

ScenarioError ReadScenario(std::string_view text, Scenario* out) {
  *out = Scenario();
  Reader reader(out);
  const size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {0, "", "an empty scenario"};
  if (text[first] != '{') return reader.ReadPlan(text);
  rapidjson::Document document;
  // Iterative: nesting costs heap, not stack.
  document.Parse<rapidjson::kParseIterativeFlag | rapidjson::kParseValidateEncodingFlag>(text.data(), text.size());
  if (document.HasParseError()) {
    const auto upto = text.substr(0, document.GetErrorOffset());
    const auto line = static_cast<uint64_t>(std::count(upto.begin(), upto.end(), '\n')) + 1;
    return {line, "", std::string("no valid JSON: ") + rapidjson::GetParseError_En(document.GetParseError())};
  }
  return reader.Read(document);
}

}  // namespace pysolate::sim
