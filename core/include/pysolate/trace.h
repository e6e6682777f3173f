// Reading and writing traces: JSON Lines, version 1 (core/trace/FORMAT.md).
//
// Thread rule: an object of these classes is used by one thread at a time. No I/O: bytes in, bytes out.
// Errors: bad input gives a value with a line number and a cause; nothing is thrown.
#ifndef PYSOLATE_TRACE_H_
#define PYSOLATE_TRACE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "pysolate/event.h"

namespace pysolate {

inline constexpr uint32_t kTraceVersion = 1;
inline constexpr size_t kMaxTraceLine = size_t{1} << 20;  // bytes, without the line end
inline constexpr int kMaxTraceDepth = 16;                 // the event object itself is depth 1

// Appends one event a line to a string that it owns. What it writes is always valid JSON in valid UTF-8 that a
// TraceReader takes: bytes that belong to no UTF-8 sequence become U+FFFD, and the strings of an event that would not
// fit into a line are cut (only a program's source is ever that long).
class TraceWriter final : public EventSink {
 public:
  void OnEvent(const Event& event) override;

  // All text since the last Take(). Ends in '\n' unless empty.
  std::string Take();
  // The text not yet taken.
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  std::string line_;  // scratch
};

struct TraceError {
  uint64_t line = 0;    // 1-based; 0: the file as a whole
  std::string message;  // empty: no error
  explicit operator bool() const { return !message.empty(); }
};

// Incremental reader: feed bytes in chunks of any size (a file, a socket, a live tail); each complete line becomes one
// event for the sink. After an error every further byte is ignored; what was delivered before stays valid.
//
// What a sink may rely on: the first event is `run` with a version this reader knows, and there is only one; seq
// rises, t never falls; the fields that FORMAT.md names for a kind have the right type and range, and the thing that an
// event is about is named (its id is not 0). Whether ids were introduced, or whether a call can be in the state that
// an event claims, is not checked here but by TraceIndex.
//
// An event of kind kUnknown carries its word in `name` and nothing else besides seq and t.
class TraceReader {
 public:
  explicit TraceReader(EventSink* sink);  // `sink` outlives the reader
  ~TraceReader();
  TraceReader(const TraceReader&) = delete;
  TraceReader& operator=(const TraceReader&) = delete;

  // Returns false once there is an error.
  bool Feed(std::string_view bytes);
  // The input is over: an unfinished last line is parsed if it is whole, else dropped with a warning (truncated()).
  // An input without any event is an error ("empty trace"). Returns false if there is an error.
  bool Finish();

  const TraceError& error() const;
  bool truncated() const;          // the last line was cut off and dropped
  uint64_t events() const;         // delivered
  uint64_t lines() const;          // seen whole, blank ones too
  uint64_t unknown_kinds() const;  // of these, with a kind unknown to this version

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace pysolate

#endif  // PYSOLATE_TRACE_H_
