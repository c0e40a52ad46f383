"""Prediction intervals: of all hypotheses that the default learner weighs, and of one least squares fit alone.

The second kind takes the hypothesis for certain. Far from the measured points that is too narrow by far: in the
evaluation on synthetic functions such 90 % intervals hold a new measurement in 10 to 40 % of all cases.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from splc.scaling.columns import column
from splc.scaling.evidence import degrees, judged
from splc.scaling.exponents import Exponents
from splc.scaling.mixture import LEAST_SHARE, MOST, Mixture
from splc.scaling.noise import Condensed
from splc.scaling.single.default import ideas, log_share, without_relative
from splc.scaling.single.hypotheses import space
from splc.scaling.single.posterior import Posterior
from splc.types import Array


@dataclass(frozen=True, eq=False)
class FitUncertainty:
    """Intervals of one hypothesis fitted by ordinary least squares, residuals taken for normal and of one size.

    Attributes:
        terms: exponents per term and parameter, the constant among them.
        points: shape (n, parameters).
        residuals: at the points, shape (n,).
        noise: relative standard deviation of repetitions, as a fraction; None: the residuals say it.
    """

    terms: tuple[tuple[Exponents, ...], ...]
    points: Array
    residuals: Array
    noise: float | None

    def interval(self, x: Array, center: Array, level: float) -> tuple[Array, Array]:
        """Return the bounds for new measurements at points x, shape (points, parameters), around predictions."""
        from scipy.special import stdtrit

        free = len(self.points) - len(self.terms)
        if free < 1:
            return np.full(len(x), -np.inf), np.full(len(x), np.inf)
        design = design_matrix(self.terms, self.points)
        norms = np.sqrt((design**2).sum(axis=0))
        variance = float((self.residuals**2).sum()) / free
        _, r = np.linalg.qr(design / norms)
        at = np.linalg.lstsq(r.T, (design_matrix(self.terms, x) / norms).T, rcond=None)[0]
        own = variance if self.noise is None else (self.noise * center) ** 2
        half = stdtrit(free, (1 + level) / 2) * np.sqrt(variance * (at**2).sum(axis=0) + own)
        return center - half, center + half


def design_matrix(terms: tuple[tuple[Exponents, ...], ...], points: Array) -> Array:
    """Return the columns of terms at points (n, parameters), shape (n, terms)."""
    design = np.ones((len(points), len(terms)))
    for at, term in enumerate(terms):
        for parameter, each in enumerate(term):
            design[:, at] *= column(each, points[:, parameter])
    return design


@dataclass(frozen=True, eq=False)
class PosteriorUncertainty:
    """Intervals for one parameter: quantiles of the mixture of all hypotheses' predictive distributions.

    That one of many hypotheses was chosen is the largest part of what is uncertain far from the measured points.

    Attributes:
        x: the points, shape (n,).
        values: shape (n,), in units of `unit`.
        counts: measurements per point, shape (n,).
        squares: sums of squared deviations of repetitions, shape (n,).
        falling: whether negative powers are among the hypotheses.
        unit: what values are divided by.
    """

    x: Array
    values: Array
    counts: Array
    squares: Array
    falling: bool
    unit: float

    def interval(self, x: Array, center: Array, level: float) -> tuple[Array, Array]:
        """Return the bounds for new measurements at points x, shape (points, 1), around predictions."""
        with np.errstate(all="ignore"):
            lower, upper = self._mixture(x[:, 0]).interval(center / self.unit, level)
        with np.errstate(over="ignore"):
            return lower * self.unit, upper * self.unit

    def _mixture(self, x: Array) -> Mixture:
        """Return what all plausible hypotheses predict, in units of `unit`."""
        among = space(self.x, self.falling)
        none = np.zeros(1, dtype=int)
        measured = Condensed(self.values[None], self.counts[None], self.squares[None], none)
        total = int(self.counts.sum())
        absolute = without_relative(measured)
        known = np.vstack([np.ones_like(x), *(column(each, x) for each in among.terms)])
        here = np.vstack([np.ones_like(self.x), among.values])
        parts = []
        for each, _ in ideas(among, measured, total):
            log_weights = (each.found.log_weights + log_share(each.floored, absolute))[:, 0]
            order = np.argsort(-log_weights)[:MOST]
            order = order[log_weights[order] > log_weights[order[0]] + LEAST_SHARE]
            weight = np.sqrt(self.counts) / each.scales[:, 0]
            floor = np.abs(self.values).mean() if each.floored else 0.0
            for size in np.unique(each.found.sizes[order]):
                at = order[each.found.sizes[order] == size]
                uses, coefficients = _used(each.found, at, int(size))
                there = known[uses]
                mean = (coefficients[:, :, None] * there).sum(axis=1)
                errors = leverage(np.swapaxes(here[uses] * weight, 1, 2), there)
                noise = judged(each.found.squares[at, 0], total - int(size))[1][:, None]
                errors = noise * np.sqrt(errors + (np.abs(mean) + floor) ** 2)
                parts.append((log_weights[at], mean, errors, np.full(len(at), degrees(total - int(size)))))
        logs, means, errors, freedoms = (np.concatenate(each) for each in zip(*parts, strict=True))
        return Mixture(np.exp(logs - logs.max()), means, errors, freedoms)


def _used(found: Posterior, at: Array, size: int) -> tuple[Array, Array]:
    """Return which columns hypotheses with `size` coefficients use, 0 being the constant, and their coefficients."""
    # A term stands one place behind the constant.
    places = np.stack([np.zeros(len(at), dtype=int), found.first[at] + 1, found.second[at] + 1], axis=1)
    coefficients = found.coefficients[:, at, 0].T
    used = places > 0
    # Where terms are fewer than coefficients the constant is one of them.
    used[:, 0] = used.sum(axis=1) < size
    return places[used].reshape(-1, size), coefficients[used].reshape(-1, size)


def leverage(designs: Array, there: Array) -> Array:
    """Return the variance of fitted values elsewhere, per unit of noise.

    Args:
        designs: weighted columns at the measured points, shape (hypotheses, n, k).
        there: columns elsewhere, shape (hypotheses, k, points).
    """
    norms = np.sqrt((designs**2).sum(axis=1))
    _, r = np.linalg.qr(designs / norms[:, None])
    found = np.linalg.solve(np.swapaxes(r, 1, 2), there / norms[:, :, None])
    return np.asarray((found**2).sum(axis=1))
