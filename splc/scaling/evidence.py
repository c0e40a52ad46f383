"""The marginal likelihood of residuals when the noise is unknown.

The relative standard deviation of run times is usually between a tenth of a percent and some tens of percent, most
often near 1 %; counts have no noise. The prior is a mixture of scaled inverse chi-squared distributions around those
values, and a small share of Jeffreys' 1/σ, with which data without noise are recognised. Coefficients are integrated
out under a log-uniform prior, so the unit of measurement does not matter.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from splc.types import Array

_CENTERS = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3)
_SHARES = (0.05, 0.15, 0.35, 0.25, 0.15, 0.05)
_FREEDOM = 4.0
_ANY_SCALE = 1e-3
# Smaller sums of squared relative residuals are rounding errors.
_SMALLEST = 1e-28
_LARGEST = 1e20
_GRID = np.linspace(np.log(_SMALLEST), np.log(_LARGEST), 4000)
_PER_STEP = (len(_GRID) - 1) / (_GRID[-1] - _GRID[0])

# Coefficients of one sign are within five decades of each other.
_RANGE = 5 * np.log(10)
# A contribution below a thousandth of the values is not much more plausible when it is smaller.
_TRACE = 1e-3
# The plausibility of a coefficient that is certainly negative, relative to a positive one.
NEGATIVE_CONSTANT, NEGATIVE_TERM = 0.02, 0.1


def judged(squares: Array, free: int) -> tuple[Array, Array]:
    """Return the log marginal likelihood of sums of squared relative residuals, and the noise they imply.

    Returns:
        the log marginal likelihood, and the relative standard deviation of a measurement (the root of its variance's
        posterior mean), each of the shape of `squares`.
    """
    # Linear interpolation as `np.interp` does, without a search since the grid has equal steps.
    place = (np.log(np.clip(squares, _SMALLEST, _LARGEST)) - _GRID[0]) * _PER_STEP
    index = place.astype(np.intp)
    place = place - index
    evidence, evidence_step, spread, spread_step = _tables(free)
    return evidence[index] + place * evidence_step[index], spread[index] + place * spread_step[index]


@lru_cache(maxsize=256)
def _tables(free: int) -> tuple[Array, Array, Array, Array]:
    """Return the log evidence over `_GRID` and its differences, then the standard deviation and its differences."""
    from scipy.special import gammaln

    squares = np.exp(_GRID)
    if free == 0:
        # As many coefficients as measurements: only the prior is known.
        variance = np.sum([share * center**2 for center, share in zip(_CENTERS, _SHARES, strict=True)])
        total, spread = np.zeros_like(_GRID), np.full_like(_GRID, np.sqrt(variance))
    else:
        parts = [np.log(0.5 * _ANY_SCALE) + gammaln(free / 2) - free / 2 * np.log(np.pi * squares)]
        variances = [squares / free]
        for center, share in zip(_CENTERS, _SHARES, strict=True):
            scale = _FREEDOM * center**2
            part = np.log(share) + gammaln((free + _FREEDOM) / 2) - gammaln(_FREEDOM / 2)
            parts.append(part - free / 2 * np.log(np.pi * scale) - (free + _FREEDOM) / 2 * np.log1p(squares / scale))
            variances.append((squares + scale) / (free + _FREEDOM))
        total = np.logaddexp.reduce(parts)
        spread = np.sqrt((np.exp(np.array(parts) - total) * np.array(variances)).sum(axis=0))
    found = total, np.diff(total, append=total[-1]), spread, np.diff(spread, append=spread[-1])
    for table in found:
        table.setflags(write=False)
    return found


def log_coefficient(value: Array, unit: Array, noise: Array, negative: float) -> Array:
    """Return the contribution of a coefficient to the log evidence: the share of its prior range that it uses.

    `unit`: its standard error per unit of noise (without the correlation with other coefficients).
    """
    from scipy.special import ndtr

    error = unit * noise
    size = np.maximum(np.maximum(np.abs(value), error), _TRACE)
    positive = np.maximum(ndtr(value / error), negative)
    return np.asarray(np.log(np.sqrt(2 * np.pi) / _RANGE * positive * unit / size))
