#include "model/transport.h"

#include <doctest/doctest.h>

#include "big_trace.h"
#include "trace_script.h"

using namespace pysolate;
using namespace pysolate::viz;
using namespace pysolate::viz::testing;

namespace {

// Two calls of two lines, one after the other; the second fails.
struct TwoCalls {
  TraceScript run;
  CallId a = 0, b = 0;
  std::unique_ptr<Document> document;
  TwoCalls() {
    const auto fetch = run.Tool("fetch"), parse = run.Tool("parse", Effect::kPure);
    const auto first = run.Site(3), second = run.Site(4);
    a = run.Arrive(fetch, first);
    const auto x = run.Start(a);
    run.At(2).Take(a, x);
    b = run.Arrive(parse, second);
    const auto y = run.Start(b);
    run.At(6).Fail(y, "ValueError", "bad").Settle(b, y, false).Reach(b).Promote(b).Consume(b);
    document = run.At(7).End().Load();
  }
  const TraceStore& store() const { return document->store(); }
};

Breakpoint Parse(const TraceStore& store, std::string_view text) {
  Breakpoint b;
  ParseProblem problem;
  INFO(text, ": ", problem.message);
  REQUIRE(ParseBreakpoint(store, text, &b, &problem));
  return b;
}

}  // namespace

TEST_CASE("stepping goes event by event, and back through the same moments") {
  TwoCalls t;
  Transport transport(&t.store());
  CHECK(transport.at_start());
  for (EventNo e = 1; e <= t.store().events(); ++e) {
    CHECK(transport.StepEvent(1));
    CHECK(transport.cursor() == e);
  }
  CHECK(transport.at_end());
  CHECK_FALSE(transport.StepEvent(1));
  for (EventNo e = t.store().events(); e > 0; --e) {
    CHECK(transport.StepEvent(-1));
    CHECK(transport.cursor() == e - 1);
  }
  CHECK_FALSE(transport.StepEvent(-1));
}

TEST_CASE("steps by decision, kind and call land on such events only") {
  TwoCalls t;
  const TraceStore& store = t.store();
  Transport transport(&store);
  int decisions = 0;
  while (transport.StepDecision(1) && IsDecision(store.kind(transport.cursor()))) ++decisions;
  int expected = 0;
  for (EventNo e = 1; e <= store.events(); ++e) expected += IsDecision(store.kind(e)) ? 1 : 0;
  CHECK(decisions == expected);

  transport.GoToStart();
  std::vector<EventNo> story;
  while (transport.StepCall(t.b, 1)) story.push_back(transport.cursor());
  for (const EventNo e : story) CHECK(store.call_of(e) == t.b);
  CHECK(story.front() == store.call(t.b).arrive);
  CHECK(story.back() == store.call(t.b).end);
  for (size_t i = story.size() - 1; i > 0; --i) {
    CHECK(transport.StepCall(t.b, -1));
    CHECK(transport.cursor() == story[i - 1]);
  }
  // From between two of its events, back means the one before.
  transport.GoToEnd();
  CHECK(transport.StepCall(t.a, -1));
  CHECK(transport.cursor() == store.call(t.a).end);

  transport.GoTo(store.call(t.a).dispatch);
  CHECK(transport.StepSameKind(1));
  CHECK(transport.cursor() == store.call(t.b).dispatch);
  CHECK_FALSE(transport.StepSameKind(1));
  CHECK(transport.StepSameKind(-1));
  CHECK(transport.cursor() == store.call(t.a).dispatch);
}

TEST_CASE("breakpoints stop on a kind, a line, a tool, an event, forward and backward") {
  TwoCalls t;
  const TraceStore& store = t.store();
  Transport transport(&store);
  const auto run_all = [&](std::string_view text, int direction) {
    while (!transport.breakpoints().empty()) transport.RemoveBreakpoint(0);
    transport.AddBreakpoint(Parse(store, text));
    CHECK(Describe(store, transport.breakpoints()[0]) == text);
    std::vector<EventNo> stops;
    direction > 0 ? transport.GoToStart() : transport.GoToEnd();
    while (transport.RunTo(direction)) stops.push_back(transport.cursor());
    CHECK((direction > 0 ? transport.at_end() : transport.at_start()));
    return stops;
  };
  CHECK(run_all("kind:fail", 1) == std::vector<EventNo>{store.attempt(2).outcome});
  for (const std::string_view text : {"line:4", "tool:parse"}) {
    const auto stops = run_all(text, 1);
    CHECK(stops.size() == 9);
    for (const EventNo e : stops) CHECK(store.call_of(e) == t.b);
    auto back = run_all(text, -1);
    std::reverse(back.begin(), back.end());
    CHECK(back == stops);
  }
  CHECK(run_all("event:5", 1) == std::vector<EventNo>{5});
}

TEST_CASE("a condition stops where it begins to hold: nothing ready while something is in flight") {
  const auto document = LoadBig(Shape::kAgent, 300);
  const TraceStore& store = document->store();
  Transport transport(&store);
  transport.AddBreakpoint(Parse(store, "ready=0 running>0"));
  const auto holds = [&](EventNo e) {
    const LookCounts looks = store.LooksAt(e);
    return looks[static_cast<size_t>(Look::kReady)] == 0 &&
           looks[static_cast<size_t>(Look::kDispatched)] + looks[static_cast<size_t>(Look::kOrphaned)] > 0;
  };
  std::vector<EventNo> expected;
  for (EventNo e = 1; e <= store.events(); ++e) {
    if (holds(e) && !holds(e - 1)) expected.push_back(e);
  }
  REQUIRE(expected.size() > 10);
  std::vector<EventNo> forward, backward;
  while (transport.RunTo(1)) forward.push_back(transport.cursor());
  CHECK(forward == expected);
  transport.GoToEnd();
  while (transport.RunTo(-1)) backward.push_back(transport.cursor());
  std::reverse(backward.begin(), backward.end());
  CHECK(backward == expected);
  uint32_t total = 0;
  CHECK(transport.BreakpointEvents(5, &total).size() == 5);
  CHECK(total == expected.size());
}

TEST_CASE("a faulty breakpoint names the place and the cause") {
  TwoCalls t;
  Breakpoint b;
  ParseProblem problem;
  const auto fails = [&](std::string_view text, uint32_t column, std::string_view cause) {
    INFO(text, " -> ", problem.column, ": ", problem.message);
    CHECK_FALSE(ParseBreakpoint(t.store(), text, &b, &problem));
    CHECK(problem.column == column);
    CHECK(problem.message.find(cause) != std::string::npos);
  };
  fails("", 0, "empty");
  fails("kind:explode", 5, "explode");
  fails("line:x", 5, "line number");
  fails("tool:nothing", 5, "nothing");
  fails("colour:red", 0, "unknown");
  fails("ready", 5, "comparison");
  fails("ready=", 6, "number");
  fails("ready=0 flying>1", 8, "flying");
}

TEST_CASE("play moves with the time given from outside, at its speed, and stops at breakpoints and the end") {
  TwoCalls t;
  const TraceStore& store = t.store();
  Transport transport(&store);
  CHECK(transport.ns_per_second() == 1000);
  transport.Play();
  transport.Advance(1.5);
  CHECK(transport.time() == 0);
  CHECK(transport.playing());
  transport.Advance(0.6);
  CHECK(transport.time() == 2000);
  transport.SetSpeed(2);
  transport.Advance(1.5);
  CHECK(transport.play_time() == 5100);
  transport.Advance(100);
  CHECK(transport.at_end());
  CHECK_FALSE(transport.playing());
  CHECK_FALSE(transport.Advance(1));

  transport.AddBreakpoint(Parse(store, "kind:fail"));
  transport.SetSpeed(Transport::kMaxSpeed);
  transport.Play();
  CHECK(transport.cursor() == 0);
  transport.Advance(0);
  CHECK(store.kind(transport.cursor()) == EventKind::kFail);
  CHECK_FALSE(transport.playing());
  CHECK(transport.stopped_by() == 0);
}

TEST_CASE("speed doubles and halves between a quarter and the most") {
  TwoCalls t;
  Transport transport(&t.store());
  for (int i = 0; i < 20; ++i) transport.FasterOrSlower(1);
  CHECK(transport.speed() == Transport::kMaxSpeed);
  transport.FasterOrSlower(-1);
  CHECK(transport.speed() == 64);
  for (int i = 0; i < 20; ++i) transport.FasterOrSlower(-1);
  CHECK(transport.speed() == 0.25);
}

TEST_CASE("appended events move the cursor only while following") {
  const std::string text = BigTraceText(Shape::kWide, 20);
  Document live("live", true);
  live.Feed(std::string_view(text).substr(0, text.size() / 2));
  Transport transport(&live.store());
  transport.SetFollowing(true);
  const EventNo half = live.store().events();
  CHECK(transport.cursor() == half);
  live.Feed(std::string_view(text).substr(text.size() / 2));
  CHECK(transport.Advance(0));
  CHECK(transport.at_end());

  transport.StepEvent(-1);
  CHECK_FALSE(transport.following());
  const EventNo here = transport.cursor();
  live.Feed("{\"seq\":100000,\"t\":999999999,\"k\":\"tick\"}\n");
  CHECK_FALSE(transport.Advance(1));
  CHECK(transport.cursor() == here);
}

TEST_CASE("a breakpoint is set at the line of the current event and removed by the same command") {
  TwoCalls t;
  Transport transport(&t.store());
  transport.GoTo(t.store().call(t.b).dispatch);
  transport.ToggleBreakpointHere();
  REQUIRE(transport.breakpoints().size() == 1);
  CHECK(transport.breakpoints()[0].line == 4);
  transport.ToggleBreakpointHere();
  CHECK(transport.breakpoints().empty());
}
