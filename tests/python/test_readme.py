"""What the README shows in Python and on the shell does what it says."""
import os
import re
import subprocess
import sys

from conftest import ROOT

with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as f:
    TEXT = f.read()


def blocks(language):
    return re.findall(rf"```{language}\n(.*?)```", TEXT, re.S)


def test_the_python_example_overlaps_its_three_calls(capsys):
    (example,) = blocks("python")
    exec(compile(example, "README.md", "exec"), {"__name__": "readme"})
    out = capsys.readouterr().out
    assert "['text of a', 'text of b', 'text of c']" in out
    assert "'promoted': 3" in out


def test_the_shell_example_writes_a_trace_and_a_report(tmp_path):
    (example,) = [b for b in blocks("sh") if "python3 -m pysolate run" in b]
    import pysolate
    command = example.split("\n", 1)[1].replace("\\\n", " ").replace("tests/", ROOT + "/tests/").split()
    env = {**os.environ, "PYTHONPATH": os.path.dirname(os.path.dirname(pysolate.__file__))}
    done = subprocess.run([sys.executable, *command[1:]], cwd=tmp_path, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "city.jsonl").stat().st_size and (tmp_path / "city.json").stat().st_size


def test_every_file_that_the_readme_names_is_there():
    for target in re.findall(r"\]\(([\w./-]+)\)", TEXT):
        assert os.path.exists(os.path.join(ROOT, target)), target
