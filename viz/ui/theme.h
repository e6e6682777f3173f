// Colours, typefaces and sizes of the viewer, in logical pixels.
//
// Thread rule: the thread that draws. The theme is one per process: a page has one viewer module an element.
#ifndef PYSOLATE_VIZ_UI_THEME_H_
#define PYSOLATE_VIZ_UI_THEME_H_

#include "imgui.h"
#include "model/state.h"

namespace pysolate::viz {

struct Fonts {
  ImFont* text = nullptr;
  ImFont* strong = nullptr;
  ImFont* mono = nullptr;
};

inline constexpr float kTextSize = 13.0f;
inline constexpr float kSmallSize = 11.0f;
inline constexpr float kTitleSize = 15.0f;
inline constexpr float kMonoSize = 12.0f;
inline constexpr float kPad = 8.0f;       // between things
inline constexpr float kRow = 22.0f;      // height of a table row
inline constexpr float kBar = 18.0f;      // height of a call's bar
inline constexpr float kControl = 28.0f;  // height of a button
inline constexpr float kRounding = 4.0f;

struct Theme {
  bool dark = true;
  ImU32 canvas;       // under pictures and tables
  ImU32 chrome;       // bars around them
  ImU32 raised;       // buttons, fields, cards
  ImU32 hover;        // the same under the pointer
  ImU32 line;         // quiet separators
  ImU32 line_strong;  // edges of fields, axis
  ImU32 text, dim, faint;
  ImU32 accent;       // the cursor and what is switched on; no state has this colour
  ImU32 accent_soft;  // its wash
  ImU32 stripe;       // every other lane
  ImU32 shadow;
};

const Theme& theme();
const Fonts& fonts();
void SetFonts(const Fonts& fonts);
// Switches colours, and Dear ImGui's style with them.
void ApplyTheme(bool dark);

ImU32 InkOf(Ink ink);
inline ImU32 InkOf(Look look) { return InkOf(StyleOf(look).ink); }
// Text that can be read on a surface of this colour.
ImU32 TextOn(ImU32 surface);
ImU32 WithAlpha(ImU32 colour, float alpha);
// t = 0: a, t = 1: b.
ImU32 Mix(ImU32 a, ImU32 b, float t);
constexpr ImU32 FromHex(uint32_t rgb) { return IM_COL32((rgb >> 16) & 255, (rgb >> 8) & 255, rgb & 255, 255); }

}  // namespace pysolate::viz

#endif  // PYSOLATE_VIZ_UI_THEME_H_
