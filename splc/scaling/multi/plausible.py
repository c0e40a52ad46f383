"""The plausible hypotheses of quantities over several parameters, kept in compact form, and their fits."""

from __future__ import annotations

import numpy as np

from splc.scaling.evidence import NoiseEvidence, noise_evidence
from splc.scaling.mixture import MIN_SHARE, MOST, Plausible
from splc.scaling.multi.hidden import hidden_products, with_hidden
from splc.scaling.multi.misfit import growth_shown, larger, sizes
from splc.scaling.multi.posterior import Hypotheses, term_priors
from splc.scaling.multi.terms import ParameterTerms, parameter_terms, product_columns
from splc.scaling.noise import Condensed, scales
from splc.scaling.shortlist import CombinationShortlist
from splc.scaling.triangle import triangular
from splc.types import Array

# Functions are rarely exactly one of the hypotheses, and some tens of points rule out all but a few of these, which may
# be wrong alike. Weights are therefore tempered for intervals and certainties, not for the choice of the model, the
# more the more parameters there are: the search sees a smaller part of all hypotheses then. The powers were chosen with
# the broad evaluation (`casestudies.scaling_evaluation.several_functions`). The prior of one or two parameters is not
# tempered: unlikely hypotheses stay as unlikely as they are. Of more parameters it is, since the few hypotheses that
# the search sees are not distributed as their prior is.
_TEMPER, _MIN_TEMPER = {1: 0.65, 2: 0.65, 3: 0.4}, 0.35
# The factor by which an effect of each parameter is more plausible in intervals of three or more parameters than its
# evidence. Cheap points hide effects: the evidence counts coefficients that they may show, but not smaller ones, and
# the search sees some of the hypotheses with hidden effects only.
_HIDDEN = 5.0


def tempered(among: tuple[ParameterTerms, ...], found: Hypotheses, points: Array, misfit: Array) -> Array:
    """Return the log weights of hypotheses in certainties.

    `found`: ordered by quantity. `points`: shape (n, parameters). `misfit`: its share in the variance, shape (models,).
    """
    power = (_TEMPER.get(len(among), _MIN_TEMPER) / (1 + misfit * _alike(points)))[found.model]
    if len(among) > 2:
        return np.asarray(power * found.log_weights)
    prior = found.log_priors + term_priors(among, found.terms, found.active)
    return np.asarray(power * found.log_weights + (1 - power) * prior)


def combination_shortlists(
    among: tuple[ParameterTerms, ...], found: Hypotheses, log_weights: Array, values: Array, misfit: Array
) -> tuple[CombinationShortlist, ...]:
    """Return the plausible hypotheses of each quantity.

    `found`: ordered by quantity. `log_weights`: those of `tempered`. `values`: predictions far away. `misfit`: its
    share in the variance, shape (models,).
    """
    parameters = len(among)
    number = (found.active[:, None] >> np.arange(parameters) & 1).sum(axis=1)
    more = np.log(_HIDDEN) if parameters > 2 else 0.0
    log_weights = log_weights + more * number
    starts = np.flatnonzero(np.diff(found.model, prepend=-1))
    log_weights -= np.maximum.reduceat(log_weights, starts)[found.model]
    terms, products = found.terms.astype(np.int16), found.products.astype(np.int8)
    lists = []
    for start, end, share in zip(starts, [*starts[1:], len(found.model)], misfit.tolist(), strict=True):
        rows = start + np.flatnonzero(log_weights[start:end] > MIN_SHARE)
        own = log_weights[rows]
        if len(rows) > MOST:
            drawn, counts = _representative(own, values[rows])
            rows, own = rows[drawn], np.log(counts)
        size = int(found.sizes[rows].max())
        lists.append(
            CombinationShortlist(terms[rows], products[rows, :size], found.floored[rows], own.astype(np.float32), share)
        )
    return tuple(lists)


def _representative(log_weights: Array, values: Array) -> tuple[Array, Array]:
    """Return at most `MOST` hypotheses whose predictions far away are distributed as those of all, and their weights.

    They are drawn systematically by weight, in the order of their predictions.
    """
    order = np.argsort(values, kind="stable")
    shares = np.cumsum(np.exp(log_weights[order]))
    places = np.searchsorted(shares, (np.arange(MOST) + 0.5) / MOST * shares[-1])
    return np.unique(order[np.minimum(places, len(order) - 1)], return_counts=True)


def fits(points: Array, measured: Condensed, kept: CombinationShortlist) -> Plausible:
    """Fit the hypotheses of the shortlist of a quantity.

    `points`: distinct points, shape (n, parameters). `measured`: values without gaps, shape (1, n).
    """
    among, products = parameter_terms(points), kept.products.astype(int)
    log_weights, terms = kept.log_weights.astype(float), kept.terms
    drawn = hidden_products(among, terms, products, log_weights, len(points))
    number = len(products)
    if drawn is not None:
        # Hypotheses with hidden products follow, whose last column these are.
        terms = np.concatenate([terms, drawn.terms])
        none = np.full((number, 1), -1)
        beside = np.column_stack([products[drawn.rows], drawn.masks])
        products = np.concatenate([np.column_stack([products, none]), beside])
        whole = np.logaddexp.reduce(log_weights)
        each = np.full(len(drawn.rows), whole + np.log(drawn.share / len(drawn.rows)))
        log_weights = np.concatenate([log_weights + np.log(1 - drawn.share), each])
    columns = product_columns(among, terms, products)
    here = columns(points)
    here[products < 0] = 0.0
    used = (kept.products >= 0).sum(axis=1)
    share = np.array([kept.misfit])
    size_here = sizes(points, points, share)[0]
    # Points that hardly count say little about the noise at the largest values.
    effective = round(float((size_here**-2).sum()))
    size = products.shape[1]
    noise, single, freedoms, floors = (np.zeros(len(products)) for _ in range(4))
    coefficients, factors = np.zeros((len(products), size)), np.zeros((len(products), size, size))
    growth = 0.0
    for floored in np.unique(kept.floored).tolist():
        at = np.flatnonzero(kept.floored == floored)
        evidence = noise_evidence(measured, scales(measured.values, floored))
        weights = larger(evidence, size_here[None]).weights[0]
        z = measured.values[0] * weights
        squares, coefficients[at], factors[at] = triangular(here[at] * weights, np.repeat(z[None], len(at), axis=0))
        _, freedoms[at], variances = evidence.moments(squares, np.maximum(effective - used[at], 0))
        noise[at] = np.sqrt(variances)
        single[at] = evidence.single[0]
        floors[at] = float(np.abs(measured.values).max()) if floored else 0.0
        best = at[np.argmax(kept.log_weights[at])]
        residuals = (measured.values[0] - coefficients[best] @ here[best]) * evidence.weights[0]
        growth = max(growth, growth_shown(points, kept.misfit, residuals, float(noise[best]))) if kept.misfit else 0.0
        if drawn is not None:
            own = np.flatnonzero(np.isin(drawn.rows, at))
            rows, new = drawn.rows[own], number + own
            for array in (noise, single, freedoms, floors, factors):
                array[new] = array[rows]
            at = np.append(at, new)
            designs = here[new][:, :-1] * weights
            fitted = coefficients[rows, :-1], factors[rows, :-1, :-1]
            coefficients[new, :-1], coefficients[new, -1] = with_hidden(
                designs, fitted, noise[rows], here[new, -1] * weights, z, drawn.places[own]
            )
        factors[at] *= _misfitting(noise[at], points, evidence)[:, None, None]

    def growths(x: Array) -> Array:
        return np.broadcast_to(sizes(points, x, share, growth), (len(products), len(x)))

    growing = growths if growth else None
    hidden = len(products) - number
    return Plausible(log_weights, coefficients, noise, single, freedoms, floors, factors, columns, growing, hidden)


def _misfitting(noise: Array, points: Array, evidence: NoiseEvidence) -> Array:
    """Return the factors of standard errors for a misfit that neighbouring points have in common.

    Noise between points that repetitions do not show may come from a function that is not among the hypotheses. Such
    residuals are alike along lines, so that points of a grid say no more about them than each parameter's values do.
    """
    implied = evidence.implied[0]
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.where(noise > implied, 1 - (implied / noise) ** 2, 0.0)
    return np.asarray(np.sqrt(1 + share * _alike(points)))


def _alike(points: Array) -> float:
    """Return how many points, less one, say as much about a misfit as one of them."""
    return max(len(points) / sum(len(np.unique(each)) for each in points.T) - 1, 0.0)
