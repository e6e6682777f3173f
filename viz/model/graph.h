// The layered drawing of a neighbourhood: who needs whom.
//
// Layers by longest path from the sources, order within a layer by sweeps of medians (Sugiyama, Tagawa and Toda 1981;
// Eades and Wormald 1994). Where most calls were drawn before, they stay where they are as long as their layer does,
// and new ones take the free place nearest to their neighbours: the picture does not jump while the run grows.
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
  uint32_t from = 0, to = 0;  // indices of nodes. kData and kChild lead downwards; the others may lie within a layer
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

  // Forgets the places, so that the next Update lays everything out anew.
  void Relayout() { last_.clear(); }

 private:
  // A place within a layer: a node, or a bend of an edge that passes through.
  struct Slot {
    int32_t node = -1;
    uint32_t edge = 0, bend = 0;
    float x = 0;
  };
  struct Place {
    uint32_t layer;
    float x;
  };
  using Rows = std::vector<std::vector<Slot>>;
  void Choose(CallId selection, EventNo cursor, std::vector<CallId>* calls);
  void AddEdges(EventNo cursor);
  void AssignLayers();
  void LayOutAnew();
  void LayOutGrown();
  float& XOf(const Slot& slot) {
    return slot.node >= 0 ? nodes_[static_cast<size_t>(slot.node)].x : edges_[slot.edge].bends[slot.bend];
  }
  void Finish();

  const TraceStore* store_;
  std::vector<GraphNode> nodes_;
  std::vector<GraphEdge> edges_;
  std::unordered_map<CallId, uint32_t> index_;
  std::unordered_map<CallId, Place> last_;  // where calls were drawn
  uint32_t total_ = 0, layers_ = 0;
  float width_ = 0;
  bool whole_run_ = false;
};

}  // namespace pysolate::viz

#endif  // PYSOLATE_VIZ_MODEL_GRAPH_H_
