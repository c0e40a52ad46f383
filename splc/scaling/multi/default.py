"""The default learner for several parameters: the hypothesis that it chooses, and those that are plausible.

`splc.scaling.multi.search` finds and weighs the hypotheses.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from splc.scaling.columns import Product
from splc.scaling.evidence import noise_evidence
from splc.scaling.exponents import CONSTANT
from splc.scaling.mixture import MOST, Plausible, plausible_fits
from splc.scaling.multi.posterior import Hypotheses, term_priors
from splc.scaling.multi.search import search
from splc.scaling.multi.terms import ParameterTerms
from splc.scaling.noise import Condensed, scales
from splc.scaling.selection import FAR, Selection
from splc.types import Array

# Functions are rarely exactly one of the hypotheses, and some tens of points rule out all but a few of these, which may
# be wrong alike. Weights are therefore tempered for intervals and certainties, not for the choice of the model, the
# more the more parameters there are: the search sees a smaller part of all hypotheses then. The powers were chosen with
# the broad evaluation (`casestudies.scaling_evaluation.several_functions`). The prior of one or two parameters is not
# tempered: unlikely hypotheses stay as unlikely as they are. Of more parameters it is, since the few hypotheses that
# the search sees are not distributed as their prior is.
_TEMPER, _LEAST_TEMPER = {1: 0.65, 2: 0.65, 3: 0.4}, 0.35
# The factor by which an effect of each parameter is more plausible in intervals of three or more parameters than its
# evidence. Cheap points hide effects: the evidence counts coefficients that they may show, but not smaller ones, and
# the search sees some of the hypotheses with hidden effects only.
_HIDDEN = 5.0


def _tempered(among: tuple[ParameterTerms, ...], found: Hypotheses) -> Array:
    """Return the log weights of hypotheses in intervals and certainties."""
    power = _TEMPER.get(len(among), _LEAST_TEMPER)
    if len(among) > 2:
        return power * found.log_weights
    prior = found.log_priors + term_priors(among, found.terms, found.active)
    return power * found.log_weights + (1 - power) * prior


def default(points: Array, measured: Condensed, strong_scaling: bool | None) -> Selection:
    """Choose the most plausible hypothesis for each quantity.

    `points`: distinct points, shape (n, parameters). `measured`: values without gaps, shape (models, n), none larger
    than about 1. `strong_scaling`: whether negative powers are considered; None: of parameters along which a quantity
    falls.
    """
    among, found = search(points, measured, strong_scaling)
    best = found[np.flatnonzero(np.diff(found.model, prepend=-1))]
    terms: dict[Product, int] = {}
    width = best.products.shape[1]
    places = np.full((width, len(best.model)), -1)
    coefficients = np.zeros((1 + width, len(best.model)))
    for row, size in enumerate(best.sizes.tolist()):
        for at, mask in enumerate(best.products[row, :size].tolist()):
            if mask == 0:
                coefficients[0, row] = best.coefficients[row, at]
                continue
            term, factor = _product(among, best.terms[row].tolist(), mask)
            places[at, row] = terms.setdefault(term, len(terms))
            coefficients[1 + at, row] = best.coefficients[row, at] / factor
    return Selection(tuple(terms), places, coefficients, _certainty(among, found, points), best.floored)


def plausible(points: Array, measured: Condensed, strong_scaling: bool | None) -> Plausible:
    """Return the plausible hypotheses for one quantity; the arguments are those of `default`."""
    among, found = search(points, measured, strong_scaling)
    found = _representative(among, _with_hidden(among, found), points)
    parts, order = [], []
    for floored in np.unique(found.floored).tolist():
        rows = np.flatnonzero(found.floored == floored)
        own = found[rows]
        values = _products(among, own)
        fits = own.log_weights, own.coefficients, own.squares, own.sizes, values(points)
        parts.append(_misfitting(plausible_fits(*fits, measured, floored, values), points, measured, floored))
        order.append(rows)
    return Plausible.joined(parts, _products(among, found[np.concatenate(order)]))


def _with_hidden(among: tuple[ParameterTerms, ...], found: Hypotheses) -> Hypotheses:
    """Return hypotheses with the weights that they have in intervals."""
    parameters = len(among)
    number = (found.active[:, None] >> np.arange(parameters) & 1).sum(axis=1)
    more = np.log(_HIDDEN) if parameters > 2 else 0.0
    log_weights = _tempered(among, found) + more * number
    return replace(found, log_weights=log_weights - log_weights.max())


def _representative(among: tuple[ParameterTerms, ...], found: Hypotheses, points: Array) -> Hypotheses:
    """Return at most `MOST` hypotheses whose predictions far away are distributed as those of all.

    They are drawn systematically by weight, in the order of their predictions.
    """
    if len(found.model) <= MOST:
        return found
    there = _products(among, found)(FAR * points.max(axis=0, keepdims=True))[:, :, 0]
    with np.errstate(invalid="ignore", over="ignore"):
        order = np.argsort((found.coefficients * there).sum(axis=1), kind="stable")
    shares = np.cumsum(np.exp(found.log_weights[order]))
    places = np.searchsorted(shares, (np.arange(MOST) + 0.5) / MOST * shares[-1])
    rows, counts = np.unique(order[np.minimum(places, len(order) - 1)], return_counts=True)
    return replace(found[rows], log_weights=np.log(counts))


def _misfitting(found: Plausible, points: Array, measured: Condensed, floored: bool) -> Plausible:
    """Return hypotheses whose standard errors allow for a misfit that neighbouring points have in common.

    Noise between points that repetitions do not show may come from a function that is not among the hypotheses. Such
    residuals are alike along lines, so that points of a grid say no more about them than each parameter's values do.
    """
    distinct = sum(len(np.unique(each)) for each in points.T)
    implied = noise_evidence(measured, scales(measured.values, floored)).implied[0]
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.where(found.noise > implied, 1 - (implied / found.noise) ** 2, 0.0)
    larger = 1 + share * max(len(points) / distinct - 1, 0.0)
    return replace(found, factors=found.factors * np.sqrt(larger)[:, None, None])


def _product(among: tuple[ParameterTerms, ...], places: list[int], mask: int) -> tuple[Product, float]:
    """Return the exponents of a product, and what its coefficient is to be divided by."""
    term, factor = [], 1.0
    for at, (each, place) in enumerate(zip(among, places, strict=True)):
        used = bool(mask >> at & 1)
        term.append(each.terms[place] if used else CONSTANT)
        factor *= float(each.sizes[place]) if used else 1.0
    return tuple(term), factor


def _products(among: tuple[ParameterTerms, ...], found: Hypotheses) -> Callable[[Array], Array]:
    """Return the function of points x that gives hypotheses' products, shape (hypotheses, most coefficients, points).

    They are in the unit that their coefficients have; those of no product are 1.
    """
    factors = []
    for at, each in enumerate(among):
        row, place = np.nonzero((found.products >= 0) & ((found.products >> at & 1) == 1))
        if len(row):
            used, which = np.unique(found.terms[row, at], return_inverse=True)
            chosen = [each.terms[term] for term in used.tolist()]
            powers, logs = (np.array([float(one) for one in kind])[:, None] for kind in zip(*chosen, strict=True))
            factors.append((at, row, place, which, powers, logs, each.sizes[used][:, None]))

    def values(x: Array) -> Array:
        found_there = np.ones((*found.products.shape, len(x)))
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            for at, row, place, which, powers, logs, sizes in factors:
                own = x[:, at] ** powers
                if logs.any():
                    # In this order: 0 * inf, at x = 0, is not defined.
                    own = np.where(logs == 0, own, own * np.log2(x[:, at]) ** logs)
                found_there[row, place] *= (own / sizes)[which]
        return found_there

    return values


def _certainty(among: tuple[ParameterTerms, ...], found: Hypotheses, points: Array) -> Array:
    """Return the posterior probability of each quantity's lead term."""
    far = _products(among, found)(FAR * points.max(axis=0, keepdims=True))[:, :, 0]
    with np.errstate(invalid="ignore"):
        sizes = np.where(found.products > 0, np.abs(found.coefficients * far), -1.0)
    place = sizes.argmax(axis=1)
    mask = np.where(sizes.max(axis=1) >= 0, found.products[np.arange(len(place)), place], 0)
    lead = np.zeros(len(mask), dtype=np.int64)
    for at, each in enumerate(among):
        lead = lead * (len(each.terms) + 1) + np.where(mask >> at & 1, found.terms[:, at] + 1, 0)
    first = np.flatnonzero(np.diff(found.model, prepend=-1))
    log_weights = _tempered(among, found)
    weights = np.exp(log_weights - log_weights[first][found.model])
    whole = np.bincount(found.model, weights)
    return np.asarray(np.bincount(found.model, np.where(lead == lead[first][found.model], weights, 0.0)) / whole)
