"""The default learner for one parameter: a hypothesis out of the most plausible ones.

All sums of up to two PMNF terms, with and without a constant, are fitted by least squares *relative* to the measured
values, since noise grows with the values (the papers fit absolute residuals, which the largest value dominates). Each
is weighed by its marginal likelihood over the unknown noise and coefficients (`splc.scaling.evidence`) and by the prior
of its exponents (`splc.scaling.single.posterior`). The most plausible one is chosen. Where noise is large, hypotheses
with at least 0.7 times the weight of the best are about as plausible, and of these the one whose value at four times
the largest point is nearest to the median of all hypotheses is chosen: noise decides which one is best. All weights
give intervals and the certainty of the lead term.

Two other kinds of noise are considered by their evidence: noise that is as large for small values as for large ones,
where the values are not all positive, or relative noise turns out large; and noise that grows with the parameter, where
repetitions suggest it.

A search weighs hundreds of hypotheses, of which some tens are plausible. These are kept with the model, without their
fits: eight bytes each. Fitting them again, for many quantities at once, takes microseconds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from splc.scaling.evidence import noise_evidence
from splc.scaling.exponents import Factors, HypothesisColumns, Product
from splc.scaling.least_squares import triangular
from splc.scaling.noise import Condensed, growing, growth, kinds_of_noise, scales
from splc.scaling.selection import (
    FLOORED,
    GROWING,
    MIN_SHARE,
    MOST,
    RELATIVE,
    ROW,
    AnyShortlist,
    Plausible,
    Selection,
    Shortlist,
    nearest_to_median,
)
from splc.scaling.single.posterior import HypothesisSpace, Posterior, posterior, space
from splc.types import Array

# A fall of less than this, relative to the first value, is more often noise.
_DIP = 0.1
# Measured values per batch: intermediate results are then small enough for the processor's caches.
CHUNK = 640


def default(x: Array, measured: Condensed, strong_scaling: bool | None) -> Selection:
    """Choose a hypothesis for each quantity; without `strong_scaling`, with negative powers if it falls."""
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
    """Return which quantities fall somewhere as x grows: they end lower, or fall by a tenth before they rise."""
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
    best, certainty = hypotheses.chosen(search_space.far[0], noisy)
    rows = hypotheses.rows[best]
    return Selection(
        search_space.products,
        np.stack([rows["first"], rows["second"]]).astype(int),
        hypotheses.coefficients[:, best],
        certainty,
        rows["noise"] == FLOORED,
        hypotheses.shortlists(falling),
    )


# The probability of all hypotheses that are left out.
_LEFT_OUT = 1e-4
# Hypotheses with at least this share of the plausibility of the best are about as plausible.
_LIKELY = 0.7
_TERMS = ("first", "second")


@dataclass(frozen=True, eq=False)
class PlausibleHypotheses:
    """The plausible hypotheses of a batch of quantities, grouped by quantity, the most plausible one first."""

    rows: Array  # of the type `ROW`, shape (hypotheses,)
    model: Array  # the quantity of each
    coefficients: Array  # constant, first and second term, shape (3, hypotheses); 0 for none
    counts: Array  # the number of hypotheses of each quantity

    def shortlists(self, falling: bool) -> tuple[Shortlist, ...]:
        """Return those of each quantity; `falling`: whether the space has negative powers."""
        return tuple(
            Shortlist(self.rows[end - count : end], falling)
            for end, count in zip(np.cumsum(self.counts).tolist(), self.counts.tolist(), strict=True)
        )

    def chosen(self, far: Array, noisy: Array) -> tuple[Array, Array]:
        """Return the hypothesis that is chosen for each quantity, and the probability of its lead term.

        It is the most plausible one, or, where noise is large, the one whose value far away (`far`: those of the terms,
        and 0) is nearest to the median of all, out of those about as plausible as the best.
        """
        first, second = (self.coefficients[1 + at] * far[self.rows[name]] for at, name in enumerate(_TERMS))
        values = self.coefficients[0] + first + second
        weights = np.exp(self.rows["log_weight"].astype(float))
        starts = np.cumsum(self.counts) - self.counts
        totals = np.add.reduceat(weights, starts)
        limit = np.where(noisy, _LIKELY, 1.0) * weights[starts]
        best = nearest_to_median(values, weights, weights >= limit[self.model], self.model, starts)
        lead = np.where(np.abs(second) > np.abs(first), self.rows["second"], self.rows["first"])
        same = np.where(lead == lead[best][self.model], weights, 0.0)
        return best, np.add.reduceat(same, starts) / totals


def plausible(parts: Sequence[tuple[Posterior, int, Array, Array]], models: int) -> PlausibleHypotheses:
    """Return the plausible hypotheses; `parts`: of each kind of noise the fits, kind, quantities and log weights."""
    highest = np.full(models, -np.inf)
    for _, _, quantities, log_weights in parts:
        highest[quantities] = np.maximum(highest[quantities], log_weights.max(axis=0))
    row_blocks, coefficients, model = [], [], []
    for fitted, kind, quantities, log_weights in parts:
        relative = log_weights - highest[quantities]
        row, column = np.nonzero(relative > MIN_SHARE)
        kind_rows = fitted.rows[row]
        kind_rows["noise"], kind_rows["log_weight"] = kind, relative[row, column]
        row_blocks.append(kind_rows)
        coefficients.append(fitted.coefficients[:, row, column])
        model.append(quantities[column])
    rows, model_of, sizes = (np.concatenate(row_blocks), np.concatenate(model), np.concatenate(coefficients, axis=1))
    order = np.lexsort((-rows["log_weight"], model_of))
    rows, model_of = rows[order], model_of[order]
    starts = np.searchsorted(model_of, np.arange(models))
    share = np.exp(rows["log_weight"].astype(float))
    before = np.cumsum(share) - share
    totals = np.add.reduceat(share, starts)
    is_kept = before - before[starts][model_of] < (1 - _LEFT_OUT) * totals[model_of]
    is_kept &= np.arange(len(rows)) - starts[model_of] < MOST
    counts = np.bincount(model_of[is_kept], minlength=models)
    return PlausibleHypotheses(rows[is_kept], model_of[is_kept], sizes[:, order[is_kept]], counts)


def fits(x: Array, measured: Condensed, lists: Sequence[Shortlist]) -> Plausible:
    """Fit the hypotheses of shortlists of one space, those of one quantity after the other."""
    search_space = space(x, lists[0].falling)
    # As whole numbers, which are joined faster.
    rows = np.concatenate([shortlist.rows.view(np.int64) for shortlist in lists]).view(ROW)
    model = np.repeat(np.arange(len(lists)), [len(shortlist.rows) for shortlist in lists])
    # The constant, then the terms.
    places = np.stack([np.full(len(rows), -1), rows["first"], rows["second"]], 1)
    used = places >= 0
    used[:, 0] = rows["constant"]
    columns = HypothesisColumns((Factors.of(search_space.powers, search_space.logs, 1.0, places),))
    values = np.where(used[:, :, None], columns(x[:, None]), 0.0)
    variances, freedoms, single, floors = (np.zeros(len(rows)) for _ in range(4))
    coefficients, factors = np.zeros((len(rows), 3)), np.zeros((len(rows), 3, 3))
    for kind in np.flatnonzero(np.bincount(rows["noise"])).tolist():
        part = np.flatnonzero(rows["noise"] == kind)
        models = np.flatnonzero(np.bincount(model[part]))
        model_of = np.searchsorted(models, model[part])
        batch = measured[models]
        evidence = noise_evidence(batch, noise_scales(batch.values, kind, x))
        weights = evidence.weights[model_of]
        squares, coefficients[part], factors[part] = triangular(
            values[part] * weights[:, None], batch.values[model_of] * weights
        )
        free = np.maximum(len(x) - used[part].sum(axis=1), 0)
        variances[part], freedoms[part], _ = evidence.moments(squares, free, model_of)
        single[part] = evidence.single[model_of]
        floors[part] = np.abs(batch.values).max(axis=1)[model_of] if kind == FLOORED else 0.0
    log_weights = rows["log_weight"].astype(float)
    grows = (rows["noise"] == GROWING)[:, None]

    def growths(points: Array) -> Array:
        return np.where(grows, growth(points[:, 0], x), 1.0)

    growing = growths if grows.any() else None
    return Plausible(log_weights, coefficients, np.sqrt(variances), single, freedoms, floors, factors, columns, growing)


def noise_scales(values: Array, kind: int, x: Array) -> Array:
    """Return the sizes that noise of a kind is relative to, shape (models, n)."""
    noise = scales(values, kind == FLOORED)
    return noise * growth(x, x) if kind == GROWING else noise
