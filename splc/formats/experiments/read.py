"""Readers of experiments in any format: files of Extra-P, CSV, benchmark tools, and folders with a file per run.

Of the output of benchmark tools, numeric options are parameters, and benchmarks are call paths. Files of runs are CUBE
profiles or CSV tables: `app.p8.n64.r1/profile.cubex` is a repetition of p = 8, n = 64. A parameter is a word and a
number (`x4`, `p=4`); `r1`, `rep1` and `run1` number repetitions. Parameters with the same value in all names are left
out (a program called `lulesh2`). Where the folders of profiles name the points, digits in the names of files are
ignored.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from splc.data.measurements import Experiment
from splc.errors import InputError, Problem, Problems, SpecError, SplcError, listed, plural, unknown_name_hint
from splc.formats import detect
from splc.formats.benchmarks.declaration import BENCHMARK, OVERRIDES, files_in
from splc.formats.benchmarks.tools import benchmark_of, read_benchmark
from splc.formats.column_choice import ColumnChoice, shown_value
from splc.formats.detect import KEYWORDS, ExperimentFormat
from splc.formats.experiments.extrap import SCALINGS, Scaling, read_cube_profile
from splc.formats.experiments.rows import ExperimentRows, parse_experiments_csv
from splc.formats.labels import left_out
from splc.formats.measurements.tables import read_file_columns
from splc.formats.table import TableSource
from splc.io.csv_rows import rows_with, texts_in
from splc.io.files import STANDARD, Source, read_source, sha256_of
from splc.io.json import parse_json
from splc.io.numbers import parse_column

_REPETITION = re.compile(r"(?:^|(?<=[./_-]))r(?:ep|un)?=?[0-9]+(?=$|[./_-])", re.IGNORECASE)
_NUMBER = r"[0-9]+(?:[.,][0-9]+)?"
_PAIR = re.compile(rf"(?<![^\W\d_])(?:([^\W\d_][^\W_]*)=([+-]?{_NUMBER}(?:[eE][+-]?[0-9]+)?)|([^\W\d_]+)({_NUMBER}))")
_DIGITS = re.compile(r"[0-9]+")
_EXAMPLE = "name each folder or file as app.p8.n64.r1: parameters with their values, and the number of the repetition"


NamedPoints = tuple[tuple[str, ...], tuple[tuple[float, ...], ...]]  # parameters, and the coordinates of each file


def named_points(names: Sequence[str], folder: str, *, by_folder: bool) -> NamedPoints:
    """Return the parameters and points of files from their paths inside of a folder, without suffixes."""
    problems, folders = Problems(folder), [name.rpartition("/")[0] for name in names]
    points = {tuple(match[0] for match in _PAIR.finditer(_without_repetition(path))) for path in folders}
    # Folders state the points if they have parameters, and differ in them or have one file each.
    differ = len(names) > 1 and (len(points) > 1 or len(set(folders)) == len(names))
    if by_folder and differ and () not in points:
        _check_files(names, folder)
        names = folders
    parsed = [_pairs(name, problems) for name in names]
    problems.raise_if_any(InputError)
    first, remainder = parsed[0]
    for name, (_, other_remainder) in zip(names, parsed, strict=True):
        if other_remainder != remainder:
            pair = f"{shown_value(names[0])} and {shown_value(name)}"
            hint = f"{_EXAMPLE}; keep profiles of other programs, versions and machines in other folders"
            message = f"names differ in more than parameters and repetitions: {pair}"
            raise InputError(Problem(message, folder, hint=hint))
    if not first:
        number = plural(len(names), "profile has", "profiles have")
        raise InputError(Problem(f"the names of {number} no parameter: {shown_value(names[0])}", folder, hint=_EXAMPLE))
    selected = tuple([name for name in first if len({values[name] for values, _ in parsed}) > 1] or first)
    return selected, tuple(tuple(values[name] for name in selected) for values, _ in parsed)


def _check_files(names: Sequence[str], folder: str) -> None:
    """Raise an error if names of files differ in more than digits, or in more than the repetition in one folder."""
    firsts: dict[str | None, tuple[str, str]] = {}
    for name in names:
        base, _, file_name = name.rpartition("/")
        base_name = _without_repetition(file_name)
        for key, text in ((None, _DIGITS.sub("0", base_name)), (base, base_name)):
            first_text, first_name = firsts.setdefault(key, (text, name))
            if first_text != text:
                pair = f"{shown_value(first_name)} and {shown_value(name)}"
                message = f"folders state the parameters, but names of files differ: {pair}"
                hint = "numbers in the names of files are ignored there: use one folder for each run, as app.p8.n64.r1"
                raise InputError(Problem(message, folder, hint=hint))


def _without_repetition(name: str) -> str:
    """Return a name without the number of the repetition, the last one that looks like one."""
    last = max(_REPETITION.finditer(name), key=re.Match.start, default=None)
    return name if last is None else name[: last.start()] + name[last.end() :]


def _pairs(name: str, problems: Problems) -> tuple[dict[str, float], str]:
    """Return parameter → value in a name, and the name without values and repetition."""
    name = _without_repetition(name)
    values: dict[str, float] = {}
    for match in _PAIR.finditer(name):
        parameter, value = match[1] or match[3], float((match[2] or match[4]).replace(",", "."))
        if not np.isfinite(value):
            problems.add(f"{shown_value(name)}: the value of {shown_value(parameter)} is too large")
        elif values.setdefault(parameter, value) != value:
            problems.add(f"{shown_value(name)}: the parameter {shown_value(parameter)} has two values")
    return values, _PAIR.sub(lambda match: f"<{match[1] or match[3]}>", name)


CUBE, CSV = ".cubex", ".csv"
_LEVELS = 4  # levels of folders that are searched: `p8/n64/r1/profile.cubex`


def parse_cube_folder(path: Path, scaling: Scaling, *, inclusive: bool) -> Experiment:
    """Return the experiment in a folder of profiles; profiles of the same point are repetitions."""
    (parameters, points), profiles, source = _read_runs(
        path, CUBE, lambda file, _: read_cube_profile(file, scaling, inclusive=inclusive)
    )
    rows, skipped, reasons = ExperimentRows(source, parameters), Counter[str](), dict[str, str]()
    for point, (_, profile) in zip(points, profiles, strict=True):
        reasons |= profile.skipped
        skipped.update(profile.skipped.keys())
        for key, value in profile.values.items():
            rows.add(point, key, [value])
    # A series of another profile whose call path is in this one, without a value, which means 0.
    for key in dict.fromkeys(key for _, profile in profiles for key in profile.values):
        for point, (_, profile) in zip(points, profiles, strict=True):
            if key[0] in profile.callpaths and key[1] in profile.additive and key not in profile.values:
                rows.add(point, key, [0.0])
    number, aggregation = len(profiles), f"the {'sums' if scaling == 'strong' else 'means'} over processes and threads"
    if scaling == "weak_threaded":
        aggregation += " with a value other than 0"
    notes = [f"{plural(number, 'profile', 'profiles')}; values are {aggregation} (--scaling {scaling})"]
    if absent := [f"{name} ({reasons[name]})" for name, count in skipped.items() if count == number]:
        notes.append(f"{plural(len(absent), 'metric is', 'metrics are')} not read: {listed(absent, 3)}")
    if partly := [f"{name} in {count} of {number}" for name, count in skipped.items() if count < number]:
        metric_count = plural(len(partly), "metric has", "metrics have")
        notes.append(f"{metric_count} no values in some profiles: {listed(partly, 3)}")
    return rows.experiment(notes)


def parse_csv_folder(path: Path, parameters: Sequence[str] | None, choice: ColumnChoice) -> Experiment:
    """Return the experiment in a folder of tables without columns of the parameters that are in their names."""

    def parsed(file: Path, point: Mapping[str, float]) -> Experiment:
        return parse_experiments_csv(read_source(file), [*point, *(parameters or ())], choice, (), point)[0]

    (names, _), tables, source = _read_runs(path, CSV, parsed)
    first_file, first = tables[0]
    rows = ExperimentRows(source, first.parameters)
    for file, table in tables:
        if table.contexts != first.contexts:
            message = f"contexts differ from those of {first_file}: {dict(table.contexts)} and {dict(first.contexts)}"
            hint = "select one with --where, or leave the column out with --ignore"
            raise InputError(Problem(message, str(file), hint=hint))
        for key, values in table.series.items():
            for point, row in zip(table.points.tolist(), values, strict=True):
                rows.add(point, key, row[~np.isnan(row)].tolist())
    note = f"{plural(len(tables), 'table', 'tables')}; from their names: {listed(names)}"
    return replace(rows.experiment([note]), contexts=first.contexts)


def _read_runs(
    path: Path, suffix: str, read: Callable[[Path, Mapping[str, float]], Any]
) -> tuple[NamedPoints, list[tuple[Path, Any]], Source]:
    """Return the points in the names of files, what `read` returns for each file, and a source that lists them all."""
    if not (files := _files_below(path, suffix) if path.is_dir() else [path]):
        hint = "collect the files of all runs in one folder: runs/app.p8.r1/profile.cubex, or runs/p8.csv"
        message = f"there are no profiles (*{CUBE}) or tables (*{CSV}) in the folder"
        raise InputError(Problem(message, str(path), hint=hint))
    # The point of a single file may be in the name of its folder.
    base = (path if path.is_dir() else path.absolute().parent.parent).absolute()
    names = [file.absolute().relative_to(base).with_suffix("").as_posix() for file in files]
    named = named_points(names, str(path), by_folder=suffix == CUBE)
    problems = Problems()
    contents, listing = [], ""
    for name, file, point in zip(names, files, named[1], strict=True):
        try:
            listing += f"{sha256_of(file.read_bytes())}  {name}\n"
            contents.append((file, read(file, dict(zip(named[0], point, strict=True)))))
        except OSError as error:
            problems.include(InputError(Problem(f"cannot be read: {error.strerror}", str(file))))
        except InputError as error:
            problems.include(error)
        except SplcError as error:
            raise error.at(str(file)) from None
    problems.raise_if_any(InputError)
    return named, contents, Source(str(path), listing.encode("utf-8", "surrogateescape"))


def _files_below(folder: Path, suffix: str) -> list[Path]:
    """Return the files in a folder and in those below it, without hidden ones, in the order of their names."""
    files: list[Path] = []
    entries = [folder]
    try:
        for _ in range(_LEVELS):
            inner = (entry for directory in entries if directory.is_dir() for entry in directory.iterdir())
            entries = [entry for entry in inner if not entry.name.startswith(".")]
            files += [entry for entry in entries if entry.suffix == suffix and entry.is_file()]
    except OSError as error:
        raise InputError(Problem(f"cannot be read: {error.strerror}", str(error.filename))) from None
    return sorted(files)


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
    """Read an experiment; the arguments are those of `read_experiments`."""
    (experiment,) = read_experiments(path, parameters, kind, **options)
    return experiment


def read_experiments(
    path: str | Path | Source,
    parameters: Sequence[str] | None = None,
    kind: ExperimentFormat | None = None,
    choice: ColumnChoice | None = None,
    *,
    metrics: Sequence[str] = (),
    scaling: Scaling | None = None,
    inclusive: bool = False,
) -> tuple[Experiment, ...]:
    """Read the experiments of a file or folder, one per value of the contexts in `choice.by`.

    `parameters`: the columns of a CSV that are parameters; None is by their place (see `rows`).
    """
    choice, file = choice or ColumnChoice(), None if isinstance(path, Source) or str(path) == STANDARD else Path(path)
    if file is not None and (_files_below(file, CUBE) if file.is_dir() else file.suffix == CUBE):
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
