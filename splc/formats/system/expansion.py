"""Arithmetic constraints over binary options as clauses, for formats that have no others."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np

from splc.errors import OutputError, Problems, plural
from splc.formats.system.structure import Literals
from splc.system.constraints import ArithmeticConstraint
from splc.system.variability import ROOT, VariabilityModel

# The most options of a constraint that becomes clauses.
MAX_OPTIONS = 10
_UVL = "write UVL, which has numbers: --to uvl"


def binary_clauses(system: VariabilityModel, form: str) -> list[Literals]:
    """Return the clauses of the arithmetic constraints of a system that has binary options only."""
    problems = Problems(system.source)
    for option in system.numeric_options:
        problems.add(f"{form} has no numeric options: {option.name}", option.line, hint=_UVL)
    numeric = {option.name for option in system.numeric_options} | system.switches.keys()
    found_clauses: list[Literals] = []
    for constraint in system.arithmetic_constraints:
        names = [name for name in constraint.names if name != ROOT]
        if numeric & set(names):
            problems.add(f"{form} has no arithmetic constraints", constraint.line, text=constraint.text, hint=_UVL)
        elif len(names) > MAX_OPTIONS:
            message = (
                f"{form} has no arithmetic constraints, and this one has {plural(len(names), 'option', 'options')}"
            )
            problems.add(message, constraint.line, text=constraint.text, hint=_UVL)
        else:
            found_clauses += _violations(constraint, names)
    problems.raise_if_any(OutputError)
    return found_clauses


def _violations(constraint: ArithmeticConstraint, names: list[str]) -> Iterator[Literals]:
    """Yield a clause for each selection of a constraint's options that violates it."""
    rows = np.array([*product((0.0, 1.0), repeat=len(names))]).reshape(2 ** len(names), len(names))
    columns = {ROOT: np.ones(len(rows)), **dict(zip(names, rows.T, strict=True))}
    holds = np.broadcast_to(constraint.holds(columns.__getitem__), len(rows))
    if constraint.requires == "all":
        holds = holds | ~rows.all(axis=1)
    for row in rows[~holds]:
        yield tuple((name, value == 0) for name, value in zip(names, row.tolist(), strict=True))
