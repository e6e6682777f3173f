"""Programs that reach into Python itself: the runtime does not notice, and they observe what plain Python gives."""
import textwrap

import pytest

import pysolate

MODES = ("sequential", "overlap")
TOOLS = {"fetch": (lambda url: f"text of {url}", "immutable_read"), "size": (lambda items: items.__len__(), "pure"),
         "write": (lambda x: f"wrote {x}", "external_write")}
UNITS = {"fetch": 3, "size": 2, "write": 1}


def observe(source, mode, seed=None):
    result = pysolate.run(textwrap.dedent(source), TOOLS, latency=UNITS, mode=mode, order_seed=seed)
    return result.stdout, result.format_exception(), result.report["bindings"], result.report["effects"]


def same(source):
    """What a program prints; the same in both modes and all orders."""
    right = observe(source, "sequential")
    for seed in (None, 1, 2):
        assert observe(source, "overlap", seed) == right
    return right[0] + right[1]


def test_replaced_builtins():
    names = ("len isinstance type tuple list dict int str bool hash repr iter next sorted max min range zip map enumerate "
             "getattr setattr hasattr id callable print sum abs any all round").split()
    out = same(f"""
        import builtins
        kept = {{name: getattr(builtins, name) for name in {names!r}}}
        out = print
        def nonsense(*args, **kwargs): raise RuntimeError("the program's own affair")
        try:
            vars(builtins).update(dict.fromkeys(kept, nonsense))
            a = fetch("a")
            b = [fetch(u) for u in ("b", "c")]
            c = write(1)
            d = size([1, 2])
        finally:
            builtins.__dict__.update(kept)
        out(a, b, c, d)
        """)
    assert out == "text of a ['text of b', 'text of c'] wrote 1 2\n"


def test_replaced_modules_and_their_functions():
    out = same("""
        import json, sys, threading, time, re, copy
        saved = json.loads, json.dumps, time.perf_counter
        json.loads = json.dumps = time.perf_counter = lambda *a, **k: "nonsense"
        a = fetch("a"), write(2), size("xy")
        json.loads, json.dumps, time.perf_counter = saved
        print(a, json.loads("[1]"))
        """)
    assert out == "('text of a', 'wrote 2', 2) [1]\n"


def test_a_tool_that_is_rebound_wrapped_and_passed_on():
    out = same("""
        def traced(f):
            def inner(*args):
                print("calling", f.__name__, args)
                return f(*args)
            return inner
        original, fetch = fetch, traced(fetch)
        print(fetch("a"), list(map(original, ("b", "c"))), sorted(["x", "yy"], key=size))
        fetch = lambda url: "mine"
        print(fetch("z"))
        """)
    assert out.endswith("mine\n")


def test_objects_with_code_in_every_corner():
    out = same("""
        log = []
        class Text(str):
            def __eq__(self, other): log.append("eq"); return str.__eq__(self, other)
            def __hash__(self): log.append("hash"); return str.__hash__(self)
            def __str__(self): log.append("str"); return "text"
            def __repr__(self): log.append("repr"); return "<text>"
            def __len__(self): log.append("len"); return 2
        class Odd:
            def __getattr__(self, name): log.append(name); return 1
            def __eq__(self, other): print("compared"); return True
            def __len__(self): print("counted"); return 3
        print(fetch(Text("a")), size(Odd()), size([Odd(), Text("b")]), write(Text("c")))
        print(log)
        """)
    assert "compared" not in out and out.count("counted") == 1


def test_the_frames_and_locals_that_a_program_looks_at():
    out = same("""
        import sys, inspect
        def work(x):
            y = fetch(x)
            return sorted(locals()), sys._getframe().f_code.co_name, len(inspect.stack()) - base
        base = len(inspect.stack())
        print(work("a"))
        print(sorted(n for n in vars() if not n.startswith("_")))
        """)
    assert out.startswith("(['x', 'y'], 'work', 1)\n")


@pytest.mark.parametrize("source", [
    "import sys\nsys.exit(3)", "raise SystemExit", "raise KeyboardInterrupt('mine')", "exec('fetch(1 / 0)')", "x = (",
    "import os\nraise OSError(2, 'gone', 'file')", "eval('fetch(')", "def f(): return f()\nf()",
    "class E(Exception):\n    def __str__(self): raise ValueError('no text')\nraise E",
], ids=lambda text: text.splitlines()[-1][:24])
def test_how_a_program_may_end(source):
    same("first = fetch('before')\n" + source)


def test_exec_eval_and_dynamic_names():
    out = same("""
        exec("a = fetch('in exec')")
        print(a, eval("fetch('in eval')"), globals()["fetch"]("by name"))
        del a
        print("a" in globals())
        """)
    assert out == "text of in exec text of in eval text of by name\nFalse\n"


def test_an_exception_group_and_notes():
    same("""
        try:
            fetch("a")
            raise ValueError("one")
        except ValueError as e:
            e.add_note("seen by the program")
            raise ExceptionGroup("both", [e, KeyError("k")])
        """)
