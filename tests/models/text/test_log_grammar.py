"""Numbers, durations and terms of SPL Conqueror's log grammar."""

from __future__ import annotations

import re

import pytest
from hypothesis import assume, given, reject
from hypothesis import strategies as st

from splc.arithmetic.tokens import NameTable
from splc.errors import ExpressionError, OutputError
from splc.models.influence import InfluenceModel
from splc.models.terms import CONSTANT, Term, log_term, option_term
from splc.models.text.log_grammar import (
    duration_text,
    expand_product,
    names_of,
    net_number,
    require_writable_names,
    split_model,
    term_text,
)
from splc.models.text.reader import expand_text
from tests.support.learning_results import influence_models, small_system


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_read_back(value: float) -> None:
    """Every finite number reads back as the same number."""
    assert float(net_number(value)) == value


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.1, "0.1"),
        (1e-05, "1E-05"),
        (0.0001, "0.0001"),
        (1e16, "1E+16"),
        (5e-324, "5E-324"),
        (100.0, "100"),
        (-3.0, "-3"),
        (-1.04e-14, "-1.04E-14"),
        (1.5e300, "1.5E+300"),
        (228.863313802081, "228.863313802081"),
        (float("nan"), "NaN"),
        (float("-inf"), "-Infinity"),
    ],
)
def test_numbers_look_like_dotnet(value: float, text: str) -> None:
    """Numbers are written as .NET writes them: capital E, two digits of exponent, no trailing `.0`."""
    assert net_number(value) == text


def test_durations_look_like_dotnet() -> None:
    """Durations have seven decimals, and days in front only where there are some."""
    assert duration_text(0.271752) == "00:00:00.2717520"
    assert duration_text(90061.5) == "1.01:01:01.5000000"


def test_a_model_is_split_at_plus_and_first_times() -> None:
    """Terms end at ` + `, influences at the first ` * `; an exponent's sign does not split."""
    assert split_model("1.5E+16 * root + -3 * 1 / x * y + 2") == [
        ("1.5E+16", "root"),
        ("-3", "1 / x * y"),
        ("2", ""),
    ]


@pytest.mark.parametrize(
    ("product", "text"),
    [
        ("root", "1"),
        ("x * x", "x^2"),
        ("1 / x * x", "x^-2"),
        ("gvn / x * x", "gvn * x^-2"),
        ("log10( x ) * x", "x * log10(x)"),
        ("( 64 - x )", "64 - x"),
        ("gvn * ( 64 - x ) * ( 64 - x )", "4096 * gvn - 128 * gvn * x + gvn * x^2"),
        ("log10( x * x * gvn )", "2 * log10(x) + log10(gvn)"),
        ("rc-lookahead * x", "`rc-lookahead` * x"),
        ("( -2 - x )", "-2 - x"),
        ("( 1E+16 - x )", "1e16 - x"),
    ],
)
def test_products_mean_what_spl_conqueror_means(product: str, text: str) -> None:
    """`*` and `/` associate to the right, mirrors are multiplied out, logarithms of products are split."""
    expected = expand_text(text, None)
    assert expand_product(product, names_of([product])) == expected
    assert expand_product(product, small_system().name_table, small_system()) == expected


def test_a_mirror_of_an_optional_option_counts_where_it_is_selected() -> None:
    """With the system known, `( 5 - y )` is 5·Enabledy − y for an optional numeric option y, so 0 where deselected."""
    system = small_system()
    expansion = expand_product("( 5 - y )", system.name_table, system)
    assert expansion == {option_term("Enabledy"): 5.0, option_term("y"): -1.0}


def test_options_that_are_always_selected_are_the_constant() -> None:
    """The base option is a name for the constant where the system says that it is always selected."""
    system = small_system()
    assert expand_product("base * x", system.name_table, system) == {option_term("x"): 1.0}
    assert expand_product("base", system.name_table, system) == {CONSTANT: 1.0}


def test_unknown_names_are_errors() -> None:
    """A name that the system does not have is an error with the nearest known one, never dropped."""
    system = small_system()
    with pytest.raises(ExpressionError, match="did you mean 'gvn'"):
        expand_product("gvm * x", system.name_table, system)


@given(influence_models())
def test_terms_with_whole_exponents_read_back(model: InfluenceModel) -> None:
    """Every term with whole exponents reads back as itself."""
    whole = [
        term
        for term, _ in model.terms
        if all(isinstance(f.power, int) and isinstance(f.log, int) for f in term.factors)
    ]
    assume(whole)
    for term in whole:
        text = term_text(term)
        assert expand_product(text, names_of([text])) == {term: 1.0}


def test_term_text_is_separated_by_spaces() -> None:
    """Terms are printed in the system's option order, logarithms with their blanks, reciprocals last."""
    term = option_term("x", -1) * option_term("gvn") * log_term("y")
    assert term_text(term, ("gvn", "x", "y")) == "gvn * log10( y ) * 1 / x"
    assert term_text(Term(), (), "base") == "base"


WRONG = ("1", "1e5", "1.", ".5", "x;y", "a + b", "a * b", "a / b", "( 64 - x )", "a\nb", "+", "*", "a )", " a", "`a")


@pytest.mark.parametrize("name", [*WRONG, "log10( x )", "a\u2028b", ""])
def test_names_that_the_grammar_cannot_say(name: str) -> None:
    """A name is refused if a log could not be read back with it, whether it is read with a system or without."""
    known = NameTable({each: each for each in (name, "a", "b", "x", "root")})
    for table in (known, None):
        with pytest.raises(OutputError, match=re.escape(repr(name))) as caught:
            require_writable_names(["x", name], table)
        assert "-o model.json" in str(caught.value)


def check_names(names: list[str]) -> None:
    """Check that a model over names that are accepted is the same after it was written as a log and read."""
    known = NameTable({name: name for name in names})
    require_writable_names(names, known)
    terms = [option_term(one) * log_term(other) for one in names for other in names] + [option_term(names[0], -2)]
    text = " + ".join(f"2 * {term_text(term, names)}" for term in terms)
    assert [expand_product(product, known) for _, product in split_model(text)] == [{term: 1.0} for term in terms]


def test_names_that_the_grammar_can_say() -> None:
    """Names with signs and digits are accepted, and read back."""
    check_names(["x", "rc-lookahead", "c++", "7zip", "a(b)", "-x", "log10", "Ü.1", "f/g", "x^2"])


@given(
    st.lists(st.from_regex(r"[ab]?[ab1+\-*/ ();^`]{0,3}[ab1)+\-]", fullmatch=True), min_size=1, max_size=2, unique=True)
)
def test_accepted_names_read_back(names: list[str]) -> None:
    """All names that are accepted read back."""
    try:
        check_names(names)
    except OutputError:
        reject()


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("gvn * log10( x )", {"gvn", "x"}),
        ("log10(y)*z", {"y", "z"}),
        ("rc-lookahead * 1 / px", {"rc-lookahead", "px"}),
        ("( 64 - x ) * (a-b)", {"x", "a", "b"}),
    ],
)
def test_names_of_products(text: str, names: set[str]) -> None:
    """Names are what stands between spaces, and within parts that contain parentheses or operators."""
    assert set(names_of([text]).names) - {"root"} == names
