"""What a statement may do to names and objects, read off the AST: needed to go on past one that waits."""
from __future__ import annotations

from .._own import __builtins__

import ast

MUTATORS = frozenset("""append extend insert remove pop clear sort reverse update add discard setdefault popitem
appendleft popleft extendleft rotate subtract move_to_end difference_update intersection_update
symmetric_difference_update __setitem__ send""".split())

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def walk_scope(node):
    """All nodes below `node` without the bodies of functions and classes defined there."""
    todo = [node] if not isinstance(node, list) else list(reversed(node))
    while todo:
        n = todo.pop()
        yield n
        if isinstance(n, _FUNCTIONS + (ast.ClassDef,)) and n is not node:
            todo.extend(getattr(n, "decorator_list", ()))
            continue
        todo.extend(reversed(list(ast.iter_child_nodes(n))))


class Effects:
    """Of one statement (or a list of them): see the fields."""

    __slots__ = ("assigned", "mutated", "deep", "appended", "calls", "methods", "aliases", "yields", "augmented",
                 "others")

    def __init__(self):
        self.assigned = set()      # names bound here
        self.mutated = set()       # names whose objects may change
        self.deep = set()          # names that lead to objects that may change
        self.yields = False
        self.augmented = set()     # names with an augmented assignment
        self.others = set()        # names changed other than by appending
        self.appended = set()      # of these: only ever appended to
        self.calls = {}            # names called -> names passed to them
        self.methods = {}          # method names called -> base names
        self.aliases = {}          # name bound here -> names it may share objects with


def _is_deep(node):
    """Whether a change through this expression changes something inside the base's object."""
    return not isinstance(node, ast.Name)


def _base(node):
    while isinstance(node, (ast.Subscript, ast.Attribute, ast.Starred)):
        node = node.value
    if isinstance(node, ast.Call):
        return _base(node.func)
    return node.id if isinstance(node, ast.Name) else None


def _loads(node):
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}


def _bind(e, target, value):
    names = [n.id for n in ast.walk(target) if isinstance(n, ast.Name) and isinstance(n.ctx, (ast.Store, ast.Del))]
    e.assigned.update(names)
    if value is not None:
        sources = _loads(value)
        for n in names:
            e.aliases.setdefault(n, set()).update(sources)


def effects_of(node) -> Effects:
    e = Effects()
    appends: dict[str, int] = {}
    comp_names = set()
    for n in walk_scope(node):
        t = type(n)
        if t is ast.Name:
            if type(n.ctx) is not ast.Load:
                e.assigned.add(n.id)
        elif t is ast.Assign:
            for target in n.targets:
                _bind(e, target, n.value)
        elif t is ast.AnnAssign or t is ast.NamedExpr:
            _bind(e, n.target, n.value)
        elif t is ast.AugAssign:
            base = _base(n.target)
            if base is not None:
                if isinstance(n.target, ast.Name):
                    e.mutated.add(base)
                    e.assigned.add(base)
                    if isinstance(n.op, ast.Add):
                        appends[base] = 1
                    else:
                        e.others.add(base)
        elif t is ast.For or t is ast.AsyncFor:
            _bind(e, n.target, n.iter)
        elif t is ast.comprehension:
            names = {x.id for x in ast.walk(n.target) if isinstance(x, ast.Name)}
            comp_names |= names
            for x in names:
                e.aliases.setdefault(x, set()).update(_loads(n.iter))
        elif t is ast.withitem:
            if n.optional_vars is not None:
                _bind(e, n.optional_vars, n.context_expr)
            base = _base(n.context_expr)
            if base is not None:
                e.deep.add(base)
                e.methods.setdefault("__enter__", set()).add(base)
                e.methods.setdefault("__exit__", set()).add(base)
        elif t is ast.Yield or t is ast.YieldFrom:
            e.yields = True
        elif t is ast.ExceptHandler:
            if n.name:
                e.assigned.add(n.name)
        elif t in (ast.FunctionDef, ast.ClassDef, ast.AsyncFunctionDef):
            e.assigned.add(n.name)
            for x in ast.walk(n):
                if x is not n and isinstance(x, ast.Call):
                    _call(e, x, {})
        elif t is ast.Lambda:
            for x in ast.walk(n.body):
                if isinstance(x, ast.Call):
                    _call(e, x, {})
        elif t is ast.alias:
            e.assigned.add((n.asname or n.name).split(".")[0])
        elif t is ast.MatchAs or t is ast.MatchStar:
            if n.name:
                e.assigned.add(n.name)
        elif t is ast.MatchMapping:
            if n.rest:
                e.assigned.add(n.rest)
        elif t is ast.Call:
            _call(e, n, appends)
        if t in (ast.Subscript, ast.Attribute) and type(n.ctx) is not ast.Load:
            base = _base(n)
            if base is not None:
                (e.deep if _is_deep(n.value) else e.mutated).add(base)
                e.others.add(base)
    augmented = {n.target.id for n in walk_scope(node) if type(n) is ast.AugAssign and type(n.target) is ast.Name}
    e.appended = set(appends) - e.others
    e.augmented = augmented
    changed = True
    while changed:                      # what is changed through a name bound here is changed inside its source, too
        changed = False
        for name in list(e.mutated | e.deep):
            for source in e.aliases.get(name, ()):
                if source not in e.deep:
                    e.deep.add(source)
                    changed = True
    e.assigned -= comp_names - {n.id for n in walk_scope(node) if isinstance(n, ast.Name)
                                and isinstance(n.ctx, ast.Store)}
    return e


def _call(e, n, appends):
    f = n.func
    passed = set()
    for a in n.args:
        passed |= _loads(a)
    for k in n.keywords:
        passed |= _loads(k.value)
    if isinstance(f, ast.Attribute):
        base = _base(f.value)
        if base is not None:
            if f.attr in MUTATORS:
                (e.deep if _is_deep(f.value) else e.mutated).add(base)
                if f.attr in ("append", "extend") and isinstance(f.value, ast.Name):
                    appends[base] = 1
                else:
                    e.others.add(base)
            e.methods.setdefault(f.attr, set()).update({base} | passed)
        elif f.attr in MUTATORS:
            e.deep |= _loads(f.value)
    elif isinstance(f, ast.Name):
        e.calls.setdefault(f.id, set()).update(passed)
        if f.id == "next" and n.args:
            e.mutated |= _loads(n.args[0])
    for a in passed:                    # a function passed on may be called
        e.calls.setdefault(a, set())


def leaves(node, collect=False) -> bool:
    """Whether control may leave `node` other than by its end or an exception: return, yield, a break or continue of a
    loop around it."""
    nodes = node if isinstance(node, list) else [node]
    return any(_leaves(n, False, collect) for n in nodes)


def _leaves(n, in_loop, collect):
    t = type(n)
    if t is ast.Return:
        return True
    if t is ast.Break or t is ast.Continue:
        return not in_loop
    if t in (ast.Yield, ast.YieldFrom, ast.Await):
        return not collect
    if t in (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef) or t in _COMPREHENSIONS:
        return False
    if t is ast.For or t is ast.While:
        return any(_leaves(c, True, collect) for c in n.body) or any(_leaves(c, in_loop, collect) for c in n.orelse) \
            or (t is ast.For and _leaves(n.iter, in_loop, collect))
    return any(_leaves(c, in_loop, collect) for c in ast.iter_child_nodes(n))


def breaks(loop, collect=False) -> bool:
    """Whether the loop may end before its iterable does (its own break, a return or yield inside)."""
    def look(n, own):
        t = type(n)
        if t is ast.Return:
            return True
        if t is ast.Break:
            return own
        if t in (ast.Yield, ast.YieldFrom, ast.Await):
            return not collect
        if t in (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef) or t in _COMPREHENSIONS:
            return False
        if t is ast.For or t is ast.While:
            return any(look(c, False) for c in n.body) or any(look(c, own) for c in n.orelse)
        return any(look(c, own) for c in ast.iter_child_nodes(n))
    return any(look(c, True) for c in loop.body)


def continues(body) -> bool:
    """Whether the loop body has a continue of its own loop."""
    def look(n):
        t = type(n)
        if t is ast.Continue:
            return True
        if t in (ast.For, ast.While):
            return any(look(c) for c in n.orelse)
        if t in (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef):
            return False
        return any(look(c) for c in ast.iter_child_nodes(n))
    return any(look(c) for c in body)


def is_generator(node) -> bool:
    body = node.body if isinstance(node.body, list) else [node.body]
    todo = list(body)
    while todo:
        n = todo.pop()
        if isinstance(n, (ast.Yield, ast.YieldFrom)):
            return True
        if isinstance(n, _FUNCTIONS + (ast.ClassDef,)):
            continue
        if isinstance(n, _COMPREHENSIONS):
            todo.append(n.generators[0].iter)
            continue
        todo.extend(ast.iter_child_nodes(n))
    return False


def scope_names(node):
    """(local names, names declared global, names declared nonlocal) of a function, lambda or class."""
    local, glob, nonloc = set(), set(), set()
    args = getattr(node, "args", None)
    if isinstance(args, ast.arguments):
        for a in args.posonlyargs + args.args + args.kwonlyargs:
            local.add(a.arg)
        for a in (args.vararg, args.kwarg):
            if a is not None:
                local.add(a.arg)
    body = node.body if isinstance(node.body, list) else [node.body]
    comp = set()
    for n in walk_scope(body):
        if isinstance(n, ast.Global):
            glob.update(n.names)
        elif isinstance(n, ast.Nonlocal):
            nonloc.update(n.names)
        elif isinstance(n, ast.comprehension):
            comp.update(id(x) for x in ast.walk(n.target))
    for n in walk_scope(body):
        if isinstance(n, ast.Name) and isinstance(n.ctx, (ast.Store, ast.Del)) and id(n) not in comp:
            local.add(n.id)
        elif isinstance(n, (ast.FunctionDef, ast.ClassDef, ast.AsyncFunctionDef)):
            local.add(n.name)
        elif isinstance(n, ast.ExceptHandler) and n.name:
            local.add(n.name)
        elif isinstance(n, ast.alias):
            local.add((n.asname or n.name).split(".")[0])
        elif isinstance(n, (ast.MatchAs, ast.MatchStar)) and n.name:
            local.add(n.name)
        elif isinstance(n, ast.MatchMapping) and n.rest:
            local.add(n.rest)
    return local - glob - nonloc, glob, nonloc
