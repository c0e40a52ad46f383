"""Values of many quantities at the points of one or several parameters, checked and in one form.

Lines are measured points that differ in one parameter only, and show the effect of this parameter. Source: Ritter et
al., Learning Cost-Effective Sampling Strategies, sections II and III.A. Unlike in the paper, all lines of three or more
points are used, each with a separate level and slope.

Shapes in the whole package: points are distinct and ascending, (n, parameters), or x of a single parameter, (n,);
values, their weights and scales are those of several quantities at all points, without gaps, (models, n).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from splc.data.measurements import offsets
from splc.errors import MeasurementError, plural
from splc.io.numbers import FAR, beyond_all
from splc.types import Array

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
        """Return the number of quantities."""
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
    if points.shape[1] == 1 and bool((points[1:] > points[:-1]).all()):
        distinct = points.copy()
    else:
        distinct, point_of = np.unique(points, axis=0, return_inverse=True)
        point_of = point_of.ravel()
        if len(distinct) < len(points):
            repeated = plural(len(points) - len(distinct), "point repeats", "points repeat")
            notes.append(f"{repeated} a value of x and are used as repetitions")
            measured = _gathered(measured, point_of, len(distinct))
        else:
            measured = measured[:, np.argsort(point_of)]
    if distinct.shape[1] == 1 and distinct[0, 0] < 1:
        notes.append(f"some x are below 1 (the smallest is {distinct[0, 0]:g}): no logarithms are considered")
    return Quantities(distinct, np.array(measured, dtype=float, order="C"), tuple(notes))


def numbers(values: Any, name: str, hint: str = _NUMBERS) -> Array:
    """Return values as an array of floats."""
    try:
        return np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        raise MeasurementError(f"{name} is not an array of numbers", hint=hint) from None


def _check(points: Array, values: Array, names: Sequence[str]) -> None:
    """Refuse measurements that no model can be fitted to."""
    if not (_SMALLEST <= points.min() <= points.max() <= _LARGEST and np.isfinite(values).all()):
        _check_unusual(points, values, names)
    for model in np.flatnonzero((np.abs(values) > FAR).any(axis=(1, 2))).tolist():
        if (far := beyond_all(values[model])).any():
            message = f"a value of quantity {model} is {values[model][far][0]:g}, far beyond all others"
            raise MeasurementError(message, hint="it cannot be right: leave it out")


def _check_unusual(points: Array, values: Array, names: Sequence[str]) -> None:
    """Refuse parameters or values that are not numbers, or out of the range of their powers."""
    if not np.isfinite(points).all():
        row, column = np.argwhere(~np.isfinite(points))[0].tolist()
        raise MeasurementError(f"{names[column]} at position {row} is not a finite number")
    if (points < 0).any():
        row, column = np.argwhere(points < 0)[0].tolist()
        raise MeasurementError(
            f"{names[column]} at position {row} is {points[row, column]:g}, but powers need values of at least 0",
            hint="shift or transform the parameter so that it is positive",
        )
    small = (points > 0) & (points < _SMALLEST)
    if small.any() or (points > _LARGEST).any():
        row, column = np.argwhere(small | (points > _LARGEST))[0].tolist()
        message = f"{names[column]} at position {row} is {points[row, column]:g}: its powers leave the range of numbers"
        raise MeasurementError(message, hint="give the parameter in another unit")
    if np.isinf(values).any():
        model, point, _ = (int(indices[0]) for indices in np.nonzero(np.isinf(values)))
        raise MeasurementError(f"a value of quantity {model} at point {point} is infinite")
    empty = np.isnan(values).all(axis=(1, 2))
    if empty.any():
        raise MeasurementError(f"quantity {int(np.argmax(empty))} has no values", hint="leave it out")


def _gathered(values: Array, point_of: Array, points: int) -> Array:
    """Return values (models, rows, repetitions) with the rows of one point side by side, padded with NaN."""
    models, rows, repetitions = values.shape
    starts, totals = offsets(point_of, np.full(rows, repetitions), points)
    gathered = np.full((models, points, int(totals.max())), np.nan)
    gathered[:, point_of[:, None], starts[:, None] + np.arange(repetitions)] = values
    return gathered


def lines(points: Array, parameter: int) -> tuple[Array, ...]:
    """Return the lines along a parameter: rows of points that agree in all other parameters, two or more of them."""
    other_coordinates = np.delete(points, parameter, axis=1)
    _, line_of = np.unique(other_coordinates, axis=0, return_inverse=True)
    order = np.lexsort((points[:, parameter], line_of.ravel()))
    ends = np.flatnonzero(np.diff(line_of.ravel()[order])) + 1
    return tuple(rows for rows in np.split(order, ends) if len(rows) > 1)
