"""Plausible hypotheses, and mixtures of their predictive distributions where it is not known which one is right."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from splc.scaling.evidence import noise_evidence
from splc.scaling.noise import Condensed, scales
from splc.scaling.triangle import triangular
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
        growths: points → factors of what noise is relative to, shape (hypotheses, n); None: they are 1.
    """

    log_weights: Array
    coefficients: Array
    noise: Array
    single: Array
    freedoms: Array
    floors: Array
    factors: Array
    columns: Callable[[Array], Array]
    growths: Callable[[Array], Array] | None = None

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
        if self.growths is not None:
            own = own * self.growths(x)
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
    used = np.arange(here.shape[1]) < sizes[:, None]
    designs = np.where(used[:, :, None], here * evidence.weights[0], 0.0)
    _, _, factors = triangular(designs, np.zeros(designs.shape[::2]))
    # Their mean, which a few large scales dominate: shortlists of several parameters leave out hypotheses.
    _, freedoms, variances = evidence.moments(squares, np.maximum(measured.values.shape[1] - sizes, 0))
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
    counts = np.array([len(log_weights)])
    lower, upper = mixture_intervals(log_weights, means, errors, freedoms, center[None], level, counts)
    return lower[0], upper[0]


def mixture_intervals(
    log_weights: Array, means: Array, errors: Array, freedoms: Array, centers: Array, level: float, counts: Array
) -> tuple[Array, Array]:
    """Return the bounds of several quantities, each of shape (quantities, points); see `mixture_interval`.

    `centers`: shape (quantities, points). `counts`: the number of hypotheses of each quantity, which follow each other.
    """
    parts = _Parts(counts)
    with np.errstate(all="ignore"):
        # Hypotheses that are undefined at a point do not count there.
        defined = np.isfinite(means) & np.isfinite(errors)
        relative = np.exp(log_weights - parts.largest(log_weights[:, None])[parts.of, 0])
        weights = np.where(defined, relative[:, None], 0.0)
        weights = weights / parts.sums(weights)[parts.of]
        means, errors = np.where(defined, means, centers[parts.of]), np.where(defined, errors, 0.0)
    tail = (1 - level) / 2
    lower, upper = quantiles((tail, 1 - tail), weights, means, errors, freedoms, counts)
    return lower, upper


class _Parts:
    """Sums and extremes over the parts of several mixtures, which follow each other along the last axis but one."""

    def __init__(self, counts: Array) -> None:
        self.counts, self.single = counts, len(counts) == 1
        self.starts = np.cumsum(counts) - counts
        self.of = np.repeat(np.arange(len(counts)), counts)

    def sums(self, values: Array) -> Array:
        """Return the sums."""
        if self.single:
            return np.asarray(values.sum(axis=-2, keepdims=True))
        return np.asarray(np.add.reduceat(values, self.starts, axis=-2))

    def smallest(self, values: Array) -> Array:
        """Return the minima."""
        return np.asarray(np.minimum.reduceat(values, self.starts, axis=-2))

    def largest(self, values: Array) -> Array:
        """Return the maxima."""
        return np.asarray(np.maximum.reduceat(values, self.starts, axis=-2))


def quantiles(
    levels: tuple[float, ...], weights: Array, means: Array, errors: Array, freedoms: Array, counts: Array
) -> Array:
    """Return quantiles of mixtures of Student distributions, shape (levels, mixtures, points).

    They are found by Newton's method within brackets. `weights`, `means` and `errors` have the shape (parts, points),
    and `freedoms` (parts,). `counts`: the number of parts of each mixture, which follow each other.
    """
    from scipy.special import gammaln, ndtr, ndtri

    wanted = np.array(levels)[:, None, None]
    undefined = np.isnan(_Parts(counts).sums(weights))
    # Parts that add up to less than this share of a tail are left out.
    most, of = weights.max(axis=1), _Parts(counts).of
    order = np.lexsort((-most, of))
    rest = np.cumsum(most[order][::-1])[::-1]
    kept = order[rest - np.append(rest, 0.0)[np.cumsum(counts)][of] > _LEFT_OUT * min(levels)]
    if len(kept) and (counts > 0).all():
        fewer = np.bincount(of[kept], minlength=len(counts))
        if (fewer > 0).all():
            counts = fewer
            weights, means, errors, freedoms = (each[kept] for each in (weights, means, errors, freedoms))
    parts = _Parts(counts)
    nu = freedoms[:, None]
    # Wallace's approximation of the distribution by the normal one.
    normal = (8 * nu + 1) / (8 * nu + 3) * np.sqrt(nu)
    with np.errstate(over="ignore"):
        steps = np.sign(wanted - 0.5) * np.sqrt(nu * np.expm1((ndtri(wanted) / normal) ** 2)) * errors
    errors = np.maximum(errors, 1e-300)
    # The quantile of a mixture is between those of its parts.
    low, high = parts.smallest(means + steps), parts.largest(means + steps)
    guess = (means + steps)[:, parts.starts]
    density = np.exp(gammaln((nu + 1) / 2) - gammaln(nu / 2)) / np.sqrt(np.pi * nu) * weights / errors
    found, open_ = guess.copy(), np.arange(len(counts))
    for _ in range(_STEPS):
        t = (guess[:, parts.of] - means) / errors
        logs = np.log1p(t * t / nu)
        excess = parts.sums(weights * ndtr(np.copysign(normal * np.sqrt(logs), t))) - wanted
        low, high = np.where(excess < 0, guess, low), np.where(excess < 0, high, guess)
        found[:, open_] = guess
        missed = (np.abs(excess) > _PRECISE * min(levels)).any(axis=(0, 2))
        if not missed.any():
            break
        slope = parts.sums(density * np.exp(-0.5 * (nu + 1) * logs))
        guess = guess - excess / np.maximum(slope, 1e-300)
        guess = np.where((guess > low) & (guess < high), guess, 0.5 * (low + high))
        if 2 * np.count_nonzero(missed) < len(missed):
            rows = missed[parts.of]
            weights, means, errors, nu, normal, density = (
                each[rows] for each in (weights, means, errors, nu, normal, density)
            )
            guess, low, high = (each[:, missed] for each in (guess, low, high))
            open_, parts = open_[missed], _Parts(parts.counts[missed])
    return np.where(undefined, np.nan, found)
