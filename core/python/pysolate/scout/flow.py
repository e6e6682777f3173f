"""Dataflow: futures, evaluation that waits for what it needs and no more, the way between values and plain data."""
from __future__ import annotations

from .._own import __builtins__

import re
from collections import Counter, OrderedDict, defaultdict, deque

from .values import (SCALARS, PLAIN_SCALARS, Fut, NamedTuple, NeedsValue, OutOfFuel, OutOfTime, Poisoned, Ref, Rope,
                     ScoutRaise, Splice,
                     Store, Unknown, copy_state)

class Token:
    """Stands for an object of the program inside a sort key: equal to itself, without an order."""

    __slots__ = ("ref",)

    def __init__(self, ref):
        self.ref = ref

    def __eq__(self, other):
        return type(other) is Token and other.ref is self.ref

    def __hash__(self):
        return 0

    def __repr__(self):
        raise Poisoned(Unknown("the default repr of an object is not known"))


OPAQUE = {re.Match, re.Pattern, Token}              # immutable results of whitelisted functions
DICTS = frozenset({"dict", "counter", "ddict", "odict"})
PLAIN_DEPTH = 60


class Line:
    """One line of scouting: explicit control (`k`, a linked list of entries), a store, and what it assumed.

    `entries` are the open assumptions, oldest first, each with the checkpoint to go back to. A line is finished for
    others only when it came to its end and no assumption is open.
    """

    __slots__ = ("k", "store", "frame", "path", "seq", "base_try", "entries", "status", "out", "done", "marks", "ghost",
                 "guess", "dead", "children", "depth", "scope", "exc", "collect", "mark", "left", "generation", "node",
                 "final", "lineno", "log_start", "waits", "soft", "intry", "patience")

    def __init__(self, k, store, frame, path):
        self.k, self.store, self.frame, self.path = k, store, frame, path
        self.seq, self.base_try, self.entries, self.status, self.out = 0, False, [], "run", None
        self.done, self.marks, self.ghost, self.guess, self.dead = None, [], False, False, False
        self.children, self.depth, self.scope, self.exc, self.collect = [], 0, None, None, None
        self.mark, self.left, self.generation, self.node, self.final = None, None, 0, None, False
        self.lineno, self.log_start, self.waits, self.soft, self.intry = 0, 0, None, [], False
        self.patience = None


class Scope:
    """A stretch of the program that may not be reached. The host hears of it when the first call is found in it."""

    __slots__ = ("parent", "kind", "line", "state", "id")

    def __init__(self, parent, kind, line, state="pending"):
        while parent is not None and parent.state == "active" and parent.parent is not None:
            parent = parent.parent
        self.parent, self.kind, self.line, self.state, self.id = parent, kind, line, state, 0

    def alive(self):
        scope = self
        while scope is not None:
            if scope.state == "dead":
                return False
            scope = scope.parent
        return True


class Entry:
    """An assumption: `fut` does not fail (`expect` None) or its truth is `expect`."""

    __slots__ = ("line", "fut", "expect", "k", "base", "frame", "path", "seq", "children", "open", "exc", "scope",
                 "guessed")

    def __init__(self, line, fut, expect, mark):
        self.line, self.fut, self.expect = line, fut, expect
        self.k, self.base, self.frame, self.path, self.seq, self.exc = mark
        self.children, self.open = len(line.children), True
        self.scope, self.guessed = line.scope, None


def component(n: int) -> str:
    """An order component: strings of them compare bytewise as the numbers do. What belongs to a statement's own
    expressions is marked by "!", which sorts before its bodies."""
    text = str(n)
    return chr(96 + min(len(text), 26)) + text


def chained(line, parent_line):
    """Gives `line` what a line started by `parent_line` inherits."""
    line.ghost, line.guess, line.scope = parent_line.ghost, parent_line.guess, parent_line.scope
    line.depth, line.exc, line.generation = parent_line.depth, parent_line.exc, parent_line.generation
    line.lineno, line.left = parent_line.lineno, parent_line.left
    return line


class Flow:
    """Mixin of the machine."""

    # -- fuel ---------------------------------------------------------------------------------------------------------
    def charge(self, nbytes: int) -> None:
        if nbytes > self.limits.value_bytes:
            raise Poisoned(Unknown(f"a value of about {nbytes} bytes is too large to be computed ahead"))
        self.bytes_left -= nbytes
        if self.bytes_left < 0:
            raise OutOfFuel("memory")

    def tick(self, n: int = 1) -> None:
        self.steps_left -= n
        self.turn_left -= n
        if self.steps_left < 0 or self.turn_left < 0:
            raise OutOfFuel("steps")
        if self.deadline is not None:
            self.look -= n
            if self.look < 0:
                self.look = 40
                if self.time_is_up():
                    raise OutOfTime

    def is_late(self) -> bool:
        """Whether the time is up. If not, some steps may be taken before anybody looks again."""
        self.look = 40
        return self.time_is_up()

    def time_is_up(self) -> bool:
        """A scout of a blocked program goes on while nothing else happens."""
        now = self.limits.clock()
        if now <= self.deadline:
            return False
        if not self.blocked or self.found == self.found_before and \
                self.idle + now - self.resumed > self.limits.idle or self.host.pressing():
            return True
        self.deadline = now + self.limits.slice
        return False

    def put_off(self, line, fn) -> Fut:
        """`fn(line)` when there is time again; `line` goes on beside it."""
        gate = Fut()
        fut = self.when(line, [gate], lambda ctx, _: fn(ctx))
        self.queue.append(lambda: self.resolve(gate, None))
        return fut

    # -- futures ------------------------------------------------------------------------------------------------------
    def resolve(self, fut: Fut, value) -> None:
        if fut.state:
            return
        if type(value) is Fut:
            if value.state == 0:
                fut.sources = (value,)
                value.waiters.append(lambda: self.resolve(fut, value))
                return
            if value.state == 2:
                self.fail(fut, value.value)
                return
            value = value.value
        fut.state, fut.value = 1, value
        self._wake(fut)

    def fail(self, fut: Fut, exc) -> None:
        if fut.state:
            return
        fut.state, fut.value = 2, exc
        self._wake(fut)

    def _wake(self, fut):
        fut.sources = ()
        if fut.waiters:
            self.queue.extend(fut.waiters)
            fut.waiters = []

    def on_all(self, futs, then) -> None:
        """Queues `then` once all of `futs` are resolved or one of them has failed."""
        futs = list(dict.fromkeys(futs))
        left = [len(futs)]

        def one(fut):
            def ready():
                left[0] -= 1
                if left[0] == 0 or (fut.state == 2 and left[0] > 0):
                    left[0] = 0
                    self.queue.append(then)
            return ready
        for fut in futs:
            fut.waiters.append(one(fut))

    def deps_of(self, futs) -> list[int]:
        """The nearest pending calls behind futures."""
        found, seen, todo = {}, set(), list(reversed(list(futs)))
        while todo and len(seen) < 500:
            fut = todo.pop()
            if fut in seen or fut.state:
                continue
            seen.add(fut)
            if fut.call:
                found[fut.call] = None
                if len(found) >= 64:
                    break
            else:
                todo.extend(fut.sources)
        return list(found)

    def unwrap(self, v):
        """The value of a resolved future, the future itself while it is pending."""
        while type(v) is Fut and v.state:
            if v.state == 2:
                raise ScoutRaise(v.value)
            v = v.value
        return v

    def gather(self, args, view, deep, pend):
        out = []
        for a in args:
            if deep:
                out.append(self.plain(a, view, pend))
                continue
            a = self.unwrap(a)
            if type(a) is Fut:
                pend.append(a)
            elif type(a) is Unknown:
                raise Poisoned(a)
            out.append(a)
        return out

    def when(self, line, args, fn, deep=False):
        """`fn(line, *args)` once the arguments are known (`deep`: as plain data), at once if they are."""
        pend = []
        try:
            vals = self.gather(args, line.store, deep, pend)
            if not pend:
                return fn(line, *vals)
        except Poisoned as p:
            return p.unknown
        fut = Fut(pend)
        ctx = self.detached(line)
        self._later(ctx, fut, pend, args, fn, deep)
        self.watch(line, fut)
        if self.speculate and line.generation < 2 and self.guess_left > 0:
            self.alternatives(line, fut, args, fn, deep)
        return fut

    def _later(self, ctx, fut, pend, args, fn, deep):
        def ready():
            if ctx.dead:
                return
            more = []
            try:
                vals = self.gather(args, ctx.store, deep, more)
                if more:
                    self._later(ctx, fut, more, args, fn, deep)
                    return
                self.tick()
                value = fn(ctx, *vals)
                ctx.store.publish()
                self.resolve(fut, value)
            except NeedsValue as n:
                self._later(ctx, fut, [n.fut], args, fn, deep)
            except ScoutRaise as r:
                self.fail(fut, r.exc)
            except Poisoned as p:
                self.resolve(fut, p.unknown)
            except OutOfFuel as e:
                self.out_of_fuel(ctx.lineno, e.what)
                self.resolve(fut, Unknown(f"out of fuel ({e.what})", ctx.lineno))
            except RecursionError:
                self.resolve(fut, Unknown("recursion too deep to be followed", ctx.lineno))
        self.on_all(pend, ready)

    def alternatives(self, line, fut, args, fn, deep):
        """Guessing: what `fut` would be for the other values that its inputs may take."""
        for j in range(2):
            other = [self.alternative(a, j) for a in args]
            if all(x is y for x, y in zip(other, args)):
                return
            ctx = self.detached(line)
            ctx.guess, ctx.generation = True, 2
            self.guess_left -= 20
            try:
                value = self.when(ctx, other, fn, deep)
            except (ScoutRaise, NeedsValue, RecursionError):
                continue
            ctx.store.publish()
            if type(value) is not Unknown:
                fut.alts = (fut.alts or []) + [value]

    def alternative(self, v, j, depth=0):
        t = type(v)
        if t is Fut and not v.state and v.alts:
            return v.alts[min(j, len(v.alts) - 1)]
        if (t is tuple or t is list) and depth < 3:
            other = [self.alternative(x, j, depth + 1) for x in v]
            if any(x is not y for x, y in zip(other, v)):
                return t(other)
        elif t is dict and depth < 3:
            other = {k: self.alternative(x, j, depth + 1) for k, x in v.items()}
            if any(x is not y for x, y in zip(other.values(), v.values())):
                return other
        return v

    def detached(self, line) -> Line:
        """A line for evaluation later, on the world as `line` sees it now."""
        line.seq += 1
        ctx = Line(None, Store(line.store.freeze()), line.frame, line.path + "!" + component(line.seq))
        chained(ctx, line)
        if line.ghost:
            line.children.append(ctx)
        return ctx

    def watch(self, line, fut) -> None:
        """Inside a `try`, a line goes on assuming that nothing fails; this is where it remembers that it did."""
        if type(fut) is not Fut or fut.state:
            return
        if line.intry and line.mark is not None:
            if len(line.entries) < 4000:
                self.assume(line, fut, None, line.mark)
        elif line.base_try:
            line.soft.append(fut)

    def assume(self, line, fut, expect, mark) -> None:
        entry = Entry(line, fut, expect, mark)
        if expect is not None:
            self.guess_left -= 40
        line.entries.append(entry)
        fut.waiters.append(lambda: self.judge(entry))
        return entry

    # -- plain data ---------------------------------------------------------------------------------------------------
    def plain(self, v, view, pend, depth=0):
        """Plain data of a value; what is pending is put on `pend` (the result is of no use then)."""
        t = type(v)
        if t in SCALARS:
            return v
        if t is Fut:
            v = self.unwrap(v)
            if type(v) is Fut:
                pend.append(v)
                return None
            return self.plain(v, view, pend, depth)
        if depth > PLAIN_DEPTH:
            raise Poisoned(Unknown("data nested too deeply"))
        if t is tuple:
            if SCALARS.issuperset(map(type, v)):
                return v
            return tuple([self.plain(x, view, pend, depth + 1) for x in v])
        if t is Ref:
            kind = v.kind
            state = view.get(v)
            if type(state) is Fut:
                state = self.unwrap(state)
                if type(state) is Fut:
                    pend.append(state)
                    return None
            if type(state) is Unknown:
                raise Poisoned(state)
            if kind == "list" or kind == "deque":
                if type(state) is Rope:
                    state = self.flat_parts(state.parts, pend)
                self.charge(8 * len(state) + 56)
                if SCALARS.issuperset(map(type, state)):
                    out = list(state)
                else:
                    self.tick(len(state) // 8 + 1)
                    out = [self.plain(x, view, pend, depth + 1) for x in state]
                return out if kind == "list" else deque(out, v.extra)
            if kind in DICTS:
                self.charge(100 * len(state) + 64)
                self.tick(len(state) // 8 + 1)
                out = {self.plain(k, view, pend, depth + 1): self.plain(x, view, pend, depth + 1)
                       for k, x in state.items()}
                return Counter(out) if kind == "counter" else OrderedDict(out) if kind == "odict" else out
            if kind == "set":
                self.charge(32 * len(state) + 200)
                return {self.plain(x, view, pend, depth + 1) for x in state}
            if kind == "inst" and v.extra.fields is None and not v.extra.has_eq:
                return Token(v)
        if t is frozenset or t in OPAQUE:
            return v
        if isinstance(v, NamedTuple):
            return v.record.cls([self.plain(x, view, pend, depth + 1) for x in v])
        if isinstance(v, BaseException):
            return v
        if t is Unknown:
            raise Poisoned(v)
        raise Poisoned(Unknown(f"a {self.type_name(v)} is not plain data"))

    def lift(self, v, depth=0):
        """A value from plain data that belongs to us."""
        t = type(v)
        if t in SCALARS:
            if t is str or t is bytes:
                self.charge(len(v))
            elif t is int and -65536 < v < 65536:
                return v
            return v
        if depth > PLAIN_DEPTH:
            raise Poisoned(Unknown("data nested too deeply"))
        if t is tuple:
            return v if SCALARS.issuperset(map(type, v)) else tuple([self.lift(x, depth + 1) for x in v])
        if t is list:
            self.charge(8 * len(v) + 56)
            if SCALARS.issuperset(map(type, v)):
                return Ref("list", list(v))
            return Ref("list", [self.lift(x, depth + 1) for x in v])
        if t is dict:
            self.charge(100 * len(v) + 64)
            return Ref("dict", {self.key(k): self.lift(x, depth + 1) for k, x in v.items()})
        if t is set:
            self.charge(32 * len(v) + 200)
            return Ref("set", set(v))
        if t is Token:
            return v.ref
        if t is frozenset or t in OPAQUE or isinstance(v, (NamedTuple, BaseException)):
            return v
        if t is Counter:
            return Ref("counter", dict(v))
        if t is OrderedDict or t is defaultdict:
            return Ref("odict" if t is OrderedDict else "dict", {k: self.lift(x, depth + 1) for k, x in v.items()})
        if t is deque:
            return Ref("deque", [self.lift(x, depth + 1) for x in v], v.maxlen)
        raise Poisoned(Unknown(f"a {t.__name__} is not followed"))

    def key(self, k):
        """A dict key or set member as it may be: hashable, equal by value."""
        t = type(k)
        if t is tuple:
            return tuple([self.key(x) for x in k])
        if t in SCALARS or t is frozenset or isinstance(k, NamedTuple):
            return k
        if t is Unknown:
            raise Poisoned(k)
        if t is Fut:
            k = self.unwrap(k)
            if type(k) is not Fut:
                return self.key(k)
            raise Poisoned(Unknown("a key inside a tuple that waits"))
        if t is Ref and k.kind in ("list", "dict", "set", "counter", "ddict", "odict", "deque"):
            raise ScoutRaise(TypeError(f"unhashable type: '{self.type_name(k)}'"))
        return k

    @staticmethod
    def is_plain(v) -> bool:
        """Exact plain data, as a tool argument has to be."""
        todo = [v]
        while todo:
            x = todo.pop()
            t = type(x)
            if t in PLAIN_SCALARS:
                continue
            if t is list or t is tuple or t is set or t is frozenset:
                todo.extend(x)
            elif t is dict:
                todo.extend(x.keys())
                todo.extend(x.values())
            else:
                return False
        return True

    def new(self, line, kind, state, extra=None):
        """A new container in the line's store as it is once `state` is computed (that may fork it)."""
        return line.store.new(kind, state, extra)

    def put(self, line, ref, state):
        line.store.put(ref, state)

    # -- states -------------------------------------------------------------------------------------------------------
    def flat_parts(self, parts, pend):
        out = []
        for p in parts:
            if type(p) is Splice:
                inner = self.unwrap(p.fut)
                if type(inner) is Fut:
                    pend.append(inner)
                elif type(inner) is Unknown:
                    raise Poisoned(inner)
                else:
                    out.extend(self.flat_parts(inner.parts if type(inner) is Rope else inner, pend))
            else:
                out.append(p)
        return out

    def state(self, view, ref):
        """The state of a container: concrete, a `Rope`, or a pending `Fut`."""
        s = self.unwrap(view.get(ref))
        if type(s) is Unknown:
            raise Poisoned(s)
        if type(s) is Rope and any(type(p) is Splice and p.fut.state for p in s.parts):
            s = self.opened_rope(s.parts)                 # not kept: who only appends counts the parts
        return s

    def raw_state(self, view, ref):
        s = self.unwrap(view.get(ref))
        if type(s) is Unknown:
            raise Poisoned(s)
        return s

    def opened_rope(self, parts):
        """The same list with the stretches that are known by now; a Python list if all are."""
        out, todo, open_ = [], list(reversed(parts)), False
        while todo:
            p = todo.pop()
            if type(p) is Splice:
                inner = self.unwrap(p.fut)
                if type(inner) is Unknown:
                    raise Poisoned(inner)
                if type(inner) is not Fut:
                    todo.extend(reversed(inner.parts if type(inner) is Rope else inner))
                    continue
                open_ = True
            out.append(p)
        return Rope(out) if open_ else out

    def flat(self, view, ref):
        """As `state`, but a list is a Python list or a pending future of one."""
        s = self.state(view, ref)
        if type(s) is not Rope:
            return s
        return self.flat_rope(s)

    def flat_rope(self, rope):
        pend = []
        out = self.flat_parts(rope.parts, pend)
        if not pend:
            return out
        fut = Fut(pend)
        parts = list(rope.parts)

        def ready():
            try:
                self.resolve(fut, self.flat_rope(Rope(parts)))
            except ScoutRaise as r:
                self.fail(fut, r.exc)
            except Poisoned as p:
                self.resolve(fut, p.unknown)
        self.on_all(pend, ready)
        return fut

    def with_state(self, line, ref, fn):
        """`fn(line, state)` when the state of the container is known."""
        return self.when(line, [self.flat(line.store, ref)], fn)

    def mutate(self, line, ref, needs, fn, deep=False):
        """Changes a container in program order: `fn(state, *needs)` in place; gives what `fn` gives."""
        store = line.store
        old = self.flat(store, ref)
        pend = []
        vals = self.gather(needs, store, deep, pend)
        if type(old) is Fut:
            pend.append(old)
        if not pend:
            if type(store.get(ref)) in (Rope, Fut):
                store.put(ref, copy_state(old))
            state = store.own(ref)
            return fn(state, *vals)
        new, result = Fut(pend), Fut(pend)
        ctx = self.detached(line)
        self.put(line, ref, new)

        def ready():
            more = []
            state = None
            try:
                state = self.unwrap(old)
                vals = self.gather(needs, ctx.store, deep, more)
                if type(state) is Fut:
                    more.append(state)
                if more:
                    self.on_all(more, ready)
                    return
                if type(state) is Unknown:
                    raise Poisoned(state)
                state = copy_state(state)
                self.charge(8 * len(state))
                value = fn(state, *vals)
                self.resolve(new, state)
                self.resolve(result, value)
            except ScoutRaise as r:
                self.resolve(new, state) if state is not None and type(state) is not Fut else self.fail(new, r.exc)
                self.fail(result, r.exc)
            except Poisoned as p:
                self.resolve(new, p.unknown)
                self.resolve(result, p.unknown)
            except OutOfFuel as e:
                self.out_of_fuel(ctx.lineno, e.what)
                self.resolve(new, Unknown("out of fuel"))
                self.resolve(result, Unknown("out of fuel"))
        self.on_all(pend, ready)
        self.watch(line, result)
        return result

    def append(self, line, ref, value):
        """Appending never waits: behind a pending list stands a splice."""
        store = line.store
        state = self.raw_state(store, ref)
        if type(state) is Fut:
            store.put(ref, Rope([Splice(state), value]))
        else:
            state = store.own(ref)
            (state.parts if type(state) is Rope else state).append(value)

    def extend(self, line, ref, items):
        """`items`: a Python list of entries, a `Rope`, or a pending future of one of these."""
        store = line.store
        state = self.raw_state(store, ref)
        if type(items) is Fut:
            more = [Splice(items)]
        elif type(items) is Rope:
            more = list(items.parts)
        else:
            more = list(items)
        self.charge(8 * len(more))
        if type(state) is Fut:
            store.put(ref, Rope([Splice(state)] + more))
        elif type(state) is Rope:
            store.own(ref).parts.extend(more)
        elif any(type(x) is Splice for x in more):
            store.put(ref, Rope(list(state) + more))
        else:
            store.own(ref).extend(more)
