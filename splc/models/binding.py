"""Binding of machine parameters: a model in which every parameter is replaced by a number."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

from splc.arithmetic.functions import SEVERAL
from splc.errors import ExpressionError, Problem
from splc.models.influence import InfluenceModel
from splc.models.parameters import chosen_rows
from splc.models.subexpressions import Addends, CallOf, Derived, Parameter, PowerOf, SumOf, ThresholdOf, by_name, needed
from splc.models.terms import CONSTANT, Factor, Term
from splc.models.text.algebra import Algebra
from splc.models.text.products import Expansion, Signs


def bound(model: InfluenceModel, at: Mapping[str, float] | None = None) -> InfluenceModel:
    """Return a model with its parameters replaced by numbers.

    `at`: expression that tables depend on → key of the row to use, such as `{"nodes": 4}`; by default the middle row.
    """
    rows = chosen_rows(model.parameters, at or {})
    if not rows:
        return model
    binder = _Binder(model, {p.name: p.values_of[rows[p.name]] for p in model.parameters})
    terms: list[tuple[Term, float]] = []
    for term, influence in model.terms:
        replaced = [factor for factor in term.factors if binder.touched(factor)]
        unchanged = Term(tuple(factor for factor in term.factors if not binder.touched(factor)))
        value: Expansion = {CONSTANT: influence}
        try:
            value = binder.algebra.times([value, *map(binder.factor, replaced)])
        except ExpressionError as error:
            numbers = ", ".join(f"{name} = {number:g}" for name, number in binder.values.items())
            message = f"{error.problems[0].message}, in {term.text(model.order)} with {numbers}"
            raise ExpressionError(Problem(message, hint="choose other rows, or correct the parameters")) from None
        # A term whose influence becomes 0 is still a term of the model.
        terms += [(unchanged * replacement, amount) for replacement, amount in value.items()] or [(unchanged, 0.0)]
    opened: list[tuple[Term, float]] = []
    for term, amount in terms:
        opened += binder.algebra.opened({term: amount}).items() or [(term, amount)]
    result = InfluenceModel.from_terms(opened, model.order, model.link)
    derived = {**by_name(model.subexpressions), **binder.algebra.derived}
    used = frozenset().union(*(term.options for term, _ in result.terms))
    return replace(result, derived=needed(used, derived))


class _Binder:
    """Replaces parameters by numbers, also in subexpressions."""

    def __init__(self, model: InfluenceModel, values: Mapping[str, float]) -> None:
        self.derived = by_name(model.derived)
        self.values = values
        # The signs of options are unknown here, so any may be negative.
        self.algebra = Algebra(subexpressions=True, signs=Signs(otherwise=-math.inf))
        self.algebra.derived.update(by_name(model.subexpressions))
        self.known: dict[str, Expansion] = {}

    def touched(self, factor: Factor) -> bool:
        """Return whether a factor contains a parameter, directly or in a subexpression."""
        names = needed(frozenset((factor.option,)), self.derived)
        return any(isinstance(derived, Parameter) for derived in names)

    def factor(self, factor: Factor) -> Expansion:
        """Return a factor with its parameters replaced."""
        inner = self.named(factor.option)
        value: Expansion = {CONSTANT: 1.0}
        if factor.power != 0:
            value = self.algebra.power(inner, float(factor.power), Fraction(factor.power))
        if factor.log != 0:
            logarithm = self.algebra.log(inner, "log10")
            value = self.algebra.multiply(value, self.algebra.power(logarithm, float(factor.log), Fraction(factor.log)))
        return value

    def named(self, name: str) -> Expansion:
        """Return a derived name with its parameters replaced."""
        if name not in self.known:
            self.known[name] = self.computed(self.derived[name])
        return self.known[name]

    def computed(self, derived: Derived) -> Expansion:
        """Return a parameter or a subexpression with its parameters replaced."""
        match derived:
            case Parameter(name):
                return {CONSTANT: self.values[name]} if self.values[name] != 0 else {}
            case SumOf(_, terms):
                return self.total(terms)
            case PowerOf(_, base, exponent):
                inner, outer = self.total(base), self.total(exponent)
                if set(outer) - {CONSTANT}:
                    return self.algebra.variable_power(inner, outer)
                return self.algebra.power(inner, outer.get(CONSTANT, 0.0))
            case ThresholdOf(_, comparison, terms, limit):
                return self.algebra.threshold(self.total(terms), comparison, limit)
            case CallOf(_, function, arguments):
                totals = [self.total(argument) for argument in arguments]
                extreme = function in SEVERAL
                return self.algebra.extreme(totals, function) if extreme else self.algebra.call(totals[0], function)

    def total(self, terms: Addends) -> Expansion:
        """Return a sum of terms with its parameters replaced."""
        result: Expansion = {}
        for term, influence in terms:
            parts: list[Expansion] = [
                self.factor(factor) if self.touched(factor) else {Term((factor,)): 1.0} for factor in term.factors
            ]
            value = self.algebra.times([{CONSTANT: influence}, *parts])
            for key, amount in value.items():
                result[key] = result.get(key, 0.0) + amount
        return {key: amount for key, amount in result.items() if amount != 0}
