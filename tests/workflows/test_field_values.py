"""Values of fields from texts that consist of several parts."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from splc.errors import SpecError
from splc.workflows import fields
from splc.workflows.fields import (
    axes_of,
    bounds_of,
    names_in,
    names_of,
    number_or,
    numbers_of,
    percentage_of,
    point_of,
    points_of,
    texts_of,
    values_of,
)
from tests.support.golden_messages import check_messages

NAMES = st.text("abcx_.()/= -", min_size=1, max_size=6).map(str.strip).filter(bool)
NUMBERS = st.floats(allow_nan=False, allow_infinity=False)


@given(st.dictionaries(NAMES, NUMBERS))
def test_numbers(values: dict[str, float]) -> None:
    """`NAME=NUMBER` gives the number, also where the name contains an equals sign or is set apart by spaces."""
    assert numbers_of([f" {name} ={value!r} " for name, value in values.items()]) == values


@given(st.dictionaries(NAMES.filter(lambda name: "=" not in name), st.lists(NUMBERS, min_size=1)))
def test_axes(values: dict[str, list[float]]) -> None:
    """`NAME=NUMBER,NUMBER` gives all numbers in their order."""
    texts = [f" {name} = {' , '.join(map(repr, numbers))}" for name, numbers in values.items()]
    assert axes_of(texts) == values


@given(st.dictionaries(NAMES, st.tuples(st.none() | NUMBERS, st.none() | NUMBERS)))
def test_bounds(values: dict[str, tuple[float | None, float | None]]) -> None:
    """`NAME=LOW..HIGH` gives both ends; an end that is left out is open."""
    shown: dict[float | None, str] = {None: " "}
    texts = [
        f"{name} ={shown.get(low, repr(low))}..{shown.get(high, repr(high))}" for name, (low, high) in values.items()
    ]
    assert bounds_of(texts) == values


@given(st.lists(st.text("ab c", min_size=1).map(str.strip).filter(bool), min_size=1, unique=True))
def test_names(names: list[str]) -> None:
    """`NAME,NAME` gives the names, also over several texts; spaces around them do not count."""
    assert names_of(" , ".join(names)) == tuple(names)
    assert names_in([f" {names[0]} ", *([", ".join(names[1:])] if names[1:] else [])]) == tuple(names)


def test_texts_and_words() -> None:
    """Spaces around columns, names and values do not count; only the first equals sign separates them."""
    assert values_of([" a b = 1=2 ", "a b=1=2", "c="]) == {"a b": "1=2", "c": ""}
    assert texts_of([" a =1", "a= 2=3 "]) == {"a": "2=3"}
    assert point_of("p=64, n=8") == {"p": 64, "n": 8}
    assert points_of(["p=64,n=8", "p=128"]) == ({"p": 64, "n": 8}, {"p": 128})
    # A word has its value; other texts are whole numbers that are large enough.
    assert [number_or({"all": -1}, 1)(text) for text in ("all", "1", "12")] == [-1, 1, 12]
    assert [percentage_of(text) for text in ("5%", "5", " 0 ", "2.5%")] == [5, 5, 0, 2.5]


def test_wrong_texts() -> None:
    """Wrong texts are refused with the form that is expected."""

    def reject(text: str) -> None:
        function, _, given = text.partition(" ")
        getattr(fields, function)(json.loads(given))

    check_messages("field-values", reject)


@pytest.mark.parametrize(
    ("words", "text", "message"),
    [
        ({"all": 0}, "0", "'0' is neither 'all' nor a positive number"),
        ({"last": 0, "best": 1}, "-1", "'-1' is neither 'last' nor 'best' nor a number"),
    ],
)
def test_wrong_words(words: dict[str, int], text: str, message: str) -> None:
    """A text that is neither a known word nor a number is refused; the message names both."""
    with pytest.raises(SpecError, match=message):
        number_or(words, *([1] if "all" in words else []))(text)
