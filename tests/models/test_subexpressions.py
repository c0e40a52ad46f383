"""Subexpressions in terms: what they are worth, where they have no value, when they are the same."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from functools import reduce
from typing import Any

import numpy as np
import pytest
from hypothesis import given, reject
from hypothesis import strategies as st

from sampling import sample
from splc import parse_model
from splc.arithmetic.functions import evaluate
from splc.arithmetic.parser import parse
from splc.arithmetic.tokens import MODEL_FUNCTIONS
from splc.arithmetic.tree import Call, Name, Node, Number, Power, Product, Sum, Threshold
from splc.data.configurations import Configurations
from splc.errors import ExpressionError
from splc.formats.models.text import parse_model_text
from splc.io.files import Source
from splc.learning.learner import predictions
from splc.models.influence import EvaluationError, InfluenceModel
from splc.system.options import BinaryOption, NumericOption, options_of_values
from splc.system.variability import VariabilityModel
from tests.support.golden_messages import Lines, check_calls, check_messages
from tests.support.strategies import all_assignments

POSITIVE = VariabilityModel(
    "positive",
    (BinaryOption("b"), *(NumericOption(name, (0.3, 1.0, 2.0, 7.5)) for name in "xy"), NumericOption("z", (1.0, 3.0))),
)
SIGNED = VariabilityModel(
    "signed", (BinaryOption("b"), *(NumericOption(name, (-2.0, 0.0, 0.25, 3.0)) for name in "xy"))
)
OPTIONAL = VariabilityModel(
    "optional",
    (
        BinaryOption("b"),
        BinaryOption("always", optional=False),
        NumericOption("x", (1.0, 2.0, 10.0)),
        NumericOption("o", (0.0, 4.0), deselected_flag=-1.0),
        NumericOption("p", (1.0, 5.0), deselected_flag=-1.0),
    ),
)
FUNCTIONS = ["log2", "log10", "ln", "log", "sqrt", "ceil", "floor", "exp"]
POWERS = ["2", "3", "-1", "-2", "(1/2)", "(1/3)", "(2/3)", "-0.5", "0.25", "x", "(b + 1)", "(y / 4)"]

REFUSED = ("takes too long", "more than 20,000", "too large", "lies beyond", "0^0", "0 to a power", "no real value")


def texts(names: str) -> st.SearchStrategy[str]:
    """Return expressions of every kind."""
    return st.recursive(
        st.one_of(st.sampled_from(list(names)), st.sampled_from(["1", "2", "0.5", "3"])),
        lambda inner: st.one_of(
            st.builds("({} + {})".format, inner, inner),
            st.builds("({} - {})".format, inner, inner),
            st.builds("({} * {})".format, inner, inner),
            st.builds("({} / {})".format, inner, inner),
            st.builds("{}({})".format, st.sampled_from(FUNCTIONS), inner),
            st.builds("{}({}, {})".format, st.sampled_from(["max", "min"]), inner, inner),
            st.builds("[{} {} {}]".format, inner, st.sampled_from([">=", ">", "<=", "<"]), inner),
            st.builds("({})^{}".format, inner, st.sampled_from(POWERS)),
        ),
        max_leaves=7,
    )


def model_of(text: str, system: VariabilityModel | None = None, **more: Any) -> InfluenceModel:
    """Return the model of a text."""
    return parse_model_text(Source("model.txt", text.encode()), system, **more)


def directly(text: str, rows: Configurations, nudge: float = 1.0) -> np.ndarray[Any, np.dtype[Any]]:
    """Return the value of the text as written, NaN if any part of it has no finite value."""

    def worth(node: Node) -> Any:
        match node:
            case Number(value):
                found = np.full(len(rows), value)
            case Name(name):
                found = rows.column(name) * (1.0 if name == "b" else nudge)
            case Sum(addends):
                found = sum(sign * worth(child) for sign, child in addends)
            case Product(factors):
                found = np.ones(len(rows))
                for side, child in factors:
                    found = found * worth(child) if side > 0 else found / worth(child)
            case Power(base, exponent):
                below, above = worth(base), worth(exponent)
                # For NumPy, NaN to the power of 0 is 1, and so is 1 to the power of NaN.
                found = np.where(np.isnan(below) | np.isnan(above), np.nan, np.power(below, above))
            case Call(function, (argument,)):
                argued = {"argument": worth(argument)}
                found = evaluate(Call(function, (Name("argument"),)), argued.__getitem__)
            case Call(function, arguments):
                # NumPy's two hand NaN on.
                found = reduce(np.maximum if function == "max" else np.minimum, map(worth, arguments))
            case Threshold(comparison, left, right):
                first, second = worth(left), worth(right)
                holds = {">=": first >= second, ">": first > second, "<=": first <= second, "<": first < second}
                found = np.where(np.isnan(first) | np.isnan(second), np.nan, holds[comparison])
        return np.where(np.isfinite(found), found, np.nan)

    with np.errstate(all="ignore"):
        return np.asarray(worth(parse(text, functions=MODEL_FUNCTIONS)))


def assert_same(text: str, system: VariabilityModel) -> None:
    """Assert that a model has the value of its text wherever both have one."""
    rows = all_assignments(system)
    expected = directly(text, rows)
    model, refusal = None, ""
    try:
        model = model_of(text, system)
    except ExpressionError as error:
        refusal = str(error)
    if model is None:
        assert not np.isfinite(expected).all() or any(each in refusal for each in REFUSED), refusal
        return
    # How much a few roundings of the options change shows how many digits can agree.
    change = sum(np.abs(directly(text, rows, 1 + sign * 1e-11) - expected) for sign in (1, -1))
    for row in range(len(rows)):
        if not math.isfinite(expected[row]):
            continue
        try:
            contributions = model.contributions(rows[row])
        except EvaluationError:
            # In a system of positive options, only a rounding can be what took its value away.
            contributions = None
        if contributions is None:
            assert system is SIGNED or not change[row] < 1e-6, (text, row)
            continue
        scale = max(1.0, float(np.abs(contributions).sum()), abs(expected[row]))
        if not change[row] < 1e-4 * scale:
            continue
        assert abs(contributions.sum() - expected[row]) <= 1e-8 * scale + 1e4 * change[row], (text, row, str(model))


class TestValues:
    @given(texts("xyzb"))
    def test_a_model_has_the_value_of_its_text(self, text: str) -> None:
        """An expanded text with subexpressions of every kind has the value of its tree at every configuration."""
        assert_same(text, POSITIVE)

    @given(texts("xyb"))
    def test_with_options_that_are_zero_or_negative(self, text: str) -> None:
        """With options of any sign, a model has the value of its text or no value."""
        assert_same(text, SIGNED)

    @pytest.mark.parametrize(
        ("text", "values"),
        [
            ("(x^2)^(1/2)", [2.0, 0.0, 3.0]),
            ("sqrt((1 / (x - 5))^2)", [1 / 7, 1 / 5, 1 / 2]),
            ("(log2(x + 3)^2)^(1/2)", [0.0, math.log2(3), math.log2(6)]),
            ("sqrt(x * x)", [2.0, 0.0, 3.0]),
            ("log2(4 * x * x + 1)", [math.log2(17), 0.0, math.log2(37)]),
        ],
    )
    def test_roots_of_squares_are_not_negative(self, text: str, values: list[float]) -> None:
        """The root of a square is the absolute value, also of negative numbers."""
        system = VariabilityModel("system", (NumericOption("x", (-2.0, 0.0, 3.0)),))
        assert model_of(text, system).predict(all_assignments(system)) == pytest.approx(values)

    @given(texts("xyb"))
    def test_predictions_where_a_model_has_a_value(self, text: str) -> None:
        """At configurations without a value, of which `predict` refuses each, the others have theirs."""
        try:
            model = model_of(text, SIGNED)
        except ExpressionError:
            reject()
        rows = all_assignments(SIGNED)
        found = predictions(model, rows)
        kept = np.flatnonzero(~np.isnan(found))
        assert model.predict(rows[kept]).tolist() == found[kept].tolist()
        for row in np.flatnonzero(np.isnan(found)).tolist():
            with pytest.raises(EvaluationError):
                model.predict(rows[row])

    @given(texts("xyzb"))
    def test_text_reads_back(self, text: str) -> None:
        """A model with subexpressions reads back from its text, with the system and without."""
        for system in (POSITIVE, None):
            model = None
            try:
                model = model_of(text, system)
            except ExpressionError:
                continue
            again = model_of(str(model), system)
            kept = InfluenceModel.from_terms([pair for pair in model.terms if pair[1] != 0], model.order)
            assert [term for term, _ in again.terms] == [term for term, _ in kept.terms]
            assert again.influences == pytest.approx(kept.influences, rel=1e-12)
            assert {each.name for each in again.derived} == {each.name for each in model.derived}


class TestDeselected:
    """`o` and `p` are numeric options that may be deselected."""

    ROWS = all_assignments(OPTIONAL)

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("1 / (1 + o)", lambda x, o, p: 0.0 if o is None else 1 / (1 + o)),
            (
                "1 / (1 + o) + 1 / (p + 1)",
                lambda x, o, p: (o is not None and 1 / (1 + o)) + (p is not None and 1 / (p + 1)),
            ),
            ("1 / (x + o)", lambda x, o, p: 1 / (x + (o or 0))),
            (
                "log2(o + p)",
                lambda x, o, p: (
                    None if not (o or p) and not (o is p is None) else math.log2((o or 0) + (p or 0)) if o or p else 0.0
                ),
            ),
            ("x * sqrt(o + p)", lambda x, o, p: x * math.sqrt((o or 0) + (p or 0))),
            ("2^o", lambda x, o, p: 0.0 if o is None else 2**o),
            ("(x + 1)^o", lambda x, o, p: (x + 1) ** (o or 0)),
            ("ceil(o / 3 + x / 4)", lambda x, o, p: math.ceil((o or 0) / 3 + x / 4)),
            ("[o >= 4]", lambda x, o, p: o is not None and o >= 4),
            ("[o < 4]", lambda x, o, p: o is not None and o < 4),
            ("x * [o < 4] + [o <= 9]", lambda x, o, p: (o is not None and o < 4 and x) + (o is not None)),
            ("[x > o]", lambda x, o, p: x > (o or 0)),
            ("min(o, 3)", lambda x, o, p: 0.0 if o is None else min(o, 3)),
            ("x * ceil(o / 3 + 1)", lambda x, o, p: 0.0 if o is None else x * math.ceil(o / 3 + 1)),
            ("1 / (x + 1 / (1 + o))", lambda x, o, p: 1 / (x + (0 if o is None else 1 / (1 + o)))),
            ("1 / (x + Enabledo)", lambda x, o, p: 1 / (x + (o is not None))),
            ("1 / (x + always)", lambda x, o, p: 1 / (x + 1)),
        ],
        # No ids from the functions: they would hold addresses, which differ from process to process.
        ids=lambda value: value if isinstance(value, str) else "",
    )
    def test_they_contribute_nothing(self, text: str, expected: Callable[..., float | None]) -> None:
        """A subexpression over deselected options alone contributes 0; in a sum, a deselected option is 0."""
        model = model_of(text, OPTIONAL)
        for row in range(len(self.ROWS)):
            values = self.ROWS.assignment(row)
            x, o, p = (None if math.isnan(values[name]) else values[name] for name in ("x", "o", "p"))
            wanted = expected(x, o, p)
            if wanted is None:
                with pytest.raises(EvaluationError):
                    model.predict(self.ROWS[row])
            else:
                assert model.predict(self.ROWS[row])[0] == pytest.approx(float(wanted))


class TestUndefinedValues:
    """`x` is 0, 1 or 2; the error names a configuration where the model has no value."""

    SYSTEM = VariabilityModel("system", (BinaryOption("b"), NumericOption("x", (0.0, 1.0, 2.0))))

    def test_the_place_is_named(self) -> None:
        """A division by zero or a logarithm of zero names the subexpression, the configuration and its values."""
        everything = all_assignments(self.SYSTEM)
        check_messages("undefined-values", lambda text: model_of(text, self.SYSTEM).predict(everything))


EQUAL = VariabilityModel(
    "equal",
    (
        *(BinaryOption("b"), BinaryOption("always", optional=False)),
        *(NumericOption(name, (0.5, 1.0, 2.0, 9.0)) for name in ("x", "y", "z", "a b")),
    ),
)


def same(*texts: str) -> Lines:
    """Return the model of some texts: they have equal terms, the values of their trees, and read back from its text."""
    models, rows = [model_of(text, EQUAL) for text in texts], all_assignments(EQUAL)
    first, rows = models[0], rows[np.flatnonzero(rows.column("always"))]
    values = first.predict(rows)
    for text, model in zip([*texts, str(first)], [*models, model_of(str(first), EQUAL)], strict=True):
        assert [term for term, _ in model.terms] == [term for term, _ in first.terms]
        assert model.influences == pytest.approx(first.influences, rel=1e-12)
        assert model.derived == first.derived
        if not re.search(r"\w`? =\s", text):
            np.testing.assert_allclose(values, directly(text, rows), rtol=1e-9, atol=1e-12)
    return Lines(str(first))


def test_equal_texts() -> None:
    """Equivalent texts give the same terms with the values of the texts; wrong ones have a message."""
    check_calls("model-texts", same)


@given(
    st.permutations(["x^2", "2 * y", "z", "3 * b * x", "1"]),
    st.sampled_from(["1 / ({})", "log({})", "ceil({})", "2^({})"]),
)
def test_the_order_of_a_sum_does_not_matter(addends: list[str], around: str) -> None:
    """The order of addends does not change a subexpression."""
    assert model_of(around.format(" + ".join(addends))) == model_of(around.format("x^2 + 2*y + z + 3*b*x + 1"))


@pytest.mark.parametrize("text", ["log(-2 * x)", "sqrt(-2 * x)", "sqrt(-2 * x^3)"])
def test_signs_of_negative_terms(text: str) -> None:
    """A root or a logarithm keeps the sign of the coefficient: of -2 * x it has a value where x is negative."""
    system = VariabilityModel("negative", options_of_values({"x": [-3.0, -2.0]}))
    values = np.array([-3.0, -2.0])
    inner = -2 * values ** (3 if "^" in text else 1)
    expected = np.log(inner) if "log" in text else np.sqrt(inner)
    np.testing.assert_allclose(parse_model(text, system).predict(sample(system, "ff")), expected, rtol=1e-12)
