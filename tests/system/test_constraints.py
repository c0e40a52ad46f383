"""Constraints."""

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
from splc.system.clauses import clauses
from splc.system.constraints import OptionLiteral, parse_arithmetic, parse_boolean
from splc.system.options import BinaryOption, NumericOption
from splc.system.variability import ROOT, VariabilityModel
from tests.support.examples import examples
from tests.support.golden_messages import check_calls
from tests.support.strategies import all_assignments, models

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


def selections(model: VariabilityModel) -> set[frozenset[str]]:
    """Return the selected options of each assignment that satisfies all clauses."""
    every = all_assignments(model)
    valid = np.ones(len(every), dtype=bool)
    for clause in clauses(model):
        valid &= clause.holds(every.indices)
    return {
        frozenset(
            option.name
            for option, index in zip(model.options, row, strict=True)
            if (index == 1 if isinstance(option, BinaryOption) else index < len(option.values))
        )
        for row in every.indices[valid]
    }


def groups(*names: str) -> tuple[tuple[str, ...], ...]:
    """Return groups written `a|b`."""
    return tuple(tuple(name.split("|")) for name in names)


def binary(
    name: str, parent: str | None = None, *, optional: bool = True, implied: str = "", excluded: str = ""
) -> BinaryOption:
    """Return a binary option; groups are separated by spaces, their names by |."""
    return BinaryOption(name, parent, optional, groups(*implied.split()), groups(*excluded.split()))


def sets(*texts: str) -> set[frozenset[str]]:
    """Return selections written as words of single letters."""
    return {frozenset(text) for text in texts}


class TestBooleanClauses:
    def test_numeric_options_and_their_switches(self) -> None:
        """A numeric option is selected unless it is deselected, and its switches say so."""
        options = (binary("a"), NumericOption("x", (1.0, 2.0), deselected_flag=0.0), NumericOption("y", (1.0,)))
        table = VariabilityModel("m", options).name_table
        for text, expected in {
            "x": sets("xy", "axy"),
            "!x | a": sets("y", "ay", "axy"),
            "Enabledx | a": sets("xy", "ay", "axy"),
            "!Enabledx | a": sets("y", "ay", "axy"),
            "Disabledx": sets("y", "ay"),
            "!Disabledx & !a": sets("xy"),
            "y": sets("y", "ay", "xy", "axy"),
            "!y": set(),
        }.items():
            assert selections(VariabilityModel("m", options, (parse_boolean(text, table),))) == expected, text


def obeys(model: VariabilityModel, selected: Callable[[str], bool]) -> bool:
    """Return whether a selection obeys the rules in the docstrings of the modules."""
    options = {option.name: option for option in model.binary_options}
    rivals: dict[str, set[str]] = {name: set() for name in options}
    for a, b in itertools.permutations(options, 2):
        if (b,) in options[a].excluded or (a,) in options[b].excluded:
            rivals[a].add(b)
    for name, option in options.items():
        parent = option.parent or ROOT
        siblings = {b for b in rivals[name] if not options[b].optional and options[b].parent == option.parent}
        if selected(name) and not selected(parent):
            return False
        if selected(name) and any(selected(other) for other in rivals[name]):
            return False
        if selected(name) and not all(any(map(selected, group)) for group in option.implied):
            return False
        if option.optional or not selected(parent):
            continue
        if not rivals[name] and not selected(name):
            return False
        if siblings and not any(map(selected, {name, *siblings})):
            return False
    for constraint in model.boolean_constraints:
        truths = [selected(literal.name) == literal.positive for literal in constraint.literals]
        if not (all(truths) if constraint.conjunction else any(truths)):
            return False
    return True


@examples(40)
@given(models())
def test_clauses_are_the_rules(model: VariabilityModel) -> None:
    """On random models, an assignment satisfies the clauses if and only if it obeys the rules."""
    every = all_assignments(model)
    found = np.ones(len(every), dtype=bool)
    for clause in clauses(model):
        found &= clause.holds(every.indices)
    for row, valid in enumerate(found):
        values = every.assignment(row)

        def selected(name: str, values: dict[str, float] = values) -> bool:
            if name == ROOT:
                return True
            for prefix, enabled in (("Enabled", True), ("Disabled", False)):
                if name.startswith(prefix):
                    return bool(np.isnan(values[name.removeprefix(prefix)])) != enabled
            return not np.isnan(values[name]) and (values[name] == 1 or name.startswith("n"))

        assert obeys(model, selected) == valid


class TestClauses:
    @given(models())
    def test_each_clause_has_a_reason(self, model: VariabilityModel) -> None:
        """No clause is stated twice by the hierarchy, none always holds, positions ascend, masks have their sizes."""
        found = clauses(model)
        hierarchy = [clause.literals for clause in found if clause.origin is None]
        assert len(set(hierarchy)) == len(hierarchy)
        for clause in found:
            scope = [position for position, _ in clause.literals]
            assert scope == sorted(set(scope))
            for position, allowed in clause.literals:
                assert len(allowed) == model.options[position].size
                assert not all(allowed)

    def test_reasons(self) -> None:
        """Every clause has a reason in words."""
        options = (
            binary("p", optional=False),
            binary("a", "p", optional=False, excluded="b", implied="c|d"),
            binary("b", "p", optional=False),
            binary("c"),
            binary("d"),
        )
        constraint = parse_boolean(" c | d ", VariabilityModel("m", options).name_table)
        found = clauses(VariabilityModel("m", options, (constraint,)))
        assert [clause.reason for clause in found] == [
            "root needs p",
            "a needs its parent p",
            "p needs one of a, b",
            "a excludes b",
            "a implies c or d",
            "b needs its parent p",
            "c | d",
        ]
        assert [clause.origin for clause in found] == [None] * 6 + [constraint]

    def test_a_large_alternative_group(self) -> None:
        """A group of 120 alternatives is one clause and an exclusion per pair, within a second."""
        names = [f"a{i}" for i in range(120)]
        options = tuple(
            binary(name, optional=False, excluded=" ".join(other for other in names if other != name)) for name in names
        )
        assert len(clauses(VariabilityModel("m", options))) == 1 + 120 * 119 // 2


def shown(found: set[frozenset[str]]) -> list[str]:
    """Return selections as texts, small ones first."""
    return sorted((" ".join(sorted(selection)) for selection in found), key=lambda text: (len(text), text))


def stated(text: str, *names: str) -> list[str]:
    """Return the selections of options that a constraint admits."""
    options = tuple(map(binary, names))
    constraint = parse_boolean(text, VariabilityModel("m", options).name_table)
    return shown(selections(VariabilityModel("m", options, (constraint,))))


def test_calls() -> None:
    """The hierarchy and stated constraints admit exactly the selections in the golden file."""

    def hierarchy(options: list[BinaryOption]) -> list[str]:
        return shown(selections(VariabilityModel("m", tuple(options))))

    def literals(text: str) -> list[tuple[object, ...]]:
        return [tuple(each) for each in parse_boolean(text, TABLE).literals]

    check_calls("selections", hierarchy, stated, literals, binary)
