# about: Compare requirements of two files, look versions up, report what is outdated.
# features: string parsing into dicts, set operations on keys, nested conditional, sorted, multi-line f-strings
# latency: workspace.read_text=3 lookup=2
# ideal_units: 5
# ideal_why: the files 3, then the versions 2
# v1_units: 9
# v1_why: three blocks
def parse(text, sep):
    pairs = {}
    for line in text.replace('"', "").replace("[", "").replace("]", "").replace(",", "\n").splitlines():
        if sep in line:
            name, _, version = line.strip().partition(sep)
            pairs[name.split("= ")[-1]] = version
    return pairs


pinned = parse(workspace.read_text("requirements.txt"), "==")
loose = parse(workspace.read_text("pyproject.toml"), ">=")
known = {"flask": "web", "redis": "net", "sqlalchemy": "db"}
both = pinned.keys() & loose.keys()
for name in sorted(both):
    latest = lookup("versions", known[name])
    verdict = "old" if pinned[name].split(".")[0] < latest.split(".")[0] else "fine"
    print(f"{name:<11} {pinned[name]:<8} >= {loose[name]:<5} {verdict}")
print("only pinned:", sorted(pinned.keys() - loose.keys()))
