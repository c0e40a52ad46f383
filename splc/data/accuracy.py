"""Errors of predictions: how far they are from measured values."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from splc.types import Array

# Symmetric errors below this (in percent) are rounding and count 0.
_ROUNDING = 1e-10


def relative_errors(predicted: Array, measured: Array) -> Array:
    """Return |predicted - measured| / |measured|, infinite where it is too large; no measured value may be 0."""
    with np.errstate(over="ignore"):
        return np.asarray(np.abs(predicted - measured) / np.abs(measured))


def signed_errors(predicted: Array, measured: Array) -> Array:
    """Return (predicted - measured) / |measured| in percent, NaN where the measured value is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        errors = 100 * (predicted - measured) / np.abs(measured)
    return np.where(measured != 0, errors, np.nan)


def symmetric_errors(predicted: Array, measured: Array) -> Array:
    """Return |predicted - measured| / (|predicted| + |measured|), 0 where both are 0, NaN where one is undefined."""
    both = np.abs(predicted) + np.abs(measured)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(both == 0, 0.0, np.abs(predicted - measured) / both)


def mean_relative_error(predicted: Array, measured: Array) -> float | None:
    """Return the mean of |predicted - measured| / |measured| in percent.

    Rows whose measured value is 0 are left out, and rows without a prediction or a measured value (NaN).

    `predicted`: shape (n,). `measured`: shape (n,).
    """
    errors = _usable_errors(predicted, measured)
    with np.errstate(over="ignore"):
        return float(np.mean(errors) * 100) if len(errors) else None


def standard_error(predicted: Array, measured: Array, of: int) -> float | None:
    """Return the standard error of `mean_relative_error` of rows that were drawn, in percentage points.

    `predicted`: shape (n,). `measured`: shape (n,). `of`: the number of rows that they were drawn from; of all of them
    it is 0.
    """
    errors = _usable_errors(predicted, measured)
    if len(errors) == of:
        return 0.0
    if len(errors) < 2:
        return None
    with np.errstate(over="ignore", invalid="ignore"):
        deviation = float(100 * np.std(errors, ddof=1) * np.sqrt(max(1 / len(errors) - 1 / of, 0.0)))
    return deviation if np.isfinite(deviation) else None


def pooled_error(
    errors: Sequence[float | None], standard_errors: Sequence[float | None], sizes: Sequence[int]
) -> tuple[float | None, float | None]:
    """Return the mean relative error of all rows and its standard error, for those of parts with so many rows.

    Parts whose error is undefined are left out.
    """
    parts = [
        (error, np.nan if deviation is None else deviation, size)
        for error, deviation, size in zip(errors, standard_errors, sizes, strict=True)
        if error is not None
    ]
    if not parts:
        return None, None
    means, deviations, weights = np.array(parts).T
    weights = weights / weights.sum()
    deviation = float(np.sqrt(((weights * deviations) ** 2).sum()))
    return float(weights @ means), None if np.isnan(deviation) else deviation


def relative_error_quantiles(predicted: Array, measured: Array) -> tuple[float, float] | None:
    """Return the median and the 95th percentile of the errors that `mean_relative_error` averages, in percent."""
    errors = _usable_errors(predicted, measured)
    if not len(errors):
        return None
    median, high = np.quantile(errors, (0.5, 0.95)) * 100
    return float(median), float(high)


def _usable_errors(predicted: Array, measured: Array) -> Array:
    used = (measured != 0) & ~np.isnan(predicted) & ~np.isnan(measured)
    return relative_errors(predicted[used], measured[used])


def smape(predicted: Array, measured: Array, axis: int = 0) -> Array:
    """Return the symmetric mean absolute percentage error, 0 to 200; 0/0 counts 0. NaN if a value is undefined.

    The formula of P. Reisert et al., "Following the Blind Seer", section 3.1.
    """
    errors = 200 * symmetric_errors(predicted, measured).mean(axis=axis)
    return np.asarray(np.where(errors < _ROUNDING, 0.0, errors))
