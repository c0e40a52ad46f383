"""Strict JSON: the values of Python's reader, and every message in full."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from splc.io.json import getter, parse_json, picked, plain_values

KEYS = st.text(max_size=4)
VALUES: Any = st.recursive(
    st.text(max_size=4) | st.booleans() | st.none() | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=8,
)


@given(VALUES, st.booleans())
def test_values_are_those_of_the_json_module(value: Any, escaped: bool) -> None:
    """A text of Python's writer gives its value again, escaped or not."""
    found = parse_json(json.dumps(value, ensure_ascii=escaped))
    assert found == value
    assert plain_values(found) == value


def test_whole_numbers_are_floats() -> None:
    """Whole numbers of any length are floats, beyond all floats infinite."""
    found = parse_json(f"[3, 1{'0' * 5000}]")
    assert (type(found[0]), found) == (float, [3.0, math.inf])


def test_paired_surrogates_are_one_character() -> None:
    """An escaped pair of surrogates is read as its character."""
    assert parse_json(r'["\ud83d\ude00"]') == ["\U0001f600"]


def test_values_of_numpy_and_of_python() -> None:
    """Arrays, numbers of numpy, tuples and sets become lists and numbers; what is not finite becomes None."""
    value = {1: np.array([1.5, np.nan, -np.inf]), "b": np.int64(3), "c": (1, {2}), "d": frozenset(), "e": math.inf}
    assert plain_values(value) == {"1": [1.5, None, None], "b": 3, "c": [1, [2]], "d": [], "e": None}


@dataclass(frozen=True)
class Part:
    """A part with a name, and maybe others within."""

    name: str
    size: Any = None
    within: Part | None = None


def test_values_of_dataclasses_and_iterators() -> None:
    """A dataclass is an object of its fields; an iterator stays one, whose entries are made when they are needed."""
    assert plain_values([Part("a", np.int64(2), Part("b"))]) == [
        {"name": "a", "size": 2, "within": {"name": "b", "size": None, "within": None}}
    ]
    asked: list[int] = []

    def entries() -> Iterator[Part]:
        for place in range(3):
            asked.append(place)
            yield Part(str(place))

    found = plain_values({"parts": entries()})["parts"]
    assert asked == []
    assert next(found) == {"name": "0", "size": None, "within": None}
    assert asked == [0]


def test_picked_values() -> None:
    """Keys are attributes, items and positions, by path, in the order of the text; a path ends early at None."""
    part = Part("a", {"low": 1, "ends": (2, 3)}, Part("b"))
    found = picked(part, "name, low = size.low, high = size.ends.1, inner = within.name, none = within.within.name")
    assert list(found.items()) == [("name", "a"), ("low", 1), ("high", 3), ("inner", "b"), ("none", None)]
    assert picked(part.size, "low, gone") == {"low": 1, "gone": None}
    assert getter("within.name")(part) == getter(lambda one: one.within.name)(part) == "b"
    with pytest.raises(AttributeError):
        picked(part, "title")
