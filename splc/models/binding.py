"""Binding of machine parameters: a model in which every parameter is replaced by a number.

A factor with a parameter, directly or in a subexpression, is expanded again from its text.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from functools import cache, reduce

from splc.arithmetic.parser import parse
from splc.arithmetic.tokens import MODEL_FUNCTIONS
from splc.errors import ExpressionError, Problem
from splc.models.influence import InfluenceModel
from splc.models.parameters import chosen_rows
from splc.models.subexpressions import Parameter, by_name, needed
from splc.models.terms import CONSTANT, Factor, Term
from splc.models.text.algebra import Expander
from splc.models.text.products import Expansion, Signs, constant


def bound(model: InfluenceModel, at: Mapping[str, float] | None = None) -> InfluenceModel:
    """Return a model with its parameters replaced by numbers.

    `at`: expression that tables depend on → key of the row to use, such as `{"nodes": 4}`; by default the middle row.
    """
    rows = chosen_rows(model.parameters, at or {})
    if not rows:
        return model
    values = {parameter.name: parameter.values_of[rows[parameter.name]] for parameter in model.parameters}
    names = by_name(model.derived)
    # The signs of options are unknown here, so any may be negative.
    expander = Expander(signs=Signs(otherwise=-math.inf))
    expander.derived.update(by_name(model.subexpressions))
    expander.definitions = {name: constant(value) for name, value in values.items()}

    @cache
    def replaced(factor: Factor) -> Expansion | None:
        """Return a factor with its parameters replaced, None if it has none."""
        if not any(isinstance(part, Parameter) for part in needed(frozenset((factor.option,)), names)):
            return None
        return expander.expand(parse(Term((factor,)).text(), functions=MODEL_FUNCTIONS))

    terms: list[tuple[Term, float]] = []
    for term, influence in model.terms:
        try:
            parts = [(factor, replaced(factor)) for factor in term.factors]
            known = (expander.factor(part) for _, part in parts if part is not None)
            value = reduce(expander.multiply, known, {CONSTANT: influence})
        except ExpressionError as error:
            numbers = ", ".join(f"{name} = {number:g}" for name, number in values.items())
            message = f"{error.problems[0].message}, in {term.text(model.order)} with {numbers}"
            raise ExpressionError(Problem(message, hint="choose other rows, or correct the parameters")) from None
        unchanged = Term(tuple(factor for factor, part in parts if part is None))
        # A term whose influence becomes 0 is still a term of the model.
        for replacement, amount in [*value.items()] or [(CONSTANT, 0.0)]:
            product = unchanged * replacement
            terms += expander.opened({product: amount}).items() or [(product, amount)]
    result = InfluenceModel.from_terms(terms, model.order, model.link)
    used = frozenset().union(*(term.options for term, _ in result.terms))
    return replace(result, derived=needed(used, {**by_name(model.subexpressions), **expander.derived}))
