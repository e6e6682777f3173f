"""Builtins and modules that the scout evaluates, and those that it writes in the program's own language (`PRELUDE`),
so that waiting, guessing and early stops in them come for free."""
from __future__ import annotations

import ast
import json
import math
import re
import string
import textwrap
from collections import deque

from .exprs import MISSING
from .flow import DICTS, component
from .values import (SCALARS, Class, Fut, Func, Method, Module, NamedTuple, Native, Partial, Poisoned, RecordType, Ref,
                     Rope, ScoutRaise, Splice, Tool, Unknown, Wrapped)

PRELUDE = '''
def any(items):
    for x in items:
        if x:
            return True
    return False
def all(items):
    for x in items:
        if not x:
            return False
    return True
def next(it, *default):
    for x in it:
        return x
    if default:
        return default[0]
    raise StopIteration
def iter_next(f):
    while True:
        try:
            x = f()
        except StopIteration:
            return
        yield x
def iter_until(f, last):
    while True:
        x = f()
        if x == last:
            return
        yield x
def map(f, *its):
    if len(its) == 1:
        for x in its[0]:
            yield f(x)
    else:
        for xs in zip(*its):
            yield f(*xs)
def filter(f, it):
    for x in it:
        if (x if f is None else f(x)):
            yield x
def starmap(f, it):
    for xs in it:
        yield f(*xs)
def lazy_enumerate(it, start):
    for x in it:
        yield start, x
        start += 1
def lazy_zip(*its):
    its = [iter(x) for x in its]
    while True:
        row = []
        for it in its:
            for x in it:
                row.append(x)
                break
            else:
                return
        yield tuple(row)
def count(start=0, step=1):
    while True:
        yield start
        start += step
def cycle(it):
    kept = list(it)
    while kept:
        for x in kept:
            yield x
def repeat(x, *times):
    if times:
        for _ in range(times[0]):
            yield x
    else:
        while True:
            yield x
def islice(it, *bounds):
    start, stop, step = 0, None, 1
    if len(bounds) == 1:
        stop = bounds[0]
    else:
        start, stop = bounds[0] or 0, bounds[1]
        if len(bounds) > 2:
            step = bounds[2] or 1
    if stop is not None and stop <= 0:
        return
    i = 0
    for x in it:
        if i >= start and (i - start) % step == 0:
            yield x
        i += 1
        if stop is not None and i >= stop:
            return
def chain(*its):
    for it in its:
        for x in it:
            yield x
def from_iterable(its):
    for it in its:
        for x in it:
            yield x
def takewhile(f, it):
    for x in it:
        if not f(x):
            return
        yield x
def dropwhile(f, it):
    dropping = True
    for x in it:
        if dropping and f(x):
            continue
        dropping = False
        yield x
def filterfalse(f, it):
    for x in it:
        if not (x if f is None else f(x)):
            yield x
def accumulate(it, f=None, initial=None):
    total, first = initial, initial is None
    if not first:
        yield total
    for x in it:
        if first:
            total, first = x, False
        elif f is None:
            total = total + x
        else:
            total = f(total, x)
        yield total
def pairwise(it):
    a = list(it)
    for i in range(len(a) - 1):
        yield a[i], a[i + 1]
def batched(it, n):
    a = list(it)
    for i in range(0, len(a), n):
        yield tuple(a[i:i + n])
def zip_longest(*its, fillvalue=None):
    rows = [list(it) for it in its]
    for i in range(max([len(r) for r in rows])):
        yield tuple([r[i] if i < len(r) else fillvalue for r in rows])
def groupby(it, key=None):
    groups = []
    for x in it:
        k = x if key is None else key(x)
        if groups and groups[-1][0] == k:
            groups[-1][1].append(x)
        else:
            groups.append((k, [x]))
    for g in groups:
        yield g
def product(*its, repeat=1):
    pools = [list(it) for it in its] * repeat
    rows = [()]
    for pool in pools:
        rows = [r + (x,) for r in rows for x in pool]
    for r in rows:
        yield r
def combinations(it, n):
    a = list(it)
    if n == 0:
        yield ()
    else:
        for i in range(len(a)):
            for rest in combinations(a[i + 1:], n - 1):
                yield (a[i],) + rest
def permutations(it, n=None):
    a = list(it)
    if n is None:
        n = len(a)
    if n == 0:
        yield ()
    else:
        for i in range(len(a)):
            for rest in permutations(a[:i] + a[i + 1:], n - 1):
                yield (a[i],) + rest
def tee(it, n=2):
    a = list(it)
    return tuple([iter(list(a)) for _ in range(n)])
def reduce(f, it, *initial):
    acc, first = (initial[0] if initial else None), not initial
    for x in it:
        if first:
            acc, first = x, False
        else:
            acc = f(acc, x)
    return acc
def sum(items, start=0):
    for x in items:
        start = start + x
    return start
'''

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
            keys = [s.order_key(ctx, s.unwrap(x)) for x in xs] if key is None else [s.call(ctx, key, [x], {}) for x in xs]

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


# -- modules ----------------------------------------------------------------------------------------------------------
def module(name, **members):
    return Module(name, members)


def guard_comb(s, a):
    if any(type(x) is int and abs(x) > 2000 for x in a):
        raise Poisoned(Unknown("a number too large to be computed ahead"))


MATH = {n: simple(n, getattr(math, n)) for n in """ceil floor sqrt exp log log2 log10 sin cos tan asin acos atan atan2
hypot fabs fmod gcd isclose isfinite isinf isnan trunc copysign degrees radians fsum prod modf dist lcm isqrt""".split()
    if hasattr(math, n)}
MATH.update({n: simple(n, getattr(math, n), guard_comb) for n in ("factorial", "comb", "perm")})
MATH["pow"] = simple("pow", math.pow)
MATH.update(pi=math.pi, e=math.e, inf=math.inf, nan=math.nan, tau=math.tau)


def json_loads(s, line, args, kw):
    if kw:
        raise Poisoned(Unknown("json.loads with options is not followed"))

    def go(ctx, text):
        if type(text) in (str, bytes):
            s.charge(4 * len(text))
        return s.native(json.loads, (text,))
    return s.when(line, [args[0]], go, deep=True)


def json_dumps(s, line, args, kw):
    if not set(kw) <= {"indent", "sort_keys", "ensure_ascii", "separators", "allow_nan"}:
        raise Poisoned(Unknown("json.dumps with these options is not followed"))
    names = list(kw)

    def go(ctx, v, options):
        options = dict(zip(names, options))
        if type(options.get("indent")) is int and options["indent"] > 64:
            raise Poisoned(Unknown("a json indent too large to be computed ahead"))
        return s.native(json.dumps, (v,), options)
    return s.when(line, [args[0], tuple(kw.values())], go, deep=True)


_NESTED = re.compile(r"[*+}?][^()|]*\)[*+{]|\)[*+{][^)]*\)[*+{]|\\[1-9]|\(\?[P(]=")


def bounded_pattern(s, pattern, text=""):
    """Refuses what may backtrack exponentially, and long texts with more than one open repeat."""
    source = pattern.pattern if isinstance(pattern, re.Pattern) else pattern
    if type(source) is not str or len(source) > 500:
        raise Poisoned(Unknown("this regular expression is not evaluated ahead"))
    if _NESTED.search(source):
        raise Poisoned(Unknown("a regular expression with nested repeats cannot be bounded; use plain string methods"))
    repeats = len(re.findall(r"[*+]|\{\d*,", source))
    cost = max(len(text), 1) ** min(max(repeats, 1), 4) if repeats > 1 else len(text)
    if cost > 50_000_000 and not _separated(source):
        raise Poisoned(Unknown("a regular expression on this much text cannot be bounded; use plain string methods"))
    if re.search(r"\{\d{4,}", source):
        raise Poisoned(Unknown("this regular expression is not evaluated ahead"))


def _separated(source):
    """Repeats of narrow classes with something else between them do not multiply."""
    return not re.search(r"\.[*+]|\)[*+]|\[\^[^\]]*\][*+]|\\[SWD][*+]", source) and len(source) < 80


def regex(name):
    def run(s, line, args, kw):
        names = list(kw)
        if name == "sub" and len(args) > 1 and type(args[1]) in (Func, Native, Method):
            raise Poisoned(Unknown("re.sub with a function is not followed"))

        def go(ctx, a, k):
            text = next((x for x in a[1:] if type(x) is str and name != "sub"), a[2] if len(a) > 2 else "")
            bounded_pattern(s, a[0], text if type(text) is str else "")
            if type(text) is str:
                s.charge(len(text))
            if name == "finditer":
                return iterator(s, ctx, list(re.finditer(*a, **dict(zip(names, k)))))
            return s.native(getattr(re, name), a, dict(zip(names, k)))
        return s.when(line, [tuple(args), tuple(kw.values())], go, deep=True)
    return Native(name, run)


def re_escape(s, line, args, kw):
    return s.when(line, [args[0]], lambda ctx, x: s.native(re.escape, (x,)), deep=True)


def make_counter(s, line, args, kw):
    ref = s.new(line, "counter", {})
    if args:
        s.count_into(line, ref, args[0], 1)
    return ref


def make_defaultdict(s, line, args, kw):
    ref = s.new(line, "ddict", {}, args[0] if args else None)
    if len(args) > 1:
        s.update_dict(line, ref, args[1])
    return ref


def make_ordered(s, line, args, kw):
    ref = B["dict"].impl(s, line, args, kw)
    return s.new(line, "odict", line.store.get(ref))


def make_deque(s, line, args, kw):
    maxlen = args[1] if len(args) > 1 else kw.get("maxlen")
    items = flat(s, line, args[0]) if args else []
    if type(maxlen) not in (int, type(None)):
        raise Poisoned(Unknown("a deque whose length waits"))
    return s.new(line, "deque", s.when(line, [items], lambda ctx, x: list(deque(s.as_list(x), maxlen))), maxlen)


def make_namedtuple(s, line, args, kw):
    def go(ctx, name, fields):
        names = fields.replace(",", " ").split() if type(fields) is str else list(fields)
        defaults = kw.get("defaults", ())
        return RecordType(name, names, dict(zip(names[len(names) - len(defaults):], defaults)))
    return s.when(line, [args[0], args[1]], go, deep=True)


def make_partial(s, line, args, kw):
    return Partial(args[0], tuple(args[1:]), dict(kw))


def cached(s, line, args, kw):
    if args and type(args[0]) is Func:
        f = args[0]
        made = Func(f.node, f.frame, f.defaults, f.kw_defaults, f.name, f.info)
        made.memo = {}
        return made
    return Native("lru_cache", cached)


def identity_decorator(s, line, args, kw):
    return Native("wraps", lambda s2, ln, a, k: a[0])


def shallow_copy(s, line, args, kw):
    return s.when(line, [args[0]], lambda ctx, v: s.copy_ref(ctx, v) if type(v) is Ref else v)


def deep_copy(s, line, args, kw):
    def go(ctx, v, seen):
        if type(v) is tuple:
            return tuple(go(ctx, x, seen) for x in v)
        if type(v) is not Ref:
            return v
        if v in seen:
            return seen[v]
        state = s.state(ctx.store, v)
        new = seen[v] = s.new(ctx, v.kind, state, v.extra)
        if type(state) is Fut:
            s.put(ctx, new, s.when(ctx, [v], lambda c, x: c.store.get(s.lift(x)), deep=True))
        elif isinstance(state, dict):
            s.put(ctx, new, {k: go(ctx, x, seen) for k, x in state.items()})
        elif type(state) is Rope:
            s.put(ctx, new, Rope([x if type(x) is Splice else go(ctx, x, seen) for x in state.parts]))
        elif type(state) is list:
            s.put(ctx, new, [go(ctx, x, seen) for x in state])
        else:
            s.put(ctx, new, state.copy())
        return new
    return s.when(line, [args[0]], lambda ctx, v: go(ctx, v, {}))


def asdict(s, line, args, kw):
    def go(ctx, v):
        if type(v) is Ref and v.kind == "inst" and v.extra.fields is not None:
            state = ctx.store.get(v)
            return s.new(ctx, "dict", {n: go(ctx, state[n]) for n in v.extra.fields})
        if type(v) is Ref and v.kind == "list":
            st = s.state(ctx.store, v)
            if type(st) is list:
                return s.new(ctx, "list", [go(ctx, x) for x in st])
        return v
    return go(line, s.unwrap(args[0]))


def replace(s, line, args, kw):
    obj = s.unwrap(args[0])
    new = s.new(line, "inst", dict(line.store.get(obj)), obj.extra)
    line.store.own(new).update(kw)
    return new


def item_getter(s, line, args, kw):
    def get(s2, ln, a, k):
        got = [s.get_item(ln, a[0], i) for i in args]
        return got[0] if len(got) == 1 else tuple(got)
    return Native("itemgetter", get)


def attr_getter(s, line, args, kw):
    def get(s2, ln, a, k):
        got = [s.get_attr(ln, a[0], n) for n in args]
        return got[0] if len(got) == 1 else tuple(got)
    return Native("attrgetter", get)


def operator_fn(op):
    return Native(op.__name__, lambda s, line, a, k: s.binop(line, op, *a))


def mean(s, line, args, kw):
    def go(ctx, xs):
        if not xs:
            raise ScoutRaise(ValueError("mean requires at least one data point"))
        import statistics
        return s.native(statistics.mean, (xs,))
    return s.when(line, [Ref("list", flat(s, line, args[0]))], go, deep=True)


def statistics_fn(name):
    import statistics

    def run(s, line, args, kw):
        return s.when(line, [Ref("list", flat(s, line, args[0]))], lambda ctx, xs: s.native(getattr(statistics, name), (xs,)),
                      deep=True)
    return Native(name, run)


def nothing(s, line, args, kw):
    return None


def build_modules(prelude):
    its = {n: prelude[n] for n in """count cycle repeat islice takewhile dropwhile filterfalse accumulate pairwise batched
zip_longest groupby product combinations permutations tee starmap""".split()}
    its["chain"] = Native("chain", lambda s, line, a, k: s.call(line, prelude["chain"], a, k), None)
    marker = Native("typing", nothing)
    typing = {n: marker for n in """Any Optional Union List Dict Tuple Set Callable Iterable Iterator Generator Sequence
Mapping Literal TypeVar TypedDict Final ClassVar Generic Protocol cast""".split()}
    typing["NamedTuple"] = Native("NamedTuple", nothing)
    typing["Protocol"] = Native("Protocol", nothing)
    typing["Generic"] = Native("Generic", nothing)
    typing["cast"] = Native("cast", lambda s, line, a, k: a[1])
    typing["TYPE_CHECKING"] = False
    field = Native("field", lambda s, line, a, k: Partial("field", (), dict(k)))
    return {
        "json": module("json", loads=Native("loads", json_loads), dumps=Native("dumps", json_dumps),
                       JSONDecodeError=json.JSONDecodeError),
        "re": module("re", **{n: regex(n) for n in ("match", "search", "fullmatch", "findall", "finditer", "split",
                                                    "sub", "compile")},
                     escape=Native("escape", re_escape), I=re.I, IGNORECASE=re.I, M=re.M, MULTILINE=re.M, S=re.S,
                     DOTALL=re.S, X=re.X, VERBOSE=re.X),
        "math": module("math", **MATH),
        "itertools": module("itertools", **its),
        "collections": module("collections", Counter=Native("Counter", make_counter, __import__("collections").Counter),
                              defaultdict=Native("defaultdict", make_defaultdict, __import__("collections").defaultdict),
                              OrderedDict=Native("OrderedDict", make_ordered, __import__("collections").OrderedDict),
                              deque=Native("deque", make_deque, deque), namedtuple=Native("namedtuple", make_namedtuple)),
        "string": module("string", **{n: getattr(string, n) for n in (
            "ascii_letters", "ascii_lowercase", "ascii_uppercase", "digits", "hexdigits", "punctuation", "whitespace")}),
        "textwrap": module("textwrap", **{n: simple(n, getattr(textwrap, n)) for n in ("dedent", "shorten", "fill",
                                                                                      "wrap", "indent")}),
        "functools": module("functools", partial=Native("partial", make_partial), reduce=prelude["reduce"],
                            lru_cache=Native("lru_cache", cached), cache=Native("cache", cached),
                            wraps=Native("wraps", identity_decorator),
                            cached_property=Native("cached_property", lambda s, line, a, k: Wrapped("cached", a[0])),
                            total_ordering=Native("total_ordering", nothing)),
        "operator": module("operator", itemgetter=Native("itemgetter", item_getter),
                           attrgetter=Native("attrgetter", attr_getter), add=operator_fn(ast.Add),
                           mul=operator_fn(ast.Mult), sub=operator_fn(ast.Sub)),
        "dataclasses": module("dataclasses", dataclass=Native("dataclass", nothing), field=field,
                              asdict=Native("asdict", asdict), replace=Native("replace", replace)),
        "copy": module("copy", copy=Native("copy", shallow_copy), deepcopy=Native("deepcopy", deep_copy)),
        "contextlib": module("contextlib",
                             suppress=Native("suppress", lambda s, line, a, k: Partial("suppress", tuple(a), {})),
                             nullcontext=Native("nullcontext", lambda s, line, a, k: Partial("nullcontext", tuple(a), {})),
                             contextmanager=Native("contextmanager", lambda s, line, a, k: Native(
                                 "manager", lambda s2, ln, a2, k2: Partial("contextmanager", (s.call(ln, a[0], a2, k2),), {})))),
        "typing": module("typing", **typing),
        "enum": module("enum", Enum=Native("Enum", nothing), IntEnum=Native("IntEnum", nothing)),
        "abc": module("abc", ABC=Native("ABC", nothing), abstractmethod=Native(
            "abstractmethod", lambda s, line, a, k: a[0])),
        "statistics": module("statistics", **{n: statistics_fn(n) for n in ("mean", "median", "mode", "stdev", "pstdev",
                                                                           "fmean")}),
        "time": module("time", sleep=Native("sleep", nothing)),
        "__future__": module("__future__", annotations=None),
        "heapq": module("heapq", nlargest=Native("nlargest", n_extreme(True)), nsmallest=Native("nsmallest",
                                                                                               n_extreme(False))),
    }


def n_extreme(largest):
    def run(s, line, args, kw):
        n, items, key = args[0], flat(s, line, args[1]), kw.get("key", args[2] if len(args) > 2 else None)

        def go(ctx, xs):
            return s.when(ctx, [s.sorted_items(ctx, xs, key, largest), n], lambda c, out, k: Ref("list", list(out[:k])))
        return s.when(line, [items], go)
    return run


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
            return isinstance(v, t) if type(v) in SCALARS or isinstance(v, (tuple, frozenset)) else False
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
