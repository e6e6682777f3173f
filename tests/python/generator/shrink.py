"""Makes a failing program small: drops statements, unwraps blocks, replaces expressions, while it still fails.

Works on the syntax tree; after each accepted edit the text is the tree written anew, so an edit is named by the place
of a node in `ast.walk` order. The leading `# latency:` lines are kept apart.
"""
from __future__ import annotations

import ast
import warnings
from dataclasses import replace

from .schedule import Schedule


class _Budget(Exception):
    pass


class Shrinker:
    """`fails(source) -> bool` must be true for the source given."""

    def __init__(self, source: str, fails, tries: int = 1500):
        self._fails, self._left = fails, tries
        lines = source.split("\n")
        n = 0
        while n < len(lines) and lines[n].startswith("#"):
            n += 1
        self.header, self.body = lines[:n], "\n".join(lines[n:])

    @property
    def source(self) -> str:
        return self._text(self.header, self.body)

    @staticmethod
    def _text(header, body):
        return "\n".join(header + [body.strip("\n")]) + "\n"

    def run(self) -> str:
        try:
            plain = ast.unparse(ast.parse(self.body))
            if not self._accept(body=plain):
                self._whole_lines()
                return self.source
            while True:
                before = self.source
                self._statements()
                self._unwrap()
                self._parts()
                self._expressions()
                self._headers()
                if self.source == before:
                    return before
        except _Budget:
            return self.source

    def _accept(self, *, header=None, body=None) -> bool:
        header, body = self.header if header is None else header, self.body if body is None else body
        text = self._text(header, body)
        if text == self.source:
            return False
        if self._left <= 0:
            raise _Budget
        self._left -= 1
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                compile(text, "candidate", "exec")
        except (SyntaxError, ValueError):
            return False
        if not self._fails(text):
            return False
        self.header, self.body = header, body
        return True

    def _try(self, edit) -> bool:
        """edit(nodes) changes the tree in place (False: nothing to do)."""
        tree = ast.parse(self.body)
        if edit(list(ast.walk(tree))) is False:
            return False
        try:
            text = ast.unparse(ast.fix_missing_locations(tree))
        except Exception:
            return False
        return self._accept(body=text)

    def _whole_lines(self):
        lines = self.body.split("\n")
        i = len(lines) - 1
        while i >= 0:
            shorter = lines[:i] + lines[i + 1:]
            if self._accept(body="\n".join(shorter)):
                lines = shorter
            i -= 1

    # ---- the passes --------------------------------------------------------------------------------------------------
    def _suites(self):
        for at, node in enumerate(ast.walk(ast.parse(self.body))):
            for field in ("body", "orelse", "finalbody", "handlers", "cases"):
                suite = getattr(node, field, None)
                if isinstance(suite, list) and suite:
                    yield at, field, len(suite)

    def _statements(self):
        """Delta debugging on every suite, the outermost first."""
        done = set()
        while True:
            todo = [s for s in self._suites() if s[:2] not in done]
            if not todo:
                return
            at, field, n = todo[0]
            done.add((at, field))
            size = n
            while size >= 1:
                start = 0
                while start < n:
                    def cut(nodes, start=start, size=size):
                        suite = getattr(nodes[at], field)
                        del suite[start:start + size]
                        if not suite and field == "body":
                            if isinstance(nodes[at], ast.Module):
                                return
                            suite.append(ast.Pass())
                        if isinstance(nodes[at], ast.Try) and not nodes[at].handlers and not nodes[at].finalbody:
                            return False
                    if self._try(cut):
                        n -= min(size, n - start)
                        if n == 0:
                            break
                    else:
                        start += size
                size //= 2

    def _unwrap(self):
        """A compound statement gives way to one of its suites."""
        again = True
        while again:
            again = False
            for at, field, n in list(self._suites()):
                for index in reversed(range(n)):
                    for inner in ("body", "orelse", "finalbody", "handlers"):
                        def hoist(nodes, index=index, inner=inner):
                            suite = getattr(nodes[at], field, None)
                            if not isinstance(suite, list) or index >= len(suite):
                                return False
                            node = suite[index]
                            if not isinstance(node, ast.stmt) or not getattr(node, inner, None):
                                return False
                            if isinstance(node, (ast.ClassDef,)):
                                return False
                            part = getattr(node, inner)
                            if inner == "handlers":
                                part = part[0].body
                            suite[index:index + 1] = part
                        if self._try(hoist):
                            again = True
                            break
                    if again:
                        break
                if again:
                    break

    def _parts(self):
        """Optional parts of nodes: decorators, defaults, arguments, conditions of comprehensions."""
        fields = ("decorator_list", "keywords", "args", "ifs", "elts", "values", "items", "targets", "names", "ops",
                  "comparators", "generators", "defaults", "kw_defaults", "handlers")
        for at in reversed(range(len(list(ast.walk(ast.parse(self.body)))))):
            for field in fields:
                index = 0
                while True:
                    def drop(nodes, index=index):
                        if at >= len(nodes):
                            return False
                        part = getattr(nodes[at], field, None)
                        if not isinstance(part, list) or index >= len(part):
                            return False
                        node = nodes[at]
                        del part[index]
                        if isinstance(node, ast.Dict):
                            del node.keys[index]
                        if isinstance(node, ast.Compare):
                            (node.comparators if field == "ops" else node.ops).pop(index)
                            if not node.ops:
                                return False
                        if not part and field in ("targets", "names", "generators") or not part and field == "items" \
                                or isinstance(node, ast.BoolOp) and len(part) < 2:
                            return False
                        if isinstance(node, ast.Try) and not node.handlers and not node.finalbody:
                            return False
                    tree = ast.parse(self.body)
                    nodes = list(ast.walk(tree))
                    if at >= len(nodes) or not isinstance(getattr(nodes[at], field, None), list) \
                            or index >= len(getattr(nodes[at], field)):
                        break
                    if not self._try(drop):
                        index += 1

    _CONSTANTS = ("None", "0", "''", "[]", "1")

    def _expressions(self):
        """An expression gives way to a part of it or to a constant."""
        at = 0
        while True:
            places = list(_expression_places(ast.parse(self.body)))
            if at >= len(places):
                return
            node = places[at][3]
            options: list = []
            if not isinstance(node, (ast.Constant, ast.Name)):
                options += [child for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr)][:4]
                if isinstance(node, (ast.ListComp, ast.GeneratorExp, ast.SetComp)):
                    options.append(node.generators[0].iter)
                options += [ast.parse(c, mode="eval").body for c in self._CONSTANTS]
            elif isinstance(node, ast.Name):
                options += [ast.parse(c, mode="eval").body for c in self._CONSTANTS[:3]]
            elif isinstance(node.value, str) and len(node.value) > 1 and not isinstance(places[at][0], ast.JoinedStr):
                options += [ast.Constant(""), ast.Constant("x")]
            changed = False
            for option in options:
                if ast.dump(option) == ast.dump(node):
                    continue

                def put(nodes, option=option):
                    tree = nodes[0]
                    parent, field, index, _ = list(_expression_places(tree))[at]
                    if index is None:
                        setattr(parent, field, option)
                    else:
                        getattr(parent, field)[index] = option
                if self._try(put):
                    changed = True
                    break
            if not changed:
                at += 1

    def _headers(self):
        for i in reversed(range(len(self.header))):
            shorter = self.header[:i] + self.header[i + 1:]
            if self._accept(header=shorter):
                continue
            words = self.header[i].split()
            for j in reversed(range(2, len(words))):
                fewer = words[:j] + words[j + 1:]
                if self._accept(header=self.header[:i] + [" ".join(fewer)] + self.header[i + 1:]):
                    words = fewer


def _expression_places(tree):
    """(parent, field, index or None, node) of every expression that is read, in a fixed order."""
    for parent in ast.walk(tree):
        if isinstance(parent, (ast.FormattedValue, ast.arguments, ast.withitem, ast.pattern)):
            continue
        for field, value in ast.iter_fields(parent):
            if isinstance(value, ast.expr) and _read(value):
                yield parent, field, None, value
            elif isinstance(value, list):
                for i, item in enumerate(value):
                    if isinstance(item, ast.expr) and _read(item) and not isinstance(parent, ast.JoinedStr):
                        yield parent, field, i, item


def _read(node):
    return not isinstance(getattr(node, "ctx", None), (ast.Store, ast.Del))


def simplest_schedule(schedule: Schedule | None, fails) -> Schedule | None:
    """The plainest schedule with which `fails(schedule)` still holds."""
    if schedule is None:
        return None
    for change in ({"latency": None}, {"fuel": None}, {"speculate": False}, {"budget": None}, {"budget": 2}, {"order_seed": 0}, {"order_seed": 1}):
        plainer = replace(schedule, **change)
        if plainer != schedule and fails(plainer):
            schedule = plainer
    return schedule


def freeze(source: str, schedule: Schedule | None) -> tuple[str, Schedule | None]:
    """The program with the schedule's latencies written into it."""
    if schedule is None or schedule.latency is None:
        return source, schedule
    return schedule.apply(source), replace(schedule, latency=None)


def shrink(source: str, schedule: Schedule | None, fails, tries: int = 1500) -> tuple[str, Schedule | None]:
    """`fails(source, schedule) -> bool`. -> the smallest program found, and its schedule."""
    schedule = simplest_schedule(schedule, lambda s: fails(source, s))
    source, schedule = freeze(source, schedule)
    small = Shrinker(source, lambda text: fails(text, schedule), tries).run()
    return small, simplest_schedule(schedule, lambda s: fails(small, s))
