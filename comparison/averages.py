"""Weighted sums, means, medians and ranks.

Everywhere x has the shape (n,) with n ≥ 1 and no NaN, and w is None (all rows weigh the same) or positive, shape (n,).
"""

from __future__ import annotations

import math
import sys

import numpy as np

from splc.types import Array


def weighted_sum(x: Array, w: Array | None) -> float:
    """Return the weighted sum."""
    return float(x.sum() if w is None else (w * x).sum())


def mean(x: Array, w: Array | None) -> float:
    """Return the weighted mean."""
    return float(np.average(x, weights=w))


def ratio(numerator: float, denominator: float) -> float:
    """Return a ratio; nan where the denominator is not positive, too small to be precise, or infinite."""
    return numerator / denominator if sys.float_info.min <= denominator < math.inf else math.nan


def similarity(numerator: float, denominator: float) -> float:
    """Return a ratio that can leave [-1, 1] by rounding only; nan as `ratio`."""
    quotient = ratio(numerator, denominator)
    return quotient if math.isnan(quotient) else max(-1.0, min(1.0, quotient))


def median(x: Array, w: Array | None) -> float:
    """Return the weighted median: that of the rows repeated as often as their (whole) weights say.

    It is the middle between the least value that at least half of the weight is up to, and the greatest that at
    least half of the weight is from.
    """
    if w is None:
        return float(np.median(x))
    order = np.argsort(x, kind="stable")
    cumulated = np.cumsum(w[order])
    half = cumulated[-1] / 2
    # Sums of weights are rounded: a sum that differs from half by rounding is half.
    slack = 1e-12 * cumulated[-1]
    low, high = (x[order[int(np.searchsorted(cumulated, bound))]] for bound in (half - slack, half + slack))
    return float(low + high) / 2


def ranks(x: Array, w: Array | None) -> Array:
    """Return weighted ranks, shape (n,): the weight of all lower values and half of that of equal ones."""
    distinct, which = np.unique(x, return_inverse=True)
    weight = np.bincount(which, w, minlength=len(distinct))
    ranked: Array = (np.cumsum(weight) - weight / 2)[which]
    return ranked


def centred(x: Array, w: Array | None) -> Array:
    """Return x less its weighted mean, shape (n,); exactly 0 where all values are the same."""
    return x - mean(x, w) if x.min() < x.max() else np.zeros(len(x))


def power_norm(x: Array, w: Array | None, p: float) -> float:
    """Return (sum w x^p)^(1/p) for x ≥ 0 and a finite p ≥ 1."""
    unit, total = 1.0, weighted_sum(x**p, w)
    if not sys.float_info.min <= total < math.inf:
        # High powers overflow and underflow easily; those of values up to 1 do not matter where they underflow.
        unit = float(x.max()) or 1.0
        total = weighted_sum((x / unit) ** p, w)
    return unit * (math.sqrt(total) if p == 2 else math.cbrt(total) if p == 3 else total ** (1 / p))
