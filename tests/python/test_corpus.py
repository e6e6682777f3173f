"""Every program of the corpus observes the same in every order and at every budget, and never takes longer."""
import pytest

from corpus_programs import NAMES, differences, expected, header, run

ORDERS = range(50)
BUDGETS = (1, 2, 4, None)


@pytest.fixture(scope="module")
def sequential_makespan():
    """name, budget -> units of the sequential run at that budget."""
    known = {}

    def of(name, budget):
        if (name, budget) not in known:
            known[name, budget] = run(name, mode="sequential", budget=budget)[0]["makespan"]
        return known[name, budget]

    return of


@pytest.mark.parametrize("name", NAMES)
def test_sequential_mode_is_the_plain_program(name):
    report, _ = run(name, mode="sequential")
    assert differences(report, name) == []
    assert report["makespan"] == expected(name)["sequential_units"]
    assert report["attempts"] == report["calls"]["reached"] == len(expected(name)["calls"])
    assert report["calls"]["early"] == 0
    assert report["ledger"]["balanced"]


@pytest.mark.parametrize("speculate", (False, True), ids=("hoisting", "guessing"))
@pytest.mark.parametrize("name", NAMES)
def test_every_order_observes_the_same(name, speculate):
    budget = header(name)["budget"]
    for seed in ORDERS:
        report, _ = run(name, order_seed=seed, budget=budget, speculate=speculate)
        assert differences(report, name) == [], f"order seed {seed}"
        assert report["ledger"]["balanced"], f"order seed {seed}"


@pytest.mark.parametrize("budget", BUDGETS)
@pytest.mark.parametrize("name", NAMES)
def test_no_budget_makes_it_slower(name, budget, sequential_makespan):
    for speculate in (False, True):
        for seed in (None, 1, 2, 3):
            report, _ = run(name, budget=budget, order_seed=seed, speculate=speculate)
            assert differences(report, name) == []
            assert report["makespan"] <= sequential_makespan(name, budget), f"seed {seed}, speculate {speculate}"


@pytest.mark.parametrize("name", NAMES)
def test_a_run_is_reproducible_byte_for_byte(name):
    first = run(name, order_seed=5, budget=4, trace=True)[1].trace
    assert first == run(name, order_seed=5, budget=4, trace=True)[1].trace
