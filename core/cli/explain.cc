#include <cstdio>
#include <memory>
#include <string>

#include "cli/commands.h"
#include "cli/files.h"
#include "pysolate/replay.h"
#include "trace/json_text.h"

namespace pysolate::cli {
namespace {

struct Options {
  std::string trace;
  uint32_t call = 0;
  uint64_t at = 0;
  bool json = false;
};

int Explain(const Options& options) {
  std::string text, error;
  const auto append = [&](std::string_view bytes) {
    text += bytes;
    return true;
  };
  if (!ReadFile(options.trace, append, &error)) return Complain(error);
  const ExplainResult result = ExplainAt(text, options.call, options.at);
  if (!result.error.empty()) return Complain(DisplayName(options.trace) + ": " + result.error);
  const Explanation& e = result.explanation;
  if (!options.json) {
    std::printf("%s\n", e.text.c_str());
    return kFine;
  }
  trace_internal::JsonText out;
  out.Object().Int("pysolate_explain", 1).Int("call", e.call).Int("at", static_cast<int64_t>(options.at));
  out.Text("state", Name(e.state)).Bool("reached", e.reached).Int("attempt", e.attempt).Key("shut").Array();
  for (const ShutGate& gate : e.shut) {
    out.Object().Text("gate", Name(gate.gate)).Int("id", gate.id).Text("text", gate.text).EndObject();
  }
  out.EndArray().Text("text", e.text).EndObject();
  std::printf("%s\n", out.Take().c_str());
  return kFine;
}

}  // namespace

void AddExplain(CLI::App& app, Run& run) {
  auto options = std::make_shared<Options>();
  CLI::App* sub = app.add_subcommand("explain", "Why a call waited: its shut gates, in words");
  sub->add_option("TRACE", options->trace, "Trace file, - for standard input")->required();
  sub->add_option("CALL", options->call, "Call id")->required();
  sub->add_option("--at", options->at, "Event number (seq); the end of the trace if absent");
  sub->add_flag("--json", options->json, "Answer as JSON");
  sub->callback([options, &run] { run = [options] { return Explain(*options); }; });
}

}  // namespace pysolate::cli
