// The layered drawing of a neighbourhood: who needs whom.
//
// Layers by longest path from the sources, order within a layer by sweeps of medians (Sugiyama, Tagawa and Toda 1981;
// Eades and Wormald 1994), seeded with the last order: a node keeps its place as long as its layer does, new ones
// are inserted beside their neighbours, so the picture does not jump while the run grows.
//
// Caps: a neighbourhood holds at most kMaxNodes calls, nearest to the selection first; total() says how many there are.
// Thread rule: one thread at a time.
#ifndef PYSOLATE_VIZ_MODEL_GRAPH_H_
#define PYSOLATE_VIZ_MODEL_GRAPH_H_

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "model/store.h"

namespace pysolate::viz {

enum class EdgeKind : uint8_t { kData, kControl, kJoin, kEffectOrder, kChild };
std::string_view Name(EdgeKind kind);

struct GraphNode {
  CallId call = 0;
  uint32_t layer = 0, place = 0;  // place: within the layer
  float x = 0, y = 0;             // centre, in node widths and heights; y grows with the layer
};

struct GraphEdge {
  uint32_t from = 0, to = 0;  // indices of nodes; from is above to
  EdgeKind kind = EdgeKind::kData;
  std::vector<float> bends;  // x per layer strictly between the two
};

class Graph {
 public:
  static constexpr uint32_t kMaxNodes = 300;

  explicit Graph(const TraceStore* store);  // outlives the graph

  // Lays out the whole run if it has at most kMaxNodes calls at the cursor, else the neighbourhood of `selection`
  // (0: of the calls that are under way). Does nothing if nothing changed. True if the picture changed.
  bool Update(CallId selection, EventNo cursor);

  const std::vector<GraphNode>& nodes() const { return nodes_; }
  const std::vector<GraphEdge>& edges() const { return edges_; }
  uint32_t shown() const { return static_cast<uint32_t>(nodes_.size()); }
  uint32_t total() const { return total_; }  // calls that have arrived
  bool whole_run() const { return whole_run_; }
  uint32_t layers() const { return layers_; }
  float width() const { return width_; }  // extent in x
  // Index of a call's node; -1 if it isn't shown.
  int IndexOf(CallId call) const;
  // Crossings between neighbouring layers (for tests).
  uint64_t Crossings() const;
  // DOT of what is shown.
  std::string Dot(EventNo cursor) const;

 private:
  void Choose(CallId selection, EventNo cursor, std::vector<CallId>* calls);
  void AddEdges(EventNo cursor);
  void Layer();
  void Order();
  void Place();

  const TraceStore* store_;
  std::vector<GraphNode> nodes_;
  std::vector<GraphEdge> edges_;
  std::unordered_map<CallId, uint32_t> index_;
  std::unordered_map<CallId, float> last_x_;
  std::vector<CallId> last_calls_;
  std::vector<std::vector<int32_t>> rows_;  // by layer: node index, or ~bend index
  uint32_t total_ = 0, layers_ = 0;
  uint64_t last_edge_mark_ = 0;
  float width_ = 0;
  bool whole_run_ = false;
};

}  // namespace pysolate::viz

#endif  // PYSOLATE_VIZ_MODEL_GRAPH_H_
