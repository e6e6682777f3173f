"""What protects the checker from the programs that it runs: patched modules are put back, runaways are stopped."""
from __future__ import annotations

import builtins
import contextlib
import dataclasses
import functools
import gc
import io
import itertools
import json
import math
import re
import signal
import sys
import threading
import warnings

_MODULES = (builtins, json, math, re, itertools, functools, contextlib, dataclasses)


class _Nowhere(io.StringIO):
    """Where generators and objects print that are collected after their program ended."""

    def write(self, text):
        return len(text)


class Hang(BaseException):
    """The run used up its time; not a fault of the program, which is known to stop."""


@contextlib.contextmanager
def guarded(cpu_seconds: float | None = None):
    """Runs the body with the shared modules as they are now, and puts them back afterwards.

    With a limit, `Hang` is raised in the body after that much CPU time (or thirty times as much real time, when nothing
    runs at all). The limit only ends runs that would never end: no verdict hangs on how fast the machine is.
    """
    saved = [(m, dict(m.__dict__)) for m in _MODULES]
    limit = cpu_seconds is not None and hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()

    def stop(signum, frame):
        raise Hang(f"still running after {cpu_seconds} s")

    if limit:
        old_prof, old_real = signal.signal(signal.SIGPROF, stop), signal.signal(signal.SIGALRM, stop)
        signal.setitimer(signal.ITIMER_PROF, cpu_seconds, 0.2)       # again and again: a program may swallow it
        signal.setitimer(signal.ITIMER_REAL, cpu_seconds * 30, 1.0)
    real_out = sys.stdout
    collecting = gc.isenabled()
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(_Nowhere()):
            warnings.simplefilter("ignore")
            gc.collect(1)           # what an earlier program left behind (a generator's `finally`) prints now, to nowhere,
            gc.disable()            # and not when it happens to be collected, in the middle of this one
            yield
    finally:
        sys.stdout = real_out
        if collecting:
            gc.enable()
        if limit:
            signal.setitimer(signal.ITIMER_PROF, 0)
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGPROF, old_prof)
            signal.signal(signal.SIGALRM, old_real)
        for module, names in saved:
            now = module.__dict__
            for name, value in names.items():
                if now.get(name) is not value:
                    now[name] = value
            for name in [n for n in now if n not in names]:
                del now[name]


class StepLimit(BaseException):
    """More steps than a small program takes."""


@contextlib.contextmanager
def step_limit(filename: str, steps: int):
    """Counts the lines run in `filename`; raises StepLimit beyond. For the shrinker, whose edits may lose a loop's end."""
    left = steps

    def trace(frame, event, arg):
        nonlocal left
        if frame.f_code.co_filename != filename:
            return None
        left -= 1
        if left < 0:
            raise StepLimit()
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        yield
    finally:
        sys.settrace(before)
