"""The plausible hypotheses of quantities over one parameter, kept in compact form, and their fits.

A search weighs hundreds of hypotheses, of which some tens are plausible. These are kept with the model, without their
fits: eight bytes each. Fitting them again, for many quantities at once, takes microseconds.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from splc.scaling.columns import power_columns
from splc.scaling.evidence import noise_evidence
from splc.scaling.mixture import LEAST_SHARE, MOST, Plausible
from splc.scaling.noise import Condensed, growth, scales
from splc.scaling.shortlist import FLOORED, GROWING, ROW, Shortlist
from splc.scaling.single.hypotheses import space
from splc.scaling.single.posterior import Posterior
from splc.scaling.triangle import triangular
from splc.types import Array

# The probability of all hypotheses that are left out.
_LEFT_OUT = 1e-4


def shortlists(parts: Sequence[tuple[Posterior, int, Array, Array]], highest: Array, falling: bool) -> list[Shortlist]:
    """Return the plausible hypotheses of each quantity of a batch.

    `parts`: for each kind of noise the hypotheses, the kind, the quantities that they are about, and their log
    weights, shape (hypotheses, quantities). `highest`: the largest log weight of each quantity.
    """
    found, models = [], []
    for posterior, kind, quantities, log_weights in parts:
        relative = log_weights - highest[quantities]
        at, column = np.nonzero(relative > LEAST_SHARE)
        own = np.empty(len(at), ROW)
        own["first"], own["second"] = posterior.first[at], posterior.second[at]
        own["constant"] = (posterior.sizes - (posterior.first >= 0) - (posterior.second >= 0))[at] > 0
        own["noise"], own["log_weight"] = kind, relative[at, column]
        found.append(own)
        models.append(quantities[column])
    rows, model = np.concatenate(found), np.concatenate(models)
    order = np.lexsort((-rows["log_weight"], model))
    rows, model = rows[order], model[order]
    starts = np.searchsorted(model, np.arange(len(highest)))
    share = np.exp(rows["log_weight"].astype(float))
    before = np.cumsum(share) - share
    whole = np.add.reduceat(share, starts)
    kept = before - before[starts][model] < (1 - _LEFT_OUT) * whole[model]
    kept &= np.arange(len(rows)) - starts[model] < MOST
    ends = np.cumsum(np.bincount(model[kept], minlength=len(highest)))
    return [Shortlist(each, falling) for each in np.split(rows[kept], ends[:-1])]


def fits(x: Array, measured: Condensed, lists: Sequence[Shortlist]) -> Plausible:
    """Fit the hypotheses of shortlists, those of one quantity after the other.

    `x`: distinct points, ascending, shape (n,). `measured`: values without gaps, shape (models, n). `lists`: the
    shortlist of each, all of the same space.
    """
    among = space(x, lists[0].falling)
    # As whole numbers, which are joined faster.
    rows = np.concatenate([each.rows.view(np.int64) for each in lists]).view(ROW)
    model = np.repeat(np.arange(len(lists)), [len(each.rows) for each in lists])
    terms = len(among.terms)
    # The constant, then the terms; absent ones are columns of zeros.
    places = np.stack(
        [np.where(rows["constant"], 0, terms + 1), rows["first"].astype(int) + 1, rows["second"].astype(int) + 1], 1
    )
    places[:, 1:][places[:, 1:] == 0] = terms + 1

    def columns(points: Array) -> Array:
        known = np.zeros((terms + 2, len(points)))
        known[0] = 1.0
        known[1:-1] = power_columns(among.powers, among.logs, points[:, 0])
        return np.asarray(known[places])

    here = columns(x[:, None])
    variances, freedoms, single, floors = (np.zeros(len(rows)) for _ in range(4))
    coefficients, factors = np.zeros((len(rows), 3)), np.zeros((len(rows), 3, 3))
    for kind in np.unique(rows["noise"]).tolist():
        at = np.flatnonzero(rows["noise"] == kind)
        models, which = np.unique(model[at], return_inverse=True)
        own = measured[models]
        evidence = noise_evidence(own, noise_scales(own.values, kind, x))
        weights = evidence.weights[which]
        squares, coefficients[at], factors[at] = triangular(here[at] * weights[:, None], own.values[which] * weights)
        free = np.maximum(len(x) - (places[at] <= terms).sum(axis=1), 0)
        variances[at], freedoms[at], _ = evidence.moments(squares, free, which)
        single[at] = evidence.single[which]
        floors[at] = np.abs(own.values).max(axis=1)[which] if kind == FLOORED else 0.0
    log_weights = rows["log_weight"].astype(float)
    grows = (rows["noise"] == GROWING)[:, None]

    def growths(points: Array) -> Array:
        return np.where(grows, growth(points[:, 0], x), 1.0)

    growing = growths if grows.any() else None
    return Plausible(log_weights, coefficients, np.sqrt(variances), single, freedoms, floors, factors, columns, growing)


def noise_scales(values: Array, kind: int, x: Array) -> Array:
    """Return the sizes that noise of a kind is relative to, shape (models, n)."""
    found = scales(values, kind == FLOORED)
    return found * growth(x, x) if kind == GROWING else found
