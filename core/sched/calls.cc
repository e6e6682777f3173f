// The life of a call: arrival, arguments, control, outcome, end.
#include <cstring>
#include <string>
#include <utility>

#include "sched/state.h"

namespace pysolate {

using namespace sched;  // NOLINT: the rows' own file

CallId Scheduler::Impl::AddCall(const ArriveInput& in, EventKind) {
  const auto c = static_cast<CallId>(hot.size());
  CallHot h;
  h.tool = in.tool;
  h.scope = in.scope;
  h.flags = static_cast<uint16_t>((in.early ? kEarlyFlag : 0) | (in.guess ? kGuessFlag : 0) |
                                  (in.parent != 0 ? kChildFlag : 0));
  if (!in.order.empty()) {
    const auto size = static_cast<uint32_t>(in.order.size());
    h.order = static_cast<uint32_t>(orders.size()) + 1;
    orders.resize(orders.size() + 4 + size);
    std::memcpy(orders.data() + h.order - 1, &size, 4);
    std::memcpy(orders.data() + h.order + 3, in.order.data(), size);
  }
  if (in.parent != 0) {
    parents[c] = in.parent;
    children[in.parent].push_back(c);
    rows[in.parent].flags |= kHasChildren;
  }

  CallId failed_input = 0;
  for (CallId d : in.deps) {
    CallHot& input = hot[d];
    Edge edge{c, d | kSourceBit};
    const bool has_value =
        (input.state == CallState::kSettled || input.state == CallState::kConsumed) && (input.flags & kFailedFlag) == 0;
    if (!has_value) {
      ++h.pending;
      if (IsTerminal(input.state) || (input.flags & kFailedFlag) != 0) {
        if (failed_input == 0) failed_input = d;
      } else {
        if (input.dependants != 0) edge.next = input.dependants;
        input.dependants = static_cast<uint32_t>(edges.size()) + 1;
      }
    }
    edges.push_back(edge);
    if (policy == Policy::kCriticalPath) edge_sources.push_back(d);
  }
  hot.push_back(h);
  CallCold w;
  w.site = in.site;
  cold.push_back(w);
  ScopeRow& scope = scopes[in.scope];
  if (scope.calls_tail == 0) {
    scope.calls_head = c;
  } else {
    cold[scope.calls_tail].scope_next = c;
  }
  scope.calls_tail = c;
  const ToolRow& tool = tools[in.tool];
  if (IsWrite(tool.contract.effect) && tool.contract.root != 0) roots[tool.contract.root].writes.push_back(c);

  Emit(EventKind::kArrive, [&](Event& e) {
    e.call = c;
    e.tool = in.tool;
    e.site = in.site;
    e.scope = in.scope;
    e.early = in.early;
    e.guess = in.guess;
    e.deps = in.deps;
    e.order = in.order;
    e.parent = in.parent;
  });
  if (policy == Policy::kCriticalPath) {
    ranks.push_back(0);
    RaiseRanks(c);
  }
  if (in.early) {
    if (scopes[in.scope].ended()) {
      RefuseEarly(c, "its scope is over");
      EndCall(c, CallState::kDiscarded, Reason::kRefused, "refused");
      return c;
    }
    if (std::string why = EarlyRefusal(h); !why.empty()) RefuseEarly(c, why);
  }
  if (failed_input != 0) EndCall(c, CallState::kSkipped, Reason::kInputFailed, {}, failed_input);
  return c;
}

std::string Scheduler::Impl::EarlyRefusal(const CallHot& h) const {
  const Contract& contract = tools[h.tool].contract;
  if (mode == Mode::kSequential) return "sequential mode";
  if ((h.flags & kChildFlag) != 0) return "made inside an attempt";
  if (!IsRepeatable(contract.effect)) return "effect " + std::string(Name(contract.effect));
  if (!contract.early) return "opted out of early starts";
  return {};
}

void Scheduler::Impl::RefuseEarly(CallId c, std::string_view why) {
  hot[c].flags |= kRefusedFlag;
  Emit(EventKind::kRefuse, [&](Event& e) {
    e.call = c;
    e.why = why;
  });
}

void Scheduler::Impl::SetArgs(CallId c, ArgsKey key, std::string_view preview) {
  CallHot& h = hot[c];
  h.flags |= key != 0 ? kArgsFlag | kKeyFlag : kArgsFlag;
  cold[c].key = key;
  Emit(EventKind::kArgs, [&](Event& e) {
    e.call = c;
    e.key = key;
    e.text = preview;
  });
  if ((h.flags & (kEarlyFlag | kReachedFlag | kRefusedFlag)) == kEarlyFlag && key == 0) {
    RefuseEarly(c, "its arguments are not plain data");
  }
  if (h.pending == 0) List(c);
  Reevaluate(c);
}

void Scheduler::Impl::MoveTo(CallId c, const ReachInput& place) {
  CallHot& h = hot[c];
  cold[c].site = place.site;
  if (h.scope != place.scope) {
    h.scope = place.scope;
    h.flags |= kMovedFlag;
    scopes[place.scope].moved.push_back(c);
  }
  if (OrderOf(c) != place.order) {
    if (auto parked = behind_write.find(c); parked != behind_write.end()) {
      // Who was past it at its old place may be before it now.
      look_again.insert(look_again.end(), parked->second.begin(), parked->second.end());
      behind_write.erase(parked);
    }
    const auto size = static_cast<uint32_t>(place.order.size());
    h.order = size == 0 ? 0 : static_cast<uint32_t>(orders.size()) + 1;
    if (size != 0) {
      orders.resize(orders.size() + 4 + size);
      std::memcpy(orders.data() + h.order - 1, &size, 4);
      std::memcpy(orders.data() + h.order + 3, place.order.data(), size);
    }
  }
}

void Scheduler::Impl::Reached(CallId c, bool moved) {
  CallHot& h = hot[c];
  Emit(EventKind::kReach, [&](Event& e) {
    e.call = c;
    if (moved) {
      e.site = cold[c].site;
      e.scope = h.scope;
      e.order = OrderOf(c);
    }
  });
  h.flags |= kReachedFlag;
  if ((h.flags & kEarlyFlag) != 0) EmitCall(EventKind::kPromote, c);
  if ((h.flags & kNeedsReachFlag) != 0) {
    h.flags &= static_cast<uint16_t>(~kNeedsReachFlag);
    h.tries = 0;
  }
  bool stale = false;  // what it is bound to saw an older version of its root
  if ((h.flags & kListedFlag) != 0) {
    stale = entries[cold[c].entry].version != VersionFor(h.tool);
    Unlist(c);
  }
  switch (h.state) {
    case CallState::kWaiting:
      if (is_effect(c) && (h.flags & kChildFlag) == 0) QueueEffect(c, /*front=*/false);
      Reevaluate(c);
      break;
    case CallState::kReady:
      --ready[0];
      if (TryJoin(c)) break;
      ++ready[1];
      Push(c);
      break;
    case CallState::kDispatched:
    case CallState::kSettled: {
      const AttemptId a = h.attempt;
      if (stale) {
        Unbind(c, a);
        Restart(c, a, /*needs_reach=*/false);
        Unwant(a, /*was_reached=*/false, Reason::kNewVersion, "its root has a new version");
        break;
      }
      ++rows[a].wants_reached;
      SetSide(a, true);
      PlaceKept(a);
      break;
    }
    default:
      break;
  }
}

void Scheduler::Impl::Settle(CallId c, AttemptId a, bool ok) {
  CallHot& h = hot[c];
  h.state = CallState::kSettled;
  if (!ok) h.flags |= kFailedFlag;
  Emit(EventKind::kSettle, [&](Event& e) {
    e.call = c;
    e.attempt = a;
    e.ok = ok;
  });
  commands.push_back({Command::Kind::kSettle, ok, a, c, 0});
  if (h.dependants == 0) return;
  if (!ok) {
    no_value.push_back(c);
    return;
  }
  // Told once: a call that starts anew later owes nothing to those who have read its value.
  for (uint32_t link = std::exchange(h.dependants, 0); (link & kSourceBit) == 0;) {
    const Edge edge = edges[link - 1];
    link = edge.next;
    CallHot& d = hot[edge.to];
    if (--d.pending != 0 || IsTerminal(d.state)) continue;
    if ((d.flags & kArgsFlag) == 0) continue;
    List(edge.to);
    look_again.push_back(edge.to);
  }
}

void Scheduler::Impl::Restart(CallId c, AttemptId a, bool needs_reach) {
  CallHot& h = hot[c];
  h.state = CallState::kWaiting;
  h.attempt = 0;
  h.flags &= static_cast<uint16_t>(~kFailedFlag);
  if (needs_reach) h.flags |= kNeedsReachFlag;
  Emit(EventKind::kRetry, [&](Event& e) {
    e.call = c;
    e.attempt = a;
  });
  look_again.push_back(c);
  if (!is_effect(c)) return;
  const Contract& contract = tools[h.tool].contract;
  if (IsWrite(contract.effect) && contract.root != 0) roots[contract.root].writes.push_back(c);
  if ((h.flags & kChildFlag) == 0) QueueEffect(c, /*front=*/true);
}

void Scheduler::Impl::Consumed(CallId c) {
  CallHot& h = hot[c];
  h.state = CallState::kConsumed;
  EmitCall(EventKind::kConsume, c);
  if ((h.flags & kFailedFlag) != 0) last_failure = c;
  if ((h.flags & kTimedOutFlag) != 0) return;
  const AttemptId a = h.attempt;
  if (rows[a].book() == Book::kRunning) BookAs(a, Book::kConsumed, Reason::kTaken);
  Unwant(a, /*was_reached=*/true, Reason::kTaken, {});
}

void Scheduler::Impl::EndCall(CallId c, CallState to, Reason reason, std::string_view why, CallId by) {
  CallHot& h = hot[c];
  const CallState before = h.state;
  const bool had_value = before == CallState::kSettled && (h.flags & kFailedFlag) == 0;
  if (before == CallState::kSettled && (h.flags & kFailedFlag) != 0 && last_failure != 0) {
    Emit(EventKind::kSuppress, [&](Event& e) {
      e.call = c;
      e.by = last_failure;
    });
  }
  Unlist(c);
  if (before == CallState::kReady) --ready[reached(c) ? 1 : 0];
  h.state = to;
  if (to == CallState::kSkipped) {
    Emit(EventKind::kSkip, [&](Event& e) {
      e.call = c;
      e.by = by;
    });
    commands.push_back({Command::Kind::kSkip, false, 0, c, by});
  } else {
    Emit(to == CallState::kDiscarded ? EventKind::kDiscard : EventKind::kCallCancelled, [&](Event& e) {
      e.call = c;
      e.why = why;
    });
    commands.push_back({Command::Kind::kDrop, false, h.attempt, c, 0});
  }
  if (h.dependants != 0 && !had_value && (h.flags & kFailedFlag) == 0) no_value.push_back(c);
  if (before == CallState::kDispatched || (before == CallState::kSettled && (h.flags & kTimedOutFlag) == 0)) {
    Unwant(h.attempt, reached(c), reason, why);
  } else if (before < CallState::kDispatched) {
    const Contract& contract = tools[h.tool].contract;
    if (IsWrite(contract.effect) && contract.root != 0) WriteGone(contract.root, c);
  }
}

}  // namespace pysolate
