// One call: what it is, how it is and why, what it took and gave, whom it needs, and how it came to all that.
#include <algorithm>
#include <cmath>

#include "ui/widgets.h"

namespace pysolate::viz {
namespace {

// A column of text that flows down; measured in the last frame to know how tall the content is.
class InspectorPanel final : public Panel {
 public:
  std::string_view title() const override { return "Inspector"; }
  std::string_view name() const override { return "inspector"; }
  void Draw(Context& context, const Box& box) override;

 private:
  void Head(Context& context, const Inspection& in);
  void Questions(Context& context, const Inspection& in);
  void Texts(Context& context, const Inspection& in);
  void Relatives_(Context& context, const char* word, const Relatives& direct, const Relatives& all);
  void Transitions(Context& context, const Inspection& in);
  void Title(std::string_view word);
  void Paragraph(std::string_view text, ImU32 ink, Ink2 type, int lines = 1000);

  ScrollArea* area_ = nullptr;
  float x0_ = 0, x1_ = 0, y_ = 0;
  float height_ = 400;
};

void InspectorPanel::Title(std::string_view word) {
  y_ += 10;
  DrawText(area_->list, x0_, y_ + 8, word, theme().faint, {Face::kStrong, kSmallSize});
  y_ += 20;
}

void InspectorPanel::Paragraph(std::string_view text, ImU32 ink, Ink2 type, int lines) {
  y_ += DrawTextWrapped(area_->list, x0_, y_, x1_ - x0_, text, ink, type, true, lines);
}

void InspectorPanel::Head(Context& context, const Inspection& in) {
  const Theme& t = theme();
  const LookStyle& style = StyleOf(in.look);
  ViewerModel& model = context.model;
  // Back and forward through what was selected.
  const Selection& selection = model.selection();
  const float button = 24;
  const Box back{x1_ - 2 * button - 2, y_, x1_ - button - 2, y_ + button}, forward{x1_ - button, y_, x1_, y_ + button};
  if (Button(context, "inspector/back", back,
             {Icon::kChevronLeft, {}, "Selected before", {}, selection.CanGoBack(), false, true})) {
    model.selection().Back();
  }
  if (Button(context, "inspector/forward", forward,
             {Icon::kChevronRight, {}, "Selected after", {}, selection.CanGoForward(), false, true})) {
    model.selection().Forward();
  }
  y_ += 3;
  const float text_width = back.x0 - 6 - x0_;
  y_ += DrawTextWrapped(area_->list, x0_, y_, text_width, in.title, t.text, kTitle, true, 2);
  y_ += 3;
  if (!in.place.empty()) Paragraph(in.place, t.dim, kCodeSmall, 2);
  if (!in.scopes.empty()) Paragraph(in.scopes, t.faint, kSmall, 2);
  y_ += 5;
  // The state, as large as it is important.
  const ImU32 ink = InkOf(style.ink);
  const std::string word = in.arrived ? std::string(style.word) : std::string("not made yet");
  const float w = 26 + Measure(word, kHead) + 12;
  const Box pill{x0_, y_, x0_ + w, y_ + 24};
  area_->list->AddRectFilled(pill.min(), pill.max(), WithAlpha(ink, t.dark ? 0.18f : 0.12f), 12);
  area_->list->AddRect(pill.min(), pill.max(), WithAlpha(ink, 0.8f), 12);
  if (in.arrived) DrawGlyph(area_->list, style.glyph, ImVec2(pill.x0 + 15, std::floor(pill.mid_y())), 12, ink);
  DrawText(area_->list, pill.x0 + (in.arrived ? 27 : 12), pill.mid_y(), word, t.text, kHead);
  float x = pill.x1 + 8;
  const CallInfo& call = model.store().call(in.call);
  const auto tag = [&](bool on, std::string_view text) {
    if (on && x + Measure(text, kSmall) + 12 < x1_) x = DrawTag(area_->list, x, pill.mid_y(), text, t.dim) + 5;
  };
  tag(call.early, "early");
  tag(call.guess, "guess");
  tag(call.promote != 0 && call.promote <= model.cursor(), "promoted");
  tag(call.joined, "shared");
  tag(call.retried, "retried");
  y_ = pill.y1 + 8;
  for (size_t i = 1; i < in.explain.size(); ++i) Paragraph(in.explain[i], t.text, kBody);
}

// The four questions asked of an undispatched call.
void InspectorPanel::Questions(Context& context, const Inspection& in) {
  if (!in.arrived || (in.look != Look::kWaiting && in.look != Look::kReady)) return;
  const Theme& t = theme();
  Title("GATES");
  for (const GateAnswer& answer : FourQuestions(context.model.store(), in.call, context.model.cursor())) {
    const float mid = std::floor(y_ + 10);
    if (answer.open) {
      DrawGlyph(area_->list, Glyph::kTickHollow, ImVec2(x0_ + 6, mid), 12, InkOf(Ink::kSucceeded));
    } else {
      DrawGlyph(area_->list, Glyph::kCrossHollow, ImVec2(x0_ + 6, mid), 12, InkOf(Ink::kReady));
    }
    DrawText(area_->list, x0_ + 20, mid, Name(answer.gate), answer.open ? t.dim : t.text, answer.open ? kBody : kHead);
    const float words = x0_ + 112;
    const float used = DrawTextWrapped(area_->list, words, y_ + 1, x1_ - words, answer.words,
                                       answer.open ? t.faint : t.text, kBody, true, 3);
    y_ += std::max(20.0f, used + 2);
  }
}

void InspectorPanel::Texts(Context&, const Inspection& in) {
  const Theme& t = theme();
  const auto card = [&](std::string_view text, ImU32 edge) {
    constexpr float kInner = 8;
    const float h = DrawTextWrapped(area_->list, 0, 0, x1_ - x0_ - 2 * kInner, text, 0, kCode, false, 12);
    const Box box{x0_, y_, x1_, y_ + h + 10};
    area_->list->AddRectFilled(box.min(), box.max(), t.dark ? t.chrome : t.chrome, 4);
    if (edge != 0) area_->list->AddRectFilled(box.min(), ImVec2(box.x0 + 3, box.y1), edge, 2);
    DrawTextWrapped(area_->list, x0_ + kInner, y_ + 5, x1_ - x0_ - 2 * kInner, text, t.text, kCode, true, 12);
    y_ = box.y1;
  };
  if (!in.arguments.empty()) {
    Title("ARGUMENTS");
    card(in.arguments, 0);
  }
  if (!in.outcome.empty()) {
    Title(in.outcome_is_error ? "ERROR" : "RESULT");
    card(in.outcome, InkOf(in.outcome_is_error ? Ink::kFailed : Ink::kSucceeded));
  }
  if (!in.fields.empty()) {
    Title("FACTS");
    float names = 40;
    for (const Field& field : in.fields) names = std::max(names, Measure(field.name, kBody));
    names = std::min(names, (x1_ - x0_) * 0.4f);
    for (const Field& field : in.fields) {
      DrawTextFit(area_->list, x0_, y_ + 9, names, field.name, t.dim, kBody);
      const float x = x0_ + names + 14;
      y_ += std::max(19.0f, DrawTextWrapped(area_->list, x, y_, x1_ - x, field.value, t.text, kBody, true, 3));
    }
  }
}

void InspectorPanel::Relatives_(Context& context, const char* word, const Relatives& direct, const Relatives& all) {
  if (direct.total == 0) return;
  const Theme& t = theme();
  const TraceStore& store = context.model.store();
  Title(word);
  constexpr size_t kMost = 8;
  for (size_t i = 0; i < std::min(kMost, direct.calls.size()); ++i) {
    const CallId call = direct.calls[i];
    const Box row{x0_ - 6, y_, x1_ + 6, y_ + kRow};
    if (RowGround(context, *area_, row, call, false)) context.Select(call);
    const float mid = std::floor(row.mid_y());
    DrawGlyph(area_->list, store.LookAt(call, context.model.cursor()), ImVec2(x0_ + 6, mid), 11);
    const std::string line = "line " + std::to_string(store.line_of(call));
    const float line_width = Measure(line, kSmall) + 8;
    DrawTextFit(area_->list, x0_ + 20, mid, x1_ - x0_ - 20 - line_width, CallWords(store, call), t.text, kBody);
    DrawTextRight(area_->list, x1_, mid, line, t.faint, kSmall);
    context.items.Add(std::string("inspector/") + (word[0] == 'N' ? "needs" : "needed by"), call, row);
    y_ += kRow;
  }
  std::string more;
  if (direct.total > kMost) more = Grouped(kMost) + " of " + Grouped(direct.total) + " shown";
  if (all.total > 0) {
    if (!more.empty()) more += ", ";
    more += "and " + std::string(all.total_is_floor ? "more than " : "") + Grouped(all.total) + " indirectly";
  }
  if (!more.empty()) Paragraph(more, t.faint, kSmall, 1);
}

void InspectorPanel::Transitions(Context& context, const Inspection& in) {
  if (in.transitions.empty()) return;
  const Theme& t = theme();
  ViewerModel& model = context.model;
  Title("WHAT HAPPENED");
  const float time_width = 78;
  const EventNo cursor = model.cursor();
  for (const Transition& step : in.transitions) {
    const float words_width = x1_ - x0_ - time_width - 22;
    const float reason =
        step.reason.empty() ? 0 : DrawTextWrapped(area_->list, 0, 0, words_width, step.reason, 0, kSmall, false, 2);
    const float h = 20 + reason;
    const Box row{x0_ - 6, y_, x1_ + 6, y_ + h};
    context.items.Add("inspector/event", step.event, row);
    if (RowGround(context, *area_, row, 0, step.event == cursor)) model.transport().GoTo(step.event);
    const float mid = std::floor(y_ + 10);
    const float strength = step.past ? 1.0f : 0.45f;
    // A thread of glyphs.
    if (&step != &in.transitions.back()) {
      area_->list->AddLine(ImVec2(x0_ + 6, mid + 8), ImVec2(x0_ + 6, y_ + h + 4), t.line_strong, 1);
    }
    DrawGlyph(area_->list, StyleOf(step.look).glyph, ImVec2(x0_ + 6, mid), 10, WithAlpha(InkOf(step.look), strength));
    DrawTextFit(area_->list, x0_ + 20, mid, words_width, step.what, WithAlpha(t.text, strength), kBody);
    if (reason > 0) {
      DrawTextWrapped(area_->list, x0_ + 20, y_ + 19, words_width, step.reason, WithAlpha(t.dim, strength), kSmall,
                      true, 2);
    }
    DrawTextRight(area_->list, x1_, mid, FormatDuration(model.store(), step.time), WithAlpha(t.faint, strength),
                  kSmall);
    y_ += h;
  }
}

void InspectorPanel::Draw(Context& context, const Box& box) {
  const Inspection& in = context.model.inspection();
  if (in.call == 0) {
    DrawEmpty(ImGui::GetWindowDrawList(), box, "No call is selected",
              "Click a bar, a node or a row to see what became of it and why.");
    return;
  }
  ScrollArea area("inspection", box, height_);
  area_ = &area;
  x0_ = area.view.x0 + 12;
  x1_ = area.view.x1 - 12;
  y_ = area.origin_y + 8;
  Head(context, in);
  Questions(context, in);
  Texts(context, in);
  Relatives_(context, "NEEDS", in.relation.direct_deps, in.relation.all_deps);
  Relatives_(context, "IS NEEDED BY", in.relation.direct_dependents, in.relation.all_dependents);
  Transitions(context, in);
  height_ = y_ - area.origin_y + 12;
  area_ = nullptr;
}

}  // namespace

std::unique_ptr<Panel> MakeInspectorPanel() { return std::make_unique<InspectorPanel>(); }

}  // namespace pysolate::viz
