"""The command line: `python3 -m pysolate run PROGRAM.py --toolset FILE.py`."""
import json
import os
import subprocess
import sys
import textwrap

import pytest

from corpus_programs import HERE, NAMES, differences, expected

TOOLSET = os.path.join(HERE, "toolset.py")


def pysolate(*arguments):
    return subprocess.run([sys.executable, "-m", "pysolate", *map(str, arguments)], capture_output=True, text=True,
                          timeout=300, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})


def program(name):
    return os.path.join(HERE, "programs", name + ".py")


@pytest.fixture
def write(tmp_path):
    def of(text, name="program.py"):
        path = tmp_path / name
        path.write_text(textwrap.dedent(text), encoding="utf-8")
        return path
    return of


def test_a_program_prints_and_its_report_and_trace_are_written(tmp_path):
    name, report, trace = "002-city-chains", tmp_path / "r.json", tmp_path / "t.jsonl"
    done = pysolate("run", program(name), "--toolset", TOOLSET, "--virtual", "--report", report, "--trace", trace)
    assert (done.returncode, done.stdout, done.stderr) == (0, expected(name)["stdout"], "")
    written = json.loads(report.read_text())
    assert written["pysolate_report"] == 1 and written["mode"] == "overlap" and written["ledger"]["balanced"]
    assert set(written) >= {"stdout", "exception", "bindings", "effects", "ordered_log", "makespan", "attempts", "calls"}
    assert set(written["calls"]) >= {"reached", "early", "promoted", "wasted", "refused"}
    assert differences(written, name) == []
    events = [json.loads(line) for line in trace.read_text().splitlines()]
    assert [e["seq"] for e in events] == list(range(1, len(events) + 1))
    assert events[0]["k"] == "run" and events[0]["program"] == name + ".py" and events[-1]["k"] == "end"


@pytest.mark.parametrize("name", NAMES[::4])
def test_real_waiting_observes_the_same_as_virtual_time(name, tmp_path):
    report = tmp_path / "r.json"
    for mode in ("sequential", "overlap"):
        pysolate("run", program(name), "--toolset", TOOLSET, "--unit", "1", "--mode", mode, "--report", report)
        written = json.loads(report.read_text())
        assert written["mode"] == mode
        assert differences(written, name) == []


def test_an_exception_is_printed_as_python_does(write):
    done = pysolate("run", write("def f():\n    return fetch('https://nowhere')\nprint('before')\nf()\n"), "--toolset",
                    TOOLSET, "--virtual")
    assert done.returncode == 1
    assert done.stdout == "before\n"
    assert done.stderr.startswith('Traceback (most recent call last):\n  File "program.py", line 4, in <module>\n    f()\n')


@pytest.mark.parametrize("ending, code, said", [("import sys\nsys.exit(3)", 3, ""), ("raise SystemExit", 0, ""),
                                                ("import sys\nsys.exit('sorry')", 1, "sorry\n")])
def test_sys_exit_exits_as_python_does(write, ending, code, said):
    done = pysolate("run", write(ending), "--toolset", TOOLSET, "--virtual")
    assert (done.returncode, done.stderr) == (code, said)


def test_a_syntax_error_names_file_and_line(write):
    done = pysolate("run", write("x = 1\ny = (\n"), "--toolset", TOOLSET, "--virtual")
    assert done.returncode == 1
    assert 'File "program.py", line 2' in done.stderr and "SyntaxError" in done.stderr


def test_the_budget_of_the_header_holds_unless_another_is_given(write, tmp_path):
    path = write("# latency: fetch=2\n# budget: 2\ntexts = [fetch(f'https://archive.example.org/item/{n}') for n in range(8)]\n")
    found = {}
    for arguments in ((), ("--budget", "1"), ("--budget", "8")):
        pysolate("run", path, "--toolset", TOOLSET, "--virtual", "--report", tmp_path / "r.json", *arguments)
        found[arguments] = json.loads((tmp_path / "r.json").read_text())["makespan"]
    assert found[("--budget", "1")] == 16
    assert found[()] >= 8 and found[("--budget", "8")] < found[()]


@pytest.mark.parametrize("arguments, why", [
    (("nowhere.py", "--toolset", TOOLSET), "nowhere.py"),
    ((program(NAMES[0]), "--toolset", "nowhere.py"), "nowhere.py: no such file"),
    ((program(NAMES[0]), "--toolset", program(NAMES[0])), "a toolset must define|NameError"),
    ((program(NAMES[0]), "--toolset", TOOLSET, "--order-seed", "1"), "--order-seed needs --virtual"),
    ((program(NAMES[0]), "--toolset", TOOLSET, "--unit", "0"), "--unit wants positive"),
    ((program(NAMES[0]), "--toolset", TOOLSET, "--budget", "-1"), "negative"),
    ((program(NAMES[0]), "--toolset", TOOLSET, "--mode", "fast"), "invalid choice"),
    ((program(NAMES[0]),), "--toolset"),
])
def test_bad_usage_says_why_and_exits_with_2(arguments, why):
    import re
    done = pysolate("run", *arguments)
    assert done.returncode == 2
    assert re.search(why, done.stderr), done.stderr


def test_a_bad_latency_header_is_named(write):
    done = pysolate("run", write("# latency: nothing=3\n"), "--toolset", TOOLSET, "--virtual")
    assert done.returncode == 2 and "bad `# latency:` header" in done.stderr


def test_a_toolset_with_full_contracts(write, tmp_path):
    toolset = write("""
        CONTRACTS = {"slow": {"effect": "immutable_read", "deadline": 3}, "files.write": {"effect": "private_write", "root": "r"},
                     "files.read": {"effect": "immutable_read", "root": "r"}}
        def bind(tool, args, kwargs):
            if kwargs or len(args) != 1:
                raise TypeError(f"{tool}() takes one argument")
            return {"x": args[0]}
        class World:
            def __init__(self):
                self.effects = []
                self.files = {}
            def perform(self, tool, bound):
                if tool == "files.write":
                    self.effects.append({"tool": tool, "args": [bound["x"]]})
                    self.files["f"] = bound["x"]
                return self.files.get("f") if tool == "files.read" else bound["x"]
        class Latency:
            def __init__(self, lines): self.lines = lines
            def units(self, tool, bound): return 9 if tool == "slow" else 1
        """, "toolset.py")
    path = write("""
        try:
            slow(1)
        except TimeoutError as e:
            print(e)
        print(files.read("f"))
        files.write("new")
        print(files.read("f"), files)
        try:
            slow()
        except TypeError as e:
            print(e)
        """)
    done = pysolate("run", path, "--toolset", toolset, "--virtual", "--report", tmp_path / "r.json")
    assert done.stdout == ("slow() did not answer within 3 s\nNone\nnew <files>\nslow() takes one argument\n"), done.stderr
