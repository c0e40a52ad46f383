"""The parser against a slow transcription of its grammar, the search of names against all spellings; exact messages."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from splc.arithmetic import parser as parser_module
from splc.arithmetic.functions import evaluate, rounded
from splc.arithmetic.parser import MAX_DEPTH, Associate, parse, parse_comparison
from splc.arithmetic.tokens import FUNCTIONS, MODEL_FUNCTIONS, NameTable, UnknownNameError, problem_at
from splc.arithmetic.tree import Call, Name, Node, Number, Power, Product, Sum, is_ambiguous, names_in
from splc.errors import ExpressionError, Problem
from tests.support.arithmetic_oracle import WrongError, parsed, written
from tests.support.golden_messages import check_messages

VALUES = {"a": 3.0, "b": 0.5, "c": 7.0}
OPERATIONS: dict[str, Callable[[float, float], float]] = {
    "+": lambda x, y: x + y,
    "-": lambda x, y: x - y,
    "*": lambda x, y: x * y,
    "/": lambda x, y: x / y if y else math.nan,
    "^": lambda x, y: x**y if x > 0 and abs(y) < 20 else math.nan,
}
CALLS = {"log2": math.log2, "log10": math.log10, "ln": math.log, "log": math.log, "sqrt": math.sqrt}

# (text with full parentheses, value); NaN where Python has none.
Case = tuple[str, float]


def binary_case(left: Case, operator: str, right: Case) -> Case:
    """Return two cases joined by an operator."""
    try:
        value = OPERATIONS[operator](left[1], right[1])
    except OverflowError:
        value = math.nan
    return f"({left[0]} {operator} {right[0]})", value


def call_case(function: str, argument: Case) -> Case:
    """Return a function of a case."""
    value = CALLS[function](argument[1]) if argument[1] > 0 else math.nan
    return f"{function}({argument[0]})", value


def cases() -> st.SearchStrategy[Case]:
    """Expressions with full parentheses and what Python computes for them."""
    leaves = st.one_of(
        st.sampled_from(sorted(VALUES.items())),
        st.integers(0, 12).map(lambda n: (str(n), float(n))),
        st.floats(0.001, 1e6).map(lambda x: (repr(x), x)),
    )
    return st.recursive(
        leaves,
        lambda inner: st.one_of(
            st.builds(binary_case, inner, st.sampled_from(sorted(OPERATIONS)), inner),
            st.builds(call_case, st.sampled_from(sorted(CALLS)), inner),
            inner.map(lambda case: (f"(-{case[0]})", -case[1])),
        ),
        max_leaves=12,
    )


def value_of(text: str, associate: Associate = "left", *, zero_safe: bool = False, **values: Any) -> Any:
    """Return the value of a text over `VALUES` and other values."""
    found = evaluate(parse(text, associate=associate), {**VALUES, **values}.__getitem__, zero_safe)
    return float(found) if np.ndim(found) == 0 else found


class TestValues:
    @given(cases())
    def test_fully_parenthesised_text_has_pythons_value(self, case: Case) -> None:
        """An expression with all its parentheses has the value that Python's arithmetic gives."""
        text, expected = case
        assume(math.isfinite(expected))
        assert value_of(text) == pytest.approx(expected, rel=1e-9, abs=1e-9)

    @given(st.lists(st.tuples(st.sampled_from("+-*/"), st.floats(0.1, 9)), min_size=1, max_size=8), st.booleans())
    def test_without_parentheses_operators_bind_as_in_mathematics(
        self, parts: list[tuple[str, float]], negative: bool
    ) -> None:
        """A chain of + - * / without parentheses has the value that Python gives the same text."""
        text = ("-" if negative else "") + "2.5" + "".join(f" {operator} {number!r}" for operator, number in parts)
        left: float = -2.5 if negative else 2.5
        total, product = 0.0, left
        for operator, number in parts:
            if operator in "+-":
                total, product = total + product, number if operator == "+" else -number
            else:
                product = product * number if operator == "*" else product / number
        assert value_of(text) == pytest.approx(total + product, rel=1e-9, abs=1e-9)

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("2 ^ 3 ^ 2", 512),
            ("-2 ^ 2", -4),
            ("(-2) ^ 2", 4),
            ("2 ^ -1", 0.5),
            ("2 * -3", -6),
            ("--3", 3),
            ("-+-3", 3),
            ("1 - -2", 3),
            ("1E-05 + 2e3", 2000.00001),
            (".5 + 5.", 5.5),
            ("log(ln(2.718281828459045) + 0) + log10(1000) + log2(8) + sqrt(16)", 10),
            ("log2 (8)", 3),
        ],
    )
    def test_signs_powers_and_numbers(self, text: str, expected: float) -> None:
        """Powers associate to the right and bind stronger than a sign, numbers may have exponents."""
        assert value_of(text) == pytest.approx(expected)

    @given(st.lists(st.floats(0.5, 9), min_size=3, max_size=6), st.lists(st.sampled_from("*/"), min_size=5, max_size=5))
    def test_right_association_of_products(self, numbers: list[float], operators: list[str]) -> None:
        """Associating to the right, a / b * c is a / (b * c) and a / b / c is a / (b / c), however long the chain."""
        expected = numbers[-1]
        for number, operator in reversed(list(zip(numbers[:-1], operators, strict=False))):
            expected = number * expected if operator == "*" else number / expected
        text = repr(numbers[0]) + "".join(
            f" {operator} {number!r}" for operator, number in zip(operators, numbers[1:], strict=False)
        )
        assert value_of(text, "right") == pytest.approx(expected)

    @pytest.mark.parametrize("associate", ["left", "right"])
    def test_sums_associate_as_in_mathematics_either_way(self, associate: Associate) -> None:
        """Sums associate to the left, also where products associate to the right."""
        assert value_of("10 - 4 - 3", associate) == 3
        assert value_of("10 - 4 + 3", associate) == 9
        assert value_of("10 - 4 / 2 * 2 - 1", associate) == (5 if associate == "left" else 8)

    @pytest.mark.parametrize(
        ("text", "ambiguous"),
        [
            ("a / b * c", True),
            ("a / b / c", True),
            ("a * b / c", False),
            ("a / (b * c)", False),
            ("1 - log10(a / b * c)", True),
            ("2 ^ (a / b * c) + 1", True),
            ("a * (1 + b * c) ^ 2", False),
        ],
    )
    def test_ambiguous_where_the_associations_differ(self, text: str, ambiguous: bool) -> None:
        """A tree is ambiguous exactly where something follows a division in the same product."""
        assert is_ambiguous(parse(text)) is ambiguous
        assert (value_of(text, a=8.0, b=2.0) != value_of(text, "right", a=8.0, b=2.0)) is ambiguous

    def test_columns_are_evaluated_at_once(self) -> None:
        """The values of names may be columns; the result has one value per row."""
        column = np.array([1.0, 4.0, 9.0])
        found = value_of("2 * sqrt(x) - x / a ^ 2", x=column)
        assert found.tolist() == pytest.approx([2 - 1 / 9, 4 - 4 / 9, 6 - 1])

    @pytest.mark.parametrize("value", [-3.0, 0.0, 2.0, 1e6, 123_456_789.0])
    def test_rounding_ignores_rounding_errors(self, value: float) -> None:
        """Values within rounding errors of an integer are that integer; larger differences are rounded up or down."""
        error, apart = 2e-13 * max(1.0, abs(value)), 1e-3
        assert rounded("ceil", np.array([value + error, value - error, value + apart])).tolist() == [
            value, value, value + 1
        ]  # fmt: skip
        assert rounded("floor", np.array([value + error, value - error, value - apart])).tolist() == [
            value, value, value - 1
        ]  # fmt: skip

    def test_zero_safe_arithmetic(self) -> None:
        """SPL Conqueror's arithmetic gives 0 for a division by 0 and for the logarithm of 0, IEEE's does not."""
        zero = np.array([0.0, 2.0])
        for text, safe, strict in (
            ("3 / x", [0, 1.5], [math.inf, 1.5]),
            ("x / x", [0, 1], [math.nan, 1]),
            ("3 / (1 / x)", [0, 6], [0, 6]),
            ("x ^ -1", [0, 0.5], [math.inf, 0.5]),
            ("x ^ 0 + x ^ 2", [1, 5], [1, 5]),
            ("log2(x)", [0, 1], [-math.inf, 1]),
            ("ln(x) + 1", [1, 1 + math.log(2)], [-math.inf, 1 + math.log(2)]),
            ("sqrt(x)", [0, math.sqrt(2)], [0, math.sqrt(2)]),
        ):
            np.testing.assert_allclose(value_of(text, zero_safe=True, x=zero), safe, err_msg=text)
            np.testing.assert_allclose(value_of(text, zero_safe=False, x=zero), strict, err_msg=text)

    def test_no_warning_beyond_the_range_of_floats(self) -> None:
        """Overflow and the logarithm of a negative number give infinity and NaN without a warning."""
        assert value_of("10 ^ 400") == math.inf
        assert math.isnan(value_of("log10(0 - 5)", zero_safe=True))


class TestTrees:
    def test_long_sums_and_products_are_flat(self) -> None:
        """A sum is one node with all its addends, a product one with all its factors."""
        assert parse("a + b - 2") == Sum(((1, Name("a", 0)), (1, Name("b", 4)), (-1, Number(2.0))))
        assert parse("a / b") == Product(((1, Name("a", 0)), (-1, Name("b", 4))))
        assert parse("log2(a) ^ -1") == Power(Call("log2", Name("a", 5), 0), Number(-1.0))

    def test_names_in_order_of_appearance(self) -> None:
        """Each name of a tree is listed once, in the order in which the text names them."""
        assert names_in(parse("c + log2(a * c) ^ b - a / d")) == ["c", "a", "b", "d"]

    @pytest.mark.parametrize("sign", [">=", "<=", "!=", "=", "==", "<", ">"])
    def test_comparisons(self, sign: str) -> None:
        """A comparison is split into both sides and its operator; == is another spelling of =."""
        left, found, right = parse_comparison(f"a+1{sign}b")
        assert (left, right) == (parse("a+1"), Name("b", 3 + len(sign)))
        assert found == ("=" if sign == "==" else sign)

    @pytest.mark.parametrize("text", ["a", "a = b = c", "a = ", "= a", "a ! b", "(a = b)"])
    def test_not_a_comparison(self, text: str) -> None:
        """A comparison needs exactly one operator with an expression on each side."""
        with pytest.raises(ExpressionError):
            parse_comparison(text)


def table(*names: str) -> NameTable:
    """Return a table in which every name is its own spelling."""
    return NameTable({name: name for name in names})


class TestNames:
    def test_the_longest_name_wins(self) -> None:
        """`rc-lookahead` is one name if it is an option, otherwise rc minus lookahead."""
        longer = table("rc", "lookahead", "rc-lookahead")
        assert parse("rc-lookahead", longer) == Name("rc-lookahead")
        assert parse("rc - lookahead", longer) == Sum(((1, Name("rc")), (-1, Name("lookahead", 5))))
        assert names_in(parse("rc-lookahead", table("rc", "lookahead"))) == ["rc", "lookahead"]

    def test_a_name_ends_at_a_word_boundary(self) -> None:
        """A name is not found at the beginning of a longer word, but next to an operator it is."""
        with pytest.raises(ExpressionError, match="unknown name 'ab'"):
            parse("ab", table("a", "b"))
        assert names_in(parse("c++*a", table("c++", "a"))) == ["c++", "a"]
        with pytest.raises(ExpressionError, match="'a' is not expected here"):
            parse("c++a", table("c++", "a"))

    @pytest.mark.parametrize(
        "name", ["7z", "2x-4", "264_fast", "größe", "a.b.c", "a b", "x(1)", "e=mc^2", "-O3", "1e5x"]
    )
    def test_names_of_any_characters(self, name: str) -> None:
        """A known name may have any characters, and may begin like a number."""
        assert names_in(parse(f"3 * {name} + 1", table(name, "x"))) == [name]

    @pytest.mark.parametrize("name", ["a", "rc-lookahead", "log10", "264", "`", "a`b", "``x", "c#", "f(x", "a  b"])
    def test_backticks_quote_any_name(self, name: str) -> None:
        """A name in backticks is that name, with or without a table; a backtick inside is written twice."""
        text = "2 * `" + name.replace("`", "``") + "`^2"
        assert names_in(parse(text)) == [name]
        assert names_in(parse(text, table(name, "rc", "x"))) == [name]

    def test_other_spellings_stand_for_their_name(self) -> None:
        """A table maps a spelling to a name, with and without backticks."""
        spellings = NameTable({"rc-lookahead": "rc-lookahead", "rclookahead": "rc-lookahead"})
        assert names_in(parse("rclookahead + `rclookahead` + rc-lookahead", spellings)) == ["rc-lookahead"]

    def test_an_option_may_be_named_like_a_function(self) -> None:
        """If `log` is an option, it is the function only before a parenthesis."""
        assert parse("log * log(log)", table("log")) == Product(
            ((1, Name("log", 0)), (1, Call("log", Name("log", 10), 6)))
        )

    def test_an_unknown_name_comes_with_the_nearest(self) -> None:
        """An unknown name is reported with its column and the nearest known name."""
        with pytest.raises(ExpressionError) as caught:
            parse("2 * cells + pre_smoth", table("cells", "pre_smooth", "post_smooth"))
        problem = caught.value.problems[0]
        assert (problem.message, problem.column) == ("unknown name 'pre_smoth'", 13)
        assert problem.hint == "did you mean 'pre_smooth'?"

    def test_a_table_grows(self) -> None:
        """A name that is added later is found, and the longest name still wins."""
        names = table("ab")
        names.add("ab-c", "other")
        names.add("", "nothing")
        assert parse("ab-c", names) == Name("other")
        assert names_in(parse("ab-ab", names)) == ["ab"]

    def test_many_names_with_the_same_beginning(self) -> None:
        """A long sum over 1,000 options whose names begin alike is read in time proportional to its length."""
        names = [f"option_{i}" for i in range(1000)]
        assert names_in(parse("+".join(names * 10), table(*names))) == names


class TestErrors:
    def test_not_arithmetic(self) -> None:
        """Anything except arithmetic over known names is refused, with the column."""
        check_messages("arithmetic", lambda text: parse(text, table("a", "b")))

    def test_wrong_arguments(self) -> None:
        """Wrong numbers of arguments, decimal commas and missing operators have a column and a hint."""
        check_messages("arguments", lambda text: parse(text, table("a", "b"), functions=MODEL_FUNCTIONS))

    @pytest.mark.parametrize(
        "text", ["__import__('os')", "__import__(os)", "a.b(1)", "a.b[0]", "a ** b", "a; b", "a := 1"]
    )
    def test_python_syntax_is_refused(self, text: str) -> None:
        """If every plain name is accepted, Python's syntax beyond arithmetic is still refused."""
        with pytest.raises(ExpressionError, match=r"is not expected here|does not belong|is not an operator"):
            parse(text)

    @pytest.mark.parametrize(
        "text", ["(" * 10**6, "2^" * 500_000 + "2", "log2(" * 200_000, "-(" * 500_000], ids=["(", "^", "log2", "-("]
    )
    def test_deep_nesting_is_refused_at_once(self, text: str) -> None:
        """A megabyte of nesting is refused at the level that is too deep, without reading the rest."""
        with pytest.raises(ExpressionError, match=f"more than {MAX_DEPTH} levels"):
            parse(text)

    def test_nesting_up_to_the_limit(self) -> None:
        """The largest allowed number of levels is parsed, any number of times side by side, and no more levels."""
        deepest = "(" * MAX_DEPTH + "a" + ")" * MAX_DEPTH
        assert value_of(f"{deepest} * {deepest} * log2({deepest[1:-1]})") == pytest.approx(9 * math.log2(3))
        assert value_of(" + ".join(["a^2"] * (MAX_DEPTH + 1))) == 9 * (MAX_DEPTH + 1)
        with pytest.raises(ExpressionError, match=f"more than {MAX_DEPTH} levels"):
            parse(f"({deepest})")

    def test_many_signs(self) -> None:
        """Signs do not nest: 100,000 of them cancel out, or are an incomplete expression."""
        assert parse("-" * 10**5 + "1") == Number(1.0)
        with pytest.raises(ExpressionError, match="ends too early"):
            parse("-" * 10**5)

    def test_long_flat_sums(self) -> None:
        """A sum of 20,000 addends is parsed and evaluated."""
        assert value_of("+".join(["a * 2 - b"] * 10_000)) == pytest.approx(10_000 * 5.5)


def ends(text: str, end: int) -> bool:
    """Return whether no word continues at an offset."""
    return not re.fullmatch(r"\w\w", text[end - 1 : end + 1])


@given(
    st.dictionaries(st.text("ab+ ", min_size=1, max_size=6), st.sampled_from("xyz"), max_size=6),
    st.text("aabb+  \t\n", min_size=1, max_size=10),
)
def test_names_are_found_as_by_trying_all(spellings: dict[str, str], text: str) -> None:
    """The longest spelling wins; spaces between words may be others unless the spelling is then ambiguous."""
    table = NameTable(spellings)
    meanings: dict[tuple[str, ...], set[str]] = {}
    for spelling, name in spellings.items():
        if len(spelling.split()) > 1:
            meanings.setdefault(tuple(spelling.split()), set()).add(name)
    clear = {words: min(names) for words, names in meanings.items() if len(names) == 1}
    for at in range(len(text)):
        best: tuple[str, int] | None = None
        for end in range(at + 1, len(text) + 1):
            part = text[at:end]
            loose = clear.get(tuple(part.split())) if part == part.strip() and "\n" not in part else None
            # An operator is a name in backticks only.
            meant = (spellings.get(part) if part != "+" else None) or loose
            if meant and ends(text, end):
                best = meant, end - at
        assert table.find(text, at) == best
        assert table.begins(text[at]) == any(spelling[0] == text[at] for spelling in spellings)
    assert table.meaning(text) == (spellings.get(text) or clear.get(tuple(text.split())))
    assert table.real == tuple(sorted(set(spellings.values())))


def test_where_names_and_functions_end() -> None:
    """A name of a function is the function unless a known name is longer; a word after a number is an error."""
    assert parse("log(x) + 1", NameTable({"log(x)": "y", "x": "x"})) == Sum(((1, Name("y")), (1, Number(1.0))))
    with pytest.raises(ExpressionError, match="'b' is not expected here"):
        parse("a+b", NameTable({"a+": "a+", "a": "a", "b": "b"}))
    for text in ("a~", "2~"):
        with pytest.raises(ExpressionError, match="'~' does not belong"):
            parse(text, NameTable({"a": "a"}))
    with pytest.raises(ExpressionError, match="'2a' is neither a number nor a name"):
        parse("2ab * a")
    with pytest.raises(UnknownNameError) as caught:
        parse("`abcd` + 1", NameTable({"abce": "abce"}))
    assert caught.value.name == "abcd"
    assert caught.value.problems == (
        Problem("unknown name 'abcd'", column=1, text="`abcd` + 1", hint="did you mean 'abce'?"),
    )


@given(st.integers(0, 2**32))
def test_trees_and_errors_are_those_of_a_machine_with_a_stack(seed: int) -> None:
    """The parser finds the tree of a text, or its first error with message, column and hint, for any limit of depth."""
    random = Random(seed)
    for _ in range(10):
        text, pieces = written(random)
        associate: Associate = random.choice(("left", "right"))
        comparing = random.random() < (0.9 if any(kind == "cmp" for kind, *_ in pieces) else 0.05)
        depth = random.randint(1, 8)
        in_model = not comparing and random.random() < 0.7
        expected: list[Node | str] | Problem
        try:
            expected = parsed(text, pieces, associate, in_model, comparing, depth)
        except WrongError as error:
            at, message, hint = error.args
            around = ("…" if at > 30 else "") + text[max(0, at - 30) : at + 40].replace("\n", " ")
            expected = Problem(message, column=at + 1, text=around, hint=hint)
        found: list[Node | str] | Problem
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(parser_module, "MAX_DEPTH", depth)
            try:
                if comparing:
                    found = list(parse_comparison(text, associate=associate))
                else:
                    found = [parse(text, associate=associate, functions=MODEL_FUNCTIONS if in_model else FUNCTIONS)]
            except ExpressionError as error:
                (found,) = error.problems
        assert found == expected, text


def test_an_error_shows_the_text_around_it() -> None:
    """An error shows up to 30 characters before its place and 40 from there on; line breaks become spaces."""
    text = "".join(map(chr, range(0x4E00, 0x4E00 + 90)))
    for at, shown in ((0, text[:40]), (30, text[:70]), (31, "…" + text[1:71]), (80, "…" + text[50:])):
        (problem,) = problem_at(text, at, "m", "h").problems
        assert problem == Problem("m", column=at + 1, text=shown, hint="h")
    assert problem_at("a\nb", 1, "m").problems[0].text == "a b"
