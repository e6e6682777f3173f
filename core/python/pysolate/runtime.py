"""`pysolate.run`: one program, its tools, one run."""
from __future__ import annotations

import ast
import builtins
import contextlib
import functools
import inspect
import io
import linecache
import sys
import time
import traceback
import types
from dataclasses import dataclass, field
from typing import Callable, Mapping

from . import door, report as reporting
from ._own import __builtins__
from .attempts import cleaned
from .contracts import collect
from .coroutines import run_coroutine
from .engine import open_engine
from .jsontext import dumps, loads
from .session import Session
from .toolset import Toolset, headers

MODES = ("overlap", "sequential")
PRODUCER = "pysolate 0.1.0"
_RESULT_BYTES = 64 << 20


@dataclass
class Run:
    """What came of a run.

    namespace  the program's globals (`__main__`); exception: what it raised, with its traceback, or None
    stdout     all it printed; report: see `pysolate.report`; trace: JSON Lines text, or None if it was not kept
    """
    program: str
    mode: str
    namespace: dict
    exception: BaseException | None = None
    stdout: str = ""
    report: dict = field(default_factory=dict)
    trace: str | None = None
    before: dict = field(default_factory=dict, repr=False)  # the names that its tools had

    def format_exception(self) -> str:
        """The traceback as Python would print it, "" if the program ended well."""
        if self.exception is None:
            return ""
        return "".join(traceback.format_exception(self.exception))

    def raise_for_exception(self) -> "Run":
        """Raises what the program raised; else returns the run."""
        if self.exception is not None:
            raise self.exception
        return self


def run(source: str, tools=None, *, contracts: Mapping | None = None, budget: int | None = None,
        classes: Mapping[str, int | None] | None = None, early_budget: int | None = None, mode: str = "overlap",
        speculate: bool = False, trace=None, program: str = "<program>", namespace=None, echo=None,
        latency=None, virtual: bool = False, order_seed: int | None = None, unit: float | None = None,
        top_level_await: bool = False, loop=None, limits=None) -> Run:
    """Runs a Python program whose tool calls overlap, and returns a `Run`. Never raises for what the program does.

    tools       name -> function, (function, contract), ToolSpec or object with methods; or a list of functions; or a
                `toolset.Toolset`. See `pysolate.contracts`. `contracts`: dotted name -> contract.
    budget      attempts in flight at once (physical work), None unlimited; `classes`: the same by resource class;
                `early_budget`: for early attempts alone
    mode        "overlap", or "sequential": each call starts when it is reached, nothing is shared
    speculate   early calls on paths that may not be taken (more overlap, more waste)
    trace       a path or text file to write; a callable that gets whole lines as they come; True: keep in `Run.trace`
    program     name in tracebacks and traces
    namespace   a mapping of further globals, or a module object to run in (its names stay, as between cells)
    echo        a text stream that also gets what the program prints
    latency     name -> units (a number, or a function of the bound arguments): runs in virtual time; `virtual=True`
                does so for a Toolset. `order_seed` permutes completions at equal times; `unit`: seconds of a unit when
                a Toolset runs in real time
    top_level_await   allow `await` outside functions, as in a notebook's cell
    loop        on CPython: a running event loop of another thread, for asynchronous tools that are bound to it
    limits      a `pysolate.scout.Limits`
    """
    if mode not in MODES:
        raise ValueError(f"mode must be overlap or sequential, not {mode!r}")
    for name, value in (("budget", budget), ("early_budget", early_budget)):
        if value is not None and (type(value) is not int or value < 0):
            raise ValueError(f"{name} must be None or a whole number from 0, not {value!r}")
    toolset = tools if isinstance(tools, Toolset) else None
    if toolset is not None:
        specs = toolset.specs(None if virtual else 0.001 if unit is None else unit)
        if contracts:
            raise ValueError("a toolset brings its contracts along")
    else:
        specs = collect(tools, contracts)
    host = _choose_host(toolset, latency, virtual, order_seed, unit, loop)
    note = host.choose_mode(mode)
    options = {
        "program": program, "mode": "sequential" if note else mode, "clock": host.clock,
        "unit": host.unit_ns if host.clock == "virtual" else 0, "speculate": bool(speculate), "policy": "order",
        "result_bytes": _RESULT_BYTES, "source": source, "producer": PRODUCER,
        "trace": bool(trace),
        "total": -1 if budget is None else budget, "early": -1 if early_budget is None else early_budget}
    result = Run(program, options["mode"], {})
    with _Trace(trace, result) as sink:
        engine = open_engine(dumps(options))
        session = Session(engine, host, specs, program, mode=options["mode"], classes=dict(classes or {}), sink=sink)
        try:
            if note:
                session.note(0, note)
            _execute(source, result, session, specs, tools, namespace, echo, speculate, limits, host, top_level_await)
            _fill_report(result, session, engine, host, toolset)
        finally:
            host.close()
            session.flush()
    return result


def _choose_host(toolset, latency, virtual, order_seed, unit, loop):
    if latency is not None or virtual:
        from .virtual import VirtualHost
        if latency is None:
            if toolset is None:
                raise ValueError("virtual time needs latencies: a toolset, or latency={name: units}")
            units = toolset.units
        elif callable(latency):
            units = latency
        else:
            table = dict(latency)

            def units(name, bound):
                known = table.get(name, 1)
                return known(bound) if callable(known) else known
        return VirtualHost(units, order_seed=order_seed)
    if order_seed is not None:
        raise ValueError("order_seed permutes virtual completions: it needs latency= or virtual=True")
    if sys.platform == "emscripten":
        from .pyodide_host import PyodideHost
        return PyodideHost(unit)
    from .threads import ThreadHost
    return ThreadHost(unit, loop)


class Captured(io.StringIO):
    """The program's stdout: kept, and passed on."""

    def __init__(self, echo=None):
        super().__init__()
        self._echo = echo

    def write(self, text):
        if self._echo is not None:
            self._echo.write(text)
        return super().write(text)

    def flush(self):
        if self._echo is not None:
            self._echo.flush()


def _execute(source, result, session, specs, tools, namespace, echo, speculate, limits, host, top_level_await):
    """Runs the program as `__main__`, captures what it prints, and ends the session."""
    module = namespace if isinstance(namespace, types.ModuleType) else types.ModuleType("__main__")
    names = module.__dict__
    behind = tools if isinstance(tools, Mapping) else {}
    result.before = door.globals_of(specs, session.reach, behind)
    names["__name__"] = "__main__"
    names["__builtins__"] = builtins
    names.update(namespace if isinstance(namespace, Mapping) else {})
    names.update(result.before)
    result.namespace = names
    linecache.cache[result.program] = (len(source), None, source.splitlines(keepends=True), result.program)
    handled = sys.exc_info()[1]
    saved = sys.modules.get("__main__")
    out = Captured(echo)
    error = None
    sys.modules["__main__"] = module
    try:
        with contextlib.redirect_stdout(out), host.running():
            try:
                flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT if top_level_await else 0
                code = compile(source, result.program, "exec", flags, dont_inherit=True)
                parsed = functools.cache(lambda: _tree(source, result.program))
                session.start_scout(_scout_maker(session, result, source, parsed, speculate, limits,
                                                 host.clock == "real"), names, parsed, source)
                if code.co_flags & inspect.CO_COROUTINE:
                    run_coroutine(eval(code, names), session.adopt_thread)
                else:
                    exec(code, names)
            except BaseException as e:  # SystemExit and KeyboardInterrupt are outcomes too
                error = cleaned(e, handled)
            session.finish(error)
    finally:
        if saved is None:
            sys.modules.pop("__main__", None)
        else:
            sys.modules["__main__"] = saved
        result.stdout = out.getvalue()
    result.exception = error


def _tree(source, program) -> ast.Module:
    try:
        return ast.parse(source, program)
    except (RecursionError, MemoryError):  # nested too deeply for us: nothing is known of it, it runs all the same
        return ast.Module(body=[], type_ignores=[])


def _scout_maker(session, result, source, parsed, speculate, limits, real) -> Callable | None:
    """None: no scout, at no cost, since the program names no tool that may be early."""
    early = {name.partition(".")[0] for name in session.early_names()} if session.overlap else set()
    if not any(name in source for name in early) or \
            not any(type(n) is ast.Name and n.id in early for n in ast.walk(parsed())):
        return None

    def make(port):
        from .scout import Limits, Scout  # only where it is needed: it takes a while to load
        return Scout(parsed(), result.program, session.tool_infos(), port, speculate=speculate,
                     limits=limits or Limits(clock=time.perf_counter if real else None))

    return make


def _fill_report(result, session, engine, host, toolset):
    ledger = loads(engine.query('{"q":"ledger"}'))
    stats = loads(engine.query('{"q":"stats"}'))
    result.report = reporting.make(
        result, session, effects=session.effects if toolset is None else toolset.effects,
        ordered=session.ordered if toolset is None else toolset.ordered, makespan=host.makespan, ledger=ledger,
        stats=stats, before=result.before)


class _Trace:
    """Where trace lines go."""

    def __init__(self, target, result):
        self._target, self._result = target, result
        self._file = None
        self._kept: list[str] | None = None

    def __enter__(self):
        target = self._target
        if target is None or target is False:
            return None
        if target is True:
            self._kept = []
            return self._kept.append
        if callable(target):
            return target
        if hasattr(target, "write"):
            return target.write
        self._file = open(target, "w", encoding="utf-8", newline="\n")
        return self._file.write

    def __exit__(self, *_):
        if self._file is not None:
            self._file.close()
        if self._kept is not None:
            self._result.trace = "".join(self._kept)


def program_budget(source: str) -> int | None:
    """The `# budget:` header of a program."""
    return headers(source)["budget"]
