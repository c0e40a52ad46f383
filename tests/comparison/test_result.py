"""Results of comparisons: scores of several terms, summaries, and tables."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pytest

from comparison import compare_all, compared_model
from comparison.option_sets import variance_sets
from comparison.result import (
    ClassScore,
    Comparison,
    Comparisons,
    Judged,
    SemanticComparison,
    SyntacticComparison,
    TermScore,
)
from splc.data.configurations import Configurations
from splc.models.influence import InfluenceModel
from splc.models.terms import CONSTANT, option_term
from splc.system.options import NumericOption
from splc.system.variability import VariabilityModel
from tests.support.golden_messages import Lines, check_calls

X, Y = option_term("x"), option_term("y")
SCORES = {
    (): TermScore(CONSTANT, "1", 2.0, "same", 3.0, 3.0),
    ("x",): TermScore(X, "x", 1.5, "different", 2.0, 1.0),
    ("y",): TermScore(Y, "y", 1.0, "opposite sign", 2.0, -1.0),
    ("x", "y"): TermScore(X * Y, "x * y", -2.0, "no class", None, 4.0),
}


def terms(count: int = 4) -> SyntacticComparison:
    """Return the comparison of the terms of some classes."""
    return SyntacticComparison(tuple(ClassScore(options, (score,)) for options, score in [*SCORES.items()][:count]))


def values(configurations: int = 1200, **measures: float | None) -> SemanticComparison:
    """Return the comparison of predictions with these values."""
    return SemanticComparison(
        configurations, measures or {"error_rate": 12.3456789, "cosine": None, "jaccard": 0.5}, {}
    )


def summary(found: Comparison | Comparisons) -> Lines:
    """Return the summary and the table of a result."""
    return Lines("\n".join([found.summary(), *(f"  {name}: {[*cells]}" for name, cells in found.to_columns().items())]))


def several(*pairs: Comparison, judged: tuple[Judged, ...]) -> Comparisons:
    """Return comparisons of three models."""
    model = InfluenceModel.of_system([(X, 1.0)], VariabilityModel("s", (NumericOption("x", (1.0, 2.0)),)))
    return Comparisons(tuple(compared_model(name, model) for name in "abc"), pairs, judged, "time")


def test_results() -> None:
    """Scores, summaries and tables are those of the golden file."""
    check_calls("comparisons", terms, values, summary, several, Comparison, Judged)


@pytest.mark.parametrize("link", ["identity", "log"])
def test_sets_in_the_order_of_the_system(link: Literal["identity", "log"]) -> None:
    """Sets of options and their options are in the order of the system, smaller sets first."""
    system = VariabilityModel("s", tuple(NumericOption(name, (1.0, 2.0)) for name in "zma"))
    model = InfluenceModel.of_system(
        [(option_term(a) * option_term(b), 1.0) for a, b in ("am", "az", "mz")], system, link
    )
    everything = Configurations(system, np.array([[i >> 2 & 1, i >> 1 & 1, i & 1] for i in range(8)]))
    pairs = [("z", "m"), ("z", "a"), ("m", "a")]
    found = [each.options for each in variance_sets(model, model, everything).sets if len(each.options) < 3]
    assert found == ([("z",), ("m",), ("a",), *pairs] if link == "identity" else pairs)
    compared = compare_all([compared_model("a", model), compared_model("b", model)], everything).comparisons[0]
    assert compared.hybrid is not None
    assert [each.options for each in compared.hybrid.classes] == pairs
