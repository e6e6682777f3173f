// Figures of the run up to the cursor: how long it took, how long one after another would have taken, and what was the
// shortest that its dependencies allow.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "ui/widgets.h"

namespace pysolate::viz {
namespace {

class MetricsPanel final : public Panel {
 public:
  std::string_view title() const override { return "Metrics"; }
  std::string_view name() const override { return "metrics"; }
  void Draw(Context& context, const Box& box) override;

 private:
  float height_ = 300;
};

void MetricsPanel::Draw(Context& context, const Box& box) {
  const Theme& t = theme();
  ViewerModel& model = context.model;
  const TraceStore& store = model.store();
  const Metrics& m = model.metrics();
  if (m.calls == 0) {
    DrawEmpty(ImGui::GetWindowDrawList(), box, "No calls yet",
              "Makespan, sequential sum, critical path, overlap and budget use.");
    return;
  }
  ScrollArea area("metrics", box, height_);
  const float x0 = area.view.x0 + 14, x1 = area.view.x1 - 14;
  float y = area.origin_y + 12;
  // Three lengths under one another say what overlap is.
  const double longest =
      std::max<double>(1, static_cast<double>(std::max({m.sequential_sum, m.makespan, m.critical_path})));
  const float label = 108, value = 84;
  const float room = std::max(20.0f, std::min(x1 - x0, 720.0f) - label - value);
  const auto length = [&](std::string_view word, TimeNs ns, ImU32 ink, bool hatch, std::string_view tip) {
    const float mid = std::floor(y + 11);
    DrawText(area.list, x0, mid, word, t.dim, kBody);
    const Box bar{x0 + label, y + 3,
                  x0 + label + std::max(2.0f, room * static_cast<float>(static_cast<double>(ns) / longest)), y + 19};
    DrawBar(area.list, bar, hatch ? Pattern::kHatch : Pattern::kSolid, ink, false);
    DrawText(area.list, bar.x1 + 8, mid, FormatDuration(store, ns), t.text, kHead);
    if (area.hovered && Box{x0, y, x1, y + 22}.Contains(ImGui::GetIO().MousePos)) ShowTooltip(tip);
    y += 24;
  };
  length("one by one", m.sequential_sum, t.faint, false,
         "Wall time of every attempt that the program took, one after another, and the program's own time");
  length("makespan", m.makespan, InkOf(Ink::kDispatched), true, "Time of the run up to the cursor");
  length("critical path", m.critical_path, t.accent, false,
         "The longest chain of calls that had to wait for one another");
  if (m.makespan > 0 && m.sequential_sum > 0) {
    char words[96];
    std::snprintf(words, sizeof words, "%.2f times as fast as one by one",
                  static_cast<double>(m.sequential_sum) / static_cast<double>(m.makespan));
    DrawText(area.list, x0 + label, y + 9, words, t.dim, kSmall);
  }
  y += 26;
  // The rest as a table, in as many columns as fit.
  const std::vector<Field> rows = MetricRows(store, model.cursor(), m);
  const int columns = std::max(1, static_cast<int>((x1 - x0) / 270));
  const float width = (x1 - x0) / static_cast<float>(columns);
  const size_t per = (rows.size() + static_cast<size_t>(columns) - 1) / static_cast<size_t>(columns);
  for (size_t i = 0; i < rows.size(); ++i) {
    const float cx = x0 + width * static_cast<float>(i / per), cy = y + 21 * static_cast<float>(i % per);
    const float w = width - 24;
    const std::string fitted = Fit(rows[i].value, w * 0.6f, kBody);
    const float value_w = Measure(fitted, kBody);
    DrawTextFit(area.list, cx, cy + 10, w - value_w - 8, rows[i].name, t.dim, kBody);
    DrawTextRight(area.list, cx + w, cy + 10, fitted, t.text, kBody);
    area.list->AddLine(ImVec2(cx, cy + 20.5f), ImVec2(cx + w, cy + 20.5f), t.line);
  }
  height_ = y - area.origin_y + 21 * static_cast<float>(per) + 12;
}

}  // namespace

std::unique_ptr<Panel> MakeMetricsPanel() { return std::make_unique<MetricsPanel>(); }

}  // namespace pysolate::viz
