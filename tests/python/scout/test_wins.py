"""What the scout wins, and that no program can tell: every program of the corpus and of our own, both policies."""
import os

import pytest

import harness

PATHS = [p for folder in harness.FOLDERS for p in harness.programs(folder)]


def outcome(run):
    return run.stdout, run.exception, run.bindings, run.world.effects, run.world.ordered


@pytest.fixture(scope="module")
def runs():
    """name -> (header, sequential run, hoisting run, guessing run)"""
    found = {}
    for path in PATHS:
        source, name = harness.load(path), os.path.basename(path)
        found[path] = (harness.oracle.header(source), harness.Run(source, name, scout=False).run(),
                       harness.Run(source, name).run(), harness.Run(source, name, speculate=True).run())
    return found


@pytest.mark.parametrize("path", PATHS, ids=os.path.basename)
def test_program_cannot_tell(runs, path):
    _, plain, hoisted, guessed = runs[path]
    assert outcome(hoisted) == outcome(plain)
    assert outcome(guessed) == outcome(plain)


@pytest.mark.parametrize("path", PATHS, ids=os.path.basename)
def test_scout_has_no_error_of_its_own(runs, path):
    _, _, hoisted, guessed = runs[path]
    assert not hoisted.faults and not guessed.faults


@pytest.mark.parametrize("path", PATHS, ids=os.path.basename)
def test_makespan_is_between_ideal_and_v1(runs, path):
    head, plain, hoisted, guessed = runs[path]
    assert head["ideal_units"] <= head["v1_units"] <= plain.now
    for run in (hoisted, guessed):
        assert head["ideal_units"] <= run.now <= head["v1_units"]


@pytest.mark.parametrize("folder", harness.FOLDERS, ids=["corpus", "own"])
def test_mean_of_the_overlap_won(runs, folder):
    hoist, guess = [], []
    for path in harness.programs(folder):
        head, plain, hoisted, guessed = runs[path]
        hoist.append(harness.won(plain.now, head["ideal_units"], hoisted.now))
        guess.append(harness.won(plain.now, head["ideal_units"], guessed.now))
    assert sum(hoist) / len(hoist) >= 80
    assert sum(guess) / len(guess) >= 92


ORDER = '''
def pair(n):
    a = fetch(f"https://archive.example.org/item/{n}")
    if n % 2:
        lookup("weights", f"w{n}")
    else:
        lookup("chain", f"n{n}")
    return a

for path in workspace.glob("config/*.json"):
    workspace.read_text(path)
    for n in range(len(path)):
        try:
            flaky(f"{path}-{n}")
        finally:
            search(f"{path} {n}")
rows = [[pair(10 * i + j) for j in range(12)] for i in range(3)]
i = 0
while i < 11:
    lookup("issues", 1 + i % 4), summarize(f"text {i}.", 20 + i)
    i += 1
else:
    embed("the end")
'''


def test_order_keys_follow_the_program():
    run = harness.Run(ORDER, "p.py").run()
    orders = [a.order for a in run.taken]
    assert len(orders) > 100 and all(orders)
    assert orders == sorted(orders)


def test_two_runs_are_the_same():
    for path in PATHS[::3]:
        logs = []
        for _ in range(2):
            run = harness.Run(harness.load(path), "p.py", speculate=True)
            run.run()
            logs.append((run.log, run.notes))
        assert logs[0] == logs[1]
