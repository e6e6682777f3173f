"""The command line `pysolate`, as a shell sees it: answers, exit codes, reasons on standard error.

    python3 -m pytest tests/core/test_commands.py      (the program: $PYSOLATE_BUILD/pysolate, else build/native)
"""
import csv
import json
import os
import subprocess

import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAM = os.path.join(os.environ.get("PYSOLATE_BUILD") or os.path.join(ROOT, "build", "native"), "pysolate")
GOLDEN = sorted(os.path.join(ROOT, "tests", "golden", n) for n in os.listdir(os.path.join(ROOT, "tests", "golden"))
                if n.endswith(".jsonl"))


def pysolate(*arguments, stdin=None):
    return subprocess.run([PROGRAM, *arguments], input=stdin, capture_output=True, text=True, timeout=60)


def events_of(path):
    with open(path, encoding="utf-8") as f:
        return [json.loads(line) for line in f if line.strip()]


@pytest.fixture
def trace(tmp_path):
    """A well-formed trace whose names need escaping wherever they are written."""
    path = tmp_path / "odd names.jsonl"
    with open(GOLDEN[0], encoding="utf-8") as f:
        lines = [json.loads(line) for line in f]
    for e in lines:
        if e["k"] == "tool":
            e["name"] = 'to"ol\n<&>,\\ é漢\u202e'
        if e["k"] == "args":
            e["args"] = '"quoted", \\ back\nline\ttab 漢字'
    path.write_text("".join(json.dumps(e, ensure_ascii=False) + "\n" for e in lines), encoding="utf-8")
    return str(path)


@pytest.mark.parametrize("path", GOLDEN, ids=os.path.basename)
class TestGoodTraces:
    def test_a_good_trace_is_checked_and_replayed_without_a_finding(self, path):
        for command in ("check", "replay"):
            done = pysolate(command, path)
            assert done.returncode == 0, done.stdout + done.stderr

    def test_stats_agree_with_the_trace_counted_by_hand(self, path):
        done = pysolate("stats", path, "--json")
        assert done.returncode == 0, done.stderr
        told = json.loads(done.stdout)
        events = events_of(path)
        text = json.dumps(told)
        dispatched = sum(e["k"] == "dispatch" for e in events)
        end = next(e["t"] for e in events if e["k"] == "end")
        assert told["attempts"] == dispatched, text
        assert told["makespan"] == end, text

    def test_every_call_can_be_explained(self, path):
        events = events_of(path)
        calls = [e["call"] for e in events if e["k"] == "arrive"]
        for call in calls[:3]:
            done = pysolate("explain", path, str(call))
            assert done.returncode == 0, done.stderr
            assert f"call {call}" in done.stdout


class TestBadInput:
    def test_a_trace_that_is_not_there(self):
        done = pysolate("check", "no such file.jsonl")
        assert done.returncode == 2
        assert "no such file.jsonl" in done.stderr

    def test_an_empty_trace(self):
        done = pysolate("check", "-", stdin="")
        assert done.returncode == 2
        assert "empty trace" in done.stderr

    def test_a_malformed_line_is_named_by_its_number(self, tmp_path):
        path = tmp_path / "bad.jsonl"
        with open(GOLDEN[0], encoding="utf-8") as f:
            lines = f.readlines()
        lines[6] = '{"seq": 7, "t": what\n'
        path.write_text("".join(lines), encoding="utf-8")
        done = pysolate("stats", str(path))
        assert done.returncode == 2
        assert f"{path}:7" in done.stderr

    def test_a_trace_cut_off_in_its_last_line_is_read_with_a_warning(self, tmp_path):
        path = tmp_path / "cut.jsonl"
        with open(GOLDEN[0], encoding="utf-8") as f:
            text = f.read()
        path.write_text(text[:-20], encoding="utf-8")
        done = pysolate("stats", str(path), "--json")
        assert done.returncode == 0, done.stderr
        assert "cut" in done.stderr or "truncated" in done.stderr

    def test_a_rule_that_is_broken_is_a_no(self, tmp_path):
        path = tmp_path / "lies.jsonl"
        lines, seq = [], 0
        for e in events_of(GOLDEN[0]):
            for _ in range(2 if e["k"] == "complete" else 1):  # every attempt is completed twice
                seq += 1
                lines.append(json.dumps({**e, "seq": seq}))
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        done = pysolate("check", str(path))
        assert done.returncode == 1, done.stdout + done.stderr

    def test_an_unknown_call_and_a_bad_command(self):
        assert pysolate("explain", GOLDEN[0], "4000000").returncode == 2
        assert pysolate("frobnicate").returncode == 2


class TestExport:
    def test_chrome_lanes_never_overlap_and_names_survive(self, trace, tmp_path):
        out = tmp_path / "chrome.json"
        done = pysolate("export", trace, "--format", "chrome", "-o", str(out))
        assert done.returncode == 0, done.stderr
        told = json.loads(out.read_text(encoding="utf-8"))
        rows = told["traceEvents"] if isinstance(told, dict) else told
        spans = {}
        for row in rows:
            if row.get("ph") == "X":
                spans.setdefault((row["pid"], row["tid"]), []).append((row["ts"], row["ts"] + row["dur"]))
        assert spans
        for lane in spans.values():
            lane.sort()
            assert all(a[1] <= b[0] for a, b in zip(lane, lane[1:])), "two slices of one lane overlap"
        assert any("漢" in str(row.get("name")) + str(row.get("args")) for row in rows)

    def test_dot_is_one_graph_with_a_node_for_each_call(self, trace, tmp_path):
        out = tmp_path / "graph.dot"
        assert pysolate("export", trace, "--format", "dot", "-o", str(out)).returncode == 0
        text = out.read_text(encoding="utf-8")
        assert text.startswith("digraph") and text.rstrip().endswith("}")
        for e in events_of(trace):
            if e["k"] == "arrive":
                assert f"c{e['call']}" in text or f"{e['call']} [" in text

    def test_csv_has_a_row_for_each_call(self, trace, tmp_path):
        out = tmp_path / "calls.csv"
        assert pysolate("export", trace, "--format", "csv", "-o", str(out)).returncode == 0
        with open(out, encoding="utf-8", newline="") as f:
            rows = list(csv.reader(f))
        calls = sum(e["k"] == "arrive" for e in events_of(trace))
        assert len(rows) == calls + 1
        assert len({len(r) for r in rows}) == 1

    def test_an_unwritable_file_is_named(self, tmp_path):
        done = pysolate("export", GOLDEN[0], "--format", "csv", "-o", str(tmp_path / "no" / "such.csv"))
        assert done.returncode == 2
        assert "such.csv" in done.stderr


class TestSimulate:
    def test_on_llmcompilers_plans_no_policy_is_ahead_of_ours(self, tmp_path):
        """Ours is never behind the others; a barrier a wave is never behind one at a time."""
        with open(os.path.join(ROOT, "tests", "support", "llmcompiler-dags.json"), encoding="utf-8") as f:
            dags = json.load(f)["dags"]
        tried = 0
        for dag in dags:
            nodes = [n for n in dag["nodes"] if n["tool"] != "join"]
            if not nodes or len(nodes) > 40:
                continue
            names = {n["id"]: f"n{n['id']}" for n in nodes}
            plan = "\n".join(
                f'{i}. {n["tool"]}("{" ".join(f"${d}" for d in n["deps"]) or "x"}")' for i, n in enumerate(
                    sorted(nodes, key=lambda n: n["id"]), 1)) if sorted(names) == list(range(1, len(names) + 1)) else None
            if plan is None:
                continue
            path = tmp_path / f"{dag['id']}.txt"
            path.write_text(plan + f"\n{len(nodes) + 1}. join()\n", encoding="utf-8")
            spans = {}
            for policy in ("sequential", "levels", "greedy", "pysolate"):
                done = pysolate("simulate", str(path), "--policy", policy, "--json")
                assert done.returncode == 0, f"{dag['id']}: {done.stderr}"
                spans[policy] = json.loads(done.stdout)["makespan"]
            assert spans["pysolate"] <= spans["levels"] <= spans["sequential"], (dag["id"], spans)
            assert spans["pysolate"] <= spans["greedy"], (dag["id"], spans)
            tried += 1
        assert tried >= 5
