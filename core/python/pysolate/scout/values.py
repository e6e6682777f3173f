"""What the scout computes with: its own values, never the program's objects.

A value is an exact scalar, a tuple (of values), a `Ref` (anything that can change: its state lives in a `Store`), a
function, class, module or tool of the scouted world, `Unknown` (poison, with the reason), or `Fut`: not known yet.

Stores are persistent. A line of scouting that forks freezes its store in O(1); both sides go on with their own top
layer and copy a state before they change it. A suspended statement therefore still sees the past that it belongs to,
whatever the lines beside it do meanwhile.
"""
from __future__ import annotations

from .._own import __builtins__

from collections import deque

SCALARS = frozenset({type(None), bool, int, float, str, bytes, complex, range, slice, type(Ellipsis),
                     type(NotImplemented)})
LIBRARY: dict = {}      # types of immutable library values -> what may be asked of them (see library.py)
PLAIN_SCALARS = frozenset({type(None), bool, int, float, str, bytes})


class Unknown:
    """Poison. `reason` is written for the author of the program, `line` is where it began."""

    __slots__ = ("reason", "line")

    def __init__(self, reason: str, line: int = 0):
        self.reason, self.line = reason, line

    def __repr__(self):
        return f"<unknown: {self.reason}>"


class ScoutRaise(Exception):
    """The scouted program raises here. `exc` is a builtin exception object or a `Ref` of a program class."""

    def __init__(self, exc):
        super().__init__()
        self.exc = exc


class Poisoned(Exception):
    """Evaluation met poison (or something that the scout does not evaluate)."""

    def __init__(self, unknown: Unknown):
        super().__init__()
        self.unknown = unknown


class NeedsValue(Exception):
    """A statement changes something inside a result that waits: the statement as a whole waits for it."""

    def __init__(self, fut):
        super().__init__()
        self.fut = fut


class OutOfFuel(Exception):
    """This line of scouting ends; `what` says which limit it met."""

    def __init__(self, what: str):
        super().__init__(what)
        self.what = what


class OutOfTime(Exception):
    """The share of the program's time is used up: what was under way is begun again later."""


class Fut:
    """A value that waits for tool calls. Written once: `state` 0 pending, 1 value, 2 raised."""

    __slots__ = ("state", "value", "waiters", "sources", "call", "alts")

    def __init__(self, sources=(), call=0):
        self.state, self.value, self.waiters = 0, None, []
        self.sources, self.call, self.alts = sources, call, None


class Ref:
    """Identity of something that can change. `birth` is its state where no store on the way has another."""

    __slots__ = ("kind", "birth", "extra")

    def __init__(self, kind: str, birth=None, extra=None):
        self.kind, self.birth, self.extra = kind, birth, extra


class Frame(Ref):
    """Local names of a module, function, class body or comprehension. The state is a dict."""

    __slots__ = ("outer", "module", "locals", "globals", "node", "comp", "cls")

    def __init__(self, outer, module, local_names, global_names, node, comp=False):
        super().__init__("frame", None)
        self.outer, self.module, self.locals = outer, module or self, local_names
        self.globals, self.node, self.comp = global_names, node, comp
        self.cls = None


class Splice:
    """A stretch of a list whose items (even their number) wait: `fut` resolves to a Python list of entries."""

    __slots__ = ("fut",)

    def __init__(self, fut):
        self.fut = fut


class Rope:
    """State of a list with `Splice` entries among its items."""

    __slots__ = ("parts", "whole")

    def __init__(self, parts):
        self.parts, self.whole = parts, None


class Func:
    __slots__ = ("node", "frame", "defaults", "kw_defaults", "name", "cls", "info", "memo", "wrap")

    def __init__(self, node, frame, defaults, kw_defaults, name, info):
        self.node, self.frame, self.defaults, self.kw_defaults = node, frame, defaults, kw_defaults
        self.name, self.info, self.cls, self.memo, self.wrap = name, info, None, None, None


class Method:
    """A function bound to its first argument."""

    __slots__ = ("func", "self")

    def __init__(self, func, self_):
        self.func, self.self = func, self_


class Native:
    """A whitelisted function. `impl(scout, line, args, kwargs) -> value`."""

    __slots__ = ("name", "impl", "type")

    def __init__(self, name, impl, type_=None):
        self.name, self.impl, self.type = name, impl, type_

    def __repr__(self):
        return f"<native {self.name}>"


class Partial:
    __slots__ = ("func", "args", "kwargs")

    def __init__(self, func, args, kwargs):
        self.func, self.args, self.kwargs = func, args, kwargs


class Wrapped:
    """`property`, `staticmethod` or `classmethod` in a class body."""

    __slots__ = ("kind", "func", "setter")

    def __init__(self, kind, func):
        self.kind, self.func, self.setter = kind, func, None


class Module:
    __slots__ = ("name", "members")

    def __init__(self, name, members):
        self.name, self.members = name, members


class Tool:
    __slots__ = ("info", "path")

    def __init__(self, info, path):
        self.info, self.path = info, path


class ToolSpace:
    """The object whose methods are tools (`workspace` of `workspace.read_text`)."""

    __slots__ = ("path",)

    def __init__(self, path):
        self.path = path


class Class:
    """A class of the program. `ns` is a Ref (dict) of its attributes; `fields` is set for dataclasses."""

    __slots__ = ("name", "bases", "ns", "fields", "frozen", "mro", "order", "enum", "has_eq")

    def __init__(self, name, bases, ns):
        self.name, self.bases, self.ns = name, bases, ns
        self.fields, self.frozen, self.order, self.enum = None, False, False, False
        self.has_eq = any(type(b) is Class and b.has_eq or isinstance(b, type) for b in bases)
        self.mro = [self]
        for base in bases:
            if type(base) is Class:
                self.mro += [c for c in base.mro if c not in self.mro]
            elif base not in self.mro:
                self.mro.append(base)


class NamedTuple(tuple):
    """A record made by `collections.namedtuple` or `typing.NamedTuple`."""

    __slots__ = ()


class RecordType:
    __slots__ = ("name", "fields", "defaults", "cls")

    def __init__(self, name, fields, defaults):
        self.name, self.fields, self.defaults = name, fields, defaults
        self.cls = type(name, (NamedTuple,), {"record": self})


COPIED = [0]            # items copied by stores since the machine last looked: copying is paid for, too


def copy_state(state):
    kind = type(state)
    if kind is list or kind is dict:
        COPIED[0] += len(state)
    if kind is list or kind is dict or kind is set or kind is deque:
        return state.copy()
    if kind is Rope:
        return Rope(list(state.parts))
    if isinstance(state, (dict, set, list)):
        return state.copy()
    return state


class Layer:
    """A frozen stretch of a store's history."""

    __slots__ = ("states", "below", "depth")

    def __init__(self, states, below):
        self.states, self.below = states, below
        self.depth = below.depth + 1 if below is not None else 1
        if self.depth > 12:
            merged = {}
            chain = []
            layer = self
            while layer is not None:
                chain.append(layer.states)
                layer = layer.below
            for states in reversed(chain):
                merged.update(states)
            self.states, self.below, self.depth = merged, None, 1

    def get(self, ref):
        layer = self
        while layer is not None:
            state = layer.states.get(ref)
            if state is not None:
                return state
            layer = layer.below
        return ref.birth


class Store:
    """States as one line of scouting sees them."""

    __slots__ = ("top", "base", "log", "dirty")

    def __init__(self, base=None, log=None, dirty=None):
        self.top, self.base, self.log = {}, base, [] if log is None else log
        self.dirty = {} if dirty is None else dirty

    def get(self, ref):
        state = self.top.get(ref)
        if state is not None:
            return state
        layer = self.base
        while layer is not None:
            state = layer.states.get(ref)
            if state is not None:
                return state
            layer = layer.below
        return ref.birth

    def names(self, frame):
        """The names of a frame."""
        state = self.get(frame)
        while type(state) is Fut:
            if state.state != 1:
                return {}
            state = state.value
        return state if type(state) is dict else {}

    def own(self, ref):
        """The state, ready to be changed in place by this line alone."""
        state = self.top.get(ref)
        if state is None:
            state = self.get(ref)
            if type(state) is Fut and state.state == 1:
                state = state.value
            state = self.top[ref] = copy_state(state)
            self.dirty[ref] = None
        elif type(state) is Fut and state.state == 1:
            state = self.top[ref] = copy_state(state.value)
        return state

    def put(self, ref, state):
        self.top[ref] = state

    def new(self, kind, state, extra=None):
        ref = Ref(kind, None, extra)
        self.top[ref] = state
        self.log.append(ref)
        return ref

    def add(self, ref, state):
        """As `put`, for something made here."""
        self.top[ref] = state
        self.log.append(ref)

    def publish(self):
        """Makes what was made here known to every store."""
        for ref in self.log:
            ref.birth = self.get(ref)

    def freeze(self):
        """A view of this moment that nothing changes any more."""
        if self.top or self.base is None:
            self.base = Layer(self.top, self.base)
            self.top = {}
        return self.base
