// The tables of a TraceIndex. trace_index.cc answers questions from them, trace_rules.cc applies events to them.
#ifndef PYSOLATE_TRACE_TRACE_INDEX_IMPL_H_
#define PYSOLATE_TRACE_TRACE_INDEX_IMPL_H_

#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pysolate/trace_index.h"

namespace pysolate {

struct TraceIndex::Impl {
  struct Class {
    std::string_view name;
    uint32_t limit = kUnlimited;
    uint32_t held = 0;       // by attempts that have not ended
    uint32_t unreached = 0;  // of these: early ones and orphans
    uint32_t costliest = 0;  // of its tools
    uint32_t ready = 0;      // reached calls for which only the budget may be shut
  };
  struct Root {
    std::string_view name;
    uint32_t version = 1;
  };
  struct Scope {
    ScopeId parent = 0, first_child = 0, next_sibling = 0;
    ScopeState state = ScopeState::kPending;
    bool active = false;  // it and all above it are
    bool ended() const { return state == ScopeState::kDead || state == ScopeState::kClosed; }
  };
  struct Text {
    size_t begin = 0;
    uint32_t size = 0;
  };

  uint64_t events = 0;
  TimeNs last_t = 0;
  TimeNs end_t = -1;
  RunFacts run;
  bool was_input = true;  // the last event

  std::vector<CallFacts> calls;
  std::vector<uint32_t> deps_end;  // of call i: deps[deps_end[i-1], deps_end[i])
  std::vector<CallId> deps;
  std::vector<Text> args;
  std::vector<uint32_t> effect_place;  // of an effect call: its place in `effects`, else kNoPlace
  std::vector<AttemptFacts> attempts;
  std::vector<Text> values, errors;
  std::vector<ToolFacts> tools;
  std::vector<SiteFacts> sites;
  std::vector<Class> classes;
  std::vector<Root> roots;
  std::vector<Scope> scopes;

  // Effects in the order in which control reached them; those before `next_effect` were dispatched or ended.
  std::vector<CallId> effects;
  size_t next_effect = 0;
  AttemptId running_effect = 0;
  static constexpr uint32_t kNoPlace = 0xffffffffu;

  uint32_t total_limit = kUnlimited, early_limit = kUnlimited;
  uint32_t held = 0;           // attempts that hold a slot of the total
  uint32_t unreached = 0;      // of these: early ones and orphans
  uint32_t ready_reached = 0;  // reached calls for which only the budget may be shut
  uint32_t in_flight = 0, peak_in_flight = 0;
  LedgerTotals totals;

  std::vector<Problem> problems;
  uint64_t problem_count = 0;

  // Names live in a deque (their addresses stay), previews in one buffer.
  std::deque<std::string> names;
  std::string previews;

  void Apply(const Event& e);
  void Finish();

  std::string_view Keep(std::string_view text);
  Text KeepPreview(std::string_view text);
  std::string_view Preview(Text text) const { return {previews.data() + text.begin, text.size}; }
  const ToolFacts& ToolOf(const CallFacts& c) const { return tools[c.tool - 1]; }
  std::span<const CallId> DepsOf(CallId id) const {
    const uint32_t begin = id == 1 ? 0 : deps_end[id - 2];
    return {deps.data() + begin, deps_end[id - 1] - begin};
  }

 private:
  void Break(const Event& e, const char* rule, std::string text);

  // Each returns whether the event can be applied, and records a problem if not.
  bool Known(const Event& e, const char* what, uint32_t id, size_t count);
  bool KnownOrNone(const Event& e, const char* what, uint32_t id, size_t count);
  bool Next(const Event& e, const char* what, uint32_t id, size_t count);
  bool Live(const Event& e);     // e.call is known and has not ended
  bool Running(const Event& e);  // e.attempt is known and runs

  void OnTool(const Event& e);
  void OnScope(const Event& e);
  void OnScopeActive(const Event& e);
  void OnScopeEnd(const Event& e);
  void OnBudget(const Event& e);
  void OnArrive(const Event& e);
  void OnArgs(const Event& e);
  void OnReach(const Event& e);
  void OnPromote(const Event& e);
  void OnReady(const Event& e);
  void OnDispatch(const Event& e);
  void OnJoin(const Event& e);
  void OnVersion(const Event& e);
  void OnSettle(const Event& e);
  void OnRetry(const Event& e);
  void OnCallEnd(const Event& e);
  void OnConsume(const Event& e);
  void OnOutcome(const Event& e);
  void OnStopped(const Event& e);
  void OnUnwanted(const Event& e);
  void OnLate(const Event& e);

  void CheckGates(const Event& e);
  void CheckEffectTurn(const Event& e);
  void CheckBudget(const Event& e, const ToolFacts& tool);
  void CheckWakeUp(const Event& e);
  bool Holds(const AttemptFacts& a) const { return a.state == AttemptState::kRunning && a.parent == 0; }
  bool OnReachedSide(const AttemptFacts& a) const { return a.reached_calls != 0 && !a.orphan; }
  void Count(const AttemptFacts& a, int by);  // in or out of what is held
  void SetState(CallId id, CallState state);
  void Bind(const Event& e);
  void Unbind(CallId id);
  void End(AttemptId id, AttemptState state, const Event& e);
  void BookAs(const Event& e, AttemptId id, Book book);
};

}  // namespace pysolate

#endif  // PYSOLATE_TRACE_TRACE_INDEX_IMPL_H_
