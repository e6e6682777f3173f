#include "ui/call_tip.h"

#include <algorithm>
#include <cmath>

#include "ui/widgets.h"

namespace pysolate::viz {

void CallTip::Show(const Context& context, CallId call) {
  const ViewerModel& model = context.model;
  if (call_ != call || cursor_ != model.cursor() || revision_ != model.document().revision()) {
    call_ = call;
    cursor_ = model.cursor();
    revision_ = model.document().revision();
    words_ = Inspect(model.store(), call, cursor_);
  }
  const LookStyle& style = StyleOf(words_.look);
  ShowTooltipBox([&](ImDrawList* list, float x, float y) {
    constexpr float kWidth = 340;
    const Theme& t = theme();
    float width = 0, at = y;
    const auto line = [&](std::string_view text, ImU32 ink, Ink2 type, int lines) {
      if (text.empty()) return;
      const float w = std::min(kWidth, std::ceil(Measure(text, type)) + 1);
      at += DrawTextWrapped(list, x, at, w, text, ink, type, list != nullptr, lines);
      width = std::max(width, w);
    };
    line(words_.title, t.text, kHead, 2);
    at += 2;
    const float glyph = 16;
    if (list != nullptr) DrawGlyph(list, style.glyph, ImVec2(x + 6, at + 9), 11, InkOf(style.ink));
    const std::string state = words_.arrived ? std::string(style.word) : std::string("not yet made at the cursor");
    if (list != nullptr) DrawText(list, x + glyph, at + 9, state, t.text, kBody);
    width = std::max(width, glyph + Measure(state, kBody));
    at += 20;
    line(words_.place, t.dim, kSmall, 1);
    for (size_t i = 1; i < std::min<size_t>(3, words_.explain.size()); ++i) line(words_.explain[i], t.dim, kSmall, 2);
    if (!words_.outcome.empty()) {
      at += 2;
      line(words_.outcome, words_.outcome_is_error ? t.text : t.text, kCodeSmall, 3);
    }
    return ImVec2(width, at - y);
  });
}

}  // namespace pysolate::viz
