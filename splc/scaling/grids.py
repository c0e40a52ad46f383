"""The values that parameters can be measured at: the measured ones, continued in their steps or factors."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from splc.errors import SpecError
from splc.types import Array

# Ratios that differ by less are equal.
_SAME = 1e-6
# Axes are not extended by more values.
MAX_FURTHER = 10_000


def continued(values: Array, number: int) -> Array:
    """Return values and `number` more beyond the largest.

    They continue by the same factor if all ratios are equal, by the same step if all differences are, and otherwise by
    the median of the ratios or of the differences, whichever vary less relative to their mean. A single value is
    doubled; 0 is followed by 1.

    `values`: distinct, ascending, at least 0.
    """
    steps = np.diff(values)
    positive = values[values > 0]
    ratios = positive[1:] / positive[:-1]
    if len(steps) == 0:
        geometric, factor, step = bool(len(positive)), 2.0, 1.0
    else:
        factor, step = float(np.median(ratios)) if len(ratios) else 1.0, float(np.median(steps))
        # Two values are continued by their ratio: parameters are most often powers.
        even = len(steps) > 1 and np.ptp(steps) <= _SAME * step
        spreads = [np.std(gaps) / np.mean(gaps) if len(gaps) > 1 else np.inf for gaps in (ratios, steps)]
        better = len(steps) == 1 or bool(spreads[0] <= spreads[1])
        geometric = len(ratios) == len(steps) and not even and better
    extended = list(values.tolist())
    for _ in range(number):
        extended.append(extended[-1] * factor if geometric else extended[-1] + step)
    if all(float(value).is_integer() for value in values):
        extended = [float(round(value)) if abs(value) < 2**53 else value for value in extended]
    return np.unique(np.array(extended))


def candidate_axes(
    points: Array, stated: Sequence[Sequence[float] | Array | None] | None, least: int, extend: int
) -> tuple[Array, ...]:
    """Return the values of every parameter.

    `points`: measured ones, shape (n, parameters). `stated`: the values of each parameter, None for those measured.
    """
    parameters = points.shape[1]
    axes = (None,) * parameters if stated is None else stated
    if len(axes) != parameters:
        raise SpecError(f"{len(axes)} axes, but {parameters} parameters", hint="give one each; None: as measured")
    if not 0 <= extend <= MAX_FURTHER:
        raise SpecError(f"extend must be from 0 to {MAX_FURTHER:,}, not {extend:,}")
    axes_of_values = []
    for parameter, axis in enumerate(axes):
        if axis is not None:
            axes_of_values.append(_checked(axis))
            continue
        values = np.unique(points[:, parameter])
        more = max(least - len(values), 0) + extend
        # Along a single parameter all new points are beyond the measured ones.
        axes_of_values.append(continued(values, 1 if parameters == 1 and more == 0 else more))
        if not np.isfinite(axes_of_values[-1]).all():
            message = f"an axis from {values[0]:g} to {values[-1]:g} cannot be extended by {extend:,}"
            raise SpecError(f"{message}: its values would be too large", hint="extend it by fewer, or give its values")
    return tuple(axes_of_values)


def _checked(axis: Sequence[float] | Array) -> Array:
    """Return the distinct values of an axis."""
    try:
        values = np.asarray(axis, dtype=float)
    except (TypeError, ValueError):
        raise SpecError(f"{axis!r} are not values of a parameter", hint="give numbers") from None
    if values.ndim != 1 or not len(values) or not np.isfinite(values).all() or (values < 0).any():
        raise SpecError(f"{axis!r} are not values of a parameter", hint="give finite numbers of at least 0")
    return np.unique(values)
