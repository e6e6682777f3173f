// The names of what is on the screen, for tests and for the screen reader's twin.
//
// While recording, each panel names its parts ("transport/play", "timeline/call 12") with their boxes, and the texts
// that it draws are kept under the panel's name. Off (the default) it costs a branch. Thread rule: the thread that
// draws.
#ifndef PYSOLATE_VIZ_UI_ITEMS_H_
#define PYSOLATE_VIZ_UI_ITEMS_H_

#include <map>
#include <string>
#include <string_view>

#include "ui/paint.h"

namespace pysolate::viz {

class Items {
 public:
  struct Item {
    Box box;
    std::string text;
  };

  void SetRecording(bool on) { recording_ = on; }
  bool recording() const { return recording_; }
  // Forgets the last frame.
  void Clear() { items_.clear(); }
  void Add(std::string_view name, const Box& box) {
    if (recording_) items_[std::string(name)].box = box;
  }
  // "name number".
  void Add(std::string_view name, uint64_t number, const Box& box) {
    if (recording_) items_[std::string(name) + " " + std::to_string(number)].box = box;
  }
  // nullptr if it is not on the screen.
  const Item* Find(std::string_view name) const {
    const auto it = items_.find(name);
    return it == items_.end() ? nullptr : &it->second;
  }
  const std::map<std::string, Item, std::less<>>& all() const { return items_; }
  // Texts drawn until the scope ends belong to the item.
  class TextScope {
   public:
    TextScope(Items& items, std::string_view name) {
      if (items.recording_) SetTextTap(&items.items_[std::string(name)].text);
    }
    ~TextScope() { SetTextTap(nullptr); }
    TextScope(const TextScope&) = delete;
    TextScope& operator=(const TextScope&) = delete;
  };

 private:
  bool recording_ = false;
  std::map<std::string, Item, std::less<>> items_;
};

}  // namespace pysolate::viz

#endif  // PYSOLATE_VIZ_UI_ITEMS_H_
