#include <cstring>
#include <string>
#include <string_view>

#include "pysolate/trace.h"
#include "trace/line_parser.h"

namespace pysolate {

using trace_internal::LineParser;
using trace_internal::LineStatus;

struct TraceReader::Impl {
  explicit Impl(EventSink* s) : sink(s) {}

  EventSink* const sink;
  LineParser parser;
  std::string pending;  // the beginning of a line whose end has not come yet
  // A line that was cut off although its line end is there: an error, unless it turns out to be the last one.
  uint64_t cut_line = 0;
  TraceError error;
  bool truncated = false;
  bool finished = false;
  uint64_t lines = 0;
  uint64_t events = 0;
  uint64_t unknown_kinds = 0;
  uint64_t last_seq = 0;
  TimeNs last_t = 0;

  bool Fail(uint64_t line, std::string message) {
    error.line = line;
    error.message = std::move(message);
    pending = {};
    return false;
  }

  // One line, *end being '\n'.
  bool Line(const char* begin, const char* end) {
    ++lines;
    if (static_cast<size_t>(end - begin) > kMaxTraceLine) return Fail(lines, "line longer than 1 MiB");
    switch (parser.Parse(begin, end)) {
      case LineStatus::kEvent:
        if (cut_line != 0) break;
        return Deliver(parser.event());
      case LineStatus::kBlank:
        return true;
      case LineStatus::kCutOff:
        if (cut_line != 0) break;
        cut_line = lines;
        return true;
      case LineStatus::kBad:
        if (cut_line != 0) break;
        return Fail(lines, parser.cause());
    }
    return Fail(cut_line, "the line ends too soon");
  }

  bool Deliver(const Event& e) {
    if (events == 0) {
      if (e.kind != EventKind::kRun) return Fail(lines, "the first event must be \"run\"");
      if (e.version > kTraceVersion) {
        return Fail(lines, "trace version " + std::to_string(e.version) + " is newer than this reader (" +
                               std::to_string(kTraceVersion) + ")");
      }
      if (e.version == 0) return Fail(lines, "\"version\" of \"run\" must be 1");
      if (e.seq != 1) return Fail(lines, "\"seq\" of the first event must be 1");
    } else if (e.kind == EventKind::kRun) {
      return Fail(lines, "a second \"run\"");
    }
    if (e.seq <= last_seq) {
      return Fail(lines, "\"seq\" " + std::to_string(e.seq) + " does not follow " + std::to_string(last_seq));
    }
    if (e.t < last_t) {
      return Fail(lines, "\"t\" goes back from " + std::to_string(last_t) + " to " + std::to_string(e.t));
    }
    last_seq = e.seq;
    last_t = e.t;
    ++events;
    if (e.kind == EventKind::kUnknown) ++unknown_kinds;
    sink->OnEvent(e);
    return true;
  }
};

TraceReader::TraceReader(EventSink* sink) : impl_(std::make_unique<Impl>(sink)) {}
TraceReader::~TraceReader() = default;

bool TraceReader::Feed(std::string_view bytes) {
  Impl& r = *impl_;
  if (r.error || r.finished) return !r.error;
  const char* p = bytes.data();
  const char* const end = p + bytes.size();
  while (p != end) {
    const auto* newline = static_cast<const char*>(std::memchr(p, '\n', static_cast<size_t>(end - p)));
    if (newline == nullptr) {
      if (r.pending.size() + static_cast<size_t>(end - p) > kMaxTraceLine) {
        return r.Fail(r.lines + 1, "line longer than 1 MiB");
      }
      r.pending.append(p, end);
      return true;
    }
    if (r.pending.empty()) {
      if (!r.Line(p, newline)) return false;
    } else {
      if (r.pending.size() + static_cast<size_t>(newline - p) > kMaxTraceLine) {
        return r.Fail(r.lines + 1, "line longer than 1 MiB");
      }
      r.pending.append(p, newline + 1);
      if (!r.Line(r.pending.data(), r.pending.data() + r.pending.size() - 1)) return false;
      r.pending.clear();
    }
    p = newline + 1;
  }
  return true;
}

bool TraceReader::Finish() {
  Impl& r = *impl_;
  if (r.error || r.finished) return !r.error;
  r.finished = true;
  if (!r.pending.empty()) {
    r.pending += '\n';
    const char* const begin = r.pending.data();
    const bool ok = r.Line(begin, begin + r.pending.size() - 1);
    r.pending = {};
    if (!ok) return false;
  }
  if (r.cut_line != 0) r.truncated = true;
  if (r.events == 0) return r.Fail(0, r.truncated ? "an empty trace: its only line is cut off" : "an empty trace");
  return true;
}

const TraceError& TraceReader::error() const { return impl_->error; }
bool TraceReader::truncated() const { return impl_->truncated; }
uint64_t TraceReader::events() const { return impl_->events; }
uint64_t TraceReader::lines() const { return impl_->lines; }
uint64_t TraceReader::unknown_kinds() const { return impl_->unknown_kinds; }

}  // namespace pysolate
