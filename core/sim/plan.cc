#include "sim/plan.h"

#include <algorithm>

namespace pysolate::sim {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsNameChar(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.' || IsDigit(c);
}

std::string_view Trim(std::string_view s) {
  const auto space = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  while (!s.empty() && space(s.front())) s.remove_prefix(1);
  while (!s.empty() && space(s.back())) s.remove_suffix(1);
  return s;
}

// Digits at the front of `s` as a number of at most nine digits; false if there are none or too many.
bool TakeNumber(std::string_view* s, uint32_t* out) {
  size_t n = 0;
  uint32_t v = 0;
  while (n < s->size() && IsDigit((*s)[n])) {
    if (n == 9) return false;
    v = v * 10 + static_cast<uint32_t>((*s)[n++] - '0');
  }
  s->remove_prefix(n);
  *out = v;
  return n != 0;
}

}  // namespace

bool PlanReader::Fail(std::string why) {
  error_ = std::move(why);
  pending_.clear();
  return false;
}

bool PlanReader::Feed(std::string_view chunk) {
  while (error_.empty() && !chunk.empty()) {
    const size_t end = chunk.find('\n');
    const std::string_view part = chunk.substr(0, end);
    if (pending_.size() + part.size() > kMaxLine) {
      ++line_;
      return Fail("line longer than 64 KiB");
    }
    pending_ += part;
    if (end == std::string_view::npos) return true;
    chunk.remove_prefix(end + 1);
    ++line_;
    const std::string line = std::exchange(pending_, {});
    Line(line);
  }
  return error_.empty();
}

bool PlanReader::Finish() {
  if (!error_.empty()) return false;
  if (!pending_.empty()) {
    ++line_;
    const std::string line = std::exchange(pending_, {});
    if (!Line(line)) return false;
  }
  return joined_ || Fail("the plan ends without join()");
}

bool PlanReader::Line(std::string_view text) {
  std::string_view s = Trim(text);
  if (s.empty() || joined_ || !IsDigit(s.front())) return true;  // thoughts, blank lines, what follows join()
  PlanTask task;
  if (!TakeNumber(&s, &task.number) || task.number == 0) return Fail("a task's number must be from 1 to 999999999");
  const std::string here = "task " + std::to_string(task.number);
  if (s.empty() || s.front() != '.') return Fail(here + ": expected '.' after the number");
  s = Trim(s.substr(1));
  size_t name = 0;
  while (name < s.size() && IsNameChar(s[name])) ++name;
  if (name == 0) return Fail(here + ": expected a tool's name");
  task.tool = s.substr(0, name);
  s = Trim(s.substr(name));
  if (s.empty() || s.front() != '(') return Fail(here + ": expected '(' after " + task.tool);
  const size_t close = s.rfind(')');
  if (close == std::string_view::npos) return Fail(here + ": expected ')'");
  const std::string_view tail = Trim(s.substr(close + 1));
  if (!tail.empty() && tail.front() != '<' && tail.front() != '#') return Fail(here + ": unexpected text behind ')'");
  if (!numbers_.empty() && task.number <= numbers_.back()) {
    return Fail(here + ": its number does not follow " + std::to_string(numbers_.back()));
  }
  task.args = s.substr(1, close - 1);
  if (task.tool == "join") {
    joined_ = true;
    return true;
  }
  for (size_t i = 0; i + 1 < task.args.size(); ++i) {
    if (task.args[i] != '$') continue;
    const bool braced = task.args[i + 1] == '{';
    std::string_view rest = std::string_view(task.args).substr(i + (braced ? 2 : 1));
    if (rest.empty() || !IsDigit(rest.front())) continue;  // a dollar sign like any other
    uint32_t input = 0;
    if (!TakeNumber(&rest, &input)) return Fail(here + ": a reference is no task's number");
    if (braced && (rest.empty() || rest.front() != '}')) return Fail(here + ": expected '}' in a reference");
    const std::string reference = "$" + std::to_string(input);
    if (input == task.number) return Fail(here + ": refers to itself");
    if (!std::binary_search(numbers_.begin(), numbers_.end(), input)) {
      return Fail(here + ": " + reference + (input > task.number ? " refers forward" : " is no task of this plan"));
    }
    task.inputs.push_back(input);
  }
  std::sort(task.inputs.begin(), task.inputs.end());
  task.inputs.erase(std::unique(task.inputs.begin(), task.inputs.end()), task.inputs.end());
  if (numbers_.size() >= kMaxTasks) return Fail("more than 100000 tasks");
  numbers_.push_back(task.number);
  on_task_(task);
  return true;
}

}  // namespace pysolate::sim
