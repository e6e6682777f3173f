# about: Validate many inputs: errors are collected with their kinds, the good ones go on to a second step.
# features: try/except/else/finally in a loop, isinstance on exceptions, nested try, re-raise after the loop
# latency: flaky=2 classify=1
# ideal_units: 3
# ideal_why: all names are literals 2, the classification of the good ones 1
# v1_units: 13
# v1_why: body with try runs as reached
good, errors, tried = [], [], 0
for name in ["ok-1", "missing-x", "evil-y", "ok-2", "bad-z", "ok-3"]:
    try:
        value = flaky(name)
    except (FileNotFoundError, ValueError) as err:
        errors.append((name, type(err).__name__, str(err)))
    except RuntimeError as err:
        errors.append((name, "runtime", str(err)[:20]))
    else:
        good.append(classify(value, ["ok", "ko"]))
    finally:
        tried += 1
print(tried, good)
for row in errors:
    print(*row, sep=" | ")
if any(kind == "runtime" for _, kind, _ in errors):
    raise SystemExit(len(errors))
