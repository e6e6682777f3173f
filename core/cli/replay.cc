#include "pysolate/replay.h"

#include <cstdio>
#include <memory>
#include <string>

#include "cli/commands.h"
#include "cli/files.h"
#include "trace/json_text.h"

namespace pysolate::cli {
namespace {

struct Options {
  std::string trace;
  bool json = false;
};

int Replay(const Options& options) {
  std::string text, error;
  const auto append = [&](std::string_view bytes) {
    text += bytes;
    return true;
  };
  if (!ReadFile(options.trace, append, &error)) return Complain(error);
  const ReplayResult result = pysolate::Replay(text);
  const std::string name = DisplayName(options.trace);
  const ReplayDifference& difference = result.difference;
  if (options.json) {
    trace_internal::JsonText out;
    out.Object().Int("pysolate_replay", 1).Text("file", name).Bool("ok", result.ok());
    if (result.error) {
      out.Key("error").Object().Int("line", static_cast<int64_t>(result.error.line));
      out.Text("cause", result.error.message).EndObject();
    }
    out.Int("inputs", static_cast<int64_t>(result.inputs)).Int("decisions", static_cast<int64_t>(result.decisions));
    out.Bool("truncated", result.truncated);
    if (difference) {
      out.Key("difference").Object().Int("seq", static_cast<int64_t>(difference.seq));
      out.Text("trace", difference.expected).Text("replay", difference.actual).EndObject();
    }
    std::printf("%s\n", out.EndObject().Take().c_str());
  }
  if (result.error) return Complain(TraceErrorText(options.trace, result.error));
  if (result.truncated) Complain(name + ": warning: the last line is cut off and was dropped");
  if (options.json) return result.ok() ? kFine : kNo;
  if (difference) {
    const auto line = [](const std::string& l) { return l.empty() ? std::string("(nothing)") : l; };
    std::printf("%s: the replay differs at seq %llu\n  trace:  %s\n  replay: %s\n", name.c_str(),
                static_cast<unsigned long long>(difference.seq), line(difference.expected).c_str(),
                line(difference.actual).c_str());
    return kNo;
  }
  std::printf("%s: %llu inputs, %llu decisions: all as in the trace\n", name.c_str(),
              static_cast<unsigned long long>(result.inputs), static_cast<unsigned long long>(result.decisions));
  return kFine;
}

}  // namespace

void AddReplay(CLI::App& app, Run& run) {
  auto options = std::make_shared<Options>();
  CLI::App* sub =
      app.add_subcommand("replay", "Feed a trace's inputs to the scheduler again and compare every decision");
  sub->add_option("TRACE", options->trace, "Trace file, - for standard input")->required();
  sub->add_flag("--json", options->json, "Answer as JSON");
  sub->callback([options, &run] { run = [options] { return Replay(*options); }; });
}

}  // namespace pysolate::cli
