"""Real tools on CPython: threads, an event loop, interrupts, tools that misbehave. Both modes observe the same."""
import asyncio
import os
import signal
import sqlite3
import subprocess
import sys
import textwrap
import threading
import time

import pytest

import pysolate
from pysolate import tool

MODES = ("sequential", "overlap")


def run(source, tools, mode="overlap", **how):
    return pysolate.run(textwrap.dedent(source), tools, mode=mode, **how)


def observe(result):
    report = result.report
    return {"stdout": result.stdout, "traceback": result.format_exception(), "exception": report["exception"],
            "bindings": report["bindings"], "effects": report["effects"]}


def in_both_modes(source, make_tools, **how):
    """What a program observes; the same in both modes."""
    sequential, overlap = (observe(run(source, make_tools(), mode, **how)) for mode in MODES)
    assert overlap == sequential
    return overlap


@tool(effect="immutable_read")
async def fetch(url):
    await asyncio.sleep(0.001)
    if url.startswith("bad"):
        raise ValueError(f"no {url}")
    return f"text of {url}"


@tool(effect="pure")
def double(x):
    return [x, x]


# ------------------------------------------------------------------------------------------------ where tools run

def test_each_kind_of_tool_runs_on_its_own_kind_of_thread():
    seen = {}

    def note(name):
        seen[name] = threading.current_thread()

    @tool(effect="immutable_read")
    async def read(): note("async")

    @tool(effect="pure")
    def calculate(): note("sync early-capable")

    @tool(effect="pure", thread="main")
    def bound(): note("main")

    def write(): note("sync ordered")

    run("read(); calculate(); bound(); write()", [read, calculate, bound, write]).raise_for_exception()
    assert seen["sync ordered"] is seen["main"] is threading.main_thread()
    assert seen["async"].name == "pysolate-loop" and seen["async"].daemon
    assert seen["sync early-capable"].name == "pysolate-tool" and seen["sync early-capable"].daemon


def test_a_sqlite_connection_stays_on_its_thread():
    db = sqlite3.connect(":memory:")

    def execute(sql):
        return db.execute(sql).fetchall()

    @tool(effect="immutable_read", thread="main")
    def query(sql):
        return db.execute(sql).fetchall()

    result = run("""
        execute("create table t (x)")
        for i in range(3):
            execute(f"insert into t values ({i})")
        print(query("select sum(x) from t"))
        """, [execute, query])
    assert result.stdout == "[(3,)]\n"


def test_a_context_variable_of_the_program_reaches_its_tools():
    source = """
        import contextvars
        user = contextvars.ContextVar("user")
        user.set("ida")
        print(who(user), who_async(user))
        """

    def tools():
        return {"who": (lambda var: var.get(), "external_write"),
                "who_async": (tool(effect="external_write")(who_async))}

    async def who_async(var):
        return var.get()

    assert in_both_modes(source, tools)["stdout"] == "ida ida\n"


def test_no_thread_and_no_task_outlives_a_run():
    before = set(threading.enumerate())
    for mode in MODES:
        run("print(fetch('a'), double(2))", [fetch, double], mode).raise_for_exception()
    deadline = time.monotonic() + 5
    while set(threading.enumerate()) - before and time.monotonic() < deadline:
        time.sleep(0.01)
    assert set(threading.enumerate()) - before == set()


# -------------------------------------------------------------------------------------------------- what they raise

class Picky(Exception):
    def __init__(self, code, *, detail):
        super().__init__(f"{code}: {detail}")
        self.code, self.detail = code, detail


@pytest.mark.parametrize("make", [lambda: KeyboardInterrupt("stop"), lambda: StopIteration(7), lambda: SystemExit(3),
                                  GeneratorExit, lambda: Picky(4, detail="odd"), asyncio.CancelledError,
                                  lambda: RecursionError("deep")], ids=lambda make: type(make()).__name__)
@pytest.mark.parametrize("effect", ["pure", "open_read"])
def test_any_exception_of_a_tool_is_raised_at_the_call_as_it_is(make, effect):
    raised = []

    def tools():
        def fails():
            raised.append(make())
            raise raised[-1]
        return {"fails": (fails, effect), "double": double}

    source = """
        def work():
            return fails()
        print(double(1))
        try:
            work()
        finally:
            print("left")
        """
    seen = in_both_modes(source, tools)
    assert seen["stdout"] == "[1, 1]\nleft\n"
    assert seen["exception"]["type"] == type(raised[0]).__name__
    assert seen["exception"]["frames"] == [["<module>", 6], ["work", 3]]
    result = run("fails()", tools())
    assert result.exception is raised[-1]


def test_stop_iteration_of_a_tool_inside_a_generator_is_what_python_makes_of_it():
    def tools():
        def fails():
            raise StopIteration(1)
        return {"fails": (fails, "pure")}

    seen = in_both_modes("""
        def items():
            yield fails()
        list(items())
        """, tools)
    assert seen["exception"]["message"] == "generator raised StopIteration"


def test_the_context_is_what_the_program_was_handling_behind_the_tools_own():
    def tools():
        def fails():
            try:
                int("x")
            except ValueError:
                raise LookupError("inner")
        return {"fails": (fails, "pure"), "plain": (lambda: 1 / 0, "pure")}

    source = """
        import traceback
        def chain(e):
            names = []
            while e is not None:
                names.append(type(e).__name__)
                e = e.__context__
            return names
        for f in (fails, plain):
            try:
                try:
                    raise OSError("first")
                except OSError as first:
                    f()
            except Exception as e:
                print(chain(e))
                print(traceback.format_exc())
        try:
            fails()
        except Exception as e:
            print(chain(e))
        """
    seen = in_both_modes(source, tools)
    lines = seen["stdout"].splitlines()
    assert lines[0] == "['LookupError', 'ValueError', 'OSError']"
    assert "['ZeroDivisionError', 'OSError']" in lines
    assert lines[-1] == "['LookupError', 'ValueError']"


def test_a_traceback_shows_one_frame_of_ours_between_the_program_and_the_tool():
    result = run("""
        def work(url):
            return fetch(url)
        work("bad")
        """, [fetch])
    shown = [line.strip() for line in result.format_exception().splitlines() if line.startswith("  File")]
    assert [line.split(", in ")[1] for line in shown] == ["<module>", "work", "__call__", "fetch"]
    assert 'File "<program>", line 4, in <module>' in shown[0]


def test_the_cause_that_a_tool_gives_stays():
    def tools():
        def fails():
            try:
                {}["k"]
            except KeyError as e:
                raise RuntimeError("wrapped") from e
        return {"fails": (fails, "pure")}

    seen = in_both_modes("fails()", tools)
    assert seen["exception"]["cause"] == "KeyError: 'k'"


def test_a_wrong_call_has_pythons_own_message_and_starts_nothing():
    calls = []

    def write(a, *, b=1):
        calls.append(a)

    source = """
        for f in (lambda: write(), lambda: write(1, 2), lambda: write(1, c=3)):
            try:
                f()
            except TypeError as e:
                print(str(e).partition("write")[2])
        """
    seen = in_both_modes(source, lambda: [write])
    assert seen["stdout"].splitlines() == [
        "() missing 1 required positional argument: 'a'",
        "() takes 1 positional argument but 2 were given",
        "() got an unexpected keyword argument 'c'"]
    assert calls == []


# ------------------------------------------------------------------------------------------------- odd arguments, values

def test_results_that_are_not_plain_are_the_very_objects():
    lock = threading.Lock()
    with open(os.devnull) as opened:
        tools = {"get_lock": (lambda: lock, "pure"), "get_file": (lambda: opened, "immutable_read"),
                 "get_write": (lambda: lock, "external_write")}
        result = run("a, b, c, d = get_lock(), get_file(), get_write(), get_lock()", tools)
        assert result.exception is None
        names = result.namespace
        assert names["a"] is names["c"] is names["d"] is lock and names["b"] is opened


def test_an_ordered_tool_gets_the_very_objects_and_a_repeatable_one_a_snapshot():
    got = []
    tools = {"fill": (lambda x: x.append(1), "external_write"), "look": (lambda x: got.append(x) or len(x), "pure")}
    result = run("data = []\nfill(data)\nn = look(data)\ndata.append(2)", tools)
    assert result.namespace["data"] == [1, 2] and result.namespace["n"] == 1
    assert [1] in got  # a surplus early attempt may have seen the list as it was before


def test_plain_results_are_fresh_at_every_call():
    shared = [1]
    result = run("""
        a = get(); a.append(2)
        b = get()
        c = get(); c.clear()
        print(a, b, c, get())
        """, {"get": (lambda: shared, "pure")})
    assert result.stdout == "[1, 2] [1] [] [1]\n"
    assert shared == [1]


def test_an_object_argument_of_a_repeatable_tool_is_handed_over_itself():
    seen = []
    result = run("""
        class Thing: pass
        t = Thing()
        look(t)
        """, {"look": (seen.append, "pure")})
    assert seen == [result.namespace["t"]]


def test_dataclasses_pickling_and_names_of_main_work():
    result = run("""
        from dataclasses import dataclass
        import sys
        @dataclass
        class Point:
            x: int
            y: "Point | None" = None
        print(Point(1), sys.modules["__main__"].Point is Point, __name__)
        """, [double])
    assert result.stdout == "Point(x=1, y=None) True __main__\n"
    assert sys.modules["__main__"].__dict__ is not result.namespace


def test_methods_of_an_object_are_tools_and_its_attributes_stay():
    class Workspace:
        root = "/r"

        @tool(effect="immutable_read")
        def read_text(self, path):
            return f"{self.root}/{path}"

        def write(self, path):
            return "wrote"

    result = run("print(workspace.read_text('a'), workspace.write('b'), workspace.root, workspace)",
                 {"workspace": Workspace()}, contracts={"workspace.write": "private_write"})
    assert result.stdout == "/r/a wrote /r <workspace>\n"
    assert [e["tool"] for e in result.report["effects"]] == ["workspace.write"]


# ----------------------------------------------------------------------------------------------- tools that call tools

def test_a_tool_that_calls_a_tool_is_its_child():
    calls = {}

    def outer(f, x):
        return ["outer", f(x), f(x)]

    async def outer_async(f, x):
        return ["outer", f(x)]

    def tools():
        return {"outer": (outer, "external_write"), "outer_async": (outer_async, "external_write"), "fetch": fetch,
                "double": double}

    seen = in_both_modes("print(outer(double, 1))\nprint(outer(fetch, 'a'))\nprint(outer_async(double, 2))", tools)
    assert seen["stdout"].splitlines() == ["['outer', [1, 1], [1, 1]]", "['outer', 'text of a', 'text of a']",
                                           "['outer', [2, 2]]"]
    assert calls == {}
    report = run("outer(double, 1)", tools(), budget=1).report
    assert report["ledger"]["balanced"] and report["attempts"] == 3


# --------------------------------------------------------------------------------------------- waiting without an end

def test_a_tool_that_passes_its_deadline_raises_timeout_error_at_the_call():
    release = threading.Event()

    @tool(effect="immutable_read", deadline=0.02)
    async def never_async():
        await asyncio.sleep(60)

    @tool(effect="external_write", deadline=0.02)
    def never():
        release.wait(60)

    def tools():
        return [never_async, never]

    source = """
        for f in (never_async, never):
            try:
                f()
            except TimeoutError as e:
                print(e)
        """
    assert in_both_modes(source, tools)["stdout"].splitlines() == [
        "never_async() did not answer within 0.02 s", "never() did not answer within 0.02 s"]
    release.set()


def test_an_interrupt_ends_the_wait_for_a_tool_that_never_returns():
    release = threading.Event()
    begun = threading.Event()

    @tool(effect="immutable_read")
    def never():
        begun.set()
        release.wait(60)

    @tool(effect="immutable_read")
    async def never_async():
        begun.set()
        await asyncio.sleep(60)

    def interrupter():
        for _ in range(2):
            begun.wait(20)
            begun.clear()
            time.sleep(0.02)
            os.kill(os.getpid(), signal.SIGINT)

    for mode in MODES:
        thread = threading.Thread(target=interrupter)
        thread.start()
        result = run("""
            for f in (never, never_async):
                try:
                    f()
                except KeyboardInterrupt:
                    print("interrupted", f)
            print(fetch("next"))
            """, [never, never_async, fetch], mode)
        thread.join()
        assert result.stdout == "interrupted <tool never>\ninterrupted <tool never_async>\ntext of next\n"
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    release.set()


def test_an_interrupt_of_computing_is_an_ordinary_keyboard_interrupt():
    begun = threading.Event()

    def go():
        begun.set()

    def interrupter():
        begun.wait(20)
        time.sleep(0.02)
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupter)
    thread.start()
    result = run("go()\nwhile True: pass", {"go": go})
    thread.join()
    assert isinstance(result.exception, KeyboardInterrupt)
    assert result.report["exception"]["frames"] == [["<module>", 2]]


def test_an_interrupt_reaches_a_tool_that_runs_in_place():
    begun = threading.Event()

    def sleeper():
        begun.set()
        try:
            time.sleep(60)
        except KeyboardInterrupt:
            return "woken"

    def interrupter():
        begun.wait(20)
        time.sleep(0.02)
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupter)
    thread.start()
    result = run("print(sleeper())", {"sleeper": sleeper})
    thread.join()
    assert result.stdout == "woken\n"


def test_running_attempts_do_not_delay_exit():
    program = textwrap.dedent("""
        import asyncio, time
        import pysolate

        @pysolate.tool(effect="immutable_read")
        def slow(): time.sleep(600)

        @pysolate.tool(effect="immutable_read", cancellable=False)
        async def slow_async(): await asyncio.sleep(600)

        @pysolate.tool(effect="immutable_read")
        async def fails():
            await asyncio.sleep(0.01)
            raise ValueError("stop")

        result = pysolate.run("fails(), slow(), slow_async()", [slow, slow_async, fails])
        assert isinstance(result.exception, ValueError), result.exception
        print("done")
        """)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=300,
                          env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})
    assert done.stdout == "done\n", done.stderr


# ------------------------------------------------------------------------------------------- programs with threads, tasks

def test_a_program_with_threads_keeps_each_threads_order_and_says_that_scouts_stopped():
    source = """
        import threading
        found = {}
        def work(name):
            found[name] = [fetch(f"{name}{i}") for i in range(3)]
        threads = [threading.Thread(target=work, args=(n,)) for n in "ab"]
        for t in threads: t.start()
        for t in threads: t.join()
        print(sorted(found.items()))
        """
    for mode in MODES:  # how the threads interleave is their own affair
        result = run(source, [fetch], mode)
        assert "text of a2" in result.stdout and "text of b2" in result.stdout
    assert any("several threads" in note["text"] for note in result.report["notes"])


def test_a_program_with_an_event_loop_of_its_own():
    source = """
        import asyncio
        async def one(i):
            await asyncio.sleep(0)
            return fetch(str(i))
        async def main():
            return await asyncio.gather(*(one(i) for i in range(3)))
        print(asyncio.run(main()))
        """
    assert in_both_modes(source, lambda: [fetch])["stdout"] == "['text of 0', 'text of 1', 'text of 2']\n"


def test_top_level_await_in_a_cell():
    result = run("import asyncio\nawait asyncio.sleep(0)\nprint(fetch('a'))", [fetch], top_level_await=True)
    assert result.stdout == "text of a\n", result.format_exception()


def test_names_stay_in_a_module_that_is_used_again():
    import types
    module = types.ModuleType("__main__")
    run("x = double(1)\ndef twice(v): return double(v)", [double], namespace=module).raise_for_exception()
    result = run("print(x, twice(3))", [double], namespace=module)
    assert result.stdout == "[1, 1] [3, 3]\n"


def test_a_tool_called_after_its_run_says_so():
    result = run("f = double", [double])
    with pytest.raises(RuntimeError, match="after its run had ended"):
        result.namespace["f"](1)


def test_budgets_count_physical_work():
    running, most = [], []
    lock = threading.Lock()

    @tool(effect="pure")
    def work(i):
        with lock:
            running.append(i)
            most.append(len(running))
        time.sleep(0.002)
        with lock:
            running.remove(i)
        return i

    result = run("print([work(i) for i in range(20)])", [work], budget=3)
    assert result.stdout == str(list(range(20))) + "\n"
    assert max(most) <= 3
