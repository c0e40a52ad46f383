"""Sets of exponents that settings can state."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from splc.errors import SpecError
from splc.scaling.exponents import CONSTANT, SETS, Exponents, exponents
from splc.scaling.methods import exponent_set

HINT = "name 'paper' or 'extrap', or give two sequences: powers, and exponents of the logarithm"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("papers", "unknown set of exponents 'papers'"),
        (5, "5 is not a set of exponents"),
        (b"paper", "b'paper' is not a set of exponents"),
        ([[1], [0], [2]], "[[1], [0], [2]] is not a set of exponents"),
        (["1", "0"], "['1', '0'] is not a set of exponents"),
        ([CONSTANT], "the set of exponents is empty"),
        ([[0], [0]], "the set of exponents is empty"),
    ],
)
def test_wrong_sets(given: Any, message: str) -> None:
    """A wrong set is an error that says what to give."""
    with pytest.raises(SpecError) as caught:
        exponent_set(given)
    (problem,) = caught.value.problems
    assert (problem.message, problem.hint) == (message, HINT)


def test_sets_of_exponents() -> None:
    """A set is named, given as powers and exponents of the logarithm, or as its elements; the constant is no term."""
    assert exponent_set("paper") is SETS["paper"]
    assert set(exponent_set([[0, "1/2", 1], (0, 1)])) == {
        Exponents(Fraction(power), Fraction(log)) for power, log in ((0, 1), ("1/2", 0), ("1/2", 1), (1, 0), (1, 1))
    }
    assert exponent_set([CONSTANT, exponents(0.5), exponents(1, 2)]) == (
        (Fraction(1, 2), Fraction(0)),
        (Fraction(1), Fraction(2)),
    )
