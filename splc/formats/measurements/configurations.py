"""Configurations in tables: to read and to write, to predict, and values that the description does not list."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from splc.data.configurations import Configurations
from splc.data.configurations import unlisted_values as values_besides
from splc.data.measurements import Measurements, ReadingReport
from splc.errors import ConfigurationError, InputError, Problem, Problems, unknown_name_hint
from splc.formats import registry
from splc.formats.column_choice import ColumnChoice
from splc.formats.detect import is_xml
from splc.formats.measurements.csv import has_header, table_rows
from splc.formats.measurements.option_columns import exact_names, option_texts, read_option_table, with_groups
from splc.formats.measurements.read import measurements_in, selected, separated
from splc.formats.measurements.rows import MINED, Policy, invalid_rows
from splc.formats.measurements.selections import reasons_by_row
from splc.formats.measurements.tables import read_file_columns, read_table
from splc.formats.table import split_table, table_of, table_text
from splc.io.files import Source, read_source, write_whole
from splc.io.numbers import column_texts, parse_column
from splc.system.extension import extended, open_options
from splc.system.options import Option
from splc.system.variability import VariabilityModel
from splc.types import Array

CELLS = 2**21


def read_configurations(
    path: str | Path | Source,
    system: VariabilityModel,
    *,
    separator: str | None = None,
    decimal_delimiter: str | None = None,
) -> Configurations:
    """Read configurations, one per row and in the order of the rows; columns of other names are ignored.

    `path`: the file, also compressed (`.gz`), or its content; `-` is standard input. `separator`: the separator of
    fields; by default it is detected from the option names in the first line. `decimal_delimiter`: the decimal
    delimiter; by default a point, or a comma in a table that has no points and whose separator is none.
    """
    source = path if isinstance(path, Source) else read_source(path)
    if is_xml(source):
        raise InputError(Problem("configurations are read from CSV, and this file is XML", source.name))
    table = split_table(source, system.spellings, separator, decimal_delimiter)
    rows = read_option_table(table, system, decimal_delimiter or ".")
    rows.problems(source.name).raise_if_any(ConfigurationError)
    return Configurations(system, rows.indices)


def write_configurations(
    configurations: Configurations,
    path: str | Path,
    extra: Mapping[str, Array] | None = None,
) -> None:
    """Write configurations with options in model order; a deselected numeric option is written as its flag.

    `path`: the file, compressed where its name ends in `.gz`; `-` is standard output. `extra`: name → additional column
    of numbers, shape (n,); NaN becomes an empty field.
    """
    extra = extra or {}
    for name in extra:
        if name in exact_names(configurations.system):
            raise ConfigurationError(f"an additional column cannot have the name of the option {name!r}")
    write_whole(path, _table_parts(configurations, extra))


def _table_parts(configurations: Configurations, extra: Mapping[str, Array]) -> Iterator[bytes]:
    """Yield the header, and some rows at a time: a text per cell takes much more memory than the file."""
    system = configurations.system
    options, _ = with_groups(system, [[]] * len(system.names))
    header = [*options, *extra]
    first = table_text(header, []).encode("utf-8")
    yield first
    step = max(1, CELLS // max(1, len(header)))
    for start in range(0, len(configurations), step):
        _, columns = with_groups(system, option_texts(configurations[start : start + step]))
        columns += [column_texts(np.asarray(values[start : start + step], dtype=float)) for values in extra.values()]
        yield table_text(header, columns).encode("utf-8")[len(first) :]


@dataclass(frozen=True, eq=False)
class PredictionInputs:
    """Configurations to predict."""

    configurations: Configurations  # n configurations
    nfp: str | None  # the property that was measured, None where none was
    measured: Array | None  # its values, shape (n,), NaN where one is missing; None where none was measured
    properties: tuple[str, ...]  # all properties that the file has values of
    report: ReadingReport  # what the reader left out
    lines: Array  # the (first) line of each configuration, shape (n,)
    # the other columns of numbers, each of shape (n,): properties or observed variables
    columns: Mapping[str, Array] = field(default_factory=dict)
    # the values of all runs, shape (n, repetitions), NaN where one is missing; None where none was measured
    runs: Array | None = None


def read_prediction_inputs(
    path: str | Path | Source,
    system: VariabilityModel,
    policy: Policy,
    nfp: str | None = None,
    expected: str | None = None,
) -> PredictionInputs:
    """Read configurations, with the measured values of a property where the file has them.

    A file with measured values is read as measurements: one row per distinct configuration, repetitions aggregated.
    Any other file is a table whose rows are kept as they are.

    `path`: the file, or its content: measurements in any format, or a CSV table of configurations; `-` is standard
    input. `nfp`: the property; a file with properties must have it. `expected`: the property to use if the file has it;
    no other is used instead. Without `nfp` and `expected`, the only property of the file is used.
    """
    source = read_table(path)
    policy = replace(policy, columns=policy.columns.with_contexts(table_of(source).stated, system))
    lines: list[Array] = []
    placing = replace(policy, placed=lines.append)
    form = registry.format_of("measurements", source)
    assert form is not None
    table = split_table(source, system.spellings, exempt=policy.columns.unread) if form.name == "csv" else None
    if table is None or not has_header(table, system, "."):
        rows = form.read(source, system, placing, None, None, nfp or expected)
        (measurements,) = measurements_in(system, rows, placing, source)
        return _measured(measurements, lines, nfp, expected)
    rows = table_rows(table, system, policy.columns, nfp=nfp)
    columns = {name: column[:, 0] for name, column in rows.values.items()}
    if nfp is not None and columns and nfp not in columns:
        hint = unknown_name_hint(nfp, list(columns))
        raise InputError(Problem(f"there is no column for the property {nfp!r}", source.name, hint=hint))
    numeric = tuple(name for name, values in columns.items() if not np.isnan(values).all())
    column = _wanted(nfp, expected, numeric) if columns else None
    if column is not None and not np.isnan(columns[column]).all():
        (measurements,) = measurements_in(system, rows, placing, source)
        return _measured(measurements, lines, column, None, numeric)
    # Configurations without measured values are predicted whatever their contexts are.
    rows = selected(rows, replace(policy.columns, usual={}), source.name)
    invalid = invalid_rows(system, rows.indices, rows.reasons, policy)
    if policy.invalid == "error":
        problems = Problems(source.name)
        cure = MINED if policy.columns.mined else None
        for row, reason in reasons_by_row(invalid).items():
            problems.add(reason, int(rows.lines[row]), hint=cure)
            cure = None
        problems.raise_if_any(ConfigurationError)
    dropped = tuple((int(rows.lines[row]), "; ".join(reasons)) for row, reasons in sorted(invalid.items()))
    valid = np.delete(np.arange(len(rows)), [*invalid])
    report = ReadingReport(source.name, source.sha256, len(rows), dropped, notes=rows.notes)
    numbers = {name: values[valid] for name, values in columns.items()}
    configurations = Configurations(system, rows.indices[valid])
    return PredictionInputs(configurations, None, None, numeric, report, rows.lines[valid], numbers)


def context_values(path: str | Path, system: VariabilityModel, policy: Policy, name: str) -> tuple[str, ...]:
    """Return the values of a context in a file of measurements or configurations, in natural order."""
    source = read_table(path)
    columns = ColumnChoice(by=(name,)).over(policy.columns)
    form = registry.format_of("measurements", source)
    assert form is not None
    rows = selected(form.read(source, system, replace(policy, columns=columns), None, None, None), columns, source.name)
    if not len(rows.known):
        # Malformed rows have no context: they are refused.
        measurements_in(system, rows, policy, source)
    return tuple(part.contexts[name].in_rows(part.known)[0] for part in separated(rows, [name]))


def _wanted(nfp: str | None, expected: str | None, properties: Sequence[str]) -> str | None:
    """Return the property to use, None for none."""
    if nfp is not None:
        return nfp
    if expected is None:
        return properties[0] if len(properties) == 1 else None
    # A log keeps one space where a name has several.
    return next((name for name in properties if name.split() == expected.split()), None)


def _measured(
    measurements: Measurements,
    lines: Sequence[Array],
    nfp: str | None,
    expected: str | None,
    properties: tuple[str, ...] | None = None,
) -> PredictionInputs:
    names = measurements.properties if properties is None else properties
    name = _wanted(nfp, expected, names)
    values = None if name is None else measurements[name]
    columns = {key: measurements[key] for key in measurements.properties}
    runs = None if name is None else measurements.repetitions(name)
    facts = (names, measurements.report, lines[0], columns, runs)
    return PredictionInputs(measurements.configurations, name, values, *facts)


def unlisted_values(
    source: Source, system: VariabilityModel, unread: Collection[str] = ()
) -> dict[str, tuple[float, ...]] | None:
    """Return option → the numbers in its column that are not among its values, ascending."""
    columns = _columns(source, system, unread)
    if columns is None:
        return None
    unlisted: dict[str, tuple[float, ...]] = {}
    options: dict[str, Option] = {option.name: option for option in open_options(system)}
    for title, cells in columns.items():
        name = system.spellings.get(title.strip(), "")
        if name in options and (values := values_besides(options[name], parse_column(cells))):
            unlisted[name] = values
    return unlisted


def with_unlisted(source: Source, system: VariabilityModel, unread: Collection[str] = ()) -> VariabilityModel:
    """Return an inferred system with the further values in a table; a description restricts them."""
    further = unlisted_values(source, system, unread) if system.inferred else None
    return extended(system, further) if further else system


def _columns(source: Source, system: VariabilityModel, unread: Collection[str]) -> Mapping[str, Sequence[str]] | None:
    """Return the columns of a CSV table with a header, or the options of XML."""
    if is_xml(source):
        try:
            return read_file_columns(source).columns
        except InputError:
            # XML may have identifiers of configurations; the reader of measurements reports other problems.
            return None
    table = split_table(source, system.spellings, exempt=unread)
    return dict(zip(*table.body({}), strict=True)) if has_header(table, system, ".") else None
