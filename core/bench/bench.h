// What pysolate-bench measures. Times are CPU time of this process (the machine may be shared), medians of several
// runs, in ns per call unless a name says otherwise.
#ifndef PYSOLATE_BENCH_BENCH_H_
#define PYSOLATE_BENCH_BENCH_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <string>
#include <vector>

namespace pysolate::bench {

// A layered random graph: layers of a thousand calls, each with three inputs from the layer before.
struct Graph {
  uint32_t n = 0;
  std::vector<uint32_t> deps;  // three a call; 0: none. Calls count from 1
};
Graph Layered(uint32_t n);

inline double CpuSeconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

// The median of `runs` measurements.
template <typename F>
double Median(int runs, F&& seconds) {
  std::vector<double> all;
  for (int i = 0; i < runs; ++i) all.push_back(seconds());
  std::nth_element(all.begin(), all.begin() + static_cast<long>(all.size() / 2), all.end());
  return all[all.size() / 2];
}

// Yardsticks: seconds to build and run the graph. Both return the number of calls that ran through `ran`.
double RunKernel(const Graph& graph, uint32_t* ran);
double RunFlowGraph(const Graph& graph, uint32_t* ran);  // oneTBB; negative if it isn't there
bool HasFlowGraph();

// Ours: arrive, arguments, reach, dispatch, complete, consume.
double RunScheduler(const Graph& graph, bool logged, double* bytes_per_call, uint32_t* ran);

struct Shape {
  std::string name;
  uint32_t n;
  double ns;
};
std::vector<Shape> RunShapes(uint32_t n);

struct TraceSpeed {
  double written = 0, read = 0;  // events a second
};
TraceSpeed RunTrace(uint32_t calls);

}  // namespace pysolate::bench

#endif  // PYSOLATE_BENCH_BENCH_H_
