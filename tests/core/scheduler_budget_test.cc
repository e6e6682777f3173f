// Budget means physical work, and early work never keeps a reached call waiting.
#include <doctest/doctest.h>

#include "support/story.h"

namespace pysolate {
namespace {

using testing::Story;

RunOptions Total(uint32_t limit) {
  RunOptions options;
  options.total = limit;
  return options;
}

TEST_SUITE("budget") {
  TEST_CASE("no early start at limit 1") {
    Story s(Total(1));
    s.Tell(R"(
      tool fetch immutable_read
      early a fetch x           => ready a
      early b fetch y           => ready b
      call a fetch x            => promote a; dispatch a #1
      complete #1               => settle a #1 ok
      take a
      call b fetch y            => promote b; dispatch b #2
    )");
  }

  TEST_CASE("early attempts leave one slot to reached calls; promotion moves the cost in the same step") {
    Story s(Total(2));
    s.Tell(R"(
      tool fetch immutable_read
      early a fetch x           => ready a; dispatch a #1
      early b fetch y           => ready b
    )");
    CHECK(s.why("b") == "call 2 (fetch) waits: budget total 1/2, one kept free for reached calls");
    s.Tell("call a fetch x      => promote a; dispatch b #2");
    CHECK(s.scheduler().TotalBudget().held == 2);
    CHECK(s.scheduler().TotalBudget().unreached == 1);
  }

  TEST_CASE("reached calls go first, then order keys, then ids") {
    Story s(Total(0));
    s.Tell(R"(
      tool fetch immutable_read
      early e1 fetch 1 order=b
      early e2 fetch 2 order=a
      early e3 fetch 3 order=a
      call r1 fetch 4 order=z
      call r2 fetch 5 order=y
      call r3 fetch 6
    )");
    CHECK(s.frontier() == "r3 r2 r1 e2 e3 e1");
    CHECK(s.why("r3") == "call 6 (fetch) waits: budget total 0/0");
    s.Tell("total 2             => dispatch r3 #1; dispatch r2 #2");
    CHECK(s.frontier() == "r1 e2 e3 e1");
    s.Tell("total -             => dispatch r1 #3; dispatch e2 #4; dispatch e3 #5; dispatch e1 #6");
  }

  TEST_CASE("order keys longer than eight bytes and prefixes of each other") {
    Story s(Total(0));
    s.Tell(R"(
      tool fetch immutable_read
      call a fetch 1 order=aaaaaaaab
      call b fetch 2 order=aaaaaaaaa
      call c fetch 3 order=aaaaaaaa
      call d fetch 4 order=aaaaaaaaab
    )");
    CHECK(s.frontier() == "c b d a");
  }

  TEST_CASE("a lowered limit stops nothing that runs; held only falls until it fits") {
    Story s(Total(3));
    s.Tell(R"(
      tool fetch immutable_read
      call a fetch 1
      call b fetch 2
      call c fetch 3
      call d fetch 4            => ready d
      total 1                   =>
      complete #1               => settle a #1 ok
      complete #2               => settle b #2 ok
      complete #3               => settle c #3 ok; dispatch d #4
    )");
  }

  TEST_CASE("a class holds the cost of its tools and a small call passes a large one that doesn't fit") {
    Story s;
    s.Tell(R"(
      class net 4
      tool big immutable_read class=net cost=3
      tool small immutable_read class=net cost=1
      call a big 1              => ready a; dispatch a #1
      call b big 2              => ready b
      call c small 3            => ready c; dispatch c #2
    )");
    CHECK(s.why("b") == "call 2 (big) waits: budget net 4/4");
    s.Tell("complete #1         => settle a #1 ok; dispatch b #3");
  }

  TEST_CASE("early attempts leave room for the costliest tool of their class") {
    Story s;
    s.Tell(R"(
      class net 4
      tool big immutable_read class=net cost=3
      tool small immutable_read class=net cost=1
      early a small 1           => ready a; dispatch a #1
      early b small 2           => ready b
      call c big 3              => ready c; dispatch c #2
    )");
    CHECK(s.why("b") == "call 2 (small) waits: budget net 4/4");
    CHECK(s.scheduler().ClassBudget(1).room == 3);
  }

  TEST_CASE("a cost above the limit counts as the limit, so a reached call can always start") {
    Story s;
    s.Tell(R"(
      class net 2
      tool huge immutable_read class=net cost=5
      early a huge 1            => ready a
      call a huge 1             => promote a; dispatch a #1
      limit net 0               =>
      call b huge 2             => ready b
      complete #1               => settle a #1 ok
      limit net 1               => dispatch b #2
    )");
    CHECK(s.scheduler().ClassBudget(1).held == 1);
  }

  TEST_CASE("early calls have a ceiling of their own") {
    Story s;
    s.Tell(R"(
      early-limit 1
      tool fetch immutable_read
      early a fetch 1           => ready a; dispatch a #1
      early b fetch 2           => ready b
      call c fetch 3            => ready c; dispatch c #2
    )");
    CHECK(s.why("b") == "call 2 (fetch) waits: early ceiling 1/1");
    s.Tell("complete #1         => settle a #1 ok; dispatch b #3");
  }

  TEST_CASE("an orphan holds its slot, and the reason names it") {
    Story s(Total(1));
    s.Tell(R"(
      tool fetch immutable_read
      call a fetch 1
      cancel a                  => call_cancelled a; orphan #1
      call b fetch 2            => ready b
    )");
    CHECK(s.why("b") == "call 2 (fetch) waits: budget total 1/1, one held by orphan 1");
    s.Tell("fail #1             => late #1 failed; dispatch b #2");
  }

  TEST_CASE("joining holds nothing") {
    Story s(Total(1));
    s.Tell(R"(
      tool fetch immutable_read
      call a fetch 1            => ready a; dispatch a #1
      call b fetch 1            => ready b; join b #1
    )");
    CHECK(s.scheduler().TotalBudget().held == 1);
  }

  TEST_CASE("critical path first: the longest chain of known dependants") {
    RunOptions options = Total(0);
    options.policy = Policy::kCriticalPath;
    Story s(options);
    s.Tell(R"(
      tool fetch immutable_read
      early a fetch 1
      early b fetch 2
      early c fetch 3 after b
      early d fetch 4 after c
      early e fetch 5
      early f fetch 6 after e
    )");
    CHECK(s.frontier() == "b e a");
    s.Tell("total 4             => dispatch b #1; dispatch e #2; dispatch a #3");
  }

  TEST_CASE("one slot, many calls: whatever fits runs as soon as it is free") {
    Story s(Total(2));
    s.Tell("tool fetch immutable_read");
    for (int i = 0; i < 50; ++i) s.Tell("call c" + std::to_string(i) + " fetch " + std::to_string(i));
    for (int i = 1; i <= 50; ++i) s.Tell("complete #" + std::to_string(i));
    CHECK(s.scheduler().Totals().dispatched == 50);
  }
}

}  // namespace
}  // namespace pysolate
