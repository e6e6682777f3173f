// The ready queue in the order in which it would be popped, every waiting call with its shut gates, and the budgets.
#include <algorithm>
#include <cmath>

#include "ui/widgets.h"

namespace pysolate::viz {
namespace {

class FrontierPanel final : public Panel {
 public:
  std::string_view title() const override { return "Frontier"; }
  std::string_view name() const override { return "frontier"; }
  void Draw(Context& context, const Box& box) override;

 private:
  float DrawBudgets(Context& context, ImDrawList* list, const Box& box);
  void DrawRow(Context& context, ScrollArea& area, const Box& row, const FrontierRow& entry);
  CallId shown_selection_ = 0;
};

// A gauge a budget: what is held, by whom, of how much. Returns the height used.
float FrontierPanel::DrawBudgets(Context& context, ImDrawList* list, const Box& box) {
  const Theme& t = theme();
  const std::vector<BudgetUse>& budgets = context.model.budgets();
  constexpr float kWidth = 132, kHeight = 38;
  if (budgets.empty() || box.height() < 130) return 0;
  float x = box.x0 + kPad;
  const float y = box.y0;
  for (const BudgetUse& budget : budgets) {
    if (x + kWidth > box.x1) break;
    const bool limited = budget.limit != kUnlimited;
    std::string figures = Grouped(budget.held);
    figures += limited ? " / " + Grouped(budget.limit) : std::string(", no limit");
    DrawTextFit(list, x, y + 13, kWidth - 14 - Measure(figures, kSmall) - 6, budget.name, t.dim, kSmall);
    DrawTextRight(list, x + kWidth - 14, y + 13, figures, t.text, kSmall);
    const Box gauge{x, y + 24, x + kWidth - 14, y + 30};
    list->AddRectFilled(gauge.min(), gauge.max(), t.dark ? t.raised : t.line, 3);
    const double whole =
        limited ? std::max<double>(1, budget.limit) : std::max<double>(1, static_cast<double>(budget.held) * 1.5);
    const float held = gauge.width() * static_cast<float>(std::min(1.0, static_cast<double>(budget.held) / whole));
    const float orphans =
        gauge.width() * static_cast<float>(std::min(1.0, static_cast<double>(budget.held_by_orphans) / whole));
    if (held > 0) list->AddRectFilled(gauge.min(), ImVec2(gauge.x0 + held, gauge.y1), InkOf(Ink::kDispatched), 3);
    if (orphans > 0) {
      list->AddRectFilled(ImVec2(gauge.x0 + held - orphans, gauge.y0), ImVec2(gauge.x0 + held, gauge.y1),
                          InkOf(Ink::kOrphaned), 3);
    }
    if (PointerIn({x, y, x + kWidth - 14, y + kHeight})) {
      std::string words = "Budget " + budget.name + ": " + Grouped(budget.held) + " held" +
                          (limited ? " of " + Grouped(budget.limit) : std::string(", no limit"));
      if (budget.held_by_orphans > 0) words += ", " + Grouped(budget.held_by_orphans) + " by orphans";
      ShowTooltip(words);
    }
    x += kWidth;
  }
  list->AddLine(ImVec2(box.x0, y + kHeight - 0.5f), ImVec2(box.x1, y + kHeight - 0.5f), t.line);
  return kHeight;
}

void FrontierPanel::DrawRow(Context& context, ScrollArea& area, const Box& row, const FrontierRow& entry) {
  const Theme& t = theme();
  ViewerModel& model = context.model;
  const TraceStore& store = model.store();
  context.items.Add("frontier/call", entry.call, row);
  if (RowGround(context, area, row, entry.call, entry.call == model.selected())) context.Select(entry.call);
  const float mid = std::floor(row.mid_y());
  float x = row.x0 + kPad;
  if (entry.place > 0) DrawTextRight(area.list, x + 20, mid, std::to_string(entry.place), t.dim, kCodeSmall);
  x += 28;
  const Look look = store.LookAt(entry.call, model.cursor());
  DrawGlyph(area.list, look, ImVec2(x + 6, mid), 11);
  x += 20;
  const float width = row.x1 - kPad - x;
  const bool narrow = width < 360;
  const std::string since = FormatDuration(store, model.transport().time() - entry.since);
  const float since_width = narrow ? 0 : 64;
  const float words_width = std::floor((width - since_width) * (narrow ? 0.45f : 0.40f));
  const std::string line = std::to_string(store.line_of(entry.call));
  DrawTextRight(area.list, x + 26, mid, line, t.faint, kCodeSmall);
  DrawTextFit(area.list, x + 34, mid, words_width - 42, CallWords(store, entry.call), t.text, kBody);
  float at = x + words_width;
  const float reason_end = row.x1 - kPad - since_width - 6;
  if (!narrow) {
    at = DrawTag(area.list, at, mid, entry.reached ? "reached" : "early", entry.reached ? t.text : t.dim) + 8;
  }
  std::string reasons;
  for (const ShutGate& gate : entry.gates) {
    if (!reasons.empty()) reasons += "; ";
    reasons += gate.words;
  }
  if (reasons.empty() && entry.place > 0) reasons = "all gates are open";
  const Box cell{at, row.y0, reason_end, row.y1};
  DrawTextFit(area.list, at, mid, cell.width(), reasons, entry.gates.empty() ? t.faint : t.dim, kBody);
  if (area.hovered && cell.Contains(ImGui::GetIO().MousePos) && Measure(reasons, kBody) > cell.width())
    ShowTooltip(reasons);
  if (!narrow) DrawTextRight(area.list, row.x1 - kPad, mid, since, t.faint, kSmall);
}

void FrontierPanel::Draw(Context& context, const Box& box) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  ViewerModel& model = context.model;
  const Theme& t = theme();
  Box rest = box;
  rest.y0 += DrawBudgets(context, list, box);
  const Frontier& frontier = model.frontier();
  if (frontier.ready_total + frontier.waiting_total == 0) {
    DrawEmpty(list, rest, "Nothing is ready, nothing waits",
              model.store().calls() == 0 ? "Calls that have not been dispatched are listed here, with the reason."
                                         : "Every call made so far has been dispatched or has ended.");
    return;
  }
  constexpr float kSection = 24;
  const size_t sections = 2;
  const float height = kSection * static_cast<float>(sections) +
                       kRow * static_cast<float>(std::max<size_t>(1, frontier.ready.size()) +
                                                 std::max<size_t>(1, frontier.waiting.size())) +
                       6;
  ScrollArea area("rows", rest, height);
  float y = area.origin_y;
  const auto section = [&](std::string_view word, std::string_view note, Glyph glyph, Ink ink, size_t shown,
                           uint32_t total) {
    const float mid = std::floor(y + kSection / 2) + 1;
    DrawGlyph(area.list, glyph, ImVec2(area.view.x0 + kPad + 6, mid), 10, InkOf(ink));
    float x = DrawText(area.list, area.view.x0 + kPad + 20, mid, word, t.text, kHead);
    std::string count = Grouped(total);
    if (shown < total) count = Grouped(shown) + " of " + count;
    x = DrawText(area.list, x + 8, mid, count, t.dim, kBody);
    DrawTextFit(area.list, x + 10, mid, area.view.x1 - x - 16, note, t.faint, kSmall);
    y += kSection;
  };
  const auto rows = [&](const std::vector<FrontierRow>& entries, std::string_view none) {
    if (entries.empty()) {
      DrawText(area.list, area.view.x0 + kPad + 36, y + kRow / 2, none, t.faint, kBody);
      y += kRow;
      return;
    }
    for (const FrontierRow& entry : entries) {
      if (entry.call == model.selected() && shown_selection_ != entry.call) area.Reveal(y - area.origin_y, kRow);
      if (y + kRow >= area.view.y0 && y <= area.view.y1)
        DrawRow(context, area, {area.view.x0, y, area.view.x1, y + kRow}, entry);
      y += kRow;
    }
  };
  section("Ready", "in the order in which they would be popped", Glyph::kDiamond, Ink::kReady, frontier.ready.size(),
          frontier.ready_total);
  rows(frontier.ready, "nothing is ready");
  section("Waiting", "with the gates that are shut", Glyph::kRing, Ink::kWaiting, frontier.waiting.size(),
          frontier.waiting_total);
  rows(frontier.waiting, "nothing waits");
  shown_selection_ = model.selected();
}

}  // namespace

std::unique_ptr<Panel> MakeFrontierPanel() { return std::make_unique<FrontierPanel>(); }

}  // namespace pysolate::viz
