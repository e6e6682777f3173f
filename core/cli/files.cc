#include "cli/files.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

namespace pysolate::cli {
namespace {

struct CloseFile {
  void operator()(std::FILE* f) const {
    if (f != stdin && f != stdout) std::fclose(f);
  }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

}  // namespace

std::string DisplayName(const std::string& path) { return path == "-" ? "<stdin>" : path; }

int Complain(const std::string& text) {
  std::fprintf(stderr, "pysolate: %s\n", text.c_str());
  return 2;
}

bool ReadFile(const std::string& path, const std::function<bool(std::string_view)>& chunk, std::string* error) {
  File file(path == "-" ? stdin : std::fopen(path.c_str(), "rb"));
  if (file == nullptr) {
    *error = DisplayName(path) + ": " + std::strerror(errno);
    return false;
  }
  std::vector<char> buffer(size_t{1} << 18);
  while (true) {
    const size_t n = std::fread(buffer.data(), 1, buffer.size(), file.get());
    if (n == 0) break;
    if (!chunk({buffer.data(), n})) return true;
  }
  if (std::ferror(file.get()) != 0) {
    *error = DisplayName(path) + ": " + std::strerror(errno);
    return false;
  }
  return true;
}

bool WriteFile(const std::string& path, std::string_view text, std::string* error) {
  const bool to_stdout = path.empty() || path == "-";
  File file(to_stdout ? stdout : std::fopen(path.c_str(), "wb"));
  bool ok = file != nullptr && std::fwrite(text.data(), 1, text.size(), file.get()) == text.size();
  ok = ok && std::fflush(file.get()) == 0;
  if (!ok) *error = (to_stdout ? std::string("<stdout>") : path) + ": " + std::strerror(errno);
  return ok;
}

std::string TraceErrorText(const std::string& path, const TraceError& error) {
  return DisplayName(path) + ":" + (error.line == 0 ? "" : std::to_string(error.line) + ":") + " " + error.message;
}

bool ReadTrace(const std::string& path, TraceReport* report) {
  std::string error;
  if (!ReadFile(
          path, [&](std::string_view bytes) { return report->Feed(bytes); }, &error)) {
    Complain(error);
    return false;
  }
  report->Finish();
  const TraceReader& reader = report->reader();
  if (const TraceError& bad = reader.error(); bad) {
    Complain(TraceErrorText(path, bad));
    return false;
  }
  if (reader.truncated()) {
    Complain(DisplayName(path) + ":" + std::to_string(reader.lines()) +
             ": warning: the last line is cut off and was dropped");
  }
  return true;
}

std::string Duration(TimeNs ns, int64_t unit) {
  char text[64];
  const auto value = static_cast<double>(ns);
  if (unit > 0) {
    std::snprintf(text, sizeof text, "%.6g", value / static_cast<double>(unit));
  } else if (ns >= 1'000'000'000) {
    std::snprintf(text, sizeof text, "%.4g s", value / 1e9);
  } else if (ns >= 1'000'000) {
    std::snprintf(text, sizeof text, "%.4g ms", value / 1e6);
  } else {
    std::snprintf(text, sizeof text, "%.4g us", value / 1e3);
  }
  return text;
}

}  // namespace pysolate::cli
