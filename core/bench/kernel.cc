// The yardstick: nothing but in-degrees, linked lists of dependants and a FIFO queue.
#include <vector>

#include "bench/bench.h"

namespace pysolate::bench {

Graph Layered(uint32_t n) {
  constexpr uint32_t kLayer = 1000;
  Graph g;
  g.n = n;
  g.deps.resize(size_t{n} * 3);
  uint64_t state = 42;
  const auto next = [&] {
    uint64_t x = (state += 0x9e3779b97f4a7c15ull);  // SplitMix64
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    return x ^ (x >> 31);
  };
  for (uint32_t c = 1; c <= n; ++c) {
    const uint32_t layer = (c - 1) / kLayer;
    if (layer == 0) continue;
    for (size_t k = 0; k < 3; ++k) {
      g.deps[size_t{c - 1} * 3 + k] = (layer - 1) * kLayer + 1 + static_cast<uint32_t>(next() % kLayer);
    }
  }
  return g;
}

double RunKernel(const Graph& graph, uint32_t* ran) {
  const double start = CpuSeconds();
  struct Node {
    uint32_t pending = 0, head = 0;
  };
  struct Edge {
    uint32_t to, next;
  };
  std::vector<Node> nodes(1);
  std::vector<Edge> edges(1);
  std::vector<uint32_t> queue;
  for (uint32_t c = 1; c <= graph.n; ++c) {
    nodes.emplace_back();
    for (size_t k = 0; k < 3; ++k) {
      const uint32_t d = graph.deps[size_t{c - 1} * 3 + k];
      if (d == 0) continue;
      ++nodes[c].pending;
      edges.push_back({c, nodes[d].head});
      nodes[d].head = static_cast<uint32_t>(edges.size()) - 1;
    }
    if (nodes[c].pending == 0) queue.push_back(c);
  }
  size_t at = 0;
  for (; at < queue.size(); ++at) {
    for (uint32_t e = nodes[queue[at]].head; e != 0; e = edges[e].next) {
      if (--nodes[edges[e].to].pending == 0) queue.push_back(edges[e].to);
    }
  }
  *ran = static_cast<uint32_t>(at);
  return CpuSeconds() - start;
}

}  // namespace pysolate::bench
