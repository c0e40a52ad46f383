"""Agreement by sets of options."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from comparison import compare
from comparison.option_sets import OptionSets, SetShare, variance_sets
from sampling import Space
from splc.models.influence import InfluenceModel, Link
from splc.models.terms import CONSTANT, Term, option_term
from splc.system.options import BinaryOption, NumericOption
from splc.system.variability import VariabilityModel
from splc.types import Array

SYSTEM = VariabilityModel("system", (BinaryOption("a"), BinaryOption("b"), NumericOption("x", (1.0, 2.0, 4.0))))
ALL = Space(SYSTEM).enumerate()
A, B, X = (option_term(name) for name in ("a", "b", "x"))
TERMS = (CONSTANT, A, B, X, X**2, A * B, A * X, B * X)

pairs = st.dictionaries(st.sampled_from(TERMS), st.integers(-8, 8).map(lambda value: value / 4), max_size=5)
weightings = st.none() | st.lists(st.integers(0, 3), min_size=len(ALL), max_size=len(ALL)).filter(any).map(np.array)


def model_of(terms: dict[Term, float], link: Link = "identity") -> InfluenceModel:
    """Return a model."""
    return InfluenceModel.from_terms(terms, SYSTEM.names, link)


def covariances(model: InfluenceModel, weights: Array | None) -> dict[frozenset[str], float]:
    """Return set of options → share in the variance, by numpy's covariance matrix."""
    sets = {term.options for term, _ in model.terms if term.options}
    contributions = model.contributions(ALL)
    columns = {
        own: sum(contributions[:, at] for at, (term, _) in enumerate(model.terms) if term.options == own)
        for own in sets
    }
    total = contributions.sum(axis=1)
    found = {own: float(np.cov(column, total, aweights=weights, ddof=0)[0, 1]) for own, column in columns.items()}
    kept = {own: max(value, 0.0) if value > 1e-9 else 0.0 for own, value in found.items()}
    whole = sum(kept.values())
    return {own: value / whole if whole else 0.0 for own, value in kept.items()}


@given(pairs, pairs, weightings)
def test_shares_of_the_variance(first: dict[Term, float], second: dict[Term, float], weights: Array | None) -> None:
    """The shares are covariances with the sum, whatever the link; sets that only one model has have the share 0."""
    models = model_of(first), model_of(second, "log")
    found = variance_sets(*models, ALL, weights)
    wanted = [covariances(model, weights) for model in models]
    assert {frozenset(each.options) for each in found.sets} == wanted[0].keys() | wanted[1].keys()
    for each in found.sets:
        shares = [own.get(frozenset(each.options), 0.0) for own in wanted]
        assert (each.first, each.second) == pytest.approx(shares, abs=1e-6)
    assert found.overlap is None or 0 <= found.overlap <= 1


@given(pairs, pairs)
def test_the_overlap(first: dict[Term, float], second: dict[Term, float]) -> None:
    """The overlap is 1 for a model with itself, symmetric, 0 without a common set, and the same in another unit."""
    one, other = model_of(first), model_of(second, "log")
    there, back = variance_sets(one, other, ALL).overlap, variance_sets(other, one, ALL).overlap
    assert there == (None if back is None else pytest.approx(back))
    own = variance_sets(one, dataclasses.replace(one, link="log"), ALL).overlap
    assert own is None or own == pytest.approx(1)
    scaled = variance_sets(one.scaled(1e200), other.scaled(1e9), ALL).overlap
    assert scaled == (None if there is None else pytest.approx(there, abs=1e-6))
    if not {t.options for t, i in one.terms if i} & {t.options for t, i in other.terms if i}:
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
    terms = {CONSTANT: 0.5, A: 0.25, X: 0.125}
    found = compare(model_of(terms), model_of(terms, "log"), ALL)
    assert not found.same_link
    assert (found.hybrid, found.semantic is None) == (None, False)
    assert found.option_sets is not None
    assert found.option_sets.of == "variance"
    assert found.option_sets.overlap == pytest.approx(1)
    assert compare(model_of(terms), model_of(terms), ALL).same_link
    assert compare(model_of(terms), model_of(terms)).option_sets is None


@pytest.mark.parametrize(
    ("shares", "overlap"),
    [
        ([(0.5, 0.25), (0.5, 0.75)], 0.75),
        ([(1.0, 0.0), (0.0, 1.0)], 0.0),
        ([(0.0, 1.0)], None),
        ([], None),
    ],
)
def test_overlaps(shares: list[tuple[float, float]], overlap: float | None) -> None:
    """The overlap is the sum of the smaller shares; it is undefined if a model has no shares."""
    sets = tuple(SetShare((str(at),), *pair) for at, pair in enumerate(shares))
    assert OptionSets("mean", sets).overlap == overlap
