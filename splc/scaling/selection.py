"""The hypotheses that a search chose for a batch of quantities, and the plausible ones, in compact form and fitted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from splc.scaling.exponents import Exponents, Product, product_columns
from splc.types import Array

FAR = 4.0  # Reisert et al., Following the Blind Seer, section 4.1: terms are compared at four times the largest x
_LARGEST = float(np.finfo(float).max)  # hypotheses without a value are further away than all others
MAX_NUMBERS = 500_000  # numbers in an intermediate result of a batch: some megabytes


def batch_size(points: int, hypotheses: int) -> int:
    """Return how many quantities to fit at once."""
    return max(1, MAX_NUMBERS // max(points * hypotheses, 1))


def nearest_to_median(values: Array, weights: Array, likely: Array, model: Array, starts: Array) -> Array:
    """Return for each quantity the first likely hypothesis whose value is nearest to the median of all, as a position.

    All arrays are about hypotheses, which are grouped by quantity (`model`), from `starts` on; weights are 0 where
    values are undefined.
    """
    order = np.lexsort((values, model))
    ordered = weights[order]
    total = np.cumsum(ordered)
    before = total[starts] - ordered[starts]
    middle = np.searchsorted(total, before + 0.5 * np.add.reduceat(weights, starts))
    median = values[order[np.minimum(middle, np.append(starts[1:], len(values)) - 1)]]
    with np.errstate(invalid="ignore"):
        distance = np.fmin(np.abs(values - median[model]), _LARGEST)
    return np.asarray(np.lexsort((np.where(likely, distance, np.inf), model))[starts])


@dataclass(frozen=True, eq=False)
class Selection:
    """One hypothesis per quantity: a constant and some terms."""

    terms: tuple[Product, ...]  # the terms that occur, each with the exponents of every parameter
    places: Array  # the terms of each quantity's model as positions in `terms`, -1 for none, shape (most terms, models)
    coefficients: Array  # those of the constant and of the terms, 0 for none, shape (1 + most terms, models)
    certainty: Array  # the posterior probability of the lead term, shape (models,); NaN where the method has none
    floored: Array  # whether noise was taken for partly absolute, shape (models,)
    shortlists: tuple[AnyShortlist | None, ...] | None = None  # plausible hypotheses of each quantity, if kept

    @classmethod
    def of_exponents(cls, terms: Sequence[Exponents], places: Array, coefficients: Array) -> Selection:
        """Return the hypotheses of a method for one parameter that weighs none of them."""
        models, products = coefficients.shape[1], tuple((term,) for term in terms)
        return cls(products, places, coefficients, np.full(models, np.nan), np.zeros(models, dtype=bool))

    @classmethod
    def of_models(
        cls,
        models: Sequence[tuple[float, Sequence[tuple[Product, float]]]],
        certainty: Array,
        floored: Array,
        shortlists: tuple[AnyShortlist | None, ...] | None = None,
    ) -> Selection:
        """Return the hypotheses of quantities, each a constant, and products with their coefficients."""
        terms: dict[Product, int] = {}
        width = max(1, *(len(products) for _, products in models))
        places, coefficients = np.full((width, len(models)), -1), np.zeros((1 + width, len(models)))
        for row, (constant, products) in enumerate(models):
            coefficients[0, row] = constant
            for at, (product, coefficient) in enumerate(products):
                places[at, row], coefficients[1 + at, row] = terms.setdefault(product, len(terms)), coefficient
        return cls(tuple(terms), places, coefficients, certainty, floored, shortlists)

    def __getitem__(self, rows: Array) -> Selection:
        """Return the hypotheses of some quantities."""
        places, coefficients = self.places[:, rows], self.coefficients[:, rows]
        shortlists = None if self.shortlists is None else tuple(self.shortlists[row] for row in rows.tolist())
        return Selection(self.terms, places, coefficients, self.certainty[rows], self.floored[rows], shortlists)

    def has_misfit(self, row: int) -> bool:
        """Return whether no hypothesis is exact for a quantity over several parameters."""
        shortlist = None if self.shortlists is None else self.shortlists[row]
        return isinstance(shortlist, CombinationShortlist) and shortlist.misfit > 0

    def compact(self) -> Selection:
        """Return the selection with only those terms that some quantity has."""
        used = np.unique(self.places)
        used = used[used >= 0]
        places = np.append(np.full(len(self.terms), -1), -1)
        places[used] = np.arange(len(used))
        return replace(self, terms=tuple(self.terms[at] for at in used), places=places[self.places])

    def values(self, points: Array) -> Array:
        """Return the predictions at points (n, parameters), shape (models, n)."""
        return self.sums(product_columns(self.terms, points))

    def sums(self, columns: Array) -> Array:
        """Return the predictions from the columns of the terms, shape (terms, n)."""
        points = columns.shape[1]
        known = np.concatenate([columns, np.zeros((1, points))])
        total = self.coefficients[0][:, None]
        for coefficient, place in zip(self.coefficients[1:], self.places, strict=True):
            total = total + coefficient[:, None] * known[place]
        return total if len(self.places) else np.asarray(np.broadcast_to(total, (self.places.shape[1], points)))

    def having(self, terms: Array) -> Array:
        """Return which models have one of some terms, (models, …), given as a mask, (terms, …)."""
        known = np.concatenate([terms, np.zeros((1, *terms.shape[1:]), dtype=bool)])
        return np.asarray(known[self.places].any(axis=0))

    def rounded(self, columns: Array, units: Array) -> tuple[Selection, Array]:
        """Return coefficients of 12 digits where that changes values by no more than rounding, and predictions.

        `columns`: those of the terms at the measured points. `units`: the factors of the coefficients, shape (models,).
        """
        values = self.sums(columns)
        scaled = self.coefficients * units
        short = np.array([float(f"{coefficient:.12g}") for coefficient in scaled.ravel()]).reshape(scaled.shape) / units
        sizes = np.append(np.abs(columns).max(axis=1), 0.0)[self.places]
        sizes = np.concatenate([np.ones((1, len(units))), sizes])
        short[np.abs(short) * sizes < 1e-13 * np.abs(values).max(axis=1)] = 0.0
        rounded_values = replace(self, coefficients=short).sums(columns)
        same = (np.abs(rounded_values - values) <= 1e-11 * np.abs(values)).all(axis=1)
        chosen = replace(self, coefficients=np.where(same, short, self.coefficients))
        return chosen, np.asarray(np.where(same[:, None], rounded_values, values))


# Both terms as positions in the space of hypotheses, -1 for none; whether there is a constant, and the kind of noise
# (`splc.scaling.evidence`).
ROW = np.dtype([("first", "i1"), ("second", "i1"), ("constant", "?"), ("noise", "i1"), ("log_weight", "f4")])


@dataclass(frozen=True, eq=False, slots=True)
class Shortlist:
    """The plausible hypotheses of one quantity over one parameter."""

    rows: Array  # one per hypothesis, of the type `ROW`, the most plausible one first
    falling: bool  # whether the terms are those of the space with negative powers


@dataclass(frozen=True, eq=False, slots=True)
class CombinationShortlist:
    """The plausible hypotheses of one quantity over several parameters, without their fits: some tens of bytes each."""

    terms: Array  # the term of each parameter, as a position, shape (hypotheses, parameters)
    products: Array  # bit masks of parameters, 0 being the constant, -1 for none, shape (hypotheses, most coefficients)
    floored: Array  # whether noise is taken for partly absolute, shape (hypotheses,)
    log_weights: Array  # unnormalised log posterior, shape (hypotheses,)
    misfit: float  # the share of the misfit in the variance


AnyShortlist = Shortlist | CombinationShortlist


# Less plausible hypotheses, relative to the best one, and more than this number of them do not change a bound.
MIN_SHARE = float(np.log(1e-4))
MOST = 200


@dataclass(frozen=True, eq=False)
class Plausible:
    """The plausible hypotheses for one quantity, each a sum of columns."""

    log_weights: Array  # unnormalised log posterior, shape (hypotheses,)
    coefficients: Array  # those of the columns that a hypothesis has come first, shape (hypotheses, most columns)
    noise: Array  # relative standard deviation of a point's mean, shape (hypotheses,)
    single: Array  # relative variance of a measurement beyond that of its point's mean, shape (hypotheses,)
    freedoms: Array  # degrees of freedom of the noise, shape (hypotheses,)
    floors: Array  # the size that is added to the value to give what noise is relative to, shape (hypotheses,)
    # matrices whose products with a point's columns have the standard error of the fitted value there, per unit of
    # noise, as their length, shape (hypotheses, most columns, most columns)
    factors: Array
    columns: Callable[[Array], Array]  # those at points (n, parameters), shape (hypotheses, most columns, n)
    growths: Callable[[Array], Array] | None = None  # points → what noise is relative to, (hypotheses, n); None: 1
    hidden: int = 0  # the number of hypotheses, the last ones, with products that the points neither show nor exclude

    def predictions(self, x: Array) -> tuple[Array, Array]:
        """Return predictions and standard errors of new measurements at points x, each of shape (hypotheses, n)."""
        columns = self.columns(x)
        means = np.einsum("hk,hkn->hn", self.coefficients, columns)
        variance = ((self.factors @ columns) ** 2).sum(axis=1)
        sizes = np.abs(means) + self.floors[:, None]
        if self.growths is not None:
            sizes = sizes * self.growths(x)
        return means, np.sqrt(self.noise[:, None] ** 2 * (variance + sizes**2) + self.single[:, None] * sizes**2)
