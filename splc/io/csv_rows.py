"""Rows of CSV files with their line numbers, and their headers."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Callable, Sequence

from splc.errors import InputError, Problem, Problems
from splc.io.files import Source

# The characters in which the first two lines are looked for.
_BEGINNING = 1 << 18
SEPARATORS = (",", ";", "\t", "|")


def first_line(text: str) -> str:
    """Return the first line that is not blank, without its end."""
    stop = text.find("\n", len(text) - len(text.lstrip()))
    return next(line for line in text[: None if stop < 0 else stop].splitlines() if line.strip())


def split_line(line: str, separator: str) -> list[str]:
    """Return the cells of a line; none if it is not CSV."""
    try:
        return next(csv.reader([line], delimiter=separator, skipinitialspace=True), [])
    except csv.Error:
        return []


def likely_separator(text: str) -> str:
    """Return the separator that gives the most cells in the first line of a text that is not blank.

    One that gives as many in the next line is preferred: names and numbers may have commas. `|`, which may be part of
    names, counts once.
    """
    lines = [line for line in text[:_BEGINNING].splitlines() if line.strip()] or [first_line(text)]

    def fit(separator: str) -> tuple[bool, int]:
        first, second = (len(split_line(line, separator)) for line in (lines[0], *lines[1:2], "")[:2])
        return first == second > 1, min(first, 2 if separator == "|" else first)

    return max(SEPARATORS, key=fit)


def header_names(cells: Sequence[str]) -> list[str]:
    """Return the names of columns, without empty ones at the end: many programs end a line with a separator."""
    names = [cell.strip() for cell in cells]
    while len(names) > 1 and not names[-1]:
        names.pop()
    return names


def first_header(text: str) -> list[str]:
    """Return the names of columns in the first line of a table; none if it is blank."""
    return header_names(split_line(first_line(text), likely_separator(text))) if text.strip() else []


def check_header(names: Sequence[str], line: int, problems: Problems) -> None:
    """Add a problem for each column without a name, and for each name of several columns."""
    for at, name in enumerate(names):
        if not name:
            problems.add(f"column {at + 1} has no name", line)
    for name, count in Counter(names).items():
        if count > 1 and name:
            problems.add(f"duplicate column {name!r}", line)


def is_not_blank(cells: Sequence[str]) -> bool:
    """Return whether a row has a cell with a text."""
    return any(cell.strip() for cell in cells)


def split_table_rows(source: Source) -> tuple[list[list[str]], list[int]]:
    """Return the rows of a CSV file that are not blank, and their lines; the separator is the likely one."""
    text = source.text()
    return split_rows(source, likely_separator(text) if text.strip() else ",", is_not_blank)


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
