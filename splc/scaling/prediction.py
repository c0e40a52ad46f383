"""Predictions of scaling models at points beyond the measured ones, with intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from splc.errors import ConfigurationError
from splc.scaling.intervals import intervals
from splc.scaling.result import ScalingModel
from splc.scaling.selection import FAR
from splc.types import Array

LEVEL = 0.9


@dataclass(frozen=True)
class Prediction:
    """A prediction at one point."""

    at: Mapping[str, float]  # parameter → value
    predicted: float | None  # the prediction; None where the model has no finite value
    # the lower bound of the interval; None where it is not finite or was not requested, as for the upper one
    lower: float | None
    upper: float | None  # the upper bound of the interval
    distance: float  # by which factor the point is beyond the measured ones; 1 is inside
    level: float = LEVEL  # the probability with which a new measurement is in the interval


def predictions(
    models: Sequence[ScalingModel], points: Sequence[Mapping[str, float]], *, with_intervals: bool = True
) -> list[tuple[Prediction, ...]]:
    """Return the predictions of each model at points, each parameter → value; `with_intervals`: with intervals."""
    predictions_of: list[tuple[Prediction, ...]] = [()] * len(models)
    groups: dict[tuple[str, ...], list[int]] = {}
    for i, model in enumerate(models):
        groups.setdefault(model.names, []).append(i)
    for names, rows in groups.items():
        group = [models[row] for row in rows]
        x = np.array([[point[name] for name in names] for point in points], dtype=float)
        centers = np.array([_predicted(model, x) for model in group])
        unknown = np.full(centers.shape, np.nan)
        lower, upper = intervals_of(group, x, centers, LEVEL) if with_intervals else (unknown, unknown)
        for row, model, *numbers in zip(rows, group, centers, lower, upper, strict=True):
            center, low, high = (
                [value if np.isfinite(value) else None for value in values.tolist()] for values in numbers
            )
            predictions_of[row] = tuple(
                Prediction({name: point[name] for name in names}, center[i], low[i], high[i], distance)
                for i, (point, distance) in enumerate(zip(points, model.distance(x).tolist(), strict=True))
            )
    return predictions_of


def intervals_of(models: Sequence[ScalingModel], x: Array, centers: Array, level: float) -> tuple[Array, Array]:
    """Return the intervals of models at the same points, faster than `ScalingModel.interval` of each.

    `x`: points, shape (n, parameters). `centers`: the predictions, shape (models, n); NaN where there are none.
    """
    lower, upper = np.full(centers.shape, -np.inf), np.full(centers.shape, np.inf)
    unsegmented = [row for row, model in enumerate(models) if model.below is None and model.uncertainty is not None]
    known = [uncertainty for uncertainty in (models[row].uncertainty for row in unsegmented) if uncertainty is not None]
    if len(x):
        lower[unsegmented], upper[unsegmented] = intervals(known, x, centers[unsegmented], level)
    for row, model in enumerate(models):
        if model.below is not None:
            defined = np.isfinite(centers[row])
            lower[row, defined], upper[row, defined] = model.interval(x[defined], level)
    return np.minimum(lower, centers), np.maximum(upper, centers)


def _predicted(model: ScalingModel, x: Array) -> Array:
    """Return the predictions at points, NaN where the model has no finite value."""
    try:
        return model.predict(x)
    except ConfigurationError:
        return np.array([_predicted(model, x[[at]])[0] if len(x) > 1 else np.nan for at in range(len(x))])


def far_point(model: ScalingModel) -> dict[str, float]:
    """Return the point at four times the largest measured value of every parameter."""
    return {name: FAR * high for name, (_, high) in zip(model.names, model.ranges, strict=True)}
