"""The marginal likelihood of residuals when the noise is unknown, given what repetitions say about it.

Two things disturb the mean of a point's repetitions: the noise of each repetition, of which the mean keeps 1/√n, and
an error that all repetitions of a point share (placement, frequency, other jobs). Repetitions show the first one only.
So the standard deviation s of the means is either what repetitions imply, or larger by an unknown part between points.

The part between points, and the noise of single measurements, is usually between a tenth of a percent and some tens
of percent, most often near 1 %; counts have none. The prior is a mixture of scaled inverse chi-squared distributions
around those values, and a small share of Jeffreys' 1/σ, with which data without noise are recognized. Coefficients are
integrated out under a log-uniform prior, so the unit of measurement does not matter.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol, TypeVar

import numpy as np

from splc.scaling.data import Condensed
from splc.types import Array

_CENTERS = np.array([0.001, 0.003, 0.01, 0.03, 0.1, 0.3])
_SHARES = np.array([0.05, 0.15, 0.35, 0.25, 0.15, 0.05])
FREEDOM = 4.0
ANY_SCALE = 1e-3
_BETWEEN_POINTS = 0.5  # the plausibility of an error that all repetitions of a point share
COMMON_SHARE = 0.5  # the share of the variance of a point's mean that is due to the error its repetitions share
# Log scales of the prior of the means' noise: each part of the mixture is split between the two next to it.
BANK = np.log(np.geomspace(3e-4, 1.0, 15))
# Smaller sums of squared relative residuals are rounding errors.
_SMALLEST = 1e-28
_LARGEST = 1e20
_STEP = 0.25

_RANGE = 5 * float(np.log(10))  # coefficients of one sign are within five decades of each other
# The log evidence of each coefficient, beside that of `coefficient_density` and of its standard error.
LOG_DENSITY = float(np.log(np.sqrt(2 * np.pi) / _RANGE))
NEGATIVE = 0.05  # the plausibility of a coefficient that is certainly negative, relative to a positive one
_TRACE = 1e-3  # a contribution below a thousandth of the values is not much more plausible when it is smaller
# The plausibility of a function that becomes negative within this factor beyond the largest values, although no
# measured value is negative. The factor per point holds if it is less: an error that all points share counts as
# evidence once per point. Data without noise have still more evidence.
BEYOND = 8.0
_EXCLUDED, _EXCLUDED_PER_POINT = float(np.log(1e-8)), float(np.log(0.1))


@dataclass(frozen=True, eq=False)
class NoiseEvidence:
    """The prior of the noise of points' means, given the repetitions of a batch of quantities."""

    weights: Array  # one over the size that each mean's noise is relative to, shape (models, n)
    density: Array  # log density of the repetitions and of the scales, which makes kinds of noise comparable, (models,)
    shares: Array  # prior of the scales of `BANK`, shape (models or 1, scales)
    within: Array  # prior that the means have the noise that repetitions imply, 0 without any, shape (models or 1, 1)
    implied: Array  # standard deviation of a mean that repetitions imply, shape (models,)
    freedom: Array  # degrees of freedom of `implied`, shape (models,)
    single: Array  # variance of a measurement around its point's mean, beyond that of the mean, shape (models,)
    tables: dict[int, tuple[Array, ...]]  # degrees of freedom of residuals → tables of `judged`, made on first use
    priors: dict[int, tuple[Array, ...]]  # degrees of freedom of residuals → the arrays that `moments` needs

    def judged(self, squares: Array, free: int, rows: Array | None = None) -> tuple[Array, Array]:
        """Return the log marginal likelihood of sums of squared weighted residuals, and the noise they imply.

        `rows`: the quantity of each sum; None: the last axis. `free`: number of points less that of coefficients.
        """
        grid = _bank(free)[0]
        start, step = float(grid[0]), float(grid[1] - grid[0])
        # Linear interpolation as `np.interp` does, without a search since the grid has equal steps.
        position = (np.log(np.minimum(np.maximum(squares, _SMALLEST), 0.99 * _LARGEST)) - start) / step
        index = position.astype(np.intp)
        position -= index
        if free not in self.tables:
            self.tables[free] = self._tables(free)
        if len(self.shares) > 1:
            index += len(grid) * (np.arange(len(self.shares)) if rows is None else rows)
        above, found = index + 1, []
        for table in self.tables[free]:
            below, value = table[index], table[above]
            value -= below
            value *= position
            value += below
            found.append(value)
        return found[0], found[1]

    def _tables(self, free: int) -> tuple[Array, ...]:
        """Return the log evidence and the noise at all steps of the grid."""
        _, squares, top, parts, variances = _bank(free)
        likely = self.shares @ parts
        variance = self.shares @ variances
        if self.within.any() and free > 0:
            freedom = self.freedom[:, None]
            scale = freedom * self.implied[:, None] ** 2
            implied_density = self.within * np.exp(_log_density(squares, scale, freedom, free) - top)
            likely = likely + implied_density
            variance = variance + implied_density * (squares + scale) / (freedom + free)
        elif self.within.any():
            likely = likely + self.within
            variance = variance + self.within * self.implied[:, None] ** 2
        return (np.log(likely) + top).ravel(), np.sqrt(variance / likely).ravel()

    def moments(self, squares: Array, free: Array, rows: Array | None = None) -> tuple[Array, Array, Array]:
        """Return the size of the variance of a mean of weight 1, its degrees of freedom, and its mean, of hypotheses.

        Size and degrees of freedom are those of the scaled inverse chi-squared distribution whose logarithm has the
        mean and the variance that the logarithm of the noise's variance has. The 0.95 quantile of its Student
        distribution is then within 15 % of that of the exact mixture (with the mean it is up to 5 times as much).
        """
        from scipy.special import digamma

        squares = np.maximum(squares, _SMALLEST)
        mean, variance, mean_variance = np.empty((3, len(squares)))
        for k in np.flatnonzero(np.bincount(free)).tolist():
            part = np.flatnonzero(free == k)
            quantity = 0 * part if rows is None else rows[part]
            if k not in self.priors:
                self.priors[k] = self._priors(k)
            scales, logs, halves, log_size, log_variance, degrees = (
                prior if prior.shape[1] == 1 else prior[:, quantity] for prior in self.priors[k]
            )
            sizes = squares[part] + scales
            log_sizes = np.log(sizes)
            logs = logs - halves * log_sizes
            shares = np.exp(logs - logs.max(axis=0))
            shares /= shares.sum(axis=0)
            log_scales = log_sizes - log_size
            mean[part] = (shares * log_scales).sum(axis=0)
            variance[part] = (shares * (log_variance + (log_scales - mean[part]) ** 2)).sum(axis=0)
            mean_variance[part] = (shares * sizes / degrees).sum(axis=0)
        half = (1 + np.sqrt(1 + 2 * variance)) / (2 * variance)
        return np.exp(mean + digamma(half)) / half, 2 * half, mean_variance

    def _priors(self, free: int) -> tuple[Array, ...]:
        """Return the scales of the prior (`BANK`, the implied one, none), its log density, and most of `_constants`."""
        degrees = np.maximum(self.freedom, 1.0)[: len(self.shares)]
        kinds, kind_of = np.unique(degrees, return_inverse=True)
        constants = np.array([_constants(free, freedom) for freedom in kinds.tolist()])
        constants = constants if len(kinds) == 1 else constants[kind_of]
        scales = np.empty((len(degrees), len(BANK) + 2))
        scales[:, :-2] = FREEDOM * np.exp(2 * BANK)
        scales[:, -2] = degrees * np.maximum(self.implied[: len(degrees)] ** 2, _SMALLEST)
        scales[:, -1] = 0.0
        shares = np.empty_like(scales)
        shares[:, :-2], shares[:, -2:-1] = self.shares, self.within
        shares[:, -1] = ANY_SCALE * self.shares.sum(axis=1)
        density, freedoms = constants[:, 0], constants[:, 1]
        # The last one has no scale: its density is a power of the squares.
        with np.errstate(divide="ignore"):
            logs = np.log(shares) + density + freedoms / 2 * np.log(np.where(scales > 0, scales, 1.0))
        # Scales by quantities: sums over a first axis are fast.
        return scales.T, logs.T, *constants[:, 2:].transpose(1, 2, 0)


def never_negative(values: Array) -> Array:
    """Return which quantities have no negative (weighted) value; `values`: shape (models, n)."""
    return np.asarray((values >= 0).all(axis=1))


def log_excluded(points: int) -> float:
    """Return the log factor of the plausibility of a hypothesis that is negative where its quantity is not."""
    return min(_EXCLUDED, _EXCLUDED_PER_POINT * points)


def noise_evidence(measured: Condensed, scales: Array) -> NoiseEvidence:
    """Return the prior of the noise of means, given repetitions and the sizes that noise is relative to."""
    counts = measured.counts
    none, never = np.zeros(len(counts)), np.zeros((1, 1))
    plain, tables, priors = _unrepeated()
    if counts.max() <= 1:
        return NoiseEvidence(1 / scales, -np.log(scales).sum(axis=1), plain, never, none, none, none, tables, priors)
    typical = 1 / (1 / counts).mean(axis=1)
    size = scales * np.sqrt(COMMON_SHARE + (1 - COMMON_SHARE) * typical[:, None] / counts)
    density = -np.log(size).sum(axis=1)
    freedom = (counts - 1).sum(axis=1)
    squares = (measured.squares / scales**2).sum(axis=1)
    alone = NoiseEvidence(1 / size, none, plain, never, none, none, none, tables, priors)
    log_evidence, noise = none.copy(), none.copy()
    for free in np.unique(freedom[freedom > 0]).tolist():
        rows = freedom == free
        log_evidence[rows], noise[rows] = alone.judged(squares[rows], free)
    density = density - ((counts - 1) * np.log(scales)).sum(axis=1) + log_evidence
    implied = np.maximum(noise / np.sqrt(typical), np.sqrt(_SMALLEST))
    within = np.where(freedom > 0, 1 - _BETWEEN_POINTS, 0.0)[:, None]
    shares = (1 - within) * _split(0.5 * np.log(_CENTERS**2 + implied[:, None] ** 2))
    single = noise**2 * (1 - 1 / typical)
    return NoiseEvidence(1 / size, density, shares, within, implied, freedom + 2.0, single, {}, {})


@lru_cache(maxsize=1)
def _unrepeated() -> tuple[Array, dict[int, tuple[Array, ...]], dict[int, tuple[Array, ...]]]:
    """Return `shares`, `tables` and `priors` without repetitions, which all quantities have in common."""
    return _split(np.log(_CENTERS)[None]), {}, {}


def _split(centers: Array) -> Array:
    """Return the shares of `BANK` for the parts of the prior, whose log scales have shape (models, parts)."""
    position = np.clip((centers - BANK[0]) / (BANK[1] - BANK[0]), 0, len(BANK) - 1.001)
    index = position.astype(int)
    upper = position - index
    shares = np.zeros((len(centers), len(BANK)))
    rows = np.arange(len(centers))
    for part, share in enumerate(_SHARES):
        shares[rows, index[:, part]] += share * (1 - upper[:, part])
        shares[rows, index[:, part] + 1] += share * upper[:, part]
    return shares


def _log_density(squares: Array, scale: Array, freedom: Array | float, free: int) -> Array:
    """Return the log density of residuals under a scaled inverse chi-squared prior, `scale` being freedom times s²."""
    from scipy.special import gammaln

    part = gammaln((free + freedom) / 2) - gammaln(np.asarray(freedom) / 2)
    return np.asarray(part - free / 2 * np.log(np.pi * scale) - (free + freedom) / 2 * np.log1p(squares / scale))


@lru_cache(maxsize=256)
def _bank(free: int) -> tuple[Array, Array, Array, Array, Array]:
    """Return the grid of log squares, squares, the largest log density, and relative densities and variances.

    The last two are those of each scale of `BANK` with the share of Jeffreys' prior, as shares add up to 1 (or to the
    share of noise between points), shape (scales, steps).
    """
    from scipy.special import gammaln

    step = min(_STEP, 1 / np.sqrt(max(free, 1)))
    grid = np.linspace(np.log(_SMALLEST), np.log(_LARGEST), int((np.log(_LARGEST / _SMALLEST)) / step) + 2)
    squares = np.exp(grid)
    scale = FREEDOM * np.exp(2 * BANK)[:, None]
    logs = _log_density(squares, scale, FREEDOM, free)
    log_jeffreys = np.full(squares.shape, -np.inf)
    if free > 0:
        log_jeffreys = np.log(ANY_SCALE) + np.log(0.5) + gammaln(free / 2) - free / 2 * np.log(np.pi * squares)
    top = np.maximum(logs.max(axis=0), log_jeffreys)
    scaled, jeffreys = np.exp(logs - top), np.exp(log_jeffreys - top)
    parts = scaled + jeffreys
    variances = scaled * (squares + scale) / (free + FREEDOM) + jeffreys * squares / max(free, 1)
    bank = grid, squares, top, parts, variances
    for array in bank:
        array.setflags(write=False)
    return bank


@lru_cache(maxsize=1024)
def _constants(free: int, freedom: float) -> Array:
    """Return what `moments` needs of the scales of `BANK`, the implied one, and Jeffreys' prior, (6, scales + 2)."""
    from scipy.special import digamma, gammaln, polygamma

    freedoms = np.append(np.full(len(BANK), FREEDOM), freedom)
    density = gammaln((free + freedoms) / 2) - gammaln(freedoms / 2)
    log_jeffreys = np.log(0.5) + gammaln(free / 2) if free > 0 else -np.inf
    density = np.append(density, log_jeffreys) - free / 2 * np.log(np.pi)
    freedoms = np.append(freedoms, 0.0)
    degrees = np.maximum(free + freedoms, 1)
    log_size = digamma(degrees / 2) + np.log(2)
    constants = np.array([density, freedoms, (free + freedoms) / 2, log_size, polygamma(1, degrees / 2), degrees])
    constants.setflags(write=False)
    return constants


def coefficient_density(value: Array, error: Array) -> Array:
    """Return the density of a coefficient's prior without the factor of `LOG_DENSITY`.

    The density times the standard error is the share of its prior range that a coefficient uses.
    """
    from scipy.special import ndtr

    density = np.maximum(ndtr(value / error), NEGATIVE)
    density /= np.maximum(np.maximum(np.abs(value), error), _TRACE)
    return np.asarray(density)


# The kinds of noise: relative, partly absolute ("floored"), and relative with a size that grows with the parameter.
RELATIVE, FLOORED, GROWING = range(3)
# From this relative noise on, partly absolute noise is considered too.
_SUSPICIOUS = 0.03
_FLOORED_SHARE = 0.3
# Noise whose relative size grows with this power of the parameter: messages, collisions and waiting times of more
# processes. It is considered where repetitions do not make it implausible.
_GROWTH = 0.4
_GROWING_SHARE = 0.1
_IMPLAUSIBLE = float(np.log(0.05))
_NOTHING = 1e-12  # values this much smaller than the largest have no relative precision


class Fitted(Protocol):
    """Hypotheses that are fitted to quantities."""

    @property
    def best(self) -> tuple[Array, Array]:
        """The squared weighted residuals and the number of coefficients of the best hypothesis of each quantity."""


Found = TypeVar("Found", bound=Fitted)
# Hypotheses weighed under a kind of noise, the kind, the quantities as positions, and the log prior of the kind.
Weighed = tuple[Found, int, Array, Array]


def noise_scales(values: Array, kind: int, x: Array | None = None) -> Array:
    """Return the sizes that noise of a kind is relative to, shape (models, n); `x`: the points, if it may grow."""
    size = np.abs(values)
    if kind == FLOORED:
        size = size + size.max(axis=1, keepdims=True)
    # All values are 0: any scale is fine.
    size = np.where(size > 0, size, 1.0)
    return size * growth(x, x) if kind == GROWING and x is not None else size


def noise_of(measured: Condensed, kind: int, x: Array | None = None) -> NoiseEvidence:
    """Return the prior of the noise of means, if it is of some kind."""
    return noise_evidence(measured, noise_scales(measured.values, kind, x))


def growth(x: Array, points: Array) -> Array:
    """Return the size of growing noise at x, relative to its geometric mean at some points."""
    with np.errstate(divide="ignore"):
        return np.asarray((x / np.exp(np.log(points).mean())) ** _GROWTH)


def _growing(measured: Condensed, x: Array) -> Array:
    """Return the quantities whose repetitions suggest noise that grows with x, shape (n,)."""
    values = np.abs(measured.values)
    freedom = (measured.counts - 1).sum(axis=1)
    usable = (freedom > 0) & (values.min(axis=1) > _NOTHING * values.max(axis=1)) & (x[0] > 0)
    rows = np.flatnonzero(usable)
    if not len(rows):
        return rows
    relative, sizes = measured.squares[rows] / values[rows] ** 2, growth(x, x)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.log(relative.sum(axis=1)) - np.log((relative / sizes**2).sum(axis=1))
    sizes_known = ((measured.counts[rows] - 1) * np.log(sizes)).sum(axis=1)
    favour = freedom[rows] / 2 * np.where(np.isfinite(ratio), ratio, 0.0) - sizes_known
    return np.asarray(rows[favour + np.log(_GROWING_SHARE) > _IMPLAUSIBLE])


def kinds_of_noise(
    measured: Condensed, weigh: Callable[[Array, int], Found], x: Array | None = None
) -> list[Weighed[Found]]:
    """Weigh hypotheses under each kind of noise that a batch needs; `weigh`: (rows of the batch, kind) → hypotheses."""
    # Noise cannot be relative to values that are not all positive, or nearly 0.
    absolute = measured.values.min(axis=1) <= _NOTHING * np.abs(measured.values.max(axis=1))
    kinds = []
    floored = absolute.copy()
    rows = np.flatnonzero(~absolute)
    if len(rows):
        relative = weigh(rows, RELATIVE)
        kinds.append((relative, RELATIVE, rows, np.full(len(rows), np.log(1 - _FLOORED_SHARE))))
        squares, sizes = relative.best
        free = np.maximum(measured.values.shape[1] - sizes, 1)
        repeated = measured.noise[rows] > 100 * _SUSPICIOUS
        floored[rows] = repeated | (np.sqrt(squares / free) > _SUSPICIOUS)
    if len(rows := np.flatnonzero(floored)):
        kinds.append((weigh(rows, FLOORED), FLOORED, rows, np.log(np.where(absolute[rows], 1.0, _FLOORED_SHARE))))
    if x is not None and len(rows := _growing(measured, x)):
        kinds.append((weigh(rows, GROWING), GROWING, rows, np.full(len(rows), np.log(_GROWING_SHARE))))
    return kinds
