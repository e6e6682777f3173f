// The scheduler behind a door of numbers and text: what a Python (pybind11) or JavaScript (Embind) binding exposes as
// it is, method by method (core/python/pysolate/engine.py is the other side).
//
// Times are integer ns since the start of the run. Only numbers and text cross; JSON uses the words of
// core/trace/FORMAT.md.
// Errors: a refused input changes nothing; the method returns its "none" value and error() says what was wrong until
// the next call. Nothing is thrown.
// Thread rule: one thread at a time.
#ifndef PYSOLATE_ENGINE_H_
#define PYSOLATE_ENGINE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "pysolate/scheduler.h"
#include "pysolate/trace.h"

namespace pysolate {

class Engine {
 public:
  // A call's state as packed into the answers of Reach and StateOf.
  enum State : uint32_t { kWaiting, kReady, kDispatched, kSettledOk, kSettledFailed, kConsumed, kDropped };
  static constexpr uint64_t kCommandsWaiting = 8;

  // `options`: the `run` event's fields as JSON text, plus `total` and `early` budgets (-1 unlimited) and `trace`
  // (false: none is written). If it is malformed every method fails with that error.
  explicit Engine(std::string_view options);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  // Empty: the last method succeeded.
  const std::string& error() const;

  uint32_t Input(int64_t now, std::string_view text);
  uint32_t Arrive(int64_t now, uint32_t tool, uint32_t site, uint32_t scope, bool guess, std::string_view deps,
                  std::string_view order);
  void Args(int64_t now, uint32_t call, uint32_t key, std::string_view preview);
  // -> call * 16 + (8 if commands are waiting) + state; 0: refused.
  uint64_t Reach(int64_t now, uint32_t tool, uint32_t site, uint32_t scope, uint32_t key, std::string_view preview,
                 std::string_view order, uint32_t parent);
  void Complete(int64_t now, uint32_t attempt, int64_t bytes, std::string_view preview);
  uint32_t Consume(int64_t now, uint32_t call);
  uint32_t StateOf(uint32_t call);
  uint32_t AttemptOf(uint32_t call);
  std::string Commands();
  std::string TakeTrace();
  int64_t NextDeadline();
  std::string Query(std::string_view text);

  const Scheduler& scheduler() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace pysolate

#endif  // PYSOLATE_ENGINE_H_
