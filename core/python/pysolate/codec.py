"""Plain data: what may be snapshotted, compared, shared and sent over a language border.

Plain is an exact `None, bool, int, float, str, bytes, list, tuple, dict, set, frozenset` of such, without cycles and
not nested deeper than `MAX_DEPTH`. Exact: a subclass may carry code, so it is not plain. Nothing here runs code of the
values it looks at, except hashing of plain keys.

Decisions
  * Copies keep aliasing inside one value: `[x, x]` stays a list that holds one list twice.
  * Canonical keys tell apart what a tool could tell apart: 1, True and 1.0; 0.0 and -0.0; str and bytes; list and
    tuple; set and frozenset. The order of a dict and of a set counts, since a tool sees it: equal dicts in another
    order are another key, which costs at most a call that is not shared.
"""
from __future__ import annotations

import base64
import math

from ._own import __builtins__
from .jsontext import dumps, loads

MAX_DEPTH = 100
MAX_ITEMS = 1_000_000  # of one value when it is spelled out; aliases can make a small object endless
PREVIEW_POINTS = 200

ATOMS = frozenset({type(None), bool, int, float, str, bytes})
_REST_SIZE = 56  # bytes of bookkeeping that a container or a number is counted with


class NotPlain(Exception):
    """The value is not plain data. The text says what it met."""


def is_plain(value) -> bool:
    """True if `value` is plain data."""
    if type(value) in ATOMS:
        return True
    try:
        snapshot(value)
        return True
    except NotPlain:
        return False


def snapshot(value):
    """A structural copy of a plain value that shares no container with it. Raises NotPlain."""
    if type(value) in ATOMS:
        return value
    return _copy(value, {}, 0)


_OPEN = object()  # memo entry of a container that is being copied: meeting it again is a cycle


def _copy(value, memo, depth):
    kind = type(value)
    if kind in ATOMS:
        return value
    if depth >= MAX_DEPTH:
        raise NotPlain(f"nested deeper than {MAX_DEPTH}")
    known = memo.get(id(value))
    if known is not None:
        if known is _OPEN:
            raise NotPlain("a cycle")
        return known
    memo[id(value)] = _OPEN
    depth += 1
    if kind is list:
        made = [x if type(x) in ATOMS else _copy(x, memo, depth) for x in value]
    elif kind is dict:
        made = {k if type(k) in ATOMS else _copy(k, memo, depth): v if type(v) in ATOMS else _copy(v, memo, depth)
                for k, v in value.items()}
    elif kind is tuple:
        made = tuple([_copy(x, memo, depth) for x in value])
    elif kind is set:
        made = {_copy(x, memo, depth) for x in value}
    elif kind is frozenset:
        made = frozenset([_copy(x, memo, depth) for x in value])
    else:
        raise NotPlain(kind.__name__)
    memo[id(value)] = made
    return made


def canonical(value):
    """A hashable that is equal for two plain values only if no tool can tell them apart. Raises NotPlain."""
    kind = type(value)
    if kind is str or value is None:
        return value
    return _canonical(value, kind, 0, [MAX_ITEMS])


def _canonical(value, kind, depth, left):
    # Strings and None stand for themselves; everything else is a tuple that starts with a tag, so no two kinds meet.
    if kind is str or value is None:
        return value
    if kind is int:
        return ("i", value)
    if kind is bool:
        return ("b", value)
    if kind is float:
        return ("f", repr(value))
    if kind is bytes:
        return ("y", value)
    if kind not in _BRACKETS:
        raise NotPlain(kind.__name__)
    if depth >= MAX_DEPTH:
        raise NotPlain(f"nested deeper than {MAX_DEPTH}")
    depth += 1
    left[0] -= len(value)
    if left[0] < 0:
        raise NotPlain(f"more than {MAX_ITEMS} items")
    if kind is list:
        return ("l", *[x if type(x) is str else _canonical(x, type(x), depth, left) for x in value])
    if kind is tuple:
        return ("t", *[x if type(x) is str else _canonical(x, type(x), depth, left) for x in value])
    if kind is dict:
        flat = ["d"]
        for k, v in value.items():
            flat.append(_canonical(k, type(k), depth, left))
            flat.append(_canonical(v, type(v), depth, left))
        return tuple(flat)
    if kind is set:
        return ("s", *[_canonical(x, type(x), depth, left) for x in value])
    return ("z", *[_canonical(x, type(x), depth, left) for x in value])


def size(value) -> int:
    """About how many bytes a plain value keeps alive; at least 1."""
    kind = type(value)
    if kind is str or kind is bytes:
        return len(value) + 1
    total, stack, seen = 0, [value], set()
    while stack:
        item = stack.pop()
        kind = type(item)
        if kind in _BRACKETS:
            if id(item) in seen:
                continue
            seen.add(id(item))
        if kind is str or kind is bytes:
            total += len(item) + 1
        else:
            total += _REST_SIZE
            if kind is dict:
                stack.extend(item.keys())
                stack.extend(item.values())
            elif kind in (list, tuple, set, frozenset):
                stack.extend(item)
            elif kind is int:
                total += item.bit_length() >> 3
    return total


# ---------------------------------------------------------------------------------------------------------- previews

def cut(text: str, limit: int = PREVIEW_POINTS) -> str:
    """Text for a trace: at most `limit` code points, valid UTF-8."""
    if len(text) > limit:
        text = text[:limit - 1] + "…"
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        text = text.encode("utf-8", "backslashreplace").decode("utf-8")[:limit]
    return text


def preview(value, limit: int = PREVIEW_POINTS) -> str:
    """A repr for reading, cut at `limit` code points. Never runs code of a value that is not plain."""
    if type(value) is str and len(value) < limit:
        return cut(repr(value), limit)
    out: list[str] = []
    _preview(value, out, [limit + 1], 0)
    return cut("".join(out), limit)


def preview_arguments(bound: dict, redact=(), limit: int = PREVIEW_POINTS) -> str:
    """Bound arguments for a trace: `'x', limit=3` style, redacted parameters as `<redacted>`."""
    if redact is True:
        return "<redacted>"
    if len(bound) == 1 and not redact:
        for value in bound.values():
            return preview(value, limit)
    out: list[str] = []
    left = [limit + 1]
    for name, value in bound.items():
        if left[0] <= 0:
            break
        if out:
            _emit(", ", out, left)
        _emit(name + "=", out, left)
        if name in redact:
            _emit("<redacted>", out, left)
        else:
            _preview(value, out, left, 0)
    return cut("".join(out), limit)


def _emit(text, out, left):
    out.append(text)
    left[0] -= len(text)


def _preview(value, out, left, depth):
    if left[0] <= 0:
        return
    kind = type(value)
    if kind is str or kind is bytes:
        _emit(repr(value[:left[0] + 1]), out, left)
    elif kind is int:
        _emit(repr(value) if value.bit_length() < 2000 else f"<int of {value.bit_length()} bits>", out, left)
    elif kind in ATOMS:
        _emit(repr(value), out, left)
    elif kind in _BRACKETS and depth < 8:
        start, end = _BRACKETS[kind]
        if not value and kind in (set, frozenset):
            _emit(kind.__name__ + "()", out, left)
            return
        _emit(start, out, left)
        first = True
        for item in value:
            if left[0] <= 0:
                return
            if not first:
                _emit(", ", out, left)
            first = False
            _preview(item, out, left, depth + 1)
            if kind is dict:
                _emit(": ", out, left)
                _preview(value[item], out, left, depth + 1)
        if kind is tuple and len(value) == 1:
            _emit(",", out, left)
        _emit(end, out, left)
    elif kind in _BRACKETS:
        _emit("…", out, left)
    else:
        _emit(f"<{kind.__name__}>", out, left)


_BRACKETS = {list: ("[", "]"), tuple: ("(", ")"), dict: ("{", "}"), set: ("{", "}"), frozenset: ("frozenset({", "})")}


# ------------------------------------------------------------------------------------------------------- tagged JSON

_SAFE = 2**53


def to_json(value) -> str:
    """Tagged JSON text of a plain value, as `wasm/js/pyodide-host.mjs` reads it. Raises NotPlain."""
    return dumps(_tag(value, 0, [MAX_ITEMS]))


def from_json(text: str):
    """The value of tagged JSON text."""
    return _untag(loads(text))


def _tag(value, depth, left):
    kind = type(value)
    if kind is str or value is None or kind is bool:
        return value
    if kind is int:
        return value if -_SAFE < value < _SAFE else {"$": "int", "v": str(value)}
    if kind is float:
        if not math.isfinite(value) or (value == 0 and math.copysign(1, value) < 0):
            return {"$": "float", "v": repr(value)}
        return value
    if kind is bytes:
        return {"$": "bytes", "v": base64.b64encode(value).decode("ascii")}
    if depth >= MAX_DEPTH:
        raise NotPlain(f"nested deeper than {MAX_DEPTH}")
    if kind not in _BRACKETS:
        raise NotPlain(kind.__name__)
    depth += 1
    left[0] -= len(value)
    if left[0] < 0:
        raise NotPlain(f"more than {MAX_ITEMS} items")
    if kind is list:
        return [_tag(x, depth, left) for x in value]
    if kind is dict:
        if all(type(k) is str for k in value) and "$" not in value:
            return {k: _tag(v, depth, left) for k, v in value.items()}
        return {"$": "dict", "v": [[_tag(k, depth, left), _tag(v, depth, left)] for k, v in value.items()]}
    return {"$": kind.__name__, "v": [_tag(x, depth, left) for x in value]}


_UNTAG = {
    "int": int, "float": float, "bytes": base64.b64decode,
    "tuple": lambda v: tuple(_untag(x) for x in v),
    "set": lambda v: {_untag(x) for x in v},
    "frozenset": lambda v: frozenset(_untag(x) for x in v),
    "dict": lambda v: {_untag(k): _untag(x) for k, x in v},
}


def _untag(value):
    if type(value) is list:
        return [_untag(x) for x in value]
    if type(value) is dict:
        if "$" in value:
            return _UNTAG[value["$"]](value["v"])
        return {k: _untag(v) for k, v in value.items()}
    return value
