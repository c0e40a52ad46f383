"""Sets of options: shares of the variance, and the hybrid comparison of models."""

from __future__ import annotations

import dataclasses
import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from comparison import compare
from comparison.option_sets import hybrid, variance_sets
from comparison.result import HybridComparison
from comparison.syntactic import compare_terms
from splc.data.configurations import Configurations
from splc.models.influence import InfluenceModel
from splc.models.subexpressions import Parameter
from splc.models.terms import CONSTANT, Factor, Term, option_term, product_of
from splc.models.text.reader import bound
from splc.system.options import BinaryOption, NumericOption
from splc.system.variability import VariabilityModel
from splc.types import Array, Link
from tests.support.golden_messages import Lines, check_calls, shown
from tests.support.strategies import all_assignments

SYSTEM = VariabilityModel("system", (BinaryOption("a"), BinaryOption("b"), NumericOption("x", (1.0, 2.0, 4.0))))
ALL = all_assignments(SYSTEM)
A, B, X = (option_term(name) for name in ("a", "b", "x"))
TERMS = (CONSTANT, A, B, X, X**2, A * B, A * X, B * X)

pairs = st.dictionaries(st.sampled_from(TERMS), st.integers(-8, 8).map(lambda value: value / 4), max_size=5)


def model_of(terms: dict[Term, float], link: Link = "identity") -> InfluenceModel:
    """Return a model."""
    return InfluenceModel.from_terms(terms, SYSTEM.names, link)


def analysed(model: InfluenceModel) -> dict[frozenset[str], float]:
    """Return set of options → share in the variance, from the means over all configurations with the same values."""
    predicted = model.predict(ALL)
    names = ("a", "b", "x")
    sets = [frozenset(own) for size in range(4) for own in itertools.combinations(names, size)]
    effects: dict[frozenset[str], Array] = {}
    for own in sets:
        keys = [tuple(ALL.assignment(row)[name] for name in sorted(own)) for row in range(len(ALL))]
        groups = {key: np.mean([predicted[row] for row in range(len(ALL)) if keys[row] == key]) for key in keys}
        effects[own] = np.array([groups[key] for key in keys]) - sum(effects[less] for less in sets if less < own)
    variances = {own: float(np.mean(effect**2)) for own, effect in effects.items() if own}
    whole = sum(variances.values())
    return {
        own: value / whole if whole > 1e-12 * float(np.abs(predicted).max()) ** 2 else 0.0
        for own, value in variances.items()
    }


@given(pairs)
def test_shares_of_the_variance_of_a_sum(terms: dict[Term, float]) -> None:
    """On all configurations of independent options, the shares are those of the analysis of variance."""
    model = model_of(terms)
    found = variance_sets(model, model, ALL)
    shares = {frozenset(each.options): each.first for each in found.sets}
    assert all(each.first == each.second for each in found.sets)
    for own, share in analysed(model).items():
        assert shares.get(own, 0.0) == pytest.approx(share, abs=1e-6)


@given(st.dictionaries(st.sampled_from((CONSTANT, A, B, X, X**2)), st.integers(-4, 4).map(lambda v: v / 4), max_size=5))
def test_shares_of_the_variance_of_a_product(terms: dict[Term, float]) -> None:
    """A product of factors of single options has effects of several options together, as any function has."""
    model = model_of(terms, "log")
    shares = {frozenset(each.options): each.second for each in variance_sets(model_of({}), model, ALL).sets}
    for own, share in analysed(model).items():
        assert shares.get(own, 0.0) == pytest.approx(share, abs=1e-6)


def test_a_product_agrees_with_its_sum() -> None:
    """The product `exp(a + b)` and the same function as a sum of terms have the same shares."""
    up = np.exp([1.0, 0.5]) - 1
    sums = model_of({CONSTANT: 1.0, A: float(up[0]), B: float(up[1]), A * B: float(up.prod())})
    found = variance_sets(sums, model_of({A: 1.0, B: 0.5}, "log"), ALL)
    np.testing.assert_allclose(sums.predict(ALL), model_of({A: 1.0, B: 0.5}, "log").predict(ALL))
    assert [each.first for each in found.sets] == pytest.approx([each.second for each in found.sets])
    assert found.overlap == pytest.approx(1)


@given(pairs, pairs)
def test_the_overlap(first: dict[Term, float], second: dict[Term, float]) -> None:
    """The overlap is 1 for a model with itself, symmetric, 0 without a common set, and the same in another unit."""
    one, other = model_of(first), model_of(second, "log")
    there, back = variance_sets(one, other, ALL).overlap, variance_sets(other, one, ALL).overlap
    assert there == (None if back is None else pytest.approx(back))
    own = variance_sets(one, one, ALL).overlap
    assert own is None or own == pytest.approx(1)
    scaled = variance_sets(one.scaled(1e200), other.scaled(1e9), ALL).overlap
    assert scaled == (None if there is None else pytest.approx(there, abs=1e-6))
    if not one.options & other.options:
        assert not there


def test_sums_have_the_shares_of_the_hybrid_comparison() -> None:
    """The shares of sums are those of their mean absolute contributions; exponents do not matter."""
    found = compare(model_of({CONSTANT: 3.0, X: 1.0, A: 1.0}), model_of({CONSTANT: 3.0, X**2: 0.25, B: 1.0}), ALL)
    assert found.option_sets is not None
    assert found.hybrid is not None
    assert found.option_sets.of == "mean"
    assert [(each.options, each.first, each.second) for each in found.option_sets.sets] == [
        (share.options, share.first, share.second) for share in found.hybrid.classes
    ]
    means = {"1": (3.0, 3.0), "x": (7 / 3, 7 / 4)}
    wanted = sum(min(a / (3 + 7 / 3 + 0.5), b / (3 + 7 / 4 + 0.5)) for a, b in means.values())
    assert found.option_sets.overlap == pytest.approx(wanted)


def test_a_product_and_a_sum() -> None:
    """A product and a sum are compared by predictions and by sets of options, not by terms."""
    terms = {CONSTANT: 0.5, A: 0.25}
    found = compare(model_of(terms), model_of(terms, "log"), ALL)
    assert not found.same_link
    assert (found.hybrid, found.semantic is None) == (None, False)
    assert found.option_sets is not None
    assert found.option_sets.of == "variance"
    assert found.option_sets.overlap == pytest.approx(1)
    assert compare(model_of(terms), model_of(terms), ALL).same_link
    assert compare(model_of(terms), model_of(terms)).option_sets is None


Y = NumericOption("y", (1.0, 3.0, 10.0), deselected_flag=-1.0)
HYBRID = VariabilityModel.of({"b": bool, "x": [1, 2, 4], "y": Y}, name="grid")
ALL_OF_HYBRID = Configurations(HYBRID, np.array(list(itertools.product(range(2), range(3), range(4)))))
terms = st.lists(
    st.sampled_from([Factor("b"), Factor("x"), Factor("x", 2), Factor("y"), Factor("y", 1, 1)]), max_size=2
)
# What is smaller than the largest contribution by 300 orders of magnitude is lost, so influences are not that small.
influences = st.floats(-1e6, 1e6).map(lambda value: round(value, 3))
models = st.dictionaries(terms.map(product_of), influences, max_size=6).map(
    lambda pairs: InfluenceModel.from_terms(pairs, HYBRID.names)
)
weightings = st.none() | st.lists(st.integers(0, 3), min_size=len(ALL_OF_HYBRID), max_size=len(ALL_OF_HYBRID)).filter(
    any
).map(np.array)


def compared(
    first: InfluenceModel, second: InfluenceModel, weights: Array | None = None, constant: bool = True
) -> HybridComparison:
    """Return the hybrid comparison over all configurations."""
    return hybrid(first, second, compare_terms(first, second, constant=constant), ALL_OF_HYBRID, weights=weights)


def contribution(model: InfluenceModel, options: tuple[str, ...], row: int) -> float:
    """Return what the terms over exactly these options contribute to one configuration, term by term."""
    total = 0.0
    for term, influence in model.terms:
        if set(term.options) != set(options):
            continue
        value = influence
        for factor in term.factors:
            x = ALL_OF_HYBRID.assignment(row)[factor.option]
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
    counted = np.ones(len(ALL_OF_HYBRID)) if weights is None else weights
    sums = {}
    for options in classes:
        pairs = [[contribution(each, options, row) for each in (first, second)] for row in range(len(ALL_OF_HYBRID))]
        sizes = [(abs(a), abs(b), abs(a - b)) for a, b in pairs]
        sums[options] = [sum(w * size[place] for w, size in zip(counted, sizes, strict=True)) for place in range(3)]
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
    return InfluenceModel.from_terms(terms, HYBRID.names)


def tabled() -> HybridComparison:
    """Return a model with a parameter that is a table over x (1, 5, 0), compared with its middle row."""
    values = (1.0, 5.0, 0.0)
    table = Parameter("alpha", values, values, values, "x", (1.0, 2.0, 4.0), ((option_term("x"), 1.0),))
    terms = {option_term("y") * option_term("alpha"): 2.0, option_term("alpha"): 1.0}
    first = InfluenceModel.from_terms(terms, HYBRID.names, derived=(table,))
    return hybrid(first, bound(first), compare_terms(bound(first), bound(first)), ALL_OF_HYBRID)


def wrong(term: Term) -> object:
    """Compare a model with a model of another term."""
    other = InfluenceModel.from_terms({term: 1.0}, HYBRID.names)
    return hybrid(model(x=3.0), other, compare_terms(model(x=3.0), other), ALL_OF_HYBRID)


def test_known_classes() -> None:
    """Zeros, tables, vanished classes, the constant, and refusals are those of the golden file."""
    calls = (classes, model, compared, tabled, wrong, hybrid, compare_terms, option_term)
    check_calls("hybrid-comparisons", *calls, ALL=ALL_OF_HYBRID, reciprocal=Term((Factor("b", -1),)))
