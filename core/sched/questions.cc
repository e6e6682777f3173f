// What can be asked of the scheduler: states, frontier, ledger, budgets, figures.
#include <algorithm>

#include "sched/state.h"

namespace pysolate {

using namespace sched;  // NOLINT

std::span<const Command> Scheduler::commands() const { return impl_->commands; }
void Scheduler::ClearCommands() { impl_->commands.clear(); }
TimeNs Scheduler::now() const { return impl_->now; }
bool Scheduler::ended() const { return impl_->ended; }
uint64_t Scheduler::seq() const { return impl_->seq; }
uint32_t Scheduler::call_count() const { return impl_->calls(); }
uint32_t Scheduler::attempt_count() const { return impl_->attempts(); }
CallState Scheduler::state_of(CallId call) const { return impl_->hot[call].state; }
AttemptId Scheduler::attempt_of(CallId call) const { return impl_->hot[call].attempt; }
bool Scheduler::failed(CallId call) const { return (impl_->hot[call].flags & kFailedFlag) != 0; }
std::string_view Scheduler::tool_name(ToolId tool) const { return impl_->tools[tool].name; }
uint32_t Scheduler::root_version(RootId root) const { return impl_->roots[root].version; }
int64_t Scheduler::kept_bytes() const { return impl_->kept_bytes; }
LedgerTotals Scheduler::Totals() const { return impl_->totals; }

TimeNs Scheduler::next_deadline() const {
  impl_->DropStaleDeadlines();
  return impl_->deadlines.empty() ? -1 : impl_->deadlines.front().due;
}

CallView Scheduler::View(CallId call) const {
  const Impl& s = *impl_;
  const CallHot& h = s.hot[call];
  CallView v;
  v.call = call;
  v.tool = h.tool;
  v.site = s.cold[call].site;
  v.scope = h.scope;
  v.key = s.cold[call].key;
  v.attempt = h.attempt;
  v.parent = s.parent_of(call);
  v.state = h.state;
  v.early = (h.flags & kEarlyFlag) != 0;
  v.guess = (h.flags & kGuessFlag) != 0;
  v.reached = s.reached(call);
  v.promoted = v.early && v.reached;
  v.refused = (h.flags & kRefusedFlag) != 0;
  v.failed = (h.flags & kFailedFlag) != 0;
  return v;
}

std::vector<FrontierRow> Scheduler::Frontier() const {
  const Impl& s = *impl_;
  std::vector<FrontierRow> result;
  for (int side = 1; side >= 0; --side) {
    std::vector<FrontierItem> items;
    for (const Lane& lane : s.lanes) {
      for (const FrontierItem& i : lane.heap[side]) {
        if (s.hot[i.call].state == CallState::kReady && s.reached(i.call) == (side == 1)) items.push_back(i);
      }
    }
    std::sort(items.begin(), items.end(), [&](const auto& a, const auto& b) { return s.Less(a, b); });
    std::vector<bool> seen(s.policy == Policy::kCriticalPath ? s.hot.size() : 0);
    for (const FrontierItem& i : items) {
      if (!seen.empty()) {  // a call whose rank grew has several items; the first is the one that counts
        if (seen[i.call]) continue;
        seen[i.call] = true;
      }
      const Lane& lane = s.lanes[s.tools[s.hot[i.call].tool].lane];
      result.push_back({i.call, side == 1, lane.klass, lane.cost});
    }
  }
  return result;
}

std::vector<CallId> Scheduler::WaitingAt(Gate gate) const {
  const Impl& s = *impl_;
  std::vector<CallId> result;
  for (CallId c = 1; c <= s.calls(); ++c) {
    if (s.hot[c].state <= CallState::kReady && s.FirstShut(c) == gate) result.push_back(c);
  }
  return result;
}

LedgerRow Scheduler::Row(AttemptId attempt) const {
  const Impl& s = *impl_;
  const AttemptRow& row = s.rows[attempt];
  LedgerRow r;
  r.attempt = attempt;
  r.call = row.call;
  r.tool = s.hot[row.call].tool;
  r.site = s.cold[row.call].site;
  r.parent = s.parent_of(row.call);
  r.state = row.state();
  r.book = row.book();
  r.reason = s.reasons[attempt];
  r.early = (row.flags & kEarlyAttempt) != 0;
  r.orphan = (row.flags & kOrphanAttempt) != 0;
  r.cancel_requested = (row.flags & kCancelRequested) != 0;
  r.cost = row.cost;
  r.start = row.start;
  r.end = row.state() == AttemptState::kRunning ? -1 : row.end;
  return r;
}

BudgetView Scheduler::TotalBudget() const { return {impl_->total_limit, impl_->total_held, impl_->total_unreached, 1}; }

BudgetView Scheduler::EarlyBudget() const {
  return {impl_->early_limit, impl_->total_unreached, impl_->total_unreached, 0};
}

BudgetView Scheduler::ClassBudget(ClassId klass) const {
  const ClassRow& k = impl_->classes[klass];
  return {k.limit, k.held, k.unreached, std::min(k.max_cost, k.limit)};
}

RunStats Scheduler::Stats() const {
  const Impl& s = *impl_;
  RunStats r;
  r.makespan = s.end_time >= 0 ? s.end_time : s.now;
  r.calls = s.calls();
  r.attempts = s.attempts();
  // Inputs have smaller ids than what depends on them, so ids are a topological order; the edges of a call lie side by
  // side. A call's sources hang at the end of the chains, so they are collected by walking the chains once.
  std::vector<CallId> sources(s.edges.size());
  for (size_t i = 0; i < s.edges.size(); ++i) {
    if ((s.edges[i].next & kSourceBit) != 0) sources[i] = s.edges[i].next & ~kSourceBit;
  }
  for (size_t i = 0; i < s.edges.size(); ++i) {
    // An edge's older neighbour in the chain comes before it, so its source is known.
    if ((s.edges[i].next & kSourceBit) == 0) sources[i] = sources[s.edges[i].next - 1];
  }
  std::vector<TimeNs> finish(s.hot.size());
  size_t edge = 0;
  for (CallId c = 1; c <= s.calls(); ++c) {
    const CallHot& h = s.hot[c];
    TimeNs start = 0;
    for (; edge < s.edges.size() && s.edges[edge].to == c; ++edge) start = std::max(start, finish[sources[edge]]);
    TimeNs took = 0;
    if (h.state == CallState::kConsumed && h.attempt != 0) {
      const AttemptRow& row = s.rows[h.attempt];
      took = (row.state() == AttemptState::kRunning ? s.now : row.end) - row.start;
      r.sequential_sum += took;
    }
    finish[c] = start + took;
    r.critical_path = std::max(r.critical_path, finish[c]);

    const bool early = (h.flags & kEarlyFlag) != 0;
    const bool is_reached = (h.flags & kReachedFlag) != 0;
    r.reached += is_reached;
    r.early += early;
    r.promoted += early && is_reached;
    r.refused += (h.flags & kRefusedFlag) != 0;
    r.wasted += early && !is_reached && IsTerminal(h.state) && h.attempt != 0;
    r.waiting += h.state == CallState::kWaiting;
    r.ready += h.state == CallState::kReady;
    r.dispatched += h.state == CallState::kDispatched;
    r.settled += h.state == CallState::kSettled;
    r.terminal += IsTerminal(h.state);
    if (h.state <= CallState::kReady) ++r.waiting_by_gate[static_cast<int>(s.FirstShut(c))];
  }
  r.overlap_won = std::max<TimeNs>(0, r.sequential_sum - r.makespan);
  r.overlap_left = std::max<TimeNs>(0, r.makespan - r.critical_path);
  return r;
}

std::vector<SiteStats> Scheduler::Sites() const {
  const Impl& s = *impl_;
  std::vector<SiteStats> result(s.sites.size());
  for (SiteId i = 0; i < result.size(); ++i) result[i].site = i;
  for (CallId c = 1; c <= s.calls(); ++c) {
    const CallHot& h = s.hot[c];
    SiteStats& site = result[s.cold[c].site];
    const bool early = (h.flags & kEarlyFlag) != 0;
    const bool is_reached = (h.flags & kReachedFlag) != 0;
    ++site.calls;
    site.reached += is_reached;
    site.early += early;
    site.promoted += early && is_reached;
    site.refused += (h.flags & kRefusedFlag) != 0;
    site.wasted += early && !is_reached && IsTerminal(h.state) && h.attempt != 0;
  }
  if (result[0].calls == 0) result.erase(result.begin());
  return result;
}

size_t Scheduler::table_bytes() const {
  const Impl& s = *impl_;
  return s.hot.bytes() + s.cold.bytes() + s.rows.bytes() + s.reasons.bytes() + s.edges.bytes();
}

void Scheduler::Reserve(size_t calls, size_t edges) {
  Impl& s = *impl_;
  s.hot.reserve(calls + 1);
  s.cold.reserve(calls + 1);
  s.rows.reserve(calls + 1);
  s.reasons.reserve(calls + 1);
  s.edges.reserve(edges);
}

}  // namespace pysolate
