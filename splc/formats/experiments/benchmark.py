"""The output of benchmark tools as experiments: numeric options are parameters, benchmarks are call paths."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from splc.errors import InputError, Problem, listed
from splc.formats.benchmarks import folders
from splc.formats.benchmarks.table import TableSource, csv_source
from splc.formats.benchmarks.tools import benchmark_of, read_benchmark
from splc.formats.measurements.columns import ColumnChoice
from splc.formats.measurements.evidence import left_out
from splc.formats.measurements.file_columns import read_file_columns
from splc.io.files import Source, read_source
from splc.io.numbers import parse_column

CALLPATH = "callpath"


def is_benchmark_folder(place: Path) -> bool:
    """Return whether a folder has runs of Criterion, of Hydra or of perf stat; not a table of one run in each file."""
    if any(next(place.rglob(name), None) is not None for name in (folders.OVERRIDES, folders.BENCHMARK)):
        return True
    return any(benchmark_of(read_source(file)) is not None for file in folders.files_in(place)[:1])


def point_table(
    path: str | Path | Source, parameters: Sequence[str] | None, choice: ColumnChoice, metrics: Sequence[str]
) -> tuple[Source, Sequence[str] | None]:
    """Return the table of the output of a benchmark tool, and the columns that are parameters.

    Parameters are the numeric options with several values, and with a value in every row. The benchmark that a row is
    of, and its other options, are its call path, except columns that the user chose. Statistics beside a mean are left
    out. Tables whose format states no roles are returned as they are.

    `parameters`: the parameters that the user named, None if there are none.
    """
    source = read_benchmark(path)
    stated_roles = source.stated if isinstance(source, TableSource) else None
    if stated_roles is None:
        return source, parameters
    columns = _selected(read_file_columns(source).columns, choice.where)
    named_columns = {*choice.named, *choice.ignore, *choice.where, *(parameters or ()), *metrics}
    free_options = [name for name in stated_roles.options if name not in named_columns]
    factors = parameters or [name for name in free_options if _is_parameter(columns[name])]
    if not factors:
        hint = "the rows of one benchmark are selected with --where NAME=VALUE" if stated_roles.contexts else None
        message = f"no option is a number with several values and without gaps: {listed(stated_roles.options)}"
        raise InputError(Problem(message, source.name, hint=hint))
    unused = [name for name in free_options if name not in factors and _is_constant(columns[name])]
    kinds = [
        name for name in (*stated_roles.contexts, *free_options) if name not in (*named_columns, *factors, *unused)
    ]
    kinds = [name for name in kinds if not _is_constant(columns[name])]
    evident = {} if metrics else left_out({name: columns[name] for name in stated_roles.properties}, named_columns)
    retained = {name: cells for name, cells in columns.items() if name not in (*unused, *kinds, *evident)}
    if kinds:
        kind_rows = [
            ["" if not text else text if name in stated_roles.contexts else f"{name}={text}" for text in columns[name]]
            for name in kinds
        ]
        retained[CALLPATH] = [", ".join(filter(None, row)) for row in zip(*kind_rows, strict=True)]
    notes = (f"left out, with one value in all rows: {listed(unused)}",) if unused else ()
    return csv_source(source, [*retained], zip(*retained.values(), strict=True), notes=notes), factors


def _selected(columns: Mapping[str, Sequence[str]], filters: Mapping[str, str]) -> Mapping[str, Sequence[str]]:
    """Return the rows with these values of columns; a column that does not exist is reported where rows are read."""
    count = len(next(iter(columns.values()), ()))
    matching = [
        row
        for row in range(count)
        if all(columns[name][row].strip() == value.strip() for name, value in filters.items() if name in columns)
    ]
    return {name: [cells[row] for row in matching] for name, cells in columns.items()} if matching else columns


def _is_parameter(cells: Sequence[str]) -> bool:
    """Return whether an option is a number with several values, other than 0 and 1, and a value in every row."""
    values = set(parse_column(cells).tolist())
    return len(values) > 1 and not any(math.isnan(value) for value in values) and not values <= {0.0, 1.0}


def _is_constant(cells: Collection[str]) -> bool:
    return len({text.strip() for text in cells}) < 2
