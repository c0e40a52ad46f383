"""Experiments from the rows of a file, in any format, and as plain CSV tables.

A table has a column for each parameter, and one for each metric, or `value` with the names of metrics in `metric`;
`callpath` (or `region`) names call paths, `repetition` and `rep` are ignored, columns of text are contexts. Without
names, parameters are those before `value`, before call paths in the middle, before the first metric that is named, or
all but the last one. It is an error if one of them may be a metric: its values differ between most rows, or follow from
the columns before it.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Any

import numpy as np

from splc.data.measurements import DEFAULT_METRIC, ROOT_CALLPATH, Experiment, Key, ReadingReport, most_cells, title
from splc.errors import InputError, Problem, Problems, listed, plural, shorten, unknown_name_hint
from splc.formats.benchmarks.declaration import number
from splc.formats.column_choice import ColumnChoice, columns_of, shown_value
from splc.formats.measurements.read import require_constant, selected, separated, with_notes
from splc.formats.measurements.rows import MeasurementRows
from splc.formats.table import split_table
from splc.io.csv_rows import check_header, header_names, is_not_blank
from splc.io.files import Source
from splc.io.numbers import not_a_number, number_text, parse_column, parse_number, unit_of
from splc.types import Array

# Units in separate cells: `DATA 12 ms`.
_UNITS = frozenset(["s", "sec", "ms", "us", "µs", "ns", "min", "h", "%", "B", "kB", "KB", "MB", "GB", "J", "W", "Hz"])


class ExperimentRows:
    """Collects the rows of a file, in any order, into an experiment."""

    def __init__(self, source: Source, parameters: Sequence[str]) -> None:
        self.source, self.parameters, self.count = source, tuple(parameters), 0
        self._points = dict[tuple[float, ...], int]()
        self._series = dict[Key, dict[int, list[float]]]()
        self._empty = list[tuple[Key, int]]()

    def add(self, coordinates: Sequence[float], key: Key, values: Sequence[float]) -> None:
        """Add repetitions of a call path and metric at a point; without any the series still exists."""
        point = self._points.setdefault(tuple(coordinates), len(self._points))
        self._series.setdefault(key, {}).setdefault(point, []).extend(values)
        if not values:
            self._empty.append((key, point))
        self.count += 1

    def experiment(self, notes: Sequence[str] = ()) -> Experiment:
        """Return the experiment; a note on missing values follows those of the reader."""
        file = self.source.name
        if not self.parameters:
            raise InputError(Problem("no parameter is named", file))
        if not (count := sum(len(values) for rows in self._series.values() for values in rows.values())):
            raise InputError(Problem("there are no measurements in the file", file))
        free, series = most_cells(count), dict[Key, Array]()
        for key, rows in self._series.items():
            width = max(1, *map(len, rows.values()))
            free -= len(self._points) * width
            if free < 0:
                message = "repetitions and points differ so much between series that a table of them is too large"
                raise InputError(Problem(message, file, hint="split the file by call path or metric"))
            series[key] = np.full((len(self._points), width), np.nan)
            for point, values in rows.items():
                series[key][point, : len(values)] = values
        counts = {key: int(np.isnan(values).all(axis=1).sum()) for key, values in series.items()}
        # A note lists series with points without any value.
        per_metric = Counter(key[1] for key, point in self._empty if not np.isnan(series[key][point]).all())
        points = np.array(list(self._points), dtype=float).reshape(len(self._points), len(self.parameters))
        if missing := [f"{title(key) or 'value'}: {n} of {len(points)}" for key, n in counts.items() if n]:
            having = plural(len(series), "series has", "series have")
            notes = (*notes, f"{len(missing)} of {having} no value at some points ({listed(missing, 3)})")
        report = ReadingReport(file, self.source.sha256, self.count, missing=per_metric, notes=tuple(notes))
        return Experiment(self.parameters, points, series, report)


def read_number(value: Any, problems: Problems, place: str = "", line: int | None = None) -> float:
    """Return a value of JSON, or its text, as a finite number; anything else is noted, and NaN."""
    if (found := number(value)) is None:
        note_no_number(value, problems, line, place)
    return math.nan if found is None else found


def note_no_number(value: Any, problems: Problems, line: int | None = None, place: str = "") -> None:
    """Note a value that is not a finite number: `'x' is not a number`."""
    hint, text = None, value if isinstance(value, str) else ""
    if not math.isnan(parse_number(text, ",")):
        hint = "write a decimal point, not a comma"
    elif text.strip().casefold().lstrip("+-") in {"nan", "inf", "infinity", "na", "none", "null"}:
        hint = "leave out missing values"
    elif unit := text if text in _UNITS else unit_of([text]):
        hint = f"write the number without its unit {shown_value(unit)}; the name of the metric can state it"
    text = shown_value(value) if isinstance(value, str) else shorten(json.dumps(value), 80)
    problems.add(f"{place}{': ' if place else ''}{text} {not_a_number(str(value))}", line, hint=hint)


def check_names(names: Sequence[str], problems: Problems, line: int | None = None) -> None:
    """Note empty and duplicate names of parameters."""
    if not all(name.strip() for name in names):
        problems.add("a parameter has no name", line)
    for name, count in Counter(names).items():
        if count > 1:
            problems.add(f"duplicate parameter {shown_value(name)}", line)


# Name of a special column → its kind.
_KINDS = {"callpath": "callpath", "region": "callpath", "metric": "metric", "value": "value"}
_KINDS |= {"repetition": "repetition", "rep": "repetition"}


@dataclass(frozen=True)
class _Columns:
    """The columns of each kind."""

    parameters: Sequence[str]
    values: Sequence[str]
    callpath: str | None
    metric: str | None
    notes: tuple[str, ...]
    guessed: bool  # whether the parameters follow from their place
    named: bool  # whether the first metric is named


def parse_experiments_csv(
    source: Source,
    parameters: Sequence[str] | None = None,
    choice: ColumnChoice | None = None,
    metrics: Sequence[str] = (),
    added: Mapping[str, float] | None = None,
) -> tuple[Experiment, ...]:
    """Return the experiments of a CSV table, one per value of the contexts in `choice.by`.

    `parameters`: columns; None is by their place (see above). `metrics`: names or patterns of columns. `added`:
    parameters without a column → their value in all rows.
    """
    choice, added = choice or ColumnChoice(), added or {}
    table = split_table(source, decimal=".")
    rows = [(int(line), cells) for line, cells in zip(table.lines, table.rows, strict=True) if is_not_blank(cells)]
    if not rows:
        raise InputError(Problem("the file is empty", source.name))
    (first, cells), *rows = rows
    width, problems, body = len(names := header_names(cells)), Problems(source.name), []
    for line, cells in rows:
        if len(cells) < width or is_not_blank(cells[width:]):
            problems.add(f"{len(cells)} fields, but the header has {width}", line)
        else:
            body.append((line, [cell.strip() for cell in cells]))
    header = [*added, *names]
    if len(set(header)) < len(header) or not all(header):
        _columns(source.name, header, first, parameters, metrics)  # the error about the names
    texts = {name: [number_text(value)] * len(body) for name, value in added.items()}
    texts |= {name: [cells[at] for _, cells in body] for at, name in enumerate(names)}
    reserved = {*(parameters or ()), *(name for name in header if name.casefold() in _KINDS)}
    free = {name: column for name, column in texts.items() if name not in reserved}
    _, contexts = columns_of(free, choice, source.name, options=reserved)
    every_row = MeasurementRows(np.arange(len(body)), np.zeros((len(body), 0), dtype=int), {}, contexts=contexts)
    parts = separated(selected(every_row, choice, source.name), choice.by)
    require_constant(parts, source.name)
    dropped = {*contexts, *choice.among(header).ignore}
    # Problems of rows and of columns are reported together.
    columns = _columns(source.name, [name for name in header if name not in dropped], first, parameters, metrics)
    experiments = []
    for part in (with_notes(part, choice) for part in parts):
        rows_of_part = part.lines.tolist()
        texts_of_part = {name: [column[row] for row in rows_of_part] for name, column in texts.items()}
        experiment = _experiment(source, texts_of_part, [body[row][0] for row in rows_of_part], columns, problems)
        report = replace(experiment.report, notes=(*table.notes, *experiment.report.notes, *part.notes))
        experiments.append(replace(experiment, report=report, contexts=part.values_of_contexts))
    return tuple(experiments)


def _experiment(
    source: Source, texts: Mapping[str, Sequence[str]], lines: Sequence[int], columns: _Columns, problems: Problems
) -> Experiment:
    """Return the experiment in the columns of a table; `problems` are those that were found already."""
    numbers = {name: parse_column(texts[name]).tolist() for name in (*columns.parameters, *columns.values)}
    for name, column in numbers.items():
        for text, found, line in zip(texts[name], column, lines, strict=True):
            if math.isnan(found) and text:
                note_no_number(text, problems, line, name)
            elif math.isnan(found) and name in columns.parameters:
                problems.add(f"{name} has no value", line)
    for special in filter(None, (columns.callpath, columns.metric)):
        for line in (line for text, line in zip(texts[special], lines, strict=True) if not text):
            problems.add(f"{special} is empty", line)
    problems.raise_if_any(InputError)
    if columns.guessed and lines:
        _require_parameters(source.name, columns, np.array([numbers[name] for name in columns.parameters]))
    rows = ExperimentRows(source, columns.parameters)
    callpaths = texts[columns.callpath] if columns.callpath is not None else [ROOT_CALLPATH] * len(lines)
    points = list(zip(*(numbers[name] for name in columns.parameters), strict=True))
    for name in columns.values:
        metric = DEFAULT_METRIC if name.casefold() == "value" else name
        metrics = texts[columns.metric] if columns.metric is not None else [metric] * len(lines)
        for point, callpath, metric, value in zip(points, callpaths, metrics, numbers[name], strict=True):
            rows.add(point, (callpath, metric), [] if math.isnan(value) else [value])
    return rows.experiment(columns.notes)


def _require_parameters(file: str, columns: _Columns, values: Array) -> None:
    """Raise an error if columns that were taken as parameters by their place may be metrics."""
    doubtful, points = [], 1
    broken = [name for name, column in zip(columns.parameters, values, strict=True) if (column != column.round()).any()]
    for at, (name, column) in enumerate(zip(columns.parameters, values, strict=True)):
        distinct = np.unique(values[: at + 1], axis=1).shape[1]
        doubt = distinct == points or 2 * int((np.unique(column, return_counts=True)[1] == 1).sum()) > len(column)
        # With a named metric, columns of whole numbers before it are parameters.
        if at and doubt and (name in broken or not columns.named) and (column != column[0]).any():
            doubtful.append(name)
        points = distinct
    if doubtful:
        # Columns from the first named metric on are metrics; those before it must be whole to be parameters.
        certain = columns.parameters[: columns.parameters.index(doubtful[0])]
        hint = f"name the parameters (--coordinates {','.join(certain)} or more)"
        if not columns.named:
            first = next((name for name in doubtful if name in broken), columns.values[0])
            hint += f", or the first metric (--metric {first})"
        message = f"the metric is not clear: {listed([*doubtful, *columns.values])} may be metrics or parameters"
        raise InputError(Problem(message, file, 1, hint=hint))


def _columns(
    file: str, header: Sequence[str], line: int, parameters: Sequence[str] | None, metrics: Sequence[str]
) -> _Columns:
    problems = Problems(file)
    check_header(header, line, problems)
    if not any(math.isnan(parse_number(name)) for name in header):
        problems.add("the first line must name the columns", line, text=",".join(header)[:200])
    special: dict[str, list[str]] = {kind: [] for kind in _KINDS.values()}
    for name in (name for name in header if name.casefold() in _KINDS and name not in (parameters or ())):
        special[_KINDS[name.casefold()]].append(name)
    for kind, same in special.items():
        # Duplicate names are reported already.
        if kind != "repetition" and len(set(same)) > 1:
            problems.add(f"{listed(same)}: there can be only one column of this kind", line)
    if special["metric"] and not special["value"]:
        problems.add("there is a column 'metric', but no column 'value'", line)
    for name in dict.fromkeys(parameters or ()):
        if name not in header:
            problems.add(f"there is no column {shown_value(name)}", line, hint=unknown_name_hint(name, header))
    problems.raise_if_any(InputError)
    callpath, metric, value = (next(iter(special[kind]), None) for kind in ("callpath", "metric", "value"))
    unassigned = [name for name in header if not any(name in same for same in special.values())]
    place = {name: at for at, name in enumerate(header)}
    ignored, guessed, is_named = special["repetition"], False, False
    by_place = parameters is None and value is None
    if parameters is not None:
        chosen = [*dict.fromkeys(parameters)]
        values = [name for name in unassigned if name not in chosen]
        if value is not None and metric is not None:
            # The column `metric` names all metrics, so that further columns are no metrics.
            values, ignored = [], ignored + values
        values += [] if value is None else [value]
    elif value is not None:
        chosen, values = [name for name in unassigned if place[name] < place[value]], [value]
        ignored = ignored + [name for name in unassigned if place[name] > place[value]]
    else:
        last = place[unassigned[-1]] if unassigned else 0
        between = callpath is not None and bool(unassigned) and place[unassigned[0]] < place[callpath] < last
        end = place[callpath] if between and callpath is not None else last
        if guessed := not between:
            found = [place[name] for name in unassigned if any(fnmatchcase(name, pattern) for pattern in metrics)]
            end, is_named = min(found, default=end), bool(found)
        chosen, values = ([name for name in unassigned if (place[name] < end) == left] for left in (True, False))
    if not chosen or not values:
        hint = "columns of parameters come first, then those of metrics, or 'value'"
        missing = "parameter" if not chosen else "metric"
        raise InputError(Problem(f"no column is a {missing}", file, line, text=",".join(header)[:200], hint=hint))
    notes = [f"not used: {listed(sorted(ignored, key=place.__getitem__))}"] if ignored else []
    if by_place:
        notes.append(f"taken as parameters: {listed(chosen)}; as metrics: {listed(values)}")
    return _Columns(chosen, values, callpath, metric, tuple(notes), guessed, is_named)
