"""Where scouting was lost it goes on from the program's own plain values."""
import textwrap

import harness


def run(source, **options):
    source = textwrap.dedent(source)
    plain = harness.Run(source, "p.py", scout=False).run()
    got = harness.Run(source, "p.py", **options).run()
    assert (got.stdout, got.exception, got.bindings, got.world.ordered) == (
        plain.stdout, plain.exception, plain.bindings, plain.world.ordered)
    assert not got.faults
    return plain.now, got


LOST = "import random\nbase = random.Random(4).randint(30, 30)\n"


def test_rest_of_a_loop_is_found_at_its_first_call():
    plain, got = run(LOST + '''
for i, name in enumerate(sorted({"d", "b", "a", "c"})):
    text = fetch(f"https://archive.example.org/item/{base + i}")
    print(name, len(summarize(text, 40)))
''')
    assert plain == 8 and got.now == 2


def test_rest_of_a_function_and_its_caller():
    plain, got = run("# latency: lookup=2\n" + LOST + '''
def weights(k):
    first = lookup("weights", f"w{k}")
    rest = [lookup("weights", f"w{k + j}") for j in range(1, 6)]
    return first, rest

print(weights(base))
print(lookup("rates", random.choice(["USD"])), lookup("chain", f"n{base}"))
''')
    assert plain == 16 and got.now <= 6


def test_while_loop_and_try_around_the_place():
    plain, got = run("# latency: flaky=3\n" + LOST + '''
left, good = [f"part-{base + k}" for k in range(6)], []
try:
    while left:
        name = left.pop()
        good.append(flaky(name))
finally:
    print(good)
''')
    assert plain == 18 and got.now <= 6


def test_frame_is_not_read_where_that_could_be_seen():
    source = LOST + '''
def f(k):
    before = sorted(locals())
    a = lookup("weights", f"w{k}")
    b = lookup("weights", f"w{k + 1}")
    return before, sorted(locals()), a, b
print(f(base))
'''
    plain, got = run(source)
    assert got.now <= plain


def test_hopeless_places_are_given_up():
    _, got = run(LOST + '''
out = []
for i in range(40):
    out.append(lookup("weights", f"w{random.randint(1, 1)}"))
print(len(out))
''')
    assert got.scout.seeds <= 4


def test_objects_that_two_names_share_stay_one():
    _, got = run(LOST + '''
rows = [[base], [base + 1]]
last = rows[-1]
a = lookup("weights", f"w{random.choice([base])}")
last.append(a)
print(summarize(f"{len(rows[1])} rows. And more.", 20), lookup("issues", len(rows[1])))
''')
    assert ("lookup", "{'table':'issues','key':2}") in got.by_key
