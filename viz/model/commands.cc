#include "model/commands.h"

#include <algorithm>
#include <string>

#include "model/viewer.h"

namespace pysolate::viz {
namespace {

using Model = ViewerModel;

bool Always(const Model&) { return true; }
bool HasEvents(const Model& m) { return m.store().events() > 0; }
bool NotAtStart(const Model& m) { return !m.transport().at_start(); }
bool NotAtEnd(const Model& m) { return !m.transport().at_end(); }
bool HasSelection(const Model& m) { return m.selected() != 0; }
bool HasBreakpoints(const Model& m) { return !m.transport().breakpoints().empty() && HasEvents(m); }
bool CanGoBack(const Model& m) { return m.selection().CanGoBack(); }
bool CanGoForward(const Model& m) { return m.selection().CanGoForward(); }
bool HasHits(const Model& m) { return m.search().hits() > 0; }

// The call that stepping "within the call" means: the selected one, else the one the current event is about.
CallId CallInHand(const Model& m) {
  if (m.selected() != 0) return m.selected();
  return m.cursor() == 0 ? 0 : m.store().call_of(m.cursor());
}
bool HasCallInHand(const Model& m) { return CallInHand(m) != 0; }

template <UiRequest kRequest>
UiRequest Ask(Model&) {
  return kRequest;
}

template <int kDirection>
UiRequest StepEvent(Model& m) {
  m.transport().StepEvent(kDirection);
  return UiRequest::kNone;
}
template <int kDirection>
UiRequest StepSameKind(Model& m) {
  if (!m.transport().StepSameKind(kDirection)) {
    m.SetStatus(kDirection > 0 ? "no later event of this kind" : "no earlier event of this kind");
  }
  return UiRequest::kNone;
}
template <int kDirection>
UiRequest StepDecision(Model& m) {
  m.transport().StepDecision(kDirection);
  return UiRequest::kNone;
}
template <int kDirection>
UiRequest StepCall(Model& m) {
  const CallId call = CallInHand(m);
  if (!m.transport().StepCall(call, kDirection)) {
    m.SetStatus(std::string(kDirection > 0 ? "no later" : "no earlier") + " event of call " + std::to_string(call));
  }
  return UiRequest::kNone;
}
template <int kDirection>
UiRequest RunTo(Model& m) {
  if (!m.transport().RunTo(kDirection)) {
    m.SetStatus(kDirection > 0 ? "no breakpoint hits ahead: at the end" : "no breakpoint hits before: at the start");
  } else {
    const auto by = static_cast<size_t>(m.transport().stopped_by());
    m.SetStatus("stopped at " + Describe(m.store(), m.transport().breakpoints()[by]));
  }
  return UiRequest::kNone;
}
template <int kDirection>
UiRequest Walk(Model& m) {
  const CallId next = kDirection < 0 ? CauseOf(m.store(), m.selected()) : EffectOf(m.store(), m.selected());
  if (next == 0) {
    m.SetStatus("call " + std::to_string(m.selected()) +
                (kDirection < 0 ? " had to wait for no other call" : " set off no other call"));
  } else {
    m.Select(next);
  }
  return UiRequest::kNone;
}
template <int kDirection>
UiRequest NextHit(Model& m) {
  uint32_t place = 0;
  const CallId hit = m.search().Next(m.selected(), kDirection, &place);
  if (hit != 0) {
    m.Select(hit);
    m.SetStatus("hit " + std::to_string(place) + " of " + std::to_string(m.search().hits()) +
                (m.search().complete() ? "" : " so far"));
  }
  return UiRequest::kNone;
}
template <int kSteps>  // of a quarter
UiRequest ZoomBy(Model& m) {
  const double factor = kSteps > 0 ? 1.25 : 0.8;
  const ViewBox& v = m.view();
  const double cursor = m.timeline().x_of(v.axis, m.cursor());
  const bool cursor_visible = cursor >= v.x0 && cursor <= v.x1;
  m.Zoom(factor, cursor_visible ? cursor : (v.x0 + v.x1) / 2);
  return UiRequest::kNone;
}
template <int kPercent>
UiRequest PanBy(Model& m) {
  m.Pan(kPercent / 100.0, 0);
  return UiRequest::kNone;
}
template <int kInk>
UiRequest ToggleInk(Model& m) {
  m.ink_hidden[kInk] = !m.ink_hidden[kInk];
  constexpr std::string_view kWords[kInks] = {"waiting", "ready", "dispatched", "succeeded", "failed", "orphaned"};
  m.SetStatus(std::string(kWords[kInk]) + (m.ink_hidden[kInk] ? " calls hidden" : " calls shown"));
  return UiRequest::kNone;
}
template <Preset kPreset>
UiRequest UsePreset(Model& m) {
  m.preset = kPreset;
  m.SetStatus("layout: " + std::string(Name(kPreset)));
  return UiRequest::kNone;
}

UiRequest TogglePlay(Model& m) {
  if (m.transport().playing()) {
    m.transport().Pause();
  } else {
    m.transport().Play();
  }
  return UiRequest::kNone;
}
UiRequest Start(Model& m) {
  m.transport().GoToStart();
  return UiRequest::kNone;
}
UiRequest End(Model& m) {
  m.transport().GoToEnd();
  return UiRequest::kNone;
}
UiRequest Faster(Model& m) {
  m.transport().FasterOrSlower(1);
  return UiRequest::kNone;
}
UiRequest Slower(Model& m) {
  m.transport().FasterOrSlower(-1);
  return UiRequest::kNone;
}
UiRequest ToggleFollow(Model& m) {
  m.transport().SetFollowing(!m.transport().following());
  m.SetStatus(m.transport().following() ? "following the run" : "not following");
  return UiRequest::kNone;
}
UiRequest BreakHere(Model& m) {
  const size_t before = m.transport().breakpoints().size();
  m.transport().ToggleBreakpointHere();
  const auto& list = m.transport().breakpoints();
  m.SetStatus(list.size() > before ? "breakpoint " + Describe(m.store(), list.back()) : "breakpoint removed");
  return UiRequest::kNone;
}
UiRequest ClearBreakpoints(Model& m) {
  while (!m.transport().breakpoints().empty()) m.transport().RemoveBreakpoint(0);
  return UiRequest::kNone;
}
UiRequest Fit(Model& m) {
  m.FitAll();
  return UiRequest::kNone;
}
UiRequest FitSelected(Model& m) {
  m.FitSelection();
  return UiRequest::kNone;
}
UiRequest ZoomBack(Model& m) {
  if (!m.ZoomBack()) m.SetStatus("no earlier view");
  return UiRequest::kNone;
}
UiRequest ToggleAxis(Model& m) {
  m.SetAxis(m.view().axis == Axis::kTime ? Axis::kEvent : Axis::kTime);
  return UiRequest::kNone;
}
UiRequest ToggleFold(Model& m) {
  m.fold_idle = !m.fold_idle;
  return UiRequest::kNone;
}
UiRequest ToggleCritical(Model& m) {
  m.show_critical_path = !m.show_critical_path;
  return UiRequest::kNone;
}
UiRequest Regroup(Model& m) {
  m.RegroupLanes();
  return UiRequest::kNone;
}
UiRequest SelectCurrent(Model& m) {
  m.Select(m.store().call_of(m.cursor()));
  return UiRequest::kNone;
}
bool CurrentHasCall(const Model& m) { return m.cursor() != 0 && m.store().call_of(m.cursor()) != 0; }
UiRequest Back(Model& m) {
  m.selection().Back();
  return UiRequest::kNone;
}
UiRequest Forward(Model& m) {
  m.selection().Forward();
  return UiRequest::kNone;
}
UiRequest ToggleHide(Model& m) {
  m.search().hide = !m.search().hide;
  return UiRequest::kNone;
}
// Takes away one thing at a time: the selection, then the search, then hidden states.
UiRequest Clear(Model& m) {
  if (m.selected() != 0) {
    m.Select(0);
  } else if (m.search().active() || !m.search().ok()) {
    m.search().SetText("");
  } else {
    std::fill(std::begin(m.ink_hidden), std::end(m.ink_hidden), false);
  }
  return UiRequest::kNone;
}
UiRequest ToggleTheme(Model& m) {
  m.dark = !m.dark;
  return UiRequest::kToggleTheme;
}

constexpr Command kCommands[] = {
    {"play.toggle", "Play or pause", "Cursor", "Space", "Plays the run from the cursor on, or stops.", HasEvents,
     TogglePlay},
    {"step.forward", "Step forward", "Cursor", "Right", "To the next event.", NotAtEnd, StepEvent<1>},
    {"step.back", "Step back", "Cursor", "Left", "To the event before.", NotAtStart, StepEvent<-1>},
    {"step.kind.forward", "Next event of the same kind", "Cursor", "Shift+Right",
     "To the next event of the current event's kind.", NotAtEnd, StepSameKind<1>},
    {"step.kind.back", "Previous event of the same kind", "Cursor", "Shift+Left",
     "To the event of the current event's kind before this one.", NotAtStart, StepSameKind<-1>},
    {"step.decision.forward", "Next decision", "Cursor", "Down", "To the scheduler's next decision.", NotAtEnd,
     StepDecision<1>},
    {"step.decision.back", "Previous decision", "Cursor", "Up", "To the scheduler's decision before.", NotAtStart,
     StepDecision<-1>},
    {"step.call.forward", "Next event of the call", "Cursor", ".", "To the next event of the selected or current call.",
     HasCallInHand, StepCall<1>},
    {"step.call.back", "Previous event of the call", "Cursor", ",",
     "To the event of the selected or current call before.", HasCallInHand, StepCall<-1>},
    {"go.start", "Go to the start", "Cursor", "Home", "Before the first event.", NotAtStart, Start},
    {"go.end", "Go to the end", "Cursor", "End", "After the last event.", NotAtEnd, End},
    {"play.faster", "Faster", "Cursor", "+", "Doubles the speed of play, up to the most.", Always, Faster},
    {"play.slower", "Slower", "Cursor", "-", "Halves the speed of play.", Always, Slower},
    {"follow.toggle", "Follow the run", "Cursor", "L", "Keeps the cursor at the end while events arrive.", Always,
     ToggleFollow},

    {"break.here", "Breakpoint here", "Breakpoints", "B", "Sets or removes one at the current event's line.", HasEvents,
     BreakHere},
    {"break.run", "Run to the next breakpoint", "Breakpoints", "Ctrl+Right", "Forward to the next place that stops.",
     HasBreakpoints, RunTo<1>},
    {"break.run.back", "Run back to a breakpoint", "Breakpoints", "Ctrl+Left", "Backward to the last place that stops.",
     HasBreakpoints, RunTo<-1>},
    {"break.edit", "Edit breakpoints", "Breakpoints", "Shift+B", "Opens the list of breakpoints.", Always,
     Ask<UiRequest::kEditBreakpoints>},
    {"break.clear", "Remove all breakpoints", "Breakpoints", "", "Empties the list of breakpoints.", HasBreakpoints,
     ClearBreakpoints},

    {"select.current", "Select the current event's call", "Selection", "Enter",
     "Selects what the cursor's event is about.", CurrentHasCall, SelectCurrent},
    {"select.cause", "Go to the cause", "Selection", "[", "Selects the call that the selected one had to wait for.",
     HasSelection, Walk<-1>},
    {"select.effect", "Go to the effect", "Selection", "]", "Selects the call that the selected one set off.",
     HasSelection, Walk<1>},
    {"select.back", "Back", "Selection", "{", "To the selection before.", CanGoBack, Back},
    {"select.forward", "Forward", "Selection", "}", "To the selection after.", CanGoForward, Forward},
    {"select.clear", "Clear", "Selection", "Esc", "Takes away the selection, then the search, then the state switches.",
     Always, Clear},

    {"search.focus", "Search", "Search", "/", "Types a query such as state:orphaned line:42 dur>5ms.", Always,
     Ask<UiRequest::kFocusSearch>},
    {"search.next", "Next hit", "Search", "N", "Selects the next call that matches.", HasHits, NextHit<1>},
    {"search.previous", "Previous hit", "Search", "Shift+N", "Selects the call before that matches.", HasHits,
     NextHit<-1>},
    {"search.hide", "Hide what does not match", "Search", "H", "Hides other calls instead of dimming them.", Always,
     ToggleHide},

    {"zoom.in", "Zoom in", "View", "W", "Comes nearer to the cursor.", HasEvents, ZoomBy<1>},
    {"zoom.out", "Zoom out", "View", "S", "Goes away from the cursor.", HasEvents, ZoomBy<-1>},
    {"pan.left", "Pan left", "View", "A", "Earlier.", HasEvents, PanBy<-15>},
    {"pan.right", "Pan right", "View", "D", "Later.", HasEvents, PanBy<15>},
    {"fit.all", "Fit the whole run", "View", "F", "Shows everything.", HasEvents, Fit},
    {"fit.selection", "Fit the selection", "View", "Shift+F", "Shows the selected call.", HasSelection, FitSelected},
    {"zoom.back", "Zoom back", "View", "Backspace", "To the view before.", Always, ZoomBack},
    {"axis.toggle", "Time or event axis", "View", "E", "Switches the axis between time and event numbers.", HasEvents,
     ToggleAxis},
    {"idle.fold", "Fold idle gaps", "View", "I", "Folds stretches in which nothing is in flight.", HasEvents,
     ToggleFold},
    {"critical.toggle", "Critical path", "View", "C", "Shows the calls that the run had to wait for.", HasEvents,
     ToggleCritical},
    {"lanes.regroup", "Group lanes again", "View", "", "Places all calls anew, each site's rows together.", HasEvents,
     Regroup},
    {"ink.waiting", "Show waiting calls", "View", "1", "Shows or hides waiting, cancelled and skipped calls.", Always,
     ToggleInk<0>},
    {"ink.ready", "Show ready calls", "View", "2", "Shows or hides ready calls.", Always, ToggleInk<1>},
    {"ink.dispatched", "Show dispatched calls", "View", "3", "Shows or hides running calls.", Always, ToggleInk<2>},
    {"ink.succeeded", "Show succeeded calls", "View", "4", "Shows or hides calls that succeeded.", Always,
     ToggleInk<3>},
    {"ink.failed", "Show failed calls", "View", "5", "Shows or hides calls that failed.", Always, ToggleInk<4>},
    {"ink.orphaned", "Show orphaned calls", "View", "6", "Shows or hides orphans, late and lost ones.", Always,
     ToggleInk<5>},
    {"preset.debug", "Layout: debug", "Window", "", "All panels.", Always, UsePreset<Preset::kDebug>},
    {"preset.read", "Layout: read", "Window", "", "Source, timeline and inspector.", Always, UsePreset<Preset::kRead>},
    {"preset.present", "Layout: present", "Window", "", "Large timeline and graph.", Always,
     UsePreset<Preset::kPresent>},
    {"theme.toggle", "Dark or light", "Window", "T", "Switches the theme.", Always, ToggleTheme},
    {"help", "Help", "Window", "?", "Shows all commands and keys.", Always, Ask<UiRequest::kShowHelp>},
    {"palette", "Command palette", "Window", ":", "Finds a command by typing.", Always, Ask<UiRequest::kShowPalette>},

    {"open", "Open a trace", "File", "", "Opens a file.", Always, Ask<UiRequest::kOpenFile>},
    {"save.png", "Save PNG", "File", "", "Saves the picture.", Always, Ask<UiRequest::kSavePng>},
    {"save.svg", "Save SVG", "File", "", "Saves the picture as vectors.", Always, Ask<UiRequest::kSaveSvg>},
    {"save.trace", "Save the trace", "File", "", "Saves the trace itself.", HasEvents, Ask<UiRequest::kSaveTrace>},
    {"save.chrome", "Save Chrome trace JSON", "File", "", "For chrome://tracing and Perfetto.", HasEvents,
     Ask<UiRequest::kSaveChromeTrace>},
    {"save.dot", "Save DOT of the graph", "File", "", "What the graph shows, for Graphviz.", HasEvents,
     Ask<UiRequest::kSaveDot>},
    {"copy.link", "Copy a link", "File", "Shift+L", "A link to this trace, cursor, view and selection.", Always,
     Ask<UiRequest::kCopyLink>},
    {"copy.events", "Copy events", "File", "", "The events table as text.", HasEvents, Ask<UiRequest::kCopyEvents>},
};

std::string Lower(std::string_view s) {
  std::string out(s);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

// Higher is better, 0 is no match: prefix, contained at a word start, contained, letters in order.
int MatchRank(const std::string& typed, const std::string& text) {
  const size_t at = text.find(typed);
  if (at == 0) return 4;
  if (at != std::string::npos) return text[at - 1] == ' ' || text[at - 1] == '.' ? 3 : 2;
  size_t i = 0;
  for (const char c : text) {
    if (i < typed.size() && typed[i] == c) ++i;
  }
  return i == typed.size() ? 1 : 0;
}

}  // namespace

std::span<const Command> Commands() { return kCommands; }

const Command* FindCommand(std::string_view id) {
  const auto* it =
      std::find_if(std::begin(kCommands), std::end(kCommands), [&](const Command& c) { return c.id == id; });
  return it == std::end(kCommands) ? nullptr : it;
}

const Command* CommandOfKey(std::string_view key) {
  if (key.empty()) return nullptr;
  const auto* it =
      std::find_if(std::begin(kCommands), std::end(kCommands), [&](const Command& c) { return c.key == key; });
  return it == std::end(kCommands) ? nullptr : it;
}

std::vector<const Command*> MatchCommands(std::string_view typed) {
  const std::string wanted = Lower(typed);
  std::vector<std::pair<int, const Command*>> found;
  for (const Command& c : kCommands) {
    const int rank =
        wanted.empty() ? 1 : std::max(MatchRank(wanted, Lower(c.title)), MatchRank(wanted, std::string(c.id)));
    if (rank > 0) found.emplace_back(rank, &c);
  }
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<const Command*> out;
  for (const auto& [rank, command] : found) out.push_back(command);
  return out;
}

}  // namespace pysolate::viz
