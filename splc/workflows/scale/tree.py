"""The call paths of scaling models by their share at a point, as a tree and a ranking; charts of models and shares."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from splc.data.measurements import DEFAULT_METRIC, Experiment, Key, title
from splc.errors import ConfigurationError, plural
from splc.formats.experiments.extrap import SEPARATOR
from splc.io.numbers import small_share
from splc.plotting.charts.chart import Chart, joined, spread
from splc.plotting.charts.curves import ScalingCurve, ShareBar, Slice, curve_chart, share_chart
from splc.plotting.charts.effects import surface_chart
from splc.scaling.result import LEVEL, ScalingModel, predictions
from splc.types import Array
from splc.workflows.note import Note
from splc.workflows.scaling_view import number, point_text
from splc.workflows.views import ALL_IN_JSON, Column, Rows, View, columns, interval_column

Point = Mapping[str, float]
Models = Mapping[Key, ScalingModel]

# Call paths with a smaller share of the total, and lines beyond this number, are not printed.
_MIN_SHARE, _MAX_LINES = 1.0, 60


@dataclass(frozen=True)
class CallPath:
    """A call path at a point, and at the largest measured values."""

    callpath: str  # its name
    depth: int  # the number of call paths above it
    predicted: float | None  # the value without the calls inside; None without a model that has a finite value there
    lower: float | None  # the lower bound of the interval; None where it was not asked for, as the upper one
    upper: float | None  # the upper bound
    share: float  # the share of `predicted` in the total, in percent
    share_measured: float  # the same at the largest measured values
    total: float  # the value with the calls inside
    total_share: float  # the share of `total`, in percent


@dataclass(frozen=True)
class CallTree:
    """The call paths of a metric at a point."""

    metric: str  # the metric
    at: Point  # the point, parameter → value
    measured_at: Point  # the largest measured values
    total: float  # the sum of all call paths at the point
    callpaths: tuple[CallPath, ...]  # the call paths, each after its caller, those with the largest totals first

    @property
    def ranking(self) -> list[CallPath]:
        """The call paths with a prediction, by their share at the point."""
        return sorted([path for path in self.callpaths if path.predicted is not None], key=lambda path: -path.share)


def call_trees(experiment: Experiment, models: Models, at: Point, *, inclusive: bool, top: int) -> tuple[CallTree, ...]:
    """Return the call tree of each metric at a point."""
    trees = []
    largest = largest_of(experiment)
    for metric in dict.fromkeys(metric for _, metric in models):
        own = {path: model for (path, of), model in models.items() if of == metric}
        parents = _parents(own)
        # Of each model the prediction at the point, and at the largest measured values.
        found = zip(own, predictions([*own.values()], [at, largest], with_intervals=False), strict=True)
        by_path = {path: [one.predicted for one in both] for path, both in found}
        predicted, measured = ({path: both[place] for path, both in by_path.items()} for place in (0, 1))
        values, totals = _values(parents, predicted, inclusive)
        own_measured, totals_measured = _values(parents, measured, inclusive)
        roots = [path for path, parent in parents.items() if parent is None]
        total, total_measured = (sum(sums[path] for path in roots) for sums in (totals, totals_measured))
        children: dict[str | None, list[str]] = {}
        for path, parent in parents.items():
            children.setdefault(parent, []).append(path)
        ranked = sorted((path for path in own if values[path] is not None), key=lambda path: -(values[path] or 0.0))
        # Values without the calls inside are differences of models, which have no interval.
        intervals = {} if inclusive else {path: _interval(own[path], at) for path in ranked[:top]}
        callpaths: list[CallPath] = []
        stack = [(path, 0) for path in sorted(roots, key=totals.__getitem__)]
        while stack:
            path, depth = stack.pop()
            shares = _share(values[path], total), _share(own_measured[path], total_measured)
            facts = (*intervals.get(path, (None, None)), *shares, totals[path], _share(totals[path], total))
            callpaths.append(CallPath(path, depth, values[path], *facts))
            stack += [(child, depth + 1) for child in sorted(children.get(path, ()), key=totals.__getitem__)]
        trees.append(CallTree(metric, dict(at), largest, total, tuple(callpaths)))
    return tuple(trees)


def largest_of(experiment: Experiment) -> dict[str, float]:
    """Return parameter → its largest measured value."""
    return dict(zip(experiment.parameters, experiment.points.max(axis=0).tolist(), strict=True))


def tree_notes(experiment: Experiment, trees: Iterable[CallTree], *, inclusive: bool) -> tuple[Note, ...]:
    """Return notes on negative predictions, and on values that include, or may include, those of calls inside."""
    notes = []
    for tree in trees:
        series = [path for path in tree.callpaths if (path.callpath, tree.metric) in experiment.series]
        negative = sum(path.predicted is not None and path.predicted < 0 for path in tree.callpaths)
        unknown = sum(path.predicted is None for path in series)
        below = plural(negative, "call path is", "call paths are") + " predicted to be negative"
        without = plural(unknown, "call path has", "call paths have") + " no prediction"
        counts = ((negative, below), (unknown, without))
        notes += [Note(f"{tree.metric}: {text} and counted as 0") for count, text in counts if count]
        totals = {path.callpath: path.total for path in tree.callpaths}
        # By more than 1 %.
        less = sum(inside > 1.01 * totals[path] for path, inside in _sums_inside(totals).items())
        if inclusive and less:
            subject = plural(less, "call path", "call paths")
            text = f"{tree.metric}: the models of {subject} predict less than those of the calls inside"
            notes.append(Note(f"{text}, so that shares do not add up; values without the calls inside avoid this"))
        means: dict[str, float] = {}
        for path in tree.callpaths:
            values = experiment.series.get((path.callpath, tree.metric))
            if values is not None and not np.isnan(values).all():
                # A mean of very large values is infinite.
                with np.errstate(over="ignore"):
                    means[path.callpath] = float(np.nanmean(values))
        inside_means = _sums_inside(means)
        if not inclusive and inside_means and all(means[path] >= total for path, total in inside_means.items()):
            text = f"{tree.metric}: every call path takes at least as much as the calls inside of it together"
            notes.append(Note(f"{text}; if its values include them, use --inclusive", warning=True))
    return tuple(notes)


def _parents(paths: Iterable[str]) -> dict[str, str | None]:
    """Return call path → its caller, callers first; with callers that have no values themselves."""
    parents: dict[str, str | None] = {}
    for path in paths:
        parent: str | None = None
        steps = path.split(SEPARATOR)
        for depth in range(1, len(steps) + 1):
            prefix = SEPARATOR.join(steps[:depth])
            parents.setdefault(prefix, parent)
            parent = prefix
    return parents


def _values(
    parents: Mapping[str, str | None], predicted: Mapping[str, float | None], inclusive: bool
) -> tuple[dict[str, float | None], dict[str, float]]:
    """Return the values of call paths without and with the calls inside; negative ones count as 0 in sums."""
    values = {path: max(predicted.get(path) or 0.0, 0.0) for path in parents}
    sums = dict.fromkeys(parents, 0.0)
    totals = {}
    # Callees come after their callers.
    for path in reversed(list(parents)):
        is_known = predicted.get(path) is not None
        totals[path] = values[path] if inclusive and is_known else values[path] + sums[path]
        parent = parents[path]
        if parent is not None:
            sums[parent] += totals[path]
    if not inclusive:
        return {path: predicted.get(path) for path in parents}, totals
    exclusive = {path: None if predicted.get(path) is None else max(totals[path] - sums[path], 0.0) for path in parents}
    return exclusive, totals


def _share(value: float | None, total: float) -> float:
    return 100 * (max(value or 0.0, 0.0) / total) if total > 0 else 0.0


def _interval(model: ScalingModel, at: Point) -> tuple[float, float]:
    _, lower, upper = _predicted(model, np.array([[at[name] for name in model.names]]))
    return float(lower[0]), float(upper[0])


def _sums_inside(values: Mapping[str, float]) -> dict[str, float]:
    """Return the sum of the values of the calls directly inside each call path that has some."""
    inside: dict[str, float] = {}
    for path, value in values.items():
        caller = path.rpartition(SEPARATOR)[0]
        if caller in values:
            inside[caller] = inside.get(caller, 0.0) + value
    return inside


CALLS = (
    Column("call path", lambda row: "  " * row.depth + row.callpath.rpartition(SEPARATOR)[2]),
    *columns("total", number),
    *columns("share = total_share", small_share),
    Column("without calls", lambda row: None if row.predicted is None else row.share, small_share),
)
RANKING = (
    *columns("rank = 0, call path = 1.callpath"),
    Column("predicted", lambda entry: entry[1].predicted or 0.0, number),
    interval_column("90 % interval", "1.lower", "1.upper", number),
    *columns("share = 1.share, measured share = 1.share_measured", small_share),
)


def view_of_trees(trees: Sequence[CallTree], top: int) -> View:
    """Yield, for each metric, the call tree and the ranking of its call paths."""
    for index, tree in enumerate(trees):
        if index:
            yield ""
        metric = "" if tree.metric == DEFAULT_METRIC else f"{tree.metric} "
        yield f"{metric}at {point_text(tree.at)}, and at the largest measured values, {point_text(tree.measured_at)}:"
        if any(row.depth for row in tree.callpaths):
            yield ""
            shown = [row for row in tree.callpaths if row.total_share >= _MIN_SHARE][:_MAX_LINES]
            yield Rows(shown, CALLS)
            if hidden := len(tree.callpaths) - len(shown):
                yield f"… {hidden:,} more, with less than {_MIN_SHARE:g} % or beyond {_MAX_LINES} lines ({ALL_IN_JSON})"
        yield ""
        share = sum(row.share for row in tree.ranking[top:])
        yield Rows(enumerate(tree.ranking, 1), RANKING, top, f"{small_share(share)} together; --top N")


MAX_CURVES = 6  # the most models with curves
MAX_VALUES = 8  # the most values of a parameter in a surface
# Without a point to predict, curves end at this multiple of the largest measured value.
BEYOND = 2.0
_STEPS = 60


def scaling_chart(experiment: Experiment, models: Models, target: Point | None) -> Chart:
    """Return the chart of models along each parameter; of a single model of two parameters also over both."""
    metric = metric_text(next(metric for _, metric in models))
    largest = dict(sorted(models.items(), key=lambda item: -_size(item[1], target, experiment))[:MAX_CURVES])
    heading = (title(next(iter(largest))) or metric) if len(largest) == 1 else metric
    if len(largest) < len(models):
        heading += f" (the {len(largest)} largest of {len(models):,} call paths)"
    return joined(scaling_charts(experiment, largest, target, "curves"), heading)


def scaling_charts(experiment: Experiment, models: Models, target: Point | None, name: str) -> list[Chart]:
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


def _size(model: ScalingModel, target: Point | None, experiment: Experiment) -> float:
    ends = largest_of(experiment) | dict(target or {})
    predicted, *_ = _predicted(model, np.array([[ends[name] for name in model.names]]), bounds=False)
    return -np.inf if np.isnan(predicted[0]) else float(predicted[0])


def slice_along(experiment: Experiment, models: Models, parameter: str, target: Point | None) -> Slice:
    """Return the models along a parameter, where the others have the values with the most measured points."""
    at = experiment.parameters.index(parameter)
    axes = [axis for axis in range(len(experiment.parameters)) if axis != at]
    lines, which, sizes = np.unique(experiment.points[:, axes], axis=0, return_inverse=True, return_counts=True)
    # The last of the longest lines has the largest values.
    longest = len(sizes) - 1 - int(np.argmax(sizes[::-1]))
    rows = np.flatnonzero(which.ravel() == longest)
    fixed = {experiment.parameters[axis]: float(lines[longest, n]) for n, axis in enumerate(axes)}
    # From the smallest measured value to the end of curves, even on the axis of the plot, with two neighbouring values
    # at each change of behaviour, so that the curve has its jump there.
    low, high = float(experiment.points[rows, at].min()), _end(experiment.points[rows, at], parameter, target)
    even = np.geomspace(low, high, _STEPS) if low > 0 else np.linspace(low, high, _STEPS)
    changes = [model.change for model in models.values() if model.change is not None and model.changing == parameter]
    jumps = [value for change in changes if low < change < high for value in (change, np.nextafter(change, np.inf))]
    x = np.sort(np.concatenate([even, jumps]))
    curves = []
    for key, model in models.items():
        values = experiment[key][rows]
        mask = ~np.isnan(values).all(axis=1)
        points = np.stack([x if name not in fixed else np.full(len(x), fixed[name]) for name in model.names], axis=1)
        means = np.array([float(np.nanmean(row)) for row in values[mask]])
        curves.append(ScalingCurve(key[0], experiment.points[rows, at][mask], means, x, *_predicted(model, points)))
    varying = {name: value for name, value in fixed.items() if name not in experiment.constant}
    return Slice(parameter, varying, curves)


def _surface(experiment: Experiment, key: Key, model: ScalingModel, target: Point | None, name: str) -> Iterator[Chart]:
    """Yield a model over the two parameters that vary: at measured values, and at the end of curves."""
    at = [index for index, name in enumerate(experiment.parameters) if name not in experiment.constant]
    names = (experiment.parameters[at[0]], experiment.parameters[at[1]])
    mask = ~np.isnan(experiment[key]).all(axis=1)
    points = experiment.points[mask][:, at]
    axes = []
    for name_of_axis, values in zip(names, points.T, strict=True):
        distinct = np.unique(values)
        chosen = distinct[spread(len(distinct), MAX_VALUES - 1)]
        axes.append(np.unique([*chosen, _end(distinct, name_of_axis, target)]))
    x, y = axes
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


def _end(values: Array, parameter: str, target: Point | None) -> float:
    return float(BEYOND * values.max() if target is None else max(target[parameter], values.max()))


def _predicted(model: ScalingModel, points: Array, *, bounds: bool = True) -> tuple[Array, Array, Array]:
    """Return predictions and the bounds of their intervals at points, NaN where the model has no finite value."""
    x = points[:, 0] if points.shape[1] == 1 else points
    nothing = np.full(len(points), np.nan)
    try:
        return (model.predict(x), *(model.interval(x, LEVEL) if bounds else (nothing, nothing)))
    except ConfigurationError:
        return nothing, nothing, nothing
