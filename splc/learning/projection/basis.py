"""The basis of the full model: standardised columns of each variable (docs/decisions/0009-default-learner.md)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from splc.data.configurations import Configurations
from splc.learning.projection.constants import (
    HALF_RANGE,
    MAX_LEVELS,
    MAX_THRESHOLDS,
    MIN_LEVELS,
    MIN_THRESHOLDS,
    ROWS_PER_LEVEL,
    SQUARE_SHIFT,
)
from splc.learning.projection.kernel import KernelDesign
from splc.learning.projection.variables import Variable
from splc.types import Array

# Returns a column for the values of a variable.
Shape = Callable[[Array], Array]


@dataclass(frozen=True)
class OptionBasis:
    """The columns of the variables; products are taken across variables only.

    Attributes:
        variables: the variables, each of which is a block of columns.
        rows: the number of rows to learn from, which decides whether levels have columns of their own.
    """

    variables: tuple[Variable, ...]
    rows: int

    def blocks(self, configurations: Configurations) -> list[Array]:
        """Return the columns of each variable, shapes (n, columns)."""
        return [_block(variable, configurations, self.rows) for variable in self.variables]

    def designs(self, configurations: Configurations) -> tuple[KernelDesign, ...]:
        """Return the columns, and, if there are numeric options of three or more values, those with thresholds.

        Thresholds let an influence change at any value. All thresholds of an option share one relevance.
        """
        blocks = self.blocks(configurations)
        members = [_members(variable, configurations) for variable in self.variables]
        steps = [_thresholds(variable, configurations) for variable in self.variables]
        plain = _design(blocks, members)
        if not any(step.shape[1] for step in steps):
            return (plain,)
        return plain, _design(blocks, [np.hstack(pair) for pair in zip(members, steps, strict=True)])


def _design(blocks: Sequence[Array], shared: Sequence[Array]) -> KernelDesign:
    """Return the design of blocks of columns with a relevance each, and others that share one relevance per block."""
    numbers: list[int] = []
    for own, others in zip(blocks, shared, strict=True):
        first = numbers[-1] + 1 if numbers else 0
        end = first + own.shape[1]
        numbers += [*range(first, end), *[end] * others.shape[1]]
    return KernelDesign.of([np.hstack(pair) for pair in zip(blocks, shared, strict=True)], np.array(numbers, dtype=int))


def _members(variable: Variable, configurations: Configurations) -> Array:
    """Return a centred column for each member of a group that shares one relevance; 0 where the group is absent.

    The inner product of a member's row with itself is 1.
    """
    if not variable.shared:
        return np.zeros((len(configurations), 0))
    selected = np.column_stack([configurations.column(name) for name in variable.members])
    share = 1 / len(variable.members)
    found: Array = (selected - share) / np.sqrt(1 - share)
    found[~selected.any(axis=1)] = 0.0
    return found


def _thresholds(variable: Variable, configurations: Configurations) -> Array:
    """Return a column for each threshold of a numeric option, with a total variance of 1; 0 where it is deselected."""
    values = np.array(variable.values)
    if variable.kind != "numeric" or len(values) < MIN_THRESHOLDS:
        return np.zeros((len(configurations), 0))
    # Not by np.unique, which imports numpy.ma.
    places = np.array(sorted(set(np.linspace(1, len(values) - 1, MAX_THRESHOLDS).round().astype(int).tolist())))
    shares = 1 - places / len(values)
    column = variable.column(configurations)
    steps = (np.nan_to_num(column, nan=np.inf)[:, None] >= values[places]) - shares
    steps[np.isnan(column)] = 0.0
    found: Array = steps / np.sqrt((shares * (1 - shares)).sum())
    return found


def _block(variable: Variable, configurations: Configurations, rows: int) -> Array:
    if variable.kind == "binary":
        return _signs(configurations.column(variable.members[0]))[:, None]
    columns: list[Array] = []
    if variable.kind == "group":
        if not variable.shared:
            columns += [_signs(configurations.column(name)) for name in variable.members]
        shapes = _number_shapes(variable.values) if variable.values else []
    else:
        shapes = _shapes(variable.values, rows)
    if shapes:
        values = variable.column(configurations)
        absent = np.isnan(values)
        known = np.where(absent, variable.values[0], values)
        columns += [np.where(absent, 0.0, shape(known)) for shape in shapes]
    if variable.kind == "numeric" and variable.optional:
        # Of an option with one value, this is all there is to learn.
        columns.append(_signs(~np.isnan(variable.column(configurations))))
    return np.column_stack(columns) if columns else np.zeros((len(configurations), 0))


def _shapes(values: Sequence[float], rows: int) -> list[Shape]:
    """Return the shapes of a numeric option."""
    if len(values) == 1:
        return []
    logarithm = _scaled(np.log, values)
    linear = _scaled(_identity, values)
    low = values[0]
    found: list[Shape]
    if low > 0:
        if len(values) == 2:
            return [logarithm]
        found = [logarithm, linear, partial(_square, logarithm)]
    elif len(values) == 2:
        return [linear]
    else:
        found = [linear, partial(_square, linear)]
        if low == 0:
            found.append(_scaled(np.log1p, values))
    levels = MIN_LEVELS <= len(values) <= MAX_LEVELS and rows >= ROWS_PER_LEVEL * len(values)
    if levels:
        found += [partial(_level, value) for value in values]
    elif 0.0 in values:
        found.append(partial(_level, 0.0))
    return found


def _number_shapes(values: Sequence[float]) -> list[Shape]:
    """Return the shapes of the number in the names of a group."""
    return [_scaled(_identity, values), _scaled(np.log if min(values) > 0 else np.log1p, values)]


def _scaled(transform: Shape, values: Sequence[float]) -> Shape:
    """Return a transform scaled to the described values; constant transforms give 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ends = transform(np.array([min(values), max(values)], dtype=float))
    middle, half = ends.mean(), (ends[1] - ends[0]) / 2 / HALF_RANGE
    return partial(_affine, transform, float(middle), float(half))


def _affine(transform: Shape, middle: float, half: float, x: Array) -> Array:
    found: Array = (transform(x) - middle) / half
    return found


def _identity(x: Array) -> Array:
    return x


def _square(scaled: Shape, x: Array) -> Array:
    found: Array = scaled(x) ** 2 - SQUARE_SHIFT
    return found


def _level(value: float, x: Array) -> Array:
    return _signs(x == value)


def _signs(selected: Array) -> Array:
    """Return ±1 for columns of 0 and 1."""
    found: Array = 2.0 * selected - 1.0
    return found
