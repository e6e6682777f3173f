"""Modules that the scout evaluates: pure functions, each bounded before it runs."""
from __future__ import annotations

from .._own import __builtins__

import ast
import bisect
import heapq
import json
import math
import posixpath
import re
import string
from collections import deque
from types import SimpleNamespace

from .natives import B, flat, iterator, simple
from .values import (SCALARS, Fut, Func, Method, Module, Native, Partial, Poisoned, RecordType, Ref, Rope,
                     ScoutRaise, Splice, Unknown, Wrapped)

# As they were at import: a program may replace their functions, the scout runs the real ones.
bisect, heapq, json, math, re, string = (
    SimpleNamespace(**vars(m)) for m in (bisect, heapq, json, math, re, string))


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


_loads, _dumps, _finditer = json.loads, json.dumps, re.finditer
_escape = re.escape


def json_loads(s, line, args, kw):
    if kw:
        raise Poisoned(Unknown("json.loads with options is not followed"))

    def go(ctx, text):
        if type(text) in (str, bytes):
            s.charge(4 * len(text))
        return s.native(_loads, (text,))
    return s.when(line, [args[0]], go, deep=True)


def json_dumps(s, line, args, kw):
    if not set(kw) <= {"indent", "sort_keys", "ensure_ascii", "separators", "allow_nan"}:
        raise Poisoned(Unknown("json.dumps with these options is not followed"))
    names = list(kw)

    def go(ctx, v, options):
        options = dict(zip(names, options))
        if type(options.get("indent")) is int and options["indent"] > 64:
            raise Poisoned(Unknown("a json indent too large to be computed ahead"))
        return s.native(_dumps, (v,), options)
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
    fn = getattr(re, name)

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
                return iterator(s, ctx, list(_finditer(*a, **dict(zip(names, k)))))
            return s.native(fn, a, dict(zip(names, k)))
        return s.when(line, [tuple(args), tuple(kw.values())], go, deep=True)
    return Native(name, run)


def re_escape(s, line, args, kw):
    return s.when(line, [args[0]], lambda ctx, x: s.native(_escape, (x,)), deep=True)


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


def nothing(s, line, args, kw):
    return None




def heap_fn(name):
    fn = getattr(heapq, name)

    def run(s, line, args, kw):
        def go(state, *more):
            try:
                return fn(state, *[s.lift(x) for x in more])
            except Exception as e:
                raise ScoutRaise(e) from None
        heap = s.unwrap(args[0])
        if type(heap) is not Ref or heap.kind != "list":
            raise Poisoned(Unknown("a heap that waits"))
        v = s.mutate(line, heap, list(args[1:]), go, deep=True)
        return s.known(v) if type(v) in (Fut, Unknown) else v
    return Native(name, run)


def leave(s, line, args, kw):
    raise ScoutRaise(SystemExit(*[a for a in args if type(a) in SCALARS]))


def unknown_value(name):
    def run(s, line, args, kw):
        raise Poisoned(Unknown(f"{name} gives another value each time"))
    return Native(name, run)


def quiet(*names):
    """An object all of whose methods do nothing that a program's values depend on."""
    return {n: Native(n, nothing) for n in names}


OS_PATH = Module("os.path", {n: simple(n, getattr(posixpath, n)) for n in (
    "join", "basename", "dirname", "splitext", "split", "normpath", "commonprefix", "isabs", "relpath")})

# Modules that need no Python code of the library: also for programs that replace something in builtins or modules.
BARE = frozenset("""math itertools collections functools operator dataclasses typing enum abc contextlib copy __future__
time sys logging io string""".split())


def build_modules(prelude):
    logger = Module("logger", quiet(*"debug info warning error critical exception log setLevel addHandler".split()))
    its = {n: prelude[n] for n in """count cycle repeat islice takewhile dropwhile filterfalse accumulate pairwise
batched zip_longest groupby product combinations permutations tee starmap""".split()}
    its["chain"] = Native("chain", lambda s, line, a, k: s.call(line, prelude["chain"], a, k), None)
    marker = Native("typing", nothing)
    typing = {n: marker for n in """Any Optional Union List Dict Tuple Set Callable Iterable Iterator Generator Sequence
Mapping Literal TypeVar TypedDict Final ClassVar Generic Protocol cast""".split()}
    typing["TypedDict"] = Native("TypedDict", nothing)
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
                              defaultdict=Native("defaultdict", make_defaultdict,
                                                 __import__("collections").defaultdict),
                              OrderedDict=Native("OrderedDict", make_ordered, __import__("collections").OrderedDict),
                              deque=Native("deque", make_deque, deque),
                              namedtuple=Native("namedtuple", make_namedtuple)),
        "string": module("string", **{n: getattr(string, n) for n in (
            "ascii_letters", "ascii_lowercase", "ascii_uppercase", "digits", "hexdigits", "punctuation",
            "whitespace")}),
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
                             nullcontext=Native("nullcontext",
                                                lambda s, line, a, k: Partial("nullcontext", tuple(a), {})),
                             contextmanager=Native("contextmanager", lambda s, line, a, k: Native(
                                 "manager", lambda s2, ln, a2, k2: Partial(
                                     "contextmanager", (s.call(ln, a[0], a2, k2),), {})))),
        "typing": module("typing", **typing),
        "enum": module("enum", Enum=Native("Enum", nothing), IntEnum=Native("IntEnum", nothing)),
        "abc": module("abc", ABC=Native("ABC", nothing), abstractmethod=Native(
            "abstractmethod", lambda s, line, a, k: a[0])),
        "time": module("time", sleep=Native("sleep", nothing), **{n: unknown_value(f"time.{n}") for n in (
            "time", "monotonic", "perf_counter", "time_ns")}),
        "logging": module("logging", getLogger=Native("getLogger", lambda s, line, a, k: logger), DEBUG=10, INFO=20,
                          WARNING=30, ERROR=40, **quiet("basicConfig", "debug", "info", "warning", "error",
                                                         "exception")),
        "os": module("os", path=OS_PATH, sep="/", linesep="\n"),
        "os.path": OS_PATH,
        "posixpath": OS_PATH,
        "sys": module("sys", exit=Native("exit", leave), maxsize=2 ** 63 - 1,
                      stdout=Module("stdout", quiet("write", "flush")),
                      stderr=Module("stderr", quiet("write", "flush"))),
        "io": module("io", StringIO=prelude["StringIO"]),
        "bisect": module("bisect", **{n: simple(n, getattr(bisect, n)) for n in (
            "bisect", "bisect_left", "bisect_right")}),
        "__future__": module("__future__", annotations=None),
        "heapq": module("heapq", **{n: heap_fn(n) for n in (
            "heappush", "heappop", "heapify", "heappushpop", "heapreplace")},
                        nlargest=Native("nlargest", n_extreme(True)), nsmallest=Native("nsmallest",
                                                                                               n_extreme(False))),
    }


def n_extreme(largest):
    def run(s, line, args, kw):
        n, items, key = args[0], flat(s, line, args[1]), kw.get("key", args[2] if len(args) > 2 else None)

        def go(ctx, xs):
            return s.when(ctx, [s.sorted_items(ctx, xs, key, largest), n], lambda c, out, k: Ref("list", list(out[:k])))
        return s.when(line, [items], go)
    return run
