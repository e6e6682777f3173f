"""The CPython host: real tools, real time.

    asynchronous tools                      tasks on an event loop in a thread of its own
    synchronous, early-capable              daemon threads, each attempt with a copy of the program's context
    synchronous, ordered or `thread="main"` in place, on the thread that reached the call; with a deadline: a daemon
                                            thread, since nothing else could be given up

The program's thread sleeps on a queue of its own while it waits; completions ring it. SIGINT that arrives while the
runtime is at work is kept until it can be raised at the program's call, so no bookkeeping is torn.

Threads are daemons and end with the run, except those of orphans: these end with their tool, and delay no exit.
"""
from __future__ import annotations

import asyncio
import contextlib
import contextvars
import threading
import time
from collections import deque
from queue import Empty, SimpleQueue

from . import attempts
from ._own import __builtins__
from .coroutines import run_coroutine
from .interrupts import InterruptGuard
from .session import Interrupted, inside

_MAX_THREADS = 512       # beyond: attempts queue behind threads that run
_BATCH_NS = 2_000_000    # attempts that a scout finds within this time are started together
# asyncio takes a buffer of 256 KiB for each read of a socket. In a thread, glibc gives every one of them back to the
# kernel at once, which doubles the CPU time of a small read; it keeps blocks up to the size of one that it saw freed.
_KEPT_BYTES = 8 << 20
_DRAIN_SECONDS = 0.1     # how long a run's end listens for tasks that were asked to cancel


class ThreadHost(InterruptGuard):
    """`unit`: seconds that a unit of the report's makespan has (default 1). `loop`: an event loop that already runs in
    another thread, for asynchronous tools that are bound to it."""

    clock = "real"
    unit_ns = 0

    def __init__(self, unit: float | None = None, loop: asyncio.AbstractEventLoop | None = None):
        super().__init__()
        self._unit = unit or 1.0
        self._start = time.perf_counter_ns()
        self._end = None
        self._session = None
        self._inbox: deque = deque()          # finished attempts, appended by any thread
        self._bells: tuple = ()               # one queue per waiting thread; replaced, never changed
        self._in_place: dict[int, tuple] = {}  # call -> attempt that its own thread has to run
        self._loop = _LoopThread(self, loop)
        self._workers = _Workers()

    def open(self, session) -> None:
        self._session = session

    def choose_mode(self, mode: str) -> str | None:
        return None

    def now(self) -> int:
        return time.perf_counter_ns() - self._start

    def ns_of(self, seconds: float) -> int:
        return round(seconds * 1e9)

    @property
    def makespan(self) -> float:
        return (self.now() if self._end is None else self._end) / 1e9 / self._unit

    def can_start_early(self, spec) -> bool:
        return spec.contract.thread != "main"

    def can_cancel(self, spec) -> bool:
        return spec.is_async and spec.contract.cancellable is not False

    @contextlib.contextmanager
    def running(self):
        with super().running():
            try:
                yield
            finally:
                self._end = self.now()

    def leave(self):
        self._loop.flush()
        return super().leave()

    def wake(self) -> None:
        for bell in self._bells:
            bell.put(None)

    # ------------------------------------------------------------------------------------------------------ work

    def start(self, attempt, call, handle, bound) -> None:
        spec = handle.spec
        contract = spec.contract
        if contract.thread == "main" or not spec.is_async and contract.ordered and contract.deadline is None:
            self._in_place[call] = (attempt, handle, bound)
        elif spec.is_async:
            self._loop.start(attempt, handle, bound, contextvars.copy_context())
        else:
            context = contextvars.copy_context()

            def job():
                ok, payload = context.run(attempts.perform, self._session, attempt, spec.perform, bound)
                self.done(attempt, handle, ok, payload, bound)

            self._workers.submit(job)

    def done(self, attempt, handle, ok, payload, bound) -> None:
        """An attempt ended (any thread)."""
        self._inbox.append((attempt, handle, ok, payload, bound))
        self.wake()

    def cancel(self, attempt) -> None:
        self._loop.cancel(attempt)

    def lost(self, attempt) -> None:
        pass  # it goes on physically; the session ignores its answer

    def has_news(self) -> bool:
        """Whether something waits for the program's thread (True: perhaps, as on hosts that cannot tell)."""
        return bool(self._inbox) or self._pending is not None

    def poll(self) -> bool:
        """Books what has ended meanwhile. -> was there anything?"""
        self._loop.flush()
        inbox = self._inbox
        if not inbox:
            return False
        session = self._session
        while inbox:
            attempt, handle, ok, payload, bound = inbox.popleft()
            if ok is None:
                session.book_stopped(attempt)
            else:
                session.book(attempt, handle, ok, payload, bound)
        return True

    def wait(self, call, deadline_ns) -> None:
        """Sleeps until something ended or a deadline is due; runs an attempt that belongs on this thread."""
        self._loop.flush()
        own = self._in_place.pop(call, None)
        session = self._session
        if own is not None:
            attempt, handle, bound = own
            session.book(attempt, handle, *self._run_in_place(attempt, handle.spec, bound), bound)
            return
        bell: SimpleQueue = SimpleQueue()
        self._bells += (bell,)
        lock = session._lock
        try:
            if self._inbox or self._pending is not None and self._busy:
                pass
            else:
                timeout = None if deadline_ns < 0 else max(0, deadline_ns - self.now()) / 1e9
                lock.release()
                try:
                    bell.get(timeout=timeout)
                except Empty:
                    pass
                finally:
                    lock.acquire()
        except BaseException as e:  # a handler of the program's own: it ends the wait
            raise Interrupted(attempts.cleaned(e, None)) from None
        finally:
            self._bells = tuple(b for b in self._bells if b is not bell)
        if self._pending is not None and threading.get_ident() == self._main:
            raise Interrupted(self.take_interrupt())
        if 0 <= deadline_ns <= self.now():
            session._input(k="tick")

    def _run_in_place(self, attempt, spec, bound):
        """On the thread that reached the call. Interrupts go to the tool meanwhile, as they would without us."""
        busy = self._busy and threading.get_ident() == self._main
        lock = self._session._lock
        lock.release()
        if busy:
            self._busy = False
        try:
            if spec.is_async:
                return attempts.perform(self._session, attempt, lambda b: run_coroutine(spec.perform(b)), bound)
            return attempts.perform(self._session, attempt, spec.perform, bound)
        finally:
            if busy:
                self._busy = True
            lock.acquire()

    def perform_here(self, attempt, spec, bound):
        run = spec.perform if not spec.is_async else lambda b: run_coroutine(spec.perform(b))
        return attempts.perform(self._session, attempt, run, bound)

    def close(self) -> None:
        """Listens for a moment to tasks that were asked to cancel, then lets go of everything."""
        end = time.monotonic() + _DRAIN_SECONDS
        bell: SimpleQueue = SimpleQueue()
        self._bells += (bell,)
        with self._session._lock:
            while True:
                if self.poll():
                    self._session._obey()
                left = end - time.monotonic()
                if not self._loop.cancelling() or left <= 0:
                    break
                try:
                    bell.get(timeout=left)
                except Empty:
                    pass
        self._bells = ()
        self._loop.close()
        self._workers.close()


class _LoopThread:
    """An event loop in a daemon thread, started with the first attempt, ended with the last after `close`."""

    def __init__(self, host, loop):
        self._host = host
        self._given = loop is not None
        self._loop = loop
        self._thread = None
        self._queue: deque = deque()      # attempts to start, filled by the program's thread
        self._woken = False
        self._waking = 0                  # when the loop was woken last (ns)
        self._ringing = False
        self._tasks: dict[int, asyncio.Task] = {}
        self._asked: set[int] = set()     # asked to cancel and not ended yet
        self._closing = False

    def start(self, attempt, handle, bound, context):
        self._queue.append((attempt, handle, bound, context))
        if self._loop is None:
            self._loop = asyncio.new_event_loop()
            self._thread = threading.Thread(target=self._run, name="pysolate-loop", daemon=True)
            self._thread.start()
        if time.perf_counter_ns() - self._waking > _BATCH_NS:
            self.flush()

    def flush(self):
        """Wakes the loop if there is anything to start. Called before the program's thread sleeps or goes on."""
        if self._queue and not self._woken:
            self._woken = True
            self._waking = time.perf_counter_ns()
            self._loop.call_soon_threadsafe(self._start_all)

    def _run(self):
        loop = self._loop
        asyncio.set_event_loop(loop)
        bytes(_KEPT_BYTES)
        try:
            loop.run_forever()
            loop.run_until_complete(loop.shutdown_asyncgens())
        finally:
            loop.close()

    def _start_all(self):
        self._woken = False
        loop, queue = self._loop, self._queue
        while queue:
            attempt, handle, bound, context = queue.popleft()
            task = loop.create_task(self._perform(attempt, handle, bound), context=context)
            self._tasks[attempt] = task
            task.add_done_callback(lambda task, attempt=attempt, handle=handle: self._ended(task, attempt, handle))

    async def _perform(self, attempt, handle, bound):
        inside.set((self._host._session, attempt))
        try:
            ok, payload = True, await handle.spec.perform(bound)
        except BaseException as e:
            if isinstance(e, asyncio.CancelledError) and attempt in self._asked:
                raise
            ok, payload = False, attempts.cleaned(e, None)
        self._asked.discard(attempt)
        del self._tasks[attempt]
        self._done(attempt, handle, ok, payload, bound)
        if self._closing and not self._tasks:
            self._stop()

    def _done(self, *outcome):
        """Tells the host; what ends in the same turn of the loop rings once."""
        self._host._inbox.append(outcome)
        if not self._ringing:
            self._ringing = True
            self._loop.call_soon(self._ring)

    def _ring(self):
        self._ringing = False
        self._host.wake()

    def _ended(self, task, attempt, handle):
        if self._tasks.pop(attempt, None) is not None:  # cancelled, perhaps before it began
            self._asked.discard(attempt)
            self._done(attempt, handle, None, None, None)
            if self._closing and not self._tasks:
                self._stop()

    def cancel(self, attempt):
        if self._loop is not None:
            self._asked.add(attempt)
            self._loop.call_soon_threadsafe(self._cancel, attempt)

    def _cancel(self, attempt):
        task = self._tasks.get(attempt)
        if task is None:
            self._asked.discard(attempt)
        else:
            task.cancel()

    def cancelling(self) -> bool:
        return bool(self._asked)

    def close(self):
        if self._loop is not None and not self._given:
            self._loop.call_soon_threadsafe(self._close)
            if not self._tasks:
                self._thread.join(_DRAIN_SECONDS)

    def _close(self):
        self._closing = True
        if not self._tasks:
            self._stop()

    def _stop(self):
        if not self._given:
            self._loop.stop()


class _Workers:
    """Daemon threads for synchronous attempts, as many as are at work at once."""

    def __init__(self):
        self._jobs: SimpleQueue = SimpleQueue()
        self._lock = threading.Lock()
        self._threads = 0
        self._free = 0
        self._closed = False

    def submit(self, job):
        with self._lock:
            if self._free > 0:
                self._free -= 1
            elif self._threads < _MAX_THREADS:
                self._threads += 1
                threading.Thread(target=self._work, name="pysolate-tool", daemon=True).start()
        self._jobs.put(job)

    def _work(self):
        while True:
            job = self._jobs.get()
            if job is None:
                return
            job()
            del job
            with self._lock:
                if self._closed:
                    self._threads -= 1
                    return
                self._free += 1

    def close(self):
        with self._lock:
            self._closed = True
            free, self._free = self._free, 0
            self._threads -= free
        for _ in range(free):
            self._jobs.put(None)
