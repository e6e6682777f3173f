"""The wheel: built from the checkout, installed into a fresh virtual environment, used from there."""
import glob
import os
import shutil
import subprocess
import sys

import pytest

from conftest import ROOT
from corpus_programs import HERE as CORPUS, expected


def call(*command, **how):
    done = subprocess.run(command, capture_output=True, text=True, timeout=900, **how)
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """The Python of a virtual environment that has nothing but the wheel."""
    import pysolate._core
    here = tmp_path_factory.mktemp("wheel")
    sources = here / "checkout"
    shutil.copytree(os.path.join(ROOT, "core", "python"), sources / "core" / "python",
                    ignore=shutil.ignore_patterns("build", "*.egg-info", "__pycache__"))
    build = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(pysolate._core.__file__))))
    call(sys.executable, "-c", f"from setuptools import build_meta; build_meta.build_wheel({str(here)!r})",
         env={**os.environ, "PYSOLATE_CMAKE_DIR": build}, cwd=sources / "core" / "python")  # what a front end calls
    [wheel] = glob.glob(str(here / "pysolate-*.whl"))
    call(sys.executable, "-m", "venv", str(here / "venv"))
    python = str(here / "venv" / "bin" / "python")
    call(python, "-m", "pip", "install", "--no-index", "--disable-pip-version-check", wheel)
    return python


def test_a_program_runs_with_the_installed_wheel(installed, tmp_path):
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    name = "002-city-chains"
    out = call(installed, "-m", "pysolate", "run", os.path.join(CORPUS, "programs", name + ".py"), "--toolset",
               os.path.join(CORPUS, "toolset.py"), "--virtual", cwd=tmp_path, env=environment)
    assert out == expected(name)["stdout"]


def test_real_tools_run_with_the_installed_wheel(installed, tmp_path):
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    out = call(installed, "-c", "import pysolate; print(pysolate.run('print(f(2))', {'f': (lambda x: x + 1, 'pure')})"
               ".raise_for_exception().stdout, end='')", cwd=tmp_path, env=environment)
    assert out == "3\n"
