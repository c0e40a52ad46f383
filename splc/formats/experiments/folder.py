"""Experiments in folders with a file per run, and the parameters in the names of folders or files.

The files are CUBE profiles, or CSV tables without columns of parameters.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from splc.data.experiment import Experiment
from splc.errors import InputError, Problem, Problems, SplcError, listed, plural
from splc.formats.column_choice import ColumnChoice
from splc.formats.experiments.csv import parse_experiments_csv
from splc.formats.experiments.cube import Scaling, read_cube_profile
from splc.formats.experiments.point_names import NamedPoints, named_points
from splc.formats.experiments.rows import ExperimentRows
from splc.io.files import Source, read_source, sha256_of

CUBE, CSV = ".cubex", ".csv"
# Levels of folders that are searched: `p8/n64/r1/profile.cubex`.
_LEVELS = 4


def is_cube(path: Path) -> bool:
    """Return whether a file is a CUBE profile, or a folder has some."""
    return bool(_files_below(path, CUBE)) if path.is_dir() else path.suffix == CUBE


def parse_cube_folder(path: Path, scaling: Scaling, *, inclusive: bool) -> Experiment:
    """Return the experiment in a folder of profiles; profiles of the same point are repetitions."""
    runs = _runs(path, CUBE)
    profiles, hashes = _read_files(runs, lambda file, _: read_cube_profile(file, scaling, inclusive=inclusive))
    rows = ExperimentRows(_source(path, runs, hashes), runs.points.parameters)
    skipped: Counter[str] = Counter()
    reasons: dict[str, str] = {}
    for point, profile in zip(runs.points.points, profiles, strict=True):
        point_index = rows.point(point)
        reasons |= profile.skipped
        skipped.update(profile.skipped.keys())
        for (callpath, metric), value in profile.values.items():
            rows.add(point_index, callpath, metric, [value])
    # A series of another profile whose call path is in this one, without a value.
    for callpath, metric in dict.fromkeys(key for profile in profiles for key in profile.values):
        for point, profile in zip(runs.points.points, profiles, strict=True):
            if profile.is_zero(callpath, metric):
                rows.add(rows.point(point), callpath, metric, [0.0])
    return rows.experiment(_notes(len(profiles), scaling, skipped, reasons))


def parse_csv_folder(path: Path, parameters: Sequence[str] | None, choice: ColumnChoice) -> Experiment:
    """Return the experiment in a folder of tables without columns of the parameters that are in their names."""
    runs = _runs(path, CSV)
    names = [*runs.points.parameters, *(parameters or ())]

    def parsed(file: Path, point: Sequence[float]) -> Experiment:
        added = dict(zip(runs.points.parameters, point, strict=True))
        return parse_experiments_csv(read_source(file), names, choice, (), added)[0]

    tables, hashes = _read_files(runs, parsed)
    first = tables[0].contexts
    for table, file in zip(tables, runs.files, strict=True):
        if table.contexts != first:
            message = f"contexts differ from those of {runs.files[0]}: {dict(table.contexts)} and {dict(first)}"
            hint = "select one with --where, or leave the column out with --ignore"
            raise InputError(Problem(message, str(file), hint=hint))
    rows = ExperimentRows(_source(path, runs, hashes), names)
    for table in tables:
        for (callpath, metric), values in table.series.items():
            for point, row in zip(table.points.tolist(), values, strict=True):
                rows.add(rows.point(point), callpath, metric, row[~np.isnan(row)].tolist())
    note = f"{plural(len(tables), 'table', 'tables')}; from their names: {listed(runs.points.parameters)}"
    return replace(rows.experiment([note]), contexts=first)


@dataclass(frozen=True)
class _Runs:
    """Files of runs with their names and points."""

    files: Sequence[Path]
    names: Sequence[str]
    points: NamedPoints


def _runs(path: Path, suffix: str) -> _Runs:
    """Return the files of a folder, or a single file, with the points in their names."""
    files = _files_below(path, suffix) if path.is_dir() else [path]
    if not files:
        hint = "collect the files of all runs in one folder: runs/app.p8.r1/profile.cubex, or runs/p8.csv"
        raise InputError(
            Problem(f"there are no profiles (*{CUBE}) or tables (*{CSV}) in the folder", str(path), hint=hint)
        )
    # The point of a single file may be in the name of its folder.
    base = (path if path.is_dir() else path.absolute().parent.parent).absolute()
    names = [file.absolute().relative_to(base).with_suffix("").as_posix() for file in files]
    return _Runs(files, names, named_points(names, str(path), by_folder=suffix == CUBE))


def _files_below(folder: Path, suffix: str) -> list[Path]:
    """Return the files in a folder and in those below it, without hidden ones, in the order of their names."""
    files: list[Path] = []
    level = [folder]
    try:
        for _ in range(_LEVELS):
            entries = [entry for directory in level for entry in directory.iterdir() if not entry.name.startswith(".")]
            files += [entry for entry in entries if entry.suffix == suffix and entry.is_file()]
            level = [entry for entry in entries if entry.is_dir()]
    except OSError as error:
        raise InputError(Problem(f"cannot be read: {error.strerror}", str(error.filename))) from None
    return sorted(files)


def _read_files(runs: _Runs, read: Callable[[Path, Sequence[float]], Any]) -> tuple[list[Any], list[str]]:
    """Return the content of each file and its hash; the problems of all files are reported together."""
    problems = Problems()
    contents, hashes = [], []
    for file, point in zip(runs.files, runs.points.points, strict=True):
        try:
            hashes.append(sha256_of(file.read_bytes()))
            contents.append(read(file, point))
        except OSError as error:
            problems.include(InputError(Problem(f"cannot be read: {error.strerror}", str(file))))
        except InputError as error:
            problems.include(error)
        except SplcError as error:
            raise error.at(str(file)) from None
    problems.raise_if_any(InputError)
    return contents, hashes


def _source(path: Path, runs: _Runs, hashes: Sequence[str]) -> Source:
    """Return a source whose hash is that of the list of all files."""
    listing = "".join(f"{file_hash}  {name}\n" for file_hash, name in zip(hashes, runs.names, strict=True))
    return Source(str(path), listing.encode("utf-8", "surrogateescape"))


def _notes(number: int, scaling: Scaling, skipped: Counter[str], reasons: dict[str, str]) -> Sequence[str]:
    aggregation = f"the {'sums' if scaling == 'strong' else 'means'} over processes and threads"
    if scaling == "weak_threaded":
        aggregation += " with a value other than 0"
    profiles = plural(number, "profile", "profiles")
    texts = [f"{profiles}; values are {aggregation} (--scaling {scaling})"]
    if absent := [f"{name} ({reasons[name]})" for name, count in skipped.items() if count == number]:
        texts.append(f"{plural(len(absent), 'metric is', 'metrics are')} not read: {listed(absent, 3)}")
    if partly := [f"{name} in {count} of {number}" for name, count in skipped.items() if count < number]:
        metric_count = plural(len(partly), "metric has", "metrics have")
        texts.append(f"{metric_count} no values in some profiles: {listed(partly, 3)}")
    return texts
