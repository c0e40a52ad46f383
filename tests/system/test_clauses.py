from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given

from splc.system.clauses import clauses
from splc.system.constraints import parse_boolean
from splc.system.options import BinaryOption, NumericOption
from splc.system.variability import ROOT, VariabilityModel
from tests.support.examples import examples
from tests.support.strategies import all_assignments, models


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


class TestHierarchy:
    @pytest.mark.parametrize(
        ("options", "expected"),
        [
            pytest.param([binary("a"), binary("b", "a")], sets("", "a", "ab"), id="a child needs its parent"),
            pytest.param([binary("a", optional=False)], sets("a"), id="mandatory at top level"),
            pytest.param([binary("a"), binary("b", "a", optional=False)], sets("", "ab"), id="mandatory child"),
            pytest.param(
                [binary("a", optional=False, excluded="b"), binary("b", optional=False, excluded="a")],
                sets("a", "b"),
                id="alternative group at top level",
            ),
            pytest.param(
                [binary("a", optional=False, excluded="b"), binary("b", optional=False)],
                sets("a", "b"),
                id="an exclusion holds in both directions",
            ),
            pytest.param(
                [
                    binary("p"),
                    binary("a", "p", optional=False, excluded="b c"),
                    binary("b", "p", optional=False, excluded="a c"),
                    binary("c", "p", optional=False, excluded="a b"),
                ],
                sets("", "pa", "pb", "pc"),
                id="alternative group below a parent",
            ),
            pytest.param(
                [binary("a", excluded="b"), binary("b", excluded="a")], sets("", "a", "b"), id="optional siblings"
            ),
            pytest.param(
                [binary("a", optional=False, excluded="b"), binary("b")],
                sets("", "a", "b"),
                id="one optional sibling: no group, but the exclusion holds",
            ),
            pytest.param(
                [
                    binary("p"),
                    binary("q"),
                    binary("a", "p", optional=False, excluded="b"),
                    binary("b", "q", optional=False),
                ],
                sets("", "p", "q", "pa", "qb", "pq", "pqa", "pqb"),
                id="different parents: no group, but the exclusion holds",
            ),
            pytest.param(
                [binary("a", implied="b"), binary("b")], sets("", "b", "ab"), id="an implication of one option"
            ),
            pytest.param(
                [binary("a", implied="b|c d"), binary("b"), binary("c"), binary("d")],
                sets("", "b", "c", "d", "bc", "bd", "cd", "bcd", "abd", "acd", "abcd"),
                id="every implied group needs one of its names",
            ),
            pytest.param(
                [binary("a", excluded="b|c"), binary("b"), binary("c")],
                sets("", "a", "b", "c", "ab", "ac", "bc", "abc"),
                id="an excluded group of several names has no effect",
            ),
            pytest.param(
                [binary("a", optional=False, excluded="b|c"), binary("b"), binary("c")],
                sets("a", "ab", "ac", "abc"),
                id="nor does it make its option less mandatory",
            ),
            pytest.param(
                [binary("a", excluded="a")], sets("", "a"), id="an option that excludes itself excludes nothing"
            ),
            pytest.param([binary("a", implied="root")], sets("", "a"), id="the root is always there"),
            pytest.param(
                [
                    binary("a", optional=False, excluded="b"),
                    binary("b", optional=False, excluded="c"),
                    binary("c", optional=False),
                ],
                sets("b", "ac"),
                id="a chain of exclusions: each with those it excludes",
            ),
        ],
    )
    def test_selections(self, options: list[BinaryOption], expected: set[frozenset[str]]) -> None:
        """The hierarchy admits exactly these selections."""
        assert selections(VariabilityModel("m", tuple(options))) == expected


class TestBoolean:
    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("a | b", sets("a", "b", "ab")),
            ("a | !b", sets("", "a", "ab")),
            ("a | -b", sets("", "a", "ab")),
            ("!!a | - -b", sets("a", "b", "ab")),
            ("a & !b", sets("a")),
            ("!a & -b", sets("")),
            ("a | !a", sets("", "a", "b", "ab")),
            ("a & !a", set()),
            ("a | a", sets("a", "ab")),
            ("root", sets("", "a", "b", "ab")),
            ("!root", set()),
            ("!root | a", sets("a", "ab")),
            ("root & a", sets("a", "ab")),
        ],
    )
    def test_selections(self, text: str, expected: set[frozenset[str]]) -> None:
        """A stated constraint admits exactly these selections."""
        options = (binary("a"), binary("b"))
        constraint = parse_boolean(text, VariabilityModel("m", options).name_table)
        assert selections(VariabilityModel("m", options, (constraint,))) == expected

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("rc-lookahead", [{"rc-lookahead"}, {"rc", "rc-lookahead"}]),
            ("-rc-lookahead", [set(), {"rc"}]),
            ("!rclookahead & rc", [{"rc"}]),
            ("-rc", [set(), {"rc-lookahead"}]),
        ],
    )
    def test_names_with_a_minus(self, text: str, expected: list[set[str]]) -> None:
        """`rc-lookahead` is one option, also beside an option `rc` and after a negation."""
        options = (binary("rc"), binary("rc-lookahead"))
        constraint = parse_boolean(text, VariabilityModel("m", options).name_table)
        assert selections(VariabilityModel("m", options, (constraint,))) == set(map(frozenset, expected))

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
