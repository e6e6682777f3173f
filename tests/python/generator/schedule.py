"""A schedule: everything about a run that the program must not be able to notice."""
from __future__ import annotations

import random
import re
from dataclasses import dataclass

from .corpus import oracle, toolset

BUDGETS = (1, 2, 3, 4, 8, None)
FUELS = (1, 20, 100, 400, 1500, 4000)      # scouts that run dry in the middle of things
_PLAIN = re.compile(r"[\w./:@ -]+")


@dataclass(frozen=True)
class Schedule:
    budget: int | None = None
    order_seed: int = 0
    speculate: bool = False
    latency: tuple[str, ...] | None = None      # `# latency:` items in place of the program's own; None: its own
    fuel: int | None = None                     # steps that the scout may take; None: as many as by default

    def apply(self, source: str) -> str:
        """The program with this schedule's latencies; no line moves."""
        if self.latency is None:
            return source
        lines = source.split("\n")
        at = [i for i, line in enumerate(lines[:8]) if line.startswith("# latency:")]
        for i in at:
            lines[i] = "# latency:"
        if at:
            lines[at[0]] = "# latency: " + " ".join(self.latency)
        return "\n".join(lines)

    def words(self) -> str:
        return (f"budget={'unlimited' if self.budget is None else self.budget} order_seed={self.order_seed}"
                f"{' speculate' if self.speculate else ''}{f' fuel={self.fuel}' if self.fuel is not None else ''}")

    @staticmethod
    def parse(words: str) -> "Schedule":
        found = dict(w.partition("=")[::2] for w in words.split())
        budget = found.get("budget", "unlimited")
        return Schedule(None if budget == "unlimited" else int(budget), int(found.get("order_seed", "0")),
                        "speculate" in found, fuel=int(found["fuel"]) if "fuel" in found else None)


def schedule_of(seed: int, index: int, record: dict, hostile=False) -> Schedule:
    """The index-th schedule of a program; half of them change the latencies too, some of single calls, and most
    leave the scout little fuel. A hostile program keeps its latencies: the toolset compares its arguments with them, and
    its `__eq__` prints."""
    rng = random.Random(f"{seed}/{index}")
    budget = rng.choice(BUDGETS)
    latency = None
    if rng.random() < 0.5:
        items = [f"{tool}={rng.randint(1, 7)}" for tool in toolset.CONTRACTS if rng.random() < 0.8]
        calls = [c for c in record["calls"] if c["args"] and type(c["args"][0]) is str and _PLAIN.fullmatch(c["args"][0])]
        for call in rng.sample(calls, min(len(calls), rng.randint(0, 4))):
            items.append(f"{call['tool']}({call['args'][0]!r})={rng.choice([1, 2, 9, 15])}")
        latency = tuple(items)
    if hostile:
        latency = None
    order = rng.randrange(1 << 30)
    fuel = rng.choice(FUELS) if rng.random() < 0.8 else None
    return Schedule(budget, order, index % 2 == 1, latency, fuel)


def sequential_units(record: dict, source: str) -> int:
    """What the sequential run of `source` takes, with the calls of the record and the latencies of the source."""
    table = toolset.Latency(oracle.header(source)["latency"])
    return sum(table.units(c["tool"], dict(enumerate(c["args"]))) for c in record["calls"])
