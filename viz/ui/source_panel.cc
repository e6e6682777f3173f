// The program's text with its calls by line: where it stands, and what became of each line's calls.
#include <algorithm>
#include <cmath>

#include "ui/python_ink.h"
#include "ui/widgets.h"

namespace pysolate::viz {
namespace {

constexpr float kLine = 20;
constexpr float kBadges = 92;

class ProgramPanel final : public Panel {
 public:
  std::string_view title() const override { return "Source"; }
  std::string_view name() const override { return "source"; }
  void Draw(Context& context, const Box& box) override;

 private:
  void DrawBadges(Context& context, ScrollArea& area, const SourceLine& line, float x, float mid);
  int32_t shown_line_ = -1;
  CallId shown_selection_ = 0;
};

// Up to three states of the line's calls, the most notable first, as glyph and count.
void ProgramPanel::DrawBadges(Context&, ScrollArea& area, const SourceLine& line, float x, float mid) {
  uint32_t by_ink[kInks] = {};
  for (int i = 1; i < kLooks; ++i)
    by_ink[static_cast<size_t>(StyleOf(static_cast<Look>(i)).ink)] += line.looks[static_cast<size_t>(i)];
  static constexpr std::pair<Ink, Glyph> kOrder[] = {
      {Ink::kFailed, Glyph::kCross},  {Ink::kOrphaned, Glyph::kBarredCircle}, {Ink::kDispatched, Glyph::kTriangle},
      {Ink::kReady, Glyph::kDiamond}, {Ink::kWaiting, Glyph::kRing},          {Ink::kSucceeded, Glyph::kTick}};
  float at = x;
  for (const auto& [ink, glyph] : kOrder) {
    const uint32_t n = by_ink[static_cast<size_t>(ink)];
    if (n == 0) continue;
    const std::string count = n > 9999 ? ">9999" : std::to_string(n);
    const float w = 14 + Measure(count, kSmall) + 6;
    if (at + w > x + kBadges) break;
    DrawGlyph(area.list, glyph, ImVec2(at + 5, mid), 9, InkOf(ink));
    at = DrawText(area.list, at + 13, mid, count, theme().dim, kSmall) + 7;
  }
}

void ProgramPanel::Draw(Context& context, const Box& box) {
  const Theme& t = theme();
  ViewerModel& model = context.model;
  SourcePanel& source = model.source();
  const std::vector<SourceLine>& lines = source.lines();
  if (lines.empty()) {
    DrawEmpty(ImGui::GetWindowDrawList(), box, "No source",
              "The trace brings neither the program's text nor call sites.");
    return;
  }
  ScrollArea area("lines", box, kLine * static_cast<float>(lines.size()) + 12);
  const int32_t selected_line = model.selected() != 0 ? model.store().line_of(model.selected()) : 0;
  const int32_t hover_line = context.hover != 0 ? model.store().line_of(context.hover) : 0;
  // The program's place comes into view when it moves, the selection's when it is chosen.
  int reveal = -1;
  if (model.selected() != shown_selection_) {
    reveal = source.IndexOf(selected_line);
  } else if (source.current_line() != shown_line_) {
    reveal = source.IndexOf(source.current_line());
  }
  shown_selection_ = model.selected();
  shown_line_ = source.current_line();
  if (reveal >= 0) area.Reveal(kLine * static_cast<float>(reveal), kLine);

  const float digits = std::max(2.0f, std::ceil(std::log10(static_cast<float>(lines.back().number) + 1)));
  const float number_x = area.view.x0 + 18 + digits * Measure("0", kCodeSmall);
  const bool badges = area.view.width() > 300;
  const float text_x = number_x + 12;
  const int first = std::max(0, static_cast<int>((area.view.y0 - area.origin_y - 4) / kLine) - 1);
  // Strings may span lines: colouring starts at the top. Programs are short; what is above is only scanned.
  PythonInk colours(t.dark);
  for (int i = 0; i < first && i < static_cast<int>(lines.size()); ++i)
    colours.Skip(lines[static_cast<size_t>(i)].text);
  for (size_t i = static_cast<size_t>(first); i < lines.size(); ++i) {
    const SourceLine& line = lines[i];
    const float y = area.origin_y + 4 + kLine * static_cast<float>(i);
    if (y > area.view.y1) break;
    const Box row{area.view.x0, y, area.view.x1, y + kLine};
    context.items.Add("source/line", static_cast<uint64_t>(line.number), row);
    const float text_end = area.view.x1 - (badges && line.calls > 0 ? kBadges + 8 : 4);
    const float mid = std::floor(row.mid_y());
    const bool current = line.number == source.current_line();
    const bool selected = line.number == selected_line;
    if (current) {
      area.list->AddRectFilled(row.min(), row.max(), t.accent_soft);
      DrawIcon(area.list, source.blocked() ? Icon::kPause : Icon::kPlay, ImVec2(area.view.x0 + 9, mid), 9, t.accent);
    }
    const bool over = area.hovered && row.Contains(ImGui::GetIO().MousePos);
    if (!current && (over || (hover_line != 0 && line.number == hover_line)) && !line.sites.empty()) {
      area.list->AddRectFilled(row.min(), row.max(), WithAlpha(t.hover, 0.6f));
    }
    if (selected) area.list->AddRectFilled(ImVec2(row.x0, row.y0), ImVec2(row.x0 + 2, row.y1), t.text);
    DrawTextRight(area.list, number_x, mid, std::to_string(line.number), line.sites.empty() ? t.faint : t.dim,
                  kCodeSmall);
    area.list->PushClipRect(ImVec2(text_x, area.view.y0), ImVec2(text_end, area.view.y1), true);
    colours.Draw(area.list, text_x, mid, line.text);
    // The call's own columns.
    for (SiteId id : line.sites) {
      const SiteInfo& site = model.store().site(id);
      if (!source.has_source() || site.end_line != site.line || site.end_col <= site.col) continue;
      const std::string_view text = line.text;
      const size_t from = std::min<size_t>(static_cast<size_t>(std::max(0, site.col)), text.size());
      const size_t to = std::min<size_t>(static_cast<size_t>(std::max(0, site.end_col)), text.size());
      const float u0 = text_x + Measure(text.substr(0, from), kCode), u1 = text_x + Measure(text.substr(0, to), kCode);
      const bool strong = model.selected() != 0 && model.store().call(model.selected()).site == id;
      if (strong) {
        area.list->AddLine(ImVec2(u0, row.y1 - 2.5f), ImVec2(u1, row.y1 - 2.5f), t.text, 1.5f);
      } else {
        DrawDashedLine(area.list, ImVec2(u0, row.y1 - 2.5f), ImVec2(u1, row.y1 - 2.5f), t.faint, 1, 1.5f, 2.5f);
      }
    }
    area.list->PopClipRect();
    if (badges && line.calls > 0) DrawBadges(context, area, line, text_end + 4, mid);
    if (over && !line.sites.empty()) {
      ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
      if (ImGui::IsMouseClicked(ImGuiMouseButton_Left)) {
        // The next call of this line after the selected one; again and again goes round.
        CallId first_call = 0, after = 0;
        for (SiteId id : line.sites) {
          model.store().ForEachCallOfSite(id, [&](CallId call) {
            if (model.store().call(call).arrive > model.cursor()) return false;
            if (first_call == 0 || call < first_call) first_call = call;
            if (call > model.selected() && (after == 0 || call < after)) after = call;
            return true;
          });
        }
        const bool here = model.selected() != 0 && model.store().line_of(model.selected()) == line.number;
        const CallId chosen = here && after != 0 ? after : first_call;
        if (chosen != 0) context.Select(chosen);
      }
    }
  }
}

}  // namespace

std::unique_ptr<Panel> MakeSourcePanel() { return std::make_unique<ProgramPanel>(); }

}  // namespace pysolate::viz
