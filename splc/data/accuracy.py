"""Errors of predictions: how far they are from measured values, by which factor, and where most."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from splc.data.configurations import Configurations, value_table
from splc.io.numbers import short_number
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
    """Return the mean relative error of all rows and its standard error, for those of parts with so many rows.

    Parts whose error is undefined are left out.
    """
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


# A condition is stated if its configurations differ by as many standard errors: some hundreds of conditions are tried.
_STANDARD_ERRORS = 4.0
_TIMES_WORSE = 1.5
_FEWEST = 3
# Without as large a share of positive ratios there is no factor.
_MOST = 0.9
# Options with more values are only cut in two, at so many places.
_MOST_VALUES = 10


@dataclass(frozen=True)
class Place:
    """Configurations that are missed by more than the others."""

    text: str  # what they have in common, such as `px = 1`
    error: float  # their mean error in percent


@dataclass(frozen=True)
class Discrepancy:
    """The factor by which predictions miss values, and their errors with and without it."""

    ratio: float  # the geometric mean of value / prediction, where it is positive
    factor: float  # the factor on all predictions with the least mean relative error
    error: float  # the mean relative error with this factor, in percent
    unscaled: float  # the mean relative error without a factor, in percent
    place: Place | None = None  # where the error with this factor is greatest, None if it depends on no single option

    @property
    def by_factor(self) -> bool:
        """True if predictions are wrong mainly by a factor: of 2 at least, or one that halves an error of 10 %."""
        return not 0.5 < self.ratio < 2 or self.error <= self.unscaled / 2 >= 5


def discrepancy(
    values: Array, predicted: Array, configurations: Configurations | None = None, weights: Array | None = None
) -> Discrepancy | None:
    """Return how predictions miss values, None where no positive factor relates most of them.

    `values`, `predicted`, `weights`: shape (n,). Rows in which either value is 0 are left out.
    """
    used = (values != 0) & (predicted != 0)
    values, predicted = values[used], predicted[used]
    weights = np.ones(len(values)) if weights is None else weights[used]
    with np.errstate(all="ignore"):
        ratios = values / predicted
        positive = (ratios > 0) & (weights > 0)
        # The error is convex and piecewise linear in the factor: it is least at a weighted median.
        order = np.argsort(ratios)
        sums = (weights / np.abs(ratios))[order].cumsum()
        if not positive.any() or positive.mean() < _MOST or not sums[-1] < np.inf:
            return None
        factor = float(ratios[order][np.searchsorted(sums, sums[-1] / 2)])
        ratio = float(np.exp(np.average(np.log(ratios[positive]), weights=weights[positive])))
        errors, unscaled = (100 * relative_errors(times * predicted, values) for times in (factor, 1))
        if not (factor > 0 and np.isfinite([errors, unscaled]).all()):
            return None
    place = None if configurations is None else worst_place(errors, configurations[used])
    mean, mean_unscaled = (float(np.average(each, weights=weights)) for each in (errors, unscaled))
    return Discrepancy(ratio, factor, mean, mean_unscaled, place)


def worst_place(errors: Array, configurations: Configurations) -> Place | None:
    """Return the value or range of one option that explains most of the errors, None if none does.

    `errors`: in percent, shape (n,), signed or not.
    """
    count, best, found = len(errors), 0.0, None
    # Squares of huge errors would overflow.
    size = float(np.abs(errors).max(initial=0.0))
    scaled = errors / size if size else errors
    total, spread = scaled.sum(), float(((scaled - scaled.mean()) ** 2).sum()) if count else 0.0
    for at, option in enumerate(configurations.system.options):
        levels, indices = value_table(option), configurations.indices[:, at]
        # The sums of levels are those of all conditions on them.
        counts, sums = np.bincount(indices, minlength=len(levels)), np.bincount(indices, scaled, len(levels))
        for text, there in _conditions(option.name, levels, counts > 0):
            inside = int(counts[there].sum())
            if min(inside, count - inside) < _FEWEST:
                continue
            here = sums[there].sum() / inside
            others = (total - here * inside) / (count - inside)
            between = inside * (count - inside) / count * (here - others) ** 2
            if between > best and abs(here) > _TIMES_WORSE * abs(others):
                best, found = between, Place(text, float(here * size))
    within = (spread - best) / max(count - 2, 1)
    return found if best > _STANDARD_ERRORS**2 * within else None


def _conditions(name: str, levels: Array, occurs: Array) -> Iterator[tuple[str, Array]]:
    """Yield (condition on an option, the levels that fulfil it), each of shape (levels,)."""
    seen = levels[occurs & ~np.isnan(levels)]
    cuts = min(len(seen), _MOST_VALUES)
    yield from ((f"{name} = {short_number(value)}", levels == value) for value in seen.tolist() if cuts == len(seen))
    for value in seen[np.linspace(0, len(seen) - 1, cuts).round().astype(int)][1:-1].tolist():
        yield f"{name} <= {short_number(value)}", levels <= value
        yield f"{name} >= {short_number(value)}", levels >= value
