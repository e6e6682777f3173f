#include "ui/ui.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "ui/widgets.h"

namespace pysolate::viz {
namespace {

constexpr float kTransportHeight = 46, kOverviewHeight = 54, kStatusHeight = 28, kBannerHeight = 32, kTabHeight = 30;
constexpr float kNarrowWidth = 1000, kWideWidth = 1800;

}  // namespace

Ui::Ui(UiHost* host) : host_(host), context_{model_, items_} {
  panels_[static_cast<size_t>(PanelId::kTimeline)] = MakeTimelinePanel();
  panels_[static_cast<size_t>(PanelId::kGraph)] = MakeGraphPanel();
  panels_[static_cast<size_t>(PanelId::kFrontier)] = MakeFrontierPanel();
  panels_[static_cast<size_t>(PanelId::kLedger)] = MakeLedgerPanel();
  panels_[static_cast<size_t>(PanelId::kSource)] = MakeSourcePanel();
  panels_[static_cast<size_t>(PanelId::kInspector)] = MakeInspectorPanel();
  panels_[static_cast<size_t>(PanelId::kEvents)] = MakeEventsPanel();
  panels_[static_cast<size_t>(PanelId::kMetrics)] = MakeMetricsPanel();
}

Ui::~Ui() = default;

void Ui::Open(const std::string& name, bool live) {
  model_.Open(name, live);
  ++context_.document;
  search_text_[0] = 0;
  hidden_banner_.clear();
  if (live) model_.transport().SetFollowing(true);
}

void Ui::Feed(std::string_view bytes) { model_.Feed(bytes); }

void Ui::Finish() { model_.Finish(); }

void Ui::SetDark(bool dark) { model_.dark = dark; }

bool Ui::SetPreset(std::string_view name) {
  for (Preset preset : {Preset::kDebug, Preset::kRead, Preset::kPresent}) {
    if (Name(preset) == name) {
      model_.preset = preset;
      return true;
    }
  }
  return false;
}

void Ui::ShowPanel(PanelId id) {
  for (Group& group : groups_) {
    for (size_t i = 0; i < group.panels.size(); ++i) {
      if (group.panels[i] == id) group.active = static_cast<int>(i);
    }
  }
}

bool Ui::Run(std::string_view id) {
  if (id.starts_with("panel.")) {
    for (int i = 0; i < kPanels; ++i) {
      if (panels_[static_cast<size_t>(i)]->name() == id.substr(6)) {
        ShowPanel(static_cast<PanelId>(i));
        return true;
      }
    }
    return false;
  }
  if (id == "theme.dark" || id == "theme.light") {
    SetDark(id == "theme.dark");
    return true;
  }
  if (id.starts_with("preset.") && SetPreset(id.substr(7))) return true;
  UiRequest request = UiRequest::kNone;
  if (!model_.Execute(id, &request)) return false;
  HandleRequest(request);
  return true;
}

void Ui::HandleRequest(UiRequest request) {
  const auto stem = [&] {
    std::string name = model_.document().name();
    const size_t slash = name.find_last_of("/\\");
    if (slash != std::string::npos) name.erase(0, slash + 1);
    const size_t dot = name.rfind('.');
    if (dot != std::string::npos && dot > 0) name.erase(dot);
    return name.empty() ? std::string("trace") : name;
  };
  switch (request) {
    case UiRequest::kNone:
      break;
    case UiRequest::kFocusSearch:
      focus_search_ = true;
      break;
    case UiRequest::kShowHelp:
      overlays_.Show(Overlays::Which::kHelp);
      break;
    case UiRequest::kShowPalette:
      overlays_.Show(Overlays::Which::kPalette);
      break;
    case UiRequest::kEditBreakpoints:
      overlays_.Show(Overlays::Which::kBreakpoints);
      break;
    case UiRequest::kToggleTheme:
      model_.dark = !dark_;
      break;
    case UiRequest::kSavePng:
      png_wanted_ = true;
      break;
    case UiRequest::kSaveDot:
      model_.SetStatus(host_->SaveFile(stem() + ".dot", "text/vnd.graphviz", model_.graph().Dot(model_.cursor())));
      break;
    case UiRequest::kCopyLink:
      host_->SetClipboard(host_->ShareableLink(EncodeLink(model_.MakeLink())));
      model_.SetStatus("Link copied");
      break;
    case UiRequest::kCopyEvents: {
      constexpr uint32_t kMost = 10000;
      EventsTable& events = model_.events();
      const uint32_t count = std::min(kMost, events.rows());
      host_->SetClipboard(events.Copy(0, count));
      model_.SetStatus("Copied " + Grouped(count) + " of " + Grouped(events.rows()) + " events");
      break;
    }
    case UiRequest::kSaveSvg:
    case UiRequest::kSaveTrace:
    case UiRequest::kSaveChromeTrace:
    case UiRequest::kOpenFile:
      model_.SetStatus("Not available here");
      break;
  }
}

void Ui::HandleKeys() {
  const ImGuiIO& io = ImGui::GetIO();
  context_.wants_keys = !io.WantTextInput;
  if (ImGui::IsKeyPressed(ImGuiKey_Escape, false) && overlays_.open()) {
    overlays_.Close();
    return;
  }
  if (io.WantTextInput || overlays_.open() || io.KeyAlt || io.KeySuper) return;

  if (io.KeyCtrl) {  // everything else with Ctrl is the browser's or the window manager's
    for (const auto& [key, name] :
         {std::pair(ImGuiKey_LeftArrow, "Ctrl+Left"), std::pair(ImGuiKey_RightArrow, "Ctrl+Right")}) {
      const Command* command = ImGui::IsKeyPressed(key, true) ? CommandOfKey(name) : nullptr;
      if (command != nullptr) Run(command->id);
    }
    return;
  }

  struct Named {
    ImGuiKey key;
    std::string_view plain, shifted;  // as the command table writes them
  };
  static constexpr Named kNamed[] = {
      {ImGuiKey_Space, "Space", "Shift+Space"},
      {ImGuiKey_LeftArrow, "Left", "Shift+Left"},
      {ImGuiKey_RightArrow, "Right", "Shift+Right"},
      {ImGuiKey_UpArrow, "Up", "Shift+Up"},
      {ImGuiKey_DownArrow, "Down", "Shift+Down"},
      {ImGuiKey_Home, "Home", "Shift+Home"},
      {ImGuiKey_End, "End", "Shift+End"},
      {ImGuiKey_Comma, ",", "<"},
      {ImGuiKey_Period, ".", ">"},
      {ImGuiKey_Slash, "/", "?"},
      {ImGuiKey_LeftBracket, "[", "{"},
      {ImGuiKey_RightBracket, "]", "}"},
      {ImGuiKey_Backspace, "Backspace", "Shift+Backspace"},
      {ImGuiKey_Escape, "Esc", "Esc"},
      {ImGuiKey_Semicolon, ";", ":"},
      {ImGuiKey_Enter, "Enter", "Shift+Enter"},
      {ImGuiKey_Minus, "-", "_"},
      {ImGuiKey_Equal, "=", "+"},
  };
  const auto run = [&](std::string_view key) {
    if (const Command* command = CommandOfKey(key)) Run(command->id);
  };
  for (const Named& named : kNamed) {
    if (ImGui::IsKeyPressed(named.key, true)) run(io.KeyShift ? named.shifted : named.plain);
  }
  for (int i = 0; i < 26; ++i) {
    if (!ImGui::IsKeyPressed(static_cast<ImGuiKey>(ImGuiKey_A + i), true)) continue;
    const char letter = static_cast<char>('A' + i);
    // Search walks by the letters as they are typed: n and N.
    std::string key = io.KeyShift ? std::string("Shift+") + letter : std::string(1, letter);
    if (CommandOfKey(key) == nullptr) key = std::string(1, io.KeyShift ? letter : static_cast<char>(letter + 32));
    run(key);
  }
  for (int i = 0; i < 10; ++i) {
    if (ImGui::IsKeyPressed(static_cast<ImGuiKey>(ImGuiKey_0 + i), false))
      run(std::string(1, static_cast<char>('0' + i)));
  }
  // Keyboards where these are not behind the keys above (":" and "?" of other layouts).
  for (ImWchar c : io.InputQueueCharacters) {
    if ((c == ':' && !ImGui::IsKeyPressed(ImGuiKey_Semicolon)) || (c == '?' && !ImGui::IsKeyPressed(ImGuiKey_Slash)) ||
        (c == '/' && !ImGui::IsKeyPressed(ImGuiKey_Slash)) ||
        (c == '[' && !ImGui::IsKeyPressed(ImGuiKey_LeftBracket)) ||
        (c == ']' && !ImGui::IsKeyPressed(ImGuiKey_RightBracket))) {
      run(std::string(1, static_cast<char>(c)));
    }
  }
}

bool Ui::Draw(double now, float dt) {
  if (!theme_applied_ || dark_ != model_.dark) {
    dark_ = model_.dark;
    theme_applied_ = true;
    ApplyTheme(dark_);
  }
  if (png_wanted_) {  // the frame before this one is what the user saw when asking
    png_wanted_ = false;
    const std::string png = host_->ScreenshotPng();
    model_.SetStatus(png.empty() ? std::string("The picture could not be read")
                                 : host_->SaveFile("pysolate-view.png", "image/png", png));
  }
  HandleKeys();
  model_.Frame(dt);
  context_.now = now;
  context_.hover = context_.next_hover;
  context_.next_hover = 0;
  context_.command.clear();
  if (items_.recording()) items_.Clear();

  const ImVec2 size = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos(ImVec2(0, 0));
  ImGui::SetNextWindowSize(size);
  ImGui::Begin("##viewer", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                   ImGuiWindowFlags_NoBringToFrontOnFocus | ImGuiWindowFlags_NoNav |
                   ImGuiWindowFlags_NoScrollWithMouse);
  const Box screen{0, 0, size.x, size.y};
  float y = 0;
  DrawTransport({0, y, size.x, y + kTransportHeight});
  y += kTransportHeight;
  const std::string& banner = model_.document().banner();
  if (!banner.empty() && banner != hidden_banner_) {
    DrawBanner({0, y, size.x, y + kBannerHeight});
    y += kBannerHeight;
  }
  DrawOverview({0, y, size.x, y + kOverviewHeight});
  y += kOverviewHeight;
  DrawPanels({0, y, size.x, size.y - kStatusHeight});
  DrawStatus({0, size.y - kStatusHeight, size.x, size.y});
  ImGui::End();

  overlays_.Draw(context_, screen);
  const std::string command = context_.command;
  if (!command.empty()) Run(command);
  if (context_.hover != context_.next_hover) return true;  // other panels mark what the pointer is on, a frame later
  return model_.busy() || !command.empty() || png_wanted_ || dark_ != model_.dark;
}

void Ui::ArrangeGroups(const Box& box) {
  Shape shape = Shape::kDebug;
  if (box.width() < kNarrowWidth) {
    shape = Shape::kNarrow;
  } else if (model_.preset == Preset::kRead) {
    shape = Shape::kRead;
  } else if (model_.preset == Preset::kDebug && box.width() >= kWideWidth) {
    shape = Shape::kWide;
  }
  if (model_.preset == Preset::kPresent) shape = Shape::kPresent;
  if (shape == shape_ && model_.preset == last_preset_) return;
  shape_ = shape;
  last_preset_ = model_.preset;
  groups_.clear();
  using P = PanelId;
  switch (shape) {
    case Shape::kNone:
      break;
    case Shape::kNarrow:
      groups_ = {{{P::kTimeline}, 0, {}},
                 {{P::kFrontier, P::kInspector, P::kSource, P::kGraph, P::kLedger, P::kEvents, P::kMetrics}, 0, {}}};
      if (model_.preset == Preset::kRead) groups_[1].active = 2;
      split_y_ = 0.52f;
      break;
    case Shape::kDebug:
      groups_ = {{{P::kTimeline}, 0, {}},
                 {{P::kFrontier, P::kGraph, P::kLedger, P::kEvents, P::kMetrics}, 0, {}},
                 {{P::kInspector}, 0, {}},
                 {{P::kSource}, 0, {}}};
      split_x_ = 0.67f;
      split_y_ = 0.58f;
      split_y2_ = 0.55f;
      break;
    case Shape::kWide:
      groups_ = {{{P::kTimeline}, 0, {}},
                 {{P::kFrontier, P::kLedger}, 0, {}},
                 {{P::kInspector}, 0, {}},
                 {{P::kSource}, 0, {}},
                 {{P::kGraph, P::kEvents, P::kMetrics}, 0, {}}};
      split_x_ = 0.72f;
      split_y_ = 0.58f;
      split_y2_ = 0.55f;
      split_x2_ = 0.5f;
      break;
    case Shape::kRead:
      groups_ = {{{P::kTimeline}, 0, {}},
                 {{P::kGraph, P::kMetrics, P::kLedger, P::kFrontier, P::kEvents}, 0, {}},
                 {{P::kSource}, 0, {}},
                 {{P::kInspector}, 0, {}}};
      split_x_ = 0.58f;
      split_y_ = 0.52f;
      split_y2_ = 0.6f;
      break;
    case Shape::kPresent:
      groups_ = {{{P::kTimeline}, 0, {}}, {{P::kGraph, P::kFrontier, P::kMetrics}, 0, {}}};
      split_y_ = 0.62f;
      break;
  }
}

void Ui::DrawPanels(const Box& box) {
  ArrangeGroups(box);
  constexpr float kGrip = 4;
  const auto share = [](float value, float low, float high, float least, float extent) {
    // Neither side smaller than `least`, where there is room at all.
    const float bound = std::min(0.5f, least / std::max(1.0f, extent));
    return std::clamp(std::clamp(value, low, high), bound, 1 - bound);
  };
  const bool columns = groups_.size() >= 4;
  float x = box.x1;
  if (columns) {
    split_x_ = share(split_x_, 0.2f, 0.9f, 260, box.width());
    x = std::floor(box.x0 + box.width() * split_x_);
  }
  split_y_ = share(split_y_, 0.15f, 0.9f, 120, box.height());
  const float y = std::floor(box.y0 + box.height() * split_y_);
  DrawGroup("##g0", groups_[0], {box.x0, box.y0, x, y});
  float lower_x = x;
  if (groups_.size() >= 5) {
    split_x2_ = share(split_x2_, 0.2f, 0.8f, 240, x - box.x0);
    lower_x = std::floor(box.x0 + (x - box.x0) * split_x2_);
    DrawGroup("##g4", groups_[4], {lower_x + kGrip, y + kGrip, x, box.y1});
  }
  DrawGroup("##g1", groups_[1], {box.x0, y + kGrip, lower_x, box.y1});
  float moved = y;
  if (Splitter(context_, "splitter/lower", {box.x0, y, x, y + kGrip}, false, &moved)) {
    split_y_ = (moved - box.y0) / box.height();
  }
  if (groups_.size() >= 5) {
    moved = lower_x;
    if (Splitter(context_, "splitter/lower-right", {lower_x, y + kGrip, lower_x + kGrip, box.y1}, true, &moved)) {
      split_x2_ = (moved - box.x0) / (x - box.x0);
    }
  }
  if (!columns) return;
  split_y2_ = share(split_y2_, 0.1f, 0.9f, 100, box.height());
  const float y2 = std::floor(box.y0 + box.height() * split_y2_);
  DrawGroup("##g2", groups_[2], {x + kGrip, box.y0, box.x1, y2});
  DrawGroup("##g3", groups_[3], {x + kGrip, y2 + kGrip, box.x1, box.y1});
  moved = x;
  if (Splitter(context_, "splitter/right", {x, box.y0, x + kGrip, box.y1}, true, &moved)) {
    split_x_ = (moved - box.x0) / box.width();
  }
  moved = y2;
  if (Splitter(context_, "splitter/right-lower", {x + kGrip, y2, box.x1, y2 + kGrip}, false, &moved)) {
    split_y2_ = (moved - box.y0) / box.height();
  }
}

void Ui::DrawGroup(const char* id, Group& group, const Box& box) {
  group.box = box;
  if (box.width() < 20 || box.height() < 20) return;
  const Theme& t = theme();
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled(box.min(), box.max(), t.canvas);
  Box inner = box;
  // The timeline is known by its looks; a tab of its own would waste a row.
  const bool bare = group.panels.size() == 1 && group.panels[0] == PanelId::kTimeline;
  if (!bare) {
    const Box head{box.x0, box.y0, box.x1, box.y0 + kTabHeight};
    list->AddRectFilled(head.min(), head.max(), t.chrome);
    list->AddLine(ImVec2(head.x0, head.y1 - 0.5f), ImVec2(head.x1, head.y1 - 0.5f), t.line);
    // Words where they fit, else what is left is shared out.
    float wanted = 0;
    for (PanelId panel : group.panels) wanted += Measure(panels_[static_cast<size_t>(panel)]->title(), kBody) + 24;
    const float squeeze = std::min(1.0f, (head.width() - 8) / wanted);
    float x = head.x0 + 4;
    for (size_t i = 0; i < group.panels.size(); ++i) {
      const Panel& panel = *panels_[static_cast<size_t>(group.panels[i])];
      const bool on = static_cast<int>(i) == group.active;
      const Ink2 type = on ? kHead : kBody;
      const float w = std::floor((Measure(panel.title(), kBody) + 24) * squeeze);
      const Box tab{x, head.y0, x + w, head.y1};
      ImGui::SetCursorScreenPos(tab.min());
      if (ImGui::InvisibleButton((std::string("##tab/") + std::string(panel.name())).c_str(),
                                 ImVec2(tab.width(), tab.height()))) {
        group.active = static_cast<int>(i);
      }
      const bool hovered = ImGui::IsItemHovered();
      if (group.panels.size() > 1 && on) {
        list->AddRectFilled(tab.min(), tab.max(), t.canvas);
        list->AddRectFilled(ImVec2(tab.x0, tab.y0), ImVec2(tab.x1, tab.y0 + 2), t.accent);
      } else if (hovered && !on) {
        list->AddRectFilled(tab.min(), tab.max(), t.hover);
      }
      DrawTextCentred(list, tab.mid_x(), tab.mid_y() + 1, Fit(panel.title(), w - 8, type), on ? t.text : t.dim, type);
      items_.Add(std::string("tab/") + std::string(panel.name()), tab);
      x += w;
    }
    inner.y0 = head.y1;
  }
  ImGui::SetCursorScreenPos(inner.min());
  ImGui::BeginChild(id, ImVec2(inner.width(), inner.height()), ImGuiChildFlags_None,
                    ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse | ImGuiWindowFlags_NoNav);
  Panel& panel = *panels_[static_cast<size_t>(group.panels[static_cast<size_t>(group.active)])];
  items_.Add(panel.name(), inner);
  ImGui::PushID(panel.name().data(), panel.name().data() + panel.name().size());
  {
    Items::TextScope tap(items_, panel.name());
    panel.Draw(context_, inner);
  }
  ImGui::PopID();
  ImGui::EndChild();
}

bool Ui::TabShown(PanelId id) const {
  return std::any_of(groups_.begin(), groups_.end(),
                     [&](const Group& g) { return g.panels[static_cast<size_t>(g.active)] == id; });
}

}  // namespace pysolate::viz
