"""The functions of the table: numbers, columns, derivatives, bounds and Python agree."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from splc.arithmetic.functions import TABLE, Function, limits

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
