// The strip over the panels: the whole run at a glance, and a way to move in it.
#include <algorithm>
#include <cmath>

#include "ui/ui.h"
#include "ui/widgets.h"

namespace pysolate::viz {

void Ui::DrawOverview(const Box& box) {
  Items::TextScope tap(items_, "overview");
  const Theme& t = theme();
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled(box.min(), box.max(), t.chrome);
  list->AddLine(ImVec2(box.x0, box.y1 - 0.5f), ImVec2(box.x1, box.y1 - 0.5f), t.line_strong);
  constexpr float kLegend = 132;
  const Box plot{box.x0 + kLegend, box.y0 + 7, box.x1 - kPad, box.y1 - 7};
  items_.Add("overview", plot);
  const Overview& overview = model_.document().overview();
  const float top = box.y0 + 15;
  DrawText(list, box.x0 + kPad, top, "Overview", t.dim, kHead);
  DrawText(list, box.x0 + kPad, top + 17, "under way \xe2\x89\xa4 " + Grouped(overview.peak_under_way()), t.faint,
           kSmall);
  if (plot.width() < 40) return;
  list->AddRectFilled(plot.min(), plot.max(), t.canvas, 3);

  const Axis axis = model_.view().axis;
  const double extent = model_.timeline().extent(axis);
  if (extent <= 0 || model_.store().events() == 0) {
    list->AddRect(plot.min(), plot.max(), t.line, 3);
    return;
  }
  const int columns = std::max(1, static_cast<int>(plot.width() / 2));
  overview.Query(axis, 0, extent, columns, &columns_);
  const float step = plot.width() / static_cast<float>(columns);
  const float scale = (plot.height() - 5) / static_cast<float>(std::max(1u, overview.peak_under_way()));
  static constexpr Ink kOrder[] = {Ink::kDispatched, Ink::kOrphaned,  Ink::kReady,
                                   Ink::kWaiting,    Ink::kSucceeded, Ink::kFailed};
  for (size_t i = 0; i < columns_.size(); ++i) {
    const OverviewColumn& column = columns_[i];
    if (column.empty) continue;
    const float x0 = plot.x0 + step * static_cast<float>(i);
    float y = plot.y1;
    for (Ink ink : kOrder) {
      const float h = column.mean[static_cast<size_t>(ink)] * scale;
      if (h <= 0.05f) continue;
      const float next = std::max(plot.y0, y - h);
      list->AddRectFilled(ImVec2(x0, next), ImVec2(x0 + step, y),
                          WithAlpha(InkOf(ink), ink == Ink::kWaiting ? 0.55f : 0.9f));
      y = next;
    }
  }
  // Width of the frontier: a line in the ready colour over its own scale, so that it shows even if few are ready.
  if (overview.peak_ready() > 0) {
    const ImU32 ink = InkOf(Ink::kReady);
    ImVec2 last(0, 0);
    bool has_last = false;
    for (size_t i = 0; i < columns_.size(); ++i) {
      if (columns_[i].empty) {
        has_last = false;
        continue;
      }
      const ImVec2 here(plot.x0 + step * (static_cast<float>(i) + 0.5f),
                        plot.y1 - 1 - static_cast<float>(columns_[i].ready_max) * scale);
      if (has_last && (columns_[i].ready_max > 0 || last.y < plot.y1 - 1.5f)) {
        list->AddLine(ImVec2(last.x, std::max(plot.y0 + 1, last.y)), ImVec2(here.x, std::max(plot.y0 + 1, here.y)), ink,
                      1.4f);
      }
      last = here;
      has_last = true;
    }
  }
  const auto x_at = [&](double x) {
    return plot.x0 + static_cast<float>(std::clamp(x / extent, 0.0, 1.0)) * plot.width();
  };

  // What the timeline shows.
  const ViewBox& view = model_.view();
  const float v0 = x_at(view.x0), v1 = std::max(x_at(view.x1), x_at(view.x0) + 3);
  const ImU32 veil = WithAlpha(t.chrome, 0.6f);
  if (v0 > plot.x0 + 1) list->AddRectFilled(plot.min(), ImVec2(v0, plot.y1), veil, 3, ImDrawFlags_RoundCornersLeft);
  if (v1 < plot.x1 - 1) list->AddRectFilled(ImVec2(v1, plot.y0), plot.max(), veil, 3, ImDrawFlags_RoundCornersRight);
  list->AddRect(ImVec2(v0, plot.y0), ImVec2(v1, plot.y1), t.line_strong, 3);

  // Breakpoints, then the cursor over all.
  uint32_t total = 0;
  for (EventNo e : model_.transport().BreakpointEvents(500, &total)) {
    list->AddCircleFilled(ImVec2(x_at(model_.timeline().x_of(axis, e)), plot.y0 + 3), 2.5f, InkOf(Ink::kFailed));
  }
  const double cursor_x = axis == Axis::kTime && model_.transport().playing()
                              ? static_cast<double>(model_.transport().play_time())
                              : model_.timeline().x_of(axis, model_.cursor());
  const float cx = x_at(cursor_x);
  list->AddRectFilled(ImVec2(cx - 1, plot.y0 - 3), ImVec2(cx + 1, plot.y1 + 3), t.accent);
  list->AddTriangleFilled(ImVec2(cx - 4, plot.y0 - 5), ImVec2(cx + 4, plot.y0 - 5), ImVec2(cx, plot.y0 + 1), t.accent);

  // Press or drag: the cursor. With Shift: the view.
  ImGui::SetCursorScreenPos(ImVec2(plot.x0, box.y0));
  ImGui::InvisibleButton("##overview", ImVec2(plot.width(), box.height()));
  if (ImGui::IsItemActive()) {
    const double x =
        std::clamp(static_cast<double>((ImGui::GetIO().MousePos.x - plot.x0) / plot.width()), 0.0, 1.0) * extent;
    if (ImGui::GetIO().KeyShift) {
      ViewBox moved = view;
      const double half = (view.x1 - view.x0) / 2;
      moved.x0 = x - half;
      moved.x1 = x + half;
      model_.SetView(moved, false);
    } else {
      model_.transport().GoTo(model_.timeline().event_at(axis, x));
    }
  }
  if (ImGui::IsItemHovered(ImGuiHoveredFlags_ForTooltip) && !ImGui::IsItemActive()) {
    ShowTooltip("Drag to move the cursor, with Shift to move the view");
  }
}

}  // namespace pysolate::viz
