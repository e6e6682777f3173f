#include "model/graph.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <deque>
#include <numeric>

#include "model/inspector.h"

namespace pysolate::viz {
namespace {

constexpr uint32_t kMaxBentEdges = 2000;  // above it long edges are straight: bends would outnumber the nodes
constexpr int kSweeps = 8;

bool LeadsDown(EdgeKind kind) { return kind == EdgeKind::kData || kind == EdgeKind::kChild; }

bool ArrivedAt(const TraceStore& store, CallId id, EventNo cursor) { return store.call(id).arrive <= cursor; }

// Median of some positions: of an even number the mean of the middle two.
float Median(std::vector<float>* v) {
  std::sort(v->begin(), v->end());
  const size_t n = v->size();
  return n % 2 == 1 ? (*v)[n / 2] : ((*v)[n / 2 - 1] + (*v)[n / 2]) / 2;
}

// Inversions of a sequence below `size`, by a Fenwick tree.
uint64_t CountInversions(const std::vector<uint32_t>& sequence, uint32_t size) {
  std::vector<uint32_t> tree(size + 2, 0);
  uint64_t inversions = 0, seen = 0;
  for (const uint32_t v : sequence) {
    uint64_t not_above = 0;
    for (uint32_t i = v + 1; i > 0; i -= i & (0 - i)) not_above += tree[i];
    inversions += seen - not_above;
    for (uint32_t i = v + 1; i < tree.size(); i += i & (0 - i)) ++tree[i];
    ++seen;
  }
  return inversions;
}

}  // namespace

std::string_view Name(EdgeKind kind) {
  constexpr std::string_view kWords[] = {"data", "control", "join", "effect order", "child"};
  return kWords[static_cast<size_t>(kind)];
}

Graph::Graph(const TraceStore* store) : store_(store) {}

int Graph::IndexOf(CallId call) const {
  const auto it = index_.find(call);
  return it == index_.end() ? -1 : static_cast<int>(it->second);
}

// ---- what is shown

void Graph::Choose(CallId selection, EventNo cursor, std::vector<CallId>* calls) {
  const auto& arrivals = store_->of_kind(EventKind::kArrive);
  total_ = static_cast<uint32_t>(std::upper_bound(arrivals.begin(), arrivals.end(), cursor) - arrivals.begin());
  total_ = std::min(total_, store_->calls());
  whole_run_ = total_ <= kMaxNodes;
  calls->clear();
  if (whole_run_) {
    for (CallId id = 1; id <= total_; ++id) calls->push_back(id);
    return;
  }
  std::unordered_map<CallId, bool> seen;
  std::deque<CallId> queue;
  const auto push = [&](CallId id) {
    if (calls->size() >= kMaxNodes || !ArrivedAt(*store_, id, cursor) || !seen.emplace(id, true).second) return;
    calls->push_back(id);
    queue.push_back(id);
  };
  if (selection != 0 && selection <= store_->calls() && ArrivedAt(*store_, selection, cursor)) {
    push(selection);
  } else {
    constexpr size_t kSeeds = 60;
    const auto seed = [&](CallId id) {
      push(id);
      return calls->size() < kSeeds;
    };
    store_->ready().Stab(cursor, seed);
    store_->running().Stab(cursor,
                           [&](AttemptId a) { return store_->attempt(a).call == 0 || seed(store_->attempt(a).call); });
    store_->waiting().Stab(cursor, seed);
    // Nothing is under way: what came last.
    for (CallId id = total_; id > 0 && calls->empty(); --id) push(id);
  }
  // Nearest first; of one call with very many relatives a share, so that its other relatives are seen too.
  constexpr uint32_t kRelatives = 60;
  while (!queue.empty() && calls->size() < kMaxNodes) {
    const CallId id = queue.front();
    queue.pop_front();
    uint32_t taken = 0;
    for (const CallId dep : store_->deps(id)) {
      if (++taken > kRelatives) break;
      push(dep);
    }
    taken = 0;
    store_->ForEachDependent(id, [&](CallId dependent) {
      push(dependent);
      return ++taken < kRelatives;
    });
    const CallInfo& c = store_->call(id);
    if (c.parent != 0 && store_->attempt(c.parent).call != 0) push(store_->attempt(c.parent).call);
    if (c.joined && store_->attempt(c.attempt).call != 0) push(store_->attempt(c.attempt).call);
  }
  std::sort(calls->begin(), calls->end());
}

void Graph::AddEdges(EventNo cursor) {
  edges_.clear();
  const auto add = [&](CallId from, CallId to, EdgeKind kind) {
    if (from == 0 || from == to) return;
    const auto a = index_.find(from), b = index_.find(to);
    if (a == index_.end() || b == index_.end()) return;
    edges_.push_back({a->second, b->second, kind, {}});
  };
  const auto& consumed = store_->of_kind(EventKind::kConsume);
  std::vector<std::pair<EventNo, CallId>> effects;
  for (const GraphNode& node : nodes_) {
    const CallInfo& c = store_->call(node.call);
    for (const CallId dep : store_->deps(node.call)) add(dep, node.call, EdgeKind::kData);
    // An attempt that the call was made inside began before it, so this edge leads downwards too.
    if (c.parent != 0 && store_->attempt(c.parent).call < node.call) {
      add(store_->attempt(c.parent).call, node.call, EdgeKind::kChild);
    }
    if (c.joined && c.dispatch <= cursor) add(store_->attempt(c.attempt).call, node.call, EdgeKind::kJoin);
    if (c.dispatch != 0 && c.dispatch <= cursor && store_->tool(c.tool).effect > Effect::kImmutableRead) {
      effects.emplace_back(c.dispatch, node.call);
    }
    // The outcome that the program had taken when the scope's fate became known let this call through.
    for (ScopeId s = c.scope; s != 0; s = store_->scope(s).parent) {
      const EventNo activated = store_->scope(s).activated;
      if (activated == 0 || activated > cursor || activated < c.arrive) continue;
      const auto it = std::upper_bound(consumed.begin(), consumed.end(), activated);
      if (it != consumed.begin()) add(store_->call_of(*(it - 1)), node.call, EdgeKind::kControl);
      break;
    }
  }
  std::sort(effects.begin(), effects.end());
  for (size_t i = 1; i < effects.size(); ++i) add(effects[i - 1].second, effects[i].second, EdgeKind::kEffectOrder);
}

// ---- layout

void Graph::AssignLayers() {
  // Calls are in id order, and edges that lead down go from a smaller id to a larger one.
  std::vector<std::vector<uint32_t>> into(nodes_.size());
  for (const GraphEdge& e : edges_) {
    if (LeadsDown(e.kind)) into[e.to].push_back(e.from);
  }
  layers_ = 0;
  for (uint32_t i = 0; i < nodes_.size(); ++i) {
    uint32_t layer = 0;
    for (const uint32_t from : into[i]) layer = std::max(layer, nodes_[from].layer + 1);
    nodes_[i].layer = layer;
    layers_ = std::max(layers_, layer + 1);
  }
}

void Graph::LayOutAnew() {
  // Slots by layer; a long edge passes every layer between.
  Rows rows(layers_);
  for (uint32_t i = 0; i < nodes_.size(); ++i) rows[nodes_[i].layer].push_back({static_cast<int32_t>(i), 0, 0, 0});
  const bool bent = edges_.size() <= kMaxBentEdges;
  for (uint32_t i = 0; i < edges_.size(); ++i) {
    GraphEdge& e = edges_[i];
    e.bends.clear();
    if (!LeadsDown(e.kind) || !bent) continue;
    const uint32_t top = nodes_[e.from].layer, bottom = nodes_[e.to].layer;
    e.bends.assign(bottom - top - 1, 0);
    for (uint32_t k = 0; k < e.bends.size(); ++k) rows[top + 1 + k].push_back({-1, i, k, 0});
  }
  for (auto& row : rows) {
    for (size_t i = 0; i < row.size(); ++i) XOf(row[i]) = static_cast<float>(i);
  }
  // Neighbours of a slot above or below, as current positions.
  std::vector<std::vector<uint32_t>> out(nodes_.size()), in(nodes_.size());
  for (uint32_t i = 0; i < edges_.size(); ++i) {
    if (!LeadsDown(edges_[i].kind)) continue;
    out[edges_[i].from].push_back(i);
    in[edges_[i].to].push_back(i);
  }
  std::vector<float> positions;
  const auto neighbours = [&](const Slot& slot, bool above) -> std::vector<float>& {
    positions.clear();
    if (slot.node < 0) {
      const GraphEdge& e = edges_[slot.edge];
      const auto k = static_cast<int>(slot.bend) + (above ? -1 : 1);
      if (k < 0) {
        positions.push_back(nodes_[e.from].x);
      } else if (k == static_cast<int>(e.bends.size())) {
        positions.push_back(nodes_[e.to].x);
      } else {
        positions.push_back(e.bends[static_cast<size_t>(k)]);
      }
      return positions;
    }
    for (const uint32_t i : above ? in[static_cast<size_t>(slot.node)] : out[static_cast<size_t>(slot.node)]) {
      const GraphEdge& e = edges_[i];
      if (e.bends.empty()) {
        positions.push_back(nodes_[above ? e.from : e.to].x);
      } else {
        positions.push_back(above ? e.bends.back() : e.bends.front());
      }
    }
    return positions;
  };
  // Order: medians of the row before, downwards and upwards in turn.
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    const bool down = sweep % 2 == 0;
    for (uint32_t step = 1; step < layers_; ++step) {
      auto& row = rows[down ? step : layers_ - 1 - step];
      for (Slot& slot : row) {
        auto& around = neighbours(slot, down);
        slot.x = around.empty() ? XOf(slot) : Median(&around);
      }
      std::stable_sort(row.begin(), row.end(), [](const Slot& a, const Slot& b) { return a.x < b.x; });
      for (size_t i = 0; i < row.size(); ++i) XOf(row[i]) = static_cast<float>(i);
    }
  }
  // Coordinates: every row centred, then pulled towards its neighbours while order and distance hold.
  for (auto& row : rows) {
    const float shift = static_cast<float>(row.size() - 1) / 2;
    for (size_t i = 0; i < row.size(); ++i) XOf(row[i]) = static_cast<float>(i) - shift;
  }
  for (int pass = 0; pass < kSweeps; ++pass) {
    const bool down = pass % 2 == 0;
    for (uint32_t step = 1; step < layers_; ++step) {
      auto& row = rows[down ? step : layers_ - 1 - step];
      for (Slot& slot : row) {
        auto& around = neighbours(slot, down);
        slot.x = around.empty() ? XOf(slot) : Median(&around);
      }
      // The nearest positions to the wished ones that are at least 1 apart: blocks that collide are averaged
      // (isotonic regression by pooling neighbours).
      struct Pool {
        double sum;
        size_t count;
      };
      std::vector<Pool> pools;
      for (size_t i = 0; i < row.size(); ++i) {
        pools.push_back({row[i].x - static_cast<double>(i), 1});
        while (pools.size() > 1) {
          Pool& a = pools[pools.size() - 2];
          const Pool& b = pools.back();
          if (a.sum / static_cast<double>(a.count) <= b.sum / static_cast<double>(b.count)) break;
          a = {a.sum + b.sum, a.count + b.count};
          pools.pop_back();
        }
      }
      size_t i = 0;
      for (const Pool& pool : pools) {
        for (size_t k = 0; k < pool.count; ++k, ++i) {
          XOf(row[i]) = static_cast<float>(pool.sum / static_cast<double>(pool.count) + static_cast<double>(i));
        }
      }
    }
  }
}

void Graph::LayOutGrown() {
  std::vector<std::vector<float>> taken(layers_);  // sorted x by layer
  const auto take = [&](uint32_t layer, float x) {
    auto& row = taken[layer];
    row.insert(std::upper_bound(row.begin(), row.end(), x), x);
  };
  std::vector<bool> placed(nodes_.size(), false);
  for (uint32_t i = 0; i < nodes_.size(); ++i) {
    const auto it = last_.find(nodes_[i].call);
    if (it == last_.end() || it->second.layer != nodes_[i].layer) continue;
    nodes_[i].x = it->second.x;
    placed[i] = true;
    take(nodes_[i].layer, nodes_[i].x);
  }
  std::vector<std::vector<uint32_t>> around(nodes_.size());
  for (const GraphEdge& e : edges_) {
    around[e.from].push_back(e.to);
    around[e.to].push_back(e.from);
  }
  for (uint32_t i = 0; i < nodes_.size(); ++i) {
    if (placed[i]) continue;
    std::vector<float> wishes;
    for (const uint32_t other : around[i]) {
      if (placed[other]) wishes.push_back(nodes_[other].x);
    }
    const auto& row = taken[nodes_[i].layer];
    const float wish = !wishes.empty() ? Median(&wishes) : row.empty() ? 0 : row.back() + 1;
    // The free place nearest to the wish: beside one that is taken, or the wish itself.
    float best = wish;
    float distance = HUGE_VALF;
    const auto try_place = [&](float x) {
      const auto next = std::lower_bound(row.begin(), row.end(), x);
      if (next != row.end() && *next - x < 0.999f) return;
      if (next != row.begin() && x - *(next - 1) < 0.999f) return;
      if (std::fabs(x - wish) < distance) {
        distance = std::fabs(x - wish);
        best = x;
      }
    };
    try_place(wish);
    for (const float x : row) {
      try_place(x - 1);
      try_place(x + 1);
    }
    nodes_[i].x = best;
    placed[i] = true;
    take(nodes_[i].layer, best);
  }
  // Long edges bend on the straight line.
  const bool bent = edges_.size() <= kMaxBentEdges;
  for (GraphEdge& e : edges_) {
    e.bends.clear();
    if (!LeadsDown(e.kind) || !bent) continue;
    const GraphNode &a = nodes_[e.from], &b = nodes_[e.to];
    const uint32_t between = b.layer - a.layer - 1;
    for (uint32_t k = 1; k <= between; ++k) {
      e.bends.push_back(a.x + (b.x - a.x) * static_cast<float>(k) / static_cast<float>(between + 1));
    }
  }
}

void Graph::Finish() {
  std::vector<std::vector<uint32_t>> rows(layers_);
  float low = HUGE_VALF, high = -HUGE_VALF;
  for (uint32_t i = 0; i < nodes_.size(); ++i) {
    rows[nodes_[i].layer].push_back(i);
    nodes_[i].y = static_cast<float>(nodes_[i].layer);
    low = std::min(low, nodes_[i].x);
    high = std::max(high, nodes_[i].x);
  }
  width_ = nodes_.empty() ? 0 : high - low + 1;
  last_.clear();
  for (auto& row : rows) {
    std::sort(row.begin(), row.end(), [&](uint32_t a, uint32_t b) { return nodes_[a].x < nodes_[b].x; });
    for (uint32_t place = 0; place < row.size(); ++place) nodes_[row[place]].place = place;
  }
  for (const GraphNode& node : nodes_) last_[node.call] = {node.layer, node.x};
}

bool Graph::Update(CallId selection, EventNo cursor) {
  std::vector<CallId> calls;
  Choose(selection, cursor, &calls);
  const bool same_calls =
      calls.size() == nodes_.size() && std::equal(calls.begin(), calls.end(), nodes_.begin(),
                                                  [](CallId id, const GraphNode& n) { return id == n.call; });
  if (!same_calls) {
    nodes_.clear();
    index_.clear();
    for (const CallId id : calls) {
      index_[id] = static_cast<uint32_t>(nodes_.size());
      nodes_.push_back({id, 0, 0, 0, 0});
    }
  }
  std::vector<GraphEdge> before;
  before.swap(edges_);
  AddEdges(cursor);
  const bool same_edges =
      same_calls && before.size() == edges_.size() &&
      std::equal(before.begin(), before.end(), edges_.begin(), [](const GraphEdge& a, const GraphEdge& b) {
        return a.from == b.from && a.to == b.to && a.kind == b.kind;
      });
  if (same_edges && !last_.empty()) {
    edges_.swap(before);  // with its bends
    return false;
  }
  AssignLayers();
  size_t kept = 0;
  for (const GraphNode& n : nodes_) {
    const auto it = last_.find(n.call);
    if (it != last_.end() && it->second.layer == n.layer) ++kept;
  }
  if (kept * 2 >= nodes_.size() && kept > 0) {
    LayOutGrown();
  } else {
    LayOutAnew();
  }
  Finish();
  return true;
}

uint64_t Graph::Crossings() const {
  // Stretches of edges between neighbouring layers, as pairs of x.
  std::vector<std::vector<std::pair<float, float>>> stretches(layers_);
  for (const GraphEdge& e : edges_) {
    if (!LeadsDown(e.kind)) continue;
    const GraphNode &a = nodes_[e.from], &b = nodes_[e.to];
    if (e.bends.size() != b.layer - a.layer - 1) continue;
    float x = a.x;
    for (size_t k = 0; k <= e.bends.size(); ++k) {
      const float next = k < e.bends.size() ? e.bends[k] : b.x;
      stretches[a.layer + k].emplace_back(x, next);
      x = next;
    }
  }
  uint64_t crossings = 0;
  for (auto& list : stretches) {
    std::sort(list.begin(), list.end());
    std::vector<float> ends;
    for (const auto& s : list) ends.push_back(s.second);
    std::sort(ends.begin(), ends.end());
    ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
    std::vector<uint32_t> ranks;
    for (const auto& s : list) {
      ranks.push_back(static_cast<uint32_t>(std::lower_bound(ends.begin(), ends.end(), s.second) - ends.begin()));
    }
    crossings += CountInversions(ranks, static_cast<uint32_t>(ends.size()));
  }
  return crossings;
}

std::string Graph::Dot(EventNo cursor) const {
  const auto quoted = [](std::string_view s) {
    std::string out = "\"";
    for (const char c : s) {
      if (c == '"' || c == '\\') out += '\\';
      out += c == '\n' ? ' ' : c;
    }
    return out + "\"";
  };
  std::string out = "digraph pysolate {\n  // " + std::to_string(shown()) + " of " + std::to_string(total()) +
                    " calls\n  node [shape=box, fontname=\"monospace\"];\n";
  for (const GraphNode& n : nodes_) {
    const Look look = store_->LookAt(n.call, cursor);
    const Rgb ink = InkColour(StyleOf(look).ink, false);
    char colour[8];
    std::snprintf(colour, sizeof colour, "#%02X%02X%02X", ink.r, ink.g, ink.b);
    out += "  c" + std::to_string(n.call) +
           " [label=" + quoted(ShortName(*store_, n.call) + "\n" + std::string(Name(look))) + ", color=\"" + colour +
           "\"];\n";
  }
  for (const GraphEdge& e : edges_) {
    out += "  c" + std::to_string(nodes_[e.from].call) + " -> c" + std::to_string(nodes_[e.to].call);
    if (e.kind != EdgeKind::kData) out += " [style=dashed, label=" + quoted(Name(e.kind)) + "]";
    out += ";\n";
  }
  return out + "}\n";
}

}  // namespace pysolate::viz
