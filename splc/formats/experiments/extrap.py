"""Experiments in Extra-P's formats: text, JSON lines, JSON, the archives of Extra-P 4, and CUBE4 profiles.

Text has one statement per line: `PARAMETER p n`, `POINTS (4 100) (8 100)`, `REGION main->solve`, `METRIC time`, and a
`DATA` with all repetitions for each point. A region or a metric applies until the next one. What follows `#` is a
comment, but in names. A `DATA` without values, a point without measurements, is our extension.

A line of JSON lines is `{"params": {"p": 4, "n": 100}, "callpath": "main->solve", "metric": "time", "value": 1.2}`.
JSON nests call paths, metrics and points: `{"parameters": ["p"], "measurements": {"main": {"time": [{"point": [4],
"values": [3]}]}}}`; archives (`.extra-p`) have `coordinates` for `point`. CUBE4 profiles (`.cubex`, of Score-P and
Scalasca) are read with the library pycubexr of the extra `cube`.
"""

from __future__ import annotations

import io
import json
import re
import warnings
import zipfile
import zlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

from splc.data.measurements import DEFAULT_METRIC, ROOT_CALLPATH, Experiment, Key
from splc.errors import InputError, OutputError, Problem, Problems, SpecError, listed, nearest, plural, shorten
from splc.formats.benchmarks.declaration import LINE_END, number, objects_of
from splc.formats.column_choice import shown_value
from splc.formats.detect import KEYWORDS, PARAMETERS, not_read
from splc.formats.experiments.rows import ExperimentRows, check_names, read_number
from splc.io.files import MAX_UNPACKED, Source
from splc.io.json import mismatches, parse_json
from splc.io.numbers import number_text
from splc.types import Array

_NAME = re.compile(r"[^\r\n\0\ud800-\udfff]+")
_COMMENT = re.compile(r"(?:^|\s)#.*", re.DOTALL)
_PIECE = re.compile(r"\(([^()]*)\)|([^()\s]+)|([()])")
_HINTS = 20  # similar names are searched only for as many messages as are shown, since that takes time
_NOTED = 5


def parse_experiment_text(source: Source) -> Experiment:
    """Return the experiment of a file in Extra-P's text format; problems of all statements are reported together."""
    problems, parameters = Problems(source.name), dict[str, None]()
    # The current region and metric, and the line where each was named first.
    current, named = {"REGION": "", "METRIC": DEFAULT_METRIC}, dict[Key, int]()
    # Coordinates, line, and whether they were in parentheses, which are optional for one parameter.
    points = list[tuple[list[float], int, bool]]()
    # The first line of the data of a region and metric, and the repetitions of each point; those of the current one.
    blocks, rows, is_new = dict[Key, tuple[int, list[list[float]]]](), list[list[float]](), True
    for line, text in enumerate(map(str.strip, LINE_END.split(source.text())), start=1):
        if not text or text.startswith("#"):
            continue
        keyword = re.split(r"[\s(]", text, maxsplit=1)[0]
        argument = text.removeprefix(keyword).strip()
        uncommented = _COMMENT.sub("", argument).strip()
        if keyword not in KEYWORDS:
            hint: str | None = f"the statements are {', '.join(KEYWORDS)}; comments begin with #"
            if len(problems) < _HINTS and len(keyword) < 2 * max(map(len, KEYWORDS)):
                hint = nearest(keyword, KEYWORDS) or hint
            problems.add(f"unknown statement {shown_value(keyword)}", line, text=text[:200], hint=hint)
        elif keyword == "DATA":
            region, metric = current["REGION"], current["METRIC"]
            if is_new and not region:
                problems.add("DATA before any REGION", line, hint="write REGION and a name before it")
            elif is_new and (region, metric) in blocks:
                message = f"REGION {region}, METRIC {metric} has data since line {blocks[region, metric][0]}"
                hint = "write all repetitions of a point after one DATA; is this another region or metric?"
                problems.add(message, line, hint=hint)
            if is_new:
                # A duplicate is read as well, to report its problems.
                is_new, rows = False, []
                blocks.setdefault((region, metric), (line, rows))
            rows.append([read_number(piece, problems, line=line) for piece in uncommented.split()])
        elif not (argument if keyword in current else uncommented):
            problems.add(f"{keyword} without {'coordinates' if keyword == 'POINTS' else 'a name'}", line)
        elif keyword == "PARAMETER":
            for name in uncommented.split():
                if name in parameters:
                    problems.add(f"duplicate parameter {shown_value(name)}", line)
                parameters[name] = None
        elif keyword == "POINTS":
            if blocks:
                problems.add("POINTS after DATA", line, hint="the points come first; every series has all of them")
            # `(4 100) (8 100)`, or `4 8`.
            pieces = _PIECE.findall(uncommented)
            for enclosed, loose, _ in (piece for piece in pieces if not piece[2]):
                values = [read_number(each, problems, line=line) for each in (loose or enclosed).split()]
                points.append((values, line, not loose))
            if any(parenthesis for *_, parenthesis in pieces):
                hint = "POINTS (4 100) (8 100)"
                problems.add("the parentheses do not match", line, text=uncommented, hint=hint)
        else:
            current[keyword], is_new = argument, True
            named.setdefault((keyword, argument), line)
    contents = {"PARAMETER": parameters, "POINTS": points, "DATA": blocks}
    for keyword in (keyword for keyword, content in contents.items() if not content):
        problems.add(f"there is no {keyword} in the file")
    wrong = [point for point in points if parameters and len(point[0]) != len(parameters)]
    # The first point of each line.
    for coordinates, line, enclosed in {point[1]: point for point in reversed(wrong)}.values():
        hint = None if enclosed else "write each point in parentheses: POINTS (4 100) (8 100)"
        problems.add(f"a point with {_sizes(coordinates, parameters)}", line, hint=hint)
    for (region, metric), (line, data) in blocks.items() if points else ():
        counts = f"{plural(len(data), 'line', 'lines')} of DATA, but {plural(len(points), 'point', 'points')}"
        if len(data) != len(points):
            hint = "write DATA without values for a point that was not measured" if len(data) < len(points) else None
            problems.add(f"REGION {region}, METRIC {metric}: {counts}", line, hint=hint)
    problems.raise_if_any(InputError)
    experiment = ExperimentRows(source, list(parameters))
    for key, (_, data) in blocks.items():
        for (coordinates, *_), values in zip(points, data, strict=True):
            experiment.add(coordinates, key, values)
    used = {*(("REGION", region) for region, _ in blocks), *(("METRIC", metric) for _, metric in blocks)}
    unused = [pair for pair in named.items() if pair[0] not in used]
    notes = [f"line {line}: {keyword} {name} has no DATA" for (keyword, name), line in unused[:_NOTED]]
    if len(unused) > _NOTED:
        notes.append(f"{len(unused) - _NOTED} more names have no DATA")
    if repeated := len(points) - len({tuple(coordinates) for coordinates, *_ in points}):
        notes.append(f"{plural(repeated, 'point is', 'points are')} equal to earlier ones: used as repetitions")
    return experiment.experiment(notes)


def _sizes(coordinates: Sequence[Any], parameters: Collection[str]) -> str:
    """Return the number of coordinates of a point, which has another number than there are parameters."""
    number = plural(len(parameters), "parameter", "parameters")
    found = plural(len(coordinates), "coordinate", "coordinates")
    return f"{found}, but there {'is' if len(parameters) == 1 else 'are'} {number}"


def experiment_text(experiment: Experiment) -> str:
    """Return an experiment in Extra-P's text format; points without a value get a `DATA` without values."""
    invalid = [name for name in experiment.parameters if name.split() != [name] or name.startswith("#")]
    invalid += [name for key in experiment.series for name in key if name != name.strip() or not _NAME.fullmatch(name)]
    if invalid:
        hint = "rename it, or write JSON lines"
        raise OutputError(f"the name {shown_value(invalid[0])} cannot be written in Extra-P's text format", hint=hint)
    lines = [f"PARAMETER {name}" for name in experiment.parameters]
    lines += [f"POINTS ({' '.join(map(number_text, point))})" for point in experiment.points.tolist()]
    for (callpath, metric), values in experiment.series.items():
        lines += ["", f"REGION {callpath}", f"METRIC {metric}"]
        for row, is_measured in zip(values, ~np.isnan(values), strict=True):
            lines.append(" ".join(["DATA", *map(number_text, row[is_measured].tolist())]))
    return "\n".join(lines) + "\n"


_EXAMPLE = '{"params": {"x": 4}, "value": 1.2}'  # a line of JSON lines
_KEYS = (*PARAMETERS, "callpath", "metric", "value")


def parse_experiment_lines(source: Source) -> Experiment:
    """Return the experiment of a file of JSON lines; the problems of all lines are reported together."""
    problems, rows, ignored = Problems(source.name), None, dict[str, None]()
    for line, entry in objects_of(source, problems, f"write {_EXAMPLE}"):
        ignored.update(dict.fromkeys(key for key in entry if key not in _KEYS))
        stated = [entry[key] for key in PARAMETERS if key in entry]
        point = None
        if len(stated) != 1 or not isinstance(stated[0], dict) or not stated[0]:
            message = "both 'params' and 'parameters'" if len(stated) > 1 else "no parameters"
            problems.add(message, line, hint=f"write {_EXAMPLE}")
        else:
            if rows is None:
                check_names([*stated[0]], problems, line)
                rows = ExperimentRows(source, [*stated[0]])
            known, given = dict.fromkeys(rows.parameters), stated[0]
            for name in (name for name in known if name not in given):
                problems.add(f"the parameter {shown_value(name)} has no value", line)
            for name in (name for name in given if name not in known):
                close = nearest(name, known) if len(problems) < _HINTS and len(name) < 100 else None
                hint = close or f"the parameters of the first line are {listed([*known])}"
                problems.add(f"{shown_value(name)} is not a parameter of the first line", line, hint=hint)
            if given.keys() == known.keys():
                point = [read_number(given[name], problems, name, line) for name in known]
        key = entry.get("callpath", ROOT_CALLPATH), entry.get("metric", DEFAULT_METRIC)
        for kind, name in zip(("callpath", "metric"), key, strict=True):
            if not isinstance(name, str) or not name:
                problems.add(f"{kind!r} must be a name", line)
        if "value" not in entry:
            problems.add("no 'value'", line, hint=f"write {_EXAMPLE}")
        content = entry.get("value")
        repetitions = content if isinstance(content, list) else [content]
        values = [read_number(value, problems, "value", line) for value in repetitions if value is not None]
        if rows is not None and point is not None and not len(problems):
            rows.add(point, key, values)
    problems.raise_if_any(InputError)
    if rows is None:
        raise InputError(Problem("there are no measurements in the file", source.name))
    return rows.experiment([f"not used: {listed(list(ignored))}"] if ignored else [])


def experiment_jsonl(experiment: Experiment) -> str:
    """Return an experiment as JSON lines, one line per point and series; points without a value get an empty list."""
    if not all(name for key in experiment.series for name in key):
        raise OutputError("a call path or a metric has no name")
    points = [
        json.dumps(dict(zip(experiment.parameters, map(_number, point), strict=True)), ensure_ascii=False)
        for point in experiment.points.tolist()
    ]
    lines = []
    for (callpath, metric), values in experiment.series.items():
        series_keys = json.dumps({"callpath": callpath, "metric": metric}, ensure_ascii=False)[1:-1]
        for point, row, is_measured in zip(points, values, ~np.isnan(values), strict=True):
            repetitions = [_number(value) for value in row[is_measured].tolist()]
            value = json.dumps(repetitions[0] if len(repetitions) == 1 else repetitions)
            lines.append(f'{{"params": {point}, {series_keys}, "value": {value}}}')
    return "\n".join(lines) + "\n"


def _number(value: float) -> int | float:
    return int(value) if value.is_integer() and abs(value) < 1e15 else value


_POINTS = ("point", "coordinates", "coordinate")  # the names of the coordinates of a point
_TYPES = {"parameters": [str], "measurements": dict[str, dict[str, list[dict[str, Any]]]]}
MEMBER = "experiment.json"


def parse_experiment_json(source: Source) -> Experiment:
    """Return the experiment of a JSON file of Extra-P 4; problems name the place as a path."""
    content = parse_json(source.text(), file=source.name)
    if not isinstance(content, dict):
        raise InputError(Problem("not an object", source.name))
    if "coordinates" in content and isinstance(content.get("measurements"), list):
        raise not_read("Extra-P 3", source)
    problems, means = Problems(source.name), 0
    for mismatch in mismatches(_TYPES, content):
        path = shorten(mismatch.path)
        problems.add(f"there is no {path!r}" if mismatch.missing else f"{path} must be {mismatch.expected}")
    problems.raise_if_any(InputError)
    names, measured = content["parameters"], content["measurements"]
    check_names(names, problems)
    rows = ExperimentRows(source, names)
    series = (((callpath, metric), points) for callpath, of in measured.items() for metric, points in of.items())
    for callpath, metrics in measured.items():
        if not callpath or "" in metrics:
            problems.add(f"measurements{f'.{shorten(callpath, 80)}' if callpath else ''}: a name is empty")
    for key, points in series:
        for at, entry in enumerate(points):
            place = f"measurements.{shorten(key[0], 80)}.{shorten(key[1], 80)}[{at}]"
            point = next((entry[name] for name in _POINTS if name in entry), None)
            point = point if isinstance(point, list) else None if number(point) is None else [point]
            if point is None:
                problems.add(f"{place}.point must be a list of coordinates")
                continue
            if len(point) != len(names):
                problems.add(f"{place}.point has {_sizes(point, names)}")
            coordinates = [read_number(value, problems, f"{place}.point[{at}]") for at, value in enumerate(point)]
            if not {"values", "value", "mean"} & entry.keys():
                problems.add(f"{place} has no 'values'")
            if (values := entry.get("values", entry.get("value"))) is None and "mean" in entry:
                values, means = entry["mean"], means + 1
            items = [*enumerate(values if isinstance(values, list) else [values])]
            read = [read_number(each, problems, f"{place}.values[{at}]") for at, each in items if each is not None]
            rows.add(coordinates, key, read)
    problems.raise_if_any(InputError)
    stated = plural(means, "value is the mean", "values are means")
    note = f"{stated} of repetitions that the file does not have: their scatter is unknown"
    return rows.experiment([note] if means else [])


def parse_experiment_archive(source: Source) -> Experiment:
    """Return the experiment of an archive of Extra-P; its models are ignored."""
    try:
        with zipfile.ZipFile(io.BytesIO(source.data)) as archive, archive.open(MEMBER) as member:
            content = member.read(MAX_UNPACKED + 1)
    except (KeyError, zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, ValueError):
        hint = f"an experiment of Extra-P 4 has a member {MEMBER}; is the file complete?"
        raise InputError(Problem("the archive is damaged, or has no experiment", source.name, hint=hint)) from None
    if len(content) > MAX_UNPACKED:
        raise InputError(Problem(f"{MEMBER} decompresses to more than {MAX_UNPACKED:,} bytes", source.name))
    experiment = parse_experiment_json(Source(f"{source.name}:{MEMBER}", content))
    return replace(experiment, report=replace(experiment.report, source=source.name, sha256=source.sha256))


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
