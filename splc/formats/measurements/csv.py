"""CSV tables: columns of options, properties and contexts; also with `;`, or without a header, as SPL Conqueror's.

An option has a column of zeros and ones or of numbers, or the children of an option have one of texts. In tables, rows
with the same configuration are repetitions. Rows of files without a header list the selected binary options, followed
by the value.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from splc.data.configurations import Configurations, option_column
from splc.data.measurements import Measurements
from splc.data.table import TRUTH, Groups, add_children, only_index
from splc.errors import ConfigurationError, InputError, MeasurementError, Problem, Problems, listed, nearest
from splc.formats.column_choice import ColumnChoice, columns_of
from splc.formats.measurements.rows import MeasurementRows, Policy, left_out
from splc.formats.measurements.selections import Selections
from splc.formats.table import ColumnRows, TableSource, name_notes, split_table, table_text
from splc.io.csv_rows import distinct_texts
from splc.io.files import Source, write_whole
from splc.io.numbers import column_texts, parse_number
from splc.system.groups import text_groups
from splc.system.options import BinaryOption, NumericOption
from splc.system.variability import DISABLED, ENABLED, ROOT, VariabilityModel, plain_name
from splc.types import Array

DEFAULT_NFP = "Performance"
# What tuners write before the names of options: `params_lr`, `Param: size`.
_PREFIX = re.compile(r"(?:params?|parameters?|config)(?:[._/]|: )", re.IGNORECASE)
# The cells of a table that are written at a time: a text per cell takes much more memory than the file.
CELLS = 2**21


def read_measurements_csv(source: Source, system: VariabilityModel, policy: Policy) -> MeasurementRows:
    """Read the rows of a CSV file. See `splc.formats.measurements.read.read_measurements`."""
    decimal, nfp = policy.decimal or ".", policy.nfp
    table = split_table(source, system.spellings, policy.separator, policy.decimal, policy.columns.unread)
    if has_header(table, system, decimal):
        choice, rows, names = policy.columns, read_option_table(table, system, decimal), exact_names(system)
        numbers, contexts = columns_of(rows.others, choice, source.name, decimal=decimal, options=names, nfp=nfp)
        empty = [name for name in numbers if name != nfp and not any(text.strip() for text in rows.others[name])]
        # Without any value, as in a table to fill in, all columns are properties.
        empty = empty if len(empty) < len(numbers) else []
        lacking = (f"left out, without any value: {listed(empty)}",) if empty else ()
        numbers = {name: column for name, column in numbers.items() if name not in empty}
        rows = rows.with_properties(numbers, decimal, (*table.remarks, *name_notes(table), *lacking))
        return replace(rows, contexts=contexts, repeated=True, nfp=nfp).by_line()
    if policy.columns.required:
        message = f"there is no column {policy.columns.required[0]!r}: the file has no header"
        raise InputError(Problem(message, source.name))
    selections, texts = Selections(system), []
    for row, cells in enumerate(table.rows):
        ends = len(cells) - (len(cells) > 1 and not cells[-1].strip())
        selections.select(row, cells[: ends - 1])
        texts.append(cells[ends - 1])
    lines, name = np.array(table.lines, dtype=np.int64), nfp or policy.usual or DEFAULT_NFP
    rows = MeasurementRows(lines, selections.finish(len(lines)), selections.reasons, others={name: texts})
    properties, _ = columns_of(rows.others, ColumnChoice(), source.name, decimal=decimal, nfp=name)
    return rows.with_properties(properties, decimal, table.remarks)


def has_header(table: TableSource, system: VariabilityModel, decimal: str = ".") -> bool:
    """Return whether the first row is a header: others end with a number, or are followed by rows of names."""
    if isinstance(table.rows, ColumnRows) and table.rows.named:
        return True
    first = [cell.strip() for cell in table.rows[0]]
    second = [cell.strip() for cell in table.rows[1]] if len(table.rows) > 1 else []
    while len(first) > 1 and not first[-1]:
        first.pop()
        second = second[:-1] if second and not second[-1] else second
    # An option may be called `1`, so that a value of the first column looks like a name.
    begins_with_value = bool(second) and (second[0].casefold() in TRUTH or is_number(second[0], decimal))
    if not all(cell in system.spellings for cell in first[:-1]):
        # Unknown names are properties, unless the row ends with a number.
        return not is_number(first[-1], decimal)
    if is_number(first[-1], decimal) and first[-1] not in system.spellings:
        # A property may be called `2019`; then only values follow.
        return len(first) > 1 and len(second) >= len(first) and begins_with_value
    return not second or begins_with_value or second[0] not in system.spellings


def is_number(text: str, decimal: str = ".") -> bool:
    """Return whether a cell is a finite number."""
    return not np.isnan(parse_number(text.strip(), decimal))


def read_option_table(table: TableSource, system: VariabilityModel, decimal: str = ".") -> MeasurementRows:
    """Read the header and the columns of options of a table that was split; other columns remain texts.

    Options with only one possible value need no column, and neither do the members of a group that has a column.
    """
    lines = np.array(table.lines[1:], dtype=np.int64)
    ragged = table.body[2]
    reasons = {row: [f"{fields} fields, but the header has {len(table.header)}"] for row, fields in ragged.items()}
    named, others, groups = _named_columns(table, system)
    blank, refused = list[str](), list[tuple[int, str]]()
    sizes = [option.size for option in system.options]
    indices = np.zeros((len(lines), len(sizes)), dtype=np.min_scalar_type(-max(sizes, default=1)))
    for position, option in enumerate(system.options):
        if option.name not in named:
            indices[:, position] = only_index(option, system.mandatory) or 0
            continue
        texts = named[option.name]
        indices[:, position], wrong = option_column(option, texts, decimal, groups.get(option.name, ()))
        if isinstance(option, BinaryOption) and not system.inferred and not wrong and "" in distinct_texts(texts)[0]:
            blank.append(option.name)
        refused += [(row, wrong[texts[row]]) for row in np.flatnonzero(indices[:, position] < 0).tolist()]
    for rows, reason in _switched(system, named, indices, table.name):
        refused += [(row, reason) for row in np.flatnonzero(rows).tolist()]
    for row, reason in ((row, reason) for row, reason in refused if row not in ragged):
        reasons.setdefault(row, []).append(reason)
    notes = (f"empty cells are 0, which is deselected: {listed(blank)}",) if blank else ()
    return MeasurementRows(lines, indices, reasons, notes=notes, malformed=frozenset(ragged), others=others)


Columns = dict[str, Sequence[str]]


def _named_columns(table: TableSource, system: VariabilityModel) -> tuple[Columns, Columns, Groups]:
    """Return the columns of options, the root and switches, other columns, and the groups that have one column."""
    named, others, line, problems = Columns(), Columns(), int(table.lines[0]), Problems(table.name)
    header, columns, _ = table.body
    for at, (cell, texts) in enumerate(zip(header, columns, strict=True)):
        bare = _PREFIX.sub("", cell, count=1)
        cell = bare if cell not in system.spellings and bare in system.spellings and bare not in header else cell
        if (spelling := system.spellings.get(cell)) is not None and spelling != cell and spelling in header:
            # The table has a column of the exact name, too: an option `run-time` and a property `runtime`.
            spelling = None
        if not cell:
            problems.add(f"column {at + 1} has no name", line)
        elif spelling in named:
            problems.add(f"duplicate column {cell!r}", line)
        elif spelling is not None:
            named[spelling] = texts
        else:
            others[cell] = texts
    groups = add_children(system, named)
    required = [option.name for option in system.options if only_index(option, system.mandatory) is None]
    if len(required) == len(system.options) and not named:
        hint = f"the options of {system.name or 'the system'} are: {', '.join(system.names[:12])}"
        problems.add("no column has the name of an option", line, text=",".join(header), hint=hint)
        required = []
    # Where the options are inferred, the second one is another column.
    for name in (name for name in table.repeated_names if name in system.spellings and not system.inferred):
        problems.add(f"duplicate column {name!r}", line)
    for name in (name for name in required if name not in named):
        similar = nearest(name, others, "is it the column")
        problems.add(f"there is no column for the option {name!r}", line, hint=similar)
    problems.raise_if_any(InputError)
    return named, others, groups


def _switched(system: VariabilityModel, named: Columns, indices: Array, file: str) -> Iterator[tuple[Array, str]]:
    """Deselect options by the columns of SPL Conqueror's hidden options, and yield rows that contradict, and why."""
    if ROOT in named:
        root, _ = option_column(BinaryOption(ROOT), named[ROOT])
        if len(root) and (root != 1).all():
            message = f"the column {ROOT!r} is the root of the options, which is always selected (1)"
            raise InputError(Problem(message, file, hint="rename it, if it is another column"))
        yield root != 1, "the root is always selected"
    for name, (position, means_enabled) in system.switches.items():
        if name not in named:
            continue
        switch, _ = option_column(BinaryOption(name), named[name])
        yield switch < 0, f"{name} must be 0 or 1"
        deselected, disabled = system.options[position].size - 1, switch == (0 if means_enabled else 1)
        indices[disabled, position] = deselected
        contradicts = (switch >= 0) & ~disabled & (indices[:, position] == deselected)
        yield contradicts, f"{name} contradicts the value of {system.names[position]}"


def exact_names(system: VariabilityModel) -> frozenset[str]:
    """Return the names that other columns of a table must not have."""
    return frozenset((*system.names, *system.switches, ROOT))


def option_texts(configurations: Configurations, *, plain: bool = False) -> list[list[str]]:
    """Return one column of texts per option: its words (0 or 1 if `plain`), numbers, and the flag where deselected.

    Inferred options are blank there, as in their table, unless it is `plain` or has no other column.
    """
    columns, blank = [], configurations.system.inferred and not plain and len(configurations.system.options) > 1
    for position, option in enumerate(configurations.system.options):
        if isinstance(option, NumericOption):
            flag = np.nan if blank else option.deselected_flag
            texts = column_texts(np.array([*option.values, *([] if flag is None else [flag])], dtype=float))
        else:
            texts = ["0", "1"] if plain else list(option.presentation.words or ("0", "1"))
        columns.append([texts[index] for index in configurations.indices[:, position].tolist()])
    return columns


def with_groups(system: VariabilityModel, columns: Sequence[Sequence[str]]) -> tuple[list[str], list[Sequence[str]]]:
    """Return the header and the columns of options with one column of text for each option with texts as its values."""
    table = dict(zip(system.names, columns, strict=True))
    for parent, children in text_groups(system).items():
        texts = [""] * len(table[parent])
        for child in children:
            text = child.presentation.output_string or child.name
            texts = [text if cell == "1" else before for before, cell in zip(texts, table.pop(child.name), strict=True)]
        table[parent] = texts
    return [*table], [*table.values()]


def write_configurations(
    configurations: Configurations, path: str | Path, extra: Mapping[str, Array] | None = None
) -> None:
    """Write configurations; `extra`: name → additional column of numbers, shape (n,); NaN becomes an empty field."""
    for name in (name for name in extra or {} if name in exact_names(configurations.system)):
        raise ConfigurationError(f"an additional column cannot have the name of the option {name!r}")
    write_whole(path, _table_parts(configurations, extra or {}))


def _table_parts(configurations: Configurations, extra: Mapping[str, Array | str]) -> Iterator[bytes]:
    """Yield the header, and some rows at a time; `extra`: name → a column of numbers, or the text in all rows."""
    system = configurations.system
    header = [*with_groups(system, [[]] * len(system.names))[0], *extra]
    first = table_text(header, []).encode("utf-8")
    yield first
    step = max(1, CELLS // max(1, len(header)))
    for start in range(0, len(configurations), step):
        rows = configurations[start : start + step]
        _, columns = with_groups(system, option_texts(rows))
        for values in extra.values():
            part = [values] * len(rows) if isinstance(values, str) else np.asarray(values[start : start + step], float)
            columns.append(part if isinstance(part, list) else column_texts(part))
        yield table_text(header, columns).encode("utf-8")[len(first) :]


def check_names(
    measurements: Measurements, reserved: Container[str], where: str = "a table of this system", *, exact: bool = True
) -> None:
    """Refuse names of properties and contexts that files of measurements cannot have; `exact`: in the same case."""
    for names, kind in ((measurements.properties, "property"), (tuple(measurements.contexts), "context")):
        for name in names:
            if (name if exact else name.strip().casefold()) in reserved or not name or name != name.strip():
                raise MeasurementError(f"a {kind} cannot be called {name!r} in {where}")


def write_measurements_csv(measurements: Measurements, path: str | Path) -> tuple[str, ...]:
    """Write a table with a row for each repetition: options, contexts, properties; return notes on what is left out."""
    check_names(measurements, exact_names(measurements.system))
    configurations, values = measurements.runs()
    write_whole(path, _table_parts(configurations, {**measurements.contexts, **values}))
    return left_out(measurements, "contexts", "repetitions")


def write_measurements_splconqueror_csv(measurements: Measurements, path: str | Path) -> tuple[str, ...]:
    """Write the table that SPL Conqueror reads, with `;`, a root column, and one row per configuration; return notes.

    An optional numeric option `x` is followed by SPL Conqueror's hidden options `Enabledx` and `Disabledx`.
    """
    check_names(measurements, measurements.system.spellings)
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
            header += [ENABLED + name, DISABLED + name]
            columns += [np.where(column, "1", "0").tolist() for column in (enabled, ~enabled)]
    for name in header:
        if reason := "is a number" if is_number(name) else "would be a duplicate" * (header.count(name) > 1):
            message = f"SPL Conqueror's table cannot have a column {name!r}: the name {reason}"
            raise MeasurementError(message, hint="write plain CSV or XML")
    header += measurements.properties
    columns += [column_texts(measurements[name], missing="NaN") for name in measurements.properties]
    write_whole(path, table_text(header, columns, ";"))
    names = (f"names are written as SPL Conqueror keeps them: {listed(renamed)}",) if renamed else ()
    return (*left_out(measurements), *names)
