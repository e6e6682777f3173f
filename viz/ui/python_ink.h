// Colours for Python source, a line at a time: keywords, strings, numbers, comments. For reading only: it knows tokens,
// not grammar.
#ifndef PYSOLATE_VIZ_UI_PYTHON_INK_H_
#define PYSOLATE_VIZ_UI_PYTHON_INK_H_

#include <string_view>

#include "imgui.h"

namespace pysolate::viz {

class PythonInk {
 public:
  explicit PythonInk(bool dark);
  // Takes note of a line that is not drawn (a string may begin in it).
  void Skip(std::string_view line) { Walk(nullptr, 0, 0, line); }
  void Draw(ImDrawList* list, float x, float mid_y, std::string_view line) { Walk(list, x, mid_y, line); }

 private:
  void Walk(ImDrawList* list, float x, float mid_y, std::string_view line);
  ImU32 plain_, keyword_, string_, number_, comment_, call_;
  char triple_ = 0;  // the quote of an open triple-quoted string
};

}  // namespace pysolate::viz

#endif  // PYSOLATE_VIZ_UI_PYTHON_INK_H_
