// pysolate-view: the viewer in a window of its own (GLFW and OpenGL 3.3). One of the two backends of platform.h.
//
// Exit codes: 0 shown (or the screenshot was written), 2 the trace could not be read as a whole or the arguments are
// wrong. A damaged trace is still shown up to the damage.

#include <CLI/CLI.hpp>
#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>
#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <sstream>

#include "app/app.h"
#include "app/script.h"
#include "imgui.h"
#include "model/link.h"

namespace pysolate::viz {
namespace {

struct KeyPair {
  int glfw;
  ImGuiKey imgui;
};
constexpr KeyPair kKeys[] = {
    {GLFW_KEY_TAB, ImGuiKey_Tab},
    {GLFW_KEY_LEFT, ImGuiKey_LeftArrow},
    {GLFW_KEY_RIGHT, ImGuiKey_RightArrow},
    {GLFW_KEY_UP, ImGuiKey_UpArrow},
    {GLFW_KEY_DOWN, ImGuiKey_DownArrow},
    {GLFW_KEY_PAGE_UP, ImGuiKey_PageUp},
    {GLFW_KEY_PAGE_DOWN, ImGuiKey_PageDown},
    {GLFW_KEY_HOME, ImGuiKey_Home},
    {GLFW_KEY_END, ImGuiKey_End},
    {GLFW_KEY_INSERT, ImGuiKey_Insert},
    {GLFW_KEY_DELETE, ImGuiKey_Delete},
    {GLFW_KEY_BACKSPACE, ImGuiKey_Backspace},
    {GLFW_KEY_SPACE, ImGuiKey_Space},
    {GLFW_KEY_ENTER, ImGuiKey_Enter},
    {GLFW_KEY_KP_ENTER, ImGuiKey_KeypadEnter},
    {GLFW_KEY_ESCAPE, ImGuiKey_Escape},
    {GLFW_KEY_APOSTROPHE, ImGuiKey_Apostrophe},
    {GLFW_KEY_COMMA, ImGuiKey_Comma},
    {GLFW_KEY_MINUS, ImGuiKey_Minus},
    {GLFW_KEY_PERIOD, ImGuiKey_Period},
    {GLFW_KEY_SLASH, ImGuiKey_Slash},
    {GLFW_KEY_SEMICOLON, ImGuiKey_Semicolon},
    {GLFW_KEY_EQUAL, ImGuiKey_Equal},
    {GLFW_KEY_LEFT_BRACKET, ImGuiKey_LeftBracket},
    {GLFW_KEY_BACKSLASH, ImGuiKey_Backslash},
    {GLFW_KEY_RIGHT_BRACKET, ImGuiKey_RightBracket},
    {GLFW_KEY_LEFT_CONTROL, ImGuiKey_LeftCtrl},
    {GLFW_KEY_RIGHT_CONTROL, ImGuiKey_RightCtrl},
    {GLFW_KEY_LEFT_SHIFT, ImGuiKey_LeftShift},
    {GLFW_KEY_RIGHT_SHIFT, ImGuiKey_RightShift},
    {GLFW_KEY_LEFT_ALT, ImGuiKey_LeftAlt},
    {GLFW_KEY_RIGHT_ALT, ImGuiKey_RightAlt},
};

int ToImGuiKey(int key) {
  if (key >= GLFW_KEY_A && key <= GLFW_KEY_Z) return ImGuiKey_A + (key - GLFW_KEY_A);
  if (key >= GLFW_KEY_0 && key <= GLFW_KEY_9) return ImGuiKey_0 + (key - GLFW_KEY_0);
  if (key >= GLFW_KEY_F1 && key <= GLFW_KEY_F12) return ImGuiKey_F1 + (key - GLFW_KEY_F1);
  for (const KeyPair& pair : kKeys) {
    if (pair.glfw == key) return pair.imgui;
  }
  return ImGuiKey_None;
}

std::string Utf8(unsigned int c) {
  std::string out;
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += static_cast<char>(0xc0 | c >> 6);
    out += static_cast<char>(0x80 | (c & 63));
  } else if (c < 0x10000) {
    out += static_cast<char>(0xe0 | c >> 12);
    out += static_cast<char>(0x80 | (c >> 6 & 63));
    out += static_cast<char>(0x80 | (c & 63));
  } else {
    out += static_cast<char>(0xf0 | c >> 18);
    out += static_cast<char>(0x80 | (c >> 12 & 63));
    out += static_cast<char>(0x80 | (c >> 6 & 63));
    out += static_cast<char>(0x80 | (c & 63));
  }
  return out;
}

// A framebuffer of any size, so that a screenshot does not depend on the size of the screen.
class Offscreen {
 public:
  Offscreen(int width, int height) {
    glGenFramebuffers(1, &framebuffer_);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_);
    glGenTextures(1, &texture_);
    glBindTexture(GL_TEXTURE_2D, texture_);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, width, height, 0, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture_, 0);
    complete_ = glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
  }
  ~Offscreen() {
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    glDeleteTextures(1, &texture_);
    glDeleteFramebuffers(1, &framebuffer_);
  }
  Offscreen(const Offscreen&) = delete;
  Offscreen& operator=(const Offscreen&) = delete;
  bool complete() const { return complete_; }

 private:
  GLuint framebuffer_ = 0, texture_ = 0;
  bool complete_ = false;
};

class NativePlatform final : public Platform {
 public:
  explicit NativePlatform(GLFWwindow* window) : window_(window) {}
  ~NativePlatform() override {
    for (GLFWcursor* cursor : cursors_) {
      if (cursor != nullptr) glfwDestroyCursor(cursor);
    }
  }

  double Now() override { return glfwGetTime(); }
  void WantFrame(double delay) override { next_frame_ = std::min(next_frame_, Now() + delay); }
  void SetClipboard(const std::string& text) override { glfwSetClipboardString(window_, text.c_str()); }
  std::string Clipboard() override {
    const char* text = glfwGetClipboardString(window_);
    return text == nullptr ? std::string() : std::string(text);
  }
  void SetMouseShape(MouseShape shape) override {
    if (shape == shape_) return;
    shape_ = shape;
    static constexpr int kShapes[] = {GLFW_ARROW_CURSOR, GLFW_IBEAM_CURSOR, GLFW_HRESIZE_CURSOR, GLFW_VRESIZE_CURSOR,
                                      GLFW_HAND_CURSOR};
    GLFWcursor*& cursor = cursors_[static_cast<size_t>(shape)];
    if (cursor == nullptr) cursor = glfwCreateStandardCursor(kShapes[static_cast<size_t>(shape)]);
    glfwSetCursor(window_, cursor);
  }
  std::string SaveFile(const std::string& name, const std::string&, const std::string& bytes) override {
    std::ofstream file(name, std::ios::binary);
    file << bytes;
    file.flush();
    return file ? "Written to " + name : "Could not write " + name;
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

  std::string ShareableLink(const std::string& fragment) override {
    return "pysolate-view " + trace_ + " --link '" + fragment + "'";
  }
  void SetTrace(const std::string& trace) { trace_ = trace; }

  // Takes the wish that is due at `now`.
  bool TakeFrame() {
    if (Now() < next_frame_) return false;
    next_frame_ = kNever;
    return true;
  }
  double next_frame() const { return next_frame_; }

 private:
  static constexpr double kNever = 1e300;
  GLFWwindow* window_;
  std::string trace_;
  double next_frame_ = 0;
  MouseShape shape_ = MouseShape::kArrow;
  GLFWcursor* cursors_[5] = {};
};

struct Options {
  std::string trace, screenshot, theme = "dark", preset, size = "1440x900", query, link, script, source;
  uint64_t at = 0, select = 0;
  double scale = 0;
  bool follow = false;
};

bool ParseSize(const std::string& text, int* width, int* height) {
  char rest = 0;
  return std::sscanf(text.c_str(), "%dx%d%c", width, height, &rest) == 2 && *width >= 200 && *height >= 150 &&
         *width <= 16384 && *height <= 16384;
}

// Feeds a file in chunks, and later whatever was appended to it.
class FileTail {
 public:
  explicit FileTail(const std::string& path) : path_(path), file_(path, std::ios::binary) {}
  bool good() const { return file_.good(); }
  // Returns true if there was something new.
  bool Read(Ui& ui) {
    std::vector<char> chunk(1 << 20);
    bool any = false;
    while (file_.read(chunk.data(), static_cast<std::streamsize>(chunk.size())) || file_.gcount() > 0) {
      ui.Feed(std::string_view(chunk.data(), static_cast<size_t>(file_.gcount())));
      any = true;
    }
    file_.clear();
    return any;
  }

 private:
  std::string path_;
  std::ifstream file_;
};

int Run(const Options& options) {
  int width = 0, height = 0;
  if (!ParseSize(options.size, &width, &height)) {
    std::fprintf(stderr, "pysolate-view: --size %s: WIDTHxHEIGHT is wanted, from 200x150 to 16384x16384\n",
                 options.size.c_str());
    return 2;
  }
  FileTail tail(options.trace);
  struct stat info {};
  if (!options.trace.empty() && (!tail.good() || stat(options.trace.c_str(), &info) != 0 || S_ISDIR(info.st_mode))) {
    std::fprintf(stderr, "pysolate-view: %s: cannot be opened\n", options.trace.c_str());
    return 2;
  }
  std::string script;
  if (!options.script.empty()) {
    std::ifstream file(options.script);
    std::stringstream text;
    text << file.rdbuf();
    if (!file) {
      std::fprintf(stderr, "pysolate-view: %s: cannot be opened\n", options.script.c_str());
      return 2;
    }
    script = text.str();
  }

  glfwSetErrorCallback([](int, const char* message) { std::fprintf(stderr, "pysolate-view: %s\n", message); });
  if (!glfwInit()) {
    std::fprintf(stderr, "pysolate-view: no display. Without a screen, run it under xvfb-run.\n");
    return 2;
  }
  const bool batch = !options.screenshot.empty() || !options.script.empty();
  glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
  glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
  glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
  glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
  glfwWindowHint(GLFW_SCALE_TO_MONITOR, GLFW_TRUE);
  if (batch) glfwWindowHint(GLFW_VISIBLE, GLFW_FALSE);
  GLFWwindow* window = glfwCreateWindow(width, height, "pysolate-view", nullptr, nullptr);
  if (window == nullptr) {
    std::fprintf(stderr, "pysolate-view: no window with OpenGL 3.3 could be made\n");
    glfwTerminate();
    return 2;
  }
  glfwMakeContextCurrent(window);
  glfwSwapInterval(batch ? 0 : 1);

  int code = 0;
  {
    NativePlatform platform(window);
    platform.SetTrace(options.trace);
    App app(&platform, "#version 330 core");
    Ui& ui = app.ui();
    ViewerModel& model = app.model();
    ui.SetDark(options.theme != "light");
    if (!options.preset.empty() && !ui.SetPreset(options.preset)) {
      std::fprintf(stderr, "pysolate-view: --preset %s: debug, read and present are known\n", options.preset.c_str());
      code = 2;
    }
    if (!options.trace.empty()) {
      ui.Open(options.trace, options.follow);
      tail.Read(ui);
      if (!options.follow) {
        ui.Finish();
        const std::string& banner = model.document().banner();
        if (!banner.empty()) std::fprintf(stderr, "pysolate-view: %s\n", banner.c_str());
        if (model.document().banner_is_error()) code = 2;
        if (options.at == 0) model.transport().GoToEnd();
      }
    }
    if (!options.link.empty()) {
      std::vector<std::string> problems;
      model.ApplyLink(DecodeLink(options.link, &problems));
      for (const std::string& problem : problems) std::fprintf(stderr, "pysolate-view: --link: %s\n", problem.c_str());
    }
    if (options.at != 0) model.transport().GoTo(model.store().FindSeq(options.at));
    if (options.select != 0) model.Select(static_cast<CallId>(options.select));
    if (!options.query.empty()) model.search().SetText(options.query);

    if (batch) {
      const float scale = options.scale > 0 ? static_cast<float>(options.scale) : 1.0f;
      app.Resize(static_cast<float>(width), static_cast<float>(height), scale);
      Offscreen target(app.pixel_width(), app.pixel_height());
      if (!target.complete()) {
        std::fprintf(stderr, "pysolate-view: the graphics driver refuses a picture of %dx%d pixels\n",
                     app.pixel_width(), app.pixel_height());
        code = 2;
      } else {
        app.Settle();
        if (!script.empty()) {
          const ScriptResult result = RunScript(app, script);
          std::fputs(result.log.c_str(), result.ok ? stdout : stderr);
          if (!result.ok) code = 1;
        }
        if (!options.screenshot.empty()) {
          const std::string png = app.Screenshot();
          std::ofstream file(options.screenshot, std::ios::binary);
          file << png;
          file.flush();
          if (!file) {
            std::fprintf(stderr, "pysolate-view: %s: cannot be written\n", options.screenshot.c_str());
            code = 2;
          }
        }
      }
    } else {
      glfwSetWindowUserPointer(window, &app);
      static float pointer_scale = 1;
      const auto modifiers = [](App& a, int mods) {
        a.Modifiers((mods & GLFW_MOD_CONTROL) != 0, (mods & GLFW_MOD_SHIFT) != 0, (mods & GLFW_MOD_ALT) != 0,
                    (mods & GLFW_MOD_SUPER) != 0);
      };
      static const auto apply_modifiers = modifiers;
      const auto resize = [](GLFWwindow* w) {
        int pixels_x = 0, pixels_y = 0, size_x = 0, size_y = 0;
        float content = 1;
        glfwGetFramebufferSize(w, &pixels_x, &pixels_y);
        glfwGetWindowSize(w, &size_x, &size_y);
        glfwGetWindowContentScale(w, &content, nullptr);
        // X11 counts windows in pixels and gives the density apart; others count them in points already.
        const float density = size_x > 0 ? static_cast<float>(pixels_x) / static_cast<float>(size_x) : 1;
        const float scale = std::max(content, density);
        pointer_scale = density / scale;
        static_cast<App*>(glfwGetWindowUserPointer(w))
            ->Resize(static_cast<float>(pixels_x) / scale, static_cast<float>(pixels_y) / scale, scale);
      };
      static const auto apply_resize = resize;
      glfwSetFramebufferSizeCallback(window, [](GLFWwindow* w, int, int) { apply_resize(w); });
      glfwSetWindowContentScaleCallback(window, [](GLFWwindow* w, float, float) { apply_resize(w); });
      glfwSetWindowRefreshCallback(window,
                                   [](GLFWwindow* w) { static_cast<App*>(glfwGetWindowUserPointer(w))->Invalidate(); });
      glfwSetCursorPosCallback(window, [](GLFWwindow* w, double x, double y) {
        static_cast<App*>(glfwGetWindowUserPointer(w))
            ->MouseMove(static_cast<float>(x) * pointer_scale, static_cast<float>(y) * pointer_scale, false);
      });
      glfwSetCursorEnterCallback(window, [](GLFWwindow* w, int entered) {
        if (!entered) static_cast<App*>(glfwGetWindowUserPointer(w))->MouseLeave();
      });
      glfwSetMouseButtonCallback(window, [](GLFWwindow* w, int button, int action, int mods) {
        App& a = *static_cast<App*>(glfwGetWindowUserPointer(w));
        apply_modifiers(a, mods);
        if (button >= 0 && button < 5) a.MouseButton(button, action == GLFW_PRESS);
      });
      glfwSetScrollCallback(window, [](GLFWwindow* w, double x, double y) {
        static_cast<App*>(glfwGetWindowUserPointer(w))->Wheel(static_cast<float>(x), static_cast<float>(y));
      });
      glfwSetKeyCallback(window, [](GLFWwindow* w, int key, int, int action, int mods) {
        App& a = *static_cast<App*>(glfwGetWindowUserPointer(w));
        // GLFW reports the modifiers as they were before this key.
        const bool down = action != GLFW_RELEASE;
        const auto with = [&](int left, int right, int bit) {
          return key == left || key == right ? (down ? mods | bit : mods & ~bit) : mods;
        };
        mods = with(GLFW_KEY_LEFT_CONTROL, GLFW_KEY_RIGHT_CONTROL, GLFW_MOD_CONTROL);
        mods = with(GLFW_KEY_LEFT_SHIFT, GLFW_KEY_RIGHT_SHIFT, GLFW_MOD_SHIFT);
        mods = with(GLFW_KEY_LEFT_ALT, GLFW_KEY_RIGHT_ALT, GLFW_MOD_ALT);
        apply_modifiers(a, mods);
        if (action == GLFW_REPEAT) a.Key(ToImGuiKey(key), false);
        a.Key(ToImGuiKey(key), down);
      });
      glfwSetCharCallback(
          window, [](GLFWwindow* w, unsigned int c) { static_cast<App*>(glfwGetWindowUserPointer(w))->Text(Utf8(c)); });
      glfwSetWindowFocusCallback(window, [](GLFWwindow* w, int focused) {
        static_cast<App*>(glfwGetWindowUserPointer(w))->Focus(focused != 0);
      });
      resize(window);
      app.Focus(true);

      while (!glfwWindowShouldClose(window)) {
        double wait = std::max(0.0, platform.next_frame() - platform.Now());
        if (options.follow) wait = std::min(wait, 0.1);  // a growing file is looked at ten times a second
        if (wait > 1e6) {
          glfwWaitEvents();
        } else if (wait > 0) {
          glfwWaitEventsTimeout(wait);
        } else {
          glfwPollEvents();
        }
        if (options.follow && tail.Read(ui)) app.Invalidate();
        if (!platform.TakeFrame()) continue;
        app.Frame();
        glfwSwapBuffers(window);
      }
    }
  }
  glfwDestroyWindow(window);
  glfwTerminate();
  return code;
}

}  // namespace
}  // namespace pysolate::viz

int main(int argc, char** argv) {
  pysolate::viz::Options options;
  CLI::App cli("Shows a trace: timeline, graph, frontier, ledger, source.", "pysolate-view");
  cli.add_option("TRACE", options.trace, "trace file (JSON Lines)");
  cli.add_option("--at", options.at, "put the cursor on this event (sequence number)");
  cli.add_option("--select", options.select, "select this call");
  cli.add_option("--query", options.query, "search, e.g. 'state:orphaned tool~fetch'");
  cli.add_option("--link", options.link, "restore a view from a link fragment");
  cli.add_option("--preset", options.preset, "layout: debug, read or present");
  cli.add_option("--theme", options.theme, "dark or light")->check(CLI::IsMember({"dark", "light"}));
  cli.add_flag("--follow", options.follow, "keep reading while the file grows, and follow the end");
  cli.add_option("--screenshot", options.screenshot, "write a PNG and leave");
  cli.add_option("--size", options.size, "size of the window or picture in logical pixels, e.g. 1440x900");
  cli.add_option("--scale", options.scale, "pixels a logical pixel in a screenshot (1, 1.5, 2, ...)")
      ->check(CLI::Range(0.5, 8.0));
  cli.add_option("--script", options.script, "act on the viewer by a script, then leave; exit code 1 if it fails");
  try {
    cli.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return cli.exit(e) == 0 ? 0 : 2;
  }
  return pysolate::viz::Run(options);
}
