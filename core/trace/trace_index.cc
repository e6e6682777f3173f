#include "pysolate/trace_index.h"

#include <algorithm>

#include "trace/trace_index_impl.h"

namespace pysolate {

TraceIndex::TraceIndex() : impl_(std::make_unique<Impl>()) {}
TraceIndex::~TraceIndex() = default;

void TraceIndex::OnEvent(const Event& event) { impl_->Apply(event); }
void TraceIndex::Finish() { impl_->Finish(); }

std::string_view TraceIndex::Impl::Keep(std::string_view text) {
  if (text.empty()) return {};
  return names.emplace_back(text);
}

TraceIndex::Impl::Text TraceIndex::Impl::KeepPreview(std::string_view text) {
  const Text kept{previews.size(), static_cast<uint32_t>(text.size())};
  previews += text;
  return kept;
}

uint64_t TraceIndex::events() const { return impl_->events; }
TimeNs TraceIndex::last_time() const { return impl_->last_t; }
const RunFacts& TraceIndex::run() const { return impl_->run; }

uint32_t TraceIndex::call_count() const { return static_cast<uint32_t>(impl_->calls.size()); }
uint32_t TraceIndex::attempt_count() const { return static_cast<uint32_t>(impl_->attempts.size()); }
uint32_t TraceIndex::tool_count() const { return static_cast<uint32_t>(impl_->tools.size()); }
uint32_t TraceIndex::site_count() const { return static_cast<uint32_t>(impl_->sites.size()); }
uint32_t TraceIndex::class_count() const { return static_cast<uint32_t>(impl_->classes.size()); }
uint32_t TraceIndex::root_count() const { return static_cast<uint32_t>(impl_->roots.size()); }
uint32_t TraceIndex::scope_count() const { return static_cast<uint32_t>(impl_->scopes.size()); }
const CallFacts& TraceIndex::call(CallId id) const { return impl_->calls[id - 1]; }
const AttemptFacts& TraceIndex::attempt(AttemptId id) const { return impl_->attempts[id - 1]; }
const ToolFacts& TraceIndex::tool(ToolId id) const { return impl_->tools[id - 1]; }
const SiteFacts& TraceIndex::site(SiteId id) const { return impl_->sites[id - 1]; }
std::string_view TraceIndex::class_name(ClassId id) const { return impl_->classes[id - 1].name; }
std::string_view TraceIndex::root_name(RootId id) const { return impl_->roots[id - 1].name; }
std::span<const CallId> TraceIndex::deps(CallId id) const { return impl_->DepsOf(id); }
std::string_view TraceIndex::args(CallId id) const { return impl_->Preview(impl_->args[id - 1]); }
std::string_view TraceIndex::value(AttemptId id) const { return impl_->Preview(impl_->values[id - 1]); }
std::string_view TraceIndex::error_type(AttemptId id) const { return impl_->Preview(impl_->errors[id - 1]); }

LedgerTotals TraceIndex::totals() const { return impl_->totals; }
const std::vector<Problem>& TraceIndex::problems() const { return impl_->problems; }
uint64_t TraceIndex::problem_count() const { return impl_->problem_count; }

namespace {

bool Wasted(const AttemptFacts& a) { return a.early && a.book != Book::kConsumed && a.book != Book::kRunning; }

}  // namespace

TraceStats TraceIndex::Stats() const {
  const Impl& s = *impl_;
  TraceStats r;
  r.makespan = s.end_t >= 0 ? s.end_t : s.last_t;
  r.calls = call_count();
  r.attempts = attempt_count();
  r.peak_in_flight = s.peak_in_flight;

  double in_flight = 0;
  for (const AttemptFacts& a : s.attempts) {
    const TimeNs end = a.state == AttemptState::kRunning ? r.makespan : std::min(a.end.t, r.makespan);
    if (end > a.dispatch.t) in_flight += static_cast<double>(end - a.dispatch.t);
    if (Wasted(a)) ++r.wasted;
  }
  if (r.makespan > 0) r.mean_in_flight = in_flight / static_cast<double>(r.makespan);

  // An attempt counts once, for the first call that took its outcome; a chain runs through calls, in the order of ids
  // (dependencies point back).
  std::vector<char> counted(s.attempts.size());
  std::vector<TimeNs> chain(s.calls.size());
  for (size_t i = 0; i < s.calls.size(); ++i) {
    const CallFacts& c = s.calls[i];
    ++r.by_state[static_cast<int>(c.state)];
    if (c.reach) ++r.reached;
    if (c.early) ++r.early;
    if (c.promoted) ++r.promoted;
    if (c.refused) ++r.refused;
    if (c.suppressed) ++r.suppressed;
    for (const CallId d : s.DepsOf(static_cast<CallId>(i + 1))) chain[i] = std::max(chain[i], chain[d - 1]);
    if (c.state != CallState::kConsumed || c.attempt == 0) continue;
    const AttemptFacts& a = s.attempts[c.attempt - 1];
    const TimeNs end = c.timed_out ? c.settle.t : a.end.t;
    const TimeNs took = std::max<TimeNs>(0, end - a.dispatch.t);
    chain[i] += took;
    r.critical_path = std::max(r.critical_path, chain[i]);
    if (counted[c.attempt - 1]) continue;
    counted[c.attempt - 1] = 1;
    r.sequential_sum += took;
  }
  r.overlap_won = std::max<TimeNs>(0, r.sequential_sum - r.makespan);
  r.overlap_left = std::max<TimeNs>(0, r.makespan - r.critical_path);
  return r;
}

std::vector<SiteCounts> TraceIndex::Sites() const {
  const Impl& s = *impl_;
  std::vector<SiteCounts> all(s.sites.size() + 1);
  for (const CallFacts& c : s.calls) {
    SiteCounts& site = all[c.site];
    ++site.calls;
    if (c.reach) ++site.reached;
    if (c.early) ++site.early;
    if (c.promoted) ++site.promoted;
    if (c.refused) ++site.refused;
  }
  for (const AttemptFacts& a : s.attempts) {
    SiteCounts& site = all[s.calls[a.call - 1].site];
    ++site.attempts;
    if (Wasted(a)) ++site.wasted;
    const TimeNs end = a.state == AttemptState::kRunning ? s.last_t : a.end.t;
    site.busy += end - a.dispatch.t;
  }
  std::vector<SiteCounts> used;
  for (size_t i = 0; i < all.size(); ++i) {
    all[i].site = static_cast<SiteId>(i);
    if (all[i].calls != 0) used.push_back(all[i]);
  }
  return used;
}

namespace {

template <typename E, size_t N>
std::string_view Word(const std::string_view (&words)[N], E v) {
  const auto i = static_cast<size_t>(v);
  return i < N ? words[i] : std::string_view("unknown");
}

}  // namespace

std::string_view StateWord(CallState v) {
  static constexpr std::string_view kWords[] = {"waiting",  "ready",     "dispatched", "settled",
                                                "consumed", "discarded", "cancelled",  "skipped"};
  return Word(kWords, v);
}
std::string_view StateWord(AttemptState v) {
  static constexpr std::string_view kWords[] = {"running", "succeeded", "failed", "cancelled", "lost"};
  return Word(kWords, v);
}
std::string_view StateWord(Book v) {
  static constexpr std::string_view kWords[] = {"running", "consumed", "discarded", "retried",
                                                "late",    "lost",     "cancelled"};
  return Word(kWords, v);
}

}  // namespace pysolate
