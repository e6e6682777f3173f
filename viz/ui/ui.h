// The whole picture: bars, strip, panels in their layout, overlays; keys; and what tests and the page ask of it.
//
// Draw() is called between ImGui::NewFrame and ImGui::Render. All logic is the model's; here is only what depends on
// pixels. Thread rule: the thread that draws.
#ifndef PYSOLATE_VIZ_UI_UI_H_
#define PYSOLATE_VIZ_UI_UI_H_

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "model/viewer.h"
#include "ui/overlays.h"
#include "ui/panel.h"

namespace pysolate::viz {

// What the picture asks of the application around it.
class UiHost {
 public:
  virtual ~UiHost() = default;
  // Offers bytes to the user as a file. Returns a sentence for the status line.
  virtual std::string SaveFile(const std::string& name, const std::string& mime, const std::string& bytes) = 0;
  virtual void SetClipboard(const std::string& text) = 0;
  // The frame last drawn, as PNG; empty if it cannot be read.
  virtual std::string ScreenshotPng() = 0;
  // The link as the user can pass it on (a URL, or arguments).
  virtual std::string ShareableLink(const std::string& fragment) = 0;
};

class Ui {
 public:
  explicit Ui(UiHost* host);  // `host` outlives it
  ~Ui();
  Ui(const Ui&) = delete;
  Ui& operator=(const Ui&) = delete;

  ViewerModel& model() { return model_; }
  Items& items() { return items_; }

  // -- trace
  // Starts a new trace; bytes come by Feed. `live`: it goes on growing, and is followed.
  void Open(const std::string& name, bool live);
  void Feed(std::string_view bytes);
  void Finish();

  void SetDark(bool dark);
  bool SetPreset(std::string_view name);
  void ShowPanel(PanelId id);
  // A command of the model's table, or "panel.NAME", "preset.NAME", "theme.dark", "theme.light". False if there is none
  // or it is not possible now.
  bool Run(std::string_view id);

  // Draws a frame into the current ImGui frame. True if another one is needed without input.
  bool Draw(double now, float dt);

  // The state as JSON, for tests and the page (keys are documented in state_json.cc).
  std::string StateJson(uint64_t frames);

 private:
  struct Group {
    std::vector<PanelId> panels;
    int active = 0;
    Box box;  // in the last frame
  };
  void HandleKeys();
  void HandleRequest(UiRequest request);
  void DrawTransport(const Box& box);
  void DrawBanner(const Box& box);
  void DrawOverview(const Box& box);
  void DrawStatus(const Box& box);
  void DrawPanels(const Box& box);
  void DrawGroup(const char* id, Group& group, const Box& box);
  void DrawPanel(PanelId id, const Box& box);
  void ArrangeGroups(const Box& box);
  bool TabShown(PanelId id) const;

  UiHost* host_;
  ViewerModel model_;
  Items items_;
  Context context_;
  Overlays overlays_;
  std::array<std::unique_ptr<Panel>, kPanels> panels_;

  // Layout: groups of tabs, made anew when preset or size class changes.
  enum class Shape : uint8_t { kNone, kNarrow, kDebug, kWide, kRead, kPresent };
  Shape shape_ = Shape::kNone;
  Preset last_preset_ = Preset::kDebug;
  std::vector<Group> groups_;
  float split_x_ = 0, split_y_ = 0, split_y2_ = 0, split_x2_ = 0;  // shares 0..1

  char search_text_[256] = {};
  bool focus_search_ = false;
  std::string last_banner_, hidden_banner_;
  bool dark_ = true, theme_applied_ = false;
  std::vector<OverviewColumn> columns_;
  bool dragging_overview_ = false;
  bool png_wanted_ = false;
};

}  // namespace pysolate::viz

#endif  // PYSOLATE_VIZ_UI_UI_H_
