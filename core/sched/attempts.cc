// The life of an attempt: dispatch, sharing, outcome, cancel, orphan, deadline, booking.
#include <algorithm>
#include <string>

#include "sched/state.h"

namespace pysolate {

using namespace sched;  // NOLINT

namespace {

bool Later(const Deadline& a, const Deadline& b) { return a.due != b.due ? a.due > b.due : a.attempt > b.attempt; }

}  // namespace

void Scheduler::Impl::Dispatch(CallId c) {
  const auto a = static_cast<AttemptId>(rows.size());
  CallHot& h = hot[c];
  const ToolRow& tool = tools[h.tool];
  const Contract& contract = tool.contract;
  const bool is_reached = (h.flags & kReachedFlag) != 0;
  const bool child = (h.flags & kChildFlag) != 0;
  --ready[is_reached ? 1 : 0];
  h.state = CallState::kDispatched;
  h.attempt = a;
  h.bound_next = c;

  AttemptRow row;
  row.call = row.tail = c;
  row.wants = 1;
  row.wants_reached = is_reached ? 1 : 0;
  row.flags = static_cast<uint8_t>((is_reached ? 0 : kEarlyAttempt) | (child ? kChildAttempt : 0));
  row.start = now;
  if (!child) {
    uint32_t cost = contract.cost;
    if (contract.klass != 0) {
      ClassRow& k = classes[contract.klass];
      cost = std::min(cost, k.limit);
      k.held += cost;
      if (!is_reached) k.unreached += cost;
    }
    row.cost = static_cast<uint16_t>(cost);
    ++total_held;
    if (is_reached) {
      row.flags |= kReachedSide;
    } else {
      ++total_unreached;
    }
  }
  if (Shareable(c)) {
    const uint32_t e =
        (h.flags & kListedFlag) != 0 ? cold[c].entry : MakeEntry(h.tool, cold[c].key, VersionFor(h.tool));
    if (entries[e].attempt == 0) {
      entries[e].attempt = a;
      row.entry = e;
    }
  }
  rows.push_back(row);
  reasons.push_back(Reason::kNone);
  ++totals.dispatched;
  ++totals.by_book[static_cast<int>(Book::kRunning)];
  Emit(EventKind::kDispatch, [&](Event& e) {
    e.attempt = a;
    e.call = c;
    e.early = !is_reached;
    e.cost = row.cost;
    e.parent = parent_of(c);
  });
  commands.push_back({Command::Kind::kDispatch, false, a, c, 0});

  if (tool.effect() && !child) {
    effect_running = a;
    if (!effect_queue.empty() && effect_queue.front() == c) effect_queue.pop_front();
  }
  if (IsWrite(contract.effect) && contract.root != 0) {
    RootRow& root = roots[contract.root];
    ++root.version;
    ++root.running_writes;
    Emit(EventKind::kVersion, [&](Event& e) {
      e.root = contract.root;
      e.version = root.version;
      e.call = c;
    });
    WriteGone(contract.root, c);
  }
  if (contract.deadline != 0) AddDeadline(a, now + contract.deadline);
}

void Scheduler::Impl::Bind(CallId c, AttemptId a) {
  CallHot& h = hot[c];
  AttemptRow& row = rows[a];
  h.state = CallState::kDispatched;
  h.attempt = a;
  h.bound_next = row.call;
  hot[row.tail].bound_next = c;
  row.tail = c;
  ++row.wants;
  Emit(EventKind::kJoin, [&](Event& e) {
    e.call = c;
    e.attempt = a;
  });
  if (reached(c)) {
    ++row.wants_reached;
    SetSide(a, true);
  }
}

// Takes a call out of the ring of an attempt that others may still want.
void Scheduler::Impl::Unbind(CallId c, AttemptId a) {
  AttemptRow& row = rows[a];
  if (row.call == row.tail) return;
  CallId before = row.call;
  while (hot[before].bound_next != c) before = hot[before].bound_next;
  hot[before].bound_next = hot[c].bound_next;
  if (row.tail == c) row.tail = before;
  if (row.call == c) row.call = hot[c].bound_next;
}

bool Scheduler::Impl::TryJoin(CallId c) {
  const CallHot& h = hot[c];
  if (!Shareable(c)) return false;
  const ArgsKey key = cold[c].key;
  const uint32_t e = FindEntry(h.tool, key, VersionFor(h.tool));
  if (e == 0 || entries[e].attempt == 0) return false;
  const AttemptId a = entries[e].attempt;
  Bind(c, a);
  if (rows[a].state() == AttemptState::kSucceeded) {
    PlaceKept(a);
    Settle(c, a, true);
  }
  return true;
}

void Scheduler::Impl::SetSide(AttemptId a, bool reached_side) {
  AttemptRow& row = rows[a];
  if (row.state() != AttemptState::kRunning || (row.flags & kChildAttempt) != 0) return;
  if (((row.flags & kReachedSide) != 0) == reached_side) return;
  row.flags ^= kReachedSide;
  const ClassId klass = tools[hot[row.call].tool].contract.klass;
  if (reached_side) {
    --total_unreached;
    if (klass != 0) classes[klass].unreached -= row.cost;
  } else {
    ++total_unreached;
    if (klass != 0) classes[klass].unreached += row.cost;
  }
}

void Scheduler::Impl::Unwant(AttemptId a, bool was_reached, Reason reason, std::string_view why) {
  AttemptRow& row = rows[a];
  --row.wants;
  if (was_reached && --row.wants_reached == 0) SetSide(a, false);
  if (row.state() == AttemptState::kRunning) {
    if (row.wants == 0) Abandon(a, reason, why);
    return;
  }
  if (row.wants == 0 && row.book() == Book::kRunning) BookAs(a, Book::kDiscarded, reason);
  PlaceKept(a);
}

// Nobody wants it any more. It is asked to stop if it can be; either way it has until a deadline to end.
void Scheduler::Impl::Abandon(AttemptId a, Reason reason, std::string_view why) {
  AttemptRow& row = rows[a];
  row.flags |= kOrphanAttempt;
  reasons[a] = reason;
  if (row.entry != 0) {
    // A call that comes now must not be satisfied by it.
    entries[row.entry].attempt = 0;
    FreeIfUnused(row.entry);
    row.entry = 0;
  }
  SetSide(a, false);
  if (row.end < 0 || (row.flags & kPastDeadline) != 0) AddDeadline(a, now + orphan_after);
  orphans.push_back(a);
  ++totals.orphans;
  if (tools[hot[row.call].tool].contract.cancellable) {
    rows[a].flags |= kCancelRequested;
    Emit(EventKind::kCancelRequest, [&](Event& e) {
      e.attempt = a;
      e.why = why;
    });
    commands.push_back({Command::Kind::kCancel, false, a, 0, 0});
  } else {
    Emit(EventKind::kOrphan, [&](Event& e) {
      e.attempt = a;
      e.why = why;
      e.deadline = rows[a].end;
    });
  }
}

void Scheduler::Impl::BookAs(AttemptId a, Book book, Reason reason) {
  AttemptRow& row = rows[a];
  --totals.by_book[static_cast<int>(row.book())];
  ++totals.by_book[static_cast<int>(book)];
  row.set_book(book);
  reasons[a] = reason;
}

void Scheduler::Impl::Ended(AttemptId a, AttemptState state) {
  AttemptRow& row = rows[a];
  const uint8_t flags = row.flags;
  row.set_state(state);
  row.end = now;
  if ((flags & kOrphanAttempt) != 0) --totals.orphans;
  ReleaseSlot(a);
  if ((flags & kHasChildren) != 0) EndChildren(a);
}

void Scheduler::Impl::ReleaseSlot(AttemptId a) {
  const AttemptRow& row = rows[a];
  const ToolRow& tool = tools[hot[row.call].tool];
  const Contract& contract = tool.contract;
  if ((row.flags & kChildAttempt) == 0) {
    const bool unreached = (row.flags & kReachedSide) == 0;
    --total_held;
    if (unreached) --total_unreached;
    if (contract.klass != 0) {
      classes[contract.klass].held -= row.cost;
      if (unreached) classes[contract.klass].unreached -= row.cost;
    }
    if (effect_running == a) effect_running = 0;
  }
  if (IsWrite(contract.effect) && contract.root != 0) {
    RootRow& root = roots[contract.root];
    if (--root.running_writes == 0) {
      // Looked at when the outcome was handed out: a write that is retried is pending again.
      look_again.insert(look_again.end(), root.behind_running.begin(), root.behind_running.end());
      root.behind_running.clear();
    }
  }
}

void Scheduler::Impl::EndChildren(AttemptId a) {
  auto it = children.find(a);
  if (it == children.end()) return;
  const std::vector<CallId> calls = std::move(it->second);
  children.erase(it);
  for (CallId c : calls) {
    if (!IsTerminal(hot[c].state)) GiveUp(c, Reason::kParentEnded, "the attempt that made it ended");
    parents.erase(c);
  }
}

// Whom an outcome that can satisfy one call only goes to: the first reached call, else the oldest early one.
CallId Scheduler::Impl::Taker(AttemptId a, bool reached_only) const {
  const AttemptRow& row = rows[a];
  CallId first = 0;
  for (CallId c = row.call;; c = hot[c].bound_next) {
    if (hot[c].attempt == a && hot[c].state == CallState::kDispatched) {
      if (reached(c)) return c;
      if (first == 0) first = c;
    }
    if (c == row.tail) break;
  }
  return reached_only ? 0 : first;
}

void Scheduler::Impl::Succeeded(AttemptId a, int64_t bytes) {
  if (rows[a].wants == 0) {
    Emit(EventKind::kLate, [&](Event& e) {
      e.attempt = a;
      e.ok = true;
    });
    Ended(a, AttemptState::kSucceeded);
    BookAs(a, Book::kLate, reasons[a]);
    return;
  }
  Ended(a, AttemptState::kSucceeded);
  CallId only = 0;
  if (bytes > 0) {
    Keep(a, bytes);
  } else {
    if (rows[a].wants > 1) only = Taker(a, /*reached_only=*/false);
    if (const uint32_t e = rows[a].entry; e != 0) {
      rows[a].entry = 0;
      entries[e].attempt = 0;
      FreeIfUnused(e);
    }
  }
  const CallId tail = rows[a].tail;
  for (CallId c = rows[a].call, next = 0;; c = next) {
    next = hot[c].bound_next;
    if (hot[c].attempt == a && hot[c].state == CallState::kDispatched) {
      if (only == 0 || c == only) {
        Settle(c, a, true);
      } else {
        --rows[a].wants;
        if (reached(c)) --rows[a].wants_reached;
        Restart(c, a, /*needs_reach=*/false);
      }
    }
    if (c == tail) break;
  }
}

void Scheduler::Impl::Failed(AttemptId a, Failure failure) {
  if (rows[a].wants == 0) {
    Emit(EventKind::kLate, [&](Event& e) {
      e.attempt = a;
      e.ok = false;
    });
    Ended(a, AttemptState::kFailed);
    BookAs(a, Book::kLate, reasons[a]);
    return;
  }
  Ended(a, AttemptState::kFailed);
  HandOutFailure(a, failure, /*past_deadline=*/false);
}

// A failure satisfies one call: so a retry by the program is a real retry. Early, only a stable failure satisfies
// anyone.
void Scheduler::Impl::HandOutFailure(AttemptId a, Failure failure, bool past_deadline) {
  if (const uint32_t e = rows[a].entry; e != 0) {
    rows[a].entry = 0;
    entries[e].attempt = 0;
    FreeIfUnused(e);
  }
  const CallId taker = Taker(a, /*reached_only=*/failure != Failure::kStable);
  bool taken = false;
  const CallId tail = rows[a].tail;
  for (CallId c = rows[a].call, next = 0;; c = next) {
    next = hot[c].bound_next;
    if (hot[c].attempt == a && hot[c].state == CallState::kDispatched) {
      CallHot& h = hot[c];
      const bool may_retry = c == taker && h.tries < tools[h.tool].contract.retry;
      if (c == taker && !may_retry) {
        taken = true;
        if (past_deadline) {
          h.flags |= kTimedOutFlag;
          --rows[a].wants;
          if (reached(c)) --rows[a].wants_reached;
        }
        Settle(c, a, false);
      } else {
        if (may_retry) ++h.tries;
        --rows[a].wants;
        if (reached(c)) --rows[a].wants_reached;
        Restart(c, a, /*needs_reach=*/!reached(c) && failure != Failure::kStable);
      }
    }
    if (c == tail) break;
  }
  if (!past_deadline && !taken) BookAs(a, Book::kRetried, Reason::kFailure);
}

void Scheduler::Impl::AddDeadline(AttemptId a, TimeNs due) {
  rows[a].end = due;
  deadlines.push_back({due, a});
  std::push_heap(deadlines.begin(), deadlines.end(), Later);
}

void Scheduler::Impl::DropStaleDeadlines() {
  while (!deadlines.empty()) {
    const Deadline& d = deadlines.front();
    const AttemptRow& row = rows[d.attempt];
    if (row.state() == AttemptState::kRunning && row.end == d.due) return;
    std::pop_heap(deadlines.begin(), deadlines.end(), Later);
    deadlines.pop_back();
  }
}

// The calls get the deadline as their failure at once; the attempt keeps its slot until it really ends or is lost.
void Scheduler::Impl::PassDeadline(AttemptId a) {
  rows[a].flags |= kPastDeadline;
  commands.push_back({Command::Kind::kDeadline, false, a, rows[a].call, 0});
  Abandon(a, Reason::kDeadline, "deadline");
  HandOutFailure(a, Failure::kDeadline, /*past_deadline=*/true);
}

void Scheduler::Impl::Lose(AttemptId a) {
  Emit(EventKind::kLost, [&](Event& e) {
    e.attempt = a;
    e.why = "no answer until its deadline";
  });
  Ended(a, AttemptState::kLost);
  BookAs(a, Book::kLost, Reason::kOrphanDeadline);
  commands.push_back({Command::Kind::kLost, false, a, 0, 0});
}

}  // namespace pysolate
