"""What was measured: values of many quantities at the points of one parameter, checked and brought into one form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from splc.errors import MeasurementError, plural
from splc.types import Array


@dataclass(frozen=True, eq=False)
class Observed:
    """Measured values of many quantities over one or several parameters.

    Attributes:
        x: the distinct values of the parameter, ascending, shape (n,); or distinct points, shape (n, parameters).
        values: measured values, shape (models, n, repetitions); NaN where there is none.
        notes: what holds for all of them.
    """

    x: Array
    values: Array
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for array in (self.x, self.values):
            array.setflags(write=False)

    @property
    def models(self) -> int:
        """The number of quantities."""
        return len(self.values)


def observed(x: Any, values: Any) -> Observed:
    """Check measurements and bring them into one form: points ascending, a point that repeats as repetitions.

    Args:
        x: the parameter's values, shape (n,) or (n, 1); or points of several parameters, shape (n, parameters).
        values: shape (models, n) or (models, n, repetitions); NaN where a measurement is missing.

    Raises:
        MeasurementError: if shapes do not fit, x is not finite or is negative, a value is infinite, or a quantity has
            no value at all.
    """
    places = _numbers(x, "x")
    if places.ndim == 2 and places.shape[1] == 1:
        places = places[:, 0]
    if places.ndim not in (1, 2) or 0 in places.shape[1:]:
        raise MeasurementError(
            f"x has the shape {places.shape}",
            hint="give one value of the parameter per point, shape (n,), or one row of several, shape (n, parameters)",
        )
    found = _numbers(values, "y")
    if found.ndim == 2:
        found = found[:, :, None]
    if found.ndim != 3 or found.shape[1] != len(places):
        shape = found.shape[1:2] if found.ndim == 3 else found.shape
        raise MeasurementError(
            f"{plural(len(places), 'value', 'values')} of x, but y has the shape {tuple(shape)} per quantity",
            hint="y has one row per value of x: shape (n,) or (n, repetitions)",
        )
    if len(places) == 0 or found.shape[2] == 0:
        raise MeasurementError("there are no measurements", hint="give at least two points, better five or more")
    _check(places, found)
    notes = []
    missing = int(np.isnan(found).sum())
    if missing:
        notes.append(f"{plural(missing, 'value is', 'values are')} missing and left out")
    distinct, where = np.unique(places, axis=0, return_inverse=True)
    if len(distinct) < len(places):
        repeated = len(places) - len(distinct)
        notes.append(f"{plural(repeated, 'point repeats', 'points repeat')} a value of x and are taken for repetitions")
        found = _gathered(found, where, len(distinct))
    else:
        found = found[:, np.argsort(where)]
    if distinct.ndim == 1 and distinct[0] < 1:
        notes.append(f"some x lie below 1 (the smallest is {distinct[0]:g}): no logarithms are considered")
    return Observed(distinct, np.array(found, dtype=float), tuple(notes))


def _numbers(values: Any, what: str) -> Array:
    try:
        return np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        hint = "give numbers, as many repetitions at every point (NaN where one is missing)"
        raise MeasurementError(f"{what} is no array of numbers", hint=hint) from None


def _check(x: Array, values: Array) -> None:
    """Refuse what no model can be fitted to."""
    if not np.isfinite(x).all():
        row = int(np.argwhere(~np.isfinite(x))[0][0])
        raise MeasurementError(f"x at position {row} is no finite number")
    if (x < 0).any():
        raise MeasurementError(
            f"x at position {int(np.argwhere(x < 0)[0][0])} is {x[x < 0][0]:g}, but powers need x ≥ 0",
            hint="shift or transform the parameter so that it is positive",
        )
    if np.isinf(values).any():
        model, point, _ = (int(each[0]) for each in np.nonzero(np.isinf(values)))
        raise MeasurementError(f"a value of quantity {model} at point {point} is infinite")
    empty = np.isnan(values).all(axis=(1, 2))
    if empty.any():
        raise MeasurementError(f"quantity {int(np.argmax(empty))} has no values", hint="leave it out")


def _gathered(values: Array, where: Array, points: int) -> Array:
    """Return values (models, rows, repetitions) with the rows of one point side by side, padded with NaN."""
    models, _, repetitions = values.shape
    most = int(np.bincount(where).max())
    gathered = np.full((models, points, most * repetitions), np.nan)
    filled = np.zeros(points, dtype=int)
    for row, point in enumerate(where):
        start = filled[point] * repetitions
        gathered[:, point, start : start + repetitions] = values[:, row]
        filled[point] += 1
    return gathered
