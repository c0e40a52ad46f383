"""The default learner for one parameter: the most plausible hypothesis.

All sums of up to two PMNF terms, with and without a constant, are fitted by least squares *relative* to the measured
values, since noise grows with the values (the papers fit absolute residuals, which the largest value dominates). Each
is weighed by its marginal likelihood over the unknown noise and coefficients (`splc.scaling.evidence`) and by the prior
of its exponents (`hypotheses`); the one with the largest weight wins. The weights of all others give intervals and the
certainty of the lead term.

Where the values are not all positive, or relative noise turns out large, noise that is as large for small values as
for large ones is considered too, by its evidence.
"""

from __future__ import annotations

import numpy as np

from splc.scaling.evidence import noise_evidence
from splc.scaling.noise import Condensed, growing, kinds_of_noise
from splc.scaling.selection import Selection
from splc.scaling.shortlist import FLOORED, GROWING, RELATIVE, Shortlist
from splc.scaling.single.hypotheses import HypothesisSpace, space
from splc.scaling.single.plausible import noise_scales, shortlists
from splc.scaling.single.posterior import Posterior, posterior
from splc.types import Array

# A fall of less than this, relative to the first value, is more often noise.
_DIP = 0.1
# Measured values per batch: intermediate results are then small enough for the processor's caches.
_CHUNK = 640


def default(x: Array, measured: Condensed, strong_scaling: bool | None) -> Selection:
    """Choose the most plausible hypothesis for each quantity.

    `x`: distinct points, ascending, shape (n,). `measured`: values without gaps, shape (models, n), whose squares do
    not leave the range of numbers. `strong_scaling`: whether negative powers are considered; None: for quantities that
    fall (see `falls`).
    """
    fall = falls(measured.values)
    falling = fall if strong_scaling is None else np.full(len(fall), strong_scaling)
    models = len(falling)
    places = np.full((2, models), -1)
    coefficients, certainty = np.zeros((3, models)), np.ones(models)
    floored = np.zeros(models, dtype=bool)
    kept: list[Shortlist | None] = [None] * models
    rising = space(x, False)
    both = space(x, True) if falling.any() else rising
    offset = len(rising.terms)
    for negative in (False, True):
        among = both if negative else rising
        rows = np.flatnonzero(falling == negative)
        size = max(_CHUNK // len(x), 1)
        for start in range(0, len(rows), size):
            part = rows[start : start + size]
            chosen = _chosen(among, measured[part], x, negative)
            places[:, part] = np.where(chosen.places >= 0, chosen.places + (offset if negative else 0), -1)
            coefficients[:, part], certainty[part] = chosen.coefficients, chosen.certainty
            floored[part] = chosen.floored
            for row, each in zip(part.tolist(), chosen.shortlists or (), strict=True):
                kept[row] = each
    terms = tuple((each,) for each in rising.terms + both.terms)
    return Selection(terms, places, coefficients, certainty, floored, tuple(kept))


def falls(values: Array) -> Array:
    """Return which quantities fall somewhere as x grows: they end lower, or fall by a tenth before they rise.

    `values`: shape (models, n), at ascending points.
    """
    first = values[:, 0]
    return np.asarray((values[:, -1] < first) | (first - values.min(axis=1) > _DIP * np.abs(first)))


def weighed(among: HypothesisSpace, measured: Condensed, kind: int, x: Array) -> Posterior:
    """Weigh all hypotheses for a batch of quantities under one kind of noise."""
    return posterior(among, measured.values.T, noise_evidence(measured, noise_scales(measured.values, kind, x)))


def _kinds(among: HypothesisSpace, measured: Condensed, x: Array) -> list[tuple[Posterior, int, Array, Array]]:
    """Weigh all hypotheses under every kind of noise that a batch calls for.

    Returns:
        for each kind the hypotheses, the kind, the quantities, and the hypotheses' log weights.
    """

    def best(found: Posterior) -> tuple[Array, Array]:
        at = found.log_weights.argmax(axis=0)
        return found.squares[at, np.arange(len(at))], found.sizes[at]

    def weigh(rows: Array, floored: bool) -> Posterior:
        return weighed(among, measured[rows], FLOORED if floored else RELATIVE, x)

    found = [
        (each, FLOORED if floored else RELATIVE, rows, log_share)
        for each, floored, rows, log_share in kinds_of_noise(measured, weigh, best)
    ]
    rows, log_share = growing(measured, x)
    if len(rows):
        found.append((weighed(among, measured[rows], GROWING, x), GROWING, rows, log_share))
    return [(each, kind, rows, each.log_weights + log_share) for each, kind, rows, log_share in found]


def _chosen(among: HypothesisSpace, measured: Condensed, x: Array, falling: bool) -> Selection:
    """Choose for one batch; `falling`: whether the space has negative powers."""
    models = len(measured.values)
    highest = np.full(models, -np.inf)
    places, coefficients = np.full((2, models), -1), np.zeros((3, models))
    floored = np.zeros(models, dtype=bool)
    parts = _kinds(among, measured, x)
    for found, kind, rows, log_weights in parts:
        best, at = log_weights.argmax(axis=0), np.arange(len(rows))
        better = log_weights[best, at] > highest[rows]
        best, at, rows = best[better], at[better], rows[better]
        highest[rows] = log_weights[best, at]
        places[:, rows] = found.first[best], found.second[best]
        coefficients[:, rows] = found.coefficients[:, best, at]
        floored[rows] = kind == FLOORED
    lead = _leading(places[0], places[1], coefficients, among.far)
    whole, same = np.zeros(models), np.zeros(models)
    for found, _, rows, log_weights in parts:
        weights = np.exp(log_weights - highest[rows])
        leads = _leading(found.first[:, None], found.second[:, None], found.coefficients, among.far)
        whole[rows] += weights.sum(axis=0)
        same[rows] += np.where(leads == lead[rows], weights, 0.0).sum(axis=0)
    terms = tuple((each,) for each in among.terms)
    kept = tuple(shortlists(parts, highest, falling))
    return Selection(terms, places, coefficients, same / whole, floored, kept)


def _leading(first: Array, second: Array, coefficients: Array, at: Array) -> Array:
    """Return the term that contributes most: `first` or `second`, whose shape broadcasts to the result's.

    `first`: the first terms, -1 for none. `second`: the second terms, -1 for none. `coefficients`: constant, first,
    second, shape (3, …). `at`: the values of all terms where contributions are compared, shape (terms,).
    """
    known = np.append(at, 0.0)
    more = np.abs(coefficients[2] * known[second]) > np.abs(coefficients[1] * known[first])
    return np.where(more, second, first)
