"""Plausible hypotheses, and mixtures of their predictive distributions where it is not known which one is right."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from splc.scaling.exponents import HypothesisColumns
from splc.types import Array

# Less plausible hypotheses, relative to the best one, and more than this number of them do not change a bound.
MIN_SHARE = float(np.log(1e-4))
MOST = 200
# The most steps, and those of Newton's method before each second one is a bisection.
_STEPS, _NEWTON = 100, 8
# The precision of a tail's probability, relative to it, before the last step of Newton's method squares it.
_PRECISE, _EXACT = 2e-4, 1e-9
# The longest last step, relative to the narrowest part of a mixture.
_SHORT = 0.01
_ROOT = float(np.sqrt(2 * np.pi))
# Quantiles that are found are left out of further steps as soon as fewer than this share is missing.
_COMPRESSED = 0.8


@dataclass(frozen=True, eq=False)
class Plausible:
    """The plausible hypotheses for one quantity, each a sum of columns."""

    log_weights: Array  # unnormalised log posterior, shape (hypotheses,)
    coefficients: Array  # those of the columns that a hypothesis has come first, shape (hypotheses, most columns)
    noise: Array  # relative standard deviation of a point's mean, shape (hypotheses,)
    single: Array  # relative variance of a measurement beyond that of its point's mean, shape (hypotheses,)
    freedoms: Array  # degrees of freedom of the noise, shape (hypotheses,)
    floors: Array  # the size that is added to the value to give what noise is relative to, shape (hypotheses,)
    # matrices whose products with a point's columns have the standard error of the fitted value there, per unit of
    # noise, as their length, shape (hypotheses, most columns, most columns)
    factors: Array
    columns: HypothesisColumns  # those at points (n, parameters), shape (hypotheses, most columns, n)
    # points → factors of what noise is relative to, shape (hypotheses, n); None: they are 1
    growths: Callable[[Array], Array] | None = None
    hidden: int = 0  # the number of hypotheses, the last ones, with products that the points neither show nor exclude

    def predictions(self, x: Array) -> tuple[Array, Array]:
        """Return predictions and standard errors of new measurements at points x, each of shape (hypotheses, n)."""
        columns = self.columns(x)
        means = np.einsum("hk,hkn->hn", self.coefficients, columns)
        variance = ((self.factors @ columns) ** 2).sum(axis=1)
        sizes = np.abs(means) + self.floors[:, None]
        if self.growths is not None:
            sizes = sizes * self.growths(x)
        return means, np.sqrt(self.noise[:, None] ** 2 * (variance + sizes**2) + self.single[:, None] * sizes**2)


def mixture_interval(
    log_weights: Array, means: Array, errors: Array, freedoms: Array, center: Array, level: float
) -> tuple[Array, Array]:
    """Return the bounds that contain a new measurement with probability `level`, NaN where none is defined.

    `means`, `errors`: those of hypotheses, (hypotheses, points), not finite where one is undefined, such as a logarithm
    at 0.
    """
    counts = np.array([len(log_weights)])
    lower, upper = mixture_intervals(log_weights, means, errors, freedoms, center[None], level, counts)
    return lower[0], upper[0]


def mixture_intervals(
    log_weights: Array, means: Array, errors: Array, freedoms: Array, centers: Array, level: float, counts: Array
) -> tuple[Array, Array]:
    """Return the bounds of several quantities, (quantities, points); `counts`: the numbers of their hypotheses."""
    starts = np.cumsum(counts) - counts
    weights = np.exp(log_weights - np.repeat(np.maximum.reduceat(log_weights, starts), counts))[:, None]
    # Hypotheses that are undefined at a point do not count there.
    defined = np.isfinite(means) & np.isfinite(errors)
    if not defined.all():
        weights = np.where(defined, weights, 0.0)
        means = np.where(defined, means, np.repeat(centers, counts, axis=0))
        errors = np.where(defined, errors, 0.0)
        weights = np.concatenate((weights, weights), axis=1)
    points = means.shape[1]
    means, errors = np.concatenate((-means, means), axis=1), np.concatenate((errors, errors), axis=1)
    bounds = quantiles((1 - level) / 2, means, errors, weights, freedoms, counts)
    return -bounds[:, :points], bounds[:, points:]


def quantiles(tail: float, means: Array, errors: Array, weights: Array, freedoms: Array, counts: Array) -> Array:
    """Return the values that mixtures of Student distributions exceed with probability `tail`, (mixtures, points).

    `means`, `errors`, `weights`: of the parts, (parts, points), `counts` for each mixture; weights need not add up to
    1.
    """
    from scipy.special import ndtr, ndtri

    points = means.shape[1]
    # The factors of Wallace's approximation of Student's distributions by the normal one.
    normal = (8 * freedoms + 1) / (8 * freedoms + 3) * np.sqrt(freedoms)
    with np.errstate(all="ignore"):
        beside = np.sqrt(np.expm1((ndtri(tail) / normal) ** 2))
        starts = np.cumsum(counts) - counts
        # Points by parts.
        means, weights = np.ascontiguousarray(means.T), np.ascontiguousarray(weights.T)
        spreads = np.maximum(np.ascontiguousarray(errors.T) * np.sqrt(freedoms), 1e-300)
        weights = weights / np.repeat(np.add.reduceat(weights, starts, axis=1), counts, axis=1)
        # The quantile of a mixture is between those of its parts.
        ends = means + spreads * beside
        low, high = (np.minimum.reduceat(ends, starts, axis=1), np.maximum.reduceat(ends, starts, axis=1))
        # Narrow parts determine it more than wide ones.
        narrow = weights / spreads
        narrow = narrow / np.repeat(np.add.reduceat(narrow, starts, axis=1), counts, axis=1)
        guess = np.add.reduceat(narrow * ends, starts, axis=1)
        variances = np.add.reduceat(narrow * (ends - np.repeat(guess, counts, axis=1)) ** 2, starts, axis=1)
        guess = np.minimum(np.maximum(guess + 0.5 * np.sqrt(variances), low), high)
        narrowest = np.minimum.reduceat(spreads, starts, axis=1)
        # The parts of all mixtures at the first point, then those at the next.
        everywhere = np.ones((points, 1))
        weights, powers = (weights * everywhere).ravel(), ((0.5 * normal**2 + 1) * everywhere).ravel()
        normal, counts = (normal * everywhere).ravel(), np.repeat(counts[None], points, axis=0).ravel()
        means, spreads, guess, low, high, narrowest = (
            array.ravel() for array in (means, spreads, guess, low, high, narrowest)
        )
        starts = np.cumsum(counts) - counts
        roots_found, open_, missed = guess.copy(), np.arange(len(counts)), np.isfinite(guess)
        density = normal * weights / (spreads * _ROOT)
        for count in range(_STEPS):
            away = (np.repeat(guess, counts) - means) / spreads
            size = np.minimum(np.maximum(np.abs(away), 1e-9), 1e100)
            logs = np.log1p(size * size)
            roots = np.sqrt(logs)
            beyond = np.add.reduceat(weights * ndtr(np.copysign(normal * roots, -away)), starts)
            slope = np.add.reduceat(density * size / roots * np.exp(-powers * logs), starts)
            low, high = np.where(beyond > tail, guess, low), np.where(beyond > tail, high, guess)
            # Newton's method for the logarithm of the probability.
            newton = guess + beyond / slope * np.log(beyond / tail)
            inside = (newton >= low) & (newton <= high)
            error, short = np.abs(beyond / tail - 1), np.abs(newton - guess) < _SHORT * narrowest
            # Between parts steps are long, however small the error is.
            known = inside & short & (error < _PRECISE) | (error < _EXACT) | (high - low < 1e-15 * np.abs(guess))
            # Newton's method may go back and forth between parts.
            better = np.where(known, guess, 0.5 * (low + high))
            better = np.where(inside & (known | (count < _NEWTON or count % 2 == 0)), newton, better)
            guess = np.where(missed, better, guess)
            roots_found[open_] = guess
            missed &= ~known
            if not missed.any():
                break
            if np.count_nonzero(missed) < _COMPRESSED * len(missed):
                parts = np.repeat(missed, counts)
                means, spreads, weights, normal, density, powers = (
                    array[parts] for array in (means, spreads, weights, normal, density, powers)
                )
                guess, low, high, narrowest, open_, counts, missed = (
                    array[missed] for array in (guess, low, high, narrowest, open_, counts, missed)
                )
                starts = np.cumsum(counts) - counts
    return roots_found.reshape(points, -1).T
