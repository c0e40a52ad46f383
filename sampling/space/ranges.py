"""The extremes of terms over the valid configurations.

A term touches few options. Those that constraints tie together are looked at in every valid combination; those that
nothing ties together cannot see each other, so that the extremes of a product are made of its parts' extremes.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from comparison.bounds import ONE, UNBOUNDED, Bounds, Extreme, exponential_bounds, factor_bounds, interval
from comparison.combinations import Combinations
from comparison.syntactic import names_in
from sampling.space.space import Space
from splc.arithmetic.evaluation import rounded
from splc.data.configurations import Configurations
from splc.models.influence import EvaluationError, InfluenceModel
from splc.models.subexpressions import Addends, Derived, ExtremeOf, Parameter, PowerOf, RoundOf
from splc.models.terms import Factor, Term
from splc.system.options import NumericOption
from splc.system.variability import ROOT
from splc.types import Array

# Cells of value indices that are evaluated at a time.
_CELLS = 1 << 22


class Extremes:
    """Looks for the extremes of a model's terms.

    Args:
        model: the model.
        space: the valid configurations.
        limit: the greatest number of combinations of option values to look at together.

    Raises:
        VariabilityError: if there is no valid configuration.
    """

    def __init__(self, model: InfluenceModel, space: Space, limit: int) -> None:
        self.model = model
        self.space = space
        self.limit = limit
        self.derived = {each.name: each for each in model.derived}
        self.combinations = Combinations(space, limit)

    def bounds(self, term: Term) -> Bounds:
        """Return the extremes of a term without its influence."""
        try:
            parts = [self._extremes(part) for part in self._parts(term)]
        except EvaluationError:
            # Where a factor has no value, an option of another part may be deselected, so that there is none to have.
            rows = self.combinations.rows(self.positions(term))
            if rows is None:
                raise
            return self._enumerated(term, rows)
        return math.prod(parts, start=ONE)

    def values(self, term: Term, configurations: Configurations, influence: float = 1.0) -> Array:
        """Return what a term contributes, shape (n,)."""
        values: Array = replace(self.model, terms=((term, influence),)).contributions(configurations)[:, 0]
        return values

    def names(self, term: Term) -> tuple[str, ...]:
        """Return the options of a term, in the system's order."""
        return names_in(self.model.options_of(term), self.space.model.names)

    def positions(self, term: Term) -> tuple[int, ...]:
        """Return the positions of the options that a term is about, ascending."""
        system = self.space.model
        found: set[int] = set()
        for name in self.names(term):
            known = system.spellings.get(name)
            if known is None:
                raise system.unknown(name)
            if known in system.switches:
                found.add(system.switches[known][0])
            elif known != ROOT:
                found.add(system.positions[known])
        return tuple(sorted(found))

    def _parts(self, term: Term) -> list[Term]:
        """Return the factors of a term, those together whose options constraints tie together."""
        groups: list[tuple[set[int], list[Factor]]] = []
        for factor in term.factors:
            positions = self.positions(Term((factor,)))
            tied = self.combinations.tied(positions)
            factors = [factor]
            apart: list[tuple[set[int], list[Factor]]] = []
            for own, members in groups:
                if own & tied:
                    tied, factors = tied | own, members + factors
                else:
                    apart.append((own, members))
            groups = [*apart, (tied, factors)]
        return [Term(tuple(sorted(factors))) for _, factors in groups]

    def _extremes(self, part: Term) -> Bounds:
        """Return the extremes of factors whose options depend on each other."""
        rows = self.combinations.rows(self.positions(part))
        if rows is not None:
            return self._enumerated(part, rows)
        found = math.prod((self._factor(factor) for factor in part.factors), start=ONE)
        return Bounds(self.combinations.checked(found.low), self.combinations.checked(found.high))

    def _factor(self, factor: Factor) -> Bounds:
        """Return the extremes of one factor, whatever values the options of others take."""
        one = Term((factor,))
        positions = self.positions(one)
        sizes = [self.space.problem.sizes[position] for position in positions]
        rows = self.combinations.rows(positions)
        if rows is None and (len(sizes) == 1 or math.prod(sizes) <= self.limit):
            rows = np.indices(sizes).reshape(len(sizes), -1).T
        try:
            if rows is not None:
                return self._enumerated(one, rows)
            found = self._column(self.derived[factor.option])
        except EvaluationError:
            return UNBOUNDED
        result = factor_bounds(found.low.value, found.high.value, factor)
        options = [self.space.model.options[position] for position in positions]
        return result.with_zero() if any(isinstance(o, NumericOption) and o.optional for o in options) else result

    def _column(self, found: Derived) -> Bounds:
        """Return bounds of what is derived from more options than can be looked at together."""
        if isinstance(found, Parameter):
            return interval(min(found.values_of), max(found.values_of))
        if isinstance(found, PowerOf):
            return exponential_bounds(self._total(found.base), self._total(found.exponent))
        if isinstance(found, ExtremeOf):
            choice = max if found.function == "max" else min
            lows, highs = zip(*map(self._total, found.arguments), strict=True)
            return UNBOUNDED if any(map(math.isnan, (*lows, *highs))) else interval(choice(lows), choice(highs))
        ends = self._total(found.terms)
        if isinstance(found, RoundOf):
            ends = tuple(rounded(found.function, np.array(ends)).tolist())
        return interval(*ends)

    def _total(self, terms: Addends) -> tuple[float, float]:
        """Return bounds of a sum."""
        found = [self.bounds(term) * interval(influence, influence) for term, influence in terms]
        return sum((each.low.value for each in found), 0.0), sum((each.high.value for each in found), 0.0)

    def _enumerated(self, part: Term, rows: Array) -> Bounds:
        """Return the extremes of a product over combinations of its options' values, shape (n, options)."""
        positions = self.positions(part)
        width = len(self.space.model.options)
        step = max(1, _CELLS // max(width, 1))
        values = np.empty(len(rows))
        for start in range(0, len(rows), step):
            some = rows[start : start + step]
            indices = np.zeros((len(some), width), dtype=some.dtype)
            indices[:, list(positions)] = some
            values[start : start + step] = self.values(part, Configurations(self.space.model, indices))
        low, high = (
            Extreme(float(values[row]), dict(zip(positions, rows[row].tolist(), strict=True)))
            for row in (int(values.argmin()), int(values.argmax()))
        )
        return Bounds(low, high)
