// The account of every attempt: totals that balance, sites with the worth of their early calls, rows with orphans
// first.
#include <algorithm>
#include <cmath>

#include "ui/widgets.h"

namespace pysolate::viz {
namespace {

Look LookOfFate(Fate fate, bool orphan) {
  switch (fate) {
    case Fate::kRunning:
      return orphan ? Look::kOrphaned : Look::kDispatched;
    case Fate::kConsumed:
      return Look::kConsumed;
    case Fate::kDiscarded:
      return Look::kDiscarded;
    case Fate::kRetried:
      return Look::kConsumedFailed;
    case Fate::kLate:
      return Look::kLateOk;
    case Fate::kLost:
      return Look::kLost;
    case Fate::kCancelled:
      return Look::kCancelled;
    case Fate::kNone:
      break;
  }
  return Look::kAbsent;
}

class LedgerPanel final : public Panel {
 public:
  std::string_view title() const override { return "Ledger"; }
  std::string_view name() const override { return "ledger"; }
  void Draw(Context& context, const Box& box) override;

 private:
  float DrawTotals(Context& context, ImDrawList* list, const Box& box, const LedgerTotals& totals);
  void DrawRows(Context& context, const Box& box, Ledger& ledger, uint32_t count);
  void DrawSites(Context& context, const Box& box, Ledger& ledger);
  int page_ = 0;  // attempts, sites
};

// dispatched = the sum of the fates, written as the equation that it is.
float LedgerPanel::DrawTotals(Context&, ImDrawList* list, const Box& box, const LedgerTotals& totals) {
  const Theme& t = theme();
  constexpr float kHeight = 30;
  const float mid = std::floor(box.y0 + kHeight / 2);
  float x = box.x0 + 12;
  x = DrawText(list, x, mid, Grouped(totals.dispatched), t.text, kHead);
  x = DrawText(list, x + 4, mid, "dispatched", t.dim, kSmall) + 8;
  x = DrawText(list, x, mid, totals.balances() ? "=" : "\xe2\x89\xa0", totals.balances() ? t.dim : InkOf(Ink::kFailed),
               kHead) +
      8;
  bool first = true;
  for (int i = 1; i < kFates; ++i) {
    const Fate fate = static_cast<Fate>(i);
    const uint32_t n = totals.fates[static_cast<size_t>(i)];
    if (n == 0) continue;
    const std::string count = Grouped(n);
    const float w = (first ? 0 : 14) + 16 + Measure(count, kHead) + 4 + Measure(Name(fate), kSmall) + 8;
    if (x + w > box.x1 - 90) {
      x = DrawText(list, x, mid, "+ \xe2\x80\xa6", t.dim, kSmall);
      break;
    }
    if (!first) x = DrawText(list, x, mid, "+", t.faint, kSmall) + 7;
    first = false;
    DrawGlyph(list, LookOfFate(fate, false), ImVec2(x + 6, mid), 11);
    x = DrawText(list, x + 16, mid, count, t.text, kHead);
    x = DrawText(list, x + 4, mid, Name(fate), t.dim, kSmall) + 8;
  }
  if (first) x = DrawText(list, x, mid, "0", t.dim, kBody);
  const std::string verdict = totals.balances() ? "balances" : "does not balance";
  if (x + Measure(verdict, kSmall) + 30 < box.x1) {
    const float from = box.x1 - 12 - Measure(verdict, kSmall);
    DrawText(list, from, mid, verdict, totals.balances() ? t.dim : t.text, kSmall);
    DrawGlyph(list, totals.balances() ? Glyph::kTickHollow : Glyph::kCross, ImVec2(from - 10, mid), 11,
              InkOf(totals.balances() ? Ink::kSucceeded : Ink::kFailed));
  }
  list->AddLine(ImVec2(box.x0, box.y0 + kHeight - 0.5f), ImVec2(box.x1, box.y0 + kHeight - 0.5f), t.line);
  return kHeight;
}

void LedgerPanel::DrawRows(Context& context, const Box& box, Ledger& ledger, uint32_t count) {
  const Theme& t = theme();
  const TraceStore& store = context.model.store();
  ImDrawList* head = ImGui::GetWindowDrawList();
  constexpr float kHead = 22;
  const float w = box.width() - 12;
  const bool wide = w > 560;
  // Columns: attempt, fate, call, line, budget, began, wall, reason.
  const float fate_x = 46, call_x = fate_x + 106, right_block = wide ? 190.0f : 74.0f;
  const float call_w = std::floor((w - call_x - right_block) * (wide ? 0.5f : 1.0f)) - 8;
  const float reason_x = call_x + call_w + 8, reason_w = w - right_block - reason_x - 8;
  const float mid_head = box.y0 + kHead / 2;
  DrawHeadCell(head, box.x0 + 8, mid_head, 26, "no.", true);
  DrawHeadCell(head, box.x0 + fate_x + 18, mid_head, 80, "fate");
  DrawHeadCell(head, box.x0 + call_x, mid_head, call_w, "call");
  if (wide) {
    DrawHeadCell(head, box.x0 + reason_x, mid_head, reason_w, "reason");
    DrawHeadCell(head, box.x0 + w - 190, mid_head, 42, "budget", true);
    DrawHeadCell(head, box.x0 + w - 142, mid_head, 66, "began", true);
  }
  DrawHeadCell(head, box.x0 + w - 70, mid_head, 66, "wall", true);
  const Box rest{box.x0, box.y0 + kHead, box.x1, box.y1};
  ScrollArea area("attempts", rest, kRow * static_cast<float>(count));
  const uint32_t first = static_cast<uint32_t>(std::max(0.0f, (area.view.y0 - area.origin_y) / kRow));
  const uint32_t visible = static_cast<uint32_t>(area.view.height() / kRow) + 2;
  float y = area.origin_y + kRow * static_cast<float>(first);
  for (const LedgerRow& entry : ledger.Rows(first, std::min(visible, count - std::min(first, count)))) {
    const Box row{area.view.x0, y, area.view.x1, y + kRow};
    y += kRow;
    context.items.Add("ledger/attempt", entry.attempt, row);
    if (RowGround(context, area, row, entry.call, entry.call == context.model.selected())) context.Select(entry.call);
    const float mid = std::floor(row.mid_y());
    DrawTextRight(area.list, row.x0 + 34, mid, std::to_string(entry.attempt), t.faint, kCodeSmall);
    DrawGlyph(area.list, LookOfFate(entry.fate, entry.orphan), ImVec2(row.x0 + fate_x + 6, mid), 11);
    DrawTextFit(area.list, row.x0 + fate_x + 18, mid, 84,
                entry.orphan ? std::string_view("orphaned") : Name(entry.fate), t.text, kBody);
    DrawTextFit(area.list, row.x0 + call_x, mid, call_w, CallWords(store, entry.call), t.text, kBody);
    if (wide) {
      float x = row.x0 + reason_x;
      if (entry.early && reason_w > 60) x = DrawTag(area.list, x, mid, "early", t.dim) + 6;
      DrawTextFit(area.list, x, mid, row.x0 + reason_x + reason_w - x, entry.reason, t.dim, kBody);
      DrawTextRight(area.list, row.x0 + w - 148, mid, std::to_string(entry.cost), t.dim, kBody);
      DrawTextRight(area.list, row.x0 + w - 76, mid, FormatDuration(store, entry.begin), t.dim, kSmall);
    }
    DrawTextRight(area.list, row.x0 + w - 4, mid, FormatDuration(store, entry.wall), t.text, kSmall);
  }
}

void LedgerPanel::DrawSites(Context& context, const Box& box, Ledger& ledger) {
  const Theme& t = theme();
  const TraceStore& store = context.model.store();
  ImDrawList* head = ImGui::GetWindowDrawList();
  const std::vector<SiteHits>& sites = ledger.by_site();
  constexpr float kHead = 22;
  const float w = box.width() - 12, mid_head = box.y0 + kHead / 2;
  const float name_w = std::max(80.0f, w - 12 - 300);
  DrawHeadCell(head, box.x0 + 46, mid_head, name_w - 40, "site");
  float x = box.x0 + 12 + name_w;
  DrawHeadCell(head, x, mid_head, 56, "attempts", true);
  DrawHeadCell(head, x + 60, mid_head, 50, "early", true);
  DrawHeadCell(head, x + 114, mid_head, 84, "hit rate");
  DrawHeadCell(head, x + 204, mid_head, 84, "wasted", true);
  const Box rest{box.x0, box.y0 + kHead, box.x1, box.y1};
  ScrollArea area("sites", rest, kRow * static_cast<float>(sites.size()));
  float y = area.origin_y;
  for (const SiteHits& hits : sites) {
    const Box row{area.view.x0, y, area.view.x1, y + kRow};
    y += kRow;
    if (row.y1 < area.view.y0 || row.y0 > area.view.y1) continue;
    const SiteInfo& site = store.site(hits.site);
    const float mid = std::floor(row.mid_y());
    RowGround(context, area, row, 0, false);
    DrawTextRight(area.list, row.x0 + 38, mid, std::to_string(site.line), t.faint, kCodeSmall);
    DrawTextFit(area.list, row.x0 + 46, mid, name_w - 40, store.text(store.tool(site.tool).name), t.text, kBody);
    x = row.x0 + 12 + name_w;
    DrawTextRight(area.list, x + 56, mid, Grouped(hits.attempts), t.text, kBody);
    DrawTextRight(area.list, x + 110, mid, Grouped(hits.early), t.text, kBody);
    const uint32_t decided = hits.early_hits + hits.early_waste;
    if (decided > 0) {
      const float share = static_cast<float>(hits.early_hits) / static_cast<float>(decided);
      const Box gauge{x + 122, mid - 3, x + 162, mid + 3};
      area.list->AddRectFilled(gauge.min(), gauge.max(), InkOf(Ink::kOrphaned), 2);
      area.list->AddRectFilled(gauge.min(), ImVec2(gauge.x0 + gauge.width() * share, gauge.y1), InkOf(Ink::kSucceeded),
                               2);
      DrawText(area.list, gauge.x1 + 6, mid, std::to_string(static_cast<int>(std::lround(share * 100))) + " %", t.dim,
               kSmall);
    }
    const std::string waste = hits.early_waste == 0
                                  ? std::string("\xe2\x80\x93")
                                  : Grouped(hits.early_waste) + ", " + FormatDuration(store, hits.waste_time);
    DrawTextRight(area.list, x + 288, mid, waste, t.dim, kSmall);
  }
}

void LedgerPanel::Draw(Context& context, const Box& box) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  Ledger& ledger = context.model.ledger();
  const LedgerTotals totals = ledger.totals();
  if (totals.dispatched == 0) {
    DrawEmpty(list, box, "Nothing was dispatched yet",
              "Every attempt is booked here, with its fate, its time and the budget it held.");
    return;
  }
  Box rest = box;
  rest.y0 += DrawTotals(context, list, box, totals);
  static constexpr std::string_view kPages[] = {"attempts", "by site"};
  const int chosen =
      Segmented(context, "ledger/page", {rest.x0 + 8, rest.y0 + 5, rest.x1, rest.y0 + 25}, kPages, page_);
  if (chosen >= 0) page_ = chosen;
  rest.y0 += 28;
  if (page_ == 0) {
    DrawRows(context, rest, ledger, totals.dispatched);
  } else {
    DrawSites(context, rest, ledger);
  }
}

}  // namespace

std::unique_ptr<Panel> MakeLedgerPanel() { return std::make_unique<LedgerPanel>(); }

}  // namespace pysolate::viz
