"""Configurations in tables: to read and to predict, and values that the description does not list."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from splc.data.configurations import Configurations
from splc.data.configurations import unlisted_values as values_besides
from splc.data.measurements import ReadingReport
from splc.errors import ConfigurationError, InputError, Problem, unknown_name_hint
from splc.formats.column_choice import ColumnChoice
from splc.formats.detect import is_xml
from splc.formats.measurements.csv import has_header, read_option_table
from splc.formats.measurements.read import measurements_in, read_rows, selected, separated
from splc.formats.measurements.rows import MINED, Policy, invalid_rows
from splc.formats.measurements.tables import read_file_columns
from splc.formats.table import split_table
from splc.io.files import Source, read_source
from splc.io.numbers import parse_column
from splc.system.extension import extended, open_options
from splc.system.variability import VariabilityModel
from splc.types import Array


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
    # the values of all runs, shape (n, repetitions), NaN where one is missing; None where none was measured
    runs: Array | None = None


def read_inputs(
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
    source, rows, policy = read_rows(path, system, policy, nfp=nfp, usual=expected)
    # Only a table with a header may have no measured values.
    is_table = rows.repeated
    if is_table and nfp is not None and rows.values and nfp not in rows.values:
        hint = unknown_name_hint(nfp, list(rows.values))
        raise InputError(Problem(f"there is no column for the property {nfp!r}", source.name, hint=hint))
    known = tuple(name for name, values in rows.values.items() if not (is_table and np.isnan(values).all()))
    name = _wanted(nfp, expected, known)
    if not is_table or name in known:
        (measurements,) = measurements_in(system, rows, policy, source)
        columns = {key: measurements[key] for key in measurements.properties}
        report = measurements.report
        lines = report.lines[np.unique(report.groups, return_index=True)[1]]
        inputs = PredictionInputs(measurements.configurations, known, report, lines, columns)
        if name is None:
            return inputs
        return replace(inputs, nfp=name, measured=measurements[name], runs=measurements.repetitions(name))
    # Configurations without measured values are predicted whatever their contexts are.
    rows = selected(rows, replace(policy.columns, usual={}), source.name)
    rows = replace(rows, reasons=invalid_rows(system, rows.indices, rows.reasons, policy))
    if policy.invalid == "error":
        rows.problems(source.name, MINED if policy.columns.mined else None).raise_if_any(ConfigurationError)
    dropped = tuple((int(rows.lines[row]), "; ".join(reasons)) for row, reasons in sorted(rows.reasons.items()))
    report = ReadingReport(source.name, source.sha256, len(rows), dropped, notes=rows.notes)
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


def _wanted(nfp: str | None, expected: str | None, properties: Sequence[str]) -> str | None:
    """Return the property to use, None for none."""
    if nfp is not None:
        return nfp
    if expected is None:
        return properties[0] if len(properties) == 1 else None
    # A log keeps one space where a name has several.
    return next((name for name in properties if name.split() == expected.split()), None)


def unlisted_values(
    source: Source, system: VariabilityModel, unread: Collection[str] = ()
) -> dict[str, tuple[float, ...]] | None:
    """Return option → the numbers in its column that are not among its values, ascending; None without columns."""
    columns: Mapping[str, Sequence[str]]
    if is_xml(source):
        try:
            columns = read_file_columns(source).columns
        except InputError:
            # XML may have identifiers of configurations; the reader of measurements reports other problems.
            return None
    else:
        table = split_table(source, system.spellings, exempt=unread)
        if not has_header(table, system):
            return None
        columns = dict(zip(*table.body({}), strict=True))
    options = {option.name: option for option in open_options(system)}
    named = ((system.spellings.get(title.strip(), ""), texts) for title, texts in columns.items())
    found = {name: values_besides(options[name], parse_column(texts)) for name, texts in named if name in options}
    return {name: values for name, values in found.items() if values}


def with_unlisted(source: Source, system: VariabilityModel, unread: Collection[str] = ()) -> VariabilityModel:
    """Return an inferred system with the further values in a table; a description restricts them."""
    further = unlisted_values(source, system, unread) if system.inferred else None
    return extended(system, further) if further else system
