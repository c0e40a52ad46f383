"""Configurations as a CSV table: one column per option, in model order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np

from splc.data.configurations import Configurations
from splc.errors import ConfigurationError, InputError, Problem
from splc.formats.detect import is_xml
from splc.formats.measurements.csv_table import exact_names, option_texts, read_option_table, read_raw, table_text
from splc.formats.measurements.group_columns import with_groups
from splc.io.files import Source, read_source, write_whole
from splc.io.numbers import column_texts
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
    raw = read_raw(source, system, separator, decimal_delimiter)
    table = read_option_table(source, system, raw, decimal_delimiter or ".")
    table.problems(source.name).raise_if_any(ConfigurationError)
    return Configurations(system, table.indices)


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
