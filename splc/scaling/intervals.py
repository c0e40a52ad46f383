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

from splc.scaling.evidence import never_negative
from splc.scaling.mixture import Plausible, mixture_intervals
from splc.scaling.multi.default import default as default_of_several
from splc.scaling.multi.plausible import fits as fits_of_several
from splc.scaling.noise import Condensed
from splc.scaling.selection import AnyShortlist, CombinationShortlist, Shortlist
from splc.scaling.single.default import default, fits
from splc.types import Array

# Quantities whose intervals are found together: intermediate results are then small enough for the caches.
_TOGETHER = 32


@dataclass(frozen=True, eq=False)
class PosteriorUncertainty:
    """The uncertainty of a quantity, given its measurements, whichever method chose its model."""

    points: Array  # shape (n, parameters)
    values: Array  # shape (n,), in units of `unit`
    counts: Array  # measurements per point, shape (n,)
    squares: Array  # sums of squared deviations of repetitions, shape (n,)
    strong_scaling: bool | None  # whether negative powers are among the hypotheses; None: where values fall
    unit: float  # the divisor of the values
    # the positions of those parameters of the model that `points` has; None: it has all
    parameters: tuple[int, ...] | None = None
    shortlist: AnyShortlist | None = None  # the plausible hypotheses; None: they are searched on first use

    def interval(self, x: Array, center: Array, level: float) -> tuple[Array, Array]:
        """Return bounds for new measurements at points x; they are at least 0 if no measured value is negative."""
        lower, upper = _together([self], self.plausible, [len(self.plausible.freedoms)], x, center[None], level)
        return lower[0], upper[0]

    def columns_of(self, x: Array) -> Array:
        """Return the coordinates of points of the model that `points` has, shape (points, parameters)."""
        return x if self.parameters is None else x[:, list(self.parameters)]

    @property
    def is_slow(self) -> bool:
        """True if the first interval needs a search of hypotheses, which takes some milliseconds."""
        return self.shortlist is None and self.points.shape[1] > 1

    @cached_property
    def signs(self) -> tuple[bool, bool]:
        """True if no value is negative; True if all measurements are 0."""
        return bool(never_negative(self.values[None])[0]), not self.values.any() and not self.squares.any()

    @cached_property
    def plausible(self) -> Plausible:
        """The plausible hypotheses, which are kept for further points."""
        shortlist, measured = self.shortlist, _measured([self])
        if self.points.shape[1] == 1:
            (shortlist,) = (known.shortlist for known in _with_shortlists([self]))
            assert isinstance(shortlist, Shortlist)
            return fits(self.points[:, 0], measured, [shortlist])
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
    known = _with_shortlists(uncertainties)
    groups: dict[tuple[bytes, bool, tuple[int, ...] | None], list[int]] = {}
    for row, posterior in enumerate(known):
        if not isinstance(posterior.shortlist, Shortlist):
            # A copy: the hypotheses of many quantities need much memory.
            lower[[row]], upper[[row]] = replace(posterior).interval(x, centers[row], level)
        else:
            groups.setdefault(
                (posterior.points.tobytes(), posterior.shortlist.falling, posterior.parameters), []
            ).append(row)
    for group in groups.values():
        for start in range(0, len(group), _TOGETHER):
            part = group[start : start + _TOGETHER]
            batch = [known[row] for row in part]
            lists = [posterior.shortlist for posterior in batch if isinstance(posterior.shortlist, Shortlist)]
            plausible = fits(batch[0].points[:, 0], _measured(batch), lists)
            counts = [len(posterior.rows) for posterior in lists]
            lower[part], upper[part] = _together(batch, plausible, counts, x, centers[part], level)
    return lower, upper


def _with_shortlists(uncertainties: Sequence[PosteriorUncertainty]) -> list[PosteriorUncertainty]:
    """Return the uncertainties over one parameter with shortlists, the others as they are."""
    completed = list(uncertainties)
    groups: dict[tuple[bytes, bool | None], list[int]] = {}
    for row, posterior in enumerate(completed):
        if posterior.shortlist is None and posterior.points.shape[1] == 1:
            groups.setdefault((posterior.points.tobytes(), posterior.strong_scaling), []).append(row)
    for group in groups.values():
        batch = [completed[row] for row in group]
        chosen = default(batch[0].points[:, 0], _measured(batch), batch[0].strong_scaling)
        for row, posterior, shortlist in zip(group, batch, chosen.shortlists or (), strict=True):
            completed[row] = replace(posterior, shortlist=shortlist)
    return completed


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
