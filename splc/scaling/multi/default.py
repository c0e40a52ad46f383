"""The default learner for several parameters: the hypothesis that it chooses.

First the parameters that have an effect are chosen, by the probability of all hypotheses with these parameters: where
few points show little, a constant is more plausible than each of many functions, but not than all of them. Of their
hypotheses the most plausible one is chosen, or, where several are about as plausible, the one whose value at four times
the largest points is nearest to the median of all hypotheses: noise decides which one is best. Where no hypothesis is
exact, all may have similar errors, so that their median is not informative, and the most plausible one is chosen.

`splc.scaling.multi.search` finds and weighs the hypotheses, `splc.scaling.multi.plausible` keeps the plausible ones.
"""

from __future__ import annotations

import numpy as np

from splc.scaling.columns import Product
from splc.scaling.exponents import CONSTANT
from splc.scaling.multi.plausible import combination_shortlists, tempered
from splc.scaling.multi.posterior import Hypotheses
from splc.scaling.multi.search import search
from splc.scaling.multi.terms import ParameterTerms, product_columns
from splc.scaling.noise import Condensed
from splc.scaling.selection import FAR, Selection, nearest_to_median
from splc.types import Array

# Hypotheses with at least this share of the plausibility of the best are about as plausible.
LIKELY = 0.5


def default(points: Array, measured: Condensed, strong_scaling: bool | None, local: bool = True) -> Selection:
    """Choose a hypothesis for each quantity.

    `points`: distinct points, shape (n, parameters). `measured`: values without gaps, shape (models, n), none larger
    than about 1. `strong_scaling`: whether negative powers are considered; None: of parameters along which a quantity
    falls. `local`: whether points near the largest values count more where no hypothesis is exact.
    """
    bases, hypotheses, misfit = search(points, measured, strong_scaling, local)
    far = product_columns(bases, hypotheses.terms, hypotheses.products)(FAR * points.max(axis=0, keepdims=True))[
        :, :, 0
    ]
    with np.errstate(invalid="ignore", over="ignore"):
        parts = hypotheses.coefficients * far
        values = parts.sum(axis=1)
    chosen = _chosen(hypotheses, values, misfit)
    best = hypotheses[chosen]
    terms: dict[Product, int] = {}
    width = best.products.shape[1]
    places = np.full((width, len(best.model)), -1)
    coefficients = np.zeros((1 + width, len(best.model)))
    for row, size in enumerate(best.sizes.tolist()):
        for column, mask in enumerate(best.products[row, :size].tolist()):
            if mask == 0:
                coefficients[0, row] = best.coefficients[row, column]
                continue
            term, factor = _product(bases, best.terms[row].tolist(), mask)
            places[column, row] = terms.setdefault(term, len(terms))
            coefficients[1 + column, row] = best.coefficients[row, column] / factor
    log_weights = tempered(bases, hypotheses, points, misfit)
    certainty = lead_certainty(bases, hypotheses, chosen, log_weights, parts)
    shortlists = combination_shortlists(bases, hypotheses, log_weights, values, misfit)
    return Selection(tuple(terms), places, coefficients, certainty, best.floored, shortlists)


def _chosen(hypotheses: Hypotheses, values: Array, misfit: Array) -> Array:
    """Return the hypothesis that is chosen for each quantity, as a position.

    `values`: predictions far away, shape (hypotheses,). `misfit`: its share in the variance, shape (models,).
    """
    starts, model = hypotheses.starts, hypotheses.model
    weights = np.exp(hypotheses.log_weights - hypotheses.log_weights[starts][model])
    highest = int(hypotheses.active.max()) + 1
    masses = np.bincount(model * highest + hypotheses.active, weights, len(starts) * highest).reshape(-1, highest)
    likely = hypotheses.active == masses.argmax(axis=1)[model]
    rows = np.flatnonzero(likely)
    best = rows[np.flatnonzero(np.diff(model[rows], prepend=-1))]
    likely &= weights >= (np.where(misfit > 0, 1.0, LIKELY) * weights[best])[model]
    defined = np.where(np.isfinite(values), weights, 0.0)
    return nearest_to_median(values, defined, likely, model, starts)


def _product(bases: tuple[ParameterTerms, ...], positions: list[int], mask: int) -> tuple[Product, float]:
    """Return the exponents of a product, and the divisor of its coefficient."""
    term, factor = [], 1.0
    for parameter, (basis, position) in enumerate(zip(bases, positions, strict=True)):
        used = bool(mask >> parameter & 1)
        term.append(basis.terms[position] if used else CONSTANT)
        factor *= float(basis.sizes[position]) if used else 1.0
    return tuple(term), factor


def lead_certainty(
    bases: tuple[ParameterTerms, ...], hypotheses: Hypotheses, chosen: Array, log_weights: Array, parts: Array
) -> Array:
    """Return the posterior probability of each quantity's lead term.

    `chosen`: the hypothesis of each quantity. `log_weights`: those of `tempered`. `parts`: the contribution
    of each product far away, shape (hypotheses, most coefficients).
    """
    with np.errstate(invalid="ignore"):
        sizes = np.where(hypotheses.products > 0, np.abs(parts), -1.0)
    column = sizes.argmax(axis=1)
    mask = np.where(sizes.max(axis=1) >= 0, hypotheses.products[np.arange(len(column)), column], 0)
    lead = np.zeros(len(mask), dtype=np.int64)
    for parameter, basis in enumerate(bases):
        lead = lead * (len(basis.terms) + 1) + np.where(mask >> parameter & 1, hypotheses.terms[:, parameter] + 1, 0)
    model = hypotheses.model
    weights = np.exp(log_weights - log_weights[hypotheses.starts][model])
    totals = np.bincount(model, weights)
    return np.asarray(np.bincount(model, np.where(lead == lead[chosen][model], weights, 0.0)) / totals)
