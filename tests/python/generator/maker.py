"""The writer's desk: text being written, names in scope, and how much may still be called.

Termination is by construction: every loop runs over a finite list or counts, every recursion carries a depth, endless
generators are read through a bound. `mult` is the (estimated) number of times the place being written will run; calls
are paid from a purse at that price, so that nested loops do not explode.
"""
from __future__ import annotations

import contextlib
import random
from dataclasses import dataclass, field

from . import stock


@dataclass
class Var:
    name: str
    kind: object
    frame: int              # which function it lives in (0: module)
    constant: bool = False  # never assign to it again


@dataclass
class Function:
    name: str
    params: list            # kinds
    result: object
    cost: int               # calls it makes at most, roughly
    generator: bool = False
    keywords: dict = field(default_factory=dict)


@dataclass
class Place:
    """Where we are writing: what may be said here."""
    frame: int = 0
    loop: bool = False          # break and continue are allowed
    returns: object = None      # kind to return, None outside of functions
    generator: bool = False
    depth: int = 0


class Maker:
    def __init__(self, seed: int, size: int):
        self.rng = random.Random(seed)
        self.size = size
        self.lines: list[str] = []
        self.indent = 0
        self.imports: set[str] = set()
        self.vars: list[Var] = []
        self.functions: list[Function] = []
        self.classes: set[str] = set()
        self.taken: set[str] = set()
        self.place = Place()
        self.mult = 1
        self.purse = 10 + 3 * size
        self.uses: set[str] = set()

    # ---- chance ------------------------------------------------------------------------------------------------------
    def chance(self, p: float) -> bool:
        return self.rng.random() < p

    def choose(self, options):
        return self.rng.choice(options)

    def weighted(self, options):
        """[(weight, thing)] -> thing; weights of 0 are never taken."""
        total = sum(w for w, _ in options)
        at = self.rng.random() * total
        for w, thing in options:
            at -= w
            if at < 0 and w:
                return thing
        return options[-1][1]

    def number(self, low, high):
        return self.rng.randint(low, high)

    # ---- text --------------------------------------------------------------------------------------------------------
    def out(self, text: str):
        for line in text.split("\n"):
            self.lines.append("    " * self.indent + line if line else "")

    def blank(self):
        if self.lines and self.lines[-1] != "":
            self.lines.append("")

    @contextlib.contextmanager
    def block(self, head: str, *, keep=False, loop=None, times=1):
        """A compound statement's suite. Names bound inside are forgotten after it, unless `keep`."""
        self.out(head)
        before, place = len(self.vars), self.place
        self.place = Place(place.frame, place.loop if loop is None else loop, place.returns, place.generator,
                           place.depth + 1)
        self.mult *= times
        self.indent += 1
        start = len(self.lines)
        try:
            yield
        finally:
            if len(self.lines) == start:
                self.out("pass")
            self.indent -= 1
            self.mult = max(1, self.mult // times)
            self.place = place
            if not keep:
                del self.vars[before:]

    @contextlib.contextmanager
    def function(self, head: str, params, *, returns=None, generator=False, cost=6):
        """A function's suite: a frame of its own, and a purse of its own."""
        self.out(head)
        outer_vars, place, mult, purse = list(self.vars), self.place, self.mult, self.purse
        frame = place.frame + 1
        self.place = Place(frame, False, returns, generator, 0)
        self.mult, self.purse = 1, cost
        hidden = {name for name, _ in params}
        self.vars = [v for v in self.vars if v.name not in hidden]
        self.vars += [Var(name, kind, frame) for name, kind in params]
        self.indent += 1
        start = len(self.lines)
        try:
            yield
        finally:
            if len(self.lines) == start:
                self.out("pass")
            self.indent -= 1
            self.vars, self.place, self.mult, self.purse = outer_vars, place, mult, purse

    @contextlib.contextmanager
    def element(self, name: str, kind, times=3):
        """`name` is bound in the expression being written (comprehension, lambda)."""
        self.vars.append(Var(name, kind, self.place.frame, True))
        self.mult *= times
        try:
            yield
        finally:
            self.mult = max(1, self.mult // times)
            self.vars.remove(next(v for v in reversed(self.vars) if v.name == name))

    # ---- names -------------------------------------------------------------------------------------------------------
    def fresh(self, kind) -> str:
        """A new name that suits the kind."""
        if isinstance(kind, tuple):
            if kind[0] == "list":
                pool = [stock.LIST_NAMES.get(kind[1], "items"), "rows", "found"]
            elif kind[0] == "dict":
                pool = ["table", "by_name", "index"]
            else:
                pool = ["pair", "entry"]
        else:
            pool = stock.NAMES.get(kind, ["value", "result", "got"])
        for name in self.rng.sample(pool, len(pool)):
            if name not in self.taken:
                self.taken.add(name)
                return name
        base = self.choose(pool)
        n = 2
        while f"{base}{n}" in self.taken or f"{base}_{n}" in self.taken:
            n += 1
        name = f"{base}{n}" if self.chance(0.5) else f"{base}_{n}"
        self.taken.add(name)
        return name

    def named(self, *pool: str) -> str:
        """A new name from the pool (functions, classes, helpers)."""
        free = [n for n in pool if n not in self.taken]
        if free:
            name = self.choose(free)
        else:
            base, n = self.choose(pool), 2
            while f"{base}_{n}" in self.taken:
                n += 1
            name = f"{base}_{n}"
        self.taken.add(name)
        return name

    def bind(self, name: str, kind, constant=False):
        self.vars.append(Var(name, kind, self.place.frame, constant))

    def unbind(self, name: str):
        self.vars = [v for v in self.vars if v.name != name]

    def of_kind(self, kind, *, own=False, writable=False) -> list[Var]:
        found = []
        for v in self.vars:
            if own and v.frame != self.place.frame:
                continue
            if writable and v.constant:
                continue
            if v.kind == kind or (kind == "str" and v.kind in stock.STRINGS) or (
                    kind == "text" and v.kind in ("line", "text")):
                found.append(v)
        return found

    def hot(self, kind) -> str | None:
        """A name of that kind, the newest most often: so loop variables and fresh results are used."""
        found = self.of_kind(kind)
        if not found:
            return None
        if self.chance(0.65):
            return found[-1].name
        return self.choose(found).name

    # ---- calls -------------------------------------------------------------------------------------------------------
    def afford(self, calls=1) -> bool:
        return self.purse >= calls * self.mult

    def pay(self, calls=1):
        self.purse -= calls * self.mult

    def use(self, construct: str):
        self.uses.add(construct)

    def need(self, statement: str):
        self.imports.add(statement)
