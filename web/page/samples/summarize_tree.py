# What is in this source tree? Each file is read, and none
# waits for another.
paths = workspace.glob("**/*.py") + workspace.glob("**/*.h")
texts = [workspace.read_text(path) for path in paths]
todos = workspace.grep("TODO", "**/*.py")

totals = {}
for path, text in zip(paths, texts):
    top = path.split("/")[0] if "/" in path else "."
    files, lines = totals.get(top, (0, 0))
    totals[top] = (files + 1, lines + text.count("\n"))

print(f"{'folder':<12}{'files':>7}{'lines':>9}")
for top, (files, lines) in sorted(totals.items()):
    print(f"{top:<12}{files:>7}{lines:>9}")

print()
print("Longest files")
longest = sorted(zip(paths, texts), key=lambda item: -item[1].count("\n"))
for path, text in longest[:5]:
    print(f"{text.count(chr(10)):>7}  {path}")

print()
print(len(todos), "lines say TODO")
for hit in todos[:3]:
    print(f"  {hit['path']}:{hit['line']}  {hit['text'].strip()[:60]}")
