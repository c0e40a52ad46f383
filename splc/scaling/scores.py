"""Errors of fitted values: SMAPE and the residual sum of squares, in sample and with one point left out."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]

# Rounding: smaller errors (in percent) are none.
_NONE = 1e-10
# Extra-P 4.2.5: constants of less than this part of the smallest value are taken for 0 when a point is left out.
_NO_CONSTANT = 0.0005


def smape(fitted: Array, values: Array, axis: int = 0) -> Array:
    """Return the symmetric mean absolute percentage error (Following the Blind Seer, 3.1), 0 to 200; 0/0 counts 0."""
    both = np.abs(fitted) + np.abs(values)
    with np.errstate(invalid="ignore", divide="ignore"):
        parts = np.where(both > 0, np.abs(fitted - values) / np.where(both > 0, both, 1.0), 0.0)
    found = 200 * parts.mean(axis=axis)
    return np.asarray(np.where(found < _NONE, 0.0, found))


def rss(fitted: Array, values: Array, axis: int = 0) -> Array:
    """Return the residual sum of squares."""
    return np.asarray(((fitted - values) ** 2).sum(axis=axis))


def line(columns: Array, values: Array) -> tuple[Array, Array]:
    """Fit constant + slope * column by least squares.

    Args:
        columns: shape (n, …).
        values: shape (n, …), broadcasting with it.

    Returns:
        constant and slope, shape (…); slope NaN where a column is constant.
    """
    level, mean = columns.mean(axis=0), values.mean(axis=0)
    centered = columns - level
    squares = (centered**2).sum(axis=0)
    flat = squares <= (1e-13 * np.abs(columns).max(axis=0)) ** 2
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        slope = np.where(flat, np.nan, (centered * (values - mean)).sum(axis=0) / squares)
        return mean - slope * level, slope


def left_out(columns: Array, values: Array) -> Array:
    """Return the SMAPE of predicting each point from all others, as Extra-P 4.2.5 does, shape (…); inf where undefined.

    Args:
        columns: shape (n, …).
        values: shape (n, …), broadcasting with it.
    """
    shape = np.broadcast_shapes(columns.shape, values.shape)
    columns, values = np.broadcast_to(columns, shape), np.broadcast_to(values, shape)
    predicted = np.empty(shape)
    for out in range(shape[0]):
        rest = np.arange(shape[0]) != out
        constant, slope = line(columns[rest], values[rest])
        predicted[out] = without_small(constant, values[rest]) + slope * columns[out]
    found = smape(predicted, values)
    return np.where(np.isfinite(found), found, np.inf)


def without_small(constant: Array, values: Array) -> Array:
    """Return constants with those set to 0 that are small beside the smallest value (or alone, where that is 0)."""
    smallest = values.min(axis=0)
    beside = np.where(smallest == 0, 1.0, smallest)
    return np.where(np.abs(constant / beside) < _NO_CONSTANT, 0.0, constant)


def contributes(slope: Array, columns: Array, values: Array) -> Array:
    """Return where a term contributes to some value (Extra-P 4.2.5: at least 0.05 % of it, and not nothing)."""
    with np.errstate(invalid="ignore", divide="ignore"):
        part = np.abs(slope * columns / values)
    part = np.where(np.isnan(part), 0.0, part)
    return np.asarray((part.max(axis=0) >= _NO_CONSTANT) & (slope != 0))
