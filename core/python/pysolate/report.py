"""The report of a run: what it observed and what it cost, as JSON-able data."""
from __future__ import annotations

import types
from json import dumps

from ._own import __builtins__
from .door import Namespace, Tool

_INLINED = ("<listcomp>", "<dictcomp>", "<setcomp>")


def describe(error: BaseException | None, filename: str) -> dict | None:
    """An exception as a report shows it: only frames of the program, comprehensions merged into their function (they
    are inlined since Python 3.12)."""
    if error is None:
        return None
    frames: list[list] = []
    tb = error.__traceback__
    while tb is not None:
        if tb.tb_frame.f_code.co_filename == filename:
            name = tb.tb_frame.f_code.co_name
            if name in _INLINED and frames:
                frames[-1][1] = tb.tb_lineno
            else:
                frames.append([name, tb.tb_lineno])
        tb = tb.tb_next
    found = {
        "type": type(error).__name__, "message": _text(error),
        "line": frames[-1][1] if frames else getattr(error, "lineno", None), "frames": frames,
        "cause": _short(error.__cause__),
        "context": None if error.__suppress_context__ else _short(error.__context__)}
    if isinstance(error, SystemExit):
        found["code"] = error.code if _is_json(error.code) else repr(error.code)
    return found


def _text(error):
    try:
        return str(error)
    except Exception as e:
        return f"<str() of {type(error).__name__} failed: {type(e).__name__}>"


def _short(error):
    return None if error is None else f"{type(error).__name__}: {_text(error)}"


def _is_json(value):
    try:
        dumps(value, allow_nan=False)
        return True
    except (TypeError, ValueError, RecursionError):
        return False


def bindings(namespace: dict, before: dict) -> dict[str, str]:
    """Public globals whose value JSON can carry, by repr: no tools, modules, functions, classes."""
    shown = {}
    for name, value in namespace.items():
        if name.startswith("_") or (name in before and before[name] is value):
            continue
        if isinstance(value, (types.ModuleType, Tool, Namespace, types.FunctionType, types.BuiltinFunctionType, type)):
            continue
        if _is_json(value):
            try:
                shown[name] = repr(value)
            except Exception:
                pass
    return shown


def make(run, session, *, effects, ordered, makespan, ledger, stats, before) -> dict:
    """The report object; its shape is fixed, later versions only add."""
    return {
        "pysolate_report": 1,
        "mode": run.mode,
        "stdout": run.stdout,
        "exception": describe(run.exception, run.program),
        "bindings": bindings(run.namespace, before),
        "effects": effects,
        "ordered_log": ordered,
        "makespan": makespan,
        "attempts": session.attempts,
        "calls": session.counts.as_dict(),
        "ledger": ledger,
        "stats": stats,
        "sites": session.sites(),
        "notes": session.notes,
        "waits": session.waits,
    }
