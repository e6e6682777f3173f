// The seam between the viewer and the machine it runs on. Two backends: native_main.cc (GLFW) and web_main.cc (a canvas
// in a page). Nothing outside these two knows which one it is.
//
// Thread rule: everything happens on the thread that owns the window.
#ifndef PYSOLATE_VIZ_APP_PLATFORM_H_
#define PYSOLATE_VIZ_APP_PLATFORM_H_

#include <cstdint>
#include <string>
#include <vector>

namespace pysolate::viz {

enum class MouseShape : uint8_t { kArrow, kText, kResizeX, kResizeY, kHand };

class Platform {
 public:
  virtual ~Platform() = default;

  // Seconds on a clock that only goes forward.
  virtual double Now() = 0;

  // A frame is wanted no later than `delay` seconds from now (0: as soon as the screen takes one). Without such a wish
  // no frame is drawn.
  virtual void WantFrame(double delay) = 0;

  virtual void SetClipboard(const std::string& text) = 0;
  virtual std::string Clipboard() = 0;
  virtual void SetMouseShape(MouseShape shape) = 0;

  // Offers `bytes` to the user as a file. Returns a sentence for the status line.
  virtual std::string SaveFile(const std::string& name, const std::string& mime, const std::string& bytes) = 0;

  // A link fragment (EncodeLink) as the user can pass it on.
  virtual std::string ShareableLink(const std::string& fragment) = 0;

  // The pixels of the frame just drawn, RGBA, top row first. Empty if it cannot be read.
  virtual std::vector<uint8_t> ReadPixels(int width, int height) = 0;
};

}  // namespace pysolate::viz

#endif  // PYSOLATE_VIZ_APP_PLATFORM_H_
