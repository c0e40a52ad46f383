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
        (model(BinaryOption("a", excluded=(("b", "c"),), line=3), B, C), "line 3: a excludes b | c as one group"),
        (model(BinaryOption("a", excluded=(("a",),))), "a excludes itself"),
        (model(BinaryOption("a", implied=(("a", "b"),)), B), "a implies itself"),
        (
            model(NumericOption("x", (1.0, 2.0), presentation=Presentation("-x"))),
            "x: outputString '-x' is never printed",
        ),
        (model(BinaryOption("a", implied=(("b",),), excluded=(("b",),)), B), "a implies options that it excludes"),
        (model(alternative("a", "b"), B), "a is not optional, but excludes options that are not its alternatives"),
        (model(alternative("a", "b"), alternative("b", "c"), alternative("c")), "a and c"),
        (model(NumericOption("x", (1.0, 2.0), deselected_flag=2.0)), "deselectedFlag 2 is one of its values"),
        (model(NumericOption("x", (1.0,))), "x has only one value, 1"),
        (model(NumericOption("x", (0.0, 4.0, 8.0), step="n + 4", maximum=10.0)), "do not reach maxValue 10"),
        (model(BinaryOption("a-b"), BinaryOption("ab")), "SPL Conqueror cannot distinguish a-b, ab"),
        (boolean("a | !a", 7), "line 7: the constraint 'a | !a' always holds"),
        (boolean("a & !a & b"), "can never hold"),
        (model(A, B, constraints=(parse_boolean("a | b", NAMES),) * 2), "there is twice"),
        (model(A, X, constraints=(parse_arithmetic("x / a * x > 2", NAMES),)), "add parentheses"),
        (model(A, notes=("line 9: something",)), "line 9: something"),
    ],
)
def test_each(suspect: VariabilityModel, expected: str) -> None:
    """Each suspicious construct is pointed out once, with its line where that is known."""
    if expected == "there is twice":
        suspect = model(A, B, constraints=(parse_boolean("a | b", NAMES, 1), parse_boolean("a | b", NAMES, 2)))
        expected = "line 2: duplicate constraint 'a | b' (line 1)"
    found = [text for text in suspicions(suspect) if expected in text]
    assert len(found) == 1


def test_nothing_suspicious() -> None:
    """An ordinary model is not suspicious."""
    group = (alternative("a", "b"), alternative("b", "a"))
    constraints = (parse_boolean("!a | b", NAMES), parse_arithmetic("x * 2 / a < 3", NAMES))
    assert suspicions(model(*group, C, X, constraints=constraints)) == []
