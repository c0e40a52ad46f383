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


@pytest.mark.parametrize(
    ("text", "line", "column", "message", "hint"),
    [
        ("nx + (ny", 1, 9, "the parenthesis opened at column 6 is not closed", None),
        ("nx)", 1, 3, "')' is not expected here", None),
        ("nx +\n", 1, 5, "ends too early", None),
        ("a = 1\nnx + foo * a", 2, 6, "unknown name 'foo'", "known are"),
        ("nx + alpah", 1, 6, "unknown name 'alpah'", "did you mean 'alpha'?"),
        ("__import__('os').system('x')", 1, 1, "unknown function '__import__'", "functions are log2, log10"),
        ("nx; ny", 1, 3, "';' does not belong", "where its line ends"),
        ("T = 1,5*nx", 1, 6, "',' is not expected here", "decimal point: 1.5"),
        ("T = log(1,5 * nx)", 1, 10, "log takes one argument", "decimal point: 1.5"),
        ("T = log(nx, 2)", 1, 11, "log takes one argument", "log(x) / log(base)"),
        ("T = (nx, ny)", 1, 8, "',' is not expected here", "only max and min"),
        ("T = max(nx)", 1, 5, "max takes two arguments or more", "max(a, b)"),
        ("T = exq(nx)", 1, 5, "unknown function 'exq'", "did you mean 'exp'? functions are log2, log10, ln"),
        ("T = foo (nx)", 1, 5, "unknown function 'foo'", "write products with *"),
        ("T = nx (ny)", 1, 8, "'(' is not expected here", "write products with *"),
        ("T = 2 nx", 1, 7, "'nx' is not expected here", "write products with *"),
        ("nx * [ny >= ]", 1, 13, "']' is not expected here", None),
        ("[ny]", 1, 4, "one of >= <= > < is expected here", "[x >= 8]"),
        ("[ny >= 8", 1, 9, "the bracket opened at column 1 is not closed", None),
        ("[ny >= 8)", 1, 9, "the bracket opened at column 1 is not closed", None),
        ("[ny = 8]", 1, 5, "'=' does not belong", None),
        ("[ny >= foo]", 1, 8, "unknown name 'foo'", "known are"),
        ("[1 <= ny <= 4]", 1, 10, "'<=' is not expected here", "[x >= 1] * [x <= 8]"),
        ("(ny >= 4)", 1, 5, "'>=' is not expected here", "in brackets"),
        ("[1e-300 * ny >= 1e300]", 1, None, "a number in the expression is too large", None),
        ("nx[3]", 1, 3, "'[' is not expected here", None),
        ("nx + max", 1, 9, "max needs its argument in parentheses", None),
        ("nx ** 2", 1, 4, "'**' is not an operator", "x^2"),
        ("nx == 2", 1, 4, "'==' does not belong", None),
        ("log nx", 1, 5, "needs its argument in parentheses", None),
        ("nx\n\nlog2(0)", 3, None, "another expression follows the model of line 1", "one model line"),
        ("T = nx\nT = ny", 2, None, "'T' is defined twice", "line 1 already"),
        ("T = 5*nx\nT2 = 3*ny", 2, None, "the definition 'T2' follows the model of line 1", "before the model line"),
        ("T = 3*nx\n# tail\ncomm = 5*ny", 3, None, "the definition 'comm' follows the model of line 1", None),
        ("T = 3*nx\n5*ny", 2, None, "another expression follows the model of line 1", "begins with an operator"),
        ("T = 3*nx\n\n + 5*ny", 3, None, "another expression follows the model of line 1", "blank line"),
        ("3*nx\ncomm = 5*ny", 2, None, "the definition 'comm' follows the model of line 1", None),
        ("comm = 3*nx\ncomp = 2*ny", 1, None, "the model in line 2 does not use the definition 'comm'", "'T ='"),
        ("comm = 3*nx\n2*ny", 1, None, "the model in line 2 does not use the definition 'comm'", "add comm"),
        ("a = 1\na = 2\nT = a*nx", 2, None, "'a' is defined twice", "line 1 already"),
        ("a = 1\nc = a\na = 2*nx\nT = c*a", 3, None, "'a' is defined twice", "line 1 already"),
        ("a = 3\n-nx * a", 2, 7, "unknown name 'a'", "continues the line before"),
        ("a = nx\n1 / (a - nx)", 2, None, "division by zero", None),
        ("sqrt(-4)", 1, None, "has no real value", None),
        ("x = (nx +\n ny)\n", None, None, None, None),
        ("nx = 3\nny", 1, None, "the definition 'nx' has the name of an option", "rename"),
        ("\nalpha = 3\nalpha * nx", 2, None, "has the name of a parameter (p.toml:3)", "rename"),
        ("", None, None, "the text is empty", "sum of terms"),
        ("ceil(1e308 * 10)", 1, None, "too large", None),
        ("nx^1e9", 1, None, "lies beyond 1,000", None),
    ],
)
def test_bad_text(text: str, line: int | None, column: int | None, message: str | None, hint: str | None) -> None:
    """Messages have file, line, column and a hint."""
    if message is None:
        assert parsed(text) == parsed("nx + ny")
        return
    with pytest.raises(InputError) as caught:
        parsed(text)
    problem = caught.value.problems[0]
    assert message in problem.message
    assert (problem.file, problem.line, problem.column) == ("m.txt", line, column)
    assert hint is None or hint in (problem.hint or "")


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


def test_all_unknown_names_at_once() -> None:
    """Unknown names of all statements are reported together, each once, at its place; none is near to another."""
    with pytest.raises(ExpressionError) as caught:
        parsed("a = qq1 + nx\nb2 = qq2\na * (b2 +\n qq3 / qq1)")
    found = [(problem.message, problem.line, problem.column) for problem in caught.value.problems]
    assert found == [("unknown name 'qq1'", 1, 5), ("unknown name 'qq2'", 2, 6), ("unknown name 'qq3'", 4, 2)]
    assert not any("did you mean" in (problem.hint or "") for problem in caught.value.problems)


def test_where_parameters_come_from() -> None:
    """An unknown name may be a parameter, also one that a file lacks, and the message says how to give it."""
    with pytest.raises(ExpressionError) as caught:
        parsed("beta * nx", None)
    assert "parameters file or from --parameter beta=NUMBER" in (caught.value.problems[0].hint or "")
    with pytest.raises(ExpressionError) as caught:
        parsed("beta * nx")
    assert "come from p.toml or from --parameter beta=NUMBER" in (caught.value.problems[0].hint or "")


def test_definitions_and_parameters() -> None:
    """A definition with a parameter's name must have its value, or be made of it."""
    assert parsed("alpha = 2\nalpha * nx") == parsed("2 * nx")
    assert parsed("alpha = alpha / 4\nalpha * nx") == parsed("0.5 * nx")
    with pytest.raises(ExpressionError, match="has the name of a parameter"):
        parsed("alpha = nx\nalpha * nx")


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16", "utf-16-le", "utf-32"])
def test_other_encodings(encoding: str) -> None:
    """A text that is not UTF-8 is refused."""
    with pytest.raises(InputError, match=r"is not UTF-8|NUL character: this is binary data"):
        parsed("größe = 3\nnx".encode(encoding))


MANY = 1_000_000


@pytest.mark.parametrize(
    "text",
    [
        "(" * MANY,
        "(" * (MANY // 2) + "nx" + ")" * (MANY // 2),
        "log(1+" * (MANY // 6),
        "nx^" * (MANY // 3) + "nx",
        "nx" + "^2" * (MANY // 2),
        "`" * MANY,
        "a" * MANY,
        "1" * MANY,
        "(1e-200*nx + 1e-200*ny)^1e9",
        "\n".join(["d0 = nx + 1", *(f"d{i + 1} = log(d{i} + 1) + 1 / (d{i} + 2)" for i in range(60)), "d60"]),
        "\n".join(["d0 = nx^ny", *(f"d{i + 1} = d{i}^d{i}" for i in range(60)), "d60"]),
        "\n".join(["d0 = nx", *(f"d{i + 1} = ceil(d{i} / 2) + floor(d{i} * 3)" for i in range(60)), "d60"]),
        "\n".join(["d0 = sqrt(nx + 1)", *(f"d{i + 1} = sqrt(d{i} + 1) * sqrt(d{i} + 2)" for i in range(200)), "d200"]),
        "log((1 - nx) * " * 60 + "nx" + ")" * 60,
    ],
    ids=lambda text: text[:20],
)
def test_what_explodes_is_refused(text: str) -> None:
    """Texts that nest, grow or repeat beyond bounds are refused in one short message, and do not run away."""
    with pytest.raises(ExpressionError) as caught:
        parsed(text)
    assert len(str(caught.value)) < 500


@pytest.mark.parametrize(
    "text", ["log(nx * " * 60 + "nx" + ")" * 60, "1 / (nx + " * 60 + "ny" + ")" * 60, "nx^nx^ny^nx"]
)
def test_deep_subexpressions(text: str) -> None:
    """A text that is nested within the limits is a model that predicts and reads back."""
    model = parsed(text)
    assert model.text == parsed(model.text).text


def test_a_long_sum() -> None:
    """A sum of 5,000 addends with a subexpression in each is read."""
    assert parsed(" + ".join(["1 / (nx + 1)"] * 5_000)) == parsed("5000 / (1 + nx)")


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
