// The core's narrow door in JavaScript: class Engine (core/python/pysolate/engine.py in camelCase) and two functions on
// whole traces. Bindings without logic; the types with their manual are in pysolate.d.ts.
//
// Numbers come in as doubles and are looked at here: Embind (3.1.6) would turn NaN, undefined and fractions into some
// integer without a word.
#include <emscripten/bind.h>

#include <cmath>
#include <cstdint>
#include <string>

#include "pysolate/engine.h"
#include "pysolate/trace_report.h"

namespace pysolate {
namespace {

constexpr double kMaxSafeInteger = 9007199254740991.0;  // 2^53 - 1

class JsEngine {
 public:
  explicit JsEngine(const std::string& options) : engine_(options) {}

  std::string Error() const { return bad_.empty() ? engine_.error() : bad_; }

  double Input(double now, const std::string& text) {
    if (!Good("now", now, kMaxSafeInteger)) return 0;
    return engine_.Input(Time(now), text);
  }
  double Arrive(double now, double tool, double site, double scope, bool guess, const std::string& deps,
                const std::string& order) {
    if (!Good("now", now, kMaxSafeInteger) || !GoodId("tool", tool) || !GoodId("site", site) || !GoodId("scope", scope))
      return 0;
    return engine_.Arrive(Time(now), Id(tool), Id(site), Id(scope), guess, deps, order);
  }
  void Args(double now, double call, double key, const std::string& preview) {
    if (!Good("now", now, kMaxSafeInteger) || !GoodId("call", call) || !GoodId("key", key)) return;
    engine_.Args(Time(now), Id(call), Id(key), preview);
  }
  double Reach(double now, double tool, double site, double scope, double key, const std::string& preview,
               const std::string& order, double parent) {
    if (!Good("now", now, kMaxSafeInteger) || !GoodId("tool", tool) || !GoodId("site", site) ||
        !GoodId("scope", scope) || !GoodId("key", key) || !GoodId("parent", parent)) {
      return 0;
    }
    return static_cast<double>(
        engine_.Reach(Time(now), Id(tool), Id(site), Id(scope), Id(key), preview, order, Id(parent)));
  }
  void Complete(double now, double attempt, double bytes, const std::string& preview) {
    if (!Good("now", now, kMaxSafeInteger) || !GoodId("attempt", attempt) || !Good("bytes", bytes, kMaxSafeInteger))
      return;
    engine_.Complete(Time(now), Id(attempt), static_cast<int64_t>(bytes), preview);
  }
  double Consume(double now, double call) {
    if (!Good("now", now, kMaxSafeInteger) || !GoodId("call", call)) return 0;
    return engine_.Consume(Time(now), Id(call));
  }
  double StateOf(double call) { return GoodId("call", call) ? engine_.StateOf(Id(call)) : 0; }
  double AttemptOf(double call) { return GoodId("call", call) ? engine_.AttemptOf(Id(call)) : 0; }
  std::string Commands() { return bad_.clear(), engine_.Commands(); }
  std::string TakeTrace() { return bad_.clear(), engine_.TakeTrace(); }
  double NextDeadline() { return bad_.clear(), static_cast<double>(engine_.NextDeadline()); }
  std::string Query(const std::string& text) { return bad_.clear(), engine_.Query(text); }

 private:
  // An integer from 0 to `max`; else Error() says what is wrong with it.
  bool Good(const char* name, double v, double max) {
    bad_.clear();
    if (v >= 0 && v <= max && v == std::floor(v)) return true;
    bad_ = std::string(name) + " must be an integer from 0 to " + (max < kMaxSafeInteger ? "4294967294" : "2^53 - 1");
    return false;
  }
  bool GoodId(const char* name, double v) { return Good(name, v, 4294967294.0); }
  static int64_t Time(double v) { return static_cast<int64_t>(v); }
  static uint32_t Id(double v) { return static_cast<uint32_t>(v); }

  Engine engine_;
  std::string bad_;
};

std::string CheckTrace(const std::string& text) {
  TraceReport report;
  report.Feed(text);
  report.Finish();
  return report.CheckJson("");
}

std::string TraceStatistics(const std::string& text) {
  TraceReport report;
  report.Feed(text);
  report.Finish();
  return report.StatsJson("");
}

}  // namespace
}  // namespace pysolate

EMSCRIPTEN_BINDINGS(pysolate) {
  using emscripten::class_;
  using emscripten::function;
  using pysolate::JsEngine;
  class_<JsEngine>("Engine")
      .constructor<std::string>()
      .function("error", &JsEngine::Error)
      .function("input", &JsEngine::Input)
      .function("arrive", &JsEngine::Arrive)
      .function("args", &JsEngine::Args)
      .function("reach", &JsEngine::Reach)
      .function("complete", &JsEngine::Complete)
      .function("consume", &JsEngine::Consume)
      .function("stateOf", &JsEngine::StateOf)
      .function("attemptOf", &JsEngine::AttemptOf)
      .function("commands", &JsEngine::Commands)
      .function("takeTrace", &JsEngine::TakeTrace)
      .function("nextDeadline", &JsEngine::NextDeadline)
      .function("query", &JsEngine::Query);
  function("checkTrace", &pysolate::CheckTrace);
  function("traceStats", &pysolate::TraceStatistics);
}
