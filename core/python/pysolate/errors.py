"""Exceptions of the runtime that a program can see."""
from __future__ import annotations

import builtins

from ._own import __builtins__


class ToolError(Exception):
    """A tool of another language failed and named no Python exception."""


def from_name(name: str | None, message: str) -> BaseException:
    """The exception that a foreign tool asked for: a builtin one by name, else ToolError."""
    kind = getattr(builtins, name, None) if name else None
    if isinstance(kind, type) and issubclass(kind, BaseException):
        try:
            made = kind(message)
            if isinstance(made, BaseException):
                return made
        except Exception:
            pass  # a constructor that wants more than a message
    return ToolError(message)
