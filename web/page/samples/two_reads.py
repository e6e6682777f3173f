# Two reads that need nothing from each other. The second
# starts while the first is still on its way.
readme = workspace.read_text("README.md")
terms = workspace.read_text("LICENSE")

print(len(readme.splitlines()), "lines of README")
print("Terms:", terms.splitlines()[0])
