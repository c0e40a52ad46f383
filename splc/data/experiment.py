"""Experiments: measurements of call paths and metrics at points of a few parameters.

A profile of a program at several points has many series, one per call path and metric. There is no system description:
the parameters are numeric and may take any value.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from splc.data.measurements import ReadingReport, read_only_table
from splc.errors import MeasurementError, listed, unknown_name_hint
from splc.types import Array

# (call path, metric)
Key = tuple[str, str]

# The names of files without call paths or metrics, as in Extra-P.
ROOT_CALLPATH = "<root>"
DEFAULT_METRIC = "<default>"


def title(key: Key) -> str:
    """Return the call path and the metric of a series, where its file names them: `main->sort, time`."""
    named = [name for name, default in zip(key, (ROOT_CALLPATH, DEFAULT_METRIC), strict=True) if name != default]
    return ", ".join(named)


@dataclass(frozen=True, eq=False)
class Experiment:
    """Distinct points and, per call path and metric, the values of their repetitions; arrays are made read-only."""

    parameters: tuple[str, ...]  # the names of the parameters, distinct
    points: Array  # the measured points, distinct and finite, shape (n, parameters)
    # (call path, metric) → values, shape (n, repetitions), NaN where a repetition is missing, finite elsewhere
    series: Mapping[Key, Array]
    # the hash of the source, notes, and the number of points without a value by metric
    report: ReadingReport = field(default_factory=ReadingReport)
    contexts: Mapping[str, str] = field(default_factory=dict)  # context (version, machine) → its value at all points

    def __post_init__(self) -> None:
        object.__setattr__(self, "parameters", tuple(self.parameters))
        if not self.parameters or not all(self.parameters):
            raise MeasurementError("an experiment needs parameters, each with a name")
        if len(set(self.parameters)) < len(self.parameters):
            raise MeasurementError(f"duplicate parameter in {listed(self.parameters)}")
        # Adding 0 makes 0 of -0.0, which is the same point.
        points = np.array(self.points, dtype=float) + 0.0
        if points.ndim == 1:
            points = points[:, np.newaxis]
        if points.ndim != 2 or points.shape[1] != len(self.parameters):
            raise MeasurementError(f"{len(self.parameters)} parameters, but points of shape {points.shape}")
        if not len(points) or not self.series:
            raise MeasurementError("an experiment needs points and measurements")
        if not np.isfinite(points).all():
            raise MeasurementError("the coordinates of points must be finite numbers")
        if len(np.unique(points, axis=0)) < len(points):
            raise MeasurementError("duplicate point; its repetitions belong into one row")
        points.setflags(write=False)
        object.__setattr__(self, "points", points)
        series = {
            key: read_only_table(", ".join(key), values, len(points), "points") for key, values in self.series.items()
        }
        for key, table in series.items():
            if np.isinf(table).any():
                raise MeasurementError(f"{', '.join(key)}: a value is infinite")
        object.__setattr__(self, "series", series)

    @property
    def callpaths(self) -> tuple[str, ...]:
        """The call paths, in order of first appearance."""
        return tuple(dict.fromkeys(callpath for callpath, _ in self.series))

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metrics, in order of first appearance."""
        return tuple(dict.fromkeys(metric for _, metric in self.series))

    @property
    def constant(self) -> dict[str, float]:
        """Parameter → its value, for those that have the same value at all points."""
        same = (self.points == self.points[0]).all(axis=0)
        values = self.points[0].tolist()
        return {name: values[at] for at, name in enumerate(self.parameters) if same[at]}

    def __len__(self) -> int:
        """Return the number of points."""
        return len(self.points)

    def __getitem__(self, key: Key) -> Array:
        """Return the values of a call path and metric, shape (n, repetitions), NaN where one is missing."""
        if key in self.series:
            return self.series[key]
        callpath, metric = key
        if callpath not in self.callpaths:
            hint = unknown_name_hint(callpath, self.callpaths)
            raise MeasurementError(f"there is no call path {callpath!r}", hint=hint)
        hint = unknown_name_hint(metric, [name for path, name in self.series if path == callpath])
        raise MeasurementError(f"the metric {metric!r} was not measured for {callpath!r}", hint=hint)

    def measured(self, callpath: str, metric: str) -> tuple[Array, Array]:
        """Return the points of a series that have a value, shape (m, parameters), and its values, (m, repetitions)."""
        values = self[callpath, metric]
        known = ~np.isnan(values).all(axis=1)
        return self.points[known], values[known]
