"""The scheduler of the wasm core, for Pyodide: the methods of `engine.Engine` over Embind's.

Every method of the JavaScript object is fetched once: a call then costs 0.6 us.
"""
from __future__ import annotations

from .engine import EngineError

_METHODS = {"input": "input", "arrive": "arrive", "args": "args", "reach": "reach", "complete": "complete",
            "consume": "consume", "state_of": "stateOf", "attempt_of": "attemptOf", "commands": "commands",
            "take_trace": "takeTrace", "next_deadline": "nextDeadline", "query": "query"}


class WasmEngine:
    def __init__(self, options: str):
        import _pysolate_page as page
        self._core = page.openEngine(options)
        self._error = getattr(self._core, "error", None)
        for ours, theirs in _METHODS.items():
            setattr(self, ours, getattr(self._core, theirs))
        self.raw_input = self.input
        self.input = self._input

    def _input(self, now, text):
        made = self.raw_input(now, text)
        if not made and self._error is not None:
            why = self._error()
            if why:
                raise EngineError(why)
        return made
