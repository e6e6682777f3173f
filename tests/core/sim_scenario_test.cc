// The simulator against schedules worked out by hand, and bad scenarios against the place and reason of their error.
#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "pysolate/replay.h"
#include "pysolate/trace_report.h"
#include "sim/scenario.h"
#include "sim/simulator.h"

using namespace pysolate;
using namespace pysolate::sim;

namespace {

constexpr int64_t kUnit = 1'000'000'000;

// Runs a scenario that must be fine; its trace must obey all rules and replay.
SimResult Run(std::string_view text, SimPolicy policy, uint64_t order_seed = 0) {
  Scenario scenario;
  const ScenarioError error = ReadScenario(text, &scenario);
  REQUIRE(error.Text("") == ": ");
  SimOptions options;
  options.policy = policy;
  options.order_seed = order_seed;
  const SimResult result = Simulate(scenario, options);
  TraceReport report;
  report.Feed(result.trace);
  report.Finish();
  CHECK(report.CheckJson("").find("\"problem_count\":0") != std::string::npos);
  CHECK(report.ok());
  CHECK(Replay(result.trace).ok());
  return result;
}

double Makespan(std::string_view text, SimPolicy policy) {
  return static_cast<double>(Run(text, policy).stats.makespan) / static_cast<double>(kUnit);
}

void Fails(std::string_view text, std::string_view error) {
  Scenario scenario;
  CHECK(ReadScenario(text, &scenario).Text("s.json") == error);
}

// Two searches of 2 and 4 units, a sum of 1 that needs both.
constexpr std::string_view kDiamond = R"({"scenario":1,
  "tools":{"search":{"duration":2},"sum":{"duration":1}},
  "calls":[{"id":"a","tool":"search"},{"id":"b","tool":"search","duration":4},{"id":"c","tool":"sum","deps":["a","b"]}]})";

// A long task beside a chain: a barrier makes the chain's second step wait for the long one.
constexpr std::string_view kBarrier = R"({"scenario":1,"tools":{"t":{}},
  "calls":[{"id":"long","tool":"t","duration":5},{"id":"x","tool":"t"},{"id":"y","tool":"t","deps":["x"],"duration":5}]})";

}  // namespace

TEST_CASE("makespans worked out by hand") {
  CHECK(Makespan(kDiamond, SimPolicy::kSequential) == 7);
  CHECK(Makespan(kDiamond, SimPolicy::kLevels) == 5);
  CHECK(Makespan(kDiamond, SimPolicy::kGreedy) == 5);
  CHECK(Makespan(kDiamond, SimPolicy::kPysolate) == 5);
  CHECK(Makespan(kBarrier, SimPolicy::kSequential) == 11);
  CHECK(Makespan(kBarrier, SimPolicy::kLevels) == 10);
  CHECK(Makespan(kBarrier, SimPolicy::kGreedy) == 6);
  CHECK(Makespan(kBarrier, SimPolicy::kPysolate) == 6);
}

TEST_CASE("a budget of one makes every policy sequential") {
  Scenario scenario;
  REQUIRE_FALSE(ReadScenario(kBarrier, &scenario));
  for (const SimPolicy policy : {SimPolicy::kLevels, SimPolicy::kGreedy, SimPolicy::kPysolate}) {
    SimOptions options;
    options.policy = policy;
    options.total = 1;
    CHECK(Simulate(scenario, options).stats.makespan == 11 * kUnit);
  }
}

TEST_CASE("effects keep their order in pysolate; greedy does not look at them") {
  constexpr std::string_view kEffects = R"({"scenario":1,"tools":{"send":{"effect":"external_write","duration":2}},
    "calls":[{"id":"a","tool":"send"},{"id":"b","tool":"send"}]})";
  CHECK(Makespan(kEffects, SimPolicy::kPysolate) == 4);
  CHECK(Makespan(kEffects, SimPolicy::kGreedy) == 2);
}

TEST_CASE("a dead arm's running call is given up; without a cancel it holds its slot to its end") {
  constexpr std::string_view kArm =
      R"({"scenario":1,"speculate":true,"tools":{"t":{},"slow":{"cancellable":false,"duration":9}},
    "scopes":[{"id":"arm","known_after":"c","alive":false}],
    "calls":[{"id":"c","tool":"t"},{"id":"d","tool":"slow","scope":"arm","guess":true},{"id":"e","tool":"t"}]})";
  const SimResult r = Run(kArm, SimPolicy::kPysolate);
  CHECK(r.stats.makespan == 1 * kUnit);
  CHECK(r.stats.wasted == 1);
  CHECK(r.ledger.by_book[static_cast<int>(Book::kLate)] == 1);
  CHECK(Run(kArm, SimPolicy::kSequential).stats.attempts == 2);
}

TEST_CASE("an exception ends the program at its place; caught it does not") {
  const auto with = [](std::string_view caught) {
    return R"({"scenario":1,"tools":{"t":{}},"calls":[{"id":"a","tool":"t","outcome":"error","caught":)" +
           std::string(caught) + R"(},{"id":"b","tool":"t","deps":["a"]},{"id":"c","tool":"t","duration":3}]})";
  };
  CHECK_FALSE(Run(with("false"), SimPolicy::kPysolate).ok);
  CHECK(Run(with("false"), SimPolicy::kPysolate).stats.makespan == kUnit);
  const SimResult caught = Run(with("true"), SimPolicy::kPysolate);
  CHECK(caught.ok);
  CHECK(caught.stats.makespan == 3 * kUnit);
  // A failing task never hangs the rest of a graph.
  CHECK(Run(with("false"), SimPolicy::kGreedy).stats.makespan == 3 * kUnit);
  CHECK(Run(with("false"), SimPolicy::kLevels).stats.makespan == 3 * kUnit);
}

TEST_CASE("retries by contract are new attempts of the same call") {
  const SimResult r =
      Run(R"({"scenario":1,"tools":{"t":{"retry":2,"failure":"transient"}},"calls":[{"id":"a","tool":"t","fails":2}]})",
          SimPolicy::kSequential);
  CHECK(r.ok);
  CHECK(r.stats.attempts == 3);
  CHECK(r.stats.makespan == 3 * kUnit);
  CHECK(r.ledger.by_book[static_cast<int>(Book::kRetried)] == 2);
}

TEST_CASE("what never answers stalls the program, unless a deadline fails it") {
  CHECK(Run(R"({"scenario":1,"tools":{"t":{"cancellable":false}},"calls":[{"id":"a","tool":"t","outcome":"never"}]})",
            SimPolicy::kPysolate)
            .stalled);
  const SimResult r = Run(
      R"({"scenario":1,"tools":{"t":{"cancellable":false,"deadline":4}},"calls":[{"id":"a","tool":"t","outcome":"never","caught":true}]})",
      SimPolicy::kPysolate);
  CHECK_FALSE(r.stalled);
  CHECK(r.ok);
  CHECK(r.stats.makespan == 4 * kUnit);
  CHECK(r.ledger.by_book[static_cast<int>(Book::kLost)] == 1);
}

TEST_CASE("loops make calls of their own turn by turn; a carried value chains them") {
  constexpr std::string_view kLoop = R"({"scenario":1,"tools":{"t":{}},
    "calls":[{"loop":"l","times":4,"calls":[{"id":"p","tool":"t"},{"id":"q","tool":"t","deps":["p","prev:q"]}]}]})";
  CHECK(Makespan(kLoop, SimPolicy::kSequential) == 8);
  CHECK(Makespan(kLoop, SimPolicy::kPysolate) == 5);
}

TEST_CASE("equal reads share an attempt; a write between them starts a new version") {
  const auto calls = [](std::string_view between) {
    return R"({"scenario":1,"roots":["fs"],"tools":{"read":{"effect":"immutable_read","root":"fs","duration":2},
      "edit":{"effect":"private_write","root":"fs"}},"calls":[{"id":"a","tool":"read","args":"'f'"},)" +
           std::string(between) + R"({"id":"b","tool":"read","args":"'f'"}]})";
  };
  CHECK(Run(calls(""), SimPolicy::kPysolate).stats.attempts == 1);
  CHECK(Run(calls(R"({"id":"w","tool":"edit"},)"), SimPolicy::kPysolate).stats.attempts == 3);
}

TEST_CASE("a plan's call starts while the stream of the plan stalls") {
  constexpr std::string_view kStream = R"json({"scenario":1,"tools":{"slow":{"duration":10}},
    "plan":[{"t":0,"text":"1. slow(\"a\")\n2. sl"},{"t":8,"text":"ow(\"b $1\")\n"},{"t":9,"text":"3. join()"}]})json";
  const SimResult r = Run(kStream, SimPolicy::kGreedy);
  CHECK(r.stats.makespan == 20 * kUnit);
  CHECK(r.json.find(R"({"id":"$1","call":1,"state":"consumed","failed":false,"start":0,)") != std::string::npos);
}

TEST_CASE("the same inputs give the same trace, byte for byte; a seed permutes ties") {
  CHECK(Run(kDiamond, SimPolicy::kPysolate).trace == Run(kDiamond, SimPolicy::kPysolate).trace);
  constexpr std::string_view kTies =
      R"({"scenario":1,"tools":{"t":{}},"calls":[{"loop":"l","times":8,"calls":[{"id":"p","tool":"t"}]}]})";
  CHECK(Run(kTies, SimPolicy::kPysolate, 1).trace == Run(kTies, SimPolicy::kPysolate, 1).trace);
  CHECK(Run(kTies, SimPolicy::kPysolate, 1).trace != Run(kTies, SimPolicy::kPysolate, 2).trace);
  CHECK(Run(kTies, SimPolicy::kPysolate, 1).stats.makespan == kUnit);
}

TEST_CASE("bad scenarios name file, place and reason") {
  Fails("", "s.json: an empty scenario");
  Fails("{\n\"scenario\":1,,}", "s.json:2: no valid JSON: Missing a name for object member.");
  Fails("{}", "s.json: /scenario: is missing (the version of the format, 1)");
  Fails(R"({"scenario":2})", "s.json: /scenario: must be an integer from 1 to 1");
  Fails(R"({"scenario":1,"nonsense":0})", "s.json: /nonsense: is no field that a scenario has here");
  Fails(R"({"scenario":1,"tools":{"a/b":{"effect":"magic"}}})",
        "s.json: /tools/a~1b/effect: must be one of pure, immutable_read, open_read, private_write, external_write");
  Fails(R"({"scenario":1,"tools":{"t":{"class":"net"}}})", "s.json: /tools/t/class: no class is called \"net\"");
  Fails(R"({"scenario":1,"tools":{"t":{"duration":-1}}})",
        "s.json: /tools/t/duration: must be a number of units, not negative");
  Fails(R"({"scenario":1,"tools":{"t":{"duration":1e300}}})",
        "s.json: /tools/t/duration: is too long (more than 10^18 ns)");
  Fails(R"({"scenario":1,"tools":{"t":{"duration":{"uniform":[2,1]}}}})",
        "s.json: /tools/t/duration/uniform: must not fall");
  Fails(R"({"scenario":1,"calls":[{"id":"a","tool":"t"}]})", "s.json: /calls/0/tool: no tool is called \"t\"");
  Fails(R"({"scenario":1,"tools":{"t":{}},"calls":[{"id":"a","tool":"t","deps":["b"]},{"id":"b","tool":"t"}]})",
        "s.json: /calls/0/deps/0: no earlier call is called \"b\"");
  Fails(R"({"scenario":1,"tools":{"t":{}},"calls":[{"id":"a","tool":"t"},{"id":"a","tool":"t"}]})",
        "s.json: /calls/1/id: there is another call \"a\"");
  Fails(R"({"scenario":1,"budget":{"total":"many"}})",
        "s.json: /budget/total: must be a limit: an integer from 0 to 1000000000, or -1 for unlimited");
  Fails(R"({"scenario":1,"plan":[{"t":0,"text":"1. a()\n2. b($7)\n"}]})",
        "s.json: /plan/0: line 2 of the plan: task 2: $7 refers forward");
  Fails("1. a()\n2. b()\n", "s.json:2: the plan ends without join()");
  Fails(R"({"scenario":1,"tools":{"t":{}},"calls":[{"loop":"l","times":2000000,"calls":[]}]})",
        "s.json: /calls/0/times: must be an integer from 0 to 1000000");
}

TEST_CASE("deep nesting is an error, not a crash") {
  const std::string deep = "{\"scenario\":1,\"calls\":" + std::string(1000000, '[') + std::string(1000000, ']') + "}";
  Fails(deep, "s.json: /calls/0: must be an object");
}
