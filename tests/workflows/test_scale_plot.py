"""The plot of scaling models: slices, curves and their ends."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest

from splc.data.experiment import DEFAULT_METRIC, Experiment, Key
from splc.plotting.scaling import ScalingCurve, Slice, scaling_plot
from splc.scaling import ScalingModel, fit
from splc.types import Array
from splc.workflows.scale import plot as scale_plot
from splc.workflows.scale.plot import picture
from tests.support.pictures import SIGNATURES, capture, texts

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


def drawn(
    monkeypatch: pytest.MonkeyPatch,
    experiment: Experiment,
    models: dict[Key, ScalingModel],
    target: Mapping[str, float] | None = None,
) -> Any:
    """Return what is drawn: slices, metric and title."""
    seen: list[Any] = []
    with monkeypatch.context() as patched:
        patched.setattr(scale_plot, "scaling_plot", lambda *arguments: seen.append(arguments))
        picture(experiment, models, target, "svg")
    return seen[0]


def test_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    """There is a slice per parameter, through the values with the most measured points."""
    (along_p, along_n), metric, title, *_ = drawn(monkeypatch, *profile(POINTS))
    assert (along_p.parameter, dict(along_p.fixed)) == ("p", {"n": 3.0})
    assert (along_n.parameter, dict(along_n.fixed)) == ("n", {"p": 32.0})
    assert (metric, title) == ("time", "time")
    curve = next(each for each in along_p.curves if each.name == "fast0")
    np.testing.assert_allclose(curve.measured_at, [2, 4, 8, 16, 32, 64])
    np.testing.assert_allclose(curve.measured, 1 + 3 * curve.measured_at)
    assert (curve.x[0], curve.x[-1]) == pytest.approx((2, 128))
    np.testing.assert_allclose(curve.predicted, 1 + 3 * curve.x, rtol=1e-6)
    assert (curve.lower <= curve.predicted).all()
    assert (curve.predicted <= curve.upper).all()


def test_target(monkeypatch: pytest.MonkeyPatch) -> None:
    """Curves end at the target, and the largest call paths there are drawn, the largest first."""
    (along_p,), _, title, *_ = drawn(monkeypatch, *profile(POINTS[2::3, :1], 5), {"p": 1024.0})
    assert along_p.curves[0].x[-1] == pytest.approx(1024)
    assert [each.name for each in along_p.curves[:3]] == ["slow4", "fast4", "slow3"]
    assert len(along_p.curves) == 8
    assert title == "time (the 8 largest of 15 call paths)"


def test_surface(monkeypatch: pytest.MonkeyPatch) -> None:
    """A single call path with two parameters that vary has a surface with its measured points; several have none."""
    experiment, models = profile(POINTS)
    key = ("fast0", "time")
    values = experiment[key].copy()
    values[2] = np.nan
    experiment = Experiment(experiment.parameters, POINTS, {**experiment.series, key: values})
    surface = drawn(monkeypatch, experiment, {key: models[key]}, {"p": 256.0, "n": 4.0})[-1]
    assert surface.names == ("p", "n")
    assert (surface.x[0], surface.x[-1], surface.y[0], surface.y[-1]) == pytest.approx((2, 256, 1, 4))
    np.testing.assert_allclose(surface.predicted, 1 + surface.y[:, None] * surface.x, rtol=1e-6)
    assert surface.points.tolist() == np.delete(POINTS, 2, axis=0).tolist()
    np.testing.assert_allclose(surface.measured, 1 + surface.points.prod(axis=1))
    assert drawn(monkeypatch, experiment, models)[-1] is None
    assert drawn(monkeypatch, *profile(POINTS[2::3, :1]))[-1] is None


def test_surface_beside_a_constant_parameter(monkeypatch: pytest.MonkeyPatch) -> None:
    """A parameter with one value is no axis of the surface, and the model is that at its value."""
    points = np.insert(POINTS, 1, 7.0, axis=1)
    values = (1 + POINTS.prod(axis=1))[:, None]
    experiment = Experiment(("p", "c", "n"), points, {("main", "time"): values})
    model = fit(points, values, names=["p", "c", "n"], method="basic")
    surface = drawn(monkeypatch, experiment, {("main", "time"): model})[-1]
    assert surface.names == ("p", "n")
    np.testing.assert_allclose(surface.predicted, 1 + surface.y[:, None] * surface.x, rtol=1e-6)


def test_many_parameters(monkeypatch: pytest.MonkeyPatch) -> None:
    """Five panels with long names are in rows of three, and no label is wider than the space of its panel."""
    side = np.array([1.0, 2.0, 4.0])
    names = [f"parameter_{at}_{'y' * 40}" for at in range(5)]
    curve = ScalingCurve("main", side, side, side, side, side, side)
    slices = [Slice(name, {other: 1e6 for other in names if other != name}, [curve]) for name in names]
    figure = capture(monkeypatch, lambda: scaling_plot(slices, "time", "main", "png"))
    assert len(figure.axes) == 5
    figure.draw_without_rendering()
    labels = [axes.xaxis.label.get_window_extent() for axes in figure.axes]
    assert max(box.width for box in labels) < figure.bbox.width / 3
    assert len({round(box.y0) for box in labels}) == 2


@pytest.mark.parametrize("suffix", SIGNATURES)
def test_picture(suffix: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The picture names parameters, call paths and metric, and is the same each time."""
    experiment, models = profile(POINTS)
    pictures: list[bytes] = []
    figure = capture(monkeypatch, lambda: pictures.append(picture(experiment, models, None, suffix)))
    assert pictures[0].startswith(SIGNATURES[suffix])
    assert {"time", "slow0", "fast0", "flat0", "p   (n = 3)", "n   (p = 32)", "measured"} <= set(texts(figure))
    if suffix == "svg":
        assert picture(experiment, models, None, suffix) == pictures[0]


def test_points_without_values(monkeypatch: pytest.MonkeyPatch) -> None:
    """A point that one call path lacks is not drawn for it, and zero is no place on a logarithmic axis."""
    points = np.array([[0.0], [1.0], [2.0], [40.0]])
    values = np.array([[1.0], [np.nan], [3.0], [41.0]])
    experiment = Experiment(("p",), points, {("main", "time"): values})
    models = {("main", "time"): fit([0.0, 2.0, 40.0], [1.0, 3.0, 41.0], names="p", method="basic")}
    (along_p,), *_ = drawn(monkeypatch, experiment, models)
    assert along_p.curves[0].measured_at.tolist() == [0, 2, 40]
    assert picture(experiment, models, None, "svg")


def test_jump(monkeypatch: pytest.MonkeyPatch) -> None:
    """A change of behaviour is a vertical line at its place: the curve goes through the points on both sides."""
    p = np.arange(1.0, 11.0)
    values = np.where(p <= 5, p**2, 1000 * p)[:, None]
    model = fit(p, values, names="p", segmented=True)
    assert model.change == 5
    (along_p,), *_ = drawn(
        monkeypatch, Experiment(("p",), p[:, None], {("main", "time"): values}), {("main", "time"): model}
    )
    (curve,) = along_p.curves
    jump = int(np.argmax(np.diff(curve.predicted)))
    assert curve.x[jump : jump + 2] == pytest.approx([5, 5], abs=1e-9)
    assert curve.predicted[jump : jump + 2] == pytest.approx([25, 5000])


def test_metric_without_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """A metric without a name is called value in pictures."""
    experiment, models = profile(POINTS)
    nameless = {(path, DEFAULT_METRIC): values for (path, _), values in experiment.series.items()}
    own = {(path, DEFAULT_METRIC): model for (path, _), model in models.items()}
    found = drawn(monkeypatch, Experiment(experiment.parameters, POINTS, nameless), own)
    assert found[1:3] == ("value", "value")
