"""Numbers in the place of parameters."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, reject
from hypothesis import strategies as st

from splc.data.configurations import Configurations
from splc.errors import ExpressionError, SplcError
from splc.formats.models.text import parse_model_text
from splc.io.files import Source
from splc.models.binding import bound
from splc.models.influence import EvaluationError, InfluenceModel
from splc.models.parameters import Parameters, ParameterTable, Quantity
from splc.models.terms import option_term
from splc.system.options import BinaryOption, NumericOption
from splc.system.variability import VariabilityModel
from tests.support.golden_messages import check_messages
from tests.support.strategies import all_assignments

SYSTEM = VariabilityModel(
    "system", (BinaryOption("b"), NumericOption("x", (1.0, 2.0, 4.0, 8.0)), NumericOption("y", (-1.0, 1.0, 3.0)))
)
ROWS = all_assignments(SYSTEM)
ONE = Quantity.exactly
PARAMETERS = Parameters(
    {
        "f": ONE(0.5),
        "alpha": ParameterTable("nodes", ((1.0, ONE(3.0)), (2.0, ONE(0.25)), (3.0, ONE(1.0)), (4.0, ONE(8.0)))),
        "beta": ParameterTable("x", ((1.0, ONE(0.0)), (2.0, ONE(-1.0)), (4.0, ONE(2.0)), (8.0, ONE(1.0)))),
        "gamma": Quantity(2.0, 1.5, 2.5),
    },
    {"nodes": "ceil(x * (y + 1) / 8)"},
)

texts = st.recursive(
    st.sampled_from(["x", "y", "b", "f", "alpha", "beta", "gamma", "alpha", "2", "1"]),
    lambda inner: st.one_of(
        st.builds("({} + {})".format, inner, inner),
        st.builds("({} - {})".format, inner, inner),
        st.builds("({} * {})".format, inner, inner),
        st.builds("({} / {})".format, inner, inner),
        st.builds("{}({})".format, st.sampled_from(["log2", "sqrt", "ceil"]), inner),
        st.builds("({})^{}".format, inner, st.sampled_from(["2", "-1", "(1/3)", "alpha", "gamma", "x"])),
    ),
    max_leaves=6,
)


def model_of(text: str, parameters: Parameters = PARAMETERS) -> InfluenceModel:
    """Return the model of a text."""
    return parse_model_text(Source("model.txt", text.encode()), SYSTEM, parameters)


def keyed(x: float, nodes: float) -> Configurations:
    """Return the configurations with this x and this number of nodes."""
    columns = ROWS.column("x"), ROWS.column("y")
    return ROWS[np.flatnonzero((columns[0] == x) & (np.ceil(columns[0] * (columns[1] + 1) / 8) == nodes))]


@given(texts, st.sampled_from([(2.0, 1.0), (4.0, 1.0), (4.0, 2.0), (8.0, 2.0), (8.0, 4.0)]))
def test_bound_predicts_what_the_table_does(text: str, key: tuple[float, float]) -> None:
    """A model bound to a row predicts the same as with its tables where they have that row."""
    x, nodes = key
    rows = keyed(x, nodes)
    try:
        model = model_of(text)
        at = {parameter.by: {"nodes": nodes, "x": x}[parameter.by] for parameter in model.parameters if parameter.keys}
        number = bound(model, at)
        expected, contributions = model.predict(rows), number.contributions(rows)
    except (ExpressionError, EvaluationError):
        reject()
    assert not number.parameters
    scale = 1 + np.abs(contributions).sum(axis=1) + np.abs(model.contributions(rows)).sum(axis=1)
    np.testing.assert_array_less(np.abs(contributions.sum(axis=1) - expected), 1e-9 * scale)


def test_the_middle_row_is_the_default() -> None:
    """By default, the middle row of a table and the value of an interval are used."""
    assert bound(model_of("alpha * x + gamma")).influences == model_of("1 * x + 2").influences
    assert bound(model_of("alpha * x"), {" no des": 4}).influences == {option_term("x"): 8.0}


def test_bound_is_the_model_with_the_numbers_in_its_text() -> None:
    """Binding gives the same terms as numbers written in the text, also in subexpressions."""
    text = "x / (alpha * x + gamma) + log2(alpha + x) + alpha^(1/2) * x^gamma + ceil(alpha * x) * gamma"
    text += " + y * [alpha * x > 8]"
    numbers = Parameters.of({"alpha": 8.0, "gamma": 2.0})
    found = bound(model_of(text), {"nodes": 4})
    expected = model_of(text, numbers)
    assert [term for term, _ in found.terms] == [term for term, _ in expected.terms]
    assert found.influences == pytest.approx(expected.influences)
    assert {each.name for each in found.derived} == {each.name for each in expected.derived}


def test_a_parameter_of_zero_leaves_its_term() -> None:
    """A term whose parameter is 0 in the row remains in the model with influence 0."""
    assert bound(model_of("beta * y + 1"), {"x": 1}).influences[option_term("y")] == 0.0


def test_roots_of_squares() -> None:
    """The root of a square that remains after binding is not negative if the option is."""
    model = model_of("sqrt((beta * y)^2)")
    rows = ROWS[np.flatnonzero(ROWS.column("x") == 2.0)]
    assert model.predict(rows).tolist() == np.abs(rows.column("y")).tolist()
    assert bound(model, {"x": 2}).predict(rows).tolist() == np.abs(rows.column("y")).tolist()


def test_no_parameters() -> None:
    """A model without parameters is returned as it is."""
    model = model_of("x / (y + f)")
    assert bound(model) is model


def test_rows_that_cannot_be_used() -> None:
    """Names without a table, missing rows, and rows without a value are refused with their names."""
    check_messages("used-rows", lambda text: bound(model_of("alpha / beta"), json.loads(text)))


@given(texts, st.floats(-4, 4))
def test_scaled(text: str, factor: float) -> None:
    """A scaled model predicts the scaled values."""
    try:
        model = model_of(text)
        expected = model.predict(ROWS) * factor
    except SplcError:
        reject()
    scale = 1 + np.abs(model.contributions(ROWS)).sum(axis=1) * abs(factor)
    np.testing.assert_array_less(np.abs(model.scaled(factor).predict(ROWS) - expected), 1e-9 * scale)
