"""How likely residuals are when the noise is not known: the marginal likelihood over what is believed about noise.

The relative standard deviation of measurements lies, as experience with run times has it, between a tenth of a percent
and some tens of percent, most often near 1 %; but it may be nothing at all, as for counts. The prior is a mixture of
scaled inverse chi-squared distributions around those values, and a little of Jeffreys' 1/σ, which lets data without
noise be recognised. Coefficients are integrated out under a log-uniform prior, so no unit of measurement matters.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]

_CENTERS = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3)
_SHARES = (0.05, 0.15, 0.35, 0.25, 0.15, 0.05)
_FREEDOM = 4.0
_ANY_SCALE = 1e-3
# Rounding errors: smaller sums of squared relative residuals mean nothing.
_SMALLEST = 1e-28
_GRID = np.linspace(np.log(_SMALLEST), np.log(1e20), 4000)

# Coefficients of one sign lie within five decades of each other.
_RANGE = 5 * np.log(10)
# And a contribution below a thousandth of the values is not much more plausible for being smaller.
_TRACE = 1e-3
# A coefficient that is certainly negative is this much less plausible than a positive one.
NEGATIVE_CONSTANT, NEGATIVE_TERM = 0.02, 0.1


def log_evidence(squares: Array, free: int) -> Array:
    """Return the log marginal likelihood of a sum of squared relative residuals.

    Args:
        squares: sums of squares.
        free: number of measurements minus number of coefficients.
    """
    return np.interp(np.log(np.maximum(squares, _SMALLEST)), _GRID, _tables(free)[0])


def spread(squares: Array, free: int) -> Array:
    """Return the relative standard deviation of a measurement: the root of its variance's posterior mean.

    Args:
        squares: sums of squared relative residuals.
        free: number of measurements minus number of coefficients.
    """
    return np.exp(np.interp(np.log(np.maximum(squares, _SMALLEST)), _GRID, _tables(free)[1]))


def degrees(free: int) -> float:
    """Return degrees of freedom for `spread`: what is believed beforehand counts as two measurements."""
    return free + 2.0


@lru_cache(maxsize=256)
def _tables(free: int) -> tuple[Array, Array]:
    """Return the log evidence and the log standard deviation over `_GRID`."""
    from scipy.special import gammaln

    if free == 0:
        # As many coefficients as measurements: nothing but what was believed beforehand is known.
        before = np.sum([share * center**2 for center, share in zip(_CENTERS, _SHARES, strict=True)])
        return np.zeros_like(_GRID), np.full_like(_GRID, 0.5 * np.log(before))
    squares = np.exp(_GRID)
    parts = [np.log(0.5 * _ANY_SCALE) + gammaln(free / 2) - free / 2 * np.log(np.pi * squares)]
    variances = [squares / free]
    for center, share in zip(_CENTERS, _SHARES, strict=True):
        scale = _FREEDOM * center**2
        part = np.log(share) + gammaln((free + _FREEDOM) / 2) - gammaln(_FREEDOM / 2)
        parts.append(part - free / 2 * np.log(np.pi * scale) - (free + _FREEDOM) / 2 * np.log1p(squares / scale))
        variances.append((squares + scale) / (free + _FREEDOM))
    total = np.logaddexp.reduce(parts)
    log_spread = 0.5 * np.log((np.exp(np.array(parts) - total) * np.array(variances)).sum(axis=0))
    total.setflags(write=False)
    log_spread.setflags(write=False)
    return total, log_spread


def log_coefficient(value: Array, unit: Array, noise: Array, negative: float) -> Array:
    """Return what a coefficient contributes to the log evidence: how much of its prior range it uses.

    Args:
        value: its estimate.
        unit: its standard error per unit of noise (without the correlation with other coefficients).
        noise: the relative standard deviation.
        negative: how plausible a negative value is, relative to a positive one.
    """
    from scipy.special import ndtr

    error = unit * noise
    size = np.maximum(np.maximum(np.abs(value), error), _TRACE)
    positive = np.maximum(ndtr(value / error), negative)
    return np.asarray(np.log(np.sqrt(2 * np.pi) / _RANGE * positive * unit / size))
