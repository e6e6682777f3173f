"""A seed -> a program: header, imports, helpers, then the main part, at module level or in a `main()`."""
from __future__ import annotations

import ast
from dataclasses import dataclass, field

from . import stock
from .corpus import oracle, toolset
from .idioms import Idioms
from .sandbox import guarded, step_limit


@dataclass
class Program:
    seed: int
    source: str
    record: dict                    # of the sequential oracle
    uses: frozenset = frozenset()   # constructs that were written
    tries: int = 1
    name: str = field(default="")

    def __post_init__(self):
        self.name = self.name or f"random-{self.seed}.py"


HEADER_LINES = 2
MAX_CALLS = 90
MAX_STEPS = 6000


class Writer(Idioms):
    def write(self) -> str:
        imports_at = len(self.lines)
        if self.chance(0.12):
            self.out('"""Collects a few facts and writes a report."""')
            imports_at = len(self.lines)
        uses = []
        for maker, p in [(self.i_decorator, 0.08), (self.i_context_manager, 0.25), (self.i_helper, 0.55), (self.i_helper, 0.35),
                         (self.i_helper, 0.2), (self.i_closure, 0.2), (self.i_recursive, 0.22)]:
            if self.chance(p):
                use = maker()
                if use:
                    uses.append(use)
        inside = self.chance(0.22)
        if inside:
            self.use("main function")
            self.blank()
            with self.function("def main():", [], returns="int", cost=self.purse):
                self.main_part(uses)
                if self.chance(0.5):
                    self.out(f"return {self.expr('int', 1)}")
            self.blank()
            self.out(self.choose(["main()", "print(main())", 'if __name__ == "__main__":\n    main()',
                                  'if __name__ == "__main__":\n    raise SystemExit(main())']))
        else:
            self.main_part(uses)
        body = self.lines[:imports_at] + sorted(self.imports) + ([""] if self.imports else []) + self.lines[imports_at:]
        return "\n".join(self.header() + body).rstrip("\n") + "\n"

    def main_part(self, uses):
        if self.chance(0.5):
            for _ in range(self.number(1, 2)):
                kind = self.choose(["sku", "path", "url", "word", "query", "uid", "label"])
                name = self.fresh(("list", kind))
                self.out(f"{name} = {self.literal_list(kind)}")
                self.bind(name, ("list", kind))
        for text, kind in uses:
            name = self.fresh(kind)
            self.out(f"{name} = {text}")
            self.bind(name, kind)
        idioms = [(2, self.i_generator), (2.2, self.i_generator_expression), (1.2, self.i_dataclass), (2, self.i_dunder), (2, self.i_hostile),
                  (0.7, self.i_shadow), (1.2, self.i_collections), (1.6, self.i_pipeline), (0.5, self.i_exit), (1, self.i_helper), (0.6, self.i_closure)]
        for _ in range(self.number(self.size // 2, self.size)):
            if self.purse <= 0 and self.chance(0.6):
                break
            if self.chance(0.2):
                self.weighted(idioms)()
            else:
                self.statement()
        self.s_print()
        if self.chance(0.5):
            self.s_effect()

    def header(self) -> list[str]:
        tools = self.rng.sample(sorted(toolset.CONTRACTS), self.number(2, 6))
        first = "# latency: " + " ".join(f"{t}={self.number(1, 6)}" for t in tools)
        items = []
        for _ in range(self.number(1, 3)):
            tool, kind = self.choose([("fetch", "url"), ("workspace.read_text", "path"), ("flaky", "flake"), ("search", "query")])
            pool = stock.LITERALS[kind] + stock.BROKEN.get(kind, [])
            items.append(f"{tool}({self.choose(pool)!r})={self.number(1, 12)}")
        return [first, "# latency: " + " ".join(items)]


class Rejected(Exception):
    """This draft is no program for us (too many calls, or it would not stop)."""


class _Bounded(toolset.Toolset):
    def invoke(self, tool, args, kwargs):
        if len(self.calls) >= MAX_CALLS:
            raise _Overrun()
        return super().invoke(tool, args, kwargs)


class _Overrun(BaseException):
    pass


def sequential(source: str, name: str) -> dict:
    """The oracle's record; raises Rejected for a program that calls too often."""
    bounded = _Bounded(toolset.Latency(oracle.header(source)["latency"]))
    with guarded(), step_limit(name, MAX_STEPS):
        record, _ = oracle.run_source(source, name, bounded)
    if len(record["calls"]) >= MAX_CALLS or record["exception"] and record["exception"]["type"] in ("_Overrun", "StepLimit", "MemoryError", "RecursionError"):
        raise Rejected("runs too long")
    return record


def make_program(seed: int, size: int | None = None) -> Program:
    """The program of that seed. Drafts that are dull, too busy or not syntax are thrown away, deterministically."""
    for draft in range(200):
        writer = Writer(seed * 1000 + draft, 0)
        writer.size = size or writer.weighted([(2, 4), (4, 7), (3, 10), (1.5, 15), (0.5, 22)])
        writer.purse = 8 + 3 * writer.size
        source = writer.write()
        name = f"random-{seed}.py"
        try:
            compile(source, name, "exec")
        except SyntaxError as error:      # what only the compiler knows: a walrus where it may not be
            if not str(error).startswith(("assignment expression", "name '", "no binding")):
                raise AssertionError(f"seed {seed}, draft {draft}: {error}\n{source}") from error
            continue
        try:
            record = sequential(source, name)
        except Rejected:
            continue
        calls = len(record["calls"])
        keep = 0.05 if calls < 2 else 0.4 if calls < 5 else 1.0
        early_death = record["exception"] is not None and (record["exception"]["line"] or 0) < 0.5 * source.count("\n")
        if early_death:
            keep *= 0.35
        if writer.chance(keep):
            return Program(seed, source, record, frozenset(writer.uses), draft + 1, name)
    raise AssertionError(f"seed {seed}: no draft was good enough")
