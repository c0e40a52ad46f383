"""Strict JSON: the values of Python's reader, and every message in full."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from splc.io.json import parse_json, plain_values

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
