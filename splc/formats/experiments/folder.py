"""Experiments in folders with a file per run, and the parameters in the names of folders or files.

The files are CUBE4 profiles (`.cubex`, of Score-P and Scalasca, read with the library pycubexr of the extra `cube`), or
CSV tables: `app.p8.n64.r1/profile.cubex` is a repetition of p = 8, n = 64. A parameter is a word and a number (`x4`,
`p=4`); `r1`, `rep1` and `run1` number repetitions. Parameters with the same value in all names are left out (a program
called `lulesh2`). Where the folders of profiles name the points, digits in the names of files are ignored.
"""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

from splc.data.measurements import Experiment, Key
from splc.errors import InputError, Problem, Problems, SpecError, SplcError, listed, plural
from splc.formats.column_choice import ColumnChoice, shown_value
from splc.formats.experiments.rows import ExperimentRows, parse_experiments_csv
from splc.io.files import Source, read_source, sha256_of
from splc.types import Array

Scaling = Literal["weak", "weak_threaded", "strong"]
SCALINGS = ("weak", "weak_threaded", "strong")
SEPARATOR = "->"
_ROUNDING = 1e-12  # differences of sums below this share of them are rounding errors
_LARGEST = np.finfo(float).max
# Kinds of values that are combined by their minimum or maximum.
_EXTREMES = {"MINDOUBLE": np.fmin, "MAXDOUBLE": np.fmax}


@dataclass(frozen=True)
class CubeProfile:
    """The values of one run."""

    values: Mapping[Key, float]  # (call path, metric) → the value, over all processes and threads
    callpaths: frozenset[str]  # all call paths
    additive: frozenset[str]  # the metrics whose values are sums: call paths without a value in the file have 0
    skipped: Mapping[str, str] = field(default_factory=dict)  # metric → the reason why it is not read


def read_cube_profile(path: Path, scaling: Scaling = "weak", *, inclusive: bool = False) -> CubeProfile:
    """Read a profile."""
    try:
        from pycubexr import CubexParser
        from pycubexr.utils.exceptions import MissingMetricError, UnsupportedMetricFormatError
    except ImportError:
        hint = "install it with: pip install 'splc[cube]'"
        raise SpecError("CUBE profiles (.cubex) need the library pycubexr", hint=hint) from None
    values, skipped, additive = dict[Key, float](), dict[str, str](), set[str]()
    parser = CubexParser(str(path))
    try:
        with warnings.catch_warnings(), parser:
            # The library warns about checksums that one version of the writer computes wrongly.
            warnings.simplefilter("ignore")
            nodes = _Nodes(parser)
            for metric in parser.all_metrics():
                try:
                    metric_values = parser.get_metric_values(metric, cache=False)
                    table = np.asarray(metric_values.values.astype(float))
                    if table.ndim != 1:
                        raise NotImplementedError
                except MissingMetricError:
                    skipped[metric.name] = "no values in the file"
                except (UnsupportedMetricFormatError, NotImplementedError):
                    skipped[metric.name] = f"values of the type {metric.data_type}"
                else:
                    rows = metric_values.cnode_indices
                    table = table.reshape(len(rows), -1)
                    by_path = _values_by_path(nodes, metric, rows, table, scaling, inclusive)
                    values |= {(callpath, metric.name): value for callpath, value in by_path.items()}
                    additive |= set() if metric.data_type in _EXTREMES else {metric.name}
    except Exception:
        # The library does not check what it reads: damage is an error of any kind.
        values = {}
    finally:
        # The library does not close a damaged file.
        if (archive := getattr(parser, "_cubex_file", None)) is not None:
            archive.close()
    if not values:
        hint = "a CUBE4 profile is a tar archive with anchor.xml and the values of each metric; is the file complete?"
        raise InputError(Problem("the CUBE profile is damaged, or has no values", str(path), hint=hint))
    return CubeProfile(values, frozenset(nodes.paths), frozenset(additive), skipped)


class _Nodes:
    """The call tree of a profile: callers come before callees."""

    def __init__(self, parser: Any) -> None:
        self.paths, self.parents, self.positions = list[str](), list[int](), dict[int, int]()
        for node in parser.all_cnodes():
            parent = -1 if node.parent is None else self.positions[node.parent.id]
            name = node.region.name + "".join(f"({key}={value})" for key, value in node.parameters.items())
            self.paths.append(name if parent < 0 else f"{self.paths[parent]}{SEPARATOR}{name}")
            self.parents.append(parent)
            self.positions[node.id] = len(self.parents) - 1


def _values_by_path(
    nodes: _Nodes, metric: Any, rows: Mapping[int, int], table: Array, scaling: Scaling, inclusive: bool
) -> dict[str, float]:
    """Return call path → value of a metric; `rows`: id of a node → its row in the table of processes and threads."""
    at, parents = np.array([nodes.positions[node] for node in rows], dtype=np.int64), np.array(nodes.parents)
    extreme, by_path = _EXTREMES.get(metric.data_type), dict[str, float]()
    if extreme is not None:
        found = zip((nodes.paths[node] for node in at.tolist()), extreme.reduce(table, axis=1).tolist(), strict=True)
        # CUBE stores the largest number where there are no values.
        for path, value in ((path, value) for path, value in found if abs(value) < _LARGEST):
            by_path[path] = float(extreme(by_path.get(path, value), value))
        return by_path
    # Sums and means of differences are differences of sums and means; only idle threads need all columns.
    if scaling != "weak_threaded":
        table = table.sum(axis=1, keepdims=True) if scaling == "strong" else table.mean(axis=1, keepdims=True)
    exclusive = np.zeros((len(parents), table.shape[1]))
    exclusive[at] = table
    if metric.metric_type == "INCLUSIVE" and not inclusive:
        child_nodes = at[parents[at] >= 0]
        totals = exclusive.copy()
        np.subtract.at(exclusive, parents[child_nodes], totals[child_nodes])
        exclusive[np.abs(exclusive) <= _ROUNDING * np.abs(totals)] = 0.0
    elif metric.metric_type == "EXCLUSIVE" and inclusive:
        present = np.isin(np.arange(len(parents)), at)
        for node in range(len(parents) - 1, -1, -1):
            if parents[node] >= 0:
                exclusive[parents[node]] += exclusive[node]
                present[parents[node]] |= present[node]
        at = np.flatnonzero(present)
    sums: dict[str, Array] = {}  # calls of one function from several places of another one have the same path
    for node in at.tolist():
        path = nodes.paths[node]
        sums[path] = sums[path] + exclusive[node] if path in sums else exclusive[node]
    return {path: float(path_sums.sum() / max(np.count_nonzero(path_sums), 1)) for path, path_sums in sums.items()}


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


def is_cube(path: Path) -> bool:
    """Return whether a file is a CUBE profile, or a folder has some."""
    return bool(_files_below(path, CUBE)) if path.is_dir() else path.suffix == CUBE


def parse_cube_folder(path: Path, scaling: Scaling, *, inclusive: bool) -> Experiment:
    """Return the experiment in a folder of profiles; profiles of the same point are repetitions."""

    def parsed(file: Path, _: object) -> CubeProfile:
        return read_cube_profile(file, scaling, inclusive=inclusive)

    (parameters, points), profiles, source = _read_runs(path, CUBE, parsed)
    rows, skipped, reasons = ExperimentRows(source, parameters), Counter[str](), dict[str, str]()
    for point, (_, profile) in zip(points, profiles, strict=True):
        reasons |= profile.skipped
        skipped.update(profile.skipped.keys())
        for key, value in profile.values.items():
            rows.add(rows.point(point), key, [value])
    # A series of another profile whose call path is in this one, without a value, which means 0.
    for key in dict.fromkeys(key for _, profile in profiles for key in profile.values):
        for point, (_, profile) in zip(points, profiles, strict=True):
            if key[0] in profile.callpaths and key[1] in profile.additive and key not in profile.values:
                rows.add(rows.point(point), key, [0.0])
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
                rows.add(rows.point(point), key, row[~np.isnan(row)].tolist())
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
