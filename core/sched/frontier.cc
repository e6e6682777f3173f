// The ready frontier and the budget: which ready call is dispatched next, and whether it may.
#include <algorithm>
#include <cstring>
#include <utility>

#include "sched/state.h"

namespace pysolate {

using namespace sched;  // NOLINT

namespace {

// Looks upwards from an arriving call so many calls at most: keeps an arrival O(1).
constexpr size_t kRankReach = 64;

uint32_t Held(uint32_t cost, uint32_t limit) { return std::min(cost, limit); }

}  // namespace

std::string_view Scheduler::Impl::OrderOf(CallId c) const {
  const uint32_t at = hot[c].order;
  if (at == 0) return {};
  uint32_t size;
  std::memcpy(&size, orders.data() + at - 1, 4);
  return {orders.data() + at + 3, size};
}

uint64_t Scheduler::Impl::Prefix(CallId c) const {
  if (policy == Policy::kCriticalPath) return ~static_cast<uint64_t>(ranks[c]);
  const std::string_view order = OrderOf(c);
  uint64_t prefix = 0;
  for (size_t i = 0; i < 8; ++i) {
    prefix = (prefix << 8) | (i < order.size() ? static_cast<unsigned char>(order[i]) : 0);
  }
  return prefix;
}

bool Scheduler::Impl::Before(CallId a, CallId b) const {
  if (hot[a].order != hot[b].order) {
    const int c = OrderOf(a).compare(OrderOf(b));
    if (c != 0) return c < 0;
  }
  return a < b;
}

bool Scheduler::Impl::Less(const FrontierItem& a, const FrontierItem& b) const {
  if (a.prefix != b.prefix) return a.prefix < b.prefix;
  return Before(a.call, b.call);
}

void Scheduler::Impl::Push(CallId c) {
  const int side = reached(c) ? 1 : 0;
  std::vector<FrontierItem>& heap = lanes[tools[hot[c].tool].lane].heap[side];
  if (heap.size() > 64 + 2 * size_t{ready[side]} && policy == Policy::kOrder) {
    // More than half of it is stale: calls that left the frontier otherwise, a dead scope's for example.
    std::erase_if(heap, [&](const FrontierItem& i) {
      return hot[i.call].state != CallState::kReady || reached(i.call) != (side == 1);
    });
    std::make_heap(heap.begin(), heap.end(), [this](const auto& a, const auto& b) { return Less(b, a); });
  }
  heap.push_back({Prefix(c), c});
  std::push_heap(heap.begin(), heap.end(), [this](const auto& a, const auto& b) { return Less(b, a); });
}

// Drops stale items. False if nothing is left.
bool Scheduler::Impl::CleanHead(Lane& lane, int side) {
  std::vector<FrontierItem>& heap = lane.heap[side];
  while (!heap.empty()) {
    const CallId c = heap.front().call;
    if (hot[c].state == CallState::kReady && reached(c) == (side == 1)) return true;
    std::pop_heap(heap.begin(), heap.end(), [this](const auto& a, const auto& b) { return Less(b, a); });
    heap.pop_back();
  }
  return false;
}

uint32_t Scheduler::Impl::LaneFor(ClassId klass, uint32_t cost) {
  for (uint32_t i = 0; i < lanes.size(); ++i) {
    if (lanes[i].klass == klass && lanes[i].cost == cost) return i;
  }
  lanes.push_back({});
  lanes.back().klass = klass;
  lanes.back().cost = cost;
  return static_cast<uint32_t>(lanes.size()) - 1;
}

bool Scheduler::Impl::ReachedFits(const Lane& lane) const {
  if (total_limit != kUnlimited && total_held >= total_limit) return false;
  if (lane.klass == 0) return true;
  const ClassRow& k = classes[lane.klass];
  if (k.limit == kUnlimited) return true;
  return k.limit != 0 && k.held + Held(lane.cost, k.limit) <= k.limit;
}

bool Scheduler::Impl::EarlyFits(const Lane& lane) const {
  if (!ReachedFits(lane)) return false;
  if (total_limit != kUnlimited && total_unreached + 2 > total_limit) return false;
  if (early_limit != kUnlimited && total_unreached >= early_limit) return false;
  if (untaken_bytes >= result_bytes) return false;
  if (lane.klass == 0) return true;
  const ClassRow& k = classes[lane.klass];
  if (k.limit == kUnlimited) return true;
  return k.unreached + Held(lane.cost, k.limit) + Held(k.max_cost, k.limit) <= k.limit;
}

void Scheduler::Impl::Pump() {
  while (ready[0] + ready[1] != 0) {
    Lane* best = nullptr;
    int side = 1;
    for (; side >= 0; --side) {
      if (ready[side] == 0) continue;
      for (Lane& lane : lanes) {
        if (lane.heap[side].empty() || !(side == 1 ? ReachedFits(lane) : EarlyFits(lane))) continue;
        if (!CleanHead(lane, side)) continue;
        if (best == nullptr || Less(lane.heap[side].front(), best->heap[side].front())) best = &lane;
      }
      if (best != nullptr) break;
    }
    if (best == nullptr) return;
    std::vector<FrontierItem>& heap = best->heap[side];
    const CallId c = heap.front().call;
    std::pop_heap(heap.begin(), heap.end(), [this](const auto& a, const auto& b) { return Less(b, a); });
    heap.pop_back();
    if (side == 0) {
      // What was true when it became ready may have changed under it.
      FollowVersion(c);
      if (!ContractOpen(c)) {
        --ready[0];
        hot[c].state = CallState::kWaiting;
        ParkBehindWrite(c);
        continue;
      }
    }
    --ready[side];
    hot[c].state = CallState::kWaiting;
    if (TryJoin(c)) {
      if (!look_again.empty()) return;  // a kept result woke dependants: they compete for the next slot
      continue;
    }
    hot[c].state = CallState::kReady;
    ++ready[side];
    Dispatch(c);
  }
}

void Scheduler::Impl::Finish() {
  if (kept_bytes > result_bytes) EvictOver();
  do {
    for (size_t i = 0; i < no_value.size(); ++i) {
      const CallId c = no_value[i];
      for (uint32_t link = std::exchange(hot[c].dependants, 0); link != 0 && (link & kSourceBit) == 0;) {
        const Edge edge = edges[link - 1];
        link = edge.next;
        if (!IsTerminal(hot[edge.to].state)) EndCall(edge.to, CallState::kSkipped, Reason::kInputFailed, {}, c);
      }
    }
    no_value.clear();
    if (!std::is_sorted(look_again.begin(), look_again.end())) {
      // Oldest first. Dependants come newest first, so turning the list round is mostly enough.
      std::reverse(look_again.begin(), look_again.end());
      if (!std::is_sorted(look_again.begin(), look_again.end())) std::sort(look_again.begin(), look_again.end());
    }
    for (size_t i = 0; i < look_again.size(); ++i) Reevaluate(look_again[i]);
    look_again.clear();
    if (!ended) {
      AdvanceEffects();
      Pump();
    }
  } while (!no_value.empty() || !look_again.empty());
}

size_t Scheduler::Impl::FirstEdge(CallId c) const {
  size_t from = 0, to = edges.size();
  while (from < to) {
    const size_t middle = (from + to) / 2;
    if (edges[middle].to < c) {
      from = middle + 1;
    } else {
      to = middle;
    }
  }
  return from;
}

void Scheduler::Impl::RaiseRanks(CallId c) {
  // Source of the idea: the critical path first (Hu 1961); here on a graph that is still arriving.
  std::vector<CallId> look{c};
  for (size_t i = 0; i < look.size() && look.size() <= kRankReach; ++i) {
    const CallId to = look[i];
    for (size_t edge = FirstEdge(to); edge < edges.size() && edges[edge].to == to; ++edge) {
      const CallId source = edge_sources[edge];
      if (hot[source].state > CallState::kReady || ranks[source] > ranks[to]) continue;
      ranks[source] = ranks[to] + 1;
      if (hot[source].state == CallState::kReady) Push(source);  // its older item goes stale with its dispatch
      look.push_back(source);
    }
  }
}

}  // namespace pysolate
