"""Models compared as wholes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from comparison import ComparedModel, Comparison, compare, compare_all, compared_model
from comparison.semantic import compare_values
from comparison.syntactic import compare_terms
from splc.data.configurations import Configurations
from splc.formats.models.text import parse_model_text
from splc.io.files import Source
from splc.models.influence import InfluenceModel
from splc.models.parameters import Parameters, ParameterTable, Quantity
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
