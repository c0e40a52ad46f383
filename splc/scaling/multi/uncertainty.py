"""Prediction intervals of models of several parameters: of all hypotheses that the learner weighs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from splc.scaling.columns import columns
from splc.scaling.evidence import degrees, judged
from splc.scaling.intervals import leverage
from splc.scaling.mixture import LEAST_SHARE, MOST, Mixture
from splc.scaling.multi.posterior import Hypotheses
from splc.scaling.multi.search import scales, search
from splc.scaling.multi.terms import ParameterTerms
from splc.scaling.noise import Condensed
from splc.types import Array


@dataclass(frozen=True, eq=False)
class CombinedUncertainty:
    """Quantiles of the mixture of all plausible hypotheses' predictive distributions.

    Attributes:
        points: shape (n, parameters).
        values: shape (n,), in units of `unit`.
        counts: measurements per point, shape (n,).
        squares: sums of squared deviations of repetitions, shape (n,).
        strong_scaling: as for `search`.
        unit: what values are divided by.
    """

    points: Array
    values: Array
    counts: Array
    squares: Array
    strong_scaling: bool | None
    unit: float

    def interval(self, x: Array, center: Array, level: float) -> tuple[Array, Array]:
        """Return the bounds for new measurements at points x, shape (points, parameters), around predictions."""
        with np.errstate(all="ignore"):
            lower, upper = self._mixture(x).interval(center / self.unit, level)
        with np.errstate(over="ignore"):
            return lower * self.unit, upper * self.unit

    def _mixture(self, x: Array) -> Mixture:
        """Return what all plausible hypotheses predict, in units of `unit`."""
        measured = Condensed(self.values[None], self.counts[None], self.squares[None], np.zeros(1, dtype=int))
        among, found = search(self.points, measured, self.strong_scaling)
        found = found[np.flatnonzero(found.log_weights > found.log_weights[0] + LEAST_SHARE)[:MOST]]
        total = int(self.counts.sum())
        means = np.empty((len(found.model), len(x)))
        errors, freedoms = means.copy(), np.empty(len(means))
        for size in np.unique(found.sizes):
            for floored in np.unique(found.floored[found.sizes == size]):
                at = np.flatnonzero((found.sizes == size) & (found.floored == floored))
                some = found[at]
                there = products(among, some, x)[:, :size]
                here = products(among, some, self.points)[:, :size]
                noise_scales = scales(self.values[None], bool(floored))[0]
                weight = np.sqrt(self.counts) / noise_scales
                mean = (some.coefficients[:, :size, None] * there).sum(axis=1)
                own = np.abs(mean) + (np.abs(self.values).mean() if floored else 0.0)
                variance = leverage(np.swapaxes(here * weight, 1, 2), there)
                noise = judged(some.squares, total - int(size))[1][:, None]
                means[at] = mean
                errors[at] = noise * np.sqrt(variance + own**2)
                freedoms[at] = degrees(total - int(size))
        return Mixture(np.exp(found.log_weights - found.log_weights[0]), means, errors, freedoms)


def products(among: tuple[ParameterTerms, ...], found: Hypotheses, x: Array) -> Array:
    """Return the values of hypotheses' products at points x, shape (hypotheses, most coefficients, points).

    They are in the unit that their coefficients have; those of no product are 1.
    """
    values = np.ones((*found.products.shape, len(x)))
    for at, each in enumerate(among):
        if not each.terms:
            continue
        own = columns(each.terms, x[:, at]) / each.sizes[:, None]
        used = (found.products >= 0) & ((found.products >> at & 1) == 1)
        row, place = np.nonzero(used)
        values[row, place] *= own[found.terms[row, at]]
    return values
