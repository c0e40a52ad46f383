"""Intervals of predictions: those of analytical models, and their comparison (thesis, 7.2).

Learned models get theirs from the measurements (`comparison.confidence`), analytical ones from the intervals of their
machine parameters.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from comparison.result import IntervalComparison
from splc.data.configurations import Configurations
from splc.errors import ConfigurationError, MeasurementError, SpecError, listed
from splc.models.influence import InfluenceModel
from splc.models.subexpressions import Parameter
from splc.types import Array

MAX_PARAMETERS = 12


def corner_intervals(
    predict: Callable[[Mapping[str, float]], Array], bounds: Mapping[str, tuple[float, float]]
) -> Array:
    """Return the least and greatest predictions at the corners of a box of parameters, shape (2, n).

    Exact where the prediction is monotone in each parameter while the others are fixed, as it is in analytical models
    that are linear in each of `alpha`, `beta` and `f`; elsewhere the true bounds may be wider.

    `predict`: parameters → predictions, shape (n,).
    """
    for name, (low, high) in bounds.items():
        if not (math.isfinite(low) and math.isfinite(high) and low <= high):
            raise SpecError(f"{name} cannot lie between {low:g} and {high:g}", hint="give the lower bound first")
    varying = [name for name, (low, high) in bounds.items() if low < high]
    if len(varying) > MAX_PARAMETERS:
        message = f"{len(varying)} parameters have bounds, at most {MAX_PARAMETERS} can"
        raise SpecError(message, hint="give numbers for those that matter least")
    least, greatest = np.array(math.inf), np.array(-math.inf)
    for corner in itertools.product(*((low, high) if low < high else (low,) for low, high in bounds.values())):
        predicted = np.asarray(predict(dict(zip(bounds, corner, strict=True))), dtype=float)
        least, greatest = np.minimum(least, predicted), np.maximum(greatest, predicted)
    return np.stack([least, greatest])


def parameter_intervals(model: InfluenceModel, configurations: Configurations) -> Array | None:
    """Return bounds of an analytical model's predictions from the intervals of its parameters, shape (2, n).

    All rows of a table are at their lower ends together, or all at their upper ends: the uncertainty of one row comes
    from the benchmark that also measured the others. See `corner_intervals`.
    """
    unknown = [parameter.name for parameter in model.parameters if not parameter.determined]
    if unknown:
        verb = "is" if len(unknown) == 1 else "are"
        raise SpecError(f"{listed(unknown)} {verb} not determined", hint="there are no intervals without them")
    corners = {parameter.name: (0.0, 1.0) for parameter in model.parameters if parameter.has_interval}
    if not corners:
        return None
    return corner_intervals(lambda corner: _at_corner(model, corner).predict(configurations), corners)


def _at_corner(model: InfluenceModel, corner: Mapping[str, float]) -> InfluenceModel:
    """Return a model with its parameters at the lower (0) or the upper (1) ends of their intervals."""
    derived = [
        replace(subexpression, values_of=subexpression.high if corner[subexpression.name] == 1 else subexpression.low)
        if isinstance(subexpression, Parameter) and subexpression.name in corner
        else subexpression
        for subexpression in model.derived
    ]
    return replace(model, derived=tuple(derived))


def compare_intervals(first: Array, second: Array, level: float) -> IntervalComparison:
    """Return measures of the overlap of two models' intervals of predictions.

    Intervals are closed: intervals that touch overlap. The Hausdorff distance of two intervals is the greater
    distance of their ends, a metric (Moore et al., Introduction to Interval Analysis, 2009, section 6.1). With
    infinite intervals the mean distance and width may be infinite. Jaccard is None where the overlaps and the unions
    are infinitely long.

    `first`: lower and upper bounds of the first model's predictions, shape (2, n). `level`: the level of both, in (0,
    1]; 1 for certain bounds.
    """
    if not 0 < level <= 1:
        raise SpecError(f"an interval cannot have the level {level:g}", hint="give a fraction, such as 0.95")
    first, second = _intervals(first), _intervals(second)
    if first.shape != second.shape:
        raise ConfigurationError(f"{first.shape[1]} intervals cannot be compared with {second.shape[1]}")
    inner = np.minimum(first[1], second[1]), np.maximum(first[0], second[0])
    overlapping = inner[0] >= inner[1]
    with np.errstate(over="ignore"):
        lengths = np.array([_length(first), _length(second)])
        overlap = np.where(overlapping, _length(np.stack(inner[::-1])), 0.0)
        hull = _length(np.stack([np.minimum(first[0], second[0]), np.maximum(first[1], second[1])]))
        covered = np.where(overlapping, hull, lengths.sum(axis=0)).sum()
        shared = overlap.sum()
        # The distance of ends that are infinite in the same direction is 0.
        ends = np.abs(np.subtract(first, second, out=np.zeros_like(first), where=first != second))
        hausdorff = float(ends.max(axis=0).mean())
        width = lengths.mean(axis=1)
    defined = covered > 0 and not (np.isinf(covered) and np.isinf(shared))
    jaccard = float(shared / covered) if defined else None
    return IntervalComparison(level, float(overlapping.mean()), jaccard, hausdorff, (float(width[0]), float(width[1])))


def coverage(measured: Array, intervals: Array) -> float:
    """Return the fraction of measured values that lie within their intervals, ends included.

    `measured`: shape (n,), or (n, repetitions) for the values of runs; NaN (not measured) is left out. `intervals`:
    lower and upper bounds, shape (2, n).
    """
    intervals = _intervals(intervals)
    measured = np.asarray(measured, dtype=float)
    if measured.shape[:1] != intervals.shape[1:]:
        raise ConfigurationError(f"{measured.size} measured values cannot lie in {intervals.shape[1]} intervals")
    measured = measured.reshape(len(measured), -1)
    known = ~np.isnan(measured)
    if not known.any():
        raise MeasurementError("no configuration has a measured value")
    within = (intervals[0][:, None] <= measured) & (measured <= intervals[1][:, None])
    return float(within[known].mean())


def _length(intervals: Array) -> Array:
    """Return the lengths of intervals; 0 where both ends are the same infinity."""
    length: Array = np.subtract(
        intervals[1], intervals[0], out=np.zeros(intervals.shape[1]), where=intervals[0] != intervals[1]
    )
    return length


def _intervals(intervals: Array) -> Array:
    """Return intervals as floats, shape (2, n)."""
    intervals = np.asarray(intervals, dtype=float)
    if intervals.ndim != 2 or len(intervals) != 2 or intervals.shape[1] == 0:
        raise ConfigurationError(f"intervals have the shape (2, configurations), not {intervals.shape}")
    wrong = ~(intervals[0] <= intervals[1])
    if wrong.any():
        row = int(np.argmax(wrong))
        low, high = intervals[:, row]
        raise ConfigurationError(f"from {low:g} to {high:g} is not an interval (configuration {row})")
    return intervals
