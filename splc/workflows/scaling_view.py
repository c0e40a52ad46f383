"""The series of a profile, and the view of a scaling model: its terms, its facts, and its predictions."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase

import numpy as np

from splc.data.measurements import Experiment, Key
from splc.errors import MeasurementError, listed, unknown_name_hint
from splc.formats.models.stored_model import facts_text, lead_text, percent_text
from splc.formats.models.text import log2_terms, scaling_text
from splc.io.numbers import rounded_text
from splc.scaling.result import LEVEL, Prediction, ScalingModel
from splc.workflows.note import Note
from splc.workflows.views import Column, Rows, View, interval_column

# A parameter has at most this number of values.
_MAX_VALUES = 50
DIGITS = 4
TERMS = (Column("term", 0), Column("influence", 1))


def chosen_series(experiment: Experiment, callpaths: Sequence[str] | None, metrics: Sequence[str] | None) -> list[Key]:
    """Return the series of these call paths and metrics, each a name or a pattern; None means all."""
    sets = []
    choices = (("call path", callpaths, experiment.callpaths), ("metric", metrics, experiment.metrics))
    for noun, patterns, names in choices:
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


def point_text(at: Mapping[str, float]) -> str:
    """Return a point, such as `p = 8, n = 2`."""
    return ", ".join(f"{name} = {value:.10g}" for name, value in at.items())


def model_text(model: ScalingModel) -> str:
    """Return a model on one line, with logarithms to the base 2; with two segments, both."""
    return scaling_text(model, DIGITS)


def view_of_terms(model: ScalingModel) -> View:
    """Yield the terms of a model with their coefficients, logarithms to the base 2."""
    for part in (model.below, model):
        if part is None:
            continue
        if model.below is not None and model.change is not None:
            bound = f"{model.changing} = {model.change:g}"
            yield f"up to {bound}:" if part is model.below else f"beyond {bound}:"
        yield Rows(log2_terms(part.model), TERMS)


def scaling_facts(model: ScalingModel) -> list[tuple[str, str]]:
    """Return the properties of a single model, as names and texts."""
    lead = lead_text(model)
    certain = "" if model.certainty is None else f" (probability {model.certainty:.2f})"
    return [
        ("formula", model_text(model)),
        ("lead term", ("none: constant" if lead == "1" else lead) + certain),
        ("fit", facts_text(model)),
        ("noise", "unknown" if model.noise is None else f"{percent_text(model.noise, 2)} per measurement"),
        ("method", model.method),
    ]


def caveat(entry: Prediction) -> str:
    """Return how far a prediction is extrapolated, and whether its interval is wide."""
    if entry.predicted is None:
        return "the model has no finite value there"
    remarks = []
    if entry.distance > 1:
        factor = f"{rounded_text(entry.distance, 3)} times " if math.isfinite(entry.distance) else ""
        remarks.append(f"{factor}beyond what was measured")
    if entry.lower is None or entry.upper is None:
        return ", ".join([*remarks, "no interval"])
    sizes = sorted(abs(bound) for bound in (entry.lower, entry.upper))
    if entry.lower * entry.upper < 0 or sizes[1] > 2 * sizes[0]:
        remarks.append("not known within a factor of 2")
    return ", ".join(remarks)


def number(value: float | None) -> str:
    """Return a prediction as text."""
    return "undefined" if value is None else rounded_text(value, DIGITS)


PREDICTIONS = (
    Column("at", lambda entry: point_text(entry.at)),
    Column("predicted", lambda entry: number(entry.predicted), right=True),
    interval_column(f"{100 * LEVEL:.0f} % interval", "lower", "upper", number),
    Column("caveat", caveat),
)
