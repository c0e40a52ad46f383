"""Experiments as JSON lines.

A line is an object such as `{"params": {"p": 4, "n": 100}, "callpath": "main->solve", "metric": "time", "value": 1.2}`.
The value may be a list of repetitions; lines of the same point, call path and metric are repetitions, too. The
default call path is `<root>`, the default metric `<default>`. `parameters` is read as `params`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
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
    """Return the experiment of a file of JSON lines; the problems of all lines are reported together."""
    problems, rows, ignored = Problems(source.name), None, dict[str, None]()
    for line, text in enumerate(_LINE_END.split(source.text()), start=1):
        if not text.strip():
            continue
        try:
            entry = parse_json(text)
        except InputError as error:
            problems.include(InputError(replace(problem, line=line) for problem in error.problems))
            continue
        if not isinstance(entry, dict):
            problems.add("not an object", line, text=text[:200], hint=f"write {_EXAMPLE}")
            continue
        ignored.update(dict.fromkeys(key for key in entry if key not in _KEYS))
        parameters = _parameters(entry, problems, line)
        if parameters is not None and rows is None:
            check_names(list(parameters), problems, line)
            rows = ExperimentRows(source, list(parameters))
        point = None if parameters is None or rows is None else _point(parameters, rows.parameters, problems, line)
        callpath, metric = (
            _name(entry, key, default, problems, line)
            for key, default in (("callpath", ROOT_CALLPATH), ("metric", DEFAULT_METRIC))
        )
        values = _values(entry, problems, line)
        if rows is not None and point is not None:
            rows.add(rows.point(point), callpath, metric, values)
    problems.raise_if_any(InputError)
    if rows is None:
        raise InputError(Problem("there are no measurements in the file", source.name))
    return rows.experiment([f"not used: {listed(list(ignored))}"] if ignored else [])


def _parameters(entry: Mapping[str, Any], problems: Problems, line: int) -> Mapping[str, Any] | None:
    """Return parameter → value in a line, None if there are none."""
    keys = [key for key in PARAMETERS if key in entry]
    parameters = entry[keys[0]] if keys else None
    if isinstance(parameters, dict) and parameters and len(keys) == 1:
        return parameters
    message = "both 'params' and 'parameters'" if len(keys) > 1 else "no parameters"
    problems.add(message, line, hint=f"write {_EXAMPLE}")
    return None


def _point(parameters: Mapping[str, Any], names: Sequence[str], problems: Problems, line: int) -> list[float] | None:
    """Return the coordinates of a line, None if it has other parameters than the first one."""
    if parameters.keys() == set(names):
        return [read_number(parameters[name], problems, name, line) for name in names]
    for name in names:
        if name not in parameters:
            problems.add(f"the parameter {shown_value(name)} has no value", line)
    known = set(names)
    for name in (name for name in parameters if name not in known):
        close = nearest(name, names) if len(problems) < _ENOUGH and len(name) < 100 else None
        hint = close or f"the parameters of the first line are {listed(names)}"
        problems.add(f"{shown_value(name)} is not a parameter of the first line", line, hint=hint)
    return None


def _name(entry: Mapping[str, Any], key: str, default: str, problems: Problems, line: int) -> str:
    """Return the name of a call path or metric."""
    name = entry.get(key, default)
    if isinstance(name, str) and name:
        return name
    problems.add(f"{key!r} must be a name", line)
    return default


def _values(entry: Mapping[str, Any], problems: Problems, line: int) -> list[float]:
    """Return the repetitions in a line; null is a missing one."""
    if "value" not in entry:
        problems.add("no 'value'", line, hint=f"write {_EXAMPLE}")
        return []
    content = entry["value"]
    repetitions = [value for value in (content if isinstance(content, list) else [content]) if value is not None]
    return [read_number(value, problems, "value", line) for value in repetitions]


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
