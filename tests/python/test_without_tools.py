"""A program that can reach no tool runs as `compile()` made it: no scout is loaded, no hook is on."""
import os
import subprocess
import sys
import textwrap

import pysolate


@pysolate.tool(effect="immutable_read")
def read(name):
    return name


SOURCE = """
import sys
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)
seen = (fib.__code__, sys._getframe().f_code, sys.gettrace(), sys.getprofile(), sys._getframe().f_trace)
"""


def code_bytes(code):
    return code.co_code, [code_bytes(c) for c in code.co_consts if hasattr(c, "co_code")]


def test_its_code_is_what_compile_made_of_it_and_nothing_listens():
    fib, module, *hooks = pysolate.run(SOURCE, [read]).raise_for_exception().namespace["seen"]
    assert code_bytes(module) == code_bytes(compile(SOURCE, "<program>", "exec", dont_inherit=True))
    assert hooks == [sys.gettrace(), sys.getprofile(), None]


def loaded_after(source, mode="overlap"):
    program = textwrap.dedent(f"""
        import sys, pysolate
        @pysolate.tool(effect="immutable_read")
        def read(name): return name
        pysolate.run({source!r}, [read], mode={mode!r}).raise_for_exception()
        print("pysolate.scout" in sys.modules)
        """)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True,
                          env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})
    return done.stdout == "True\n"


def test_no_scout_is_loaded_for_it():
    assert not loaded_after("print(sum(range(10)))")
    assert not loaded_after("ready = 'read'  # no tool, only a word with its name in it")
    assert not loaded_after("read('x')", mode="sequential")
    assert loaded_after("read('x')")


def test_a_tool_that_only_reflection_finds_is_called_all_the_same():
    result = pysolate.run("print(globals()['re' + 'ad']('x'))", [read])
    assert result.stdout == "x\n" and result.report["calls"]["reached"] == 1
    assert result.report["sites"] == [] or result.report["sites"][0]["line"] == 1


def test_a_tool_that_only_reflection_finds_is_called_even_with_replaced_builtins():
    result = pysolate.run("""
import builtins
kept = {n: getattr(builtins, n) for n in ("isinstance", "len", "type", "hasattr", "getattr")}
def nonsense(*args): raise RuntimeError("the program's own affair")
ask = globals()["re" + "ad"]
try:
    vars(builtins).update(dict.fromkeys(kept, nonsense))
    x = ask("x")
finally:
    builtins.__dict__.update(kept)
print(x)
""", [read], latency={"read": 1})
    assert (result.stdout, result.exception) == ("x\n", None)
