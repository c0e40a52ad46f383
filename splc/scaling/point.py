"""Intervals at one point: the plausible hypotheses of a quantity, prepared for one point after the other.

The numbers are those of `Plausible.predictions` and `mixture_interval`. With arrays of some tens of hypotheses the time
is that of the calls, of which there are few here, and Newton's method is replaced by one that needs fewer steps.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log, log2, sqrt
from statistics import NormalDist

import numpy as np

from splc.scaling.mixture import EXACT, PRECISE, ROOT, SHORT, Plausible, wallace
from splc.types import Array

# The most steps; quantiles that need more are left to `mixture_interval`.
_STEPS = 8
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
        for _ in range(_STEPS):
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
