#include "model/store.h"

#include <doctest/doctest.h>

#include <random>

#include "big_trace.h"
#include "trace_script.h"

using namespace pysolate;
using namespace pysolate::viz;
using namespace pysolate::viz::testing;

namespace {

// What the store says in O(1), counted the slow way: call by call.
LookCounts CountCallByCall(const TraceStore& store, EventNo cursor) {
  LookCounts counts{};
  for (CallId id = 1; id <= store.calls(); ++id) {
    const Look look = store.LookAt(id, cursor);
    if (look != Look::kAbsent) ++counts[static_cast<size_t>(look)];
  }
  return counts;
}

FateCounts CountAttemptByAttempt(const TraceStore& store, EventNo cursor) {
  FateCounts counts{};
  for (AttemptId id = 1; id <= store.attempts(); ++id) {
    const Fate fate = store.FateAt(id, cursor);
    if (fate != Fate::kNone) ++counts[static_cast<size_t>(fate)];
  }
  return counts;
}

}  // namespace

TEST_CASE("a call goes from waiting to consumed, and every moment can be looked at") {
  TraceScript run;
  const auto fetch = run.Tool("fetch");
  const auto site = run.Site(3);
  const EventNo before = run.now();
  const auto call = run.Arrive(fetch, site);
  const EventNo arrived = run.now();
  run.Args(call, "'x'").Ready(call);
  const EventNo ready = run.now();
  const auto attempt = run.Dispatch(call);
  const EventNo dispatched = run.now();
  run.At(2).Complete(attempt, "'text'").Settle(call, attempt);
  const EventNo settled = run.now();
  run.Reach(call).Promote(call).Consume(call);
  const EventNo consumed = run.now();
  const auto document = run.End().Load();
  const TraceStore& store = document->store();

  CHECK(store.LookAt(call, before) == Look::kAbsent);
  CHECK(store.LookAt(call, arrived) == Look::kWaiting);
  CHECK(store.LookAt(call, arrived + 1) == Look::kWaiting);
  CHECK(store.LookAt(call, ready) == Look::kReady);
  CHECK(store.LookAt(call, dispatched) == Look::kDispatched);
  CHECK(store.LookAt(call, settled) == Look::kSettled);
  CHECK(store.LookAt(call, consumed) == Look::kConsumed);
  CHECK(store.FateAt(attempt, ready) == Fate::kNone);
  CHECK(store.FateAt(attempt, settled) == Fate::kRunning);
  CHECK(store.FateAt(attempt, consumed) == Fate::kConsumed);
  CHECK(store.text(store.call(call).args_text) == "'x'");
  CHECK(store.event_text(store.attempt(attempt).outcome) == "'text'");
  CHECK(store.line_of(call) == 3);
  CHECK(store.tool_name(call) == "fetch");
  CHECK(store.anomalies() == 0);
  CHECK(document->banner().empty());
}

TEST_CASE("a dead path makes an orphan, which ends late, is lost or is cancelled") {
  TraceScript run;
  const auto fetch = run.Tool("fetch");
  const auto site = run.Site(8);
  const auto arm = run.Scope(ScopeKind::kBranch, 8, ScopeState::kActive);
  std::vector<CallId> calls;
  std::vector<AttemptId> attempts;
  for (int i = 0; i < 4; ++i) {
    calls.push_back(run.Arrive(fetch, site, {}, true, arm));
    attempts.push_back(run.Start(calls.back()));
  }
  run.At(1).ScopeDead(arm);
  for (const CallId call : calls) run.CallCancelled(call);
  for (const AttemptId attempt : attempts) run.CancelRequest(attempt);
  for (int i = 0; i < 3; ++i) run.Orphan(attempts[static_cast<size_t>(i)]);
  run.Stopped(attempts[3]).Cancelled(attempts[3]);
  const EventNo orphaned = run.now();
  run.At(9).Complete(attempts[0]).Late(attempts[0], true);
  run.Fail(attempts[1], "ValueError", "no").Late(attempts[1], false);
  run.At(30).Lost(attempts[2]).End();
  const auto document = run.Load();
  const TraceStore& store = document->store();

  for (int i = 0; i < 3; ++i) CHECK(store.LookAt(calls[static_cast<size_t>(i)], orphaned) == Look::kOrphaned);
  CHECK(store.LookAt(calls[3], orphaned) == Look::kCancelled);
  CHECK(store.FateAt(attempts[0], orphaned) == Fate::kRunning);
  CHECK(store.FateAt(attempts[3], orphaned) == Fate::kCancelled);
  const EventNo end = store.events();
  CHECK(store.LookAt(calls[0], end) == Look::kLateOk);
  CHECK(store.LookAt(calls[1], end) == Look::kLateFailed);
  CHECK(store.LookAt(calls[2], end) == Look::kLost);
  CHECK(store.FateAt(attempts[0], end) == Fate::kLate);
  CHECK(store.FateAt(attempts[2], end) == Fate::kLost);
  CHECK(store.ScopeAt(arm, orphaned) == ScopeState::kDead);
  CHECK(store.anomalies() == 0);
}

TEST_CASE("a retried call starts anew and its first attempt is booked as retried") {
  TraceScript run;
  const auto fetch = run.Tool("fetch");
  const auto call = run.Arrive(fetch, run.Site(1));
  const auto first = run.Start(call);
  run.At(1).Fail(first, "TimeoutError", "slow").Retry(call, first);
  const EventNo retried = run.now();
  run.Ready(call);
  const auto second = run.Dispatch(call);
  run.At(2).Take(call, second).End();
  const auto document = run.Load();
  const TraceStore& store = document->store();

  CHECK(store.LookAt(call, retried - 2) == Look::kDispatched);
  CHECK(store.LookAt(call, retried) == Look::kWaiting);
  CHECK(store.LookAt(call, retried + 1) == Look::kReady);
  CHECK(store.LookAt(call, store.events()) == Look::kConsumed);
  CHECK(store.FateAt(first, store.events()) == Fate::kRetried);
  CHECK(store.FateAt(second, store.events()) == Fate::kConsumed);
  CHECK(store.anomalies() == 0);
}

TEST_CASE("an attempt that was asked to stop is an orphan until it has ended") {
  TraceScript run;
  const auto fetch = run.Tool("fetch");
  const auto call = run.Arrive(fetch, run.Site(1));
  const auto attempt = run.Start(call);
  run.CallCancelled(call).CancelRequest(attempt);
  const EventNo asked = run.now();
  run.At(3).Late(attempt, true).End();
  const auto document = run.Load();
  CHECK(document->store().LookAt(call, asked) == Look::kOrphaned);
  CHECK(document->store().FateAt(attempt, asked) == Fate::kRunning);
  CHECK(document->store().LookAt(call, document->store().events()) == Look::kLateOk);
}

TEST_CASE("a deadline fails the call at once; its attempt runs on and is booked late, not consumed") {
  TraceScript run;
  const auto fetch = run.Tool("fetch");
  const auto call = run.Arrive(fetch, run.Site(1), {}, false);
  const auto attempt = run.Start(call);
  run.At(5).Orphan(attempt, "deadline").Settle(call, attempt, false).Consume(call);
  const EventNo taken = run.now();
  run.At(9).Complete(attempt).Late(attempt, true).End(false);
  const auto document = run.Load();
  CHECK(document->store().LookAt(call, taken) == Look::kConsumedFailed);
  CHECK(document->store().FateAt(attempt, taken) == Fate::kRunning);
  CHECK(document->store().FateAt(attempt, document->store().events()) == Fate::kLate);
  CHECK(document->store().anomalies() == 0);
}

TEST_CASE("two calls share one attempt: it is booked once, by the first that takes it") {
  TraceScript run;
  const auto fetch = run.Tool("fetch");
  const auto site = run.Site(1);
  const auto a = run.Arrive(fetch, site), b = run.Arrive(fetch, site);
  const auto attempt = run.Start(a);
  run.Args(b, "'x'").Ready(b).Join(b, attempt);
  run.At(3).Complete(attempt).Settle(a, attempt).Settle(b, attempt).Discard(a);
  const EventNo one_gone = run.now();
  run.Reach(b).Promote(b).Consume(b).End();
  const auto document = run.Load();
  const TraceStore& store = document->store();

  CHECK(store.FateAt(attempt, one_gone) == Fate::kRunning);
  CHECK(store.FateAt(attempt, store.events()) == Fate::kConsumed);
  CHECK(store.call(b).joined);
  CHECK(store.anomalies() == 0);
}

TEST_CASE("a kept result that was written off and is taken after all moves to consumed") {
  TraceScript run;
  const auto fetch = run.Tool("fetch");
  const auto site = run.Site(1);
  const auto a = run.Arrive(fetch, site);
  const auto attempt = run.Start(a);
  run.At(1).Complete(attempt).Settle(a, attempt).Discard(a);
  const EventNo written_off = run.now();
  const auto b = run.Arrive(fetch, site, {}, false);
  run.Args(b, "'x'").Ready(b).Join(b, attempt).Settle(b, attempt).Consume(b).End();
  const auto document = run.Load();

  CHECK(document->store().FateAt(attempt, written_off) == Fate::kDiscarded);
  CHECK(document->store().FateAt(attempt, document->store().events()) == Fate::kConsumed);
}

TEST_CASE("counts at a cursor are those of counting call by call, in every shape of run") {
  for (const Shape shape : {Shape::kWide, Shape::kDeep, Shape::kAgent}) {
    CAPTURE(Name(shape));
    const auto document = LoadBig(shape, 700);
    const TraceStore& store = document->store();
    REQUIRE(store.anomalies() == 0);
    std::mt19937 random(7);
    for (int i = 0; i < 60; ++i) {
      const EventNo cursor = random() % (store.events() + 1);
      CAPTURE(cursor);
      CHECK(store.LooksAt(cursor) == CountCallByCall(store, cursor));
      CHECK(store.FatesAt(cursor) == CountAttemptByAttempt(store, cursor));
    }
  }
}

TEST_CASE("what is ready, waiting or running at a cursor is found without looking at every call") {
  const auto document = LoadBig(Shape::kAgent, 900);
  const TraceStore& store = document->store();
  std::mt19937 random(11);
  for (int i = 0; i < 60; ++i) {
    const EventNo cursor = random() % (store.events() + 1);
    uint32_t ready = 0, waiting = 0;
    bool all_ready = true, all_waiting = true;
    store.ready().Stab(cursor, [&](CallId id) {
      ++ready;
      all_ready = all_ready && store.LookAt(id, cursor) == Look::kReady;
      return true;
    });
    store.waiting().Stab(cursor, [&](CallId id) {
      ++waiting;
      all_waiting = all_waiting && store.LookAt(id, cursor) == Look::kWaiting;
      return true;
    });
    CHECK(all_ready);
    CHECK(all_waiting);
    const LookCounts counts = store.LooksAt(cursor);
    CHECK(ready == counts[static_cast<size_t>(Look::kReady)]);
    CHECK(waiting == counts[static_cast<size_t>(Look::kWaiting)]);
  }
}

TEST_CASE("a call with very many events is still looked up at any cursor") {
  TraceScript run;
  const auto call = run.Arrive(run.Tool("fetch"), run.Site(1));
  run.Args(call, "'x'");
  std::vector<std::pair<EventNo, Look>> story;
  for (int i = 0; i < 100; ++i) {
    run.Ready(call);
    story.emplace_back(run.now(), Look::kReady);
    const auto attempt = run.Dispatch(call);
    story.emplace_back(run.now(), Look::kDispatched);
    run.At(i).Fail(attempt, "OSError", "again").Retry(call, attempt);
    story.emplace_back(run.now(), Look::kWaiting);
  }
  const auto document = run.Load();
  for (const auto& [cursor, look] : story) CHECK(document->store().LookAt(call, cursor) == look);
}

TEST_CASE("sequence numbers with gaps keep their meaning") {
  TraceScript run;
  run.Line(R"({"seq":100,"t":0,"k":"tick"})")
      .Line(R"({"seq":101,"t":0,"k":"tick"})")
      .Line(R"({"seq":500,"t":5,"k":"tick"})");
  const auto document = run.Load();
  const TraceStore& store = document->store();
  REQUIRE(store.events() == 5);
  CHECK(store.seq(2) == 2);
  CHECK(store.seq(3) == 100);
  CHECK(store.seq(4) == 101);
  CHECK(store.seq(5) == 500);
  CHECK(store.FindSeq(101) == 4);
  CHECK(store.FindSeq(300) == 4);
  CHECK(store.FindSeq(1) == 1);
  CHECK(store.FindSeq(9999) == 5);
  CHECK(store.FindTime(4) == 4);
}

TEST_CASE("a live tail cut anywhere gives the same store as the whole file") {
  TraceScript script;
  const std::string text = BigTraceText(Shape::kAgent, 120);
  Document whole("whole"), tail("tail", true);
  whole.Feed(text);
  std::mt19937 random(3);
  for (size_t at = 0; at < text.size();) {
    const size_t n = std::min<size_t>(text.size() - at, 1 + random() % 97);
    tail.Feed(std::string_view(text).substr(at, n));
    at += n;
  }
  REQUIRE(tail.store().events() == whole.store().events());
  for (EventNo e = 1; e <= whole.store().events(); ++e) {
    REQUIRE(tail.store().kind(e) == whole.store().kind(e));
    REQUIRE(tail.store().call_of(e) == whole.store().call_of(e));
    REQUIRE(tail.store().look_after(e) == whole.store().look_after(e));
    REQUIRE(tail.store().event_text(e) == whole.store().event_text(e));
  }
}

TEST_CASE("a trace that lies is counted and shown as far as it makes sense") {
  TraceScript run;
  const auto fetch = run.Tool("fetch");
  const auto call = run.Arrive(fetch, run.Site(1), {77});
  const auto attempt = run.Start(call);
  run.Complete(attempt).Settle(call, attempt).Consume(call);
  SUBCASE("unknown ids") {
    run.Reach(4000000000u).Consume(99).Complete(1234567).Late(55).Join(call, 4000000000u).ScopeActive(9999);
    CHECK(run.Load()->store().anomaly(Anomaly::kUnknownId).count >= 6);
  }
  SUBCASE("finished twice") {
    run.Consume(call).Discard(call).Complete(attempt).Settle(call, attempt).Skip(call, call);
    const auto document = run.Load();
    CHECK(document->store().anomaly(Anomaly::kEndedTwice).count >= 4);
    CHECK(document->store().LookAt(call, document->store().events()) == Look::kConsumed);
  }
  SUBCASE("ids out of order") {
    run.Line(R"({"seq":SEQ,"t":0,"k":"arrive","call":4000000000,"tool":1,"site":1,"scope":1,"early":true,"deps":[1]})");
    run.Line(R"({"seq":SEQ,"t":0,"k":"dispatch","attempt":4000000000,"call":1,"early":true,"cost":1})");
    const auto document = run.Load();
    CHECK(document->store().anomaly(Anomaly::kIdOutOfOrder).count == 2);
    CHECK(document->store().calls() == 1);
  }
  SUBCASE("the banner says so, and names the first") {
    run.Consume(call);
    const auto document = run.Load();
    CHECK(document->banner().find("ended twice") != std::string::npos);
    CHECK(document->banner().find(std::to_string(run.now())) != std::string::npos);
    CHECK_FALSE(document->banner_is_error());
  }
  SUBCASE("time going back is the reader's error; what came before stays") {
    run.At(5).Consume(call).At(1).Consume(call);
    const auto document = run.Load();
    CHECK(document->banner_is_error());
    CHECK(document->banner().find("p.jsonl:") == 0);
    CHECK(document->store().events() == run.now() - 1);
  }
}

TEST_CASE("random well-formed nonsense never breaks an invariant") {
  std::mt19937 random(2024);
  for (int round = 0; round < 200; ++round) {
    TraceScript run;
    run.Tool("a");
    run.Tool("b", Effect::kExternalWrite);
    run.Site(1);
    run.Site(2);
    int64_t t = 0;
    for (int i = 0; i < 120; ++i) {
      const uint32_t x = 1 + random() % 6, y = 1 + random() % 6;
      run.At(t += random() % 2);
      switch (random() % 18) {
        case 0:
        case 1:
          run.Arrive(1 + x % 3, 1 + y % 3, {x, y}, random() % 2 == 0, x);
          break;
        case 2:
          run.Args(x, "?");
          break;
        case 3:
          run.Ready(x);
          break;
        case 4:
        case 5:
          run.Dispatch(x);
          break;
        case 6:
          run.Complete(x);
          break;
        case 7:
          run.Fail(x, "E", "m");
          break;
        case 8:
          run.Settle(x, y, random() % 2 == 0);
          break;
        case 9:
          run.Consume(x);
          break;
        case 10:
          run.Discard(x);
          break;
        case 11:
          run.CallCancelled(x);
          break;
        case 12:
          run.Orphan(x);
          break;
        case 13:
          run.Late(x);
          break;
        case 14:
          run.Lost(x);
          break;
        case 15:
          run.Retry(x, y);
          break;
        case 16:
          run.Join(x, y);
          break;
        case 17:
          run.Cancelled(x).Reach(y).Promote(x).Skip(x, y).Suppress(y, x);
          break;
      }
    }
    const auto document = run.Load();
    const TraceStore& store = document->store();
    INFO(document->banner());
    REQUIRE_FALSE(document->banner_is_error());
    for (EventNo cursor = 0; cursor <= store.events(); cursor += 7) {
      REQUIRE(store.LooksAt(cursor) == CountCallByCall(store, cursor));
      REQUIRE(store.FatesAt(cursor) == CountAttemptByAttempt(store, cursor));
    }
  }
}

TEST_CASE("memory stays below four times the file") {
  for (const Shape shape : {Shape::kWide, Shape::kDeep, Shape::kAgent}) {
    CAPTURE(Name(shape));
    const std::string text = BigTraceText(shape, 20000);
    Document document("big");
    document.Feed(text);
    document.Finish();
    MESSAGE(Name(shape), ": ", document.store().events(), " events, file ", text.size(), " bytes, model ",
            document.MemoryBytes(), " bytes");
    CHECK(document.MemoryBytes() <= 4 * text.size());
  }
}
