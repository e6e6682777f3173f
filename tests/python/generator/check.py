"""Runs a program under schedules and compares what it observed with the sequential oracle."""
from __future__ import annotations

import difflib
import json
from dataclasses import dataclass

from . import traces
from .program import Program, Rejected, sequential
from .sandbox import Hang, guarded
from .schedule import Schedule, schedule_of, sequential_units
from .subject import OBSERVATIONS, Observed

CPU_SECONDS = 20.0
TRACE_EVERY = 5         # every n-th schedule keeps its trace and has it checked; every 5n-th is run twice


@dataclass
class Difference:
    """One way in which a run was not like the sequential one. `kind` names what differs; the shrinker keeps it."""
    kind: str
    expected: object
    got: object
    schedule: Schedule | None       # None: of the sequential mode

    def describe(self) -> str:
        want, have = _lines(self.expected), _lines(self.got)
        diff = list(difflib.unified_diff(want, have, "sequential", "this run", lineterm="", n=2))
        how = "mode=sequential" if self.schedule is None else self.schedule.words()
        return f"{self.kind} differs ({how})\n" + "\n".join(diff[:60] or [f"expected {self.expected!r}", f"got      {self.got!r}"])


def _lines(value):
    if isinstance(value, str):
        return value.splitlines()
    return json.dumps(value, indent=1, default=repr).splitlines()


@dataclass
class Reference:
    """What every run of a program must observe."""
    record: dict                # of the oracle
    host: Observed              # of the runtime's own sequential mode: for what shows the host's frames (tracebacks)

    @property
    def shows_tracebacks(self) -> bool:
        return "Traceback (most recent call last)" in self.record["stdout"] or any(
            "Traceback (most recent" in v for v in self.record["bindings"].values())


def reference(subject, source: str, name: str, record: dict | None = None) -> tuple[Reference, list[Difference]]:
    """The reference, and how the runtime's sequential mode itself differs from the oracle."""
    record = record or sequential(source, name)
    host = observe(subject.sequential, source, name)
    found = Reference(record, host)
    skip = ("stdout", "bindings", "effects", "ordered_log") if found.shows_tracebacks else ()
    problems = compare(record, host.record, None, skip)
    if host.record["exception"] == record["exception"] and host.makespan != sequential_units(record, source):
        problems.append(Difference("sequential makespan", sequential_units(record, source), host.makespan, None))
    if not host.balanced:
        problems.append(Difference("ledger", "balanced", host.ledger, None))
    return found, problems


def observe(run, source, name, *args, **options) -> Observed:
    """One run in the sandbox; whatever the runtime itself does wrong becomes an observation."""
    with guarded(CPU_SECONDS):
        try:
            return run(source, name, *args, **options)
        except (Hang, Exception) as error:
            kind = "hang" if isinstance(error, Hang) else "fault of the runtime"
            failed = {"type": kind, "message": f"{type(error).__name__}: {error}"}
            return Observed({"stdout": "", "exception": failed, "bindings": {}, "effects": [], "ordered_log": []})


def compare(expected: dict, got: dict, schedule, skip=()) -> list[Difference]:
    kind = (got["exception"] or {}).get("type")
    if kind in ("hang", "fault of the runtime", "Hang"):
        return [Difference("hang" if kind == "Hang" else kind, expected["exception"], got["exception"], schedule)]
    found = []
    for what in OBSERVATIONS:
        if what in skip:
            continue
        # repr tells 1 from True and from 1.0, and keeps the order of keys
        if repr(expected[what]) != repr(got[what]):
            found.append(Difference(what, expected[what], got[what], schedule))
    return found


def check_schedule(subject, ref: Reference, source: str, name: str, schedule: Schedule, *, trace=False, twice=False):
    """-> (differences, what was observed)"""
    source = schedule.apply(source)
    got = observe(subject.overlap, source, name, schedule, **({"trace": True} if trace else {}))
    expected = ref.record
    if ref.shows_tracebacks:
        expected = {**expected, **{k: ref.host.record[k] for k in ("stdout", "bindings", "effects", "ordered_log")}}
    found = compare(expected, got.record, schedule)
    if found:
        return found, got
    if got.traceback is not None and got.traceback != ref.host.traceback:
        found.append(Difference("traceback", ref.host.traceback, got.traceback, schedule))
    longest = sequential_units(ref.record, source)
    if got.makespan > longest:
        found.append(Difference("makespan", f"at most {longest}", f"{got.makespan}", schedule))
    if not got.balanced:
        found.append(Difference("ledger", "balanced", got.ledger, schedule))
    if trace and got.trace:
        for problem in traces.problems(got.trace, schedule.budget):
            found.append(Difference("trace", "well formed", problem, schedule))
            break
        if twice:
            again = observe(subject.overlap, source, name, schedule, trace=True)
            if again.trace != got.trace:
                found.append(Difference("determinism", got.trace, again.trace, schedule))
    return found, got


@dataclass
class Outcome:
    """Of one program under its schedules."""
    seed: int
    schedules: int
    differences: list[Difference]
    won: list[float]                # per schedule: share of the sequential time that was saved
    calls: dict
    last: int | None                # the schedule that ran last


def check_program(subject, program: Program, schedules: int, *, only: int | None = None) -> Outcome:
    """Under the first `schedules` schedules of its seed (or the `only` one) until one differs."""
    ref, found = reference(subject, program.source, program.name, program.record)
    done, last, won, calls = 0, None, [], {}
    if not found:
        for index in range(schedules) if only is None else [only]:
            last = index
            schedule = schedule_of(program.seed, index, program.record, "hostile arguments" in program.uses)
            keep = index % TRACE_EVERY == program.seed % TRACE_EVERY
            problems, got = check_schedule(subject, ref, program.source, program.name, schedule, trace=keep,
                                           twice=keep and program.seed % (5 * TRACE_EVERY) == 0)
            done += 1
            total = sequential_units(program.record, schedule.apply(program.source))
            if total:
                won.append(1 - got.makespan / total)
            for k, v in got.calls.items():
                calls[k] = calls.get(k, 0) + v
            found += problems
            if problems:
                break
    return Outcome(program.seed, done, found, won, calls, last)


def differs(subject, source: str, name: str, schedule: Schedule | None, kind: str) -> Difference | None:
    """Does the program still differ in that way? (For the shrinker: programs that don't stop don't count.)"""
    try:
        record = sequential(source, name)
    except (Rejected, SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    ref, found = reference(subject, source, name, record)
    if schedule is not None and not found:
        found, _ = check_schedule(subject, ref, source, name, schedule, trace=kind in ("trace", "determinism"),
                                  twice=kind == "determinism")
    elif schedule is not None:
        return None
    return next((d for d in found if d.kind == kind), None)
