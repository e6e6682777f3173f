"""The `%%pysolate` cell magic: `%load_ext pysolate`, then a cell runs with its tool calls overlapped.

    %%pysolate [--budget N] [--mode overlap|sequential] [--speculate] [--tools NAME]

Tools are the functions of the notebook that carry a contract (`@pysolate.tool(...)`), and objects with such methods;
`--tools NAME` names a mapping or list of tools instead, as `pysolate.run` takes them. Names that the cell binds stay;
top-level `await` works. The run is kept as `_run`.
"""
from __future__ import annotations

import argparse
import shlex
import sys

from .runtime import MODES, run


def marked_tools(names: dict) -> dict:
    """The tools among a notebook's names: what carries a contract."""
    found: dict = {}
    for name, value in list(names.items()):
        if name.startswith("_"):
            continue
        if callable(value) and hasattr(value, "__pysolate_contract__"):
            found[name] = value
        elif not isinstance(value, type) and hasattr(type(value), "__dict__") and any(
                hasattr(member, "__pysolate_contract__") for member in vars(type(value)).values()):
            found[name] = value
    return found


def _parser():
    parser = argparse.ArgumentParser(prog="%%pysolate", add_help=False)
    parser.add_argument("--budget", type=int)
    parser.add_argument("--mode", choices=MODES, default="overlap")
    parser.add_argument("--speculate", action="store_true")
    parser.add_argument("--tools")
    return parser


def pysolate(line: str, cell: str):
    """The magic itself."""
    from IPython import get_ipython
    shell = get_ipython()
    try:
        options = _parser().parse_args(shlex.split(line))
    except SystemExit:  # argparse has printed why
        return
    module = shell.user_module
    names = module.__dict__
    if options.tools:
        if options.tools not in names:
            print(f"%%pysolate: no name {options.tools!r} here", file=sys.stderr)
            return
        tools = names[options.tools]
    else:
        tools = marked_tools(names)
    shadowed = dict(names)
    result = run(cell, tools, budget=options.budget, mode=options.mode, speculate=options.speculate,
                 program=f"<cell {shell.execution_count}>", namespace=module, echo=sys.stdout, top_level_await=True,
                 trace=True)
    for name, tool in result.before.items():  # the notebook's own functions come back
        if names.get(name) is tool:
            if name in shadowed:
                names[name] = shadowed[name]
            else:
                del names[name]
    names["_run"] = result
    for note in result.report["notes"]:
        if note["topic"] == "host":
            print(f"pysolate: {note['text']}", file=sys.stderr)
    if result.exception is not None:
        raise result.exception


def load_ipython_extension(shell):
    shell.register_magic_function(pysolate, magic_kind="cell")
