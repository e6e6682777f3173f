// The viewer in a page: a dozen exported functions, bytes in and text out. One of the two backends of platform.h.
//
// One module instance draws into one canvas; the custom element (web/viewer/pysolate-viewer.mjs) owns both, listens to
// the canvas and calls in. A frame is drawn only after it was wished for (Module.onWantFrame).
#include <GLES3/gl3.h>
#include <emscripten.h>
#include <emscripten/html5.h>

#include <algorithm>
#include <memory>
#include <string>

#include "app/app.h"
#include "app/script.h"
#include "imgui.h"
#include "model/link.h"

// What the element offers (set on the module before the first call).
EM_JS(void, js_want_frame, (double delay), { Module["host"].wantFrame(delay); });
EM_JS(void, js_set_clipboard, (const char* text), { Module["host"].setClipboard(UTF8ToString(text)); });
EM_JS(void, js_set_cursor, (int shape), { Module["host"].setCursor(shape); });
EM_JS(void, js_save_file, (const char* name, const char* mime, const char* bytes, int size),
      { Module["host"].saveFile(UTF8ToString(name), UTF8ToString(mime), HEAPU8.slice(bytes, bytes + size)); });
EM_JS(void, js_share_link, (const char* fragment), { Module["host"].shareLink(UTF8ToString(fragment)); });

namespace pysolate::viz {
namespace {

class WebPlatform final : public Platform {
 public:
  double Now() override { return emscripten_get_now() / 1000; }
  void WantFrame(double delay) override { js_want_frame(delay); }
  void SetClipboard(const std::string& text) override {
    clipboard_ = text;
    js_set_clipboard(text.c_str());
  }
  std::string Clipboard() override { return clipboard_; }
  void SetMouseShape(MouseShape shape) override {
    if (shape == shape_) return;
    shape_ = shape;
    js_set_cursor(static_cast<int>(shape));
  }
  std::string SaveFile(const std::string& name, const std::string& mime, const std::string& bytes) override {
    js_save_file(name.c_str(), mime.c_str(), bytes.data(), static_cast<int>(bytes.size()));
    return "Saved " + name;
  }
  std::string ShareableLink(const std::string& fragment) override {
    js_share_link(fragment.c_str());
    return fragment;
  }
  std::vector<uint8_t> ReadPixels(int width, int height) override {
    const size_t row = static_cast<size_t>(width) * 4;
    std::vector<uint8_t> pixels(row * static_cast<size_t>(height));
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glReadPixels(0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE, pixels.data());
    for (int top = 0, bottom = height - 1; top < bottom; ++top, --bottom) {
      std::swap_ranges(pixels.begin() + static_cast<ptrdiff_t>(row) * top,
                       pixels.begin() + static_cast<ptrdiff_t>(row) * (top + 1),
                       pixels.begin() + static_cast<ptrdiff_t>(row) * bottom);
    }
    return pixels;
  }
  // What the page pasted, for the next Clipboard().
  void Pasted(const char* text) { clipboard_ = text; }

 private:
  std::string clipboard_;
  MouseShape shape_ = MouseShape::kArrow;
};

WebPlatform g_platform;
std::unique_ptr<App> g_app;
// Text handed out lives until the next call that hands some out.
std::string g_answer;

const char* Answer(std::string text) {
  g_answer = std::move(text);
  return g_answer.c_str();
}

int KeyOf(std::string_view code) {
  if (code.size() == 4 && code.starts_with("Key")) return ImGuiKey_A + (code[3] - 'A');
  if (code.size() == 6 && code.starts_with("Digit")) return ImGuiKey_0 + (code[5] - '0');
  struct Pair {
    std::string_view code;
    ImGuiKey key;
  };
  static constexpr Pair kPairs[] = {
      {"ArrowLeft", ImGuiKey_LeftArrow},
      {"ArrowRight", ImGuiKey_RightArrow},
      {"ArrowUp", ImGuiKey_UpArrow},
      {"ArrowDown", ImGuiKey_DownArrow},
      {"Home", ImGuiKey_Home},
      {"End", ImGuiKey_End},
      {"PageUp", ImGuiKey_PageUp},
      {"PageDown", ImGuiKey_PageDown},
      {"Space", ImGuiKey_Space},
      {"Enter", ImGuiKey_Enter},
      {"NumpadEnter", ImGuiKey_Enter},
      {"Escape", ImGuiKey_Escape},
      {"Backspace", ImGuiKey_Backspace},
      {"Delete", ImGuiKey_Delete},
      {"Tab", ImGuiKey_Tab},
      {"Comma", ImGuiKey_Comma},
      {"Period", ImGuiKey_Period},
      {"Slash", ImGuiKey_Slash},
      {"Semicolon", ImGuiKey_Semicolon},
      {"BracketLeft", ImGuiKey_LeftBracket},
      {"BracketRight", ImGuiKey_RightBracket},
      {"Minus", ImGuiKey_Minus},
      {"Equal", ImGuiKey_Equal},
      {"ShiftLeft", ImGuiKey_LeftShift},
      {"ShiftRight", ImGuiKey_RightShift},
      {"ControlLeft", ImGuiKey_LeftCtrl},
      {"ControlRight", ImGuiKey_RightCtrl},
  };
  for (const Pair& pair : kPairs) {
    if (pair.code == code) return pair.key;
  }
  return ImGuiKey_None;
}

}  // namespace
}  // namespace pysolate::viz

using namespace pysolate::viz;  // NOLINT: the exports below are this file's only users

extern "C" {

// `target`: the canvas as a key of specialHTMLTargets. Returns 0 if WebGL2 is not to be had.
EMSCRIPTEN_KEEPALIVE int viewer_start(const char* target) {
  EmscriptenWebGLContextAttributes attributes;
  emscripten_webgl_init_context_attributes(&attributes);
  attributes.majorVersion = 2;
  attributes.alpha = false;
  attributes.depth = false;
  attributes.antialias = false;  // Dear ImGui smooths its own edges
  attributes.powerPreference = EM_WEBGL_POWER_PREFERENCE_DEFAULT;
  const EMSCRIPTEN_WEBGL_CONTEXT_HANDLE context = emscripten_webgl_create_context(target, &attributes);
  if (context <= 0 || emscripten_webgl_make_context_current(context) != EMSCRIPTEN_RESULT_SUCCESS) return 0;
  g_app = std::make_unique<App>(&g_platform, "#version 300 es");
  return 1;
}
EMSCRIPTEN_KEEPALIVE void viewer_stop() { g_app.reset(); }

EMSCRIPTEN_KEEPALIVE void viewer_resize(float width, float height, float scale) { g_app->Resize(width, height, scale); }
EMSCRIPTEN_KEEPALIVE void viewer_frame() { g_app->Frame(); }
EMSCRIPTEN_KEEPALIVE void viewer_settle() { g_app->Settle(); }
EMSCRIPTEN_KEEPALIVE double viewer_frames() { return static_cast<double>(g_app->frames()); }

// kind: 0 move, 1 down, 2 up, 3 leave.
EMSCRIPTEN_KEEPALIVE void viewer_pointer(int kind, float x, float y, int button, int touch) {
  if (kind == 3) {
    g_app->MouseLeave();
    return;
  }
  g_app->MouseMove(x, y, touch != 0);
  if (kind != 0) g_app->MouseButton(button, kind == 1);
}
EMSCRIPTEN_KEEPALIVE void viewer_wheel(float dx, float dy) { g_app->Wheel(dx, dy); }
// modifiers: 1 ctrl, 2 shift, 4 alt, 8 meta. Returns whether a text field has the keyboard.
EMSCRIPTEN_KEEPALIVE int viewer_key(const char* code, int down, int modifiers) {
  g_app->Modifiers((modifiers & 1) != 0, (modifiers & 2) != 0, (modifiers & 4) != 0, (modifiers & 8) != 0);
  g_app->Key(KeyOf(code), down != 0);  // no key: only the modifiers
  return g_app->wants_text();
}
EMSCRIPTEN_KEEPALIVE void viewer_text(const char* utf8) { g_app->Text(utf8); }
EMSCRIPTEN_KEEPALIVE void viewer_paste(const char* text) { g_platform.Pasted(text); }
EMSCRIPTEN_KEEPALIVE void viewer_focus(int focused) { g_app->Focus(focused != 0); }
EMSCRIPTEN_KEEPALIVE int viewer_wants_text() { return g_app->wants_text(); }

EMSCRIPTEN_KEEPALIVE void viewer_open(const char* name, int live) {
  g_app->ui().Open(name, live != 0);
  g_app->Invalidate();
}
EMSCRIPTEN_KEEPALIVE int viewer_feed(const char* bytes, int size) {
  g_app->ui().Feed(std::string_view(bytes, static_cast<size_t>(size)));
  g_app->Invalidate();
  return !g_app->model().document().banner_is_error();
}
EMSCRIPTEN_KEEPALIVE void viewer_finish(int to_end) {
  g_app->ui().Finish();
  if (to_end != 0) g_app->model().transport().GoToEnd();
  g_app->Invalidate();
}
EMSCRIPTEN_KEEPALIVE void viewer_goto(double seq) {
  ViewerModel& model = g_app->model();
  model.transport().GoTo(seq <= 0 ? 0 : model.store().FindSeq(static_cast<uint64_t>(seq)));
  g_app->Invalidate();
}
EMSCRIPTEN_KEEPALIVE void viewer_select(double call) {
  ViewerModel& model = g_app->model();
  if (call >= 0 && call <= model.store().calls()) model.Select(static_cast<pysolate::CallId>(call));
  g_app->Invalidate();
}
EMSCRIPTEN_KEEPALIVE void viewer_query(const char* text) {
  g_app->model().search().SetText(text);
  g_app->Invalidate();
}
EMSCRIPTEN_KEEPALIVE int viewer_command(const char* id) {
  const bool done = g_app->ui().Run(id);
  g_app->Invalidate();
  return done;
}
EMSCRIPTEN_KEEPALIVE const char* viewer_commands() {
  std::string out = "[";
  for (const Command& command : Commands()) {
    if (out.size() > 1) out += ",";
    const auto quoted = [](std::string_view text) {
      std::string q = "\"";
      for (char c : text) {
        if (c == '"' || c == '\\') q += '\\';
        q += c;
      }
      return q + "\"";
    };
    out += "{\"id\":" + quoted(command.id) + ",\"title\":" + quoted(command.title) +
           ",\"group\":" + quoted(command.group) + ",\"key\":" + quoted(command.key) +
           ",\"help\":" + quoted(command.help) + "}";
  }
  return Answer(out + "]");
}
EMSCRIPTEN_KEEPALIVE void viewer_link(const char* fragment) {
  g_app->model().ApplyLink(DecodeLink(fragment, nullptr));
  g_app->Invalidate();
}
EMSCRIPTEN_KEEPALIVE const char* viewer_state() { return Answer(g_app->StateJson()); }
// First character 1 or 0, then the log.
EMSCRIPTEN_KEEPALIVE const char* viewer_script(const char* script) {
  const ScriptResult result = RunScript(*g_app, script);
  return Answer((result.ok ? "1" : "0") + result.log);
}

}  // extern "C"
