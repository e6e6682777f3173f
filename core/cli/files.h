// Files in and out. A path of `-` is standard input or standard output.
#ifndef PYSOLATE_CLI_FILES_H_
#define PYSOLATE_CLI_FILES_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "pysolate/event.h"

namespace pysolate::cli {

// How a file is called in messages: `<stdin>` for `-`.
std::string DisplayName(const std::string& path);

// Prints `pysolate: ` and the text to standard error; returns the exit code for bad input.
int Complain(const std::string& text);

// Reads the file in chunks. False if it can't be read; then *error says why.
bool ReadFile(const std::string& path, const std::function<bool(std::string_view)>& chunk, std::string* error);

// Writes the whole file, or standard output for `-` and the empty path.
bool WriteFile(const std::string& path, std::string_view text, std::string* error);

struct TraceFile {
  std::string error;        // `file:line: cause`; empty: read to its end
  uint64_t error_line = 0;  // 0: the file as a whole
  std::string cause;
  bool truncated = false;
  uint64_t events = 0, unknown_kinds = 0;
  explicit operator bool() const { return error.empty(); }
};

// Reads a trace into `sink`. `line` (may be null) is set to the line of each event before the sink hears it. Says a
// truncated last line on standard error.
TraceFile ReadTrace(const std::string& path, EventSink* sink, uint64_t* line = nullptr);

// "1.5 s", "12 ms"; in a virtual run "3.25" units.
std::string Duration(TimeNs ns, int64_t unit);

}  // namespace pysolate::cli

#endif  // PYSOLATE_CLI_FILES_H_
