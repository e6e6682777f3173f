# Reads overlap, writes do not: journal.write() is an effect.
# Each happens when its line is reached, once, in this order.
names = ["README.md", "LICENSE", "CMakeLists.txt", "no/such/file.txt"]

for name in names:
    try:
        text = workspace.read_text(name)
    except FileNotFoundError as error:
        journal.write(f"{name}: missing")
    else:
        number = journal.write(f"{name}: {len(text)} characters")
        print("entry", number, "for", name)
