"""Sets of exponents that settings can state."""

from __future__ import annotations

import math
from ast import literal_eval
from fractions import Fraction

import numpy as np
import pytest

from splc.errors import SpecError
from splc.scaling.exponents import CONSTANT, SETS, Exponents, column, columns, exponents
from splc.scaling.methods import exponent_set
from tests.support.golden_messages import check_messages

HINT = "name 'paper' or 'extrap', or give two sequences: powers, and exponents of the logarithm"


def test_wrong_sets() -> None:
    """A wrong set is an error that says what to give."""
    check_messages("exponents", lambda text: exponent_set(literal_eval(text)))
    with pytest.raises(SpecError, match="the set of exponents is empty"):
        exponent_set([CONSTANT])


def test_terms_without_a_number() -> None:
    """Where a term is too large, or is not defined, its column is not finite, without a warning."""
    x = np.array([0.0, 1.0, 2.0, 1e200])
    assert column(Exponents(Fraction(2), Fraction(0)), x).tolist() == [0.0, 1.0, 4.0, math.inf]
    assert column(Exponents(Fraction(-1), Fraction(0)), x).tolist() == [math.inf, 1.0, 0.5, 1e-200]
    assert column(Exponents(Fraction(0), Fraction(-1)), x)[1:3].tolist() == [math.inf, 1.0]
    assert math.isnan(column(Exponents(Fraction(1), Fraction(1)), x)[0])
    np.testing.assert_array_equal(
        columns([Exponents(Fraction(2), Fraction(0))], x), [column(Exponents(Fraction(2), Fraction(0)), x)]
    )


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
