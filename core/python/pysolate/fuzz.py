"""Order fuzzing: does a program observe the same whatever call completes first?"""
from __future__ import annotations

import random
import zlib
from collections.abc import Mapping
from dataclasses import dataclass

from ._own import __builtins__
from .runtime import Run, run
from .toolset import Toolset

OBSERVED = ("stdout", "exception", "bindings", "effects", "ordered_log")


@dataclass
class Difference:
    """One order in which the program observed something else than in sequential mode."""
    seed: int
    field: str
    expected: object
    got: object
    run: Run

    def __str__(self):
        return f"order seed {self.seed}: {self.field} is {self.got!r}, sequentially {self.expected!r}"


@dataclass
class FuzzResult:
    """What `fuzz_orders` found. True if all orders agree."""
    orders: int
    difference: Difference | None
    expected: Run

    def __bool__(self):
        return self.difference is None

    def __str__(self):
        if self.difference is None:
            return f"all {self.orders} orders agree with the sequential run"
        return str(self.difference)


def fuzz_orders(source: str, tools, n: int = 100, *, seed: int = 0, latency=None, **how) -> FuzzResult:
    """Runs a program in virtual time under `n` completion orders and compares each with its sequential run.

    tools    as for `run`; or a function without parameters that makes them anew for every run, which you want as soon
             as they keep state: every tool is really called, once and again
    latency  name -> units as for `run`; without it every call gets a random latency of its own for each order
    how      further arguments of `run` (budget, speculate, contracts, ...)

    -> FuzzResult: true if all agree, else it holds the first order that does not, with its seed.
    """
    expected = _run(source, tools, None, latency, {**how, "mode": "sequential"})
    right = _observed(expected)
    for i in range(n):
        order = seed + i
        got = _run(source, tools, order, latency, how)
        for field, value in _observed(got).items():
            if value != right[field]:
                return FuzzResult(i + 1, Difference(order, field, right[field], value, got), expected)
    return FuzzResult(n, None, expected)


def _run(source, tools, order, latency, how):
    made = tools() if callable(tools) and not isinstance(tools, (Mapping, Toolset)) else tools
    if isinstance(made, Toolset):
        return run(source, made, virtual=True, order_seed=order, **how)
    if latency is None:
        def units(name, bound):
            return random.Random(zlib.crc32(f"{order} {name} {bound!r}".encode("utf-8", "replace"))).randint(1, 9)
    else:
        units = latency
    return run(source, made, latency=units, order_seed=order, **how)


def _observed(result: Run) -> dict:
    found = {field: result.report[field] for field in OBSERVED}
    found["traceback"] = result.format_exception()
    return found
