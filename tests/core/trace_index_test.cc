// The rules that all traces obey, each with a trace that breaks it. A story is a list of events that hold together; the
// tests change one of them.
#include "pysolate/trace_index.h"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

#include "pysolate/trace.h"
#include "support/trace_text.h"

using namespace pysolate;
using pysolate::testing::kHeader;

namespace {

// "9 reach call=1" -> {"seq":..,"t":9,"k":"reach","call":1}
std::string Line(int seq, std::string_view event) {
  std::string out = "{\"seq\":" + std::to_string(seq);
  size_t at = 0;
  for (int word = 0; at < event.size(); ++word) {
    size_t end = event.find(' ', at);
    if (end == std::string_view::npos) end = event.size();
    const std::string_view w = event.substr(at, end - at);
    at = end + 1;
    if (word == 0) {
      out += ",\"t\":" + std::string(w);
    } else if (word == 1) {
      out += ",\"k\":\"" + std::string(w) + "\"";
    } else {
      const size_t is = w.find('=');
      out += ",\"" + std::string(w.substr(0, is)) + "\":" + std::string(w.substr(is + 1));
    }
  }
  return out + "}\n";
}

class Story {
 public:
  Story() {
    Tell({"0 class class=1 name=\"net\" limit=2", "0 root root=1 name=\"files\"",
          "0 tool tool=1 name=\"fetch\" effect=\"immutable_read\" class=1 cancellable=true",
          "0 tool tool=2 name=\"send\" effect=\"external_write\"",
          "0 tool tool=3 name=\"slow\" effect=\"pure\" deadline=10",
          "0 tool tool=4 name=\"edit\" effect=\"private_write\" root=1", "0 site site=1 file=\"p.py\" line=1",
          "0 scope scope=1 kind=\"program\" state=\"active\""});
  }

  // An early call of `tool` that runs as attempt `id` (they rise together here).
  Story& Start(int id, int tool, bool early) {
    const std::string n = std::to_string(id);
    Tell(
        {"0 arrive call=" + n + " tool=" + std::to_string(tool) + " site=1 scope=1 early=" + (early ? "true" : "false"),
         "0 args call=" + n + " key=" + n});
    if (!early) Tell({"0 reach call=" + n});
    return Tell({"0 ready call=" + n,
                 "0 dispatch attempt=" + n + " call=" + n + " cost=1 early=" + (early ? "true" : "false")});
  }
  Story& Tell(std::initializer_list<std::string> events) {
    for (const std::string& e : events) text_ += Line(++seq_, e);
    return *this;
  }

  std::string text() const { return std::string(kHeader) + text_; }

 private:
  std::string text_;
  int seq_ = 1;
};

// The rules that a story breaks, in order.
std::vector<std::string> Broken(const Story& story, TraceIndex* index) {
  TraceReader reader(index);
  reader.Feed(story.text());
  reader.Finish();
  REQUIRE(reader.error().message == "");
  index->Finish();
  std::vector<std::string> rules;
  for (const Problem& p : index->problems()) rules.push_back(p.rule);
  return rules;
}

void Holds(const Story& story) {
  TraceIndex index;
  const auto rules = Broken(story, &index);
  for (const Problem& p : index.problems()) CAPTURE(p.text);
  CHECK(rules.empty());
  CHECK(index.totals().balanced());
}

void Breaks(const Story& story, std::string_view rule, std::string_view text) {
  TraceIndex index;
  Broken(story, &index);
  REQUIRE_FALSE(index.problems().empty());
  CHECK(index.problems()[0].rule == rule);
  CHECK(index.problems()[0].text == text);
}

}  // namespace

TEST_CASE("a call's story: early, promoted, completed, consumed") {
  Story story;
  story.Start(1, 1, true)
      .Tell({"5 reach call=1", "5 promote call=1", "9 complete attempt=1 value=\"v\" bytes=3",
             "9 settle call=1 attempt=1 ok=true", "9 consume call=1", "10 end ok=true"});
  TraceIndex index;
  CHECK(Broken(story, &index).empty());
  const CallFacts& c = index.call(1);
  CHECK(c.state == CallState::kConsumed);
  CHECK(c.early);
  CHECK(c.promoted);
  CHECK(c.reach.t == 5);
  CHECK(c.settle.t == 9);
  const AttemptFacts& a = index.attempt(1);
  CHECK(a.state == AttemptState::kSucceeded);
  CHECK(a.book == Book::kConsumed);
  CHECK(index.value(1) == "v");
  const TraceStats stats = index.Stats();
  CHECK(stats.makespan == 10);
  CHECK(stats.sequential_sum == 9);
  CHECK(stats.critical_path == 9);
  CHECK(stats.overlap_left == 1);
  CHECK(stats.peak_in_flight == 1);
  CHECK(stats.mean_in_flight == doctest::Approx(0.9));
  CHECK(index.run().ok);
}

TEST_CASE("two that overlap: what was won is the sum less the makespan") {
  Story story;
  story.Start(1, 1, false)
      .Start(2, 3, true)
      .Tell({"4 complete attempt=1 bytes=1", "4 settle call=1 attempt=1 ok=true", "4 consume call=1", "4 reach call=2",
             "4 promote call=2", "6 complete attempt=2 bytes=1", "6 settle call=2 attempt=2 ok=true",
             "6 consume call=2", "6 end ok=true"});
  TraceIndex index;
  CHECK(Broken(story, &index).empty());
  const TraceStats stats = index.Stats();
  CHECK(stats.sequential_sum == 10);
  CHECK(stats.overlap_won == 4);
  CHECK(stats.critical_path == 6);
  CHECK(stats.peak_in_flight == 2);
}

TEST_CASE("ids are introduced before they are used, one after another") {
  Breaks(Story().Tell({"0 reach call=1"}), "unknown-id", "call 1 was not introduced");
  Breaks(Story().Tell({"0 arrive call=2 tool=1 scope=1"}), "dense-ids", "call 2 is not the next one (1)");
  Breaks(Story().Tell({"0 arrive call=4294967294 tool=1 scope=1"}), "dense-ids",
         "call 4294967294 is not the next one (1)");
  Breaks(Story().Tell({"0 arrive call=1 tool=9 scope=1"}), "unknown-id", "tool 9 was not introduced");
  Breaks(Story().Tell({"0 arrive call=1 tool=1 scope=7"}), "unknown-id", "scope 7 was not introduced");
  Breaks(Story().Tell({"0 arrive call=1 tool=1 scope=1 deps=[1]"}), "unknown-id", "call 1 was not introduced");
  Breaks(Story().Tell({"0 class class=1 name=\"again\" limit=1"}), "dense-ids", "class 1 is introduced twice");
  Breaks(Story().Tell({"0 late attempt=3 ok=true"}), "unknown-id", "attempt 3 was not introduced");
}

TEST_CASE("each call and each attempt ends once") {
  const auto consumed = [] {
    return Story()
        .Start(1, 1, false)
        .Tell({"9 complete attempt=1 bytes=0", "9 settle call=1 attempt=1 ok=true", "9 consume call=1"});
  };
  Holds(consumed());
  Breaks(consumed().Tell({"9 consume call=1"}), "one-end", "call 1 is consumed already");
  Breaks(consumed().Tell({"9 discard call=1"}), "one-end", "call 1 is consumed already");
  Breaks(consumed().Tell({"9 complete attempt=1 bytes=0"}), "one-end", "attempt 1 is succeeded already");
  Breaks(consumed().Tell({"9 lost attempt=1"}), "one-end", "attempt 1 is succeeded already");
  Breaks(Story().Start(1, 1, false).Tell({"9 end ok=true"}), "one-end", "call 1 is dispatched after the program ended");
}

TEST_CASE("states follow one another") {
  Breaks(Story().Start(1, 1, false).Tell({"0 consume call=1"}), "call-state",
         "call 1 is consumed though it is dispatched");
  Breaks(Story().Start(1, 1, false).Tell({"0 settle call=1 attempt=1 ok=true"}), "call-state",
         "call 1 settles with a value though attempt 1 is running");
  Breaks(Story().Start(1, 1, false).Tell({"0 reach call=1"}), "call-state", "call 1 is reached twice");
  Breaks(Story().Start(1, 1, false).Tell({"0 discard call=1"}), "call-state",
         "call 1 is discarded though it was reached");
  Breaks(Story().Tell({"0 arrive call=1 tool=1 scope=1", "0 args call=1 key=1", "0 reach call=1",
                       "0 dispatch attempt=1 call=1 cost=1"}),
         "call-state", "call 1 is dispatched though it is waiting");
  Breaks(Story()
             .Start(1, 1, true)
             .Tell({"0 complete attempt=1 bytes=1", "0 settle call=1 attempt=1 ok=true", "0 consume call=1"}),
         "call-state", "call 1 is consumed before it is reached");
}

TEST_CASE("the gates stand before ready: arguments, control, contract") {
  Breaks(Story().Tell({"0 arrive call=1 tool=1 scope=1", "0 reach call=1", "0 ready call=1"}), "arguments",
         "call 1 is ready before its arguments are known");
  Breaks(Story()
             .Start(1, 1, false)
             .Tell({"0 arrive call=2 tool=1 scope=1 deps=[1] early=true", "0 args call=2 key=9", "0 ready call=2"}),
         "arguments", "call 2 is ready without the value of call 1");
  Breaks(Story().Tell({"0 scope scope=2 parent=1 kind=\"branch\" state=\"pending\"",
                       "0 arrive call=1 tool=1 scope=2 early=true", "0 args call=1 key=1", "0 ready call=1"}),
         "control", "call 1 is ready before control is known to come to scope 2");
  Breaks(Story().Tell({"0 arrive call=1 tool=2 scope=1 early=true", "0 args call=1 key=1", "0 ready call=1"}),
         "early-effect", "call 1 (external_write) is ready before it is reached");
}

TEST_CASE("effects run one after another, in the order in which control reached them") {
  Breaks(Story().Start(1, 2, false).Start(2, 2, false), "effect-order",
         "call 2 has an effect and is dispatched while attempt 1 has one");
  const auto reached = [](int n) {
    const std::string c = std::to_string(n);
    return std::vector<std::string>{"0 arrive call=" + c + " tool=2 scope=1", "0 args call=" + c + " key=0",
                                    "0 reach call=" + c};
  };
  Story story;
  for (int n : {1, 2}) {
    for (const std::string& e : reached(n)) story.Tell({e});
  }
  Story passing = story;
  passing.Tell({"0 ready call=2", "0 dispatch attempt=1 call=2 cost=1"});
  Breaks(passing, "effect-order", "call 2 has an effect and passes that of call 1");
  story.Tell({"0 ready call=1", "0 dispatch attempt=1 call=1 cost=1", "3 complete attempt=1 bytes=0",
              "3 settle call=1 attempt=1 ok=true", "3 ready call=2", "3 dispatch attempt=2 call=2 cost=1"});
  Holds(story);
}

TEST_CASE("an effect that starts anew keeps its turn") {
  Story story;
  story.Start(1, 2, false)
      .Tell({"0 arrive call=2 tool=2 scope=1", "0 args call=2 key=0", "0 reach call=2",
             "1 fail attempt=1 error=\"E\" failure=\"transient\"", "1 retry call=1 attempt=1", "1 ready call=1",
             "1 dispatch attempt=2 call=1 cost=1"});
  Holds(story);
}

TEST_CASE("no dispatch exceeds a budget, and early ones leave room") {
  Breaks(Story().Start(1, 1, false).Start(2, 1, false).Start(3, 1, false), "budget",
         "call 3 is dispatched at cost 1 while 2 of 2 of \"net\" are held");
  Breaks(Story().Tell({"0 budget total=1"}).Start(1, 1, false).Start(2, 3, false), "budget",
         "call 2 is dispatched while 1 of 1 are held");
  Breaks(Story().Tell({"0 budget early=1"}).Start(1, 3, true).Start(2, 3, true), "budget",
         "call 2 is dispatched early while 1 early ones and orphans run (limit 1)");
  Breaks(Story().Tell({"0 budget total=1"}).Start(1, 3, true), "early-room",
         "call 1 is dispatched early and leaves no room for a reached call in the total");
  Breaks(Story().Start(1, 1, true).Start(2, 1, true), "early-room",
         "call 2 is dispatched early and leaves no room for the costliest tool of \"net\"");
  Holds(Story().Start(1, 1, true).Start(2, 1, false));
  // A promoted attempt counts as reached: there is room for an early one again.
  Holds(Story().Start(1, 1, true).Tell({"0 reach call=1", "0 promote call=1"}).Start(2, 1, true));
}

TEST_CASE("nothing waits while its budget is free") {
  Story story;
  story.Tell({"0 arrive call=1 tool=1 scope=1", "0 args call=1 key=1", "0 reach call=1", "0 ready call=1", "1 tick"});
  Breaks(story, "lost-wake-up", "a reached call of class \"net\" is ready and its budget is free");
  Holds(Story()
            .Start(1, 1, false)
            .Start(2, 1, false)
            .Tell({"0 arrive call=3 tool=1 scope=1", "0 args call=3 key=3", "0 reach call=3", "0 ready call=3",
                   "1 tick"}));
}

TEST_CASE("scopes end once, and nothing new comes into one that is over") {
  const auto dead = [] {
    return Story().Tell({"0 scope scope=2 parent=1 kind=\"branch\" state=\"active\"", "0 scope_dead scope=2"});
  };
  Breaks(dead().Tell({"0 scope_closed scope=2"}), "scope", "scope 2 is dead already");
  Breaks(dead().Tell({"0 arrive call=1 tool=1 scope=2"}), "scope", "call 1 arrives in scope 2, which is over");
  Breaks(dead().Tell({"0 scope scope=3 parent=2 kind=\"try\" state=\"active\""}), "scope",
         "scope 3 opens in scope 2, which is over");
  Holds(dead().Tell({"0 arrive call=1 tool=1 scope=2 early=true", "0 refuse call=1 why=\"over\"", "0 discard call=1"}));
  Breaks(Story().Tell({"0 scope scope=2 parent=1 kind=\"branch\" state=\"active\"",
                       "0 scope scope=3 parent=2 kind=\"try\" state=\"active\"", "0 scope_closed scope=2",
                       "0 scope_dead scope=3"}),
         "scope", "scope 3 is closed already");
}

TEST_CASE("cancel: asked once, of a tool that can, when nobody wants the attempt") {
  const auto unwanted = [](int tool) { return Story().Start(1, tool, true).Tell({"1 discard call=1"}); };
  Holds(unwanted(1).Tell(
      {"1 cancel_request attempt=1", "2 stopped attempt=1", "2 cancelled attempt=1", "3 end ok=true"}));
  Holds(unwanted(1).Tell(
      {"1 cancel_request attempt=1", "2 complete attempt=1 bytes=1", "2 late attempt=1 ok=true", "3 end ok=true"}));
  Breaks(unwanted(1).Tell({"1 cancel_request attempt=1", "1 cancel_request attempt=1"}), "cancel-once",
         "attempt 1 is asked to stop twice");
  Breaks(unwanted(3).Tell({"1 cancel_request attempt=1"}), "cancel-once",
         "attempt 1 is asked to stop though its tool can't");
  Breaks(Story().Start(1, 1, true).Tell({"1 cancel_request attempt=1"}), "attempt-state",
         "attempt 1 is called unwanted though a call wants it");
  Breaks(unwanted(1).Tell({"1 end ok=true"}), "ledger",
         "attempt 1 runs, nobody wants it, and it is neither an orphan nor asked to stop");
  Breaks(unwanted(3).Tell({"1 orphan attempt=1", "2 complete attempt=1 bytes=0", "2 end ok=true"}), "ledger",
         "attempt 1 is succeeded and was never booked");
}

TEST_CASE("a deadline fails the call while the attempt runs on as an orphan that holds its slot") {
  Story story;
  story.Start(1, 3, false)
      .Tell({"10 tick", "10 orphan attempt=1 why=\"deadline\" deadline=40", "10 settle call=1 attempt=1 ok=false",
             "10 consume call=1", "40 tick", "40 lost attempt=1 why=\"silent\"", "40 end ok=false"});
  TraceIndex index;
  CHECK(Broken(story, &index).empty());
  CHECK(index.attempt(1).book == Book::kLost);
  CHECK(index.call(1).timed_out);
  CHECK(index.Stats().sequential_sum == 10);
}

TEST_CASE("attempts are shared by equal calls of repeatable tools only") {
  const auto second = [](int tool, std::string key) {
    return std::vector<std::string>{"0 arrive call=2 tool=" + std::to_string(tool) + " scope=1",
                                    "0 args call=2 key=" + key, "0 reach call=2", "0 ready call=2",
                                    "0 join call=2 attempt=1"};
  };
  const auto joined = [&](int tool, std::string key) {
    Story story;
    story.Start(1, 1, true);
    for (const std::string& e : second(tool, std::move(key))) story.Tell({e});
    return story;
  };
  Holds(joined(1, "1"));
  Breaks(joined(1, "5"), "sharing", "call 2 joins attempt 1, which is another call (tool or arguments differ)");
  Breaks(joined(2, "1"), "sharing", "call 2 joins attempt 1 though it has an effect");
}

TEST_CASE("a failed input skips its dependants; a failure that nobody sees is suppressed") {
  Story story;
  story.Start(1, 1, false)
      .Tell({"0 arrive call=2 tool=1 scope=1 deps=[1] early=true", "0 args call=2 key=7",
             "1 fail attempt=1 error=\"E\" failure=\"stable\"", "1 settle call=1 attempt=1 ok=false",
             "1 skip call=2 by=1", "1 consume call=1", "1 end ok=false error=\"E\""});
  TraceIndex index;
  CHECK(Broken(story, &index).empty());
  CHECK(index.call(2).state == CallState::kSkipped);
  CHECK(index.call(2).by == 1);
  CHECK(index.error_type(1) == "E");
  Breaks(Story().Start(1, 1, false).Tell({"0 arrive call=2 tool=1 scope=1 deps=[1] early=true", "0 skip call=2 by=1"}),
         "call-state", "call 2 is skipped though its input, call 1, has not failed");
}

TEST_CASE("a root's versions count up") {
  Holds(Story().Start(1, 4, false).Tell({"0 version root=1 version=2 call=1"}));
  Breaks(Story().Start(1, 4, false).Tell({"0 version root=1 version=4 call=1"}), "root-version",
         "root 1 goes from version 1 to 4");
}

TEST_CASE("after the end only attempts may still report") {
  Breaks(Story().Tell({"1 end ok=true", "2 reach call=1"}), "after-end", "\"reach\" after the end of the program");
  Holds(Story().Tell({"1 end ok=true", "2 tick", "3 note topic=\"host\" text=\"bye\""}));
}

TEST_CASE("any lie costs memory in proportion to the trace, and the later problems are only counted") {
  Story story;
  for (int i = 0; i < 3000; ++i) story.Tell({"0 consume call=4000000000"});
  TraceIndex index;
  Broken(story, &index);
  CHECK(index.problem_count() == 3000);
  CHECK(index.problems().size() == TraceIndex::kMaxKeptProblems);
  CHECK(index.call_count() == 0);
}
