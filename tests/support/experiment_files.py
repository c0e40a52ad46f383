"""Writers of experiments in Extra-P's formats, whose readers have to understand them."""

from __future__ import annotations

import json

import numpy as np

from splc.data.experiment import Experiment
from splc.io.numbers import number_text


def experiment_text(experiment: Experiment) -> str:
    """Return an experiment in the text format; points without a value get a `DATA` without values."""
    lines = [f"PARAMETER {name}" for name in experiment.parameters]
    lines += [f"POINTS ({' '.join(map(number_text, point))})" for point in experiment.points.tolist()]
    for (callpath, metric), values in experiment.series.items():
        lines += ["", f"REGION {callpath}", f"METRIC {metric}"]
        for row in values:
            lines.append(" ".join(["DATA", *map(number_text, row[~np.isnan(row)].tolist())]))
    return "\n".join(lines) + "\n"


def experiment_jsonl(experiment: Experiment) -> str:
    """Return an experiment as JSON lines, one per point and series; one value is without a list."""
    lines = []
    for (callpath, metric), values in experiment.series.items():
        for point, row in zip(experiment.points.tolist(), values, strict=True):
            params = {name: _number(value) for name, value in zip(experiment.parameters, point, strict=True)}
            measured = [_number(value) for value in row[~np.isnan(row)].tolist()]
            value = measured[0] if len(measured) == 1 else measured
            lines.append(json.dumps({"params": params, "callpath": callpath, "metric": metric, "value": value}))
    return "\n".join(lines) + "\n"


def _number(value: float) -> int | float:
    return int(value) if value.is_integer() and abs(value) < 1e15 else value
