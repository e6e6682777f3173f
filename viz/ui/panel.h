// What every panel gets and is. A panel prepares nothing on its own: it draws what the model says at the cursor and
// turns clicks into the model's setters and commands.
//
// Thread rule: the thread that draws.
#ifndef PYSOLATE_VIZ_UI_PANEL_H_
#define PYSOLATE_VIZ_UI_PANEL_H_

#include <memory>
#include <string>
#include <string_view>

#include "model/viewer.h"
#include "ui/items.h"
#include "ui/paint.h"

namespace pysolate::viz {

struct Context {
  ViewerModel& model;
  Items& items;
  // Call under the pointer in whatever panel, in the last frame and in this one.
  CallId hover = 0;
  CallId next_hover = 0;
  bool wants_keys = true;  // false while a text field has them
  double now = 0;
  uint64_t document = 0;     // changes when another trace is opened
  std::string command = {};  // set by a panel: run after drawing

  void Hover(CallId call) { next_hover = call; }
  // Selects, and keeps the pointer's call in sync.
  void Select(CallId call) { model.Select(call); }
  void Run(std::string_view id) { command = id; }
};

enum class PanelId : uint8_t { kTimeline, kGraph, kFrontier, kLedger, kSource, kInspector, kEvents, kMetrics };
inline constexpr int kPanels = 8;

class Panel {
 public:
  virtual ~Panel() = default;
  virtual std::string_view title() const = 0;  // "Timeline"
  virtual std::string_view name() const = 0;   // "timeline", for items and commands
  // Draws into the current window, within `box` (which is the window's inner area).
  virtual void Draw(Context& context, const Box& box) = 0;
};

std::unique_ptr<Panel> MakeTimelinePanel();
std::unique_ptr<Panel> MakeGraphPanel();
std::unique_ptr<Panel> MakeFrontierPanel();
std::unique_ptr<Panel> MakeLedgerPanel();
std::unique_ptr<Panel> MakeSourcePanel();
std::unique_ptr<Panel> MakeInspectorPanel();
std::unique_ptr<Panel> MakeEventsPanel();
std::unique_ptr<Panel> MakeMetricsPanel();

}  // namespace pysolate::viz

#endif  // PYSOLATE_VIZ_UI_PANEL_H_
