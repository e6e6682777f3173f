"""What the page calls: a run from text to text (see wasm/js/pyodide-host.mjs)."""
from __future__ import annotations

import json
import types

import _pysolate_page as page

from . import report as reporting, scout  # noqa: F401  (the scout is loaded with the page, not by the first run)
from ._own import __builtins__
from .contracts import collect
from .pyodide_host import js_specs
from .runtime import run

_kept: types.ModuleType | None = None


class _Out:
    """Sends what the program prints to the page, by lines."""

    def __init__(self, send):
        self._send = send
        self._parts: list[str] = []

    def write(self, text):
        self._parts.append(text)
        if "\n" in text:
            self.flush()

    def flush(self):
        if self._parts:
            text = "".join(self._parts)
            self._parts.clear()
            self._send(text)


def run_json(source: str, options_text: str) -> str:
    """Runs a program with the page's tools. -> the Result as JSON text."""
    global _kept
    options = json.loads(options_text)
    if options.get("namespace") != "keep" or _kept is None:
        _kept = types.ModuleType("__main__")
    out = _Out(page.stdout)
    try:
        result = run(
            source, js_specs(), budget=options.get("budget"), classes=options.get("classes") or {},
            early_budget=options.get("early_budget"), mode=options.get("mode") or "overlap",
            speculate=bool(options.get("speculate")), trace=page.trace if options.get("trace", True) else None,
            program=options.get("program") or "<program>", namespace=_kept, echo=out, top_level_await=True)
    except (TypeError, ValueError) as e:  # bad options or contracts: the caller's mistake
        return json.dumps({"ok": False, "error": f"{e}"})
    out.flush()
    error = reporting.describe(result.exception, result.program)
    if error is not None:
        error["traceback"] = result.format_exception()
    notes = [n["text"] for n in result.report["notes"] if n["topic"] == "host"]
    return json.dumps({"ok": result.exception is None, "mode": result.mode, "stdout": result.stdout,
                       "exception": error, "report": result.report, "note": notes[0] if notes else None})
