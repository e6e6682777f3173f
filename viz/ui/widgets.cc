#include "ui/widgets.h"

#include <algorithm>
#include <cmath>

namespace pysolate::viz {
namespace {

constexpr float kIcon = 12;
constexpr float kButtonPad = 8;

std::string IdOf(std::string_view name) { return "##" + std::string(name); }

// An invisible control at a place of the current window.
bool Place(std::string_view name, const Box& box) {
  ImGui::SetCursorScreenPos(box.min());
  return ImGui::InvisibleButton(IdOf(name).c_str(), ImVec2(std::max(1.0f, box.width()), std::max(1.0f, box.height())));
}

}  // namespace

std::string Grouped(uint64_t n) {
  std::string digits = std::to_string(n), out;
  for (size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) out += ',';
    out += digits[i];
  }
  return out;
}

float ButtonWidth(const ButtonLook& look) {
  float w = kButtonPad * 2;
  if (look.icon != Icon::kNone) w += kIcon;
  if (!look.label.empty()) w += Measure(look.label, kBody) + (look.icon != Icon::kNone ? 6 : 0);
  return std::ceil(w);
}

bool Button(Context& context, std::string_view name, const Box& box, const ButtonLook& look) {
  const bool clicked = Place(name, box) && look.enabled;
  const bool hovered = ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled);
  const Theme& t = theme();
  ImDrawList* list = ImGui::GetWindowDrawList();
  context.items.Add(name, box);
  if (look.active) {
    list->AddRectFilled(box.min(), box.max(), t.accent_soft, kRounding);
    list->AddRect(box.min(), box.max(), WithAlpha(t.accent, 0.55f), kRounding);
  } else if (hovered && look.enabled) {
    list->AddRectFilled(box.min(), box.max(), t.hover, kRounding);
  } else if (!look.quiet) {
    list->AddRectFilled(box.min(), box.max(), t.raised, kRounding);
  }
  if (!look.quiet && !look.active) list->AddRect(box.min(), box.max(), t.dark ? t.line : t.line_strong, kRounding);
  const ImU32 ink = !look.enabled ? WithAlpha(t.faint, 0.55f) : look.active ? t.accent : look.quiet ? t.dim : t.text;
  float x = box.x0 + kButtonPad;
  if (look.label.empty()) {
    DrawIcon(list, look.icon, ImVec2(std::floor(box.mid_x()), std::floor(box.mid_y())), kIcon, ink);
  } else {
    if (look.icon != Icon::kNone) {
      DrawIcon(list, look.icon, ImVec2(x + kIcon / 2, std::floor(box.mid_y())), kIcon, ink);
      x += kIcon + 6;
    }
    DrawTextFit(list, x, box.mid_y(), box.x1 - x - 4, look.label, ink, kBody);
  }
  if (ImGui::IsItemHovered(ImGuiHoveredFlags_ForTooltip) && !look.tooltip.empty()) ShowTooltip(look.tooltip, look.key);
  if (hovered && look.enabled) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  return clicked;
}

void ShowTooltipBox(const std::function<ImVec2(ImDrawList*, float, float)>& body) {
  constexpr float kPadX = 10, kPadY = 8;
  const ImVec2 inner = body(nullptr, 0, 0);
  const ImVec2 size(std::ceil(inner.x) + 2 * kPadX, std::ceil(inner.y) + 2 * kPadY);
  const ImVec2 screen = ImGui::GetIO().DisplaySize, mouse = ImGui::GetIO().MousePos;
  float x = mouse.x + 14, y = mouse.y + 16;
  if (x + size.x > screen.x - 4) x = std::max(4.0f, mouse.x - size.x - 10);
  if (y + size.y > screen.y - 4) y = std::max(4.0f, mouse.y - size.y - 10);
  x = std::floor(x);
  y = std::floor(y);
  ImDrawList* list = ImGui::GetForegroundDrawList();
  const Theme& t = theme();
  for (int i = 3; i >= 1; --i) {
    const float spread = static_cast<float>(i) * 2;
    list->AddRectFilled(ImVec2(x - spread + 1, y - spread + 3),
                        ImVec2(x + size.x + spread - 1, y + size.y + spread + 3), WithAlpha(t.shadow, 0.25f),
                        8 + spread);
  }
  list->AddRectFilled(ImVec2(x, y), ImVec2(x + size.x, y + size.y), t.dark ? t.raised : t.canvas, 6);
  list->AddRect(ImVec2(x, y), ImVec2(x + size.x, y + size.y), t.line_strong, 6);
  body(list, x + kPadX, y + kPadY);
}

void ShowTooltip(std::string_view text, std::string_view key) {
  ShowTooltipBox([&](ImDrawList* list, float x, float y) {
    constexpr float kMaxWidth = 320;
    const float plain = std::min(kMaxWidth, std::ceil(Measure(text, kBody)) + 1);
    const float height = DrawTextWrapped(list, x, y, plain, text, theme().text, kBody, list != nullptr);
    float width = plain;
    if (!key.empty()) {
      const float key_width = std::ceil(Measure(key, kCodeSmall)) + 10;
      if (list != nullptr) {
        const Box cap{x + width + 10, y + 1, x + width + 10 + key_width, y + height - 1};
        list->AddRect(cap.min(), cap.max(), theme().line_strong, 3);
        DrawTextCentred(list, cap.mid_x(), cap.mid_y(), key, theme().dim, kCodeSmall);
      }
      width += 10 + key_width;
    }
    return ImVec2(width, height);
  });
}

float SegmentedWidth(std::span<const std::string_view> words) {
  float w = 0;
  for (std::string_view word : words) w += std::ceil(Measure(word, kSmall)) + 16;
  return w;
}

int Segmented(Context& context, std::string_view name, const Box& box, std::span<const std::string_view> words,
              int active, std::span<const std::string_view> tooltips) {
  const Theme& t = theme();
  ImDrawList* list = ImGui::GetWindowDrawList();
  int clicked = -1;
  float x = box.x0;
  list->AddRectFilled(box.min(), ImVec2(box.x0 + SegmentedWidth(words), box.y1), t.raised, kRounding);
  for (size_t i = 0; i < words.size(); ++i) {
    const float w = std::ceil(Measure(words[i], kSmall)) + 16;
    const Box part{x, box.y0, x + w, box.y1};
    const std::string part_name = std::string(name) + "/" + std::string(words[i]);
    if (Place(part_name, part)) clicked = static_cast<int>(i);
    const bool on = static_cast<int>(i) == active;
    if (on) {
      list->AddRectFilled(part.min(), part.max(), t.accent_soft, kRounding);
    } else if (ImGui::IsItemHovered()) {
      list->AddRectFilled(part.min(), part.max(), t.hover, kRounding);
    }
    DrawTextCentred(list, part.mid_x(), part.mid_y(), words[i], on ? t.accent : t.dim, kSmall);
    if (i < tooltips.size() && ImGui::IsItemHovered(ImGuiHoveredFlags_ForTooltip)) ShowTooltip(tooltips[i]);
    context.items.Add(part_name, part);
    x += w;
  }
  list->AddRect(box.min(), ImVec2(x, box.y1), t.dark ? t.line : t.line_strong, kRounding);
  return clicked;
}

bool Splitter(Context& context, std::string_view name, const Box& box, bool vertical, float* position) {
  Box grip = box;
  // Easier to catch than it looks.
  if (vertical) {
    grip.x0 -= 2;
    grip.x1 += 2;
  } else {
    grip.y0 -= 2;
    grip.y1 += 2;
  }
  Place(name, grip);
  context.items.Add(name, grip);
  const bool active = ImGui::IsItemActive(), hovered = ImGui::IsItemHovered();
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled(box.min(), box.max(), theme().chrome);
  if (active || hovered) {
    ImGui::SetMouseCursor(vertical ? ImGuiMouseCursor_ResizeEW : ImGuiMouseCursor_ResizeNS);
    const float mx = std::floor(box.mid_x()), my = std::floor(box.mid_y());
    const ImU32 ink = active ? theme().accent : theme().line_strong;
    if (vertical) {
      list->AddRectFilled(ImVec2(mx - 1, box.y0), ImVec2(mx + 1, box.y1), ink);
    } else {
      list->AddRectFilled(ImVec2(box.x0, my - 1), ImVec2(box.x1, my + 1), ink);
    }
  }
  if (!active) return false;
  const ImVec2 delta = ImGui::GetIO().MouseDelta;
  const float moved = vertical ? delta.x : delta.y;
  *position += moved;
  return moved != 0;
}

ScrollArea::ScrollArea(std::string_view id, const Box& box, float content_height) {
  ImGui::SetCursorScreenPos(box.min());
  ImGui::BeginChild(std::string(id).c_str(), ImVec2(std::max(1.0f, box.width()), std::max(1.0f, box.height())),
                    ImGuiChildFlags_None, ImGuiWindowFlags_NoNav);
  list = ImGui::GetWindowDrawList();
  view = box;
  if (content_height > box.height()) view.x1 -= ImGui::GetStyle().ScrollbarSize;
  origin_y = std::floor(box.y0 - ImGui::GetScrollY());
  hovered = ImGui::IsWindowHovered();
  ImGui::Dummy(ImVec2(1, std::max(1.0f, content_height)));
}

ScrollArea::~ScrollArea() { ImGui::EndChild(); }

void ScrollArea::Reveal(float y, float height) {
  const float scroll = ImGui::GetScrollY();
  if (y < scroll) {
    ImGui::SetScrollY(std::max(0.0f, y - height));
  } else if (y + height > scroll + view.height()) {
    ImGui::SetScrollY(y + 2 * height - view.height());
  }
}

bool PointerIn(const Box& box) { return ImGui::IsWindowHovered() && box.Contains(ImGui::GetIO().MousePos); }
bool Clicked(const Box& box) { return PointerIn(box) && ImGui::IsMouseClicked(ImGuiMouseButton_Left); }
bool DoubleClicked(const Box& box) { return PointerIn(box) && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left); }

bool RowGround(Context& context, const ScrollArea& area, const Box& row, CallId call, bool selected) {
  const Theme& t = theme();
  const bool over =
      area.hovered && row.Contains(ImGui::GetIO().MousePos) && area.view.Contains(ImGui::GetIO().MousePos);
  if (selected) {
    area.list->AddRectFilled(row.min(), row.max(), t.accent_soft);
    area.list->AddRectFilled(row.min(), ImVec2(row.x0 + 2, row.y1), t.accent);
  } else if (over || (call != 0 && call == context.hover)) {
    area.list->AddRectFilled(row.min(), row.max(), WithAlpha(t.hover, 0.7f));
  }
  if (!over) return false;
  if (call != 0) context.Hover(call);
  return ImGui::IsMouseClicked(ImGuiMouseButton_Left);
}

float DrawTag(ImDrawList* list, float x, float mid_y, std::string_view word, ImU32 ink) {
  const float w = std::ceil(Measure(word, kSmall)) + 10;
  const Box box{std::floor(x), std::floor(mid_y) - 7, std::floor(x) + w, std::floor(mid_y) + 8};
  list->AddRect(box.min(), box.max(), WithAlpha(ink, 0.5f), 3);
  DrawText(list, box.x0 + 5, mid_y, word, ink, kSmall);
  return box.x1;
}

std::string CallWords(const TraceStore& store, CallId call) {
  return std::string(store.tool_name(call)) + "(" + std::string(store.text(store.call(call).args_text)) + ")";
}

void DrawHeadCell(ImDrawList* list, float x, float mid_y, float width, std::string_view text, bool right) {
  if (right) {
    DrawTextRight(list, x + width, mid_y, text, theme().faint, kSmall);
  } else {
    DrawTextFit(list, x, mid_y, width, text, theme().faint, kSmall);
  }
}

void DrawEmpty(ImDrawList* list, const Box& box, std::string_view title, std::string_view hint) {
  const float width = std::min(box.width() - 2 * kPad, 360.0f);
  if (width < 40 || box.height() < 20) return;
  const float hint_width = std::min(width, Measure(hint, kSmall) + 1);
  const float y = std::max(box.y0 + 12, box.mid_y() - 16);
  DrawTextCentred(list, box.mid_x(), y, Fit(title, width, kBody), theme().dim, kBody);
  if (box.height() > 60) {
    DrawTextWrapped(list, box.mid_x() - hint_width / 2, y + 12, hint_width, hint, theme().faint, kSmall, true, 3);
  }
}

}  // namespace pysolate::viz
