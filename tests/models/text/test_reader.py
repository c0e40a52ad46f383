from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from splc.arithmetic.functions import evaluate
from splc.arithmetic.parser import parse
from splc.errors import ExpressionError
from splc.models.parameters import Parameters
from splc.models.terms import CONSTANT, Term, log_term, option_term
from splc.models.text.algebra import expand
from splc.models.text.reader import expand_model, expand_text, split_text
from tests.support.golden_messages import check_messages

POINTS = [{"x": 1.7, "y": 3.0, "z": 0.6}, {"x": 25.0, "y": 0.3, "z": 8.0}, {"x": 1.0, "y": 1.0, "z": 1.0}]
X, Y = option_term("x"), option_term("y")

monomials = st.recursive(
    st.sampled_from(["x", "y", "z", "2", "0.5", "7"]),
    lambda inner: st.one_of(
        st.builds("({} * {})".format, inner, inner),
        st.builds("({} / {})".format, inner, inner),
        st.builds("({})^{}".format, inner, st.sampled_from(["2", "-1", "(1/3)", "0.3333", "0"])),
        st.builds("sqrt({})".format, inner),
    ),
    max_leaves=4,
)
expressions = st.recursive(
    st.one_of(monomials, st.builds("{}({})".format, st.sampled_from(["log2", "log10", "ln", "log"]), monomials)),
    lambda inner: st.one_of(
        st.builds("({} + {})".format, inner, inner),
        st.builds("({} - {})".format, inner, inner),
        st.builds("({} * {})".format, inner, inner),
        st.builds("({} / {})".format, inner, monomials),
        st.builds("(-{})".format, inner),
        st.builds("({})^{}".format, inner, st.sampled_from(["1", "2", "3"])),
    ),
    max_leaves=6,
)


def expansion_value(expansion: dict[Term, float], point: dict[str, float]) -> tuple[float, float]:
    """Return the sum and the sum of magnitudes of a sum of terms at a point."""
    total = magnitude = 0.0
    for term, influence in expansion.items():
        value = influence
        for factor in term.factors:
            at = point[factor.option]
            value *= at ** float(factor.power) * math.log10(at) ** float(factor.log)
        total, magnitude = total + value, magnitude + abs(value)
    return total, magnitude


class TestExpansion:
    @given(expressions)
    def test_expanded_is_evaluated(self, text: str) -> None:
        """Multiplied out, an expression has the value of its tree at every point."""
        tree = parse(text)
        expansion = expand(tree)
        assert all(expansion.values())
        for point in POINTS:
            total, magnitude = expansion_value(expansion, point)
            expected = float(evaluate(tree, point.__getitem__))
            assert total == pytest.approx(expected, rel=1e-9, abs=1e-9 * max(magnitude, 1))

    @pytest.mark.parametrize(
        ("one", "other"),
        [
            ("x + y", "y + x"),
            ("x * y", "y * x"),
            ("(x + y) * z", "x * z + y * z"),
            ("(x + y)^2", "x^2 + 2 * x * y + y^2"),
            ("(x + 1) * (x - 1)", "x^2 - 1"),
            ("x - x + y", "y"),
            ("0 * x + y", "y"),
            ("x / x", "1"),
            ("sqrt(x) * sqrt(x)", "x"),
            ("(x^2)^(1/2)", "x"),
            ("x^(49/49)", "x"),
            ("x^0.5", "sqrt(x)"),
            ("1 / (x + 1 - x)", "1"),
            ("-x^2", "-1 * x^2"),
            ("x / y / z", "x * y^-1 * z^-1"),
            ("x / y * z", "x * z / y"),
            ("log10(x * y^2 / z)", "log10(x) + 2 * log10(y) - log10(z)"),
            ("log10(1000 * x)", "3 + log10(x)"),
            ("log10(x)^2", "log10(x) * log10(x)"),
            ("ln(x)", "log(x)"),
            ("x + +y", "x + y"),
        ],
    )
    def test_equal_expressions_expand_alike(self, one: str, other: str) -> None:
        """The laws of algebra and of logarithms hold between expansions, term by term."""
        left, right = expand_text(one, None), expand_text(other, None)
        assert set(left) == set(right)
        assert left == pytest.approx(right)

    @pytest.mark.parametrize(("function", "base"), [("log2", 2.0), ("log10", 10.0), ("ln", math.e), ("log", math.e)])
    def test_log_bases_become_10(self, function: str, base: float) -> None:
        """Logarithms of any base become base-10 logarithms with another influence, and of numbers, numbers."""
        assert expand_text(f"{function}(x)", None) == pytest.approx({log_term("x"): 1 / math.log10(base)})
        assert expand_text(f"{function}({base!r}^3)", None) == pytest.approx({CONSTANT: 3.0})

    def test_exact_numbers(self) -> None:
        """Quotients and logarithms of powers of 2 are exact."""
        assert expand_text("49 / 49 + log2(2^29)", None) == {CONSTANT: 30.0}
        assert expand_text("5 * x / 49 * y", None) == {X * Y: 5 / 49}

    def test_right_association(self) -> None:
        """Read as SPL Conqueror does, x / y * 2 is x / (2 y)."""
        assert expand_text("x / y * 2", None) == {X * Y**-1: 2.0}

    def test_not_a_sum_of_terms(self) -> None:
        """Expressions that are not sums of terms are refused with the reason."""
        check_messages("expansions", lambda text: expand_text(text, None))


class TestBounds:
    @pytest.mark.parametrize(
        "text",
        [
            "(" + "+".join("abcdefgh") + ")^500",
            "(a + b)^1e9",
            "(a + b)^9999",
            "(1 + x + x^2)^100000",
            "2^1e9",
            "0.5^-1e9",
            "x^1e300",
            "(x^1e3)^1e3",
            "x^999 * x^2",
            "1e308 * 1e308",
            "1e308 + 1e308",
            "1e308 / 1e-10 * x",
            "1e999",
            "x^1e999",
            "x^(1e308 * 10)",
            pytest.param("(a+b)" + "*(a+b)" * 20_000, marks=pytest.mark.slow),
            "\n".join(["p0 = a + b + c + d", *(f"p{i + 1} = p{i} * p{i}" for i in range(20)), "p20"]),
            "\n".join(["p = (a+b+c+d+e+f+g+h)^5", "+".join(["p"] * 10_000)]),
        ],
        ids=lambda text: text[:24],
    )
    def test_huge_expansions_are_refused_quickly(self, text: str) -> None:
        """Powers, products and numbers beyond the limits are refused quickly."""
        with pytest.raises(ExpressionError, match=r"more than 20,000 terms|too long|too large|lies beyond|nested more"):
            expand_text(text, None)

    def test_nested_subexpressions(self) -> None:
        """Roots of sums can be nested 64 times, and not once more."""
        texts = ["p0 = x", *(f"p{i + 1} = sqrt(1 + p{i})" for i in range(65))]
        assert len(expand_model("\n".join([*texts[:-1], "p64"]), None).expansion) == 1
        with pytest.raises(ExpressionError, match="subexpressions are nested more than 64 levels deep"):
            expand_model("\n".join([*texts, "p65"]), None)

    def test_long_flat_texts(self) -> None:
        """A sum of 5,000 addends, and a product of 1,000 options, are expanded."""
        assert expand_text(" + ".join(["2 * x"] * 5_000), None) == {X: 10_000.0}
        (term,) = expand_text("*".join(f"a{i}" for i in range(1_000)), None)
        assert len(term.factors) == 1_000

    def test_many_definitions(self) -> None:
        """Thousands of definitions, each in terms of the one before, are expanded."""
        text = "\n".join(["d0 = x", *(f"d{i + 1} = d{i} + 1" for i in range(3000)), "d3000"])
        assert expand_text(text, {"x": "x"}) == {X: 1.0, CONSTANT: 3000.0}


class TestText:
    def test_definitions_comments_and_continuation_lines(self) -> None:
        """Definitions are replaced by their expressions, # begins a comment, and open parentheses continue a line."""
        text = """
        # the analytical model
        beta = 2 * alpha   # in seconds
        surface = (x * y  # of one side ( the front
            + x^2)        # ) and the other
        T = beta * surface + `c#`

        """
        names = {"x": "x", "y": "y", "c#": "c#"}
        expected = {X * Y: 6.0, X**2: 6.0, option_term("c#"): 1.0}
        assert expand_model(text, names, Parameters.of({"alpha": 3.0})).expansion == expected

    def test_a_bare_expression(self) -> None:
        """The model line needs no name."""
        assert expand_text("a = 3\na * x", {"x": "x"}) == {X: 3.0}

    def test_definitions_may_have_awkward_names(self) -> None:
        """The name of a definition may be in backticks, and a later definition in terms of it replaces it."""
        assert expand_text("`a-b` = 3\n`a-b` = `a-b` + 1\nT = `a-b` * x", {"x": "x"}) == {X: 4.0}

    def test_a_quoted_name_may_look_like_syntax(self) -> None:
        """Inside backticks # begins no comment, a parenthesis opens nothing, = defines nothing."""
        for name in ("c#", "f(x", "x)", "a=b", "a`b"):
            quoted = "`" + name.replace("`", "``") + "`"
            assert expand_text(f"{quoted} * 2 # (", {name: name}) == {option_term(name): 2.0}

    def test_zero_parameters(self) -> None:
        """A parameter that is 0 removes its terms; one that is not finite is refused."""
        assert expand_model("a * x + y", {"x": "x", "y": "y"}, Parameters.of({"a": 0.0})).expansion == {Y: 1.0}
        with pytest.raises(ExpressionError, match="the parameter 'a' is nan"):
            Parameters.of({"a": math.nan})

    def test_errors_have_line_and_column(self) -> None:
        """Errors have the line and column of the original text."""
        check_messages("models", lambda text: expand_text(text, {"x": "x", "y": "y"}))

    def test_definitions_and_model(self) -> None:
        """Definitions keep their order and first lines, the model line is the last statement."""
        parts = split_text("a = 1\nb = (a\n+ 2)\n\nT = a * b")
        assert [(each.name, each.line) for each in parts.definitions] == [("a", 1), ("b", 2)]
        assert (parts.model.name, parts.model.text.strip(), parts.model.line, parts.is_marked) == (
            "T",
            "a * b",
            5,
            True,
        )


def test_hints_about_continued_lines() -> None:
    """An unknown name is hinted to be a continued line only in the definition of that name, over several lines."""
    for text, continued in (("a = 3\n-x * a", True), ("a = 3\n-x * b", False), ("a = 3 * a", False)):
        with pytest.raises(ExpressionError) as caught:
            expand_model(text, {"x": "x"})
        assert ("continues the line before" in str(caught.value)) is continued
