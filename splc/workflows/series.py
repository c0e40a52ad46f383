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
    """Return the series of these call paths and metrics, each a name or a pattern; None means all.

    Raises:
        MeasurementError: if nothing has such a name, or the two do not occur together.
    """
    wanted = []
    for what, patterns, known in (
        ("call path", callpaths, experiment.callpaths),
        ("metric", metrics, experiment.metrics),
    ):
        found: set[str] = set() if patterns else set(known)
        for pattern in patterns or ():
            # A name that contains signs of patterns matches itself first: `operator[]`.
            own = {pattern} if pattern in known else {name for name in known if fnmatchcase(name, pattern)}
            if not own:
                hint = unknown_name_hint(pattern, known)
                raise MeasurementError(f"there is no {what} {pattern!r}", hint=hint).at(experiment.report.source)
            found |= own
        wanted.append(found)
    series = [key for key in experiment.series if key[0] in wanted[0] and key[1] in wanted[1]]
    if not series:
        hint = "choose others with --callpath and --metric"
        raise MeasurementError("none of the call paths has any of the metrics", hint=hint).at(experiment.report.source)
    return series


def pooling_notes(experiment: Experiment, series: Sequence[Key]) -> tuple[Note, ...]:
    """Return a note on columns that may be parameters, but whose values are pooled as repetitions of the same point.

    These are unused metrics with few whole values, several of them at the same point.
    """
    used = {metric for _, metric in series}
    names = []
    for metric in dict.fromkeys(metric for _, metric in experiment.series if metric not in used):
        tables = [values for (_, own), values in experiment.series.items() if own == metric]
        values = np.unique(np.concatenate([table[~np.isnan(table)] for table in tables]))
        whole = len(values) <= min(_MAX_VALUES, len(experiment)) and (values == values.round()).all()
        if whole and any((np.fmax.reduce(table, axis=1) > np.fmin.reduce(table, axis=1)).any() for table in tables):
            names.append(metric)
    if not names:
        return ()
    text = f"{experiment.report.source}: rows of the same point differ in {listed(names)} and are used as repetitions"
    how = f"if {names[0]} is a parameter, add it to --coordinates; else use one value with --where {names[0]}=VALUE"
    return (Note(text, warning=True, details=(how,)),)
