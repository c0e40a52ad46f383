"""Comparisons of two and of several models, and their results: scores, summaries, and tables."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from comparison import ComparedModel, Comparison, compare, compare_all, compared_model
from comparison.option_sets import variance_sets
from comparison.result import ClassScore, Comparisons, Judged, SemanticComparison, SyntacticComparison, TermScore
from comparison.semantic import compare_values
from comparison.syntactic import compare_terms
from splc.data.configurations import Configurations
from splc.formats.models.text import parse_model_text
from splc.io.files import Source
from splc.models.influence import InfluenceModel
from splc.models.parameters import Parameters, ParameterTable, Quantity
from splc.models.terms import CONSTANT, option_term
from splc.system.options import NumericOption
from splc.system.variability import VariabilityModel
from tests.support.golden_messages import Lines, check_calls, shown

SYSTEM = VariabilityModel("s", (NumericOption("x", (1.0, 2.0, 3.0, 4.0)), NumericOption("y", (0.0, 1.0, 5.0))))
ALL = Configurations.from_columns(SYSTEM, {"x": [1, 2, 3, 4] * 3, "y": [0] * 4 + [1] * 4 + [5] * 4})
TERMS = ("1", "x", "y", "x^2", "log10(x)", "x * y", "log10(x) * y", "y^2")


def model(text: str, parameters: Parameters | None = None) -> InfluenceModel:
    """Return the model that a text is."""
    return parse_model_text(Source("model.txt", text.encode()), SYSTEM, parameters)


@st.composite
def models(draw: st.DrawFn) -> InfluenceModel:
    """Models of a few terms with positive influences."""
    names = draw(st.lists(st.sampled_from(TERMS), min_size=1, max_size=5, unique=True))
    return model(" + ".join(f"{draw(st.integers(1, 9))} * {name}" for name in names))


@given(models(), models())
def test_it_is_what_its_parts_say(first: InfluenceModel, second: InfluenceModel) -> None:
    """The semantic part compares the predictions of both models, the shares of classes add up to 1."""
    found = compare(first, second, ALL, names=("a", "b"))
    assert (found.first, found.second) == ("a", "b")
    assert found.semantic == compare_values(first.predict(ALL), second.predict(ALL), powers=(1.0, 2.0, 3.0))
    assert found.hybrid is not None
    assert sum(share.weight for share in found.hybrid.classes) == pytest.approx(1)
    assert 0 <= found.hybrid.syntactic <= 1
    assert 0 <= found.hybrid.semantic <= 1


BAND, WIDE = np.array([[1.0], [2.0]]) * np.ones(len(ALL)), np.array([[0.0], [10.0]]) * np.ones(len(ALL))
ROWS = ParameterTable("x", tuple((float(x), Quantity.exactly(10.0 * x)) for x in (1, 2, 3, 4)))
NAMES = {"TABLED": model("alpha * y", Parameters({"alpha": ROWS})), "BAND": BAND, "WIDE": WIDE, "ALL": ALL}
NAMES |= {"STRANGER": parse_model_text(Source("other.txt", b"3 * z"))}


def log(text: str) -> InfluenceModel:
    """Return a model of the logarithm."""
    return replace(model(text), link="log")


def of(name: str, text: str = "x", **more: Any) -> ComparedModel:
    """Return a model in a comparison."""
    return replace(compared_model(name, model(text)), **more)


def pair(found: Comparison) -> Lines:
    """Return what a comparison of two models says: scores, counts, shares, intervals."""
    influences = [(term.first, term.second) for group in found.syntactic.classes for term in group.terms]
    semantic = found.semantic
    values = None if semantic is None else [semantic.values[key] for key in ("error_rate", "chebyshev")]
    counted = None if semantic is None else semantic.configurations
    width = None if found.intervals is None else found.intervals.width
    shares = f"{found.hybrid is not None} {found.option_sets is not None} {found.same_link}"
    return Lines(f"{found.first}, {found.second}: {influences}, {counted}: {shown(values)}, shares {shares}, {width}")


def whole(*models: ComparedModel, measured: list[float] | None = None, on: Any = ALL, **settings: Any) -> Lines:
    """Return comparisons of several models with each other, and with the values that were measured first."""
    values = None if measured is None else np.array([*measured, *[np.nan] * (len(ALL) - len(measured))])
    found = compare_all(models, on, measured=values, **settings)
    lines = [f"{found.constant}, {found.weights}, {found.level}", *map(pair, found.comparisons)]
    for each in found.judged:
        rate = shown(each.semantic.values["error_rate"])
        lines.append(f"{each.model} measured: {each.semantic.configurations}, {rate}, {each.covered}")
    return Lines("\n".join(lines))


def test_parts_and_settings() -> None:
    """Comparisons, judgements, settings and refusals are those of the golden file."""
    calls = (pair, whole, of, model, log, compare, compare_all)
    check_calls("compared-models", *calls, ones=np.ones, **NAMES)


@pytest.mark.parametrize("constant", [True, False])
def test_the_constant_counts_if_it_is_asked_for(constant: bool) -> None:
    """Without the constant, models that differ in it only have equal terms."""
    first, second = model("1 + 2 * x"), model("5 + 2 * x")
    expected = compare_terms(first, second, constant=constant)
    assert compare(first, second, constant=constant).syntactic == expected
    assert (expected.normalized == 1) == (not constant)


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
    products = [(option_term(a) * option_term(b), 1.0) for a, b in ("am", "az", "mz")]
    model = InfluenceModel.of_system(products, system, link)
    everything = Configurations(system, np.array([[i >> 2 & 1, i >> 1 & 1, i & 1] for i in range(8)]))
    pairs = [("z", "m"), ("z", "a"), ("m", "a")]
    found = [each.options for each in variance_sets(model, model, everything).sets if len(each.options) < 3]
    assert found == ([("z",), ("m",), ("a",), *pairs] if link == "identity" else pairs)
    compared = compare_all([compared_model("a", model), compared_model("b", model)], everything).comparisons[0]
    assert compared.hybrid is not None
    assert [each.options for each in compared.hybrid.classes] == pairs
