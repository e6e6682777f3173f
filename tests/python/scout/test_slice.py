"""Only what calls' arguments depend on is computed: which statements a scout leaves out, and what that saves."""
import ast

import pytest

import harness
from pysolate.scout.slice import Slice

TOOLS = ("fetch", "lookup", "pay", "workspace")

# Statements left out are marked by `# out` on their first line; what stands inside of one is out with it.
PROGRAMS = {
    "computing beside reads": '''
texts, total = [], 0
for i in range(10):
    texts.append(fetch(f"part {i}"))
    for k in range(1_000_000):  # out
        total += k * k % 7
    total += len([x for x in range(200_000) if x % 3])  # out
print(len(texts), total)  # out
''',
    "computing that an argument depends on": '''
key = 0
for k in range(1000):
    key += k * k % 7
other = sum(range(1000))  # out
fetch(f"part {key}")
''',
    "a condition that decides about a call": '''
n = 0
for k in range(100):
    n += k % 3
if n > 10:
    fetch("many")
    print(n)  # out
''',
    "the same name for two loops": '''
for i in range(10):
    fetch(i)
for i in range(1_000_000):  # out
    total = i
''',
    "a value that is bound anew before it is used": '''
x = sum(range(1000))  # out
x = 5
fetch(x)
''',
    "a list that has two names": '''
rows = []
same = rows
for k in range(100):
    same.append(k)
fetch(rows[0])
''',
    "a list inside of another": '''
table = {"a": [], "b": 0}
row = table["a"]
for k in range(100):
    row.append(k)
fetch(table["a"][0])
''',
    "a function that changes what it is given": '''
def fill(into, n):
    for k in range(n):
        into.append(k)
rows, others = [], []
fill(rows, 100)
fetch(rows[0])
''',
    "a helper that reaches a tool": '''
def helper(n):
    total = sum(range(n))  # out
    return fetch(n)
def other(n):
    return helper(n)
for k in range(10):
    other(k)
''',
    "a tool in a variable": '''
ask = fetch
todo = [ask, print]
for f in todo:
    f("x")
''',
    "a tool handed to a function": '''
def apply(f, x):
    return f(x)
for k in range(3):
    apply(fetch, k)
''',
    "a lazy stream of reads": '''
stream = (fetch(k) for k in range(5))
mapped = map(fetch, range(5))
for text in stream:
    print(text)
for text in mapped:
    print(text)
''',
    "a class whose methods read": '''
class Client:
    def get(self, n):
        return fetch(n)
client = Client()
for k in range(3):
    client.get(k)
''',
    "recursion": '''
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)
a = fib(25)  # out
b = fib(20)
fetch(b)
''',
    "a loop that may leave": '''
def first(xs):
    for x in xs:
        if x > 3:
            return x
for k in range(5):
    n = k  # out
    if k > 3:
        break
    fetch(k)
for k in range(5):  # out
    if k > 3:
        break
fetch(first([1, 2, 5]))
''',
    "an exception that is raised on purpose": '''
def check(n):
    if n < 0:
        raise ValueError(n)
n = 3
check(n)
fetch("x")
''',
    "an exception that may be handled": '''
try:
    n = int("x")
    print(n)
except ValueError:
    fetch("fallback")
try:  # out
    m = int("y")
except ValueError:
    m = 0
''',
    "a global that a function reads": '''
base = 0
for k in range(100):
    base += k
def ask(n):
    return fetch(base + n)
ask(1)
''',
    "a global that a function changes": '''
count = 0
def step():
    global count
    count += 1
for k in range(5):
    step()
fetch(count)
''',
    "while": '''
n, m = 0, 0
while n < 5:
    m += n  # out
    n += 1
    fetch(n)
while m < 1000:  # out
    m += 1
''',
    "reflection: nothing is sure": '''
total = 0
for k in range(100):
    total += k
fetch(eval("total"))
''',
    "a tool behind an operator: nothing is sure": '''
class Page:
    def __add__(self, other):
        return fetch(other)
total = 0
for k in range(100):
    total += k
''',
    "writes count as reads do": '''
total = 0
for k in range(100):
    total += k
pay(total)
''',
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_statements_left_out(name):
    source = PROGRAMS[name]
    expected = {n for n, text in enumerate(source.split("\n"), 1) if text.endswith("# out")}
    assert {s.lineno for s in Slice(ast.parse(source), TOOLS).skip} == expected


COMPUTING = '''
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)

texts, total = [], 0
for i in range(10):
    texts.append(fetch(f"https://archive.example.org/item/{i}"))
    for k in range(3_000):
        total += k * k % 7
    total += len([x for x in range(2_000) if x % 3])
    total += fib(10)
print(len(texts), total)
'''


def test_computing_costs_no_steps_and_hides_no_read():
    run = harness.Run(COMPUTING, "p.py").run()
    assert run.exception is None and run.early_taken == 10
    used = run.scout.limits.steps - run.scout.steps_left
    assert used < 1000, used
    one = run.latency.units("fetch", {"url": "https://archive.example.org/item/1"})
    assert run.now < 3 * max(one, 1), "all ten at once"


def test_a_mistake_of_the_slice_is_only_waste():
    source = PROGRAMS["computing that an argument depends on"].replace("fetch(f", "embed(f")
    plain = harness.Run(source, "p.py", scout=False).run()
    run = harness.Run(source, "p.py")
    run.scout.skip = frozenset(run.tree.body)             # everything
    run.run()
    assert (run.stdout, run.exception, run.bindings) == (plain.stdout, plain.exception, plain.bindings)


def test_a_long_computation_holds_up_only_what_depends_on_it():
    source = '''
key = 0
for k in range(4_000):
    key += k * k % 7
fetch(f"https://archive.example.org/item/{key}")
for i in range(5):
    fetch(f"https://archive.example.org/item/{i}")
print(key)
'''
    run = harness.Run(source, "p.py")
    run.run()
    asked = [order for _, _, site, _, _, order in run.log]
    lines = [site[0] for _, _, site, _, _, _ in run.log]
    assert lines == [5, 7, 7, 7, 7, 7] and len(set(asked)) == 6
    assert run.early_taken == 6 and not run.faults

    run = harness.Run(source, "p.py", limits=harness.Limits(turn_steps=8_000))
    run.run()                                             # too much to be computed ahead: the five are early all the same
    assert run.early_taken == 5 and not run.faults
