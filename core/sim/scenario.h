// A scenario as the simulator runs it: names resolved, loops unrolled, plan text read. The file format is described in
// SCENARIO.md.
#ifndef PYSOLATE_SIM_SCENARIO_H_
#define PYSOLATE_SIM_SCENARIO_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "pysolate/event.h"

namespace pysolate::sim {

inline constexpr uint32_t kMaxCalls = 1'000'000;
inline constexpr uint32_t kNone = 0xffffffffu;

// How long something takes, in units.
struct Distribution {
  enum class Kind : uint8_t { kFixed, kUniform, kExponential, kNormal, kChoice };
  Kind kind = Kind::kFixed;
  double a = 1, b = 0;  // fixed: a; uniform: from a to b; exponential: mean a; normal: mean a, deviation b (cut at 0)
  std::vector<double> choices;
};

enum class Outcome : uint8_t {
  kOk,
  kError,
  kNever,          // no answer, unless it is asked to stop and can
  kIgnoresCancel,  // succeeds in its time even if asked to stop
};

struct SimTool {
  std::string name;
  Effect effect = Effect::kPure;
  Failure failure = Failure::kStable;
  uint32_t klass = kNone, root = kNone;
  uint32_t cost = 1, retry = 0;
  bool cancellable = true, early = true, reuse = true;
  TimeNs deadline = 0;
  Distribution duration;
};

struct SimScope {
  std::string name;
  uint32_t parent = kNone;  // none: the program
  ScopeKind kind = ScopeKind::kBranch;
  TimeNs known_at = 0;           // when its condition is known
  uint32_t known_after = kNone;  // or: when this call has been taken
  bool alive = true;             // false: dies then
};

struct SimCall {
  std::string id;
  uint32_t tool = 0;
  uint32_t scope = kNone;
  std::string args;
  bool has_key = false;        // equal args of one tool mean equal calls
  std::vector<uint32_t> deps;  // earlier calls
  TimeNs arrives = 0;
  TimeNs computes = 0;  // the program computes so long before it comes here
  int32_t line = 0;
  Distribution duration;
  Outcome outcome = Outcome::kOk;
  uint32_t fails = 0;   // so many attempts fail before one does what `outcome` says
  bool caught = false;  // its exception does not end the program
  bool guess = false;
};

struct BudgetChange {
  TimeNs t = 0;
  uint32_t klass = kNone;  // none: the total
  uint32_t limit = kUnlimited;
};

struct Scenario {
  std::string name = "scenario";
  int64_t unit = 1'000'000'000;  // ns
  uint64_t seed = 1;
  bool speculate = false;
  bool critical_path = false;
  uint32_t total = kUnlimited, early = kUnlimited;
  std::vector<std::pair<std::string, uint32_t>> classes;  // name, limit
  std::vector<std::string> roots;
  std::vector<SimTool> tools;
  std::vector<SimScope> scopes;
  std::vector<SimCall> calls;                // in program order
  std::vector<BudgetChange> budget_changes;  // by time
  TimeNs plan_ends = 0;                      // when a plan's stream ended
};

struct ScenarioError {
  uint64_t line = 0;    // of the text; 0: see pointer
  std::string pointer;  // JSON pointer into the scenario
  std::string reason;   // empty: no error
  explicit operator bool() const { return !reason.empty(); }
  // "file:3: reason" or "file: /calls/2/tool: reason".
  std::string Text(std::string_view file) const;
};

// Reads a scenario (JSON) or, if the text does not begin with '{', a bare plan whose tasks are pure and take one unit.
ScenarioError ReadScenario(std::string_view text, Scenario* out);

}  // namespace pysolate::sim

#endif  // PYSOLATE_SIM_SCENARIO_H_
