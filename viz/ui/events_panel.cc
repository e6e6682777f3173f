// The log as a table: filter, copy, and a click moves the cursor there.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "ui/widgets.h"

namespace pysolate::viz {
namespace {

class EventsPanel final : public Panel {
 public:
  std::string_view title() const override { return "Events"; }
  std::string_view name() const override { return "events"; }
  void Draw(Context& context, const Box& box) override;

 private:
  void DrawFilter(Context& context, const Box& box);
  char filter_[128] = {};
  EventNo shown_cursor_ = 0xffffffffu;
};

void EventsPanel::DrawFilter(Context& context, const Box& box) {
  const Theme& t = theme();
  ImDrawList* list = ImGui::GetWindowDrawList();
  EventsTable& events = context.model.events();
  const Box field{box.x0 + 8, box.y0 + 4, box.x0 + std::min(280.0f, box.width() * 0.45f), box.y1 - 4};
  list->AddRectFilled(field.min(), field.max(), t.dark ? t.chrome : t.raised, kRounding);
  ImGui::SetCursorScreenPos(ImVec2(field.x0 + 2, field.y0));
  ImGui::SetNextItemWidth(field.width() - 4);
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(6, (field.height() - kTextSize) / 2));
  ImGui::PushStyleVar(ImGuiStyleVar_FrameBorderSize, 0);
  for (ImGuiCol c : {ImGuiCol_FrameBg, ImGuiCol_FrameBgHovered, ImGuiCol_FrameBgActive})
    ImGui::PushStyleColor(c, IM_COL32(0, 0, 0, 0));
  ImGui::InputTextWithHint("##filter", "Filter: kind:dispatch call:5 word", filter_, sizeof filter_);
  const bool focused = ImGui::IsItemActive();
  if (ImGui::IsItemEdited()) {
    events.SetFilter(filter_);
    shown_cursor_ = 0xffffffffu;
  }
  ImGui::PopStyleColor(3);
  ImGui::PopStyleVar(2);
  list->AddRect(field.min(), field.max(), focused ? t.accent : t.line_strong, kRounding);
  context.items.Add("events/filter", field);
  const std::string count = events.filter().empty()
                                ? Grouped(events.total()) + " events"
                                : Grouped(events.rows()) + " of " + Grouped(events.total()) + " events";
  const ButtonLook copy{Icon::kNone, "Copy", "Copy the rows as tab-separated text"};
  const float w = ButtonWidth(copy);
  if (Button(context, "events/copy", {box.x1 - 8 - w, field.y0, box.x1 - 8, field.y1}, copy)) {
    for (const Command& command : Commands()) {
      if (command.title.find("events") != std::string_view::npos &&
          command.title.find("Copy") != std::string_view::npos) {
        context.Run(command.id);
      }
    }
  }
  DrawTextFit(list, field.x1 + 10, box.mid_y(), box.x1 - w - 16 - field.x1 - 10, count, t.faint, kSmall);
  list->AddLine(ImVec2(box.x0, box.y1 - 0.5f), ImVec2(box.x1, box.y1 - 0.5f), t.line);
}

void EventsPanel::Draw(Context& context, const Box& box) {
  const Theme& t = theme();
  ViewerModel& model = context.model;
  EventsTable& events = model.events();
  events.Update();
  const Box bar{box.x0, box.y0, box.x1, box.y0 + 34};
  DrawFilter(context, bar);
  const Box rest{box.x0, bar.y1, box.x1, box.y1};
  const uint32_t rows = events.rows();
  if (rows == 0) {
    DrawEmpty(ImGui::GetWindowDrawList(), rest, "No event passes",
              "A word, kind:fail or call:5; side by side all must hold.");
    return;
  }
  // Beyond some ten million pixels a float has no room for single rows: the list then scrolls by a share.
  ScrollArea area("events", rest, std::min(8.0e6f, kRow * static_cast<float>(rows)));
  const EventNo cursor = model.cursor();
  if (cursor != shown_cursor_) {
    shown_cursor_ = cursor;
    const uint32_t at = std::min(rows - 1, events.RowOf(cursor));
    area.Reveal(kRow * static_cast<float>(at), kRow);
  }
  const bool wide = area.view.width() > 420;
  const float kind_x = wide ? 150.0f : 58.0f, what_x = kind_x + 116;
  const uint32_t first = static_cast<uint32_t>(std::max(0.0f, (area.view.y0 - area.origin_y) / kRow));
  float y = area.origin_y + kRow * static_cast<float>(first);
  for (uint32_t i = first; i < rows && y < area.view.y1; ++i, y += kRow) {
    const EventRow entry = events.Row(i);
    const Box row{area.view.x0, y, area.view.x1, y + kRow};
    context.items.Add("events/event", entry.seq, row);
    const bool current = entry.event == cursor, past = entry.event <= cursor;
    if (RowGround(context, area, row, entry.call, current)) {
      model.transport().GoTo(entry.event);
      shown_cursor_ = entry.event;
      if (entry.call != 0) context.Select(entry.call);
    }
    const float mid = std::floor(row.mid_y());
    const float strength = past ? 1.0f : 0.5f;
    DrawTextRight(area.list, row.x0 + 52, mid, Grouped(entry.seq), WithAlpha(t.faint, strength), kCodeSmall);
    if (wide)
      DrawTextRight(area.list, row.x0 + 138, mid, FormatDuration(model.store(), entry.time), WithAlpha(t.dim, strength),
                    kSmall);
    // Decisions are answers: they stand a step further in, with a mark.
    if (entry.decision) {
      area.list->AddRectFilled(ImVec2(row.x0 + kind_x + 2, mid - 3), ImVec2(row.x0 + kind_x + 4, mid + 4),
                               WithAlpha(t.dim, strength));
    }
    DrawTextFit(area.list, row.x0 + kind_x + 10, mid, 104, Name(entry.kind),
                WithAlpha(entry.decision ? t.text : t.dim, strength), kCode);
    DrawTextFit(area.list, row.x0 + what_x, mid, row.x1 - 8 - row.x0 - what_x, entry.what, WithAlpha(t.text, strength),
                kBody);
  }
}

}  // namespace

std::unique_ptr<Panel> MakeEventsPanel() { return std::make_unique<EventsPanel>(); }

}  // namespace pysolate::viz
