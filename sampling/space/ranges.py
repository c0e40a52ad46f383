"""The least and the greatest contribution of each term over the valid configurations (thesis, section 7.2).

A term is about few options. The combinations of those that constraints tie together are listed, as for the optimum of
a model; the extremes of a product of independent parts are products of the parts' extremes. Where there are too many
combinations, products of the factors' extremes are bounds.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from operator import attrgetter

import numpy as np

from sampling.space.compilation import BUDGETS
from sampling.space.optimum import configurations_of, positions_of, values_of
from sampling.space.problem import grouped
from sampling.space.space import Space
from splc.errors import ConfigurationError, Problem, SpaceError
from splc.models.influence import EvaluationError, InfluenceModel
from splc.models.terms import Factor, Term, names_in
from splc.types import Array

LIMIT = 1 << 18  # combinations of values of options that constraints tie together
_BUDGETS = BUDGETS[:-1]  # diagrams over few options are small, or not worth the wait


@dataclass(frozen=True)
class TermRange:
    """The range of a term's contribution over the valid configurations."""

    term: Term  # the term
    influence: float  # its influence
    low: float  # the least contribution (influence times term), or a lower bound of it; -inf where none is known
    high: float  # the greatest contribution, or an upper bound of it; inf where none is known
    low_at: Mapping[str, float] | None  # option → its value (NaN: deselected) where `low` is contributed; None: unknown
    high_at: Mapping[str, float] | None  # the same for `high`

    @property
    def exact(self) -> bool:
        """Whether both ends are contributions of valid configurations."""
        return self.low_at is not None and self.high_at is not None


def term_ranges(model: InfluenceModel, space: Space, *, limit: int = LIMIT) -> tuple[TermRange, ...]:
    """Return the range of each term's contribution over the valid configurations, in the order of the terms.

    Ranges are exact as long as at most `limit` valid combinations of options have to be examined together. Beyond
    that they are bounds per factor, which are exact again where a valid configuration is found to have them, and
    infinite for a factor of too many combinations. A term with a numeric option that is deselected contributes 0.
    """
    search = _RangeSearch(model, space, limit)
    return tuple(search.range_of(term, influence) for term, influence in model.terms)


class _RangeSearch:
    """The search for the extremes of a model's terms; at most `limit` combinations of values are examined together."""

    def __init__(self, model: InfluenceModel, space: Space, limit: int) -> None:
        self.model = model
        self.space = space
        self.limit = limit
        self.listed: dict[tuple[int, ...], Array | None] = {(): np.zeros((1, 0), dtype=np.int64)}
        # Position of an option → component of the constraints; None where they are too entangled to be counted.
        self.components: dict[int, int] | None = None
        with suppress(SpaceError):
            space.require_valid()
            self.components = space.solutions.component_of

    def range_of(self, term: Term, influence: float) -> TermRange:
        """Return the range of a term's contribution."""
        if not math.isfinite(influence):
            text = f"the influence of {term.text(self.model.order)} is {influence}, which is not a finite number"
            raise ConfigurationError(text)
        # Unknown options are errors.
        self.positions(term)
        if influence == 0:
            return TermRange(term, influence, 0.0, 0.0, {}, {})
        try:
            bounds = self.bounds(term)
            ends = (bounds.low, bounds.high) if influence > 0 else (bounds.high, bounds.low)
            (low, low_at), (high, high_at) = (self.contribution(term, influence, end) for end in ends)
        except EvaluationError as error:
            hint = error.advice or "leave the term out, or state a constraint that rules such values out"
            raise ConfigurationError(Problem(error.what, hint=hint)) from None
        return TermRange(term, influence, low, high, low_at, high_at)

    def contribution(self, term: Term, influence: float, end: Extreme) -> tuple[float, Mapping[str, float] | None]:
        """Return what a term contributes at an extreme, and the values of its options there."""
        if end.at is None:
            return influence * end.value, None
        row = np.array([list(end.at.values())], dtype=np.int64)
        configuration = configurations_of(list(end.at), row, self.space)
        # The value of a whole term is rounded otherwise than the product of the values of its parts.
        value = float(self.single(term, influence).contributions(configuration)[0, 0])
        names = names_in(self.model.options_of(term), self.space.system.names)
        return value, {name: float(configuration.column(name)[0]) for name in names}

    def single(self, term: Term, influence: float = 1.0) -> InfluenceModel:
        """Return the model of one term."""
        return InfluenceModel(((term, influence),), self.model.order, derived=self.model.derived)

    def positions(self, term: Term) -> tuple[int, ...]:
        """Return the positions of the options that a term is about, ascending."""
        return positions_of(self.model.options_of(term), self.space.system)

    def bounds(self, term: Term) -> Bounds:
        """Return the extremes of a term without its influence."""
        number = self.components
        positions = [(self.positions(Term((factor,))), factor) for factor in term.factors]
        # The factors, grouped by the constraints that tie their options together.
        tied = grouped(({0 if number is None else number[at] for at in places}, factor) for places, factor in positions)
        parts = [Term(tuple(sorted(factors))) for _, factors in tied]
        try:
            return math.prod((self.part_bounds(part) for part in parts), start=ONE)
        except EvaluationError:
            # Where a factor has no value, an option of another part may be deselected, so that the term contributes 0.
            if (found := self.enumerated(term)) is None:
                raise
            return found

    def part_bounds(self, part: Term) -> Bounds:
        """Return the extremes of factors whose options depend on each other."""
        if (found := self.enumerated(part)) is not None:
            return found
        bounds = math.prod((self.factor_bounds(factor) for factor in part.factors), start=ONE)
        return Bounds(self.checked(bounds.low), self.checked(bounds.high))

    def rows(self, positions: tuple[int, ...]) -> Array | None:
        """Return the valid combinations of values of options, shape (n, positions); None where they are too many."""
        if positions not in self.listed:
            self.listed[positions] = None
            with suppress(SpaceError):
                if self.components is not None:
                    self.listed[positions] = self.space.projection(positions, _BUDGETS).enumerate(self.limit)
        return self.listed[positions]

    def enumerated(self, part: Term, rows: Array | None = None) -> Bounds | None:
        """Return the extremes of a product over combinations of values, else all valid ones; None if too many."""
        positions = self.positions(part)
        rows = self.rows(positions) if rows is None else rows
        if rows is None:
            return None
        values = values_of(self.single(part), positions, rows, self.space)
        ends = int(values.argmin()), int(values.argmax())
        return Bounds(
            *(Extreme(float(values[at]), dict(zip(positions, rows[at].tolist(), strict=True))) for at in ends)
        )

    def checked(self, end: Extreme) -> Extreme:
        """Return an extreme without its combination where that is not known to be valid."""
        if end.at is None:
            return end
        domains = self.space.problem.domains
        for position, index in end.at.items():
            domains[position] = 1 << index
        with suppress(SpaceError):
            if self.components is not None and self.space.satisfiable(domains, _BUDGETS):
                return end
        return Extreme(end.value, None)

    def factor_bounds(self, factor: Factor) -> Bounds:
        """Return the extremes of one factor for all values of the options of the other factors."""
        single = Term((factor,))
        positions = self.positions(single)
        sizes = [self.space.problem.sizes[position] for position in positions]
        few = len(sizes) == 1 or math.prod(sizes) <= self.limit
        every = np.indices(sizes).reshape(len(sizes), -1).T if few and self.rows(positions) is None else None
        try:
            return self.enumerated(single, every) or UNBOUNDED
        except EvaluationError:
            return UNBOUNDED


_VALUE = attrgetter("value")


@dataclass(frozen=True)
class Extreme:
    """A bound of values."""

    value: float  # the bound
    at: Mapping[int, int] | None  # a combination with this value, position of option → index of value; None: unknown

    def __mul__(self, other: Extreme) -> Extreme:
        """Return the product of two extremes, reached where both are."""
        # A factor of 0 gives 0, even if the other one is infinite.
        value = 0.0 if 0 in (self.value, other.value) else self.value * other.value
        if self.at is None or other.at is None:
            return Extreme(value, None)
        apart = any(self.at[position] != other.at[position] for position in self.at.keys() & other.at.keys())
        return Extreme(value, None if apart else {**self.at, **other.at})


@dataclass(frozen=True)
class Bounds:
    """The least and the greatest value."""

    low: Extreme
    high: Extreme

    def __mul__(self, other: Bounds) -> Bounds:
        """Return the bounds of the products; exact where the two do not depend on each other."""
        products = [one * two for one in (self.low, self.high) for two in (other.low, other.high)]
        return Bounds(min(products, key=_VALUE), max(products, key=_VALUE))


ONE = Bounds(Extreme(1.0, {}), Extreme(1.0, {}))
UNBOUNDED = Bounds(Extreme(-math.inf, None), Extreme(math.inf, None))
