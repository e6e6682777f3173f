"""The door to the C++ scheduler: the same dozen functions natively and in wasm.

Natively `pysolate._core.Engine` (pybind11) has exactly these methods. In Pyodide the Embind class `Engine` of
`wasm/` has them in camelCase (`attemptOf`, `takeTrace`, ...); `engine.open_engine()` hides the difference.

Times are integer nanoseconds since the start of the run and never decrease. Ids are small positive integers, 0 is
"none". Only numbers and text cross: an event or a query is JSON text in the words of `core/trace/FORMAT.md`.

Errors: a refused input changes nothing and raises `EngineError` with what was wrong and where.
Thread rule: one thread at a time.
"""
from __future__ import annotations

from typing import Protocol

# States of a call as packed into the answers of `reach` and `consume`.
WAITING, READY, DISPATCHED, SETTLED_OK, SETTLED_FAILED, CONSUMED, DROPPED = range(7)


class EngineError(ValueError):
    """An input that the scheduler refused; it changed nothing."""


class Engine(Protocol):
    """One run's scheduler.

    The constructor takes the `run` event's fields as JSON text (`program`, `mode`, `clock`, `unit`, `speculate`,
    `policy`, `result_bytes`, `source`, and `total`, `early` budgets, -1 unlimited).
    """

    def input(self, now: int, text: str) -> int:
        """Any input event, as JSON text without `seq` and `t`: `{"k":"tool","name":...}`, `class`, `root`, `site`,
        `scope`, `scope_active`/`scope_dead`/`scope_closed`, `budget`, `fail`, `stopped`, `cancel`, `tick`, `note`,
        `end`, ... Ids of new things are given by the scheduler: returned, and 0 for inputs that introduce nothing."""

    def arrive(self, now: int, tool: int, site: int, scope: int, guess: bool, deps: str, order: str) -> int:
        """An *early* call, arguments not known yet; `deps`: call ids, comma separated ("" none). -> call id, or 0 if
        the early start was refused for good (contract, closed scope, opted out); the refusal is an event."""

    def args(self, now: int, call: int, key: int, preview: str) -> None:
        """The early call's arguments are known; `key` is the interned canonical form (0: not shareable)."""

    def reach(self, now: int, tool: int, site: int, scope: int, key: int, preview: str, order: str,
              parent: int) -> int:
        """Control arrived at a call. Promotes the oldest early call with the same tool, key and root version, or
        makes a new call. `parent`: attempt inside which it is made, or 0.
        -> `call * 16 + (8 if commands are waiting else 0) + state` (states above)."""

    def complete(self, now: int, attempt: int, nbytes: int, preview: str) -> None:
        """The attempt succeeded; `nbytes`: kept size of a plain result, 0 if the result is not plain."""

    def consume(self, now: int, call: int) -> int:
        """The program takes the outcome of a settled call. -> 8 if commands are waiting else 0."""

    def state_of(self, call: int) -> int:
        """State of a call (above)."""

    def attempt_of(self, call: int) -> int:
        """The attempt a call is bound to, 0 if none."""

    def commands(self) -> str:
        """What the host has to do or know since the last call, as JSON text (`""` if nothing), in order:
        `["dispatch", attempt, call]`, `["cancel", attempt]` (ask the work to stop; exactly once),
        `["settle", call, attempt, ok]`, `["skip", call, by]`, `["drop", call]` (discarded or cancelled),
        `["evict", attempt]` (forget its kept result), `["lost", attempt]` (a later answer will be ignored),
        `["deadline", attempt]` (its contract's deadline passed: a `settle` of one of its calls with ok=false that
        follows has no outcome of the host, the failure is the deadline). All in one JSON array: `[["dispatch",1,1]]`."""

    def take_trace(self) -> str:
        """The JSON Lines written since the last call."""

    def next_deadline(self) -> int:
        """When a `tick` is due at the latest (ns), -1 if never."""

    def query(self, text: str) -> str:
        """A question as JSON text -> an answer as JSON text: `{"q":"ledger"}`, `{"q":"explain","call":7}`,
        `{"q":"frontier"}`, `{"q":"stats"}`, `{"q":"call","call":7}`, `{"q":"sites"}`."""


def open_engine(options: str) -> Engine:
    """The engine of this interpreter: native on CPython, the wasm core on Pyodide (after the page set it)."""
    import sys
    if sys.platform == "emscripten":
        from ._wasm_engine import WasmEngine
        return WasmEngine(options)
    from ._core import Engine as NativeEngine
    return NativeEngine(options)
