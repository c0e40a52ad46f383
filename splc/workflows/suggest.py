"""Suggest which point of a scaling model's parameters to measure next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

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
from splc.workflows.note import Note, Notes, notes_of, reading_notes
from splc.workflows.series import chosen_series, pooling_notes

# The usual names of parameters that count processes.
PROCESSES = ("p", "np", "nprocs", "procs", "processes", "process", "ranks", "mpi_ranks", "num_procs", "tasks", "ntasks")
VALUE = "value"


@dataclass(frozen=True, kw_only=True)
class Request:
    """A request to suggest the next points to measure.

    Attributes:
        measurements: the measurements at points of parameters; None are those of the project folder.
        coordinates: the columns of a CSV that are parameters.
        context: columns of a CSV that are contexts although their values are numbers.
        ignore: columns of a CSV that are not read.
        where: context → the value of the rows to use.
        callpath: names or patterns of call paths, whose values are added up; None are all.
        metric: the metric, if there are several.
        cost: what a measurement costs, an expression of parameters and `value`; None is the value, times the number
            of processes if a parameter has one of the names in `PROCESSES`.
        target: parameter → value, the point whose value is to be predicted; empty for none.
        strategy: 'target' or 'cheapest'; None is 'target' if there is one.
        until: the error in percent at which the model is good enough, at the target or else at points off the lines.
        budget: what all measurements may cost.
        count: the number of points; None is what a line lacks, or one.
        axis: parameter → its possible values; without an entry the measured ones are continued to five.
        extend: the number of further values of every other parameter.
        repetitions: the number of measurements per point; None is as measured.
    """

    measurements: str | None = None
    coordinates: Sequence[str] | None = None
    context: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    where: Mapping[str, str] = field(default_factory=dict)
    callpath: Sequence[str] | None = None
    metric: str | None = None
    cost: str | None = None
    target: Mapping[str, float] = field(default_factory=dict)
    strategy: PointStrategy | None = None
    until: float | None = None
    budget: float | None = None
    count: int | None = None
    axis: Mapping[str, Sequence[float]] = field(default_factory=dict)
    extend: int = 0
    repetitions: int | None = None


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
    project = Project.load(measurements=request.measurements)
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
        found = suggest(
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
        model = replace(found.model, notes=notes_of_series(found.model))
        callpaths = tuple(key[0] for key in series)
        if len(callpaths) > 1:
            notes += [Note(f"values of {len(callpaths):,} call paths are added up; --callpath chooses some of them")]
        remarks = notes_of((*found.notes, *model.notes))
        return Result(replace(found, model=model), callpaths, text, (*notes, *remarks))


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
    known = ~np.isnan(total).all(axis=1)
    if not known.any():
        hint = "choose fewer with --callpath"
        raise MeasurementError("no point has values of all call paths", hint=hint).at(experiment.report.source)
    return experiment.points[known], total[known]


def _cost(text: str | None, names: Sequence[str]) -> tuple[Cost, str]:
    """Return what a measurement costs, as a function and as text."""
    if text is None:
        processes = next((name for name in names if name.casefold() in PROCESSES), None)
        text = VALUE if processes is None else f"{VALUE} * `{processes}`"
    node = parse(text, NameTable({each: each for each in (*names, VALUE)}), functions=MODEL_FUNCTIONS)

    def cost(points: Array, values: Array) -> Array:
        columns = {name: points[:, at] for at, name in enumerate(names)} | {VALUE: values}
        found: Array = evaluate(node, columns.__getitem__)
        return found

    return cost, text.replace("`", "")
