"""Measurements as CSV: plain tables, SPL Conqueror's tables with `;`, and its files without a header.

In tables, rows with the same configuration are repetitions. Rows of files without a header list the selected binary
options, followed by the value.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np

from splc.data.measurements import Measurements
from splc.data.repetitions import repetition_column, repetition_rows
from splc.data.table import TRUTH
from splc.errors import InputError, MeasurementError, Problem, listed
from splc.formats.column_choice import ColumnChoice, columns_of, value_notes
from splc.formats.measurements.option_columns import exact_names, option_texts, read_option_table, with_groups
from splc.formats.measurements.rows import MeasurementRows, Policy, left_out
from splc.formats.measurements.selections import Selections
from splc.formats.table import ColumnRows, TableSource, split_table, table_text
from splc.io.files import Source, write_whole
from splc.io.numbers import column_texts, parse_number
from splc.system.options import NumericOption
from splc.system.variability import DISABLED, ENABLED, ROOT, VariabilityModel, plain_name
from splc.types import Array

DEFAULT_NFP = "Performance"


def read_measurements_csv(
    source: Source,
    system: VariabilityModel,
    policy: Policy,
    decimal_delimiter: str | None = None,
    separator: str | None = None,
    nfp: str | None = None,
) -> MeasurementRows:
    """Read the rows of a CSV file. See `splc.formats.measurements.read.read_measurements`."""
    decimal = decimal_delimiter or "."
    table = split_table(source, system.spellings, separator, decimal_delimiter, policy.columns.unread)
    if has_header(table, system, decimal):
        return table_rows(table, system, policy.columns, decimal, nfp)
    if policy.columns.required:
        message = f"there is no column {policy.columns.required[0]!r}: the file has no header"
        raise InputError(Problem(message, source.name))
    selections, texts = Selections(system), []
    for row, cells in enumerate(table.rows):
        ends = len(cells) - (len(cells) > 1 and not cells[-1].strip())
        selections.select(row, cells[: ends - 1])
        texts.append(cells[ends - 1])
    lines = np.array(table.lines, dtype=np.int64)
    indices, name = selections.finish(len(lines)), nfp or DEFAULT_NFP
    properties, _ = columns_of({name: texts}, ColumnChoice(), source.name, decimal=decimal, nfp=name)
    notes = (*table.remarks, *value_notes({name: texts}, properties, decimal))
    return MeasurementRows(lines, indices, selections.reasons, *_values(properties), notes=notes)


def table_rows(
    table: TableSource, system: VariabilityModel, choice: ColumnChoice, decimal: str = ".", nfp: str | None = None
) -> MeasurementRows:
    """Return the rows of a table with a header, with its properties and contexts."""
    rows = read_option_table(table, system, decimal)
    names = exact_names(system)
    numbers, contexts = columns_of(rows.others, choice, table.name, decimal=decimal, options=names, nfp=nfp)
    empty = [name for name in numbers if name != nfp and not any(text.strip() for text in rows.others[name])]
    # Without any value, as in a table to fill in, all columns are properties.
    empty = empty if len(empty) < len(numbers) else []
    lacking = (f"left out, without any value: {listed(empty)}",) if empty else ()
    numbers = {name: column for name, column in numbers.items() if name not in empty}
    notes = (*table.remarks, *lacking, *rows.notes, *value_notes(rows.others, numbers, decimal))
    values, missing = _values(numbers)
    return replace(rows, values=values, missing=missing, notes=notes, contexts=contexts, repeated=True, nfp=nfp)


def _values(numbers: Mapping[str, Array]) -> tuple[dict[str, Array], dict[str, Array]]:
    """Return property → values, one per row, and property → which of them are missing."""
    values = {name: column[:, np.newaxis] for name, column in numbers.items()}
    return values, {name: np.isnan(column) for name, column in numbers.items()}


def has_header(table: TableSource, system: VariabilityModel, decimal: str) -> bool:
    """Return whether the first row is a header.

    The first row of a file without a header ends with a number, or is followed by rows of names.
    """
    if isinstance(table.rows, ColumnRows):
        return True
    first = [cell.strip() for cell in table.rows[0]]
    second = [cell.strip() for cell in table.rows[1]] if len(table.rows) > 1 else []
    while len(first) > 1 and not first[-1]:
        first.pop()
        if second and not second[-1]:
            second.pop()
    # An option may be called `1`, so that a value of the first column looks like a name.
    names_follow = bool(second) and second[0] in system.spellings and not is_value(second[0], decimal)
    if not all(cell in system.spellings for cell in first[:-1]):
        # Unknown names are properties, unless the row ends with a number.
        return not is_number(first[-1], decimal)
    if is_number(first[-1], decimal) and first[-1] not in system.spellings:
        # A property may be called `2019`; then only values follow.
        return len(first) > 1 and len(second) >= len(first) and is_value(second[0], decimal)
    return not names_follow


def is_number(text: str, decimal: str) -> bool:
    """Return whether a cell is a finite number."""
    return not np.isnan(parse_number(text.strip(), decimal))


def is_value(text: str, decimal: str) -> bool:
    """Return whether a cell can be the value of an option."""
    return text.strip().casefold() in TRUTH or is_number(text, decimal)


def _check_names(measurements: Measurements, reserved: Container[str]) -> None:
    for names, kind in ((measurements.properties, "property"), (tuple(measurements.contexts), "context")):
        for name in names:
            if name in reserved or not name or name != name.strip():
                raise MeasurementError(f"a {kind} cannot be called {name!r} in a table of this system")


def write_measurements_csv(measurements: Measurements, path: str | Path) -> tuple[str, ...]:
    """Write a table with options in model order, then contexts and properties; return notes on what is left out.

    Each repetition is a row; missing values are empty.

    `path`: the file, compressed where its name ends in `.gz`; `-` is standard output.
    """
    _check_names(measurements, exact_names(measurements.system))
    rows, slots = repetition_rows(measurements.values.values(), len(measurements))
    header, columns = with_groups(measurements.system, option_texts(measurements.configurations[rows]))
    columns += [[value] * len(rows) for value in measurements.contexts.values()]
    columns += [column_texts(repetition_column(values, rows, slots)) for values in measurements.values.values()]
    header += [*measurements.contexts, *measurements.properties]
    write_whole(path, table_text(header, columns))
    return left_out(measurements, ("contexts", "repetitions"))


def write_measurements_splconqueror_csv(measurements: Measurements, path: str | Path) -> tuple[str, ...]:
    """Write the table that SPL Conqueror reads: `;`, a root column, one row per configuration, no empty cells.

    Repetitions are aggregated; missing values are NaN. An optional numeric option `x` is followed by SPL Conqueror's
    hidden options `Enabledx` and `Disabledx`. Return notes on what is left out.
    """
    _check_names(measurements, measurements.system.spellings)
    model, configurations = measurements.system, measurements.configurations
    header, columns, renamed = [ROOT], [["1"] * len(measurements)], []
    for option, texts in zip(model.options, option_texts(configurations, plain=True), strict=True):
        name = plain_name(option.name)
        known = model.spellings.get(name) == option.name
        header.append(name if known else option.name)
        if known and name != option.name:
            renamed.append(f"{option.name} → {name}")
        columns.append(texts)
        if isinstance(option, NumericOption) and option.optional:
            enabled = ~np.isnan(configurations.value(option.name))
            for switch, column in ((ENABLED, enabled), (DISABLED, ~enabled)):
                header.append(switch + name)
                columns.append(np.where(column, "1", "0").tolist())
    for name in header:
        if is_number(name, ".") or header.count(name) > 1:
            reason = "is a number" if is_number(name, ".") else "would be a duplicate"
            raise MeasurementError(
                f"SPL Conqueror's table cannot have a column {name!r}: the name {reason}", hint="write plain CSV or XML"
            )
    for name in measurements.properties:
        header.append(name)
        columns.append(column_texts(measurements[name], missing="NaN"))
    write_whole(path, table_text(header, columns, ";"))
    names = (f"names are written as SPL Conqueror keeps them: {listed(renamed)}",) if renamed else ()
    return (*left_out(measurements, ()), *names)
