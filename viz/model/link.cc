#include "model/link.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace pysolate::viz {
namespace {

constexpr std::string_view kPresets[] = {"debug", "read", "present"};

// Percent-encodes everything but what a fragment may hold and that has no meaning here.
std::string Encode(std::string_view s) {
  constexpr std::string_view kPlain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";
  constexpr char kHex[] = "0123456789ABCDEF";
  std::string out;
  for (const char c : s) {
    if (kPlain.find(c) != std::string_view::npos) {
      out += c;
    } else {
      const auto byte = static_cast<uint8_t>(c);
      out += '%';
      out += kHex[byte >> 4];
      out += kHex[byte & 15];
    }
  }
  return out;
}

int HexValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// A '%' without two hex digits stands for itself.
std::string Decode(std::string_view s) {
  std::string out;
  for (size_t i = 0; i < s.size(); ++i) {
    if (s[i] == '%' && i + 2 < s.size() && HexValue(s[i + 1]) >= 0 && HexValue(s[i + 2]) >= 0) {
      out += static_cast<char>(HexValue(s[i + 1]) * 16 + HexValue(s[i + 2]));
      i += 2;
    } else {
      out += s[i];
    }
  }
  return out;
}

// Whole numbers without a point, others with up to three decimals.
std::string Number(double v) {
  char buffer[64];
  if (v == std::floor(v) && std::fabs(v) < 1e15) {
    std::snprintf(buffer, sizeof buffer, "%.0f", v);
  } else {
    std::snprintf(buffer, sizeof buffer, "%.3f", v);
  }
  return buffer;
}

bool ParseDouble(const std::string& s, double* out) {
  char* end = nullptr;
  *out = std::strtod(s.c_str(), &end);
  return !s.empty() && end == s.c_str() + s.size() && std::isfinite(*out) && std::fabs(*out) < 1e18;
}

template <class T>
bool ParseInteger(const std::string& s, T* out) {
  const auto result = std::from_chars(s.data(), s.data() + s.size(), *out);
  return result.ec == std::errc() && result.ptr == s.data() + s.size();
}

// "a..b" with a < b.
bool ParseRange(const std::string& s, double* a, double* b) {
  const size_t dots = s.find("..");
  return dots != std::string::npos && ParseDouble(s.substr(0, dots), a) && ParseDouble(s.substr(dots + 2), b) &&
         *a < *b;
}

}  // namespace

std::string_view Name(Preset preset) { return kPresets[static_cast<size_t>(preset)]; }

std::string EncodeLink(const Link& link) {
  std::string out;
  const auto add = [&](std::string_view key, const std::string& value) {
    if (!out.empty()) out += '&';
    out += std::string(key) + "=" + value;
  };
  if (!link.trace.empty()) add("trace", Encode(link.trace));
  if (link.at) add("at", std::to_string(*link.at));
  if (link.view) {
    add("x", std::string(link.view->axis == Axis::kTime ? "time:" : "event:") + Number(link.view->x0) + ".." +
                 Number(link.view->x1));
    add("rows", Number(link.view->row0) + ".." + Number(link.view->row1));
  }
  if (link.call != 0) add("call", std::to_string(link.call));
  if (!link.query.empty()) add("q", Encode(link.query));
  add("preset", std::string(Name(link.preset)));
  if (link.follow) add("follow", "1");
  if (!link.dark) add("theme", "light");
  return out;
}

Link DecodeLink(std::string_view fragment, std::vector<std::string>* problems) {
  Link link;
  ViewBox view;
  bool has_x = false, has_rows = false;
  const auto complain = [&](const std::string& key, const std::string& value, std::string_view expected) {
    if (problems != nullptr) {
      problems->push_back("link: " + key + "=" + value + " is not understood, expected " + std::string(expected));
    }
  };
  if (!fragment.empty() && fragment.front() == '#') fragment.remove_prefix(1);
  while (!fragment.empty()) {
    const size_t end = std::min(fragment.find('&'), fragment.size());
    const std::string_view part = fragment.substr(0, end);
    fragment.remove_prefix(std::min(end + 1, fragment.size()));
    const size_t equal = part.find('=');
    if (equal == std::string_view::npos) continue;
    const std::string key(part.substr(0, equal));
    const std::string value = Decode(part.substr(equal + 1));
    if (key == "trace") {
      link.trace = value;
    } else if (key == "at") {
      uint64_t seq = 0;
      if (ParseInteger(value, &seq)) {
        link.at = seq;
      } else {
        complain(key, value, "an event's number");
      }
    } else if (key == "x") {
      const size_t colon = value.find(':');
      const std::string axis = value.substr(0, colon);
      if (colon != std::string::npos && (axis == "time" || axis == "event") &&
          ParseRange(value.substr(colon + 1), &view.x0, &view.x1)) {
        view.axis = axis == "time" ? Axis::kTime : Axis::kEvent;
        has_x = true;
      } else {
        complain(key, value, "time:a..b or event:a..b");
      }
    } else if (key == "rows") {
      has_rows = ParseRange(value, &view.row0, &view.row1);
      if (!has_rows) complain(key, value, "a..b");
    } else if (key == "call") {
      if (!ParseInteger(value, &link.call)) complain(key, value, "a call's number");
    } else if (key == "q") {
      link.query = value;
    } else if (key == "preset") {
      bool known = false;
      for (int i = 0; i < 3; ++i) {
        if (value == kPresets[i]) {
          link.preset = static_cast<Preset>(i);
          known = true;
        }
      }
      if (!known) complain(key, value, "debug, read or present");
    } else if (key == "follow") {
      link.follow = value == "1";
    } else if (key == "theme") {
      if (value == "light" || value == "dark") {
        link.dark = value == "dark";
      } else {
        complain(key, value, "dark or light");
      }
    }
  }
  if (has_x && has_rows) link.view = view;
  return link;
}

}  // namespace pysolate::viz
