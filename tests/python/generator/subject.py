"""The runtime under test, seen from the checker."""
from __future__ import annotations

from dataclasses import dataclass, field

from .corpus import toolset
from .schedule import Schedule

OBSERVATIONS = ("stdout", "exception", "bindings", "effects", "ordered_log")


@dataclass
class Observed:
    """What one run let the program and its user see, and what it cost."""
    record: dict                    # the OBSERVATIONS
    makespan: float = 0
    balanced: bool = True
    ledger: dict = field(default_factory=dict)
    calls: dict = field(default_factory=dict)
    attempts: int = 0
    traceback: str | None = None    # the uncaught exception as Python prints it
    trace: str | None = None


class Pysolate:
    """`pysolate.run` in virtual time."""

    name = "pysolate"

    def __init__(self):
        import pysolate
        from pysolate.toolset import Toolset
        self._run, self._toolset = pysolate.run, Toolset

    def sequential(self, source: str, name: str) -> Observed:
        return self._observe(source, name, mode="sequential")

    def overlap(self, source: str, name: str, schedule: Schedule, trace=False) -> Observed:
        return self._observe(source, name, budget=schedule.budget, speculate=schedule.speculate,
                             order_seed=schedule.order_seed, trace=trace, limits=self._limits(schedule.fuel))

    @staticmethod
    def _limits(fuel: int | None):
        """A scout's limits that go with so many steps, None: its own."""
        if fuel is None:
            return None
        from pysolate.scout import Limits
        return Limits(steps=fuel, turn_steps=max(1, fuel // 2), guess_steps=max(1, fuel // 10),
                      outstanding=max(1, fuel // 40), window=max(1, fuel // 100), ghosts=max(1, fuel // 100),
                      depth=min(40, 2 + fuel // 100))

    def _observe(self, source, name, **options) -> Observed:
        run = self._run(source, self._toolset(toolset, source, "toolset"), virtual=True, program=name, **options)
        report = run.report
        return Observed({k: report[k] for k in OBSERVATIONS}, report["makespan"], bool(report["ledger"]["balanced"]),
                        report["ledger"], report["calls"], report["attempts"], run.format_exception(), run.trace)
