"""Populations from files: the configurations that a random design draws from instead of the whole space."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from splc.data.configurations import Configurations
from splc.errors import ConfigurationError, InputError, Problems
from splc.io.csv_rows import SEPARATORS, split_rows
from splc.io.files import read_source
from splc.io.numbers import parse_column
from splc.system.options import BinaryOption
from splc.system.variability import ENABLED, VariabilityModel
from splc.types import Array

_TRUTH = {"true": "1", "false": "0"}


def read_population(path: str, system: VariabilityModel, only: str | None = None) -> Configurations:
    """Read configurations from a CSV table with one column per option, in the order of its rows.

    Columns with other names are ignored, so that the tables of `splc sample`, of `splc measure` and of SPL Conqueror's
    `printconfigs` can be read. Options that do not matter and have no column get their first value.

    `only`: the kind of options that matter, `binary` (with the switches of optional numeric ones) or `numeric`; None
    for both.
    """
    source = read_source(path)
    first = source.text().partition("\n")[0]
    separator = max(SEPARATORS, key=lambda mark: sum(cell.strip() in system.spellings for cell in first.split(mark)))
    rows, lines = split_rows(source, separator, lambda row: any(cell.strip() for cell in row))
    header = [cell.strip() for cell in rows[0]]
    while header and not header[-1]:
        header.pop()
    problems = Problems(source.name)
    for row, line in zip(rows, lines, strict=True):
        if len(row) < len(header) or any(cell.strip() for cell in row[len(header) :]):
            problems.add(f"{len(row)} fields, but the header has {len(header)}", line)
    problems.raise_if_any(InputError)
    columns = {name: _column([row[column].strip() for row in rows[1:]]) for column, name in enumerate(header)}
    named = {system.spellings.get(name, name): name for name in header}
    for option in system.options:
        off = np.zeros(len(rows) - 1, dtype=bool)
        binary = isinstance(option, BinaryOption)
        if not binary and ENABLED + option.name in named:
            off = columns[named[ENABLED + option.name]] == 0
        if option.name in named:
            if off.any():
                columns[named[option.name]] = np.where(off, np.nan, columns[named[option.name]])
        elif only is not None and (only == "numeric") == binary:
            columns[option.name] = np.where(off, np.nan, 0.0 if isinstance(option, BinaryOption) else option.values[0])
    try:
        return Configurations.from_frame(system, columns)
    except ConfigurationError as error:
        raise error.at(source.name) from None


def _column(texts: Sequence[str]) -> Array:
    """Return the numbers of a column (1 and 0 for true and false), or its texts where one is not a number."""
    numbers = parse_column([_TRUTH.get(text.casefold(), text) for text in texts])
    missing = np.array([text.casefold() in ("", "nan") for text in texts], dtype=bool)
    return numbers if (np.isnan(numbers) <= missing).all() else np.array(texts, dtype=object)
