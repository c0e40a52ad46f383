"""Readers of measurements; the content of a file determines its format."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from splc.data.configurations import Configurations
from splc.data.measurements import Measurements
from splc.data.table import names_of
from splc.errors import Problem, SpecError
from splc.formats import registry
from splc.formats.benchmarks.table import TableSource
from splc.formats.measurements.columns import ColumnChoice
from splc.formats.measurements.contexts import differs_in_most, measurements_in, selected, without_failed_runs
from splc.formats.measurements.failures import with_failures
from splc.formats.measurements.rows import MeasurementRows, Policy
from splc.formats.measurements.shapes import read_table
from splc.formats.measurements.stated_roles import with_contexts
from splc.io.files import Source
from splc.system.variability import VariabilityModel
from splc.types import Aggregate, Array, Duplicates, Invalid


def read_measurements(
    path: str | Path,
    system: VariabilityModel,
    *,
    contexts: str | Collection[str] = (),
    where: Mapping[str, str | float] | None = None,
    ignore: str | Collection[str] = (),
    invalid: Invalid = "error",
    duplicates: Duplicates = "error",
    aggregate: Aggregate = "mean",
    decimal_delimiter: str | None = None,
    separator: str | None = None,
    nfp: str | None = None,
    check: Callable[[Configurations], Array] | None = None,
    explain: Callable[[Configurations, int], list[str]] | None = None,
) -> Measurements:
    """Read measurements of a system. The format (XML or CSV) is detected from the content.

    Args:
        path: the file, also compressed (`.gz`); `-` is standard input.
        system: the system that was measured.
        contexts: columns that are contexts although their values are numbers; columns of text are contexts anyway.
        where: context → the value of the rows to read, with a context of several values.
        ignore: columns that are not read.
        invalid: the treatment of rows whose configuration is unknown or fails `check`: 'error', or 'drop' (they are
            listed in the report).
        duplicates: the treatment of rows that measure a configuration again in XML, or in CSV without a header:
            'error', 'first' (only the first row is used), or 'mean' (they are repetitions, as in CSV tables).
        aggregate: the aggregation of repetitions, 'mean', 'median' or 'min'.
        decimal_delimiter: the decimal delimiter; by default the one that the file states or its numbers show (a comma
            in tables with `;` or tabs that have no points), or a point.
        separator: the separator of repetitions (XML) or fields (CSV); by default it is detected.
        nfp: the name of the property in a CSV file without a header, 'Performance' by default.
        check: returns which configurations are valid, such as `sampling.Space(system).check`; None accepts all.
        explain: returns what the configuration in one row violates, such as `sampling.Space(system).violations`.

    Returns:
        n distinct configurations with the values of all properties, in the units of the file. Values that cannot be
        read are NaN and counted in `report`, which also lists dropped rows. `failures` are those of rows without a
        value, and of the table of failed runs beside the file (`NAME.failures.csv`).

    Raises:
        InputError: if the file cannot be read, or a column is missing.
        MeasurementError: if rows are invalid or repeated and the policy is 'error', or no row is valid.
        SpecError: if a policy is unknown, or the decimal delimiter is not a single character.
    """
    policy = Policy(invalid, duplicates, aggregate, column_choice(contexts, where, ignore), check, explain)
    (measurements,) = read_parts(path, system, policy, decimal_delimiter, separator, nfp)
    return with_failures(measurements, [str(path)], check or _all_valid)


def read_measurements_by(
    path: str | Path,
    system: VariabilityModel,
    by: str,
    *,
    contexts: str | Collection[str] = (),
    where: Mapping[str, str | float] | None = None,
    ignore: str | Collection[str] = (),
    **settings: Any,
) -> dict[str, Measurements]:
    """Read the measurements of each value of a context (version, workload, machine), in natural order.

    Args:
        path: the file, as in `read_measurements`.
        system: the system that was measured.
        by: the context; a column of numbers is one if it is named here.
        contexts: as in `read_measurements`, likewise `where` and `ignore`.
        where: other contexts → the value of the rows to read.
        ignore: see `contexts`.
        settings: the other arguments of `read_measurements`.

    Returns:
        Value of the context → its measurements.

    Raises:
        InputError: as `read_measurements`, or if there is no such context.
        MeasurementError: as `read_measurements`.
        SpecError: as `read_measurements`.
    """
    choice = replace(column_choice(contexts, where, ignore), by=(by,))
    options = {key: settings.pop(key, None) for key in ("decimal_delimiter", "separator", "nfp")}
    check = settings.get("check") or _all_valid
    parts = read_parts(path, system, Policy(**settings, columns=choice), **options)
    return {part.contexts[by]: with_failures(part, [str(path)], check) for part in parts}


def _all_valid(configurations: Configurations) -> Array:
    return np.ones(len(configurations), dtype=bool)


def read_parts(
    path: str | Path | Source,
    system: VariabilityModel,
    policy: Policy,
    decimal_delimiter: str | None = None,
    separator: str | None = None,
    nfp: str | None = None,
) -> tuple[Measurements, ...]:
    """Read measurements, separately for each value of the contexts that `policy.columns.by` names."""
    source, rows, units = _read_rows(path, system, policy, decimal_delimiter, separator, nfp)
    policy = replace(policy, units=units)
    return measurements_in(system, rows, policy, source)


def read_every_part(
    path: str | Path | Source, system: VariabilityModel, policy: Policy, nfp: str | None = None
) -> tuple[Measurements, ...]:
    """Read measurements, separately for each combination of values of their contexts.

    Contexts that differ in most rows (ids, dates) do not separate rows and are left out.
    """
    source, rows, units = _read_rows(path, system, policy, None, None, nfp)
    policy = replace(policy, units=units)
    rows = selected(rows, policy.columns, source.name)
    kept = {name: context for name, context in rows.contexts.items() if not differs_in_most(context.values, len(rows))}
    columns = replace(policy.columns, where={}, by=tuple(kept))
    return measurements_in(system, replace(rows, contexts=kept), replace(policy, columns=columns), source)


def _read_rows(
    path: str | Path | Source,
    system: VariabilityModel,
    policy: Policy,
    decimal_delimiter: str | None,
    separator: str | None,
    nfp: str | None,
) -> tuple[Source, MeasurementRows, Mapping[str, str]]:
    """Return the source, its rows, and property → its unit, where the policy or the format of the file states one."""
    if decimal_delimiter is not None and (len(decimal_delimiter) != 1 or decimal_delimiter.isalnum()):
        problem = Problem("the decimal delimiter must be a single character", text=decimal_delimiter)
        raise SpecError(problem)
    source = read_table(path)
    policy = replace(policy, columns=with_contexts(policy.columns, source, system))
    form = registry.format_of("measurements", source)
    assert form is not None
    units = {**(source.units if isinstance(source, TableSource) else {}), **policy.units}
    rows = form.read(source, system, policy, decimal_delimiter, separator, nfp)
    return source, without_failed_runs(rows, policy.columns), units


def column_choice(
    contexts: str | Collection[str] = (),
    where: Mapping[str, Any] | None = None,
    ignore: str | Collection[str] = (),
    options: str | Collection[str] = (),
) -> ColumnChoice:
    """Return roles of columns; the arguments are those of `read_measurements` and `infer_system`."""
    texts = {name: value if isinstance(value, str) else f"{value:.15g}" for name, value in (where or {}).items()}
    return ColumnChoice(names_of(contexts), names_of(ignore), texts, options=names_of(options))
