"""The plausible hypotheses of quantities over one parameter, kept in compact form, and their fits.

A search weighs hundreds of hypotheses, of which some tens are plausible. These are kept with the model, without their
fits: eight bytes each. Fitting them again, for many quantities at once, takes microseconds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from splc.scaling.columns import Factors, HypothesisColumns
from splc.scaling.evidence import noise_evidence
from splc.scaling.mixture import MIN_SHARE, MOST, Plausible
from splc.scaling.noise import Condensed, growth, scales
from splc.scaling.selection import nearest_to_median
from splc.scaling.shortlist import FLOORED, GROWING, ROW, Shortlist
from splc.scaling.single.hypotheses import space
from splc.scaling.single.posterior import Posterior
from splc.scaling.triangle import triangular
from splc.types import Array

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

        It is the most plausible one, or, where noise is large, the one whose value is nearest to the median of all, out
        of those about as plausible as the best.

        `far`: the values of the space's terms where hypotheses are compared, shape (terms,). `noisy`: whether noise is
        large, shape (models,).
        """
        known = np.append(far, 0.0)
        first, second = (self.coefficients[1 + at] * known[self.rows[name]] for at, name in enumerate(_TERMS))
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
    """Return the plausible hypotheses of a batch of quantities.

    `parts`: for each kind of noise the hypotheses, the kind, the quantities that they are about, and their log
    weights, shape (hypotheses, quantities). `models`: the number of quantities.
    """
    highest = np.full(models, -np.inf)
    for _, _, quantities, log_weights in parts:
        highest[quantities] = np.maximum(highest[quantities], log_weights.max(axis=0))
    row_blocks, coefficients, model = [], [], []
    for posterior, kind, quantities, log_weights in parts:
        relative = log_weights - highest[quantities]
        row, column = np.nonzero(relative > MIN_SHARE)
        kind_rows = posterior.rows[row]
        kind_rows["noise"], kind_rows["log_weight"] = kind, relative[row, column]
        row_blocks.append(kind_rows)
        coefficients.append(posterior.coefficients[:, row, column])
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
    """Fit the hypotheses of shortlists, those of one quantity after the other.

    `x`: distinct points, ascending, shape (n,). `measured`: values without gaps, shape (models, n). `lists`: the
    shortlist of each, all of the same space.
    """
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
