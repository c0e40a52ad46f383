"""Half widths of prediction intervals, and quantiles of Student's t distribution.

The quantiles need no scipy for few degrees of freedom: its import takes longer.
"""

from __future__ import annotations

import math

import numpy as np

from splc.learning.projection import constants
from splc.types import Array

# The distribution function is a sum of about half as many terms.
MAX_FREEDOM = 100


def half_width(errors: Array, variables: int, limits: tuple[float, float] = (0.0, math.inf)) -> float:
    """Return the half width of 90 % prediction intervals, in the unit of errors of held-out rows.

    With few rows it is a quantile of Student's t distribution for the root mean square of the errors, otherwise a
    quantile of their sizes.

    Args:
        errors: the errors, shape (n,).
        variables: the number of variables.
        limits: the limits of the root mean square.
    """
    n = len(errors)
    if n >= constants.CONFORMAL_ROWS:
        return float(np.sort(np.abs(errors))[min(math.ceil(constants.LEVEL * (n + 1)), n) - 1])
    size = float(np.clip(np.sqrt(np.mean(errors**2)), *limits))
    freedom = max(constants.MIN_FREEDOM, n - variables - 1)
    return size * t_quantile(freedom, (1 + constants.LEVEL) / 2)


def t_quantile(freedom: int, probability: float) -> float:
    """Return the quantile of a probability above 0.5."""
    if freedom > MAX_FREEDOM:
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
