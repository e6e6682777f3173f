// The engine door: numbers and text on one side, the scheduler on the other.
#include "pysolate/engine.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sched/json_text.h"

namespace pysolate {

namespace {

using sched::JsonText;

// The raw value after `"key":` in a flat JSON object, without looking at the rest. A quote inside a JSON string is
// always behind a backslash, so `"key"` can only be a whole string; that it is a key shows in the colon.
std::optional<std::string_view> Peek(std::string_view text, std::string_view key) {
  const std::string quoted = '"' + std::string(key) + '"';
  for (size_t at = text.find(quoted); at != std::string_view::npos; at = text.find(quoted, at + 1)) {
    size_t i = at + quoted.size();
    const auto skip = [&] {
      while (i < text.size() && (text[i] == ' ' || text[i] == '\t')) ++i;
    };
    skip();
    if (i >= text.size() || text[i] != ':') continue;
    ++i;
    skip();
    size_t end = i;
    if (i < text.size() && text[i] == '"') {
      end = text.find('"', ++i);
    } else {
      while (end < text.size() && text[end] != ',' && text[end] != '}' && text[end] != ' ') ++end;
    }
    if (end == std::string_view::npos) return std::nullopt;
    return text.substr(i, end - i);
  }
  return std::nullopt;
}

std::optional<uint32_t> PeekId(std::string_view text, std::string_view key) {
  const auto raw = Peek(text, key);
  uint32_t value = 0;
  if (!raw || raw->empty()) return std::nullopt;
  const auto [end, ec] = std::from_chars(raw->data(), raw->data() + raw->size(), value);
  if (ec != std::errc() || end != raw->data() + raw->size()) return std::nullopt;
  return value;
}

// What an input means where a field is left out; new things get a placeholder for their id.
const char* Defaults(EventKind kind) {
  switch (kind) {
    case EventKind::kRun:
      return R"("version":1,"program":"","mode":"overlap","clock":"virtual","unit":0,"speculate":false,)"
             R"("policy":"order","result_bytes":67108864,"producer":"pysolate 0.1.0",)";
    case EventKind::kClass:
      return R"("class":1,"limit":-1,)";
    case EventKind::kRoot:
      return R"("root":1,)";
    case EventKind::kTool:
      return R"("tool":1,"effect":"external_write","failure":"stable","class":0,"cost":1,"root":0,"cancellable":false,)"
             R"("deadline":0,"retry":0,"early":true,"reuse":true,)";
    case EventKind::kSite:
      return R"("site":1,"file":"","line":0,"col":0,"end_line":0,"end_col":0,"function":"",)";
    case EventKind::kScope:
      return R"("scope":1,"parent":0,"kind":"program","site":0,"line":0,"state":"active",)";
    case EventKind::kArrive:
      return R"("call":1,"site":0,"scope":1,"early":true,"guess":false,"deps":[],"order":"",)";
    case EventKind::kArgs:
      return R"("key":0,"args":"",)";
    case EventKind::kComplete:
      return R"("value":"","bytes":0,)";
    case EventKind::kFail:
      return R"("error":"","message":"","failure":"stable",)";
    case EventKind::kCancel:
      return R"("why":"",)";
    case EventKind::kNote:
      return R"("topic":"","line":0,"text":"",)";
    case EventKind::kEnd:
      return R"("ok":true,)";
    default:
      return "";
  }
}

// Reads single lines with the trace's own reader, so that words, limits and error texts are those of the format.
class LineReader final : public EventSink {
 public:
  // Calls `use(event)` if `body` (a JSON object) is an event after defaults and time are added. -> the error, if any.
  template <typename Use>
  std::string Read(EventKind kind, std::string_view defaults, std::string_view body, int64_t now, Use&& use) {
    const size_t open = body.find('{');
    const size_t close = body.rfind('}');
    if (open == std::string_view::npos || close == std::string_view::npos || close < open) return "not a JSON object";
    std::string_view inner = body.substr(open + 1, close - open - 1);
    while (!inner.empty() && (inner.back() == ' ' || inner.back() == '\n' || inner.back() == '\t'))
      inner.remove_suffix(1);
    if (body.find('\n') != std::string_view::npos) return "a line break outside of a string";
    std::string lines = R"({"seq":1,"t":0,"k":"run","version":1})"
                        "\n{";
    const bool header = kind == EventKind::kRun;
    if (header) lines = "{";
    lines += defaults;
    lines += inner;
    if (!inner.empty()) lines += ',';
    lines += "\"k\":\"";
    lines += Name(kind);
    lines += header ? "\",\"seq\":1,\"t\":" : "\",\"seq\":2,\"t\":";
    lines += std::to_string(now);
    lines += "}\n";
    kind_ = kind;
    std::string result = "not an event";
    use_ = [&](const Event& e) {
      result.clear();
      use(e);
    };
    TraceReader reader(this);
    const bool ok = reader.Feed(lines) && reader.Finish();
    use_ = nullptr;
    if (!ok) return reader.error().message;
    return result;
  }

  void OnEvent(const Event& event) override {
    if (event.kind == kind_ && use_) use_(event);
  }

 private:
  EventKind kind_ = EventKind::kUnknown;
  std::function<void(const Event&)> use_;
};

// The trace that nobody has taken yet, in pieces: one growing string would be copied, and its pages faulted in, again
// and again (that was half of a reached call's time).
class TraceBuffer final : public EventSink {
 public:
  void OnEvent(const Event& event) override {
    writer_.OnEvent(event);
    if (writer_.text().size() >= kPiece) pieces_.push_back(writer_.Take());
  }
  std::string Take() {
    std::string rest = writer_.Take();
    if (pieces_.empty()) return rest;
    size_t size = rest.size();
    for (const std::string& piece : pieces_) size += piece.size();
    std::string all;
    all.reserve(size);
    for (const std::string& piece : pieces_) all += piece;
    all += rest;
    pieces_.clear();
    return all;
  }

 private:
  static constexpr size_t kPiece = 48 << 10;
  TraceWriter writer_;
  std::vector<std::string> pieces_;
};

Engine::State StateOfCall(const Scheduler& s, CallId call) {
  switch (s.state_of(call)) {
    case CallState::kWaiting:
      return Engine::kWaiting;
    case CallState::kReady:
      return Engine::kReady;
    case CallState::kDispatched:
      return Engine::kDispatched;
    case CallState::kSettled:
      return s.failed(call) ? Engine::kSettledFailed : Engine::kSettledOk;
    case CallState::kConsumed:
      return Engine::kConsumed;
    default:
      return Engine::kDropped;
  }
}

std::string ToText(std::span<const Command> commands) {
  if (commands.empty()) return {};
  std::string out = "[";
  const auto number = [&](uint32_t v) {
    char digits[12];
    out.append(digits, std::to_chars(digits, digits + 12, v).ptr);
  };
  for (const Command& c : commands) {
    if (out.size() > 1) out += ',';
    switch (c.kind) {
      case Command::Kind::kDispatch:
        out += "[\"dispatch\",";
        number(c.attempt);
        out += ',';
        number(c.call);
        break;
      case Command::Kind::kCancel:
        out += "[\"cancel\",";
        number(c.attempt);
        break;
      case Command::Kind::kSettle:
        out += "[\"settle\",";
        number(c.call);
        out += ',';
        number(c.attempt);
        out += c.ok ? ",true" : ",false";
        break;
      case Command::Kind::kDeadline:
        out += "[\"deadline\",";
        number(c.attempt);
        break;
      case Command::Kind::kSkip:
        out += "[\"skip\",";
        number(c.call);
        out += ',';
        number(c.by);
        break;
      case Command::Kind::kDrop:
        out += "[\"drop\",";
        number(c.call);
        break;
      case Command::Kind::kEvict:
        out += "[\"evict\",";
        number(c.attempt);
        break;
      case Command::Kind::kLost:
        out += "[\"lost\",";
        number(c.attempt);
        break;
    }
    out += ']';
  }
  out += ']';
  return out;
}

}  // namespace

struct Engine::Impl {
  TraceBuffer trace;
  std::optional<Scheduler> scheduler;
  LineReader lines;
  std::string error;
  std::string broken;  // the options were malformed
  std::vector<CallId> deps;

  bool Ready() {
    error = broken;
    return error.empty();
  }
  bool Took(const Status& status) {
    if (!status.ok()) error = status.message();
    return status.ok();
  }
  uint32_t Waiting() const { return scheduler->commands().empty() ? 0 : kCommandsWaiting; }
  std::string Answer(std::string_view text);
};

Engine::Engine(std::string_view options) : impl_(std::make_unique<Impl>()) {
  Impl& e = *impl_;
  const std::string_view text = options.empty() ? "{}" : options;
  RunOptions run;
  std::string program, source, producer;
  std::string unknown;
  const auto whether = [&](bool known, const char* what) {
    if (!known) unknown = std::string("unknown ") + what;
  };
  e.broken = e.lines.Read(EventKind::kRun, Defaults(EventKind::kRun), text, 0, [&](const Event& event) {
    program = event.name;
    source = event.text;
    producer = event.producer;
    run.mode = event.why == "sequential" ? Mode::kSequential : Mode::kOverlap;
    whether(event.why == "sequential" || event.why == "overlap", "mode");
    run.virtual_clock = event.error != "real";
    whether(event.error == "real" || event.error == "virtual", "clock");
    run.policy = event.order == "critical_path" ? Policy::kCriticalPath : Policy::kOrder;
    whether(event.order == "critical_path" || event.order == "order", "policy");
    run.speculate = event.speculate;
    run.unit = event.unit;
    run.result_bytes = event.bytes;
  });
  if (e.broken.empty()) e.broken = unknown;
  if (e.broken.empty()) {
    e.broken = e.lines.Read(EventKind::kBudget, "\"total\":-1,\"early\":-1,", text, 0, [&](const Event& event) {
      run.total = event.total;
      run.early_limit = event.early_limit;
    });
  }
  if (!e.broken.empty()) e.broken = "run options: " + e.broken;
  run.program = program;
  run.source = source;
  run.producer = producer;
  e.scheduler.emplace(run, &e.trace);
}

Engine::~Engine() = default;

const std::string& Engine::error() const { return impl_->error; }
const Scheduler& Engine::scheduler() const { return *impl_->scheduler; }

uint32_t Engine::Input(int64_t now, std::string_view text) {
  Impl& e = *impl_;
  if (!e.Ready()) return 0;
  const auto word = Peek(text, "k");
  const EventKind kind = word ? EventKindFromName(*word) : EventKind::kUnknown;
  if (!IsInput(kind) || kind == EventKind::kRun) {
    e.error = word ? "\"" + std::string(*word) + "\" is no input" : "an input needs a kind \"k\"";
    return 0;
  }
  uint32_t id = 0;
  bool ignored = false;
  Status status;
  const std::string bad = e.lines.Read(kind, Defaults(kind), text, now, [&](const Event& event) {
    Event input = event;
    // New things get their ids here.
    if (kind == EventKind::kClass) input.klass = 0;
    if (kind == EventKind::kRoot) input.root = 0;
    if (kind == EventKind::kTool) input.tool = 0;
    if (kind == EventKind::kSite) input.site = 0;
    if (kind == EventKind::kScope) input.scope = 0;
    if (kind == EventKind::kArrive) input.call = 0;
    const Made made = e.scheduler->Apply(input);
    id = made.id;
    status = made.status;
    // The answer of an attempt that was given up is ignored, as its `lost` said.
    ignored = status.code == Code::kAttemptLost;
  });
  if (!bad.empty()) {
    e.error = std::string(Name(kind)) + ": " + bad;
    return 0;
  }
  if (!ignored && !e.Took(status)) return 0;
  return id;
}

uint32_t Engine::Arrive(int64_t now, uint32_t tool, uint32_t site, uint32_t scope, bool guess, std::string_view deps,
                        std::string_view order) {
  Impl& e = *impl_;
  if (!e.Ready()) return 0;
  e.deps.clear();
  for (const char *p = deps.data(), *end = p + deps.size(); p < end;) {
    uint32_t id = 0;
    const auto [next, ec] = std::from_chars(p, end, id);
    if (ec != std::errc() || (next != end && *next != ',')) {
      e.error = "arrive: deps are call ids with commas between them";
      return 0;
    }
    e.deps.push_back(id);
    p = next == end ? end : next + 1;
  }
  ArriveInput in;
  in.tool = tool;
  in.site = site;
  in.scope = scope;
  in.guess = guess;
  in.deps = e.deps;
  in.order = order;
  const Made made = e.scheduler->Arrive(now, in);
  if (!e.Took(made.status)) return 0;
  if (!e.scheduler->View(made.id).refused) return made.id;
  // Refused for good: the scout has no use for it.
  if (!IsTerminal(e.scheduler->state_of(made.id))) e.Took(e.scheduler->Cancel(now, made.id, "refused"));
  return 0;
}

void Engine::Args(int64_t now, uint32_t call, uint32_t key, std::string_view preview) {
  Impl& e = *impl_;
  if (e.Ready()) e.Took(e.scheduler->Args(now, call, key, preview));
}

uint64_t Engine::Reach(int64_t now, uint32_t tool, uint32_t site, uint32_t scope, uint32_t key,
                       std::string_view preview, std::string_view order, uint32_t parent) {
  Impl& e = *impl_;
  if (!e.Ready()) return 0;
  const Made made = e.scheduler->ReachCall(now, {tool, site, scope, key, parent, order, preview});
  if (!e.Took(made.status)) return 0;
  return static_cast<uint64_t>(made.id) * 16 + e.Waiting() + StateOfCall(*e.scheduler, made.id);
}

void Engine::Complete(int64_t now, uint32_t attempt, int64_t bytes, std::string_view preview) {
  Impl& e = *impl_;
  if (!e.Ready()) return;
  const Status status = e.scheduler->Complete(now, attempt, bytes, preview);
  if (status.code != Code::kAttemptLost) e.Took(status);
}

uint32_t Engine::Consume(int64_t now, uint32_t call) {
  Impl& e = *impl_;
  if (!e.Ready() || !e.Took(e.scheduler->Consume(now, call))) return 0;
  return e.Waiting();
}

uint32_t Engine::StateOf(uint32_t call) {
  Impl& e = *impl_;
  if (!e.Ready()) return 0;
  if (call == 0 || call > e.scheduler->call_count()) {
    e.error = "call " + std::to_string(call) + " is unknown";
    return 0;
  }
  return StateOfCall(*e.scheduler, call);
}

uint32_t Engine::AttemptOf(uint32_t call) {
  Impl& e = *impl_;
  if (!e.Ready()) return 0;
  if (call == 0 || call > e.scheduler->call_count()) {
    e.error = "call " + std::to_string(call) + " is unknown";
    return 0;
  }
  return e.scheduler->attempt_of(call);
}

std::string Engine::Commands() {
  Impl& e = *impl_;
  if (!e.Ready()) return {};
  std::string text = ToText(e.scheduler->commands());
  e.scheduler->ClearCommands();
  return text;
}

std::string Engine::TakeTrace() { return impl_->trace.Take(); }

int64_t Engine::NextDeadline() { return impl_->Ready() ? impl_->scheduler->next_deadline() : -1; }

std::string Engine::Query(std::string_view text) {
  Impl& e = *impl_;
  if (!e.Ready()) return {};
  return e.Answer(text);
}

// ---- questions ----

namespace {

std::string LedgerText(const Scheduler& s) {
  JsonText j;
  const LedgerTotals totals = s.Totals();
  j.Raw("{").Int("dispatched", totals.dispatched);
  for (int i = 0; i < kBooks; ++i) j.Int(Name(static_cast<Book>(i)), totals.by_book[i]);
  j.Int("orphans", totals.orphans).Bool("balanced", totals.balanced());
  j.Key("rows").Raw("[");
  for (AttemptId a = 1; a <= s.attempt_count(); ++a) {
    const LedgerRow r = s.Row(a);
    j.Item().Raw("{").Int("attempt", r.attempt).Int("call", r.call).Int("tool", r.tool).Int("site", r.site);
    j.Int("parent", r.parent).Text("state", Name(r.state)).Text("book", Name(r.book)).Text("reason", Name(r.reason));
    j.Bool("early", r.early).Bool("orphan", r.orphan).Int("cost", r.cost).Int("start", r.start).Int("end", r.end);
    j.Raw("}");
  }
  return j.Raw("]}").Take();
}

std::string ExplainText(const Scheduler& s, CallId call) {
  const Explanation x = s.Explain(call);
  JsonText j;
  j.Raw("{").Int("call", x.call).Text("state", Name(x.state)).Bool("reached", x.reached).Int("attempt", x.attempt);
  j.Key("shut").Raw("[");
  for (const ShutGate& g : x.shut) {
    j.Item().Raw("{").Text("gate", Name(g.gate)).Int("id", g.id).Text("text", g.text).Raw("}");
  }
  return j.Raw("]").Text("text", x.text).Raw("}").Take();
}

std::string FrontierText(const Scheduler& s) {
  JsonText j;
  j.Raw("[");
  for (const FrontierRow& r : s.Frontier()) {
    j.Item().Raw("{").Int("call", r.call).Bool("reached", r.reached).Int("class", r.klass).Int("cost", r.cost).Raw("}");
  }
  return j.Raw("]").Take();
}

std::string StatsText(const Scheduler& s) {
  const RunStats r = s.Stats();
  JsonText j;
  j.Raw("{").Int("makespan", r.makespan).Int("sequential_sum", r.sequential_sum).Int("critical_path", r.critical_path);
  j.Int("overlap_won", r.overlap_won).Int("overlap_left", r.overlap_left);
  j.Int("calls", r.calls).Int("reached", r.reached).Int("early", r.early).Int("promoted", r.promoted);
  j.Int("wasted", r.wasted).Int("refused", r.refused).Int("attempts", r.attempts).Int("waiting", r.waiting);
  j.Int("ready", r.ready).Int("dispatched", r.dispatched).Int("settled", r.settled).Int("terminal", r.terminal);
  j.Int("kept_bytes", s.kept_bytes());
  j.Key("waiting_by_gate").Raw("{");
  for (int i = 0; i < kGates; ++i) j.Int(Name(static_cast<Gate>(i)), r.waiting_by_gate[i]);
  return j.Raw("}}").Take();
}

std::string CallText(const Scheduler& s, CallId call) {
  const CallView v = s.View(call);
  JsonText j;
  j.Raw("{").Int("call", v.call).Int("tool", v.tool).Int("site", v.site).Int("scope", v.scope).Int("key", v.key);
  j.Int("attempt", v.attempt).Int("parent", v.parent).Text("state", Name(v.state)).Bool("early", v.early);
  j.Bool("guess", v.guess).Bool("reached", v.reached).Bool("promoted", v.promoted).Bool("refused", v.refused);
  return j.Bool("failed", v.failed).Raw("}").Take();
}

std::string SitesText(const Scheduler& s) {
  JsonText j;
  j.Raw("[");
  for (const SiteStats& r : s.Sites()) {
    j.Item().Raw("{").Int("site", r.site).Int("calls", r.calls).Int("reached", r.reached).Int("early", r.early);
    j.Int("promoted", r.promoted).Int("wasted", r.wasted).Int("refused", r.refused).Raw("}");
  }
  return j.Raw("]").Take();
}

}  // namespace

std::string Engine::Impl::Answer(std::string_view text) {
  const auto q = Peek(text, "q");
  if (!q) {
    error = "a question needs a \"q\"";
    return {};
  }
  const Scheduler& s = *scheduler;
  if (*q == "ledger") return LedgerText(s);
  if (*q == "frontier") return FrontierText(s);
  if (*q == "stats") return StatsText(s);
  if (*q == "sites") return SitesText(s);
  if (*q == "explain" || *q == "call") {
    const auto call = PeekId(text, "call");
    if (!call || *call == 0 || *call > s.call_count()) {
      error = std::string(*q) + ": \"call\" must be the id of a call";
      return {};
    }
    return *q == "explain" ? ExplainText(s, *call) : CallText(s, *call);
  }
  error = "unknown question \"" + std::string(*q) + "\"";
  return {};
}

}  // namespace pysolate
