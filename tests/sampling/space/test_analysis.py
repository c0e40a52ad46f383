"""The analysis of systems: findings, and suspicious parts of their descriptions."""

from __future__ import annotations

import numpy as np
from hypothesis import assume, given

from sampling.space.analysis import constraint_kind, describe, in_tree_order, option_role
from sampling.space.space import Space
from splc.arithmetic.tokens import NameTable
from splc.system.constraints import parse_arithmetic, parse_boolean
from splc.system.options import BinaryOption, NumericOption, Presentation
from splc.system.variability import VariabilityModel
from tests.support.examples import examples
from tests.support.sampling_oracle import is_valid
from tests.support.strategies import all_assignments, models


@examples(30)
@given(models(binary=4, numeric=2, most_constraints=3))
def test_findings_are_those_of_brute_force(model: VariabilityModel) -> None:
    """Dead and always selected options, unused values, and constraints without effect are exactly the reported ones."""
    everything = all_assignments(model)
    valid = everything[np.array([is_valid(model, everything.assignment(row)) for row in range(len(everything))])]
    assume(len(valid))
    expected: list[tuple[str, tuple[str, ...]]] = []
    for option, column in zip(model.options, valid.indices.T, strict=True):
        values = set(column.tolist())
        if isinstance(option, NumericOption):
            used = values - {len(option.values)}
            if not used:
                expected.append(("dead option", (option.name,)))
                continue
            if option.optional and used == values:
                expected.append(("always selected", (option.name,)))
            if len(used) < len(option.values):
                expected.append(("unused values", (option.name,)))
        elif values == {0}:
            expected.append(("dead option", (option.name,)))
        elif values == {1} and option.name not in model.mandatory:
            expected.append(("always selected", (option.name,)))
    for constraint in model.constraints:
        rest = tuple(other for other in model.constraints if other is not constraint)
        if Space(VariabilityModel(model.name, model.options, rest)).count == len(valid):
            expected.append(("constraint never binds", constraint.names))
    found = describe(Space(model))
    assert found.count == len(valid)
    assert [(each.kind, each.options) for each in found.findings if each.kind != "text"] == expected


def test_kinds_of_constraints() -> None:
    """The kind of a mixed constraint has its attributes."""
    names = VariabilityModel("m", (BinaryOption("a"), NumericOption("x", (1.0,)))).name_table
    assert constraint_kind(parse_boolean("a", names)) == "boolean"
    assert constraint_kind(parse_arithmetic("x > 1", names)) == "non-boolean"
    assert constraint_kind(parse_arithmetic("x > 1", names, "mixed")) == "mixed, req=all"
    assert constraint_kind(parse_arithmetic("x > 1", names, "mixed", "none", True)) == "mixed, req=none, negated"


def test_roles_of_options() -> None:
    """Members of groups are alternatives; options that exclude others without a group are in effect optional."""
    options = (
        BinaryOption("a", optional=False, excluded=(("b",),)),
        BinaryOption("b", optional=False),
        BinaryOption("c", optional=False, excluded=(("d",),)),
        BinaryOption("d"),
        BinaryOption("e", optional=False),
    )
    system = VariabilityModel("m", options)
    roles = ["alternative", "alternative", "optional", "optional", "mandatory"]
    assert [option_role(system, option) for option in system.binary_options] == roles


def test_tree_order() -> None:
    """Options are listed below their parents, siblings in file order, with their depths."""
    parents = {"a": None, "b": "c", "c": None, "d": "b", "e": "a", "f": "a", "g": "b"}
    system = VariabilityModel("m", tuple(BinaryOption(name, parent) for name, parent in parents.items()))
    found = [(option.name, depth) for option, depth in in_tree_order(system)]
    assert found == [("a", 0), ("e", 1), ("f", 1), ("c", 0), ("b", 1), ("d", 2), ("g", 2)]


NAMES = NameTable({name: name for name in "abcx"})
A, B, C = (BinaryOption(name) for name in "abc")
X = NumericOption("x", (1.0, 2.0))


def model(*options: BinaryOption | NumericOption, **rest: object) -> VariabilityModel:
    """Return a model of these options."""
    return VariabilityModel("m", options, **rest)  # type: ignore[arg-type]


def suspicions(system: VariabilityModel) -> list[str]:
    """Return what the text of a description shows."""
    return [found.message for found in describe(Space(system)).findings if found.kind == "text"]


def alternative(name: str, *others: str, optional: bool = False) -> BinaryOption:
    """Return an option that excludes others."""
    return BinaryOption(name, optional=optional, excluded=tuple((other,) for other in others))


def test_without_lines() -> None:
    """Suspicions are stated without a line where it is not known, after the notes of the reader."""
    stated = tuple(parse_boolean(text, NAMES) for text in ("a | b", "a | b", "a | !a"))
    assert suspicions(model(A, B, constraints=stated, notes=("line 9: something",))) == [
        "line 9: something",
        "duplicate constraint 'a | b'",
        "the constraint 'a | !a' always holds: it has a and its negation",
    ]


def test_no_output() -> None:
    """A numeric option may state that it prints nothing; values and flags that differ are no mistake."""
    plain = NumericOption("x", (1.0, 2.0), deselected_flag=0.0, presentation=Presentation(" noOutput "))
    assert suspicions(model(plain, NumericOption("y", (1.0, 2.0), step="n + 1"))) == []
    assert suspicions(model(NumericOption("y", (1.0, 2.0), maximum=3.0))) == []


def test_nothing_suspicious() -> None:
    """An ordinary model is not suspicious."""
    group = (alternative("a", "b"), alternative("b", "a"))
    constraints = (parse_boolean("!a | b", NAMES), parse_arithmetic("x * 2 / a < 3", NAMES))
    assert suspicions(model(*group, C, X, constraints=constraints)) == []
