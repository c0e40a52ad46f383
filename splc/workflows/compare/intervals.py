"""The intervals of compared models: of learned models from the measurements, of analytical ones from parameters."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from comparison.confidence import influence_intervals, prediction_intervals
from comparison.intervals import parameter_intervals
from comparison.result import ComparedModel
from splc.data.configurations import Configurations
from splc.errors import Problem, SpecError, SplcError, listed
from splc.workflows.compare.models import Basis
from splc.workflows.note import Note


def with_intervals(
    models: Sequence[ComparedModel], basis: Basis, level: float, notes: list[Note]
) -> tuple[ComparedModel, ...]:
    """Return models with confidence bands of predictions, and prediction intervals of a new run.

    Learned models have both from the measurements. Analytical models have bands from the intervals of their
    parameters; these do not describe how measured values scatter, so there are no prediction intervals.
    """
    if basis.configurations is None:
        return tuple(models)
    return tuple(
        _analytical(model, basis.configurations, level, notes)
        if model.kind == "text"
        else _learned(model, basis.configurations, basis, level, notes)
        for model in models
    )


def _learned(
    model: ComparedModel, configurations: Configurations, basis: Basis, level: float, notes: list[Note]
) -> ComparedModel:
    """Return a learned model with the intervals that the measurements give it."""
    unknown = replace(model, exact=False)
    if basis.measurements is None or basis.nfp is None:
        notes.append(Note(f"{model.name} has no intervals: there are no measurements to estimate them from"))
        return unknown
    measurements = basis.measurements
    try:
        values, runs = measurements[basis.nfp], measurements.repetitions(basis.nfp)
        intervals = influence_intervals(model.model, measurements.configurations, values, level, runs)
        band = prediction_intervals(intervals, configurations)
        single = prediction_intervals(intervals, configurations, single=True)
    except SplcError as error:
        notes.append(Note(f"{model.name} has no intervals: {error.problems[0].message}"))
        return unknown
    return replace(model, intervals=band, single=single)


def _analytical(model: ComparedModel, configurations: Configurations, level: float, notes: list[Note]) -> ComparedModel:
    """Return an analytical model with the band that follows from the intervals of its parameters."""
    parameters = model.model.parameters
    if unknown := [parameter.name for parameter in parameters if not parameter.determined]:
        verb = "is" if len(unknown) == 1 else "are"
        notes.append(
            Note(f"{model.name} has no intervals: {listed(unknown)} {verb} not determined (see splc calibrate)")
        )
        return replace(model, exact=False)
    inexact = [parameter for parameter in parameters if parameter.has_interval]
    if not inexact:
        notes.append(Note(f"{model.name} has no intervals: none of its parameters has one (see splc calibrate)"))
        return model
    for value in sorted({value for parameter in inexact for value in parameter.levels}):
        if not math.isclose(value, level, rel_tol=1e-9):
            names = listed([parameter.name for parameter in inexact if value in parameter.levels])
            message = f"the intervals of {names} hold at the level {value:g}, not {level:g}"
            hint = f"give --intervals {value:g}, or estimate them again: splc calibrate --level {level:g}"
            raise SpecError(Problem(message, model.name, hint=hint))
    if unstated := [parameter.name for parameter in inexact if not parameter.levels]:
        text = f"{model.name}: the intervals of {listed(unstated)} state no level; they are taken to hold at {level:g}"
        notes.append(Note(text))
    return replace(model, intervals=parameter_intervals(model.model, configurations))
