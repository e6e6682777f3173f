# about: A context manager made by contextlib collects sections; reads inside and between them.
# features: contextmanager with yield, with as, nested function, try/finally in the generator
# latency: workspace.read_text=2 fetch=3
# ideal_units: 3
# ideal_why: all arguments are literals
# v1_units: 7
# v1_why: each with suite is a block of its own
from contextlib import contextmanager

log = []


@contextmanager
def section(name):
    log.append(f"> {name}")
    try:
        yield name.upper()
    finally:
        log.append(f"< {name}")


with section("notes") as label:
    first = workspace.read_text("notes/standup-1.md")
    log.append(f"{label} {len(first)}")
with section("web") as label:
    page = fetch("https://news.example.com/ferry")
    log.append(f"{label} {page.split('.')[0]}")
readme = workspace.read_text("README.md")
print("\n".join(log))
print(readme.splitlines()[0])
