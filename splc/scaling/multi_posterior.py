"""How plausible every combination of shortlisted terms is: fitted to all points at once.

The rule is that of one parameter (`splc.scaling.evidence`): least squares relative to the noise of each point, the
marginal likelihood over unknown noise and coefficients, and what is plausible beforehand. For one choice of terms, a
per parameter, all products of them are reduced to a triangle by one QR decomposition, with the values as last column;
every combination is then fitted within that triangle, whose columns are as long as there are products and not points.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from splc.scaling.combinations import Combination, combinations
from splc.scaling.evidence import NEGATIVE_CONSTANT, NEGATIVE_TERM, judged, log_coefficient
from splc.scaling.hypotheses import NO_CONSTANT_SHARE
from splc.scaling.multi_terms import ParameterTerms, Shortlists

Array = np.ndarray[Any, np.dtype[Any]]

# A column of which less than this is left beside the others says nothing of its own.
_COLLINEAR = 1e-7
# Choices of terms that are fitted for one quantity, and how much less plausible than the best they may be, as a log.
_CHOICES = 216
_BEHIND = 9.0
# Hypotheses so much less plausible than the best one are forgotten.
_FORGOTTEN = float(np.log(1e-5))
# Numbers in a temporary array.
_TEMPORARY = 400_000


@dataclass(frozen=True, eq=False)
class Hypotheses:
    """The plausible hypotheses of a batch of quantities, those of one quantity beside each other.

    Attributes:
        model: the quantity, ascending, shape (hypotheses,).
        terms: the term of each parameter, as a position, shape (hypotheses, parameters).
        products: bit masks of parameters, 0 being the constant, -1 for none, shape (hypotheses, most coefficients).
        coefficients: shape (hypotheses, most coefficients); 0 for none.
        squares: sums of squared relative residuals, those of repetitions among them.
        sizes: number of coefficients.
        log_weights: unnormalised log posterior.
        floored: whether noise was taken for partly absolute.
    """

    model: Array
    terms: Array
    products: Array
    coefficients: Array
    squares: Array
    sizes: Array
    log_weights: Array
    floored: Array

    def __getitem__(self, rows: Array) -> Hypotheses:
        """Return some of them."""
        return Hypotheses(*(array[rows] for array in self._arrays()))

    def _arrays(self) -> tuple[Array, ...]:
        return (
            self.model,
            self.terms,
            self.products,
            self.coefficients,
            self.squares,
            self.sizes,
            self.log_weights,
            self.floored,
        )

    def plausible(self) -> Hypotheses:
        """Return those that are not far behind the best of their quantity."""
        best = np.full(int(self.model.max()) + 1, -np.inf)
        np.maximum.at(best, self.model, self.log_weights)
        return self[np.flatnonzero(self.log_weights > best[self.model] + _FORGOTTEN)]

    @staticmethod
    def joined(parts: list[Hypotheses]) -> Hypotheses:
        """Return all hypotheses, ordered by quantity and then by plausibility; of equal ones the simplest first."""
        whole = Hypotheses(*(np.concatenate(each) for each in zip(*(part._arrays() for part in parts), strict=True)))
        # Rounding must not decide between hypotheses that fit the same.
        rounded = np.round(whole.log_weights, 6)
        return whole[np.lexsort((whole.sizes, -rounded, whole.model))]


@dataclass(frozen=True, eq=False)
class Choices:
    """Choices of one term per parameter, for many quantities.

    Attributes:
        model: shape (choices,).
        terms: positions, shape (choices, parameters).
        ranks: places in the shortlists, shape (choices, parameters).
    """

    model: Array
    terms: Array
    ranks: Array


def choices(short: Shortlists) -> Choices:
    """Return the plausible choices out of shortlists."""
    models, parameters, most = short.places.shape
    ranks = np.indices((most,) * parameters).reshape(parameters, -1).T
    total = np.zeros((models, len(ranks)))
    for at in range(parameters):
        scores = short.scores[:, at]
        # A parameter without any term has none to choose from: the first place stands for it.
        total += np.where(np.isfinite(scores[:, :1]), scores, np.where(np.arange(most) == 0, 0.0, -np.inf))[
            :, ranks[:, at]
        ]
    if total.shape[1] > _CHOICES:
        out = np.argsort(-total, axis=1, kind="stable")[:, _CHOICES:]
        np.put_along_axis(total, out, -np.inf, axis=1)
    model, which = np.nonzero(total > -_BEHIND)
    found = ranks[which]
    terms = short.places[model[:, None], np.arange(parameters), found]
    return Choices(model, terms, found)


def hypotheses(
    among: tuple[ParameterTerms, ...],
    chosen: Choices,
    z: Array,
    weights: Array,
    squares: Array,
    total: int,
    only_full: bool = False,
) -> Hypotheses:
    """Fit all combinations of the chosen terms.

    Args:
        among: the terms of each parameter.
        chosen: which are combined.
        z: weighted values, shape (models, n).
        weights: shape (models, n).
        squares: squares of repetitions around their points, relative to noise, shape (models,).
        total: number of measurements of each quantity.
        only_full: whether combinations without some parameter are left out.
    """
    parameters = len(among)
    n = z.shape[1]
    groups = _groups(parameters, n)
    widest = max(n, *(len(group) for group in groups))
    step = max(_TEMPORARY // (widest * min(n, 2**parameters + 1)), 1)
    parts = []
    for start in range(0, len(chosen.model), step):
        part = Choices(*(each[start : start + step] for each in (chosen.model, chosen.terms, chosen.ranks)))
        triangle, norms = _reduced(among, part, z, weights)
        for group in groups:
            active = group[0].active
            if only_full and active != 2**parameters - 1:
                continue
            away = np.array([not active >> at & 1 for at in range(parameters)])
            # What differs in parameters that are not active is the same hypothesis: one of them is enough.
            rows = np.flatnonzero((part.ranks[:, away] == 0).all(axis=1) & _defined(among, part.terms, ~away))
            if len(rows) == 0:
                continue
            for constant in (True, False):
                size = len(group[0].products) + constant
                if 0 < size < max(n, 2):
                    fitted = _fitted(triangle[rows], norms[rows], group, constant, squares[part.model[rows]], total)
                    parts.append(_hypotheses(part, rows, group, constant, parameters, *fitted))
    return Hypotheses.joined([each.plausible() for each in parts])


def _defined(among: tuple[ParameterTerms, ...], terms: Array, active: Array) -> Array:
    """Return for which choices the active parameters have a term at all."""
    there = np.array([len(each.terms) > 0 for each in among])
    return np.full(len(terms), bool((there | ~active).all()))


def _groups(parameters: int, n: int) -> list[list[Combination]]:
    """Return combinations with the same active parameters and the same number of products."""
    found: dict[tuple[int, int], list[Combination]] = {}
    for each in combinations(parameters):
        if len(each.products) <= n:
            found.setdefault((each.active, len(each.products)), []).append(each)
    return list(found.values())


def _reduced(among: tuple[ParameterTerms, ...], part: Choices, z: Array, weights: Array) -> tuple[Array, Array]:
    """Return the triangles of all products and the values, (choices, ≤ columns, columns), and the products' norms.

    The columns of products have length 1; column k is the product with the bit mask k.
    """
    parameters = len(among)
    rows, n = len(part.model), z.shape[1]
    design = np.empty((rows, 2**parameters + 1, n))
    design[:, 0] = weights[part.model]
    for at, each in enumerate(among):
        own = each.columns[part.terms[:, at]] if each.terms else np.zeros((rows, n))
        bit = 1 << at
        np.multiply(design[:, :bit], own[:, None], out=design[:, bit : 2 * bit])
    norms = np.sqrt((design[:, :-1] ** 2).sum(axis=2))
    norms = np.where(norms > 0, norms, 1.0)
    design[:, :-1] /= norms[:, :, None]
    design[:, -1] = z[part.model]
    return np.asarray(np.linalg.qr(np.swapaxes(design, 1, 2), mode="r")), norms


def _fitted(
    triangle: Array, norms: Array, group: list[Combination], constant: bool, squares: Array, total: int
) -> tuple[Array, Array, Array]:
    """Fit a group of combinations for each choice of terms, by modified Gram-Schmidt within the triangles.

    Returns:
        log weights (choices, combinations), sums of squares, and coefficients (choices, combinations, size).
    """
    masks = np.array([((0,) if constant else ()) + each.products for each in group])
    size = masks.shape[1]
    # The rows of the triangle come first, since numpy adds up over a first axis the fastest.
    columns = np.ascontiguousarray(np.moveaxis(triangle, 0, 2))
    rest = columns[:, -1:]
    basis: list[Array] = []
    upper: dict[tuple[int, int], Array] = {}
    steps = []
    for j in range(size):
        column = columns[:, masks[:, j]]
        for i in range(j):
            upper[i, j] = (basis[i] * column).sum(axis=0)
            column = column - basis[i] * upper[i, j]
        upper[j, j] = np.sqrt((column**2).sum(axis=0))
        with np.errstate(divide="ignore", invalid="ignore"):
            column = column * np.where(upper[j, j] > _COLLINEAR, 1 / upper[j, j], 0.0)
        basis.append(column)
        steps.append((column * rest).sum(axis=0))
        rest = rest - column * steps[j]
    found = (rest**2).sum(axis=0) + squares
    evidence, noise = judged(found, total - size)
    prior = np.array([[each.log_prior] for each in group]) + np.log(
        NO_CONSTANT_SHARE if not constant else 1 - NO_CONSTANT_SHARE
    )
    if not group[0].products:
        # The constant model has no other form.
        prior = np.zeros(1) + group[0].log_prior
    log_weights = evidence + prior
    coefficients = np.empty((*found.shape, size))
    with np.errstate(divide="ignore", invalid="ignore"):
        inverse: dict[tuple[int, int], Array] = {}
        for j in range(size):
            inverse[j, j] = 1 / upper[j, j]
            for i in range(j):
                inverse[i, j] = -sum(inverse[i, k] * upper[k, j] for k in range(i, j)) * inverse[j, j]
        for i in range(size):
            value = sum(inverse[i, j] * steps[j] for j in range(i, size))
            unit = np.sqrt(sum(inverse[i, j] ** 2 for j in range(i, size)))
            negative = NEGATIVE_CONSTANT if constant and i == 0 else NEGATIVE_TERM
            log_weights = log_weights + log_coefficient(value, unit, noise, negative) - np.log(unit * upper[i, i])
            coefficients[:, :, i] = value / norms.T[masks[:, i]]
    least = np.min([upper[j, j] for j in range(size)], axis=0)
    fine = (least > _COLLINEAR) & np.isfinite(log_weights)
    log_weights, coefficients = np.where(fine, log_weights, -np.inf), np.where(fine[:, :, None], coefficients, 0.0)
    return log_weights.T, found.T, np.swapaxes(coefficients, 0, 1)


def _hypotheses(
    part: Choices,
    rows: Array,
    group: list[Combination],
    constant: bool,
    parameters: int,
    log_weights: Array,
    squares: Array,
    coefficients: Array,
) -> Hypotheses:
    """Return the fitted combinations of a group as hypotheses."""
    size = coefficients.shape[2]
    width = max(len(each.products) for each in combinations(parameters)) + 1
    number = len(rows) * len(group)
    masks = np.full((len(group), width), -1)
    masks[:, :size] = [((0,) if constant else ()) + each.products for each in group]
    values = np.zeros((number, width))
    values[:, :size] = coefficients.reshape(number, size)
    return Hypotheses(
        np.repeat(part.model[rows], len(group)),
        np.repeat(part.terms[rows], len(group), axis=0),
        np.tile(masks, (len(rows), 1)),
        values,
        squares.ravel(),
        np.full(number, size),
        log_weights.ravel(),
        np.zeros(number, dtype=bool),
    )
