"""Readers of model texts and of the lines of logs."""

from __future__ import annotations

import unicodedata
from typing import Any

import pytest
from hypothesis import assume, given, reject
from hypothesis import strategies as st

from splc.arithmetic.tokens import NameTable
from splc.errors import ExpressionError, OutputError
from splc.models.influence import InfluenceModel
from splc.models.parameters import Parameters, Quantity
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
from splc.models.text.reader import expand_model, expand_text, split_text
from splc.system.options import BinaryOption, NumericOption
from splc.system.variability import VariabilityModel
from tests.support.golden_messages import Lines, check_calls, check_messages
from tests.support.learning_results import influence_models, small_system

X, Y = option_term("x"), option_term("y")


def test_not_a_sum_of_terms() -> None:
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
        with pytest.raises(ExpressionError, match=r"as a sum of terms|too long|too large|lies beyond|nested more"):
            expand_text(text, None)

    def test_nested_subexpressions(self) -> None:
        """Roots of sums can be nested 64 times, and not once more."""
        texts = ["p0 = x", *(f"p{i + 1} = sqrt(1 + p{i})" for i in range(65))]
        assert len(expand_model("\n".join([*texts[:-1], "p64"]), None).expansion) == 1
        with pytest.raises(ExpressionError, match="subexpressions are nested more than 64 levels deep"):
            expand_model("\n".join([*texts, "p65"]), None)

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

    def test_a_quoted_name_may_look_like_syntax(self) -> None:
        """Inside backticks # begins no comment, a parenthesis opens nothing, = defines nothing."""
        for name in ("c#", "f(x", "x)", "a=b", "a`b"):
            quoted = "`" + name.replace("`", "``") + "`"
            assert expand_text(f"{quoted} * 2 # (", {name: name}) == {option_term(name): 2.0}

    def test_errors_have_line_and_column(self) -> None:
        """Errors have the line and column of the original text."""
        check_messages("models", lambda text: expand_text(text, {"x": "x", "y": "y"}))


NAMES = {"x": "x", "y": "y", "z": "z"}


def expanded(text: str, *more: str) -> dict[Term, float]:
    """Return the sum of terms of a text over x, y, z and more options."""
    return expand_model(text, NAMES | {name: name for name in more}).expansion


breaks = st.sampled_from(["", " ", "\n", "\n  ", " # note (\n", "\n# note\n\t", "\r\n"])
operators = st.sampled_from("+-*/")
operands = st.sampled_from(["x", "y^2", "2", "(z + 1)", "log2(x)", "-y"])


@given(operands, st.lists(st.tuples(breaks, operators, breaks, operands), min_size=1, max_size=6), st.booleans())
def test_breaks_at_operators_do_not_matter(first: str, others: list[tuple[str, str, str, str]], named: bool) -> None:
    """A formula that is broken before or after operators, with comments in between, equals the formula on one line."""
    broken = first + "".join(f"{before}{sign}{after}{operand}" for before, sign, after, operand in others)
    whole = first + "".join(f" {sign} {operand}" for _, sign, _, operand in others)
    head = "a = 1\nT = a * " if named else ""
    assert expand_model(head + broken, NAMES) == expand_model(head + whole, NAMES)


@given(st.lists(st.sampled_from(["x", "2 * y", "z^2", "7"]), min_size=2, max_size=5), st.data())
def test_no_statement_is_left_out(parts: list[str], data: st.DataObject) -> None:
    """A text without a marked model is the sum of its definitions if its last line says so, otherwise it is refused."""
    names = data.draw(st.lists(st.sampled_from(["T", "a", "b", "c", ""]), min_size=len(parts), max_size=len(parts)))
    text = "\n".join(f"{name} = {part}" if name else part for name, part in zip(names, parts, strict=True))
    if names[-1] == "T" and len(set(names)) == len(names) and "" not in names:
        # Whoever writes `T =` says what the model is.
        assert expanded(text) == expanded(parts[-1])
        return
    with pytest.raises(ExpressionError):
        expanded(text)


def test_names_that_look_like_operators() -> None:
    """A line that begins with an option like `-O2`, or ends with one like `c++`, is not continued."""
    assert expanded("a = x\n-O2 * a", "-O2") == {option_term("x") * option_term("-O2"): 1.0}
    assert expanded("a = x * c++\na * y", "c++") == {option_term("x") * option_term("y") * option_term("c++"): 1.0}
    assert expanded("a = x * c++\n+ y\nT = a", "c++") == expanded("x * c++ + y", "c++")
    with pytest.raises(ExpressionError, match="another expression follows the model of line 1\n    -O2\n"):
        expanded("T = x\n-O2", "-O2")


def test_an_option_named_like_the_model() -> None:
    """If T is an option, the last statement is the model regardless of its name."""
    assert expanded("a = T\nb = a * x", "T") == {option_term("T") * option_term("x"): 1.0}
    with pytest.raises(ExpressionError, match="has the name of an option") as caught:
        expanded("b = y\nT = x\na = y + b", "T")
    assert [problem.line for problem in caught.value.problems] == [2]


@given(
    st.lists(
        st.sampled_from(["a = x\n", "b = y * (\n", "x) + 1\n", "T = a\n", "  - b\n", "# x = 1\n", "\n"])
        | st.text(st.sampled_from("xyT=+-*/^()#` \n,1"), max_size=6),
        max_size=8,
    ).map("".join)
)
def test_statements_hold_every_line(text: str) -> None:
    """The statements of a text contain everything except comments, with the right lines."""
    try:
        parts = split_text(text, NameTable(NAMES))
    except ExpressionError:
        reject()
    lines = text.splitlines()
    covered: dict[int, str] = {}
    for each in parts:
        for place, line in enumerate(each.text.split("\n")):
            assert each.line + place not in covered
            covered[each.line + place] = line
    for number, line in enumerate(lines, 1):
        if line.strip() and "#" not in line:
            assert line.rstrip().endswith(covered[number].strip())


@given(st.integers(1, 45))
def test_long_lists_of_problems_end_with_their_number(count: int) -> None:
    """Of many wrong definitions the first 20 are shown, and the number of the others."""
    with pytest.raises(ExpressionError) as caught:
        expanded("".join(f"a{at} = nothing{at}\n" for at in range(count)) + "T = x")
    shown = [problem.message for problem in caught.value.problems]
    assert shown[:20] == [f"unknown name 'nothing{at}'" for at in range(min(count, 20))]
    assert shown[20:] == ([f"… and {count - 20} more problems"] if count > 20 else [])


SYSTEM = VariabilityModel(
    "s", (BinaryOption("fast mode"), BinaryOption("a-b"), BinaryOption("fast"), NumericOption("Größe.x", (1.0, 2.0)))
)
OPTION_NAMES = SYSTEM.term_names


@pytest.mark.parametrize(
    "text", ["fast mode", "fast  mode", "fast \t mode", "`fast  mode`", "fastmode", "fast\u00a0mode", "2*fast  mode/2"]
)
def test_spaces_in_names(text: str) -> None:
    """One space in a name matches several; the longest name still wins."""
    assert expand_model(text, OPTION_NAMES).expansion == {option_term("fast mode"): 1.0}


def test_names_with_several_spaces() -> None:
    """A name with several spaces is found with one, unless that is another name; line breaks do not match."""
    assert expand_model("a b * 2", {"a  b": "a  b"}).expansion == {option_term("a  b"): 2.0}
    both = {"a  b": "a  b", "a b": "a b"}
    assert expand_model("a b - a  b", both).expansion == {option_term("a b"): 1.0, option_term("a  b"): -1.0}
    with pytest.raises(ExpressionError, match="unknown name 'a'"):
        expand_model("a   b", both)
    with pytest.raises(ExpressionError, match="unknown name 'mode'"):
        expand_model("(fast\nmode)", OPTION_NAMES)


@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize("own", ["NFC", "NFD"])
def test_composed_characters(form: Any, own: Any) -> None:
    """A name is found with composed and decomposed letters, in the system, in parameters and in the text."""
    name, text = unicodedata.normalize(own, "Größe.x"), unicodedata.normalize(form, "größe * Größe.x")
    parameter = unicodedata.normalize(own, "größe")
    known = Parameters({parameter: Quantity.exactly(3.0)})
    found = expand_model(text, {name: name}, known)
    assert found.expansion == {option_term(name): 3.0}
    assert found.used == {parameter}


def test_names_that_differ_in_their_composition_only() -> None:
    """If two options differ only in the composition of letters, names are not normalised."""
    one, other = (unicodedata.normalize(form, "größe") for form in ("NFC", "NFD"))
    found = expand_model(f"{one} + 2 * {other}", {one: one, other: other})
    assert found.expansion == {option_term(one): 1.0, option_term(other): 2.0}


def test_hints_show_the_name() -> None:
    """The nearest known name is shown in the system's spelling."""
    with pytest.raises(ExpressionError, match="did you mean 'fast mode'"):
        expand_model("fastmood", OPTION_NAMES)


def test_definitions_with_another_spelling() -> None:
    """A definition whose name is another spelling of an option is refused with the option's name."""
    with pytest.raises(ExpressionError, match=r"'ab' has the name of an option \(another spelling of 'a-b'\)"):
        expand_model("ab = 3\nT = ab", OPTION_NAMES)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_read_back(value: float) -> None:
    """Every finite number reads back as the same number."""
    assert float(net_number(value)) == value


def product(text: str, in_system: bool = False) -> Lines:
    """Return the sum of terms of a product; without the options of a system, all options are those of the text."""
    system = small_system() if in_system else None
    found = expand_product(text, system.name_table if system else names_of([text]), system)
    assert in_system or found == expand_product(text, small_system().name_table, small_system())
    return Lines(InfluenceModel.from_terms(found))


def term(text: str) -> str:
    """Return a term in the grammar of logs."""
    (found,) = expand_text(text, None)
    return term_text(found, ("gvn", "x", "y"), "base")


def names(text: str) -> list[str]:
    """Return the names in a product."""
    return sorted({*names_of([text]).names} - {"root"})


def writable(*names: str) -> Lines:
    """Return what is said about names in logs, read with a system and without."""
    found: list[str] = []
    for table in (NameTable({each: each for each in (*names, "a", "b", "x", "root")}), None):
        try:
            require_writable_names(["x", *names], table)
        except OutputError as error:
            found.append(str(error))
    return Lines("\n".join(dict.fromkeys(found)) or "none is refused")


def test_calls() -> None:
    """Numbers, durations, terms and names of logs."""
    check_calls("log-grammar", net_number, duration_text, split_model, product, term, names, writable)


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
