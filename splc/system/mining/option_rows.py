"""The options of a table as columns of zeros and ones, and the rows that are evidence of constraints.

Samples are often all combinations of a sample of the binary options and one of the numeric options. Then a constraint
among binary options was tested by the distinct configurations of the binary options only, not by all rows. All rows
count if they seem to be drawn independently. Then few possible configurations occur in no row, so that the constraints
must not allow many others than those that occur.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from splc.io.csv_rows import distinct_numbers, renumbered
from splc.types import Array

# Numeric options with more values have columns for the values of at least this share of the rows only.
MAX_VALUES, FREQUENT = 32, 0.05
# The most columns of numeric options.
MAX_NUMERIC = 600
# Two values of a numeric option that differ by less (relative to the larger one and 1) cannot be told apart safely in a
# constraint.
DISTINCT = 1e-6
# Tables with at least this share of all combinations of their binary and numeric parts are combined by a design.
COMBINED = 0.5
# At least this share of the configurations of the binary options have different numbers of rows in independent draws.
# Combinations of designs have as many rows of each, or a few numbers where some combinations are not valid.
DIFFERENT = 0.5
# The most configurations of the binary options that are compared with those that the constraints allow.
MAX_CONFIGURATIONS = 2_000


@dataclass(frozen=True, eq=False)
class OptionRows:
    """The values of options in the distinct rows of a table."""

    # the columns of zeros and ones: binary options, and whether an optional numeric option has a value
    names: tuple[str, ...]
    selected: Array  # their values, shape (n, columns), bool
    # numeric option → its values, shape (n,), NaN where it is deselected
    numbers: Mapping[str, Array] = field(default_factory=dict)
    # alternative groups that are known, with the parent of each
    groups: tuple[tuple[tuple[str, ...], str | None], ...] = ()

    @classmethod
    def of(
        cls,
        names: Sequence[str],
        selected: Array,
        numbers: Mapping[str, Array],
        groups: Sequence[tuple[tuple[str, ...], str | None]] = (),
    ) -> OptionRows:
        """Return the distinct rows of options in the rows of a table."""
        codes = [distinct_numbers(values)[1] for values in numbers.values()]
        rows = first_rows(row_codes([row_codes(selected), *codes]))
        distinct = {name: values[rows] for name, values in numbers.items()}
        return cls(tuple(names), selected[rows], distinct, tuple(groups))

    @cached_property
    def binary_codes(self) -> Array:
        """The distinct configurations of the binary options, numbered by row, shape (n,)."""
        return row_codes(self.selected)

    @cached_property
    def numeric_codes(self) -> Array:
        """The distinct configurations of the numeric options, numbered by row, shape (n,)."""
        codes = [distinct_numbers(values)[1] for values in self.numbers.values()]
        return row_codes(codes) if codes else np.zeros(len(self.selected), dtype=np.int64)

    @property
    def is_combined(self) -> bool:
        """True if the table has most combinations of its binary and its numeric part."""
        if not self.numbers:
            return False
        binary, numeric = int(self.binary_codes.max()) + 1, int(self.numeric_codes.max()) + 1
        return len(self.selected) >= COMBINED * binary * numeric

    @property
    def is_drawn(self) -> bool:
        """True if the rows seem to be drawn independently from few configurations of the binary options."""
        counts = np.bincount(self.binary_codes)
        few = len(counts) <= MAX_CONFIGURATIONS and len(counts) < len(self.selected)
        return few and not self.is_combined and len(np.unique(counts)) >= DIFFERENT * len(counts)

    @property
    def likely_configurations(self) -> int:
        """The most configurations of the binary options that are possible if the rows were drawn independently.

        Those that occur in no row are about as many as those that occur in one or two; twice as many are allowed.
        """
        counts = np.bincount(self.binary_codes)
        return len(counts) + 2 * int((counts <= 2).sum())

    def is_crossed_alone(self, column: int) -> bool:
        """Return whether a binary option is combined with all configurations of the other binary options."""
        other_codes = row_codes(np.delete(self.selected, column, axis=1))
        return int(self.binary_codes.max()) + 1 == 2 * (int(other_codes.max()) + 1)


@dataclass(frozen=True)
class NumericColumn:
    """A column of zeros and ones: whether an option has a value (`=`), or at most a value (`<=`)."""

    option: str
    comparison: str
    value: float


def numeric_columns(numbers: Mapping[str, Array], rows: int) -> tuple[list[NumericColumn], Array]:
    """Return the columns of numeric options that are selected everywhere, and their values, shape (rows, columns)."""
    columns: list[NumericColumn] = []
    values: list[Array] = []
    for name, numeric in numbers.items():
        known = numeric[~np.isnan(numeric)]
        levels, counts = np.unique(known, return_counts=True)
        scale = np.maximum(np.abs(levels[1:]), 1.0)
        if len(levels) < 2 or len(known) < len(numeric) or (np.diff(levels) < DISTINCT * scale).any():
            continue
        many = len(levels) > MAX_VALUES
        equal = levels[counts >= FREQUENT * len(known)] if many else levels
        below = levels[:0] if many else levels[:-1]
        # Two values need one column, and thresholds at the ends have the column of an equality already.
        added = [NumericColumn(name, "=", float(level)) for level in (equal[:1] if len(levels) == 2 else equal)]
        added += [NumericColumn(name, "<=", float(level)) for level in below[1:-1]]
        if len(columns) + len(added) > MAX_NUMERIC:
            break
        columns += added
        values += [numeric == column.value if column.comparison == "=" else numeric <= column.value for column in added]
    return columns, np.stack(values, axis=1) if values else np.zeros((rows, 0), dtype=bool)


def row_codes(columns: Array | Sequence[Array]) -> Array:
    """Return equal numbers for equal rows, shape (n,), of booleans (n, k) or of columns of whole numbers."""
    if isinstance(columns, np.ndarray):
        packed = np.packbits(columns, axis=1)
        if not packed.shape[1]:
            return np.zeros(len(packed), dtype=np.int64)
        rows = np.ascontiguousarray(packed).view(f"S{packed.shape[1]}").reshape(-1)
        return np.unique(rows, return_inverse=True)[1].reshape(-1)
    codes = columns[0]
    for column in columns[1:]:
        codes = renumbered(codes * (int(column.max(initial=0)) + 1) + column)
    return codes


def first_rows(codes: Array) -> Array:
    """Return the first row of each number, ascending."""
    first = np.full(int(codes.max(initial=-1)) + 1, -1)
    # Of several rows, the last one is assigned.
    first[codes[::-1]] = np.arange(len(codes))[::-1]
    return np.sort(first[first >= 0])
