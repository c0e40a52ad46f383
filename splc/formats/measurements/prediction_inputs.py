"""Configurations to predict, from a table of configurations or from measurements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from splc.data.configurations import Configurations
from splc.data.measurements import Measurements, ReadingReport
from splc.errors import ConfigurationError, InputError, Problem, Problems, unknown_name_hint
from splc.formats import registry
from splc.formats.measurements.columns import ColumnChoice
from splc.formats.measurements.contexts import measurements_in, selected, separated
from splc.formats.measurements.csv import has_header, table_rows
from splc.formats.measurements.csv_table import read_option_table, read_raw
from splc.formats.measurements.rows import MINED, Policy, invalid_rows
from splc.formats.measurements.selections import reasons_by_row
from splc.formats.measurements.shapes import read_table
from splc.formats.measurements.stated_roles import with_contexts
from splc.io.files import Source
from splc.system.variability import VariabilityModel
from splc.types import Array


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
    policy = replace(policy, columns=with_contexts(policy.columns, source, system))
    lines: list[Array] = []
    placing = replace(policy, placed=lines.append)
    form = registry.format_of("measurements", source)
    is_table = form is not None and form.name == "csv"
    raw = read_raw(source, system, exempt=policy.columns.unread) if is_table else None
    if form is not None and (raw is None or not has_header(raw, system, ".")):
        rows = form.read(source, system, placing, None, None, nfp or expected)
        (measurements,) = measurements_in(system, rows, placing, source)
        return _measured(measurements, lines, nfp, expected)
    assert raw is not None
    table = read_option_table(source, system, raw)
    rows = table_rows(table, system, policy.columns, source, nfp=nfp, notes=raw.notes)
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
