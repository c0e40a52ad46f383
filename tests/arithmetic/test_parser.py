"""The parser against a slow transcription of its grammar, the search of names against all spellings; exact messages."""

from __future__ import annotations

import math
import re
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from splc.arithmetic import parser as parser_module
from splc.arithmetic.functions import evaluate, fraction_of, rounded
from splc.arithmetic.parser import MAX_DEPTH, Associate, parse, parse_comparison
from splc.arithmetic.tokens import FUNCTIONS, MODEL_FUNCTIONS, NameTable, problem_at
from splc.arithmetic.tree import Call, Name, Node, Number, Power, Product, Sum, is_ambiguous, names_in, tree_text
from splc.errors import ExpressionError, Problem
from tests.support.arithmetic_oracle import WrongError, parsed, written
from tests.support.golden_messages import check_calls, check_messages

VALUES = {"a": 3.0, "b": 0.5, "c": 7.0}


def value(text: str, associate: Associate = "left", *, zero_safe: bool = False, **values: Any) -> Any:
    """Return the value of a text over `VALUES` and other values."""
    columns = {name: np.array(numbers, dtype=float) for name, numbers in values.items()}
    found = evaluate(parse(text, associate=associate), {**VALUES, **columns}.__getitem__, zero_safe)
    return np.round(found, 12).tolist()


def ambiguous(text: str) -> bool:
    """Return whether the value of a text depends on the association of its products."""
    found = is_ambiguous(parse(text))
    assert bool(value(text, a=8.0, b=2.0) != value(text, "right", a=8.0, b=2.0)) is found
    return found


def fraction(text: str) -> Fraction | None:
    """Return the exact value of a text, None if it has none."""
    return fraction_of(parse(text))


def comparison(text: str) -> tuple[str, str, str]:
    """Return both sides of a comparison, and its operator."""
    left, sign, right = parse_comparison(text)
    return tree_text(left, str, repr), sign, tree_text(right, str, repr)


class TestValues:
    def test_calls(self) -> None:
        """Texts have the values, the exact fractions and the errors that are shown."""
        check_calls("text-values", value, ambiguous, fraction, comparison)

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
        assert value(text) == pytest.approx(total + product, rel=1e-9, abs=1e-9)

    @given(st.lists(st.floats(0.5, 9), min_size=3, max_size=6), st.lists(st.sampled_from("*/"), min_size=5, max_size=5))
    def test_right_association_of_products(self, numbers: list[float], operators: list[str]) -> None:
        """Associating to the right, a / b * c is a / (b * c) and a / b / c is a / (b / c), however long the chain."""
        expected = numbers[-1]
        for number, operator in reversed(list(zip(numbers[:-1], operators, strict=False))):
            expected = number * expected if operator == "*" else number / expected
        text = repr(numbers[0]) + "".join(
            f" {operator} {number!r}" for operator, number in zip(operators, numbers[1:], strict=False)
        )
        assert value(text, "right") == pytest.approx(expected)

    @pytest.mark.parametrize("number", [-3.0, 0.0, 2.0, 1e6, 123_456_789.0])
    def test_rounding_ignores_rounding_errors(self, number: float) -> None:
        """Values within rounding errors of an integer are that integer; larger differences are rounded up or down."""
        error, apart = 2e-13 * max(1.0, abs(number)), 1e-3
        near = np.array([number + error, number - error])
        for function, beyond in (("ceil", number + apart), ("floor", number - apart)):
            assert rounded(function, near).tolist() == [number, number]
            assert rounded(function, beyond) == math.copysign(1, apart if function == "ceil" else -apart) + number


class TestTrees:
    def test_long_sums_and_products_are_flat(self) -> None:
        """A sum is one node with all its addends, a product one with all its factors."""
        assert parse("a + b - 2") == Sum(((1, Name("a", 0)), (1, Name("b", 4)), (-1, Number(2.0))))
        assert parse("a / b") == Product(((1, Name("a", 0)), (-1, Name("b", 4))))
        assert parse("log2(a) ^ -1") == Power(Call("log2", (Name("a", 5),), 0), Number(-1.0))

    def test_names_in_order_of_appearance(self) -> None:
        """Each name of a tree is listed once, in the order in which the text names them."""
        assert names_in(parse("c + log2(a * c) ^ b - a / d")) == ["c", "a", "b", "d"]


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
        assert names_in(parse(f"3 * {name} + 1", table(name, "x", "3"))) == [name]

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
            ((1, Name("log", 0)), (1, Call("log", (Name("log", 10),), 6)))
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
        "text", ["(" * 10**6, "2^" * 500_000 + "2", "log2(" * 200_000, "-(" * 500_000], ids=["(", "^", "log2", "-("]
    )
    def test_deep_nesting_is_refused_at_once(self, text: str) -> None:
        """A megabyte of nesting is refused at the level that is too deep, without reading the rest."""
        with pytest.raises(ExpressionError, match=f"more than {MAX_DEPTH} levels"):
            parse(text)

    def test_nesting_up_to_the_limit(self) -> None:
        """The largest allowed number of levels is parsed, any number of times side by side, and no more levels."""
        deepest = "(" * MAX_DEPTH + "a" + ")" * MAX_DEPTH
        assert value(f"{deepest} * {deepest} * log2({deepest[1:-1]})") == pytest.approx(9 * math.log2(3))
        assert value(" + ".join(["a^2"] * (MAX_DEPTH + 1))) == 9 * (MAX_DEPTH + 1)
        with pytest.raises(ExpressionError, match=f"more than {MAX_DEPTH} levels"):
            parse(f"({deepest})")

    def test_many_signs(self) -> None:
        """Signs do not nest: 100,000 of them cancel out, or are an incomplete expression."""
        assert parse("-" * 10**5 + "1") == Number(1.0)
        with pytest.raises(ExpressionError, match="ends too early"):
            parse("-" * 10**5)

    def test_long_flat_sums(self) -> None:
        """A sum of 20,000 addends is parsed and evaluated."""
        assert value("+".join(["a * 2 - b"] * 10_000)) == pytest.approx(10_000 * 5.5)


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
    with pytest.raises(ExpressionError) as caught:
        parse("`abcd` + 1", NameTable({"abce": "abce"}))
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
