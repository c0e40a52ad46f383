"""Suspicious parts of variability models."""

from __future__ import annotations

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


def alternative(name: str, *others: str, optional: bool = False) -> BinaryOption:
    """Return an option that excludes others."""
    return BinaryOption(name, optional=optional, excluded=tuple((other,) for other in others))


def test_without_lines() -> None:
    """Suspicions are stated without a line where it is not known, after the notes of the reader."""
    stated = tuple(parse_boolean(text, NAMES) for text in ("a | b", "a | b", "a & !a"))
    assert suspicions(model(A, B, constraints=stated, notes=("line 9: something",))) == [
        "line 9: something",
        "duplicate constraint 'a | b'",
        "the constraint 'a & !a' can never hold: it has a and its negation",
    ]


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
