"""Runtimes that are wrong on purpose. A checker that misses one of them is no checker.

Each runs the program in order on the corpus' own toolset and does one thing wrong, mostly with the knowledge of the
calls that are coming (from the oracle's record), as an overlapping runtime would come to do it.
"""
from __future__ import annotations

import ast
import re

from .corpus import oracle, toolset
from .program import sequential
from .schedule import Schedule
from .subject import OBSERVATIONS, Observed

EARLY = toolset.EARLY_OK


class Straight:
    """No fault: the oracle in a runtime's clothes."""

    def __init__(self):
        self.name = type(self).__name__

    class Tools(toolset.Toolset):
        plan: list = []

    def sequential(self, source: str, name: str) -> Observed:
        return self._observe(toolset.Toolset, source, name, [])

    def overlap(self, source: str, name: str, schedule: Schedule, trace=False) -> Observed:
        return self._observe(self.Tools, source, name, sequential(source, name)["calls"])

    def prepare(self, source: str) -> str:
        return source

    def _observe(self, tools, source, name, plan) -> Observed:
        ts = tools(toolset.Latency(oracle.header(source)["latency"]))
        ts.plan = plan
        ts.ahead = {}
        record, _ = oracle.run_source(source if tools is toolset.Toolset else self.prepare(source), name, ts)
        if hasattr(ts, "finish"):
            ts.finish()
        return Observed({k: record[k] for k in OBSERVATIONS}, ts.clock)


class _Planned(toolset.Toolset):
    def next_call(self):
        n = len(self.calls) + 1
        return n, self.plan[n] if n < len(self.plan) else None

    def bound_of(self, call):
        names = list(toolset.SIGNATURES[call["tool"]].parameters)
        return dict(zip(names, call["args"]))

    def run_ahead(self, n, call):
        try:
            self.ahead[n] = True, self.world.perform(call["tool"], self.bound_of(call))
        except Exception as error:
            self.ahead[n] = False, error

    def invoke(self, tool, args, kwargs):
        n = len(self.calls)
        if n not in self.ahead:
            return super().invoke(tool, args, kwargs)
        ok, payload = self.ahead.pop(n)
        bound = toolset.bind(tool, args, kwargs)
        units = self.latency.units(tool, bound)
        self.calls.append({"tool": tool, "args": list(bound.values())})
        self.clock += units
        if ok:
            return payload
        raise payload


class EffectEarly(Straight):
    """A write whose arguments are known is started while the read above it still runs; the read fails."""

    _WRITE = re.compile(r"\s*(?:\w+ = )?(pay|db_write|send_email)(\(.*\))$")

    def overlap(self, source: str, name: str, schedule: Schedule, trace=False) -> Observed:
        lines = source.split("\n")

        class Tools(toolset.Toolset):
            def invoke(self, tool, args, kwargs):
                try:
                    return super().invoke(tool, args, kwargs)
                except Exception:
                    line = self.calls[-1]["line"] if self.calls else 0
                    for text in lines[line:line + 4] if toolset.CONTRACTS[tool] in EARLY and line else []:
                        if m := EffectEarly._WRITE.match(text):
                            try:
                                known = ast.literal_eval(m.group(2))
                                self.world.perform(m.group(1), toolset.bind(m.group(1), known, {}))
                            except Exception:
                                pass
                            break
                    raise

        return self._observe(Tools, source, name, [])


class EffectsSwapped(Straight):
    """Of two effects in a row the second goes first."""

    class Tools(_Planned):
        def invoke(self, tool, args, kwargs):
            n, coming = self.next_call()
            if coming and n - 1 not in self.ahead and toolset.CONTRACTS[tool] not in EARLY \
                    and toolset.CONTRACTS[coming["tool"]] not in EARLY:
                self.run_ahead(n, coming)
            return super().invoke(tool, args, kwargs)


class ResultShared(Straight):
    """Equal reads get the very same object."""

    class Tools(toolset.Toolset):
        def invoke(self, tool, args, kwargs):
            value = super().invoke(tool, args, kwargs)
            if toolset.CONTRACTS[tool] not in EARLY:
                return value
            return self.ahead.setdefault((tool, repr(self.calls[-1]["args"])), value)


class ArgumentsLate(Straight):
    """A write without a result is made at the next call, with its arguments as they are by then."""

    class Tools(toolset.Toolset):
        late = None

        def finish(self):
            if self.late:
                name, bound, objects = self.late
                self.late = None
                try:
                    self.world.perform(name, dict(zip(bound, [toolset.encode(name, k, v) for k, v in zip(bound, objects)])))
                except Exception:
                    pass

        def invoke(self, tool, args, kwargs):
            self.finish()
            if tool != "db_write" or kwargs or len(args) != 2 or not isinstance(args[0], str) or args[0].startswith("readonly"):
                return super().invoke(tool, args, kwargs)
            bound = toolset.bind(tool, args, kwargs)
            self.calls.append({"tool": tool, "args": list(bound.values())})
            self.clock += self.latency.units(tool, bound)
            self.late = tool, bound, args


class LaterFailureFirst(Straight):
    """Two calls in a row fail: the program sees the later one's error."""

    class Tools(_Planned):
        def invoke(self, tool, args, kwargs):
            n, coming = self.next_call()
            try:
                return super().invoke(tool, args, kwargs)
            except Exception:
                if coming and coming["status"] == "error" and toolset.CONTRACTS[coming["tool"]] in EARLY:
                    self.world.perform(coming["tool"], self.bound_of(coming))
                raise


class FailureIgnored(Straight):
    """A failing read whose value the program may not need doesn't raise."""

    class Tools(toolset.Toolset):
        def invoke(self, tool, args, kwargs):
            try:
                return super().invoke(tool, args, kwargs)
            except (RuntimeError, KeyError, OSError):
                if toolset.CONTRACTS[tool] in EARLY:
                    return None
                raise


class ContextLeaks(Straight):
    """The error is raised while the runtime handles one of its own."""

    class Tools(toolset.Toolset):
        def invoke(self, tool, args, kwargs):
            try:
                raise LookupError("no attempt yet")
            except LookupError:
                return super().invoke(tool, args, kwargs)


class OpenReadKept(Straight):
    """A read of something that changes is answered from before."""

    class Tools(toolset.Toolset):
        def invoke(self, tool, args, kwargs):
            key = (tool, repr(args))
            if toolset.CONTRACTS[tool] == "open_read" and key in self.ahead:
                return self.ahead[key]
            self.ahead[key] = value = super().invoke(tool, args, kwargs)
            return value


class WriteRepeated(Straight):
    """A write that failed is tried again."""

    class Tools(toolset.Toolset):
        def invoke(self, tool, args, kwargs):
            try:
                return super().invoke(tool, args, kwargs)
            except (PermissionError, ValueError):
                if toolset.CONTRACTS[tool] == "external_write":
                    return super().invoke(tool, args, kwargs)
                raise


class ObjectsTouched(Straight):
    """Looks at argument objects with their own methods."""

    class Tools(toolset.Toolset):
        def invoke(self, tool, args, kwargs):
            for value in args:
                str(value), value == 0
            return super().invoke(tool, args, kwargs)


class LinesMoved(Straight):
    """Runs a rewritten program whose lines are elsewhere."""

    def prepare(self, source: str) -> str:
        tree = ast.parse(source)
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef):
                node.body.insert(0, ast.Pass())
        return ast.unparse(tree)


class LoopVariableLate(Straight):
    """Comprehensions are evaluated ahead and bind their variable in the module."""

    def prepare(self, source: str) -> str:
        names = {n.id for c in ast.walk(ast.parse(source)) if isinstance(c, ast.comprehension)
                 for n in ast.walk(c.target) if isinstance(n, ast.Name)}
        return source + "".join(f"\n{name} = globals().get({name!r}, 0)" for name in sorted(names))


class Slow(Straight):
    """Under a small budget it takes longer than one call after the other."""

    def overlap(self, source, name, schedule, trace=False):
        got = super().overlap(source, name, schedule)
        if schedule.budget == 2:
            got.makespan += 1
        return got


class LedgerOpen(Straight):
    """An attempt is not booked."""

    def overlap(self, source, name, schedule, trace=False):
        got = super().overlap(source, name, schedule)
        got.balanced = got.makespan % 3 != 0
        return got


class Stuck(Straight):
    """After a failure it waits for a completion that will not come."""

    class Tools(toolset.Toolset):
        def invoke(self, tool, args, kwargs):
            if any(c["status"] == "error" for c in self.calls):
                while True:
                    pass
            return super().invoke(tool, args, kwargs)


FAULTS = [EffectEarly, EffectsSwapped, ResultShared, ArgumentsLate, LaterFailureFirst, FailureIgnored, ContextLeaks,
          OpenReadKept, WriteRepeated, ObjectsTouched, LinesMoved, LoopVariableLate, Slow, LedgerOpen, Stuck]
