"""The scout's door: what the runtime calls (see interface.py for what it offers in return)."""
from __future__ import annotations

from .._own import __builtins__

import ast
import builtins
import sys
from collections import deque

from .calls import Calls
from .exprs import Exprs
from .flow import Flow, Line
from .interface import Limits
from .control import BLOCK, K
from .machine import Machine
from .methods import Methods
from .modules import BARE, build_modules
from .natives import B, Natives
from .objects import Objects
from .prelude import PRELUDE
from .seed import Seeds
from .slice import Slice
from .values import (PLAIN_SCALARS, Frame, OutOfFuel, OutOfTime, Poisoned, ScoutRaise, Store, Tool, ToolSpace,
                     Unknown)

LIBRARY_MODULES = frozenset("datetime decimal fractions pathlib hashlib csv urllib statistics textwrap".split())
_PRELUDE_TREE = ast.parse(PRELUDE)
_PRELUDE_INFOS: dict = {}      # what is fixed about its functions, found once


class Scout(Flow, Exprs, Machine, Calls, Objects, Methods, Natives, Seeds):
    """Runs ahead of one program (or notebook cell).

    Everything that goes wrong in here stays in here: a line of scouting ends, a note says why, the program never knows.
    """

    def __init__(self, tree: ast.Module, filename: str, tools: dict, host, *, speculate: bool = False,
                 limits: Limits | None = None):
        self.tree, self.filename, self.host, self.speculate = tree, filename, host, bool(speculate)
        self.limits = limits or Limits()
        self.queue, self.backlog, self.dying = deque(), deque(), []
        self.steps_left = self.turn_left = sys.maxsize      # the library is free: nothing stops the constructor
        self.guess_left = self.limits.guess_steps
        self.bytes_left = self.limits.bytes
        self.outstanding = self.ghosts = 0
        self.calls, self.memo, self.later, self.guessed = {}, {}, {}, {}
        self.infos, self.facts, self.method_nodes = dict(_PRELUDE_INFOS), {}, {}
        self.notes, self.records = set(), {}
        self.closed = self.lost = False
        self.main, self.seeds, self.found, self.barren = None, 0, 0, {}
        self.by_line, self.functions = {}, {}
        self.deadline, self.look, self.nest = None, 0, 0
        self.spent, self.began = 0.0, self.limits.clock() if self.limits.clock is not None else 0.0
        self.blocked, self.idle, self.resumed, self.found_before = False, 0.0, 0.0, 0
        self._object = None
        self.tool_values = {path: Tool(info, path) for path, info in tools.items()}
        for f in ast.walk(tree):
            if isinstance(f, ast.FunctionDef):
                first = min([f.lineno] + [d.lineno for d in f.decorator_list])
                self.by_line[(f.name, first)] = f
                self.functions.setdefault(f.name, []).append(f)
        for cls in ast.walk(tree):
            if isinstance(cls, ast.ClassDef):
                for f in cls.body:
                    if isinstance(f, ast.FunctionDef):
                        self.method_nodes.setdefault(f.name, []).append(f)
        self.calls_may_catch = any(isinstance(n, (ast.Try, ast.With)) for f in ast.walk(tree)
                                   if isinstance(f, (ast.FunctionDef, ast.Lambda)) for n in ast.walk(f))
        slice_ = Slice(tree, [path.partition(".")[0] for path in tools])
        self.skip, self.computing = slice_.skip, slice_.computing
        self.left_out = Unknown("left out, since no tool call seemed to depend on it")
        self.builtins = dict(B)
        self._load_prelude()
        self.steps_left, self.turn_left = self.limits.steps, self.limits.turn_steps

    def _load_prelude(self):
        frame = Frame(None, None, None, None, None)
        frame.birth = {}
        self.prelude = {}
        line = Line(None, Store(), frame, "")
        for node in _PRELUDE_TREE.body:
            if isinstance(node, ast.ClassDef):
                f = self.make_class(line, node)
                f.ns.birth = line.store.get(f.ns)
            else:
                f = self.make_func(line, node, node.name)
            frame.birth[node.name] = self.prelude[node.name] = f
        _PRELUDE_INFOS.update(self.infos)
        for name in ("any", "all", "next", "map", "filter"):
            self.builtins[name] = self.prelude[name]
        self.modules = build_modules(self.prelude)
        self.modules["itertools"].members["chain"] = self.prelude["chain"]
        wanted = {name.split(".")[0] for n in ast.walk(self.tree) if isinstance(n, (ast.Import, ast.ImportFrom))
                  for name in ([n.module or ""] if isinstance(n, ast.ImportFrom) else [a.name for a in n.names])}
        if wanted & LIBRARY_MODULES:
            from . import library
            self.modules.update(library.build())
            self.builtins.update(library.EXTRA)
        if self._is_patched():
            self.modules = {name: m for name, m in self.modules.items() if name in BARE}

    def _is_patched(self):
        """Whether code of the library might run code of the program: something was or will be replaced in it."""
        real = vars(builtins)
        if any(real.get(name) is not value for name, value in __builtins__.items() if name not in ("_", "print")):
            return True
        names = {a.asname or a.name.split(".")[0] for n in ast.walk(self.tree) if isinstance(n, ast.Import)
                 for a in n.names}
        for n in ast.walk(self.tree):
            if isinstance(n, ast.Attribute) and not isinstance(n.ctx, ast.Load):
                base = n.value
                while isinstance(base, (ast.Attribute, ast.Subscript)):
                    base = base.value
                if isinstance(base, ast.Name) and base.id in names:
                    return True
            elif isinstance(n, ast.Name) and n.id in ("setattr", "delattr", "__builtins__", "exec", "eval"):
                return True
            elif isinstance(n, (ast.Import, ast.ImportFrom)) and (
                    getattr(n, "module", "") == "builtins" or
                    any(a.name in ("builtins", "importlib") for a in n.names)):
                return True
        return False

    # -- what the runtime calls ---------------------------------------------------------------------------------------
    def start(self, globals: dict) -> None:
        """Begins at the top, from the globals of that moment."""
        self._guarded(lambda: self._start(globals))

    def settled(self, call: int, ok: bool, payload) -> None:
        """An announced call has an outcome: a fresh plain copy of its value, an exception, or (payload None, not ok)
        none at all."""
        self._guarded(lambda: self._settled(call, ok, payload))

    def reached(self, site, tool, bound, call, hit, frame) -> None:
        """The program arrived at a tool call. `frame` is only looked at during this call."""
        self.turn_left, self.guess_left = self.limits.turn_steps, self.limits.guess_steps
        if self.lost and not hit and frame is not None and self.main is not None:
            self._guarded(lambda: self.seed(site, frame, call, tool, bound))

    def returned(self, site, tool, bound, ok, value) -> None:
        """A call that could not be early has returned (a fresh plain copy) or raised."""
        self.turn_left = self.limits.turn_steps
        waiting = self.later.get((tuple(site), tool))
        if waiting:
            fut = waiting.pop(0)
            self._guarded(lambda: self._outcome(fut, ok, value))

    def pump(self, blocked: bool) -> bool:
        """Runs queued work, within the share of time that the scout may take (see `Limits`). True: there is more to
        do; if the program is still blocked, call again."""
        self._guarded(lambda: None, blocked)
        return bool(self.queue) and (self.limits.clock is None or self.blocked)

    def has_work(self) -> bool:
        """Whether there is anything to do in `pump`."""
        return bool(self.queue or self.dying)

    def close(self) -> None:
        """The run is over."""
        self.closed = True
        self.queue.clear()

    def sites(self) -> list[dict]:
        """The report by call site."""
        return sorted(self.records.values(), key=lambda r: (r["line"], r["col"]))

    # -- inside -------------------------------------------------------------------------------------------------------
    def _guarded(self, work, blocked=False):
        """Runs `work` and then the queue, contained and within the time allowed."""
        if self.closed:
            return
        clock = self.limits.clock
        began = 0.0
        if clock is not None:
            began = self.resumed = clock()
            if self.found != self.found_before:
                self.idle, self.found_before = 0.0, self.found
            self.blocked = blocked = blocked and self.idle <= self.limits.idle
            left = self.limits.slice if blocked else \
                self.limits.grace + self.limits.share * (began - self.began) - self.spent
            self.deadline = began + left
        try:
            work()
            if self.deadline is None or not self.time_is_up():
                self._drain()
        except OutOfTime:
            pass
        except (OutOfFuel, RecursionError) as e:
            self.note(0, f"scouting stopped: {e}")
        except Exception as e:
            self.note(0, f"scouting stopped by {type(e).__name__}: {e}")
            self.fault(e)
        finally:
            self.nest = 0
            self.deadline = None
            if clock is not None:
                if blocked:
                    self.idle += clock() - began
                else:
                    self.spent += clock() - began

    def fault(self, error):
        """An error of the scout itself (a test may look at it)."""

    def _drain(self):
        queue = self.queue
        while queue or self.dying:
            if self.deadline is not None and self.time_is_up():
                return                                    # a paused line would only be paused again
            if not queue:                                 # only now: what the right path wants, too, has been found
                self.set_scope(self.dying.pop(0), "dead")
                continue
            work = queue.popleft()
            try:
                work()
            except OutOfTime:
                queue.appendleft(work)
                return
            except (Poisoned, ScoutRaise) as e:
                self.note(0, f"a line of scouting ended: {e}")
                self.fault(e)
            except OutOfFuel as e:
                self.out_of_fuel(0, e.what)
                if self.steps_left <= 0:
                    queue.clear()
            except RecursionError:
                self.note(0, "a line of scouting ended: recursion too deep")
            except Exception as e:
                self.note(0, f"a line of scouting ended by {type(e).__name__}: {e}")
                self.fault(e)

    def out_of_fuel(self, line, what):
        self.lost = True
        self.note(line, f"the scout stopped here: it ran out of {what}")

    def note(self, line, text):
        if (line, text) not in self.notes and len(self.notes) < 200:
            self.notes.add((line, text))
            self.host.note(line, text)

    def site_record(self, site, info):
        record = self.records.get(site)
        if record is None:
            record = self.records[site] = {"line": site[0], "col": site[1], "tool": info.name, "early": 0,
                                           "reason": "" if info.early_ok else f"{info.effect} calls run when reached"}
        return record

    def refuse(self, record, reason):
        if not record["early"] or not record["reason"]:
            record["reason"] = reason

    def _start(self, globals):
        frame = Frame(None, None, None, None, self.tree)
        store = Store()
        store.put(frame, self._initial(globals))
        line = Line(K(BLOCK, None, "", False, self.tree.body, 0), store, frame, "")
        self.main = line
        self.run(line)

    def _initial(self, globals):
        names = {}
        for path, tool in self.tool_values.items():
            head, _, rest = path.partition(".")
            names[head] = ToolSpace(head) if rest else tool
        for name, value in globals.items():
            if name in names or name in ("__builtins__", "__name__", "__doc__", "__file__", "__loader__", "__spec__",
                                         "__package__", "__annotations__", "__cached__"):
                continue
            names[name] = self.read_plain(value)
        return names

    def read_plain(self, value):
        """A value of the program, if it is small plain data; never anything else is touched."""
        if type(value) in PLAIN_SCALARS:
            if type(value) in (str, bytes) and len(value) > self.limits.value_bytes:
                return Unknown("a value too large to be read")
            return value
        if type(value).__name__ == "module" and type(value) is type(ast):
            return self.modules.get(value.__name__, Unknown(f"module '{value.__name__}' is not evaluated"))
        if not self.is_small_plain(value):
            return Unknown("a value that is not small plain data")
        try:
            return self.lift(value)
        except (Poisoned, RecursionError):
            return Unknown("a value that cannot be copied")

    def is_small_plain(self, value) -> bool:
        todo, n = [value], 0
        while todo:
            v = todo.pop()
            t = type(v)
            n += 1
            if n > 20_000:
                return False
            if t is list or t is tuple or t is set or t is frozenset:
                todo.extend(v)
            elif t is dict:
                todo.extend(v.keys())
                todo.extend(v.values())
            elif t not in PLAIN_SCALARS or (t is str or t is bytes) and len(v) > self.limits.value_bytes:
                return False
        return True

    def _settled(self, call_id, ok, payload):
        call = self.calls.pop(call_id, None)
        self.turn_left = self.limits.turn_steps
        if call is None or call.state:
            return
        self.outstanding -= 1
        if ok:
            call.state, call.payload = 1, payload
        elif payload is not None:
            call.state, call.payload = 2, payload
        else:
            call.state = 3
            self.forget(call)
            if self.announce_again(call):
                return
        if self.backlog and self.outstanding < self.limits.outstanding:
            self.queue.append(self.backlog.popleft())
        for fut in call.futs:
            if call.state == 3:
                self.resolve(fut, Unknown("an early call was dropped"))
            else:
                self._outcome(fut, ok, payload)
        call.futs = []

    def _outcome(self, fut, ok, payload):
        if not ok:
            self.fail(fut, payload)
            return
        try:
            self.resolve(fut, self.lift(payload))
        except Poisoned as p:
            self.resolve(fut, p.unknown)
