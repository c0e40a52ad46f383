"""Errors of fitted values, in sample and with one point left out."""

from __future__ import annotations

import numpy as np

from splc.data.accuracy import smape
from splc.types import Array

# Extra-P 4.2.5: constants below this part of the smallest value count as 0 when a point is left out.
_NO_CONSTANT = 0.0005
_NO_FREEDOM = 1e-10


def line(columns: Array, values: Array) -> tuple[Array, Array]:
    """Fit constant + slope * column by least squares.

    `columns`: shape (n, …). `values`: shape (n, …), broadcasting with it.

    Returns: constant and slope, shape (…); slope NaN where a column is constant.
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

    A constant that is small relative to the smallest of the other values (or in itself, if that is 0) counts as 0. The
    fits without a point follow from the fit to all points, by the point's residual and leverage.

    `columns`: shape (n, …). `values`: shape (n, …), broadcasting with it.
    """
    points = values.shape[0]
    level, mean = columns.mean(axis=0), values.mean(axis=0)
    centered = columns - level
    squares = (centered**2).sum(axis=0)
    constant, slope = line(columns, values)
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        residuals = values - mean - slope * centered
        # One less the leverage; at 0 the other points do not determine the fit.
        free = 1 - 1 / points - centered**2 / squares
        step = np.where(free > _NO_FREEDOM, residuals / free, np.nan)
        without = constant - step * (1 / points - centered * level / squares)
        ordered = np.sort(values, axis=0)[:2]
        smallest = np.where(values == ordered[0], ordered[-1], ordered[0])
        small = np.abs(without / np.where(smallest == 0, 1.0, smallest)) < _NO_CONSTANT
        errors = smape(values - step - np.where(small, without, 0.0), values)
    return np.where(np.isfinite(errors), errors, np.inf)


def contributes(slope: Array, columns: Array, values: Array) -> Array:
    """Return where a term contributes to some value (Extra-P 4.2.5: at least 0.05 % of it, and more than 0)."""
    with np.errstate(invalid="ignore", divide="ignore"):
        part = np.abs(slope * columns / values)
    part = np.where(np.isnan(part), 0.0, part)
    return np.asarray((part.max(axis=0) >= _NO_CONSTANT) & (slope != 0))
