"""python3 table.py [FILTER] [-v]: what the scout wins, program by program."""
import sys
import time

import harness


def main(argv):
    verbose = "-v" in argv
    want = [a for a in argv if not a.startswith("-")]
    print(f"{'program':34}{'seq':>5}{'v1':>5}{'ideal':>6}{'hoist':>6}{'guess':>6}{'won':>7}{'won':>7}{'ms':>7}")
    sums = {}
    for folder in harness.FOLDERS:
        total = []
        for path in harness.programs(folder):
            name = path.rsplit("/", 1)[1]
            if want and not any(w in name for w in want):
                continue
            source = harness.load(path)
            plain = harness.Run(source, name, scout=False).run()
            got, times = [], []
            for speculate in (False, True):
                t = time.perf_counter()
                r = harness.Run(source, name, speculate=speculate)
                r.run()
                times.append(time.perf_counter() - t)
                got.append(r)
                if (r.stdout, r.exception, r.bindings, r.world.effects) != (
                        plain.stdout, plain.exception, plain.bindings, plain.world.effects):
                    print("   DIFFERS", name)
                if r.faults:
                    import traceback
                    print(f"   {len(r.faults)} faults")
                    if verbose:
                        traceback.print_exception(r.faults[0])
                    else:
                        print("  ", repr(r.faults[0]))
                if verbose:
                    print(f"-- speculate={speculate}: early {r.announced} taken {r.early_taken} attempts {r.attempts}")
                    for line, text in r.notes:
                        print(f"   line {line}: {text}")
            ideal, v1 = plain.head["ideal_units"] or plain.now, plain.head["v1_units"] or plain.now
            w = [harness.won(plain.now, ideal, r.now) for r in got]
            flag = "".join([" >v1" if r.now > v1 else "" for r in got] + [" <ideal" if r.now < ideal else "" for r in got])
            total.append(w)
            print(f"{name:34}{plain.now:5}{v1:5}{ideal:6}{got[0].now:6}{got[1].now:6}{w[0]:7.1f}{w[1]:7.1f}"
                  f"{max(times) * 1000:7.0f}{flag}")
        if total:
            print(f"{'mean':62}{sum(w[0] for w in total) / len(total):7.1f}{sum(w[1] for w in total) / len(total):7.1f}")


if __name__ == "__main__":
    main(sys.argv[1:])
