"""Blocks of text output: tables with declared columns, facts with their names, and files that were written."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from splc.cli.terminal import say, table, tell
from splc.errors import plural
from splc.io.json_object import Getter, getter
from splc.io.numbers import is_whole, short_number
from splc.io.tables import Cell, Table, cell_text


@dataclass(frozen=True)
class Column:
    """A column of a table with a row per result.

    Attributes:
        title: the header.
        source: where the value of a row comes from (as in `splc.io.json_object.at`); by default the attribute with the
            name of the title.
        form: the function that returns a value as text; it gets no None.
        right: whether texts are aligned to the right, as other values are.
        signed: whether the values raise or lower something, which colours show, too.
        optional: the rank among the columns that are left out where the terminal is too narrow, from 1 on; 0 for none.
    """

    title: str
    source: str | int | Getter | None = None
    form: Getter | None = None
    right: bool = False
    signed: bool = False
    optional: int = 0

    def values(self, rows: Iterable[Any]) -> list[Any]:
        """Return the values of rows."""
        return list(map(getter(self.title.replace(" ", "_") if self.source is None else self.source), rows))

    def texts(self, values: Iterable[Any]) -> list[str]:
        """Return values as texts; None is empty."""
        form = self.form or value_text
        return ["" if value is None else form(value) for value in values]


def columns(text: str, form: Getter | None = None) -> tuple[Column, ...]:
    """Return columns of one form: titles, also with another source, such as `low, ratio low = interval.0`."""
    parts = (part.strip().partition(" = ") for part in text.split(","))
    return tuple(Column(title, source or None, form) for title, _, source in parts)


def narrowed(shown: Iterable[Column], *titles: str) -> tuple[Column, ...]:
    """Return columns of which those with these titles are left out where the terminal is too narrow, in this order."""
    ranks = {title: rank for rank, title in enumerate(titles, 1)}
    return tuple(replace(column, optional=ranks.get(column.title, column.optional)) for column in shown)


def show_rows(
    rows: Iterable[Any], shown: Sequence[Column], most: int | None = None, more: str = "--json has all"
) -> None:
    """Print a table of results; columns of texts are aligned to the left, others to the right.

    Args:
        rows: the results.
        shown: the columns.
        most: the largest number of rows; the others are counted below the table.
        more: what prints all rows.
    """
    results = list(rows)
    head = results if most is None else results[:most]
    cells = [column.values(head) for column in shown]
    texts = [column.texts(values) for column, values in zip(shown, cells, strict=True)]
    right = [column.right or not any(isinstance(value, str) for value in cells[at]) for at, column in enumerate(shown)]
    table(
        [column.title for column in shown],
        list(zip(*texts, strict=True)),
        right,
        [column.signed for column in shown],
        sorted((at for at, column in enumerate(shown) if column.optional), key=lambda at: shown[at].optional),
    )
    if len(head) < len(results):
        say(f"… {len(results) - len(head):,} more ({more})")


def table_of(rows: Iterable[Any], shown: Sequence[Column], caption: str | None = None) -> Table:
    """Return a table of results for several formats."""
    results = list(rows)
    cells = [column.values(results) for column in shown]
    lines: list[tuple[Cell, ...]] = list(zip(*cells, strict=True))
    return Table(tuple(column.title for column in shown), tuple(lines), caption)


def show_table(shown: Table, *optional: str) -> None:
    """Print a table; columns with the titles `optional` are left out where the terminal is narrow, in this order."""
    if shown.caption:
        say(shown.caption)
    places = [shown.columns.index(title) for title in optional if title in shown.columns]
    table(shown.columns, [[cell_text(cell) for cell in row] for row in shown.rows], shown.numeric, optional=places)


def show_facts(facts: Iterable[tuple[str, Any]]) -> None:
    """Print names with their values; those that are None are left out."""
    pairs = [(name, value) for name, value in facts if value is not None]
    width = max((len(name) for name, _ in pairs), default=0)
    for name, value in pairs:
        tell(f"{name:{width}}  {value_text(value)}")


def show_list(title: str, entries: Iterable[str], most: int | None = None, more: str = "--json has all") -> None:
    """Print an empty line, a title, and an indented line per entry; nothing without entries.

    `most`, `more`: as for `show_rows`.
    """
    lines = [f"  {entry}" for entry in entries]
    if lines:
        say("\n" + "\n".join([title, *lines[:most]]))
    if most is not None and len(lines) > most:
        say(f"  … {len(lines) - most:,} more ({more})")


def value_text(value: Any) -> str:
    """Return a value as text: a count with separators of thousands, other numbers with six digits."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "yes" if value else ""
    return f"{value:,}" if is_whole(value) else short_number(value)


def interval_text(interval: tuple[Any, Any] | None, form: Getter = value_text) -> str:
    """Return an interval as text: `1.5 to 2`; it is empty without ends."""
    if interval is None or None in interval:
        return ""
    return " to ".join(map(form, interval))


def counted(count: int, noun: str) -> str:
    """Return a count with its noun: `2 terms`."""
    return plural(count, noun, f"{noun}s")
