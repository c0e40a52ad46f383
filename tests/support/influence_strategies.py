"""Hypothesis strategies: random models of few terms over the options of a system."""

from __future__ import annotations

from hypothesis import strategies as st

from splc.models.influence import InfluenceModel
from splc.models.terms import Term, option_term, product_of
from splc.system.variability import VariabilityModel


@st.composite
def influence_models(draw: st.DrawFn, system: VariabilityModel, least: int = 0) -> InfluenceModel:
    """Draw a model of few terms with whole influences, so that sums are exact in any order.

    `least`: the least number of terms, before equal ones are merged; with some, none is the constant.
    """
    names = [*system.names, *system.switches]
    term = st.lists(st.sampled_from(names), min_size=min(1, least), max_size=3).map(_product)
    influence = st.sampled_from([1, 2, 3, -1, -2, -3] if least else range(-3, 4)).map(float)
    pairs = draw(st.lists(st.tuples(term, influence), min_size=least, max_size=max(4, least)))
    return InfluenceModel.from_terms(pairs, names)


def _product(names: list[str]) -> Term:
    return product_of(factor for name in names for factor in option_term(name).factors)
