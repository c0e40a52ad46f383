"""Selection of the series of an experiment by call path and metric."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

import numpy as np

from splc.errors import MeasurementError, listed, unknown_name_hint
from splc.workflows.note import Note

if TYPE_CHECKING:
    from splc.data.experiment import Experiment, Key

# A parameter has at most this number of values.
_MAX_VALUES = 50


def chosen_series(experiment: Experiment, callpaths: Sequence[str] | None, metrics: Sequence[str] | None) -> list[Key]:
    """Return the series of these call paths and metrics, each a name or a pattern; None means all."""
    sets = []
    for noun, patterns, names in (
        ("call path", callpaths, experiment.callpaths),
        ("metric", metrics, experiment.metrics),
    ):
        matches: set[str] = set() if patterns else set(names)
        for pattern in patterns or ():
            # A name that contains signs of patterns matches itself first: `operator[]`.
            hits = {pattern} if pattern in names else {name for name in names if fnmatchcase(name, pattern)}
            if not hits:
                hint = unknown_name_hint(pattern, names)
                raise MeasurementError(f"there is no {noun} {pattern!r}", hint=hint).at(experiment.report.source)
            matches |= hits
        sets.append(matches)
    series = [key for key in experiment.series if key[0] in sets[0] and key[1] in sets[1]]
    if not series:
        hint = "choose others with --callpath and --metric"
        raise MeasurementError("none of the call paths has any of the metrics", hint=hint).at(experiment.report.source)
    return series


def pooling_notes(experiment: Experiment, series: Sequence[Key]) -> tuple[Note, ...]:
    """Return a note on columns that may be parameters, but whose values are pooled as repetitions of the same point.

    These are unused metrics with few whole values, several of them at the same point.
    """
    metrics = {metric for _, metric in series}
    names = []
    for metric in dict.fromkeys(metric for _, metric in experiment.series if metric not in metrics):
        tables = [values for (_, name), values in experiment.series.items() if name == metric]
        values = np.unique(np.concatenate([table[~np.isnan(table)] for table in tables]))
        integer = len(values) <= min(_MAX_VALUES, len(experiment)) and (values == values.round()).all()
        if integer and any((np.fmax.reduce(table, axis=1) > np.fmin.reduce(table, axis=1)).any() for table in tables):
            names.append(metric)
    if not names:
        return ()
    text = f"{experiment.report.source}: rows of the same point differ in {listed(names)} and are used as repetitions"
    how = f"if {names[0]} is a parameter, add it to --coordinates; else use one value with --where {names[0]}=VALUE"
    return (Note(text, warning=True, details=(how,)),)
