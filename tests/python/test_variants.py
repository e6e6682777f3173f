"""A tool whose contract depends on its arguments: a fetch with a budget for each origin, some of them immutable."""
import json
from dataclasses import replace

import pysolate
from pysolate.contracts import Contract, Variants, spec_of

IMMUTABLE = ("https://a.org", "https://c.org")


def fetch(url):
    return url.upper()


def tool():
    spec = spec_of("fetch", fetch, "open_read")

    def of(bound):
        origin = "/".join(bound["url"].split("/")[:3])
        effect = "immutable_read" if origin in IMMUTABLE else "open_read"
        return origin, replace(spec.contract, effect=effect, resource="net " + origin)

    return replace(spec, variants=Variants(of, may_be_early=True))


def run(source, mode="overlap"):
    found = pysolate.run(source, [tool()], latency={"fetch": 1}, classes={"net *": 3}, trace=True, mode=mode)
    assert found.exception is None
    return found


def units(source):
    overlapped, sequential = run(source), run(source, "sequential")
    assert overlapped.stdout == sequential.stdout
    return overlapped.report["makespan"], sequential.report["makespan"]


def test_an_immutable_origin_overlaps_within_its_own_limit():
    assert units("print([fetch(f'https://a.org/{i}') for i in range(8)])") == (3, 8)


def test_another_origin_is_read_when_reached():
    assert units("print([fetch(f'https://b.org/{i}') for i in range(8)])") == (8, 8)
    assert run("print([fetch(f'https://b.org/{i}') for i in range(8)])").report["calls"]["early"] == 0


def test_origins_have_classes_of_their_own():
    found = run("print([fetch(f'https://{host}.org/{i}') for i in range(3) for host in 'ac'])")
    events = [json.loads(line) for line in found.trace.splitlines()]
    classes = {e["class"]: (e["name"], e["limit"]) for e in events if e["k"] == "class"}
    assert sorted(classes.values()) == [("net https://a.org", 3), ("net https://c.org", 3)]
    assert {e["class"] for e in events if e["k"] == "tool" and e["effect"] == "immutable_read"} == set(classes)


def test_an_address_that_is_the_answer_of_another_call():
    assert units("x = fetch('https://a.org/1')\ny = fetch('https://a.org/' + x)\n"
                 "print([fetch('https://c.org/' + y + str(i)) for i in range(3)])") == (3, 5)


def test_wrong_arguments_raise_at_the_call():
    for mode in ("overlap", "sequential"):
        found = pysolate.run("fetch('https://a.org/1', 2)", [tool()], latency={"fetch": 1}, mode=mode)
        assert isinstance(found.exception, TypeError)


def test_the_longest_prefix_gives_the_limit():
    found = pysolate.run("fetch('https://a.org/1')\nfetch('https://c.org/1')", [tool()], latency={"fetch": 1}, trace=True,
                         classes={"net *": 3, "net https://a*": 1, "net https://c.org": 2})
    limits = {e["name"]: e["limit"] for e in map(json.loads, found.trace.splitlines()) if e["k"] == "class"}
    assert limits == {"net https://a.org": 1, "net https://c.org": 2}


def test_a_tool_without_variants_is_as_before():
    assert spec_of("fetch", fetch, Contract(effect="pure")).variants is None
