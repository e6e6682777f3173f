// Who needs whom: a layered drawing of the run, or of the selection's neighbourhood where the run is large.
#include <algorithm>
#include <cmath>

#include "ui/call_tip.h"
#include "ui/widgets.h"

namespace pysolate::viz {
namespace {

constexpr float kNodeWidth = 148, kNodeHeight = 38, kStepX = 172, kStepY = 74;

class GraphPanel final : public Panel {
 public:
  std::string_view title() const override { return "Graph"; }
  std::string_view name() const override { return "graph"; }
  void Draw(Context& context, const Box& box) override;

 private:
  // Which way the layers go. Boxes are wide and low: many side by side stand better under one another.
  enum class Way : uint8_t { kDown, kRight };
  // Places all nodes, without pan and zoom: the connected ones in their layers, pushed together where calls that need
  // nobody stood between them, and those in `columns` below.
  void Arrange(const Graph& graph, Way way, uint32_t columns);
  // Tries both ways and several columns; keeps what can be drawn largest.
  void ArrangeBest(const Graph& graph, const Box& plot);
  float ZoomOf(const Box& plot, Box* extent) const;
  ImVec2 PlaceOfLayer(float x, float layer) const {
    return way_ == Way::kRight ? ImVec2(layer * (kNodeWidth + 46), x * (kNodeHeight + 12))
                               : ImVec2(x * kStepX, layer * kStepY);
  }
  ImVec2 OnScreen(ImVec2 p) const { return ImVec2(pan_x_ + p.x * zoom_, pan_y_ + p.y * zoom_); }
  float Pushed(float x) const;
  void FitTo(const Graph& graph, const Box& plot);
  void DrawEdges(Context& context, ImDrawList* list, const Graph& graph);
  void DrawNode(Context& context, ImDrawList* list, const GraphNode& node, ImVec2 place);
  void DrawLegend(Context& context, ImDrawList* list, const Graph& graph, const Box& box);

  Way way_ = Way::kDown;
  uint32_t columns_ = 1, alone_ = 0;  // of the calls without an edge
  std::vector<ImVec2> places_;        // by node
  std::vector<float> xs_, pushed_;    // the layout's x, and where it stands after gaps were closed
  float zoom_ = 1, pan_x_ = 0, pan_y_ = 0;
  bool moved_ = false;  // by the user: no more fitting
  bool dragged_ = false;
  CallId centred_ = 0;
  CallTip tip_;
};

// x of the layout after the gaps were closed.
float GraphPanel::Pushed(float x) const {
  const auto it = std::lower_bound(xs_.begin(), xs_.end(), x - 0.005f);
  return it == xs_.end() ? (pushed_.empty() ? x : pushed_.back()) : pushed_[static_cast<size_t>(it - xs_.begin())];
}

void GraphPanel::Arrange(const Graph& graph, Way way, uint32_t columns) {
  way_ = way;
  columns_ = columns;
  const auto& nodes = graph.nodes();
  std::vector<bool> connected(nodes.size(), false);
  xs_.clear();
  for (const GraphEdge& edge : graph.edges()) {
    connected[edge.from] = connected[edge.to] = true;
    xs_.insert(xs_.end(), edge.bends.begin(), edge.bends.end());
  }
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (connected[i]) xs_.push_back(nodes[i].x);
  }
  std::sort(xs_.begin(), xs_.end());
  xs_.erase(std::unique(xs_.begin(), xs_.end(), [](float a, float b) { return b - a < 0.005f; }), xs_.end());
  pushed_.assign(xs_.size(), 0);
  for (size_t i = 1; i < xs_.size(); ++i) pushed_[i] = pushed_[i - 1] + std::min(1.0f, xs_[i] - xs_[i - 1]);
  places_.assign(nodes.size(), ImVec2());
  Box all{1e9f, 1e9f, -1e9f, -1e9f};
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (!connected[i]) continue;
    places_[i] = PlaceOfLayer(Pushed(nodes[i].x), nodes[i].y);
    all = {std::min(all.x0, places_[i].x), std::min(all.y0, places_[i].y), std::max(all.x1, places_[i].x),
           std::max(all.y1, places_[i].y)};
  }
  const bool any = all.x1 >= all.x0;
  const float left = any ? all.x0 : 0, top = any ? all.y1 + kNodeHeight + 26 : 0;
  uint32_t alone = 0;
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (connected[i]) continue;
    places_[i] = ImVec2(left + static_cast<float>(alone % columns) * (kNodeWidth + 14),
                        top + static_cast<float>(alone / columns) * (kNodeHeight + 12));
    ++alone;
  }
  alone_ = alone;
}

// Zoom at which everything fits; *extent is the drawing's, without zoom.
float GraphPanel::ZoomOf(const Box& plot, Box* extent) const {
  Box all{1e9f, 1e9f, -1e9f, -1e9f};
  for (const ImVec2& p : places_) {
    all = {std::min(all.x0, p.x - kNodeWidth / 2), std::min(all.y0, p.y - kNodeHeight / 2),
           std::max(all.x1, p.x + kNodeWidth / 2), std::max(all.y1, p.y + kNodeHeight / 2)};
  }
  *extent = all;
  return std::min((plot.width() - 32) / all.width(), (plot.height() - 44) / all.height());
}

void GraphPanel::ArrangeBest(const Graph& graph, const Box& plot) {
  Box extent;
  Way way = Way::kDown;
  uint32_t columns = 1;
  float best = 0;
  for (Way tried : {Way::kDown, Way::kRight}) {
    for (uint32_t c = 1; c == 1 || c <= std::min(alone_, 24u); ++c) {
      Arrange(graph, tried, c);
      const float zoom = std::min(1.0f, ZoomOf(plot, &extent));
      if (zoom > best + 0.001f) {
        best = zoom;
        way = tried;
        columns = c;
      }
    }
  }
  Arrange(graph, way, columns);
}

void GraphPanel::FitTo(const Graph& graph, const Box& plot) {
  if (graph.nodes().empty()) return;
  ArrangeBest(graph, plot);
  Box all;
  // Never so small that nothing could be read; then the beginning is shown.
  zoom_ = std::clamp(ZoomOf(plot, &all), 0.62f, 1.0f);
  pan_x_ = std::floor(plot.mid_x() - all.mid_x() * zoom_);
  pan_y_ = std::floor(plot.mid_y() + 8 - all.mid_y() * zoom_);
  if (all.width() * zoom_ > plot.width() - 32) pan_x_ = std::floor(plot.x0 + 16 - all.x0 * zoom_);
  if (all.height() * zoom_ > plot.height() - 44) pan_y_ = std::floor(plot.y0 + 30 - all.y0 * zoom_);
}

void GraphPanel::DrawEdges(Context& context, ImDrawList* list, const Graph& graph) {
  const Theme& t = theme();
  const CallId selected = context.model.selected(), hovered = context.hover;
  const float half = kNodeHeight / 2 * zoom_;
  for (const GraphEdge& edge : graph.edges()) {
    const GraphNode& a = graph.nodes()[edge.from];
    const GraphNode& b = graph.nodes()[edge.to];
    const bool touches = (selected != 0 && (a.call == selected || b.call == selected)) ||
                         (hovered != 0 && (a.call == hovered || b.call == hovered));
    const ImU32 ink = touches ? t.text : WithAlpha(t.dim, edge.kind == EdgeKind::kData ? 0.6f : 0.45f);
    const float thickness = (touches ? 2.0f : 1.3f);
    const bool right = way_ == Way::kRight;
    ImVec2 from = OnScreen(places_[edge.from]);
    ImVec2 to = OnScreen(places_[edge.to]);
    (right ? from.x : from.y) += right ? kNodeWidth / 2 * zoom_ : half;
    (right ? to.x : to.y) -= right ? kNodeWidth / 2 * zoom_ : half;
    // Through its bends, as one curve after another.
    std::vector<ImVec2> points{from};
    for (size_t i = 0; i < edge.bends.size(); ++i) {
      points.push_back(OnScreen(PlaceOfLayer(Pushed(edge.bends[i]), a.y + static_cast<float>(i + 1))));
    }
    points.push_back(right ? ImVec2(to.x - 5, to.y) : ImVec2(to.x, to.y - 5));
    for (size_t i = 1; i < points.size(); ++i) {
      const ImVec2 p = points[i - 1], q = points[i];
      const float bend = (right ? q.x - p.x : q.y - p.y) * 0.45f;
      const ImVec2 p1 = right ? ImVec2(p.x + bend, p.y) : ImVec2(p.x, p.y + bend);
      const ImVec2 q1 = right ? ImVec2(q.x - bend, q.y) : ImVec2(q.x, q.y - bend);
      if (edge.kind == EdgeKind::kData || edge.kind == EdgeKind::kChild) {
        list->AddBezierCubic(p, p1, q1, q, ink, thickness);
      } else {
        // Other kinds are broken lines: dotted for a shared attempt, dashed for control and the order of effects.
        const float dash = edge.kind == EdgeKind::kJoin ? 2.0f : 6.0f;
        constexpr int kSteps = 12;
        ImVec2 last = p;
        for (int k = 1; k <= kSteps; ++k) {
          const float u = static_cast<float>(k) / kSteps, v = 1 - u;
          const float c0 = v * v * v, c1 = 3 * v * v * u, c2 = 3 * v * u * u, c3 = u * u * u;
          const ImVec2 here(c0 * p.x + c1 * p1.x + c2 * q1.x + c3 * q.x, c0 * p.y + c1 * p1.y + c2 * q1.y + c3 * q.y);
          if (dash > 3 ? k % 2 == 1 : true)
            DrawDashedLine(list, last, here, ink, thickness, dash, dash > 3 ? 0.01f : 3);
          last = here;
        }
      }
    }
    DrawArrowHead(list, to, right ? ImVec2(1, 0) : ImVec2(0, 1), 7, ink);
  }
}

void GraphPanel::DrawNode(Context& context, ImDrawList* list, const GraphNode& node, ImVec2 place) {
  const Theme& t = theme();
  ViewerModel& model = context.model;
  const TraceStore& store = model.store();
  const ImVec2 c = OnScreen(place);
  const Box box{std::floor(c.x - kNodeWidth / 2 * zoom_), std::floor(c.y - kNodeHeight / 2 * zoom_),
                std::floor(c.x + kNodeWidth / 2 * zoom_), std::floor(c.y + kNodeHeight / 2 * zoom_)};
  const ImVec2 low = list->GetClipRectMin(), high = list->GetClipRectMax();
  if (box.x1 < low.x || box.x0 > high.x || box.y1 < low.y || box.y0 > high.y) return;
  const Look look = store.LookAt(node.call, model.cursor());
  const LookStyle& style = StyleOf(look);
  const ImU32 ink = InkOf(style.ink);
  const bool selected = node.call == model.selected(), hovered = node.call == context.hover;
  const bool dimmed = model.Dimmed(node.call) || model.ink_hidden[static_cast<size_t>(style.ink)];
  const float strength = dimmed ? 0.3f : 1.0f;
  context.items.Add("graph/call", node.call, box);
  const ImU32 surface = Mix(t.canvas, ink, t.dark ? 0.14f : 0.07f);
  list->AddRectFilled(box.min(), box.max(), surface, 5);
  // A stub of the bar in the state's pattern, so that colour is not alone.
  const float stub = 24 * std::max(0.6f, zoom_);
  list->PushClipRect(box.min(), ImVec2(box.x0 + stub, box.y1), true);
  if (style.pattern == Pattern::kHatch) {
    list->AddRectFilled(box.min(), ImVec2(box.x0 + stub, box.y1), WithAlpha(ink, strength), 5,
                        ImDrawFlags_RoundCornersLeft);
    DrawHatch(list, {box.x0, box.y0, box.x0 + stub, box.y1}, WithAlpha(t.canvas, 0.25f), 6);
  } else if (style.pattern == Pattern::kSolid || style.pattern == Pattern::kThickBorder) {
    list->AddRectFilled(box.min(), ImVec2(box.x0 + stub, box.y1), WithAlpha(ink, strength), 5,
                        ImDrawFlags_RoundCornersLeft);
  }
  list->PopClipRect();
  const bool filled =
      style.pattern == Pattern::kHatch || style.pattern == Pattern::kSolid || style.pattern == Pattern::kThickBorder;
  DrawGlyph(list, style.glyph, ImVec2(box.x0 + stub / 2, std::floor(box.mid_y())), 12 * std::max(0.7f, zoom_),
            filled ? TextOn(ink) : WithAlpha(ink, strength));
  if (style.pattern == Pattern::kDashedBorder) {
    DrawDashedBox(list, box, WithAlpha(ink, strength), 1.3f);
  } else {
    list->AddRect(box.min(), box.max(), WithAlpha(ink, strength * (style.pattern == Pattern::kOutline ? 0.8f : 1.0f)),
                  5, 0, style.pattern == Pattern::kThickBorder ? 2.2f : 1.2f);
  }
  if (selected || hovered) {
    list->AddRect(ImVec2(box.x0 - 3, box.y0 - 3), ImVec2(box.x1 + 3, box.y1 + 3),
                  selected ? t.text : WithAlpha(t.text, 0.5f), 7, 0, selected ? 1.8f : 1.2f);
  }
  if (model.show_critical_path && model.OnCriticalPath(node.call)) {
    list->AddRectFilled(ImVec2(box.x0 + 4, box.y1 + 3), ImVec2(box.x1 - 4, box.y1 + 5), t.text);
  }
  if (zoom_ < 0.5f) return;
  const float text_x = box.x0 + stub + 7, width = box.x1 - text_x - 5;
  const float size = std::floor(kTextSize * std::max(0.8f, zoom_)),
              small = std::floor(kSmallSize * std::max(0.8f, zoom_));
  const std::string line = std::to_string(store.line_of(node.call));
  const float line_width = Measure(line, {Face::kMono, small});
  const float row1 = box.mid_y() - 8 * zoom_, row2 = box.mid_y() + 8 * zoom_;
  DrawTextRight(list, box.x1 - 6, row1, line, WithAlpha(t.faint, strength), {Face::kMono, small});
  DrawTextFit(list, text_x, row1, width - line_width - 6, store.tool_name(node.call), WithAlpha(t.text, strength),
              {Face::kStrong, size});
  DrawTextFit(list, text_x, row2, width, store.text(store.call(node.call).args_text), WithAlpha(t.dim, strength),
              {Face::kText, small});
}

void GraphPanel::DrawLegend(Context& context, ImDrawList* list, const Graph& graph, const Box& box) {
  const Theme& t = theme();
  const std::string shown =
      graph.whole_run() ? Grouped(graph.shown()) + " calls"
                        : Grouped(graph.shown()) + " of " + Grouped(graph.total()) + " calls, near the selection";
  const float w = Measure(shown, kSmall) + 12;
  list->AddRectFilled(ImVec2(box.x0 + 6, box.y0 + 6), ImVec2(box.x0 + 6 + w, box.y0 + 24), WithAlpha(t.canvas, 0.85f),
                      3);
  DrawText(list, box.x0 + 12, box.y0 + 15, shown, t.faint, kSmall);
  if (moved_ && Button(context, "graph/fit", {box.x1 - 66, box.y0 + 6, box.x1 - 8, box.y0 + 30},
                       {Icon::kFit, "Fit", "Show the whole drawing"})) {
    moved_ = false;
  }
}

void GraphPanel::Draw(Context& context, const Box& box) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  ViewerModel& model = context.model;
  Graph& graph = model.graph();
  if (graph.nodes().empty()) {
    DrawEmpty(list, box, "No calls yet",
              "The graph grows while the run does: a box a call, an arrow for what it needs.");
    return;
  }
  if (moved_) {
    Arrange(graph, way_, columns_);  // the run may have grown
  } else {
    FitTo(graph, box);
  }
  // Where not all fits, the selection decides what is in the middle.
  const CallId selected = model.selected();
  if (selected != centred_) {
    centred_ = selected;
    const int index = selected != 0 ? graph.IndexOf(selected) : -1;
    if (index >= 0) {
      const ImVec2 at = OnScreen(places_[static_cast<size_t>(index)]);
      if (!box.Shrunk(30).Contains(at)) {
        pan_x_ += box.mid_x() - at.x;
        pan_y_ += box.mid_y() - at.y;
        moved_ = true;
      }
    }
  }
  ImGui::SetCursorScreenPos(box.min());
  ImGui::SetNextItemAllowOverlap();
  ImGui::InvisibleButton("##graph", ImVec2(box.width(), box.height()), ImGuiButtonFlags_MouseButtonLeft);
  const ImGuiIO& io = ImGui::GetIO();
  const bool over = ImGui::IsItemHovered();
  CallId under = 0;
  if (over) {
    for (size_t i = 0; i < graph.nodes().size(); ++i) {
      const GraphNode& node = graph.nodes()[i];
      const ImVec2 c = OnScreen(places_[i]);
      if (std::abs(io.MousePos.x - c.x) <= kNodeWidth / 2 * zoom_ &&
          std::abs(io.MousePos.y - c.y) <= kNodeHeight / 2 * zoom_) {
        under = node.call;
      }
    }
    if (io.MouseWheel != 0) {
      const float next = std::clamp(zoom_ * std::pow(1.15f, io.MouseWheel), 0.12f, 2.0f);
      pan_x_ = io.MousePos.x - (io.MousePos.x - pan_x_) * next / zoom_;
      pan_y_ = io.MousePos.y - (io.MousePos.y - pan_y_) * next / zoom_;
      zoom_ = next;
      moved_ = true;
    }
  }
  if (ImGui::IsItemActivated()) dragged_ = false;
  if (ImGui::IsItemActive() && ImGui::IsMouseDragging(ImGuiMouseButton_Left, 3)) {
    dragged_ = moved_ = true;
    pan_x_ += io.MouseDelta.x;
    pan_y_ += io.MouseDelta.y;
  }
  if (ImGui::IsItemDeactivated() && !dragged_ && over) context.Select(under);
  list->PushClipRect(box.min(), box.max(), true);
  DrawEdges(context, list, graph);
  for (size_t i = 0; i < graph.nodes().size(); ++i) DrawNode(context, list, graph.nodes()[i], places_[i]);
  list->PopClipRect();
  DrawLegend(context, list, graph, box);
  if (under != 0 && !ImGui::IsItemActive()) {
    context.Hover(under);
    tip_.Show(context, under);
  }
}

}  // namespace

std::unique_ptr<Panel> MakeGraphPanel() { return std::make_unique<GraphPanel>(); }

}  // namespace pysolate::viz
