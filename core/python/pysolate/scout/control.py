"""Control as a linked list of entries, so that a line of scouting can stop, go on later, fork or go back.

An entry is never changed; a line holds the top one. What a generator suspends is a stretch of them.
"""
from __future__ import annotations

from .._own import __builtins__

(BLOCK, IF, FOR, WHILE, WTEST, TRY, FINAL, REDO, HANDLER, WITH, GEN, MATCH, WAIT) = range(13)


class K:
    """A control entry: `kind`, the entry below (`up`), its order path, whether a handler is around (`tr`), and three
    fields whose meaning depends on the kind."""

    __slots__ = ("kind", "up", "path", "tr", "a", "b", "c")

    def __init__(self, kind, up, path, tr, a=None, b=None, c=None):
        self.kind, self.up, self.path, self.tr, self.a, self.b, self.c = kind, up, path, tr, a, b, c

    def on(self, up):
        return K(self.kind, up, self.path, self.tr, self.a, self.b, self.c)


class Blocked(Exception):
    def __init__(self, fut):
        super().__init__()
        self.fut = fut


class GenState:
    """A suspended generator: its control entries, bottom first."""

    __slots__ = ("entries", "frame", "done")

    def __init__(self, entries, frame, done=False):
        self.entries, self.frame, self.done = entries, frame, done


class Items:
    """Iteration over items that are known one by one. `parts[i]` is next."""

    __slots__ = ("parts", "i")

    def __init__(self, parts, i=0):
        self.parts, self.i = parts, i
