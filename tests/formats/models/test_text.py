"""Model text from files: errors have the file, line and column."""

from __future__ import annotations

import keyword
import math
import re
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from splc.data.configurations import Configurations
from splc.errors import InputError
from splc.formats.models.stored_model import facts_text
from splc.formats.models.text import (
    base2,
    latex_text,
    log2_text,
    parse_model,
    parse_model_text,
    python_names,
    python_text,
)
from splc.io.files import Source
from splc.models.influence import InfluenceModel
from splc.models.parameters import Parameters, ParameterTable, Quantity
from splc.models.terms import CONSTANT, Factor, log_term, product_of
from splc.scaling import fit
from splc.system.options import BinaryOption, NumericOption
from splc.system.variability import VariabilityModel
from tests.support.examples import examples
from tests.support.format_strategies import mutated
from tests.support.golden_messages import check_calls

SYSTEM = VariabilityModel(
    "system", (BinaryOption("b"), NumericOption("nx", (1.0, 2.0)), NumericOption("ny", (1.0, 4.0)))
)
SIGNED = VariabilityModel(
    "signed", (NumericOption("dx", (-8.0, 2.0)), NumericOption("dy", (-2.0, 8.0))), observed=("t",)
)
ALPHA = Parameters({"alpha": Quantity.exactly(2.0)}, {}, "p.toml", {"alpha": 3})
GOOD = "# model\nf = alpha * (nx +  # one\n  ny)\nT = f / (nx + 1) + log2(nx * `ny`) - 2.5e-3 * b^2\n"


def parsed(text: str | bytes, parameters: Parameters | None = ALPHA) -> InfluenceModel:
    """Return the model that a text is."""
    source = Source("m.txt", text if isinstance(text, bytes) else text.encode())
    return parse_model_text(source, SYSTEM, parameters)


@pytest.mark.parametrize(
    "text", ["log(nx * " * 60 + "nx" + ")" * 60, "1 / (nx + " * 60 + "ny" + ")" * 60, "nx^nx^ny^nx"]
)
def test_deep_subexpressions(text: str) -> None:
    """A text that is nested within the limits is a model that predicts and reads back."""
    model = parsed(text)
    assert model.text == parsed(model.text).text


def test_a_long_sum() -> None:
    """A sum of 2,000 addends with a subexpression in each is read."""
    assert parsed(" + ".join(["1 / (nx + 1)"] * 2_000)) == parsed("2000 / (1 + nx)")


@given(st.binary(max_size=60) | mutated(GOOD, "()/^=`\n#x-"))
def test_only_input_errors(content: bytes) -> None:
    """Any bytes are a model whose text reads back, or refused as bad input with its file."""
    try:
        model = parsed(content)
    except InputError as caught:
        error = caught
    else:
        assert [term for term, _ in parsed(model.text).terms] == [term for term, value in model.terms if value != 0]
        return
    assert all(problem.file in ("m.txt", "p.toml") for problem in error.problems)


NAMES = ("x", "y1", "rc-lookahead", "alpha", "math", "lambda", "7zip", "a_b", "a-b", "größe", "µ", "100%", "\\x^{", "ﬁ")
NOTATION_SYSTEM = VariabilityModel("s", tuple(NumericOption(name, (0.25, 1.0, 2.0, 7.0, 64.0)) for name in NAMES))
exponents = st.one_of(
    st.integers(-2, 3), st.fractions(-2, 3, max_denominator=6).map(lambda value: int(value) if value == 1 else value)
)
influences = st.floats(-1e6, 1e6).filter(lambda value: value == 0 or abs(value) > 1e-6)


@st.composite
def models(draw: st.DrawFn, names: tuple[str, ...] = NAMES, link: bool = True) -> InfluenceModel:
    """Draw a model of a few terms; logarithms have whole exponents that are defined everywhere."""
    factor = st.builds(Factor, st.sampled_from(names), exponents, st.integers(0, 3))
    term = st.lists(factor, max_size=3, unique_by=lambda f: f.option).map(product_of)
    terms = draw(st.lists(st.tuples(term, influences), max_size=4))
    model = InfluenceModel.from_terms(terms, NAMES)
    if not (link and draw(st.booleans())):
        return model
    # An exponential of more than a few hundred overflows.
    largest = np.abs(model.contributions(configurations())).sum(axis=1).max()
    return replace(model.scaled(min(1.0, 20 / largest) if largest else 1.0), link="log")


def configurations() -> Configurations:
    """Return some configurations of the system."""
    rng = np.random.default_rng(3)
    return Configurations(NOTATION_SYSTEM, rng.integers(0, 5, (20, len(NAMES))).astype(np.int32))


def values(model: InfluenceModel, at: Configurations) -> np.ndarray:
    """Return what Python makes of the expression of a model."""
    names, text = python_names(model), python_text(model)
    columns = {names[name]: at.column(name) for name in model.order}
    rows = [{name: float(column[row]) for name, column in columns.items()} for row in range(len(at))]
    return np.array([eval(text, {"math": math}, row) for row in rows])  # noqa: S307


@examples(50)
@given(model=models())
def test_python_has_the_models_values(model: InfluenceModel) -> None:
    """The expression has the value that the model predicts; each option is a variable, named as it is if Python can."""
    at, names = configurations(), python_names(model)
    expected = model.predict(at)
    sizes = np.abs(model.contributions(at)).sum(axis=1) if model.link == "identity" else expected
    assert (np.abs(values(model, at) - expected) <= 1e-12 * sizes + 1e-300).all()
    assert len(set(names.values())) == len(names) == len(NAMES)
    assert all(name.isidentifier() and not keyword.iskeyword(name) for name in names.values())
    assert names["x"] == "x"
    assert not {"math", "np"} & set(names.values())


@examples(50)
@given(model=models(("x", "y1", "a_b", "rc-lookahead"), link=False))
def test_text_reads_back(model: InfluenceModel) -> None:
    """Model text with log2 reads back as the same model, apart from roundings."""
    again = parse_model_text(Source("m", log2_text(model).encode()), NOTATION_SYSTEM)
    expected = {term: influence for term, influence in model.terms if influence != 0}
    assert set(again.influences) - {CONSTANT} == set(expected) - {CONSTANT}
    for term, influence in expected.items():
        assert again.influences[term] == pytest.approx(influence, rel=1e-13)


SCALE = math.log10(2)


def test_subexpressions() -> None:
    """Divisions by sums, powers with options in exponents, roundings and other functions have the model's values."""
    plain = tuple(name for name in NAMES if re.fullmatch("[a-z]+", name) and name not in ("math", "lambda"))
    text = (
        "3 / (x + 2 * alpha) + 2^(x / 64) * log2(1 + x) + ceil(x * 0.1 * 10) - 4 * floor(x / 3)^2 + log2(x + alpha)^2"
        " + max(x, 3 * alpha, 2)^2 * exp(-x / 64) + log2(1 / exp(x / 64)) - min(x, alpha) + log2(max(x, alpha) + x)^3"
        " + 3 * [x >= 7]^2 * alpha - [x < 3] + 2 * [2 * x - alpha > 3] + 2^[x <= 3]"
        " + max([x >= 2], log2(1 + [alpha > 2]))"
    )
    system = VariabilityModel("s", tuple(NumericOption(name, (1.0, 2.0, 3.0, 7.0, 64.0)) for name in plain))
    model = parse_model_text(Source("m", text.encode()), system)
    assert model.derived
    indices = np.random.default_rng(4).integers(0, 5, (30, len(plain))).astype(np.int32)
    at = Configurations(system, indices)
    np.testing.assert_allclose(values(model, at), model.predict(at), rtol=1e-12)
    again = parse_model_text(Source("m", log2_text(model).encode()), system)
    np.testing.assert_allclose(again.predict(at), model.predict(at), rtol=1e-12)
    assert balanced(latex_text(model))


def balanced(latex: str) -> bool:
    """Return whether braces, dollars and sizes of parentheses match."""
    depth = 0
    bare = re.sub(r"\\[\\{}$]", "", latex)
    for character in bare:
        depth += {"{": 1, "}": -1}.get(character, 0)
        if depth < 0:
            return False
    return depth == 0 and bare.count("$") % 2 == 0 and bare.count(r"\left") == bare.count(r"\right")


@examples(50)
@given(model=models())
def test_latex_is_balanced_and_escaped(model: InfluenceModel) -> None:
    """Braces and parentheses match, and no name brings in a sign that LaTeX would act upon."""
    latex = latex_text(model)
    assert balanced(latex)
    bare = re.sub(r"\\[&%#_$]", "", latex)
    assert not re.search(r"[&%#~]", bare)


@given(
    coefficient=st.decimals(-(10**6), 10**6, places=6).map(float), power=st.sampled_from([1, 2, 3, Fraction(1, 2), -1])
)
def test_coefficients_come_back(coefficient: float, power: int | Fraction) -> None:
    """A decimal coefficient of log2 is the same number again after a conversion to log10 and back."""
    assert base2(coefficient / SCALE ** float(power), [power]) == coefficient
    assert base2(coefficient * math.log2(10) ** float(power), [power]) == coefficient
    assert base2(coefficient, []) == coefficient


def facts(points: Sequence[float], values: Sequence[Any]) -> str:
    """Return the data of a scaling model as text."""
    return facts_text(fit(points, values, names="p"))


def model(influence: float) -> InfluenceModel:
    """Return a model of one logarithm."""
    return InfluenceModel.from_terms({log_term("x"): influence}, ("x",))


def test_calls() -> None:
    """Parameters become numbers or stay names, and numbers are written as the golden file has it."""
    table = ParameterTable("nx", ((1.0, Quantity.exactly(2.0)), (2.0, Quantity.exactly(3.0))))
    names = {"SYSTEM": SYSTEM, "SIGNED": SIGNED, "TABLE": Parameters({"alpha": table})}
    check_calls("notations", base2, facts, parse_model, model, python_text, latex_text, log2_text, **names)
