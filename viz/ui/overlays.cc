#include "ui/overlays.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "ui/widgets.h"

namespace pysolate::viz {
namespace {

// A key as a cap.
float DrawKeyCap(ImDrawList* list, float right, float mid, std::string_view key) {
  const Theme& t = theme();
  const float w = std::ceil(Measure(key, kCodeSmall)) + 12;
  const Box cap{right - w, mid - 9, right, mid + 9};
  list->AddRectFilled(cap.min(), cap.max(), t.dark ? t.canvas : t.chrome, 4);
  list->AddRect(cap.min(), cap.max(), t.line_strong, 4);
  DrawTextCentred(list, cap.mid_x(), mid, key, t.dim, kCodeSmall);
  return cap.x0;
}

void DrawHeading(ImDrawList* list, const Box& box, std::string_view word) {
  DrawText(list, box.x0 + 18, box.y0 + 22, word, theme().text, kTitle);
}

}  // namespace

void Overlays::Show(Which which) {
  which_ = which_ == which ? Which::kNone : which;
  opened_ = true;
  text_[0] = 0;
  chosen_ = 0;
  problem_.clear();
}

void Overlays::Draw(Context& context, const Box& screen) {
  if (which_ == Which::kNone) return;
  const Theme& t = theme();
  float w = 620, h = 420, top = 0;
  switch (which_) {
    case Which::kHelp:
      w = 900;
      h = 620;
      break;
    case Which::kPalette:
      w = 560;
      h = std::min(420.0f, 58 + 28 * std::max(2.0f, static_cast<float>(MatchCommands(text_).size())));
      top = 60;
      break;
    case Which::kBreakpoints:
      w = 560;
      h = 360;
      break;
    case Which::kNone:
      break;
  }
  w = std::min(w, screen.width() - 32);
  h = std::min(h, screen.height() - 32 - top);
  Box box;
  box.x0 = std::floor(screen.mid_x() - w / 2);
  box.y0 = top > 0 ? top : std::floor(screen.mid_y() - h / 2);
  box.x1 = box.x0 + w;
  box.y1 = box.y0 + h;
  ImGui::SetNextWindowPos(ImVec2(0, 0));
  ImGui::SetNextWindowSize(screen.max());
  if (opened_) ImGui::SetNextWindowFocus();
  ImGui::PushStyleColor(ImGuiCol_WindowBg, IM_COL32(0, 0, 0, 0));
  ImGui::Begin("##overlay", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                   ImGuiWindowFlags_NoNav);
  ImGui::PopStyleColor();
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled(screen.min(), screen.max(),
                      WithAlpha(t.dark ? FromHex(0x000000) : FromHex(0x20242C), t.dark ? 0.5f : 0.28f));
  for (int i = 4; i >= 1; --i) {
    const float s = static_cast<float>(i) * 4;
    list->AddRectFilled(ImVec2(box.x0 - s + 2, box.y0 - s + 6), ImVec2(box.x1 + s - 2, box.y1 + s + 4),
                        WithAlpha(t.shadow, 0.2f), 8 + s);
  }
  list->AddRectFilled(box.min(), box.max(), t.dark ? t.chrome : t.canvas, 8);
  list->AddRect(box.min(), box.max(), t.line_strong, 8);
  // Outside: closes.
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  if (!opened_ && ImGui::IsMouseClicked(ImGuiMouseButton_Left) && !box.Contains(mouse)) Close();
  switch (which_) {
    case Which::kHelp: {
      Items::TextScope tap(context.items, "help");
      context.items.Add("help", box);
      DrawHelp(context, box);
      break;
    }
    case Which::kPalette: {
      Items::TextScope tap(context.items, "palette");
      context.items.Add("palette", box);
      DrawPalette(context, box);
      break;
    }
    case Which::kBreakpoints: {
      Items::TextScope tap(context.items, "breakpoints");
      context.items.Add("breakpoints", box);
      DrawBreakpoints(context, box);
      break;
    }
    case Which::kNone:
      break;
  }
  if (which_ != Which::kNone && Button(context, "overlay/close", {box.x1 - 38, box.y0 + 10, box.x1 - 12, box.y0 + 36},
                                       {Icon::kClose, {}, "Close", "Esc", true, false, true})) {
    Close();
  }
  ImGui::End();
  opened_ = false;
}

void Overlays::DrawHelp(Context&, const Box& box) {
  const Theme& t = theme();
  DrawHeading(ImGui::GetWindowDrawList(), box, "Keys and signs");
  // Commands by group, those with a key, in columns.
  struct Line {
    const Command* command = nullptr;  // nullptr: a group's head
    std::string_view group;
  };
  std::vector<Line> lines;
  std::string_view group;
  for (const Command& command : Commands()) {
    if (command.key.empty()) continue;
    if (command.group != group) {
      group = command.group;
      lines.push_back({nullptr, group});
    }
    lines.push_back({&command, group});
  }
  const Box body{box.x0 + 18, box.y0 + 44, box.x1 - 6, box.y1 - 10};
  const int columns = body.width() > 560 ? 2 : 1;
  constexpr float kLine = 24, kSigns = 168;
  const size_t per = (lines.size() + static_cast<size_t>(columns) - 1) / static_cast<size_t>(columns);
  ScrollArea area("help", body, kSigns + kLine * static_cast<float>(per + 1));
  const float width = (area.view.width() - 12) / static_cast<float>(columns);
  // Signs first: they are what a newcomer asks for.
  float y = area.origin_y + 4;
  static constexpr Look kShown[] = {Look::kWaiting,  Look::kReady,     Look::kDispatched,     Look::kSettled,
                                    Look::kConsumed, Look::kDiscarded, Look::kConsumedFailed, Look::kCancelled,
                                    Look::kOrphaned, Look::kLateOk,    Look::kLateFailed,     Look::kLost};
  DrawText(area.list, area.view.x0, y + 8, "States of a call", t.faint, {Face::kStrong, kSmallSize});
  y += 24;
  const int across = std::max(2, static_cast<int>(area.view.width() / 190));
  for (size_t i = 0; i < std::size(kShown); ++i) {
    const LookStyle& style = StyleOf(kShown[i]);
    const float x = area.view.x0 + 190 * static_cast<float>(static_cast<int>(i) % across);
    const float mid = y + 12 + 24 * static_cast<float>(static_cast<int>(i) / across);
    DrawBar(area.list, {x, mid - 8, x + 34, mid + 8}, style.pattern, InkOf(style.ink), style.open_right);
    const bool paper = style.pattern == Pattern::kOutline || style.pattern == Pattern::kDashedBorder;
    DrawGlyph(area.list, style.glyph, ImVec2(x + 17, mid), 11,
              paper ? InkOf(style.ink) : TextOn(BarSurface(style.pattern, InkOf(style.ink))));
    std::string word(style.word);
    std::replace(word.begin(), word.end(), '_', ' ');
    DrawText(area.list, x + 44, mid, word, t.text, kBody);
  }
  y = area.origin_y + 30 + 24 * std::ceil(static_cast<float>(std::size(kShown)) / static_cast<float>(across)) + 14;
  for (size_t i = 0; i < lines.size(); ++i) {
    const float x = area.view.x0 + width * static_cast<float>(i / per);
    const float mid = std::floor(y + kLine * static_cast<float>(i % per) + kLine / 2);
    if (lines[i].command == nullptr) {
      DrawText(area.list, x, mid + 2, lines[i].group, t.faint, {Face::kStrong, kSmallSize});
      continue;
    }
    const float left = DrawKeyCap(area.list, x + width - 30, mid, lines[i].command->key);
    DrawTextFit(area.list, x, mid, left - x - 10, lines[i].command->title, t.text, kBody);
  }
}

void Overlays::DrawPalette(Context& context, const Box& box) {
  const Theme& t = theme();
  ImDrawList* list = ImGui::GetWindowDrawList();
  const Box field{box.x0 + 12, box.y0 + 10, box.x1 - 44, box.y0 + 36};
  ImGui::SetCursorScreenPos(field.min());
  ImGui::SetNextItemWidth(field.width());
  if (opened_) ImGui::SetKeyboardFocusHere();
  ImGui::PushStyleVar(ImGuiStyleVar_FrameBorderSize, 0);
  for (ImGuiCol c : {ImGuiCol_FrameBg, ImGuiCol_FrameBgHovered, ImGuiCol_FrameBgActive})
    ImGui::PushStyleColor(c, IM_COL32(0, 0, 0, 0));
  const bool entered = ImGui::InputTextWithHint("##command", "Type a command", text_, sizeof text_,
                                                ImGuiInputTextFlags_EnterReturnsTrue);
  if (ImGui::IsItemEdited()) chosen_ = 0;
  ImGui::PopStyleColor(3);
  ImGui::PopStyleVar();
  list->AddLine(ImVec2(box.x0, box.y0 + 44), ImVec2(box.x1, box.y0 + 44), t.line);
  const std::vector<const Command*> found = MatchCommands(text_);
  if (ImGui::IsKeyPressed(ImGuiKey_DownArrow)) ++chosen_;
  if (ImGui::IsKeyPressed(ImGuiKey_UpArrow)) --chosen_;
  chosen_ = std::clamp(chosen_, 0, std::max(0, static_cast<int>(found.size()) - 1));
  const Box body{box.x0 + 1, box.y0 + 46, box.x1 - 1, box.y1 - 6};
  if (found.empty()) {
    DrawEmpty(list, body, "No such command", "");
    return;
  }
  constexpr float kLine = 28;
  ScrollArea area("commands", body, kLine * static_cast<float>(found.size()));
  area.Reveal(kLine * static_cast<float>(chosen_), kLine);
  const auto run = [&](const Command& command) {
    Close();
    context.Run(command.id);
  };
  for (size_t i = 0; i < found.size(); ++i) {
    const Command& command = *found[i];
    const Box row{area.view.x0, area.origin_y + kLine * static_cast<float>(i), area.view.x1,
                  area.origin_y + kLine * static_cast<float>(i + 1)};
    if (row.y1 < area.view.y0 || row.y0 > area.view.y1) continue;
    const bool enabled = command.enabled(context.model);
    context.items.Add(std::string("palette/") + std::string(command.id), row);
    if (RowGround(context, area, row, 0, static_cast<int>(i) == chosen_) && enabled) {
      run(command);
      return;
    }
    const float mid = std::floor(row.mid_y());
    float right = row.x1 - 14;
    if (!command.key.empty()) right = DrawKeyCap(area.list, right, mid, command.key) - 8;
    const float title =
        DrawTextFit(area.list, row.x0 + 16, mid, right - row.x0 - 20, command.title, enabled ? t.text : t.faint, kBody);
    const float group = Measure(command.group, kSmall);
    if (title + group + 20 < right) DrawTextRight(area.list, right - 4, mid, command.group, t.faint, kSmall);
  }
  if (entered && found[static_cast<size_t>(chosen_)]->enabled(context.model)) run(*found[static_cast<size_t>(chosen_)]);
}

void Overlays::DrawBreakpoints(Context& context, const Box& box) {
  const Theme& t = theme();
  ImDrawList* list = ImGui::GetWindowDrawList();
  ViewerModel& model = context.model;
  DrawHeading(list, box, "Breakpoints");
  DrawTextWrapped(list, box.x0 + 18, box.y0 + 42, box.width() - 60,
                  "Play, run and run backward stop here. Write kind:fail, line:12, tool:fetch, event:120, or a "
                  "condition such as ready=0 running>0.",
                  t.dim, kSmall, true, 3);
  const Box field{box.x0 + 18, box.y0 + 80, box.x1 - 18 - 64, box.y0 + 108};
  list->AddRectFilled(field.min(), field.max(), t.canvas, kRounding);
  ImGui::SetCursorScreenPos(field.min());
  ImGui::SetNextItemWidth(field.width());
  if (opened_) ImGui::SetKeyboardFocusHere();
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(8, (field.height() - kTextSize) / 2));
  const bool entered =
      ImGui::InputTextWithHint("##breakpoint", "kind:fail", text_, sizeof text_, ImGuiInputTextFlags_EnterReturnsTrue);
  ImGui::PopStyleVar();
  context.items.Add("breakpoints/text", field);
  const bool add = Button(context, "breakpoints/add", {field.x1 + 6, field.y0, box.x1 - 18, field.y1},
                          {Icon::kNone, "Add", {}, {}, text_[0] != 0});
  if ((entered || add) && text_[0] != 0) {
    Breakpoint breakpoint;
    ParseProblem problem;
    if (ParseBreakpoint(model.store(), text_, &breakpoint, &problem)) {
      model.transport().AddBreakpoint(std::move(breakpoint));
      text_[0] = 0;
      problem_.clear();
    } else {
      problem_ = problem.message;
    }
  }
  if (!problem_.empty()) DrawTextFit(list, field.x0, field.y1 + 12, field.width(), problem_, t.text, kSmall);
  const Box body{box.x0 + 8, field.y1 + 24, box.x1 - 8, box.y1 - 10};
  const auto& breakpoints = model.transport().breakpoints();
  if (breakpoints.empty()) {
    DrawEmpty(list, body, "None yet", "B sets one at the current event's line.");
    return;
  }
  ScrollArea area("breakpoints", body, 28 * static_cast<float>(breakpoints.size()));
  for (size_t i = 0; i < breakpoints.size(); ++i) {
    const Box row{area.view.x0, area.origin_y + 28 * static_cast<float>(i), area.view.x1,
                  area.origin_y + 28 * static_cast<float>(i + 1)};
    const bool on = breakpoints[i].enabled;
    const Box dot{row.x0 + 6, row.y0 + 3, row.x0 + 30, row.y1 - 3};
    if (Button(context, "breakpoints/switch " + std::to_string(i), dot,
               {Icon::kNone, {}, on ? "Switch off" : "Switch on", {}, true, false, true})) {
      model.transport().EnableBreakpoint(i, !on);
    }
    if (on) {
      area.list->AddCircleFilled(ImVec2(dot.mid_x(), dot.mid_y()), 5, InkOf(Ink::kFailed));
    } else {
      area.list->AddCircle(ImVec2(dot.mid_x(), dot.mid_y()), 4.5f, t.faint, 0, 1.3f);
    }
    DrawTextFit(area.list, row.x0 + 38, row.mid_y(), row.width() - 80, Describe(model.store(), breakpoints[i]),
                on ? t.text : t.faint, kBody);
    if (Button(context, "breakpoints/remove " + std::to_string(i), {row.x1 - 32, row.y0 + 3, row.x1 - 8, row.y1 - 3},
               {Icon::kClose, {}, "Remove", {}, true, false, true})) {
      model.transport().RemoveBreakpoint(i);
      break;
    }
  }
}

}  // namespace pysolate::viz
