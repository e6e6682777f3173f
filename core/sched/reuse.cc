// One table answers three questions about (tool, arguments, root version): which early call may control arrive at, is
// there an attempt to share, is its result kept. Kept results are bounded.
#include <algorithm>

#include "sched/state.h"

namespace pysolate {

using namespace sched;  // NOLINT

namespace {

uint64_t Hash(ToolId tool, ArgsKey key, uint32_t version) {
  // The finalizer of SplitMix64 (Steele et al. 2014).
  uint64_t x = (static_cast<uint64_t>(tool) << 32 | key) + version * 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

constexpr uint32_t kTombstone = 0xffffffffu;

}  // namespace

uint32_t Scheduler::Impl::VersionFor(ToolId tool) const {
  const RootId root = tools[tool].contract.root;
  return root == 0 ? 0 : roots[root].version;
}

bool Scheduler::Impl::Shareable(CallId c) const {
  const CallHot& h = hot[c];
  if ((h.flags & kKeyFlag) == 0) return false;
  const Contract& contract = tools[h.tool].contract;
  // A child shares nothing: it could wait for the very attempt inside which it is made.
  return contract.reuse && IsRepeatable(contract.effect) && mode == Mode::kOverlap && (h.flags & kChildFlag) == 0;
}

uint32_t Scheduler::Impl::FindEntry(ToolId tool, ArgsKey key, uint32_t version) const {
  if (table.empty()) return 0;
  const size_t mask = table.size() - 1;
  for (size_t i = Hash(tool, key, version) & mask;; i = (i + 1) & mask) {
    const uint32_t e = table[i];
    if (e == 0) return 0;
    if (e == kTombstone) continue;
    if (entries[e].key == key && entries[e].tool == tool && entries[e].version == version) return e;
  }
}

void Scheduler::Impl::GrowTable() {
  const size_t live = entries.size() - 1 - free_entries.size();
  size_t size = 64;
  while (size < live * 4) size *= 2;
  std::vector<uint32_t> old(size);
  old.swap(table);
  table_used = 0;
  for (uint32_t e : old) {
    if (e == 0 || e == kTombstone) continue;
    const Entry& entry = entries[e];
    size_t i = Hash(entry.tool, entry.key, entry.version) & (size - 1);
    while (table[i] != 0) i = (i + 1) & (size - 1);
    table[i] = e;
    ++table_used;
  }
}

uint32_t Scheduler::Impl::MakeEntry(ToolId tool, ArgsKey key, uint32_t version) {
  if (const uint32_t found = FindEntry(tool, key, version); found != 0) return found;
  if ((table_used + 1) * 2 > table.size()) GrowTable();
  uint32_t e;
  if (!free_entries.empty()) {
    e = free_entries.back();
    free_entries.pop_back();
    entries[e] = {};
  } else {
    e = static_cast<uint32_t>(entries.size());
    entries.emplace_back();
  }
  entries[e].tool = tool;
  entries[e].key = key;
  entries[e].version = version;
  const size_t mask = table.size() - 1;
  size_t i = Hash(tool, key, version) & mask;
  while (table[i] != 0 && table[i] != kTombstone) i = (i + 1) & mask;
  if (table[i] == 0) ++table_used;
  table[i] = e;
  return e;
}

void Scheduler::Impl::FreeIfUnused(uint32_t e) {
  Entry& entry = entries[e];
  if (entry.early_live != 0 || entry.attempt != 0) return;
  const size_t mask = table.size() - 1;
  size_t i = Hash(entry.tool, entry.key, entry.version) & mask;
  while (table[i] != e) i = (i + 1) & mask;
  table[i] = kTombstone;
  free_entries.push_back(e);
}

void Scheduler::Impl::List(CallId c) {
  CallHot& h = hot[c];
  if ((h.flags & (kEarlyFlag | kReachedFlag | kChildFlag | kListedFlag)) != kEarlyFlag) return;
  if (cold[c].key == 0 || mode == Mode::kSequential) return;
  const uint32_t e = MakeEntry(h.tool, cold[c].key, VersionFor(h.tool));
  Entry& entry = entries[e];
  h.flags |= kListedFlag;
  cold[c].entry = e;
  cold[c].key_next = 0;
  // Oldest first. Arguments become known mostly in that order, so the search in between is rare.
  if (entry.early_live == 0) {
    entry.early_head = entry.early_tail = c;
  } else if (c > entry.early_tail) {
    cold[entry.early_tail].key_next = c;
    entry.early_tail = c;
  } else if (c < entry.early_head) {
    cold[c].key_next = entry.early_head;
    entry.early_head = c;
  } else {
    CallId before = entry.early_head;
    while (cold[before].key_next < c) before = cold[before].key_next;
    cold[c].key_next = cold[before].key_next;
    cold[before].key_next = c;
  }
  ++entry.early_live;
}

void Scheduler::Impl::Unlist(CallId c) {
  if ((hot[c].flags & kListedFlag) == 0) return;
  hot[c].flags &= static_cast<uint16_t>(~kListedFlag);
  const uint32_t e = cold[c].entry;
  --entries[e].early_live;
  FreeIfUnused(e);
}

// A read that was not dispatched yet will see the version of its dispatch. Leaving the old entry's list this way may
// cut off what stood behind it there, but nothing is ever looked for under an old version.
void Scheduler::Impl::FollowVersion(CallId c) {
  if ((hot[c].flags & kListedFlag) == 0 || entries[cold[c].entry].version == VersionFor(hot[c].tool)) return;
  Unlist(c);
  List(c);
}

CallId Scheduler::Impl::FindEarly(ToolId tool, ArgsKey key) {
  const uint32_t e = FindEntry(tool, key, VersionFor(tool));
  if (e == 0 || entries[e].early_live == 0) return 0;
  Entry& entry = entries[e];
  while ((hot[entry.early_head].flags & kListedFlag) == 0) entry.early_head = cold[entry.early_head].key_next;
  return entry.early_head;
}

// ---- kept results ----

void Scheduler::Impl::Keep(AttemptId a, int64_t bytes) {
  const uint32_t e = rows[a].entry;
  if (e == 0) return;
  entries[e].bytes = static_cast<uint32_t>(std::min<int64_t>(bytes, 0xffffffff));
  entries[e].kept = KeptList::kPinned;
  kept_bytes += entries[e].bytes;
  PlaceKept(a);
}

void Scheduler::Impl::Unlink(uint32_t e) {
  Entry& entry = entries[e];
  if (entry.kept == KeptList::kUntaken) untaken_bytes -= entry.bytes;
  if (entry.kept == KeptList::kTaken || entry.kept == KeptList::kUntaken) {
    const int list = entry.kept == KeptList::kTaken ? 0 : 1;
    if (entry.kept_prev != 0) {
      entries[entry.kept_prev].kept_next = entry.kept_next;
    } else {
      kept_head[list] = entry.kept_next;
    }
    if (entry.kept_next != 0) {
      entries[entry.kept_next].kept_prev = entry.kept_prev;
    } else {
      kept_tail[list] = entry.kept_prev;
    }
  }
  entry.kept_prev = entry.kept_next = 0;
  entry.kept = KeptList::kPinned;
}

void Scheduler::Impl::LinkKept(uint32_t e, KeptList to) {
  Entry& entry = entries[e];
  entry.kept = to;
  if (to == KeptList::kPinned) return;
  if (to == KeptList::kUntaken) untaken_bytes += entry.bytes;
  const int list = to == KeptList::kTaken ? 0 : 1;
  entry.kept_prev = kept_tail[list];
  if (kept_tail[list] != 0) {
    entries[kept_tail[list]].kept_next = e;
  } else {
    kept_head[list] = e;
  }
  kept_tail[list] = e;
}

// Puts a kept result where its takers say: in use by a reached call (pinned), taken and free to go, or waiting for
// control (counts as early). One that nobody ever took goes when its last call does.
void Scheduler::Impl::PlaceKept(AttemptId a) {
  const AttemptRow& row = rows[a];
  if (row.entry == 0 || row.state() != AttemptState::kSucceeded) return;
  const uint32_t e = row.entry;
  if (row.wants == 0 && row.book() != Book::kConsumed) {
    DropKept(e, /*evict=*/true);
    return;
  }
  const KeptList to = row.wants == 0           ? KeptList::kTaken
                      : row.wants_reached == 0 ? KeptList::kUntaken
                                               : KeptList::kPinned;
  if (to == entries[e].kept) return;
  Unlink(e);
  LinkKept(e, to);
}

void Scheduler::Impl::DropKept(uint32_t e, bool evict) {
  Unlink(e);
  Entry& entry = entries[e];
  const AttemptId a = entry.attempt;
  const uint32_t bytes = entry.bytes;
  kept_bytes -= bytes;
  entry.kept = KeptList::kNone;
  entry.bytes = 0;
  entry.attempt = 0;
  rows[a].entry = 0;
  if (evict) {
    Emit(EventKind::kEvict, [&](Event& ev) {
      ev.attempt = a;
      ev.bytes = bytes;
    });
    commands.push_back({Command::Kind::kEvict, false, a, 0, 0});
  }
  FreeIfUnused(e);
}

void Scheduler::Impl::EvictOver() {
  while (kept_bytes > result_bytes) {
    if (kept_head[0] != 0) {
      DropKept(kept_head[0], /*evict=*/true);
      continue;
    }
    if (kept_tail[1] == 0) return;  // the rest is in use
    // The newest early result is the last that control will arrive at.
    const AttemptId a = entries[kept_tail[1]].attempt;
    DropKept(kept_tail[1], /*evict=*/true);
    const CallId tail = rows[a].tail;
    for (CallId c = rows[a].call, next = 0;; c = next) {
      next = hot[c].bound_next;
      if (hot[c].attempt == a && hot[c].state == CallState::kSettled) {
        EndCall(c, CallState::kDiscarded, Reason::kEvicted, "its result made room");
      }
      if (c == tail) break;
    }
  }
}

}  // namespace pysolate
