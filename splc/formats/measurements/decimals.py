"""Numbers with a decimal comma: quoted, or in tables whose fields are not separated by commas."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from splc.errors import InputError, Problem, shorten
from splc.formats.measurements.columns import GROUPED, kind_of
from splc.io.numbers import parse_column

NOTE = "numbers are read with a decimal comma"

_COMMA = re.compile(r"\s*[+-]?(?:\d+,\d*|,\d+)(?:[eE][+-]?\d+)?\s*", re.ASCII)
_POINT = re.compile(r"\s*[+-]?(?:\d+\.\d*|\.\d+)(?:[eE][+-]?\d+)?\s*", re.ASCII)
# `1.234,5` and `1,234.5`.
_BOTH = re.compile(r"\s*[+-]?\d{1,3}(?:(?:\.\d{3})+,\d*|(?:,\d{3})+\.\d*)\s*", re.ASCII)

Cell = tuple[int, int, str]


def with_points(
    rows: list[list[str]], lines: Sequence[int], file: str, exempt: Collection[str] = (), *, quoted: bool = False
) -> tuple[list[list[str]], tuple[str, ...]]:
    """Return the rows of a table with a decimal point in each number that has a decimal comma, and notes.

    Rows without such numbers are returned as they are, and so are numbers with separators of thousands (`1,234,567`).

    `quoted`: whether commas separate the cells; rows are then returned as they are where there is a doubt, and so are
    columns with other commas, such as lists (`0,1,2`).
    """
    skipped = {at for at, cell in enumerate(rows[0]) if cell.strip() in exempt}
    if quoted:
        skipped |= {at for row in rows[1:] for at, cell in enumerate(row) if "," in cell and not _COMMA.fullmatch(cell)}
    commas = list(_matching(rows, ",", _COMMA, skipped))
    if not commas:
        return rows, ()
    grouped = all(GROUPED.fullmatch(cell) for *_, cell in commas)
    if grouped and any(cell.count(",") > 1 for *_, cell in _matching(rows, ",", GROUPED, skipped)):
        return rows, ()
    row, _, cell = commas[0]
    both = next(_matching(rows, ",", _BOTH, skipped), None)
    point = next((hit for hit in _matching(rows, ".", _POINT, skipped) if not _is_text(rows, hit[1])), None)
    if quoted and (both or point or grouped):
        return rows, ()
    if conflict := both or point:
        sign = "a separator of thousands" if both else "a decimal point"
        message = f"{_shown(conflict[2])} has {sign}, but {_shown(cell)} in line {lines[row]} has a decimal comma"
        hint = "write all numbers alike; columns that are contexts or ignored (--context, --ignore) do not count"
        raise InputError(Problem(message, file, lines[conflict[0]], hint=hint))
    if grouped:
        value = cell.strip().replace(",", "")
        message = f"{_shown(cell)} is either {cell.strip().replace(',', '.')} or {value}"
        raise InputError(Problem(message, file, lines[row], hint="write numbers with a decimal point"))
    result = [list(cells) for cells in rows]
    for row, at, cell in commas:
        result[row][at] = cell.replace(",", ".")
    return result, (NOTE,)


def _matching(
    rows: Sequence[Sequence[str]], sign: str, pattern: re.Pattern[str], skipped: Collection[int]
) -> Iterator[Cell]:
    """Yield row, column and text of the cells that match a pattern and so contain a sign."""
    for row, cells in enumerate(rows):
        for at, cell in enumerate(cells):
            if sign in cell and at not in skipped and pattern.fullmatch(cell):
                yield row, at, cell


def _is_text(rows: Sequence[Sequence[str]], at: int) -> bool:
    """Return whether a column has mostly texts, such as versions (`0.9` and `0.9.1`)."""
    texts = [cells[at] for cells in rows[1:] if at < len(cells)]
    return kind_of(texts, parse_column(texts, ","), ",") == "text"


def _shown(cell: str) -> str:
    return repr(shorten(cell.strip()))
