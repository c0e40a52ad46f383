"""Readers of experiments in any format: files of Extra-P, CSV, folders of CUBE profiles or CSV, and benchmark tools.

Of the output of benchmark tools, numeric options are parameters, and benchmarks are call paths.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

from splc.data.measurements import Experiment
from splc.errors import InputError, Problem, SpecError, listed, unknown_name_hint
from splc.formats import detect
from splc.formats.benchmarks.declaration import BENCHMARK, OVERRIDES, files_in
from splc.formats.benchmarks.tools import benchmark_of, read_benchmark
from splc.formats.column_choice import ColumnChoice
from splc.formats.detect import KEYWORDS, ExperimentFormat
from splc.formats.experiments.folder import SCALINGS, Scaling, is_cube, parse_csv_folder, parse_cube_folder
from splc.formats.experiments.rows import parse_experiments_csv
from splc.formats.labels import left_out
from splc.formats.measurements.tables import read_file_columns
from splc.formats.table import TableSource
from splc.io.csv_rows import rows_with, texts_in
from splc.io.files import STANDARD, Source, read_source
from splc.io.json import parse_json
from splc.io.numbers import parse_column


def _of_benchmark(
    path: str | Path | Source, parameters: Sequence[str] | None, choice: ColumnChoice, metrics: Sequence[str]
) -> tuple[Experiment, ...]:
    """Return the experiments in the output of a benchmark tool.

    Parameters are the numeric options with several values, and with a value in every row. The benchmark of a row and
    its other options are its call path, except columns that the user chose.
    """
    source = read_benchmark(path)
    if (stated_roles := source.stated if isinstance(source, TableSource) else None) is None:
        return parse_experiments_csv(source, parameters, choice, metrics)
    columns = read_file_columns(source).columns
    # A column that does not exist, or lacks the value, is reported where rows are read.
    if len(rows := rows_with(columns, choice.where)):
        columns = {name: [*texts_in(cells, rows)] for name, cells in columns.items()}
    named_columns = {*choice.named, *choice.ignore, *choice.where, *(parameters or ()), *metrics}
    free_options = [name for name in stated_roles.options if name not in named_columns]
    values = {name: set(parse_column(columns[name]).tolist()) for name in free_options}
    # Numbers with several values, other than 0 and 1, and a value in every row.
    numeric = [name for name in free_options if len(values[name]) > 1 and not any(map(math.isnan, values[name]))]
    if not (factors := parameters or [name for name in numeric if not values[name] <= {0.0, 1.0}]):
        hint = "the rows of one benchmark are selected with --where NAME=VALUE" if stated_roles.contexts else None
        message = f"no option is a number with several values and without gaps: {listed(stated_roles.options)}"
        raise InputError(Problem(message, source.name, hint=hint))
    unused = [name for name in free_options if name not in factors and _is_constant(columns[name])]
    chosen = {*named_columns, *factors, *unused}
    kinds = [name for name in (*stated_roles.contexts, *free_options) if name not in chosen]
    kinds = [name for name in kinds if not _is_constant(columns[name])]
    evident = {} if metrics else left_out({name: columns[name] for name in stated_roles.properties}, named_columns)
    retained = {name: cells for name, cells in columns.items() if name not in (*unused, *kinds, *evident)}
    if kinds:
        marks = ["" if name in stated_roles.contexts else f"{name}=" for name in kinds]
        texts = ([text and mark + text for text in columns[name]] for name, mark in zip(kinds, marks, strict=True))
        retained["callpath"] = [", ".join(filter(None, row)) for row in zip(*texts, strict=True)]
    notes = (f"left out, with one value in all rows: {listed(unused)}",) if unused else ()
    table = TableSource.of_rows(source, [*retained], zip(*retained.values(), strict=True), notes=notes)
    return parse_experiments_csv(table, factors, choice, metrics)


def _is_constant(cells: Collection[str]) -> bool:
    return len({text.strip() for text in cells}) < 2


def read_experiment(
    path: str | Path | Source,
    parameters: Sequence[str] | None = None,
    kind: ExperimentFormat | None = None,
    **options: Any,
) -> Experiment:
    """Read an experiment; `parameters`: the columns of a CSV that are parameters; None is by their place (`rows`)."""
    (experiment,) = read_experiments(path, parameters, kind, ColumnChoice(), **options)
    return experiment


def read_experiments(
    path: str | Path | Source,
    parameters: Sequence[str] | None,
    kind: ExperimentFormat | None,
    choice: ColumnChoice,
    *,
    metrics: Sequence[str] = (),
    scaling: Scaling | None = None,
    inclusive: bool = False,
) -> tuple[Experiment, ...]:
    """Read the experiments of a file or folder, one per value of the contexts in `choice.by`. See `read_experiment`."""
    file = None if isinstance(path, Source) or str(path) == STANDARD else Path(path)
    if file is not None and is_cube(file):
        if scaling is not None and scaling not in SCALINGS:
            raise SpecError(f"unknown scaling {scaling!r}", hint=unknown_name_hint(scaling, SCALINGS))
        _require_no_columns("CUBE", str(path), parameters, choice)
        return (parse_cube_folder(file, scaling or "weak", inclusive=inclusive),)
    if scaling is not None:
        hint = "CUBE profiles have values of every process, other files do not"
        raise SpecError("the scaling can be chosen for folders of CUBE profiles only", hint=hint)
    if file is not None and file.is_dir():
        # A folder may also have a table of one run in each file.
        has_runs = any(next(file.rglob(name), None) for name in (OVERRIDES, BENCHMARK))
        if has_runs or any(benchmark_of(read_source(each)) for each in files_in(file)[:1]):
            return _of_benchmark(path, parameters, choice, metrics)
        if choice.by:
            raise SpecError("a folder of tables is not split by a context", hint="write one table for all runs")
        return (parse_csv_folder(file, parameters, choice),)
    source = path if isinstance(path, Source) else read_source(path)
    format_names = [registered.name for registered in detect.formats_of("experiment")]
    if kind is not None and kind not in format_names:
        raise SpecError(f"unknown format {kind!r}", hint=unknown_name_hint(kind, format_names))
    if kind is None and benchmark_of(source) is not None:
        return _of_benchmark(source, parameters, choice, metrics)
    if not source.data.strip():
        raise InputError(Problem("the file is empty", source.name))
    form = detect.format_of("experiment", source) if kind is None else detect.format_named("experiment", kind)
    if form is None:
        first = next((line for line in source.text().splitlines() if line.strip()), "")
        message = "the format of this file is not known: it should have measurements at points of parameters"
        known = "Extra-P's text, JSON, JSON lines and .extra-p, CSV with a header, folders of CUBE profiles"
        hint = f"known are {known}, and the output of benchmark tools"
        raise InputError(Problem(message, source.name, 1, text=first[:200], hint=hint))
    if form.name == "csv":
        return parse_experiments_csv(source, parameters, choice, metrics)
    _require_no_columns(form.name, source.name, parameters, choice)
    experiment: Experiment = form.read(source)
    return (experiment,)


def is_profile(source: Source) -> bool:
    """Return whether a file is a profile of call paths, not a model or a table."""
    form = detect.format_of("experiment", source)
    # Any table is CSV: it may be measurements of configurations.
    if form is None or form.name == "csv":
        return False
    if form.name == "text":
        # A similar word may be the name of an option.
        return not {*source.text().split()}.isdisjoint(KEYWORDS)
    if form.name not in ("json", "jsonl"):
        return True
    text = source.text().strip()
    content = parse_json(text if form.name == "json" else text.splitlines()[0])
    return not (isinstance(content, dict) and str(content.get("schema", "")).startswith("splc."))


def _require_no_columns(form: str, file: str, parameters: Sequence[str] | None, choice: ColumnChoice) -> None:
    """Raise an error if columns are named for a file that has none."""
    if choice.required:
        hint = "only a CSV has contexts and columns to ignore"
        raise SpecError(Problem(f"the file is {form} and has no column {choice.required[0]!r}", file, hint=hint))
    if parameters is not None:
        hint = "only a CSV needs the columns that are parameters"
        raise SpecError(Problem(f"the file is {form} and names its parameters itself", file, hint=hint))
