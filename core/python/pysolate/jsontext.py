"""JSON text by the interpreter's C code alone: fast, and deaf to what a program replaces in `json` or `builtins`.

For data of our own making: exact containers, no other objects.
"""
from __future__ import annotations

from json import JSONDecoder
from json.encoder import c_make_encoder, encode_basestring_ascii

from ._own import __builtins__

_scan = JSONDecoder().scan_once


def _refuse(value):
    raise TypeError(f"{type(value).__name__} is no JSON")


# Arguments: cycle memo (none), default, string encoder, indent, the two separators, sort keys, skip keys, allow nan.
_encode = c_make_encoder(None, _refuse, encode_basestring_ascii, None, ":", ",", False, False, False)
_join = "".join


def dumps(value) -> str:
    """Compact ASCII JSON text. nan and infinities raise ValueError."""
    return _join(_encode(value, 0))


def loads(text: str):
    """The value of JSON text that starts at its first character."""
    return _scan(text, 0)[0]
