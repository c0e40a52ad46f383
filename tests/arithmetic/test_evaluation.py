"""The evaluation of trees against Python's arithmetic, exact fractions, powers and roots at zero, and the functions."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from splc.arithmetic.functions import TABLE, Function, evaluate, fraction_of, limits, rounded
from splc.arithmetic.parser import parse
from splc.arithmetic.tokens import MODEL_FUNCTIONS
from tests.support.arithmetic_oracle import UndecidedError, expression, value

COLUMNS = {
    "a": np.array([0.0, 2.0, 3.0, -2.0, 1e-9]),
    "b.c": np.array([0.0, 0.0, 7.0, 0.5, 1.0]),
    "größe": np.array([1.0, 4.0, 0.0, -1.0, 1e9]),
}


@given(st.integers(0, 2**32))
def test_values_are_those_of_pythons_arithmetic(seed: int) -> None:
    """A tree over columns has in each row the value of the tree over numbers, with both rules for zero."""
    random = Random(seed)
    for zero_safe in (False, True):
        tree = parse(" ".join(expression(random)), functions=MODEL_FUNCTIONS)
        found = np.broadcast_to(evaluate(tree, COLUMNS.__getitem__, zero_safe), 5)
        compared = []
        for row, got in enumerate(found.tolist()):
            values = {name: float(column[row]) for name, column in COLUMNS.items()}
            try:
                expected = value(tree, values, zero_safe)
            except UndecidedError:
                continue
            # Rounding errors matter where values cancel out.
            others = [value(tree, values, zero_safe, random) for _ in range(4)]
            if others == pytest.approx([expected] * 4, rel=1e-10, abs=1e-300, nan_ok=True):
                # Signs of infinities depend on the signs of zeros.
                compared.append((got, expected) if math.isfinite(expected) else (abs(got), abs(expected)))
        wanted = [expected for _, expected in compared]
        assert [got for got, _ in compared] == pytest.approx(wanted, rel=1e-9, abs=1e-300, nan_ok=True)


@pytest.mark.parametrize("whole", [0.0, 1.0, -3.0, 1e6])
def test_differences_beyond_rounding_errors_are_rounded(whole: float) -> None:
    """A difference of more than 1e-12, absolute and relative together, is no rounding error."""
    apart = 3e-12 * (1 + abs(whole))
    assert rounded("ceil", np.array([whole + apart, whole - apart])).tolist() == [whole + 1, whole]
    assert rounded("floor", np.array([whole + apart, whole - apart])).tolist() == [whole, whole - 1]


def fractions() -> st.SearchStrategy[tuple[str, Fraction | None]]:
    """Texts of numbers with their exact values; None after a division by zero or a product with zero."""

    def joined(
        left: tuple[str, Fraction | None], operator: str, right: tuple[str, Fraction | None]
    ) -> tuple[str, Fraction | None]:
        text, (a, b) = f"({left[0]} {operator} {right[0]})", (left[1], right[1])
        if a is None or b is None or (operator in "*/" and not (a and b)):
            return text, None
        return text, {"+": a + b, "-": a - b, "*": a * b}[operator] if operator != "/" else a / b

    numbers = st.sampled_from(["0", "1", "2", "3", "0.1", "1.5", "12", "1e-2"]).map(lambda t: (t, Fraction(t)))
    return st.recursive(numbers, lambda inner: st.builds(joined, inner, st.sampled_from("+-*/"), inner), max_leaves=8)


@given(fractions())
def test_fractions_are_exact(case: tuple[str, Fraction | None]) -> None:
    """The value of a tree of numbers is the exact fraction."""
    assert fraction_of(parse(case[0])) == case[1]


POINTS = np.array([0.3, 0.5, 1.0, 1.7, 2.0, 4.4, 7.1])


def functions(has: Callable[[Function], bool] = lambda function: True) -> pytest.MarkDecorator:
    """Return the mark of tests of the functions that have something."""
    return pytest.mark.parametrize("function", [*filter(has, TABLE)], ids=lambda function: function.name)


@functions()
def test_numbers_and_columns(function: Function) -> None:
    """A function has the same values at numbers and at columns."""
    np.testing.assert_allclose(function.values(POINTS), [function.number(x) for x in POINTS.tolist()], rtol=1e-15)


@functions(lambda function: function.slope is not None)
def test_slopes(function: Function) -> None:
    """The slope is the derivative."""
    step = 1e-6
    differences = (function.values(POINTS + step) - function.values(POINTS - step)) / (2 * step)
    assert function.slope is not None
    np.testing.assert_allclose(function.slope(POINTS), differences, rtol=1e-6)


@functions()
def test_limits(function: Function) -> None:
    """All values at an interval are within the limits, which are values at the ends of functions that never fall."""
    for low, high in ((0.3, 7.1), (0.5, 4.4), (1.0, 1.7)):
        least, greatest = limits(function.name, [(low, high)])
        values = function.values(np.linspace(low, high, 1001))
        assert least <= values.min()
        assert values.max() <= greatest
        if function.bounds is None:
            assert (least, greatest) == (function.number(low), function.number(high))


@functions(lambda function: function.base is None and function.power is None)
@pytest.mark.parametrize("module", ["math", "np"])
def test_python(function: Function, module: str) -> None:
    """A function that is no power and no logarithm has its values in Python, too."""
    text = function.python_text("x", module)
    for x in POINTS.tolist():
        assert eval(text, {"math": math, "np": np, "x": x}) == pytest.approx(function.number(x), rel=1e-15)  # noqa: S307
