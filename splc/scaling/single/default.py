"""The default learner for one parameter: a hypothesis out of the most plausible ones.

All sums of up to two PMNF terms, with and without a constant, are fitted by least squares *relative* to the measured
values, since noise grows with the values (the papers fit absolute residuals, which the largest value dominates). Each
is weighed by its marginal likelihood over the unknown noise and coefficients (`splc.scaling.evidence`) and by the prior
of its exponents (`hypotheses`). The most plausible one is chosen. Where noise is large, hypotheses with at least 0.7
times the weight of the best are about as plausible, and of these the one whose value at four times the largest point is
nearest to the median of all hypotheses is chosen: noise decides which one is best. All weights give intervals and the
certainty of the lead term.

Two other kinds of noise are considered by their evidence: noise that is as large for small values as for large ones,
where the values are not all positive, or relative noise turns out large; and noise that grows with the parameter, where
repetitions suggest it.
"""

from __future__ import annotations

import numpy as np

from splc.scaling.columns import Product
from splc.scaling.evidence import noise_evidence
from splc.scaling.noise import Condensed, growing, kinds_of_noise
from splc.scaling.selection import Selection
from splc.scaling.shortlist import FLOORED, GROWING, RELATIVE, AnyShortlist
from splc.scaling.single.hypotheses import HypothesisSpace, space
from splc.scaling.single.plausible import noise_scales, plausible
from splc.scaling.single.posterior import Posterior, posterior
from splc.types import Array

# A fall of less than this, relative to the first value, is more often noise.
_DIP = 0.1
# Measured values per batch: intermediate results are then small enough for the processor's caches.
CHUNK = 640


def default(x: Array, measured: Condensed, strong_scaling: bool | None) -> Selection:
    """Choose a hypothesis for each quantity.

    `x`: distinct points, ascending, shape (n,). `measured`: values without gaps, shape (models, n), whose squares do
    not leave the range of numbers. `strong_scaling`: whether negative powers are considered; None: for quantities that
    fall (see `falls`).
    """
    fall = falls(measured.values)
    falling = fall if strong_scaling is None else np.full(len(fall), strong_scaling)
    size = max(CHUNK // len(x), 1)
    parts = []
    for negative in (False, True):
        rows = np.flatnonzero(falling == negative)
        for start in range(0, len(rows), size):
            part = rows[start : start + size]
            parts.append((part, _chosen(space(x, negative), measured[part], x, negative)))
    return parts[0][1] if len(parts) == 1 else _joined(parts, len(falling))


def _joined(parts: list[tuple[Array, Selection]], models: int) -> Selection:
    """Return the hypotheses of all quantities; `parts`: the quantities of each batch, with their hypotheses."""
    terms: tuple[Product, ...] = ()
    places, coefficients, certainty = np.full((2, models), -1), np.zeros((3, models)), np.ones(models)
    floored = np.zeros(models, dtype=bool)
    shortlists: list[AnyShortlist | None] = [None] * models
    for rows, chosen in parts:
        if terms[-len(chosen.terms) :] != chosen.terms:
            terms += chosen.terms
        offset = len(terms) - len(chosen.terms)
        places[:, rows] = np.where(chosen.places >= 0, chosen.places + offset, -1)
        coefficients[:, rows], certainty[rows], floored[rows] = chosen.coefficients, chosen.certainty, chosen.floored
        for row, shortlist in zip(rows.tolist(), chosen.shortlists or (), strict=True):
            shortlists[row] = shortlist
    return Selection(terms, places, coefficients, certainty, floored, tuple(shortlists))


def falls(values: Array) -> Array:
    """Return which quantities fall somewhere as x grows: they end lower, or fall by a tenth before they rise.

    `values`: shape (models, n), at ascending points.
    """
    first = values[:, 0]
    return np.asarray((values[:, -1] < first) | (first - values.min(axis=1) > _DIP * np.abs(first)))


def weighed(search_space: HypothesisSpace, measured: Condensed, kind: int, x: Array) -> Posterior:
    """Weigh all hypotheses for a batch of quantities under one kind of noise."""
    return posterior(search_space, measured.values.T, noise_evidence(measured, noise_scales(measured.values, kind, x)))


def _kinds(search_space: HypothesisSpace, measured: Condensed, x: Array) -> list[tuple[Posterior, int, Array, Array]]:
    """Weigh all hypotheses under every kind of noise that a batch needs."""

    def best(fitted: Posterior) -> tuple[Array, Array]:
        best_rows = fitted.log_weights.argmax(axis=0)
        return fitted.squares[best_rows, np.arange(len(best_rows))], fitted.sizes[best_rows]

    def weigh(rows: Array, floored: bool) -> Posterior:
        return weighed(search_space, measured[rows], FLOORED if floored else RELATIVE, x)

    kinds = [
        (fitted, FLOORED if floored else RELATIVE, rows, log_share)
        for fitted, floored, rows, log_share in kinds_of_noise(measured, weigh, best)
    ]
    rows, log_share = growing(measured, x)
    if len(rows):
        kinds.append((weighed(search_space, measured[rows], GROWING, x), GROWING, rows, log_share))
    return [(fitted, kind, rows, fitted.log_weights + log_share) for fitted, kind, rows, log_share in kinds]


def _chosen(search_space: HypothesisSpace, measured: Condensed, x: Array, falling: bool) -> Selection:
    """Choose for one batch; `falling`: whether the space has negative powers."""
    kinds = _kinds(search_space, measured, x)
    hypotheses = plausible(kinds, len(measured.values))
    noisy = np.zeros(len(measured.values), dtype=bool)
    for _, kind, rows, _ in kinds:
        # Partly absolute noise is considered where noise is large.
        noisy[rows] |= kind == FLOORED
    best, certainty = hypotheses.chosen(search_space.far, noisy)
    rows = hypotheses.rows[best]
    return Selection(
        search_space.products,
        np.stack([rows["first"], rows["second"]]).astype(int),
        hypotheses.coefficients[:, best],
        certainty,
        rows["noise"] == FLOORED,
        hypotheses.shortlists(falling),
    )
