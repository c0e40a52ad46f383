"""Powers and roots at zero and below it."""

from __future__ import annotations

import pytest

from splc.arithmetic.functions import evaluate
from splc.arithmetic.parser import parse


@pytest.mark.parametrize(
    ("base", "exponent", "value"),
    [(-2, -1, -0.5), (-2, -2, 0.25), (0, -1, 0.0), (0, 0, 1.0), (3, 2, 9.0), (2, -1, 0.5)],
)
def test_negative_powers(base: float, exponent: float, value: float) -> None:
    """Only zero to a negative power is 0 instead of infinite, not a negative number to such a power."""
    tree = parse("x ^ y")
    assert float(evaluate(tree, {"x": base, "y": exponent}.__getitem__, zero_safe=True)) == value
