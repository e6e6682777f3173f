#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

#include "sim/plan.h"

using pysolate::sim::PlanReader;
using pysolate::sim::PlanTask;

namespace {

struct Plan {
  std::vector<PlanTask> tasks;
  std::string error;
  uint64_t line = 0;
};

Plan Read(std::string_view text, size_t chunk = std::string_view::npos) {
  Plan plan;
  PlanReader reader([&](const PlanTask& task) { plan.tasks.push_back(task); });
  for (size_t i = 0; i < text.size();) {
    const std::string_view part = text.substr(i, chunk);
    if (!reader.Feed(part)) break;
    i += part.size();
  }
  reader.Finish();
  plan.error = reader.error();
  plan.line = reader.line();
  return plan;
}

void Fails(std::string_view text, uint64_t line, std::string_view error) {
  const Plan plan = Read(text);
  CHECK(plan.line == line);
  CHECK(plan.error == error);
}

}  // namespace

TEST_CASE("a plan is read whatever the chunks") {
  const std::string text =
      "Thought: two facts, then a sum.\n"
      "1. search(\"Ann's age, in years\")\n"
      "\n"
      "2. search(query=\"Bob's age\")\r\n"
      "3. math(\"${1} + $2 + $1\", [\"$2\"])\n"
      "4. join()<END_OF_PLAN>\nand after that nothing counts: 9. x($10)\n";
  for (const size_t chunk : {std::string_view::npos, size_t{1}, size_t{5}, size_t{40}}) {
    const Plan plan = Read(text, chunk);
    CAPTURE(chunk);
    CHECK(plan.error == "");
    REQUIRE(plan.tasks.size() == 3);
    CHECK(plan.tasks[0].tool == "search");
    CHECK(plan.tasks[0].args == "\"Ann's age, in years\"");
    CHECK(plan.tasks[0].inputs.empty());
    CHECK(plan.tasks[1].args == "query=\"Bob's age\"");
    CHECK(plan.tasks[2].inputs == std::vector<uint32_t>{1, 2});
  }
}

TEST_CASE("a task is given out when its own line is complete, though the stream stalls behind it") {
  std::vector<std::string> tools;
  PlanReader reader([&](const PlanTask& task) { tools.push_back(task.tool); });
  reader.Feed("1. first(\"x");
  CHECK(tools.empty());
  reader.Feed("\")\n2. sec");
  CHECK(tools == std::vector<std::string>{"first"});
  reader.Feed("ond($1)\n");
  CHECK(tools.size() == 2);
  CHECK_FALSE(reader.joined());
}

TEST_CASE("a dollar sign that names no task is text") {
  const Plan plan = Read("1. pay(\"$ and $x cost 5$\")\n2. join()");
  CHECK(plan.error == "");
  CHECK(plan.tasks[0].inputs.empty());
}

TEST_CASE("references name earlier tasks") {
  Fails("1. a()\n2. b($3)\n3. join()\n", 2, "task 2: $3 refers forward");
  Fails("1. a()\n3. b($2)\n4. join()\n", 2, "task 3: $2 is no task of this plan");
  Fails("1. a($1)\n", 1, "task 1: refers to itself");
  Fails("1. a()\n2. b(${1)\n", 2, "task 2: expected '}' in a reference");
  Fails("1. a($0)\n", 1, "task 1: $0 is no task of this plan");
  Fails("1. a($99999999999999999999)\n", 1, "task 1: a reference is no task's number");
}

TEST_CASE("malformed plans name line and task") {
  Fails("", 0, "the plan ends without join()");
  Fails("1. a()\n", 1, "the plan ends without join()");
  Fails("1. a()\n1. b()\n", 2, "task 1: its number does not follow 1");
  Fails("0. a()\n", 1, "a task's number must be from 1 to 999999999");
  Fails("1 a()\n", 1, "task 1: expected '.' after the number");
  Fails("1. (x)\n", 1, "task 1: expected a tool's name");
  Fails("1. a\n", 1, "task 1: expected '(' after a");
  Fails("1. a(\n", 1, "task 1: expected ')'");
  Fails("1. a() b\n", 1, "task 1: unexpected text behind ')'");
  Fails(std::string(70000, 'x'), 1, "line longer than 64 KiB");
}
