"""The plot of scaling models: slices, curves and their ends."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import pytest

from splc.data.experiment import DEFAULT_METRIC, Experiment, Key
from splc.plotting.charts.chart import Chart, Curve, Points
from splc.plotting.charts.drawing import chart_file
from splc.scaling import ScalingModel, fit
from splc.types import Array
from splc.workflows.scale.tree import MAX_CURVES, MAX_VALUES, Point, scaling_chart, scaling_charts, slice_along

POINTS = np.array([(p, n) for p in (2.0, 4.0, 8.0, 16.0, 32.0) for n in (1.0, 2.0, 3.0)] + [(64.0, 3.0)])
FUNCTIONS: dict[str, Callable[[Array, Array], Array]] = {
    "slow": lambda p, n: 50 + p,
    "fast": lambda p, n: 1 + p * n,
    "flat": lambda p, n: 3 + 0 * p,
}


def profile(points: Array, count: int = 1) -> tuple[Experiment, dict[Key, ScalingModel]]:
    """Return an experiment with three kinds of call paths, each as often as asked for, and its models."""
    names = ("p", "n")[: points.shape[1]]
    n = points[:, 1] if points.shape[1] == 2 else np.ones(len(points))
    exact = {f"{name}{at}": f(points[:, 0], n) * (1 + at) for at in range(count) for name, f in FUNCTIONS.items()}
    series = {(name, "time"): np.stack([0.99 * values, 1.01 * values], axis=1) for name, values in exact.items()}
    models = {key: fit(points, values, names=list(names), method="basic") for key, values in series.items()}
    return Experiment(names, points, series), models


def test_slices() -> None:
    """There is a slice per parameter, through the values with the most measured points."""
    experiment, models = profile(POINTS)
    along_p, along_n = (slice_along(experiment, models, name, None) for name in "pn")
    assert (along_p.parameter, dict(along_p.fixed)) == ("p", {"n": 3.0})
    assert (along_n.parameter, dict(along_n.fixed)) == ("n", {"p": 32.0})
    curve = next(each for each in along_p.curves if each.name == "fast0")
    np.testing.assert_allclose(curve.measured_at, [2, 4, 8, 16, 32, 64])
    np.testing.assert_allclose(curve.measured, 1 + 3 * curve.measured_at)
    assert (curve.x[0], curve.x[-1]) == pytest.approx((2, 128))
    np.testing.assert_allclose(curve.predicted, 1 + 3 * curve.x, rtol=1e-6)
    assert (curve.lower <= curve.predicted).all()
    assert (curve.predicted <= curve.upper).all()
    chart = scaling_chart(experiment, models, None)
    assert chart.title == "time"
    assert [panel.x.label for panel in chart.panels] == 3 * ["p, n = 3"] + 3 * ["n, p = 32"]


def test_target() -> None:
    """Curves end at the target, and the largest call paths there are drawn, the largest first."""
    experiment, models = profile(POINTS[2::3, :1], 5)
    chart = scaling_chart(experiment, models, {"p": 1024.0})
    curves = [mark for mark in chart.panels[0].marks if isinstance(mark, Curve)]
    assert curves[0].x[-1] == pytest.approx(1024)
    assert [panel.title for panel in chart.panels[:3]] == ["slow4", "fast4", "slow3"]
    assert len(chart.panels) == MAX_CURVES
    assert chart.title == f"time (the {MAX_CURVES} largest of 15 call paths)"


def surface(experiment: Experiment, models: Mapping[Key, ScalingModel], target: Point | None) -> Chart | None:
    """Return the chart over two parameters, None if there is none."""
    return next((each for each in scaling_charts(experiment, models, target, "t") if each.name == "t-surface"), None)


def test_surface() -> None:
    """A single call path with two parameters that vary has a surface with its measured values; several have none."""
    experiment, models = profile(POINTS)
    key = ("fast0", "time")
    values = experiment[key].copy()
    values[2] = np.nan
    experiment = Experiment(experiment.parameters, POINTS, {**experiment.series, key: values})
    chart = surface(experiment, {key: models[key]}, {"p": 256.0, "n": 4.0})
    assert chart is not None
    p, n, predicted, measured = (np.array(chart.table[name]) for name in ("p", "n", "time", "measured"))
    assert set(p) == {2, 4, 8, 16, 32, 64, 256}
    assert set(n) == {1, 2, 3, 4}
    np.testing.assert_allclose(predicted, 1 + n * p, rtol=1e-6)
    known = np.isfinite(measured)
    assert {*zip(p[known], n[known], strict=True)} == {*map(tuple, np.delete(POINTS, 2, axis=0).tolist())}
    np.testing.assert_allclose(measured[known], 1 + (p * n)[known])
    (points,) = [mark for mark in chart.panels[0].marks if isinstance(mark, Points)]
    assert len(points.x) == known.sum()
    assert surface(experiment, models, None) is None
    assert surface(*profile(POINTS[2::3, :1]), None) is None


def test_surface_beside_a_constant_parameter() -> None:
    """A parameter with one value is no axis of the surface, and the model is that at its value."""
    points = np.insert(POINTS, 1, 7.0, axis=1)
    values = (1 + POINTS.prod(axis=1))[:, None]
    experiment = Experiment(("p", "c", "n"), points, {("main", "time"): values})
    model = fit(points, values, names=["p", "c", "n"], method="basic")
    chart = surface(experiment, {("main", "time"): model}, None)
    assert chart is not None
    p, n, predicted = (np.array(chart.table[name]) for name in ("p", "n", "time"))
    np.testing.assert_allclose(predicted, 1 + n * p, rtol=1e-6)


def test_surface_of_many_values() -> None:
    """Of many values of a parameter some have cells, among them the smallest, the largest and the end of the curve."""
    points = np.array([(p, n) for p in range(1, 41) for n in (1, 2)], dtype=float)
    experiment, models = profile(points)
    key = ("fast0", "time")
    chart = surface(experiment, {key: models[key]}, None)
    assert chart is not None
    values = set(chart.table["p"])
    assert len(values) == MAX_VALUES
    assert {1, 40, 80} <= values


def test_points_without_values() -> None:
    """A point that one call path lacks is not drawn for it, and zero is no place on a logarithmic axis."""
    points = np.array([[0.0], [1.0], [2.0], [40.0]])
    values = np.array([[1.0], [np.nan], [3.0], [41.0]])
    experiment = Experiment(("p",), points, {("main", "time"): values})
    models = {("main", "time"): fit([0.0, 2.0, 40.0], [1.0, 3.0, 41.0], names="p", method="basic")}
    assert slice_along(experiment, models, "p", None).curves[0].measured_at.tolist() == [0, 2, 40]
    assert chart_file(scaling_chart(experiment, models, None), "svg")


def test_jump() -> None:
    """A change of behaviour is a vertical line at its place: the curve goes through the points on both sides."""
    p = np.arange(1.0, 11.0)
    values = np.where(p <= 5, p**2, 1000 * p)[:, None]
    model = fit(p, values, names="p", segmented=True)
    assert model.change == 5
    experiment = Experiment(("p",), p[:, None], {("main", "time"): values})
    (curve,) = slice_along(experiment, {("main", "time"): model}, "p", None).curves
    jump = int(np.argmax(np.diff(curve.predicted)))
    assert curve.x[jump : jump + 2] == pytest.approx([5, 5], abs=1e-9)
    assert curve.predicted[jump : jump + 2] == pytest.approx([25, 5000])


def test_metric_without_name() -> None:
    """A metric without a name is called value in pictures."""
    experiment, models = profile(POINTS)
    nameless = {(path, DEFAULT_METRIC): values for (path, _), values in experiment.series.items()}
    own = {(path, DEFAULT_METRIC): model for (path, _), model in models.items()}
    chart = scaling_chart(Experiment(experiment.parameters, POINTS, nameless), own, None)
    assert (chart.title, chart.panels[0].y.label) == ("value", "value")
