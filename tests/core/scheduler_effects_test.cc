// Effects are never early and never out of order; reads see the version of their root that the program would see.
#include <doctest/doctest.h>

#include "support/story.h"

namespace pysolate {
namespace {

using testing::Story;

TEST_SUITE("effects are never early") {
  TEST_CASE("an announced effect is refused an early start and waits for control") {
    Story s;
    s.Tell(R"(
      tool put external_write
      tool save private_write
      tool look open_read
      early a put x             => refuse a: effect external_write
      early b save x            => refuse b: effect private_write
      early c look x            => refuse c: effect open_read
      complete #1               !! complete: attempt 1 is unknown
    )");
    CHECK(s.why("a") == "call 1 (put) waits: effect external_write: starts when reached");
    s.Tell("call a put x        => promote a; ready a; dispatch a #1");
  }

  TEST_CASE("a tool that opted out, a sequential run, arguments that are no plain data") {
    Story s;
    s.Tell(R"(
      tool big immutable_read late
      tool fetch immutable_read
      early a big x             => refuse a: opted out of early starts
      early b fetch ~           => refuse b: its arguments are not plain data
      call a big x              => promote a; ready a; dispatch a #1
      reach b                   => promote b; ready b; dispatch b #2
    )");
    RunOptions options;
    options.mode = Mode::kSequential;
    Story q(options);
    q.Tell(R"(
      tool fetch immutable_read
      early a fetch x           => refuse a: sequential mode
      call b fetch x            => ready b; dispatch b #1
      complete #1
      take b
      call c fetch x            => ready c; dispatch c #2
    )");
  }

  TEST_CASE("effects run one after another in the order in which control reached them") {
    Story s;
    s.Tell(R"(
      tool put external_write
      tool look open_read
      tool fetch immutable_read
      call a put x              => ready a; dispatch a #1
      call b look y             =>
      call c put z              =>
      call d fetch w            => ready d; dispatch d #2
    )");
    CHECK(s.why("b") == "call 2 (look) waits: effects run one after another: attempt 1 has the turn");
    s.Tell(R"(
      complete #1               => settle a #1 ok; ready b; dispatch b #3
      fail #3                   => settle b #3 failed; ready c; dispatch c #4
    )");
  }

  TEST_CASE("an interrupted effect keeps its turn until it ends") {
    Story s;
    s.Tell(R"(
      tool put external_write
      call a put x              => ready a; dispatch a #1
      cancel a                  => call_cancelled a; orphan #1
      call b put y              =>
    )");
    CHECK(s.why("b") == "call 2 (put) waits: effects run one after another: attempt 1, an orphan, has the turn");
    s.Tell("@9 complete #1      => late #1 ok; ready b; dispatch b #2");
    CHECK(s.booked(Book::kLate) == 1);
  }

  TEST_CASE("or until it is lost") {
    Story s;
    s.Tell(R"(
      tool put external_write
      call a put x
      @5 cancel a               => call_cancelled a; orphan #1
      call b put y              =>
      @30000000004 tick         =>
      @30000000005 tick         => lost #1; ready b; dispatch b #2
      complete #1               !! complete: attempt 1 was given up as lost
    )");
    CHECK(s.booked(Book::kLost) == 1);
  }

  TEST_CASE("an effect given up before its turn lets the next one pass") {
    Story s;
    s.Tell(R"(
      tool put external_write
      call a put x
      call b put y
      call c put z
      cancel b                  => call_cancelled b
      complete #1               => settle a #1 ok; ready c; dispatch c #2
    )");
  }

  TEST_CASE("a call made inside an attempt is its child: at once, under its slot, even an effect inside an effect") {
    RunOptions options;
    options.total = 1;
    Story s(options);
    s.Tell(R"(
      tool outer external_write
      tool inner external_write
      call a outer x            => ready a; dispatch a #1
      call b inner y inside #1  => ready b; dispatch b #2
    )");
    CHECK(s.scheduler().Row(2).parent == 1);
    CHECK(s.scheduler().Row(2).cost == 0);
    CHECK(s.scheduler().TotalBudget().held == 1);
    s.Tell(R"(
      complete #2               => settle b #2 ok
      take b
      complete #1               => settle a #1 ok
    )");
  }

  TEST_CASE("a child never waits for the attempt inside which it is made") {
    Story s;
    s.Tell(R"(
      tool fetch immutable_read
      call a fetch x            => ready a; dispatch a #1
      call b fetch x inside #1  => ready b; dispatch b #2
    )");
  }

  TEST_CASE("an attempt that ends takes its children along") {
    Story s;
    s.Tell(R"(
      tool outer pure
      tool inner external_write cancellable
      call a outer x
      call b inner y inside #1  => ready b; dispatch b #2
      complete #1               => call_cancelled b; cancel_request #2; settle a #1 ok
      call c inner y inside #1  !! reach: attempt 1 has ended
    )");
  }
}

TEST_SUITE("versions of a root") {
  TEST_CASE("a write starts a new version at its dispatch; a later read is another read") {
    Story s;
    s.Tell(R"(
      root disk
      tool read immutable_read root=disk
      tool write external_write root=disk
      call a read x             => ready a; dispatch a #1
      complete #1
      take a
      call b read x             => ready b; join b #1; settle b #1 ok
      call w write y            => ready w; dispatch w #2; version 2 w
      complete #2
      take w
      call c read x             => ready c; dispatch c #3
    )");
    CHECK(s.scheduler().root_version(1) == 2);
  }

  TEST_CASE("an early read waits behind a write of its root that comes before it") {
    Story s;
    s.Tell(R"(
      root disk
      root net
      tool read immutable_read root=disk
      tool get immutable_read root=net
      tool write external_write root=disk
      coming w write y order=b
      early before read x order=a   => ready before; dispatch before #1
      early behind read z order=c   =>
      early other get z order=d     => ready other; dispatch other #2
    )");
    CHECK(s.why("behind") == "call 3 (read) waits: write of call 1 is pending on root disk");
    s.Tell(R"(
      reach w                       => ready w; dispatch w #3; version 2 w
      complete #3                   => settle w #3 ok; ready behind; dispatch behind #4
    )");
  }

  TEST_CASE("nor does it start while one is running") {
    Story s;
    s.Tell(R"(
      root disk
      tool read immutable_read root=disk
      tool write external_write root=disk
      call w write y                => ready w; dispatch w #1; version 2 w
      early a read x                =>
    )");
    CHECK(s.why("a") == "call 2 (read) waits: a write is running on root disk");
    s.Tell("fail #1                 => settle w #1 failed; ready a; dispatch a #2");
  }

  TEST_CASE("what an early read saw before a write cannot satisfy a read after it") {
    Story s;
    s.Tell(R"(
      root disk
      tool read immutable_read root=disk
      tool write external_write root=disk
      early a read x order=z        => ready a; dispatch a #1
      call w write y                => ready w; dispatch w #2; version 2 w
      complete #1                   => settle a #1 ok
      complete #2
      take w
      call b read x                 => ready b; dispatch b #3
    )");
  }
}

}  // namespace
}  // namespace pysolate
