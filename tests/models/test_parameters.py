"""Machine parameters, what they stand for in a text, and models in which numbers replace them."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, reject
from hypothesis import strategies as st

from splc.arithmetic.tokens import FUNCTIONS
from splc.data.configurations import Configurations
from splc.errors import ExpressionError, SplcError
from splc.formats.models.read import parse_parameters
from splc.formats.models.text import parse_model_text
from splc.io.files import Source
from splc.models.influence import EvaluationError, InfluenceModel
from splc.models.parameters import Parameters, ParameterTable, Quantity, symbol, wrong_name
from splc.models.terms import CONSTANT, option_term
from splc.models.text.reader import bound, expand_model
from splc.system.options import BinaryOption, NumericOption
from splc.system.variability import VariabilityModel
from tests.support.golden_messages import check_calls, check_messages
from tests.support.strategies import all_assignments

NAMES = {name: name for name in ("x", "y")}
ONE = Quantity.exactly
X = option_term("x")
TABLE = ParameterTable("nodes", ((1.0, ONE(2.0)), (4.0, ONE(3.0))))


@given(
    st.dictionaries(st.floats(-1e6, 1e6), st.floats(-9, 9), min_size=1, max_size=6),
    st.lists(st.floats(-1e6, 1e6), max_size=5),
)
def test_tables_are_looked_up(rows: dict[float, float], others: list[float]) -> None:
    """A table has the value of the row for a key, and NaN without a row for it."""
    table = ParameterTable("x", tuple((key, ONE(value)) for key, value in sorted(rows.items())))
    wanted = [*rows, *others]
    found = symbol("alpha", table, ((option_term("x"), 1.0),)).values(lambda _: np.array(wanted))
    for key, value in zip(wanted, found, strict=True):
        near = [row for at, row in rows.items() if math.isclose(at, key, rel_tol=1e-9)]
        assert value in near if near else math.isnan(value)


def test_undetermined_quantities_are_not_exact() -> None:
    """Undetermined numbers remain names in models, as intervals do."""
    exact = [each.is_exact for each in (ONE(3.0), Quantity.undetermined(3.0), Quantity(2.0, 1.0, 4.0))]
    assert exact == [True, False, False]
    found = expand_model("x * a + y * b", NAMES, Parameters({"a": Quantity.undetermined(3.0), "b": ONE(2.0)}))
    assert [parameter.name for parameter in found.derived] == ["a"]


def test_changed() -> None:
    """Changed parameters replace parameters and expressions of the same name, and keep the others."""
    found = Parameters({"a": TABLE, "b": ONE(1.0)}, {"nodes": "x"}).changed({"a": 3, "c": Quantity(1.0, 0.0, 2.0)})
    assert found.quantities == {"a": ONE(3.0), "b": ONE(1.0), "c": Quantity(1.0, 0.0, 2.0)}
    assert found.names == ("a", "b", "c", "nodes")


def test_names() -> None:
    """The name of a parameter may contain points and hyphens, but is no number, function or arithmetic."""
    check_calls("parameter-names", wrong_name)
    for name in ("alpha", "t_s", "rc-latency", "größe"):
        assert expand_model(f"2 * {name} * x", NAMES, Parameters({name: ONE(3.0)})).expansion == {X: 6.0}
    for name in ("", "a+b", "2x", *FUNCTIONS):
        with pytest.raises(ExpressionError):
            expand_model("x", NAMES, Parameters({name: ONE(1.0)}))


def test_parameters_that_remain_names() -> None:
    """Plain numbers are replaced; tables, numbers with intervals, and the given symbols remain names."""
    found = Parameters(
        {"f": ONE(2.0), "g": ONE(5.0), "i": Quantity(1.0, 0.0, 2.0), "alpha": TABLE}, {"nodes": "ceil(x / 2)"}
    )
    expanded = expand_model("f * x + g + i * x + alpha", NAMES, found, symbols=["g"])
    others = {option_term("g"): 1.0, option_term("i") * X: 1.0, option_term("alpha"): 1.0}
    assert expanded.expansion == {X: 2.0, **others}
    assert [each.name for each in expanded.derived] == ["alpha", "ceil(0.5 * x)", "g", "i"]
    assert expanded.used == {"f", "g", "i", "alpha"}


def test_the_place_of_a_parameter_does_not_matter() -> None:
    """Parameters with the same values from two files give equal models."""
    values = {"i": Quantity(1.0, 0.0, 2.0)}
    first, second = (
        expand_model("i * x", NAMES, Parameters(values, {}, file, {"i": line})) for file, line in (("a", 1), ("b", 2))
    )
    assert first.derived == second.derived
    assert first.derived[0] is not second.derived[0]


def test_expressions_are_made_of_others() -> None:
    """Expressions, also those of tables, may use numbers and other expressions in any order."""
    found = Parameters(
        {"cores": ONE(4.0), "alpha": ParameterTable("nodes * 2", TABLE.rows)},
        {"nodes": "ceil(all / cores)", "all": "x * y"},
    )
    assert expand_model("all", NAMES, found).expansion == {option_term("x") * option_term("y"): 1.0}
    assert [each.name for each in expand_model("alpha", NAMES, found).derived] == ["alpha", "ceil(0.25 * x * y)"]
    assert expand_model("nodes", NAMES, found.changed({"all": 8})).expansion == {CONSTANT: 2.0}


def test_wrong_parameters() -> None:
    """A problem of a parameter has its file and line, even if the text does not use it."""

    def reject(text: str) -> None:
        expand_model("y", NAMES, parse_parameters(Source("p.toml", text.encode())))

    check_messages("parameters", reject)


@pytest.mark.parametrize(("given", "place"), [("--parameter", "--parameter"), ("", None)])
def test_parameters_that_are_not_in_the_file(given: str, place: str | None) -> None:
    """A problem of a parameter that is not from the file does not have the file's name."""
    known = Parameters({"alpha": ONE(1.0), "x": ONE(1.0)}, {}, "p.toml", {"alpha": 1, "x": 2})
    with pytest.raises(ExpressionError) as caught:
        expand_model("y", NAMES, known.changed({"x": 3.0}, given))
    problem = caught.value.problems[0]
    assert problem.message == "the parameter 'x' has the name of an option"
    assert (problem.file, problem.line) == (place, None)


def test_a_parameter_with_another_spelling_of_an_option() -> None:
    """If the name of a parameter is another spelling of an option, the message names the option."""
    with pytest.raises(ExpressionError, match=r"'ab' has the name of an option \(another spelling of 'a-b'\)"):
        expand_model("y", {"y": "y", "a-b": "a-b", "ab": "a-b"}, Parameters({"ab": ONE(1.0)}))


def test_functions_of_models_in_parameters() -> None:
    """An expression of the options may use all functions of model text, such as max."""
    found = Parameters({}, {"most": "max(x, 2 * y)"})
    assert expand_model("most", NAMES, found) == replace(expand_model("max(x, 2 * y)", NAMES), used=frozenset({"most"}))


def test_without_a_system_as_well() -> None:
    """Without the names of options, cyclic parameters and tables over parameters are refused, too."""
    for by in ("alpha", "beta"):
        with pytest.raises(ExpressionError, match=r"itself|over the parameter"):
            expand_model(
                "y",
                None,
                Parameters({"alpha": ParameterTable(by, TABLE.rows), "beta": ParameterTable("x", TABLE.rows)}),
            )


def test_long_chains() -> None:
    """Thousands of expressions, each in terms of the previous one, are expanded; in reverse order they are refused."""
    chain = [("a0", "x"), *((f"a{i + 1}", f"a{i} + 1") for i in range(2000))]
    expected = {option_term("x"): 1.0, CONSTANT: 2000.0}
    assert expand_model("a2000", NAMES, Parameters({}, dict(chain))).expansion == expected
    with pytest.raises(ExpressionError, match="levels deep"):
        expand_model("a2000", NAMES, Parameters({}, dict(reversed(chain))))


def test_numbers_must_be_finite() -> None:
    """Parameters that are not finite are refused, all at once."""
    with pytest.raises(ExpressionError) as caught:
        Parameters.of({"a": math.inf, "b": 1.0, "c": math.nan})
    assert len(caught.value.problems) == 2


SYSTEM = VariabilityModel(
    "system", (BinaryOption("b"), NumericOption("x", (1.0, 2.0, 4.0, 8.0)), NumericOption("y", (-1.0, 1.0, 3.0)))
)
ROWS = all_assignments(SYSTEM)
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
