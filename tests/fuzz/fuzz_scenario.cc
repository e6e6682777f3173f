// The scenario reader, and the simulator on what it accepts: every policy ends, and its trace obeys all rules.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "pysolate/trace_report.h"
#include "sim/scenario.h"
#include "sim/simulator.h"

using namespace pysolate;
using namespace pysolate::sim;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  Scenario scenario;
  if (ReadScenario(text, &scenario) || scenario.calls.size() > 200 || scenario.scopes.size() > 200) return 0;
  for (const SimPolicy policy :
       {SimPolicy::kSequential, SimPolicy::kLevels, SimPolicy::kGreedy, SimPolicy::kPysolate}) {
    SimOptions options;
    options.policy = policy;
    const SimResult result = Simulate(scenario, options);
    TraceReport report;
    report.Feed(result.trace);
    report.Finish();
    if (!report.ok()) std::abort();
  }
  return 0;
}
