#include <cstdio>
#include <memory>
#include <optional>
#include <string>

#include "cli/commands.h"
#include "cli/files.h"
#include "sim/scenario.h"
#include "sim/simulator.h"

namespace pysolate::cli {
namespace {

struct Options {
  std::string scenario, policy = "pysolate", out;
  std::optional<int64_t> budget;
  uint64_t order_seed = 0;
  bool json = false;
};

int Simulate(const Options& options) {
  std::string text, error;
  const auto append = [&](std::string_view bytes) {
    text += bytes;
    return true;
  };
  if (!ReadFile(options.scenario, append, &error)) return Complain(error);
  sim::Scenario scenario;
  if (const sim::ScenarioError bad = sim::ReadScenario(text, &scenario); bad)
    return Complain(bad.Text(DisplayName(options.scenario)));
  sim::SimOptions how;
  how.policy = *sim::SimPolicyFromName(options.policy);
  how.order_seed = options.order_seed;
  if (options.budget) how.total = *options.budget < 0 ? kUnlimited : static_cast<uint32_t>(*options.budget);
  const sim::SimResult result = sim::Simulate(scenario, how);
  if (!options.out.empty() && !WriteFile(options.out, result.trace, &error)) return Complain(error);
  // With -o - the trace has standard output to itself.
  std::FILE* const to = options.out == "-" ? stderr : stdout;
  if (options.json) {
    std::fprintf(to, "%s\n", result.json.c_str());
  } else {
    const TraceStats& s = result.stats;
    const auto time = [&](TimeNs t) { return Duration(t, scenario.unit); };
    std::fprintf(to,
                 "%s, %s: makespan %s (sequential sum %s, critical path %s), %u attempts, %u early for nothing, peak "
                 "%u in flight%s\n",
                 scenario.name.c_str(), options.policy.c_str(), time(s.makespan).c_str(),
                 time(s.sequential_sum).c_str(), time(s.critical_path).c_str(), s.attempts, s.wasted, s.peak_in_flight,
                 result.stalled ? ", STALLED: it would wait for ever"
                 : result.ok    ? ""
                                : ", ended with an exception");
  }
  return result.stalled ? kNo : kFine;
}

}  // namespace

void AddSimulate(CLI::App& app, Run& run) {
  auto options = std::make_shared<Options>();
  CLI::App* sub = app.add_subcommand("simulate", "Run a scenario (SCENARIO.md) or an LLMCompiler plan in virtual time");
  sub->add_option("SCENARIO", options->scenario, "Scenario file, - for standard input")->required();
  sub->add_option("--policy", options->policy, "sequential, levels, greedy or pysolate")
      ->check(CLI::IsMember({"sequential", "levels", "greedy", "pysolate"}))
      ->capture_default_str();
  sub->add_option("--budget", options->budget, "Total budget instead of the scenario's, -1 for unlimited")
      ->check(CLI::Range(int64_t{-1}, int64_t{1'000'000'000}));
  sub->add_option("--order-seed", options->order_seed, "Permutes completions at equal times; 0: as they were started");
  sub->add_option("-o,--output", options->out, "Write the trace to this file, - for standard output");
  sub->add_flag("--json", options->json, "Answer as JSON (times in ns)");
  sub->callback([options, &run] { run = [options] { return Simulate(*options); }; });
}

}  // namespace pysolate::cli
