"""Tables of configurations without measured columns, among tables of measurements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from splc.data.property_name import is_measurement_name
from splc.formats.measurements.coded_columns import MIN_ROWS, CodedColumns, is_row_counter
from splc.formats.measurements.columns import ColumnChoice, has_other_decimals, kind_of
from splc.formats.measurements.roles import numbers_in


def option_columns(
    columns: Mapping[str, Sequence[str]], choice: ColumnChoice, *, measured: bool | None
) -> tuple[str, ...] | None:
    """Return the options of a table without measurements, None if it has a measured column.

    All columns are options, also those of text, unless the user chose another role, or they number the rows.

    `measured`: whether the table has a measured column; None: as its columns seem. A column seems to be measured if it
    has the name of a measured value, fractions and nearly a different value in every row, or many values that are not
    needed to distinguish the rows; and rows are repeated only where they are measured.
    """
    if measured:
        return None
    choice = choice.among(columns)
    inputs = {name: cells for name, cells in columns.items() if name not in (*choice.ignore, *choice.named)}
    values = {name: numbers_in(cells) for name, cells in inputs.items()}
    kinds = {name: kind_of(cells, values[name]) for name, cells in inputs.items()}
    texts = {name: cells for name, cells in inputs.items() if kinds[name] == "text" and not has_other_decimals(cells)}
    numbers = {name: values[name] for name in inputs if name not in texts and kinds[name] != "empty"}
    table = CodedColumns(numbers, texts)
    if measured is None and (_repeats(columns) or _has_measured_column(table, choice.options)):
        return None
    return tuple(name for name in inputs if name in table.codes and not _numbers_rows(table, name))


def _numbers_rows(table: CodedColumns, name: str) -> bool:
    """Return whether a column numbers the rows, by its name and its values."""
    counts = name in table.numbers and is_row_counter(name) and table.counts(name)
    return counts and table.differs_everywhere(name)


def _repeats(columns: Mapping[str, Sequence[str]]) -> bool:
    """Return whether rows are repeated."""
    rows = [*zip(*columns.values(), strict=True)]
    return len({*rows}) < len(rows)


def _has_measured_column(table: CodedColumns, options: Sequence[str]) -> bool:
    return any(name not in options and not table.counts(name) and _is_measured(table, name) for name in table.numbers)


def _is_measured(table: CodedColumns, name: str) -> bool:
    """Return whether a column of numbers seems to be measured."""
    if is_measurement_name(name) and not table.is_binary(name):
        return True
    if table.rows < MIN_ROWS:
        leads = name == next(iter(table.numbers))
        return table.differs_everywhere(name) and not table.has_integers(name) and not leads
    groups = table.groups(other for other in table.codes if other != name)
    return table.seems_measured(name) or table.seems_counted(name, groups)
