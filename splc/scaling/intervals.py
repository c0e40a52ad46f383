"""Prediction intervals: quantiles of the mixture of all plausible hypotheses' predictive distributions.

The choice of one of many hypotheses is the largest part of the uncertainty far from the measured points. The interval
of a single least squares fit is much too narrow there: in the evaluation on synthetic functions such 90 %
intervals hold a new measurement in 10 to 40 % of all cases.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

import numpy as np

from splc.scaling.data import Condensed
from splc.scaling.evidence import never_negative
from splc.scaling.multi.default import default as default_of_several
from splc.scaling.multi.plausible import fits as fits_of_several
from splc.scaling.selection import AnyShortlist, CombinationShortlist, Plausible, Shortlist
from splc.scaling.single import default, fits
from splc.types import Array

_TOGETHER = 32  # quantities whose intervals are found together: intermediate results then fit into the caches


@dataclass(frozen=True, eq=False)
class PosteriorUncertainty:
    """The uncertainty of a quantity, given its measurements, whichever method chose its model."""

    points: Array  # shape (n, parameters)
    values: Array  # shape (n,), in units of `unit`
    counts: Array  # measurements per point, shape (n,)
    squares: Array  # sums of squared deviations of repetitions, shape (n,)
    strong_scaling: bool | None  # whether negative powers are among the hypotheses; None: where values fall
    unit: float  # the divisor of the values
    parameters: tuple[int, ...] | None = None  # positions of the model's parameters that `points` has; None: all
    shortlist: AnyShortlist | None = None  # the plausible hypotheses; None: they are searched on first use

    def interval(self, x: Array, center: Array, level: float) -> tuple[Array, Array]:
        """Return bounds for new measurements at points x; they are at least 0 if no measured value is negative."""
        lower, upper = _together([self], self.plausible, [len(self.plausible.freedoms)], x, center[None], level)
        return lower[0], upper[0]

    def columns_of(self, x: Array) -> Array:
        """Return the coordinates of points of the model that `points` has, shape (points, parameters)."""
        return x if self.parameters is None else x[:, list(self.parameters)]

    @cached_property
    def signs(self) -> tuple[bool, bool]:
        """True if no value is negative; True if all measurements are 0."""
        return bool(never_negative(self.values[None])[0]), not self.values.any() and not self.squares.any()

    @cached_property
    def plausible(self) -> Plausible:
        """The plausible hypotheses, which are kept for further points."""
        shortlist, measured = self.shortlist, _measured([self])
        if self.points.shape[1] == 1:
            return fits(self.points[:, 0], measured, _shortlists([self]))
        if shortlist is None:
            (shortlist,) = default_of_several(self.points, measured, self.strong_scaling).shortlists or ()
        assert isinstance(shortlist, CombinationShortlist)
        return fits_of_several(self.points, measured, shortlist)

    def __reduce__(self) -> tuple[type[PosteriorUncertainty], tuple[Any, ...]]:
        # Without the hypotheses, which have functions.
        return type(self), tuple(getattr(self, field.name) for field in fields(self))


def intervals(
    uncertainties: Sequence[PosteriorUncertainty], x: Array, centers: Array, level: float
) -> tuple[Array, Array]:
    """Return the intervals of many quantities at the same points, which takes less time than one after the other."""
    lower, upper = np.empty(centers.shape), np.empty(centers.shape)
    groups: dict[tuple[bytes, bool | None, tuple[int, ...] | None], list[int]] = {}
    for row, posterior in enumerate(uncertainties):
        if posterior.points.shape[1] > 1:
            # A copy: the hypotheses of many quantities need much memory.
            lower[[row]], upper[[row]] = replace(posterior).interval(x, centers[row], level)
        else:
            key = posterior.points.tobytes(), posterior.strong_scaling, posterior.parameters
            groups.setdefault(key, []).append(row)
    for group in groups.values():
        known = dict(zip(group, _shortlists([uncertainties[row] for row in group]), strict=True))
        for falling in (False, True):
            rows = [row for row in group if known[row].falling == falling]
            for start in range(0, len(rows), _TOGETHER):
                part = rows[start : start + _TOGETHER]
                batch, lists = [uncertainties[row] for row in part], [known[row] for row in part]
                plausible = fits(batch[0].points[:, 0], _measured(batch), lists)
                counts = [len(shortlist.rows) for shortlist in lists]
                lower[part], upper[part] = _together(batch, plausible, counts, x, centers[part], level)
    return lower, upper


def _shortlists(batch: Sequence[PosteriorUncertainty]) -> list[Shortlist]:
    """Return the plausible hypotheses of quantities at the same points of one parameter; unknown ones are searched."""
    lists = [posterior.shortlist for posterior in batch]
    unknown = [at for at, shortlist in enumerate(lists) if shortlist is None]
    if unknown:
        measured = _measured([batch[at] for at in unknown])
        chosen = default(batch[0].points[:, 0], measured, batch[0].strong_scaling)
        for at, shortlist in zip(unknown, chosen.shortlists or (), strict=True):
            lists[at] = shortlist
    return [shortlist for shortlist in lists if isinstance(shortlist, Shortlist)]


def _together(
    batch: Sequence[PosteriorUncertainty],
    hypotheses: Plausible,
    counts: list[int],
    x: Array,
    centers: Array,
    level: float,
) -> tuple[Array, Array]:
    """Return the intervals of quantities with the plausible hypotheses of all of them; `counts`: of each."""
    x = batch[0].columns_of(x)
    units = np.array([posterior.unit for posterior in batch])[:, None]
    with np.errstate(all="ignore"):
        means, errors = hypotheses.predictions(x)
        lower, upper = mixture_intervals(
            hypotheses.log_weights, means, errors, hypotheses.freedoms, centers / units, level, np.array(counts)
        )
        # Times and sizes are never negative.
        positive, zero = np.array([posterior.signs for posterior in batch]).T[:, :, None]
        lower = np.where(positive, np.maximum(lower, 0.0), lower)
        # Zeros have no noise beyond rounding.
        lower, upper = (np.where(zero & np.isfinite(bound), 0.0, bound * units) for bound in (lower, upper))
        return lower, upper


def _measured(batch: Sequence[PosteriorUncertainty]) -> Condensed:
    arrays = zip(*((posterior.values, posterior.counts, posterior.squares) for posterior in batch), strict=True)
    values, counts, squares = (np.array(column) for column in arrays)
    return Condensed(values, counts, squares, np.zeros(len(batch), dtype=int))


# The most steps, and those of Newton's method before each second one is a bisection.
_STEPS, _NEWTON = 100, 8
# The precision of a tail's probability, relative to it, before the last step of Newton's method squares it.
_PRECISE, _EXACT = 2e-4, 1e-9
# The longest last step, relative to the narrowest part of a mixture.
_SHORT = 0.01
_ROOT = float(np.sqrt(2 * np.pi))


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
        missed = np.isfinite(guess)
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
            missed &= ~known
            if not missed.any():
                break
    return guess.reshape(points, -1).T
