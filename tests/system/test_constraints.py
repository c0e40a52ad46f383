from __future__ import annotations

import itertools
import operator
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from splc.arithmetic.tokens import NameTable
from splc.errors import ExpressionError
from splc.system.constraints import OptionLiteral, parse_arithmetic, parse_boolean

NAMES = ("a", "b", "rc", "lookahead", "rc-lookahead", "!odd", "x|y")
TABLE = NameTable({**{name: name for name in NAMES}, "rclookahead": "rc-lookahead", "root": "root"})
COMPARE: dict[str, Callable[[float, float], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    "=": operator.eq,
    "!=": operator.ne,
    ">": operator.gt,
    "<": operator.lt,
}


class TestBoolean:
    @given(
        st.lists(
            st.tuples(st.sampled_from(["a", "b", "rc", "lookahead", "rc-lookahead", "root"]), st.integers(0, 4)),
            min_size=1,
            max_size=5,
        ),
        st.sampled_from(["!", "-"]),
        st.sampled_from(["|", "&", " | ", " & ", "||", "&&"]),
    )
    def test_literals_as_written(self, parts: list[tuple[str, int]], sign: str, joint: str) -> None:
        """Names keep their order, an even number of negations cancels out, & makes a conjunction."""
        found = parse_boolean(joint.join(sign * count + name for name, count in parts), TABLE)
        assert found.literals == tuple(OptionLiteral(name, count % 2 == 0) for name, count in parts)
        assert found.conjunction is ("&" in joint and len(parts) > 1)
        assert found.names == tuple(dict.fromkeys(name for name, _ in parts))

    @pytest.mark.parametrize(
        ("text", "name", "positive"),
        [
            ("rc-lookahead", "rc-lookahead", True),
            ("-rc-lookahead", "rc-lookahead", False),
            ("!rclookahead", "rc-lookahead", False),
            (" ! - rc", "rc", True),
            ("`rc-lookahead`", "rc-lookahead", True),
            ("!`!odd`", "!odd", False),
            ("x|y", "x|y", True),
        ],
    )
    def test_names_with_operators_inside(self, text: str, name: str, positive: bool) -> None:
        """A known name may contain operators; a name that begins with an operator needs backticks."""
        assert parse_boolean(text, TABLE).literals == (OptionLiteral(name, positive),)


class TestArithmetic:
    @given(
        st.integers(-5, 5),
        st.integers(-5, 5),
        st.sampled_from(sorted(COMPARE)),
        st.booleans(),
    )
    def test_comparisons(self, left: int, right: int, sign: str, negated: bool) -> None:
        """The comparison (negated with exprKind neg) holds as in Python, of whole numbers and of fractions."""
        constraint = parse_arithmetic(f"a {sign} b", TABLE, "mixed", negated=negated)
        for unit in (1.0, 0.125):
            columns = {"a": np.array([left * unit]), "b": np.array([right * unit])}
            assert constraint.holds(columns.__getitem__).tolist() == [COMPARE[sign](left, right) != negated]

    @pytest.mark.parametrize("sign", sorted(COMPARE))
    @pytest.mark.parametrize("scale", [1.0, 1e-3, 1e12])
    def test_sides_that_differ_by_rounding_are_equal(self, sign: str, scale: float) -> None:
        """0.1 + 0.2 equals 0.3 for every comparison, at every magnitude."""
        constraint = parse_arithmetic(f"a + b {sign} rc", TABLE)
        columns = {"a": np.array([0.1 * scale]), "b": np.array([0.2 * scale]), "rc": np.array([0.3 * scale])}
        assert constraint.holds(columns.__getitem__)[0] == COMPARE[sign](0, 0)

    @pytest.mark.parametrize("size", [1e-6, 0.5, 1.0, 7.0, 1e6])
    @pytest.mark.parametrize("sides", [(1, 0), (0, 1)])
    def test_tolerance(self, size: float, sides: tuple[int, int]) -> None:
        """Two sides are equal if they differ by at most 10^-9 of the larger of them and 1."""
        most = 1e-9 * max(size, 1.0)
        constraint = parse_arithmetic("a = b", TABLE)
        for part, expected in ((0.9, True), (1.1, False)):
            columns = {"a": np.array([size + part * most * sides[0]]), "b": np.array([size + part * most * sides[1]])}
            assert constraint.holds(columns.__getitem__)[0] == expected

    def test_text_and_line(self) -> None:
        """Constraints keep their text and line for messages; neither line nor file distinguishes them."""
        one, other = parse_boolean(" a | b", TABLE, 7), parse_arithmetic("a > 1 ", TABLE, line=8)
        assert (one.text, one.line, other.text, other.line) == (" a | b", 7, "a > 1 ", 8)
        assert one == parse_boolean(" a | b", TABLE)
        assert other == parse_arithmetic("a > 1 ", TABLE)

    def test_sides_that_differ_by_more_are_not_equal(self) -> None:
        """A difference of one part in a million is a difference."""
        one = np.array([1.000001, 1.0, 0.999999])
        for sign, expected in {"=": [False, True, False], ">": [True, False, False], "<=": [False, True, True]}.items():
            assert parse_arithmetic(f"a {sign} 1", TABLE).holds(lambda _: one).tolist() == expected

    @pytest.mark.parametrize("sign", sorted(COMPARE))
    def test_infinite_sides(self, sign: str) -> None:
        """An infinite side is greater than any number and equal to another infinity, without a warning."""
        infinite = np.array([1e200])
        assert parse_arithmetic(f"a ^ 2 {sign} 5", TABLE).holds(lambda _: infinite)[0] == COMPARE[sign](1, 0)
        assert parse_arithmetic(f"a ^ 2 {sign} a ^ 3", TABLE).holds(lambda _: infinite)[0] == COMPARE[sign](0, 0)
        assert parse_arithmetic(f"0 - a ^ 2 {sign} 5", TABLE).holds(lambda _: infinite)[0] == COMPARE[sign](0, 1)

    def test_spl_conquerors_arithmetic(self) -> None:
        """Products associate to the right, x / 0 is 0, and the constraint is ambiguous if the order matters."""
        constraint = parse_arithmetic("a / b * rc = 2", TABLE)
        assert constraint.ambiguous
        for a, b, rc in itertools.product([0.0, 2.0, 12.0], repeat=3):
            columns = {"a": np.array([a]), "b": np.array([b]), "rc": np.array([rc])}
            expected = a / (b * rc) == 2 if b * rc else False
            assert constraint.holds(columns.__getitem__)[0] == expected
        assert not parse_arithmetic("a * b / rc = 2", TABLE).ambiguous

    def test_names_of_both_sides(self) -> None:
        """Every option is listed once, in order of appearance."""
        assert parse_arithmetic("rc-lookahead * a >= b + a - rc", TABLE).names == ("rc-lookahead", "a", "b", "rc")

    def test_an_unknown_name(self) -> None:
        """An unknown option is refused with its column."""
        with pytest.raises(ExpressionError, match="unknown name 'c'") as caught:
            parse_arithmetic("a + 1 < b + c", TABLE)
        assert caught.value.problems[0].column == 13
