"""Many programs on several processes. A process that dies (a crash in native code) is a finding of its own."""
from __future__ import annotations

import concurrent.futures
import multiprocessing
import time
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass

from . import check
from .census import Census
from .program import make_program
from .schedule import Schedule, schedule_of

CHUNK = 10
MEMORY = 3 << 30        # a program may be wrong in every way but this one


@dataclass(frozen=True)
class Campaign:
    seed: int
    programs: int
    schedules: int
    jobs: int = 1
    fault: str | None = None
    only: int | None = None     # just this schedule of each program
    run: bool = True            # False: the oracle alone
    most: int = 10              # findings after which no new chunk is begun
    seconds: float | None = None    # nor after this time


@dataclass
class Finding:
    seed: int
    index: int | None           # of the schedule; None: the sequential mode differs
    kind: str
    text: str
    source: str = ""
    schedule: Schedule | None = None


def run_chunk(campaign: Campaign, seeds: range) -> tuple[list[Finding], Census]:
    """The programs of these seeds, here and now."""
    from .__main__ import subject_of
    subject = subject_of(campaign.fault) if campaign.run else None
    findings, census = [], Census()
    for seed in seeds:
        program = make_program(seed)
        census.add(program)
        if subject is None:
            continue
        outcome = check.check_program(subject, program, campaign.schedules, only=campaign.only)
        census.add_outcome(outcome)
        for difference in outcome.differences[:1]:
            index = outcome.last if difference.schedule is not None else None
            findings.append(Finding(seed, index, difference.kind, difference.describe(), program.source, difference.schedule))
    return findings, census


def _limit_memory():
    try:
        import resource
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    except (ImportError, ValueError, OSError):
        pass


def find(campaign: Campaign, progress=None) -> tuple[list[Finding], Census]:
    chunks = [range(s, min(s + CHUNK, campaign.seed + campaign.programs))
              for s in range(campaign.seed, campaign.seed + campaign.programs, CHUNK)]
    findings, census, done = [], Census(), 0

    def take(result):
        nonlocal done
        found, part = result
        findings.extend(found)
        census.merge(part)
        done += part.programs
        if progress:
            progress(done, campaign.programs, found)

    waiting = list(reversed(chunks))
    until = None if campaign.seconds is None else time.monotonic() + campaign.seconds

    def more():
        return len(findings) < campaign.most and (until is None or time.monotonic() < until)

    while waiting and more():
        broken = _pool_run(campaign, waiting, take, more)
        for seeds in broken:        # a process died in one of these chunks: each program alone now
            for seed in seeds:
                one = range(seed, seed + 1)
                if _pool_run(campaign, [one], take, lambda: True):
                    findings.append(Finding(seed, None, "crash", "the process died"))
    findings.sort(key=lambda f: f.seed)
    return findings, census


def _pool_run(campaign, waiting: list, take, more) -> list:
    """Works `waiting` off (from its end); -> chunks that were under way when a process died."""
    context = multiprocessing.get_context("fork" if "fork" in multiprocessing.get_all_start_methods() else None)
    running = {}
    with concurrent.futures.ProcessPoolExecutor(max(1, campaign.jobs), context, initializer=_limit_memory) as pool:
        try:
            while running or waiting and more():
                while waiting and len(running) < campaign.jobs + 1 and more():
                    seeds = waiting.pop()
                    running[pool.submit(run_chunk, campaign, seeds)] = seeds
                if not running:
                    break
                finished, _ = concurrent.futures.wait(running, return_when=concurrent.futures.FIRST_COMPLETED)
                for future in finished:
                    result = future.result()
                    del running[future]
                    take(result)
        except BrokenProcessPool:
            return list(running.values())
    return []
