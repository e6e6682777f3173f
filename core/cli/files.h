// Files in and out. A path of `-` is standard input or standard output.
#ifndef PYSOLATE_CLI_FILES_H_
#define PYSOLATE_CLI_FILES_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "pysolate/trace_report.h"

namespace pysolate::cli {

// How a file is called in messages: `<stdin>` for `-`.
std::string DisplayName(const std::string& path);

// Prints `pysolate: ` and the text to standard error; returns the exit code for bad input.
int Complain(const std::string& text);

// Reads the file in chunks. False if it can't be read; then *error says why.
bool ReadFile(const std::string& path, const std::function<bool(std::string_view)>& chunk, std::string* error);

// Writes the whole file, or standard output for `-` and the empty path.
bool WriteFile(const std::string& path, std::string_view text, std::string* error);

// `file:line: cause`.
std::string TraceErrorText(const std::string& path, const TraceError& error);

// Reads a trace to its end. Says on standard error what is wrong with it: a truncated last line is a warning, anything
// else makes it return false.
bool ReadTrace(const std::string& path, TraceReport* report);

// "1.5 s", "12 ms"; in a virtual run "3.25" units.
std::string Duration(TimeNs ns, int64_t unit);

}  // namespace pysolate::cli

#endif  // PYSOLATE_CLI_FILES_H_
