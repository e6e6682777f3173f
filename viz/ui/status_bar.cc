// The bar at the bottom: the legend, which is also the count of calls by state at the cursor and the switch of a state;
// what run this is; the last command's outcome.
#include <cmath>

#include "ui/ui.h"
#include "ui/widgets.h"

namespace pysolate::viz {
namespace {

struct Chip {
  Ink ink;
  Glyph glyph;
  std::string_view word, tooltip;
};
constexpr Chip kChips[] = {
    {Ink::kWaiting, Glyph::kRing, "waiting",
     "Arguments, control path or contract not there yet; also cancelled and skipped"},
    {Ink::kReady, Glyph::kDiamond, "ready", "Only the budget may be shut"},
    {Ink::kDispatched, Glyph::kTriangle, "running", "Bound to a running attempt"},
    {Ink::kSucceeded, Glyph::kTick, "succeeded", "The value is there; taken, not yet taken, or never needed"},
    {Ink::kFailed, Glyph::kCross, "failed", "The attempt raised"},
    {Ink::kOrphaned, Glyph::kBarredCircle, "orphaned", "Still runs though nobody wants it, or ended so"},
};

}  // namespace

void Ui::DrawStatus(const Box& box) {
  Items::TextScope tap(items_, "status");
  const Theme& t = theme();
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled(box.min(), box.max(), t.chrome);
  list->AddLine(ImVec2(box.x0, box.y0 + 0.5f), ImVec2(box.x1, box.y0 + 0.5f), t.line_strong);
  items_.Add("status", box);
  const LookCounts& looks = model_.looks();
  uint32_t by_ink[kInks] = {};
  for (int i = 1; i < kLooks; ++i)
    by_ink[static_cast<size_t>(StyleOf(static_cast<Look>(i)).ink)] += looks[static_cast<size_t>(i)];

  float x = box.x0 + 4;
  int number = 0;
  for (const Chip& chip : kChips) {
    ++number;
    bool& hidden = model_.ink_hidden[static_cast<size_t>(chip.ink)];
    const std::string count = Grouped(by_ink[static_cast<size_t>(chip.ink)]);
    const bool worded = box.width() >= 760;
    const float w = 10 + 12 + 6 + Measure(count, kHead) + (worded ? 5 + Measure(chip.word, kSmall) : 0) + 8;
    const Box place{x, box.y0 + 3, x + w, box.y1 - 2};
    const std::string name = "state/" + std::string(chip.word);
    ImGui::SetCursorScreenPos(place.min());
    if (ImGui::InvisibleButton(("##" + name).c_str(), ImVec2(w, place.height()))) hidden = !hidden;
    if (ImGui::IsItemHovered()) list->AddRectFilled(place.min(), place.max(), t.hover, kRounding);
    if (ImGui::IsItemHovered(ImGuiHoveredFlags_ForTooltip)) {
      ShowTooltip(std::string(chip.tooltip) + (hidden ? ". Hidden: click to show" : ". Click to hide"),
                  std::to_string(number));
    }
    const float mid = std::floor(place.mid_y());
    const float strength = hidden ? 0.35f : 1.0f;
    DrawGlyph(list, chip.glyph, ImVec2(place.x0 + 14, mid), 11, WithAlpha(InkOf(chip.ink), strength));
    float at = DrawText(list, place.x0 + 25, mid, count, WithAlpha(t.text, strength), kHead);
    if (worded) at = DrawText(list, at + 5, mid, chip.word, WithAlpha(t.dim, strength), kSmall);
    if (hidden) list->AddLine(ImVec2(place.x0 + 6, mid + 0.5f), ImVec2(at + 2, mid + 0.5f), t.dim, 1);
    items_.Add(name, place);
    x += w + 2;
  }

  const RunInfo& run = model_.store().run();
  const float mid = std::floor(box.mid_y());
  std::string right;
  if (!model_.status().empty()) {
    right = model_.status();
  } else if (model_.store().events() > 0) {
    right = run.program.empty() ? model_.document().name() : run.program;
    if (!run.mode.empty()) right += "  \xc2\xb7  " + run.mode;
    if (!run.clock.empty()) right += "  \xc2\xb7  " + run.clock + " time";
    if (model_.document().live()) right += "  \xc2\xb7  live";
    if (!model_.store().ended() && !model_.document().live()) right += "  \xc2\xb7  not ended";
  }
  const float room = box.x1 - kPad - x - 16;
  if (room > 40) {
    DrawTextRight(list, box.x1 - kPad, mid, Fit(right, room, kSmall), model_.status().empty() ? t.dim : t.text, kSmall);
  }
}

}  // namespace pysolate::viz
