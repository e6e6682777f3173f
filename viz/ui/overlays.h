// What lies over the panels for a moment: help, command palette, breakpoints.
#ifndef PYSOLATE_VIZ_UI_OVERLAYS_H_
#define PYSOLATE_VIZ_UI_OVERLAYS_H_

#include <string>

#include "ui/panel.h"

namespace pysolate::viz {

class Overlays {
 public:
  enum class Which : uint8_t { kNone, kHelp, kPalette, kBreakpoints };

  void Show(Which which);
  void Close() { which_ = Which::kNone; }
  Which which() const { return which_; }
  bool open() const { return which_ != Which::kNone; }
  // Draws the open one over the whole window. Commands chosen are left in context.command.
  void Draw(Context& context, const Box& screen);

 private:
  void DrawHelp(Context& context, const Box& box);
  void DrawPalette(Context& context, const Box& box);
  void DrawBreakpoints(Context& context, const Box& box);

  Which which_ = Which::kNone;
  bool opened_ = false;  // in this frame
  char text_[128] = {};
  int chosen_ = 0;
  std::string problem_;
};

}  // namespace pysolate::viz

#endif  // PYSOLATE_VIZ_UI_OVERLAYS_H_
