// Why a call waits, in words and as data.
#include <algorithm>
#include <string>

#include "sched/state.h"

namespace pysolate {

using namespace sched;  // NOLINT

namespace {

std::string Limit(uint32_t limit) { return limit == kUnlimited ? "unlimited" : std::to_string(limit); }

}  // namespace

std::string Scheduler::Impl::ScopeText(ScopeId s) const {
  const ScopeRow& scope = scopes[s];
  std::string text = "scope " + std::to_string(s) + " (" + std::string(Name(scope.kind));
  if (scope.line > 0) text += ", line " + std::to_string(scope.line);
  return text + ")";
}

// The budget that is shut for a ready call, and the orphans that hold some of it.
std::string Scheduler::Impl::BudgetText(CallId c) const {
  const Contract& contract = tools[hot[c].tool].contract;
  const Lane& lane = lanes[tools[hot[c].tool].lane];
  const bool early = !reached(c);
  std::string text;
  bool by_class = false;
  if (total_limit != kUnlimited && total_held >= total_limit) {
    text = "budget total " + std::to_string(total_held) + "/" + Limit(total_limit);
  } else if (contract.klass != 0 && !ReachedFits(lane)) {
    const ClassRow& k = classes[contract.klass];
    text = "budget " + k.name + " " + std::to_string(k.held) + "/" + Limit(k.limit);
    by_class = true;
  } else if (early && early_limit != kUnlimited && total_unreached >= early_limit) {
    text = "early ceiling " + std::to_string(total_unreached) + "/" + Limit(early_limit);
  } else if (early && total_limit != kUnlimited && total_unreached + 2 > total_limit) {
    text =
        "budget total " + std::to_string(total_held) + "/" + Limit(total_limit) + ", one kept free for reached calls";
  } else if (early && untaken_bytes >= result_bytes) {
    text =
        "results not yet taken fill " + std::to_string(untaken_bytes) + "/" + std::to_string(result_bytes) + " bytes";
  } else if (contract.klass != 0) {
    const ClassRow& k = classes[contract.klass];
    text = "budget " + k.name + " " + std::to_string(k.held) + "/" + Limit(k.limit) + ", " +
           std::to_string(std::min(k.max_cost, k.limit)) + " kept free for reached calls";
    by_class = true;
  } else {
    text = "budget";
  }
  size_t count = 0;
  AttemptId one = 0;
  for (AttemptId a : orphans) {
    if (rows[a].state() != AttemptState::kRunning) continue;
    if ((rows[a].flags & kChildAttempt) != 0) continue;
    if (by_class && tools[hot[rows[a].call].tool].contract.klass != contract.klass) continue;
    ++count;
    if (one == 0) one = a;
  }
  if (count == 1) text += ", one held by orphan " + std::to_string(one);
  if (count > 1) text += ", " + std::to_string(count) + " held by orphans (" + std::to_string(one) + ", ...)";
  return text;
}

Gate Scheduler::Impl::FirstShut(CallId c) const {
  const CallHot& h = hot[c];
  if (!ArgumentsOpen(h)) return Gate::kArguments;
  if (!ControlOpen(h)) return Gate::kControl;
  if (!ContractOpen(c)) return Gate::kContract;
  return Gate::kBudget;
}

Explanation Scheduler::Explain(CallId call) const {
  const Impl& s = *impl_;
  const CallHot& h = s.hot[call];
  Explanation x;
  x.call = call;
  x.state = h.state;
  x.reached = s.reached(call);
  x.attempt = h.attempt;
  const ToolRow& tool = s.tools[h.tool];
  const std::string name = "call " + std::to_string(call) + " (" + tool.name + ")";
  auto attempt_text = [&](AttemptId a) {
    const AttemptRow& row = s.rows[a];
    return "attempt " + std::to_string(a) + ((row.flags & kEarlyAttempt) != 0 ? ", dispatched early," : "");
  };
  switch (h.state) {
    case CallState::kDispatched:
      x.text = name + " waits for " + attempt_text(h.attempt) + " which runs since " +
               std::to_string(s.rows[h.attempt].start) +
               " ns; a completion that comes while the program computes is booked at its next call";
      return x;
    case CallState::kSettled:
      x.text = name + " has its " + ((h.flags & kFailedFlag) != 0 ? "failure" : "value") + " from " +
               attempt_text(h.attempt) + " and waits for " +
               (x.reached ? "the program to take it" : "control to arrive");
      return x;
    case CallState::kConsumed:
    case CallState::kDiscarded:
    case CallState::kCancelled:
    case CallState::kSkipped:
      x.text = name + " is over: " + std::string(Name(h.state));
      if (h.attempt != 0) {
        x.text +=
            "; attempt " + std::to_string(h.attempt) + " is booked as " + std::string(Name(s.rows[h.attempt].book()));
      }
      return x;
    default:
      break;
  }

  // Every shut gate, not only the first.
  if ((h.flags & kArgsFlag) == 0 && h.pending == 0) {
    x.shut.push_back({Gate::kArguments, 0, "its arguments are not known yet"});
  }
  if (h.pending != 0) {
    for (size_t edge = s.FirstEdge(call); edge < s.edges.size() && s.edges[edge].to == call; ++edge) {
      uint32_t next = s.edges[edge].next;
      while ((next & kSourceBit) == 0) next = s.edges[next - 1].next;
      const CallId input = next & ~kSourceBit;
      const CallHot& d = s.hot[input];
      const bool has_value =
          (d.state == CallState::kSettled || d.state == CallState::kConsumed) && (d.flags & kFailedFlag) == 0;
      if (has_value) continue;
      x.shut.push_back({Gate::kArguments, input, "waiting for call " + std::to_string(input)});
    }
  }
  if (!s.ControlOpen(h)) {
    if ((h.flags & kEarlyFlag) == 0) {
      x.shut.push_back({Gate::kControl, h.scope, "control has not arrived"});
    } else {
      ScopeId shut = h.scope;
      while (shut != 1 && s.scopes[shut].state == ScopeState::kActive) shut = s.scopes[shut].parent;
      x.shut.push_back({Gate::kControl, shut, s.ScopeText(shut) + " not reached"});
    }
  }
  CallId by_call = 0;
  AttemptId by_attempt = 0;
  if (!s.ContractOpen(call, &by_call, &by_attempt)) {
    ShutGate gate{Gate::kContract, 0, {}};
    if (by_attempt != 0) {
      gate.id = by_attempt;
      gate.text = "effects run one after another: attempt " + std::to_string(by_attempt) +
                  ((s.rows[by_attempt].flags & kOrphanAttempt) != 0 ? ", an orphan, has the turn" : " has the turn");
    } else if (by_call != 0 && x.reached) {
      gate.id = by_call;
      gate.text = "effects run one after another: call " + std::to_string(by_call) + " comes first";
    } else if (by_call != 0) {
      gate.id = by_call;
      gate.text =
          "write of call " + std::to_string(by_call) + " is pending on root " + s.roots[tool.contract.root].name;
    } else if ((h.flags & kNeedsReachFlag) != 0) {
      gate.text = "its early attempt failed: it starts anew when reached";
    } else if (tool.effect()) {
      gate.text = "effect " + std::string(Name(tool.contract.effect)) + ": starts when reached";
    } else if ((h.flags & kRefusedFlag) != 0) {
      const std::string why = s.EarlyRefusal(h);
      gate.text = (why.empty() ? "its arguments are not plain data" : why) + ": starts when reached";
    } else if ((h.flags & kEarlyFlag) == 0) {
      gate.text = "not announced as early: starts when reached";
    } else {
      gate.text = "a write is running on root " + s.roots[tool.contract.root].name;
    }
    x.shut.push_back(std::move(gate));
  }
  if (h.state == CallState::kReady) {
    x.shut.push_back({Gate::kBudget, tool.contract.klass, s.BudgetText(call)});
  }
  x.text = name + " waits: ";
  for (size_t i = 0; i < x.shut.size(); ++i) {
    if (i != 0) x.text += "; ";
    x.text += x.shut[i].text;
  }
  if (x.shut.empty()) x.text += "nothing is shut";
  return x;
}

}  // namespace pysolate
