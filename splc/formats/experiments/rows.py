"""Experiments from the rows of a file: equal points are merged, and missing values counted."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from splc.data.experiment import Experiment, Key, title
from splc.data.measurements import ReadingReport
from splc.data.repetitions import most_cells, offsets
from splc.errors import InputError, Problem, Problems, listed, plural
from splc.formats.column_choice import shown_value
from splc.io.files import Source
from splc.io.numbers import not_a_number, parse_number, unit_of
from splc.io.toml import finite_number
from splc.types import Array

# Units in separate cells: `DATA 12 ms`.
_UNITS = frozenset(["s", "sec", "ms", "us", "µs", "ns", "min", "h", "%", "B", "kB", "KB", "MB", "GB", "J", "W", "Hz"])


class ExperimentRows:
    """Collects the rows of a file, in any order, into an experiment."""

    def __init__(self, source: Source, parameters: Sequence[str]) -> None:
        self.source = source
        self.parameters = tuple(parameters)
        self.count = 0
        self._points: dict[tuple[float, ...], int] = {}
        self._series: dict[Key, tuple[list[int], list[float]]] = {}
        self._empty: list[tuple[Key, int]] = []

    def point(self, coordinates: Sequence[float]) -> int:
        """Return the position of a point, a new one unless an equal point is known."""
        return self._points.setdefault(tuple(coordinates), len(self._points))

    def add(self, point: int, callpath: str, metric: str, values: Sequence[float]) -> None:
        """Add repetitions of a call path and metric at a point; without any the series still exists."""
        indices, all_values = self._series.setdefault((callpath, metric), ([], []))
        if not values:
            self._empty.append(((callpath, metric), point))
        indices += [point] * len(values)
        all_values += values
        self.count += 1

    def experiment(self, notes: Sequence[str] = ()) -> Experiment:
        """Return the experiment; a note on missing values follows those of the reader."""
        file = self.source.name
        if not self.parameters:
            raise InputError(Problem("no parameter is named", file))
        if not any(values for _, values in self._series.values()):
            raise InputError(Problem("there are no measurements in the file", file))
        limit = most_cells(sum(len(values) for _, values in self._series.values()))
        total, series = 0, {}
        for key, (indices, values) in self._series.items():
            filled = _table(np.array(indices, dtype=np.int64), np.array(values), len(self._points), limit - total)
            if filled is None:
                message = "repetitions and points differ so much between series that a table of them is too large"
                raise InputError(Problem(message, file, hint="split the file by call path or metric"))
            total += filled.size
            series[key] = filled
        counts = {key: int(np.isnan(values).all(axis=1).sum()) for key, values in series.items()}
        per_metric: Counter[str] = Counter()
        for key, point in self._empty:
            # A note lists series with points without any value.
            if not np.isnan(series[key][point]).all():
                per_metric[key[1]] += 1
        points = np.array(list(self._points), dtype=float).reshape(len(self._points), len(self.parameters))
        if missing := [f"{title(key) or 'value'}: {n} of {len(points)}" for key, n in counts.items() if n]:
            having = plural(len(series), "series has", "series have")
            notes = (*notes, f"{len(missing)} of {having} no value at some points ({listed(missing, 3)})")
        report = ReadingReport(file, self.source.sha256, self.count, missing=per_metric, notes=tuple(notes))
        return Experiment(self.parameters, points, series, report)


def _table(indices: Array, values: Array, points: int, limit: int) -> Array | None:
    """Return values as a table, shape (points, repetitions), in their order; None if it has too many cells."""
    columns, totals = offsets(indices, np.ones(len(indices), dtype=np.int64), points)
    width = max(1, int(totals.max()))
    if points * width > limit:
        return None
    result = np.full((points, width), np.nan)
    result[indices, columns] = values
    return result


def number_of(value: Any) -> float:
    """Return a value of JSON, or its text, as a finite number; NaN if it is not one."""
    if isinstance(value, str):
        return parse_number(value)
    number = finite_number(value)
    return math.nan if number is None else number


def read_number(value: Any, problems: Problems, place: str = "", line: int | None = None) -> float:
    """Return a value of JSON, or its text, as a finite number; anything else is noted, and NaN."""
    number = number_of(value)
    if math.isnan(number):
        note_no_number(value, problems, line, place)
    return number


def note_no_number(value: Any, problems: Problems, line: int | None = None, place: str = "") -> None:
    """Note a value that is not a finite number: `'x' is not a number`."""
    hint = None
    if isinstance(value, (dict, list)):
        message = f"{'an object' if isinstance(value, dict) else 'a list'} is not a number"
    elif isinstance(value, (bool, type(None))):
        message = f"{ {True: 'true', False: 'false', None: 'null'}[value] } is not a number"
    elif isinstance(value, float):
        message = "NaN is not a number" if math.isnan(value) else "a number is too large"
    else:
        text = str(value)
        message = f"{shown_value(text)} {not_a_number(text)}" if text.strip() else "an empty text is not a number"
        hint = _number_hint(text) if isinstance(value, str) else None
    problems.add(f"{place}: {message}" if place else message, line, hint=hint)


def _number_hint(text: str) -> str | None:
    """Return how to write the number that a text seems to be."""
    if not math.isnan(parse_number(text, ",")):
        return "write a decimal point, not a comma"
    if text.strip().casefold().lstrip("+-") in {"nan", "inf", "infinity", "na", "none", "null"}:
        return "leave out missing values"
    if unit := text if text in _UNITS else unit_of([text]):
        return f"write the number without its unit {shown_value(unit)}; the name of the metric can state it"
    return None


def check_names(names: Sequence[str], problems: Problems, line: int | None = None) -> None:
    """Note empty and duplicate names of parameters."""
    if not all(name.strip() for name in names):
        problems.add("a parameter has no name", line)
    for name, count in Counter(names).items():
        if count > 1:
            problems.add(f"duplicate parameter {shown_value(name)}", line)
