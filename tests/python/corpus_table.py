"""Prints, program by program, how much of the possible overlap is won, and why a call site could not be scouted.

    PYTHONPATH=build/native/python python3 tests/python/corpus_table.py [FOLDER] [--reasons]

FOLDER holds `toolset.py`, `programs/` and `expected/` (default: the corpus of the tests). Units of virtual time, with
the program's own `# budget:` where it has one. Won: how far from `sequential_units` to `ideal_units`, per cent. The exit
code is 1 if a program observed anything else than expected.
"""
import argparse
import glob
import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import conftest  # noqa: E402,F401
import pysolate  # noqa: E402
from pysolate.toolset import Toolset, headers, load  # noqa: E402

OBSERVED = ("stdout", "exception", "bindings", "effects", "ordered_log")


def won(makespan, sequential, ideal):
    return 100.0 if sequential == ideal else 100.0 * (sequential - makespan) / (sequential - ideal)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", default=os.path.join(os.path.dirname(os.path.abspath(__file__)), "corpus"))
    parser.add_argument("--reasons", action="store_true", help="list the call sites that could not be scouted")
    args = parser.parse_args()
    module = load(os.path.join(args.folder, "toolset.py"))
    shares, sums, wrong = {False: [], True: []}, {}, 0
    print(f"{'program':<28}{'sequential':>11}{'v1':>6}{'ideal':>7}{'hoisting':>10}{'won':>7}{'guessing':>10}{'won':>7}"
          f"{'wasted':>8}")
    for path in sorted(glob.glob(os.path.join(args.folder, "programs", "*.py"))):
        name = os.path.basename(path)
        with open(path, encoding="utf-8") as f:
            source = f.read()
        with open(os.path.join(args.folder, "expected", name[:-3] + ".json"), encoding="utf-8") as f:
            right = json.load(f)
        units = {k: right[k] for k in ("sequential_units", "v1_units", "ideal_units")}
        reports = {}
        for speculate in (False, True):
            result = pysolate.run(source, Toolset(module, source), virtual=True, program=name, speculate=speculate,
                                  budget=headers(source)["budget"])
            report = reports[speculate] = json.loads(json.dumps(result.report))
            for field in OBSERVED:
                if report[field] != right[field]:
                    wrong += 1
                    print(f"  DIFFERENT {field}: {report[field]!r}, expected {right[field]!r}")
            shares[speculate].append(won(report["makespan"], units["sequential_units"], units["ideal_units"]))
        row = {**units, "hoisting": reports[False]["makespan"], "guessing": reports[True]["makespan"]}
        for key, value in row.items():
            sums[key] = sums.get(key, 0) + value
        above = " > v1" if row["hoisting"] > units["v1_units"] else ""
        print(f"{name:<28}{units['sequential_units']:>11}{units['v1_units']:>6}{units['ideal_units']:>7}"
              f"{row['hoisting']:>10}{shares[False][-1]:>6.0f}%{row['guessing']:>10}{shares[True][-1]:>6.0f}%"
              f"{reports[True]['calls']['wasted']:>8}{above}")
        if args.reasons:
            for site in reports[False]["sites"]:
                if site.get("reason"):
                    print(f"    line {site['line']}: {site['tool']}: {site['reason']}")
    n = len(shares[False])
    print(f"{f'total of {n}':<28}{sums['sequential_units']:>11}{sums['v1_units']:>6}{sums['ideal_units']:>7}"
          f"{sums['hoisting']:>10}{sum(shares[False]) / n:>6.1f}%{sums['guessing']:>10}{sum(shares[True]) / n:>6.1f}%"
          "   (won: mean over the programs)")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
