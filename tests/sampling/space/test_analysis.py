"""The analysis of systems: findings, and suspicious parts of their descriptions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
from hypothesis import assume, given

from sampling.space.analysis import constraint_kind, describe, in_tree_order, option_role
from sampling.space.space import Space
from splc.system.constraints import parse_arithmetic, parse_boolean
from splc.system.options import BinaryOption, NumericOption, Option, Presentation
from splc.system.variability import VariabilityModel
from tests.support.examples import examples
from tests.support.golden_messages import check_calls
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


def test_tree_order() -> None:
    """Options are listed below their parents, siblings in file order, with their depths."""
    parents = {"a": None, "b": "c", "c": None, "d": "b", "e": "a", "f": "a", "g": "b"}
    system = VariabilityModel("m", tuple(BinaryOption(name, parent) for name, parent in parents.items()))
    found = [(option.name, depth) for option, depth in in_tree_order(system)]
    assert found == [("a", 0), ("e", 1), ("f", 1), ("c", 0), ("b", 1), ("d", 2), ("g", 2)]


def suspicions(options: Iterable[Option], *constraints: str, notes: tuple[str, ...] = ()) -> list[str]:
    """Return what the text of a description shows."""
    plain = VariabilityModel.of({option.name: option for option in options}, ())
    stated = [
        parse_boolean(text, plain.name_table) if "|" in text else parse_arithmetic(text, plain.name_table)
        for text in constraints
    ]
    system = replace(plain, constraints=tuple(stated), notes=notes)
    return [found.message for found in describe(Space(system)).findings if found.kind == "text"]


def kind(text: str, *settings: Any) -> str:
    """Return the kind of an arithmetic constraint."""
    names = VariabilityModel("m", (BinaryOption("a"), NumericOption("x", (1.0,)))).name_table
    return constraint_kind(parse_arithmetic(text, names, *settings) if ">" in text else parse_boolean(text, names))


def roles(*options: BinaryOption) -> list[str]:
    """Return the roles of options."""
    system = VariabilityModel("m", options)
    return [option_role(system, option) for option in system.binary_options]


def binary(name: str, *excluded: str, optional: bool = False) -> BinaryOption:
    """Return an option that excludes others."""
    return BinaryOption(name, optional=optional, excluded=tuple((other,) for other in excluded))


def test_descriptions() -> None:
    """Kinds of constraints, roles of options, and what is no mistake are those of the golden file."""
    calls = (suspicions, kind, roles, binary, NumericOption, Presentation)
    check_calls("parts-of-descriptions", *calls)
