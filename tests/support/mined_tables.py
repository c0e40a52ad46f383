"""Tables of options for tests of mined constraints: random rows, and rows that satisfy planted constraints."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from splc.system.groups import alternatives_among
from splc.system.mining import MinedConstraints, OptionRows, mined_constraints
from splc.types import Array

Rows = Mapping[str, Array]


def random_rows(rng: np.random.Generator, rows: int, binary: int, levels: Sequence[int] = ()) -> dict[str, Array]:
    """Return independent options: `a`, `b`, … with shares from 0.2 to 0.8, and `x0`, `x1`, … with 1, 2, … levels."""
    table: dict[str, Array] = {chr(ord("a") + at): rng.random(rows) < rng.uniform(0.2, 0.8) for at in range(binary)}
    return table | {f"x{at}": rng.integers(1, level + 1, rows).astype(float) for at, level in enumerate(levels)}


def satisfying(table: Rows, *rules: Callable[[Rows], Array]) -> dict[str, Array]:
    """Return the rows that satisfy all rules."""
    kept = np.logical_and.reduce([rule(table) for rule in rules])
    return {name: values[kept] for name, values in table.items()}


def option_table(table: Rows) -> OptionRows:
    """Return a table of options, with the alternative groups that its columns have."""
    binary = {name: values for name, values in table.items() if values.dtype == bool}
    selected = np.stack([*binary.values()], axis=1)
    groups = alternatives_among([*binary], np.unique(selected, axis=0)).groups
    numbers = {name: values for name, values in table.items() if values.dtype != bool}
    return OptionRows(
        tuple(binary), selected, numbers, tuple((each.members, each.parent) for each in groups)
    ).distinct()


def mined(table: Rows) -> MinedConstraints:
    """Return the constraints of a table."""
    return mined_constraints(option_table(table))


def texts(found: MinedConstraints) -> set[str]:
    """Return the constraints as texts."""
    return {str(each) for each in found.constraints}
