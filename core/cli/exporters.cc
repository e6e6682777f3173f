#include "cli/exporters.h"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <queue>
#include <string_view>
#include <utility>

#include "trace/json_text.h"

namespace pysolate::cli {
namespace {

using trace_internal::JsonText;

TimeNs EndOf(const TraceIndex& index, const AttemptFacts& a) { return a.end ? a.end.t : index.last_time(); }

std::string CallLabel(const TraceIndex& index, CallId id) {
  const CallFacts& c = index.call(id);
  return std::string(index.tool(c.tool).name) + "(" + std::string(index.args(id)) + ")";
}

// Microseconds with the nanoseconds behind the point: Chrome's unit without losing any.
std::string Micros(TimeNs ns) {
  char text[40];
  std::snprintf(text, sizeof text, "%lld.%03d", static_cast<long long>(ns / 1000), static_cast<int>(ns % 1000));
  return text;
}

// Inside a double-quoted DOT string. Control characters other than a line end have no place in a label.
std::string DotText(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\\\n";
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += ' ';
    } else {
      out += c;
    }
  }
  return out;
}

std::string CsvText(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + "\"";
}

}  // namespace

std::vector<uint32_t> Lanes(const TraceIndex& index) {
  std::vector<uint32_t> lanes(index.attempt_count());
  using Busy = std::pair<TimeNs, uint32_t>;  // until, lane
  std::priority_queue<Busy, std::vector<Busy>, std::greater<>> busy;
  std::priority_queue<uint32_t, std::vector<uint32_t>, std::greater<>> free;
  uint32_t count = 0;
  for (AttemptId id = 1; id <= index.attempt_count(); ++id) {  // ids rise with the time of dispatch
    const AttemptFacts& a = index.attempt(id);
    while (!busy.empty() && busy.top().first <= a.dispatch.t) {
      free.push(busy.top().second);
      busy.pop();
    }
    uint32_t lane = count;
    if (free.empty()) {
      ++count;
    } else {
      lane = free.top();
      free.pop();
    }
    lanes[id - 1] = lane;
    busy.emplace(EndOf(index, a), lane);
  }
  return lanes;
}

std::string ChromeTrace(const TraceIndex& index) {
  const std::vector<uint32_t> lanes = Lanes(index);
  std::string out = "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n";
  JsonText process;
  process.Object().Text("ph", "M").Int("pid", 1).Text("name", "process_name").Key("args").Object();
  process.Text("name", index.run().program).EndObject().EndObject();
  out += process.Take();

  const uint32_t lane_count = lanes.empty() ? 0 : *std::max_element(lanes.begin(), lanes.end()) + 1;
  for (uint32_t lane = 0; lane < lane_count; ++lane) {
    const std::string number = std::to_string(lane + 1);
    out += ",\n{\"ph\":\"M\",\"pid\":1,\"tid\":" + number + ",\"name\":\"thread_name\",\"args\":{\"name\":\"lane " +
           number + "\"}}";
    out += ",\n{\"ph\":\"M\",\"pid\":1,\"tid\":" + number +
           ",\"name\":\"thread_sort_index\",\"args\":{\"sort_index\":" + number + "}}";
  }
  for (AttemptId id = 1; id <= index.attempt_count(); ++id) {
    const AttemptFacts& a = index.attempt(id);
    const CallFacts& c = index.call(a.call);
    JsonText args;
    args.Object()
        .Int("call", a.call)
        .Int("attempt", id)
        .Text("state", StateWord(a.state))
        .Text("booked", StateWord(a.book));
    args.Text("effect", Name(index.tool(c.tool).effect)).Bool("early", a.early).Bool("orphan", a.orphan);
    args.Text("args", index.args(a.call));
    if (a.state == AttemptState::kFailed) {
      args.Text("error", index.error_type(id)).Text("message", index.value(id));
    } else if (a.state == AttemptState::kSucceeded) {
      args.Text("value", index.value(id));
    }
    if (c.site != 0) {
      const SiteFacts& site = index.site(c.site);
      args.Text("site", std::string(site.file) + ":" + std::to_string(site.line) + ":" + std::to_string(site.col));
    }
    args.EndObject();
    JsonText name;
    name.Text(CallLabel(index, a.call));
    out += ",\n{\"ph\":\"X\",\"pid\":1,\"tid\":" + std::to_string(lanes[id - 1] + 1) +
           ",\"ts\":" + Micros(a.dispatch.t) + ",\"dur\":" + Micros(EndOf(index, a) - a.dispatch.t) + ",\"cat\":\"" +
           std::string(StateWord(a.book)) + "\",\"name\":" + name.Take() + ",\"args\":" + args.Take() + "}";
  }
  // A flow starts inside the slice of the input's attempt and ends at the beginning of the dependant's.
  uint64_t flow = 0;
  for (CallId id = 1; id <= index.call_count(); ++id) {
    const CallFacts& c = index.call(id);
    if (c.attempt == 0 || index.attempt(c.attempt).call != id) continue;
    const AttemptFacts& to = index.attempt(c.attempt);
    for (const CallId d : index.deps(id)) {
      const AttemptId source = index.call(d).attempt;
      if (source == 0) continue;
      const AttemptFacts& from = index.attempt(source);
      const TimeNs end = EndOf(index, from);
      if (end > to.dispatch.t) continue;
      const TimeNs leave = end > from.dispatch.t ? end - 1 : end;
      const std::string common =
          ",\"pid\":1,\"cat\":\"dependency\",\"name\":\"value\",\"id\":" + std::to_string(++flow);
      out += ",\n{\"ph\":\"s\"" + common + ",\"tid\":" + std::to_string(lanes[source - 1] + 1) +
             ",\"ts\":" + Micros(leave) + "}";
      out += ",\n{\"ph\":\"f\",\"bp\":\"e\"" + common + ",\"tid\":" + std::to_string(lanes[c.attempt - 1] + 1) +
             ",\"ts\":" + Micros(to.dispatch.t) + "}";
    }
  }
  return out + "\n]}\n";
}

std::string DotGraph(const TraceIndex& index) {
  // Shapes and lines tell the states apart without colour too.
  const auto style = [](const CallFacts& c) -> const char* {
    switch (c.state) {
      case CallState::kWaiting:
        return "style=dashed, color=\"#727794\"";
      case CallState::kReady:
        return "shape=diamond, color=\"#C38A06\"";
      case CallState::kDispatched:
        return "style=bold, color=\"#0D8BE7\"";
      case CallState::kSettled:
      case CallState::kConsumed:
        return c.failed ? "style=bold, peripheries=2, color=\"#A51C0A\"" : "style=solid, color=\"#16855A\"";
      case CallState::kDiscarded:
        return "style=dotted, color=\"#16855A\"";
      case CallState::kCancelled:
      case CallState::kSkipped:
        return "style=dotted, color=\"#727794\"";
    }
    return "";
  };
  std::string out = "digraph \"" + DotText(index.run().program) +
                    "\" {\n  rankdir=LR;\n  node [shape=box, fontname=\"monospace\"];\n";
  for (CallId id = 1; id <= index.call_count(); ++id) {
    const CallFacts& c = index.call(id);
    out += "  " + std::to_string(id) + " [label=\"" + std::to_string(id) + " " + DotText(CallLabel(index, id)) + "\\n" +
           std::string(c.failed ? "failed, " : "") + std::string(StateWord(c.state)) + "\", " + style(c) + "];\n";
  }
  for (CallId id = 1; id <= index.call_count(); ++id) {
    for (const CallId d : index.deps(id)) out += "  " + std::to_string(d) + " -> " + std::to_string(id) + ";\n";
  }
  return out + "}\n";
}

std::string CsvTable(const TraceIndex& index) {
  std::string out =
      "call,tool,effect,args,file,line,col,function,scope,state,failed,early,promoted,refused,guess,deps,attempt,"
      "booked,"
      "arrive_ns,args_ns,reach_ns,ready_ns,bound_ns,settle_ns,end_ns,attempt_start_ns,attempt_end_ns,error,value\r\n";
  const auto flag = [](bool v) { return v ? "true" : "false"; };
  for (CallId id = 1; id <= index.call_count(); ++id) {
    const CallFacts& c = index.call(id);
    const ToolFacts& tool = index.tool(c.tool);
    const SiteFacts site = c.site == 0 ? SiteFacts{} : index.site(c.site);
    out += std::to_string(id) + "," + CsvText(tool.name) + "," + std::string(Name(tool.effect)) + "," +
           CsvText(index.args(id)) + "," + CsvText(site.file) + "," + std::to_string(site.line) + "," +
           std::to_string(site.col) + "," + CsvText(site.function) + "," + std::to_string(c.scope) + "," +
           std::string(StateWord(c.state)) + "," + flag(c.failed) + "," + flag(c.early) + "," + flag(c.promoted) + "," +
           flag(c.refused) + "," + flag(c.guess) + ",";
    std::string deps;
    for (const CallId d : index.deps(id)) deps += (deps.empty() ? "" : " ") + std::to_string(d);
    out += deps + ",";
    if (c.attempt != 0)
      out += std::to_string(c.attempt) + "," + std::string(StateWord(index.attempt(c.attempt).book));
    else
      out += ",";
    for (const Moment& m : {c.arrive, c.args, c.reach, c.ready, c.bound, c.settle, c.end}) {
      out += ",";
      if (m) out += std::to_string(m.t);
    }
    out += ",";
    if (c.attempt != 0) {
      const AttemptFacts& a = index.attempt(c.attempt);
      out += std::to_string(a.dispatch.t) + ",";
      if (a.end) out += std::to_string(a.end.t);
      out += "," + CsvText(index.error_type(c.attempt)) + "," + CsvText(index.value(c.attempt));
    } else {
      out += ",,,";
    }
    out += "\r\n";
  }
  return out;
}

}  // namespace pysolate::cli
