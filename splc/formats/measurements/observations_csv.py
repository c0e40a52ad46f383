"""Observed variables as CSV: one row per configuration, or one per configuration and level.

    px,py,pz,nx,iterations          px,py,pz,nx,level,C,s
    1,1,1,10,8                      1,1,1,10,0,1000,6.4
    1,1,2,10,9                      1,1,1,10,1,500,14.496

A table with a column `level` gives one variable per column and level: `C_0`, `C_1`, …, and `level_0`, … (always 1).
The variables of a level are missing in configurations without that level, and a variable is missing where its field is
empty; a term with a missing variable contributes nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from splc.data.configurations import Configurations, describe_configuration
from splc.data.observations import Observed
from splc.errors import InputError, Problem, Problems, listed
from splc.formats.measurements.csv import read_option_table
from splc.formats.table import split_table
from splc.io.files import Source, read_source
from splc.io.numbers import not_a_number, parse_column
from splc.system.variability import VariabilityModel
from splc.types import Array

LEVEL = "level"
_MAX_LEVEL = 1000


@dataclass(frozen=True, eq=False)
class _Table:
    """The observations of one file: distinct configurations with their lines, and the columns of variables."""

    source: Source
    configurations: Configurations
    lines: Array
    columns: Mapping[str, Array]


def read_observed(paths: Sequence[str | Path], system: VariabilityModel) -> Configurations:
    """Read observed variables."""
    tables = [_table(read_source(path), system) for path in paths]
    if not tables:
        return Configurations(system, np.zeros((0, len(system.options)), dtype=np.uint8))
    first = tables[0]
    columns: dict[str, Array] = dict(first.columns)
    for table in tables[1:]:
        _require_same(first, table)
        _require_same(table, first)
        order = table.configurations.find(first.configurations)
        for name, values in table.columns.items():
            if name in columns:
                earlier = next(other.source.name for other in tables if name in other.columns)
                problem = Problem(f"the variable {name!r} is in {earlier} already", table.source.name)
                raise InputError(problem)
            columns[name] = values[order]
    model = replace(system, observed=tuple(columns))
    return Configurations(model, first.configurations.indices, Observed(columns, np.ones(len(first.lines), dtype=bool)))


def _table(source: Source, system: VariabilityModel) -> _Table:
    """Return the observations of one file."""
    table = read_option_table(split_table(source, system.spellings), system)
    problems = table.problems(source.name)
    names = [name for name in table.others if name != LEVEL]
    if not names:
        problems.add("there is no column for an observed variable")
    if not len(table.lines):
        problems.add("the file has no rows")
    values = {name: parse_column(table.others[name]) for name in names}
    for name, column in values.items():
        for row in np.flatnonzero(np.isnan(column)).tolist():
            text = table.others[name][row].strip()
            if text.casefold() not in ("", "nan"):
                problems.add(f"{name}: {text!r} {not_a_number(text)}", int(table.lines[row]))
    levels = None
    if LEVEL in table.others:
        levels = parse_column(table.others[LEVEL])
        # NaN fails every comparison, so it is wrong, too.
        for row in np.flatnonzero(~((levels >= 0) & (levels <= _MAX_LEVEL) & (levels == np.floor(levels)))).tolist():
            message = f"a level must be an integer from 0 to {_MAX_LEVEL}, not {table.others[LEVEL][row].strip()!r}"
            problems.add(message, int(table.lines[row]))
    problems.raise_if_any(InputError)
    rows = Configurations(system, table.indices)
    first, group = rows.groups()
    distinct = rows[first]
    level = np.zeros(len(rows), dtype=np.int64) if levels is None else levels.astype(np.int64)
    _require_complete(distinct, first, group, level, table.lines, problems, leveled=levels is not None)
    problems.raise_if_any(InputError)
    columns = values if levels is None else _by_level(values, group, level, len(distinct))
    if levels is None:
        columns = {name: column[first] for name, column in values.items()}
    for name in columns:
        if name in system.spellings:
            problems.add(f"the variable {name!r} has the name of an option", 1, hint="rename its column")
    problems.raise_if_any(InputError)
    return _Table(source, distinct, table.lines[first], columns)


def _require_complete(
    distinct: Configurations,
    first: Array,
    group: Array,
    level: Array,
    lines: Array,
    problems: Problems,
    *,
    leveled: bool,
) -> None:
    """Add problems for duplicate configurations (with levels: duplicate levels of one) and for missing levels."""
    width = int(level.max()) + 1
    cells = group * width + level
    _, earliest = np.unique(cells, return_index=True)
    again = np.setdiff1d(np.arange(len(cells)), earliest)
    by_cell = dict(zip(cells[earliest].tolist(), lines[earliest].tolist(), strict=True))
    for row in again.tolist():
        subject = f"level {level[row]} of this configuration" if leveled else "this configuration"
        problems.add(f"{subject} is in line {by_cell[int(cells[row])]} already", int(lines[row]))
    present = np.zeros((len(distinct), width), dtype=bool)
    present[group, level] = True
    below = np.flip(np.maximum.accumulate(np.flip(present, axis=1), axis=1), axis=1)
    lacking = below & ~present
    for at in np.flatnonzero(lacking.any(axis=1)).tolist():
        missing = listed([str(level) for level in np.flatnonzero(lacking[at]).tolist()])
        text = describe_configuration(distinct, at)
        message = f"{text}: rows of level {missing} are missing, but there are rows of higher levels"
        problems.add(message, int(lines[first[at]]))


def _by_level(values: Mapping[str, Array], group: Array, level: Array, count: int) -> dict[str, Array]:
    """Return one column per variable and level, NaN for configurations without the level."""
    width = int(level.max()) + 1
    present = np.full((count, width), np.nan)
    present[group, level] = 1.0
    tables = {LEVEL: present}
    for name, column in values.items():
        tables[name] = np.full((count, width), np.nan)
        tables[name][group, level] = column
    return {f"{name}_{level}": table[:, level] for name, table in tables.items() for level in range(width)}


def _require_same(first: _Table, other: _Table) -> None:
    """Raise an error for configurations of one file that another file does not have."""
    missing = np.flatnonzero(other.configurations.find(first.configurations) < 0)
    if len(missing):
        problems = Problems(first.source.name)
        for at in missing.tolist():
            text = describe_configuration(first.configurations, at)
            problems.add(f"{text}: {other.source.name} has no row of this configuration", int(first.lines[at]))
        problems.raise_if_any(InputError)
