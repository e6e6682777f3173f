// The tree of scopes: activation, death, closing.
#include "sched/state.h"

namespace pysolate {

using namespace sched;  // NOLINT

// Opens the control gate of `top`, if all above it are active, and of what is active below it.
void Scheduler::Impl::Activate(ScopeId top) {
  scopes[top].state = ScopeState::kActive;
  if (top != 1 && !scopes[scopes[top].parent].active) return;
  ScopeId s = top;
  while (true) {
    ScopeRow& scope = scopes[s];
    const bool opened = !scope.active && scope.state == ScopeState::kActive;
    if (opened) {
      scope.active = true;
      for (CallId c = scope.calls_head; c != 0; c = cold[c].scope_next) {
        if (hot[c].scope == s) Reevaluate(c);
      }
      for (CallId c : scope.moved) {
        if (hot[c].scope == s) Reevaluate(c);
      }
    }
    if (opened && scope.first_child != 0) {
      s = scope.first_child;
      continue;
    }
    while (s != top && scopes[s].next_sibling == 0) s = scopes[s].parent;
    if (s == top) return;
    s = scopes[s].next_sibling;
  }
}

void Scheduler::Impl::EndScope(ScopeId top, ScopeState state, Reason reason, std::string_view why) {
  ScopeId s = top;
  while (true) {
    const bool ends = !scopes[s].ended();
    if (ends) {
      scopes[s].state = state;
      scopes[s].active = false;
      EndCallsOf(s, reason, why);
    }
    if (ends && scopes[s].first_child != 0) {
      s = scopes[s].first_child;
      continue;
    }
    while (s != top && scopes[s].next_sibling == 0) s = scopes[s].parent;
    if (s == top) return;
    s = scopes[s].next_sibling;
  }
}

void Scheduler::Impl::EndCallsOf(ScopeId s, Reason reason, std::string_view why) {
  for (CallId c = scopes[s].calls_head; c != 0; c = cold[c].scope_next) {
    if (hot[c].scope == s && !IsTerminal(hot[c].state)) GiveUp(c, reason, why);
  }
  for (CallId c : scopes[s].moved) {
    if (hot[c].scope == s && !IsTerminal(hot[c].state)) GiveUp(c, reason, why);
  }
}

}  // namespace pysolate
