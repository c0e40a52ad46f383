"""Option values that consist of several parts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest
import typer
from hypothesis import given
from hypothesis import strategies as st

from splc.cli.arguments import (
    axes_of,
    bounds_of,
    names_in,
    names_of,
    numbers_of,
    percentage_of,
    request_of,
    scheduler_of,
    texts_of,
    values_of,
)

NAMES = st.text("abcx_.()/= -", min_size=1, max_size=6).map(str.strip).filter(bool)
NUMBERS = st.floats(allow_nan=False, allow_infinity=False)


@given(st.dictionaries(NAMES, NUMBERS))
def test_numbers(values: dict[str, float]) -> None:
    """`NAME=NUMBER` gives the number, also where the name contains an equals sign or is set apart by spaces."""
    assert numbers_of([f" {name} ={value!r} " for name, value in values.items()], "--at") == values


@given(st.dictionaries(NAMES.filter(lambda name: "=" not in name), st.lists(NUMBERS, min_size=1)))
def test_axes(values: dict[str, list[float]]) -> None:
    """`NAME=NUMBER,NUMBER` gives all numbers in their order."""
    texts = [f" {name} = {' , '.join(map(repr, numbers))}" for name, numbers in values.items()]
    assert axes_of(texts, "--axis") == values


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
    assert names_of(" , ".join(names), "--by") == names
    assert names_in([f" {names[0]} ", *([", ".join(names[1:])] if names[1:] else [])], "--free") == tuple(names)


def test_values() -> None:
    """Spaces around columns and values do not count; only the first equals sign separates them."""
    assert values_of([" a b = 1=2 ", "a b=1=2", "c="], "--where") == {"a b": "1=2", "c": ""}
    assert texts_of([" a =1", "a= 2=3 "], "--parameter") == {"a": "2=3"}


@pytest.mark.parametrize("nothing", [numbers_of, values_of, texts_of, axes_of, names_of, percentage_of])
def test_options_that_are_not_given(nothing: Callable[[None, str], object]) -> None:
    """Options that are not given have no parts."""
    assert not nothing(None, "--at")


@pytest.mark.parametrize(("text", "number"), [("5%", 5), ("5", 5), (" 0 ", 0), ("2.5%", 2.5)])
def test_percentages(text: str, number: float) -> None:
    """A percentage may be 0, and needs no sign."""
    assert percentage_of(text, "--until") == number


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: numbers_of(["a"], "--x"), "'a' is not NAME=NUMBER"),
        (lambda: numbers_of(["1"], "--x"), "'1' is not NAME=NUMBER"),
        (lambda: numbers_of([" =1"], "--x"), "' =1' is not NAME=NUMBER"),
        (lambda: numbers_of(["a=inf"], "--x"), "'a=inf' is not NAME=NUMBER"),
        (lambda: numbers_of(["a=1", "a =1"], "--x"), "a is given twice"),
        (lambda: values_of(["a"], "--x"), "'a' is not COLUMN=VALUE"),
        (lambda: values_of([" =1"], "--x"), "' =1' is not COLUMN=VALUE"),
        (lambda: values_of(["a=1", "a=2"], "--x"), "a is given twice, with different values"),
        (lambda: texts_of(["a"], "--x"), "'a' is not NAME=VALUE"),
        (lambda: texts_of([" =1"], "--x"), "' =1' is not NAME=VALUE"),
        (lambda: names_of("a, ", "--x"), "'a, ' is not NAME,NAME…"),
        (lambda: names_in(["a", ""], "--x"), "a name is missing; write --x NAME,NAME"),
        (lambda: names_in(["a,b", "c,b"], "--x"), "b is given twice"),
        (lambda: axes_of(["a=1,"], "--x"), "'a=1,' is not NAME=NUMBER,NUMBER…"),
        (lambda: axes_of(["=1"], "--x"), "'=1' is not NAME=NUMBER,NUMBER…"),
        (lambda: axes_of(["1"], "--x"), "'1' is not NAME=NUMBER,NUMBER…"),
        (lambda: axes_of(["a=1", "a=2"], "--x"), "a is given twice"),
        (lambda: bounds_of(["a=1.5"]), "'a=1.5' is not NAME=LOW..HIGH, such as alpha=1e-8..1e-5"),
        (lambda: bounds_of(["1..2"]), "'1..2' is not NAME=LOW..HIGH, such as alpha=1e-8..1e-5"),
        (lambda: bounds_of(["=1..2"]), "'=1..2' is not NAME=LOW..HIGH, such as alpha=1e-8..1e-5"),
        (lambda: bounds_of(["a=1..nan"]), "'a=1..nan' is not NAME=LOW..HIGH, such as alpha=1e-8..1e-5"),
        (lambda: bounds_of(["a=1..2", "a=1..2"]), "a is given twice"),
        (lambda: percentage_of("-0.1", "--x"), "'-0.1' is not a percentage of at least 0, such as 5%"),
        (lambda: percentage_of("5%%", "--x"), "'5%%' is not a percentage of at least 0, such as 5%"),
        (lambda: scheduler_of("local", "tcp://x"), "a scheduler needs --backend dask"),
    ],
)
def test_wrong_texts(call: Callable[[], object], message: str) -> None:
    """Wrong texts are refused with the form that is expected and the option."""
    with pytest.raises(typer.BadParameter) as refused:
        call()
    assert refused.value.message == message
    assert refused.value.param_hint in {"--x", "--bound", "--scheduler"}


def test_schedulers() -> None:
    """Dask without a scheduler starts one here; other backends have none."""
    assert (scheduler_of("dask", None), scheduler_of("dask", "tcp://x"), scheduler_of("local", None)) == (
        "local",
        "tcp://x",
        None,
    )


@dataclass(frozen=True)
class Request:
    """A request with an option of each kind."""

    at: dict[str, float]
    where: dict[str, str]
    options: tuple[str, ...]
    sampling: tuple[str, ...] = ()
    seed: int = 7


def test_requests() -> None:
    """A request has the values of the options, its own defaults for those not given, and what was converted."""
    given = {"at": ["x=2"], "where": ["v=1"], "options": ["a,b", "c"], "sampling": ["ff"], "seed": None, "other": 1}
    assert request_of(Request, given, ("other",)) == Request({"x": 2.0}, {"v": "1"}, ("a", "b", "c"), ("ff",), 7)
    with pytest.raises(TypeError, match="Request has no field for json, other"):
        request_of(Request, {**given, "json": False})
    assert request_of(Request, {"seed": 0}, sampling=("x",)) == Request({}, {}, (), ("x",), 0)
    with pytest.raises(typer.BadParameter, match="has the JSON object already") as refused:
        request_of(Request, {"json": True, "output": "-"}, ("json", "output"))
    assert refused.value.param_hint == "--output"
    assert request_of(Request, {"json": True, "output": "x"}, ("json", "output")).seed == 7
