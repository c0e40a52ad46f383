"""The call tree of scaling models: the share of each call path in a metric at a point, and the call paths by share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from splc.data.experiment import Experiment, Key
from splc.errors import ConfigurationError, plural
from splc.formats.experiments.cube import SEPARATOR
from splc.scaling.prediction import LEVEL
from splc.scaling.result import ScalingModel
from splc.workflows.note import Note


@dataclass(frozen=True)
class CallPath:
    """A call path at a point, and at the largest measured values.

    Attributes:
        callpath: its name.
        depth: the number of call paths above it.
        predicted: the value without the calls inside; None without a model that has a finite value there.
        lower: the lower bound of the interval; None where it was not asked for, as the upper one.
        upper: the upper bound.
        share: the share of `predicted` in the total, in percent.
        share_measured: the same at the largest measured values.
        total: the value with the calls inside.
        total_share: the share of `total`, in percent.
    """

    callpath: str
    depth: int
    predicted: float | None
    lower: float | None
    upper: float | None
    share: float
    share_measured: float
    total: float
    total_share: float


@dataclass(frozen=True)
class CallTree:
    """The call paths of a metric at a point.

    Attributes:
        metric: the metric.
        at: the point, parameter → value.
        measured_at: the largest measured values.
        total: the sum of all call paths at the point.
        callpaths: the call paths, each after its caller, those with the largest totals first.
    """

    metric: str
    at: Mapping[str, float]
    measured_at: Mapping[str, float]
    total: float
    callpaths: tuple[CallPath, ...]

    @property
    def ranking(self) -> list[CallPath]:
        """The call paths with a prediction, by their share at the point."""
        known = [each for each in self.callpaths if each.predicted is not None]
        return sorted(known, key=lambda each: -each.share)


def call_trees(
    experiment: Experiment,
    models: Mapping[Key, ScalingModel],
    at: Mapping[str, float],
    *,
    inclusive: bool,
    top: int,
) -> tuple[CallTree, ...]:
    """Return the call tree of each metric at a point.

    Args:
        experiment: the measurements.
        models: the models.
        at: the point, parameter → value.
        inclusive: whether values include those of the calls inside.
        top: the number of call paths with the largest shares that get an interval.
    """
    return tuple(
        _tree(
            experiment,
            metric,
            {path: model for (path, own), model in models.items() if own == metric},
            at,
            inclusive,
            top,
        )
        for metric in dict.fromkeys(metric for _, metric in models)
    )


def tree_notes(experiment: Experiment, trees: Iterable[CallTree], *, inclusive: bool) -> tuple[Note, ...]:
    """Return notes on negative predictions, and on values that include, or may include, those of calls inside."""
    found = []
    for tree in trees:
        negative = sum(each.predicted is not None and each.predicted < 0 for each in tree.callpaths)
        unknown = sum(
            (each.callpath, tree.metric) in experiment.series and each.predicted is None for each in tree.callpaths
        )
        if negative:
            what = plural(negative, "call path is", "call paths are")
            found.append(Note(f"{tree.metric}: {what} predicted to be negative and counted as 0"))
        if unknown:
            what = plural(unknown, "call path has", "call paths have")
            found.append(Note(f"{tree.metric}: {what} no prediction and counted as 0"))
        if inclusive and (less := _exceeded(tree)):
            what = plural(less, "call path", "call paths")
            text = f"{tree.metric}: the models of {what} predict less than those of the calls inside"
            found.append(Note(f"{text}, so that shares do not add up; values without the calls inside avoid this"))
        if not inclusive and _seems_inclusive(experiment, tree):
            text = f"{tree.metric}: every call path takes at least as much as the calls inside of it together"
            found.append(Note(f"{text}; if its values include them, use --inclusive", warning=True))
    return tuple(found)


def _tree(
    experiment: Experiment,
    metric: str,
    models: Mapping[str, ScalingModel],
    at: Mapping[str, float],
    inclusive: bool,
    top: int,
) -> CallTree:
    largest = dict(zip(experiment.parameters, experiment.points.max(axis=0).tolist(), strict=True))
    parents = _parents(models)
    predicted, measured = (
        {path: _prediction(model, point) for path, model in models.items()} for point in (at, largest)
    )
    own, totals = _values(parents, predicted, inclusive)
    own_measured, totals_measured = _values(parents, measured, inclusive)
    roots = [path for path, parent in parents.items() if parent is None]
    total, total_measured = (sum(found[path] for path in roots) for found in (totals, totals_measured))
    children: dict[str | None, list[str]] = {}
    for path, parent in parents.items():
        children.setdefault(parent, []).append(path)
    ranked = sorted((path for path in models if own[path] is not None), key=lambda path: -(own[path] or 0.0))
    # Values without the calls inside are differences of models, which have no interval.
    intervals = {} if inclusive else {path: _interval(models[path], at) for path in ranked[:top]}
    found: list[CallPath] = []
    stack = [(path, 0) for path in sorted(roots, key=totals.__getitem__)]
    while stack:
        path, depth = stack.pop()
        found.append(
            CallPath(
                callpath=path,
                depth=depth,
                predicted=own[path],
                lower=intervals[path][0] if path in intervals else None,
                upper=intervals[path][1] if path in intervals else None,
                share=_share(own[path], total),
                share_measured=_share(own_measured[path], total_measured),
                total=totals[path],
                total_share=_share(totals[path], total),
            )
        )
        stack += [(each, depth + 1) for each in sorted(children.get(path, ()), key=totals.__getitem__)]
    return CallTree(metric, dict(at), largest, total, tuple(found))


def _parents(paths: Iterable[str]) -> dict[str, str | None]:
    """Return call path → its caller, callers first; with callers that have no values themselves."""
    found: dict[str, str | None] = {}
    for path in paths:
        parent: str | None = None
        steps = path.split(SEPARATOR)
        for depth in range(1, len(steps) + 1):
            own = SEPARATOR.join(steps[:depth])
            found.setdefault(own, parent)
            parent = own
    return found


def _values(
    parents: Mapping[str, str | None], predicted: Mapping[str, float | None], inclusive: bool
) -> tuple[dict[str, float | None], dict[str, float]]:
    """Return the values of call paths without and with the calls inside; negative ones count as 0 in sums."""
    given = {path: max(predicted.get(path) or 0.0, 0.0) for path in parents}
    sums = dict.fromkeys(parents, 0.0)
    totals = {}
    # Callees come after their callers.
    for path in reversed(list(parents)):
        known = predicted.get(path) is not None
        totals[path] = given[path] if inclusive and known else given[path] + sums[path]
        parent = parents[path]
        if parent is not None:
            sums[parent] += totals[path]
    if not inclusive:
        return {path: predicted.get(path) for path in parents}, totals
    own = {path: None if predicted.get(path) is None else max(totals[path] - sums[path], 0.0) for path in parents}
    return own, totals


def _share(value: float | None, total: float) -> float:
    return 100 * (max(value or 0.0, 0.0) / total) if total > 0 else 0.0


def _point(model: ScalingModel, at: Mapping[str, float]) -> list[Any]:
    values = [at[name] for name in model.names]
    return values if len(values) == 1 else [values]


def _prediction(model: ScalingModel, at: Mapping[str, float]) -> float | None:
    try:
        return float(model.predict(_point(model, at))[0])
    except ConfigurationError:
        return None


def _interval(model: ScalingModel, at: Mapping[str, float]) -> tuple[float, float]:
    lower, upper = model.interval(_point(model, at), LEVEL)
    return float(lower[0]), float(upper[0])


def _exceeded(tree: CallTree) -> int:
    """Return the number of call paths with a prediction that is more than 1 % below the sum of the calls inside."""
    totals = {each.callpath: each.total for each in tree.callpaths}
    return sum(inside > 1.01 * totals[path] for path, inside in _sums_inside(totals).items())


def _seems_inclusive(experiment: Experiment, tree: CallTree) -> bool:
    """Return whether the mean of every measured caller is at least the sum of those of the calls inside."""
    means: dict[str, float] = {}
    for each in tree.callpaths:
        values = experiment.series.get((each.callpath, tree.metric))
        if values is not None and not np.isnan(values).all():
            # A mean of very large values is infinite.
            with np.errstate(over="ignore"):
                means[each.callpath] = float(np.nanmean(values))
    inside = _sums_inside(means)
    return bool(inside) and all(means[path] >= total for path, total in inside.items())


def _sums_inside(values: Mapping[str, float]) -> dict[str, float]:
    """Return the sum of the values of the calls directly inside each call path that has some."""
    inside: dict[str, float] = {}
    for path, value in values.items():
        caller = path.rpartition(SEPARATOR)[0]
        if caller in values:
            inside[caller] = inside.get(caller, 0.0) + value
    return inside
