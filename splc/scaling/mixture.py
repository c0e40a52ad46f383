"""Plausible hypotheses, and mixtures of their predictive distributions where it is not known which one is right.

`mixture_intervals` is for many points, `PointMixture` for one point after the other, with the same numbers: with
arrays of some tens of hypotheses the time is that of the calls, of which there are few there, and Newton's method is
replaced by one that needs fewer steps.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import log, log2, sqrt
from statistics import NormalDist

import numpy as np

from splc.scaling.exponents import HypothesisColumns
from splc.types import Array

# Less plausible hypotheses, relative to the best one, and more than this number of them do not change a bound.
MIN_SHARE = float(np.log(1e-4))
MOST = 200
# The most steps, and those of Newton's method before each second one is a bisection.
_STEPS, _NEWTON = 100, 8
# The precision of a tail's probability, relative to it, before the last step of Newton's method squares it.
PRECISE, EXACT = 2e-4, 1e-9
# The longest last step, relative to the narrowest part of a mixture.
SHORT = 0.01
ROOT = float(np.sqrt(2 * np.pi))
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

    `log_weights`: of the hypotheses, unnormalised. `means`: shape (hypotheses, points); not finite where a hypothesis
    is undefined, such as a logarithm at 0. `errors`: standard errors, of the same shape. `freedoms`: degrees of
    freedom, shape (hypotheses,). `center`: the predictions, shape (points,).
    """
    counts = np.array([len(log_weights)])
    lower, upper = mixture_intervals(log_weights, means, errors, freedoms, center[None], level, counts)
    return lower[0], upper[0]


def mixture_intervals(
    log_weights: Array, means: Array, errors: Array, freedoms: Array, centers: Array, level: float, counts: Array
) -> tuple[Array, Array]:
    """Return the bounds of several quantities, each of shape (quantities, points); see `mixture_interval`.

    `centers`: shape (quantities, points). `counts`: the number of hypotheses of each quantity, which follow each other.
    """
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

    `means`, `errors` and `weights`: of the parts, shape (parts, points); `weights` of shape (parts, 1) are those at all
    points. `freedoms`: degrees of freedom, shape (parts,). `counts`: the number of parts of each mixture, which follow
    each other. The weights of a mixture need not add up to 1; if they add up to 0, there is no quantile.
    """
    from scipy.special import ndtr, ndtri

    points = means.shape[1]
    normal = wallace(freedoms)
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
        density = normal * weights / (spreads * ROOT)
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
            error, short = np.abs(beyond / tail - 1), np.abs(newton - guess) < SHORT * narrowest
            # Between parts steps are long, however small the error is.
            known = inside & short & (error < PRECISE) | (error < EXACT) | (high - low < 1e-15 * np.abs(guess))
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


def wallace(freedoms: Array) -> Array:
    """Return the factors of Wallace's approximation of Student's distributions by the normal one."""
    return np.asarray((8 * freedoms + 1) / (8 * freedoms + 3) * np.sqrt(freedoms))


# The most steps; quantiles that need more are left to `mixture_interval`.
_POINT_STEPS = 8
# The product of the errors of a tail's logarithm in the last two steps, before the last one squares it.
_PRODUCT = 4e-4
# The quantile of a mixture beyond the mean of its parts' own ones, by their variance.
_APART = 1.3
# A value, the logarithm of its tail's probability relative to the one that is looked for, and the values' slope in it.
_Step = tuple[float, float, float]


@dataclass(frozen=True, eq=False)
class PointMixture:
    """The plausible hypotheses of one quantity."""

    plausible: Plausible  # the hypotheses
    # for each parameter the exponents of its factors, each of shape (factors,), their divisors, and the factor of each
    # column, as a position, shape (most columns, hypotheses)
    factors: tuple[tuple[Array, Array, Array, Array], ...]
    # the rows whose products with a point's columns are the prediction and the parts of its standard error times the
    # root of the degrees of freedom, shape (1 + most columns, most columns, hypotheses)
    lines: Array
    # the variance of a new measurement, relative to the square of the size that noise is relative to, times the degrees
    # of freedom
    variance_factors: Array
    weights: Array  # the probabilities, which add up to 1, shape (hypotheses,)
    # the factors of Wallace's approximation, for the lower and, negative, for the upper tail, shape (2, hypotheses)
    normal: Array
    inverse: Array  # one over their squares, shape (hypotheses,)
    heights: Array  # the weights times these factors, as in the densities, shape (hypotheses,)
    powers: Array  # those of the densities, shape (hypotheses,)

    @classmethod
    def of(cls, plausible: Plausible) -> PointMixture:
        """Return the hypotheses in this form."""
        freedoms = plausible.freedoms
        scaled = plausible.factors * (plausible.noise * np.sqrt(freedoms))[:, None, None]
        lines = np.concatenate([plausible.coefficients[:, None], scaled], axis=1)
        normal = wallace(freedoms)
        weights = np.exp(plausible.log_weights - plausible.log_weights.max())
        weights /= weights.sum()
        return cls(
            plausible,
            tuple(
                (factors.powers[:, 0], factors.logs[:, 0], factors.sizes[:, 0], np.ascontiguousarray(factors.places.T))
                for factors in plausible.columns.factors
            ),
            np.ascontiguousarray(lines.transpose(1, 2, 0)),
            freedoms * (plausible.noise**2 + plausible.single),
            weights,
            np.array([normal, -normal]),
            1 / normal**2,
            weights * normal,
            -0.5 * normal**2 - 1,
        )

    def interval(self, point: list[float], level: float) -> tuple[float, float] | None:
        """Return the bounds of a new measurement at a point; None if the method for any number of points is needed.

        That is where a hypothesis is undefined, or a distribution so far from a normal one that steps are long.
        """
        if min(point) <= 0:
            return None
        with np.errstate(all="ignore"):
            products = np.einsum("jkh,kh->jh", self.lines, self._columns(point))
            means, parts = products[0], products[1:]
            size = np.abs(means) + self.plausible.floors
            if self.plausible.growths is not None:
                size *= self.plausible.growths(np.array([point]))[:, 0]
            spreads = np.sqrt(np.einsum("jh,jh->h", parts, parts) + self.variance_factors * size * size)
            return self._quantiles(means, spreads, (1 - level) / 2)

    def _columns(self, point: list[float]) -> Array:
        """Return the values of the columns at a point, shape (most columns, hypotheses)."""
        columns = None
        for x, (powers, logs, sizes, places) in zip(point, self.factors, strict=True):
            factor = (x**powers * log2(x) ** logs / sizes).take(places)
            columns = factor if columns is None else columns * factor
        assert columns is not None
        return columns

    def _quantiles(self, means: Array, spreads: Array, tail: float) -> tuple[float, float] | None:
        """Return the values that a new measurement is below, and above, with probability `tail`.

        Values are interpolated as a function of the logarithm of the tail's probability, from the last two and their
        slopes (Hermite's interpolation).
        """
        from scipy.special import ndtr

        steep = 1 / spreads
        density = self.heights * steep
        part_distances = np.sqrt(np.expm1(NormalDist().inv_cdf(tail) ** 2 * self.inverse))
        bounds = _guesses(means, spreads * part_distances, density)
        narrowest = float(steep[steep.argmax()])
        # Far away all spreads may leave the range of numbers.
        if not narrowest > 0:
            return None
        longest = SHORT / narrowest
        last: list[_Step | None] = [None, None]
        known = [False, False]
        values = np.empty((2, 1))
        for _ in range(_POINT_STEPS):
            values[0, 0], values[1, 0] = bounds
            standardized = (values - means) * steep
            logs = np.log1p(standardized * standardized)
            roots = np.copysign(np.sqrt(logs), standardized)
            tails = (ndtr(roots * self.normal) @ self.weights).tolist()
            logs *= self.powers
            standardized /= roots
            standardized *= np.exp(logs)
            slopes = (standardized @ density).tolist()
            for side in (0, 1):
                if known[side]:
                    continue
                probability, slope = tails[side], slopes[side] / ROOT
                if not (probability > 0 and slope > 0):
                    return None
                step = bounds[side], log(probability / tail), (probability if side == 0 else -probability) / slope
                bounds[side], known[side] = _next(step, last[side], longest)
                last[side] = step
            if known[0] and known[1]:
                return bounds[0], bounds[1]
        return None


def _guesses(means: Array, halves: Array, density: Array) -> list[float]:
    """Return first guesses of both quantiles, which narrow parts determine more than wide ones.

    `halves`: distances of the parts' own quantiles from their means. `density`: proportional to that at the means.
    """
    middle = float(means[0])
    parts = np.empty((3, len(means)))
    parts[0] = 1.0
    np.subtract(means, middle, out=parts[1])
    parts[2] = halves
    (total, mean, half), (_, first, shared), (*_, second) = ((parts * density) @ parts.T).tolist()
    if not total > 0:
        return [middle, middle]
    mean, half, first, shared, second = (moment / total for moment in (mean, half, first, shared, second))
    guesses = []
    for side in (-1, 1):
        variance = max(first + second + 2 * side * shared - (mean + side * half) ** 2, 0.0)
        guesses.append(middle + mean + side * (half + _APART * variance / (half + 2 * _APART * sqrt(variance))))
    return guesses


def _next(step: _Step, last: _Step | None, longest: float) -> tuple[float, bool]:
    """Return the next value, and whether it is precise.

    `longest`: the length of a last step that is short beside the narrowest part.
    """
    value, error, slope = step
    newton = better = value - slope * error
    product = 1.0
    if last is not None and last[1] != error:
        before, previous, steep = last
        gap = error - previous
        mean = (value - before) / gap
        change = error * error * ((slope - mean) / gap - previous * (slope + steep - 2 * mean) / (gap * gap))
        if abs(change) < abs(newton - value):
            better, product = newton + change, abs(error * previous)
    precise = abs(error) < PRECISE or product < _PRODUCT
    return better, (precise and abs(better - value) < longest) or abs(error) < EXACT
