// pysolate: look at traces from the command line.
#include <CLI/CLI.hpp>
#include <iostream>

#include "cli/commands.h"

int main(int argc, char** argv) {
  using namespace pysolate::cli;
  CLI::App app("Checks, measures, replays and converts traces of Pysolate runs, and simulates scenarios.", "pysolate");
  app.set_version_flag("--version", "pysolate " PYSOLATE_VERSION);
  app.require_subcommand(1);
  app.footer("Exit codes: 0 fine, 1 the answer is no, 2 bad usage or bad input.");
  Run run;
  AddCheck(app, run);
  AddStats(app, run);
  AddReplay(app, run);
  AddExplain(app, run);
  AddExport(app, run);
  AddSimulate(app, run);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e, std::cout, std::cerr) == 0 ? kFine : kBad;
  }
  return run();
}
