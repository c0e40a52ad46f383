"""Validity of given configurations: every clause and constraint is evaluated on columns."""

from __future__ import annotations

import numpy as np

from splc.data.configurations import Configurations
from splc.system.clauses import Clause
from splc.system.constraints import ArithmeticConstraint
from splc.system.options import BinaryOption
from splc.types import Array


def satisfied(constraint: ArithmeticConstraint, configurations: Configurations) -> Array:
    """Return where configurations satisfy a constraint, shape (n,), bool."""
    model = configurations.model
    excused = np.zeros(len(configurations), dtype=bool)
    columns: dict[str, Array] = {}
    for name in constraint.names:
        column = configurations.column(name)
        option = model.options[model.positions[name]] if name in model.positions else None
        if option is not None and not isinstance(option, BinaryOption):
            deselected = np.isnan(column)
            excused |= deselected
            column = np.where(deselected, option.values[0], column)
        elif constraint.requires == "all":
            excused |= column == 0
        columns[name] = column
    held: Array = excused | np.broadcast_to(constraint.holds(columns.__getitem__), excused.shape)
    return held


def check(
    configurations: Configurations, clauses: tuple[Clause, ...], constraints: tuple[ArithmeticConstraint, ...]
) -> Array:
    """Return where configurations satisfy all clauses and constraints, shape (n,), bool."""
    valid = np.ones(len(configurations), dtype=bool)
    columns = np.asfortranarray(configurations.indices)
    for clause in clauses:
        valid &= clause.holds(columns)
    for constraint in constraints:
        valid &= satisfied(constraint, configurations)
    return valid
