"""The command line: python3 -m pysolate run PROGRAM.py --toolset FILE.py [...]

Exit codes: 0 the program ran; 1 it raised (its traceback is on stderr, as Python prints it; `sys.exit(n)` exits with
n); 2 bad usage.
"""
from __future__ import annotations

import argparse
import json
import os
import sys

from .runtime import MODES, program_budget, run
from .toolset import Toolset, ToolsetError, load


def _count(text):
    value = int(text)
    if value < 0:
        raise argparse.ArgumentTypeError(f"{text} is negative")
    return value


def _parser():
    parser = argparse.ArgumentParser(prog="python3 -m pysolate", description="Run a Python program whose tool calls "
                                     "overlap.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="run")
    p = commands.add_parser("run", help="run one program with the tools of a toolset file")
    p.add_argument("program", metavar="PROGRAM.py")
    p.add_argument("--toolset", required=True, metavar="FILE.py")
    p.add_argument("--virtual", action="store_true", help="count time in the toolset's units, wait for nothing")
    p.add_argument("--mode", choices=MODES, default="overlap")
    p.add_argument("--speculate", action="store_true", help="start calls on paths that may not be taken")
    p.add_argument("--budget", type=_count, metavar="N", help="attempts in flight at once (default: the program's "
                   "`# budget:` header, else unlimited)")
    p.add_argument("--order-seed", type=int, metavar="N", help="with --virtual: permute completions at equal times")
    p.add_argument("--unit", type=float, default=1.0, metavar="MS", help="without --virtual: milliseconds of real "
                   "waiting a unit (default 1)")
    p.add_argument("--trace", metavar="FILE", help="write the trace (JSON Lines)")
    p.add_argument("--report", metavar="FILE.json", help="write the report")
    return parser


def main(argv=None) -> int:
    args = _parser().parse_args(argv)
    try:
        with open(args.program, encoding="utf-8") as f:
            source = f.read()
        budget = program_budget(source) if args.budget is None else args.budget
        toolset = Toolset(load(args.toolset), source, args.toolset)
        if args.order_seed is not None and not args.virtual:
            raise ToolsetError("--order-seed needs --virtual")
        if not args.unit > 0:
            raise ToolsetError("--unit wants positive milliseconds")
        trace = open(args.trace, "w", encoding="utf-8", newline="\n") if args.trace else None
    except (OSError, ToolsetError, UnicodeDecodeError) as e:
        print(f"pysolate: {e}", file=sys.stderr)
        return 2
    try:
        result = run(source, toolset, budget=budget, mode=args.mode, speculate=args.speculate, trace=trace,
                     program=os.path.basename(args.program), echo=sys.stdout, virtual=args.virtual,
                     order_seed=args.order_seed, unit=args.unit / 1000)
    finally:
        if trace is not None:
            trace.close()
    if args.report:
        try:
            with open(args.report, "w", encoding="utf-8") as f:
                json.dump(result.report, f, indent=1, ensure_ascii=False)
                f.write("\n")
        except OSError as e:
            print(f"pysolate: {e}", file=sys.stderr)
            return 2
    sys.stdout.flush()
    return _exit_code(result)


def _exit_code(result) -> int:
    error = result.exception
    if error is None:
        return 0
    if isinstance(error, SystemExit):
        if error.code is None or isinstance(error.code, int):
            return error.code or 0
        print(error.code, file=sys.stderr)
        return 1
    print(result.format_exception(), end="", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
