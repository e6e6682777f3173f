"""The Pyodide host: JavaScript tools and Python tools in a browser or Node, blocking through stack switching.

    JavaScript tools          start at once and report by id and JSON text (wasm/js/pyodide-host.mjs)
    asynchronous Python tools tasks on Pyodide's event loop
    synchronous Python tools  in place when reached; never early

A program that has to wait suspends once, on a gate: a JavaScript promise of its call. Meanwhile a task of ours (the
pump) runs on the event loop, books what ends, starts what became ready, lets the scout go on, and opens the gate of a
call that is settled. So a call that waits costs one `run_sync`, however much happens meanwhile, and a call whose value
is there costs none.

Several tasks of a program may be suspended at once; each has its own gate, and nothing here is "the current call".
Where stacks cannot be switched, `wait` raises an error that says so instead of hanging.
"""
from __future__ import annotations

import asyncio
import contextlib
import contextvars
import time

import _pysolate_page as page
from pyodide.ffi import JsException, can_run_sync, run_sync

from . import attempts, codec
from ._own import __builtins__
from .contracts import Contract, ToolSpec, Variants, binder_of
from .coroutines import run_coroutine
from .errors import from_name
from .interrupts import InterruptGuard
from .jsontext import loads
from .session import Interrupted, inside

NO_SWITCH = ("this environment cannot switch stacks (can_run_sync() is false): the program runs sequentially, and an "
             "asynchronous tool cannot be waited for")


class JsTool:
    """perform() of a tool that JavaScript runs; the host starts it by name."""

    def __init__(self, name):
        self.name = name

    def __call__(self, bound):
        raise RuntimeError(f"{self.name}() runs in JavaScript")


def js_specs() -> dict[str, ToolSpec]:
    """The tools that the page offers."""
    import inspect
    specs = {}
    for entry in loads(page.tools()):
        name = entry["name"]
        try:
            signature = inspect.signature(eval(f"lambda {entry['parameters']}: None", {}))
        except SyntaxError as e:
            raise ValueError(f"tool {name}: bad parameters {entry['parameters']!r}: {e.msg}") from None
        bind = _plain_binder(name, binder_of(name, signature, None)[0])
        contract = Contract.of(entry["contract"])
        variants = _by_origin(contract, entry["origins"]) if entry.get("origins") else None
        specs[name] = ToolSpec(name, contract, bind, JsTool(name), True, entry.get("doc"), variants)
    return specs


def _by_origin(contract: Contract, given: dict) -> Variants:
    """A contract for each origin of an address: its own resource class, and what the page declared of it."""
    from dataclasses import replace
    declared = {origin: replace(contract, **fields) for origin, fields in given["contracts"].items()}

    def of(bound):
        origin = origin_of(bound.get(given["parameter"]))
        return origin, replace(declared.get(origin, contract), resource=given["class"] + origin)

    return Variants(of, any(c.may_be_early for c in (contract, *declared.values())))


def origin_of(url) -> str:
    """`scheme://host[:port]` as a browser writes it; "" for what has none (an address of the page itself)."""
    from urllib.parse import urlsplit
    try:
        parts = urlsplit(url)
        port = parts.port
    except (TypeError, ValueError, AttributeError):
        return ""
    if parts.scheme not in ("http", "https") or not parts.hostname:
        return ""
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    own = {"http": 80, "https": 443}[parts.scheme]
    return f"{parts.scheme}://{host}" + (f":{port}" if port not in (None, own) else "")


def _plain_binder(name, bind):
    def bind_plain(args, kwargs):
        bound = bind(args, kwargs)
        for parameter, value in bound.items():
            if type(value) is not str and not codec.is_plain(value):
                raise TypeError(f"{name}() argument '{parameter}' is not plain data: {type(value).__name__}")
        return bound

    return bind_plain


class PyodideHost(InterruptGuard):
    clock = "real"
    unit_ns = 0

    def __init__(self, unit: float | None = None):
        super().__init__()
        self._unit = unit or 1.0
        self._start = time.perf_counter_ns()
        self._end = None
        self._session = None
        self._running: dict[int, tuple] = {}   # attempt -> (handle, bound, task or None)
        self._inbox: list[tuple] = []          # ended Python attempts
        self._in_place: dict[int, tuple] = {}
        self._gates: set[int] = set()          # calls that the program waits for
        self._pump_task: asyncio.Task | None = None
        self._fault: BaseException | None = None
        self._closed = False

    def open(self, session) -> None:
        self._session = session

    def choose_mode(self, mode: str) -> str | None:
        return NO_SWITCH if mode == "overlap" and not can_run_sync() else None

    @contextlib.contextmanager
    def running(self):
        with super().running():
            try:
                yield
            finally:
                self._end = self.now()

    def now(self) -> int:
        return time.perf_counter_ns() - self._start

    def ns_of(self, seconds: float) -> int:
        return round(seconds * 1e9)

    @property
    def makespan(self) -> float:
        return (self.now() if self._end is None else self._end) / 1e9 / self._unit

    def can_start_early(self, spec) -> bool:
        return spec.is_async and spec.contract.thread != "main"

    def can_cancel(self, spec) -> bool:
        if isinstance(spec.perform, JsTool):
            return bool(spec.contract.cancellable)
        return spec.is_async and spec.contract.cancellable is not False

    def start(self, attempt, call, handle, bound) -> None:
        spec = handle.spec
        if isinstance(spec.perform, JsTool):
            self._running[attempt] = (handle, bound, None)
            page.start(attempt, spec.name, codec.to_json(bound))
        elif spec.is_async:
            task = asyncio.get_event_loop().create_task(
                attempts.perform_async(self._session, attempt, spec.perform, bound),
                context=contextvars.copy_context())
            self._running[attempt] = (handle, bound, task)
            task.add_done_callback(lambda task: self._ended(attempt, task))
        else:
            self._in_place[call] = (attempt, handle, bound)

    def _ended(self, attempt, task):
        self._inbox.append((attempt, None if task.cancelled() else task.result()))
        page.wake(attempt)

    def cancel(self, attempt) -> None:
        entry = self._running.get(attempt)
        if entry is None:
            return
        if entry[2] is None:
            page.cancel(attempt)
        else:
            entry[2]._pysolate_cancelled = True
            entry[2].cancel()

    def lost(self, attempt) -> None:
        pass

    def has_news(self) -> bool:
        return True  # it is only known after a wait

    def poll(self) -> bool:
        """Books what has ended: ours, and what JavaScript reports."""
        booked = False
        if self._inbox:
            inbox, self._inbox = self._inbox, []
            for attempt, outcome in inbox:
                booked = True
                self._book(attempt, outcome)
        text = page.take()
        if text:
            import json
            for attempt, how, value in loads(text):
                booked = True
                if how == "ok":
                    self._book(attempt, (True, codec.from_json(value)))
                elif how == "stopped":
                    self._book(attempt, None)
                else:
                    self._book(attempt, (False, from_name(how, value)))
        return booked

    def _book(self, attempt, outcome):
        handle, bound, _ = self._running.pop(attempt)
        if outcome is None:
            self._session.book_stopped(attempt)
        else:
            self._session.book(attempt, handle, *outcome, bound)

    # ------------------------------------------------------------------------------------------------------ waiting

    def wait(self, call, deadline_ns) -> None:
        own = self._in_place.pop(call, None)
        if own is not None:
            attempt, handle, bound = own
            self._session.book(attempt, handle, *self._run_in_place(attempt, handle.spec, bound), bound)
            return
        if self._fault is not None:
            raise Interrupted(self._fault)
        if not can_run_sync():
            raise Interrupted(RuntimeError(
                "a tool call has to wait here, but the stack cannot be switched: the program was not started as a "
                "coroutine, or the call comes through a JavaScript callback"))
        if self._pump_task is None:
            self._pump_task = asyncio.get_event_loop().create_task(self._pump(), context=contextvars.Context())
        self._gates.add(call)
        page.flush()
        try:
            run_sync(page.gate(call, self._session.engine.attempt_of(call)))
        except JsException:
            raise Interrupted(KeyboardInterrupt()) from None
        except BaseException as e:
            raise Interrupted(attempts.cleaned(e, None)) from None
        finally:
            self._gates.discard(call)
        if self._pending is not None:
            raise Interrupted(self.take_interrupt())

    async def _pump(self):
        """Moves the run while the program is suspended; opens the gate of a call that is settled."""
        session = self._session
        more, slices = False, 0
        try:
            while not self._closed:
                deadline = session.engine.next_deadline()
                if more:
                    await asyncio.sleep(0)
                else:
                    await page.news(-1 if deadline < 0 else max(0, (deadline - self.now()) / 1e6))
                if self._closed:
                    return
                if 0 <= deadline <= self.now():
                    session._input(k="tick")
                slices = slices + 1 if more else 0
                more = session._pump(bool(self._gates), slices)
                session.flush()
                for call in list(self._gates):
                    if session.is_settled(call) or call in self._in_place:
                        self._gates.discard(call)
                        page.open(call)
        except BaseException as e:
            self._fault = e
            for call in list(self._gates):
                page.open(call)

    def _run_in_place(self, attempt, spec, bound):
        busy, self._busy = self._busy, False
        try:
            return self.perform_here(attempt, spec, bound)
        finally:
            self._busy = busy

    def perform_here(self, attempt, spec, bound):
        if isinstance(spec.perform, JsTool):
            return False, RuntimeError(f"{spec.name}() cannot be called from inside a tool")
        run = spec.perform if not spec.is_async else lambda b: run_coroutine(spec.perform(b))
        return attempts.perform(self._session, attempt, run, bound)

    def close(self) -> None:
        self._closed = True
        page.wake(0)
