// The viewer as an application without a window: takes input events, draws frames with OpenGL (ES) 3 into the current
// context, and tells the platform when it wants the next one. Both backends drive this one class.
//
// Coordinates are logical pixels; `scale` is physical pixels a logical one. Fonts are rasterized for the scale.
// Thread rule: the thread that owns the GL context.
#ifndef PYSOLATE_VIZ_APP_APP_H_
#define PYSOLATE_VIZ_APP_APP_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "app/platform.h"
#include "ui/ui.h"

struct ImGuiContext;

namespace pysolate::viz {

class App final : private UiHost {
 public:
  // `platform` outlives the app; a GL context is current. `glsl` is the shader header ("#version 300 es").
  App(Platform* platform, const char* glsl);
  ~App() override;
  App(const App&) = delete;
  App& operator=(const App&) = delete;

  Ui& ui() { return *ui_; }
  ViewerModel& model() { return ui_->model(); }

  // -- input. Each asks for frames.
  void Resize(float width, float height, float scale);
  void MouseMove(float x, float y, bool touch);
  void MouseLeave();
  void MouseButton(int button, bool down);
  void Wheel(float dx, float dy);
  void Key(int imgui_key, bool down);
  void Modifiers(bool ctrl, bool shift, bool alt, bool super);
  void Text(std::string_view utf8);
  void Focus(bool focused);
  // True while a text field has the keyboard: then the platform gives it the editing shortcuts, too.
  bool wants_text() const;

  // Something outside changed (a trace was opened, an event appended): draw.
  void Invalidate();

  // Draws one frame into the current framebuffer.
  void Frame();
  // Draws until nothing moves any more (a few frames), for screenshots and tests. Never more than `limit`.
  void Settle(int limit = 8);

  // Frames drawn since the start.
  uint64_t frames() const { return frames_; }
  int pixel_width() const;
  int pixel_height() const;

  // The state as JSON (ui/state_json.cc says what is in it).
  std::string StateJson() { return ui_->StateJson(frames_); }
  // The frame last drawn as PNG.
  std::string Screenshot();

 private:
  // UiHost
  std::string SaveFile(const std::string& name, const std::string& mime, const std::string& bytes) override;
  void SetClipboard(const std::string& text) override;
  std::string ScreenshotPng() override { return Screenshot(); }
  std::string ShareableLink(const std::string& fragment) override;
  void Wake();

  Platform* platform_;
  ImGuiContext* context_;
  std::unique_ptr<Ui> ui_;
  float width_ = 0, height_ = 0, scale_ = 1;
  double last_time_ = -1;
  uint64_t frames_ = 0;
  int settling_ = 0;
};

}  // namespace pysolate::viz

#endif  // PYSOLATE_VIZ_APP_APP_H_
