"""Quantiles of Student's t distribution, without scipy for few degrees of freedom: its import takes longer."""

from __future__ import annotations

import math

# The distribution function is a sum of about half as many terms.
MOST_FREEDOM = 100


def t_quantile(freedom: int, probability: float) -> float:
    """Return the quantile of a probability above 0.5."""
    if freedom > MOST_FREEDOM:
        from scipy.special import stdtrit

        return float(stdtrit(freedom, probability))
    # Bisection of the angle whose tangent is t / sqrt(freedom).
    low, high = 0.0, math.pi / 2
    while (middle := (low + high) / 2) not in (low, high):
        if _inside(freedom, middle) < 2 * probability - 1:
            low = middle
        else:
            high = middle
    return math.sqrt(freedom) * math.tan(high)


def _inside(freedom: int, angle: float) -> float:
    """Return the probability of values between -t and t (Abramowitz and Stegun 26.7.3 and 26.7.4)."""
    square = math.cos(angle) ** 2
    odd = freedom % 2
    term, total = 1.0, 0.0
    for step in range(1 + odd, freedom, 2):
        total += term
        term *= step / (step + 1) * square
    if not odd:
        return math.sin(angle) * total
    return 2 / math.pi * (angle + math.sin(angle) * math.cos(angle) * total)
