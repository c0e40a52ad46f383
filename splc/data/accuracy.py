"""Errors of predictions: how far they are from measured values."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from splc.types import Array

_ROUNDING = 1e-10  # symmetric errors below this (in percent) are rounding and count 0


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
    """
    errors = _usable_errors(predicted, measured)
    with np.errstate(over="ignore"):
        return float(np.mean(errors) * 100) if len(errors) else None


def standard_error(predicted: Array, measured: Array, of: int) -> float | None:
    """Return the standard error of `mean_relative_error` of rows drawn from `of` rows, in percentage points."""
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
    """Return the mean relative error and its standard error, from those of parts of these sizes that are defined."""
    # None becomes NaN.
    means, deviations, weights = (np.array(each, dtype=float) for each in (errors, standard_errors, sizes))
    known = ~np.isnan(means)
    if not known.any():
        return None, None
    weights = weights[known] / weights[known].sum()
    deviation = float(np.sqrt(((weights * deviations[known]) ** 2).sum()))
    return float(weights @ means[known]), None if np.isnan(deviation) else deviation


def error_distribution(predicted: Array, measured: Array) -> tuple[float, float, float] | None:
    """Return the median of the errors that `mean_relative_error` averages, their mean, and their 95th percentile."""
    if (mean := mean_relative_error(predicted, measured)) is None:
        return None
    median, high = np.quantile(_usable_errors(predicted, measured), (0.5, 0.95)) * 100
    return float(median), mean, float(high)


def _usable_errors(predicted: Array, measured: Array) -> Array:
    used = (measured != 0) & ~np.isnan(predicted) & ~np.isnan(measured)
    return relative_errors(predicted[used], measured[used])


def smape(predicted: Array, measured: Array, axis: int = 0) -> Array:
    """Return the symmetric mean absolute percentage error, 0 to 200; 0/0 counts 0. NaN if a value is undefined.

    The formula of P. Reisert et al., "Following the Blind Seer", section 3.1.
    """
    errors = 200 * symmetric_errors(predicted, measured).mean(axis=axis)
    return np.asarray(np.where(errors < _ROUNDING, 0.0, errors))
