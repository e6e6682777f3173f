#include "app/script.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <vector>

#include "app/app.h"
#include "imgui.h"

namespace pysolate::viz {
namespace {

std::vector<std::string> Words(std::string_view line) {
  std::vector<std::string> words;
  size_t i = 0;
  while (i < line.size()) {
    if (line[i] == ' ' || line[i] == '\t') {
      ++i;
      continue;
    }
    std::string word;
    if (line[i] == '"') {
      const size_t end = std::min(line.find('"', i + 1), line.size());
      word = line.substr(i + 1, end - i - 1);
      i = end + 1;
    } else {
      const size_t end = std::min(line.find_first_of(" \t", i), line.size());
      word = line.substr(i, end - i);
      i = end;
    }
    words.push_back(std::move(word));
  }
  return words;
}

struct NamedKey {
  std::string_view name;
  ImGuiKey key;
};
constexpr NamedKey kKeys[] = {
    {"Space", ImGuiKey_Space},
    {"Left", ImGuiKey_LeftArrow},
    {"Right", ImGuiKey_RightArrow},
    {"Up", ImGuiKey_UpArrow},
    {"Down", ImGuiKey_DownArrow},
    {"Home", ImGuiKey_Home},
    {"End", ImGuiKey_End},
    {",", ImGuiKey_Comma},
    {".", ImGuiKey_Period},
    {"/", ImGuiKey_Slash},
    {"[", ImGuiKey_LeftBracket},
    {"]", ImGuiKey_RightBracket},
    {"Backspace", ImGuiKey_Backspace},
    {"Esc", ImGuiKey_Escape},
    {"Enter", ImGuiKey_Enter},
    {";", ImGuiKey_Semicolon},
    {"Tab", ImGuiKey_Tab},
};

ImGuiKey KeyOf(std::string_view name) {
  for (const NamedKey& named : kKeys) {
    if (named.name == name) return named.key;
  }
  if (name.size() == 1) {
    const char c = static_cast<char>(std::toupper(static_cast<unsigned char>(name[0])));
    if (c >= 'A' && c <= 'Z') return static_cast<ImGuiKey>(ImGuiKey_A + (c - 'A'));
    if (c >= '0' && c <= '9') return static_cast<ImGuiKey>(ImGuiKey_0 + (c - '0'));
  }
  return ImGuiKey_None;
}

// The value at a path ("calls/ready") of a JSON text that we wrote ourselves; strings without their quotes.
bool ValueAt(std::string_view json, std::string_view path, std::string* out) {
  size_t at = 0;
  while (!path.empty()) {
    const size_t slash = path.find('/');
    const std::string key = "\"" + std::string(path.substr(0, slash)) + "\":";
    path = slash == std::string_view::npos ? std::string_view() : path.substr(slash + 1);
    at = json.find(key, at);
    if (at == std::string_view::npos) return false;
    at += key.size();
  }
  if (json[at] == '"') {
    out->clear();
    for (size_t i = at + 1; i < json.size() && json[i] != '"'; ++i) {
      if (json[i] == '\\' && i + 1 < json.size()) ++i;
      out->push_back(json[i]);
    }
    return true;
  }
  const size_t end = json.find_first_of(",}]", at);
  *out = json.substr(at, end - at);
  return true;
}

class Runner {
 public:
  explicit Runner(App& app) : app_(app) {}

  // Empty: done. Else what went wrong.
  std::string Step(const std::vector<std::string>& words, std::string_view rest);

 private:
  // Pointer to the middle of a named item. The item's name is the rest of the line.
  std::string Point(const std::string& name, Box* box = nullptr) {
    const Items::Item* item = app_.ui().items().Find(name);
    if (item == nullptr) return "there is no \"" + name + "\" on the screen";
    if (box != nullptr) *box = item->box;
    // Bars may start outside of what can be seen: near the left end of the visible part.
    app_.MouseMove(item->box.mid_x(), item->box.mid_y(), false);
    app_.Settle();
    return {};
  }
  void Press(int button) {
    app_.MouseButton(button, true);
    app_.Frame();
    app_.MouseButton(button, false);
    app_.Frame();
  }

  App& app_;
};

std::string Runner::Step(const std::vector<std::string>& words, std::string_view rest) {
  const std::string& verb = words[0];
  const std::string name(rest);
  const auto number = [&](size_t i) { return i < words.size() ? std::strtof(words[i].c_str(), nullptr) : 0.0f; };
  if (verb == "click" || verb == "double" || verb == "hover") {
    if (std::string problem = Point(name); !problem.empty()) return problem;
    if (verb != "hover") Press(0);
    if (verb == "double") Press(0);
    app_.Settle();
    return {};
  }
  if (verb == "wheel" || verb == "drag") {
    if (words.size() < 4) return verb + ": NAME X Y is wanted";
    // The name may have a space: all but the last two words.
    std::string item = words[1];
    for (size_t i = 2; i + 2 < words.size(); ++i) item += " " + words[i];
    Box box;
    if (std::string problem = Point(item, &box); !problem.empty()) return problem;
    const float dx = number(words.size() - 2), dy = number(words.size() - 1);
    if (verb == "wheel") {
      app_.Wheel(dx, dy);
    } else {
      app_.MouseButton(0, true);
      app_.Frame();
      for (int i = 1; i <= 4; ++i) {
        const float share = static_cast<float>(i) / 4;
        app_.MouseMove(box.mid_x() + dx * share, box.mid_y() + dy * share, false);
        app_.Frame();
      }
      app_.MouseButton(0, false);
    }
    app_.Settle();
    return {};
  }
  if (verb == "key") {
    std::string key = name;
    const bool shift = key.starts_with("Shift+");
    if (shift) key.erase(0, 6);
    const ImGuiKey code = KeyOf(key);
    if (code == ImGuiKey_None) return "no such key: " + name;
    app_.Modifiers(false, shift, false, false);
    app_.Key(code, true);
    app_.Frame();
    app_.Key(code, false);
    app_.Modifiers(false, false, false, false);
    app_.Settle();
    return {};
  }
  if (verb == "type") {
    app_.Text(rest);
    app_.Settle();
    return {};
  }
  if (verb == "command") {
    if (!app_.ui().Run(name)) return "no such command, or it is not possible now: " + name;
    app_.Settle();
    return {};
  }
  if (verb == "goto") {
    app_.model().transport().GoTo(app_.model().store().FindSeq(std::strtoull(name.c_str(), nullptr, 10)));
    app_.Settle();
    return {};
  }
  if (verb == "query") {
    app_.model().search().SetText(name);
    app_.Settle();
    return {};
  }
  if (verb == "size") {
    app_.Resize(number(1), number(2), words.size() > 3 ? number(3) : 1.0f);
    app_.Settle();
    return {};
  }
  if (verb == "settle") {
    app_.Settle();
    return {};
  }
  if (verb == "expect") {
    if (words.size() < 2) return "expect: PATH VALUE is wanted";
    std::string found;
    if (!ValueAt(app_.StateJson(), words[1], &found)) return "the state has no " + words[1];
    std::string wanted;
    for (size_t i = 2; i < words.size(); ++i) wanted += (i > 2 ? " " : "") + words[i];
    return found == wanted ? std::string() : words[1] + " is \"" + found + "\", not \"" + wanted + "\"";
  }
  if (verb == "expect-text") {
    if (words.size() < 3) return "expect-text: NAME TEXT is wanted";
    const Items::Item* item = app_.ui().items().Find(words[1]);
    if (item == nullptr) return "there is no \"" + words[1] + "\" on the screen";
    std::string wanted;
    for (size_t i = 2; i < words.size(); ++i) wanted += (i > 2 ? " " : "") + words[i];
    if (item->text.find(wanted) != std::string::npos) return {};
    return "\"" + wanted + "\" is not among the texts of " + words[1] + ":\n" + item->text;
  }
  if (verb == "expect-item" || verb == "expect-no-item") {
    const bool there = app_.ui().items().Find(name) != nullptr;
    if (there == (verb == "expect-item")) return {};
    return there ? "\"" + name + "\" is on the screen" : "there is no \"" + name + "\" on the screen";
  }
  return "no such step: " + verb;
}

}  // namespace

ScriptResult RunScript(App& app, std::string_view script) {
  ScriptResult result;
  app.ui().items().SetRecording(true);
  app.Focus(true);
  app.Settle();
  Runner runner(app);
  size_t line_number = 0, steps = 0;
  while (!script.empty()) {
    const size_t newline = std::min(script.find('\n'), script.size());
    std::string_view line = script.substr(0, newline);
    script.remove_prefix(std::min(newline + 1, script.size()));
    ++line_number;
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    const std::vector<std::string> words = Words(line);
    if (words.empty() || words[0][0] == '#') continue;
    std::string_view rest = line.substr(line.find(words[0]) + words[0].size());
    while (!rest.empty() && rest.front() == ' ') rest.remove_prefix(1);
    ++steps;
    const std::string problem = runner.Step(words, rest);
    if (!problem.empty()) {
      result.ok = false;
      result.log += "line " + std::to_string(line_number) + ": " + std::string(line) + "\n  " + problem + "\n";
      break;
    }
  }
  result.log +=
      result.ok ? std::to_string(steps) + " steps passed\n" : "stopped after " + std::to_string(steps) + " steps\n";
  app.ui().items().SetRecording(false);
  return result;
}

}  // namespace pysolate::viz
