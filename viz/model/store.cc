#include "model/store.h"

#include <algorithm>

namespace pysolate::viz {
namespace {

constexpr EventNo kCheckpointEvery = 256;

uint32_t ReadLength(const Column<char>& arena, size_t* at) {
  uint32_t length = 0;
  for (int shift = 0;; shift += 7) {
    const auto byte = static_cast<uint8_t>(arena[(*at)++]);
    length |= static_cast<uint32_t>(byte & 0x7f) << shift;
    if ((byte & 0x80) == 0) return length;
  }
}

bool IsAboutAttempt(EventKind kind) {
  switch (kind) {
    case EventKind::kComplete:
    case EventKind::kFail:
    case EventKind::kStopped:
    case EventKind::kDispatch:
    case EventKind::kJoin:
    case EventKind::kSettle:
    case EventKind::kRetry:
    case EventKind::kCancelRequest:
    case EventKind::kCancelled:
    case EventKind::kOrphan:
    case EventKind::kLate:
    case EventKind::kLost:
    case EventKind::kEvict:
      return true;
    default:
      return false;
  }
}

}  // namespace

std::string_view Name(Anomaly anomaly) {
  switch (anomaly) {
    case Anomaly::kUnknownKind:
      return "event of an unknown kind";
    case Anomaly::kUnknownId:
      return "id that no event introduced";
    case Anomaly::kIdOutOfOrder:
      return "new id out of order";
    case Anomaly::kEndedTwice:
      return "thing that ended twice";
    case Anomaly::kNotReady:
      return "call in a state that does not allow the event";
    case Anomaly::kNotRunning:
      return "attempt that does not run";
    case Anomaly::kTextTooLarge:
      return "text beyond 4 GiB";
  }
  return "";
}

std::string_view TraceStore::text(TextRef ref) const {
  size_t at = ref;
  const uint32_t length = ReadLength(arena_, &at);
  return {arena_.data() + at, length};
}

uint64_t TraceStore::SeqOf(EventNo e) const {
  auto it = std::upper_bound(seq_base_.begin(), seq_base_.end(), e,
                             [](EventNo value, const SeqGap& gap) { return value < gap.from; });
  if (it == seq_base_.begin()) return e;
  --it;
  return it->seq + (e - it->from);
}

EventNo TraceStore::FindSeq(uint64_t wanted) const {
  EventNo low = 0, high = events();
  while (low < high) {
    const EventNo middle = high - (high - low) / 2;
    if (this->seq(middle) <= wanted) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

EventNo TraceStore::FindTime(TimeNs t) const {
  if (t < 0) return 0;
  const auto it = std::upper_bound(log_.begin() + 1, log_.end(), t,
                                   [](TimeNs value, const LogRow& row) { return value < row.time; });
  return static_cast<EventNo>(it - log_.begin() - 1);
}

AttemptId TraceStore::attempt_of(EventNo e) const { return IsAboutAttempt(log_[e].kind) ? log_[e].other : 0; }

EventNo TraceStore::prev_of_kind(EventNo e) const {
  const auto& list = of_kind(log_[e].kind);
  const auto it = std::lower_bound(list.begin(), list.end(), e);
  return it == list.begin() ? 0 : *(it - 1);
}

EventNo TraceStore::next_of_kind(EventNo e) const {
  const auto& list = of_kind(log_[e].kind);
  const auto it = std::upper_bound(list.begin(), list.end(), e);
  return it == list.end() ? 0 : *it;
}

std::span<const CallId> TraceStore::deps(CallId id) const {
  const CallInfo& c = calls_[id];
  return {deps_.data() + c.deps_begin, c.deps_count};
}

EventNo TraceStore::LatestOfCall(CallId id, EventNo cursor) const {
  const CallInfo& c = calls_[id];
  if (cursor >= c.last) return c.last;
  if (c.arrive == 0 || cursor < c.arrive) return 0;
  const auto story = long_stories_.find(id);
  if (story != long_stories_.end()) {
    const auto it = std::upper_bound(story->second.begin(), story->second.end(), cursor);
    return it == story->second.begin() ? 0 : *(it - 1);
  }
  EventNo e = c.last;
  while (e > cursor) e = log_[e].prev_of_call;
  return e;
}

EventNo TraceStore::next_of_call(EventNo e) const {
  const CallId id = call_of(e);
  if (id == 0) return 0;
  const auto story = long_stories_.find(id);
  if (story != long_stories_.end()) {
    const auto it = std::upper_bound(story->second.begin(), story->second.end(), e);
    return it == story->second.end() ? 0 : *it;
  }
  EventNo next = 0;
  for (EventNo at = calls_[id].last; at > e; at = log_[at].prev_of_call) next = at;
  return next;
}

void TraceStore::StoryOf(CallId id, EventNo cursor, std::vector<EventNo>* out) const {
  out->clear();
  for (EventNo e = LatestOfCall(id, cursor); e != 0; e = log_[e].prev_of_call) out->push_back(e);
  std::reverse(out->begin(), out->end());
}

Look TraceStore::LookAt(CallId id, EventNo cursor) const {
  const CallInfo& c = calls_[id];
  if (cursor >= c.last) return c.look;
  const EventNo e = LatestOfCall(id, cursor);
  return e == 0 ? Look::kAbsent : look_after(e);
}

Fate TraceStore::FateAt(AttemptId id, EventNo cursor) const {
  const AttemptInfo& a = attempts_[id];
  if (a.dispatch == 0 || cursor < a.dispatch) return Fate::kNone;
  if (a.booked == 0 || cursor < a.first_booked) return Fate::kRunning;
  return cursor >= a.booked ? a.fate : a.first_fate;
}

LookCounts TraceStore::LooksAt(EventNo cursor) const {
  cursor = std::min(cursor, events());
  if (cursor == events()) return looks_now_;
  LookCounts counts = look_checkpoint_[cursor / kCheckpointEvery];
  for (EventNo e = cursor / kCheckpointEvery * kCheckpointEvery + 1; e <= cursor; ++e) {
    --counts[log_[e].look_change >> 4];
    ++counts[log_[e].look_change & 15];
  }
  counts[0] = 0;
  return counts;
}

FateCounts TraceStore::FatesAt(EventNo cursor) const {
  cursor = std::min(cursor, events());
  if (cursor == events()) return fates_now_;
  FateCounts counts = fate_checkpoint_[cursor / kCheckpointEvery];
  for (EventNo e = cursor / kCheckpointEvery * kCheckpointEvery + 1; e <= cursor; ++e) {
    --counts[log_[e].fate_change >> 4];
    ++counts[log_[e].fate_change & 15];
  }
  counts[0] = 0;
  return counts;
}

ScopeState TraceStore::ScopeAt(ScopeId id, EventNo cursor) const {
  const ScopeInfo& own = scopes_[id];
  bool closed = false;
  for (ScopeId at = id; at != 0; at = scopes_[at].parent) {
    const ScopeInfo& s = scopes_[at];
    if (s.ended != 0 && s.ended <= cursor) {
      if (s.dead) return ScopeState::kDead;
      closed = true;
    }
  }
  if (closed) return ScopeState::kClosed;
  const bool active = own.born_active || (own.activated != 0 && own.activated <= cursor);
  return active ? ScopeState::kActive : ScopeState::kPending;
}

uint32_t TraceStore::LimitAt(uint32_t klass, EventNo cursor) const {
  const auto found = limits_of_.find(klass);
  if (found == limits_of_.end()) return kUnlimited;
  const auto& changes = found->second;
  const auto it = std::upper_bound(changes.begin(), changes.end(), cursor,
                                   [](EventNo value, const LimitChange& change) { return value < change.at; });
  return it == changes.begin() ? kUnlimited : (it - 1)->limit;
}

uint32_t TraceStore::anomalies() const {
  uint32_t sum = 0;
  for (const AnomalyCount& a : anomalies_) sum += a.count;
  return sum;
}

size_t TraceStore::MemoryBytes() const {
  const auto size = [](const auto& v) { return v.capacity() * sizeof(v[0]); };
  size_t bytes = sizeof(*this) + run_.source.capacity() + arena_.capacity();
  bytes += size(log_) + size(seq_base_) + size(look_checkpoint_) + size(fate_checkpoint_) + size(intern_slots_);
  for (const auto& list : by_kind_) bytes += size(list);
  bytes += size(calls_) + size(attempts_) + size(tools_) + size(sites_) + size(scopes_) + size(classes_) +
           size(roots_) + 2 * size(limits_) + size(deps_) + size(first_dependent_) + size(next_dependent_) +
           size(dependent_) + size(first_of_site_) + size(last_of_site_) + size(next_of_site_);
  for (const auto& story : long_stories_) bytes += 64 + size(story.second);
  return bytes + waiting_.MemoryBytes() + ready_.MemoryBytes() + running_.MemoryBytes();
}

}  // namespace pysolate::viz
