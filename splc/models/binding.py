"""Binding of machine parameters: a model in which every parameter is replaced by a number.

A term with a parameter, directly or in a subexpression, is expanded again from its text.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

from splc.errors import ExpressionError, Problem
from splc.models.influence import InfluenceModel
from splc.models.parameters import Parameters, chosen_rows
from splc.models.subexpressions import Parameter, by_name, names_of_terms, needed
from splc.models.terms import Term
from splc.models.text.products import Signs
from splc.models.text.reader import expand_model


def bound(model: InfluenceModel, at: Mapping[str, float] | None = None) -> InfluenceModel:
    """Return a model with its parameters replaced by numbers.

    `at`: expression that tables depend on → key of the row to use, such as `{"nodes": 4}`; by default the middle row.
    """
    rows = chosen_rows(model.parameters, at or {})
    if not rows:
        return model
    values = {parameter.name: parameter.values_of[rows[parameter.name]] for parameter in model.parameters}
    names, derived = by_name(model.derived), by_name(model.subexpressions)

    def varies(term: Term) -> bool:
        return any(isinstance(part, Parameter) for part in needed(term.options, names))

    terms: list[tuple[Term, float]] = []
    for term, influence in model.terms:
        if not varies(term):
            terms.append((term, influence))
            continue
        try:
            # The signs of options are unknown here, so any may be negative.
            found = expand_model(term.text(), None, Parameters.of(values), signs=Signs(otherwise=-math.inf))
        except ExpressionError as error:
            numbers = ", ".join(f"{name} = {number:g}" for name, number in values.items())
            message = f"{error.problems[0].message}, in {term.text(model.order)} with {numbers}"
            raise ExpressionError(Problem(message, hint="choose other rows, or correct the parameters")) from None
        derived |= by_name(found.derived)
        terms += [(each, influence * weight) for each, weight in found.expansion.items()]
        if not found.expansion:
            # A term whose influence becomes 0 is still a term of the model.
            terms.append((Term(tuple(factor for factor in term.factors if not varies(Term((factor,))))), 0.0))
    result = InfluenceModel.from_terms(terms, model.order, model.link)
    return replace(result, derived=needed(names_of_terms(result.terms), derived))
