// A run written down event by event, in the words of the trace format; ids and sequence numbers come by themselves.
//
//   TraceScript run;
//   const auto fetch = run.Tool("fetch", Effect::kImmutableRead);
//   const auto site = run.Site(3);
//   const auto a = run.Arrive(fetch, site);
//   run.Args(a, "'x'").Ready(a);
//   const auto first = run.Dispatch(a);
//   run.At(5).Complete(first, "'text'").Settle(a).Consume(a).End();
//
// Text() is the trace; Load() a store that has read it (through the real reader).
#ifndef PYSOLATE_TESTS_VIZ_TRACE_SCRIPT_H_
#define PYSOLATE_TESTS_VIZ_TRACE_SCRIPT_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "model/document.h"
#include "pysolate/trace.h"

namespace pysolate::viz::testing {

class TraceScript {
 public:
  explicit TraceScript(std::string_view source = "") {
    Event e = Make(EventKind::kRun);
    e.version = 1;
    e.name = "p.py";
    e.why = "overlap";
    e.error = "virtual";
    e.order = "order";
    e.unit = 1000;
    e.bytes = 1 << 20;
    e.text = source;
    e.producer = "test";
    Put(e);
    e = Make(EventKind::kScope);
    e.scope = ++scopes_;
    e.scope_kind = ScopeKind::kProgram;
    e.scope_state = ScopeState::kActive;
    e.line = 1;
    Put(e);
  }

  // In units of the virtual clock (1000 ns).
  TraceScript& At(int64_t unit) {
    now_ = unit * 1000;
    return *this;
  }

  // ---- things
  ClassId Class(std::string_view name, uint32_t limit) {
    Event e = Make(EventKind::kClass);
    e.klass = ++classes_;
    e.name = name;
    e.limit = limit;
    e.has_limit = true;
    Put(e);
    return classes_;
  }
  RootId Root(std::string_view name) {
    Event e = Make(EventKind::kRoot);
    e.root = ++roots_;
    e.name = name;
    Put(e);
    return roots_;
  }
  ToolId Tool(std::string_view name, Effect effect = Effect::kImmutableRead, ClassId klass = 0, uint32_t cost = 1,
              RootId root = 0) {
    Event e = Make(EventKind::kTool);
    e.tool = ++tools_;
    e.name = name;
    e.effect = effect;
    e.klass = klass;
    e.cost = cost;
    e.root = root;
    e.early = effect <= Effect::kImmutableRead;
    e.reuse = e.early;
    e.cancellable = true;
    Put(e);
    return tools_;
  }
  SiteId Site(int32_t line, int32_t col = 0, std::string_view file = "p.py", std::string_view function = "<module>") {
    Event e = Make(EventKind::kSite);
    e.site = ++sites_;
    e.file = file;
    e.line = e.end_line = line;
    e.col = col;
    e.end_col = col + 5;
    e.function = function;
    Put(e);
    return sites_;
  }
  ScopeId Scope(ScopeKind kind, int32_t line, ScopeState state, ScopeId parent = 1) {
    Event e = Make(EventKind::kScope);
    e.scope = ++scopes_;
    e.parent = parent;
    e.scope_kind = kind;
    e.scope_state = state;
    e.line = line;
    Put(e);
    return scopes_;
  }
  TraceScript& ScopeActive(ScopeId id) { return OfScope(EventKind::kScopeActive, id); }
  TraceScript& ScopeDead(ScopeId id) { return OfScope(EventKind::kScopeDead, id); }
  TraceScript& ScopeClosed(ScopeId id) { return OfScope(EventKind::kScopeClosed, id); }
  TraceScript& TotalBudget(uint32_t total) {
    Event e = Make(EventKind::kBudget);
    e.total = total;
    e.has_total = true;
    return Put(e);
  }

  // ---- calls
  CallId Arrive(ToolId tool, SiteId site, std::vector<CallId> deps = {}, bool early = true, ScopeId scope = 1,
                std::string_view order = "") {
    Event e = Make(EventKind::kArrive);
    e.call = ++calls_;
    e.tool = tool;
    e.site = site;
    e.scope = scope;
    e.early = early;
    e.deps = deps;
    e.order = order;
    Put(e);
    return calls_;
  }
  TraceScript& Args(CallId call, std::string_view preview) {
    Event e = OfCall(EventKind::kArgs, call);
    e.key = call;
    e.text = preview;
    return Put(e);
  }
  TraceScript& Reach(CallId call) { return Put(OfCall(EventKind::kReach, call)); }
  TraceScript& Promote(CallId call) { return Put(OfCall(EventKind::kPromote, call)); }
  TraceScript& Ready(CallId call) { return Put(OfCall(EventKind::kReady, call)); }
  TraceScript& Refuse(CallId call, std::string_view why) { return Put(OfCall(EventKind::kRefuse, call, why)); }
  AttemptId Dispatch(CallId call, bool early = true, uint32_t cost = 1) {
    Event e = OfCall(EventKind::kDispatch, call);
    e.attempt = ++attempts_;
    e.early = early;
    e.cost = cost;
    Put(e);
    return attempts_;
  }
  TraceScript& Join(CallId call, AttemptId attempt) {
    Event e = OfCall(EventKind::kJoin, call);
    e.attempt = attempt;
    return Put(e);
  }
  TraceScript& Settle(CallId call, AttemptId attempt, bool ok = true) {
    Event e = OfCall(EventKind::kSettle, call);
    e.attempt = attempt;
    e.ok = ok;
    return Put(e);
  }
  TraceScript& Retry(CallId call, AttemptId attempt) {
    Event e = OfCall(EventKind::kRetry, call);
    e.attempt = attempt;
    return Put(e);
  }
  TraceScript& Consume(CallId call) { return Put(OfCall(EventKind::kConsume, call)); }
  TraceScript& Discard(CallId call, std::string_view why = "never reached") {
    return Put(OfCall(EventKind::kDiscard, call, why));
  }
  TraceScript& CallCancelled(CallId call, std::string_view why = "its scope died") {
    return Put(OfCall(EventKind::kCallCancelled, call, why));
  }
  TraceScript& Skip(CallId call, CallId by) {
    Event e = OfCall(EventKind::kSkip, call);
    e.by = by;
    return Put(e);
  }
  TraceScript& Suppress(CallId call, CallId by) {
    Event e = OfCall(EventKind::kSuppress, call);
    e.by = by;
    return Put(e);
  }

  // ---- attempts
  TraceScript& Complete(AttemptId attempt, std::string_view value = "1") {
    Event e = OfAttempt(EventKind::kComplete, attempt);
    e.text = value;
    e.bytes = 8;
    return Put(e);
  }
  TraceScript& Fail(AttemptId attempt, std::string_view error, std::string_view message) {
    Event e = OfAttempt(EventKind::kFail, attempt);
    e.error = error;
    e.text = message;
    return Put(e);
  }
  TraceScript& CancelRequest(AttemptId attempt, std::string_view why = "its scope died") {
    return Put(OfAttempt(EventKind::kCancelRequest, attempt, why));
  }
  TraceScript& Stopped(AttemptId attempt) { return Put(OfAttempt(EventKind::kStopped, attempt)); }
  TraceScript& Cancelled(AttemptId attempt) { return Put(OfAttempt(EventKind::kCancelled, attempt)); }
  TraceScript& Orphan(AttemptId attempt, std::string_view why = "nobody wants it") {
    return Put(OfAttempt(EventKind::kOrphan, attempt, why));
  }
  TraceScript& Late(AttemptId attempt, bool ok = true) {
    Event e = OfAttempt(EventKind::kLate, attempt);
    e.ok = ok;
    return Put(e);
  }
  TraceScript& Lost(AttemptId attempt, std::string_view why = "deadline") {
    return Put(OfAttempt(EventKind::kLost, attempt, why));
  }

  // ---- the run
  TraceScript& End(bool ok = true) {
    Event e = Make(EventKind::kEnd);
    e.ok = ok;
    return Put(e);
  }
  // Any line, as it stands; "SEQ" is replaced by the next sequence number.
  TraceScript& Line(std::string line) {
    const size_t at = line.find("SEQ");
    if (at != std::string::npos) line.replace(at, 3, std::to_string(++seq_));
    text_ += writer_.Take() + line + "\n";
    return *this;
  }

  // Whole stories of one call, for runs in which only their shape matters.
  AttemptId Start(CallId call, std::string_view args = "'x'") {
    Args(call, args).Ready(call);
    return Dispatch(call);
  }
  TraceScript& Take(CallId call, AttemptId attempt, std::string_view value = "1") {
    return Complete(attempt, value).Settle(call, attempt).Reach(call).Promote(call).Consume(call);
  }

  // The number of the last event.
  EventNo now() const { return static_cast<EventNo>(seq_); }

  std::string Text() {
    text_ += writer_.Take();
    return text_;
  }
  std::unique_ptr<Document> Load(bool live = false) {
    auto document = std::make_unique<Document>("p.jsonl", live);
    document->Feed(Text());
    if (!live) document->Finish();
    return document;
  }

 private:
  Event Make(EventKind kind) {
    Event e;
    e.seq = ++seq_;
    e.t = now_;
    e.kind = kind;
    return e;
  }
  Event OfCall(EventKind kind, CallId call, std::string_view why = {}) {
    Event e = Make(kind);
    e.call = call;
    e.why = why;
    return e;
  }
  Event OfAttempt(EventKind kind, AttemptId attempt, std::string_view why = {}) {
    Event e = Make(kind);
    e.attempt = attempt;
    e.why = why;
    return e;
  }
  TraceScript& OfScope(EventKind kind, ScopeId id) {
    Event e = Make(kind);
    e.scope = id;
    return Put(e);
  }
  TraceScript& Put(const Event& e) {
    writer_.OnEvent(e);
    return *this;
  }

  TraceWriter writer_;
  std::string text_;
  uint64_t seq_ = 0;
  TimeNs now_ = 0;
  uint32_t tools_ = 0, classes_ = 0, roots_ = 0, sites_ = 0, scopes_ = 0, calls_ = 0, attempts_ = 0;
};

}  // namespace pysolate::viz::testing

#endif  // PYSOLATE_TESTS_VIZ_TRACE_SCRIPT_H_
