"""Suspicious parts of variability models."""

from __future__ import annotations

import pytest

from sampling.space.suspicions import suspicions
from splc.arithmetic.tokens import NameTable
from splc.system.constraints import parse_arithmetic, parse_boolean
from splc.system.options import BinaryOption, NumericOption, Presentation
from splc.system.variability import VariabilityModel

NAMES = NameTable({name: name for name in "abcx"})
A, B, C = (BinaryOption(name) for name in "abc")
X = NumericOption("x", (1.0, 2.0))


def model(*options: BinaryOption | NumericOption, **rest: object) -> VariabilityModel:
    """Return a model of these options."""
    return VariabilityModel("m", options, **rest)  # type: ignore[arg-type]


def boolean(text: str, line: int | None = None) -> VariabilityModel:
    """Return a model with one boolean constraint."""
    return model(A, B, C, constraints=(parse_boolean(text, NAMES, line),))


def alternative(name: str, *others: str, optional: bool = False) -> BinaryOption:
    """Return an option that excludes others."""
    return BinaryOption(name, optional=optional, excluded=tuple((other,) for other in others))


@pytest.mark.parametrize(
    ("suspect", "expected"),
    [
        (
            model(BinaryOption("a", excluded=(("b", "c"),), line=3), B, C),
            "line 3: a excludes b | c as one group, which has no effect; list each name by itself",
        ),
        (model(BinaryOption("a", excluded=(("a",),))), "a excludes itself, which has no effect"),
        (model(BinaryOption("a", implied=(("a", "b"),), line=3), B), "line 3: a implies itself, which has no effect"),
        (
            model(NumericOption("x", (1.0, 2.0), presentation=Presentation(" -x "), line=4)),
            "line 4: x: outputString '-x' is never printed; a numeric option prints its prefix, value and postfix "
            "(noOutput alone has an effect)",
        ),
        (
            model(BinaryOption("a", implied=(("b", "c"),), excluded=(("b",), ("c",))), B, C),
            "a implies options that it excludes (b | c) and can never be selected",
        ),
        (
            model(BinaryOption("a", optional=False, excluded=(("b",), ("c",)), line=5), B, C),
            "line 5: a is not optional, but excludes options that are not its alternatives (b, c): "
            "it is in effect optional",
        ),
        (
            model(alternative("a", "b"), alternative("b", "c"), alternative("c")),
            "the alternatives a, b, c do not all exclude each other: a and c",
        ),
        (
            model(NumericOption("x", (1.0, 2.0), deselected_flag=2.0)),
            "x: deselectedFlag 2 is one of its values, which files cannot distinguish from deselected",
        ),
        (model(NumericOption("x", (1.5,), line=2)), "line 2: x has only one value, 1.5"),
        (
            model(NumericOption("x", (0.0, 4.0, 8.0), step="n + 4", maximum=10.0)),
            "x: the steps do not reach maxValue 10; the last value is 8 (SPL Conqueror goes one step beyond maxValue)",
        ),
        (
            model(BinaryOption("a-b"), BinaryOption("ab"), BinaryOption("c-d")),
            "SPL Conqueror cannot distinguish a-b, ab: it reads each of them as 'ab'",
        ),
        (boolean("a | !a", 7), "line 7: the constraint 'a | !a' always holds: it has a and its negation"),
        (boolean(" a & !a & b"), "the constraint 'a & !a & b' can never hold: it has a and its negation"),
        (
            model(A, B, constraints=(parse_boolean("a | b", NAMES, 1), parse_boolean("a | b", NAMES, 2))),
            "line 2: duplicate constraint 'a | b' (line 1)",
        ),
        (
            model(A, B, constraints=(parse_boolean("a | b", NAMES), parse_boolean("a | b", NAMES))),
            "duplicate constraint 'a | b'",
        ),
        (
            model(A, X, constraints=(parse_arithmetic("x / a * x > 2", NAMES, line=3),)),
            "line 3: the constraint 'x / a * x > 2' is read as in SPL Conqueror: a / b * c is a / (b * c); "
            "add parentheses",
        ),
        (model(A, notes=("line 9: something",)), "line 9: something"),
    ],
)
def test_each(suspect: VariabilityModel, expected: str) -> None:
    """Each suspicious construct is stated once, with its line where that is known."""
    assert suspicions(suspect) == [expected]


def test_no_output() -> None:
    """A numeric option may state that it prints nothing; values and flags that differ are no mistake."""
    plain = NumericOption("x", (1.0, 2.0), deselected_flag=0.0, presentation=Presentation(" noOutput "))
    assert suspicions(model(plain, NumericOption("y", (1.0, 2.0), step="n + 1"))) == []
    assert suspicions(model(NumericOption("y", (1.0, 2.0), maximum=3.0))) == []


def test_nothing_suspicious() -> None:
    """An ordinary model is not suspicious."""
    group = (alternative("a", "b"), alternative("b", "a"))
    constraints = (parse_boolean("!a | b", NAMES), parse_arithmetic("x * 2 / a < 3", NAMES))
    assert suspicions(model(*group, C, X, constraints=constraints)) == []
