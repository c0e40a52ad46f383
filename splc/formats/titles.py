"""Rows around a table: titles and comments before its header, units below it, statistics and remarks at the end.

Lines with spaces between the cells are a table of their own kind (`aligned`), as gnuplot and Fortran programs have.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from math import isnan

from splc.data.property_unit import is_unit, is_usual_unit
from splc.errors import plural
from splc.io.csv_rows import SEPARATORS, split_line
from splc.io.numbers import parse_number

# The bytes and rows in which titles and statistics are looked for, and the fewest of a table that has some.
LOOKED_AT, _TITLES, LEAST_TABLE = 1 << 18, 30, 4
# Cells without a unit in a row of units.
_NO_UNIT = ("", "-", "–", "1")
# What tables with spaces between the cells do not have.
_SIGNS = (*SEPARATORS, '"', "<", "{")
_ENCLOSED = re.compile(r"^[\[(](.*)[\])]$")
_STATISTICS = {
    *("mean", "average", "avg", "median", "min", "max", "minimum", "maximum", "sd", "std", "stdev", "stddev", "sum"),
    *("total", "mittelwert", "summe", "standardabweichung", "moyenne", "écart-type", "ecart-type", "somme"),
}


def _filled(row: Sequence[object]) -> int:
    return sum(not (cell is None or str(cell).isspace() or cell == "") for cell in row)


def title_rows(rows: Sequence[Sequence[object]]) -> int:
    """Return how many rows stand before the header of a table: titles and comments.

    They have at most half as many cells with a text as the rows further below.
    """
    rows = rows[:_TITLES]
    counts = [*map(_filled, rows)]
    filled = sorted(count for count in counts[len(counts) // 2 :] if count)
    usual = filled[len(filled) // 2] if filled else 0
    if usual < 2 or sum(count > usual / 2 for count in counts) < LEAST_TABLE - 1:
        return 0
    first = next(at for at, count in enumerate(counts) if count > usual / 2)
    return first if any(counts[:first]) else 0


def statistic_rows(rows: Sequence[Sequence[object]]) -> int:
    """Return how many rows at the end of a table are statistics of those above (`Mean`, beside empty cells)."""
    rows = rows[-_TITLES:]
    counts = [*map(_filled, rows)]
    usual = sorted(counts)[len(counts) // 2] if counts else 0
    for at in range(len(rows)):
        words = {str(cell).strip(" :").casefold() for cell in rows[-1 - at] if cell is not None}
        if counts[-1 - at] and (counts[-1 - at] >= usual or _STATISTICS.isdisjoint(words)):
            return at
    return 0


def table_lines(content: bytes) -> tuple[int, int]:
    """Return how many lines of a CSV file stand before its header (`title_rows`) and after it (`statistic_rows`)."""
    # Empty lines at the end are none of the table.
    texts = (content[:LOOKED_AT], content[-LOOKED_AT:].rstrip())
    first, last = (text.decode("utf-8", "replace").splitlines() for text in texts)
    first, last = first[:_TITLES], last[-_TITLES:]
    written = [line for line in first if line.strip()]
    # A quoted text may have several lines.
    if len(written) < LEAST_TABLE or any(line.count('"') % 2 for line in (*first, *last)):
        return 0, 0

    def fit(separator: str) -> tuple[int, int]:
        [(cells, count), *_] = Counter(len(split_line(line, separator)) for line in written).most_common()
        return count if cells > 1 else 0, cells

    # Titles hide the separator of the first lines; it gives most lines the same number of cells.
    separator = max(SEPARATORS, key=fit)
    before, after = ([split_line(line, separator) if line.strip() else [] for line in lines] for lines in (first, last))
    return title_rows(before), statistic_rows(after)


def aligned(content: bytes) -> tuple[list[str], list[list[str]], list[int]] | None:
    """Return header, rows and their lines of a table with spaces between the cells, None of another file.

    Lines that begin with `#` are comments; the last one above the rows is the header if the first row has a number.
    """
    beginning = (line for line in content[:LOOKED_AT].decode("utf-8", "replace").splitlines() if line.strip())
    first = next((line for line in beginning if not line.lstrip().startswith("#")), ",")
    if any(sign in first for sign in _SIGNS):
        return None
    lines = [(at, line.split()) for at, line in enumerate(content.decode("utf-8", "replace").splitlines(), 1)]
    marked = [(at, " ".join(cells)[1:].split()) for at, cells in lines if cells and cells[0].startswith("#")]
    rows = [(at, cells) for at, cells in lines if cells and not cells[0].startswith("#")]
    if not rows or any(sign in cell for _, cells in rows for cell in cells for sign in _SIGNS):
        return None
    if marked and marked[-1][0] < rows[0][0] and len(marked[-1][1]) == len(rows[0][1]) and _has_number(rows[0][1]):
        rows.insert(0, marked[-1])
    (_, header), *body = rows
    is_table = "=" not in header and len(body) >= LEAST_TABLE - 1 and len(header) > 1 and not _has_number(header)
    if not is_table or any(len(cells) != len(header) or not _has_number(cells) for _, cells in body):
        return None
    return header, [cells for _, cells in body], [at for at, _ in rows]


def _has_number(cells: Iterable[str]) -> bool:
    return not all(isnan(parse_number(cell)) for cell in cells)


def beside_notes(before: int, after: int) -> tuple[str, ...]:
    """Return notes about the rows before the header of a table and those below it, if there are some."""
    counts = {"before the header": before, "below the table": after}
    return tuple(f"{plural(count, 'row', 'rows')} {place} left out" for place, count in counts.items() if count)


def units_below(rows: Sequence[Sequence[str]]) -> dict[str, str]:
    """Return name → unit where the row below the header has units, several, of columns of numbers; else an empty dict.

    `rows`: the header and at least three rows.
    """
    below = [[cell.strip() for cell in rows[at]] for at in range(1, LEAST_TABLE)]
    stated = {
        name.strip(): plain
        for name, unit, *numbers in zip(rows[0], *below, strict=False)
        if (plain := _ENCLOSED.sub(r"\1", unit)) not in _NO_UNIT
        and not any(isnan(parse_number(each.replace(",", "."))) for each in numbers)
    }
    units = {name: unit for name, unit in stated.items() if is_unit(unit)}
    is_row = len(units) >= max(2, len(stated) / 2) and any(map(is_usual_unit, units.values()))
    return units if is_row and all(isnan(parse_number(unit)) for unit in stated.values()) else {}
