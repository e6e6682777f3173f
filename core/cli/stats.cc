#include <cstdio>
#include <memory>
#include <string>

#include "cli/commands.h"
#include "cli/files.h"
#include "cli/json_out.h"
#include "pysolate/trace_index.h"

namespace pysolate::cli {
namespace {

struct Options {
  std::string trace;
  bool json = false;
};

void PrintJson(const Options& options, const TraceFile& file, const TraceIndex& index) {
  const TraceStats s = index.Stats();
  const RunFacts& run = index.run();
  JsonOut out;
  out.Object().Int("pysolate_stats", 1).Text("file", DisplayName(options.trace));
  out.Int("events", static_cast<int64_t>(file.events)).Int("unknown_kinds", static_cast<int64_t>(file.unknown_kinds));
  out.Bool("truncated", file.truncated);
  out.Text("program", run.program).Text("mode", run.mode).Text("clock", run.clock).Text("policy", run.policy);
  out.Int("unit", run.unit).Bool("speculate", run.speculate).Bool("ended", run.ended).Bool("ok", run.ok);
  if (!run.error.empty()) out.Text("error", run.error);
  out.Int("makespan", s.makespan).Int("sequential_sum", s.sequential_sum).Int("critical_path", s.critical_path);
  out.Int("overlap_won", s.overlap_won).Int("overlap_left", s.overlap_left);
  out.Int("peak_in_flight", s.peak_in_flight).Number("mean_in_flight", s.mean_in_flight);
  out.Key("calls").Object().Int("total", s.calls).Int("reached", s.reached).Int("early", s.early);
  out.Int("promoted", s.promoted).Int("refused", s.refused).Int("suppressed", s.suppressed);
  for (int i = 0; i < 8; ++i) out.Int(StateWord(static_cast<CallState>(i)), s.by_state[i]);
  out.EndObject().Int("attempts", s.attempts).Int("wasted", s.wasted);
  PutLedger(out, index.totals());
  out.Key("sites").Array();
  for (const SiteCounts& c : index.Sites()) {
    const SiteFacts site = c.site == 0 ? SiteFacts{} : index.site(c.site);
    out.Object().Int("site", c.site).Text("file", site.file).Int("line", site.line).Int("col", site.col);
    out.Text("function", site.function).Int("calls", c.calls).Int("reached", c.reached).Int("early", c.early);
    out.Int("promoted", c.promoted).Int("refused", c.refused).Int("attempts", c.attempts).Int("wasted", c.wasted);
    out.Int("busy", c.busy).EndObject();
  }
  out.EndArray().EndObject();
  std::fputs(out.Line().c_str(), stdout);
}

void PrintText(const Options& options, const TraceFile& file, const TraceIndex& index) {
  const TraceStats s = index.Stats();
  const RunFacts& run = index.run();
  const auto time = [&](TimeNs t) { return Duration(t, run.unit); };
  const auto row = [](const char* name, const std::string& value) { std::printf("  %-22s %s\n", name, value.c_str()); };
  const auto text = [](std::string_view v) { return std::string(v); };
  std::printf("%s\n", DisplayName(options.trace).c_str());
  row("program", text(run.program));
  row("mode", text(run.mode) + ", " + text(run.clock) + " clock" +
                  (run.unit > 0 ? ", times in units of " + Duration(run.unit, 0) : std::string()));
  row("events", std::to_string(file.events) +
                    (file.unknown_kinds == 0 ? "" : " (" + std::to_string(file.unknown_kinds) + " of unknown kind)"));
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
  TraceIndex index;
  const TraceFile file = ReadTrace(options.trace, &index);
  if (!file) return Complain(file.error);
  if (index.problem_count() != 0) {
    std::fprintf(stderr,
                 "pysolate: %s: warning: the trace breaks %llu rules (see pysolate check); figures may be off\n",
                 DisplayName(options.trace).c_str(), static_cast<unsigned long long>(index.problem_count()));
  }
  if (options.json) {
    PrintJson(options, file, index);
  } else {
    PrintText(options, file, index);
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
