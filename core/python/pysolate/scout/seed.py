"""Seeding again: where scouting was lost, it goes on from the program's real plain values.

At a reached call that nobody had found before, the caller's frame says where the program is. Names that the rest of the
code reads are copied if they are small plain data; functions, classes and modules are those that the scout knows
already. The frame is looked at during the call only.
"""
from __future__ import annotations

from .._own import __builtins__

import ast
import sys
import types

from .control import BLOCK, FOR, HANDLER, TRY, WHILE, WITH, Items, K
from .effects import effects_of
from .flow import Line, component
from .values import (PLAIN_SCALARS, Class, Frame, Func, Module, Native, NeedsValue, OutOfFuel, Poisoned, RecordType,
                     Ref,
                     Rope, ScoutRaise, Store, Tool, ToolSpace, Unknown)

KNOWN = (Func, Class, Module, Native, Tool, ToolSpace, RecordType)
READERS = frozenset("locals vars dir eval exec".split())
MOST_SEEDS = 200
MOST_FAILURES = 3
MOST_FRAMES = 4


class Place:
    """Where a frame stands: the function's node, and the way down to the statement: (statements, index, part)."""

    __slots__ = ("node", "way")

    def __init__(self, node, way):
        self.node, self.way = node, way


class Seeds:
    """Mixin of the machine."""

    def seed(self, site, frame, call, tool, bound) -> None:
        """Starts scouting from where the program is."""
        key = tuple(site)
        if self.seeds >= MOST_SEEDS or self.barren.get(key, 0) >= MOST_FAILURES:
            return
        self.seeds += 1
        self.lost = False
        before = self.found
        known = self.expect_reached(call, tool, bound)
        where, first = (site[0], site[1]), True
        depth = 0
        while frame is not None and depth < MOST_FRAMES:
            code = frame.f_code
            if code.co_filename == self.filename:
                if code.co_name not in ("<listcomp>", "<dictcomp>", "<setcomp>", "<genexpr>"):
                    place = self.place_of(code, where)
                    if place is None:
                        return
                    self.seed_line(frame, place, first and known)
                    first = False
                    depth += 1
            else:
                first = False
            if code.co_name == "<module>":
                break
            frame = frame.f_back
            if frame is not None:
                where = position(frame)
        self.barren[key] = 0 if self.found > before else self.barren.get(key, 0) + 1

    def expect_reached(self, call, tool, bound) -> bool:
        """Makes the reached call one whose outcome we hear of; False if the host cannot tell it."""
        info = next((t.info for t in self.tool_values.values() if t.info.name == tool), None)
        if info is None:
            return False
        if not info.early_ok:
            self.later.clear()                            # of lines that are behind the program
            return True
        listen = getattr(self.host, "listen", None)
        if listen is None or not call or call in self.calls:
            return False
        listen(call)
        self.adopt(call, info, bound)
        return True

    # -- where --------------------------------------------------------------------------------------------------------
    def place_of(self, code, where):
        if code.co_name == "<module>":
            node = self.tree
        else:
            node = self.by_line.get((code.co_name, code.co_firstlineno))
            if node is None or type(node) is ast.Lambda:
                return None
        way = []
        stmts, part = node.body, "body"
        while True:
            i = next((i for i, s in enumerate(stmts) if spans(s, where)), None)
            if i is None:
                return Place(node, way) if way else None
            way.append((stmts, i, part))
            stmt = stmts[i]
            found = None
            for name in ("body", "orelse", "finalbody"):
                inner = getattr(stmt, name, None)
                if isinstance(inner, list) and inner and isinstance(inner[0], ast.stmt) and \
                        not isinstance(stmt, (ast.FunctionDef, ast.ClassDef)) and any(spans(s, where) for s in inner):
                    found = (inner, name)
            for h in getattr(stmt, "handlers", ()):
                if any(spans(s, where) for s in h.body):
                    found = (h.body, h)
            for c in getattr(stmt, "cases", ()):
                if any(spans(s, where) for s in c.body):
                    found = (c.body, c)
            if found is None:
                return Place(node, way)
            stmts, part = found

    # -- what ---------------------------------------------------------------------------------------------------------
    def seed_line(self, frame, place, with_statement):
        store = Store(self.main.store.freeze())
        code = frame.f_code
        wanted = self.names_of(place)
        module = self.main.frame
        shared = {}
        names = dict(store.names(module))
        if sys.version_info < (3, 13) and READERS & set(code.co_names):
            return
        for name in wanted:
            if name in frame.f_globals:
                names[name] = self.read_name(frame.f_globals[name], names.get(name), shared)
        store.put(module, names)
        at = module
        if place.node is not self.tree:
            info = self.func_info(place.node)
            at = Frame(module, module, info.locals, info.globals, place.node)
            local = {}
            values = frame.f_locals
            for name in info.locals & wanted:
                if name in values:
                    local[name] = self.read_name(values[name], None, shared)
            for name in (set(code.co_freevars) & wanted) & set(values):
                at.locals = at.locals | {name}
                local[name] = self.read_name(values[name], None, shared)
            store.put(at, local)
        line = Line(None, store, at, "")
        self.rebuild(line, place, with_statement)
        if line.k is not None:
            self.queue.append(lambda: self.run(line))

    def names_of(self, place):
        """Names that the rest of the code may read, and those of the functions that it may call."""
        wanted, todo, seen = set(), [], set()
        for stmts, i, _ in place.way:
            todo.extend(stmts[i:])
        while todo:
            node = todo.pop()
            for n in ast.walk(node):
                if isinstance(n, ast.Name) and n.id not in wanted:
                    wanted.add(n.id)
                    for f in self.functions.get(n.id, ()):
                        if f not in seen:
                            seen.add(f)
                            todo.append(f)
        return wanted

    def read_name(self, value, known, shared):
        t = type(value)
        if t in PLAIN_SCALARS or t in (list, dict, tuple, set, frozenset):
            if t in PLAIN_SCALARS or not self.is_small_plain(value):
                return self.read_plain(value)
            return self.lift_shared(value, shared)
        if t is types.FunctionType:
            if type(known) is Func:
                return known
            node = self.by_line.get((value.__code__.co_name, value.__code__.co_firstlineno))
            if node is not None and value.__closure__ is None and value.__code__.co_filename == self.filename:
                made = Line(None, Store(self.main.store.freeze()), self.main.frame, "")
                try:
                    return self.make_func(made, node, value.__code__.co_name)
                except (ScoutRaise, Poisoned, OutOfFuel):
                    pass
            return Unknown(f"function '{value.__code__.co_name}' is not known to the scout")
        if isinstance(known, KNOWN) or isinstance(known, type):
            return known
        if type(known) is Ref and known.kind == "inst":
            return known
        return Unknown("a value that is not plain data")

    def lift_shared(self, v, shared):
        """As `lift`; an object that two names (or items) share stays one. `shared`: id -> Ref."""
        t = type(v)
        if t in PLAIN_SCALARS or t is frozenset:
            return v
        if t is tuple:
            return tuple([self.lift_shared(x, shared) for x in v])
        ref = shared.get(id(v))
        if ref is None:
            self.charge(16 * len(v) + 64)
            if t is list:
                ref = shared[id(v)] = Ref("list", [])
                ref.birth.extend([self.lift_shared(x, shared) for x in v])
            elif t is dict:
                ref = shared[id(v)] = Ref("dict", {})
                ref.birth.update({k: self.lift_shared(x, shared) for k, x in v.items()})
            else:
                ref = shared[id(v)] = Ref("set", set(v))
        return ref

    # -- control ------------------------------------------------------------------------------------------------------
    def rebuild(self, line, place, with_statement):
        """Control entries from the function's body down to the statement."""
        up, path = None, ""
        for depth, (stmts, i, part) in enumerate(place.way):
            last = depth + 1 == len(place.way)
            tr = up.tr if up is not None else False
            if last:
                stmt = stmts[i]
                if with_statement and not isinstance(stmt, (ast.For, ast.While, ast.If, ast.With, ast.Try, ast.Match)):
                    up = K(BLOCK, up, path, tr, stmts, i)
                else:
                    self.forget_targets(line, stmt)
                    up = K(BLOCK, up, path, tr, stmts, i + 1)
                    if isinstance(stmt, ast.While):       # the call stands in its test
                        up = K(WHILE, up, path + component(i), tr, stmt, None, 1)
                break
            up = K(BLOCK, up, path, tr, stmts, i + 1)
            stmt, inner = stmts[i], place.way[depth + 1][2]
            path += component(i)
            if isinstance(stmt, ast.For) and inner == "body":
                rest, n = self.remaining(line, stmt)
                up = K(FOR, up, path, tr, stmt, Items(rest), n)
                path += component(max(n - 1, 0))
            elif isinstance(stmt, ast.While) and inner == "body":
                up = K(WHILE, up, path, tr, stmt, None, 1)
                path += component(0) + "b"
            elif isinstance(stmt, ast.Try):
                if inner == "body":
                    up = K(TRY, up, path, tr or bool(stmt.handlers), stmt)
                    path += "a"
                elif isinstance(inner, ast.ExceptHandler):
                    up = K(HANDLER, up, path, tr, inner.name, None)
                    path += "b"
                else:
                    path += "c" if inner == "orelse" else "d"
            elif isinstance(stmt, ast.With):
                for _ in stmt.items:
                    up = K(WITH, up, path, tr, lambda ln, how, exc: False)
                path += "w"
            else:
                path += "a" if inner == "body" else "b"
        line.k = up

    def forget_targets(self, line, stmt):
        """What a statement that is under way binds or changes is not known."""
        eff = self.fact(effects_of, stmt)
        unknown = Unknown("decided by a statement that was under way when scouting went on", stmt.lineno)
        for name in eff.assigned:
            line.store.own(self.find_frame(line.frame, name))[name] = unknown

    def remaining(self, line, loop):
        """Items that a loop has still to come, told by the value of its target; none if that is not clear."""
        probe = Line(None, Store(line.store.freeze()), line.frame, "")
        try:
            items = self.seq_of(probe, self.ev(probe, loop.iter))
            if type(items) is Rope or type(items) is not list:
                return [], 1
            here = self.target_value(probe, loop.target)
            pend = []
            now = self.plain(here, probe.store, pend)
            for i, item in enumerate(items):
                self.tick()
                if self.plain(item, probe.store, []) == now:
                    probe.store.publish()
                    return items[i + 1:], i + 1
        except (ScoutRaise, Poisoned, NeedsValue):
            pass
        return [], 1

    def target_value(self, line, target):
        if isinstance(target, ast.Name):
            return self.lookup(line, target.id)
        if isinstance(target, (ast.Tuple, ast.List)):
            return tuple([self.target_value(line, t) for t in target.elts])
        raise Poisoned(Unknown("a loop whose position is not known"))


def spans(stmt, where):
    line, col = where
    start = stmt.lineno
    for d in getattr(stmt, "decorator_list", ()):
        start = min(start, d.lineno)
    if line < start or line > stmt.end_lineno:
        return False
    if line == stmt.lineno and col < stmt.col_offset:
        return False
    return not (line == stmt.end_lineno and col >= stmt.end_col_offset)


def position(frame):
    positions = frame.f_code.co_positions()
    i = frame.f_lasti // 2
    for n, (line, _, col, _) in enumerate(positions):
        if n == i:
            return (line or frame.f_lineno, col or 0)
    return (frame.f_lineno, 0)
