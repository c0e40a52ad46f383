"""CSV text split into rows, each with its line."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable

from splc.errors import InputError, Problem
from splc.io.files import Source

SEPARATORS = (",", ";", "\t")


def split_rows(source: Source, separator: str, keep: Callable[[list[str]], bool]) -> tuple[list[list[str]], list[int]]:
    """Return the rows of a CSV file, and the line in which each one ends.

    Args:
        source: the file.
        separator: a single character.
        keep: which rows are kept; it says no to blank ones.

    Raises:
        InputError: if its quotes do not match, or there is no row.
    """
    rows, lines = [], []
    reader = csv.reader(io.StringIO(source.text(), newline=""), delimiter=separator, strict=True, skipinitialspace=True)
    try:
        for row in reader:
            if keep(row):
                rows.append(row)
                lines.append(reader.line_num)
    except csv.Error as error:
        raise InputError(Problem(f"not CSV: {error}", source.name, reader.line_num)) from None
    if not rows:
        # Not even a pair of quotes around nothing is a row.
        raise InputError(Problem("the file is empty", source.name))
    return rows, lines
