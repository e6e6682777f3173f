// The tooltip of a call: what it is, how it is, why.
#ifndef PYSOLATE_VIZ_UI_CALL_TIP_H_
#define PYSOLATE_VIZ_UI_CALL_TIP_H_

#include <string>
#include <vector>

#include "ui/panel.h"

namespace pysolate::viz {

// Keeps the words of the call last shown: they are worked out once a call and cursor.
class CallTip {
 public:
  void Show(const Context& context, CallId call);

 private:
  CallId call_ = 0;
  EventNo cursor_ = 0;
  uint64_t revision_ = 0;
  Inspection words_;
};

}  // namespace pysolate::viz

#endif  // PYSOLATE_VIZ_UI_CALL_TIP_H_
