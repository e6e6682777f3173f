"""Which statements a scout need not compute: those whose results can reach no tool call's arguments, and no condition
that decides about one.

A backward slice over the program's text. Within a function (or the module) it is the liveness of names, statement by
statement, backwards; across functions it is by name alone. Whatever it is not sure of stays in: a statement that may
reach a tool, leave its block, raise on purpose, or change something that a name in the slice may share. A statement
left out by mistake would cost overlap, never a wrong value: the scout's names are not the program's.

Sources: M. Weiser, "Program Slicing" (1984), for the criterion; liveness as in any compiler book.
"""
from __future__ import annotations

from .._own import __builtins__

import ast

from .effects import MUTATORS, is_generator

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_KEPT = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom, ast.Global, ast.Nonlocal,
         ast.Pass, ast.Delete, ast.Assert, ast.Raise, ast.Return)
_REFLECTION = frozenset("exec eval globals locals vars setattr delattr getattr __import__ compile".split())
_EXITS = frozenset("exit quit _exit abort throw close".split())
_SCALAR_CALLS = frozenset("""len int float str bool abs round ord chr hash repr format isinstance issubclass any all
range print id hex bin oct callable ascii bytes complex""".split())
_TEXT_METHODS = frozenset("""join split rsplit splitlines strip lstrip rstrip format upper lower title capitalize casefold
startswith endswith encode decode replace count index find rfind zfill isdigit isalpha isalnum isupper islower ljust
rjust center partition rpartition""".split())
_CONSUMERS = frozenset("sum len min max any all str int float bool print list tuple set dict sorted".split())


class Slice:
    """`skip`: the statements to leave out; `computing`: loops and functions that reach no tool. `tools`: the names under which the
    program finds its tools."""

    def __init__(self, tree: ast.Module, tools):
        self.skip: frozenset = frozenset()
        self.computing: frozenset = frozenset()
        self.tree, self.tools = tree, frozenset(tools)
        nodes = list(ast.walk(tree))
        if any(type(n) is ast.Name and n.id in _REFLECTION or type(n) is ast.alias and n.name == "*" for n in nodes):
            return
        self.functions: dict[str, list] = {}              # by name; a method by its own and its class's
        self.classes: dict[str, ast.ClassDef] = {}
        for n in nodes:
            if isinstance(n, _FUNCTIONS):
                self.functions.setdefault(n.name, []).append(n)
            elif isinstance(n, ast.ClassDef):
                self.classes[n.name] = n
        for name, c in self.classes.items():
            self.functions.setdefault(name, []).extend(f for f in c.body if isinstance(f, _FUNCTIONS))
        self._mentions: dict = {}
        self._loads: dict = {}
        self._free: dict = {}
        self._changed: dict = {}
        self._bindings = list(_bindings(nodes))
        self.carriers, self.methods, self.giving = set(self.tools), set(), set()
        self._find_carriers(nodes)
        for c in self.classes.values():                   # tools behind an operator or an attribute: all bets are off
            for f in c.body:
                if isinstance(f, _FUNCTIONS) and self.mentions_tool(f) and (
                        f.decorator_list or f.name.startswith("__") and f.name not in ("__init__", "__call__")):
                    return
        self.declared = {x for n in nodes if isinstance(n, (ast.Global, ast.Nonlocal)) for x in n.names}
        self.scalars = self._find_scalars()
        self.groups = self._find_groups(nodes)
        self.changing = {name for name, fs in self.functions.items() if any(map(_changes, fs))}
        self.raising = {name for name, fs in self.functions.items() if any(map(_raises, fs))}
        self._spread(self.changing)
        self._spread(self.raising)
        caught = {n.id if type(n) is ast.Name else n.attr for t in nodes if isinstance(t, (ast.Try, ast.With))
                  for s in t.body for n in ast.walk(s) if type(n) in (ast.Name, ast.Attribute)}
        self.caught = {name for name in caught if name in self.functions}
        while True:                                       # ... and what these call
            more = {m for name in self.caught for f in self.functions[name] for m in self.names_in(f)
                    if m in self.functions} - self.caught
            if not more:
                break
            self.caught |= more
        self._flow()
        self.computing = frozenset(n for n in nodes if isinstance(n, (ast.For, ast.While, ast.FunctionDef)) and
                                   not self.mentions_tool(n))

    # -- tools --------------------------------------------------------------------------------------------------------
    def names_in(self, node):
        """All names and attributes that are read in it."""
        found = self._mentions.get(node)
        if found is None:
            names, attributes = set(), set()
            for n in ast.walk(node):
                if type(n) is ast.Name:
                    names.add(n.id)
                elif type(n) is ast.Attribute:
                    attributes.add(n.attr)
            found = self._mentions[node] = (names, attributes, names | attributes)
        return found[2]

    def mentions_tool(self, node) -> bool:
        """Whether running it may reach a tool."""
        self.names_in(node)
        names, attributes, _ = self._mentions[node]
        return not names.isdisjoint(self.carriers) or not attributes.isdisjoint(self.methods)

    def _find_carriers(self, nodes):
        """Names whose values may reach a tool when they are called, iterated or asked for a method."""
        while True:
            before = len(self.carriers), len(self.methods), len(self.giving)
            for name, fs in self.functions.items():
                for f in fs:
                    if self.mentions_tool(f):
                        self.carriers.add(name)
                        if f.name != name or any(f in c.body for c in self.classes.values()):
                            self.methods.add(f.name)
                        if is_generator(f) or name in self.classes:
                            self.giving.add(name)
                    for n in ast.walk(f):
                        if isinstance(n, ast.Return) and n.value is not None and self.carries(n.value):
                            self.giving.add(f.name)
            for target, value in self._bindings:
                if self.carries(value):
                    self._carry(target)
            for n in nodes:
                if isinstance(n, ast.Call) and any(self.carries(a) for a in _arguments(n)):
                    f = n.func
                    name = f.id if type(f) is ast.Name else f.attr if type(f) is ast.Attribute else None
                    for g in self.functions.get(name, ()):
                        a = g.args
                        self.carriers.update(x.arg for x in a.posonlyargs + a.args + a.kwonlyargs + [
                            y for y in (a.vararg, a.kwarg) if y is not None])
                    if type(f) is ast.Attribute and f.attr in MUTATORS:
                        self._carry(f.value)
            if before == (len(self.carriers), len(self.methods), len(self.giving)):
                return

    def _carry(self, target):
        for n in ast.walk(target):
            if type(n) is ast.Name:
                self.carriers.add(n.id)
            elif type(n) is ast.Attribute:
                self.methods.add(n.attr)

    def carries(self, e) -> bool:
        """Whether the value of the expression may reach a tool later."""
        t = type(e)
        if t is ast.Name:
            return e.id in self.carriers
        if t in (ast.Constant, ast.JoinedStr, ast.Compare):
            return False
        if t is ast.Lambda or t is ast.GeneratorExp:
            return self.mentions_tool(e)
        if t is ast.Attribute:
            return e.attr in self.methods or self.carries(e.value)
        if t is ast.Call:
            f = e.func
            handed = [a for a in _arguments(e) if self.carries(a)]
            if type(f) is ast.Name:
                if f.id in self.tools:
                    return False
                if f.id in _CONSUMERS and all(_is_stream(a) for a in handed):
                    return False
                return bool(handed) or f.id in self.giving or f.id in self.carriers and f.id not in self.functions
            if type(f) is ast.Attribute:
                if type(f.value) is ast.Name and f.value.id in self.tools:
                    return False
                if f.attr in _TEXT_METHODS and all(_is_stream(a) for a in handed):
                    return False
                return bool(handed) or f.attr in self.giving or f.attr not in self.functions and self.carries(f.value)
            return True
        return any(self.carries(c) for c in ast.iter_child_nodes(e) if isinstance(c, (ast.expr, ast.comprehension))) \
            if t is not ast.comprehension else self.carries(e.iter) and not _is_stream(e.iter)

    # -- who shares objects with whom -----------------------------------------------------------------------------------
    def _find_scalars(self):
        """Names that only ever stand for numbers, texts and the like: nothing changes inside of these."""
        unsure = {a.arg for fs in self.functions.values() for f in fs for a in ast.walk(f.args) if type(a) is ast.arg}
        bound = {}
        for target, value in self._bindings:
            if type(target) is ast.Name:
                bound.setdefault(target.id, []).append(value)
            else:
                unsure |= {n.id for n in ast.walk(target) if type(n) is ast.Name}
        scalars = set(bound) - unsure
        while True:
            lost = {name for name in scalars if not all(_is_scalar(v, scalars) for v in bound[name])}
            if not lost:
                return scalars
            scalars -= lost

    def shared(self, e) -> set:
        """Names with whose objects the value of the expression may share parts."""
        t = type(e)
        if t is ast.Name:
            return set() if e.id in self.scalars else {e.id}
        if t in (ast.Constant, ast.JoinedStr, ast.Compare):
            return set()
        if t is ast.Call:
            f = e.func
            out = set()
            if type(f) is ast.Name:
                if f.id in _SCALAR_CALLS and f.id not in self.functions or f.id in self.tools:
                    return out
                for g in self.functions.get(f.id, ()):
                    out |= self.free(g)
            elif type(f) is ast.Attribute:
                if type(f.value) is ast.Name and f.value.id in self.tools or f.attr in _TEXT_METHODS:
                    return out
                out = self.shared(f.value)
                for g in self.functions.get(f.attr, ()):
                    out |= self.free(g)
            else:
                out = self.shared(f)
            for a in _arguments(e):
                out |= self.shared(a)
            return out
        if t is ast.Subscript:
            return self.shared(e.value)
        out = set()
        for c in ast.iter_child_nodes(e):
            if isinstance(c, (ast.expr, ast.comprehension)):
                out |= self.shared(c)
        return out

    def free(self, f) -> set:
        """Names that a function has from outside (functions left out, and all of its own)."""
        if f not in self._free:
            self._free[f] = self._find_free(f)
        return self._free[f]

    def _find_free(self, f):
        own = {n.id for n in ast.walk(f) if type(n) is ast.Name and type(n.ctx) is not ast.Load}
        own |= {a.arg for a in ast.walk(f) if type(a) is ast.arg}
        for n in ast.walk(f):
            if isinstance(n, (ast.Global, ast.Nonlocal)):
                own -= set(n.names)
        return {n.id for n in ast.walk(f) if type(n) is ast.Name} - own - set(self.functions) - self.scalars

    def _find_groups(self, nodes):
        """Name -> the set of names that may share objects with it."""
        groups: dict[str, set] = {}

        def join(names):
            merged = set(names)
            for name in names:
                merged.update(groups.get(name, ()))
            for name in merged:
                groups[name] = merged

        for target, value in self._bindings:
            names = {n.id for n in ast.walk(target) if type(n) is ast.Name} - self.scalars
            if names:
                join(names | self.shared(value))
        for n in nodes:
            if type(n) is ast.AugAssign:
                base = _base(n.target)
                if base is not None and base not in self.scalars:
                    join({base} | self.shared(n.value))
            elif type(n) is ast.Call:
                f = n.func
                if type(f) is ast.Attribute and f.attr in MUTATORS:
                    join(self.shared(n) | self.shared(f.value))
                name = f.id if type(f) is ast.Name else f.attr if type(f) is ast.Attribute else None
                for g in self.functions.get(name, ()):
                    a = g.args
                    join({x.arg for x in a.posonlyargs + a.args + a.kwonlyargs} | self.shared(n))
        return groups

    # -- what statements do -------------------------------------------------------------------------------------------
    def _spread(self, names):
        """Adds the functions that mention one of `names`."""
        while True:
            more = {name for name, fs in self.functions.items() if name not in names and
                    any(not names.isdisjoint(self.names_in(f)) for f in fs)}
            if not more:
                return
            names |= more

    def changed(self, nodes):
        """Names whose objects may change, others that may share them included."""
        key = tuple(nodes)
        if key not in self._changed:
            self._changed[key] = self._find_changed(nodes)
        return self._changed[key]

    def _find_changed(self, nodes):
        out = set()
        for node in nodes:
            for n in ast.walk(node):
                t = type(n)
                if t is ast.AugAssign and type(n.target) is ast.Name:
                    if n.target.id not in self.scalars:
                        out.add(n.target.id)
                elif t in (ast.Subscript, ast.Attribute) and type(n.ctx) is not ast.Load:
                    out |= self.shared(n.value)
                elif t is ast.Call:
                    f = n.func
                    name = f.id if type(f) is ast.Name else f.attr if type(f) is ast.Attribute else None
                    if name in self.changing:
                        out |= self.shared(n) | self.declared
                    elif type(f) is ast.Attribute and f.attr in MUTATORS:
                        out |= self.shared(f.value)
                    elif name == "next":
                        out |= self.shared(n)
        for name in list(out):
            out.update(self.groups.get(name, ()))
        return out

    def loads(self, node) -> set:
        names = self._loads.get(node)
        if names is None:
            names = self._loads[node] = _loads(node)
        return names

    # -- liveness -----------------------------------------------------------------------------------------------------
    def _flow(self):
        self.keep: set = set()
        self.needed: set = set()          # names that kept statements read, anywhere
        done: dict = {}
        while True:
            before = len(self.keep), len(self.needed)
            active = {f for name, fs in self.functions.items() for f in fs
                      if name in self.needed or name in self.carriers or f.name in self.needed}
            outer = set()                 # what the bodies of these read
            for f in active:
                outer |= self.free_of(f)
            for f in active:
                self._scope(f, outer, f.name in self.caught or any(f in self.functions[c] for c in self.caught))
                done[f] = True
            self._scope(self.tree, outer, False)
            if before == (len(self.keep), len(self.needed)):
                break
        skip = set()
        for scope in [self.tree, *done]:
            todo = list(scope.body)
            while todo:
                s = todo.pop()
                if isinstance(s, _FUNCTIONS + (ast.ClassDef,)):
                    continue
                if s not in self.keep and not isinstance(s, _KEPT + (ast.Break, ast.Continue)):
                    skip.add(s)
                    continue
                for block in _blocks(s):
                    todo.extend(block)
        self.skip = frozenset(skip)

    def free_of(self, f):
        own = {a.arg for a in ast.walk(f.args) if type(a) is ast.arg}
        return {n.id for n in ast.walk(f) if type(n) is ast.Name} - own

    def _scope(self, node, outer, caught):
        self.params, self.always = set(), set(outer)
        if node is not self.tree:
            bound = {n.id for n in ast.walk(node) if type(n) is ast.Name and type(n.ctx) is not ast.Load}
            self.params = {a.arg for a in ast.walk(node.args) if type(a) is ast.arg} | (self.free_of(node) - bound)
            inner = [n for s in node.body for n in ast.walk(s) if isinstance(n, _FUNCTIONS + (ast.Lambda,))]
            declared = {x for n in ast.walk(node) if isinstance(n, (ast.Global, ast.Nonlocal)) for x in n.names}
            self.always = declared.union(*map(self.free_of, inner))
        self.block(node.body, set(), _Around(None, set(), set(), set(), caught))

    def block(self, stmts, out, around):
        for s in reversed(stmts):
            out = self.statement(s, out, around)
        return out

    def kept(self, s, *parts):
        self.keep.add(s)
        read = set()
        for p in parts:
            read |= self.loads(p)
        self.needed |= read
        for p in parts:
            self.needed |= {n.attr for n in ast.walk(p) if type(n) is ast.Attribute}
        return read

    def decides(self, nodes, out):
        """Whether statements (or heads of some) made of these parts belong to the slice by themselves."""
        live = out | self.always
        for n in nodes:
            if self.mentions_tool(n) or not self.names_in(n).isdisjoint(self.raising | _EXITS):
                return True
            if any(type(x) is ast.Name and type(x.ctx) is not ast.Load and x.id in live for x in ast.walk(n)):
                return True
            if any(isinstance(x, (ast.Yield, ast.YieldFrom, ast.Await)) for x in ast.walk(n)):
                return True
        changed = self.changed(nodes)
        return not changed.isdisjoint(live) or not changed.isdisjoint(self.params)

    def statement(self, s, out, around):
        t = type(s)
        if t is ast.Break or t is ast.Continue:
            if around.loop in self.keep:
                self.keep.add(s)
                return set(around.brk if t is ast.Break else around.cont)
            return out
        if t is ast.If or t is ast.Match:
            heads = [s.test] if t is ast.If else [s.subject] + [c.pattern for c in s.cases] + [
                c.guard for c in s.cases if c.guard is not None]
            blocks = [s.body, s.orelse] if t is ast.If else [c.body for c in s.cases]
            ins = [self.block(b, out, around) for b in blocks]
            if t is ast.Match:
                captured = {x for c in s.cases for n in ast.walk(c.pattern)
                            for x in (getattr(n, "name", None), getattr(n, "rest", None)) if x}
                decides = not captured.isdisjoint(out | self.always)
            else:
                decides = False
            if not (decides or around.caught or self.decides(heads, out) or self.any_kept(blocks)):
                return out
            return set(out).union(*ins) | self.kept(s, *heads) if t is ast.Match else \
                set().union(*ins) | self.kept(s, *heads)
        if t in (ast.For, ast.AsyncFor, ast.While):
            return self.loop(s, out, around)
        if t in (ast.With, ast.AsyncWith):
            heads = list(s.items)
            inside = self.block(s.body, out, around)
            if not (around.caught or self.decides(heads, out) or self.any_kept([s.body])):
                return out
            inside = self.block(s.body, out, around.catching(out))
            return inside | out | self.kept(s, *heads)
        if t is ast.Try or t.__name__ == "TryStar":
            return self.attempt(s, out, around)
        if t in _KEPT:
            if isinstance(s, _FUNCTIONS + (ast.ClassDef,)):
                self.keep.add(s)
                read = set()
                parts = s.decorator_list + (s.bases + [b for b in s.body if not isinstance(b, _FUNCTIONS)]
                                            if t is ast.ClassDef else [s.args])
                for p in parts:
                    read |= self.kept(s, p)
                return out | read
            read = self.kept(s, s)
            if t is ast.Return:
                return read | around.exc
            return (out if t is not ast.Raise else set()) | read | around.exc
        if not (around.caught or self.decides([s], out)):
            return out
        read = self.kept(s, s)
        if t is ast.Assign and not around.caught:
            out = out - {x.id for x in s.targets if type(x) is ast.Name}
        return out | read | around.exc

    def any_kept(self, blocks):
        return any(s in self.keep and type(s) is not ast.Pass for b in blocks for s in b)

    def loop(self, s, out, around):
        heads = [s.test] if type(s) is ast.While else [s.target, s.iter]
        after = self.block(s.orelse, out, around)
        head = set(after)
        while True:
            was = s in self.keep, len(head), len(self.keep)
            inside = self.block(s.body, head, around.within(s, out, head))
            if around.caught or self.any_kept([s.body, s.orelse]) or self.decides(heads, out):
                read = self.kept(s, *heads[-1:])
                if type(s) is not ast.While:
                    if type(s.target) is ast.Name:
                        inside = inside - {s.target.id}
                    read = read | self.loads(s.target)
                head = head | inside | read
            if was == (s in self.keep, len(head), len(self.keep)):
                return head | around.exc if s in self.keep else out

    def attempt(self, s, out, around):
        keep = set(self.keep)
        final = self.block(s.finalbody, out, around)
        handlers = [self.block(h.body, final, around) for h in s.handlers]
        orelse = self.block(s.orelse, final, around)
        exc = final.union(*handlers)
        self.block(s.body, orelse | exc, around)
        if not (around.caught or self.any_kept([s.body, s.orelse, s.finalbody] + [h.body for h in s.handlers])):
            self.keep = keep
            return out
        read = self.kept(s, *[h.type for h in s.handlers if h.type is not None])
        return self.block(s.body, orelse | exc, around.catching(exc)) | exc | read


class _Around:
    """What a statement stands in: its loop, what is live behind a break, a continue and an exception; `caught`: an
    exception may be handled, so that every statement counts."""

    __slots__ = ("loop", "brk", "cont", "exc", "caught")

    def __init__(self, loop, brk, cont, exc, caught):
        self.loop, self.brk, self.cont, self.exc, self.caught = loop, brk, cont, exc, caught

    def within(self, loop, brk, cont):
        return _Around(loop, brk, cont, self.exc, self.caught)

    def catching(self, exc):
        return _Around(self.loop, self.brk, self.cont, self.exc | exc, True)


def _arguments(call):
    return list(call.args) + [k.value for k in call.keywords]


def _is_stream(e):
    """A generator or `map` that gives plain values when it is consumed, although it reaches tools."""
    return isinstance(e, ast.GeneratorExp) or isinstance(e, ast.Call) and isinstance(e.func, ast.Name) and \
        e.func.id in ("map", "filter")


def _base(node):
    while isinstance(node, (ast.Subscript, ast.Attribute, ast.Starred)):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


def _bindings(nodes):
    """(target, value) of all that binds names; of `a, b = x, y` one by one."""
    for n in nodes:
        t = type(n)
        if t is ast.Assign:
            for target in n.targets:
                if isinstance(target, (ast.Tuple, ast.List)) and isinstance(n.value, (ast.Tuple, ast.List)) and \
                        len(target.elts) == len(n.value.elts) and \
                        not any(isinstance(x, ast.Starred) for x in target.elts + n.value.elts):
                    yield from zip(target.elts, n.value.elts)
                else:
                    yield target, n.value
        elif t in (ast.AnnAssign, ast.NamedExpr) and n.value is not None:
            yield n.target, n.value
        elif t in (ast.For, ast.AsyncFor, ast.comprehension):
            yield n.target, ast.Subscript(value=n.iter, slice=ast.Constant(value=0), ctx=ast.Load())
        elif t is ast.withitem and n.optional_vars is not None:
            yield n.optional_vars, n.context_expr
        elif t is ast.Match:
            for c in n.cases:
                for p in ast.walk(c.pattern):
                    for x in (getattr(p, "name", None), getattr(p, "rest", None)):
                        if x:
                            yield ast.Name(id=x, ctx=ast.Store()), n.subject
        elif isinstance(n, _FUNCTIONS + (ast.Lambda,)):
            a = n.args
            names = a.posonlyargs + a.args
            yield from ((ast.Name(id=x.arg, ctx=ast.Store()), d) for x, d in zip(names[::-1], a.defaults[::-1]))


_ARITHMETIC = (ast.Sub, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow, ast.LShift, ast.RShift, ast.Add)


def _is_scalar(e, scalars):
    t = type(e)
    if t in (ast.Constant, ast.JoinedStr):
        return True
    if t is ast.Name:
        return e.id in scalars
    if t is ast.BinOp:
        left, right = _is_scalar(e.left, scalars), _is_scalar(e.right, scalars)
        return left or right if isinstance(e.op, _ARITHMETIC) else left and right
    if t is ast.Call:
        return type(e.func) is ast.Name and e.func.id in _SCALAR_CALLS
    if t is ast.Subscript:                                # an item of a range
        return type(e.value) is ast.Call and type(e.value.func) is ast.Name and e.value.func.id == "range" or \
            type(e.value) is ast.Constant
    if t is ast.UnaryOp:
        return isinstance(e.op, ast.Not) or _is_scalar(e.operand, scalars)
    if t is ast.IfExp:
        return _is_scalar(e.body, scalars) and _is_scalar(e.orelse, scalars)
    return False


def _changes(f):
    """Whether a function may change objects that are not its own (whatever it changes counts)."""
    for n in ast.walk(f):
        t = type(n)
        if t in (ast.Global, ast.Nonlocal) or t in (ast.Subscript, ast.Attribute) and type(n.ctx) is not ast.Load:
            return True
        if t is ast.Call and (type(n.func) is ast.Attribute and n.func.attr in MUTATORS or
                              type(n.func) is ast.Name and n.func.id == "next"):
            return True
        if t is ast.AugAssign:
            return True
    return False


def _raises(f):
    return any(isinstance(n, (ast.Raise, ast.Assert)) or type(n) is ast.Name and n.id in _EXITS or
               type(n) is ast.Attribute and n.attr in _EXITS for n in ast.walk(f))


def _loads(node):
    """Names that are read, without those that a comprehension or lambda in it has of its own."""
    if isinstance(node, _COMPREHENSIONS):
        own = {n.id for g in node.generators for n in ast.walk(g.target) if type(n) is ast.Name}
        return set().union(*map(_loads, ast.iter_child_nodes(node))) - own | _loads(node.generators[0].iter)
    if isinstance(node, ast.Lambda):
        return _loads(node.body) - {a.arg for a in ast.walk(node.args) if type(a) is ast.arg} | set().union(
            *map(_loads, ast.iter_child_nodes(node.args)), set())
    if type(node) is ast.Name:
        return {node.id} if type(node.ctx) is not ast.Store else set()
    if type(node) is ast.AugAssign and type(node.target) is ast.Name:
        return {node.target.id} | _loads(node.value)
    out = set()
    for c in ast.iter_child_nodes(node):
        out |= _loads(c)
    return out


def _blocks(s):
    for name in ("body", "orelse", "finalbody"):
        block = getattr(s, name, None)
        if isinstance(block, list):
            yield block
    for h in getattr(s, "handlers", ()):
        yield h.body
    for c in getattr(s, "cases", ()):
        yield c.body
