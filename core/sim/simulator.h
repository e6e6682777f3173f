// Runs a scenario in virtual time on the real scheduler, under one of four policies.
//
//   sequential  each call starts when control reaches it, one at a time
//   levels      a barrier a wave: a call starts when every call of the level before it has ended
//   greedy      LLMCompiler's rule: a call starts as soon as it is known and its inputs are there; contracts and the
//   order
//               of effects are not looked at
//   pysolate    ours: a scout announces what may be early, control follows in program order, all gates hold
//
// Deterministic: the same scenario and options give the same trace, byte for byte, on every platform.
#ifndef PYSOLATE_SIM_SIMULATOR_H_
#define PYSOLATE_SIM_SIMULATOR_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "pysolate/trace_index.h"
#include "sim/scenario.h"

namespace pysolate::sim {

enum class SimPolicy : uint8_t { kSequential, kLevels, kGreedy, kPysolate };
std::string_view Name(SimPolicy policy);
std::optional<SimPolicy> SimPolicyFromName(std::string_view name);

struct SimOptions {
  SimPolicy policy = SimPolicy::kPysolate;
  std::optional<uint32_t> total;  // instead of the scenario's total budget
  uint64_t order_seed = 0;        // permutes completions at equal times; 0: as they were started
};

struct SimResult {
  std::string trace;  // JSON Lines
  TraceStats stats;
  LedgerTotals ledger;
  bool ok = false;       // the program ended without an exception
  bool stalled = false;  // it would have waited for ever
  std::string json;      // one object: {"pysolate_simulate":1,..}; times in ns
};

SimResult Simulate(const Scenario& scenario, const SimOptions& options);

}  // namespace pysolate::sim

#endif  // PYSOLATE_SIM_SIMULATOR_H_
