"""Builtins that the scout evaluates (those that stop early or are lazy are in `prelude.py`)."""
from __future__ import annotations

from .._own import __builtins__

import ast
from collections import deque

from .exprs import MISSING
from .flow import DICTS, OPAQUE
from .values import (SCALARS, Class, Fut, Func, Method, NamedTuple, Native, Partial, Poisoned, RecordType, Ref,
                     Rope, ScoutRaise, Tool, Unknown, Wrapped)

STOPPED = frozenset("exec eval compile globals locals vars __import__ open input breakpoint memoryview".split())


def builtin(table, name=None, type_=None):
    def add(fn):
        n = name or fn.__name__.removeprefix("b_")
        table[n] = Native(n, fn, type_)
        return fn
    return add


B: dict = {}


def flat(s, line, v):
    """Items of `v` as a Python list or a pending future."""
    items = s.seq_of(line, v)
    return s.flat_rope(items) if type(items) is Rope else items


def one(s, line, args, default=MISSING):
    if not args:
        if default is MISSING:
            raise ScoutRaise(TypeError("an argument is missing"))
        return default
    return args[0]


@builtin(B)
def b_print(s, line, args, kw):
    return None


@builtin(B)
def b_len(s, line, args, kw):
    v = one(s, line, args)

    def length(ctx, o):
        if type(o) is Ref and o.kind == "inst":
            f = s.class_attr(ctx, o.extra, "__len__")
            if f is not MISSING:
                return s.call(ctx, f, [o], {})
        if type(o) is Ref and o.kind not in ("inst", "gen", "iter"):
            return s.when(ctx, [s.flat(ctx.store, o)], lambda c, st: len(s.as_list(st)))
        try:
            return len(o)
        except TypeError as e:
            raise ScoutRaise(e) from None
    return s.when(line, [v], length)


def simple(name, fn, guard=None):
    def run(s, line, args, kw):
        names = list(kw)

        def go(ctx, a, k):
            for x in a:
                if type(x) is range and len(x) > 100_000:
                    raise Poisoned(Unknown("a range too long to be walked ahead"))
            if guard is not None:
                guard(s, a)
            return s.native(fn, a, dict(zip(names, k)))
        return s.when(line, [tuple(args), tuple(kw.values())], go, deep=True)
    return Native(name, run)


def guard_pow(s, a):
    if len(a) == 2:
        s.guard_binop(ast.Pow, a[0], a[1])


for _name, _fn in (("abs", abs), ("ord", ord), ("chr", chr), ("round", round), ("divmod", divmod), ("hex", hex),
                   ("oct", oct), ("bin", bin), ("ascii", ascii)):
    B[_name] = simple(_name, _fn)
B["pow"] = simple("pow", pow, guard_pow)


def convert(name, type_, default):
    def run(s, line, args, kw):
        if not args and not kw:
            return default
        v = args[0] if args else None
        if type(v) is Ref and v.kind == "inst":
            f = s.class_attr(line, v.extra, f"__{name}__")
            if f is not MISSING:
                return s.call(line, f, [v], {})
        names = list(kw)

        def go(ctx, a, k):
            s.guard_big_int(a[0] if a else None)
            return s.native(type_, a, dict(zip(names, k)))
        return s.when(line, [tuple(args), tuple(kw.values())], go, deep=True)
    return Native(name, run, type_)


B["int"] = convert("int", int, 0)
B["float"] = convert("float", float, 0.0)
B["complex"] = convert("complex", complex, 0j)


@builtin(B, type_=bool)
def b_bool(s, line, args, kw):
    return s.truth(line, args[0]) if args else False


@builtin(B, type_=str)
def b_str(s, line, args, kw):
    if not args:
        return ""
    if len(args) > 1:
        return s.when(line, [tuple(args)], lambda ctx, a: s.native(str, a), deep=True)
    return s.when(line, [args[0]], s.to_str)


@builtin(B)
def b_repr(s, line, args, kw):
    return s.when(line, [args[0]], s.to_repr)


@builtin(B)
def b_format(s, line, args, kw):
    return s.when(line, args, lambda ctx, v, spec="": s.to_format(ctx, v, spec))


@builtin(B, type_=bytes)
def b_bytes(s, line, args, kw):
    def go(ctx, a):
        if a and type(a[0]) is int:
            s.charge(a[0])
        return s.native(bytes, a)
    return s.when(line, [tuple(args)], go, deep=True)


@builtin(B, type_=list)
def b_list(s, line, args, kw):
    if not args:
        return s.new(line, "list", [])
    items = s.seq_of(line, args[0])
    return s.new(line, "list", items)


@builtin(B, type_=tuple)
def b_tuple(s, line, args, kw):
    if not args:
        return ()
    return s.when(line, [flat(s, line, args[0])], lambda ctx, items: tuple(s.as_list(items)))


@builtin(B, type_=set)
def b_set(s, line, args, kw):
    return s.make_set(line, s.seq_of(line, args[0])) if args else s.new(line, "set", set())


@builtin(B, type_=frozenset)
def b_frozenset(s, line, args, kw):
    if not args:
        return frozenset()
    return s.when(line, [s.make_set(line, s.seq_of(line, args[0]))], lambda ctx, x: frozenset(x), deep=True)


@builtin(B, type_=dict)
def b_dict(s, line, args, kw):
    ref = s.new(line, "dict", {})
    if args:
        v = s.unwrap(args[0])
        if type(v) is Ref and v.kind in DICTS or type(v) is Fut:
            s.update_dict(line, ref, v)
        else:
            s.put(line, ref, s.pairs_state(line, s.seq_of(line, v)))
    if kw:
        s.mutate(line, ref, [], lambda st: st.update(kw))
    return ref


@builtin(B, type_=range)
def b_range(s, line, args, kw):
    return s.when(line, [tuple(args)], lambda ctx, a: s.native(range, a), deep=True)


@builtin(B)
def b_sorted(s, line, args, kw):
    items = flat(s, line, args[0])
    key, reverse = kw.get("key"), kw.get("reverse", False)
    return s.new(line, "list", s.when(line, [items], lambda ctx, x: s.sorted_items(ctx, x, key, reverse)))


@builtin(B)
def b_reversed(s, line, args, kw):
    v = s.unwrap(args[0])
    if type(v) is range:
        return v[::-1]
    items = flat(s, line, v)
    return iterator(s, line, s.when(line, [items], lambda ctx, x: s.as_list(x)[::-1]))


def iterator(s, line, items):
    """An iterator over items (a Python list or a future of one)."""
    if type(items) is Fut:
        return s.new(line, "iter", s.when(line, [items], lambda ctx, x: (s.as_list(x), 0)))
    return s.new(line, "iter", (items, 0))


def extreme(which):
    def run(s, line, args, kw):
        key = kw.get("key")
        items = flat(s, line, args[0]) if len(args) == 1 else list(args)

        def pick(ctx, xs):
            xs = s.as_list(xs)
            if not xs:
                if "default" in kw:
                    return kw["default"]
                raise ScoutRaise(ValueError(f"{which.__name__}() arg is an empty sequence"))
            keys = [s.order_key(ctx, s.unwrap(x)) for x in xs] if key is None else [
                s.call(ctx, key, [x], {}) for x in xs]

            def choose(c, ks):
                try:
                    return xs[which(range(len(ks)), key=ks.__getitem__)]
                except Exception as e:
                    raise ScoutRaise(e) from None
            return s.when(ctx, [tuple(keys)], choose, deep=True)
        return s.when(line, [items], pick)
    return run


B["max"] = Native("max", extreme(max))
B["min"] = Native("min", extreme(min))


@builtin(B)
def b_sum(s, line, args, kw):
    v = s.unwrap(args[0])
    if type(v) is range and len(v) > 10_000:
        n = len(v)
        return (v[0] + v[-1]) * n // 2 + (args[1] if len(args) > 1 and type(args[1]) is int else 0)
    items = flat(s, line, v)
    start = args[1] if len(args) > 1 else kw.get("start", 0)

    def add(ctx, xs):
        xs = s.as_list(xs)
        if any(type(x) is Ref for x in xs) or type(start) is Ref:
            return s.call(ctx, s.prelude["sum"], [Ref("list", xs), start], {})

        def total(c, values, first):
            try:
                return s.lift(sum(values, first))
            except Exception as e:
                raise ScoutRaise(e) from None
        return s.when(ctx, [tuple(xs), start], total, deep=True)
    return s.when(line, [items], add)


def bulk_kind(s, v):
    v = s.unwrap(v)
    return type(v) in (tuple, str, Fut) or isinstance(v, NamedTuple) or (type(v) is range and len(v) < 100_000) or (
        type(v) is Ref and v.kind not in ("gen", "iter", "inst"))


@builtin(B)
def b_enumerate(s, line, args, kw):
    start = args[1] if len(args) > 1 else kw.get("start", 0)
    if bulk_kind(s, args[0]) and type(start) is int:
        items = flat(s, line, args[0])
        return iterator(s, line, s.when(line, [items], lambda ctx, xs: list(enumerate(s.as_list(xs), start))))
    return s.call(line, s.prelude["lazy_enumerate"], [args[0], start], {})


@builtin(B)
def b_zip(s, line, args, kw):
    if all(bulk_kind(s, a) for a in args):
        parts = [flat(s, line, a) for a in args]
        return iterator(s, line, s.when(line, parts, lambda ctx, *xs: list(zip(*[s.as_list(x) for x in xs]))))
    return s.call(line, s.prelude["lazy_zip"], args, {})


@builtin(B)
def b_iter(s, line, args, kw):
    if len(args) == 2:
        return s.call(line, s.prelude["iter_until"], args, {})
    v = s.unwrap(args[0])
    if type(v) is Ref and v.kind in ("gen", "iter"):
        return v
    return iterator(s, line, flat(s, line, v))


@builtin(B)
def b_isinstance(s, line, args, kw):
    return s.when(line, args, lambda ctx, v, c: s.is_instance(v, c))


@builtin(B)
def b_issubclass(s, line, args, kw):
    a, b = args
    if type(a) is Class and type(b) is Class:
        return b in a.mro
    raise Poisoned(Unknown("issubclass is not followed here"))


@builtin(B)
def b_callable(s, line, args, kw):
    return type(args[0]) in (Func, Native, Method, Tool, Class, Partial)


@builtin(B, type_=type)
def b_type(s, line, args, kw):
    if len(args) != 1:
        raise Poisoned(Unknown("classes made by type() are not followed"))

    def of(ctx, v):
        if type(v) is Ref and v.kind == "inst":
            return v.extra
        if isinstance(v, BaseException):
            return type(v)
        name = s.type_name(v)
        t = s.builtins.get(name if name != "NoneType" else "none_type")
        if t is None:
            raise Poisoned(Unknown(f"type() of a {name} is not followed"))
        return t
    return s.when(line, [args[0]], of)


B["none_type"] = Native("NoneType", lambda s, line, args, kw: None, type(None))


@builtin(B)
def b_getattr(s, line, args, kw):
    obj, name = args[0], args[1]
    if type(name) is not str:
        raise Poisoned(Unknown("getattr with a name that waits"))
    try:
        v = s.get_attr(line, obj, name)
    except ScoutRaise as r:
        if len(args) > 2 and isinstance(r.exc, AttributeError):
            return args[2]
        raise
    return v


@builtin(B)
def b_hasattr(s, line, args, kw):
    obj = s.unwrap(args[0])
    if type(obj) is Ref and obj.kind == "inst" and type(args[1]) is str:
        try:
            s.get_attr(line, obj, args[1])
            return True
        except ScoutRaise:
            return False
    raise Poisoned(Unknown("hasattr is not followed here"))


@builtin(B)
def b_setattr(s, line, args, kw):
    s.set_attr(line, args[0], args[1], args[2])


@builtin(B, type_=object)
def b_object(s, line, args, kw):
    return s.new(line, "inst", {}, s.object_class(line))


@builtin(B)
def b_super(s, line, args, kw):
    if args:
        cls, obj = args[0], args[1]
    else:
        cls = s.lookup(line, "__class__")
        frame = line.frame
        while frame.comp:
            frame = frame.outer
        a = frame.node.args
        obj = s.lookup(line, (a.posonlyargs + a.args)[0].arg)
    return Partial("super", (cls, obj), {})


@builtin(B)
def b_property(s, line, args, kw):
    return Wrapped("property", args[0])


@builtin(B)
def b_staticmethod(s, line, args, kw):
    return Wrapped("static", args[0])


@builtin(B)
def b_classmethod(s, line, args, kw):
    return Wrapped("class", args[0])


@builtin(B, name="slice")
def b_slice(s, line, args, kw):
    return s.when(line, [tuple(args)], lambda ctx, a: slice(*a), deep=True)


def stopped(name):
    def run(s, line, args, kw):
        raise Poisoned(Unknown(f"{name}() is not followed"))
    return Native(name, run)


for _name in STOPPED:
    B[_name] = stopped(_name)
for _name in ("id", "hash", "dir", "delattr", "help"):
    B[_name] = stopped(_name)
for _name, _value in vars(__import__("builtins")).items():
    if isinstance(_value, type) and issubclass(_value, BaseException):
        B[_name] = _value
B.update({"True": True, "False": False, "None": None, "Ellipsis": ..., "NotImplemented": NotImplemented,
          "__name__": "__main__", "__debug__": True})


class Natives:
    """Mixin of the machine."""

    def is_instance(self, v, c):
        if type(c) is tuple:
            return any(self.is_instance(v, x) for x in c)
        if type(c) is Class:
            return type(v) is Ref and v.kind == "inst" and c in v.extra.mro
        if type(c) is RecordType:
            return isinstance(v, NamedTuple) and v.record is c
        if isinstance(c, type):
            base = self.exc_class(v)
            return isinstance(v, c) or (base is not None and issubclass(base, c))
        if type(c) is Native and c.type is not None:
            t = c.type
            if t is object:
                return True
            if type(v) is Ref:
                kinds = {"list": list, "dict": dict, "set": set, "counter": __import__("collections").Counter,
                         "ddict": __import__("collections").defaultdict,
                         "odict": __import__("collections").OrderedDict, "deque": deque}
                kind = kinds.get(v.kind)
                return kind is not None and issubclass(kind, t)
            if t is type:
                return type(v) is Class or self.is_type(v)
            known = type(v) in SCALARS or type(v) in OPAQUE or isinstance(v, (tuple, frozenset))
            return known and isinstance(v, t)
        if c is None:
            return v is None
        raise Poisoned(Unknown("isinstance with this class is not followed"))

    def decorate(self, line, node, value):
        if isinstance(node, ast.Attribute) and node.attr in ("setter", "getter", "deleter"):
            prop = self.ev(line, node.value)
            if type(prop) is Wrapped and node.attr == "setter":
                made = Wrapped("property", prop.func)
                made.setter = value
                return made
            return prop
        d = self.ev(line, node)
        if type(d) is Native and d.name == "dataclass":
            return value
        return self.call(line, d, [value], {})

    def dunder_name(self, op):
        from .exprs import DUNDER
        return DUNDER[op]

    def object_class(self, line):
        if self._object is None:
            self._object = Class("object", [], Ref("dict", {}))
        return self._object
