#include "sched/json_text.h"

#include <cstddef>

namespace pysolate::sched {

namespace {

// Length of the valid UTF-8 sequence at `text[i]`, 0 if there is none (RFC 3629: no surrogates, no overlong forms).
size_t SequenceAt(std::string_view text, size_t i) {
  const auto byte = [&](size_t k) { return k < text.size() ? static_cast<unsigned char>(text[k]) : 0; };
  const unsigned char lead = byte(i);
  if (lead < 0x80) return 1;
  size_t size = lead >= 0xf0 && lead <= 0xf4  ? 4
                : lead >= 0xe0 && lead < 0xf0 ? 3
                : lead >= 0xc2 && lead < 0xe0 ? 2
                                              : 0;
  if (size == 0) return 0;
  for (size_t k = 1; k < size; ++k) {
    if ((byte(i + k) & 0xc0) != 0x80) return 0;
  }
  const unsigned char second = byte(i + 1);
  if ((lead == 0xe0 && second < 0xa0) || (lead == 0xed && second > 0x9f) || (lead == 0xf0 && second < 0x90) ||
      (lead == 0xf4 && second > 0x8f)) {
    return 0;
  }
  return size;
}

}  // namespace

JsonText& JsonText::Text(std::string_view text) {
  out_ += '"';
  for (size_t i = 0; i < text.size();) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c == '"' || c == '\\') {
      out_ += '\\';
      out_ += static_cast<char>(c);
      ++i;
    } else if (c < 0x20) {
      static constexpr char kHex[] = "0123456789abcdef";
      out_ += "\\u00";
      out_ += kHex[c >> 4];
      out_ += kHex[c & 15];
      ++i;
    } else if (const size_t size = SequenceAt(text, i); size != 0) {
      out_ += text.substr(i, size);
      i += size;
    } else {
      out_ += "\xEF\xBF\xBD";  // U+FFFD
      ++i;
    }
  }
  out_ += '"';
  return *this;
}

}  // namespace pysolate::sched
