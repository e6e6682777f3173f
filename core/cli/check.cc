#include <cstdio>
#include <memory>
#include <string>
#include <vector>

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

// Remembers the line of each problem that the index records.
class Checker final : public EventSink {
 public:
  void OnEvent(const Event& e) override {
    index.OnEvent(e);
    Note(line);
  }
  void Finish() {
    index.Finish();
    Note(0);
  }

  TraceIndex index;
  uint64_t line = 0;
  std::vector<uint64_t> lines;  // of index.problems()

 private:
  void Note(uint64_t at) {
    while (lines.size() < index.problems().size()) lines.push_back(at);
  }
};

int Check(const Options& options) {
  Checker checker;
  const TraceFile file = ReadTrace(options.trace, &checker, &checker.line);
  if (file) checker.Finish();
  const TraceIndex& index = checker.index;
  const bool ok = file && index.problem_count() == 0;
  if (options.json) {
    JsonOut out;
    out.Object().Int("pysolate_check", 1).Text("file", DisplayName(options.trace)).Bool("ok", ok);
    if (!file) {
      out.Key("error")
          .Object()
          .Int("line", static_cast<int64_t>(file.error_line))
          .Text("cause", file.cause)
          .EndObject();
    }
    out.Int("events", static_cast<int64_t>(file.events)).Int("unknown_kinds", static_cast<int64_t>(file.unknown_kinds));
    out.Bool("truncated", file.truncated).Bool("ended", index.run().ended);
    out.Int("calls", index.call_count()).Int("attempts", index.attempt_count());
    PutLedger(out, index.totals());
    out.Int("problem_count", static_cast<int64_t>(index.problem_count())).Key("problems").Array();
    for (size_t i = 0; i < index.problems().size(); ++i) {
      const Problem& p = index.problems()[i];
      out.Object().Int("line", static_cast<int64_t>(checker.lines[i])).Int("seq", static_cast<int64_t>(p.seq));
      out.Text("rule", p.rule).Text("text", p.text).EndObject();
    }
    out.EndArray().EndObject();
    std::fputs(out.Line().c_str(), stdout);
  }
  if (!file) return Complain(file.error);
  if (options.json) return ok ? kFine : kNo;

  const std::string name = DisplayName(options.trace);
  for (size_t i = 0; i < index.problems().size(); ++i) {
    const Problem& p = index.problems()[i];
    const std::string place = checker.lines[i] == 0 ? name : name + ":" + std::to_string(checker.lines[i]);
    std::printf("%s: %s: %s\n", place.c_str(), p.rule.c_str(), p.text.c_str());
  }
  const uint64_t shown = index.problems().size();
  if (shown < index.problem_count()) {
    std::printf("(%llu of %llu problems shown)\n", static_cast<unsigned long long>(shown),
                static_cast<unsigned long long>(index.problem_count()));
  }
  std::string summary = name + ": " + std::to_string(file.events) + " events, " + std::to_string(index.call_count()) +
                        " calls, " + std::to_string(index.attempt_count()) + " attempts";
  if (file.unknown_kinds != 0) summary += ", " + std::to_string(file.unknown_kinds) + " events of unknown kind";
  if (!index.run().ended) summary += ", the run has not ended";
  std::printf(
      "%s: %s\n", summary.c_str(),
      ok ? "all rules hold, the ledger balances" : (std::to_string(index.problem_count()) + " problems").c_str());
  return ok ? kFine : kNo;
}

}  // namespace

void PutLedger(JsonOut& out, const LedgerTotals& totals) {
  out.Key("ledger").Object().Int("dispatched", totals.dispatched);
  for (int i = 0; i < kBooks; ++i) out.Int(StateWord(static_cast<Book>(i)), totals.by_book[i]);
  out.Int("orphans", totals.orphans).Bool("balanced", totals.balanced()).EndObject();
}

void AddCheck(CLI::App& app, Run& run) {
  auto options = std::make_shared<Options>();
  CLI::App* check = app.add_subcommand("check", "Hold a trace against the format and the rules that all traces obey");
  check->add_option("TRACE", options->trace, "Trace file, - for standard input")->required();
  check->add_flag("--json", options->json, "Answer as JSON");
  check->callback([options, &run] { run = [options] { return Check(*options); }; });
}

}  // namespace pysolate::cli
