"""Plain data: what is plain, how it is copied, when two values are the same for a tool."""
import json
import math

import pytest
from hypothesis import given, strategies as st

from pysolate import codec

atoms = (st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary())
hashables = st.recursive(atoms, lambda s: st.tuples(s, s) | st.frozensets(s, max_size=3), max_leaves=6)
plain = st.recursive(atoms, lambda s: st.lists(s, max_size=4) | st.tuples(s, s) | st.dictionaries(hashables, s, max_size=3)
                     | st.sets(hashables, max_size=3) | st.frozensets(hashables, max_size=3), max_leaves=20)


def spelled(value):
    """A text that tells apart what Python can tell apart (bool and int, 0.0 and -0.0, order)."""
    kind = type(value)
    if kind in (list, tuple, set, frozenset):
        return f"{kind.__name__}[{','.join(spelled(x) for x in value)}]"
    if kind is dict:
        return f"dict[{','.join(spelled(k) + ':' + spelled(v) for k, v in value.items())}]"
    return f"{kind.__name__}({value!r})"


@given(plain)
def test_a_copy_is_equal_and_shares_no_container(value):
    made = codec.snapshot(value)
    assert sorted(spelled(made)) == sorted(spelled(value))  # sets may iterate in another order
    if isinstance(value, (list, dict, set)):
        assert made is not value


@given(plain)
def test_tagged_json_carries_every_plain_value(value):
    text = codec.to_json(value)
    json.loads(text)
    assert sorted(spelled(codec.from_json(text))) == sorted(spelled(value))


@given(plain, plain)
def test_keys_are_equal_only_for_values_no_tool_can_tell_apart(a, b):
    if codec.canonical(a) == codec.canonical(b):
        assert spelled(a) == spelled(b)
    assert codec.canonical(a) == codec.canonical(a)


@pytest.mark.parametrize("a, b", [(1, True), (1, 1.0), (0.0, -0.0), ("a", b"a"), ([1], (1,)), ({1}, frozenset({1})),
                                  ({"a": 1, "b": 2}, {"b": 2, "a": 1}), ("i", ("i",)), (None, "None"), ((), []),
                                  (("i", 1), 1)])
def test_values_with_different_keys(a, b):
    assert codec.canonical(a) != codec.canonical(b)


def test_nan_equals_itself_as_an_argument():
    assert codec.canonical(math.nan) == codec.canonical(float("nan"))


def test_a_copy_keeps_aliases():
    one = [1]
    made = codec.snapshot([one, one])
    assert made[0] is made[1] and made[0] is not one


class Text(str):
    def __eq__(self, other):
        raise AssertionError("code of the value ran")

    __hash__ = str.__hash__
    __repr__ = __eq__


def cycle():
    value = []
    value.append(value)
    return value


def bush():
    value = []
    for _ in range(90):
        value = [value, value]
    return value


@pytest.mark.parametrize("value", [Text("x"), [Text("x")], {Text("x"): 1}, object(), cycle(), 1j, range(3), bytearray(b"x")],
                         ids=["str subclass", "inside a list", "as a key", "object", "cycle",
                              "complex", "range", "bytearray"])
def test_what_is_not_plain(value):
    assert not codec.is_plain(value)
    with pytest.raises(codec.NotPlain):
        codec.canonical(value)
    with pytest.raises(codec.NotPlain):
        codec.to_json(value)
    codec.preview(value)


def test_a_small_value_that_spells_out_endlessly_is_refused_and_counted_once():
    value = bush()
    assert codec.is_plain(value)
    assert codec.size(value) < 10_000
    with pytest.raises(codec.NotPlain):
        codec.canonical(value)


@given(plain)
def test_previews_are_short_and_valid_utf8(value):
    text = codec.preview(value)
    assert len(text) <= codec.PREVIEW_POINTS
    text.encode("utf-8")


def test_previews_say_that_they_are_cut_and_hide_what_must_be_hidden():
    assert codec.preview("x" * 500).endswith("…")
    assert codec.preview_arguments({"user": "ida", "password": "hunter2"}, ("password",)) == (
        "user='ida', password=<redacted>")
    assert codec.preview_arguments({"password": "hunter2"}, True) == "<redacted>"
