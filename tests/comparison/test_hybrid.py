"""The hybrid comparison: shares of classes and what follows from them, against brute force."""

from __future__ import annotations

import dataclasses
import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from comparison.option_sets import hybrid
from comparison.result import HybridComparison
from comparison.syntactic import compare_terms
from splc.data.configurations import Configurations
from splc.models.influence import InfluenceModel
from splc.models.subexpressions import Parameter
from splc.models.terms import CONSTANT, Factor, Term, option_term, product_of
from splc.models.text.reader import bound
from splc.system.options import BinaryOption, NumericOption
from splc.system.variability import VariabilityModel
from splc.types import Array
from tests.support.golden_messages import Lines, check_calls, shown

SYSTEM = VariabilityModel(
    "grid",
    (
        BinaryOption("b", optional=True),
        NumericOption("x", (1.0, 2.0, 4.0)),
        NumericOption("y", (1.0, 3.0, 10.0), deselected_flag=-1.0),
    ),
)
ALL = Configurations(SYSTEM, np.array(list(itertools.product(range(2), range(3), range(4)))))
terms = st.lists(
    st.sampled_from([Factor("b"), Factor("x"), Factor("x", 2), Factor("y"), Factor("y", 1, 1)]), max_size=2
)
# What is smaller than the largest contribution by 300 orders of magnitude is lost, so influences are not that small.
influences = st.floats(-1e6, 1e6).map(lambda value: round(value, 3))
models = st.dictionaries(terms.map(product_of), influences, max_size=6).map(
    lambda pairs: InfluenceModel.from_terms(pairs, SYSTEM.names)
)
weightings = st.none() | st.lists(st.integers(0, 3), min_size=len(ALL), max_size=len(ALL)).filter(any).map(np.array)


def compared(
    first: InfluenceModel, second: InfluenceModel, weights: Array | None = None, constant: bool = True
) -> HybridComparison:
    """Return the hybrid comparison over all configurations."""
    return hybrid(first, second, compare_terms(first, second, constant=constant), ALL, weights=weights)


def contribution(model: InfluenceModel, options: tuple[str, ...], row: int) -> float:
    """Return what the terms over exactly these options contribute to one configuration, term by term."""
    total = 0.0
    for term, influence in model.terms:
        if set(term.options) != set(options):
            continue
        value = influence
        for factor in term.factors:
            x = ALL.assignment(row)[factor.option]
            value *= 0.0 if math.isnan(x) else x**factor.power * (math.log10(x) ** factor.log if factor.log else 1.0)
        total += value
    return total


@given(models, models, weightings, st.booleans())
def test_shares_and_similarities_are_those_of_their_definitions(
    first: InfluenceModel, second: InfluenceModel, weights: Array | None, constant: bool
) -> None:
    """Configuration by configuration and term by term, the same shares, weights and similarities come out."""
    found = compared(first, second, weights, constant)
    classes = [share.options for share in found.classes]
    counted = np.ones(len(ALL)) if weights is None else weights
    sums = {}
    for options in classes:
        own = [contribution(first, options, row) for row in range(len(ALL))]
        other = [contribution(second, options, row) for row in range(len(ALL))]
        sums[options] = (
            sum(w * abs(a) for w, a in zip(counted, own, strict=True)),
            sum(w * abs(b) for w, b in zip(counted, other, strict=True)),
            sum(w * abs(a - b) for w, a, b in zip(counted, own, other, strict=True)),
        )
    totals = [sum(each[place] for each in sums.values()) for place in (0, 1)]
    for share in found.classes:
        a, b, apart = sums[share.options]
        assert share.first == pytest.approx(a / totals[0] if totals[0] else 0.0, abs=1e-12)
        assert share.second == pytest.approx(b / totals[1] if totals[1] else 0.0, abs=1e-12)
        assert share.semantic == pytest.approx(1 - apart / (a + b) if a + b else 1.0, abs=1e-9)
        if all(totals):
            assert share.weight == pytest.approx((share.first + share.second) / 2)


def classes(*found: HybridComparison) -> Lines:
    """Return the shares of both models, the weights and the similarities of the classes."""
    return Lines("\n".join(shown(dataclasses.astuple(each)) for own in found for each in own.classes))


def model(**influences: float) -> InfluenceModel:
    """Return the model with these influences of options; `constant` is that of the constant."""
    terms = {CONSTANT if name == "constant" else option_term(name): value for name, value in influences.items()}
    return InfluenceModel.from_terms(terms, SYSTEM.names)


def tabled() -> HybridComparison:
    """Return a model with a parameter that is a table over x (1, 5, 0), compared with its middle row."""
    values = (1.0, 5.0, 0.0)
    table = Parameter("alpha", values, values, values, "x", (1.0, 2.0, 4.0), ((option_term("x"), 1.0),))
    terms = {option_term("y") * option_term("alpha"): 2.0, option_term("alpha"): 1.0}
    first = InfluenceModel.from_terms(terms, SYSTEM.names, derived=(table,))
    return hybrid(first, bound(first), compare_terms(bound(first), bound(first)), ALL)


def wrong(count: int = len(ALL), weights: float | None = None, term: Term = CONSTANT, size: int = len(ALL)) -> object:
    """Compare a model on so many configurations with weights, or with a model of another term."""
    other = InfluenceModel.from_terms({term: 1.0}, SYSTEM.names)
    given_weights = None if weights is None else np.full(size, weights)
    return hybrid(model(x=3.0), other, compare_terms(model(x=3.0), other), ALL[:count], weights=given_weights)


def test_known_classes() -> None:
    """Zeros, tables, vanished classes, the constant, and refusals are those of the golden file."""
    calls = (classes, model, compared, tabled, wrong, hybrid, compare_terms, option_term)
    check_calls("hybrid-comparisons", *calls, ALL=ALL, reciprocal=Term((Factor("b", -1),)))
