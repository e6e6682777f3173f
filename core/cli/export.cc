#include <cstdio>
#include <memory>
#include <string>

#include "cli/commands.h"
#include "cli/exporters.h"
#include "cli/files.h"
#include "pysolate/trace_report.h"

namespace pysolate::cli {
namespace {

struct Options {
  std::string trace, format, out;
};

int Export(const Options& options) {
  TraceReport report;
  if (!ReadTrace(options.trace, &report)) return kBad;
  const TraceIndex& index = report.index();
  const std::string text = options.format == "chrome" ? ChromeTrace(index)
                           : options.format == "dot"  ? DotGraph(index)
                                                      : CsvTable(index);
  std::string error;
  if (!WriteFile(options.out, text, &error)) return Complain(error);
  return kFine;
}

}  // namespace

void AddExport(CLI::App& app, Run& run) {
  auto options = std::make_shared<Options>();
  CLI::App* sub = app.add_subcommand("export", "Write a trace in another program's format");
  sub->add_option("TRACE", options->trace, "Trace file, - for standard input")->required();
  sub->add_option("--format", options->format,
                  "chrome: trace event JSON for Perfetto and chrome://tracing; dot: Graphviz; csv: a row a call")
      ->required()
      ->check(CLI::IsMember({"chrome", "dot", "csv"}));
  sub->add_option("-o,--output", options->out, "File to write; standard output if absent");
  sub->callback([options, &run] { run = [options] { return Export(*options); }; });
}

}  // namespace pysolate::cli
