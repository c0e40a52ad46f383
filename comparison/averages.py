"""Weighted sums, means, medians, ranks and powers that neither overflow nor underflow where their result does not.

Everywhere: x has shape (n,) with n ≥ 1 and no NaN, w has shape (n,), is positive, or None: all the same.
"""

from __future__ import annotations

import math

import numpy as np

from splc.types import Array

# Powers up to this order are computed in units of a power of two, which rounds nothing; 2^16 is far from overflow.
_SMALL_ORDER = 16


def unit_of(x: Array) -> float:
    """Return the power of two u for which the greatest |x| / u is in [1, 2); 1 where all are 0 or one is infinite."""
    top = float(np.abs(x).max())
    return math.ldexp(1.0, math.frexp(top)[1] - 1) if 0 < top < math.inf else 1.0


def tamed(a: Array, b: Array) -> tuple[Array, Array]:
    """Return both with the rows made smaller in which a sum would overflow, for what is a ratio within each row."""
    shrink = np.where(np.maximum(np.abs(a), np.abs(b)) > 2.0**1000, 2.0**-100, 1.0)
    return a * shrink, b * shrink


def weighted_sum(x: Array, w: Array | None) -> float:
    """Return the weighted sum."""
    return float(x.sum() if w is None else (w * x).sum())


def common_unit(a: Array, b: Array) -> tuple[Array, Array]:
    """Return both in a common unit, for what is a ratio of sums over all rows: no sum overflows."""
    unit = unit_of(np.maximum(np.abs(a), np.abs(b)))
    return a / unit, b / unit


def ratio(numerator: float, denominator: float) -> float:
    """Return a ratio, nan where the denominator is not positive."""
    return numerator / denominator if denominator > 0 else math.nan


def similarity(numerator: float, denominator: float) -> float:
    """Return a ratio that only rounding can bring out of [-1, 1], nan where the denominator is not positive."""
    return max(-1.0, min(1.0, numerator / denominator)) if denominator > 0 else math.nan


def mean(x: Array, w: Array | None) -> float:
    """Return the weighted mean."""
    unit = unit_of(x)
    return float(np.average(x / unit, weights=w)) * unit


def median(x: Array, w: Array | None) -> float:
    """Return the weighted median: that of the rows repeated as often as their (whole) weights say.

    It is the middle between the least value that at least half of the weight is up to, and the greatest that at
    least half of the weight is from.
    """
    if w is None:
        w = np.ones(len(x))
    order = np.argsort(x, kind="stable")
    cumulated = np.cumsum(w[order])
    half = cumulated[-1] / 2
    # Sums of weights are rounded; one that is half but for rounding is half.
    slack = 1e-12 * cumulated[-1]
    low, high = (x[order[int(np.searchsorted(cumulated, bound))]] for bound in (half - slack, half + slack))
    return float(low) if low == high else float(low / 2 + high / 2)


def ranks(x: Array, w: Array | None) -> Array:
    """Return weighted ranks, shape (n,): the weight of all lower values and half of that of equal ones."""
    distinct, which = np.unique(x, return_inverse=True)
    weight = np.bincount(which, w, minlength=len(distinct))
    ranked: Array = (np.cumsum(weight) - weight / 2)[which]
    return ranked


def centred(x: Array, w: Array | None) -> Array | None:
    """Return x / unit - its weighted mean, shape (n,); None where all values are the same."""
    if x.min() == x.max():
        return None
    scaled = x / unit_of(x)
    result: Array = scaled - np.average(scaled, weights=w)
    # The mean of values that differ by rounding alone may equal all of them but for rounding.
    return result if result.any() else None


def power_norm(x: Array, w: Array | None, p: float) -> float:
    """Return (sum w x^p)^(1/p) for x ≥ 0 and a finite p ≥ 1."""
    unit, total = _power_sum(x, w, p)
    if p == 3:
        return unit * math.cbrt(total)
    return unit * (math.sqrt(total) if p == 2 else total ** (1 / p))


def power_mean(x: Array, w: Array | None, p: float) -> float:
    """Return sum w x^p / sum w for x ≥ 0 and a finite p ≥ 1."""
    unit, total = _power_sum(x, w, p)
    total /= len(x) if w is None else float(w.sum())
    with np.errstate(over="ignore", under="ignore"):
        if p <= _SMALL_ORDER and p == int(p):
            return float(np.ldexp(total, (math.frexp(unit)[1] - 1) * int(p)))
        return float(np.float_power(unit * total ** (1 / p), p))


def _power_sum(x: Array, w: Array | None, p: float) -> tuple[float, float]:
    """Return a unit u > 0 and sum w (x / u)^p."""
    unit = _unit(x, p)
    x = x / unit
    if w is not None:
        # Weights may have made the greatest value one of the least.
        x = x * w ** (1 / p)
        again = _unit(x, p)
        x, unit = x / again, unit * again
    return unit, float((x**p).sum())


def _unit(x: Array, p: float) -> float:
    """Return a unit for powers: orders so high that 2^p overflows need the greatest value itself."""
    return unit_of(x) if p <= _SMALL_ORDER else float(x.max()) or 1.0
