"""The scout's door: what the runtime calls (see interface.py for what it offers in return)."""
from __future__ import annotations

import ast

from .interface import Limits


class Scout:
    def __init__(self, tree: ast.Module, filename: str, tools: dict, host, *, speculate: bool = False,
                 limits: Limits | None = None):
        self.tree, self.filename, self.tools, self.host = tree, filename, tools, host
        self.speculate, self.limits = speculate, limits or Limits()

    def start(self, globals: dict) -> None:
        """Begins at the top, from the globals of that moment."""

    def settled(self, call: int, ok: bool, payload) -> None: ...

    def reached(self, site, tool, bound, call, hit, frame) -> None: ...

    def returned(self, site, tool, bound, ok, value) -> None: ...

    def pump(self, blocked: bool) -> None: ...

    def close(self) -> None: ...

    def sites(self) -> list[dict]:
        return []
