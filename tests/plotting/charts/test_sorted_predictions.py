"""The predictions of several models over the configurations in ascending order."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from splc.plotting.charts.chart import SERIES, Chart, Curve, Points
from splc.plotting.charts.predictions import JOINED, ascending, sorted_chart


def curve(chart: Chart, role: str) -> Curve:
    """Return the line of a role."""
    (found,) = [mark for mark in chart.panels[0].marks if isinstance(mark, Curve) and mark.role == role]
    return found


@given(st.lists(st.tuples(st.floats(-5, 5), st.integers(0, 3)), min_size=1, max_size=30))
def test_order_ascends(rows: list[tuple[float, int]]) -> None:
    """Configurations ascend by the measured value, equal ones (all, if none is measured) by the first model's."""
    first, measured = (np.array(column, dtype=float) for column in zip(*rows, strict=True))
    values = np.stack([first, -first])
    order = ascending(values, measured)
    pairs = list(zip(measured[order], first[order], strict=True))
    assert pairs == sorted(pairs)
    assert list(first[ascending(values, None)]) == sorted(first)


def test_unmeasured_configurations_come_last() -> None:
    """Values that were not measured come after those that were."""
    values, measured = np.array([[1.0, 2.0, 3.0, 0.0]]), np.array([np.nan, 7.0, 5.0, np.nan])
    assert list(ascending(values, measured)) == [2, 1, 3, 0]


def test_few_configurations_are_joined() -> None:
    """Lines run through the sorted values; the measured ones are below all models."""
    rng = np.random.default_rng(1)
    values, measured = rng.uniform(1, 2, (2, JOINED)), rng.uniform(1, 2, JOINED)
    chart = sorted_chart(["a", "b"], values, measured, "t")
    order = np.argsort(measured)
    assert chart.legend == {"measured": "measured", SERIES[0]: "a", SERIES[1]: "b"}
    assert np.array_equal(curve(chart, SERIES[1]).y, values[1][order])
    assert [mark.role for mark in chart.panels[0].marks if isinstance(mark, Curve)] == ["measured", *SERIES[:2]]


def test_many_configurations_have_medians() -> None:
    """With many configurations, each model has points and a running median, which outliers do not move."""
    values = np.linspace(1, 2, 400)
    outliers = np.where(np.arange(400) % 40 == 5, 100.0, values)
    chart = sorted_chart(["a", "b"], np.stack([values, outliers]), values, "t")
    assert np.abs(curve(chart, SERIES[1]).y - curve(chart, SERIES[0]).y).max() < 0.02
    points = [mark for mark in chart.panels[0].marks if isinstance(mark, Points)]
    assert [len(mark.x) for mark in points] == [400, 400]
    assert "medians of about 8 neighbours" in chart.description


def test_more_models_than_colors() -> None:
    """Models that have no colour of their own are named as left out."""
    chart = sorted_chart([f"m{at}" for at in range(10)], np.ones((10, 3)), None, "t")
    assert len(chart.legend) == len(SERIES)
    assert "2 further models are not drawn" in chart.description
