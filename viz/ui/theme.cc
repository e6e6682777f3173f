#include "ui/theme.h"

#include <cmath>

namespace pysolate::viz {
namespace {

Theme MakeTheme(bool dark) {
  Theme t;
  t.dark = dark;
  const Rgb back = BackgroundColour(dark);
  t.canvas = IM_COL32(back.r, back.g, back.b, 255);
  if (dark) {
    t.chrome = FromHex(0x1B1F26);
    t.raised = FromHex(0x262C36);
    t.hover = FromHex(0x323945);
    t.line = FromHex(0x272D36);
    t.line_strong = FromHex(0x3A424F);
    t.text = FromHex(0xE6E9EF);
    t.dim = FromHex(0xA3ACBA);
    t.faint = FromHex(0x747E8E);
    t.accent = FromHex(0xB79CFF);
    t.stripe = FromHex(0x181C22);
    t.shadow = IM_COL32(0, 0, 0, 120);
  } else {
    t.chrome = FromHex(0xF4F5F8);
    t.raised = FromHex(0xFFFFFF);
    t.hover = FromHex(0xE9ECF2);
    t.line = FromHex(0xE4E7ED);
    t.line_strong = FromHex(0xC9CFD9);
    t.text = FromHex(0x171B22);
    t.dim = FromHex(0x535C6B);
    t.faint = FromHex(0x7B8594);
    t.accent = FromHex(0x6A3FD9);
    t.stripe = FromHex(0xF8F9FB);
    t.shadow = IM_COL32(30, 35, 50, 50);
  }
  t.accent_soft = WithAlpha(t.accent, dark ? 0.16f : 0.11f);
  return t;
}

Theme g_theme;
Fonts g_fonts;

float Linear(int channel) {
  const float c = static_cast<float>(channel) / 255.0f;
  return c <= 0.04045f ? c / 12.92f : std::pow((c + 0.055f) / 1.055f, 2.4f);
}

}  // namespace

const Theme& theme() { return g_theme; }
const Fonts& fonts() { return g_fonts; }
void SetFonts(const Fonts& f) { g_fonts = f; }

ImU32 WithAlpha(ImU32 colour, float alpha) {
  const float a = static_cast<float>(colour >> IM_COL32_A_SHIFT & 255) * alpha;
  return (colour & ~IM_COL32_A_MASK) | static_cast<ImU32>(a + 0.5f) << IM_COL32_A_SHIFT;
}

ImU32 Mix(ImU32 a, ImU32 b, float t) {
  ImU32 out = 0;
  for (int shift = 0; shift < 32; shift += 8) {
    const float x = static_cast<float>(a >> shift & 255), y = static_cast<float>(b >> shift & 255);
    out |= static_cast<ImU32>(x + (y - x) * t + 0.5f) << shift;
  }
  return out;
}

ImU32 InkOf(Ink ink) {
  const Rgb c = InkColour(ink, g_theme.dark);
  return IM_COL32(c.r, c.g, c.b, 255);
}

ImU32 TextOn(ImU32 surface) {
  const float luminance = 0.2126f * Linear(surface >> IM_COL32_R_SHIFT & 255) +
                          0.7152f * Linear(surface >> IM_COL32_G_SHIFT & 255) +
                          0.0722f * Linear(surface >> IM_COL32_B_SHIFT & 255);
  // Where black and white give the same contrast.
  return luminance > 0.179f ? FromHex(0x0E1116) : FromHex(0xFFFFFF);
}

void ApplyTheme(bool dark) {
  g_theme = MakeTheme(dark);
  const Theme& t = g_theme;
  ImGuiStyle& s = ImGui::GetStyle();
  s = ImGuiStyle();
  s.WindowPadding = ImVec2(0, 0);
  s.FramePadding = ImVec2(8, 5);
  s.ItemSpacing = ImVec2(6, 4);
  s.WindowBorderSize = 0;
  s.ChildBorderSize = 0;
  s.PopupBorderSize = 1;
  s.FrameBorderSize = 1;
  s.FrameRounding = kRounding;
  s.PopupRounding = 6;
  s.GrabRounding = kRounding;
  s.ScrollbarSize = 10;
  s.ScrollbarRounding = 5;
  s.FontSizeBase = kTextSize;
  s.HoverDelayNormal = 0.4f;
  s.HoverStationaryDelay = 0.1f;
  s.CircleTessellationMaxError = 0.15f;
  const auto set = [&](ImGuiCol which, ImU32 colour) { s.Colors[which] = ImGui::ColorConvertU32ToFloat4(colour); };
  set(ImGuiCol_Text, t.text);
  set(ImGuiCol_TextDisabled, t.faint);
  set(ImGuiCol_WindowBg, t.canvas);
  set(ImGuiCol_ChildBg, IM_COL32(0, 0, 0, 0));
  set(ImGuiCol_PopupBg, t.dark ? t.raised : t.canvas);
  set(ImGuiCol_Border, t.line_strong);
  set(ImGuiCol_FrameBg, t.dark ? t.canvas : t.raised);
  set(ImGuiCol_FrameBgHovered, t.dark ? t.canvas : t.raised);
  set(ImGuiCol_FrameBgActive, t.dark ? t.canvas : t.raised);
  set(ImGuiCol_Button, t.raised);
  set(ImGuiCol_ButtonHovered, t.hover);
  set(ImGuiCol_ButtonActive, t.hover);
  set(ImGuiCol_Header, t.accent_soft);
  set(ImGuiCol_HeaderHovered, t.hover);
  set(ImGuiCol_HeaderActive, t.hover);
  set(ImGuiCol_ScrollbarBg, IM_COL32(0, 0, 0, 0));
  set(ImGuiCol_ScrollbarGrab, t.line_strong);
  set(ImGuiCol_ScrollbarGrabHovered, t.faint);
  set(ImGuiCol_ScrollbarGrabActive, t.faint);
  set(ImGuiCol_TextSelectedBg, WithAlpha(t.accent, 0.35f));
  set(ImGuiCol_InputTextCursor, t.accent);
  set(ImGuiCol_NavCursor, t.accent);
  set(ImGuiCol_ModalWindowDimBg, t.shadow);
}

}  // namespace pysolate::viz
