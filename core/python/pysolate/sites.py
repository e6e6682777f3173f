"""Where in the program a call stands: from a running frame to a span of the source, cheaply.

A span is (line, column, end line, end column) of the whole call expression, columns in UTF-8 bytes from 0, as the
abstract syntax tree and a trace count them.
"""
from __future__ import annotations

import ast

from ._own import __builtins__

UNKNOWN = (0, 0, 0, 0)


class SiteTable:
    """Spans and site ids of one program. `new_site(span, function)` gives the id of a span seen for the first time."""

    def __init__(self, filename: str, new_site):
        self._filename = filename
        self._new_site = new_site
        self._by_place: dict[tuple[int, int], tuple] = {}  # (id of code, instruction) -> (span, site id)
        self._kept: list = []                              # the code objects behind these ids stay alive
        self._ids: dict[tuple, int] = {}
        self._alias: dict[tuple, tuple] = {}
        self._function_of: dict[tuple, str] = {}
        self._parsed = None

    def learn_from(self, parsed) -> None:
        """`parsed()` gives the program's tree; asked for when there is the first site."""
        self._parsed = parsed

    def learn(self, tree: ast.AST) -> None:
        """Remembers the spans of all calls in the program's tree."""
        todo = [(tree, "<module>")]
        while todo:
            node, function = todo.pop()
            if isinstance(node, ast.Call):
                span = (node.lineno, node.col_offset, node.end_lineno, node.end_col_offset)
                self._function_of[span] = function
                method = node.func
                if isinstance(method, ast.Attribute) and method.lineno != method.end_lineno:
                    # The compiler places a method call that spans lines at the method's name.
                    start = method.end_col_offset - len(method.attr.encode("utf-8"))
                    for end in ((method.end_lineno, method.end_col_offset), (node.end_lineno, node.end_col_offset)):
                        self._alias[(method.end_lineno, start, *end)] = span
            inner = function
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                inner = node.name
            elif isinstance(node, ast.Lambda):
                inner = "<lambda>"
            todo.extend((child, inner) for child in ast.iter_child_nodes(node))

    def learn_now(self) -> None:
        if self._parsed is not None:
            parsed, self._parsed = self._parsed, None
            try:
                self.learn(parsed())
            except Exception:  # the program has replaced what this needs: sites lack their function's name
                pass

    def of(self, frame):
        """(span, site id) of the innermost call of the program at or above `frame`."""
        place = (id(frame.f_code), frame.f_lasti)
        known = self._by_place.get(place)
        if known is not None:
            return known
        self.learn_now()
        code = frame.f_code
        if code.co_filename != self._filename:
            above = frame.f_back
            while above is not None and above.f_code.co_filename != self._filename:
                above = above.f_back
            if above is None:
                return UNKNOWN, self.id_of(UNKNOWN)
            return self.of(above)  # not remembered: the same library line serves many calls
        span = self._span(code, frame.f_lasti, frame.f_lineno)
        known = self._by_place[place] = (span, self.id_of(span, code.co_name))
        self._kept.append(code)
        return known

    def _span(self, code, lasti, lineno):
        for i, (line, end_line, col, end_col) in enumerate(code.co_positions()):
            if i == lasti // 2:
                if line is None or col is None or end_line is None or end_col is None:
                    break
                span = (line, col, end_line, end_col)
                return self._alias.get(span, span)
        return (lineno or 0, 0, lineno or 0, 0)

    def id_of(self, span: tuple, function: str | None = None) -> int:
        known = self._ids.get(span)
        if known is None:
            self.learn_now()
            known = self._ids[span] = self._new_site(span, self._function_of.get(span) or function or "")
        return known
