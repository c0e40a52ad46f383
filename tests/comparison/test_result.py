"""Results of comparisons: scores of several terms, summaries, and tables."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from comparison import compare_all, compared_model
from comparison.option_sets import variance_sets
from comparison.result import (
    ClassScore,
    ClassShare,
    Comparison,
    Comparisons,
    HybridComparison,
    Judged,
    OptionSets,
    SemanticComparison,
    SetShare,
    SyntacticComparison,
    TermScore,
)
from splc.data.configurations import Configurations
from splc.models.influence import InfluenceModel
from splc.models.terms import CONSTANT, option_term
from splc.system.options import NumericOption
from splc.system.variability import VariabilityModel

X, Y = option_term("x"), option_term("y")
SAME = TermScore(CONSTANT, "1", 2.0, "same", 3.0, 3.0)
CLOSE = TermScore(X, "x", 1.5, "different", 2.0, 1.0)
OPPOSITE = TermScore(Y, "y", 1.0, "opposite sign", 2.0, -1.0)
MISSING = TermScore(X * Y, "x * y", -2.0, "no class", None, 4.0)
SYNTACTIC = SyntacticComparison(
    (
        ClassScore((), (SAME,)),
        ClassScore(("x",), (CLOSE,)),
        ClassScore(("y",), (OPPOSITE,)),
        ClassScore(("x", "y"), (MISSING,)),
    )
)
SEMANTIC = SemanticComparison(1200, {"error_rate": 12.3456789, "cosine": None, "jaccard": 0.5}, {})


def test_scores() -> None:
    """The score of u terms is their sum, in [-2u, 2u]; normalised it is (score + 2u) / 4u."""
    assert (SYNTACTIC.terms, SYNTACTIC.score, SYNTACTIC.lower, SYNTACTIC.upper, SYNTACTIC.opposite) == (
        4,
        2.5,
        -8,
        8,
        1,
    )
    assert SYNTACTIC.normalized == (2.5 + 8) / 16
    assert [each.normalized for each in SYNTACTIC.classes] == [1.0, 3.5 / 4, 3 / 4, 0.0]
    assert SyntacticComparison(()).normalized is None


unit = st.floats(0, 1)


@given(st.lists(st.tuples(unit, unit, unit), max_size=5))
def test_weighted_means(rows: list[tuple[float, float, float]]) -> None:
    """Hybrid scores are sums of similarities times weights, at most 1."""
    found = HybridComparison(tuple(ClassShare((), 0.5, 0.5, weight, one, two) for weight, one, two in rows))
    assert found.syntactic == pytest.approx(min(1.0, math.fsum(weight * one for weight, one, _ in rows)))
    assert found.semantic == pytest.approx(min(1.0, math.fsum(weight * two for weight, _, two in rows)))


@given(st.lists(st.tuples(unit, unit), max_size=5))
def test_overlap(shares: list[tuple[float, float]]) -> None:
    """The overlap is the sum of the smaller shares, at most 1, undefined for a model without shares."""
    found = OptionSets("mean", tuple(SetShare((str(at),), *pair) for at, pair in enumerate(shares)))
    if not any(one for one, _ in shares) or not any(two for _, two in shares):
        assert found.overlap is None
    else:
        assert found.overlap == pytest.approx(min(1.0, math.fsum(map(min, shares))))


def test_summary_of_a_comparison() -> None:
    """The summary states the score, terms of opposite sign, and the measures that are defined."""
    lines = (
        "a compared with b",
        "syntactic: 0.656 of 1 (4 terms in either, 1 of opposite sign)",
        "semantic: error_rate 12.3457, jaccard 0.5, on 1,200 configurations",
    )
    assert Comparison("a", "b", SYNTACTIC, SEMANTIC).summary() == "\n".join(lines)
    assert Comparison("a", "b", SYNTACTIC).summary() == "\n".join(lines[:2])
    other_link = Comparison("a", "b", SYNTACTIC, same_link=False)
    assert other_link.summary() == lines[0]
    assert Comparison("a", "b", SyntacticComparison((ClassScore((), (SAME,)),))).summary() == (
        "a compared with b\nsyntactic: 1 of 1 (1 term in either)"
    )


def test_table_of_a_comparison() -> None:
    """Each term of either model is a row, with its class, influences and score."""
    assert Comparison("a", "b", SYNTACTIC).to_columns() == {
        "options": ["", "x", "y", "x, y"],
        "term": ["1", "x", "y", "x * y"],
        "first": [3.0, 2.0, 2.0, None],
        "second": [3.0, 1.0, -1.0, 4.0],
        "found": ["same", "different", "opposite sign", "no class"],
        "score": [2.0, 1.5, 1.0, -2.0],
    }


def test_several_comparisons() -> None:
    """The summary and the table have each comparison, and each model against the measurements."""
    system = VariabilityModel("s", (NumericOption("x", (1.0, 2.0)),))
    model = InfluenceModel.of_system([(X, 1.0)], system)
    models = tuple(compared_model(name, model) for name in ("a", "b", "c"))
    pairs = (Comparison("a", "b", SYNTACTIC, SEMANTIC), Comparison("a", "c", SyntacticComparison(())))
    judged = (Judged("a", SEMANTIC), Judged("b", SemanticComparison(0, {"error_rate": None}, {})))
    found = Comparisons(models, pairs, judged, "time")
    lines = found.summary().split("\n")
    assert lines[1:] == [
        *pairs[0].summary().split("\n"),
        *pairs[1].summary().split("\n"),
        "a against time: mean relative error 12.3 %",
        "b against time: mean relative error undefined",
    ]
    assert found.to_columns() == {
        "first": ["a", "a"],
        "second": ["b", "c"],
        "syntactic": [10.5 / 16, None],
        "error_rate": [12.3456789, None],
        "cosine": [None, None],
        "jaccard": [0.5, None],
    }


@pytest.mark.parametrize("link", ["identity", "log"])
def test_sets_in_the_order_of_the_system(link: Literal["identity", "log"]) -> None:
    """Sets of options and their options are in the order of the system, smaller sets first."""
    system = VariabilityModel("s", tuple(NumericOption(name, (1.0, 2.0)) for name in ("z", "m", "a")))
    terms = [(option_term(one) * option_term(two), 1.0) for one, two in (("a", "m"), ("a", "z"), ("m", "z"))]
    model = InfluenceModel.of_system(terms, system, link)
    everything = Configurations(system, np.array([[i >> 2 & 1, i >> 1 & 1, i & 1] for i in range(8)]))
    expected = [("z", "m"), ("z", "a"), ("m", "a")]
    found = [each.options for each in variance_sets(model, model, everything).sets if len(each.options) == 2]
    assert found == expected
    assert [each.options for each in variance_sets(model, model, everything).sets if len(each.options) == 1] == (
        [("z",), ("m",), ("a",)] if link == "identity" else []
    )
    compared = compare_all([compared_model("a", model), compared_model("b", model)], everything).comparisons[0]
    assert compared.hybrid is not None
    assert [each.options for each in compared.hybrid.classes] == expected
