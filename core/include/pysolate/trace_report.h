// A trace read and judged as a whole, and what is to be said about it as JSON: the answers of `pysolate check --json`
// and `pysolate stats --json`, and of the same functions in the browser.
//
// Thread rule: one thread at a time. No I/O: bytes in, text out.
#ifndef PYSOLATE_TRACE_REPORT_H_
#define PYSOLATE_TRACE_REPORT_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "pysolate/event.h"
#include "pysolate/trace.h"
#include "pysolate/trace_index.h"

namespace pysolate {

// Reads a trace in chunks into an index and remembers the line of each problem.
class TraceReport final : private EventSink {
 public:
  TraceReport() : reader_(this) {}

  // False once there is an error.
  bool Feed(std::string_view bytes) { return reader_.Feed(bytes); }
  // The input is over. False if the trace could not be read to its end; what came before the error is in the index.
  bool Finish();

  const TraceReader& reader() const { return reader_; }
  const TraceIndex& index() const { return index_; }
  // The line of index().problems()[i]; 0: seen when the trace was over.
  const std::vector<uint64_t>& problem_lines() const { return lines_; }
  // It could be read and breaks no rule.
  bool ok() const { return !reader_.error() && index_.problem_count() == 0; }

  // One JSON object without a line end; `file` is the name to give the trace.
  //   {"pysolate_check":1,"file":..,"ok":bool,"error":{"line","cause"} (only if unreadable),"events","unknown_kinds",
  //    "truncated","ended","calls","attempts","ledger":{..},"problem_count","problems":[{"line","seq","rule","text"}]}
  std::string CheckJson(std::string_view file) const;
  //   {"pysolate_stats":1,"file":..,"makespan":ns,..,"calls":{..},"ledger":{..},"sites":[..]}
  std::string StatsJson(std::string_view file) const;

 private:
  void OnEvent(const Event& event) override;

  TraceReader reader_;
  TraceIndex index_;
  std::vector<uint64_t> lines_;
};

}  // namespace pysolate

#endif  // PYSOLATE_TRACE_REPORT_H_
