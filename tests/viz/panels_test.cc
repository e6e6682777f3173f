// The frontier, explain, the ledger, the inspector, the source panel: what panels say in words.
#include <doctest/doctest.h>

#include <algorithm>
#include <random>

#include "big_trace.h"
#include "model/frontier.h"
#include "model/inspector.h"
#include "model/ledger.h"
#include "model/selection.h"
#include "model/source_panel.h"
#include "trace_script.h"

using namespace pysolate;
using namespace pysolate::viz;
using namespace pysolate::viz::testing;

namespace {

std::string Words(const TraceStore& store, CallId call, EventNo cursor) {
  std::string all;
  for (const ShutGate& gate : ShutGates(store, call, cursor)) all += (all.empty() ? "" : "; ") + gate.words;
  return all;
}

bool Says(const std::vector<std::string>& lines, std::string_view what) {
  return std::any_of(lines.begin(), lines.end(),
                     [&](const std::string& l) { return l.find(what) != std::string::npos; });
}

}  // namespace

TEST_CASE("every wait has a reason") {
  TraceScript run;
  SUBCASE("arguments: the calls waited for are named") {
    const auto fetch = run.Tool("fetch");
    const auto site = run.Site(1);
    const auto a = run.Arrive(fetch, site), b = run.Arrive(fetch, site);
    const auto x = run.Start(a);
    const auto c = run.Arrive(fetch, site, {a, b});
    const EventNo both = run.now();
    run.Complete(x).Settle(a, x);
    const auto document = run.Load();
    CHECK(Words(document->store(), c, both) == "waiting for call 1; waiting for call 2");
    CHECK(Words(document->store(), c, run.now()) == "waiting for call 2");
    CHECK(ShutGates(document->store(), c, both)[0].gate == Gate::kArguments);
  }
  SUBCASE("control: the scope that is not active yet") {
    const auto fetch = run.Tool("fetch");
    const auto arm = run.Scope(ScopeKind::kBranch, 8, ScopeState::kPending);
    const auto inner = run.Scope(ScopeKind::kIteration, 9, ScopeState::kPending, arm);
    const auto call = run.Arrive(fetch, run.Site(9), {}, true, inner);
    run.Args(call, "'x'");
    const EventNo pending = run.now();
    run.ScopeActive(arm).ScopeActive(inner);
    const auto document = run.Load();
    CHECK(Words(document->store(), call, pending) == "scope of line 8 not reached");
    CHECK(document->store().ScopeAt(inner, run.now()) == ScopeState::kActive);
  }
  SUBCASE("contract: an effect waits until it is reached, then for the effect before it") {
    const auto save = run.Tool("save", Effect::kExternalWrite);
    const auto site = run.Site(1);
    const auto first = run.Arrive(save, site, {}, false), second = run.Arrive(save, site, {}, true);
    run.Start(first);
    run.Args(second, "2");
    const EventNo early = run.now();
    run.Reach(second);
    const auto document = run.Load();
    CHECK(Words(document->store(), second, early) == "effect external_write: only when reached");
    CHECK(Words(document->store(), second, run.now()) ==
          "effect external_write: one after another, attempt 1 has the turn");
  }
  SUBCASE("contract: a read stays behind a pending write of its root") {
    const auto docs = run.Root("docs");
    const auto read = run.Tool("read", Effect::kImmutableRead, 0, 1, docs);
    const auto write = run.Tool("write", Effect::kPrivateWrite, 0, 1, docs);
    const auto site = run.Site(1);
    const auto w = run.Arrive(write, site, {}, true);
    run.Args(w, "1");
    const auto r = run.Arrive(read, site);
    run.Args(r, "2");
    const auto document = run.Load();
    CHECK(Words(document->store(), r, run.now()) == "write of call 1 is pending on root docs");
  }
  SUBCASE("budget: what is held, and by which orphan") {
    const auto net = run.Class("net", 4);
    const auto fetch = run.Tool("fetch", Effect::kImmutableRead, net);
    const auto site = run.Site(1);
    std::vector<AttemptId> attempts;
    std::vector<CallId> calls;
    for (int i = 0; i < 4; ++i) {
      calls.push_back(run.Arrive(fetch, site));
      attempts.push_back(run.Start(calls.back()));
    }
    const auto waiting = run.Arrive(fetch, site, {}, false);
    run.Args(waiting, "'x'").Ready(waiting);
    const EventNo full = run.now();
    run.CallCancelled(calls[2]).Orphan(attempts[2]);
    const auto document = run.Load();
    const TraceStore& store = document->store();
    CHECK(Words(store, waiting, full) == "budget net 4/4");
    CHECK(Words(store, waiting, run.now()) == "budget net 4/4, one held by orphan 3");
    const auto use = BudgetsAt(store, run.now());
    REQUIRE(use.size() == 3);
    CHECK(use[2].name == "net");
    CHECK(use[2].held == 4);
    CHECK(use[2].held_by_orphans == 1);
    const auto questions = FourQuestions(store, waiting, run.now());
    CHECK(questions[0].open);
    CHECK(questions[1].open);
    CHECK(questions[2].open);
    CHECK_FALSE(questions[3].open);
    CHECK(questions[3].words.find("orphan 3") != std::string::npos);
  }
}

TEST_CASE("early calls leave room for reached ones, and say so") {
  TraceScript run;
  run.TotalBudget(3);
  const auto fetch = run.Tool("fetch");
  const auto site = run.Site(1);
  for (int i = 0; i < 2; ++i) run.Start(run.Arrive(fetch, site));
  const auto early = run.Arrive(fetch, site), reached = run.Arrive(fetch, site, {}, false);
  run.Args(early, "1").Ready(early).Args(reached, "2").Ready(reached);
  const auto document = run.Load();
  CHECK(Words(document->store(), early, run.now()) == "budget total 2/3, one kept free for reached calls");
  CHECK(Words(document->store(), reached, run.now()).empty());
}

TEST_CASE("every waiting call of every run has at least one shut gate at every moment") {
  const auto document = LoadBig(Shape::kAgent, 300);
  const TraceStore& store = document->store();
  for (EventNo cursor = 0; cursor <= store.events(); cursor += 13) {
    const Frontier frontier = FrontierAt(store, cursor, 10000);
    REQUIRE(frontier.waiting.size() == frontier.waiting_total);
    REQUIRE(frontier.ready.size() == frontier.ready_total);
    for (const FrontierRow& row : frontier.waiting) {
      REQUIRE_FALSE(row.gates.empty());
      REQUIRE_FALSE(row.gates[0].words.empty());
      REQUIRE(Explain(store, row.call, cursor).size() >= 2);
    }
  }
}

TEST_CASE("the frontier is in the order of popping: reached first, then order key, then id") {
  TraceScript run;
  const auto fetch = run.Tool("fetch");
  const auto site = run.Site(1);
  const auto make = [&](std::string_view order) {
    const auto call = run.Arrive(fetch, site, {}, true, 1, order);
    run.Args(call, "1").Ready(call);
    return call;
  };
  const auto late_key = make("b2"), early_key = make("a9"), reached = make("c1"), same_key = make("a9");
  run.Reach(reached).Promote(reached);
  const auto document = run.Load();
  const Frontier frontier = FrontierAt(document->store(), run.now());
  REQUIRE(frontier.ready.size() == 4);
  std::vector<CallId> order;
  for (const FrontierRow& row : frontier.ready) order.push_back(row.call);
  CHECK(order == std::vector<CallId>{reached, early_key, same_key, late_key});
  CHECK(frontier.ready[0].place == 1);
  CHECK(frontier.ready[0].reached);

  SUBCASE("a short list is the head of the long one and says how many there are") {
    const Frontier head = FrontierAt(document->store(), run.now(), 2);
    CHECK(head.ready.size() == 2);
    CHECK(head.ready_total == 4);
    CHECK(head.ready[1].call == early_key);
  }
}

TEST_CASE("what the run dispatched next was the head of the frontier") {
  const auto document = LoadBig(Shape::kAgent, 300);
  const TraceStore& store = document->store();
  for (const EventNo e : store.of_kind(EventKind::kDispatch)) {
    const Frontier frontier = FrontierAt(store, e - 1, 1);
    // The generator of these runs pops by id alone, so reached calls may differ; the id order must not.
    bool any_before = false;
    store.ready().Stab(e - 1, [&](CallId id) {
      any_before = any_before || id < store.call_of(e);
      return true;
    });
    REQUIRE_FALSE(any_before);
    REQUIRE(frontier.ready_total > 0);
  }
}

TEST_CASE("the ledger balances at every event, and its rows are the totals") {
  for (const Shape shape : {Shape::kWide, Shape::kAgent}) {
    const auto document = LoadBig(shape, 200);
    const TraceStore& store = document->store();
    Ledger ledger(&store);
    std::mt19937 random(1);
    for (int i = 0; i < 80; ++i) {
      const EventNo cursor = random() % (store.events() + 1);
      ledger.Seek(cursor);
      const LedgerTotals totals = ledger.totals();
      REQUIRE(totals.balances());
      const auto rows = ledger.Rows(0, 100000);
      REQUIRE(rows.size() == totals.dispatched);
      FateCounts fates{};
      uint32_t orphans = 0;
      std::vector<AttemptId> ids;
      for (const LedgerRow& row : rows) {
        ++fates[static_cast<size_t>(row.fate)];
        if (row.orphan) ++orphans;
        ids.push_back(row.attempt);
      }
      REQUIRE(fates == totals.fates);
      REQUIRE(orphans == totals.orphans);
      for (size_t k = 0; k < orphans; ++k) REQUIRE(rows[k].orphan);
      std::sort(ids.begin(), ids.end());
      REQUIRE(std::unique(ids.begin(), ids.end()) == ids.end());
      // A page is a part of the whole.
      const auto page = ledger.Rows(5, 7);
      for (size_t k = 0; k < page.size(); ++k) REQUIRE(page[k].attempt == rows[5 + k].attempt);
      // Hits and waste by site are those of counting.
      uint32_t early = 0, hits = 0;
      for (const SiteHits& site : ledger.by_site()) {
        early += site.early;
        hits += site.early_hits;
      }
      REQUIRE(early == std::count_if(rows.begin(), rows.end(), [](const LedgerRow& r) { return r.early; }));
      REQUIRE(hits == std::count_if(rows.begin(), rows.end(),
                                    [](const LedgerRow& r) { return r.early && r.fate == Fate::kConsumed; }));
    }
    ledger.Seek(store.events());
    CHECK(ledger.totals().fates[static_cast<size_t>(Fate::kRunning)] == 0);
  }
}

TEST_CASE("a row of the ledger says why") {
  TraceScript run;
  const auto fetch = run.Tool("fetch");
  const auto site = run.Site(7);
  const auto a = run.Arrive(fetch, site), b = run.Arrive(fetch, site);
  const auto x = run.Start(a), y = run.Start(b);
  run.At(2).Take(a, x).CallCancelled(b, "its scope died").Orphan(y, "its scope died");
  const auto document = run.At(5).Line(R"({"seq":SEQ,"t":5000,"k":"tick"})").Load(true);
  Ledger ledger(&document->store());
  ledger.Seek(document->store().events());
  const auto rows = ledger.Rows(0, 10);
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].attempt == y);
  CHECK(rows[0].orphan);
  CHECK(rows[0].reason == "orphan: its scope died");
  CHECK(rows[0].wall == 5000);
  CHECK(rows[1].reason == "taken by call 1");
  CHECK(rows[1].wall == 2000);
}

TEST_CASE("the inspector tells a call's whole story at the cursor and no more") {
  TraceScript run("a = fetch('x')\n");
  const auto fetch = run.Tool("fetch");
  const auto call = run.Arrive(fetch, run.Site(1, 4));
  const auto attempt = run.Start(call, "'x'");
  const EventNo started = run.now();
  run.At(3)
      .Fail(attempt, "ValueError", "no such page")
      .Settle(call, attempt, false)
      .Reach(call)
      .Promote(call)
      .Consume(call);
  const auto document = run.End(false).Load();
  const TraceStore& store = document->store();

  const Inspection early = Inspect(store, call, started);
  CHECK(early.title == "call 1: fetch('x')");
  CHECK(early.place == "p.py:1:4");
  CHECK(early.outcome.empty());
  CHECK(early.look == Look::kDispatched);
  CHECK(Says(early.explain, "runs as attempt 1"));

  const Inspection late = Inspect(store, call, store.events());
  CHECK(late.outcome == "ValueError: no such page");
  CHECK(late.outcome_is_error);
  CHECK(late.look == Look::kConsumedFailed);
  REQUIRE(late.transitions.size() == 9);
  CHECK(late.transitions.front().what.find("arrived, early") != std::string::npos);
  CHECK(late.transitions[4].since_previous == 3000);
  CHECK(late.transitions.back().look == Look::kConsumedFailed);
  CHECK(std::count_if(early.transitions.begin(), early.transitions.end(), [](const Transition& t) { return t.past; }) ==
        4);
  CHECK(Says(late.explain, "raised in the program"));
}

TEST_CASE("explain gives the trace's own reasons") {
  TraceScript run;
  const auto fetch = run.Tool("fetch");
  const auto site = run.Site(4);
  const auto a = run.Arrive(fetch, site), b = run.Arrive(fetch, site), c = run.Arrive(fetch, site, {a});
  const auto x = run.Start(a), y = run.Start(b);
  run.At(1).Fail(y, "KeyError", "k").Settle(b, y, false);
  run.At(2)
      .Fail(x, "ValueError", "v")
      .Settle(a, x, false)
      .Reach(a)
      .Consume(a)
      .Skip(c, a)
      .Suppress(b, a)
      .Discard(b, "a failed");
  const auto document = run.Load();
  const TraceStore& store = document->store();
  CHECK(Says(Explain(store, c, run.now()), "call 1, which it needs, failed"));
  CHECK(Says(Explain(store, b, run.now()), "a failed"));
  CHECK(Says(Explain(store, b, run.now() - 1), "call 1 failed before it"));
}

TEST_CASE("every event of every run has words") {
  const auto document = LoadBig(Shape::kAgent, 100);
  for (EventNo e = 1; e <= document->store().events(); ++e) CHECK_FALSE(DescribeEvent(document->store(), e).empty());
}

TEST_CASE("durations read in the run's own measure") {
  TraceScript run;
  const auto virtual_run = run.Load();
  CHECK(FormatDuration(virtual_run->store(), 2500) == "2.5 units");
  CHECK(FormatDuration(virtual_run->store(), 1000) == "1 unit");
  TraceStore real;
  CHECK(FormatDuration(real, 999) == "999 ns");
  CHECK(FormatDuration(real, 1500) == "1.5 us");
  CHECK(FormatDuration(real, 12500000) == "12.5 ms");
  CHECK(FormatDuration(real, 3000000000) == "3 s");
}

TEST_CASE("the source panel counts calls by line at the cursor and knows where the program stands") {
  TraceScript run("a = fetch('x')\n\nb = fetch(a)\n");
  const auto fetch = run.Tool("fetch");
  const auto first = run.Site(1, 4), second = run.Site(3, 4);
  run.Site(3, 4, "other.py");
  const auto a = run.Arrive(fetch, first), b = run.Arrive(fetch, second, {a});
  const auto x = run.Start(a);
  run.Reach(a).Promote(a);
  const EventNo blocked = run.now();
  run.At(2).Complete(x).Settle(a, x).Consume(a);
  const auto y = run.Start(b);
  run.Reach(b);
  const EventNo in_second = run.now();
  run.At(3).Complete(y).Settle(b, y).Consume(b);
  const auto document = run.End().Load();
  SourcePanel panel(&document->store());
  const auto check_counts = [&](EventNo cursor) {
    panel.Seek(cursor);
    for (const SourceLine& line : panel.lines()) {
      LookCounts looks{};
      uint32_t calls = 0;
      for (CallId id = 1; id <= document->store().calls(); ++id) {
        const Look look = document->store().LookAt(id, cursor);
        if (document->store().line_of(id) != line.number || look == Look::kAbsent) continue;
        ++looks[static_cast<size_t>(look)];
        ++calls;
      }
      CHECK(line.looks == looks);
      CHECK(line.calls == calls);
    }
  };
  REQUIRE(document->store().run().has_source);
  panel.Seek(blocked);
  REQUIRE(panel.lines().size() == 3);
  CHECK(panel.lines()[0].text == "a = fetch('x')");
  CHECK(panel.lines()[2].sites.size() == 1);
  CHECK(panel.current_line() == 1);
  CHECK(panel.blocked());
  panel.Seek(in_second);
  CHECK(panel.current_line() == 3);
  for (const EventNo cursor : {document->store().events(), blocked, in_second, EventNo{0}, EventNo{7}})
    check_counts(cursor);
}

TEST_CASE("selection history goes back and forward like a browser's") {
  Selection s;
  s.Select(1);
  s.Select(2);
  s.Select(2);
  s.Select(3);
  s.Back();
  CHECK(s.call() == 2);
  s.Back();
  s.Back();
  CHECK(s.call() == 0);
  CHECK_FALSE(s.CanGoBack());
  s.Forward();
  CHECK(s.call() == 1);
  s.Select(9);
  CHECK_FALSE(s.CanGoForward());
  s.Back();
  CHECK(s.call() == 1);
  for (CallId id = 100; id < 1000; ++id) s.Select(id);
  int back = 0;
  while (s.CanGoBack()) {
    s.Back();
    ++back;
  }
  CHECK(back == 255);
}

TEST_CASE("relatives are exact within the caps, and a cap is stated") {
  TraceScript run;
  const auto fetch = run.Tool("fetch");
  const auto site = run.Site(1);
  // A chain of 50 with 30 leaves at its head.
  const auto head = run.Arrive(fetch, site);
  CallId last = head;
  for (int i = 0; i < 50; ++i) last = run.Arrive(fetch, site, {last});
  for (int i = 0; i < 30; ++i) run.Arrive(fetch, site, {head});
  const auto document = run.Load();
  const TraceStore& store = document->store();
  const Relation of_head = RelativesOf(store, head, store.events(), 10);
  CHECK(of_head.direct_dependents.total == 31);
  CHECK(of_head.direct_dependents.calls.size() == 10);
  CHECK(of_head.all_dependents.total == 49);
  CHECK_FALSE(of_head.all_dependents.total_is_floor);
  CHECK(of_head.direct_deps.total == 0);
  const Relation of_last = RelativesOf(store, last, store.events());
  CHECK(of_last.direct_deps.calls == std::vector<CallId>{last - 1});
  CHECK(of_last.all_deps.total == 49);
  CHECK(RelativesOf(store, last, store.events(), 10, 5).all_deps.total_is_floor);
  // At an earlier cursor later calls are no relatives.
  CHECK(RelativesOf(store, head, store.call(last).arrive).direct_dependents.total == 1);
}

TEST_CASE("causes: the input that came last, the slot that got free, the call that held the program up") {
  TraceScript run;
  const auto fetch = run.Tool("fetch");
  const auto save = run.Tool("save", Effect::kExternalWrite);
  const auto site = run.Site(1);
  const auto quick = run.Arrive(fetch, site), slow = run.Arrive(fetch, site);
  const auto x = run.Start(quick), y = run.Start(slow);
  run.Reach(quick).Promote(quick);
  const auto both = run.Arrive(fetch, site, {quick, slow});
  run.At(1).Complete(x).Settle(quick, x).Consume(quick).Reach(slow).Promote(slow);
  run.At(4).Complete(y).Settle(slow, y).Consume(slow);
  const auto z = run.Start(both);
  const auto queued = run.Arrive(fetch, site);
  run.Args(queued, "1").Ready(queued).Reach(both).Promote(both);
  run.At(6).Complete(z).Settle(both, z);
  const auto w = run.Dispatch(queued);
  run.Consume(both);
  const auto effect = run.Arrive(save, site, {}, false);
  run.Start(effect);
  run.At(7).Complete(w).Settle(queued, w);
  const auto document = run.Load();
  const TraceStore& store = document->store();
  CHECK(CauseOf(store, both) == slow);
  CHECK(CauseOf(store, queued) == both);
  CHECK(CauseOf(store, effect) == both);
  CHECK(CauseOf(store, quick) == 0);
  CHECK(EffectOf(store, slow) == both);
  CHECK(CriticalPath(store, store.call(both).end) == std::vector<CallId>{slow, both});
}

TEST_CASE("walking causes always ends, whatever the run") {
  for (const Shape shape : {Shape::kWide, Shape::kDeep, Shape::kAgent}) {
    const auto document = LoadBig(shape, 400);
    const TraceStore& store = document->store();
    for (CallId id = 1; id <= store.calls(); ++id) {
      CallId at = id;
      uint32_t steps = 0;
      while (at != 0 && ++steps <= store.calls()) at = CauseOf(store, at);
      REQUIRE(steps <= store.calls());
    }
    const auto path = CriticalPath(store, store.events());
    CHECK_FALSE(path.empty());
    for (size_t i = 1; i < path.size(); ++i) CHECK(store.call(path[i - 1]).dispatch < store.call(path[i]).dispatch);
  }
}
