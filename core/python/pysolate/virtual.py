"""The virtual-time host: latencies are numbers, nothing really waits.

Time is counted in units. An attempt that starts at t with a latency of n is completed at t + n, and only then is its
value computed, so that a tool sees the world of that moment. The clock moves only while the program waits; computing
takes no time. Attempts that complete at the same time are booked one by one, in an order that a seed permutes: the
program may go on between two of them. The same program, seed and budget give the same run, byte for byte.
"""
from __future__ import annotations

import contextlib
import contextvars
import heapq
import random

from . import attempts
from ._own import __builtins__
from .coroutines import run_coroutine
from .session import Interrupted


class VirtualHost:
    """`units(name, bound)` is an attempt's latency. `order_seed` None: equal times in the order of dispatch."""

    clock = "virtual"

    def __init__(self, units, *, order_seed: int | None = None, unit_ns: int = 1_000_000_000):
        self.unit_ns = unit_ns
        self._units = units
        self._random = None if order_seed is None else random.Random(order_seed)
        self._now = 0
        self._queue: list = []
        self._session = None

    def open(self, session) -> None:
        self._session = session

    def choose_mode(self, mode: str) -> str | None:
        """A remark if this host has to run sequentially although `mode` is overlap, else None."""
        return None

    def running(self):
        return contextlib.nullcontext()

    def now(self) -> int:
        return self._now

    @property
    def makespan(self):
        """Units since the start."""
        units = self._now / self.unit_ns
        return int(units) if units == int(units) else units

    def ns_of(self, units: float) -> int:
        """A contract's deadline, in units here."""
        return round(units * self.unit_ns)

    def can_start_early(self, spec) -> bool:
        return True

    def can_cancel(self, spec) -> bool:
        return spec.is_async if spec.contract.cancellable is None else spec.contract.cancellable

    def start(self, attempt, call, handle, bound) -> None:
        due = self._now + round(self._units(handle.spec.name, bound) * self.unit_ns)
        rank = attempt if self._random is None else self._random.random()
        heapq.heappush(self._queue, (due, rank, attempt, handle, bound))

    def cancel(self, attempt) -> None:
        """A cancellable attempt ends at once, without an outcome."""
        left = [entry for entry in self._queue if entry[2] != attempt]
        if len(left) < len(self._queue):
            left.append((self._now, -1, attempt, None, None))
            heapq.heapify(left)
            self._queue = left

    def lost(self, attempt) -> None:
        pass  # it goes on physically; the session ignores its answer

    def has_news(self) -> bool:
        return True  # it is only known after a wait

    def poll(self) -> bool:
        return False  # computing takes no time, so nothing has completed meanwhile

    def wait(self, call, deadline_ns) -> None:
        """Moves the clock to the next completion or deadline, and books it."""
        if not self._queue and deadline_ns < 0:
            raise Interrupted(RuntimeError(f"call {call} waits for nothing that runs: this is a fault in pysolate"))
        if not self._queue or 0 <= deadline_ns < self._queue[0][0]:
            self._now = max(self._now, deadline_ns)
            self._session._input(k="tick")
            return
        due, _, attempt, handle, bound = heapq.heappop(self._queue)
        self._now = max(self._now, due)
        self._complete(attempt, handle, bound)

    def _complete(self, attempt, handle, bound):
        session = self._session
        if handle is None:
            session.book_stopped(attempt)
            return
        ok, payload = self.perform_here(attempt, handle.spec, bound)
        session.book(attempt, handle, ok, payload, bound)

    def perform_here(self, attempt, spec, bound):
        run = spec.perform if not spec.is_async else lambda b: run_coroutine(spec.perform(b))
        if spec.contract.ordered:
            return attempts.perform(self._session, attempt, run, bound)
        return contextvars.copy_context().run(attempts.perform, self._session, attempt, run, bound)

    def enter(self) -> None:
        pass

    def leave(self):
        return None

    def close(self) -> None:
        self._queue.clear()
