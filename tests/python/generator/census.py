"""What the programs are made of: so that we see that they are no toys."""
from __future__ import annotations

import ast
from collections import Counter

from .corpus import toolset
from .program import Program


class Census:
    def __init__(self):
        self.programs = 0
        self.uses, self.nodes, self.tools, self.endings = Counter(), Counter(), Counter(), Counter()
        self.calls, self.lines, self.drafts = [], [], 0
        self.failed_calls = self.failing = self.effects = self.all_kinds = self.rejected = 0
        self.won, self.schedules, self.run_calls = [], 0, Counter()

    def add(self, program: Program):
        record = program.record
        self.programs += 1
        self.drafts += program.tries
        self.uses.update(program.uses)
        self.nodes.update({type(n).__name__ for n in ast.walk(ast.parse(program.source))})
        self.tools.update(c["tool"] for c in record["calls"])
        self.calls.append(len(record["calls"]))
        self.lines.append(program.source.count("\n"))
        failed = sum(c["status"] == "error" for c in record["calls"])
        self.failed_calls += failed
        self.failing += bool(failed)
        self.rejected += bool(record["rejected"])
        self.effects += bool(record["ordered_log"])
        self.all_kinds += len({toolset.CONTRACTS[c["tool"]] for c in record["calls"]}) == 4
        self.endings[record["exception"]["type"] if record["exception"] else "ended well"] += 1

    def add_outcome(self, outcome):
        self.schedules += outcome.schedules
        self.won += outcome.won
        self.run_calls.update(outcome.calls)

    def merge(self, other: "Census"):
        for name, value in vars(other).items():
            mine = getattr(self, name)
            if isinstance(value, Counter):
                mine.update(value)
            else:
                setattr(self, name, mine + value)

    def report(self) -> str:
        n = max(1, self.programs)
        out = [f"{self.programs} programs ({self.drafts} drafts), {self.schedules} program-schedules"]
        out.append(f"lines of a program   {_spread(self.lines)}")
        out.append(f"calls of a program   {_spread(self.calls)}, 5 to 30 in {_share(sum(5 <= c <= 30 for c in self.calls), n)}")
        out.append(f"a call fails in {_share(self.failing, n)} of the programs ({_share(self.failed_calls, sum(self.calls))} of the calls), "
                   f"one is refused in {_share(self.rejected, n)}; effects or open reads in {_share(self.effects, n)}, all four effects in {_share(self.all_kinds, n)}")
        if self.won:
            out.append(f"sequential time saved: mean {100 * sum(self.won) / len(self.won):.1f} %, {_spread([round(100 * w) for w in self.won])}; "
                       f"a fifth or more in {_share(sum(w >= 0.2 for w in self.won), len(self.won))} of the runs")
            out.append("calls of the runs    " + ", ".join(f"{k} {v}" for k, v in self.run_calls.items()))
        out.append("how they end         " + ", ".join(f"{k} {_share(v, n)}" for k, v in self.endings.most_common(14)))
        total = sum(self.tools.values())
        out.append("calls by tool        " + ", ".join(f"{k} {_share(v, total)}" for k, v in self.tools.most_common()))
        out.append("programs that have   " + _columns([(k, _share(v, n)) for k, v in self.uses.most_common()]))
        known = {"Module", "Load", "Store", "Expr", "Name", "Constant", "Call", "Del", "alias", "arguments", "arg", "keyword"}
        out.append("syntax               " + _columns([(k, _share(v, n)) for k, v in self.nodes.most_common() if k not in known]))
        return "\n".join(out)


def _spread(values):
    if not values:
        return "none"
    v = sorted(values)
    at = lambda p: v[min(len(v) - 1, int(p * len(v)))]  # noqa: E731
    return f"least {v[0]}, quarter {at(.25)}, median {at(.5)}, three quarters {at(.75)}, most {v[-1]}"


def _share(part, whole):
    return f"{100 * part / max(1, whole):.0f} %" if part >= 0.01 * whole or not part else f"{100 * part / whole:.1f} %"


def _columns(pairs):
    cells = [f"{k} {v}" for k, v in pairs]
    width = max(map(len, cells)) + 2
    rows = [cells[i:i + 4] for i in range(0, len(cells), 4)]
    return "".join("\n    " + "".join(c.ljust(width) for c in row).rstrip() for row in rows)
