"""Contracts by decorator, by table, from MCP; tools from what people have; order fuzzing."""
import functools
import random

import pytest

import pysolate
from pysolate import Contract, ToolError, fuzz_orders, mcp, tool
from pysolate.contracts import collect


def test_the_decorator_attaches_a_contract_and_leaves_the_function_alone():
    @tool(effect="pure", cost=2)
    def double(x):
        return 2 * x

    assert double(3) == 6
    assert collect([double])["double"].contract == Contract("pure", cost=2)


def test_a_table_wins_over_decorators_and_names_only_what_is_there():
    @tool(effect="pure")
    def f():
        pass

    assert collect([f], {"f": "open_read"})["f"].contract.effect == "open_read"
    assert collect({"f": (f, {"effect": "pure", "deadline": 2})})["f"].contract.deadline == 2
    with pytest.raises(ValueError, match="a contract names no tool: g"):
        collect([f], {"g": "pure"})


def test_an_unknown_tool_is_an_external_write():
    spec = collect({"f": lambda: 1})["f"]
    assert spec.contract.effect == "external_write" and not spec.contract.may_be_early


@pytest.mark.parametrize("given, why", [
    ("reads", "effect must be one of pure"), ({"effects": "pure"}, "unknown contract field 'effects'"),
    ({"failure": "rare"}, "failure must be"), ({"cost": -1}, "cost must be"), ({"deadline": 0}, "deadline must be"),
    ({"retry": 1.5}, "retry must be"), ({"thread": "any"}, "thread must be"), (3, "a contract is")])
def test_a_bad_contract_says_what_is_wrong(given, why):
    with pytest.raises((TypeError, ValueError), match=why):
        Contract.of(given)


def test_methods_of_an_object():
    class Files:
        def __init__(self):
            self.root = "/"

        @tool(effect="immutable_read")
        def read(self, path):
            return path

        def write(self, path):
            pass

        def _hidden(self):
            pass

    specs = collect({"files": Files()}, {"files.write": "private_write"})
    assert {name: spec.contract.effect for name, spec in specs.items()} == {
        "files.read": "immutable_read", "files.write": "private_write"}
    assert specs["files.read"].perform(specs["files.read"].bind(("a",), {})) == "a"


@pytest.mark.parametrize("function", [
    lambda a, /, b, *c, d=4, **e: (a, b, c, d, e), functools.partial(lambda a, b: (a, b), 1), print, max])
def test_binding_is_pythons_own(function):
    spec = collect({"f": function})["f"]
    for args, kwargs in [((1, 2), {}), ((1,), {"b": 3}), ((1, 2, 3, 4), {"d": 5, "z": 6}), ((), {}), ((1, 2), {"q": 1})]:
        try:
            right = function(*args, **kwargs)
        except TypeError:
            with pytest.raises(TypeError):
                spec.perform(spec.bind(args, kwargs))
        else:
            assert spec.perform(spec.bind(args, kwargs)) == right


# ------------------------------------------------------------------------------------------------------------- MCP

LISTING = {"tools": [
    {"name": "search-issues", "annotations": {"readOnlyHint": True, "openWorldHint": True},
     "inputSchema": {"type": "object", "properties": {"limit": {"type": "integer"}, "query": {"type": "string"}},
                     "required": ["query"]}},
    {"name": "read_file", "annotations": {"readOnlyHint": True, "openWorldHint": False}, "description": "Reads a file.",
     "inputSchema": {"properties": {"path": {}}, "required": ["path"]}},
    {"name": "edit", "annotations": {"openWorldHint": False, "idempotentHint": True}, "inputSchema": {"properties": {"a-b": {}}}},
    {"name": "post", "inputSchema": {}},
]}


def test_hints_of_an_untrusted_server_are_not_believed():
    specs = mcp.tools(LISTING, lambda name, arguments: None)
    assert {s.contract.effect for s in specs.values()} == {"external_write"}


def test_hints_of_a_trusted_server():
    specs = mcp.tools(LISTING, lambda name, arguments: None, trusted=True, prefix="hub")
    assert {name: s.contract.effect for name, s in specs.items()} == {
        "hub.search_issues": "open_read",      # read-only plus open world is no immutable read
        "hub.read_file": "immutable_read", "hub.edit": "private_write", "hub.post": "external_write"}


@pytest.mark.parametrize("hints", [None, {}, {"readOnlyHint": "yes"}, {"destructiveHint": False}, {"idempotentHint": True}])
def test_the_defaults_of_hints_are_the_cautious_ones(hints):
    assert mcp.contract(hints, trusted=True).effect == "external_write"


def test_mcp_calls_pass_only_given_arguments_by_their_names():
    seen = []

    async def call(name, arguments):
        seen.append((name, arguments))
        if name == "post":
            return {"content": [{"type": "text", "text": "quota"}], "isError": True}
        if name == "read_file":
            return {"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}
        return {"content": [], "structuredContent": {"hits": 1}}

    result = pysolate.run("""
print(search_issues("x"), search_issues("y", limit=2), read_file(path="p"), edit(**{"a-b": 1}))
try:
    post()
except Exception as e:
    print(type(e).__name__, e)
try:
    read_file()
except TypeError as e:
    print(e)
edit(1)
""", mcp.tools(LISTING, call, trusted=True))
    assert result.stdout == ("{'hits': 1} {'hits': 1} a\nb {'hits': 1}\nToolError quota\n"
                             "read_file() missing 1 required positional argument: 'path'\n")
    assert isinstance(result.exception, TypeError)
    for request in [("search-issues", {"query": "x"}), ("search-issues", {"query": "y", "limit": 2}),
                    ("read_file", {"path": "p"}), ("edit", {"a-b": 1}), ("post", {})]:
        assert request in seen
    assert issubclass(ToolError, Exception)


# ----------------------------------------------------------------------------------------------------- order fuzzing

SOURCE = """
texts = [fetch(u) for u in "abc"]
log("read")
total = sum(size(t) for t in texts)
log(total)
print(texts, total)
"""


def tools():
    lines = []
    return {"fetch": (lambda u: u * 2, "immutable_read"), "size": (len, "pure"),
            "log": (lambda line: lines.append(line) or len(lines), "external_write")}


def test_all_orders_of_a_sound_program_agree():
    found = fuzz_orders(SOURCE, tools, n=30, speculate=True)
    assert found and str(found) == "all 30 orders agree with the sequential run"


def test_a_tool_that_lies_about_its_effect_is_found_with_the_order_that_shows_it():
    def lying():
        served = []
        return {"fetch": (lambda u: served.append(u) or len(served), "immutable_read"), "log": lambda line: None,
                "size": (lambda t: t, "pure")}

    found = fuzz_orders("print([fetch(u) for u in 'abcdef'])", lying, n=100)
    assert not found
    assert found.difference.field == "stdout" and "order seed" in str(found)
    again = fuzz_orders("print([fetch(u) for u in 'abcdef'])", lying, n=1, seed=found.difference.seed)
    assert again.difference.got == found.difference.got


def test_random_latencies_do_not_change_what_is_seen():
    rng = random.Random(1)
    for _ in range(20):
        units = {name: rng.randint(1, 5) for name in ("fetch", "size", "log")}
        assert fuzz_orders(SOURCE, tools, n=2, latency=units, budget=rng.choice([1, 2, None]))
