#include <cstdio>
#include <memory>
#include <string>

#include "cli/commands.h"
#include "cli/files.h"
#include "pysolate/trace_report.h"

namespace pysolate::cli {
namespace {

struct Options {
  std::string trace;
  bool json = false;
};

int Check(const Options& options) {
  TraceReport report;
  const bool readable = ReadTrace(options.trace, &report);
  const std::string name = DisplayName(options.trace);
  if (options.json) {
    std::printf("%s\n", report.CheckJson(name).c_str());
    return !readable ? kBad : report.ok() ? kFine : kNo;
  }
  if (!readable) return kBad;

  const TraceIndex& index = report.index();
  for (size_t i = 0; i < index.problems().size(); ++i) {
    const Problem& p = index.problems()[i];
    const uint64_t line = report.problem_lines()[i];
    const std::string place = line == 0 ? name : name + ":" + std::to_string(line);
    std::printf("%s: %s: %s\n", place.c_str(), p.rule.c_str(), p.text.c_str());
  }
  const uint64_t shown = index.problems().size();
  if (shown < index.problem_count()) {
    std::printf("(%llu of %llu problems shown)\n", static_cast<unsigned long long>(shown),
                static_cast<unsigned long long>(index.problem_count()));
  }
  const TraceReader& reader = report.reader();
  std::string summary = name + ": " + std::to_string(reader.events()) + " events, " +
                        std::to_string(index.call_count()) + " calls, " + std::to_string(index.attempt_count()) +
                        " attempts";
  if (reader.unknown_kinds() != 0) summary += ", " + std::to_string(reader.unknown_kinds()) + " events of unknown kind";
  if (!index.run().ended) summary += ", the run has not ended";
  summary += report.ok() ? ": all rules hold, the ledger balances"
                         : ": " + std::to_string(index.problem_count()) + " problems";
  std::printf("%s\n", summary.c_str());
  return report.ok() ? kFine : kNo;
}

}  // namespace

void AddCheck(CLI::App& app, Run& run) {
  auto options = std::make_shared<Options>();
  CLI::App* check = app.add_subcommand("check", "Hold a trace against the format and the rules that all traces obey");
  check->add_option("TRACE", options->trace, "Trace file, - for standard input")->required();
  check->add_flag("--json", options->json, "Answer as JSON");
  check->callback([options, &run] { run = [options] { return Check(*options); }; });
}

}  // namespace pysolate::cli
