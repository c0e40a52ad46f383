"""Experiments in Extra-P's forms of JSON.

The new form nests call paths, metrics and points:
`{"parameters": ["p"], "measurements": {"main": {"time": [{"point": [4], "values": [3.5, 3.6]}]}}}`. The old form has
lists of parameters, call paths, metrics and coordinates with an `id` each, and measurements of one value each that
refer to them. Extra-P 4 stores experiments in the new form, with `coordinates` for `point`, and with statistics of the
repetitions where it does not keep them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from splc.data.experiment import Experiment
from splc.errors import InputError, Problem, Problems, plural
from splc.formats.experiments.rows import ExperimentRows, check_names, number_of, read_number, shown
from splc.io.files import Source
from splc.io.json import parse_json


def parse_experiment_json(source: Source) -> Experiment:
    """Return the experiment of a JSON file of Extra-P."""
    try:
        content = parse_json(source.text())
    except InputError as error:
        raise error.at(source.name) from None
    if not isinstance(content, dict):
        raise InputError(Problem("not an object", source.name))
    reader = (_Old if isinstance(content.get("measurements"), list) else _New)(source, content)
    rows = reader.rows()
    reader.problems.raise_if_any(InputError)
    return rows.experiment(reader.notes)


# The names of the coordinates of a point.
_POINTS = ("point", "coordinates", "coordinate")


class _ExperimentReader:
    """The common part of both forms; problems are collected and name the place as a path."""

    def __init__(self, source: Source, content: Mapping[str, Any]) -> None:
        self.source = source
        self.content = content
        self.problems = Problems(source.name)
        self.notes: list[str] = []

    def list_of(self, key: str) -> list[Any]:
        """Return one of the lists of the file."""
        entries = self.content.get(key)
        if isinstance(entries, list):
            return entries
        self.problems.add(f"{key} must be a list" if key in self.content else f"there is no {key!r}")
        return []


class _New(_ExperimentReader):
    """Reads the new form."""

    def rows(self) -> ExperimentRows:
        """Read everything."""
        names = self.list_of("parameters")
        if not all(isinstance(name, str) for name in names):
            self.problems.add("parameters must be a list of names")
            names = []
        check_names(names, self.problems)
        rows = ExperimentRows(self.source, names)
        self.means = 0
        for path, callpath, metrics in self.entries(self.content, "measurements", ""):
            for place, metric, points in self.entries(metrics, callpath, path):
                if isinstance(points, list):
                    for at, entry in enumerate(points):
                        self.measured(rows, (callpath, metric), entry, f"{place}[{at}]")
                else:
                    self.problems.add(f"{place} must be a list of points")
        if self.means:
            values = plural(self.means, "value is the mean", "values are means")
            self.notes.append(f"{values} of repetitions that the file does not have: their scatter is unknown")
        return rows

    def entries(self, content: Any, key: str, prefix: str) -> Iterator[tuple[str, str, Any]]:
        """Yield path, name and content of what a level holds: call paths, or the metrics of one."""
        top = not prefix
        level_content = content.get(key) if top else content
        path = key if top else prefix
        if not isinstance(level_content, dict):
            missing = top and key not in content
            self.problems.add(f"there is no {key!r}" if missing else f"{path} must be an object")
            return
        for name, entry in level_content.items():
            if name:
                yield f"{path}.{name if len(name) <= 80 else name[:79] + '…'}", name, entry
            else:
                self.problems.add(f"{path}: a name is empty")

    def measured(self, rows: ExperimentRows, key: tuple[str, str], entry: Any, place: str) -> None:
        """Read the values at one point."""
        if not isinstance(entry, dict):
            self.problems.add(f"{place} must be an object with 'point' and 'values'")
            return
        point = next((entry[key] for key in _POINTS if key in entry), None)
        values = entry.get("values", entry.get("value"))
        if values is None and "mean" in entry:
            values = entry["mean"]
            self.means += 1
        point = point if isinstance(point, list) else [point] if number_of(point) == number_of(point) else None
        if point is None:
            self.problems.add(f"{place}.point must be a list of coordinates")
            return
        number = len(rows.parameters)
        if len(point) != number:
            expected = f"there {'is' if number == 1 else 'are'} {plural(number, 'parameter', 'parameters')}"
            self.problems.add(f"{place}.point has {plural(len(point), 'coordinate', 'coordinates')}, but {expected}")
        coordinates = [read_number(value, self.problems, f"{place}.point[{at}]") for at, value in enumerate(point)]
        if not {"values", "value", "mean"} & entry.keys():
            self.problems.add(f"{place} has no 'values'")
        items = values if isinstance(values, list) else [values]
        repetitions = [
            read_number(value, self.problems, f"{place}.values[{at}]")
            for at, value in enumerate(items)
            if value is not None
        ]
        rows.add(rows.point(coordinates), *key, repetitions)


class _Old(_ExperimentReader):
    """Reads the old form."""

    def rows(self) -> ExperimentRows:
        """Read everything."""
        parameters, callpaths, metrics = (self.names(key) for key in ("parameters", "callpaths", "metrics"))
        # Extra-P orders the parameters by their ids.
        order = sorted(parameters, key=lambda key: (not isinstance(key, float), key))
        check_names([parameters[key] for key in order], self.problems)
        rows = ExperimentRows(self.source, [parameters[key] for key in order])
        points: dict[Any, int] = {}
        for location, key, entry in self.identified("coordinates"):
            points[key] = rows.point(self.coordinates(entry, order, parameters, location))
        references = (("coordinate_id", points), ("callpath_id", callpaths), ("metric_id", metrics))
        for at, entry in enumerate(self.list_of("measurements")):
            location = f"measurements[{at}]"
            if not isinstance(entry, dict):
                self.problems.add(f"{location} must be an object")
                continue
            keys = [self.referred(entry, name, targets, location) for name, targets in references]
            value = entry.get("value")
            values = (
                [] if value is None and "value" in entry else [read_number(value, self.problems, f"{location}.value")]
            )
            if None not in keys:
                rows.add(keys[0], keys[1], keys[2], values)
        return rows

    def identified(self, key: str) -> Iterator[tuple[str, Any, Mapping[str, Any]]]:
        """Yield path, id and content of the entries of a list."""
        ids = set()
        for at, entry in enumerate(self.list_of(key)):
            location = f"{key}[{at}]"
            entry_id = _identity(entry.get("id")) if isinstance(entry, dict) else None
            if entry_id is None:
                self.problems.add(f"{location} must be an object with an 'id'")
            elif entry_id in ids:
                text = f"{entry_id:g}" if isinstance(entry_id, float) else entry_id
                self.problems.add(f"{location}: the id {shown(text)} is a duplicate")
            else:
                ids.add(entry_id)
                yield location, entry_id, entry

    def names(self, key: str) -> dict[Any, str]:
        """Return id → name of the entries of a list."""
        names_by_id = {}
        for location, entry_id, entry in self.identified(key):
            name = entry.get("name")
            if isinstance(name, str) and name:
                names_by_id[entry_id] = name
            else:
                self.problems.add(f"{location}.name must be a name")
        return names_by_id

    def coordinates(
        self, entry: Mapping[str, Any], order: list[Any], parameters: Mapping[Any, str], place: str
    ) -> list[float]:
        """Return the coordinates of a point, in the order of the parameters; NaN where one is missing."""
        pairs = entry.get("parameter_value_pairs")
        if not isinstance(pairs, list):
            self.problems.add(f"{place}.parameter_value_pairs must be a list")
            return [math.nan] * len(order)
        values: dict[Any, float] = {}
        for at, pair in enumerate(pairs):
            inner = f"{place}.parameter_value_pairs[{at}]"
            if not isinstance(pair, dict):
                self.problems.add(f"{inner} must be an object")
                continue
            parameter_id = self.referred(pair, "parameter_id", {key: key for key in parameters}, inner)
            if parameter_id in values:
                self.problems.add(f"{inner}: {parameters[parameter_id]} has a value already")
            elif parameter_id is not None:
                place_of_value = f"{inner}.parameter_value"
                values[parameter_id] = read_number(pair.get("parameter_value"), self.problems, place_of_value)
        for key in order:
            if key not in values:
                self.problems.add(f"{place}: the parameter {shown(parameters[key])} has no value")
        return [values.get(key, math.nan) for key in order]

    def referred(self, entry: Mapping[str, Any], name: str, known: Mapping[Any, Any], place: str) -> Any:
        """Return the target of an id, None without any."""
        target_id = _identity(entry.get(name))
        if target_id is not None and target_id in known:
            return known[target_id]
        target_kind = name.removesuffix("_id")
        problem = "is missing" if name not in entry else f"refers to no {target_kind}"
        self.problems.add(f"{place}.{name} {problem}")
        return None


def _identity(value: Any) -> float | str | None:
    """Return an id: a number, also one in a text, or a text; None for anything else."""
    number = number_of(value)
    if not math.isnan(number):
        return number
    return value if isinstance(value, str) and value else None
