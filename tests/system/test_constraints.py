"""Constraints."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from splc.arithmetic.tokens import NameTable
from splc.system.clauses import clauses
from splc.system.constraints import (
    ArithmeticConstraint,
    BooleanConstraint,
    OptionLiteral,
    parse_arithmetic,
    parse_boolean,
)
from splc.system.options import BinaryOption, NumericOption
from splc.system.variability import VariabilityModel
from tests.support.examples import examples
from tests.support.golden_messages import Lines, check_calls, check_messages
from tests.support.sampling_oracle import is_valid
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


@given(
    st.lists(
        st.tuples(st.sampled_from(["a", "b", "rc", "lookahead", "rc-lookahead", "root"]), st.integers(0, 4)),
        min_size=1,
        max_size=5,
    ),
    st.sampled_from(["!", "-"]),
    st.sampled_from(["|", "&", " | ", " & ", "||", "&&"]),
)
def test_literals_as_written(parts: list[tuple[str, int]], sign: str, joint: str) -> None:
    """Names keep their order, an even number of negations cancels out, & makes a conjunction."""
    found = parse_boolean(joint.join(sign * count + name for name, count in parts), TABLE)
    assert found.literals == tuple(OptionLiteral(name, count % 2 == 0) for name, count in parts)
    assert found.conjunction is ("&" in joint and len(parts) > 1)
    assert found.names == tuple(dict.fromkeys(name for name, _ in parts))


@given(
    st.integers(-5, 5),
    st.integers(-5, 5),
    st.sampled_from(sorted(COMPARE)),
    st.booleans(),
)
def test_comparisons(left: int, right: int, sign: str, negated: bool) -> None:
    """The comparison (negated with exprKind neg) holds as in Python, of whole numbers and of fractions."""
    constraint = parse_arithmetic(f"a {sign} b", TABLE, "mixed", negated=negated)
    for unit in (1.0, 0.125):
        columns = {"a": np.array([left * unit]), "b": np.array([right * unit])}
        assert constraint.holds(columns.__getitem__).tolist() == [COMPARE[sign](left, right) != negated]


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


def binary(
    name: str, parent: str | None = None, *, optional: bool = True, implied: str = "", excluded: str = ""
) -> BinaryOption:
    """Return a binary option; groups are separated by spaces, their names by |."""
    implies, excludes = (tuple(tuple(group.split("|")) for group in text.split()) for text in (implied, excluded))
    return BinaryOption(name, parent, optional, implies, excludes)


@examples(40)
@given(models())
def test_clauses_are_the_rules(model: VariabilityModel) -> None:
    """On random models, an assignment satisfies the clauses if and only if it obeys the rules."""
    every = all_assignments(model)
    found = np.all(
        [np.ones(len(every), dtype=bool), *(clause.holds(every.indices) for clause in clauses(model))], axis=0
    )
    boolean = tuple(each for each in model.constraints if isinstance(each, BooleanConstraint))
    described = replace(model, constraints=boolean)
    assert [is_valid(described, every.assignment(row)) for row in range(len(every))] == found.tolist()


@given(models())
def test_each_clause_has_a_reason(model: VariabilityModel) -> None:
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


def test_a_large_alternative_group() -> None:
    """A group of 120 alternatives is one clause and an exclusion per pair, within a second."""
    names = [f"a{i}" for i in range(120)]
    options = tuple(
        binary(name, optional=False, excluded=" ".join(other for other in names if other != name)) for name in names
    )
    assert len(clauses(VariabilityModel("m", options))) == 1 + 120 * 119 // 2


def shown(found: set[frozenset[str]]) -> list[str]:
    """Return selections as texts, small ones first."""
    return sorted((" ".join(sorted(selection)) for selection in found), key=lambda text: (len(text), text))


def stated(text: str, *options: str | BinaryOption | NumericOption) -> list[str]:
    """Return the selections of options that a constraint admits."""
    every = tuple(binary(each) if isinstance(each, str) else each for each in options)
    constraint = parse_boolean(text, VariabilityModel("m", every).name_table)
    return shown(selections(VariabilityModel("m", every, (constraint,))))


def hierarchy(options: Sequence[BinaryOption]) -> list[str]:
    """Return the selections that the hierarchy admits."""
    return shown(selections(VariabilityModel("m", tuple(options))))


def reasons(options: Sequence[BinaryOption], text: str) -> Lines:
    """Return why each clause holds, and whether a constraint states it."""
    constraint = parse_boolean(text, VariabilityModel("m", tuple(options)).name_table)
    found = clauses(VariabilityModel("m", tuple(options), (constraint,)))
    return Lines("\n".join(f"{each.reason}{' (stated)' * (each.origin == constraint)}" for each in found))


def boolean(text: str, line: int | None = None) -> BooleanConstraint:
    """Return a constraint over the names of TABLE, with its line."""
    return parse_boolean(text, TABLE, line)


def arithmetic(text: str, line: int | None = None) -> ArithmeticConstraint:
    """Return a comparison over the names of TABLE, with its line."""
    return parse_arithmetic(text, TABLE, line=line)


def truths(text: str, **values: float) -> str:
    """Return the comparisons that hold in place of `?`."""
    columns = {name: np.array([value]) for name, value in values.items()}
    return " ".join(sign for sign in COMPARE if arithmetic(text.replace("?", sign)).holds(columns.__getitem__)[0])


def test_calls() -> None:
    """The hierarchy and stated constraints admit exactly the selections in the golden file."""
    functions = (hierarchy, stated, reasons, boolean, arithmetic, truths, binary, NumericOption)
    check_calls("selections", *functions)


def test_messages() -> None:
    """Mixed operators, parentheses and unknown names are refused, with the column and how to write constraints."""
    check_messages("constraints", boolean)
