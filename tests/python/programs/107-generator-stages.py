# about: A pipeline of generator functions: paths, texts, findings.
# features: generator functions chained, yield inside nested loops and under if, enumerate, sum over generator
# latency: workspace.glob=2 workspace.read_text=3 classify=1
# ideal_units: 6
# ideal_why: glob 2 -> reads 3 -> classifications 1
# v1_units: 43
# v1_why: generators are opaque
def sources():
    for path in workspace.glob("src/shop/*.py"):
        yield path


def texts(paths):
    for path in paths:
        yield path, workspace.read_text(path)


def todos(pairs):
    for path, text in pairs:
        for no, line in enumerate(text.splitlines(), 1):
            if "TODO" in line or "FIXME" in line:
                yield path, no, line.split("# ")[1]


count = 0
for path, no, what in todos(texts(sources())):
    kind = classify(what, ["read", "pool", "race"])
    print(f"{path}:{no}: {kind}: {what}")
    count += 1
print(count, "findings")
total = sum(len(t) for _, t in texts(sources()))
print(total, "characters")
