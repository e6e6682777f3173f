// A small language that acts on the viewer as a person would, by the names of what is on the screen. The same script
// runs natively and in a browser.
//
//   # comment                        click timeline/call 12      double timeline/call 12     hover source/line 3
//   key Space                        key Shift+RightArrow        type state:ready line:2     wheel timeline 0 3
//   drag splitter/right 40 0         command step_forward        goto 120                    query tool~read
//   expect cursor 42                 expect counts/ready 2       expect-text inspector read_text
//   expect-item ledger/row 1         expect-no-item help         size 800 500 2              settle
//
// Each input goes through the same queue as the mouse and the keyboard, and frames are drawn until nothing moves.
// `expect` reads a path of the state that the viewer reports (Viewer::StateJson); `expect-text` looks for words among
// the texts that a named item shows.
#ifndef PYSOLATE_VIZ_APP_SCRIPT_H_
#define PYSOLATE_VIZ_APP_SCRIPT_H_

#include <string>
#include <string_view>

namespace pysolate::viz {

class App;

struct ScriptResult {
  bool ok = true;
  std::string log;  // a line for each failed step, with its line number; last a summary
};

// Stops at the first failed step.
ScriptResult RunScript(App& app, std::string_view script);

}  // namespace pysolate::viz

#endif  // PYSOLATE_VIZ_APP_SCRIPT_H_
