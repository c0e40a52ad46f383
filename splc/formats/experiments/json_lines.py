"""Experiments as JSON lines.

A line is an object such as `{"params": {"p": 4, "n": 100}, "callpath": "main->solve", "metric": "time", "value": 1.2}`.
The value may be a list of repetitions; lines of the same point, call path and metric are repetitions, too. The
default call path is `<root>`, the default metric `<default>`. `parameters` is read as `params`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from splc.data.experiment import DEFAULT_METRIC, ROOT_CALLPATH, Experiment
from splc.errors import InputError, OutputError, Problem, Problems, listed, nearest
from splc.formats.column_choice import shown_value
from splc.formats.detect import PARAMETERS
from splc.formats.experiments.rows import ExperimentRows, check_names, read_number
from splc.io.files import Source
from splc.io.json import parse_json

_EXAMPLE = '{"params": {"x": 4}, "value": 1.2}'
_KEYS = (*PARAMETERS, "callpath", "metric", "value")
_LINE_END = re.compile(r"\r\n|\r|\n")
# The number of problems that are shown.
_ENOUGH = 20


def parse_experiment_lines(source: Source) -> Experiment:
    """Return the experiment of a file of JSON lines."""
    reader = _LineReader(source)
    for number, line in enumerate(_LINE_END.split(source.text()), start=1):
        if line.strip():
            reader.line(line, number)
    return reader.experiment()


class _LineReader:
    """Reads a file line by line; problems are collected."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.problems = Problems(source.name)
        self.rows: ExperimentRows | None = None
        self.ignored: dict[str, None] = {}

    def line(self, text: str, line: int) -> None:
        """Read one line."""
        try:
            entry = parse_json(text)
        except InputError as error:
            self.problems.include(InputError(replace(problem, line=line) for problem in error.problems))
            return
        if not isinstance(entry, dict):
            self.problems.add("not an object", line, text=text[:200], hint=f"write {_EXAMPLE}")
            return
        point = self.point(entry, line)
        names = [self.name(entry, "callpath", ROOT_CALLPATH, line), self.name(entry, "metric", DEFAULT_METRIC, line)]
        values = self.values(entry, line)
        self.ignored.update(dict.fromkeys(key for key in entry if key not in _KEYS))
        if self.rows is not None and point is not None:
            self.rows.add(self.rows.point(point), names[0], names[1], values)

    def point(self, entry: Mapping[str, Any], line: int) -> list[float] | None:
        """Return the coordinates of a line, None if they are wrong."""
        parameter_keys = [key for key in PARAMETERS if key in entry]
        parameters = entry[parameter_keys[0]] if parameter_keys else None
        if not isinstance(parameters, dict) or not parameters or len(parameter_keys) > 1:
            message = "both 'params' and 'parameters'" if len(parameter_keys) > 1 else "no parameters"
            self.problems.add(message, line, hint=f"write {_EXAMPLE}")
            return None
        if self.rows is None:
            check_names(list(parameters), self.problems, line)
            self.rows = ExperimentRows(self.source, list(parameters))
        names = self.rows.parameters
        if parameters.keys() != set(names):
            self.other_parameters(parameters, names, line)
            return None
        return [read_number(parameters[name], self.problems, name, line) for name in names]

    def other_parameters(self, parameters: Mapping[str, Any], names: tuple[str, ...], line: int) -> None:
        """Note that a line has other parameters than the first one."""
        known_names = set(names)
        for name in names:
            if name not in parameters:
                self.problems.add(f"the parameter {shown_value(name)} has no value", line)
        for name in parameters:
            if name not in known_names:
                close = nearest(name, names) if len(self.problems) < _ENOUGH and len(name) < 100 else None
                hint = close or f"the parameters of the first line are {listed(names)}"
                self.problems.add(f"{shown_value(name)} is not a parameter of the first line", line, hint=hint)

    def name(self, entry: Mapping[str, Any], key: str, default: str, line: int) -> str:
        """Return the name of a call path or metric."""
        callpath = entry.get(key, default)
        if isinstance(callpath, str) and callpath:
            return callpath
        self.problems.add(f"{key!r} must be a name", line)
        return default

    def values(self, entry: Mapping[str, Any], line: int) -> list[float]:
        """Return the repetitions in a line; null is a missing one."""
        if "value" not in entry:
            self.problems.add("no 'value'", line, hint=f"write {_EXAMPLE}")
            return []
        content = entry["value"]
        repetitions = [value for value in (content if isinstance(content, list) else [content]) if value is not None]
        return [read_number(value, self.problems, "value", line) for value in repetitions]

    def experiment(self) -> Experiment:
        """Return the experiment."""
        self.problems.raise_if_any(InputError)
        if self.rows is None:
            raise InputError(Problem("there are no measurements in the file", self.source.name))
        return self.rows.experiment([f"not used: {listed(list(self.ignored))}"] if self.ignored else [])


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
