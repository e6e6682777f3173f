"""The corpus as tests use it: programs, what each must observe, and one run of it."""
import functools
import glob
import json
import os

import pysolate
from pysolate.toolset import Toolset, headers, load

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "corpus")
NAMES = [os.path.basename(p)[:-3] for p in sorted(glob.glob(os.path.join(HERE, "programs", "*.py")))]
OBSERVED = ("stdout", "exception", "bindings", "effects", "ordered_log")


@functools.lru_cache(None)
def toolset_module():
    return load(os.path.join(HERE, "toolset.py"))


@functools.lru_cache(None)
def source(name):
    with open(os.path.join(HERE, "programs", name + ".py"), encoding="utf-8") as f:
        return f.read()


@functools.lru_cache(None)
def expected(name):
    with open(os.path.join(HERE, "expected", name + ".json"), encoding="utf-8") as f:
        return json.load(f)


def header(name):
    return headers(source(name))


def run(name, **how):
    """One virtual run. -> (report as read back from JSON, Run)"""
    text = source(name)
    result = pysolate.run(text, Toolset(toolset_module(), text), virtual=True, program=name + ".py", **how)
    faults = [note for note in result.report["notes"] if "failed and stopped" in note["text"]]
    assert not faults, faults
    return json.loads(json.dumps(result.report)), result


def differences(report, name):
    """What a report observed differently from the plain sequential program: [(field, got, expected)]."""
    right = expected(name)
    return [(field, report[field], right[field]) for field in OBSERVED if report[field] != right[field]]
