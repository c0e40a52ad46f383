"""Failures beside measurements: the table of failed runs, rows without a value, and those that a model file states.

`splc measure` and `splc tune` write the table `NAME.failures.csv` beside `NAME.csv`: a row per failed run, with the
options, the contexts that take turns, and why it failed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from splc.data.configurations import Configurations, unlisted_values
from splc.data.measurements import FailureRule, Failures, Measurements
from splc.errors import InputError, Problem, SplcError, plural
from splc.formats.measurements.csv import read_option_table
from splc.formats.measurements.mined_system import failure_rules, outside_range
from splc.formats.table import TableSource, split_table
from splc.io.csv_rows import rows_with
from splc.io.files import STANDARD, Source, read_source
from splc.io.json import plain_values
from splc.io.numbers import parse_column
from splc.system.groups import child_texts
from splc.system.options import NumericOption
from splc.system.variability import VariabilityModel
from splc.types import Array

SUFFIX = ".failures.csv"
Check = Callable[[Configurations], Array]


def failures_file(measurements: str) -> str:
    """Return the table of failed runs that belongs to a table of measurements."""
    return f"{Path(measurements.removesuffix('.gz')).with_suffix('')}{SUFFIX}"


def read_failed_runs(
    source: Source, system: VariabilityModel, contexts: Mapping[str, str]
) -> tuple[Configurations, tuple[FailureRule, ...], int]:
    """Return the configurations of failed runs of the stated contexts, one per run.

    Further results are a rule for each value that the system lacks, and the number of other runs outside of it.

    `system`: the system; runs with other values are outside of one that is inferred from what succeeded. `contexts`:
    context → its value; rows with another one are left out.
    """
    hint = f"it belongs to the measurements beside it; if it is of another system, move or remove {source.name}"
    try:
        table = split_table(source, system.spellings)
        rows = read_option_table(table, system)
        if not system.inferred:
            rows.problems(source.name).raise_if_any(InputError)
    except SplcError as error:
        raise InputError([*error.problems, Problem("the failed runs cannot be read", source.name, hint=hint)]) from None
    kept = np.ones(len(rows), dtype=bool)
    if rows.others:
        kept = np.isin(np.arange(len(rows)), rows_with(rows.others, contexts))
    inside = (rows.indices >= 0).all(axis=1)
    rules, explained = _value_rules(table, system, kept & ~inside)
    return Configurations(system, rows.indices[kept & inside]), rules, int((kept & ~inside & ~explained).sum())


def _value_rules(table: TableSource, system: VariabilityModel, outside: Array) -> tuple[tuple[FailureRule, ...], Array]:
    """Return a rule for each value that the system lacks in these rows, and which rows have one."""
    titles, columns = table.body({})
    cells = [np.array([cell.strip() for cell in column]) for column in columns]
    options = [(system.spellings[title], at) for at, title in enumerate(titles) if title in system.spellings]
    groups, rules, explained = system.child_groups, list[FailureRule](), np.zeros(len(outside), dtype=bool)
    for name, at in options:
        values: dict[str, tuple[Array, str]] = {}
        if name in groups:
            known = child_texts(name, groups[name])
            further = {*cells[at][outside].tolist()} - {"", *known}
            values = {f"{name}={text}": (cells[at] == text, "") for text in sorted(further)}
        elif name in system.positions:
            option, numbers = system.option(name), parse_column(cells[at].tolist())
            for value in unlisted_values(option, numbers[outside]):
                levels = (*option.values, value) if isinstance(option, NumericOption) else ()
                constraint = outside_range((), name, (value, value), sorted(levels)) if levels else ""
                values[f"{name}={value:g}"] = numbers == value, constraint
        for condition, (having, constraint) in values.items():
            rows = np.flatnonzero(having & outside)
            count = len({tuple(cells[place][row] for _, place in options) for row in rows})
            rules.append(FailureRule(condition, constraint, len(rows), count))
            explained[rows] = True
    return tuple(rules), explained


def with_failures(measured: Measurements, files: Sequence[str], check: Check) -> Measurements:
    """Return measurements with the failures beside them: rows without any value, and the tables of failed runs.

    `check`: returns which configurations are valid; others are no failures of the system.
    """
    system = measured.system
    known = np.any([~np.isnan(values).all(axis=1) for values in measured.values.values()], axis=0)
    parts, sources = [Configurations(system, measured.configurations.indices[~known])], list[str]()
    never: tuple[FailureRule, ...] = ()
    for file in dict.fromkeys(failures_file(file) for file in files if file != STANDARD):
        if Path(file).is_file():
            part, rules, outside = read_failed_runs(read_source(file), system, measured.contexts)
            never += rules
            parts.append(part)
            sources.append(file)
            if outside:
                verb = plural(outside, "failed run has", "failed runs have")
                text = f"{verb} no values that can be read, and left out ({file})"
                notes = (*measured.report.notes, text)
                measured = replace(measured, report=replace(measured.report, notes=notes))
    runs = Configurations(system, np.concatenate([part.indices for part in parts]))
    runs, source = runs[check(runs)], sources[0] if sources else None
    failures = failures_of(runs, measured.configurations[known], source)
    if never:
        none = np.zeros(0, dtype=int)
        failures = failures or Failures(runs[none], none, (), none.astype(bool), source)
        failures = replace(failures, rules=(*never, *failures.rules))
    return replace(measured, failures=failures)


def failures_of(runs: Configurations, succeeded: Configurations, source: str | None = None) -> Failures | None:
    """Return the failures among runs that failed, None if each of their configurations has succeeded in another run."""
    first, group = runs.groups()
    every = runs[first]
    never = Configurations(every.system, succeeded.indices).find(every) < 0
    if not never.any():
        return None
    counts = np.bincount(group, minlength=len(first))[never]
    failed = Configurations(every.system, every.indices[never])
    rules, explained = failure_rules(every.system, Configurations(every.system, succeeded.indices), failed, counts)
    return Failures(failed, counts, rules, explained, source)


def failures_object(failures: Failures) -> dict[str, Any]:
    """Return failures in JSON's types, as the file of a model keeps them."""
    columns = {name: values.tolist() for name, values in failures.configurations.to_columns().items()}
    runs = {"runs": failures.runs.tolist(), "explained": failures.explained.tolist()}
    return {"configurations": columns, **runs, "rules": plain_values(failures.rules)}


def failures_of_object(content: Any, system: VariabilityModel) -> Failures | None:
    """Return the failures that the file of a model states; None if it states none, or damaged ones."""
    with suppress(SplcError, KeyError, TypeError, ValueError, AttributeError):
        columns = {name: np.array(values, dtype=float) for name, values in content["configurations"].items()}
        failed = Configurations.from_columns(system, columns)
        rules = tuple(FailureRule(**rule) for rule in content["rules"])
        runs, explained = np.array(content["runs"], dtype=int), np.array(content["explained"], dtype=bool)
        failures = Failures(failed, runs, rules, explained)
        # Constraints that cannot be read are damaged, too.
        return failures if len(runs) == len(explained) == len(failed) and failures.constraints is not None else None
    return None
