"""Summaries of measurements."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from splc.data.configurations import Configurations
from splc.data.measurements import Measurements
from splc.data.summary import drift_of, summary_of
from splc.system.options import NumericOption
from splc.system.variability import VariabilityModel
from splc.types import Array

SYSTEM = VariabilityModel("s", (NumericOption("x", tuple(map(float, range(400)))),))


def measured(values: list[list[float]], *, first: int = 0, name: str = "time") -> Measurements:
    """Return measurements of the configurations from x = first on."""
    count = len(values)
    configurations = Configurations(SYSTEM, np.arange(first, first + count)[:, np.newaxis])
    return Measurements(configurations, {name: np.array(values)})


def test_counts() -> None:
    """Configurations, values and repetitions are counted; missing values are none."""
    parts = [measured([[1, 2, math.nan], [math.nan] * 3]), measured([[5], [7]])]
    found = summary_of(parts)
    assert found.configurations == 2
    (time,) = found.properties
    assert (time.minimum, time.maximum, time.configurations, time.values) == (1, 7, 2, 4)
    assert (time.least_repetitions, time.most_repetitions) == (1, 2)


def test_no_values() -> None:
    """A property without a value has no range."""
    (time,) = summary_of([measured([[math.nan]])]).properties
    assert math.isnan(time.minimum)
    assert (time.configurations, time.most_repetitions, time.scatter, time.drift) == (0, 0, None, None)


def test_properties_of_some_parts() -> None:
    """A property that only some parts have is summarised from those."""
    found = summary_of([measured([[1.0]]), measured([[2.0], [3.0]], name="size")])
    assert [(each.name, each.configurations) for each in found.properties] == [("time", 1), ("size", 2)]


def test_scatter() -> None:
    """The scatter is the median relative standard deviation of repetitions."""
    values: list[list[float]] = [[1, 3], [10, 10], [4, 4.5], [7, math.nan], [0, 0]]
    (time,) = summary_of([measured(values)]).properties
    expected = [np.std(row, ddof=1) / np.mean(row) for row in values[:3]]
    assert time.scatter == pytest.approx(np.median(expected))


def test_negative_values() -> None:
    """The scatter of negative values is positive, and values that become larger rise."""
    (time,) = summary_of([measured([[-1, -3], [-10, -10], [-4, -4.5]])]).properties
    assert time.scatter == pytest.approx(np.std([4, 4.5], ddof=1) / 4.25)
    found = drift_of([np.array([[-4.0, -3.0, -2.0]])])
    assert found is not None
    assert (found.rising, found.change) == (1, 0.5)


def test_dropped_rows() -> None:
    """Rows without a valid configuration do not count as rows."""
    part = measured([[1.0], [2.0]])
    report = replace(part.report, rows=5, invalid=((2, "wrong"), (4, "wrong"), (5, "wrong")))
    assert summary_of([replace(part, report=report), replace(part, report=report)]).rows == 4


def kendall(rows: list[list[float]]) -> tuple[int, float]:
    """Return the score of all rows, and its probability over all orders of each row, by brute force."""

    def score(row: tuple[float, ...]) -> int:
        return sum(int(np.sign(b - a)) for a, b in itertools.combinations(row, 2))

    own = sum(score(tuple(row)) for row in rows)
    every = [sum(map(score, orders)) for orders in itertools.product(*(itertools.permutations(row) for row in rows))]
    return own, float(np.mean([abs(each) >= abs(own) for each in every]))


@given(st.lists(st.lists(st.integers(0, 3), min_size=3, max_size=3), min_size=2, max_size=4))
def test_brute_force(rows: list[list[float]]) -> None:
    """The probability is near the share of orders of the repetitions with such a trend, and never far below it."""
    found = drift_of([np.array(rows, dtype=float)])
    score, exact = kendall(rows)
    if all(len(set(row)) == 1 for row in rows):
        assert found is None
        return
    assert found is not None
    unequal = sum(a != b for row in rows for a, b in itertools.combinations(row, 2))
    assert found.rising == pytest.approx((unequal + score) / (2 * unequal))
    assert found.probability == pytest.approx(exact, abs=0.13)


def test_level() -> None:
    """Without a drift about 5 % of tables have a probability below 5 %."""
    rng = np.random.default_rng(0)
    found = [drift_of([rng.normal(size=(60, 3))]) for _ in range(400)]
    share = np.mean([each is not None and each.probability < 0.05 for each in found])
    assert 0.02 < share < 0.09


def drifting(slope: float) -> Array:
    """Return the repetitions of very different configurations, each run later by this share slower."""
    rng = np.random.default_rng(1)
    base = rng.uniform(1, 1000, (200, 1))
    return base * (1 + slope * np.arange(3) + 0.02 * rng.normal(size=(200, 3)))


def test_drift() -> None:
    """A drift of less than the scatter is found, with its direction and size; its absence is not reported."""
    rising, none, falling = (drift_of([drifting(slope)]) for slope in (0.01, 0.0, -0.01))
    assert rising is not None
    assert none is not None
    assert falling is not None
    assert (rising.significant, none.significant, falling.significant) == (True, False, True)
    assert rising.change == pytest.approx(0.02, abs=0.005)
    assert rising.rising > 0.6
    assert falling.rising < 0.4


def test_gaps_have_no_effect() -> None:
    """Missing repetitions between others change nothing."""
    table = drifting(0.01)
    gaps = np.full((200, 6), np.nan)
    gaps[:, [0, 3, 5]] = table
    assert drift_of([gaps]) == drift_of([table])


def test_parts_are_strata() -> None:
    """Rows in several tables count as rows of one."""
    table = drifting(0.01)
    assert drift_of([table[:50], table[50:]]) == drift_of([table])
