"""The scheduler of the wasm core, for Pyodide: the methods of `engine.Engine` over Embind's.

Every method of the JavaScript object is fetched once: a call then costs 0.6 us. A refused input is found by its answer
where that is unambiguous, so that no second call is needed for a good one.
"""
from __future__ import annotations

from ._own import __builtins__
from .engine import EngineError


class WasmEngine:
    def __init__(self, options: str):
        import _pysolate_page as page
        core = self._core = page.openEngine(options)
        self._error = core.error
        self._raise_if_refused()
        self._input, self._reach = core.input, core.reach
        self._args, self._complete = core.args, core.complete
        self.arrive = core.arrive
        self.consume = core.consume
        self.state_of = core.stateOf
        self.attempt_of = core.attemptOf
        self.commands = core.commands
        self.take_trace = core.takeTrace
        self.next_deadline = core.nextDeadline
        self.query = core.query

    def _raise_if_refused(self):
        why = self._error()
        if why:
            raise EngineError(why)

    def input(self, now, text):
        made = self._input(now, text)
        if not made:
            self._raise_if_refused()
        return made

    def reach(self, *call):
        answer = self._reach(*call)
        if not answer:
            self._raise_if_refused()
        return int(answer)

    def args(self, now, call, key, preview):
        self._args(now, call, key, preview)
        self._raise_if_refused()

    def complete(self, now, attempt, nbytes, preview):
        self._complete(now, attempt, nbytes, preview)
        self._raise_if_refused()
