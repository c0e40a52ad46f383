"""The posterior of all combinations of shortlisted terms, fitted to all points at once.

The rule is that of one parameter (`splc.scaling.evidence`): least squares relative to the noise of each point, the
marginal likelihood over unknown noise and coefficients, and a prior. For one choice of terms, one per parameter, all
their products are reduced to a triangle by one QR decomposition, with the values as last column. Every combination is
then fitted within that triangle, which has as many rows as there are products, not points.

Noise differs from point to point. Residuals that are alike along lines are a misfit: the behaviour is not among the
hypotheses, or only near some points. The hypotheses are then fitted to the points near the largest values, from which
predictions start: the part of the variance that neighbours have in common grows with the distance from there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from splc.scaling.data import lines
from splc.scaling.evidence import NoiseEvidence, never_negative
from splc.scaling.least_squares import Fits, fitted_exactly, fitted_roughly
from splc.scaling.multi.terms import Bases, ParameterCombination, combinations, shortlists, sign_log_weights
from splc.scaling.single import NO_CONSTANT_SHARE
from splc.types import Array

# The number of choices of terms that are fitted for one quantity (of three or more parameters exchanges add others),
# and the least log plausibility relative to the best.
_CHOICES, _CHOICES_OF_MORE = 256, 96
_BEHIND = 9.0
_FORGOTTEN = float(np.log(1e-7))  # less plausible hypotheses, relative to the best one, are dropped
_MARGIN = 1.0  # the largest error of log weights from normal equations
_STEPS = 1e6  # log weights that differ by less than one over this are equal: rounding must not decide between them
TEMPORARY = 1_000_000  # numbers in a temporary array


@dataclass(frozen=True, eq=False)
class Hypotheses:
    """The plausible hypotheses of a batch of quantities, grouped by quantity."""

    model: Array  # the quantity, ascending, shape (hypotheses,)
    terms: Array  # the term of each parameter, as a position, shape (hypotheses, parameters)
    products: Array  # bit masks of parameters, 0 being the constant, -1 for none, shape (hypotheses, most coefficients)
    coefficients: Array  # shape (hypotheses, most coefficients); 0 for none
    squares: Array  # sums of squared weighted residuals
    sizes: Array  # number of coefficients
    log_weights: Array  # unnormalised log posterior
    log_priors: Array  # log prior of the combination, without that of the terms
    floored: Array  # whether noise was taken for partly absolute

    def __getitem__(self, rows: Array) -> Hypotheses:
        """Return some of them; `rows`: positions."""
        return Hypotheses(*(array.take(rows, axis=0) for array in vars(self).values()))

    @property
    def active(self) -> Array:
        """The parameters that each one has, as bit masks, shape (hypotheses,)."""
        return np.asarray(np.bitwise_or.reduce(np.maximum(self.products, 0), axis=1))

    @property
    def starts(self) -> Array:
        """The first hypothesis of each quantity, if they are ordered, shape (models,)."""
        return np.flatnonzero(np.diff(self.model, prepend=-1))

    @property
    def best(self) -> tuple[Array, Array]:
        """The squares and the number of coefficients of the most plausible hypothesis of each quantity, if ordered."""
        return self.squares[self.starts], self.sizes[self.starts]

    @classmethod
    def of_fits(
        cls, bases: Bases, model: Array, terms: Array, masks: Array, width: int, fits: Fits, norms: Array, priors: Array
    ) -> Hypotheses:
        """Return hypotheses with as many coefficients; `masks`: their products, (hypotheses, coefficients)."""
        number, size = masks.shape
        products, coefficients = np.full((number, width), -1, dtype=np.int8), np.zeros((number, width))
        products[:, :size], coefficients[:, :size] = masks, np.array(fits.coefficients).T / norms
        log_weights = fits.log_weights + (priors + term_priors(bases, terms, np.bitwise_or.reduce(masks, axis=1)))
        sizes, floored = np.full(number, size), np.zeros(number, dtype=bool)
        return cls(model, terms, products, coefficients, fits.squares, sizes, log_weights, priors, floored)

    def weighed_by_sign(self, bases: Bases, positive: Array) -> Hypotheses:
        """Return the hypotheses, with less weight where they are negative and their quantity is not (`positive`)."""
        factors = sign_log_weights(bases, self.terms, self.products, self.coefficients)
        return replace(self, log_weights=self.log_weights + np.where(positive[self.model], factors, 0.0))

    def plausible(self) -> Hypotheses:
        """Return the hypotheses that are nearly as plausible as the best of their quantity."""
        best = np.full(int(self.model.max(initial=-1)) + 1, -np.inf)
        np.maximum.at(best, self.model, self.log_weights)
        rows = np.flatnonzero(self.log_weights > best[self.model] + _FORGOTTEN)
        return self if len(rows) == len(self.model) else self[rows]

    @classmethod
    def none(cls, parameters: int, width: int) -> Hypotheses:
        """Return no hypotheses; `width`: their most coefficients."""
        integers, floats, flags = np.zeros(0, dtype=int), np.zeros(0), np.zeros(0, dtype=bool)
        terms, products = np.zeros((0, parameters), dtype=int), np.zeros((0, width), dtype=np.int8)
        return cls(integers, terms, products, np.zeros((0, width)), floats, integers, floats, floats, flags)

    @staticmethod
    def joined(parts: Sequence[Hypotheses], only_plausible: bool = False) -> Hypotheses:
        """Return all hypotheses, ordered by quantity and then by plausibility; of equal ones the simplest first."""
        arrays = zip(*(vars(part).values() for part in parts), strict=True)
        whole = Hypotheses(*(np.concatenate(arrays_of) for arrays_of in arrays))
        whole = whole.plausible() if only_plausible else whole
        steps = np.rint(whole.log_weights * _STEPS)
        return whole[np.lexsort((whole.sizes, -steps, whole.model))]


@dataclass(frozen=True, eq=False)
class Choices:
    """Choices of one term per parameter, for many quantities."""

    model: Array  # shape (choices,)
    terms: Array  # positions, shape (choices, parameters)
    ranks: Array  # places in the shortlists, shape (choices, parameters)


def choices(scores: list[Array]) -> Choices:
    """Return the plausible choices by the scores of each parameter's terms."""
    places, plausibility = shortlists(scores)
    models, parameters, most = places.shape
    ranks = np.indices((most,) * parameters).reshape(parameters, -1).T
    total = np.zeros((models, len(ranks)))
    for parameter in range(parameters):
        plausible = plausibility[:, parameter]
        # A parameter without terms has nothing to choose from and keeps the first place.
        only_first = np.where(np.arange(most) == 0, 0.0, -np.inf)
        total += np.where(np.isfinite(plausible[:, :1]), plausible, only_first)[:, ranks[:, parameter]]
    number = _CHOICES if parameters <= 2 else _CHOICES_OF_MORE
    if total.shape[1] > number:
        excluded = np.argsort(-total, axis=1, kind="stable")[:, number:]
        np.put_along_axis(total, excluded, -np.inf, axis=1)
    model, combination = np.nonzero(total > -_BEHIND)
    chosen_ranks = ranks[combination]
    terms = places[model[:, None], np.arange(parameters), chosen_ranks]
    return Choices(model, terms, chosen_ranks)


def hypotheses(bases: Bases, chosen: Choices, z: Array, noise: NoiseEvidence, only_full: bool = False) -> Hypotheses:
    """Fit all combinations of the chosen terms to weighted values, shape (models, n)."""
    parameters, n = len(bases), z.shape[1]
    all_groups = parameter_sets(parameters, n)
    width = max(group.masks.shape[1] for group in all_groups)
    groups = [group for group in all_groups if not only_full or group.active == 2**parameters - 1]
    step = max(TEMPORARY // max(n * (2**parameters + 1), *(len(group.masks) for group in groups)), 1)
    positive = never_negative(z)
    parts: list[Hypotheses] = []
    for start in range(0, len(chosen.model), step):
        part = Choices(*(array[start : start + step] for array in (chosen.model, chosen.terms, chosen.ranks)))
        triangle, norms = _reduced(bases, part, z, noise.weights)
        # One row per row of the triangles, whose numbers are then gathered in the order of `fitted_exactly`.
        flat = np.ascontiguousarray(triangle.transpose(1, 2, 0)).reshape(triangle.shape[1], -1)
        for masks, rows, priors in _perhaps_plausible(bases, part, triangle, groups, noise, positive):
            places = (*masks.T, triangle.shape[2] - 1)
            *columns, values = (flat.take(at * len(triangle) + rows, axis=1) for at in places)
            model, terms, norms_of = part.model[rows], part.terms[rows], norms[rows[:, None], masks]
            fits = fitted_exactly(columns, values, noise, model)
            fitted = Hypotheses.of_fits(bases, model, terms, masks, width, fits, norms_of, priors)
            parts.append(fitted.weighed_by_sign(bases, positive).plausible())
    return Hypotheses.joined(parts) if parts else Hypotheses.none(parameters, width)


def _perhaps_plausible(
    bases: Bases, part: Choices, triangle: Array, groups: Sequence[_Group], noise: NoiseEvidence, positive: Array
) -> Iterator[tuple[Array, ...]]:
    """Yield combinations, choices and log priors of hypotheses that may be plausible, by their numbers of coefficients.

    All are fitted by normal equations, whose rounding may leave them unsure.
    """
    products = np.ascontiguousarray(np.moveaxis(np.swapaxes(triangle, 1, 2) @ triangle, 0, 2))
    rough_fits = []
    best = np.full(int(part.model.max()) + 1, -np.inf)
    for group in groups:
        is_inactive = np.array([not group.active >> parameter & 1 for parameter in range(len(bases))])
        # Choices that differ only in parameters that are not active are the same hypothesis.
        complete = all(basis.terms or inactive for basis, inactive in zip(bases, is_inactive.tolist(), strict=True))
        rows = np.flatnonzero((part.ranks[:, is_inactive] == 0).all(axis=1) & complete)
        selected = products if len(rows) == len(part.model) else products[:, :, rows]
        fits = fitted_roughly(selected, group.masks, noise, part.model[rows])
        weights = fits.log_weights + group.log_priors[:, None] + term_priors(bases, part.terms[rows], group.active)
        # Hypotheses with negative coefficients may turn out to be negative.
        unsure = fits.unsure | fits.negative & positive[part.model[rows]]
        if len(rows):
            np.maximum.at(best, part.model[rows], np.where(unsure, -np.inf, weights).max(axis=0))
        rough_fits.append((rows, weights, fits.unsure))
    by_size: dict[int, list[tuple[Array, Array, Array]]] = {}
    for group, (rows, weights, unsure) in zip(groups, rough_fits, strict=True):
        combination, choice = np.nonzero((weights > best[part.model[rows]] + _FORGOTTEN - _MARGIN) | unsure)
        kept = group.masks[combination], rows[choice], group.log_priors[combination]
        by_size.setdefault(group.masks.shape[1], []).append(kept)
    for parts in by_size.values():
        if any(len(masks) for masks, _, _ in parts):
            yield tuple(map(np.concatenate, zip(*parts, strict=True)))


def term_priors(bases: Bases, terms: Array, active: Array | int) -> Array:
    """Return the log prior of the terms (choices, parameters) of the active parameters, given as bit masks."""
    log_priors = np.zeros(len(terms))
    for parameter, basis in enumerate(bases):
        if basis.terms:
            log_priors += np.where(np.asarray(active) >> parameter & 1, basis.log_prior[terms[:, parameter]], 0.0)
    return log_priors


class _Group(NamedTuple):
    """Combinations with the same active parameters (a bit mask) and the same number of coefficients."""

    active: int
    masks: Array
    log_priors: Array


@lru_cache(maxsize=64)
def parameter_sets(parameters: int, n: int) -> tuple[_Group, ...]:
    """Return the combinations of parameters that n points suffice for, with and without a constant."""
    members_of: dict[tuple[int, int, bool], list[ParameterCombination]] = {}
    for combination in combinations(parameters):
        for constant in (True, False):
            # With as many coefficients as points every hypothesis fits.
            if 0 < len(combination.products) + constant < max(n, 2):
                members_of.setdefault((combination.active, len(combination.products), constant), []).append(combination)
    groups = []
    for (active, products, constant), members in members_of.items():
        # The constant model has no other form.
        form = (1 - NO_CONSTANT_SHARE if constant else NO_CONSTANT_SHARE) if products else 1.0
        masks = np.array([((0,) if constant else ()) + combination.products for combination in members])
        log_priors = np.log(form) + np.array([combination.log_prior for combination in members])
        groups.append(_Group(active, masks, log_priors))
    return tuple(groups)


def _reduced(bases: Bases, part: Choices, z: Array, weights: Array) -> tuple[Array, Array]:
    """Return the triangles of all products and the values, (choices, ≤ columns, columns), and the products' norms.

    The columns of products have length 1; column k is the product with the bit mask k.
    """
    parameters = len(bases)
    rows, n = len(part.model), z.shape[1]
    design = np.empty((rows, 2**parameters + 1, n))
    design[:, 0] = weights[part.model]
    for parameter, basis in enumerate(bases):
        factor = basis.columns[part.terms[:, parameter]]
        bit = 1 << parameter
        np.multiply(design[:, :bit], factor[:, None], out=design[:, bit : 2 * bit])
    norms = np.sqrt((design[:, :-1] ** 2).sum(axis=2))
    norms = np.where(norms > 0, norms, 1.0)
    design[:, :-1] /= norms[:, :, None]
    design[:, -1] = z[part.model]
    return np.asarray(np.linalg.qr(np.swapaxes(design, 1, 2), mode="r")), norms


_SURE = 1.0  # the correlation of neighbouring residuals, less so many standard errors, is the share in common
# The size of the misfit where all parameters have their smallest values, relative to that at the largest ones, as a
# natural logarithm: for the fit, and the candidates for intervals.
_GROWTH = 6.0
_GROWTHS = np.linspace(0, _GROWTH, 25)
_ROUNDING = 1e-8  # smaller residuals are those of rounding: they are alike, and no misfit
_CLIPPED = 3.0  # residuals of outliers count as this number of robust standard deviations


def shared(points: Array, residuals: Array) -> Array:
    """Return the share of the variance of weighted residuals that neighbouring points have in common."""
    along = [rows for parameter in range(points.shape[1]) for rows in lines(points, parameter)]
    if not along:
        return np.zeros(len(residuals))
    first, second = (np.concatenate(ends) for ends in zip(*((row[:-1], row[1:]) for row in along), strict=True))
    limit = 1.4826 * _CLIPPED * np.median(np.abs(residuals), axis=1, keepdims=True)
    clipped = np.clip(residuals, -limit, limit)
    variance = (clipped**2).mean(axis=1)
    common = (clipped[:, first] * clipped[:, second]).mean(axis=1)
    correlation = np.divide(common, variance, out=np.zeros(len(common)), where=variance > _ROUNDING**2)
    return np.asarray(np.clip(correlation - _SURE / np.sqrt(len(first)), 0.0, 1.0))


def sizes(points: Array, x: Array, share: Array, growth: float = _GROWTH) -> Array:
    """Return the size of noise with misfit at points x relative to that at the largest values, (models, points)."""
    with np.errstate(divide="ignore"):
        lowest = np.where(points > 0, points, np.inf).min(axis=0)
        logs = np.log(np.maximum(np.vstack([points, x]), lowest))
    known = logs[: len(points)]
    ranges = np.ptp(known, axis=0)
    distances = np.abs(known.max(axis=0) - logs[len(points) :]) / np.where(ranges > 0, ranges, 1.0)
    return np.asarray(np.sqrt(1 + share[:, None] * np.expm1(2 * growth * distances.mean(axis=1))))


def growth_shown(points: Array, share: float, residuals: Array, noise: float) -> float:
    """Return the growth of the misfit with the distance from the largest values that residuals show."""
    shown = [
        float(((residuals / sizes(points, points, np.array([share]), growth)[0]) ** 2).mean())
        for growth in _GROWTHS.tolist()
    ]
    return float(_GROWTHS[min(int((np.array(shown) > noise**2).sum()), len(_GROWTHS) - 1)])


def larger(noise: NoiseEvidence, size: Array) -> NoiseEvidence:
    """Return noise that is larger at some points, by the factors `size`, shape (models, n)."""
    return replace(noise, weights=noise.weights / size, density=noise.density - np.log(size).sum(axis=1))
