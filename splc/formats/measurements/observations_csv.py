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
        _require_same(first, table)
        _require_same(table, first)
        order = table.configurations.find(first.configurations)
        for name, values in table.columns.items():
            if name in columns:
                raise InputError(Problem(f"the variable {name!r} is in {file_of[name]} already", table.file))
            columns[name], file_of[name] = values[order], table.file
    model = replace(system, observed=tuple(columns))
    return Configurations(model, first.configurations.indices, Observed(columns, np.ones(len(first.lines), dtype=bool)))


def _table(source: Source, system: VariabilityModel) -> _Table:
    """Return the observations of one file."""
    table = read_option_table(split_table(source, system.spellings), system)
    problems = table.problems(source.name)
    texts = {name: cells for name, cells in table.others.items() if name != LEVEL}
    if not texts:
        problems.add("there is no column for an observed variable")
    if not len(table.lines):
        problems.add("the file has no rows")
    values = {name: parse_column(cells) for name, cells in texts.items()}
    for name, column in values.items():
        for row in np.flatnonzero(np.isnan(column)).tolist():
            text = texts[name][row].strip()
            if text.casefold() not in ("", "nan"):
                problems.add(f"{name}: {text!r} {not_a_number(text)}", int(table.lines[row]))
    level, is_leveled = np.zeros(len(table)), LEVEL in table.others
    if is_leveled:
        level = parse_column(table.others[LEVEL])
        # NaN fails every comparison, so it is wrong, too.
        for row in np.flatnonzero(~((level >= 0) & (level <= _MAX_LEVEL) & (level == np.floor(level)))).tolist():
            message = f"a level must be an integer from 0 to {_MAX_LEVEL}, not {table.others[LEVEL][row].strip()!r}"
            problems.add(message, int(table.lines[row]))
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
        earlier = table.lines[places.reshape(-1)[cells[row]]]
        problems.add(f"{subject} is in line {earlier} already", int(table.lines[row]))
    lacking = np.maximum.accumulate(places[:, ::-1] >= 0, axis=1)[:, ::-1] & (places < 0)
    for at in np.flatnonzero(lacking.any(axis=1)).tolist():
        missing = listed([str(level) for level in np.flatnonzero(lacking[at]).tolist()])
        text = describe_configuration(rows, int(first[at]))
        message = f"{text}: rows of level {missing} are missing, but there are rows of higher levels"
        problems.add(message, int(table.lines[first[at]]))
    problems.raise_if_any(InputError)
    columns = {name: column[first] for name, column in values.items()}
    if is_leveled:
        every = {LEVEL: np.ones(len(rows))} | values
        filled = {name: np.where(places >= 0, column[places], np.nan) for name, column in every.items()}
        columns = {f"{name}_{at}": cells[:, at] for name, cells in filled.items() for at in range(places.shape[1])}
    for name in columns:
        if name in system.spellings:
            problems.add(f"the variable {name!r} has the name of an option", 1, hint="rename its column")
    problems.raise_if_any(InputError)
    return _Table(source.name, rows[first], table.lines[first], columns)


def _require_same(first: _Table, other: _Table) -> None:
    """Raise an error for configurations of one file that another file does not have."""
    problems = Problems(first.file)
    for at in np.flatnonzero(other.configurations.find(first.configurations) < 0).tolist():
        text = describe_configuration(first.configurations, at)
        problems.add(f"{text}: {other.file} has no row of this configuration", int(first.lines[at]))
    problems.raise_if_any(InputError)
