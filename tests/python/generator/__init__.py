"""Random programs over the corpus toolset, checked against the sequential oracle.

    python3 -m tests.python.generator --programs 200 --schedules 5 --seed 1

`program.make_program(seed)` writes a program that terminates by construction; `check` runs it through the runtime
under many schedules (budget, completion order, latencies, hoisting or guessing) and compares everything that a program
can observe with the plain sequential run; `shrink` makes a difference small; `faults` are runtimes that are wrong on
purpose: the checker has to catch every one of them; `census` tells what the programs are made of.

The programs depend on the seed alone (not on hash randomization), so a seed names a program for good.
"""
