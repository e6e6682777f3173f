"""Contracts at work in virtual time: failures, retries, classes, roots, deadlines, sharing. Makespans are exact."""
import pytest

import pysolate
from pysolate import Contract


def run(source, tools, latency, **how):
    result = pysolate.run(source, tools, latency=latency, **how)
    assert result.report["ledger"]["balanced"]
    return result


class Flaky:
    """Fails the first `times` of its executions."""

    def __init__(self, times):
        self.times, self.calls = times, 0

    def __call__(self, x):
        self.calls += 1
        if self.calls <= self.times:
            raise ConnectionError(f"attempt {self.calls}")
        return x


def test_independent_reads_take_as_long_as_one():
    tools = {"read": (lambda x: x, "immutable_read")}
    source = "print([read(i) for i in range(9)])"
    assert run(source, tools, {"read": 4}).report["makespan"] == 4
    assert run(source, tools, {"read": 4}, mode="sequential").report["makespan"] == 36
    assert run(source, tools, {"read": 4}, budget=4).report["makespan"] <= 16


def test_a_retry_by_contract_is_a_new_attempt_of_the_same_call():
    for mode in ("sequential", "overlap"):
        flaky = Flaky(2)
        result = run("print(flaky(1))", {"flaky": (flaky, Contract("immutable_read", "transient", retry=2))}, {"flaky": 3},
                     mode=mode)
        assert result.stdout == "1\n" and flaky.calls == 3 and result.report["makespan"] == 9


def test_when_retries_are_used_up_the_last_failure_is_raised():
    result = run("flaky(1)", {"flaky": (Flaky(9), Contract("immutable_read", "transient", retry=1))}, {"flaky": 1})
    assert str(result.exception) == "attempt 2"


def test_an_early_transient_failure_satisfies_nobody():
    flaky = Flaky(1)
    tools = {"flaky": (flaky, Contract("immutable_read", "transient")), "slow": (lambda: 0, "immutable_read")}
    result = run("slow()\nprint(flaky(1))", tools, {"slow": 5, "flaky": 1})
    assert result.stdout == "1\n" and flaky.calls == 2


def test_a_loop_that_retries_really_retries():
    source = """
for turn in range(3):
    try:
        print(flaky(1))
        break
    except ConnectionError as e:
        print(e)
"""
    for mode in ("sequential", "overlap"):
        flaky = Flaky(2)
        result = run(source, {"flaky": (flaky, "immutable_read")}, {"flaky": 2}, mode=mode)
        assert result.stdout == "attempt 1\nattempt 2\n1\n" and flaky.calls == 3


def test_equal_reads_share_one_attempt_and_effects_never_do():
    seen = []
    tools = {"read": (lambda x: seen.append(x) or [x], "immutable_read"), "write": (lambda x: seen.append(-x), "external_write")}
    result = run("a = read(1); b = read(1); a.append(2); write(1); write(1); print(a, b)", tools, {"read": 3, "write": 1})
    assert result.stdout == "[1, 2] [1]\n" and seen == [1, -1, -1]


def test_a_tool_that_opted_out_of_sharing_runs_for_each_call():
    seen = []
    tools = {"read": (lambda x: seen.append(x) or x, Contract("immutable_read", reuse=False))}
    run("print(read(1), read(1))", tools, {"read": 1})
    assert seen == [1, 1]


def test_a_tool_that_opted_out_of_early_starts_runs_when_reached():
    tools = {"read": (lambda x: x, Contract("immutable_read", early=False))}
    report = run("read(1); read(2); read(3)", tools, {"read": 2}).report
    assert report["makespan"] == 6 and report["calls"]["early"] == 0


def test_a_class_budget_holds_beside_others():
    tools = {"get": (lambda x: x, Contract("immutable_read", resource="net")), "size": (lambda x: x, "pure")}
    source = "print([get(i) for i in range(6)], [size(i) for i in range(6)])"
    assert run(source, tools, {"get": 3, "size": 3}).report["makespan"] == 3
    narrow = run(source, tools, {"get": 3, "size": 3}, classes={"net": 2}).report["makespan"]
    assert 9 <= narrow <= 18


def test_a_read_of_a_root_sees_the_write_before_it():
    for mode in ("sequential", "overlap"):
        files = {"f": "old"}
        tools = {"read": (lambda name: files[name], Contract("immutable_read", root="disk")),
                 "write": (lambda name, text: files.update({name: text}), Contract("private_write", root="disk"))}
        source = "print(read('f'))\nwrite('f', 'new')\nprint(read('f'))\nwrite('f', 'newer')\nprint(read('f'))"
        for seed in range(5):
            files["f"] = "old"
            assert run(source, tools, {"read": 2, "write": 3}, mode=mode,
                       order_seed=seed).stdout == "old\nnew\nnewer\n", (mode, seed)


def test_a_deadline_is_in_units_and_a_later_answer_is_ignored():
    tools = {"slow": (lambda: "late", Contract("immutable_read", deadline=3)), "other": (lambda: 1, "open_read")}
    source = "try:\n    slow()\nexcept TimeoutError as e:\n    print(e)\nfor _ in range(4):\n    other()"
    for mode in ("sequential", "overlap"):
        result = run(source, tools, {"slow": 5, "other": 2}, mode=mode)
        assert result.stdout == "slow() did not answer within 3 s\n"
        assert result.report["makespan"] == 11


def test_the_first_failure_in_source_order_is_raised_whichever_comes_first():
    def fails(name):
        raise ValueError(name)

    for seed in range(10):
        result = run("a = fails('slow')\nb = fails('fast')", {"fails": (fails, "immutable_read")},
                     {"fails": lambda bound: 9 if bound["name"] == "slow" else 1}, order_seed=seed)
        assert str(result.exception) == "slow" and result.report["exception"]["line"] == 1


def test_asynchronous_tools_run_in_virtual_time_too():
    async def read(x):
        return x + 1

    assert run("print(read(1) + read(2))", {"read": (read, "pure")}, {"read": 2}).stdout == "5\n"


@pytest.mark.parametrize("how, why", [({"mode": "fast"}, "mode must be"), ({"budget": -1}, "budget must be"),
                                      ({"budget": True}, "budget must be"), ({"early_budget": 1.5}, "early_budget must be")])
def test_bad_arguments_of_run_are_named(how, why):
    with pytest.raises(ValueError, match=why):
        pysolate.run("1", {}, **how)
    with pytest.raises(ValueError, match="order_seed permutes virtual completions"):
        pysolate.run("1", {}, order_seed=1)
    with pytest.raises(ValueError, match="virtual time needs latencies"):
        pysolate.run("1", {}, virtual=True)
