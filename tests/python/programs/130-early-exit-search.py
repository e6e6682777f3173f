# about: Search the sources for two markers, stop as soon as both were found; report where.
# features: nested for with flags, break out of two loops by a flag, for-else, splitlines, enumerate
# latency: workspace.list=1 workspace.read_text=2
# ideal_units: 3
# ideal_why: the listing 1, then every file may be read at once 2
# v1_units: 9
# v1_why: loop with break: as reached
found = {}
for name in workspace.list("src/shop"):
    if name.endswith("/"):
        continue
    text = workspace.read_text(f"src/shop/{name}")
    for no, line in enumerate(text.splitlines(), 1):
        for mark in ("TODO", "FIXME"):
            if mark in line and mark not in found:
                found[mark] = (name, no)
    if len(found) == 2:
        break
else:
    print("not all found")
for mark, (name, no) in sorted(found.items()):
    print(f"{mark}: {name}:{no}")
