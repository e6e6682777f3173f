// The main picture: time or events from left to right, a row for calls of a site that do not overlap.
//
// A bar reads from left to right: thin lines while it waits (dotted: arguments, dashed: control path, double:
// contract), a slim amber band while only the budget is shut, the full body while its attempt runs, a thin line until
// the value is taken. An overline marks what happened before control reached the call.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "ui/call_tip.h"
#include "ui/widgets.h"

namespace pysolate::viz {
namespace {

constexpr float kHead = 28, kRowMost = 27, kRowText = 13, kScroll = 9;
constexpr float kRowFirst = 17;  // rows of a run that was just opened are at least so high
constexpr float kRowMarks = 19;  // rows at least so high have room for the overline

float Clamped(double v) { return static_cast<float>(std::clamp(v, -1e5, 1e5)); }

// 1, 2 or 5 times a power of ten, at least `least`.
double NiceStep(double least) {
  const double power = std::pow(10.0, std::floor(std::log10(std::max(least, 1e-12))));
  for (double m : {1.0, 2.0, 5.0}) {
    if (m * power >= least) return m * power;
  }
  return 10 * power;
}

Ink InkOfPhase(int phase) {
  switch (static_cast<Phase>(phase)) {
    case Phase::kReady:
      return Ink::kReady;
    case Phase::kRunning:
      return Ink::kDispatched;
    case Phase::kOrphaned:
      return Ink::kOrphaned;
    case Phase::kHeld:
      return Ink::kSucceeded;
    default:
      return Ink::kWaiting;
  }
}

class TimelinePanel final : public Panel {
 public:
  std::string_view title() const override { return "Timeline"; }
  std::string_view name() const override { return "timeline"; }
  void Draw(Context& context, const Box& box) override;

 private:
  float X(double x) const { return Clamped(plot_.x0 + (x - view_.x0) / (view_.x1 - view_.x0) * plot_.width()); }
  double XAt(float px) const { return view_.x0 + (px - plot_.x0) / plot_.width() * (view_.x1 - view_.x0); }
  float Y(double row) const { return Clamped(plot_.y0 + (row - view_.row0) * row_height_); }
  double CursorX(const ViewerModel& model) const;
  void Prepare(Context& context, const Box& box);
  double GridStep(const TraceStore& store) const;
  void DrawLanes(Context& context, ImDrawList* list);
  void DrawBars(Context& context, ImDrawList* list);
  void DrawBarOf(Context& context, ImDrawList* list, const Bar& bar, float room);
  void DrawDensity(ImDrawList* list, const TimelineView& view);
  void DrawRelations(Context& context, ImDrawList* list);
  void DrawCriticalPath(Context& context, ImDrawList* list);
  void DrawEdge(Context& context, ImDrawList* list, CallId from, CallId to, ImU32 ink, float thickness);
  void DrawVeil(const Context& context, ImDrawList* list, float alpha);
  void DrawCursor(Context& context, ImDrawList* list);
  // The cursor's words, and where its flag stands in the ruler (far outside: not to be seen).
  std::string Flag(const Context& context, float* x0, float* x1) const;
  void DrawRuler(Context& context, ImDrawList* list);
  void DrawGutter(Context& context, ImDrawList* list);
  void DrawScroll(Context& context, ImDrawList* list);
  void HandlePointer(Context& context, ImDrawList* list);
  Box BarBox(const Bar& bar) const;

  Box box_, plot_, gutter_, head_;
  ViewBox view_;
  double rows_ = 1;
  float row_height_ = 20;
  std::vector<Segment> segments_;
  uint64_t seen_document_ = 0;
  bool first_look_ = true;
  bool dragged_ = false;
  bool ranging_ = false;
  float range_from_ = 0;
  CallTip tip_;
};

double TimelinePanel::CursorX(const ViewerModel& model) const {
  if (view_.axis == Axis::kTime && model.transport().playing())
    return static_cast<double>(model.transport().play_time());
  return model.timeline().x_of(view_.axis, model.cursor());
}

void TimelinePanel::Prepare(Context& context, const Box& box) {
  ViewerModel& model = context.model;
  box_ = box;
  const float gutter = std::clamp(std::floor(box.width() * 0.18f), box.width() > 560 ? 136.0f : 104.0f, 210.0f);
  head_ = {box.x0, box.y0, box.x1, box.y0 + kHead};
  plot_ = {box.x0 + gutter, head_.y1, box.x1 - kScroll, box.y1 - 2};
  gutter_ = {box.x0, head_.y1, plot_.x0, box.y1};
  view_ = model.view();
  rows_ = std::max(1.0, static_cast<double>(model.timeline().rows()));
  const double span = std::max(0.5, view_.row1 - view_.row0);
  row_height_ = static_cast<float>(plot_.height() / span);
  if (row_height_ > kRowMost) {
    // Few rows do not grow for ever: more of them are shown, or there is room below.
    row_height_ = kRowMost;
    const double visible = plot_.height() / kRowMost;
    if (view_.row1 < rows_ || view_.row0 > 0) {
      ViewBox wider = view_;
      wider.row0 = std::max(0.0, std::min(view_.row0, rows_ - visible));
      wider.row1 = std::min(rows_, wider.row0 + visible);
      if (wider.row0 != view_.row0 || wider.row1 != view_.row1) {
        model.SetView(wider, false);
        view_ = model.view();
      }
    }
  }
  if (seen_document_ != context.document) {
    seen_document_ = context.document;
    first_look_ = true;
  }
  if (first_look_ && model.document().finished()) {
    // A finished run opens with rows that can be read; all of them at once are a key away (fit).
    first_look_ = false;
    const double readable = plot_.height() / kRowFirst;
    if (view_.row0 <= 0 && rows_ > readable && row_height_ < kRowFirst) {
      ViewBox top = view_;
      top.row1 = readable;
      model.SetView(top, false);
      view_ = model.view();
      row_height_ = static_cast<float>(plot_.height() / std::max(0.5, view_.row1 - view_.row0));
    }
  }
  if (const CallId call = model.TakeReveal(); call != 0) {
    const uint32_t row = model.timeline().row_of(call);
    ViewBox moved = view_;
    const double visible = plot_.height() / row_height_;
    if (row != Timeline::kNoRow && (row < view_.row0 || row + 1 > view_.row0 + visible)) {
      const double size = view_.row1 - view_.row0;
      moved.row0 = std::clamp(row - visible / 2, 0.0, std::max(0.0, rows_ - visible));
      moved.row1 = moved.row0 + size;
    }
    double x0 = 0, x1 = 0;
    bool open = false;
    model.timeline().Span(call, view_.axis, &x0, &x1, &open);
    if (x1 < view_.x0 || x0 > view_.x1) {
      const double half = (view_.x1 - view_.x0) / 2, middle = (x0 + x1) / 2;
      moved.x0 = middle - half;
      moved.x1 = middle + half;
    }
    if (!(moved == view_)) {
      model.SetView(moved, true);
      view_ = model.view();
    }
  }
}

void TimelinePanel::Draw(Context& context, const Box& box) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  if (context.model.store().events() == 0) {
    DrawEmpty(list, box, context.model.document().live() ? "Waiting for the run to begin" : "No trace",
              context.model.document().live() ? "Calls appear here as soon as the program makes one."
                                              : "Open a trace, or run a program.");
    return;
  }
  Prepare(context, box);
  if (plot_.width() < 20 || plot_.height() < 20) return;
  context.items.Add("timeline/plot", plot_);
  HandlePointer(context, list);
  view_ = context.model.view();
  list->PushClipRect(plot_.min(), plot_.max(), true);
  DrawLanes(context, list);
  DrawBars(context, list);
  DrawRelations(context, list);
  if (context.model.show_critical_path) DrawCriticalPath(context, list);
  list->PopClipRect();
  DrawGutter(context, list);
  DrawRuler(context, list);
  DrawCursor(context, list);
  DrawScroll(context, list);
}

void TimelinePanel::HandlePointer(Context& context, ImDrawList* list) {
  ViewerModel& model = context.model;
  const ImGuiIO& io = ImGui::GetIO();
  // The ruler moves the cursor.
  ImGui::SetCursorScreenPos(ImVec2(plot_.x0, head_.y0));
  ImGui::InvisibleButton("##ruler", ImVec2(plot_.width(), head_.height()));
  context.items.Add("timeline/ruler", {plot_.x0, head_.y0, plot_.x1, head_.y1});
  if (ImGui::IsItemActive()) model.transport().GoTo(model.timeline().event_at(view_.axis, XAt(io.MousePos.x)));

  ImGui::SetCursorScreenPos(plot_.min());
  ImGui::InvisibleButton("##plot", ImVec2(plot_.width(), plot_.height()));
  const bool over = ImGui::IsItemHovered();
  if (over) {
    const double row = view_.row0 + (io.MousePos.y - plot_.y0) / row_height_;
    const CallId hit = model.timeline().Hit(view_.axis, XAt(io.MousePos.x), row, model.cursor());
    const double px = (view_.x1 - view_.x0) / plot_.width();
    // Thin bars are caught within a few pixels.
    CallId call = hit;
    for (int d = 1; call == 0 && d <= 3; ++d) {
      call = model.timeline().Hit(view_.axis, XAt(io.MousePos.x) + d * px, row, model.cursor());
      if (call == 0) call = model.timeline().Hit(view_.axis, XAt(io.MousePos.x) - d * px, row, model.cursor());
    }
    if (call != 0 && !ImGui::IsMouseDragging(ImGuiMouseButton_Left)) {
      context.Hover(call);
      tip_.Show(context, call);
    }
    const float wheel = io.MouseWheel, side = io.MouseWheelH;
    if (wheel != 0 && io.KeyShift) {
      model.Pan(-wheel * 0.1, 0);
    } else if (wheel != 0) {
      model.Zoom(std::pow(1.2, static_cast<double>(wheel)), XAt(io.MousePos.x));
    }
    if (side != 0) model.Pan(-side * 0.1, 0);
    if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left) && call != 0) {
      model.SetView(model.timeline().FitCall(view_, call), true);
    }
  }
  if (ImGui::IsItemActivated()) {
    dragged_ = false;
    ranging_ = io.KeyShift;
    range_from_ = io.MousePos.x;
  }
  if (ImGui::IsItemActive()) {
    if (ImGui::IsMouseDragging(ImGuiMouseButton_Left, 3)) dragged_ = true;
    if (dragged_ && ranging_) {
      const float a = std::clamp(std::min(range_from_, io.MousePos.x), plot_.x0, plot_.x1);
      const float b = std::clamp(std::max(range_from_, io.MousePos.x), plot_.x0, plot_.x1);
      list->AddRectFilled(ImVec2(a, plot_.y0), ImVec2(b, plot_.y1), theme().accent_soft);
    } else if (dragged_ && (io.MouseDelta.x != 0 || io.MouseDelta.y != 0)) {
      model.Pan(-io.MouseDelta.x / plot_.width(), -io.MouseDelta.y / row_height_);
    }
  }
  if (ImGui::IsItemDeactivated()) {
    if (dragged_ && ranging_ && std::abs(io.MousePos.x - range_from_) > 4) {
      ViewBox box = view_;
      box.x0 = XAt(std::min(range_from_, io.MousePos.x));
      box.x1 = XAt(std::max(range_from_, io.MousePos.x));
      model.SetView(box, true);
    } else if (!dragged_ && over) {
      model.Select(context.next_hover);  // nothing under the pointer: nothing selected
    }
    ranging_ = false;
  }

  ImGui::SetCursorScreenPos(gutter_.min());
  ImGui::InvisibleButton("##gutter", ImVec2(gutter_.width(), gutter_.height()));
  if (ImGui::IsItemHovered() && io.MouseWheel != 0) model.Pan(0, -io.MouseWheel * 3);
}

double TimelinePanel::GridStep(const TraceStore& store) const {
  const double unit = view_.axis == Axis::kTime && store.run().unit > 0 ? static_cast<double>(store.run().unit) : 1.0;
  const double step = NiceStep((view_.x1 - view_.x0) / unit * 96.0 / plot_.width()) * unit;
  return view_.axis == Axis::kEvent ? std::max(1.0, step) : step;
}

void TimelinePanel::DrawLanes(Context& context, ImDrawList* list) {
  const Theme& t = theme();
  const auto& blocks = context.model.timeline().blocks();
  for (size_t i = 0; i < blocks.size(); ++i) {
    const float y0 = Y(blocks[i].first_row), y1 = Y(blocks[i].first_row + blocks[i].rows);
    if (y1 < plot_.y0 || y0 > plot_.y1) continue;
    if (i % 2 == 1) list->AddRectFilled(ImVec2(plot_.x0, y0), ImVec2(plot_.x1, y1), t.stripe);
    if (y1 - y0 > 4) list->AddLine(ImVec2(plot_.x0, y1 - 0.5f), ImVec2(plot_.x1, y1 - 0.5f), t.line);
  }
  const double step = GridStep(context.model.store());
  for (double x = std::ceil(view_.x0 / step) * step; x <= view_.x1; x += step) {
    const float px = std::floor(X(x)) + 0.5f;
    list->AddLine(ImVec2(px, plot_.y0), ImVec2(px, plot_.y1), WithAlpha(t.line_strong, 0.4f));
  }
}

Box TimelinePanel::BarBox(const Bar& bar) const {
  const float y = Y(bar.row);
  const float pad = row_height_ >= kRowMarks ? 3.0f : row_height_ > 6 ? 1.0f : 0.0f;
  Box b{X(bar.x0), std::floor(y + pad), X(bar.x1), std::floor(y + row_height_ - pad)};
  b.x1 = std::max(b.x1, b.x0 + 1.5f);
  b.y1 = std::max(b.y1, b.y0 + 1);
  return b;
}

void TimelinePanel::DrawDensity(ImDrawList* list, const TimelineView& view) {
  for (const DensityCell& cell : view.density) {
    float sum = 0;
    ImVec4 mixed(0, 0, 0, 0);
    for (int p = 0; p < kPhases; ++p) {
      const float part = cell.per_phase[p];
      if (part <= 0) continue;
      const ImVec4 c = ImGui::ColorConvertU32ToFloat4(InkOf(InkOfPhase(p)));
      mixed = ImVec4(mixed.x + c.x * part, mixed.y + c.y * part, mixed.z + c.z * part, 1);
      sum += part;
    }
    if (sum <= 0.004f) continue;
    mixed = ImVec4(mixed.x / sum, mixed.y / sum, mixed.z / sum, std::min(1.0f, 0.25f + 0.75f * sum));
    list->AddRectFilled(ImVec2(X(cell.x0), Y(cell.row0)), ImVec2(X(cell.x1), Y(cell.row1)),
                        ImGui::ColorConvertFloat4ToU32(mixed));
  }
}

// What lies behind the cursor is still to come.
void TimelinePanel::DrawVeil(const Context& context, ImDrawList* list, float alpha) {
  if (context.model.transport().at_end()) return;
  const float x = std::max(X(CursorX(context.model)), plot_.x0);
  if (x >= plot_.x1) return;
  const ImU32 shade = theme().dark ? FromHex(0x000000) : FromHex(0xDDE1E8);
  list->AddRectFilled(ImVec2(x, plot_.y0), plot_.max(), WithAlpha(shade, alpha));
}

void TimelinePanel::DrawBars(Context& context, ImDrawList* list) {
  const TimelineView& view =
      context.model.timeline_view(static_cast<int>(plot_.width()), static_cast<int>(plot_.height()));
  if (!view.exact()) {
    DrawDensity(list, view);
    DrawVeil(context, list, 0.55f);
    return;
  }
  DrawVeil(context, list, 0.35f);
  for (size_t i = 0; i < view.bars.size(); ++i) {
    const Bar& bar = view.bars[i];
    // Room to the right of the bar, for its words.
    float room = plot_.x1;
    if (i + 1 < view.bars.size() && view.bars[i + 1].row == bar.row) room = X(view.bars[i + 1].x0);
    DrawBarOf(context, list, bar, room);
  }
}

void TimelinePanel::DrawBarOf(Context& context, ImDrawList* list, const Bar& bar, float room) {
  ViewerModel& model = context.model;
  const Theme& t = theme();
  const LookStyle& style = StyleOf(bar.look);
  const Box b = BarBox(bar);
  if (b.x1 < plot_.x0 || b.x0 > plot_.x1) return;
  const ImU32 ink = InkOf(style.ink);
  const bool dimmed = bar.merged == 1 && model.Dimmed(bar.call);
  if (dimmed && model.search().hide) return;
  if (!bar.future && bar.look != Look::kAbsent && model.ink_hidden[static_cast<size_t>(style.ink)]) return;
  const float strength = dimmed ? 0.22f : 1.0f;
  const bool text_fits = row_height_ >= kRowText;

  if (bar.future) {
    // A ghost: where a call will be.
    const Box ghost{b.x0, b.y0 + 1, b.x1, b.y1 - 1};
    list->AddRectFilled(ghost.min(), ghost.max(), WithAlpha(t.text, t.dark ? 0.05f : 0.04f), 2);
    if (b.width() > 4 && text_fits) list->AddRect(ghost.min(), ghost.max(), WithAlpha(t.text, 0.10f), 2);
    return;
  }
  if (bar.merged > 1) {
    list->AddRectFilled(b.min(), b.max(), WithAlpha(ink, 0.75f * strength), 1);
    if (b.width() > 36 && text_fits) {
      DrawTextFit(list, b.x0 + 5, b.mid_y(), b.width() - 8, "\xc3\x97" + Grouped(bar.merged), TextOn(ink), kSmall);
    }
    return;
  }
  context.items.Add(
      "timeline/call", bar.call,
      {std::max(b.x0, plot_.x0), std::max(b.y0, plot_.y0), std::min(b.x1, plot_.x1), std::min(b.y1, plot_.y1)});
  const bool selected = bar.call == model.selected();
  const bool hovered = bar.call == context.hover;
  if (b.width() < 3 || row_height_ < 6) {
    list->AddRectFilled(b.min(), b.max(), WithAlpha(ink, strength), 1);
    if (selected || hovered) list->AddRect(ImVec2(b.x0 - 2, b.y0 - 2), ImVec2(b.x1 + 2, b.y1 + 2), t.text, 2, 0, 1.5f);
    return;
  }

  model.timeline().Segments(bar.call, view_.axis, model.cursor(), &segments_);
  if (!model.store().call(bar.call).retried) {
    // A call that took over an attempt changes its binding while the attempt runs on: one body.
    for (size_t i = 1; i < segments_.size();) {
      if (segments_[i].phase == Phase::kRunning && segments_[i - 1].phase == Phase::kRunning && !segments_[i].early) {
        Segment& before = segments_[i - 1];
        before.to = segments_[i].to;
        before.x1 = segments_[i].x1;
        before.open = segments_[i].open;
        segments_.erase(segments_.begin() + static_cast<ptrdiff_t>(i));
      } else {
        ++i;
      }
    }
  }
  const float mid = std::floor(b.mid_y()) + 0.5f;
  const size_t none = segments_.size();
  size_t body = none;  // the segment that carries the words
  for (size_t i = 0; i < segments_.size(); ++i) {
    if (segments_[i].phase == Phase::kRunning || segments_[i].phase == Phase::kOrphaned) body = i;
  }
  float early_from = 0, early_to = -1;
  for (size_t i = 0; i < segments_.size(); ++i) {
    const Segment& s = segments_[i];
    const float x0 = X(s.x0), x1 = std::max(X(s.x1), x0 + (i == body ? 1.5f : 0.0f));
    if (s.early && (s.phase == Phase::kRunning || s.phase == Phase::kHeld)) {
      if (early_to < early_from) early_from = x0;
      early_to = x1;
    }
    if (x1 < plot_.x0 || x0 > plot_.x1 || x1 - x0 < 0.25f) continue;
    const ImU32 waiting = WithAlpha(InkOf(Ink::kWaiting), strength);
    switch (s.phase) {
      case Phase::kWaitArguments:
        DrawDashedLine(list, ImVec2(x0, mid), ImVec2(x1, mid), waiting, 1.6f, 2, 3);
        break;
      case Phase::kWaitControl:
        DrawDashedLine(list, ImVec2(x0, mid), ImVec2(x1, mid), waiting, 1.6f, 7, 4);
        break;
      case Phase::kWaitContract:
        list->AddLine(ImVec2(x0, mid - 2), ImVec2(x1, mid - 2), waiting, 1.2f);
        list->AddLine(ImVec2(x0, mid + 2), ImVec2(x1, mid + 2), waiting, 1.2f);
        break;
      case Phase::kReady:
        list->AddRectFilled(ImVec2(x0, mid - 3.5f), ImVec2(x1, mid + 3.5f), WithAlpha(InkOf(Ink::kReady), strength), 1);
        break;
      case Phase::kRunning: {
        Box part{x0, b.y0, x1, b.y1};
        if (i == body && bar.look != Look::kOrphaned) {
          DrawBar(list, part, style.terminal && style.pattern == Pattern::kOutline ? Pattern::kOutline : style.pattern,
                  ink, s.open, strength);
        } else if (i == body || (i + 1 < segments_.size() && segments_[i + 1].phase == Phase::kOrphaned)) {
          DrawBar(list, part, Pattern::kHatch, InkOf(Ink::kDispatched), false, strength);
        } else {
          DrawBar(list, part, Pattern::kThickBorder, InkOf(Ink::kFailed), false,
                  strength);  // an attempt that was retried
        }
        break;
      }
      case Phase::kOrphaned:
        DrawBar(list, {x0, b.y0, x1, b.y1}, Pattern::kDashedBorder, InkOf(Ink::kOrphaned), s.open, strength);
        break;
      case Phase::kHeld: {
        list->AddLine(ImVec2(x0, mid), ImVec2(x1, mid), WithAlpha(ink, strength), 2);
        if (!s.open && x1 - x0 > 3) list->AddCircleFilled(ImVec2(x1 - 1, mid), 2.8f, WithAlpha(ink, strength));
        break;
      }
    }
  }
  if (early_to > early_from + 2 && row_height_ >= kRowMarks) {
    // Quiet where there are many; the place at which control arrived is what matters.
    const ImU32 over = WithAlpha(t.dim, strength * 0.7f);
    const float y = b.y0 - 2;
    list->AddLine(ImVec2(std::max(early_from, plot_.x0 - 8), y + 0.5f),
                  ImVec2(std::min(early_to, plot_.x1 + 8), y + 0.5f), over, 1);
    const bool reached =
        model.store().call(bar.call).reach != 0 && model.store().call(bar.call).reach <= model.cursor();
    if (reached)
      list->AddTriangleFilled(ImVec2(early_to - 3.5f, y - 1), ImVec2(early_to + 3.5f, y - 1), ImVec2(early_to, y + 4),
                              t.dim);
  }
  if (model.show_critical_path && model.OnCriticalPath(bar.call)) {
    list->AddRectFilled(ImVec2(b.x0, b.y1), ImVec2(b.x1, b.y1 + 2), t.text);
  }
  if (selected || hovered) {
    const ImU32 edge = selected ? t.text : WithAlpha(t.text, 0.55f);
    list->AddRect(ImVec2(b.x0 - 2, b.y0 - 2), ImVec2(b.x1 + 2, b.y1 + 2), edge, 4, 0, selected ? 1.8f : 1.2f);
  }

  if (!text_fits) return;
  const std::string words = std::string(model.store().tool_name(bar.call)) + "(" +
                            std::string(model.store().text(model.store().call(bar.call).args_text)) + ")";
  constexpr float kGlyph = 10;
  if (body != none) {
    const Segment& s = segments_[body];
    const float x0 = std::max(X(s.x0), plot_.x0), x1 = std::min(std::max(X(s.x1), X(s.x0) + 1.5f), plot_.x1);
    const float inside = x1 - x0 - (s.open ? 6 : 0);
    const Pattern pattern = s.phase == Phase::kOrphaned ? Pattern::kDashedBorder : style.pattern;
    const ImU32 surface = BarSurface(pattern, InkOf(style.ink));
    if (inside >= 22) {
      const ImU32 on = WithAlpha(TextOn(surface), std::max(strength, 0.45f));
      // The glyph in the state's own colour where it stands on paper.
      const bool paper = pattern == Pattern::kOutline || pattern == Pattern::kDashedBorder;
      DrawGlyph(list, style.glyph, ImVec2(x0 + 6 + kGlyph / 2, mid), kGlyph, paper ? WithAlpha(ink, strength) : on);
      if (inside >= 48) {
        if (pattern == Pattern::kHatch && strength == 1) {
          // The strokes end before the words.
          const float w = std::min(inside - kGlyph - 16, Measure(words, kSmall)) + kGlyph + 16;
          list->AddRectFilled(ImVec2(x0, b.y0 + 1), ImVec2(x0 + w, b.y1 - 1), surface, 3, ImDrawFlags_RoundCornersLeft);
          DrawGlyph(list, style.glyph, ImVec2(x0 + 6 + kGlyph / 2, mid), kGlyph, on);
        }
        DrawTextFit(list, x0 + 6 + kGlyph + 5, b.mid_y(), inside - kGlyph - 16, words,
                    paper ? WithAlpha(t.text, strength) : on, kSmall);
        return;
      }
    }
    // Too narrow: beside the bar, if the row is free there.
    const float from = std::max(b.x1, x1) + 6;
    const float space = std::min(room - 6, plot_.x1 - 4) - from;
    if (space > 40 && inside < 48) {
      if (inside < 22) {
        DrawGlyph(list, style.glyph, ImVec2(from + kGlyph / 2, mid), kGlyph, WithAlpha(ink, strength));
        DrawTextFit(list, from + kGlyph + 5, b.mid_y(), space - kGlyph - 5, words, WithAlpha(t.dim, strength), kSmall);
      } else {
        DrawTextFit(list, from, b.mid_y(), space, words, WithAlpha(t.dim, strength), kSmall);
      }
    }
    return;
  }
  // Nothing ran: words behind the waiting line, or over it where there is no room, on paper so that they can be read.
  const float behind = std::min(b.x1, plot_.x1) + 6;
  if (const float free = std::min(room - 6, plot_.x1 - 4) - behind; free > 90) {
    DrawGlyph(list, style.glyph, ImVec2(behind + kGlyph / 2, mid), kGlyph, WithAlpha(ink, strength));
    DrawTextFit(list, behind + kGlyph + 5, b.mid_y(), free - kGlyph - 5, words, WithAlpha(t.dim, strength), kSmall);
    return;
  }
  const float x0 = std::max(b.x0, plot_.x0) + 6;
  const float space = std::min(room - 6, plot_.x1 - 4) - x0;
  if (space < 30) return;
  const std::string fitted = Fit(words, space - kGlyph - 10, kSmall);
  const float w = kGlyph + 9 + Measure(fitted, kSmall);
  list->AddRectFilled(ImVec2(x0 - 2, b.y0 + 2), ImVec2(x0 + w, b.y1 - 2), t.canvas, 2);
  DrawGlyph(list, style.glyph, ImVec2(x0 + kGlyph / 2, mid), kGlyph, WithAlpha(ink, strength));
  DrawText(list, x0 + kGlyph + 5, b.mid_y(), fitted, WithAlpha(t.dim, strength), kSmall);
}

void TimelinePanel::DrawEdge(Context& context, ImDrawList* list, CallId from, CallId to, ImU32 ink, float thickness) {
  const ViewerModel& model = context.model;
  const TraceStore& store = model.store();
  const uint32_t row_a = model.timeline().row_of(from), row_b = model.timeline().row_of(to);
  if (row_a == Timeline::kNoRow || row_b == Timeline::kNoRow) return;
  const EventNo cursor = model.cursor();
  const auto at = [&](EventNo e, EventNo otherwise) {
    return X(model.timeline().x_of(view_.axis, e != 0 && e <= cursor ? e : otherwise));
  };
  const CallInfo& a = store.call(from);
  const CallInfo& b = store.call(to);
  const ImVec2 p(at(a.settle, cursor), Y(row_a + 0.5)),
      q(at(b.dispatch, b.ready != 0 && b.ready <= cursor ? b.ready : cursor), Y(row_b + 0.5));
  if ((p.y < plot_.y0 && q.y < plot_.y0) || (p.y > plot_.y1 && q.y > plot_.y1)) return;
  const float bend = std::clamp(std::abs(q.x - p.x) * 0.5f, 14.0f, 70.0f);
  list->AddBezierCubic(p, ImVec2(p.x + bend, p.y), ImVec2(q.x - bend, q.y), ImVec2(q.x - 4, q.y), ink, thickness);
  DrawArrowHead(list, ImVec2(q.x, q.y), ImVec2(1, 0), 6 + thickness, ink);
  list->AddCircleFilled(p, thickness + 1.2f, ink);
}

void TimelinePanel::DrawRelations(Context& context, ImDrawList* list) {
  const CallId selected = context.model.selected();
  if (selected == 0) return;
  const Inspection& inspection = context.model.inspection();
  if (!inspection.arrived) return;
  const ImU32 ink = theme().text;
  constexpr size_t kMost = 60;  // the inspector says how many there are
  const auto fan = [&](const Relatives& relatives, bool incoming, float thickness, float alpha) {
    for (size_t i = 0; i < std::min(kMost, relatives.calls.size()); ++i) {
      const CallId other = relatives.calls[i];
      if (incoming) {
        DrawEdge(context, list, other, selected, WithAlpha(ink, alpha), thickness);
      } else {
        DrawEdge(context, list, selected, other, WithAlpha(ink, alpha), thickness);
      }
    }
  };
  // Transitive ones: thin, between the calls that really depend on one another.
  const auto chain = [&](const Relatives& relatives) {
    for (size_t i = 0; i < std::min(kMost, relatives.calls.size()); ++i) {
      const CallId call = relatives.calls[i];
      for (CallId dep : context.model.store().deps(call)) {
        if (dep != selected) DrawEdge(context, list, dep, call, WithAlpha(ink, 0.3f), 1);
      }
    }
  };
  chain(inspection.relation.all_deps);
  chain(inspection.relation.direct_deps);
  chain(inspection.relation.all_dependents);
  fan(inspection.relation.direct_deps, true, 2, 0.85f);
  fan(inspection.relation.direct_dependents, false, 2, 0.85f);
}

void TimelinePanel::DrawCriticalPath(Context& context, ImDrawList* list) {
  const std::vector<CallId>& path = context.model.critical_path();
  for (size_t i = 1; i < path.size(); ++i) DrawEdge(context, list, path[i - 1], path[i], theme().text, 1.6f);
}

std::string TimelinePanel::Flag(const Context& context, float* x0, float* x1) const {
  const ViewerModel& model = context.model;
  const float x = X(CursorX(model));
  const std::string words = view_.axis == Axis::kTime ? FormatDuration(model.store(), model.transport().play_time())
                                                      : Grouped(model.cursor());
  *x0 = *x1 = -1e6f;
  if (x < plot_.x0 - 1 || x > plot_.x1 + 1) return words;
  const float w = Measure(words, kSmall) + 10;
  *x0 = std::floor(std::clamp(x - w / 2, plot_.x0, std::max(plot_.x0, plot_.x1 - w)));
  *x1 = *x0 + w;
  return words;
}

void TimelinePanel::DrawCursor(Context& context, ImDrawList* list) {
  const ViewerModel& model = context.model;
  const Theme& t = theme();
  const float x = X(CursorX(model));
  if (x < plot_.x0 - 1 || x > plot_.x1 + 1) return;
  const float snapped = std::floor(std::clamp(x, plot_.x0 + 1, plot_.x1 - 1));
  list->AddRectFilled(ImVec2(snapped - 0.75f, head_.y1 - 6), ImVec2(snapped + 0.75f, plot_.y1), t.accent);
  // Its flag in the ruler.
  float left = 0, right = 0;
  const std::string words = Flag(context, &left, &right);
  list->AddRectFilled(ImVec2(left, head_.y0 + 5), ImVec2(right, head_.y1 - 6), t.accent, 3);
  DrawText(list, left + 5, (head_.y0 + head_.y1 - 1) / 2, words, TextOn(t.accent), kSmall);
  context.items.Add("timeline/cursor", {snapped - 3, head_.y0, snapped + 3, plot_.y1});
}

void TimelinePanel::DrawRuler(Context& context, ImDrawList* list) {
  const Theme& t = theme();
  const TraceStore& store = context.model.store();
  list->AddRectFilled(head_.min(), head_.max(), t.chrome);
  list->AddLine(ImVec2(head_.x0, head_.y1 - 0.5f), ImVec2(head_.x1, head_.y1 - 0.5f), t.line);
  const double step = GridStep(store);
  list->PushClipRect(ImVec2(plot_.x0, head_.y0), plot_.max(), true);
  float flag_x0 = 0, flag_x1 = 0;
  Flag(context, &flag_x0, &flag_x1);
  for (double x = std::ceil(view_.x0 / step) * step; x <= view_.x1; x += step) {
    const float px = std::floor(X(x)) + 0.5f;
    list->AddLine(ImVec2(px, head_.y1 - 6), ImVec2(px, head_.y1), t.line_strong);
    const std::string words = view_.axis == Axis::kTime ? FormatDuration(store, static_cast<TimeNs>(std::llround(x)))
                                                        : Grouped(static_cast<uint64_t>(std::llround(x)));
    const float w = Measure(words, kSmall);
    const bool under_flag = px + 4 + w > flag_x0 - 4 && px + 4 < flag_x1 + 4;
    if (px + 4 + w < plot_.x1 && !under_flag) DrawText(list, px + 4, head_.mid_y() - 2, words, t.faint, kSmall);
  }
  list->PopClipRect();

  // The corner: which axis.
  static constexpr std::string_view kAxes[] = {"time", "event"};
  static constexpr std::string_view kTips[] = {"Place by time",
                                               "Place by event number: every event gets the same room"};
  const Box corner{head_.x0 + kPad, head_.y0 + 4, head_.x0 + kPad + SegmentedWidth(kAxes), head_.y1 - 4};
  const int chosen = Segmented(context, "timeline/axis", corner, kAxes, static_cast<int>(view_.axis), kTips);
  if (chosen >= 0) context.model.SetAxis(static_cast<Axis>(chosen));
  const uint32_t total = store.calls();
  const std::string calls = Grouped(total) + (total == 1 ? " call" : " calls");
  if (plot_.x0 - corner.x1 > Measure(calls, kSmall) + 16) {
    DrawTextRight(list, plot_.x0 - 8, head_.mid_y(), calls, t.faint, kSmall);
  }
}

void TimelinePanel::DrawGutter(Context& context, ImDrawList* list) {
  const Theme& t = theme();
  const ViewerModel& model = context.model;
  const TraceStore& store = model.store();
  list->AddLine(ImVec2(gutter_.x1 - 0.5f, gutter_.y0), ImVec2(gutter_.x1 - 0.5f, gutter_.y1), t.line);
  list->PushClipRect(gutter_.min(), gutter_.max(), true);
  const SiteId selected_site = model.selected() != 0 ? store.call(model.selected()).site : 0;
  float free_from = gutter_.y0;
  const auto& blocks = model.timeline().blocks();
  for (size_t i = 0; i < blocks.size(); ++i) {
    const LaneBlock& block = blocks[i];
    const float y0 = Y(block.first_row), y1 = Y(block.first_row + block.rows);
    if (y1 < gutter_.y0 || y0 > gutter_.y1) continue;
    const Box lane{gutter_.x0, std::max(y0, gutter_.y0), gutter_.x1, std::min(y1, gutter_.y1)};
    if (i % 2 == 1) list->AddRectFilled(lane.min(), ImVec2(lane.x1 - 1, lane.y1), t.stripe);
    if (block.site == selected_site && selected_site != 0) {
      list->AddRectFilled(lane.min(), ImVec2(lane.x0 + 3, lane.y1), t.accent);
    }
    if (y1 - y0 > 4) list->AddLine(ImVec2(gutter_.x0, y1 - 0.5f), ImVec2(gutter_.x1, y1 - 0.5f), t.line);
    const float tall = lane.height();
    if (lane.y0 < free_from - 1 || tall < 11) continue;
    const SiteInfo& site = store.site(block.site);
    const float mid = std::floor(lane.y0 + std::min(tall, std::max(22.0f, row_height_)) / 2);
    constexpr float kNumber = 34;
    if (site.line > 0) DrawTextRight(list, lane.x0 + kNumber, mid, std::to_string(site.line), t.faint, kCodeSmall);
    const std::string count = site.calls > 1 ? "\xc3\x97" + Grouped(site.calls) : std::string();
    const float count_width = count.empty() ? 0 : Measure(count, kSmall) + 6;
    std::string tool(store.text(store.tool(site.tool).name));
    if (block.continued) tool += " (more)";
    DrawTextFit(list, lane.x0 + kNumber + 8, mid, lane.x1 - lane.x0 - kNumber - 16 - count_width, tool, t.text, kBody);
    if (!count.empty()) DrawTextRight(list, lane.x1 - 8, mid, count, t.faint, kSmall);
    free_from = mid + 8;
    const std::string_view function = store.text(site.function);
    if (tall > 40 && !function.empty()) {
      DrawTextFit(list, lane.x0 + kNumber + 8, mid + 16, lane.x1 - lane.x0 - kNumber - 14,
                  "in " + std::string(function), t.faint, kSmall);
      free_from = mid + 24;
    }
  }
  list->PopClipRect();
}

void TimelinePanel::DrawScroll(Context& context, ImDrawList* list) {
  const double visible = plot_.height() / row_height_;
  if (visible >= rows_ - 0.01) return;
  const Theme& t = theme();
  const Box track{plot_.x1 + 1, plot_.y0, box_.x1 - 1, plot_.y1};
  const float size = std::max(24.0f, static_cast<float>(track.height() * visible / rows_));
  const double most = rows_ - visible;
  const float at = track.y0 + (track.height() - size) * static_cast<float>(std::clamp(view_.row0 / most, 0.0, 1.0));
  ImGui::SetCursorScreenPos(track.min());
  ImGui::InvisibleButton("##rows", ImVec2(track.width(), track.height()));
  const bool active = ImGui::IsItemActive();
  list->AddRectFilled(ImVec2(track.x0 + 1, at), ImVec2(track.x1 - 1, at + size),
                      active || ImGui::IsItemHovered() ? t.faint : t.line_strong, 3);
  if (active) {
    const float free = std::max(1.0f, track.height() - size);
    const double to =
        std::clamp(static_cast<double>((ImGui::GetIO().MousePos.y - track.y0 - size / 2) / free), 0.0, 1.0) * most;
    ViewBox moved = view_;
    moved.row1 = to + (view_.row1 - view_.row0);
    moved.row0 = to;
    context.model.SetView(moved, false);
  }
}

}  // namespace

std::unique_ptr<Panel> MakeTimelinePanel() { return std::make_unique<TimelinePanel>(); }

}  // namespace pysolate::viz
