// A trace in other programs' formats. All give valid UTF-8 text whatever the names in the trace are.
#ifndef PYSOLATE_CLI_EXPORTERS_H_
#define PYSOLATE_CLI_EXPORTERS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "pysolate/trace_index.h"

namespace pysolate::cli {

// Chrome's trace event format (JSON object form), as Perfetto reads it: an attempt is a complete event on a lane of its
// own while it runs (no two events of one thread id overlap), dependencies are flow arrows.
std::string ChromeTrace(const TraceIndex& index);

// Graphviz: a node a call, an edge a dependency.
std::string DotGraph(const TraceIndex& index);

// RFC 4180: a header, then a row a call. Times are ns, empty if it did not happen.
std::string CsvTable(const TraceIndex& index);

// The lane of each attempt (by id - 1), from 0: an attempt gets the lowest lane that is free when it starts.
std::vector<uint32_t> Lanes(const TraceIndex& index);

}  // namespace pysolate::cli

#endif  // PYSOLATE_CLI_EXPORTERS_H_
