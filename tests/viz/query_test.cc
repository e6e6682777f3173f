#include "model/query.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "big_trace.h"
#include "trace_script.h"

using namespace pysolate;
using namespace pysolate::viz;
using namespace pysolate::viz::testing;

namespace {

// A small run with one call of each kind.
struct Zoo {
  TraceScript run;
  CallId good = 0, bad = 0, orphan = 0, waiting = 0, effect = 0;
  std::unique_ptr<Document> document;
  Zoo() {
    const auto fetch = run.Tool("fetch_page"), parse = run.Tool("parse", Effect::kPure);
    const auto save = run.Tool("save", Effect::kExternalWrite);
    const auto first = run.Site(10, 4, "main.py", "load"), second = run.Site(42);
    good = run.Arrive(fetch, first);
    const auto x = run.Start(good, "'https://a.example'");
    bad = run.Arrive(parse, second);
    const auto y = run.Start(bad, "'text'");
    orphan = run.Arrive(fetch, second);
    const auto z = run.Start(orphan, "'b'");
    run.At(3).Take(good, x, "'Hello World'");
    run.At(10).Fail(y, "ValueError", "not JSON").Settle(bad, y, false).Reach(bad).Consume(bad);
    run.CallCancelled(orphan).Orphan(z);
    waiting = run.Arrive(parse, second, {good, bad, orphan});
    effect = run.Arrive(save, second);
    run.Args(effect, "1");
    document = run.Load();
  }
  std::vector<CallId> Find(std::string_view text) {
    Query query;
    ParseProblem problem;
    INFO(text, ": ", problem.message);
    REQUIRE(Query::Parse(text, &query, &problem));
    std::vector<CallId> found;
    for (CallId id = 1; id <= document->store().calls(); ++id) {
      if (query.Matches(document->store(), id, document->store().events())) found.push_back(id);
    }
    return found;
  }
};

using Calls = std::vector<CallId>;

}  // namespace

TEST_CASE("queries find calls by state, place, text, time and number") {
  Zoo z;
  CHECK(z.Find("").size() == 5);
  CHECK(z.Find("state:orphaned") == Calls{z.orphan});
  CHECK(z.Find("state:failed") == Calls{z.bad});
  CHECK(z.Find("state:waiting") == Calls{z.waiting, z.effect});
  CHECK(z.Find("state:orphaned|failed") == Calls{z.bad, z.orphan});
  CHECK(z.Find("-state:waiting") == Calls{z.good, z.bad, z.orphan});
  CHECK(z.Find("state!=waiting") == Calls{z.good, z.bad, z.orphan});
  CHECK(z.Find("fate:consumed") == Calls{z.good, z.bad});
  CHECK(z.Find("line:42").size() == 4);
  CHECK(z.Find("line:10..20") == Calls{z.good});
  CHECK(z.Find("line<=10") == Calls{z.good});
  CHECK(z.Find("tool:fetch_page") == Calls{z.good, z.orphan});
  CHECK(z.Find("tool:fetch").empty());
  CHECK(z.Find("tool~FETCH") == Calls{z.good, z.orphan});
  CHECK(z.Find("file:main.py function:load") == Calls{z.good});
  CHECK(z.Find("value~world") == Calls{z.good});
  CHECK(z.Find("error:ValueError") == Calls{z.bad});
  CHECK(z.Find("error~json") == Calls{z.bad});
  CHECK(z.Find("args~example") == Calls{z.good});
  CHECK(z.Find("deps>2") == Calls{z.waiting});
  CHECK(z.Find("dependents>=1") == Calls{z.good, z.bad, z.orphan});
  CHECK(z.Find("dur>5u") == Calls{z.bad, z.orphan});
  CHECK(z.Find("dur:3u") == Calls{z.good});
  CHECK(z.Find("dur>0.005ms") == Calls{z.bad, z.orphan});
  CHECK(z.Find("call:2|3") == Calls{z.bad, z.orphan});
  CHECK(z.Find("attempt:1") == Calls{z.good});
  CHECK(z.Find("gate:arguments") == Calls{z.waiting});
  CHECK(z.Find("gate:contract") == Calls{z.effect});
  CHECK(z.Find("is:reached") == Calls{z.good, z.bad});
  CHECK(z.Find("is:early") == Calls{z.orphan, z.waiting, z.effect});
  CHECK(z.Find("\"Hello World\"") == Calls{z.good});
  CHECK(z.Find("hello") == Calls{z.good});
  CHECK(z.Find("state:orphaned line:42 tool~fetch dur>5us deps<3") == Calls{z.orphan});
}

TEST_CASE("a query sees what there was at the cursor and nothing later") {
  Zoo z;
  Query query;
  ParseProblem problem;
  REQUIRE(Query::Parse("state:orphaned", &query, &problem));
  const TraceStore& store = z.document->store();
  const EventNo before = store.call(z.orphan).end - 1;
  CHECK_FALSE(query.Matches(store, z.orphan, before));
  REQUIRE(Query::Parse("world", &query, &problem));
  CHECK_FALSE(query.Matches(store, z.good, store.call(z.good).dispatch));
  REQUIRE(Query::Parse("line:42", &query, &problem));
  CHECK_FALSE(query.Matches(store, z.waiting, store.call(z.waiting).arrive - 1));
}

TEST_CASE("a faulty query names the column and the cause") {
  const struct {
    std::string_view text;
    uint32_t column;
    std::string_view cause;
  } cases[] = {
      {"colour:red", 0, "no field 'colour'"},
      {"line:42 state:happy", 14, "no state 'happy'"},
      {"line:", 5, "missing"},
      {"line:4x", 5, "whole number"},
      {"line:4..y", 8, "whole number"},
      {"line>4..9", 5, "range"},
      {"dur>5", 5, "unit"},
      {"dur>5min", 5, "unit"},
      {"dur>fast", 4, "time"},
      {"state>ready", 5, "no order"},
      {"line~4", 4, "text"},
      {"tool:\"fetch", 5, "not closed"},
      {"fate:happy", 5, "no fate"},
      {"is:nice", 3, "none of"},
      {"gate:iron", 5, "none of"},
      {"state:ready|", 12, "missing"},
  };
  for (const auto& c : cases) {
    Query query;
    ParseProblem problem;
    CAPTURE(c.text);
    CHECK_FALSE(Query::Parse(c.text, &query, &problem));
    INFO(problem.message);
    CHECK(problem.column == c.column);
    CHECK(problem.message.find(c.cause) != std::string::npos);
  }
}

TEST_CASE("odd characters in a query never break it") {
  for (const std::string_view text :
       {"-", "--", "|", ":", "~", "\"", "\"\\", "a|b|", "-\"x", "é", "\xff\xfe", ">", "=", "line", "-line:1|2"}) {
    Query query;
    ParseProblem problem;
    Query::Parse(text, &query, &problem);
  }
}

TEST_CASE("hits are counted, walked and kept up while the run grows") {
  const std::string text = BigTraceText(Shape::kAgent, 400);
  Document live("live", true);
  Search search(&live.store());
  search.SetText("line:4");
  for (size_t at = 0; at < text.size(); at += 20000) {
    live.Feed(std::string_view(text).substr(at, 20000));
    REQUIRE(search.Update(live.store().events()));
    uint32_t expected = 0;
    for (CallId id = 1; id <= live.store().calls(); ++id) expected += live.store().line_of(id) == 4 ? 1 : 0;
    REQUIRE(search.hits() == expected);
  }
  uint32_t place = 0;
  const CallId first = search.Next(0, 1, &place);
  CHECK(place == 1);
  CHECK(search.Next(first, -1, &place) == search.hit_calls().back());
  CHECK(place == search.hits());
  CHECK(search.Next(search.hit_calls().back(), 1, &place) == first);

  SUBCASE("a search over more calls than a frame may look at goes on in the next") {
    search.SetText("line:4 state:consumed");
    int frames = 1;
    while (!search.Update(live.store().events(), 50)) ++frames;
    CHECK(frames >= 8);
    CHECK(search.complete());
  }
  SUBCASE("a faulty text keeps the last good hits") {
    const uint32_t hits = search.hits();
    search.SetText("line:");
    CHECK_FALSE(search.ok());
    CHECK(search.problem().column == 5);
    search.Update(live.store().events());
    CHECK(search.hits() == hits);
  }
}
