// Control: scopes that become active, die and close; cancels, orphans, deadlines; wrong inputs.
#include <doctest/doctest.h>

#include "support/story.h"

namespace pysolate {
namespace {

using testing::Story;

TEST_SUITE("scopes") {
  TEST_CASE("a hoisted call waits for its scope, a guessed one only without speculation") {
    Story s;
    s.Tell(R"(
      tool fetch immutable_read
      scope then branch pending line=8
      early a fetch x in then         =>
      early b fetch y in then guess   =>
    )");
    CHECK(s.why("a") == "call 1 (fetch) waits: scope 2 (branch, line 8) not reached");
    s.Tell("activate then             => ready a; ready b; dispatch a #1; dispatch b #2");

    RunOptions options;
    options.speculate = true;
    Story q(options);
    q.Tell(R"(
      tool fetch immutable_read
      scope then branch pending line=8
      early a fetch x in then         =>
      early b fetch y in then guess   => ready b; dispatch b #1
    )");
  }

  TEST_CASE("a scope counts as active once all above it are") {
    Story s;
    s.Tell(R"(
      tool fetch immutable_read
      scope outer branch pending
      scope inner branch in outer pending
      early a fetch x in inner
      activate inner                  =>
      activate outer                  => ready a; dispatch a #1
      activate outer                  !! scope_active: scope 2 is active already
    )");
  }

  TEST_CASE("control arriving opens the scopes around") {
    Story s;
    s.Tell(R"(
      tool fetch immutable_read
      scope outer function pending
      scope inner iteration in outer pending
      early a fetch x in inner
      early b fetch y in outer
      call c fetch z in inner         => ready b; dispatch b #1; ready a; dispatch a #2; ready c; dispatch c #3
    )");
  }

  TEST_CASE("a dead path starts nothing, cancels once what can be cancelled and leaves the rest as orphans") {
    Story s;
    s.Tell(R"(
      tool fetch immutable_read cancellable
      tool parse pure
      scope then branch
      scope deep iteration in then
      early a fetch 1 in then
      early b parse 2 in deep
      early c fetch 3 in deep after a
      early d fetch 4
    )");
    s.commands();
    s.Tell("kill then                 => discard a; cancel_request #1; discard b; orphan #2; discard c");
    CHECK(s.commands() == "drop a; cancel #1; drop b; drop c");
    s.Tell(R"(
      early e fetch 5 in deep         => refuse e: its scope is over; discard e
      call f fetch 6 in then          !! reach: scope 2 is dead or closed
      scope more branch in deep       !! scope: scope 3 is dead or closed
      kill deep                       !! scope_dead: scope 3 is dead or closed
      stopped #1                      => cancelled #1
      complete #2                     => late #2 ok
      complete #3                     => settle d #3 ok
    )");
    CHECK(s.booked(Book::kCancelled) == 1);
    CHECK(s.booked(Book::kLate) == 1);
  }

  TEST_CASE("if it completed, it was not cancelled") {
    Story s;
    s.Tell(R"(
      tool fetch immutable_read cancellable
      call a fetch 1
      cancel a                        => call_cancelled a; cancel_request #1
      complete #1                     => late #1 ok
      stopped #1                      !! stopped: attempt 1 has ended
    )");
  }

  TEST_CASE("an attempt that a live call still wants goes on") {
    Story s;
    s.Tell(R"(
      tool fetch immutable_read cancellable
      scope then branch
      early a fetch 1 in then
      early b fetch 1                 => ready b; join b #1
      kill then                       => discard a
      complete #1                     => settle b #1 ok
    )");
  }

  TEST_CASE("a dependant on a live path is skipped when its input dies") {
    Story s;
    s.Tell(R"(
      tool fetch immutable_read
      scope then branch
      early a fetch 1 in then
      early b fetch 2 after a
      close then                      => discard a; orphan #1; skip b by a
    )");
  }

  TEST_CASE("a call reached elsewhere than announced moves: the scope it came from can die") {
    Story s;
    s.Tell(R"(
      tool fetch immutable_read
      scope then branch
      scope else branch
      early a fetch 1 in then
      call a fetch 1 in else          => promote a
      kill then                       =>
      complete #1                     => settle a #1 ok
      kill else                       => call_cancelled a; evict #1
    )");
    CHECK(s.booked(Book::kDiscarded) == 1);
  }

  TEST_CASE("of two failures the program sees the earlier; the other is booked as suppressed") {
    Story s;
    s.Tell(R"(
      tool fetch immutable_read
      early a fetch 1
      early b fetch 2
      fail #2                         => settle b #2 failed
      call a fetch 1                  => promote a
      @9 fail #1                      => settle a #1 failed
      take a
      end failed                      => suppress b by a; discard b
    )");
  }

  TEST_CASE("the end discards what was not reached and cancels what was") {
    Story s;
    s.Tell(R"(
      tool fetch immutable_read cancellable
      tool put external_write
      early a fetch 1
      early b fetch 2
      call c put 3
      complete #1                     => settle a #1 ok
      end failed                      => discard a; evict #1; discard b; cancel_request #2; call_cancelled c; orphan #3
      call d fetch 4                  !! reach: the run has ended
      complete #3                     => late #3 ok
      stopped #2                      => cancelled #2
    )");
    CHECK(s.scheduler().Totals().balanced());
  }
}

TEST_SUITE("cancels and deadlines") {
  TEST_CASE("a cancelled and resubmitted call is never satisfied by its old attempt") {
    Story s;
    s.Tell(R"(
      tool fetch immutable_read
      call a fetch 1                  => ready a; dispatch a #1
      cancel a                        => call_cancelled a; orphan #1
      call b fetch 1                  => ready b; dispatch b #2
      complete #1                     => late #1 ok
      complete #2                     => settle b #2 ok
    )");
  }

  TEST_CASE("a deadline is a failure at once; the attempt keeps its slot until it ends or is lost") {
    Story s;
    s.Tell(R"(
      tool slow external_write deadline=10
      call a slow 1                   => ready a; dispatch a #1
    )");
    CHECK(s.scheduler().next_deadline() == 10);
    s.Tell("@10 tick                  => orphan #1; settle a #1 failed");
    CHECK(s.scheduler().TotalBudget().held == 1);
    CHECK(s.scheduler().next_deadline() == 30'000'000'010);
    s.Tell(R"(
      take a                          =>
      complete #1                     => late #1 ok
    )");
    CHECK(s.scheduler().next_deadline() == -1);
  }

  TEST_CASE("a deadline that passes early satisfies nobody") {
    Story s;
    s.Tell(R"(
      tool slow immutable_read deadline=10 cancellable
      early a slow 1                  => ready a; dispatch a #1
      @10 tick                        => cancel_request #1; retry a #1
      @12 call a slow 1               => promote a; ready a; dispatch a #2
      stopped #1                      => cancelled #1
      @22 tick                        => cancel_request #2; settle a #2 failed
    )");
  }

  TEST_CASE("a host that never answers a cancel: lost, and its answer is ignored") {
    Story s;
    s.Tell(R"(
      tool fetch immutable_read cancellable
      call a fetch 1
      @1 cancel a                     => call_cancelled a; cancel_request #1
      @30000000001 tick               => lost #1
      stopped #1                      !! stopped: attempt 1 was given up as lost
    )");
  }

  TEST_CASE("completions out of time with ticks: what completed before the tick counts") {
    Story s;
    s.Tell(R"(
      tool slow immutable_read deadline=10
      call a slow 1
      @15 complete #1                 => settle a #1 ok
      tick                            =>
    )");
  }
}

TEST_SUITE("wrong inputs are refused with what and where, and change nothing") {
  TEST_CASE("calls") {
    Story s;
    s.Tell(R"(
      tool fetch immutable_read
      early a fetch x after ?1        !! arrive: a dependency on call 1, which is not an earlier call
      early a fetch x after ?7        !! arrive: a dependency on call 7, which is not an earlier call
      early a fetch x
      args a y                        !! args: the arguments of call 1 are known already
      args ?9 y                       !! args: call 9 is unknown
      take a                          !! consume: call 1 was not reached
      reach a
      reach a                         !! reach: call 1 was reached before
      take a                          !! consume: call 1 has no outcome yet
      complete #1
      complete #1                     !! complete: attempt 1 has ended
      fail #2                         !! fail: attempt 2 is unknown
      take a
      take a                          !! consume: call 1 has ended
      cancel a                        !! cancel: call 1 has ended
      stopped #1                      !! stopped: attempt 1 has ended
      @5 tick
      @4 tick                         !! tick: time 4 is before the last input's
    )");
  }

  TEST_CASE("stopping what nobody asked to stop") {
    Story s;
    s.Tell(R"(
      tool fetch immutable_read
      call a fetch x
      stopped #1                      !! stopped: attempt 1 is still wanted and was not asked to stop
    )");
  }

  TEST_CASE("definitions") {
    Scheduler s(RunOptions{});
    CHECK(s.AddTool(0, {.name = "t", .klass = 3}).status.message() == "tool: class 3 is unknown");
    CHECK(s.AddTool(0, {.name = "t", .root = 1}).status.message() == "tool: root 1 is unknown");
    CHECK(s.AddTool(0, {.name = "t", .cost = 70000}).status.message() == "tool: cost 70000 is out of range");
    CHECK(s.OpenScope(0, {.parent = 2}).status.message() == "scope: scope 2 is unknown");
    CHECK(s.OpenScope(0, {}).id == 1);
    CHECK(s.OpenScope(0, {}).status.message() == "scope: scope 0 is unknown");
    CHECK(s.SetClassBudget(0, 1, 5).message() == "budget: class 1 is unknown");
    CHECK(s.ReachCall(0, {.tool = 1}).status.message() == "reach: tool 1 is unknown");
  }
}

}  // namespace
}  // namespace pysolate
