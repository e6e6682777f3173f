"""Random programs under random schedules observe what the sequential oracle observes.

`PYSOLATE_GENERATED=N` sets the number of program-schedules (default 20,000), `PYSOLATE_GENERATED_SEED` the first seed,
`PYSOLATE_GENERATED_JOBS` the processes. `python3 -m tests.python.generator` does the same with more switches.
"""
from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from generator import check, faults, traces  # noqa: E402
from generator.campaign import Campaign, find  # noqa: E402
from generator.corpus import oracle  # noqa: E402
from generator.program import make_program, sequential  # noqa: E402
from generator.schedule import BUDGETS, Schedule, schedule_of  # noqa: E402
from generator.shrink import shrink  # noqa: E402

FOUND = sorted((HERE / "found").glob("*.py"))
SCHEDULES = 20          # of one program


# ---- the generator ---------------------------------------------------------------------------------------------------
def test_a_seed_names_a_program():
    first, again, other = make_program(7), make_program(7), make_program(8)
    assert first.source == again.source and first.record == again.record
    assert first.source != other.source


def test_programs_are_no_toys():
    _, census = find(Campaign(1, 200, 0, run=False, jobs=jobs()))
    n = census.programs
    assert n == 200
    assert sum(5 <= calls <= 30 for calls in census.calls) > 0.75 * n
    assert census.failing > 0.25 * n and census.effects > 0.4 * n and census.all_kinds > 0
    assert 0.4 * n < census.endings["ended well"] < 0.85 * n
    assert {"external_write", "open_read", "immutable_read", "pure"} <= {
        check_contract(tool) for tool in census.tools}
    for construct in ("recursion", "closure", "lambda", "default argument", "generator function", "generator expression",
                      "nested comprehension", "dict comprehension", "try else", "finally", "raise from", "context manager",
                      "match", "star", "walrus", "accumulator", "key function", "itertools", "collections", "json", "re",
                      "dataclass", "dunder with effects", "hostile arguments", "same call again", "shadowing", "retry loop",
                      "traceback", "loop else", "early return", "global", "nonlocal", "aliasing", "del", "tool alias",
                      "argument changed after the call", "unused value", "main function"):
        assert census.uses[construct] >= 2, construct


def check_contract(tool):
    from generator.corpus import toolset
    return toolset.CONTRACTS[tool]


def test_programs_stop_and_do_the_same_again():
    for seed in range(30, 50):
        program = make_program(seed)
        assert sequential(program.source, program.name) == program.record


# ---- the checker: it sees what is wrong, and only that ------------------------------------------------------------------
PROGRAMS = 260


@pytest.fixture(scope="module")
def programs():
    return [make_program(seed) for seed in range(PROGRAMS)]


def test_a_right_runtime_shows_no_difference(programs):
    subject = faults.Straight()
    for program in programs[:60]:
        assert check.check_program(subject, program, 2).differences == []


@pytest.mark.parametrize("fault", faults.FAULTS, ids=lambda f: f.__name__)
def test_a_wrong_runtime_is_caught_and_the_program_made_small(fault, programs, monkeypatch):
    monkeypatch.setattr(check, "CPU_SECONDS", 0.3)
    subject = fault()
    for program in programs:
        found = check.check_program(subject, program, 2).differences
        if found:
            break
    else:
        pytest.fail(f"{fault.__name__} was not noticed in {PROGRAMS} programs")
    kind = found[0].kind
    assert (kind == "hang") == (fault is faults.Stuck)

    def fails(source, schedule):
        return check.differs(subject, source, program.name, schedule, kind) is not None

    small, schedule = shrink(program.source, found[0].schedule, fails, tries=25 if kind == "hang" else 600)
    assert fails(small, schedule)
    # a fault of rewriting goes away when the shrinker rewrites: it has whole lines only
    assert small.count("\n") <= 12 or fault is faults.LinesMoved or kind == "hang" and len(small) < len(program.source)


def test_a_trace_that_breaks_a_rule_is_noticed():
    lines = [
        '{"seq":1,"t":0,"k":"run"}', '{"seq":2,"t":0,"k":"tool","tool":1,"name":"pay","effect":"external_write"}',
        '{"seq":3,"t":0,"k":"arrive","call":1,"tool":1,"early":false}', '{"seq":4,"t":0,"k":"reach","call":1}',
        '{"seq":5,"t":0,"k":"dispatch","attempt":1,"call":1,"early":false,"cost":1}', '{"seq":6,"t":2,"k":"complete","attempt":1}',
        '{"seq":7,"t":2,"k":"consume","call":1}', '{"seq":8,"t":2,"k":"end","ok":true}']
    assert list(traces.problems("\n".join(lines), 1)) == []
    assert list(traces.problems("\n".join(lines), 0)) == ["event 5: 1 held, the budget is 0"]
    early = "\n".join(lines[:3] + [lines[4].replace('"seq":5', '"seq":4'), lines[3].replace('"seq":4', '"seq":5')] + lines[5:])
    assert list(traces.problems(early, 1)) == ["event 4: pay (call 1) is dispatched before it is reached"]
    twice = "\n".join(lines[:6] + [lines[5].replace('"seq":6', '"seq":7')] + ['{"seq":8,"t":2,"k":"end"}'])
    assert list(traces.problems(twice, 1)) == ["event 7: attempt 1 ends twice (complete)"]


# ---- the runtime ------------------------------------------------------------------------------------------------------
def jobs() -> int:
    return int(os.environ.get("PYSOLATE_GENERATED_JOBS", "0")) or min(4, os.cpu_count() or 1)


def test_generated_programs_cannot_tell():
    pytest.importorskip("pysolate")
    wanted = int(os.environ.get("PYSOLATE_GENERATED", "20000"))
    seed = int(os.environ.get("PYSOLATE_GENERATED_SEED", "100000"))
    campaign = Campaign(seed, max(1, wanted // SCHEDULES), SCHEDULES, jobs=jobs(), most=3)
    findings, census = find(campaign)
    print(census.report())
    assert not findings, "\n\n".join(
        f"{f.text}\n\npython3 -m tests.python.generator --programs 1 --seed {f.seed} --schedules {SCHEDULES}"
        + (f" --schedule {f.index}" if f.index is not None else "") for f in findings)
    assert census.schedules >= campaign.programs * SCHEDULES


@pytest.mark.parametrize("path", FOUND, ids=lambda p: p.stem)
def test_what_once_differed(path):
    """Programs that a run of the generator found, under every budget, hoisting and guessing, several orders."""
    pytest.importorskip("pysolate")
    from generator.subject import Pysolate
    subject = Pysolate()
    source, name = path.read_text(encoding="utf-8"), path.name
    ref, found = check.reference(subject, source, name, oracle.run_source(source, name)[0])
    assert not found, found[0].describe()
    own = [line.partition(":")[2] for line in source.splitlines() if line.startswith("# schedule:")]
    schedules = [Schedule.parse(words) for words in own]
    schedules += [Schedule(budget, order, speculate) for budget in BUDGETS for speculate in (False, True) for order in (0, 1, 2)]
    for schedule in schedules:
        found, _ = check.check_schedule(subject, ref, source, name, schedule, trace=True)
        assert not found, found[0].describe()
    for index in range(8):      # and with other latencies
        schedule = schedule_of(len(source), index, ref.record)
        found, _ = check.check_schedule(subject, ref, source, name, schedule)
        assert not found, found[0].describe()
