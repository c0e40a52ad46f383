"""Values of many quantities at the points of one or several parameters, checked and in one form.

Repetitions are condensed to one value per point, in which outliers have less weight.

Lines are measured points that differ in one parameter only, and show the effect of this parameter. Source: Ritter et
al., Learning Cost-Effective Sampling Strategies, sections II and III.A. Unlike in the paper, all lines of three or more
points are used, each with a separate level and slope.

Shapes in the whole package: points are distinct and ascending, (n, parameters), or x of a single parameter, (n,);
values, their weights and scales are those of several quantities at all points, without gaps, (models, n).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from splc.data.measurements import offsets
from splc.errors import MeasurementError, plural
from splc.io.numbers import FAR, beyond_all
from splc.types import Array

Condensation = Literal["robust", "mean", "median", "minimum", "maximum"]
CONDENSATIONS: tuple[str, ...] = ("robust", "mean", "median", "minimum", "maximum")

# The fifth powers of parameters, and their squares, are floating-point numbers.
_SMALLEST, _LARGEST = 1e-30, 1e25
_NUMBERS = "give numbers, as many repetitions at every point (NaN where one is missing)"


@dataclass(frozen=True, eq=False)
class Quantities:
    """Values of many quantities at the same points."""

    points: Array  # distinct points in lexicographic order, shape (n, parameters)
    values: Array  # measured values, shape (models, n, repetitions); NaN for none
    notes: tuple[str, ...] = ()  # notes on all quantities

    def __post_init__(self) -> None:
        for array in (self.points, self.values):
            array.setflags(write=False)

    def __len__(self) -> int:
        return len(self.values)


def quantities(x: Any, values: Any, names: str | Sequence[str] | None = None) -> Quantities:
    """Check measurements, (models, n[, repetitions]), sort their points, and merge repeated points into repetitions."""
    points = numbers(x, "x")
    if points.ndim == 1:
        points = points[:, None]
    if points.ndim != 2 or points.shape[1] == 0:
        raise MeasurementError(
            f"x has the shape {points.shape}",
            hint="give one value of the parameter per point, shape (n,), or one row of several, shape (n, parameters)",
        )
    measured = numbers(values, "y")
    if measured.ndim == 2:
        measured = measured[:, :, None]
    if measured.shape[1] != len(points):
        raise MeasurementError(
            f"{plural(len(points), 'value', 'values')} of x, but y has the shape {measured.shape[1:2]} per quantity",
            hint="y has one row per value of x: shape (n,) or (n, repetitions)",
        )
    if len(points) == 0 or measured.shape[2] == 0:
        raise MeasurementError("there are no measurements", hint="give at least two points, better five or more")
    parameter_names = [names] if isinstance(names, str) else list(names or ())
    _check(points, measured, parameter_names if len(parameter_names) == points.shape[1] else ["x"] * points.shape[1])
    notes = []
    missing = int(np.isnan(measured).sum())
    if missing:
        notes.append(f"{plural(missing, 'value is', 'values are')} missing and left out")
    distinct, point_of = np.unique(points, axis=0, return_inverse=True)
    point_of = point_of.ravel()
    if len(distinct) < len(points):
        repeated = plural(len(points) - len(distinct), "point repeats", "points repeat")
        notes.append(f"{repeated} a value of x and are used as repetitions")
    if distinct.shape[1] == 1 and distinct[0, 0] < 1:
        notes.append(f"some x are below 1 (the smallest is {distinct[0, 0]:g}): no logarithms are considered")
    # The rows of one point are side by side, padded with NaN.
    models, rows, repetitions = measured.shape
    starts, totals = offsets(point_of, np.full(rows, repetitions), len(distinct))
    gathered = np.full((models, len(distinct), int(totals.max())), np.nan)
    gathered[:, point_of[:, None], starts[:, None] + np.arange(repetitions)] = measured
    return Quantities(distinct, gathered, tuple(notes))


def numbers(values: Any, name: str, hint: str = _NUMBERS) -> Array:
    """Return values as an array of floats."""
    try:
        return np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        raise MeasurementError(f"{name} is not an array of numbers", hint=hint) from None


def one_quantity(y: Any, hint: str = "give shape (n,) or (n, repetitions)") -> Array:
    """Return the values of one quantity, (n,) or (n, repetitions), as those of the first of several."""
    values = numbers(y, "y")
    if values.ndim not in (1, 2):
        raise MeasurementError(f"y has the shape {values.shape}", hint=hint)
    return values[None]


def _check(points: Array, values: Array, names: Sequence[str]) -> None:
    """Refuse measurements that no model can be fitted to, such as parameters out of the range of their powers."""
    negative = "{:g}, but powers need values of at least 0", "shift or transform the parameter so that it is positive"
    outside = "{:g}: its powers leave the range of numbers", "give the parameter in another unit"
    for wrong, (text, hint) in (
        (~np.isfinite(points), ("not a finite number", None)),
        (points < 0, negative),
        ((points > 0) & (points < _SMALLEST) | (points > _LARGEST), outside),
    ):
        if wrong.any():
            row, column = np.argwhere(wrong)[0].tolist()
            value = text.format(points[row, column])
            raise MeasurementError(f"{names[column]} at position {row} is {value}", hint=hint)
    if np.isinf(values).any():
        model, point, _ = (int(indices[0]) for indices in np.nonzero(np.isinf(values)))
        raise MeasurementError(f"a value of quantity {model} at point {point} is infinite")
    empty = np.isnan(values).all(axis=(1, 2))
    if empty.any():
        raise MeasurementError(f"quantity {int(np.argmax(empty))} has no values", hint="leave it out")
    for model in np.flatnonzero((np.abs(values) > FAR).any(axis=(1, 2))).tolist():
        if (far := beyond_all(values[model])).any():
            message = f"a value of quantity {model} is {values[model][far][0]:g}, far beyond all others"
            raise MeasurementError(message, hint="it cannot be right: leave it out")


def lines(points: Array, parameter: int) -> tuple[Array, ...]:
    """Return the lines along a parameter: rows of points that agree in all other parameters, two or more of them."""
    other_coordinates = np.delete(points, parameter, axis=1)
    _, line_of = np.unique(other_coordinates, axis=0, return_inverse=True)
    order = np.lexsort((points[:, parameter], line_of.ravel()))
    ends = np.flatnonzero(np.diff(line_of.ravel()[order])) + 1
    return tuple(rows for rows in np.split(order, ends) if len(rows) > 1)


# The odds that a repetition is an outlier, times the density of outliers relative to that of normal noise at its
# center: a repetition is as likely an outlier as not at 3.9 standard deviations.
_OUTLIER_ODDS = 5e-4
_SURE = 0.9  # a repetition counts in full if it is no outlier with at least this probability
_EFFICIENCY = 0.37  # degrees of freedom of a robust standard deviation, per deviation: a median's efficiency
_EVEN = 2.0  # an even number of normal repetitions has smaller median deviations, by one over 1 + this over the number
_LEAST = 0.0025  # robust standard deviations are at least this part of the median: equal counts have no spread


@dataclass(frozen=True, eq=False)
class Condensed:
    """One value per point."""

    values: Array  # shape (models, n); NaN where nothing was measured
    counts: Array  # the number of measurements of each value, shape (models, n)
    squares: Array  # sum of squared deviations of the repetitions from their value, shape (models, n)
    outliers: Array  # number of repetitions that are more likely outliers than not, shape (models,)

    def __getitem__(self, rows: Array) -> Condensed:
        """Return the values of some models."""
        return Condensed(self.values[rows], self.counts[rows], self.squares[rows], self.outliers[rows])

    @property
    def noise(self) -> Array:
        """The pooled relative standard deviation of repetitions in percent, shape (models,); NaN without any."""
        free = np.maximum(self.counts - 1, 0)
        with np.errstate(invalid="ignore", divide="ignore"):
            relative = np.where(free > 0, self.squares / self.values**2, 0.0)
            usable = np.isfinite(relative)
            total = np.where(usable, relative, 0.0).sum(axis=1)
            return np.asarray(100 * np.sqrt(total / np.where(usable, free, 0).sum(axis=1)))


def condensed(values: Array, how: Condensation, weights: Array | None = None) -> Condensed:
    """Condense repetitions, (models, n, repetitions), to one value per point; `weights`: those of 'robust'."""
    none = np.zeros(len(values), dtype=int)
    if values.shape[2] == 1:
        single = values[:, :, 0]
        return Condensed(single, (~np.isnan(single)).astype(int), np.zeros(single.shape), none)
    known = ~np.isnan(values)
    weights = repetition_weights(values) if weights is None else weights
    far = (known & (weights < 0.5)).sum(axis=(1, 2))
    counts = known.sum(axis=2)
    if how in ("mean", "robust"):
        weights = weights if how == "robust" else known.astype(float)
        total = weights.sum(axis=2)
        # Divided before they are added, which cannot overflow.
        with np.errstate(invalid="ignore", divide="ignore"):
            center = np.where(known, values * (weights / total[:, :, None]), 0.0).sum(axis=2)
            center = np.where(counts > 0, center, np.nan)
            deviations = np.where(known, values - center[:, :, None], 0.0)
        return Condensed(center, np.rint(total).astype(int), np.asarray((weights * deviations**2).sum(axis=2)), far)
    masked = np.ma.masked_array(values, ~known)
    center = {"median": np.ma.median, "minimum": np.ma.min, "maximum": np.ma.max}[how](masked, axis=2)
    filled: Array = np.ma.filled(np.ma.asarray(center, dtype=float), np.nan)
    return Condensed(filled, (counts > 0).astype(int), np.zeros(filled.shape), far)


def repetition_weights(values: Array) -> Array:
    """Return the weights of repetitions in the mean of their point, 0 … 1, shape (models, n, repetitions).

    They are the probabilities that repetitions have normal noise, out of a mixture with few outliers; 0 for NaN.
    Deviations from the median of each point are relative to it and pooled over the points of a quantity. Points with
    fewer than three repetitions have no outliers, and neither have those where half of them or more would be outliers.
    """
    known = ~np.isnan(values)
    counts = known.sum(axis=2)
    ordered = np.sort(values, axis=2)
    middle = np.maximum(counts - 1, 0)
    pick = np.stack([middle // 2, (middle + 1) // 2], axis=2)
    median = np.take_along_axis(ordered, pick, axis=2).mean(axis=2)
    size = np.abs(median)
    with np.errstate(invalid="ignore"):
        largest = np.nanmax(np.where(counts > 0, size, 0.0), axis=1, keepdims=True)
        size = np.maximum(np.where(counts > 0, size, largest), 1e-6 * np.where(largest > 0, largest, 1.0))
        deviations = np.abs(values - median[:, :, None]) / size[:, :, None]
    judged = np.where((counts >= 3)[:, :, None] & known, deviations, np.nan)
    # The middle one of an odd number has no deviation, by definition.
    smallest = np.argsort(judged, axis=2)[:, :, :1]
    odd = (counts % 2 == 1)[:, :, None]
    pooled = judged.copy()
    np.put_along_axis(pooled, smallest, np.where(odd, np.nan, np.take_along_axis(pooled, smallest, axis=2)), axis=2)
    flat = np.sort(pooled.reshape(len(values), -1), axis=1)
    amount = (~np.isnan(flat)).sum(axis=1)
    rows = np.arange(len(values))
    spread = 1.4826 * np.where(amount > 0, flat[rows, np.maximum(amount - 1, 0) // 2], 0.0)
    even = np.where(counts % 2 == 0, 1 + _EVEN / np.maximum(counts, 1), 1.0)
    freedom = np.maximum(_EFFICIENCY * amount, 1.0)[:, None, None]
    with np.errstate(invalid="ignore", over="ignore"):
        apart = judged / np.maximum(even * spread[:, None], _LEAST)[:, :, None]
        # Student's distribution relative to its center: the spread is uncertain.
        rare = np.exp((freedom + 1) / 2 * np.log1p(apart**2 / freedom))
        likely = 1 / (1 + _OUTLIER_ODDS * rare)
    weights = np.where(np.isnan(judged), 1.0, np.minimum(likely / _SURE, 1.0)) * known
    many = 2 * (known & (weights < 0.5)).sum(axis=2) >= counts
    return np.where(many[:, :, None], known.astype(float), weights)
