"""The steps from one prediction to another."""

from __future__ import annotations

import math

import numpy as np
import pytest

from splc.plotting.charts.chart import BarMarks, Chart
from splc.plotting.charts.influences import MAX_BARS, waterfall_chart


def bars_of(chart: Chart) -> BarMarks:
    """Return the bars of a chart."""
    (bars,) = [mark for mark in chart.panels[0].marks if isinstance(mark, BarMarks)]
    return bars


def test_steps_of_a_sum() -> None:
    """Each bar begins where the one before ends; the last is the prediction, and steps of 0 are left out."""
    chart = waterfall_chart([("a", 5.0), ("b", -2.0), ("c", 0.0)], 10.0, ("mean", "this"), "s")
    bars = bars_of(chart)
    assert chart.panels[0].y.names == ("mean", "a", "b", "this")
    assert list(zip(bars.start, bars.end, strict=True)) == [(10, 10), (10, 15), (15, 13), (13, 13)]
    assert bars.texts == ("10", "+5", "−2", "13")
    assert bars.roles == ("quiet", "rise", "fall", "quiet")


def test_factors() -> None:
    """The steps of a product multiply; what exceeds the most steps is one step."""
    steps = [(f"t{place}", math.log(2)) for place in range(MAX_BARS + 3)]
    chart = waterfall_chart(steps, 1.0, ("mean", "this"), "s", product=True)
    bars = bars_of(chart)
    assert chart.panels[0].x.log
    assert bars.end[-1] == pytest.approx(2.0 ** (MAX_BARS + 3))
    assert chart.panels[0].y.names[-2] == "3 more terms"
    assert bars.texts[-2:-1] == ("× 8",)


@pytest.mark.parametrize("product", [True, False])
def test_without_steps(product: bool) -> None:
    """Equal predictions have a picture, and huge factors a finite axis."""
    chart = waterfall_chart([], 4.0, ("mean", "this"), "s", product=product)
    assert bars_of(chart).texts == ("4", "4")
    huge = waterfall_chart([("x", 900.0)], 1.0, ("mean", "this"), "s", product=True)
    assert np.isfinite([huge.panels[0].x.low, huge.panels[0].x.high]).all()
