// The first three gates of an undispatched call: arguments, control, contract.
#include <vector>

#include "sched/state.h"

namespace pysolate {

using namespace sched;  // NOLINT

bool Scheduler::Impl::ControlOpen(const CallHot& h) const {
  if ((h.flags & kReachedFlag) != 0) return true;
  if ((h.flags & kEarlyFlag) == 0) return false;
  const ScopeRow& scope = scopes[h.scope];
  if (scope.active) return true;
  return speculate && (h.flags & kGuessFlag) != 0 && !scope.ended();
}

bool Scheduler::Impl::ContractOpen(CallId c, CallId* call, AttemptId* attempt) const {
  const CallHot& h = hot[c];
  const ToolRow& tool = tools[h.tool];
  if ((h.flags & kReachedFlag) != 0) {
    if (!tool.effect() || (h.flags & kChildFlag) != 0) return true;
    // Its turn: no effect runs, and it is the first of those that control reached.
    if (effect_running != 0) {
      if (attempt != nullptr) *attempt = effect_running;
      return false;
    }
    if (effect_queue.empty() || effect_queue.front() == c) return true;
    if (call != nullptr) *call = effect_queue.front();
    return false;
  }
  if ((h.flags & (kRefusedFlag | kNeedsReachFlag)) != 0 || (h.flags & kEarlyFlag) == 0) return false;
  if (tool.contract.root == 0) return true;
  const RootRow& root = roots[tool.contract.root];
  if (root.running_writes != 0) return false;
  const CallId write = PendingWriteBefore(tool.contract.root, c);
  if (write == 0) return true;
  if (call != nullptr) *call = write;
  return false;
}

void Scheduler::Impl::Reevaluate(CallId c) {
  const CallHot& h = hot[c];
  if (h.state != CallState::kWaiting || !ArgumentsOpen(h) || !ControlOpen(h)) return;
  if (!ContractOpen(c)) {
    if ((h.flags & (kReachedFlag | kRefusedFlag | kNeedsReachFlag)) == 0) ParkBehindWrite(c);
    return;
  }
  MakeReady(c);
}

void Scheduler::Impl::MakeReady(CallId c) {
  CallHot& h = hot[c];
  FollowVersion(c);
  EmitCall(EventKind::kReady, c);
  if (TryJoin(c)) return;
  h.state = CallState::kReady;
  ++ready[reached(c) ? 1 : 0];
  if ((h.flags & kChildFlag) != 0) {
    Dispatch(c);  // under its parent's slot
  } else {
    Push(c);
  }
}

void Scheduler::Impl::QueueEffect(CallId c, bool front) {
  if (front) {
    effect_queue.push_front(c);
  } else {
    effect_queue.push_back(c);
  }
}

void Scheduler::Impl::AdvanceEffects() {
  if (effect_running != 0) return;
  while (!effect_queue.empty() && hot[effect_queue.front()].state > CallState::kReady) effect_queue.pop_front();
  if (!effect_queue.empty()) Reevaluate(effect_queue.front());
}

CallId Scheduler::Impl::PendingWriteBefore(RootId root, CallId read) const {
  // Writes arrive mostly in order, so the last one before the read is found from the back.
  const std::vector<CallId>& writes = roots[root].writes;
  CallId last = 0;
  for (size_t i = writes.size(); i-- > 0;) {
    if (Before(writes[i], read) && (last == 0 || Before(last, writes[i]))) last = writes[i];
  }
  return last;
}

void Scheduler::Impl::ParkBehindWrite(CallId read) {
  const RootId id = tools[hot[read].tool].contract.root;
  RootRow& root = roots[id];
  if (root.running_writes != 0) {
    root.behind_running.push_back(read);
  } else if (const CallId write = PendingWriteBefore(id, read); write != 0) {
    behind_write[write].push_back(read);
  }
}

void Scheduler::Impl::WriteGone(RootId root, CallId write) {
  std::erase(roots[root].writes, write);
  auto it = behind_write.find(write);
  if (it == behind_write.end()) return;
  look_again.insert(look_again.end(), it->second.begin(), it->second.end());
  behind_write.erase(it);
}

}  // namespace pysolate
