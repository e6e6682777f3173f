# Which files are near copies of each other? Read all, compare each pair.
import difflib

paths = workspace.glob("**/*.py")[:12]
texts = [workspace.read_text(path) for path in paths]

pairs = []
for i, left in enumerate(texts):
    for j in range(i):
        ratio = difflib.SequenceMatcher(None, texts[j].splitlines(), left.splitlines()).ratio()
        pairs.append((ratio, paths[j], paths[i]))
pairs.sort(reverse=True)

print("most alike")
for ratio, left, right in pairs[:5]:
    print(f"{ratio:>6.0%}  {left}  {right}")

if pairs:
    ratio, left, right = pairs[0]
    old, new = texts[paths.index(left)], texts[paths.index(right)]
    changes = difflib.unified_diff(old.splitlines(), new.splitlines(), left, right, lineterm="", n=1)
    print()
    print("\n".join(list(changes)[:24]))
