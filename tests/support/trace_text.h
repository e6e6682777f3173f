// Traces as text in tests: write the events that matter, the rest is filled in.
#ifndef PYSOLATE_TESTS_SUPPORT_TRACE_TEXT_H_
#define PYSOLATE_TESTS_SUPPORT_TRACE_TEXT_H_

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "pysolate/event.h"
#include "pysolate/trace.h"

namespace pysolate::testing {

// An event with everything that it points to, so that it outlives the call that handed it over.
struct KeptEvent {
  Event event;
  std::string name, file, function, text, why, error, order, producer;
  std::vector<CallId> deps;

  explicit KeptEvent(const Event& e)
      : event(e),
        name(e.name),
        file(e.file),
        function(e.function),
        text(e.text),
        why(e.why),
        error(e.error),
        order(e.order),
        producer(e.producer),
        deps(e.deps.begin(), e.deps.end()) {
    event.name = event.file = event.function = event.text = event.why = event.error = event.order = event.producer = {};
    event.deps = {};
  }

  // The event again, pointing into this object.
  Event View() const {
    Event e = event;
    e.name = name;
    e.file = file;
    e.function = function;
    e.text = text;
    e.why = why;
    e.error = error;
    e.order = order;
    e.producer = producer;
    e.deps = deps;
    return e;
  }
};

class Collector final : public EventSink {
 public:
  void OnEvent(const Event& event) override { events.emplace_back(event); }
  std::vector<KeptEvent> events;
};

inline constexpr std::string_view kHeader =
    R"({"seq":1,"t":0,"k":"run","version":1,"program":"p.py","mode":"overlap","clock":"virtual","unit":1,"speculate":false,"policy":"order","result_bytes":0,"producer":"test"})"
    "\n";

// The header and then `lines`, each without seq and t (given here: seq counts on, t stays 0) and without braces:
// Lines({R"("k":"reach","call":1)"}).
inline std::string Lines(std::initializer_list<std::string_view> lines) {
  std::string text(kHeader);
  int seq = 1;
  for (const std::string_view line : lines) {
    text += "{\"seq\":" + std::to_string(++seq) + ",\"t\":0,";
    text += line;
    text += "}\n";
  }
  return text;
}

}  // namespace pysolate::testing

#endif  // PYSOLATE_TESTS_SUPPORT_TRACE_TEXT_H_
