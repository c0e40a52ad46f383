"""Plausible hypotheses, and mixtures of their predictive distributions where it is not known which one is right."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from splc.types import Array

# Less plausible hypotheses, relative to the best one, and more than this number of them do not change a bound.
LEAST_SHARE = float(np.log(1e-4))
MOST = 200
_STEPS = 60


@dataclass(frozen=True, eq=False)
class Plausible:
    """The plausible hypotheses for one quantity, each a sum of at most so many columns.

    Attributes:
        log_weights: unnormalised log posterior, shape (hypotheses,).
        coefficients: those of the columns that a hypothesis has come first, shape (hypotheses, most columns).
        squares: sums of squared relative residuals, those of repetitions among them, shape (hypotheses,).
        sizes: the number of coefficients, shape (hypotheses,).
        floored: whether noise is taken for partly absolute, shape (hypotheses,).
        columns: points (n, parameters) → the values of the columns, shape (hypotheses, most columns, n).
    """

    log_weights: Array
    coefficients: Array
    squares: Array
    sizes: Array
    floored: Array
    columns: Callable[[Array], Array]


def mixture_interval(
    log_weights: Array, means: Array, errors: Array, freedoms: Array, center: Array, level: float
) -> tuple[Array, Array]:
    """Return the bounds that contain a new measurement with probability `level`, NaN where none is defined.

    `log_weights`: of the hypotheses, unnormalised. `means`: shape (hypotheses, points); not finite where a hypothesis
    is undefined, such as a logarithm at 0. `errors`: standard errors, of the same shape. `freedoms`: degrees of
    freedom, shape (hypotheses,). `center`: the predictions, shape (points,).
    """
    with np.errstate(all="ignore"):
        # Hypotheses that are undefined at a point do not count there.
        defined = np.isfinite(means) & np.isfinite(errors)
        weights = np.where(defined, np.exp(log_weights - log_weights.max())[:, None], 0.0)
        weights = weights / weights.sum(axis=0)
        means, errors = np.where(defined, means, center), np.where(defined, errors, 0.0)
    tail = (1 - level) / 2
    lower, upper = (quantile(each, weights, means, errors, freedoms) for each in (tail, 1 - tail))
    return lower, upper


def quantile(level: float, weights: Array, means: Array, errors: Array, freedoms: Array) -> Array:
    """Return a quantile of mixtures of Student distributions by bisection; arrays are (hypotheses, points)."""
    from scipy.special import stdtr, stdtrit

    steps = stdtrit(freedoms, level)[:, None] * errors
    # The quantile of a mixture is between those of its parts.
    low, high = (means + steps).min(axis=0), (means + steps).max(axis=0)
    errors = np.maximum(errors, 1e-300)
    for _ in range(_STEPS):
        middle = 0.5 * (low + high)
        below = (weights * stdtr(freedoms[:, None], (middle - means) / errors)).sum(axis=0) < level
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return np.asarray(np.where(np.isnan(weights).any(axis=0), np.nan, 0.5 * (low + high)))
