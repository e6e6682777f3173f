// The controls of the viewer: buttons with icons and words, tabs, splitters, scrolling lists, tooltips.
//
// Coordinates are given, not flowed: a control is drawn where the layout wants it. Thread rule: the thread that draws.
#ifndef PYSOLATE_VIZ_UI_WIDGETS_H_
#define PYSOLATE_VIZ_UI_WIDGETS_H_

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "ui/panel.h"

namespace pysolate::viz {

struct ButtonLook {
  Icon icon = Icon::kNone;
  std::string_view label = {};    // may be empty; then the tooltip names it
  std::string_view tooltip = {};  // a sentence
  std::string_view key = {};      // shown in the tooltip
  bool enabled = true;
  bool active = false;  // switched on
  bool quiet = false;   // no surface unless under the pointer
};
// Width that the button would like.
float ButtonWidth(const ButtonLook& look);
// True when clicked. `name` is its item name and its identity.
bool Button(Context& context, std::string_view name, const Box& box, const ButtonLook& look);

// A tooltip near the pointer in the viewer's own style, for the thing just drawn. Sentence, and a dim key.
void ShowTooltip(std::string_view text, std::string_view key = {});
// A tooltip of several lines drawn by `body(list, x, y)`; it measures with list == nullptr first and returns its size.
void ShowTooltipBox(const std::function<ImVec2(ImDrawList*, float x, float y)>& body);

// One of several words in a row, joined. Returns the index clicked, or -1.
int Segmented(Context& context, std::string_view name, const Box& box, std::span<const std::string_view> words,
              int active, std::span<const std::string_view> tooltips = {});
float SegmentedWidth(std::span<const std::string_view> words);

// A thin handle between two panels. Moves *position (an x or a y) while dragged; true if it moved.
bool Splitter(Context& context, std::string_view name, const Box& box, bool vertical, float* position);

// A child window that scrolls vertically over `content_height`. Calls body(inner box of the content, first visible y).
// The content's top left is (box.x0, box.y0 - scroll).
struct ScrollArea {
  ScrollArea(std::string_view id, const Box& box, float content_height);
  ~ScrollArea();
  ScrollArea(const ScrollArea&) = delete;
  ScrollArea& operator=(const ScrollArea&) = delete;
  ImDrawList* list;
  Box view;        // what can be seen, without the scroll bar
  float origin_y;  // y of the content's top
  bool hovered;    // the pointer is over it
  // Scrolls so that [y, y + height) of the content can be seen.
  void Reveal(float y, float height);
};

// True if the box was clicked (left button) in this frame and belongs to the current window's hovered area.
bool Clicked(const Box& box);
bool DoubleClicked(const Box& box);
bool PointerIn(const Box& box);

// The ground of a list's row: marks selection and pointer, in this panel and where others point at the same call. True
// if the row was clicked. `call` 0: a row without one.
bool RowGround(Context& context, const ScrollArea& area, const Box& row, CallId call, bool selected);

// "1,234,567".
std::string Grouped(uint64_t n);
// Table head: dim words over a quiet line.
void DrawHeadCell(ImDrawList* list, float x, float mid_y, float width, std::string_view text, bool right = false);
// A small rounded word. Returns its right edge.
float DrawTag(ImDrawList* list, float x, float mid_y, std::string_view word, ImU32 ink);
// "fetch('x')": what a call is called in lists.
std::string CallWords(const TraceStore& store, CallId call);
// What a panel shows when there is nothing to show.
void DrawEmpty(ImDrawList* list, const Box& box, std::string_view title, std::string_view hint);

}  // namespace pysolate::viz

#endif  // PYSOLATE_VIZ_UI_WIDGETS_H_
