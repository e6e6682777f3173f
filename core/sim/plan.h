// Reader of LLMCompiler's plan text (Kim et al., ICML 2024), arriving as a stream in arbitrary chunks:
//
//     Thought: ...                       (ignored, as are blank lines)
//     1. search("capital of France")
//     2. search("population of $1")      ($1 and ${1} are references to task 1's value)
//     3. join()<END_OF_PLAN>
//
// A task is given out as soon as its own line is complete, whatever follows or does not follow yet. References are
// found in the argument text itself, several in one argument included; they must name an earlier task.
//
// Thread rule: one thread at a time. No I/O. Errors: a value with line and cause; what came before stays valid.
#ifndef PYSOLATE_SIM_PLAN_H_
#define PYSOLATE_SIM_PLAN_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pysolate::sim {

struct PlanTask {
  uint32_t number = 0;  // as in the plan; rises from line to line
  std::string tool;
  std::string args;              // between the outer parentheses
  std::vector<uint32_t> inputs;  // numbers of the tasks that args refer to, each once, ascending
};

class PlanReader {
 public:
  static constexpr size_t kMaxLine = size_t{1} << 16;
  static constexpr uint32_t kMaxTasks = 100'000;

  explicit PlanReader(std::function<void(const PlanTask&)> on_task) : on_task_(std::move(on_task)) {}

  // False once there is an error; then nothing more is read.
  bool Feed(std::string_view chunk);
  // The stream is over. A plan without its final join() is an error.
  bool Finish();

  bool joined() const { return joined_; }
  uint64_t line() const { return line_; }  // of the error, else the last complete one
  const std::string& error() const { return error_; }

 private:
  bool Line(std::string_view line);
  bool Fail(std::string why);

  std::function<void(const PlanTask&)> on_task_;
  std::string pending_;
  std::vector<uint32_t> numbers_;  // of the tasks so far, ascending
  uint64_t line_ = 0;
  bool joined_ = false;
  std::string error_;
};

}  // namespace pysolate::sim

#endif  // PYSOLATE_SIM_PLAN_H_
