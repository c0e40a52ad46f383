"""`splc scale --suggest`: which point of a scaling model's parameters to measure next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from splc.arithmetic.evaluation import evaluate
from splc.arithmetic.parser import parse
from splc.arithmetic.tokens import MODEL_FUNCTIONS, NameTable
from splc.data.experiment import Experiment, Key
from splc.errors import MeasurementError, RequestError, SpecError, listed, unknown_name_hint
from splc.formats.models.notation import percent_text
from splc.io.json import picked
from splc.io.numbers import percentage
from splc.scaling.profile import notes_of_series
from splc.scaling.suggestion.candidates import Cost
from splc.scaling.suggestion.suggest import suggest
from splc.scaling.suggestion.suggestions import Suggestion, Suggestions, TargetPrediction
from splc.types import Array
from splc.workflows.note import Note, Notes, notes_of, reading_notes
from splc.workflows.scale.scale import Request, experiments_of
from splc.workflows.scaling_view import chosen_series, model_text, point_text, pooling_notes
from splc.workflows.views import Column, Rows, View, columns, counted, interval_text

# The usual names of parameters that count processes.
PROCESSES = ("p", "np", "nprocs", "procs", "processes", "process", "ranks", "mpi_ranks", "num_procs", "tasks", "ntasks")
VALUE = "value"


@dataclass(frozen=True)
class PointSuggestions:
    """Suggested points."""

    request: Request
    suggestions: Suggestions  # the points, and the model that they are based on
    callpaths: tuple[str, ...]  # the call paths whose values were added up
    cost: str  # what a measurement costs, as text
    notes: tuple[Note, ...] = ()  # what the user should know


def suggested(request: Request) -> PointSuggestions:
    """Suggest points to measure."""
    if given := [name for name in ("by", "tree", "plot", "predict_at") if getattr(request, name)]:
        raise RequestError("it is for models, not for points to measure", given[0], "suggest")
    (experiment,) = experiments_of(request)
    with Notes() as notes:
        notes += reading_notes(experiment.report)
        names = experiment.parameters
        if unknown := [name for name in request.axis if name not in names]:
            raise SpecError(f"--axis: unknown parameter {unknown[0]!r}", hint=unknown_name_hint(unknown[0], names))
        series = chosen_series(experiment, request.callpaths, request.metrics)
        if len(metrics := list(dict.fromkeys(key[1] for key in series))) > 1:
            error = MeasurementError(f"there are several metrics: {listed(metrics)}", hint="choose one with --metric")
            raise error.at(experiment.report.source)
        notes += pooling_notes(experiment, series)
        points, values = _added_up(experiment, series)
        cost, text = _cost(request.cost, names)
        result = suggest(
            points,
            values,
            names=names,
            target=request.target or None,
            strategy=request.strategy,
            cost=cost,
            axes=[list(request.axis[name]) if name in request.axis else None for name in names],
            extend=request.extend,
            until=request.until,
            budget=request.budget,
            count=request.count,
            repetitions=request.repetitions,
        )
        model = replace(result.model, notes=notes_of_series(result.model))
        callpaths = tuple(key[0] for key in series)
        if len(callpaths) > 1:
            notes += [Note(f"values of {len(callpaths):,} call paths are added up; --callpath chooses some of them")]
        remarks = notes_of((*result.notes, *model.notes))
        return PointSuggestions(request, replace(result, model=model), callpaths, text, (*notes, *remarks))


def _added_up(experiment: Experiment, series: Sequence[Key]) -> tuple[Array, Array]:
    width = min(experiment[key].shape[1] for key in series)
    total = experiment[series[0]]
    if len(series) > 1:
        total = np.sum([experiment[key][:, :width] for key in series], axis=0)
    mask = ~np.isnan(total).all(axis=1)
    if not mask.any():
        hint = "choose fewer with --callpath"
        raise MeasurementError("no point has values of all call paths", hint=hint).at(experiment.report.source)
    return experiment.points[mask], total[mask]


def _cost(text: str | None, names: Sequence[str]) -> tuple[Cost, str]:
    """Return what a measurement costs, as a function and as text."""
    if text is None:
        processes = next((name for name in names if name.casefold() in PROCESSES), None)
        text = VALUE if processes is None else f"{VALUE} * `{processes}`"
    node = parse(text, NameTable({name: name for name in (*names, VALUE)}), functions=MODEL_FUNCTIONS)

    def cost(points: Array, values: Array) -> Any:
        columns = {name: points[:, at] for at, name in enumerate(names)} | {VALUE: values}
        return evaluate(node, columns.__getitem__)

    return cost, text.replace("`", "")


VALUES = columns("expected, from = lower, to = upper, cost", "{:.6g}".format)


def points_as_json(result: PointSuggestions) -> dict[str, Any]:
    """Return the JSON object of suggested points: expected values with their 90 % intervals; errors are in percent."""
    found, target = result.suggestions, result.suggestions.target

    def point_of(one: Suggestion | TargetPrediction) -> dict[str, float]:
        return dict(zip(found.names, one.point, strict=True))

    return {
        "schema": "splc.scale.suggest/1",
        "parameters": found.names,
        "callpaths": result.callpaths,
        "next": [
            {
                **{"point": point_of(one), "expected": one.expected, "interval": (one.lower, one.upper)},
                **picked(one, "cost, reason, measured, gain"),
            }
            for one in found.points
        ],
        **picked(found, "done, why, model = model.text"),
        "formula": model_text(found.model),
        "strategy": found.strategy,
        "target": target
        and {
            **{"point": point_of(target), "predicted": target.predicted, "interval": (target.lower, target.upper)},
            "error": target.error,
        },
        **picked(found, "measured_points = model.points, error, error_points = checked"),
        **picked(result, "until = request.until, spent = suggestions.spent, budget = request.budget, cost"),
        **picked(found, "repetitions, candidates"),
        "notes": [*found.notes, *found.model.notes],
    }


def view_of_points(result: PointSuggestions) -> View:
    """Yield the suggested points."""
    batch = result.suggestions
    if batch.points:
        coordinates = [Column(name, f"point.{index}", "{:.10g}".format) for index, name in enumerate(batch.names)]
        measured = columns("measured") if any(point.measured for point in batch.points) else ()
        yield f"next, {counted(batch.repetitions, 'measurement')} each:"
        yield Rows(batch.points, (*coordinates, *VALUES, *measured, *columns("gain", partial(percentage, digits=3))))
    yield batch.why
    yield f"model: {model_text(batch.model)} ({counted(batch.model.points, 'point')})"
    if (target := batch.target) is not None:
        where = point_text(dict(zip(batch.names, target.point, strict=True)))
        interval = interval_text((target.lower, target.upper))
        text = f"at {where}: {target.predicted:.6g}, 90 % interval {interval}"
        yield f"{text} (mean of many measurements: within {percent_text(target.error)})"
    if batch.error is not None:
        yield f"error: {percent_text(batch.error)} at {counted(batch.checked, 'point')} off the lines"
    budget = result.request.budget
    limit = "" if budget is None else f" of {budget:.6g}"
    yield f"spent: {batch.spent:.6g}{limit} (cost: {result.cost})"
