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

void PrintText(const Options& options, const TraceReport& report) {
  const TraceIndex& index = report.index();
  const TraceReader& reader = report.reader();
  const TraceStats s = index.Stats();
  const RunFacts& run = index.run();
  const auto time = [&](TimeNs t) { return Duration(t, run.unit); };
  const auto row = [](const char* name, const std::string& value) { std::printf("  %-22s %s\n", name, value.c_str()); };
  const auto text = [](std::string_view v) { return std::string(v); };
  std::printf("%s\n", DisplayName(options.trace).c_str());
  row("program", text(run.program));
  row("mode", text(run.mode) + ", " + text(run.clock) + " clock" +
                  (run.unit > 0 ? ", times in units of " + Duration(run.unit, 0) : std::string()));
  row("events",
      std::to_string(reader.events()) +
          (reader.unknown_kinds() == 0 ? "" : " (" + std::to_string(reader.unknown_kinds()) + " of unknown kind)"));
  row("ended", run.ended ? (run.ok ? "yes" : "with " + (run.error.empty() ? "an error" : text(run.error))) : "no");
  row("makespan", time(s.makespan));
  row("sequential sum", time(s.sequential_sum));
  row("critical path", time(s.critical_path));
  row("overlap won", time(s.overlap_won));
  row("overlap left", time(s.overlap_left));
  char mean[32];
  std::snprintf(mean, sizeof mean, "%.2f", s.mean_in_flight);
  row("in flight", "peak " + std::to_string(s.peak_in_flight) + ", mean " + mean);
  row("calls", std::to_string(s.calls) + " (" + std::to_string(s.reached) + " reached, " + std::to_string(s.early) +
                   " early, " + std::to_string(s.promoted) + " promoted, " + std::to_string(s.refused) + " refused)");
  for (int i = 0; i < 8; ++i) {
    if (s.by_state[i] != 0)
      row(("  " + text(StateWord(static_cast<CallState>(i)))).c_str(), std::to_string(s.by_state[i]));
  }
  const LedgerTotals totals = index.totals();
  row("attempts", std::to_string(s.attempts) + " (" + std::to_string(s.wasted) + " of them early for nothing)");
  for (int i = 0; i < kBooks; ++i) {
    if (totals.by_book[i] != 0)
      row(("  " + text(StateWord(static_cast<Book>(i)))).c_str(), std::to_string(totals.by_book[i]));
  }
  row("ledger", totals.balanced() ? "balances" : "does NOT balance");
  std::printf("\n  %-40s %7s %7s %7s %9s %7s %8s %7s  %s\n", "site", "calls", "reached", "early", "promoted", "refused",
              "attempts", "wasted", "busy");
  for (const SiteCounts& c : index.Sites()) {
    std::string place = "(no site)";
    if (c.site != 0) {
      const SiteFacts& site = index.site(c.site);
      place = text(site.file) + ":" + std::to_string(site.line) + ":" + std::to_string(site.col);
      if (!site.function.empty()) place += " " + text(site.function);
    }
    std::printf("  %-40s %7u %7u %7u %9u %7u %8u %7u  %s\n", place.c_str(), c.calls, c.reached, c.early, c.promoted,
                c.refused, c.attempts, c.wasted, time(c.busy).c_str());
  }
}

int Stats(const Options& options) {
  TraceReport report;
  if (!ReadTrace(options.trace, &report)) return kBad;
  if (const uint64_t problems = report.index().problem_count(); problems != 0) {
    Complain(DisplayName(options.trace) + ": warning: the trace breaks rules " + std::to_string(problems) +
             " times (see pysolate check), figures may be off");
  }
  if (options.json) {
    std::printf("%s\n", report.StatsJson(DisplayName(options.trace)).c_str());
  } else {
    PrintText(options, report);
  }
  return kFine;
}

}  // namespace

void AddStats(CLI::App& app, Run& run) {
  auto options = std::make_shared<Options>();
  CLI::App* stats = app.add_subcommand("stats", "Makespan, overlap, states, ledger and call sites of a trace");
  stats->add_option("TRACE", options->trace, "Trace file, - for standard input")->required();
  stats->add_flag("--json", options->json, "Answer as JSON (times in ns)");
  stats->callback([options, &run] { run = [options] { return Stats(*options); }; });
}

}  // namespace pysolate::cli
