# Which files are near copies of each other?
import difflib

paths = workspace.glob("**/*.py")[:12]
texts = [workspace.read_text(path) for path in paths]

pairs = []
for i, right in enumerate(texts):
    for j, left in enumerate(texts[:i]):
        match = difflib.SequenceMatcher(None, left.split(), right.split())
        pairs.append((match.ratio(), paths[j], paths[i]))
pairs.sort(reverse=True)

print("Most alike")
for ratio, left, right in pairs[:5]:
    print(f"{ratio:>6.0%}  {left}  {right}")

if pairs:
    ratio, left, right = pairs[0]
    old = texts[paths.index(left)].splitlines()
    new = texts[paths.index(right)].splitlines()
    print()
    for line in list(difflib.unified_diff(old, new, left, right, lineterm="", n=1))[:24]:
        print(line)
