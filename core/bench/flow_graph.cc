// oneTBB's flow graph on the same graph, where it is installed.
#include "bench/bench.h"

#ifdef PYSOLATE_HAVE_TBB
#include <oneapi/tbb/flow_graph.h>
#include <oneapi/tbb/global_control.h>

#include <atomic>
#include <chrono>
#include <deque>
#endif

namespace pysolate::bench {

#ifdef PYSOLATE_HAVE_TBB

namespace {

void BuildAndRun(const Graph& graph, uint32_t* ran) {
  namespace flow = oneapi::tbb::flow;
  using Node = flow::continue_node<flow::continue_msg>;
  flow::graph g;
  std::atomic<uint32_t> count{0};
  std::deque<Node> nodes;
  flow::broadcast_node<flow::continue_msg> start(g);
  for (uint32_t c = 1; c <= graph.n; ++c) {
    nodes.emplace_back(g, [&](const flow::continue_msg&) { count.fetch_add(1, std::memory_order_relaxed); });
    bool first = true;
    for (size_t k = 0; k < 3; ++k) {
      const uint32_t d = graph.deps[size_t{c - 1} * 3 + k];
      if (d == 0) continue;
      flow::make_edge(nodes[d - 1], nodes.back());
      first = false;
    }
    if (first) flow::make_edge(start, nodes.back());
  }
  start.try_put({});
  g.wait_for_all();
  *ran = count;
}

}  // namespace

bool HasFlowGraph() { return true; }

// The better of one thread by CPU time and all threads by the clock.
double RunFlowGraph(const Graph& graph, uint32_t* ran) {
  const auto wall = std::chrono::steady_clock::now();
  BuildAndRun(graph, ran);
  const double parallel = std::chrono::duration<double>(std::chrono::steady_clock::now() - wall).count();
  oneapi::tbb::global_control one(oneapi::tbb::global_control::max_allowed_parallelism, 1);
  const double start = CpuSeconds();
  BuildAndRun(graph, ran);
  return std::min(parallel, CpuSeconds() - start);
}

#else

bool HasFlowGraph() { return false; }
double RunFlowGraph(const Graph&, uint32_t*) { return -1; }

#endif

}  // namespace pysolate::bench
