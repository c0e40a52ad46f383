"""Hypothesis strategies: random spaces that are not empty, and models of few terms over their options."""

from __future__ import annotations

from functools import cache
from typing import Any

from hypothesis import strategies as st

from sampling.space.space import Space
from splc.models.influence import InfluenceModel
from splc.models.subexpressions import Derived
from splc.models.terms import Subexpression, Term, option_term, product_of, quoted
from splc.models.text.reader import expand_subexpression
from splc.system.variability import VariabilityModel
from tests.support.strategies import models


@st.composite
def influence_models(draw: st.DrawFn, system: VariabilityModel, least: int = 0) -> InfluenceModel:
    """Draw a model of few terms with whole influences, so that sums are exact in any order.

    `least`: the least number of terms, before equal ones are merged; with some, none is the constant.
    """
    names = [*system.names, *system.switches]
    functions = dict(draw(st.lists(_function(system), max_size=2))) if system.numeric_options else {}
    pairs = [(_product(term), float(influence)) for term, influence in draw(_pairs((*names, *functions), least))]
    return InfluenceModel.from_terms(pairs, names, derived=functions.values())


def spaces(**sizes: Any) -> st.SearchStrategy[Space]:
    """Return the strategy of spaces with a valid configuration; `sizes`: as for `models`."""
    return models(**sizes).map(Space).filter(lambda space: space.count > 0)


@st.composite
def spaces_with_model(draw: st.DrawFn, /, least: int = 0, **sizes: Any) -> tuple[Space, InfluenceModel]:
    """Draw a space with a valid configuration, and a model of its options as `influence_models` does."""
    space = draw(spaces(**sizes))
    return space, draw(influence_models(space.system, least))


@cache
def _pairs(names: tuple[str | Subexpression, ...], least: int) -> st.SearchStrategy[list[tuple[list[str], int]]]:
    term = st.lists(st.sampled_from(names), min_size=min(1, least), max_size=3)
    influence = st.sampled_from([1, 2, 3, -1, -2, -3] if least else range(-3, 4))
    return st.lists(st.tuples(term, influence), min_size=least, max_size=max(4, least))


FORMS = st.sampled_from(["[{} >= {!r}]", "[{} < {!r}]", "min({}, {!r})", "max({}, {!r})"])


@st.composite
def _function(draw: st.DrawFn, system: VariabilityModel) -> tuple[Subexpression, Derived]:
    """Draw a threshold or a saturation of a numeric option, with its name."""
    option = draw(st.sampled_from(system.numeric_options))
    form = draw(FORMS)
    name, derived = expand_subexpression(form.format(quoted(option.name), draw(st.sampled_from(option.values))), None)
    return name, derived[name]


def _product(names: list[str]) -> Term:
    return product_of(factor for name in names for factor in option_term(name).factors)
