# Which headers does a C++ file pull in? What to read next is
# known only when this wave was read.
import posixpath

ROOTS = ["", "core/include/", "viz/"]

# Which of these spellings is a file?
def locate(name, beside):
    spellings = [posixpath.join(posixpath.dirname(beside), name)]
    spellings += [root + name for root in ROOTS]
    found = [workspace.exists(spelling) for spelling in spellings]
    return next((s for s, there in zip(spellings, found) if there), None)

start = workspace.glob("**/*.cc")[0]
seen = {start: None}
wave = [start]
depth = 0
while wave:
    texts = [workspace.read_text(path) for path in wave]
    print(f"depth {depth}: {len(wave)} file(s)")
    following = []
    for path, text in zip(wave, texts):
        for line in text.splitlines():
            if not line.startswith('#include "'):
                continue
            target = locate(line.split('"')[1], path)
            if target and target not in seen:
                seen[target] = path
                following.append(target)
    wave = following
    depth += 1

print()
for path, parent in seen.items():
    print(path, "<-", parent or "(start)")
