"""The command line; see the package."""
from __future__ import annotations

import argparse
import json
import os
import sys
import time
from pathlib import Path

from . import check, faults
from .campaign import Campaign, Finding, find
from .corpus import FOLDER
from .program import make_program
from .schedule import schedule_of
from .shrink import shrink

ROOT = FOLDER.parents[2]


def parser():
    p = argparse.ArgumentParser(prog="python3 -m tests.python.generator", description="Random programs under random "
                                "schedules against the sequential oracle. Exits 1 if one differs.")
    p.add_argument("--programs", type=int, default=200, metavar="N")
    p.add_argument("--schedules", type=int, default=5, metavar="K", help="schedules a program (default 5)")
    p.add_argument("--seed", type=int, default=1, metavar="S", help="the first program's seed; the next are S+1, S+2, ...")
    p.add_argument("--jobs", type=int, default=1, metavar="J")
    p.add_argument("--out", type=Path, metavar="DIR", help="write every finding there, as it was and shrunk")
    p.add_argument("--no-shrink", action="store_true")
    p.add_argument("--keep-going", type=int, default=10, metavar="N", help="stop after N findings (default 10)")
    p.add_argument("--seconds", type=float, metavar="T", help="begin nothing new after T seconds")
    p.add_argument("--census", action="store_true", help="print what the programs are made of")
    p.add_argument("--no-run", action="store_true", help="only write the programs and run the oracle (with --census)")
    p.add_argument("--show", action="store_true", help="print the program of --seed, its sequential record, and stop")
    p.add_argument("--schedule", type=int, metavar="I", help="only the I-th schedule of each program")
    p.add_argument("--package", type=Path, default=ROOT / "build" / "native" / "python", metavar="DIR",
                   help="where the pysolate package is (default build/native/python; one on PYTHONPATH goes first)")
    p.add_argument("--fault", choices=[f.__name__ for f in faults.FAULTS], help="check a wrong runtime instead")
    return p


def main(argv=None) -> int:
    args = parser().parse_args(argv)
    if args.package.is_dir():
        sys.path.append(str(args.package))
        os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [os.environ.get("PYTHONPATH"), str(args.package)]))
    if args.show:
        program = make_program(args.seed)
        print(program.source)
        print(json.dumps({k: program.record[k] for k in ("stdout", "exception", "bindings", "effects", "sequential_units")},
                         indent=1, default=repr))
        return 0
    started = time.monotonic()
    campaign = Campaign(args.seed, args.programs, args.schedules, jobs=args.jobs, fault=args.fault,
                        only=args.schedule, run=not args.no_run, most=args.keep_going, seconds=args.seconds)
    findings, census = find(campaign, progress=_progress)
    took = time.monotonic() - started
    for finding in findings:
        _report(finding, args)
    if args.census:
        print(census.report())
    print(f"{census.programs} programs, {census.schedules} program-schedules, {len(findings)} differences, {took:.0f} s "
          f"({60 * census.schedules / max(took, 0.001):,.0f} a minute)")
    return 1 if findings else 0


def _progress(done, total, found):
    if sys.stderr.isatty():
        print(f"\r{done}/{total} programs ", end="", file=sys.stderr)
    for finding in found:
        print(f"seed {finding.seed}: {finding.text.splitlines()[0]}", file=sys.stderr, flush=True)


def _report(finding: Finding, args):
    sys.stdout.flush()
    print("=" * 100)
    print(f"seed {finding.seed}, schedule {finding.index}: {finding.text}")
    print(f"again: python3 -m tests.python.generator --programs 1 --seed {finding.seed} --schedules {args.schedules}"
          + ("" if finding.index is None else f" --schedule {finding.index}") + (f" --fault {args.fault}" if args.fault else ""))
    if finding.kind == "crash":
        return
    small, schedule = finding.source, finding.schedule
    if not args.no_shrink:
        subject = subject_of(args.fault)
        name = f"random-{finding.seed}.py"
        small, schedule = shrink(finding.source, finding.schedule,
                                 lambda source, s: check.differs(subject, source, name, s, finding.kind) is not None,
                                 tries=150 if finding.kind == "hang" else 1500)
        left = check.differs(subject, small, name, schedule, finding.kind)
        print(f"---- shrunk to {small.count(chr(10))} lines "
              f"({'mode=sequential' if schedule is None else schedule.words()}):")
        print(small)
        if left:
            print(left.describe())
    if args.out:
        args.out.mkdir(parents=True, exist_ok=True)
        (args.out / f"seed-{finding.seed}.py").write_text(finding.source, encoding="utf-8")
        head = "# schedule: " + ("" if schedule is None else schedule.words())
        (args.out / f"seed-{finding.seed}-small.py").write_text(f"# about: {finding.kind} differed\n{head}\n{small}", encoding="utf-8")


def subject_of(fault: str | None):
    if fault:
        return next(f for f in faults.FAULTS if f.__name__ == fault)()
    from .subject import Pysolate
    return Pysolate()


if __name__ == "__main__":
    sys.exit(main())
