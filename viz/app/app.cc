#include "app/app.h"

#include <algorithm>
#include <cmath>

#include "app/fonts.h"
#include "app/png.h"
#include "imgui.h"
#include "imgui_impl_opengl3.h"
#include "ui/theme.h"

namespace pysolate::viz {
namespace {

// Input changes what is hovered, that changes what is laid out, and only then does it stand still.
constexpr int kFramesAfterInput = 3;
// Tooltips of buttons wait a moment; one more frame is due when the pointer has rested.
constexpr double kRestDelay = 0.45;

ImFont* AddFont(std::span<const unsigned char> bytes) {
  ImFontConfig config;
  config.FontDataOwnedByAtlas = false;
  config.PixelSnapH = false;
  config.OversampleH = 2;
  return ImGui::GetIO().Fonts->AddFontFromMemoryTTF(const_cast<unsigned char*>(bytes.data()),
                                                    static_cast<int>(bytes.size()), kTextSize, &config);
}

}  // namespace

App::App(Platform* platform, const char* glsl) : platform_(platform) {
  IMGUI_CHECKVERSION();
  context_ = ImGui::CreateContext();
  ImGui::SetCurrentContext(context_);
  ImGuiIO& io = ImGui::GetIO();
  io.IniFilename = nullptr;
  io.LogFilename = nullptr;
  io.ConfigInputTextCursorBlink = false;  // a blinking cursor would need frames for ever
  io.ConfigWindowsMoveFromTitleBarOnly = true;
  io.ConfigNavCaptureKeyboard = false;
  io.BackendPlatformName = "pysolate";
  ImGuiPlatformIO& platform_io = ImGui::GetPlatformIO();
  platform_io.Platform_ClipboardUserData = platform_;
  platform_io.Platform_SetClipboardTextFn = [](ImGuiContext*, const char* text) {
    static_cast<Platform*>(ImGui::GetPlatformIO().Platform_ClipboardUserData)->SetClipboard(text);
  };
  platform_io.Platform_GetClipboardTextFn = [](ImGuiContext*) -> const char* {
    static std::string held;
    held = static_cast<Platform*>(ImGui::GetPlatformIO().Platform_ClipboardUserData)->Clipboard();
    return held.c_str();
  };
  Fonts fonts;
  fonts.text = AddFont(FontText());
  fonts.strong = AddFont(FontStrong());
  fonts.mono = AddFont(FontMono());
  SetFonts(fonts);
  ImGui_ImplOpenGL3_Init(glsl);
  ui_ = std::make_unique<Ui>(static_cast<UiHost*>(this));
}

App::~App() {
  ImGui::SetCurrentContext(context_);
  ui_.reset();
  ImGui_ImplOpenGL3_Shutdown();
  ImGui::DestroyContext(context_);
}

void App::Wake() {
  settling_ = kFramesAfterInput;
  platform_->WantFrame(0);
}

void App::Invalidate() { Wake(); }

void App::Resize(float width, float height, float scale) {
  if (width == width_ && height == height_ && scale == scale_) return;
  width_ = std::max(1.0f, width);
  height_ = std::max(1.0f, height);
  scale_ = std::clamp(scale, 0.25f, 8.0f);
  Wake();
}

void App::MouseMove(float x, float y, bool touch) {
  ImGuiIO& io = ImGui::GetIO();
  io.AddMouseSourceEvent(touch ? ImGuiMouseSource_TouchScreen : ImGuiMouseSource_Mouse);
  io.AddMousePosEvent(x, y);
  Wake();
  platform_->WantFrame(kRestDelay);
}

void App::MouseLeave() {
  ImGui::GetIO().AddMousePosEvent(-FLT_MAX, -FLT_MAX);
  Wake();
}

void App::MouseButton(int button, bool down) {
  ImGui::GetIO().AddMouseButtonEvent(button, down);
  Wake();
}

void App::Wheel(float dx, float dy) {
  ImGui::GetIO().AddMouseWheelEvent(dx, dy);
  Wake();
}

void App::Key(int imgui_key, bool down) {
  if (imgui_key == ImGuiKey_None) return;
  ImGui::GetIO().AddKeyEvent(static_cast<ImGuiKey>(imgui_key), down);
  Wake();
}

void App::Modifiers(bool ctrl, bool shift, bool alt, bool super) {
  ImGuiIO& io = ImGui::GetIO();
  io.AddKeyEvent(ImGuiMod_Ctrl, ctrl);
  io.AddKeyEvent(ImGuiMod_Shift, shift);
  io.AddKeyEvent(ImGuiMod_Alt, alt);
  io.AddKeyEvent(ImGuiMod_Super, super);
}

void App::Text(std::string_view utf8) {
  ImGui::GetIO().AddInputCharactersUTF8(std::string(utf8).c_str());
  Wake();
}

void App::Focus(bool focused) {
  ImGui::GetIO().AddFocusEvent(focused);
  Wake();
}

bool App::wants_text() const { return ImGui::GetIO().WantTextInput; }

int App::pixel_width() const { return static_cast<int>(std::lround(width_ * scale_)); }
int App::pixel_height() const { return static_cast<int>(std::lround(height_ * scale_)); }

void App::Frame() {
  ImGui::SetCurrentContext(context_);
  ImGuiIO& io = ImGui::GetIO();
  const double now = platform_->Now();
  io.DeltaTime = last_time_ < 0 ? 1.0f / 60 : std::clamp(static_cast<float>(now - last_time_), 1e-4f, 0.25f);
  last_time_ = now;
  io.DisplaySize = ImVec2(width_, height_);
  io.DisplayFramebufferScale = ImVec2(scale_, scale_);

  ImGui_ImplOpenGL3_NewFrame();
  ImGui::NewFrame();
  const bool moving = ui_->Draw(now, io.DeltaTime);
  ImGui::Render();

  MouseShape shape = MouseShape::kArrow;
  switch (ImGui::GetMouseCursor()) {
    case ImGuiMouseCursor_TextInput:
      shape = MouseShape::kText;
      break;
    case ImGuiMouseCursor_ResizeEW:
      shape = MouseShape::kResizeX;
      break;
    case ImGuiMouseCursor_ResizeNS:
      shape = MouseShape::kResizeY;
      break;
    case ImGuiMouseCursor_Hand:
      shape = MouseShape::kHand;
      break;
    default:
      break;
  }
  platform_->SetMouseShape(shape);

  ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
  ++frames_;
  if (settling_ > 0) --settling_;
  if (moving || settling_ > 0) platform_->WantFrame(0);
}

std::string App::SaveFile(const std::string& name, const std::string& mime, const std::string& bytes) {
  return platform_->SaveFile(name, mime, bytes);
}
void App::SetClipboard(const std::string& text) { platform_->SetClipboard(text); }
std::string App::ShareableLink(const std::string& fragment) { return platform_->ShareableLink(fragment); }

void App::Settle(int limit) {
  settling_ = kFramesAfterInput;
  for (int i = 0; i < limit && (i == 0 || settling_ > 0); ++i) Frame();
}

std::string App::Screenshot() {
  const std::vector<uint8_t> pixels = platform_->ReadPixels(pixel_width(), pixel_height());
  return pixels.empty() ? std::string() : EncodePng(pixels, pixel_width(), pixel_height());
}

}  // namespace pysolate::viz
