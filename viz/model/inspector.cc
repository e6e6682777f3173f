#include "model/inspector.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "model/frontier.h"

namespace pysolate::viz {
namespace {

// Up to three decimals, without trailing zeros.
std::string Decimal(double value) {
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, "%.3f", value);
  std::string s = buffer;
  while (s.back() == '0') s.pop_back();
  if (s.back() == '.') s.pop_back();
  return s == "-0" ? "0" : s;
}

std::string PlaceOf(const TraceStore& store, SiteId id) {
  const SiteInfo& site = store.site(id);
  std::string place(store.text(site.file));
  if (site.line > 0) place += ":" + std::to_string(site.line) + ":" + std::to_string(site.col);
  const std::string_view function = store.text(site.function);
  if (!function.empty() && function != "<module>") place += " in " + std::string(function);
  return place;
}

std::string ScopesOf(const TraceStore& store, ScopeId id) {
  constexpr size_t kNamed = 12;  // of a deep nesting: the innermost ones
  std::vector<std::string> parts;
  for (ScopeId at = id; at != 0; at = store.scope(at).parent) {
    if (parts.size() == kNamed) {
      parts.emplace_back("... (" + std::to_string(store.scope(at).depth) + " more)");
      break;
    }
    const ScopeInfo& s = store.scope(at);
    std::string part(Name(s.kind));
    if (const auto name = store.text(s.name); !name.empty()) part += " " + std::string(name);
    if (s.line > 0 && at != 1) part += " line " + std::to_string(s.line);
    parts.push_back(std::move(part));
  }
  std::string text;
  for (auto it = parts.rbegin(); it != parts.rend(); ++it) text += (text.empty() ? "" : " > ") + *it;
  return text;
}

std::string ContractOf(const TraceStore& store, const ToolInfo& t) {
  std::string s(Name(t.effect));
  s += ", " + std::string(Name(t.failure)) + " failures";
  if (t.root != 0) s += ", root " + std::string(store.root_name(t.root));
  if (t.klass != 0) s += ", class " + std::string(store.text(store.klass(t.klass).name));
  s += ", cost " + std::to_string(t.cost);
  s += t.cancellable ? ", cancellable" : ", not cancellable";
  if (t.deadline > 0) s += ", deadline " + FormatDuration(store, t.deadline);
  if (t.retry > 0) s += ", up to " + std::to_string(t.retry) + " retries";
  if (t.reuse) s += ", results reused";
  if (!t.early) s += ", never early";
  return s;
}

std::string CallWords(CallId id) { return id == 0 ? "" : "call " + std::to_string(id); }

}  // namespace

std::string FormatDuration(const TraceStore& store, TimeNs ns) {
  if (store.run().unit > 0) {
    const double units = static_cast<double>(ns) / static_cast<double>(store.run().unit);
    return Decimal(units) + (units == 1 ? " unit" : " units");
  }
  const TimeNs size = std::abs(ns);
  const auto v = static_cast<double>(ns);
  if (size < 1000) return std::to_string(ns) + " ns";
  if (size < 1000000) return Decimal(v / 1e3) + " us";
  if (size < 1000000000) return Decimal(v / 1e6) + " ms";
  return Decimal(v / 1e9) + " s";
}

std::string FormatTime(const TraceStore& store, TimeNs ns) { return "t = " + FormatDuration(store, ns); }

std::string ShortName(const TraceStore& store, CallId call) {
  std::string s = CallWords(call);
  if (const auto tool = store.tool_name(call); !tool.empty()) s += " " + std::string(tool);
  if (store.line_of(call) > 0) s += " line " + std::to_string(store.line_of(call));
  return s;
}

std::string DescribeEvent(const TraceStore& store, EventNo e) {
  const CallId id = store.call_of(e);
  const AttemptId attempt = store.attempt_of(e);
  const uint32_t other = store.other_of(e);
  const std::string call = CallWords(id);
  const std::string att = attempt == 0 ? "an unknown attempt" : "attempt " + std::to_string(attempt);
  const std::string of_call = id == 0 ? "" : " of " + call;
  const std::string text(store.event_text(e)), why(store.event_why(e));
  const std::string because = why.empty() ? "" : ": " + why;
  const auto scope = [&](std::string_view what) { return "scope " + std::to_string(other) + std::string(what); };
  switch (store.kind(e)) {
    case EventKind::kUnknown:
      return "an event of an unknown kind";
    case EventKind::kRun:
      return "run of " + store.run().program + ", " + store.run().mode;
    case EventKind::kClass:
      return "budget class " + std::string(other <= store.classes() ? store.text(store.klass(other).name) : "?");
    case EventKind::kRoot:
      return "root " + std::string(other <= store.roots() ? store.root_name(other) : "?");
    case EventKind::kTool:
      return "tool " + (other <= store.tools() ? std::string(store.text(store.tool(other).name)) + ": " +
                                                     ContractOf(store, store.tool(other))
                                               : std::string("?"));
    case EventKind::kSite:
      return "site " + (other <= store.sites() ? PlaceOf(store, other) : std::string("?"));
    case EventKind::kScope:
      if (other > store.scopes()) return scope(" opened");
      return scope(" opened: ") + std::string(Name(store.scope(other).kind)) + " of line " +
             std::to_string(store.scope(other).line);
    case EventKind::kScopeActive:
      return scope(" is active");
    case EventKind::kScopeDead:
      return scope(" is dead");
    case EventKind::kScopeClosed:
      return scope(" is closed");
    case EventKind::kBudget:
      return "budget changed";
    case EventKind::kArrive: {
      if (id == 0) return "a call arrived, but its id is out of order";
      const CallInfo& c = store.call(id);
      std::string s = call + " arrived" + (c.early ? ", early" : "") + (c.guess ? ", a guess" : "") + ": " +
                      std::string(store.tool_name(id));
      if (store.line_of(id) > 0) s += " line " + std::to_string(store.line_of(id));
      if (c.deps_count > 0) s += ", needs " + std::to_string(c.deps_count) + (c.deps_count == 1 ? " call" : " calls");
      return s;
    }
    case EventKind::kArgs:
      return call + " has its arguments: " + text;
    case EventKind::kReach:
      return call + " reached";
    case EventKind::kComplete:
      return att + of_call + " completed: " + text;
    case EventKind::kFail:
      return att + of_call + " failed: " + why + (text.empty() ? "" : ": " + text);
    case EventKind::kStopped:
      return att + of_call + " stopped";
    case EventKind::kCancel:
      return call + " given up" + because;
    case EventKind::kConsume:
      return call + " taken by the program";
    case EventKind::kTick:
      return "time passed";
    case EventKind::kNote:
      return (why.empty() ? "note" : why) + (text.empty() ? "" : ": " + text);
    case EventKind::kEnd:
      return store.event_ok(e) ? "the program ended" : "the program ended with " + why;
    case EventKind::kPromote:
      return call + " promoted: the early call is the reached one";
    case EventKind::kRefuse:
      return (call.empty() ? "early start" : call) + " refused an early start" + because;
    case EventKind::kReady:
      return call + " ready";
    case EventKind::kDispatch: {
      std::string s = call + " dispatched as " + att;
      if (attempt != 0 && store.attempt(attempt).early) s += ", early";
      return s;
    }
    case EventKind::kJoin:
      return call + " joined " + att;
    case EventKind::kVersion:
      return "root " + std::string(store.root_name(other)) + " has a new version" + (call.empty() ? "" : " by " + call);
    case EventKind::kSettle:
      return call + " settled: " + (store.event_ok(e) ? "ok" : "failed");
    case EventKind::kRetry:
      return call + " starts anew after " + att;
    case EventKind::kSuppress:
      return call + "'s failure suppressed" + (other != 0 ? " by " + CallWords(other) : "");
    case EventKind::kSkip:
      return call + " skipped" + (other != 0 ? ": " + CallWords(other) + " failed" : "");
    case EventKind::kDiscard:
      return call + " discarded" + because;
    case EventKind::kCallCancelled:
      return call + " cancelled" + because;
    case EventKind::kCancelRequest:
      return "cancel requested for " + att + of_call + because;
    case EventKind::kCancelled:
      return att + of_call + " ended as cancelled";
    case EventKind::kOrphan:
      return att + of_call + " is an orphan" + because;
    case EventKind::kLate:
      return att + of_call + " ended late: " + (store.event_ok(e) ? "ok" : "failed");
    case EventKind::kLost:
      return att + of_call + " lost" + because;
    case EventKind::kEvict:
      return "result of " + att + of_call + " evicted";
  }
  return "";
}

Inspection Inspect(const TraceStore& store, CallId call, EventNo cursor) {
  Inspection in;
  if (call == 0 || call > store.calls()) return in;
  const CallInfo& c = store.call(call);
  in.call = call;
  in.arrived = c.arrive <= cursor;
  in.look = store.LookAt(call, cursor);
  in.title = CallWords(call) + ": " + std::string(store.tool_name(call));
  in.place = PlaceOf(store, c.site);
  in.scopes = ScopesOf(store, c.scope);
  if (c.args != 0 && c.args <= cursor) {
    in.arguments = store.text(c.args_text);
    in.title += in.arguments.size() > 0 && in.arguments.front() == '(' ? in.arguments : "(" + in.arguments + ")";
  }
  const AttemptInfo& a = store.attempt(c.attempt);
  if (c.attempt != 0 && c.dispatch <= cursor && a.outcome != 0 && a.outcome <= cursor) {
    in.outcome_is_error = !a.ok;
    in.outcome = store.event_text(a.outcome);
    if (!a.ok) {
      const std::string type(store.event_why(a.outcome));
      in.outcome = in.outcome.empty() ? type : type + ": " + in.outcome;
    }
  }

  const auto field = [&](std::string name, std::string value) {
    in.fields.push_back({std::move(name), std::move(value)});
  };
  const auto span = [&](EventNo from, EventNo to) {
    if (from == 0 || from > cursor) return std::string();
    const bool open = to == 0 || to > cursor;
    return FormatDuration(store, store.time(open ? cursor : to) - store.time(from)) + (open ? " so far" : "");
  };
  const auto add_span = [&](std::string name, EventNo from, EventNo to) {
    std::string s = span(from, to);
    if (!s.empty()) field(std::move(name), std::move(s));
  };
  field("contract", ContractOf(store, store.tool(c.tool)));
  field("origin",
        std::string(c.early ? "early" : "reached") + (c.guess ? ", a guess" : "") +
            (c.promote != 0 && c.promote <= cursor ? ", promoted at " + FormatTime(store, store.time(c.promote)) : ""));
  if (c.attempt != 0 && c.dispatch <= cursor) {
    field("attempt", std::to_string(c.attempt) + (c.joined ? ", shared" : "") + ", " +
                         std::string(Name(store.FateAt(c.attempt, cursor))) + ", holds " + std::to_string(a.cost));
  }
  if (c.parent != 0) field("made inside", "attempt " + std::to_string(c.parent));
  const EventNo first_end = c.dispatch != 0 ? c.dispatch : c.end;
  add_span("waited", c.arrive, c.ready != 0 ? c.ready : first_end);
  add_span("ready for", c.ready, first_end);
  if (c.dispatch != 0)
    add_span("ran", c.joined ? c.dispatch : a.dispatch, c.joined && c.settle != 0 ? c.settle : a.end);
  add_span("held for the program", c.settle, c.end);
  if (c.early && c.reach != 0 && c.reach <= cursor && c.dispatch != 0 && c.dispatch < c.reach) {
    field("started ahead by", FormatDuration(store, store.time(c.reach) - store.time(c.dispatch)));
  }
  if (const auto order = store.text(c.order); !order.empty()) field("order key", std::string(order));

  TimeNs previous = store.time(c.arrive);
  constexpr size_t kMostTransitions = 1000;
  std::vector<EventNo> story;
  store.StoryOf(call, store.events(), &story);
  for (const EventNo e : story) {
    if (in.transitions.size() == kMostTransitions) break;
    Transition t;
    t.event = e;
    t.time = store.time(e);
    t.since_previous = t.time - previous;
    previous = t.time;
    t.what = DescribeEvent(store, e);
    t.reason = store.event_why(e);
    t.look = store.look_after(e);
    t.past = e <= cursor;
    in.transitions.push_back(std::move(t));
  }
  in.explain = Explain(store, call, cursor);
  in.relation = RelativesOf(store, call, cursor);
  return in;
}

}  // namespace pysolate::viz
