"""Programs that would harm a scout that runs their code, believes their names or counts without a limit."""
import textwrap
import types

import pytest

import harness
from pysolate.scout import Limits


def both(source, **limits):
    """Runs a program plainly and under the scout (both policies); asserts that nothing differs."""
    source = textwrap.dedent(source)
    plain = harness.Run(source, "p.py", scout=False).run()
    for speculate in (False, True):
        run = harness.Run(source, "p.py", speculate=speculate, limits=Limits(**limits) if limits else None).run()
        assert (run.stdout, run.exception, run.bindings, run.world.ordered) == (
            plain.stdout, plain.exception, plain.bindings, plain.world.ordered)
        assert not run.faults
    return run


def test_effects_in_special_methods_happen_once():
    both('''
        class Loud:
            def __getattr__(self, name):
                print("asked for", name)
                return name.upper()
            def __eq__(self, other):
                print("compared")
                return True
            def __hash__(self):
                print("hashed")
                return 1
            def __bool__(self):
                print("truth")
                return False
            def __str__(self):
                print("text")
                return "tea"
        x = Loud()
        print(x.colour, x == 3, {x: 1} and 2, bool(x))
        print(search(str(x)), fetch("https://wiki.example.org/" + f"{x}")[:5])
        ''')


def test_subclass_of_str_is_not_plain():
    run = both('''
        class Key(str):
            def __str__(self):
                print("text")
                return "x"
            def upper(self):
                print("upper")
                return "Y"
        k = Key("tea")
        print(k.upper(), f"{k}")
        print(lookup("rates", "USD"))
        ''')
    assert run.early_taken == 1


def test_patched_builtin_and_tool_names_are_believed_as_the_program_has_them():
    run = both('''
        def len(x):
            print("mine")
            return 2
        real, fetch = fetch, lambda url: "patched " + url
        print(len([1]), fetch("https://wiki.example.org/tea"))
        print(real("https://wiki.example.org/uji")[:3], lookup("issues", len("abc")))
        ''')
    assert {a.tool for a in run.by_key.values()} == {"fetch", "lookup"}


def test_builtins_module_patched():
    both('''
        import builtins
        old = builtins.sorted
        builtins.sorted = lambda x, **k: old(x, **k)[::-1]
        print([lookup("issues", n) for n in sorted([1, 2, 3])])
        builtins.sorted = old
        ''')


def test_exec_eval_and_globals():
    both('''
        n = 1
        exec("n = 2")
        globals()["m"] = 3
        print(lookup("issues", n), lookup("issues", eval("m")), lookup("issues", m))
        ''')


@pytest.mark.parametrize("loop", [
    "for i in range(10**9):\n    if i == 5: break\n    pass",
    "print(sum(1 for i in range(10**9) if i < 0) if False else 0)",
    "x = range(10**12)\nprint(x[10**11], len(x), 7 in x)",
    "x = 1 << 10 if True else 1 << 10**9\nprint(x)",
    "def f():\n    return [0] * (10**9)\nprint(f.__name__)",
    "if lookup('config', 'debug'):\n    y = 10 ** 10 ** 8\n    z = 'x' * 10**11\n    w = [0] * 10**10\n    print(f'{1:>1000000000}', '%1000000000d' % 1)",
    "def r(n):\n    return r(n + 1)\ntry:\n    r(0)\nexcept RecursionError:\n    print('deep')",
    "x = []\nx.append(x)\nprint(len(x))",
    "import re\nif lookup('config', 'debug'):\n    re.match('(a+)+$', 'a' * 40 + 'b')",
    "s = 'ab'\nif lookup('config', 'debug'):\n    for _ in range(80):\n        s = s + s",
    "while lookup('config', 'debug'):\n    pass",
    "if lookup('config', 'debug'):\n    while True:\n        pass",
    "import itertools\nprint(next(itertools.count()))\nif lookup('config', 'debug'):\n    list(itertools.count())",
])
def test_nothing_runs_away(loop, monkeypatch):
    monkeypatch.setattr("pysolate.scout.scout.Slice", lambda tree, tools: types.SimpleNamespace(
        skip=frozenset(), computing=frozenset()))
    run = both(loop + "\nprint(lookup('rates', 'USD'))\nprint(fetch('https://wiki.example.org/tea')[:3])\n",
               turn_steps=20_000)
    assert run.scout.limits.steps - run.scout.steps_left < 400_000


def test_a_billion_turns_neither_loop_nor_allocate_in_the_scout():
    source = "for i in range(10**9):\n    fetch(f'https://archive.example.org/item/{i}')\n"
    run = harness.Run(source, "p.py", limits=Limits(outstanding=50))
    run.scout.start({})
    assert run.announced == 50


def test_fuel_ends_scouting_and_says_so():
    run = harness.Run("n = 0\nfor i in range(10**6):\n    n += i\nlookup('rates', n)\n", "p.py",
                      limits=Limits(turn_steps=1000))
    run.scout.start({})
    assert any("ran out of steps" in text for _, text in run.notes)
    assert not run.announced


def test_values_of_the_program_are_never_touched():
    source = textwrap.dedent('''
        data = {"k": [1, 2]}
        data["k"].append(lookup("issues", len(data["k"])))
        print(data)
        ''')
    mine = {"shared": [1, 2, {"a": (3,)}], "odd": object()}
    run = harness.Run(source + "shared.append(9)\nshared[2]['a'] = 1\n", "p.py")
    run.scout.start(mine)
    assert mine["shared"] == [1, 2, {"a": (3,)}]


def test_poison_is_local_and_explained():
    source = textwrap.dedent('''
        import random
        pick = random.choice(["tea", "uji"])
        a = fetch(f"https://wiki.example.org/{pick}")
        b = lookup("rates", "USD")
        c = lookup("users", "u1")["manager"]
        print(lookup("users", c)["name"], b)
        ''')
    run = harness.Run(source, "p.py")
    run.run()
    assert run.early_taken == 3
    site, = [s for s in run.scout.sites() if s["line"] == 4]
    assert site["early"] == 0 and "random" in site["reason"]


def test_work_is_sliced_by_a_clock_and_ends_the_same():
    ticks = iter(range(10**9))
    clock = lambda: next(ticks) * 0.0004           # every look at the clock is 0.4 ms later
    for path in harness.programs(harness.FOLDERS[0]):
        source = harness.load(path)
        plain = harness.Run(source, "p.py", scout=False).run()
        run = harness.Run(source, "p.py", limits=Limits(clock=clock))
        run.run()
        assert (run.stdout, run.exception, run.bindings) == (plain.stdout, plain.exception, plain.bindings)
        assert not run.faults and run.now <= plain.now


def test_replaced_builtins_and_library_functions_are_not_run_by_the_scout():
    both('''
        import builtins, json, re, sys
        names = "len sorted isinstance chr str repr any map print".split()
        saved = {n: getattr(builtins, n) for n in names}
        loads, search_ = json.loads, re.search
        def spy(name, fn):
            def run(*a, **k):
                caller = sys._getframe(1).f_code.co_filename
                if caller == "p.py" or "pysolate" in caller:      # not those of this test's host
                    saved["print"]("called", name)
                return fn(*a, **k)
            return run
        try:
            for n in ("len", "sorted", "chr", "any"):
                setattr(builtins, n, spy(n, saved[n]))
            json.loads, re.search = spy("loads", loads), spy("search", search_)
            data = json.loads(workspace.read_text("config/base.json"))
            n = len(sorted(data))
            print(n, chr(65), re.search("e", "tea").group(), lookup("issues", n - 3))
        finally:
            for n in names:
                setattr(builtins, n, saved[n])
            json.loads, re.search = loads, search_
        ''')


def test_more_calls_than_may_be_open_are_found_in_portions():
    run = both('''
        texts = [fetch(f"https://archive.example.org/item/{n}") for n in range(300)]
        print(sum(len(summarize(t, 30)) for t in texts))
        ''', outstanding=40)
    assert run.early_taken == 600
