"""A small virtual-time host for the scout: the program runs for real, each reached call joins the attempt that the
scout started for it, time is counted in the toolset's units. It knows nothing of the C++ scheduler."""
from __future__ import annotations

import ast
import builtins
import contextlib
import copy
import heapq
import io
import itertools
import os
import re
import sys
import types

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
CORPUS = os.path.join(HERE, "..", "corpus")
sys.path.insert(0, CORPUS)
try:
    import pysolate  # noqa: F401  (the built package)
except ImportError:
    sys.path.insert(0, os.path.join(ROOT, "core", "python"))

import oracle  # noqa: E402
import toolset  # noqa: E402
from pysolate.scout import Limits, Scout, ToolInfo  # noqa: E402
from pysolate.scout.calls import canonical  # noqa: E402


class Attempt:
    def __init__(self, tool, bound, units, reached, order):
        self.tool, self.bound, self.units, self.reached, self.order = tool, bound, units, reached, order
        self.calls, self.state, self.value, self.taken = [], "ready", None, False


class Run:
    """One program under the scout."""

    def __init__(self, source, name="program.py", speculate=False, budget=None, scout=True, limits=None):
        self.source, self.name = source, name
        head = oracle.header(source)
        self.head = head
        self.latency = toolset.Latency(head["latency"])
        self.world = toolset.World()
        self.budget = budget if budget is not None else head["budget"]
        self.now, self.running, self.seq = 0, [], itertools.count()
        self.ready, self.by_key, self.ids = [], {}, {}
        self.next_id = itertools.count(1)
        self.notes, self.attempts, self.early_taken, self.announced, self.scopes = [], 0, 0, 0, itertools.count(2)
        self.tree = ast.parse(source)
        self.taken, self.log, self.listened = [], [], set()
        self.early_done, self.faults, self.scope_states = [], [], {}
        self.scout = None
        if scout:
            tools = {t: ToolInfo(t, c in toolset.EARLY_OK, c, lambda a, k, t=t: toolset.bind(t, a, k))
                     for t, c in toolset.CONTRACTS.items()}
            self.scout = Scout(self.tree, name, tools, self, speculate=speculate, limits=limits)
            self.scout.fault = lambda e: self.faults.append(e)

    # -- host ---------------------------------------------------------------------------------------------------------
    def announce(self, tool, site, guess, deps, order, scope):
        assert all(d in self.ids for d in deps), deps
        self.announced += 1
        assert guess or scope == 1 or self.scope_states[scope] == "active", "what may not be reached is a guess"
        self.log.append((self.now, tool, site, guess, tuple(deps), order))
        i = next(self.next_id)
        self.ids[i] = (tool, order, guess)
        return i

    def supply(self, call, args, kwargs):
        tool, order, guess = self.ids[call]
        bound = toolset.bind(tool, args, kwargs)
        key = (tool, canonical(bound))
        a = self.by_key.get(key)
        if a is None or (a.state == "failed" and a.taken):
            a = self.by_key[key] = self.new_attempt(tool, bound, False, order)
        a.calls.append(call)
        if a.state in ("done", "failed"):
            self.early_done.append((call, a))

    def drop(self, call):
        pass

    def listen(self, call):
        self.listened.add(call)

    def pressing(self):
        return True

    def open_scope(self, parent, kind, line, pending):
        scope = next(self.scopes)
        assert parent == 1 or parent in self.scope_states, parent
        self.scope_states[scope] = "pending" if pending else "active"
        return scope

    def set_scope(self, scope, state):
        assert self.scope_states[scope] != "dead"
        self.scope_states[scope] = state

    def note(self, line, text):
        self.notes.append((line, text))

    # -- time ---------------------------------------------------------------------------------------------------------
    def new_attempt(self, tool, bound, reached, order):
        a = Attempt(tool, bound, self.latency.units(tool, bound), reached, order)
        heapq.heappush(self.ready, (0 if reached else 1, order, next(self.seq), a))
        self.dispatch()
        return a

    def dispatch(self):
        held = len(self.running)
        early = sum(1 for _, _, a in self.running if not a.reached)
        while self.ready:
            rank, order, n, a = self.ready[0]
            if a.state != "ready":
                heapq.heappop(self.ready)
                continue
            if self.budget is not None and (held >= self.budget or (not a.reached and early >= self.budget - 1)):
                return
            heapq.heappop(self.ready)
            a.state = "running"
            self.attempts += 1
            held += 1
            early += not a.reached
            heapq.heappush(self.running, (self.now + a.units, next(self.seq), a))

    def step(self):
        t, _, a = heapq.heappop(self.running)
        assert t >= self.now
        self.now = t
        try:
            a.value, a.state = self.world.perform(a.tool, dict(a.bound)), "done"
        except Exception as e:
            a.value, a.state = e, "failed"
        self.dispatch()
        for call in a.calls:
            self.scout.settled(call, a.state == "done", copy.deepcopy(a.value) if a.state == "done" else a.value)
        if a.calls:
            while self.scout.pump(True):
                pass
            self.tell()

    def tell(self):
        """Outcomes that were there when an early call was made."""
        while self.early_done:
            call, a = self.early_done.pop(0)
            self.scout.settled(call, a.state == "done", copy.deepcopy(a.value) if a.state == "done" else a.value)

    def invoke(self, tool, args, kwargs):
        frame = sys._getframe(2)
        bound = toolset.bind(tool, args, kwargs)
        early = toolset.CONTRACTS[tool] in toolset.EARLY_OK
        key = (tool, canonical(bound))
        a = self.by_key.get(key) if early and self.scout is not None else None
        hit = a is not None and not (a.state == "failed" and a.taken)
        site = self.site_of(frame)
        reached = 0
        if self.scout is not None:
            if not hit:
                reached = next(self.next_id)
                self.ids[reached] = (tool, "", False)
            self.scout.reached(site, tool, bound, reached, hit, frame)
            self.scout.pump(False)
            a = self.by_key.get(key) if early else None
            hit = a is not None and not (a.state == "failed" and a.taken)
        if not hit:
            a = self.new_attempt(tool, bound, True, "")
            if early:
                self.by_key[key] = a
            if reached in self.listened:
                a.calls.append(reached)
        elif not a.reached:
            self.early_taken += 1
            a.reached = True
            if a.state == "ready":
                heapq.heappush(self.ready, (0, "", next(self.seq), a))
            self.dispatch()
        while a.state in ("ready", "running"):
            self.step()
        if not a.taken:
            self.taken.append(a)
        a.taken = True
        if self.scout is not None and not early:
            value = a.value
            self.scout.returned(site, tool, bound, a.state == "done",
                                copy.deepcopy(value) if a.state == "done" else value)
            self.scout.pump(False)
        if a.state == "failed":
            e = a.value
            self_copy = type(e)(*e.args) if type(e).__module__ == "builtins" else e
            raise self_copy
        return copy.deepcopy(a.value)

    @staticmethod
    def site_of(frame):
        if frame is None:
            return (0, 0, 0, 0)
        positions = list(frame.f_code.co_positions())[frame.f_lasti // 2]
        line, end, col, end_col = positions
        return (line or 0, col or 0, end or 0, end_col or 0)

    # -- the program --------------------------------------------------------------------------------------------------
    def run(self):
        ts = types.SimpleNamespace(invoke=self.invoke)
        g = {n: toolset.ToolFn(ts, n) for n in toolset.CONTRACTS if "." not in n}
        g["workspace"] = toolset.Workspace(ts)
        before = dict(g)
        mod = types.ModuleType("__main__")
        mod.__dict__.update(g)
        mod.__dict__["__builtins__"] = builtins
        saved, out = sys.modules.get("__main__"), io.StringIO()
        sys.modules["__main__"] = mod
        self.exception = None
        try:
            with contextlib.redirect_stdout(out):
                if self.scout is not None:
                    self.scout.start(dict(mod.__dict__))
                    self.scout.pump(False)
                try:
                    exec(compile(self.tree, self.name, "exec"), mod.__dict__)
                except BaseException as e:
                    self.exception = oracle.describe(e, self.name)
        finally:
            sys.modules["__main__"] = saved
            if self.scout is not None:
                self.scout.close()
        self.stdout = out.getvalue()
        self.bindings = oracle.bindings(mod.__dict__, before)[0]
        return self


def won(sequential, ideal, got):
    return 100.0 if sequential == ideal else 100.0 * (sequential - got) / (sequential - ideal)


def load(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def programs(folder):
    return sorted(os.path.join(folder, n) for n in os.listdir(folder) if re.fullmatch(r"\d+-.*\.py", n))


FOLDERS = [os.path.join(CORPUS, "programs"), os.path.join(HERE, "..", "programs")]
