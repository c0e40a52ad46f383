"""Statements of model text: where they end, which of them is the model, and that none is left out in silence."""

from __future__ import annotations

import pytest
from hypothesis import given, reject
from hypothesis import strategies as st

from splc.arithmetic.tokens import NameTable
from splc.errors import ExpressionError
from splc.models.terms import Term, option_term
from splc.models.text.reader import expand_model, split_text

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


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("T = 3*x\n  + 4*y", "3*x + 4*y"),
        ("T = 3*x +\n\n# and\n\n4*y", "3*x + 4*y"),
        ("T =\n  3*x", "3*x"),
        ("T = x\n\n* y", "x * y"),
        ("T = x\n^ 2", "x^2"),
        ("a = (x\n\n + y)\n/ 2\nT = a", "(x + y) / 2"),
        ("a = 3\n\n-x * a", "-3 * x"),
        ("a = 3\n(x + 1) * a", "3 * x + 3"),
        ("T = x\nT = T + y", "x + y"),
        ("a = x\na = a * y\nT = a", "x * y"),
        ("unused = y\nT = x", "x"),
        ("time = x", "x"),
        ("a = x\nb = a\nc = b + a", "2 * x"),
    ],
)
def test_continued_statements(text: str, same: str) -> None:
    """Statements continue after and before operators and `=`; after a blank line a sign begins a new one."""
    assert expanded(text) == expanded(same)


@pytest.mark.parametrize(
    ("text", "unused"),
    [("a = x\nb = a\nc = y", ["a", "b"]), ("a = x\nb = y\na * z", ["b"]), ("a = x\na = a + 1\ny", ["a", "a"])],
)
def test_unused_definitions(text: str, unused: list[str]) -> None:
    """Every definition that an unmarked model does not use, even indirectly, is reported with its line."""
    with pytest.raises(ExpressionError) as caught:
        expanded(text)
    problems = caught.value.problems
    assert [problem.message.rpartition(" ")[2] for problem in problems] == [repr(name) for name in unused]
    assert [problem.line for problem in problems] == [
        number for number, line in enumerate(text.splitlines(), 1) if line.split(" = ")[0] in unused
    ]


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


@pytest.mark.parametrize("use", ["1 / a", "log2(a)", "x / sqrt(a)"])
def test_uses_of_a_wrong_definition(use: str) -> None:
    """Only the wrong definition is reported, not what uses it."""
    with pytest.raises(ExpressionError) as caught:
        expanded(f"a = nothing * x\nT = {use}", "x")
    assert [problem.line for problem in caught.value.problems] == [1]


def test_places_within_broken_statements() -> None:
    """Errors have the right line and column after blank lines, comments and names."""
    with pytest.raises(ExpressionError) as caught:
        expanded("a = 1\nT =  # here\n\n  x\n # there\n  + foo * a")
    problem = caught.value.problems[0]
    assert (problem.message, problem.line, problem.column) == ("unknown name 'foo'", 6, 5)


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
    for each in (*parts.definitions, parts.model):
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
