"""Suggest which point of a scaling model's parameters to measure next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated

import numpy as np

from splc.arithmetic.evaluation import evaluate
from splc.arithmetic.parser import parse
from splc.arithmetic.tokens import MODEL_FUNCTIONS, NameTable
from splc.data.experiment import Experiment, Key
from splc.errors import MeasurementError, SpecError, listed, unknown_name_hint
from splc.formats.experiments.read import read_experiment
from splc.formats.measurements.columns import ColumnChoice
from splc.project import Project
from splc.scaling.profile import notes_of_series
from splc.scaling.suggestion.candidates import Cost
from splc.scaling.suggestion.suggest import suggest
from splc.scaling.suggestion.suggestions import Suggestions
from splc.types import Array, PointStrategy
from splc.workflows.common_fields import ContextColumns, IgnoredColumns, SelectedRows
from splc.workflows.field_values import axes_of, names_of, percentage_of, point_of
from splc.workflows.fields import as_argument, as_option, request
from splc.workflows.note import Note, Notes, notes_of, reading_notes
from splc.workflows.series import chosen_series, pooling_notes

# The usual names of parameters that count processes.
PROCESSES = ("p", "np", "nprocs", "procs", "processes", "process", "ranks", "mpi_ranks", "num_procs", "tasks", "ntasks")
VALUE = "value"


SCALING = "Scaling models"


@request
class Request:
    """A request to suggest the next points to measure."""

    profile: Annotated[
        str | None,
        as_argument(
            "[PROFILE]",
            "Measurements at points of parameters (Extra-P's formats, CSV): suggest points of a scaling model. Without "
            "it, configurations of a system are suggested.",
        ),
    ] = None
    coordinates: Annotated[
        tuple[str, ...] | None,
        as_option("NAME,…", "The columns of a CSV that are parameters: 'p,n'.", SCALING, parse=names_of),
    ] = None
    callpath: Annotated[
        tuple[str, ...],
        as_option("PATTERN", "Only these call paths; values of several are added up. Can be repeated.", SCALING),
    ] = ()
    metric: Annotated[str | None, as_option("NAME", "The metric, where there are several.", SCALING)] = None
    cost: Annotated[str | None, as_option("COST", "What a measurement costs.", SCALING)] = None
    target: Annotated[
        Mapping[str, float],
        as_option("NAME=VALUE,…", "The point whose value is to be predicted: 'p=1024,n=64'.", SCALING, parse=point_of),
    ] = field(default_factory=dict)
    strategy: Annotated[
        PointStrategy | None,
        as_option(
            "target|cheapest",
            "The largest expected gain at the target per cost, or the cheapest lines and points, as Extra-P does.",
            SCALING,
            default="target, if there is one",
        ),
    ] = None
    until: Annotated[
        float | None,
        as_option(
            "ERROR",
            "Stop when both bounds of the 90 % interval of the mean at the target are within this percentage of the "
            "prediction. Without a target: when points off the cheapest lines are predicted with this mean error.",
            SCALING,
            parse=percentage_of,
        ),
    ] = None
    budget: Annotated[float | None, as_option("N", "What all measurements may cost.", SCALING, minimum=0)] = None
    count: Annotated[
        int | None,
        as_option("N", "The number of points.", SCALING, minimum=1, default="what a line lacks, or one"),
    ] = None
    axis: Annotated[
        Mapping[str, Sequence[float]],
        as_option(
            "NAME=VALUE,…",
            "The possible values of a parameter. Can be repeated.",
            SCALING,
            parse=axes_of,
            repeated=True,
            default="the measured ones, continued to five",
        ),
    ] = field(default_factory=dict)
    extend: Annotated[int, as_option("N", "N more values of every other parameter.", SCALING, minimum=0)] = 0
    repetitions: Annotated[
        int | None, as_option("N", "Measurements per point.", SCALING, minimum=1, default="as measured")
    ] = None
    context: ContextColumns = ()
    ignore: IgnoredColumns = ()
    where: SelectedRows = field(default_factory=dict)


@dataclass(frozen=True)
class Result:
    """Suggested points.

    Attributes:
        suggestions: the points, and the model that they are based on.
        callpaths: the call paths whose values were added up.
        cost: what a measurement costs, as text.
        notes: what the user should know.
    """

    suggestions: Suggestions
    callpaths: tuple[str, ...]
    cost: str
    notes: tuple[Note, ...] = ()


def run(request: Request) -> Result:
    """Suggest points to measure.

    Raises:
        InputError: if the measurements cannot be found or read.
        MeasurementError: if no call path or metric has the given name, or none of the points can be used.
        ExpressionError: if the cost is not an expression of parameters and the value.
        SpecError: if an axis or the target has an unknown parameter, or a value is missing.
    """
    project = Project.load(measurements=request.profile)
    choice = ColumnChoice(request.context, request.ignore, request.where)
    metrics = () if request.metric is None else (request.metric,)
    experiment = read_experiment(project.measurements_file, request.coordinates, choice=choice, metrics=metrics)
    with Notes() as notes:
        notes += reading_notes(experiment.report)
        names = experiment.parameters
        for name in request.axis:
            if name not in names:
                raise SpecError(f"--axis: unknown parameter {name!r}", hint=unknown_name_hint(name, names))
        series = _series(experiment, request.callpath, request.metric)
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
        return Result(replace(result, model=model), callpaths, text, (*notes, *remarks))


def _series(experiment: Experiment, callpath: Sequence[str] | None, metric: str | None) -> list[Key]:
    """Return the chosen series of one metric."""
    series = chosen_series(experiment, callpath, None if metric is None else [metric])
    metrics = list(dict.fromkeys(key[1] for key in series))
    if len(metrics) > 1:
        hint = "choose one with --metric"
        raise MeasurementError(f"there are several metrics: {listed(metrics)}", hint=hint).at(experiment.report.source)
    return series


def _added_up(experiment: Experiment, series: Sequence[Key]) -> tuple[Array, Array]:
    """Return points, and values added up over call paths."""
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

    def cost(points: Array, values: Array) -> Array:
        columns = {name: points[:, at] for at, name in enumerate(names)} | {VALUE: values}
        costs: Array = evaluate(node, columns.__getitem__)
        return costs

    return cost, text.replace("`", "")
