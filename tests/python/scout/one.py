"""python3 one.py FILE [--guess]: one program under the scout, with the timeline of its calls."""
import sys
import traceback

import harness


def main(argv):
    source = harness.load(argv[0])
    plain = harness.Run(source, "p.py", scout=False).run()
    r = harness.Run(source, "p.py", speculate="--guess" in argv)
    log = []
    start, sup, ann = r.dispatch, r.supply, r.announce
    new = r.new_attempt

    def new_attempt(tool, bound, reached, order):
        log.append((r.now, "reached" if reached else "early", tool, list(bound.values()), order))
        return new(tool, bound, reached, order)
    r.new_attempt = new_attempt
    r.run()
    for e in log:
        print(*map(str, e[:3]), str(e[3])[:70], e[4])
    for n in r.notes:
        print("note", *n)
    for f in r.faults[:2]:
        traceback.print_exception(f)
    same = (r.stdout, r.exception, r.bindings, r.world.effects) == (plain.stdout, plain.exception, plain.bindings, plain.world.effects)
    print("same" if same else "DIFFERENT", plain.now, "->", r.now, "announced", r.announced, "open futures", r.scout.outstanding)
    if plain.exception and "-e" in argv:
        print(plain.exception)


main(sys.argv[1:])
