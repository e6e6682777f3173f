"""One run of a program: joins what the program reaches with what the scheduler started.

The session stands between four parties and holds no policy of its own:

    program --(door.Tool)--> Session <--> engine (what may start, what is settled)
    scout   --(ScoutPort)-->    |   <--> host   (physical work and waiting)

A reached call is told to the engine, which promotes the early call that was already started for it, or dispatches a
new attempt. The program's thread then waits, lets the scout use that time, and takes the outcome. Outcomes travel as
data; the exception is raised once, by the door, at the program's own call.

Thread rule: every entry takes `_lock`; it is released while the host waits and while a tool runs in place. The scout
runs on the program's thread only.
"""
from __future__ import annotations

import contextvars
import sys
import threading
from dataclasses import dataclass, field, replace

from . import codec
from ._own import __builtins__
from .contracts import ToolSpec
from .door import Raise, Tool, context_for
from .engine import CONSUMED, SETTLED_OK
from .jsontext import dumps, loads
from .sites import SiteTable

# The (session, attempt) inside whose tool this context runs; calls made there are children of that attempt.
inside: contextvars.ContextVar = contextvars.ContextVar("pysolate_attempt", default=None)

PROGRAM_SCOPE = 1


class Interrupted(Exception):
    """Raised by a host's `wait`: the user or a signal wants the program to stop waiting. `error` is for the program."""

    def __init__(self, error: BaseException):
        super().__init__(error)
        self.error = error


@dataclass
class Counts:
    """The report's `calls`."""
    reached: int = 0
    early: int = 0
    promoted: int = 0
    refused: int = 0
    rejected: int = 0

    def as_dict(self):
        return {"reached": self.reached, "early": self.early, "promoted": self.promoted,
                "wasted": self.early - self.promoted, "refused": self.refused}


@dataclass
class _Handle:
    """A tool of this run: its ids and interned argument keys."""
    spec: ToolSpec
    id: int = 0
    early_ok: bool = False
    key: str = ""                                  # its name in Session._handles
    keys: dict = field(default_factory=dict)       # canonical arguments -> key
    previews: list = field(default_factory=lambda: [""])  # key -> preview


class Session:
    """See the module. `engine` is fresh, `host` belongs to this run alone."""

    def __init__(self, engine, host, specs: dict[str, ToolSpec], filename: str, *, mode: str,
                 classes: dict | None = None, sink=None):
        self.engine = engine
        self.host = host
        host.open(self)
        self.filename = filename
        self.overlap = mode == "overlap"
        self.counts = Counts()
        self.attempts = 0
        self.waits = 0                          # how often the program's thread was put to sleep
        self.notes: list[dict] = []
        self.effects: list[dict] = []           # writes in the order in which they were performed
        self.ordered: list[dict] = []           # writes and open reads
        self._sink = sink
        self.closed = False
        self._lock = threading.RLock()
        self._thread = threading.get_ident()
        self._scout = None
        self._patient = False                   # the scout has no clock to share: it works while the program waits
        self._outcomes: dict[int, tuple] = {}   # attempt -> (ok, value or exception, shareable)
        self._bound: dict[int, tuple] = {}      # call -> (handle, arguments) until its attempt starts for good
        self._early: dict[int, _Handle] = {}    # early calls not yet reached or dropped
        self._unheard: set[int] = set()         # calls of the scout whose outcome it has not heard of, reached or not
        self._news: list[tuple] = []            # settlements of early calls that the scout has not heard of
        self._lost: set[int] = set()            # attempts given up: their answers are ignored
        self._sites = SiteTable(filename, self._new_site)
        self._input(k="scope", parent=0, kind="program", line=1, site=0, state="active")
        self._limits = classes or {}
        self._class_ids: dict[str, int] = {}
        self._root_ids: dict[str, int] = {}
        self._handles: dict[str, _Handle] = {}  # by name; variants of a tool by "name label"
        for name in self._limits:
            if not name.endswith("*"):
                self._class_id(name)
        for name, spec in specs.items():
            self._register(name, spec)

    # ------------------------------------------------------------------------------------------------------- set-up

    def _input(self, **event) -> int:
        return self.engine.input(self.host.now(), dumps(event))

    def _class_id(self, name: str) -> int:
        """The resource class of that name. Its limit is the one given for it, or for the longest "prefix*" of it."""
        if not name:
            return 0
        if name not in self._class_ids:
            given = [n for n in self._limits if n == name or n.endswith("*") and name.startswith(n[:-1])]
            limit = self._limits[max(given, key=lambda n: (n == name, len(n)))] if given else None
            self._class_ids[name] = self._input(k="class", name=name, limit=-1 if limit is None else limit)
        return self._class_ids[name]

    def _root_id(self, name: str) -> int:
        if name and name not in self._root_ids:
            self._root_ids[name] = self._input(k="root", name=name)
        return self._root_ids.get(name, 0)

    def _register(self, key: str, spec: ToolSpec) -> _Handle:
        c = spec.contract
        class_id, root_id = self._class_id(c.resource), self._root_id(c.root)
        early_ok = c.may_be_early and self.host.can_start_early(spec)
        handle = self._handles[key] = _Handle(spec, early_ok=early_ok, key=key)
        handle.id = self._input(
            k="tool", name=spec.name, effect=c.effect, failure=c.failure, cost=c.cost, root=root_id,
            cancellable=self.host.can_cancel(spec),
            deadline=0 if c.deadline is None else self.host.ns_of(c.deadline), retry=c.retry, early=early_ok,
            reuse=c.reuse, **{"class": class_id})
        return handle

    def _variant(self, handle: _Handle, bound: dict) -> _Handle:
        """The handle whose contract holds for these arguments."""
        if handle.spec.variants is None:
            return handle
        label, contract = handle.spec.variants.of(bound)
        key = f"{handle.spec.name} {label}"
        return self._handles.get(key) or self._register(key, replace(handle.spec, contract=contract, variants=None))

    def _new_site(self, span, function) -> int:
        line, col, end_line, end_col = span
        return self._input(k="site", file=self.filename, line=line, col=col, end_line=end_line, end_col=end_col,
                           function=function)

    def adopt_thread(self) -> None:
        """The program goes on on the calling thread."""
        self._thread = threading.get_ident()

    def tool_infos(self) -> dict:
        """What a scout may know of the tools."""
        from .scout import ToolInfo

        def info(name, handle):
            spec = handle.spec
            if spec.variants is None:
                return ToolInfo(name, handle.early_ok, spec.contract.effect, spec.bind, handle.key)
            early_ok = spec.variants.may_be_early and self.host.can_start_early(spec)
            return ToolInfo(name, early_ok, spec.contract.effect, spec.bind, handle.key,
                            lambda args, kwargs: info(name, self._variant(handle, spec.bind(args, kwargs))))

        return {name: info(name, handle) for name, handle in self._handles.items()}

    def early_names(self) -> list[str]:
        """Tools that may start early."""
        return [name for name, handle in self._handles.items() if handle.early_ok or handle.spec.variants is not None
                and handle.spec.variants.may_be_early and self.host.can_start_early(handle.spec)]

    def start_scout(self, make_scout, namespace: dict, parsed, source: str | None = None) -> None:
        """Begins to look ahead; `make_scout(port)` builds the scout. `parsed()`: the program's tree, if it is needed (it
        is not if no tool is named in `source`)."""
        self._sites.learn_from(parsed)
        if source is None or any(name.partition(".")[0] in source for name in self._handles):
            self._sites.learn_now()  # before the program can replace anything
        if not self.overlap or make_scout is None:
            return
        try:
            self._scout = make_scout(ScoutPort(self))
        except Exception as e:
            self.note(0, f"the scout failed to start: {type(e).__name__}: {message_of(e)}", "scout")
            return
        limits = getattr(self._scout, "limits", None)
        self._patient = self.host.clock == "real" and limits is not None and limits.clock is None
        self._ask_scout("start", namespace)
        self._pump(False)
        if self.host.poll():  # nothing that was found stays behind
            self._obey()

    def _ask_scout(self, what: str, *args):
        """Lets the scout do something. A fault in it ends the scout, nothing more."""
        scout = self._scout
        if scout is None:
            return None
        try:
            return getattr(scout, what)(*args)
        except Exception as e:
            self._scout = None
            self.note(0, f"the scout failed and stopped: {type(e).__name__}: {message_of(e)}", "scout")

    def stop_scout(self, why: str) -> None:
        if self._scout is not None:
            scout, self._scout = self._scout, None
            scout.close()
            self.note(0, why)

    def note(self, line: int, text: str, topic: str = "host") -> None:
        self.notes.append({"line": line, "topic": topic, "text": text})
        self._input(k="note", topic=topic, line=line, text=codec.cut(text))

    # ------------------------------------------------------------------------------------------------ a reached call

    def reach(self, tool: Tool, args: tuple, kwargs: dict):
        """Control arrived at a tool call. -> its value, or Raise. (Called by the door, from the program's frame.)"""
        if self.closed:
            return Raise(RuntimeError(f"{tool.tool_name}() was called after its run had ended"), None)
        frame = sys._getframe(2)
        within = inside.get()
        self.host.enter()
        try:
            with self._lock:
                answer = self._reach(tool.tool_name, args, kwargs, frame, within)
        except BaseException as e:  # a fault of ours: show it, at the program's call
            answer = e
        finally:
            interrupt = self.host.leave()
        if interrupt is not None:
            answer = interrupt
        if isinstance(answer, BaseException):
            return Raise(answer, context_for(answer, sys.exc_info()[1]))
        if type(answer) is Raise:
            answer.context = context_for(answer.error, sys.exc_info()[1])
            return answer
        return answer

    def _reach(self, name, args, kwargs, frame, within):
        handle = self._handles[name]
        spec = handle.spec
        span, site = self._sites.of(frame)
        try:
            bound = spec.bind(args, kwargs)
        except BaseException as e:
            e.__traceback__ = None
            self.counts.rejected += 1
            return Raise(e, None)
        handle = self._variant(handle, bound)
        if within is not None and within[0] is self:
            return self._child(handle, bound, site, within[1])
        key, preview = self._key(handle, bound)
        if self.host.poll():
            self._obey()
        scout = self._scout
        if scout is not None and threading.get_ident() != self._thread:
            scout = None
            self.stop_scout("the program runs several threads: nothing is started early from here on")

        self.counts.reached += 1
        engine = self.engine
        packed = engine.reach(self.host.now(), handle.id, site, PROGRAM_SCOPE, key, preview, "", 0)
        call, state = packed >> 4, packed & 7
        hit = self._early.pop(call, None) is not None
        if hit:
            self.counts.promoted += 1
        if state < SETTLED_OK and call not in self._bound:
            self._bound[call] = (handle, codec.snapshot(bound) if key else bound)
        if packed & 8:
            self._obey()
            state = engine.state_of(call)
        if scout is not None:
            # What has an argument that is not plain is not for the scout: it may not even look at it.
            known = call if key or not handle.early_ok else 0
            self._ask_scout("reached", span, name, bound, known, hit or state >= SETTLED_OK, frame)
            self._pump(False)
            state = engine.state_of(call)
        if state < SETTLED_OK:
            error = self._await(call)
            if error is not None:
                return Raise(error, None)
        answer = self._take(call, handle)
        if scout is not None and not handle.early_ok:
            if type(answer) is Raise:
                self._ask_scout("returned", span, name, bound, False, answer.error)
            elif codec.is_plain(answer):
                self._ask_scout("returned", span, name, bound, True, codec.snapshot(answer))
        return answer

    def _key(self, handle, bound):
        """(interned key, preview); key 0: never shared, the tool gets the very objects."""
        contract = handle.spec.contract
        if not contract.ordered:
            try:
                shape = tuple([v if type(v) is str else codec.canonical(v) for v in bound.values()])
            except codec.NotPlain:
                return 0, codec.preview_arguments(bound, contract.redact)
            key = handle.keys.get(shape)
            if key is None:
                key = handle.keys[shape] = len(handle.previews)
                handle.previews.append(codec.preview_arguments(bound, contract.redact))
            return key, handle.previews[key]
        return 0, codec.preview_arguments(bound, contract.redact)

    def _await(self, call):
        """Blocks until `call` is settled. -> None, or the exception that ends the wait."""
        engine, host = self.engine, self.host
        slices = 0
        while True:
            more = self._pump(True, slices)
            state = engine.state_of(call)
            if state >= SETTLED_OK:
                if state >= CONSUMED:
                    return RuntimeError(f"call {call} was taken away while the program waited for it")
                return None
            if more:
                slices += 1
                continue
            slices = 0
            self.waits += 1
            self.flush()
            try:
                host.wait(call, engine.next_deadline())
            except Interrupted as e:
                self._input(k="cancel", call=call, why="interrupt")
                self._bound.pop(call, None)
                self._obey()
                return e.error

    def is_settled(self, call: int) -> bool:
        return self.engine.state_of(call) >= SETTLED_OK

    def _take(self, call, handle):
        """The outcome of a settled call, as the program gets it."""
        engine = self.engine
        attempt = engine.attempt_of(call)
        ok, payload, shareable = self._outcomes.get(attempt) or self._no_outcome(handle)
        flags = engine.consume(self.host.now(), call)
        self._bound.pop(call, None)
        if not shareable:
            self._outcomes.pop(attempt, None)
        if flags:
            self._obey()
        if not ok:
            return Raise(payload, None)
        return codec.snapshot(payload) if shareable else payload

    def _no_outcome(self, handle):
        name, deadline = handle.spec.name, handle.spec.contract.deadline
        within = "in time" if deadline is None else f"within {deadline:g} s"
        return False, TimeoutError(f"{name}() did not answer {within}"), False

    # ------------------------------------------------------------------------------------- a call inside an attempt

    def _child(self, handle, bound, site, parent):
        """A tool called by a tool: runs at once, on this thread, under its parent's slot."""
        key, preview = self._key(handle, bound)
        self.counts.reached += 1
        packed = self.engine.reach(self.host.now(), handle.id, site, PROGRAM_SCOPE, 0, preview, "", parent)
        call = packed >> 4
        attempt = self._obey(in_place=call)
        if not attempt:
            self._input(k="cancel", call=call, why="child not dispatched")
            self._obey()
            return Raise(RuntimeError(f"{handle.spec.name}() cannot run inside attempt {parent}"), None)
        if key:
            bound = codec.snapshot(bound)
        self._lock.release()
        try:
            ok, payload = self.host.perform_here(attempt, handle.spec, bound)
        finally:
            self._lock.acquire()
        self.book(attempt, handle, ok, payload, bound)
        self._obey()
        return self._take(call, handle)

    # -------------------------------------------------------------------------------------------- engine's commands

    def _obey(self, in_place: int = 0) -> int:
        """Does what the engine asks for. -> the attempt dispatched for call `in_place`, which the caller runs."""
        granted = 0
        while True:
            text = self.engine.commands()
            if not text:
                return granted
            if text.startswith('[["settle",') and text.count("[") == 2:
                # A value that was there already: nothing to do unless the scout waits for it.
                if int(text[11:text.index(",", 11)]) not in self._unheard:
                    return granted
            for command in loads(text):
                what = command[0]
                if what == "dispatch":
                    attempt, call = command[1], command[2]
                    self.attempts += 1
                    if call == in_place and call:
                        granted = attempt
                    else:
                        self._dispatch(attempt, call)
                elif what == "settle":
                    call = command[1]
                    if call in self._unheard:
                        self._unheard.discard(call)
                        self._news.append((call, bool(command[3]), command[2]))
                elif what == "cancel":
                    self.host.cancel(command[1])
                elif what == "evict":
                    self._outcomes.pop(command[1], None)
                elif what in ("drop", "skip"):
                    self._early.pop(command[1], None)
                    self._bound.pop(command[1], None)
                    if command[1] in self._unheard:
                        self._unheard.discard(command[1])
                        self._news.append((command[1], False, 0))
                elif what == "lost":
                    self._lost.add(command[1])
                    self.host.lost(command[1])

    def _dispatch(self, attempt, call):
        handle, bound = self._bound[call]
        if handle.spec.contract.retry:
            bound = codec.snapshot(bound) if codec.is_plain(bound) else bound  # a retry starts from untouched arguments
        self.host.start(attempt, call, handle, bound)

    def book(self, attempt: int, handle: _Handle, ok: bool, payload, bound: dict) -> None:
        """The host reports how an attempt ended. (Under the lock; `_obey` follows.)"""
        if attempt in self._lost:
            return
        now = self.host.now()
        if handle.spec.contract.ordered:
            self._log(handle, ok, payload, bound)
        if ok:
            nbytes = 0
            if not handle.spec.contract.ordered:
                try:
                    payload = codec.snapshot(payload)
                    nbytes = codec.size(payload)
                except codec.NotPlain:
                    pass
            self._outcomes[attempt] = (True, payload, nbytes > 0)
            self.engine.complete(now, attempt, nbytes, codec.preview(payload))
        else:
            self._outcomes[attempt] = (False, payload, False)
            self.engine.input(now, dumps({
                "k": "fail", "attempt": attempt, "error": type(payload).__name__, "message": message_of(payload),
                "failure": handle.spec.contract.failure}))

    def _log(self, handle, ok, payload, bound):
        redact = handle.spec.contract.redact
        entry = {"tool": handle.spec.name, "args": [
            "<redacted>" if redact is True or name in redact else codec.preview(value) for name, value in bound.items()],
            "status": "ok" if ok else "error"}
        entry["result" if ok else "error"] = (
            codec.preview(payload) if ok else f"{type(payload).__name__}: {message_of(payload)}")
        self.ordered.append(entry)
        if handle.spec.contract.effect != "open_read":
            self.effects.append(entry)

    def book_stopped(self, attempt: int) -> None:
        """The host confirms that a cancelled attempt ended without an outcome."""
        if attempt in self._lost:
            return
        self._input(k="stopped", attempt=attempt)

    # ---------------------------------------------------------------------------------------------------- the scout

    def _pump(self, blocked: bool, slices: int = 0) -> bool:
        """Lets everything move that can move without waiting. True: the scout has more to do, if the program is still
        blocked. `slices`: how often that was the answer, one after another."""
        on_thread = threading.get_ident() == self._thread
        while True:
            self.host.poll()
            self._obey()
            scout = self._scout
            if scout is None or not on_thread:
                self._news.clear()
                return False
            if self._patient and not blocked:
                return False  # what it has to hear waits with it
            if not self._news and not scout.has_work():
                return False
            news, self._news = self._news, []
            for call, ok, attempt in news:
                self._early_settled(call, ok, attempt)
            more = self._scout_turn(blocked, slices)
            self._obey()
            if not self._news:
                return blocked and bool(more)

    def _scout_turn(self, blocked, slices):
        """One pump of the scout. While the program is blocked it works in slices, so that completions are not kept
        waiting; a step that did not fit into one begins anew in the next, so slices grow until it does."""
        limits = getattr(self._scout, "limits", None)
        if not slices or limits is None or not self.host.has_news():
            return self._ask_scout("pump", blocked)
        usual = limits.slice
        limits.slice = usual * 2 ** min(slices, 8)
        try:
            return self._ask_scout("pump", blocked)
        finally:
            limits.slice = usual

    def _early_settled(self, call, ok, attempt):
        known, payload, shareable = self._outcomes.get(attempt, (False, None, False))
        if ok and shareable:
            self._ask_scout("settled", call, True, codec.snapshot(payload))
        else:
            self._ask_scout("settled", call, False, None if ok else payload)

    # ------------------------------------------------------------------------------------------------------- the end

    def finish(self, error: BaseException | None) -> None:
        """The program ended: nothing more starts, what runs is cancelled or becomes an orphan of the ledger."""
        with self._lock:
            self.host.poll()
            self._obey()
            self._ask_scout("close")
            end = {"k": "end", "ok": error is None}
            if error is not None:
                end["error"] = type(error).__name__
            self.engine.input(self.host.now(), dumps(end))
            self._obey()
            self.closed = True

    def flush(self) -> None:
        """Hands the trace lines written so far to their reader."""
        text = self.engine.take_trace()
        if text and self._sink is not None:
            self._sink(text)

    def sites(self) -> list[dict]:
        return self._scout.sites() if self._scout is not None else []


def message_of(error: BaseException) -> str:
    """The message of an exception for a trace; its own code may fail."""
    try:
        return codec.cut(str(error))
    except Exception:
        return ""


class ScoutPort:
    """What a scout can ask for. All of it happens on the program's thread, inside `Session._pump` or `reach`."""

    def __init__(self, session: Session):
        self._session = session
        self._refused: set = set()

    def announce(self, tool: str, site, guess: bool, deps, order: str, scope: int) -> int:
        s = self._session
        handle = s._handles[tool]
        span = tuple(site)
        site_id = s._sites.id_of(span)  # first: a new site is an input with a time of its own
        call = s.engine.arrive(s.host.now(), handle.id, site_id, scope or PROGRAM_SCOPE, bool(guess),
                               ",".join(map(str, deps)) if deps else "", order)
        if call:
            s.counts.early += 1
            s._early[call] = handle
            s._unheard.add(call)
        else:
            s.counts.refused += 1
        return call

    def supply(self, call: int, args: tuple, kwargs: dict) -> None:
        s = self._session
        handle = s._early.get(call)
        if handle is None:
            return  # dropped meanwhile
        try:
            bound = handle.spec.bind(args, kwargs)
            simple = all(type(value) in codec.ATOMS for value in bound.values())
            if not simple and not codec.is_plain(bound):
                raise TypeError("an argument is not plain data")
        except BaseException as e:
            self.drop(call)
            if isinstance(e, TypeError):
                raise
            raise TypeError(str(e)) from None
        if not simple:
            bound = codec.snapshot(bound)
        key, preview = s._key(handle, bound)
        s._bound[call] = (handle, bound)
        s.engine.args(s.host.now(), call, key, preview)
        s._obey()  # it starts now, not when the scout has found all the others; what settles is told later

    def drop(self, call: int) -> None:
        s = self._session
        if s._early.pop(call, None) is not None:
            s._input(k="cancel", call=call, why="its path is dead")

    def listen(self, call: int) -> None:
        """The scout wants to hear of a reached call that it had not found."""
        self._session._unheard.add(call)

    def pressing(self) -> bool:
        return self._session.host.has_news()

    def open_scope(self, parent: int, kind: str, line: int, pending: bool) -> int:
        s = self._session
        return s._input(k="scope", parent=parent or PROGRAM_SCOPE, kind=kind, line=line, site=0,
                        state="pending" if pending else "active")

    def set_scope(self, scope: int, state: str) -> None:
        self._session._input(k="scope_" + state, scope=scope)

    def note(self, line: int, text: str) -> None:
        self._session.note(line, text, "scout")
