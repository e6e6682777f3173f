#include "model/selection.h"

#include <algorithm>

namespace pysolate::viz {
namespace {

bool ArrivedAt(const TraceStore& store, CallId id, EventNo cursor) {
  const EventNo arrive = store.call(id).arrive;
  return arrive != 0 && arrive <= cursor;
}

// Breadth first from `start` along `next(id, visit)`; the first ring is the direct relatives.
template <class Next>
void Walk(const TraceStore& store, CallId start, uint32_t cap, uint32_t walk_cap, Next next, Relatives* direct,
          Relatives* all) {
  std::vector<bool> seen(store.calls() + 1, false);
  std::vector<CallId> queue;
  seen[start] = true;
  const auto push = [&](CallId id) {
    if (seen[id]) return true;
    seen[id] = true;
    queue.push_back(id);
    return true;
  };
  next(start, push);
  direct->total = static_cast<uint32_t>(queue.size());
  direct->calls.assign(queue.begin(), queue.begin() + std::min<size_t>(cap, queue.size()));
  const size_t ring = queue.size();
  for (size_t i = 0; i < queue.size(); ++i) {
    if (i >= walk_cap) {
      all->total_is_floor = true;
      break;
    }
    next(queue[i], push);
  }
  all->total = static_cast<uint32_t>(queue.size() - ring);
  const size_t stop = std::min(queue.size(), ring + cap);
  all->calls.assign(queue.begin() + static_cast<ptrdiff_t>(ring), queue.begin() + static_cast<ptrdiff_t>(stop));
}

EventNo LastBefore(const Column<EventNo>& list, EventNo e) {
  const auto it = std::lower_bound(list.begin(), list.end(), e);
  return it == list.begin() ? 0 : *(it - 1);
}

// The call for which the program was blocked last before event e; 0 if it never was. Calls whose outcome was there
// when they were reached cost the program nothing and are passed over.
CallId BlockedBefore(const TraceStore& store, EventNo e) {
  const auto& consumed = store.of_kind(EventKind::kConsume);
  for (EventNo at = LastBefore(consumed, e); at != 0; at = LastBefore(consumed, at)) {
    const CallId id = store.call_of(at);
    if (id == 0) continue;
    const CallInfo& c = store.call(id);
    if (c.settle > c.reach) return id;
    if (c.reach != 0 && c.reach < at) at = c.reach;
  }
  return 0;
}

// The call whose attempt ended last before e: it freed the slot.
CallId FreedBefore(const TraceStore& store, EventNo e) {
  constexpr EventNo kLookBack = 4096;
  const EventNo stop = e > kLookBack ? e - kLookBack : 0;
  for (EventNo at = e - 1; at > stop; --at) {
    const AttemptId attempt = store.attempt_of(at);
    if (attempt != 0 && store.attempt(attempt).end == at) return store.attempt(attempt).call;
  }
  return 0;
}

}  // namespace

void Selection::Select(CallId call) {
  if (call == call_) return;
  history_.resize(at_ + 1);
  history_.push_back(call);
  if (history_.size() > kHistory) history_.erase(history_.begin());
  at_ = history_.size() - 1;
  call_ = call;
}

void Selection::Back() {
  if (CanGoBack()) call_ = history_[--at_];
}

void Selection::Forward() {
  if (CanGoForward()) call_ = history_[++at_];
}

Relation RelativesOf(const TraceStore& store, CallId call, EventNo cursor, uint32_t cap, uint32_t walk_cap) {
  Relation r;
  if (call == 0 || call > store.calls()) return r;
  Walk(
      store, call, cap, walk_cap,
      [&](CallId id, const auto& push) {
        for (const CallId dep : store.deps(id)) {
          if (ArrivedAt(store, dep, cursor)) push(dep);
        }
      },
      &r.direct_deps, &r.all_deps);
  Walk(
      store, call, cap, walk_cap,
      [&](CallId id, const auto& push) {
        store.ForEachDependent(
            id, [&](CallId dependent) { return ArrivedAt(store, dependent, cursor) ? push(dependent) : true; });
      },
      &r.direct_dependents, &r.all_dependents);
  return r;
}

CallId CauseOf(const TraceStore& store, CallId call) {
  if (call == 0 || call > store.calls()) return 0;
  const CallInfo& c = store.call(call);
  // A cause began before its effect, so that walking causes ends, whatever a trace says.
  const EventNo start = c.dispatch != 0 ? c.dispatch : c.last;
  const auto earlier = [&](CallId cause) {
    if (cause == 0 || cause == call) return CallId{0};
    const CallInfo& other = store.call(cause);
    const EventNo other_start = other.dispatch != 0 ? other.dispatch : other.arrive;
    return other_start < start ? cause : CallId{0};
  };
  // It was ready and had to wait for budget?
  if (c.dispatch != 0 && c.ready != 0 && store.time(c.dispatch) > store.time(c.ready)) {
    if (const CallId cause = earlier(FreedBefore(store, c.dispatch)); cause != 0) return cause;
  }
  CallId dep = 0;
  EventNo settled = 0;
  for (const CallId id : store.deps(call)) {
    if (store.call(id).settle > settled) {
      settled = store.call(id).settle;
      dep = id;
    }
  }
  // Only when reached, and reached after its inputs were there: the program came too late because of another call.
  const bool only_when_reached = !c.early || store.tool(c.tool).effect > Effect::kImmutableRead;
  if (only_when_reached && c.reach > settled) {
    if (const CallId cause = earlier(BlockedBefore(store, c.reach)); cause != 0) return cause;
  }
  return earlier(dep);
}

CallId EffectOf(const TraceStore& store, CallId call) {
  if (call == 0 || call > store.calls()) return 0;
  CallId best = 0;
  EventNo first = IntervalIndex::kOpen;
  store.ForEachDependent(call, [&](CallId id) {
    const EventNo at = store.call(id).dispatch;
    if (at != 0 && at < first) {
      first = at;
      best = id;
    }
    return true;
  });
  if (best != 0) return best;
  // No dependent started: the next call that names this one as its cause, among those dispatched soon after its end.
  const EventNo end = store.call(call).settle != 0 ? store.call(call).settle : store.call(call).end;
  if (end == 0) return 0;
  const auto& dispatched = store.of_kind(EventKind::kDispatch);
  auto it = std::upper_bound(dispatched.begin(), dispatched.end(), end);
  for (int i = 0; i < 64 && it != dispatched.end(); ++i, ++it) {
    const CallId other = store.call_of(*it);
    if (other != 0 && CauseOf(store, other) == call) return other;
  }
  return 0;
}

std::vector<CallId> CriticalPath(const TraceStore& store, EventNo cursor) {
  std::vector<CallId> path;
  if (store.events() == 0) return path;
  CallId at = BlockedBefore(store, cursor + 1);
  if (at == 0) {
    // Nothing was taken yet: what settled last, else what runs longest.
    const EventNo settled = LastBefore(store.of_kind(EventKind::kSettle), cursor + 1);
    if (settled != 0) at = store.call_of(settled);
  }
  EventNo bound = cursor + 1;
  while (at != 0) {
    const CallInfo& c = store.call(at);
    const EventNo start = c.dispatch != 0 ? c.dispatch : c.arrive;
    if (start >= bound) break;
    bound = start;
    path.push_back(at);
    at = CauseOf(store, at);
  }
  std::reverse(path.begin(), path.end());
  return path;
}

}  // namespace pysolate::viz
