#include "trace/json_text.h"

#include <cmath>

#include "trace/text_scan.h"

namespace pysolate::trace_internal {

void AppendJsonString(std::string_view text, std::string* out) {
  *out += '"';
  const char* p = text.data();
  const char* const end = p + text.size();
  while (true) {
    const char* const plain = SkipPlain(p, end);
    out->append(p, plain);
    p = plain;
    if (p == end) break;
    const auto c = static_cast<unsigned char>(*p);
    if (c >= 0x80) {
      const size_t n = Utf8Length(p, end);
      if (n == 0) {
        *out += "\xEF\xBF\xBD";
        ++p;
      } else {
        out->append(p, n);
        p += n;
      }
      continue;
    }
    switch (c) {
      case '"':
        *out += "\\\"";
        break;
      case '\\':
        *out += "\\\\";
        break;
      case '\n':
        *out += "\\n";
        break;
      case '\r':
        *out += "\\r";
        break;
      case '\t':
        *out += "\\t";
        break;
      default: {
        static constexpr char kHex[] = "0123456789abcdef";
        *out += "\\u00";
        *out += kHex[c >> 4];
        *out += kHex[c & 15];
      }
    }
    ++p;
  }
  *out += '"';
}

JsonText& JsonText::Key(std::string_view key) {
  Separate();
  AppendJsonString(key, &out_);
  out_ += ':';
  needs_comma_ = false;
  return *this;
}

JsonText& JsonText::Text(std::string_view v) {
  Separate();
  AppendJsonString(v, &out_);
  return *this;
}

JsonText& JsonText::Int(int64_t v) { return Raw(std::to_string(v)); }

JsonText& JsonText::Number(double v) {
  // By hand: printf's way with floating numbers would be 10 KB of the wasm core.
  if (!(std::abs(v) < 9e12)) return Raw("null");
  const auto millionths = static_cast<int64_t>(std::abs(v) * 1e6 + 0.5);
  std::string text = v < 0 && millionths != 0 ? "-" : "";
  text += std::to_string(millionths / 1'000'000);
  if (const int64_t rest = millionths % 1'000'000; rest != 0) {
    const std::string digits = std::to_string(1'000'000 + rest);
    text += '.';
    text.append(digits, 1, digits.find_last_not_of('0'));
  }
  return Raw(text);
}

JsonText& JsonText::Bool(bool v) { return Raw(v ? "true" : "false"); }

JsonText& JsonText::Raw(std::string_view json) {
  Separate();
  out_ += json;
  return *this;
}

}  // namespace pysolate::trace_internal
