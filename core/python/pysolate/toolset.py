"""Toolsets: a file that defines tools with numeric latencies, for `--toolset FILE.py`.

    CONTRACTS: dict[str, str | mapping]   tool -> effect or contract; `a.b` is method `b` of global `a`
    bind(tool, args, kwargs) -> dict      parameters by name; raises TypeError before anything is dispatched
    World()                               one per run; `.perform(tool, bound)` is one physical call, `.effects` the
                                          external writes so far, `.ordered` (optional) writes and open reads
    Latency(lines).units(tool, bound)     units of an attempt; `lines` are the program's `# latency:` headers
"""
from __future__ import annotations

import asyncio
import importlib.util
import os
import re
import sys

from ._own import __builtins__
from .contracts import Contract, ToolSpec


class ToolsetError(ValueError):
    """The file is no toolset. The text says what is missing or wrong."""


class Toolset:
    """A toolset bound to one program: one World, one Latency."""

    def __init__(self, module, source: str, where: str = "toolset"):
        for name in ("CONTRACTS", "bind", "World", "Latency"):
            if not hasattr(module, name):
                raise ToolsetError(f"{where}: a toolset must define {name}")
        self._bind = module.bind
        self.world = module.World()
        try:
            self._latency = module.Latency(headers(source)["latency"])
        except ValueError as e:
            raise ToolsetError(f"bad `# latency:` header: {e}") from e
        self._contracts = {}
        for name, given in module.CONTRACTS.items():
            try:
                self._contracts[name] = Contract.of(given)
            except (TypeError, ValueError) as e:
                raise ToolsetError(f"{where}: CONTRACTS[{name!r}]: {e}") from e

    def units(self, name: str, bound: dict):
        return self._latency.units(name, bound)

    def specs(self, real_unit: float | None = None) -> dict[str, ToolSpec]:
        """The tools. `real_unit`: seconds that a unit really takes; None: the host counts the units itself."""
        return {name: self._spec(name, contract, real_unit) for name, contract in self._contracts.items()}

    def _spec(self, name, contract, real_unit):
        bind, world = self._bind, self.world

        def bind_here(args, kwargs):
            return bind(name, args, kwargs)

        if real_unit is None:
            return ToolSpec(name, contract, bind_here, lambda bound: world.perform(name, bound))

        async def perform(bound):
            await asyncio.sleep(self.units(name, bound) * real_unit)
            return world.perform(name, bound)

        return ToolSpec(name, contract, bind_here, perform, is_async=True)

    @property
    def effects(self) -> list:
        return self.world.effects

    @property
    def ordered(self) -> list:
        return getattr(self.world, "ordered", self.world.effects)


def load(path: str):
    """The module of a toolset file."""
    if not os.path.isfile(path):
        raise ToolsetError(f"{path}: no such file")
    name = "pysolate_toolset_" + re.sub(r"\W", "_", os.path.basename(path))
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ToolsetError(f"{path}: not a Python file")
    module = importlib.util.module_from_spec(spec)
    folder = os.path.dirname(os.path.abspath(path))
    sys.path.insert(0, folder)
    try:
        spec.loader.exec_module(module)
    except Exception as e:
        raise ToolsetError(f"{path}: {type(e).__name__}: {e}") from e
    finally:
        sys.path.remove(folder)
    return module


def headers(source: str) -> dict:
    """The header comments of a program that mean something to a run: latency lines and a budget."""
    found: dict = {"latency": [], "budget": None, "ideal_units": None, "v1_units": None}
    for line in source.splitlines():
        m = re.match(r"#\s*(latency|budget|ideal_units|v1_units):\s*(.*)$", line)
        if m:
            key, value = m.group(1), m.group(2).strip()
            if key == "latency":
                found[key].append(value)
            else:
                try:
                    found[key] = int(value)
                except ValueError:
                    raise ToolsetError(f"`# {key}:` wants a whole number, not {value!r}") from None
        elif line.strip() and not line.startswith("#"):
            break
    return found
