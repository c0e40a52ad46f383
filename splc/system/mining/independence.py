"""The rows of a table that are evidence of constraints: those that no design combines with all others.

Samples are often all combinations of a sample of the binary options and one of the numeric options. Then a constraint
among binary options was tested by the distinct configurations of the binary options only, not by all rows. All rows
count if they seem to be drawn independently. Then few possible configurations occur in no row, so that the constraints
must not allow many others than those that occur.
"""

from __future__ import annotations

import numpy as np

from splc.system.mining.option_rows import OptionRows, first_rows, row_codes
from splc.types import Array

# Tables with at least this share of all combinations of their binary and numeric parts are combined by a design.
COMBINED = 0.5
# At least this share of the configurations of the binary options have different numbers of rows in independent draws.
# Combinations of designs have as many rows of each, or a few numbers where some combinations are not valid.
DIFFERENT = 0.5
# The most configurations of the binary options that are compared with those that the constraints allow.
MAX_CONFIGURATIONS = 2_000


def is_combined(table: OptionRows) -> bool:
    """Return whether a table has most combinations of its binary and its numeric part."""
    if not table.numbers:
        return False
    binary, numeric = int(table.binary_codes.max()) + 1, int(table.numeric_codes.max()) + 1
    return len(table.selected) >= COMBINED * binary * numeric


def is_drawn(table: OptionRows) -> bool:
    """Return whether the rows seem to be drawn independently from few configurations of the binary options."""
    counts = np.bincount(table.binary_codes)
    few = len(counts) <= MAX_CONFIGURATIONS and len(counts) < len(table.selected)
    return few and not is_combined(table) and len(np.unique(counts)) >= DIFFERENT * len(counts)


def likely_configurations(table: OptionRows) -> int:
    """Return the most configurations of the binary options that are possible if the rows were drawn independently.

    Those that occur in no row are about as many as those that occur in one or two; twice as many are allowed.
    """
    counts = np.bincount(table.binary_codes)
    return len(counts) + 2 * int((counts <= 2).sum())


def binary_rows(table: OptionRows) -> Array:
    """Return one row for each configuration of the binary options."""
    return first_rows(table.binary_codes)


def is_crossed_alone(table: OptionRows, column: int) -> bool:
    """Return whether a binary option is combined with all configurations of the other binary options."""
    other_codes = row_codes(np.delete(table.selected, column, axis=1))
    return int(table.binary_codes.max()) + 1 == 2 * (int(other_codes.max()) + 1)
