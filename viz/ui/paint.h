// Small drawing helpers on an ImDrawList: text that never leaves its box, state glyphs, bars with patterns, icons.
//
// All coordinates are logical pixels. Nothing here keeps state. Thread rule: the thread that draws.
#ifndef PYSOLATE_VIZ_UI_PAINT_H_
#define PYSOLATE_VIZ_UI_PAINT_H_

#include <string>
#include <string_view>

#include "imgui.h"
#include "model/state.h"
#include "ui/theme.h"

namespace pysolate::viz {

struct Box {
  float x0 = 0, y0 = 0, x1 = 0, y1 = 0;
  float width() const { return x1 - x0; }
  float height() const { return y1 - y0; }
  float mid_x() const { return (x0 + x1) / 2; }
  float mid_y() const { return (y0 + y1) / 2; }
  ImVec2 min() const { return ImVec2(x0, y0); }
  ImVec2 max() const { return ImVec2(x1, y1); }
  bool Contains(ImVec2 p) const { return p.x >= x0 && p.x < x1 && p.y >= y0 && p.y < y1; }
  Box Shrunk(float by) const { return {x0 + by, y0 + by, x1 - by, y1 - by}; }
};

enum class Face : uint8_t { kText, kStrong, kMono };
struct Ink2 {
  Face face = Face::kText;
  float size = kTextSize;
};
inline constexpr Ink2 kBody{Face::kText, kTextSize}, kSmall{Face::kText, kSmallSize}, kHead{Face::kStrong, kTextSize},
    kTitle{Face::kStrong, kTitleSize}, kCode{Face::kMono, kMonoSize}, kCodeSmall{Face::kMono, kSmallSize};

// Width of the text on one line.
float Measure(std::string_view text, Ink2 type);
float LineHeight(Ink2 type);

// One line, its left edge at x, centred on y. Newlines and tabs are drawn as a space. Returns the right edge.
float DrawText(ImDrawList* list, float x, float mid_y, std::string_view text, ImU32 colour, Ink2 type = kBody);
// The same within a width; what does not fit ends in an ellipsis. Draws nothing if not even that fits.
float DrawTextFit(ImDrawList* list, float x, float mid_y, float width, std::string_view text, ImU32 colour,
                  Ink2 type = kBody);
// Right edge at x.
void DrawTextRight(ImDrawList* list, float x, float mid_y, std::string_view text, ImU32 colour, Ink2 type = kBody);
void DrawTextCentred(ImDrawList* list, float x, float mid_y, std::string_view text, ImU32 colour, Ink2 type = kBody);
// Breaks at spaces (and inside words that are too long). Returns the height used. `draw` false: only measures.
float DrawTextWrapped(ImDrawList* list, float x, float y, float width, std::string_view text, ImU32 colour, Ink2 type,
                      bool draw = true, int max_lines = 1000);
// The text as it is drawn in `width`: with an ellipsis where it is too long.
std::string Fit(std::string_view text, float width, Ink2 type);

// A state's glyph, centred, about `size` high.
void DrawGlyph(ImDrawList* list, Glyph glyph, ImVec2 centre, float size, ImU32 colour);
inline void DrawGlyph(ImDrawList* list, Look look, ImVec2 centre, float size) {
  DrawGlyph(list, StyleOf(look).glyph, centre, size, InkOf(look));
}

// Diagonal strokes over a box (clipped to it).
void DrawHatch(ImDrawList* list, const Box& box, ImU32 colour, float step = 6);
void DrawDashedLine(ImDrawList* list, ImVec2 from, ImVec2 to, ImU32 colour, float thickness, float dash = 4,
                    float gap = 3);
void DrawDashedBox(ImDrawList* list, const Box& box, ImU32 colour, float thickness);
// The body of a bar in a pattern. `open_right`: no right edge. `strength` 0..1 fades it.
void DrawBar(ImDrawList* list, const Box& box, Pattern pattern, ImU32 colour, bool open_right, float strength = 1);
// Colour on which text inside such a bar stands.
ImU32 BarSurface(Pattern pattern, ImU32 colour);
void DrawArrowHead(ImDrawList* list, ImVec2 tip, ImVec2 direction, float size, ImU32 colour);

// Texts drawn from now on are also appended to *tap, a line each (nullptr: no more).
void SetTextTap(std::string* tap);

enum class Icon : uint8_t {
  kNone,
  kPlay,
  kPause,
  kStep,
  kStepBack,
  kStart,
  kEnd,
  kSearch,
  kFollow,
  kFit,
  kHelp,
  kSun,
  kMoon,
  kBreak,
  kClose,
  kChevronDown,
  kChevronUp,
  kChevronLeft,
  kChevronRight,
  kLayout,
  kCommands,
  kExport,
  kWarning,
  kFold,
};
void DrawIcon(ImDrawList* list, Icon icon, ImVec2 centre, float size, ImU32 colour);

}  // namespace pysolate::viz

#endif  // PYSOLATE_VIZ_UI_PAINT_H_
