#include "model/transport.h"

#include <algorithm>
#include <charconv>

namespace pysolate::viz {
namespace {

using Term = Breakpoint::Term;

uint64_t Count(const Term& term, const LookCounts& looks, uint64_t running, uint64_t orphans) {
  switch (term.of) {
    case Term::Of::kLook:
      return looks[static_cast<size_t>(term.look)];
    case Term::Of::kRunning:
      return running;
    case Term::Of::kOrphans:
      return orphans;
  }
  return 0;
}

bool Holds(const Term& term, uint64_t count) {
  switch (term.op) {
    case Term::Op::kEqual:
      return count == term.value;
    case Term::Op::kNotEqual:
      return count != term.value;
    case Term::Op::kLess:
      return count < term.value;
    case Term::Op::kGreater:
      return count > term.value;
    case Term::Op::kLessEqual:
      return count <= term.value;
    case Term::Op::kGreaterEqual:
      return count >= term.value;
  }
  return false;
}

// "In flight" is what the program waits for or nobody wants: calls that are dispatched, and orphans.
bool ConditionHolds(const Breakpoint& b, const LookCounts& looks) {
  const uint64_t orphans = looks[static_cast<size_t>(Look::kOrphaned)];
  const uint64_t running = looks[static_cast<size_t>(Look::kDispatched)] + orphans;
  return std::all_of(b.terms.begin(), b.terms.end(),
                     [&](const Term& t) { return Holds(t, Count(t, looks, running, orphans)); });
}

template <class T>
bool ParseNumber(std::string_view s, T* out) {
  const auto result = std::from_chars(s.data(), s.data() + s.size(), *out);
  return result.ec == std::errc() && result.ptr == s.data() + s.size();
}

}  // namespace

bool ParseBreakpoint(const TraceStore& store, std::string_view text, Breakpoint* out, ParseProblem* problem) {
  const auto fail = [&](size_t column, std::string message) {
    *problem = {static_cast<uint32_t>(column), std::move(message)};
    return false;
  };
  *out = {};
  size_t at = text.find_first_not_of(' ');
  if (at == std::string_view::npos) return fail(0, "empty: expected kind:, line:, tool:, event: or counts");
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  const size_t colon = text.find(':', at);
  if (colon != std::string_view::npos) {
    const std::string_view head = text.substr(at, colon - at), value = text.substr(colon + 1);
    if (head == "kind") {
      out->what = Breakpoint::What::kEventKind;
      out->kind = EventKindFromName(value);
      if (out->kind == EventKind::kUnknown) return fail(colon + 1, "no event kind '" + std::string(value) + "'");
      return true;
    }
    if (head == "line") {
      out->what = Breakpoint::What::kLine;
      if (!ParseNumber(value, &out->line) || out->line < 1) return fail(colon + 1, "expected a line number");
      return true;
    }
    if (head == "tool") {
      out->what = Breakpoint::What::kTool;
      for (ToolId id = 1; id <= store.tools(); ++id) {
        if (store.text(store.tool(id).name) == value) {
          out->tool = id;
          return true;
        }
      }
      return fail(colon + 1, "no tool '" + std::string(value) + "' in this trace");
    }
    if (head == "event") {
      out->what = Breakpoint::What::kEvent;
      uint64_t seq = 0;
      if (!ParseNumber(value, &seq)) return fail(colon + 1, "expected an event number");
      out->event = store.FindSeq(seq);
      if (out->event == 0 || store.seq(out->event) != seq) return fail(colon + 1, "no event with this number");
      return true;
    }
    return fail(at, "unknown '" + std::string(head) + ":'; known: kind, line, tool, event");
  }
  out->what = Breakpoint::What::kCondition;
  while (at < text.size()) {
    if (text[at] == ' ') {
      ++at;
      continue;
    }
    Term term;
    const size_t word_end = text.find_first_of(" =!<>", at);
    const std::string_view word = text.substr(at, word_end - at);
    // Small words between the terms make the sentence readable and mean nothing more than "and".
    if (word == "while" || word == "and") {
      at += word.size();
      continue;
    }
    if (word == "running" || word == "in-flight") {
      term.of = Term::Of::kRunning;
    } else if (word == "orphans") {
      term.of = Term::Of::kOrphans;
    } else if (!LookFromName(word, &term.look) || term.look == Look::kAbsent) {
      return fail(at, "no state '" + std::string(word) + "'");
    }
    at += word.size();
    while (at < text.size() && text[at] == ' ') ++at;
    const std::string_view rest = text.substr(at);
    struct Operator {
      std::string_view text;
      Term::Op op;
    };
    constexpr Operator kOperators[] = {{"<=", Term::Op::kLessEqual}, {">=", Term::Op::kGreaterEqual},
                                       {"!=", Term::Op::kNotEqual},  {"==", Term::Op::kEqual},
                                       {"=", Term::Op::kEqual},      {"<", Term::Op::kLess},
                                       {">", Term::Op::kGreater}};
    const auto* op = std::find_if(std::begin(kOperators), std::end(kOperators),
                                  [&](const Operator& o) { return rest.substr(0, o.text.size()) == o.text; });
    if (op == std::end(kOperators)) return fail(at, "expected a comparison (= != < > <= >=)");
    term.op = op->op;
    at += op->text.size();
    while (at < text.size() && text[at] == ' ') ++at;
    const size_t number_end = std::min(text.size(), text.find_first_of(" ", at));
    if (!ParseNumber(text.substr(at, number_end - at), &term.value)) return fail(at, "expected a number");
    at = number_end;
    out->terms.push_back(term);
  }
  if (out->terms.empty()) return fail(text.size(), "expected a count such as ready=0");
  return true;
}

std::string Describe(const TraceStore& store, const Breakpoint& b) {
  switch (b.what) {
    case Breakpoint::What::kEventKind:
      return "kind:" + std::string(Name(b.kind));
    case Breakpoint::What::kLine:
      return "line:" + std::to_string(b.line);
    case Breakpoint::What::kTool:
      return "tool:" + std::string(store.text(store.tool(b.tool).name));
    case Breakpoint::What::kEvent:
      return "event:" + std::to_string(store.seq(b.event));
    case Breakpoint::What::kCondition:
      break;
  }
  std::string text;
  for (const Term& t : b.terms) {
    if (!text.empty()) text += ' ';
    text += t.of == Term::Of::kRunning ? "running" : t.of == Term::Of::kOrphans ? "orphans" : std::string(Name(t.look));
    constexpr std::string_view kOps[] = {"=", "!=", "<", ">", "<=", ">="};
    text += kOps[static_cast<size_t>(t.op)];
    text += std::to_string(t.value);
  }
  return text;
}

Transport::Transport(const TraceStore* store) : store_(store) {}

// ---- moves

bool Transport::Move(EventNo cursor) {
  cursor = std::min(cursor, store_->events());
  if (cursor == cursor_) return false;
  cursor_ = cursor;
  return true;
}

bool Transport::GoTo(EventNo cursor) {
  Pause();
  stopped_by_ = -1;
  const bool moved = Move(cursor);
  if (!at_end()) following_ = false;
  return moved;
}

bool Transport::StepEvent(int direction) {
  if (direction < 0) return GoTo(cursor_ == 0 ? 0 : cursor_ - 1);
  return GoTo(cursor_ + 1);
}

bool Transport::StepDecision(int direction) {
  EventNo e = cursor_;
  if (direction > 0) {
    while (e < store_->events() && !IsDecision(store_->kind(e + 1))) ++e;
    return GoTo(std::min(e + 1, store_->events()));
  }
  if (e == 0) return false;
  --e;
  while (e > 0 && !IsDecision(store_->kind(e))) --e;
  return GoTo(e);
}

bool Transport::StepCall(CallId call, int direction) {
  if (call == 0 || call > store_->calls()) return false;
  const EventNo here = store_->LatestOfCall(call, cursor_);
  if (direction > 0) {
    const EventNo next = here == 0 ? store_->call(call).arrive : store_->next_of_call(here);
    return next != 0 && GoTo(next);
  }
  if (here == 0) return false;
  // Standing between two of its events, the step back goes to the one before.
  const EventNo back = here < cursor_ ? here : store_->prev_of_call(here);
  return back != 0 && GoTo(back);
}

bool Transport::StepSameKind(int direction) {
  if (cursor_ == 0) return direction > 0 && StepEvent(1);
  const EventNo e = direction > 0 ? store_->next_of_kind(cursor_) : store_->prev_of_kind(cursor_);
  return e != 0 && GoTo(e);
}

bool Transport::RunTo(int direction) {
  const EventNo limit = direction > 0 ? store_->events() : 0;
  const EventNo hit = FindHit(cursor_, direction, limit);
  const int by = stopped_by_;
  GoTo(hit == 0 ? limit : hit);
  stopped_by_ = hit == 0 ? -1 : by;
  return hit != 0;
}

// ---- play

void Transport::Play() {
  if (at_end()) Move(0);
  playing_ = true;
  following_ = false;
  stopped_by_ = -1;
  play_time_ = static_cast<double>(time());
}

void Transport::Pause() { playing_ = false; }

void Transport::SetSpeed(double speed) { speed_ = speed >= kMaxSpeed ? kMaxSpeed : std::clamp(speed, 0.25, 64.0); }

void Transport::FasterOrSlower(int direction) {
  if (direction > 0) {
    SetSpeed(speed_ >= 64 ? kMaxSpeed : speed_ * 2);
  } else {
    SetSpeed(speed_ >= kMaxSpeed ? 64 : speed_ / 2);
  }
}

TimeNs Transport::ns_per_second() const {
  if (store_->run().unit > 0) return store_->run().unit;
  // A real run plays in real time if that is watchable, else it is scaled so that speed 1 takes 20 s.
  constexpr TimeNs kSecond = 1000000000;
  const TimeNs end = store_->end_time();
  if (end >= kSecond && end <= 120 * kSecond) return kSecond;
  return std::max<TimeNs>(1, end / 20);
}

bool Transport::Advance(double dt) {
  if (following_) return Move(store_->events());
  if (!playing_ || !(dt >= 0)) return false;
  EventNo target = store_->events();
  if (speed_ < kMaxSpeed) {
    play_time_ += dt * speed_ * static_cast<double>(ns_per_second());
    target = store_->FindTime(static_cast<TimeNs>(std::min(play_time_, 9e18)));
  }
  target = std::max(target, cursor_);
  const EventNo hit = FindHit(cursor_, 1, target);
  const EventNo before = cursor_;
  if (hit != 0) {
    Move(hit);
    playing_ = false;
  } else {
    Move(target);
    if (at_end()) playing_ = false;
  }
  return cursor_ != before;
}

void Transport::SetFollowing(bool on) {
  following_ = on;
  if (on) {
    Pause();
    Move(store_->events());
  }
}

// ---- breakpoints

void Transport::RemoveBreakpoint(size_t index) {
  if (index < breakpoints_.size()) breakpoints_.erase(breakpoints_.begin() + static_cast<ptrdiff_t>(index));
}

void Transport::EnableBreakpoint(size_t index, bool on) {
  if (index < breakpoints_.size()) breakpoints_[index].enabled = on;
}

void Transport::ToggleBreakpointHere() {
  if (cursor_ == 0) return;
  Breakpoint b;
  const CallId call = store_->call_of(cursor_);
  if (call != 0 && store_->line_of(call) > 0) {
    b.what = Breakpoint::What::kLine;
    b.line = store_->line_of(call);
  } else {
    b.what = Breakpoint::What::kEvent;
    b.event = cursor_;
  }
  const auto same = std::find_if(breakpoints_.begin(), breakpoints_.end(), [&](const Breakpoint& other) {
    return other.what == b.what && other.line == b.line && other.event == b.event;
  });
  if (same != breakpoints_.end()) {
    breakpoints_.erase(same);
  } else {
    breakpoints_.push_back(std::move(b));
  }
}

bool Transport::Hits(const Breakpoint& b, EventNo e) const {
  const CallId call = store_->call_of(e);
  switch (b.what) {
    case Breakpoint::What::kEventKind:
      return store_->kind(e) == b.kind;
    case Breakpoint::What::kLine:
      return call != 0 && store_->line_of(call) == b.line;
    case Breakpoint::What::kTool:
      return call != 0 && store_->call(call).tool == b.tool;
    case Breakpoint::What::kEvent:
      return e == b.event;
    case Breakpoint::What::kCondition:
      return ConditionHolds(b, store_->LooksAt(e)) && !ConditionHolds(b, store_->LooksAt(e - 1));
  }
  return false;
}

// The first hit after `from` and up to `limit` (forward), or before `from` and down to `limit`; 0 none.
EventNo Transport::FindHit(EventNo from, int direction, EventNo limit) {
  const bool conditions = std::any_of(breakpoints_.begin(), breakpoints_.end(), [](const Breakpoint& b) {
    return b.enabled && b.what == Breakpoint::What::kCondition;
  });
  const bool any = std::any_of(breakpoints_.begin(), breakpoints_.end(), [](const Breakpoint& b) { return b.enabled; });
  if (!any) return 0;
  // Counts are carried along, an event at a time; `looks` are those after event e, `before` those before it.
  LookCounts before{}, looks{};
  EventNo e = from;
  if (conditions) looks = store_->LooksAt(direction > 0 ? from : (from == 0 ? 0 : from - 1));
  for (;;) {
    if (direction > 0) {
      if (e >= limit) return 0;
      ++e;
    } else {
      if (e <= limit + 1) return 0;
      --e;
    }
    if (conditions) {
      const auto from_look = static_cast<size_t>(store_->look_before(e)),
                 to_look = static_cast<size_t>(store_->look_after(e));
      if (direction > 0) {
        before = looks;
        --looks[from_look];
        ++looks[to_look];
      } else {
        if (e != from - 1) looks = before;
        before = looks;
        ++before[from_look];
        --before[to_look];
      }
    }
    for (size_t i = 0; i < breakpoints_.size(); ++i) {
      const Breakpoint& b = breakpoints_[i];
      if (!b.enabled) continue;
      const bool hit =
          b.what == Breakpoint::What::kCondition ? ConditionHolds(b, looks) && !ConditionHolds(b, before) : Hits(b, e);
      if (hit) {
        stopped_by_ = static_cast<int>(i);
        return e;
      }
    }
  }
}

std::vector<EventNo> Transport::BreakpointEvents(uint32_t cap, uint32_t* total) const {
  std::vector<EventNo> found;
  *total = 0;
  const auto add = [&](EventNo e) {
    ++*total;
    if (found.size() < cap) found.push_back(e);
  };
  for (const Breakpoint& b : breakpoints_) {
    if (!b.enabled) continue;
    switch (b.what) {
      case Breakpoint::What::kEventKind:
        for (const EventNo e : store_->of_kind(b.kind)) add(e);
        break;
      case Breakpoint::What::kEvent:
        add(b.event);
        break;
      case Breakpoint::What::kLine:
      case Breakpoint::What::kTool:
        for (SiteId site = 1; site <= store_->sites(); ++site) {
          if (b.what == Breakpoint::What::kLine && store_->site(site).line != b.line) continue;
          store_->ForEachCallOfSite(site, [&](CallId id) {
            if (b.what == Breakpoint::What::kLine || store_->call(id).tool == b.tool) add(store_->call(id).arrive);
            return true;
          });
        }
        break;
      case Breakpoint::What::kCondition: {
        LookCounts looks{};
        bool held = ConditionHolds(b, looks);
        for (EventNo e = 1; e <= store_->events(); ++e) {
          --looks[static_cast<size_t>(store_->look_before(e))];
          ++looks[static_cast<size_t>(store_->look_after(e))];
          const bool holds = ConditionHolds(b, looks);
          if (holds && !held) add(e);
          held = holds;
        }
        break;
      }
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace pysolate::viz
