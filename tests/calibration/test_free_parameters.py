"""Free parameters: rows, units, start values and bounds."""

from __future__ import annotations

import math

import pytest

from splc.calibration.free_parameters import Free, free_parameters, with_scale
from splc.models.subexpressions import Parameter
from tests.support.calibration_problems import BENCHMARKED, LINEAR, read, tabled

INF = math.inf


def number(value: float) -> Parameter:
    """Return a parameter with this value."""
    return Parameter("p", (value,), (value,), (value,))


def table(*values: float) -> Parameter:
    """Return a table with these rows."""
    return Parameter("t", values, values, values, "px", tuple(float(key) for key in range(len(values))))


def test_scale_is_benchmarked_to_be_one() -> None:
    """The factor on a model has exactly the value 1, without an interval, and is only added where it is free."""
    model = read(LINEAR, BENCHMARKED)
    assert with_scale(model, ("alpha",)) == model
    assert with_scale(model, ("scale",)).derived[-1] == Parameter("scale", (1.0,), (1.0,), (1.0,))


@pytest.mark.parametrize(
    ("value", "bound", "low", "high", "unit", "start"),
    [
        (2.0, (None, None), 0.0, INF, 2.0, 1.0),
        (0.0, (None, None), 0.0, INF, 1.0, 0.0),
        (-2.0, (None, None), -INF, INF, 2.0, -1.0),
        (2.0, (3.0, None), 3.0, INF, 2.0, 1.5),
        (2.0, (None, 1.0), 0.0, 1.0, 2.0, 0.5),
        (2.0, (None, 0.0), -INF, 0.0, 2.0, 0.0),
        (2.0, (None, -1.0), -INF, -1.0, 2.0, -0.5),
        (-2.0, (-1.0, None), -1.0, INF, 2.0, -0.5),
    ],
)
def test_default_bounds(
    value: float, bound: tuple[float | None, float | None], low: float, high: float, unit: float, start: float
) -> None:
    """A parameter is at least 0, unless its value or its upper bound is not; the start is its value, within bounds."""
    model = read("alpha * nx", {"alpha": value}, ("alpha",))
    for guessed in (False, True):
        [one] = free_parameters(model, ("alpha",), ("alpha",) if guessed else (), {"alpha": bound})
        assert (one.low, one.high, one.unit, one.start) == (low, high, unit, start)
        assert one.benchmarked == (None if guessed else value)
        assert one.name == "alpha"


def test_rows_of_a_table() -> None:
    """The factor 1 gives a table as it is, other factors and intervals are those of all rows."""
    [one] = free_parameters(read("alpha * nx", tabled(1), ("alpha",)), ("alpha",), (), {"alpha": (4e-6, 8e-6)})
    assert (one.row, one.unit, one.benchmarked) == (2, 4e-6, 4e-6)
    assert one.shape == pytest.approx((0.0, 3e-6, 4e-6, 5e-6))
    doubled = one.at(2.0, (1.0, 3.0), 0.9)
    assert doubled.values_of == pytest.approx((0.0, 6e-6, 8e-6, 10e-6))
    assert doubled.low == pytest.approx(one.shape)
    assert doubled.high == pytest.approx((0.0, 9e-6, 12e-6, 15e-6))
    assert (doubled.levels, doubled.determined) == ((0.9,), True)
    alone = one.at(2.0)
    assert alone.low == alone.high == alone.values_of == doubled.values_of
    assert (alone.levels, alone.determined) == ((), False)
    assert one.at(2.0, (1.0, 3.0)).levels == ()


def test_intervals_of_negative_rows() -> None:
    """The lower end of an interval is below the upper one also in rows of negative values."""
    changed = Free(table(-2.0, 1.0, 3.0), 1.0, 1, 1.0, 0.0, INF).at(2.0, (1.0, 3.0), 0.9)
    assert changed.values_of == (-4.0, 2.0, 6.0)
    assert (changed.low, changed.high) == ((-6.0, 1.0, 3.0), (-2.0, 3.0, 9.0))
    negative = Free(number(-2.0), -2.0, 0, 2.0, -INF, INF).at(-1.0, (-2.0, -0.5), 0.9)
    assert (negative.values_of, negative.low, negative.high) == ((-2.0,), (-4.0,), (-1.0,))
