"""Plausible hypotheses, and mixtures of their predictive distributions where it is not known which one is right."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from splc.scaling.evidence import noise_evidence
from splc.scaling.noise import Condensed, scales
from splc.types import Array

# Less plausible hypotheses, relative to the best one, and more than this number of them do not change a bound.
LEAST_SHARE = float(np.log(1e-4))
MOST = 200
_STEPS = 60
# The precision of quantiles, and the share of parts that may be left out, relative to the tail.
_PRECISE, _LEFT_OUT = 2e-3, 0.02


@dataclass(frozen=True, eq=False)
class Plausible:
    """The plausible hypotheses for one quantity, each a sum of columns.

    Attributes:
        log_weights: unnormalised log posterior, shape (hypotheses,).
        coefficients: those of the columns that a hypothesis has come first, shape (hypotheses, most columns).
        noise: relative standard deviation of a point's mean, shape (hypotheses,).
        single: relative variance of a measurement beyond that of its point's mean, shape (hypotheses,).
        freedoms: degrees of freedom of the noise, shape (hypotheses,).
        floors: the size that is added to the value to give what noise is relative to, shape (hypotheses,).
        factors: matrices whose products with a point's columns have the standard error of the fitted value there, per
            unit of noise, as their length, shape (hypotheses, most columns, most columns).
        columns: points (n, parameters) → the values of the columns, shape (hypotheses, most columns, n).
    """

    log_weights: Array
    coefficients: Array
    noise: Array
    single: Array
    freedoms: Array
    floors: Array
    factors: Array
    columns: Callable[[Array], Array]

    @classmethod
    def joined(cls, parts: Sequence[Plausible], columns: Callable[[Array], Array]) -> Plausible:
        """Return the hypotheses of all parts."""
        arrays = (
            (each.log_weights, each.coefficients, each.noise, each.single, each.freedoms, each.floors, each.factors)
            for each in parts
        )
        log_weights, coefficients, noise, single, freedoms, floors, factors = map(
            np.concatenate, zip(*arrays, strict=True)
        )
        return cls(log_weights, coefficients, noise, single, freedoms, floors, factors, columns)

    def predictions(self, x: Array) -> tuple[Array, Array]:
        """Return predictions and standard errors of new measurements at points x, each of shape (hypotheses, n)."""
        there = self.columns(x)
        means = np.einsum("hk,hkn->hn", self.coefficients, there)
        variance = ((self.factors @ there) ** 2).sum(axis=1)
        own = np.abs(means) + self.floors[:, None]
        return means, np.sqrt(self.noise[:, None] ** 2 * (variance + own**2) + self.single[:, None] * own**2)


def plausible_fits(
    log_weights: Array,
    coefficients: Array,
    squares: Array,
    sizes: Array,
    here: Array,
    measured: Condensed,
    floored: bool,
    columns: Callable[[Array], Array],
) -> Plausible:
    """Return plausible hypotheses from least squares fits to one quantity under one kind of noise.

    `squares`: sums of squared weighted residuals, shape (hypotheses,). `sizes`: the
    number of coefficients, shape (hypotheses,). `here`: the columns at the measured points, shape (hypotheses, most
    columns, points). `measured`: of shape (1, points). `floored`: whether noise is taken for partly absolute.
    """
    evidence = noise_evidence(measured, scales(measured.values, floored))
    weight, points = evidence.weights[0], measured.values.shape[1]
    variances, freedoms, factors = (
        np.empty(len(sizes)),
        np.empty(len(sizes)),
        np.zeros((len(sizes), here.shape[1], here.shape[1])),
    )
    for size in np.unique(sizes).tolist():
        at = np.flatnonzero(sizes == size)
        designs = np.swapaxes(here[at, :size] * weight, 1, 2)
        norms = np.sqrt((designs**2).sum(axis=1))
        _, r = np.linalg.qr(designs / norms[:, None])
        factors[at, :size, :size] = np.linalg.solve(np.swapaxes(r, 1, 2), np.eye(size) / norms[:, :, None])
        variances[at], freedoms[at] = evidence.moments(squares[at], max(points - size, 0))
    floors = np.full(len(sizes), float(np.abs(measured.values).max()) if floored else 0.0)
    single = np.full(len(sizes), evidence.single[0])
    return Plausible(log_weights, coefficients, np.sqrt(variances), single, freedoms, floors, factors, columns)


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
    lower, upper = quantiles((tail, 1 - tail), weights, means, errors, freedoms)
    return lower, upper


def quantiles(levels: tuple[float, ...], weights: Array, means: Array, errors: Array, freedoms: Array) -> Array:
    """Return quantiles of mixtures of Student distributions, shape (levels, points).

    They are found by Newton's method within brackets. `weights`, `means` and `errors` have the shape (parts, points),
    and `freedoms` (parts,).
    """
    from scipy.special import gammaln, ndtr, stdtrit

    # Parts that add up to less than this share of a tail are left out.
    order = np.argsort(-weights.max(axis=1))
    few = np.flatnonzero(np.cumsum(weights[order][::-1].max(axis=1))[::-1] > _LEFT_OUT * min(levels))
    if len(few):
        weights, means, errors, freedoms = (each[order[: few[-1] + 1]] for each in (weights, means, errors, freedoms))
    wanted = np.array(levels)[:, None]
    steps = stdtrit(freedoms, wanted)[:, :, None] * errors
    errors = np.maximum(errors, 1e-300)
    # The quantile of a mixture is between those of its parts.
    low, high = (means + steps).min(axis=1), (means + steps).max(axis=1)
    likeliest = weights.argmax(axis=0), np.arange(weights.shape[1])
    guess = (means + steps)[:, likeliest[0], likeliest[1]]
    nu = freedoms[:, None]
    # Wallace's approximation of the distribution by the normal one.
    normal = (8 * nu + 1) / (8 * nu + 3) * np.sqrt(nu)
    density = np.exp(gammaln((nu + 1) / 2) - gammaln(nu / 2)) / np.sqrt(np.pi * nu) * weights / errors
    for _ in range(_STEPS):
        t = (guess[:, None] - means) / errors
        logs = np.log1p(t * t / nu)
        excess = (weights * ndtr(np.copysign(normal * np.sqrt(logs), t))).sum(axis=1) - wanted
        low, high = np.where(excess < 0, guess, low), np.where(excess < 0, high, guess)
        if not (np.abs(excess) > _PRECISE * min(levels)).any():
            break
        slope = (density * np.exp(-0.5 * (nu + 1) * logs)).sum(axis=1)
        guess = guess - excess / np.maximum(slope, 1e-300)
        guess = np.where((guess > low) & (guess < high), guess, 0.5 * (low + high))
    return np.asarray(np.where(np.isnan(weights).any(axis=0), np.nan, guess))
