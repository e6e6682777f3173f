// The commands of `pysolate`. Each registers its options with the command line parser and leaves in `run` what to do.
//
// Exit codes: 0 fine; 1 the question was answered with no (a check failed, a replay differs); 2 bad usage or bad input,
// with the reason on standard error as `file:line: cause`.
#ifndef PYSOLATE_CLI_COMMANDS_H_
#define PYSOLATE_CLI_COMMANDS_H_

#include <CLI/CLI.hpp>
#include <functional>

namespace pysolate::cli {

inline constexpr int kFine = 0;
inline constexpr int kNo = 1;
inline constexpr int kBad = 2;

using Run = std::function<int()>;

void AddCheck(CLI::App& app, Run& run);
void AddStats(CLI::App& app, Run& run);
void AddReplay(CLI::App& app, Run& run);
void AddExplain(CLI::App& app, Run& run);
void AddExport(CLI::App& app, Run& run);
void AddSimulate(CLI::App& app, Run& run);

}  // namespace pysolate::cli

#endif  // PYSOLATE_CLI_COMMANDS_H_
