"""The plausible hypotheses of quantities over several parameters, kept in compact form, and their fits.

Cheap points hide products. Beside a constant, a product of all parameters may be smaller than the noise along every
line, and larger than everything else at the target. The search has no evidence for such hypotheses, nor against
them. They are drawn from the prior here: a hypothesis with one more product, whose coefficient is the largest that the
points allow, or smaller by up to some decades.
"""

from __future__ import annotations

import numpy as np

from splc.scaling.data import Condensed
from splc.scaling.evidence import FLOORED, RELATIVE, NoiseEvidence, noise_of
from splc.scaling.least_squares import triangular
from splc.scaling.multi.posterior import Hypotheses, growth_shown, larger, sizes, term_priors
from splc.scaling.multi.terms import DENSE, Bases, parameter_terms, product_columns
from splc.scaling.selection import MIN_SHARE, MOST, CombinationShortlist, Plausible
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


def tempered(bases: Bases, hypotheses: Hypotheses, points: Array, misfit: Array) -> Array:
    """Return the log weights of hypotheses in certainties; `misfit`: its share in the variance of each quantity."""
    power = (_TEMPER.get(len(bases), _MIN_TEMPER) / (1 + misfit * _alike(points)))[hypotheses.model]
    if len(bases) > 2:
        return np.asarray(power * hypotheses.log_weights)
    prior = hypotheses.log_priors + term_priors(bases, hypotheses.terms, hypotheses.active)
    return np.asarray(power * hypotheses.log_weights + (1 - power) * prior)


def combination_shortlists(
    bases: Bases, hypotheses: Hypotheses, log_weights: Array, values: Array, misfit: Array
) -> tuple[CombinationShortlist, ...]:
    """Return the plausible hypotheses of each quantity by the weights of `tempered`; `values`: far predictions."""
    parameters = len(bases)
    number = (hypotheses.active[:, None] >> np.arange(parameters) & 1).sum(axis=1)
    more = np.log(_HIDDEN) if parameters > 2 else 0.0
    log_weights = log_weights + more * number
    starts = hypotheses.starts
    log_weights -= np.maximum.reduceat(log_weights, starts)[hypotheses.model]
    terms, products = hypotheses.terms.astype(np.int16), hypotheses.products.astype(np.int8)
    lists = []
    for start, end, share in zip(starts, [*starts[1:], len(hypotheses.model)], misfit.tolist(), strict=True):
        rows = start + np.flatnonzero(log_weights[start:end] > MIN_SHARE)
        weights = log_weights[rows]
        if len(rows) > MOST:
            # Drawn systematically by weight, in the order of values.
            order = np.argsort(values[rows], kind="stable")
            shares = np.cumsum(np.exp(weights[order]))
            places = np.searchsorted(shares, (np.arange(MOST) + 0.5) / MOST * shares[-1])
            drawn, counts = np.unique(order[np.minimum(places, len(order) - 1)], return_counts=True)
            rows, weights = rows[drawn], np.log(counts)
        size = int(hypotheses.sizes[rows].max())
        floored, weights = hypotheses.floored[rows], weights.astype(np.float32)
        lists.append(CombinationShortlist(terms[rows], products[rows, :size], floored, weights, share))
    return tuple(lists)


def fits(points: Array, measured: Condensed, shortlist: CombinationShortlist) -> Plausible:
    """Fit the hypotheses of the shortlist of a quantity, whose values have the shape (1, n)."""
    bases, products = parameter_terms(points), shortlist.products.astype(int)
    log_weights, terms = shortlist.log_weights.astype(float), shortlist.terms
    drawn = hidden_products(bases, terms, products, log_weights, len(points))
    number = len(products)
    if drawn is not None:
        # Hypotheses with hidden products follow, whose last column these are.
        beside, hidden_terms, masks, draws, probability = drawn
        terms = np.concatenate([terms, hidden_terms])
        no_product = np.full((number, 1), -1)
        extended = np.column_stack([products[beside], masks])
        products = np.concatenate([np.column_stack([products, no_product]), extended])
        hidden_weight = np.logaddexp.reduce(log_weights) + np.log(probability / len(beside))
        log_weights = np.append(log_weights + np.log(1 - probability), np.full(len(beside), hidden_weight))
    columns = product_columns(bases, terms, products)
    values = columns(points)
    values[products < 0] = 0.0
    used = (shortlist.products >= 0).sum(axis=1)
    share = np.array([shortlist.misfit])
    size_here = sizes(points, points, share)[0]
    # Points with little weight carry little information on the noise at the largest values.
    effective = round(float((size_here**-2).sum()))
    size = products.shape[1]
    noise, single, freedoms, floors = (np.zeros(len(products)) for _ in range(4))
    coefficients, factors = np.zeros((len(products), size)), np.zeros((len(products), size, size))
    growth = 0.0
    for floored in np.unique(shortlist.floored).tolist():
        part = np.flatnonzero(shortlist.floored == floored)
        evidence = noise_of(measured, FLOORED if floored else RELATIVE)
        weights = larger(evidence, size_here[None]).weights[0]
        z = measured.values[0] * weights
        squares, coefficients[part], factors[part] = triangular(
            values[part] * weights, np.repeat(z[None], len(part), axis=0)
        )
        _, freedoms[part], variances = evidence.moments(squares, np.maximum(effective - used[part], 0))
        noise[part] = np.sqrt(variances)
        single[part] = evidence.single[0]
        floors[part] = float(np.abs(measured.values).max()) if floored else 0.0
        best = part[np.argmax(shortlist.log_weights[part])]
        residuals = (measured.values[0] - coefficients[best] @ values[best]) * evidence.weights[0]
        if shortlist.misfit:
            growth = max(growth, growth_shown(points, shortlist.misfit, residuals, float(noise[best])))
        if drawn is not None:
            drawn_rows = np.flatnonzero(np.isin(beside, part))
            rows, new = beside[drawn_rows], number + drawn_rows
            for array in (noise, single, freedoms, floors, factors):
                array[new] = array[rows]
            part = np.append(part, new)
            designs = values[new][:, :-1] * weights
            fitted = coefficients[rows, :-1], factors[rows, :-1, :-1]
            coefficients[new, :-1], coefficients[new, -1] = with_hidden(
                designs, fitted, noise[rows], values[new, -1] * weights, z, draws[drawn_rows]
            )
        factors[part] *= _misfitting(noise[part], points, evidence)[:, None, None]

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
    return max(len(points) / sum(len(np.unique(column)) for column in points.T) - 1, 0.0)


# The probability that a product of some parameters is hidden, the number of hypotheses that have one, and the decades
# that their coefficients cover.
_PROBABILITY = 0.06
_NUMBER = 200
_DECADES = 2.0
_ERRORS = 1.64  # the largest coefficient that the points allow is this number of standard errors away


def hidden_products(
    bases: Bases, terms: Array, products: Array, log_weights: Array, points: int
) -> tuple[Array, Array, Array, Array, float] | None:
    """Draw products beside those of hypotheses, by the weights of these; None if the points hide none.

    Returns the hypothesis that each one is beside, the term of each parameter, (draws, parameters), the product (a bit
    mask of parameters), a number between 0 and 1 that decides the coefficient, and the probability that there is one.
    """
    parameters = len(bases)
    if parameters < 3 or points >= DENSE * parameters or not all(basis.terms for basis in bases):
        return None
    weights = np.exp(log_weights - log_weights.max())
    weights /= weights.sum()
    rows = np.searchsorted(np.cumsum(weights), (np.arange(_NUMBER) + 0.5) / _NUMBER)
    rows = np.minimum(rows, len(weights) - 1)
    # Points that fill the unit cube evenly: multiples of an irrational vector (the generalised golden ratio).
    root = 2.0
    for _ in range(30):
        root = (1 + root) ** (1 / (parameters + 3))
    uniform = (0.5 + np.arange(1, _NUMBER + 1)[:, None] * root ** -np.arange(1.0, parameters + 3)) % 1
    active = np.bitwise_or.reduce(np.maximum(products, 0), axis=1)[rows]
    chosen = terms[rows].astype(int)
    for parameter, basis in enumerate(bases):
        prior = np.where(basis.falling, 0.0, np.exp(basis.log_prior))
        drawn = np.searchsorted(np.cumsum(prior / prior.sum()), uniform[:, parameter])
        chosen[:, parameter] = np.where(
            active >> parameter & 1, chosen[:, parameter], np.minimum(drawn, len(prior) - 1)
        )
    several = np.array([mask for mask in range(2**parameters) if mask & (mask - 1)])
    number = np.array([bin(mask).count("1") for mask in several])
    # Each number of factors is as plausible.
    share = 1 / np.bincount(number)[number]
    masks = several[np.searchsorted(np.cumsum(share / share.sum()), uniform[:, parameters])]
    new = ~(products[rows] == masks[:, None]).any(axis=1)
    return rows[new], chosen[new], masks[new], uniform[new, parameters + 1], 1 - (1 - _PROBABILITY) ** len(several)


def with_hidden(
    designs: Array, fits: tuple[Array, Array], errors: Array, hidden: Array, values: Array, draws: Array
) -> tuple[Array, Array]:
    """Return coefficients of hypotheses and of the hidden products beside them, 0 for those that points exclude.

    Designs, the products `hidden` and values are weighted; `fits`: coefficients, and factors as those of
    `splc.scaling.selection.Plausible`; `errors`: the noise; `draws`: numbers between 0 and 1.
    """
    known, factors = fits
    covariances = np.swapaxes(factors, 1, 2) @ factors
    shares = np.einsum("dkl,dln,dn->dk", covariances, designs, hidden)
    residuals = hidden - np.einsum("dk,dkn->dn", shares, designs)
    length = (residuals**2).sum(axis=1)
    length = np.where(length > 1e-9 * (hidden**2).sum(axis=1), length, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        largest = np.where(length > 0, (residuals @ values) / length + _ERRORS * errors / np.sqrt(length), np.inf)
        # The others stay positive.
        limits = known + _ERRORS * errors[:, None] * np.sqrt(np.diagonal(covariances, axis1=1, axis2=2))
        bounds = np.where((shares > 0) & (known >= 0), limits / shares, np.inf)
    largest = np.minimum(largest, bounds.min(axis=1))
    size = np.where(np.isfinite(largest) & (largest > 0), largest, 0.0) * 10 ** (-_DECADES * draws)
    return known - size[:, None] * shares, size
