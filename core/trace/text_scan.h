// Finding the bytes of a string that need a second look, eight at a time, and UTF-8 by the book (RFC 3629: shortest
// form, no surrogates, nothing above U+10FFFF).
#ifndef PYSOLATE_TRACE_TEXT_SCAN_H_
#define PYSOLATE_TRACE_TEXT_SCAN_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace pysolate::trace_internal {

// True for a byte that can be copied as it is inside a JSON string and needs no UTF-8 check.
constexpr bool IsPlain(unsigned char c) { return c >= 0x20 && c < 0x80 && c != '"' && c != '\\'; }

// The first byte in [p, end) that is not plain, or `end`.
inline const char* SkipPlain(const char* p, const char* end) {
  constexpr uint64_t kOnes = 0x0101010101010101u;
  constexpr uint64_t kHigh = 0x8080808080808080u;
  while (end - p >= 8) {
    uint64_t v;
    std::memcpy(&v, p, 8);
    const uint64_t quote = v ^ (kOnes * '"');
    const uint64_t slash = v ^ (kOnes * '\\');
    // A high bit marks, in this order: a byte below 0x20, a quote, a backslash, a byte above 0x7f. Borrows can only
    // mark bytes behind a true hit, so the lowest mark is always right.
    const uint64_t hits = ((v - kOnes * 0x20) | (quote - kOnes) | (slash - kOnes) | v) & kHigh;
    if (hits != 0) return p + (std::countr_zero(hits) >> 3);
    p += 8;
  }
  while (p != end && IsPlain(static_cast<unsigned char>(*p))) ++p;
  return p;
}

// Length of the valid UTF-8 sequence of one code point at `p` (1 to 4), or 0.
inline size_t Utf8Length(const char* p, const char* end) {
  const auto at = [&](int i) { return static_cast<unsigned char>(p[i]); };
  const auto tail = [&](int i) { return (at(i) & 0xC0) == 0x80; };
  const size_t left = static_cast<size_t>(end - p);
  if (left == 0) return 0;
  const unsigned char c = at(0);
  if (c < 0x80) return 1;
  if (c < 0xC2) return 0;
  if (c < 0xE0) return left >= 2 && tail(1) ? 2 : 0;
  if (c < 0xF0) {
    if (left < 3 || !tail(1) || !tail(2)) return 0;
    if (c == 0xE0 && at(1) < 0xA0) return 0;
    if (c == 0xED && at(1) >= 0xA0) return 0;
    return 3;
  }
  if (c < 0xF5) {
    if (left < 4 || !tail(1) || !tail(2) || !tail(3)) return 0;
    if (c == 0xF0 && at(1) < 0x90) return 0;
    if (c == 0xF4 && at(1) >= 0x90) return 0;
    return 4;
  }
  return 0;
}

// How many bytes the sequence that starts with `lead` wants; 0 if none can start so.
constexpr size_t Utf8Wants(unsigned char lead) {
  return lead < 0x80 ? 1 : lead < 0xC2 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF5 ? 4 : 0;
}

// Writes `code` (a scalar value) as UTF-8; returns the end of what was written.
inline char* PutUtf8(char* out, uint32_t code) {
  if (code < 0x80) {
    *out++ = static_cast<char>(code);
  } else if (code < 0x800) {
    *out++ = static_cast<char>(0xC0 | code >> 6);
    *out++ = static_cast<char>(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    *out++ = static_cast<char>(0xE0 | code >> 12);
    *out++ = static_cast<char>(0x80 | (code >> 6 & 0x3F));
    *out++ = static_cast<char>(0x80 | (code & 0x3F));
  } else {
    *out++ = static_cast<char>(0xF0 | code >> 18);
    *out++ = static_cast<char>(0x80 | (code >> 12 & 0x3F));
    *out++ = static_cast<char>(0x80 | (code >> 6 & 0x3F));
    *out++ = static_cast<char>(0x80 | (code & 0x3F));
  }
  return out;
}

}  // namespace pysolate::trace_internal

#endif  // PYSOLATE_TRACE_TEXT_SCAN_H_
