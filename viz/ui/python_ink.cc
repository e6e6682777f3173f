#include "ui/python_ink.h"

#include <algorithm>
#include <array>

#include "ui/paint.h"
#include "ui/theme.h"

namespace pysolate::viz {
namespace {

constexpr std::array<std::string_view, 35> kKeywords = {
    "False", "None",     "True", "and",    "as",     "assert", "async",  "await",   "break",
    "class", "continue", "def",  "del",    "elif",   "else",   "except", "finally", "for",
    "from",  "global",   "if",   "import", "in",     "is",     "lambda", "match",   "nonlocal",
    "not",   "or",       "pass", "raise",  "return", "try",    "while",  "with"};

bool IsWord(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || (c & 0x80) != 0;
}
bool IsDigit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

PythonInk::PythonInk(bool dark)
    : plain_(theme().text),
      keyword_(FromHex(dark ? 0x9FB4E8 : 0x3A4FA3)),
      string_(FromHex(dark ? 0xC5B48F : 0x7A5A12)),
      number_(FromHex(dark ? 0xB8A4D9 : 0x6B3FA0)),
      comment_(theme().faint),
      call_(FromHex(dark ? 0xDCE3EE : 0x1F2733)) {}

void PythonInk::Walk(ImDrawList* list, float x, float mid_y, std::string_view line) {
  const auto put = [&](std::string_view part, ImU32 ink) {
    if (list != nullptr) x += Measure(part, kCode);
    if (list != nullptr) DrawText(list, x - Measure(part, kCode), mid_y, part, ink, kCode);
  };
  size_t i = 0;
  // Ends at the closing quotes, or at the end of the line.
  const auto triple_end = [&](size_t from) {
    const char quotes[] = {triple_, triple_, triple_};
    const size_t end = line.find(std::string_view(quotes, 3), from);
    if (end == std::string_view::npos) return line.size();
    triple_ = 0;
    return end + 3;
  };
  if (triple_ != 0) {
    i = triple_end(0);
    put(line.substr(0, i), string_);
  }
  while (i < line.size()) {
    const char c = line[i];
    size_t end = i + 1;
    ImU32 ink = plain_;
    if (c == '#') {
      end = line.size();
      ink = comment_;
    } else if (c == '"' || c == '\'') {
      ink = string_;
      if (line.substr(i, 3) == std::string(3, c)) {
        triple_ = c;
        end = triple_end(i + 3);
      } else {
        while (end < line.size() && line[end] != c) end += line[end] == '\\' ? 2 : 1;
        end = std::min(line.size(), end + 1);
      }
    } else if (IsDigit(c)) {
      while (end < line.size() && (IsWord(line[end]) || line[end] == '.')) ++end;
      ink = number_;
    } else if (IsWord(c)) {
      while (end < line.size() && IsWord(line[end])) ++end;
      const std::string_view word = line.substr(i, end - i);
      if (std::find(kKeywords.begin(), kKeywords.end(), word) != kKeywords.end()) {
        ink = keyword_;
      } else if (end < line.size() && line[end] == '(') {
        ink = call_;
      } else if (end < line.size() && (line[end] == '"' || line[end] == '\'') && word.size() <= 2) {
        ink = string_;  // f"", rb""
      }
    } else {
      while (end < line.size() && !IsWord(line[end]) && line[end] != '#' && line[end] != '"' && line[end] != '\'')
        ++end;
    }
    put(line.substr(i, end - i), ink);
    i = end;
  }
}

}  // namespace pysolate::viz
