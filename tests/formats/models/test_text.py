"""Model text from files: errors have the file, line and column."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from splc.errors import ExpressionError, InputError
from splc.formats.models.text import model_text_file, parse_model, parse_model_text, parse_stored_text
from splc.io.files import Source
from splc.models.influence import InfluenceModel
from splc.models.parameters import Parameters, ParameterTable, Quantity
from splc.system.options import BinaryOption, NumericOption
from splc.system.variability import VariabilityModel

SYSTEM = VariabilityModel(
    "system", (BinaryOption("b"), NumericOption("nx", (1.0, 2.0)), NumericOption("ny", (1.0, 4.0)))
)
ALPHA = Parameters({"alpha": Quantity.exactly(2.0)}, {}, "p.toml", {"alpha": 3})
GOOD = "# model\nf = alpha * (nx +  # one\n  ny)\nT = f / (nx + 1) + log2(nx * `ny`) - 2.5e-3 * b^2\n"


def parsed(text: str | bytes, parameters: Parameters | None = ALPHA) -> InfluenceModel:
    """Return the model that a text is."""
    source = Source("m.txt", text if isinstance(text, bytes) else text.encode())
    return parse_model_text(source, SYSTEM, parameters)


def test_symbols() -> None:
    """Parameters that are estimated stay names in a model, others are numbers."""
    parameters = Parameters({"alpha": Quantity.exactly(2.0), "beta": Quantity.exactly(3.0)})
    text = "alpha * nx + beta * ny"
    for symbols in ("alpha", ["alpha"]):
        model = parse_model(text, SYSTEM, parameters=parameters, symbols=symbols)
        assert [(each.name, each.values_of) for each in model.parameters] == [("alpha", (2.0,))]
        assert model.text == "3 * ny + 1 * nx * alpha"
    assert parse_model(text, SYSTEM, parameters=parameters).text == "2 * nx + 3 * ny"
    with pytest.raises(ExpressionError, match="unknown name 'gamma'"):
        parse_model("gamma * nx", SYSTEM, symbols="alpha")


def test_logarithms_and_roots_of_products_of_negative_values() -> None:
    """A product of two negative values has a logarithm and a root, although its factors have none."""
    options = (NumericOption("dx", (-8.0, 2.0)), NumericOption("dy", (-2.0, 8.0)))
    system = VariabilityModel("signed", options, observed=("t",))
    for text, expected in (("log2(dx * dy)", 4.0), ("sqrt(dx * dy)", 4.0), ("sqrt(dx^2)", 8.0)):
        model = parse_stored_text(Source("m.txt", text.encode()), system)[0]
        assert model.predict({"dx": [-8.0], "dy": [-2.0]}) == pytest.approx([expected])
    # Observed variables may be negative, too.
    model = parse_stored_text(Source("m.txt", b"log2(dx * t) + sqrt(t * t)"), system)[0]
    assert model.predict({"dx": [-8.0], "dy": [2.0], "t": [-2.0]}) == pytest.approx([6.0])


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16", "utf-16-le", "utf-32"])
def test_other_encodings(encoding: str) -> None:
    """A text that is not UTF-8 is refused."""
    with pytest.raises(InputError, match=r"is not UTF-8|NUL character: this is binary data"):
        parsed("größe = 3\nnx".encode(encoding))


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


def test_tables_stay_names() -> None:
    """A table is a name in the terms of the model, and among its parameters."""
    table = ParameterTable("nx", ((1.0, Quantity.exactly(2.0)), (2.0, Quantity.exactly(3.0))))
    model = parsed("alpha * ny", Parameters({"alpha": table}))
    assert str(model) == "1 * ny * alpha"
    assert [parameter.name for parameter in model.parameters] == ["alpha"]
    assert model.options == {"nx", "ny"}
    assert (
        parse_model_text(Source("m.txt", model_text_file(model).encode()), SYSTEM, Parameters({"alpha": table}))
        == model
    )


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """Return a good text with pieces cut out, doubled or replaced."""
    content = GOOD.encode()
    pieces = st.sampled_from(
        [b"(", b")", b"/", b"^", b"log(", b"sqrt(", b"ceil(", b"0", b"`", b"=", b"\n", b"#", b"nx", b"-"]
    )
    for _ in range(draw(st.integers(1, 5))):
        at = draw(st.integers(0, len(content)))
        end = draw(st.integers(at, min(len(content), at + 8)))
        content = content[:at] + draw(st.one_of(st.binary(max_size=2), pieces)) + content[end:]
    return content


@given(st.one_of(st.binary(max_size=60), damaged()))
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
