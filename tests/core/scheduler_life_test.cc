// The life of calls: gates, promotion, sharing, failures. One story a rule.
#include <doctest/doctest.h>

#include "support/story.h"

namespace pysolate {
namespace {

using testing::Story;

TEST_SUITE("life of a call") {
  TEST_CASE("a reached call is dispatched in the step that reached it, and its value is taken at its own place") {
    Story s;
    s.Tell(R"(
      tool send external_write
      call a send x           => ready a; dispatch a #1
      @5 complete #1          => settle a #1 ok
      take a                  =>
      end                     =>
    )");
    CHECK(s.state("a") == CallState::kConsumed);
    CHECK(s.booked(Book::kConsumed) == 1);
  }

  TEST_CASE("an early call starts before control arrives and stays one call when it does") {
    Story s;
    s.Tell(R"(
      tool fetch immutable_read
      early a fetch x         => ready a; dispatch a #1
      @3 complete #1          => settle a #1 ok
      @4 call a fetch x       => promote a
      take a                  =>
    )");
    CHECK(s.scheduler().attempt_count() == 1);
    CHECK(s.scheduler().Stats().promoted == 1);
  }

  TEST_CASE("promotion takes the oldest early call") {
    Story s;
    s.Tell(R"(
      tool fetch immutable_read
      early a fetch ?
      early b fetch x         => ready b; dispatch b #1
      args a x                => ready a; join a #1
      call a fetch x          => promote a
      call b fetch x          => promote b
    )");
  }

  TEST_CASE("other arguments, another tool or unshareable ones make a new call") {
    Story s;
    s.Tell(R"(
      tool fetch immutable_read
      tool parse pure
      early a fetch x         => ready a; dispatch a #1
      call b fetch y          => ready b; dispatch b #2
      call c parse x          => ready c; dispatch c #3
      call d fetch ~          => ready d; dispatch d #4
    )");
  }

  TEST_CASE("a call waits for the values of its inputs, all of them") {
    Story s;
    s.Tell(R"(
      tool fetch immutable_read
      early a fetch x
      early b fetch y
      early c fetch z after a,b
    )");
    CHECK(s.why("c") == "call 3 (fetch) waits: waiting for call 1; waiting for call 2");
    s.Tell("complete #2           => settle b #2 ok");
    CHECK(s.why("c") == "call 3 (fetch) waits: waiting for call 1");
    s.Tell("complete #1           => settle a #1 ok; ready c; dispatch c #3");
  }

  TEST_CASE("an input that is settled or consumed when a call arrives is no wait") {
    Story s;
    s.Tell(R"(
      tool fetch immutable_read
      call a fetch x
      complete #1
      early b fetch y after a   => ready b; dispatch b #2
      take a
      early c fetch z after a   => ready c; dispatch c #3
    )");
  }

  TEST_CASE("a dependant of what fails is skipped, and its own dependants are; others go on") {
    Story s;
    s.Tell(R"(
      tool fetch immutable_read
      early a fetch x
      early b fetch y after a
      early c fetch z after b
      early d fetch w
      fail #1                   => settle a #1 failed; skip b by a; skip c by b
      early e fetch v after c   => skip e by c
      early f fetch v after a   => skip f by a
      complete #2               => settle d #2 ok
    )");
  }
}

TEST_SUITE("one attempt for equal calls") {
  TEST_CASE("equal reads in flight share one attempt; its value is kept for later ones") {
    Story s;
    s.Tell(R"(
      tool fetch immutable_read
      call a fetch x            => ready a; dispatch a #1
      call b fetch x            => ready b; join b #1
      complete #1               => settle a #1 ok; settle b #1 ok
      take a
      take b
      call c fetch x            => ready c; join c #1; settle c #1 ok
    )");
    CHECK(s.scheduler().attempt_count() == 1);
  }

  TEST_CASE("effects, open reads and tools without reuse never share") {
    Story s;
    s.Tell(R"(
      tool put external_write
      tool look open_read
      tool alone pure alone
      call a alone x            => ready a; dispatch a #1
      call b alone x            => ready b; dispatch b #2
      call c look x             => ready c; dispatch c #3
      complete #3
      call d look x             => ready d; dispatch d #4
      complete #4
      call e put x              => ready e; dispatch e #5
      complete #5
      call f put x              => ready f; dispatch f #6
    )");
  }

  TEST_CASE("a result that is no plain data has one taker, the others start anew") {
    Story s;
    s.Tell(R"(
      tool open immutable_read
      call a open x
      call b open x             => ready b; join b #1
      complete #1 0             => settle a #1 ok; retry b #1; ready b; dispatch b #2
      complete #2 0             => settle b #2 ok
      take a
      call c open x             => ready c; dispatch c #3
    )");
  }

  TEST_CASE("a failure satisfies one reached call: the program's retry is a real one") {
    Story s;
    s.Tell(R"(
      tool fetch immutable_read
      call a fetch x
      call b fetch x            => ready b; join b #1
      fail #1                   => settle a #1 failed; retry b #1; ready b; dispatch b #2
      take a
      call c fetch x            => ready c; join c #2
    )");
  }

  TEST_CASE("an early attempt that failed for a while or by its deadline satisfies nobody") {
    Story s;
    s.Tell(R"(
      tool fetch immutable_read
      early a fetch x           => ready a; dispatch a #1
      early b fetch y           => ready b; dispatch b #2
      fail #1 transient         => retry a #1
      fail #2 deadline          => retry b #2
    )");
    CHECK(s.why("a") == "call 1 (fetch) waits: its early attempt failed: it starts anew when reached");
    CHECK(s.booked(Book::kRetried) == 2);
    s.Tell(R"(
      call a fetch x            => promote a; ready a; dispatch a #3
      fail #3 transient         => settle a #3 failed
      take a
    )");
  }

  TEST_CASE("an early attempt that failed for good is the failure of the reached call") {
    Story s;
    s.Tell(R"(
      tool fetch immutable_read
      early a fetch x
      fail #1                   => settle a #1 failed
      call a fetch x            => promote a
      take a
      call b fetch x            => ready b; dispatch b #2
    )");
  }

  TEST_CASE("retry by contract: new attempts, the same call") {
    Story s;
    s.Tell(R"(
      tool flaky external_write retry=2
      call a flaky x            => ready a; dispatch a #1
      fail #1                   => retry a #1; ready a; dispatch a #2
      fail #2 transient         => retry a #2; ready a; dispatch a #3
      fail #3                   => settle a #3 failed
      take a
    )");
    CHECK(s.booked(Book::kRetried) == 2);
    CHECK(s.booked(Book::kConsumed) == 1);
  }

  TEST_CASE("a retried effect keeps its turn") {
    Story s;
    s.Tell(R"(
      tool put external_write retry=1
      call a put x              => ready a; dispatch a #1
      call b put y              =>
      fail #1                   => retry a #1; ready a; dispatch a #2
      complete #2               => settle a #2 ok; ready b; dispatch b #3
    )");
  }
}

TEST_SUITE("kept results are bounded") {
  TEST_CASE("taken ones go first, the oldest first") {
    RunOptions options;
    options.result_bytes = 100;
    Story s(options);
    s.Tell(R"(
      tool fetch immutable_read
      call a fetch a
      complete #1 40            => settle a #1 ok
      take a
      call b fetch b
      complete #2 40            => settle b #2 ok
      take b
      call c fetch c
      complete #3 40            => settle c #3 ok; evict #1
      take c
      call d fetch b            => ready d; join d #2; settle d #2 ok
      call e fetch a            => ready e; dispatch e #4
    )");
    CHECK(s.scheduler().kept_bytes() == 80);
  }

  TEST_CASE("untaken early results count as early: full means no early start, over it the newest goes") {
    RunOptions options;
    options.result_bytes = 100;
    Story s(options);
    s.Tell(R"(
      tool fetch immutable_read
      early a fetch a
      early b fetch b
      complete #1 60            => settle a #1 ok
      complete #2 60            => settle b #2 ok; evict #2; discard b
      early c fetch c           => ready c; dispatch c #3
      complete #3 40            => settle c #3 ok
      early d fetch d           => ready d
    )");
    CHECK(s.why("d") == "call 4 (fetch) waits: results not yet taken fill 100/100 bytes");
    s.Tell(R"(
      call a fetch a            => promote a; dispatch d #4
      take a
    )");
  }

  TEST_CASE("a result in use is not evicted, however large") {
    RunOptions options;
    options.result_bytes = 10;
    Story s(options);
    s.Tell(R"(
      tool fetch immutable_read
      call a fetch a
      complete #1 60            => settle a #1 ok
      take a                    => evict #1
    )");
  }
}

}  // namespace
}  // namespace pysolate
