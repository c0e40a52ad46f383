"""ConfigSpace's JSON of parameter spaces: writing."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from splc.errors import OutputError, Problems
from splc.formats.system.structure import Literals, literals_of, notes_of_presentations, violations
from splc.io.files import write_whole
from splc.system.clauses import clauses
from splc.system.constraints import ArithmeticConstraint
from splc.system.options import BinaryOption, Option
from splc.system.variability import ROOT, VariabilityModel

FORMAT_VERSION = 0.4
# The most combinations of values among which an arithmetic constraint is written.
MAX_COMBINATIONS = 10_000


def write_configspace(system: VariabilityModel, path: str | Path) -> tuple[str, ...]:
    """Write a system as a parameter space of ConfigSpace: values of each option, and combinations that are forbidden.

    A binary option is a parameter of the values true and false. A numeric option that can be deselected is active where
    one binary option is selected.
    """
    from sampling import Space

    problems = Problems(system.source)
    literals_list = [literals_of(clause, system) for clause in clauses(system)]
    switches = dict(_switches(system, literals_list, problems))
    forbidden = [
        [{"name": name, "type": "EQUALS", "value": not positive} for name, positive in literals]
        for literals in literals_list
        if not any(name in switches for name, _ in literals)
    ]
    for constraint in system.arithmetic_constraints:
        forbidden += _violations(constraint, system, problems)
    problems.raise_if_any(OutputError)
    default = Space(system).draw(1, np.random.default_rng(0)).assignment(0)
    content = {
        "name": system.name,
        "hyperparameters": [_parameter(option, default[option.name]) for option in system.options],
        "conditions": [
            {"child": name, "parent": parent, "type": "EQ", "value": True} for name, parent in switches.items()
        ],
        "forbiddens": [terms[0] if len(terms) == 1 else {"type": "AND", "clauses": terms} for terms in forbidden],
        "format_version": FORMAT_VERSION,
    }
    write_whole(path, json.dumps(content, indent=1, ensure_ascii=False) + "\n")
    return notes_of_presentations(system)


def _parameter(option: Option, default: float) -> dict[str, Any]:
    if isinstance(option, BinaryOption):
        choices = {"choices": [True, False], "weights": None}
        return {"type": "categorical", "name": option.name, **choices, "default_value": default == 1}
    values = [_number(value) for value in option.values]
    first = values[0] if np.isnan(default) else _number(default)
    if len(values) > 2 and values == list(range(int(values[0]), int(values[0]) + len(values))):
        bounds = {"lower": values[0], "upper": values[-1], "log": False}
        return {"type": "uniform_int", "name": option.name, **bounds, "default_value": first}
    return {"type": "ordinal", "name": option.name, "sequence": values, "default_value": first}


def _number(value: float) -> int | float:
    return int(value) if value.is_integer() else value


def _switches(
    system: VariabilityModel, literals_list: Sequence[Literals], problems: Problems
) -> Iterator[tuple[str, str]]:
    """Yield the numeric options that can be deselected, each with the binary option that selects it."""
    clause_sets = set(map(frozenset, literals_list))
    for option in system.numeric_options:
        if not option.optional:
            continue
        of_option = [literals for literals in literals_list if any(name == option.name for name, _ in literals)]
        partners = [
            name
            for literals in of_option
            for name, positive in literals
            if positive and name != option.name and {(name, False), (option.name, True)} in clause_sets
        ]
        if len(of_option) == 2 and len(partners) == 1:
            yield option.name, partners[0]
        else:
            hint = "a constraint can say so: the option is selected where a binary option is, and nowhere else"
            problems.add(f"ConfigSpace does not say where {option.name} is deselected", option.line, hint=hint)


def _violations(
    constraint: ArithmeticConstraint, system: VariabilityModel, problems: Problems
) -> Iterator[list[dict[str, Any]]]:
    """Yield the combinations of values that violate a constraint."""
    names = [name for name in constraint.names if name != ROOT]
    if any(name not in system.positions for name in names):
        problems.add("ConfigSpace has no such constraint", constraint.line, text=constraint.text)
        return
    options = [system.option(name) for name in names]
    size = math.prod(float(len(getattr(option, "values", (0.0, 1.0)))) for option in options)
    if size > MAX_COMBINATIONS:
        message = f"ConfigSpace has no arithmetic constraints, and this one is about {size:,.0f} combinations of values"
        problems.add(message, constraint.line, text=constraint.text)
        return
    for row in violations(constraint, options):
        values = (
            value == 1 if isinstance(option, BinaryOption) else _number(value)
            for option, value in zip(options, row, strict=True)
        )
        yield [{"name": name, "type": "EQUALS", "value": value} for name, value in zip(names, values, strict=True)]
