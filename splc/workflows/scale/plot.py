"""The plot of `splc scale`: the models of one metric along each parameter."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from splc.data.experiment import DEFAULT_METRIC, Experiment, Key, title
from splc.errors import ConfigurationError, RequestError, listed
from splc.plotting.charts.chart import Chart, joined, spread
from splc.plotting.charts.curves import ScalingCurve, ShareBar, Slice, curve_chart, share_chart
from splc.plotting.charts.effects import surface_chart
from splc.scaling.prediction import LEVEL
from splc.scaling.result import ScalingModel
from splc.types import Array
from splc.workflows.scale.tree import CallTree

Point = Mapping[str, float]

# The most models with curves.
MAX_CURVES = 6
# The most values of a parameter in a surface.
MAX_VALUES = 8
# Without a point to predict, curves end at this multiple of the largest measured value.
BEYOND = 2.0
_STEPS = 60


def scaling_chart(experiment: Experiment, models: Mapping[Key, ScalingModel], target: Point | None) -> Chart:
    """Return the chart of models along each parameter; of a single model of two parameters also over both."""
    metric = metric_text(next(metric for _, metric in models))
    largest = dict(sorted(models.items(), key=lambda item: -_size(item[1], target, experiment))[:MAX_CURVES])
    only = next(iter(largest))
    heading = (title(only) or metric) if len(largest) == 1 else metric
    if len(largest) < len(models):
        heading += f" (the {len(largest)} largest of {len(models):,} call paths)"
    return joined(scaling_charts(experiment, largest, target, "curves"), heading)


def scaling_charts(
    experiment: Experiment, models: Mapping[Key, ScalingModel], target: Point | None, name: str
) -> list[Chart]:
    """Return the charts of models along each parameter, and of a single model of two parameters over both."""
    metric = metric_text(next(metric for _, metric in models))
    varying = [name for name in experiment.parameters if name not in experiment.constant]
    slices = [slice_along(experiment, models, name, target) for name in varying or experiment.parameters[:1]]
    charts = [curve_chart(slices, name, metric)]
    if len(models) == 1 and len(varying) == 2:
        ((key, model),) = models.items()
        charts += _surface(experiment, key, model, target, f"{name}-surface")
    return charts


def ranking_chart(tree: CallTree, top: int, name: str = "shares") -> Chart:
    """Return the chart of the call paths of a metric with the largest shares at a point."""
    ranking = tree.ranking
    labels = [", ".join(f"{name} = {value:g}" for name, value in at.items()) for at in (tree.measured_at, tree.at)]
    heading = f"{metric_text(tree.metric)} at {labels[1]}"
    if top < len(ranking):
        heading += f" (the {top} largest of {len(ranking):,} call paths)"
    bars = [ShareBar(path.callpath, path.share_measured, path.share) for path in ranking[:top]]
    return share_chart(bars, labels[0], labels[1], heading, name)


def metric_text(metric: str) -> str:
    """Return the name of a metric; one without a name is called value."""
    return "value" if metric == DEFAULT_METRIC else metric


def require_one_metric(series: Sequence[Key]) -> None:
    """Raise an error if series have several metrics."""
    metrics = sorted({metric for _, metric in series})
    if len(metrics) > 1:
        raise RequestError(f"a plot has one metric, but there are {listed(metrics)}; choose with --metric", "plot")


def _size(model: ScalingModel, target: Point | None, experiment: Experiment) -> float:
    ends = dict(zip(experiment.parameters, experiment.points.max(axis=0).tolist(), strict=True)) | dict(target or {})
    predicted, *_ = _predicted(model, np.array([[ends[name] for name in model.names]]), bounds=False)
    return -np.inf if np.isnan(predicted[0]) else float(predicted[0])


def slice_along(
    experiment: Experiment, models: Mapping[Key, ScalingModel], parameter: str, target: Point | None
) -> Slice:
    """Return the models along a parameter, where the others have the values with the most measured points."""
    at = experiment.parameters.index(parameter)
    axes = [axis for axis in range(len(experiment.parameters)) if axis != at]
    lines, which, sizes = np.unique(experiment.points[:, axes], axis=0, return_inverse=True, return_counts=True)
    # The last of the longest lines has the largest values.
    longest = len(sizes) - 1 - int(np.argmax(sizes[::-1]))
    rows = np.flatnonzero(which.ravel() == longest)
    fixed = {experiment.parameters[axis]: float(lines[longest, n]) for n, axis in enumerate(axes)}
    x = _axis(experiment.points[rows, at], parameter, models.values(), target)
    varying = {name: value for name, value in fixed.items() if name not in experiment.constant}
    curves = [_curve(experiment, key, model, rows, at, fixed, x) for key, model in models.items()]
    return Slice(parameter, varying, curves)


def _surface(experiment: Experiment, key: Key, model: ScalingModel, target: Point | None, name: str) -> Iterator[Chart]:
    """Yield a model over the two parameters that vary: at measured values, and at the end of curves."""
    at = [index for index, name in enumerate(experiment.parameters) if name not in experiment.constant]
    names = (experiment.parameters[at[0]], experiment.parameters[at[1]])
    mask = ~np.isnan(experiment[key]).all(axis=1)
    points = experiment.points[mask][:, at]
    x, y = (_grid(values, name, target) for name, values in zip(names, points.T, strict=True))
    grids = dict(zip(names, np.meshgrid(x, y), strict=True))
    size = len(x) * len(y)
    fixed = {name: np.full(size, value) for name, value in experiment.constant.items()}
    columns = [grids[name].ravel() if name in grids else fixed[name] for name in model.names]
    predicted = _predicted(model, np.stack(columns, axis=1), bounds=False)[0].reshape(len(y), len(x))
    if np.isnan(predicted).all():
        return
    measured = np.full(predicted.shape, np.nan)
    for point, values in zip(points, experiment[key][mask], strict=True):
        measured[y == point[1], x == point[0]] = np.nanmean(values)
    yield replace(surface_chart(names, x, y, predicted, metric_text(key[1]), measured), name=name)


def _grid(values: Array, parameter: str, target: Point | None) -> Array:
    """Return measured values of a parameter, evenly spread if there are many, and the end of its curve."""
    distinct = np.unique(values)
    return np.unique([*distinct[spread(len(distinct), MAX_VALUES - 1)], _end(distinct, parameter, target)])


def _end(values: Array, parameter: str, target: Point | None) -> float:
    return float(BEYOND * values.max() if target is None else max(target[parameter], values.max()))


def _axis(values: Array, parameter: str, models: Iterable[ScalingModel], target: Point | None) -> Array:
    """Return values of a parameter from the smallest measured one to the end of curves, even on the axis of the plot.

    Two neighbouring values are at each change of behaviour, so that the curve has its jump there.
    """
    low = float(values.min())
    high = _end(values, parameter, target)
    even = np.geomspace(low, high, _STEPS) if low > 0 else np.linspace(low, high, _STEPS)
    changes = [model.change for model in models if model.change is not None and model.changing == parameter]
    jumps = [value for change in changes if low < change < high for value in (change, np.nextafter(change, np.inf))]
    return np.sort(np.concatenate([even, jumps]))


def _curve(
    experiment: Experiment, key: Key, model: ScalingModel, rows: Array, at: int, fixed: Mapping[str, float], x: Array
) -> ScalingCurve:
    values = experiment[key][rows]
    mask = ~np.isnan(values).all(axis=1)
    points = np.stack([x if name not in fixed else np.full(len(x), fixed[name]) for name in model.names], axis=1)
    predicted, lower, upper = _predicted(model, points)
    means = np.array([float(np.nanmean(row)) for row in values[mask]])
    return ScalingCurve(key[0], experiment.points[rows, at][mask], means, x, predicted, lower, upper)


def _predicted(model: ScalingModel, points: Array, *, bounds: bool = True) -> tuple[Array, Array, Array]:
    """Return predictions and the bounds of their intervals at points, NaN where the model has no finite value."""
    x = points[:, 0] if points.shape[1] == 1 else points
    nothing = np.full(len(points), np.nan)
    try:
        return (model.predict(x), *(model.interval(x, LEVEL) if bounds else (nothing, nothing)))
    except ConfigurationError:
        return nothing, nothing, nothing
