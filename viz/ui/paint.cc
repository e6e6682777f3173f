#include "ui/paint.h"

#include <algorithm>
#include <cmath>

namespace pysolate::viz {
namespace {

ImFont* FontOf(Ink2 type) {
  switch (type.face) {
    case Face::kStrong:
      return fonts().strong;
    case Face::kMono:
      return fonts().mono;
    case Face::kText:
      break;
  }
  return fonts().text;
}

std::string* g_tap = nullptr;

void Tap(std::string_view text) {
  if (g_tap != nullptr && !text.empty()) g_tap->append(text).push_back('\n');
}

constexpr std::string_view kEllipsis = "\xe2\x80\xa6";

// Text for one line: control characters would break it.
std::string_view OneLine(std::string_view text, std::string* held) {
  if (std::find_if(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }) ==
      text.end()) {
    return text;
  }
  held->assign(text);
  for (char& c : *held) {
    if (static_cast<unsigned char>(c) < 0x20) c = ' ';
  }
  return *held;
}

float WidthOf(std::string_view text, Ink2 type) {
  return FontOf(type)->CalcTextSizeA(type.size, FLT_MAX, 0, text.data(), text.data() + text.size()).x;
}

// Bytes of `text` that fit in `width`, cut between code points.
size_t BytesThatFit(std::string_view text, float width, Ink2 type) {
  if (text.empty() || width <= 0) return 0;
  const char* rest = nullptr;
  FontOf(type)->CalcTextSizeA(type.size, width, 0, text.data(), text.data() + text.size(), &rest);
  return rest == nullptr ? text.size() : static_cast<size_t>(rest - text.data());
}

void Put(ImDrawList* list, float x, float mid_y, std::string_view text, ImU32 colour, Ink2 type) {
  if (text.empty()) return;
  const float y = std::floor(mid_y - type.size * 0.5f - (type.face == Face::kMono ? 0.5f : 0.0f));
  list->AddText(FontOf(type), type.size, ImVec2(std::floor(x), y), colour, text.data(), text.data() + text.size());
}

}  // namespace

void SetTextTap(std::string* tap) { g_tap = tap; }

float LineHeight(Ink2 type) { return std::round(type.size * 1.45f); }

float Measure(std::string_view text, Ink2 type) {
  std::string held;
  return WidthOf(OneLine(text, &held), type);
}

float DrawText(ImDrawList* list, float x, float mid_y, std::string_view text, ImU32 colour, Ink2 type) {
  Tap(text);
  std::string held;
  text = OneLine(text, &held);
  Put(list, x, mid_y, text, colour, type);
  return std::floor(x) + WidthOf(text, type);
}

std::string Fit(std::string_view text, float width, Ink2 type) {
  std::string held;
  text = OneLine(text, &held);
  if (WidthOf(text, type) <= width) return std::string(text);
  const float dots = WidthOf(kEllipsis, type);
  if (width < dots) return {};
  std::string out(text.substr(0, BytesThatFit(text, width - dots, type)));
  while (!out.empty() && out.back() == ' ') out.pop_back();
  return out.append(kEllipsis);
}

float DrawTextFit(ImDrawList* list, float x, float mid_y, float width, std::string_view text, ImU32 colour, Ink2 type) {
  Tap(text);
  const std::string fitted = Fit(text, width, type);
  Put(list, x, mid_y, fitted, colour, type);
  return std::floor(x) + (fitted.empty() ? 0 : WidthOf(fitted, type));
}

void DrawTextRight(ImDrawList* list, float x, float mid_y, std::string_view text, ImU32 colour, Ink2 type) {
  Tap(text);
  std::string held;
  text = OneLine(text, &held);
  Put(list, x - WidthOf(text, type), mid_y, text, colour, type);
}

void DrawTextCentred(ImDrawList* list, float x, float mid_y, std::string_view text, ImU32 colour, Ink2 type) {
  Tap(text);
  std::string held;
  text = OneLine(text, &held);
  Put(list, x - WidthOf(text, type) / 2, mid_y, text, colour, type);
}

float DrawTextWrapped(ImDrawList* list, float x, float y, float width, std::string_view text, ImU32 colour, Ink2 type,
                      bool draw, int max_lines) {
  const float step = LineHeight(type);
  float used = 0;
  int lines = 0;
  while (!text.empty() && lines < max_lines) {
    const size_t newline = text.find('\n');
    std::string_view paragraph = text.substr(0, newline);
    text = newline == std::string_view::npos ? std::string_view() : text.substr(newline + 1);
    do {
      size_t fits = BytesThatFit(paragraph, width, type);
      if (fits < paragraph.size()) {
        const size_t space = paragraph.substr(0, fits + 1).rfind(' ');
        if (space != std::string_view::npos && space > 0) fits = space;
        if (fits == 0) fits = std::min<size_t>(paragraph.size(), 4);  // narrower than a letter: go on all the same
      }
      const bool last = lines + 1 == max_lines && (fits < paragraph.size() || !text.empty());
      if (draw) {
        if (last) {
          DrawTextFit(list, x, y + used + step / 2, width, std::string(paragraph) + " \xe2\x80\xa6", colour, type);
        } else {
          DrawText(list, x, y + used + step / 2, paragraph.substr(0, fits), colour, type);
        }
      }
      used += step;
      ++lines;
      paragraph.remove_prefix(fits);
      while (!paragraph.empty() && paragraph.front() == ' ') paragraph.remove_prefix(1);
    } while (!paragraph.empty() && lines < max_lines);
  }
  return used;
}

void DrawGlyph(ImDrawList* list, Glyph glyph, ImVec2 c, float size, ImU32 colour) {
  const float r = size * 0.46f;
  const float thick = std::max(1.2f, size * 0.12f);
  const ImU32 paper = theme().canvas;
  const auto tick = [&](ImVec2 at, float s, ImU32 ink, float w) {
    const ImVec2 points[] = {{at.x - s * 0.52f, at.y + s * 0.02f},
                             {at.x - s * 0.12f, at.y + s * 0.42f},
                             {at.x + s * 0.55f, at.y - s * 0.42f}};
    list->AddPolyline(points, 3, ink, 0, w);
  };
  const auto cross = [&](ImVec2 at, float s, ImU32 ink, float w) {
    const float d = s * 0.42f;
    list->AddLine(ImVec2(at.x - d, at.y - d), ImVec2(at.x + d, at.y + d), ink, w);
    list->AddLine(ImVec2(at.x - d, at.y + d), ImVec2(at.x + d, at.y - d), ink, w);
  };
  const auto ring = [&](ImVec2 at, float radius) { list->AddCircle(at, radius - thick / 2, colour, 0, thick); };
  switch (glyph) {
    case Glyph::kNone:
      break;
    case Glyph::kRing:
      ring(c, r);
      break;
    case Glyph::kDiamond:
      list->AddQuadFilled(ImVec2(c.x, c.y - r * 1.08f), ImVec2(c.x + r, c.y), ImVec2(c.x, c.y + r * 1.08f),
                          ImVec2(c.x - r, c.y), colour);
      break;
    case Glyph::kTriangle:
      list->AddTriangleFilled(ImVec2(c.x - r * 0.75f, c.y - r), ImVec2(c.x + r * 1.0f, c.y),
                              ImVec2(c.x - r * 0.75f, c.y + r), colour);
      break;
    case Glyph::kTick:
      list->AddCircleFilled(c, r, colour);
      tick(c, r * 0.95f, TextOn(colour), thick);
      break;
    case Glyph::kTickHollow:
      ring(c, r);
      tick(c, r * 0.85f, colour, thick);
      break;
    case Glyph::kTickDash:
      tick(ImVec2(c.x, c.y - r * 0.28f), r * 1.1f, colour, thick);
      list->AddLine(ImVec2(c.x - r * 0.8f, c.y + r * 0.85f), ImVec2(c.x + r * 0.8f, c.y + r * 0.85f), colour, thick);
      break;
    case Glyph::kCross:
      list->AddCircleFilled(c, r, colour);
      cross(c, r * 0.95f, TextOn(colour), thick * 1.1f);
      break;
    case Glyph::kCrossHollow:
      ring(c, r);
      cross(c, r * 0.8f, colour, thick);
      break;
    case Glyph::kBarredCircle:
    case Glyph::kBarredCircleTick:
    case Glyph::kBarredCircleCross: {
      const bool plain = glyph == Glyph::kBarredCircle;
      const ImVec2 at = plain ? c : ImVec2(c.x - r * 0.25f, c.y - r * 0.25f);
      const float radius = plain ? r : r * 0.8f;
      ring(at, radius);
      list->AddLine(ImVec2(at.x - radius, at.y), ImVec2(at.x + radius, at.y), colour, thick);
      if (!plain) {
        const ImVec2 mark(c.x + r * 0.6f, c.y + r * 0.6f);
        list->AddCircleFilled(mark, r * 0.62f, paper);
        if (glyph == Glyph::kBarredCircleTick) {
          tick(mark, r * 0.75f, colour, thick);
        } else {
          cross(mark, r * 0.85f, colour, thick);
        }
      }
      break;
    }
    case Glyph::kSlashedRing: {
      ring(c, r);
      const float d = r * 0.7f;
      list->AddLine(ImVec2(c.x - d, c.y + d), ImVec2(c.x + d, c.y - d), colour, thick);
      break;
    }
  }
}

void DrawHatch(ImDrawList* list, const Box& box, ImU32 colour, float step) {
  const float h = box.height();
  if (box.width() <= 0 || h <= 0) return;
  list->PushClipRect(box.min(), box.max(), true);
  const ImVec2 low = list->GetClipRectMin(), high = list->GetClipRectMax();
  // Anchored to the screen's own grid, so that strokes do not crawl while a bar grows.
  const float first = std::floor((std::max(box.x0, low.x) - h) / step) * step;
  for (float x = first; x < std::min(box.x1, high.x); x += step) {
    list->AddLine(ImVec2(x, box.y1), ImVec2(x + h, box.y0), colour, 1.3f);
  }
  list->PopClipRect();
}

void DrawDashedLine(ImDrawList* list, ImVec2 from, ImVec2 to, ImU32 colour, float thickness, float dash, float gap) {
  const float dx = to.x - from.x, dy = to.y - from.y;
  const float length = std::sqrt(dx * dx + dy * dy);
  if (length <= 0) return;
  // A line much longer than a screen is a line, not thousands of dashes.
  const float unit = std::max(dash + gap, length / 600);
  const float on = unit * dash / (dash + gap);
  for (float at = 0; at < length; at += unit) {
    const float end = std::min(at + on, length);
    list->AddLine(ImVec2(from.x + dx * at / length, from.y + dy * at / length),
                  ImVec2(from.x + dx * end / length, from.y + dy * end / length), colour, thickness);
  }
}

void DrawDashedBox(ImDrawList* list, const Box& box, ImU32 colour, float thickness) {
  const Box b = box.Shrunk(thickness / 2);
  DrawDashedLine(list, ImVec2(b.x0, b.y0), ImVec2(b.x1, b.y0), colour, thickness);
  DrawDashedLine(list, ImVec2(b.x1, b.y0), ImVec2(b.x1, b.y1), colour, thickness);
  DrawDashedLine(list, ImVec2(b.x1, b.y1), ImVec2(b.x0, b.y1), colour, thickness);
  DrawDashedLine(list, ImVec2(b.x0, b.y1), ImVec2(b.x0, b.y0), colour, thickness);
}

ImU32 BarSurface(Pattern pattern, ImU32 colour) {
  switch (pattern) {
    case Pattern::kOutline:
      return Mix(theme().canvas, colour, 0.08f);
    case Pattern::kDashedBorder:
      return Mix(theme().canvas, colour, 0.16f);
    case Pattern::kThickBorder:
      return Mix(theme().canvas, colour, theme().dark ? 0.45f : 0.16f);
    case Pattern::kSolid:
    case Pattern::kHatch:
      break;
  }
  return colour;
}

void DrawBar(ImDrawList* list, const Box& box, Pattern pattern, ImU32 colour, bool open_right, float strength) {
  if (box.width() < 0.5f) return;
  const float rounding = std::min(3.0f, box.width() / 3);
  const ImDrawFlags corners = open_right ? ImDrawFlags_RoundCornersLeft : ImDrawFlags_RoundCornersAll;
  const ImU32 full = WithAlpha(colour, strength);
  const ImU32 surface = WithAlpha(BarSurface(pattern, colour), strength);
  const bool narrow = box.width() < 5;
  if (narrow) {
    list->AddRectFilled(box.min(), box.max(), full, 1);
    return;
  }
  const auto edge = [&](float thickness) {
    const Box b = box.Shrunk(thickness / 2);
    if (!open_right) {
      list->AddRect(b.min(), b.max(), full, rounding, 0, thickness);
      return;
    }
    list->AddLine(ImVec2(box.x0, b.y0), ImVec2(box.x1, b.y0), full, thickness);
    list->AddLine(ImVec2(box.x0, b.y1), ImVec2(box.x1, b.y1), full, thickness);
    list->AddLine(ImVec2(b.x0, box.y0), ImVec2(b.x0, box.y1), full, thickness);
  };
  list->AddRectFilled(box.min(), box.max(), surface, rounding, corners);
  switch (pattern) {
    case Pattern::kSolid:
      break;
    case Pattern::kOutline:
      edge(1.2f);
      break;
    case Pattern::kThickBorder:
      edge(2.0f);
      break;
    case Pattern::kDashedBorder:
      if (open_right) {
        DrawDashedLine(list, ImVec2(box.x0, box.y0 + 0.6f), ImVec2(box.x1, box.y0 + 0.6f), full, 1.3f);
        DrawDashedLine(list, ImVec2(box.x0, box.y1 - 0.6f), ImVec2(box.x1, box.y1 - 0.6f), full, 1.3f);
        list->AddLine(ImVec2(box.x0 + 0.6f, box.y0), ImVec2(box.x0 + 0.6f, box.y1), full, 1.3f);
      } else {
        DrawDashedBox(list, box, full, 1.3f);
      }
      break;
    case Pattern::kHatch:
      DrawHatch(list, box, WithAlpha(theme().canvas, 0.22f * strength), 7);
      break;
  }
  if (open_right) {
    // A torn edge: the bar goes on.
    const float w = std::min(5.0f, box.width() / 2), h = box.height() / 3;
    const ImU32 paper = theme().canvas;
    for (int i = 0; i < 3; ++i) {
      const float y = box.y0 + h * static_cast<float>(i);
      list->AddTriangleFilled(ImVec2(box.x1 + 0.5f, y), ImVec2(box.x1 + 0.5f, y + h), ImVec2(box.x1 - w, y + h), paper);
    }
  }
}

void DrawArrowHead(ImDrawList* list, ImVec2 tip, ImVec2 direction, float size, ImU32 colour) {
  const float length = std::sqrt(direction.x * direction.x + direction.y * direction.y);
  if (length <= 0) return;
  const float ux = direction.x / length, uy = direction.y / length;
  const ImVec2 base(tip.x - ux * size, tip.y - uy * size);
  list->AddTriangleFilled(tip, ImVec2(base.x - uy * size * 0.5f, base.y + ux * size * 0.5f),
                          ImVec2(base.x + uy * size * 0.5f, base.y - ux * size * 0.5f), colour);
}

void DrawIcon(ImDrawList* list, Icon icon, ImVec2 c, float size, ImU32 colour) {
  const float r = size / 2, w = 1.5f;
  const auto line = [&](float x0, float y0, float x1, float y1) {
    list->AddLine(ImVec2(c.x + x0 * r, c.y + y0 * r), ImVec2(c.x + x1 * r, c.y + y1 * r), colour, w);
  };
  const auto triangle = [&](float x, float direction, float s) {
    list->AddTriangleFilled(ImVec2(c.x + (x - direction * s * 0.6f) * r, c.y - s * r),
                            ImVec2(c.x + (x + direction * s * 0.8f) * r, c.y),
                            ImVec2(c.x + (x - direction * s * 0.6f) * r, c.y + s * r), colour);
  };
  const auto bar = [&](float x) {
    list->AddRectFilled(ImVec2(c.x + (x - 0.13f) * r, c.y - 0.8f * r), ImVec2(c.x + (x + 0.13f) * r, c.y + 0.8f * r),
                        colour, 1);
  };
  switch (icon) {
    case Icon::kNone:
      break;
    case Icon::kPlay:
      triangle(0, 1, 0.95f);
      break;
    case Icon::kPause:
      list->AddRectFilled(ImVec2(c.x - 0.7f * r, c.y - 0.85f * r), ImVec2(c.x - 0.18f * r, c.y + 0.85f * r), colour, 1);
      list->AddRectFilled(ImVec2(c.x + 0.18f * r, c.y - 0.85f * r), ImVec2(c.x + 0.7f * r, c.y + 0.85f * r), colour, 1);
      break;
    case Icon::kStep:
      bar(-0.6f);
      triangle(0.25f, 1, 0.8f);
      break;
    case Icon::kStepBack:
      bar(0.6f);
      triangle(-0.25f, -1, 0.8f);
      break;
    case Icon::kStart:
      bar(-0.85f);
      triangle(-0.2f, -1, 0.65f);
      triangle(0.55f, -1, 0.65f);
      break;
    case Icon::kEnd:
      bar(0.85f);
      triangle(0.2f, 1, 0.65f);
      triangle(-0.55f, 1, 0.65f);
      break;
    case Icon::kSearch:
      list->AddCircle(ImVec2(c.x - 0.15f * r, c.y - 0.15f * r), 0.6f * r, colour, 0, w);
      line(0.3f, 0.3f, 0.85f, 0.85f);
      break;
    case Icon::kFollow:
      line(-0.8f, 0, 0.4f, 0);
      line(0, -0.45f, 0.45f, 0);
      line(0, 0.45f, 0.45f, 0);
      line(0.85f, -0.75f, 0.85f, 0.75f);
      break;
    case Icon::kFit:
      for (float x : {-1.0f, 1.0f}) {
        for (float y : {-1.0f, 1.0f}) {
          line(0.85f * x, 0.75f * y, 0.3f * x, 0.75f * y);
          line(0.85f * x, 0.75f * y, 0.85f * x, 0.25f * y);
        }
      }
      break;
    case Icon::kHelp:
      list->AddCircle(c, r * 0.95f, colour, 0, w);
      DrawTextCentred(list, c.x + 0.5f, c.y, "?", colour, {Face::kStrong, std::floor(size * 0.8f)});
      break;
    case Icon::kSun:
      list->AddCircle(c, 0.42f * r, colour, 0, w);
      for (int i = 0; i < 8; ++i) {
        const float a = 0.7853982f * static_cast<float>(i);
        line(0.68f * std::cos(a), 0.68f * std::sin(a), 0.98f * std::cos(a), 0.98f * std::sin(a));
      }
      break;
    case Icon::kMoon: {
      const int steps = 14;
      for (int i = 0; i <= steps; ++i) {
        const float a = 0.6f + 4.3f * static_cast<float>(i) / steps;
        list->PathLineTo(ImVec2(c.x + 0.85f * r * std::cos(a), c.y + 0.85f * r * std::sin(a)));
      }
      for (int i = steps; i >= 0; --i) {
        const float a = 1.15f + 3.2f * static_cast<float>(i) / steps;
        list->PathLineTo(ImVec2(c.x + 0.35f * r + 0.72f * r * std::cos(a), c.y - 0.22f * r + 0.72f * r * std::sin(a)));
      }
      list->PathStroke(colour, ImDrawFlags_Closed, w);
      break;
    }
    case Icon::kBreak:
      list->AddCircleFilled(c, 0.7f * r, colour);
      break;
    case Icon::kClose:
      line(-0.6f, -0.6f, 0.6f, 0.6f);
      line(-0.6f, 0.6f, 0.6f, -0.6f);
      break;
    case Icon::kChevronDown:
      line(-0.6f, -0.25f, 0, 0.35f);
      line(0, 0.35f, 0.6f, -0.25f);
      break;
    case Icon::kChevronUp:
      line(-0.6f, 0.25f, 0, -0.35f);
      line(0, -0.35f, 0.6f, 0.25f);
      break;
    case Icon::kChevronLeft:
      line(0.25f, -0.6f, -0.35f, 0);
      line(-0.35f, 0, 0.25f, 0.6f);
      break;
    case Icon::kChevronRight:
      line(-0.25f, -0.6f, 0.35f, 0);
      line(0.35f, 0, -0.25f, 0.6f);
      break;
    case Icon::kLayout:
      list->AddRect(ImVec2(c.x - 0.9f * r, c.y - 0.75f * r), ImVec2(c.x + 0.9f * r, c.y + 0.75f * r), colour, 2, 0, w);
      line(0.2f, -0.75f, 0.2f, 0.75f);
      line(-0.9f, 0.2f, 0.2f, 0.2f);
      break;
    case Icon::kCommands:
      for (float y : {-0.6f, 0.0f, 0.6f}) line(-0.85f, y, 0.85f, y);
      break;
    case Icon::kExport:
      line(0, -0.9f, 0, 0.35f);
      line(-0.42f, -0.05f, 0, 0.38f);
      line(0.42f, -0.05f, 0, 0.38f);
      line(-0.8f, 0.85f, 0.8f, 0.85f);
      break;
    case Icon::kWarning:
      list->AddTriangle(ImVec2(c.x, c.y - 0.85f * r), ImVec2(c.x + 0.95f * r, c.y + 0.8f * r),
                        ImVec2(c.x - 0.95f * r, c.y + 0.8f * r), colour, w);
      line(0, -0.25f, 0, 0.25f);
      line(0, 0.45f, 0, 0.6f);
      break;
    case Icon::kFold:
      line(-0.9f, 0, -0.35f, 0);
      line(0.35f, 0, 0.9f, 0);
      line(-0.3f, 0.6f, -0.05f, -0.6f);
      line(0.05f, 0.6f, 0.3f, -0.6f);
      break;
  }
}

}  // namespace pysolate::viz
