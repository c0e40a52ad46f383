"""Rows of CSV files, with their line numbers."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable

from splc.errors import InputError, Problem
from splc.io.files import Source

SEPARATORS = (",", ";", "\t")


def first_line(text: str) -> str:
    """Return the first line that is not blank, without its end."""
    stop = text.find("\n", len(text) - len(text.lstrip()))
    return next(line for line in text[: None if stop < 0 else stop].splitlines() if line.strip())


def split_rows(source: Source, separator: str, keep: Callable[[list[str]], bool]) -> tuple[list[list[str]], list[int]]:
    """Return the rows of a CSV file, and the line at which each row ends.

    `keep`: whether a row is kept; it must reject blank rows.
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
        # An empty pair of quotes is not a row either.
        raise InputError(Problem("the file is empty", source.name))
    return rows, lines
