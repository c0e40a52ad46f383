"""Configurations in tables: to read and to predict, values that the description does not list, observed variables.

A table of observed variables has one row per configuration (`px,py,iterations`), or one per configuration and level
(`px,py,level,C,s`), where there is one variable per column and level: `C_0`, `C_1`, …, and `level_0`, … (always 1). The
variables of a level that a configuration lacks are missing, and so are those whose field is empty.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from splc.data.configurations import Configurations, Observed, describe_configuration, further_values
from splc.data.measurements import ReadingReport
from splc.errors import ConfigurationError, InputError, Problem, Problems, listed, unknown_name_hint
from splc.formats.column_choice import ColumnChoice
from splc.formats.detect import is_xml
from splc.formats.measurements.csv import has_header, read_option_table
from splc.formats.measurements.read import measurements_in, read_rows, selected, separated
from splc.formats.measurements.rows import MINED, Policy, invalid_rows
from splc.formats.measurements.tables import read_file_columns
from splc.formats.table import split_table
from splc.io.files import Source, read_source
from splc.io.numbers import not_a_number, parse_column
from splc.system.variability import VariabilityModel, extended
from splc.types import Array

LEVEL = "level"
_MAX_LEVEL = 1000


def read_configurations(path: str | Path | Source, system: VariabilityModel) -> Configurations:
    """Read configurations, one per row and in the order of the rows; columns of other names are ignored."""
    source = path if isinstance(path, Source) else read_source(path)
    if is_xml(source):
        raise InputError(Problem("configurations are read from CSV, and this file is XML", source.name))
    rows = read_option_table(split_table(source, system.spellings), system)
    rows.problems(source.name).raise_if_any(ConfigurationError)
    return Configurations(system, rows.indices)


@dataclass(frozen=True, eq=False)
class PredictionInputs:
    """Configurations to predict."""

    configurations: Configurations  # n configurations
    properties: tuple[str, ...]  # all properties that the file has values of
    report: ReadingReport  # what the reader left out
    lines: Array  # the (first) line of each configuration, shape (n,)
    columns: Mapping[str, Array]  # the other columns of numbers, each of shape (n,): properties or observed variables
    nfp: str | None = None  # the property that was measured, None where none was
    measured: Array | None = None  # its values, shape (n,), NaN where one is missing; None where none was measured
    runs: Array | None = None  # the values of all runs, shape (n, repetitions), NaN: missing; None: none measured


def read_inputs(
    path: str | Path | Source,
    system: VariabilityModel,
    policy: Policy,
    nfp: str | None = None,
    expected: str | None = None,
) -> PredictionInputs:
    """Read configurations, as measurements where the file has measured values; else the rows are kept as they are.

    A file with properties must have `nfp`, the one that the user named, and may have the `expected` one; without both,
    its only property is used.
    """
    source, rows, policy = read_rows(path, system, replace(policy, nfp=nfp, usual=expected))
    nfp = policy.nfp
    # Only a table with a header may have no measured values.
    if (is_table := rows.repeated) and nfp is not None and rows.values and nfp not in rows.values:
        hint = unknown_name_hint(nfp, list(rows.values))
        raise InputError(Problem(f"there is no column for the property {nfp!r}", source.name, hint=hint))
    known = tuple(name for name, values in rows.values.items() if not (is_table and np.isnan(values).all()))
    name = nfp or (known[0] if len(known) == 1 and expected is None else None)
    if nfp is None and expected is not None:
        # A log keeps one space where a name has several.
        name = next((name for name in known if name.split() == expected.split()), None)
    if not is_table or name in known:
        (measurements,) = measurements_in(system, rows, policy, source)
        columns = {key: measurements[key] for key in measurements.properties}
        # Where options were inferred, the other columns were not among them.
        report = replace(measurements.report, mixed=() if system.inferred else measurements.report.mixed)
        lines = report.lines[np.unique(report.groups, return_index=True)[1]]
        measured = () if name is None else (name, measurements[name], measurements.repetitions(name))
        return PredictionInputs(measurements.configurations, known, report, lines, columns, *measured)
    # Configurations without measured values are predicted whatever their contexts are.
    rows = selected(rows, replace(policy.columns, usual={}), source.name)
    rows = replace(rows, reasons=invalid_rows(system, rows, policy))
    if policy.invalid == "error":
        rows.problems(source.name, MINED if policy.columns.mined else None).raise_if_any(ConfigurationError)
    report = ReadingReport(source.name, source.sha256, len(rows), rows.dropped(rows.reasons), notes=rows.notes)
    valid = np.delete(np.arange(len(rows)), [*rows.reasons])
    columns = {key: values[valid, 0] for key, values in rows.values.items()}
    return PredictionInputs(Configurations(system, rows.indices[valid]), known, report, rows.lines[valid], columns)


def context_values(path: str | Path, system: VariabilityModel, policy: Policy, name: str) -> tuple[str, ...]:
    """Return the values of a context in a file of measurements or configurations, in natural order."""
    columns = ColumnChoice(by=(name,)).over(policy.columns)
    source, rows, policy = read_rows(path, system, replace(policy, columns=columns))
    rows = selected(rows, columns, source.name)
    if not len(rows.known):
        # Malformed rows have no context: they are refused.
        measurements_in(system, rows, policy, source)
    return tuple(part.contexts[name].in_rows(part.known)[0] for part in separated(rows, [name]))


def unlisted_values(
    source: Source, system: VariabilityModel, unread: Collection[str] = ()
) -> dict[str, tuple[float, ...]] | None:
    """Return option → the numbers in its column that are not among its values, ascending; None without columns."""
    columns: Mapping[str, Sequence[str]] = {}
    if is_xml(source):
        # XML may have identifiers of configurations; the reader of measurements reports other problems.
        with suppress(InputError):
            columns = read_file_columns(source).columns
    elif has_header(table := split_table(source, system.spellings, exempt=unread), system):
        columns = table.columns
    return further_values(system, {title.strip(): texts for title, texts in columns.items()}) if columns else None


def with_unlisted(source: Source, system: VariabilityModel, unread: Collection[str] = ()) -> VariabilityModel:
    """Return an inferred system with the further values in a table; a description restricts them."""
    further = unlisted_values(source, system, unread) if system.inferred else None
    return extended(system, further) if further else system


class _Table(NamedTuple):
    """The observations of one file: distinct configurations with their lines, and the columns of variables."""

    file: str
    configurations: Configurations
    lines: Array
    columns: Mapping[str, Array]


def read_observed(paths: Sequence[str | Path], system: VariabilityModel) -> Configurations:
    """Read observed variables."""
    if not paths:
        return Configurations(system, np.zeros((0, len(system.options)), dtype=np.uint8))
    first, *others = (_table(read_source(path), system) for path in paths)
    columns, file_of = dict(first.columns), dict.fromkeys(first.columns, first.file)
    for table in others:
        for one, other in ((first, table), (table, first)):
            problems = Problems(one.file)
            for at in np.flatnonzero(other.configurations.find(one.configurations) < 0).tolist():
                text = describe_configuration(one.configurations, at)
                problems.add(f"{text}: {other.file} has no row of this configuration", int(one.lines[at]))
            problems.raise_if_any(InputError)
        order = table.configurations.find(first.configurations)
        for name, values in table.columns.items():
            if name in columns:
                raise InputError(Problem(f"the variable {name!r} is in {file_of[name]} already", table.file))
            columns[name], file_of[name] = values[order], table.file
    model = replace(system, observed=tuple(columns))
    return Configurations(model, first.configurations.indices, Observed(columns, np.ones(len(first.lines), dtype=bool)))


def _table(source: Source, system: VariabilityModel) -> _Table:
    split = split_table(source, system.spellings)
    table = read_option_table(split, system)
    problems, lines = table.problems(source.name), table.lines.tolist()
    for name in split.repeated_names:
        problems.add(f"duplicate column {name!r}", int(split.lines[0]))
    texts = {name: [*map(str.strip, cells)] for name, cells in table.others.items()}
    levels, is_leveled = texts.pop(LEVEL, ["0"] * len(table)), LEVEL in table.others
    if not texts:
        problems.add("there is no column for an observed variable")
    if not lines:
        problems.add("the file has no rows")
    values = {name: parse_column(cells) for name, cells in texts.items()}
    for name, column in values.items():
        for text, number, line in zip(texts[name], column.tolist(), lines, strict=True):
            if np.isnan(number) and text.casefold() not in ("", "nan"):
                problems.add(f"{name}: {text!r} {not_a_number(text)}", line)
    level = parse_column(levels)
    for text, number, line in zip(levels, level.tolist(), lines, strict=True):
        if not 0 <= number <= _MAX_LEVEL or number % 1:
            problems.add(f"a level must be an integer from 0 to {_MAX_LEVEL}, not {text!r}", line)
    problems.raise_if_any(InputError)
    rows = Configurations(system, table.indices)
    first, group = rows.groups()
    # The row of each level of each configuration, -1 where there is none.
    places = np.full((len(first), int(level.max()) + 1), -1)
    cells = group * places.shape[1] + level.astype(np.int64)
    distinct, earliest = np.unique(cells, return_index=True)
    places.reshape(-1)[distinct] = earliest
    for row in np.setdiff1d(np.arange(len(cells)), earliest).tolist():
        subject = f"level {level[row]:g} of this configuration" if is_leveled else "this configuration"
        problems.add(f"{subject} is in line {lines[places.reshape(-1)[cells[row]]]} already", lines[row])
    lacking = np.maximum.accumulate(places[:, ::-1] >= 0, axis=1)[:, ::-1] & (places < 0)
    for at in np.flatnonzero(lacking.any(axis=1)).tolist():
        missing = listed([str(level) for level in np.flatnonzero(lacking[at]).tolist()])
        text = describe_configuration(rows, int(first[at]))
        message = f"{text}: rows of level {missing} are missing, but there are rows of higher levels"
        problems.add(message, lines[first[at]])
    problems.raise_if_any(InputError)
    columns = {name: column[first] for name, column in values.items()}
    if is_leveled:
        every = {LEVEL: np.ones(len(rows))} | values
        filled = {name: np.where(places >= 0, column[places], np.nan) for name, column in every.items()}
        columns = {f"{name}_{at}": cells[:, at] for name, cells in filled.items() for at in range(places.shape[1])}
    for name in (name for name in columns if name in system.spellings):
        problems.add(f"the variable {name!r} has the name of an option", 1, hint="rename its column")
    problems.raise_if_any(InputError)
    return _Table(source.name, rows[first], table.lines[first], columns)
