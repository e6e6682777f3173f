// The bar on top: moving the cursor, where it is, search, layout. Below it, if need be, what is wrong with the trace.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "ui/ui.h"
#include "ui/widgets.h"

namespace pysolate::viz {
namespace {

std::string SpeedWord(double speed) {
  if (speed >= Transport::kMaxSpeed) return "max";
  char text[32];
  std::snprintf(text, sizeof text, speed < 1 ? "%.2gx" : "%.0fx", speed);
  return text;
}

constexpr double kSpeeds[] = {0.25, 0.5, 1, 2, 4, 8, 16, 32, 64, Transport::kMaxSpeed};

}  // namespace

void Ui::DrawTransport(const Box& box) {
  Items::TextScope tap(items_, "transport");
  const Theme& t = theme();
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled(box.min(), box.max(), t.chrome);
  list->AddLine(ImVec2(box.x0, box.y1 - 0.5f), ImVec2(box.x1, box.y1 - 0.5f), t.line);
  items_.Add("transport", box);

  const Transport& transport = model_.transport();
  const float y0 = std::floor(box.mid_y() - kControl / 2), y1 = y0 + kControl;
  const bool roomy = box.width() >= 1280;
  float x = box.x0 + kPad;
  // The buttons find their command by its key: one table for keys, palette and bar.
  const auto act = [&](std::string_view name, std::string_view key, ButtonLook look) {
    const Command* command = CommandOfKey(key);
    if (command != nullptr) {
      if (look.tooltip.empty()) look.tooltip = command->title;
      look.enabled = look.enabled && command->enabled(model_);
    }
    look.key = key;
    const float w = std::max(30.0f, ButtonWidth(look));
    if (Button(context_, name, {x, y0, x + w, y1}, look) && command != nullptr) context_.Run(command->id);
    x += w + 2;
  };
  const auto label = [&](std::string_view word) { return roomy ? word : std::string_view(); };
  const bool any = model_.store().events() > 0;
  act("transport/start", "Home", {Icon::kStart, {}, "Jump to the start", {}, any && !transport.at_start()});
  act("transport/back", "Left",
      {Icon::kStepBack, label("Back"), "Step back by an event", {}, any && !transport.at_start()});
  const bool playing = transport.playing();
  act("transport/play", "Space",
      {playing ? Icon::kPause : Icon::kPlay, playing ? "Pause" : "Play", playing ? "Pause" : "Play", {}, any, playing});
  act("transport/step", "Right",
      {Icon::kStep, label("Step"), "Step forward by an event", {}, any && !transport.at_end()});
  act("transport/end", "End", {Icon::kEnd, {}, "Jump to the end", {}, any && !transport.at_end()});

  // Speed: a word that opens the list of speeds.
  x += 4;
  {
    const std::string word = SpeedWord(transport.speed());
    ButtonLook look{Icon::kNone, word, "Speed of play, in virtual units or seconds of the trace", {}, true,
                    false,       true};
    const float w = 44;
    ImGui::SetNextWindowPos(ImVec2(x, y1 + 2));
    if (Button(context_, "transport/speed", {x, y0, x + w, y1}, look)) ImGui::OpenPopup("##speeds");
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(6, 6));
    if (ImGui::BeginPopup("##speeds")) {
      for (double speed : kSpeeds) {
        if (ImGui::Selectable(SpeedWord(speed).c_str(), speed == transport.speed(), 0, ImVec2(56, 20))) {
          model_.transport().SetSpeed(speed);
        }
      }
      ImGui::EndPopup();
    }
    ImGui::PopStyleVar();
    x += w + 2;
  }
  act("transport/follow", "L",
      {Icon::kFollow, label("Follow"), "Keep the cursor at the newest event", {}, true, transport.following()});
  x += kPad;

  // From the right: help, theme, commands, layout, search.
  float right = box.x1 - kPad;
  const auto right_button = [&](std::string_view name, ButtonLook look) {
    const float w = std::max(30.0f, ButtonWidth(look));
    right -= w;
    const bool clicked = Button(context_, name, {right, y0, right + w, y1}, look);
    right -= 2;
    return clicked;
  };
  if (right_button("transport/help", {Icon::kHelp, {}, "Help: keys and signs", "?", true, false, true})) {
    overlays_.Show(Overlays::Which::kHelp);
  }
  if (right_button(
          "transport/theme",
          {dark_ ? Icon::kSun : Icon::kMoon, {}, dark_ ? "Light theme" : "Dark theme", {}, true, false, true})) {
    model_.dark = !dark_;
  }
  if (right_button("transport/commands",
                   {Icon::kCommands, box.width() >= 1500 ? std::string_view("Commands") : std::string_view(),
                    "All commands", ":", true, false, true})) {
    overlays_.Show(Overlays::Which::kPalette);
  }
  if (right_button("transport/breakpoints", {Icon::kBreak,
                                             box.width() >= 1500 ? std::string_view("Breakpoints") : std::string_view(),
                                             "Breakpoints",
                                             {},
                                             true,
                                             !transport.breakpoints().empty(),
                                             true})) {
    overlays_.Show(Overlays::Which::kBreakpoints);
  }
  if (box.width() >= 1150) {
    static constexpr std::string_view kPresets[] = {"debug", "read", "present"};
    static constexpr std::string_view kTips[] = {"Layout for finding out why", "Layout for reading along the program",
                                                 "Layout for showing others"};
    right -= SegmentedWidth(kPresets) + 6;
    const int chosen = Segmented(context_, "preset", {right, y0 + 2, right + SegmentedWidth(kPresets), y1 - 2},
                                 kPresets, static_cast<int>(model_.preset), kTips);
    if (chosen >= 0) model_.preset = static_cast<Preset>(chosen);
    right -= 6;
  }

  // Search.
  const float search_width = std::clamp(box.width() * 0.2f, 150.0f, 340.0f);
  const Box field{right - search_width, y0, right, y1};
  right = field.x0 - kPad;
  {
    Search& search = model_.search();
    std::string hits;
    ImU32 hits_ink = t.dim;
    if (!search.ok()) {
      hits = "?";
      hits_ink = InkOf(Ink::kFailed);
    } else if (search.active()) {
      uint32_t place = 0;
      if (model_.selected() != 0 && search.Matches(model_.selected(), model_.cursor())) {
        const auto& calls = search.hit_calls();
        place =
            static_cast<uint32_t>(std::lower_bound(calls.begin(), calls.end(), model_.selected()) - calls.begin()) + 1;
      }
      hits = (place > 0 ? Grouped(place) + " of " : std::string()) + Grouped(search.hits()) +
             (search.complete() ? "" : "+");
    }
    const float hits_width = hits.empty() ? 0 : Measure(hits, kSmall) + 10;
    list->AddRectFilled(field.min(), field.max(), t.dark ? t.canvas : t.raised, kRounding);
    ImGui::SetCursorScreenPos(ImVec2(field.x0 + 22, field.y0));
    ImGui::SetNextItemWidth(field.width() - 24 - hits_width);
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(4, (kControl - kTextSize) / 2));
    ImGui::PushStyleVar(ImGuiStyleVar_FrameBorderSize, 0);
    ImGui::PushStyleColor(ImGuiCol_FrameBg, IM_COL32(0, 0, 0, 0));
    ImGui::PushStyleColor(ImGuiCol_FrameBgHovered, IM_COL32(0, 0, 0, 0));
    ImGui::PushStyleColor(ImGuiCol_FrameBgActive, IM_COL32(0, 0, 0, 0));
    if (focus_search_) {
      ImGui::SetKeyboardFocusHere();
      focus_search_ = false;
    }
    if (!ImGui::IsAnyItemActive() && search.text() != search_text_ && search.text().size() < sizeof search_text_) {
      std::memcpy(search_text_, search.text().c_str(),
                  search.text().size() + 1);  // set from elsewhere: a link, a command
    }
    const bool wide = field.width() > 230;
    const bool entered =
        ImGui::InputTextWithHint("##search", wide ? "Search: state:ready tool~read" : "Search", search_text_,
                                 sizeof search_text_, ImGuiInputTextFlags_EnterReturnsTrue);
    const bool focused = ImGui::IsItemActive();
    if (ImGui::IsItemEdited()) search.SetText(search_text_);
    if (entered) {
      if (const Command* next = CommandOfKey("n")) context_.Run(next->id);
    }
    ImGui::PopStyleColor(3);
    ImGui::PopStyleVar(2);
    DrawIcon(list, Icon::kSearch, ImVec2(field.x0 + 13, field.mid_y()), 11, focused ? t.accent : t.faint);
    list->AddRect(field.min(), field.max(), focused ? t.accent : t.line_strong, kRounding);
    if (!hits.empty()) DrawTextRight(list, field.x1 - 7, field.mid_y(), hits, hits_ink, kSmall);
    items_.Add("search", field);
    if (!search.ok() && PointerIn(field)) ShowTooltip(search.problem().message);
  }

  // Where the cursor is, in two lines.
  const float width = right - x;
  if (width > 60) {
    const EventNo cursor = model_.cursor();
    const std::string total = Grouped(model_.store().events());
    const std::string number = Grouped(cursor);
    const std::string time = FormatTime(model_.store(), transport.play_time());
    const float line1 = box.mid_y() - 8, line2 = box.mid_y() + 9;
    float at = x;
    if (width > 170) at = DrawText(list, at, line1, "event ", t.dim, kBody);
    at = DrawText(list, at, line1, number, t.text, kHead);
    at = DrawText(list, at, line1, " / " + total, t.dim, kBody);
    if (width > 150) {
      const float dot = at + 8;
      list->AddCircleFilled(ImVec2(dot + 1, line1 + 1), 1.5f, t.faint);
      DrawTextFit(list, dot + 10, line1, right - dot - 10, time, t.text, kHead);
    }
    const std::string what =
        cursor == 0 ? (any ? "before the first event" : "no trace is open") : DescribeEvent(model_.store(), cursor);
    DrawTextFit(list, x, line2, width, what, t.dim, kSmall);
    if (PointerIn({x, box.y0, right, box.y1}) && cursor != 0) ShowTooltip(what);
  }
}

void Ui::DrawBanner(const Box& box) {
  Items::TextScope tap(items_, "banner");
  const Document& document = model_.document();
  const bool error = document.banner_is_error();
  const ImU32 ink = InkOf(error ? Ink::kFailed : Ink::kReady);
  const Theme& t = theme();
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled(box.min(), box.max(), Mix(t.canvas, ink, t.dark ? 0.28f : 0.14f));
  list->AddRectFilled(box.min(), ImVec2(box.x0 + 4, box.y1), ink);
  DrawIcon(list, Icon::kWarning, ImVec2(box.x0 + 20, box.mid_y()), 13, ink);
  const std::string shown = document.store().events() > 0 && error
                                ? document.banner() + " \xe2\x80\x94 shown is what came before it"
                                : document.banner();
  DrawTextFit(list, box.x0 + 36, box.mid_y(), box.width() - 80, shown, t.text, kBody);
  if (PointerIn({box.x0, box.y0, box.x1 - 36, box.y1})) ShowTooltip(shown);
  items_.Add("banner", box);
  if (Button(context_, "banner/close", {box.x1 - 34, box.y0 + 3, box.x1 - 6, box.y1 - 3},
             {Icon::kClose, {}, "Hide this message", {}, true, false, true})) {
    hidden_banner_ = document.banner();
  }
}

}  // namespace pysolate::viz
