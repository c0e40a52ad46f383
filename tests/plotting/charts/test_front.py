"""The Pareto front of two properties."""

from __future__ import annotations

import numpy as np

from splc.plotting.charts.chart import Curve, Points
from splc.plotting.charts.curves import front_chart


def test_the_front() -> None:
    """The front is joined in the order of the first property; the measured configurations are points."""
    measured = np.array([[1.0, 100.0], [2.0, 3.0], [2.0, 4.0]])
    chart = front_chart(np.array([[3.0, 1.0], [1.0, 2.0]]), measured, ("a_b", "c"), "t")
    (panel,) = chart.panels
    points, curve = panel.marks
    assert isinstance(points, Points)
    assert isinstance(curve, Curve)
    assert curve.x.tolist() == [1, 3]
    assert curve.y.tolist() == [2, 1]
    assert points.y.tolist() == [100, 3, 4]
    assert (panel.x.log, panel.y.log) == (False, True)
    assert (panel.x.label, panel.y.label) == ("a_b", "c")
    alone = front_chart(measured, np.zeros((0, 2)), ("a", "b"), "t")
    assert alone.legend == {"model": "predicted Pareto front (3 configurations)"}
