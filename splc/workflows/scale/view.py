"""The view of scaling models and of points to measure next, and their JSON objects."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from splc.arithmetic.functions import evaluate
from splc.arithmetic.parser import parse
from splc.arithmetic.tokens import MODEL_FUNCTIONS, NameTable
from splc.data.measurements import DEFAULT_METRIC, ROOT_CALLPATH, title
from splc.errors import MeasurementError, RequestError, SpecError, listed, unknown_name_hint
from splc.formats.column_choice import shown_value
from splc.formats.models.json import model_as_json, scaling_as_json
from splc.formats.models.stored_model import lead_text, percent_text
from splc.io.files import STANDARD
from splc.io.json import picked
from splc.io.numbers import percentage
from splc.scaling.profile import notes_of_series
from splc.scaling.result import LEVEL, Prediction
from splc.scaling.suggestion.candidates import LINE, Cost, Suggestion, Suggestions, TargetPrediction
from splc.scaling.suggestion.suggest import suggest
from splc.types import Array
from splc.workflows import scaling_view, views
from splc.workflows.fields import fields_of, given_fields
from splc.workflows.inputs import ByValue
from splc.workflows.note import Note, Noted, Notes, notes_of, reading_notes
from splc.workflows.scale.scale import SUGGESTIONS, Request, Result, experiments_of, run, run_by
from splc.workflows.scale.tree import view_of_trees

# The usual names of parameters that count processes.
PROCESSES = ("p", "np", "nprocs", "procs", "processes", "process", "ranks", "mpi_ranks", "num_procs", "tasks", "ntasks")
VALUE = "value"


@dataclass(frozen=True)
class PointSuggestions(Noted):
    """Suggested points."""

    request: Request
    suggestions: Suggestions  # the points, and the model that they are based on
    callpaths: tuple[str, ...]  # the call paths whose values were added up
    cost: str  # what a measurement costs, as text


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
        series = scaling_view.chosen_series(experiment, request.callpaths, request.metrics)
        if len(metrics := list(dict.fromkeys(key[1] for key in series))) > 1:
            error = MeasurementError(f"there are several metrics: {listed(metrics)}", hint="choose one with --metric")
            raise error.at(experiment.report.source)
        notes += scaling_view.pooling_notes(experiment, series)
        values = experiment[series[0]]
        if len(series) > 1:
            width = min(experiment[key].shape[1] for key in series)
            values = np.sum([experiment[key][:, :width] for key in series], axis=0)
        mask = ~np.isnan(values).all(axis=1)
        if not mask.any():
            hint = "choose fewer with --callpath"
            raise MeasurementError("no point has values of all call paths", hint=hint).at(experiment.report.source)
        cost, text = _cost(request.cost, names)
        stated = ("strategy", "extend", "until", "budget", "count", "repetitions")
        settings: dict[str, Any] = {name: getattr(request, name) for name in stated}
        settings["axes"] = [list(request.axis[name]) if name in request.axis else None for name in names]
        settings |= {"names": names, "target": request.target or None, "cost": cost}
        result = suggest(experiment.points[mask], values[mask], **settings)
        model = replace(result.model, notes=notes_of_series(result.model))
        callpaths = tuple(key[0] for key in series)
        if len(callpaths) > 1:
            notes += [Note(f"values of {len(callpaths):,} call paths are added up; --callpath chooses some of them")]
        remarks = notes_of((*result.notes, *model.notes))
        return PointSuggestions(request, replace(result, model=model), callpaths, text, notes=(*notes, *remarks))


def _cost(text: str | None, names: Sequence[str]) -> tuple[Cost, str]:
    """Return what a measurement costs, as a function and as text."""
    if text is None:
        processes = next((name for name in names if name.casefold() in PROCESSES), None)
        text = VALUE if processes is None else f"{VALUE} * `{processes}`"
    node = parse(text, NameTable.plain((*names, VALUE)), functions=MODEL_FUNCTIONS)

    def cost(points: Array, values: Array) -> Any:
        facts = {name: points[:, at] for at, name in enumerate(names)} | {VALUE: values}
        return evaluate(node, facts.__getitem__)

    return cost, text.replace("`", "")


VALUES = views.columns("expected, from = lower, to = upper, cost", "{:.6g}".format)


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
        "formula": scaling_view.model_text(found.model),
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


def view_of_points(result: PointSuggestions) -> views.View:
    """Yield the suggested points."""
    batch = result.suggestions
    if batch.points:
        coordinates = [views.Column(name, f"point.{index}", "{:.10g}".format) for index, name in enumerate(batch.names)]
        measured = views.columns("measured") if any(point.measured for point in batch.points) else ()
        yield f"next, {views.counted(batch.repetitions, 'measurement')} each:"
        gain = views.columns("gain", partial(percentage, digits=3))
        yield views.Rows(batch.points, (*coordinates, *VALUES, *measured, *gain))
    yield batch.why
    yield f"model: {scaling_view.model_text(batch.model)} ({views.counted(batch.model.points, 'point')})"
    if (target := batch.target) is not None:
        where = scaling_view.point_text(dict(zip(batch.names, target.point, strict=True)))
        interval = views.interval_text((target.lower, target.upper))
        text = f"at {where}: {target.predicted:.6g}, 90 % interval {interval}"
        yield f"{text} (mean of many measurements: within {percent_text(target.error)})"
    if batch.error is not None:
        yield f"error: {percent_text(batch.error)} at {views.counted(batch.checked, 'point')} off the lines"
    budget = result.request.budget
    limit = "" if budget is None else f" of {budget:.6g}"
    yield f"spent: {batch.spent:.6g}{limit} (cost: {result.cost})"


MANY = 100  # above this number, models are made one by one for JSON: all at once, a hundred thousand need gigabytes


def as_json(result: Result | ByValue[Result] | PointSuggestions) -> dict[str, Any]:
    """Return the JSON object of scaling models, of those of each value of a context, or of suggested points."""
    if isinstance(result, PointSuggestions):
        return points_as_json(result)
    if isinstance(result, ByValue):
        return result.as_json("splc.scale.by/1", _profile_as_json)
    count = len(result.profile.models)
    schema = "splc.scale/1" if count == 1 else "splc.scale.several/1"
    return {"schema": schema, **_profile_as_json(result, streamed=count > MANY)}


def _profile_as_json(result: Result, streamed: bool = False) -> dict[str, Any]:
    """Return the only model or all of them, and what holds for all; errors and shares are in percent."""
    models = (
        {
            **{"callpath": callpath, "metric": metric, "model": model_as_json(model.model)},
            **{"scaling": scaling_as_json(model), "nfp": metric, "learning_configurations": model.points},
            **{"learning_error": result.errors[callpath, metric], "error": None},
            **{"error_all": result.errors[callpath, metric], "rounds": (), "termination": "noCandidate"},
            **{"settings": {"method": model.method, **model.settings}, "notes": model.notes},
            "predictions": result.predictions.get((callpath, metric), ()),
        }
        for (callpath, metric), model in result.profile.models.items()
    )
    trees = []
    for tree in result.trees:
        # The call paths with a prediction by their share, then the others.
        ranked = [*enumerate(tree.ranking, 1), *((None, path) for path in tree.callpaths if path.predicted is None)]
        paths = [{"rank": rank, **vars(path)} for rank, path in ranked]
        trees.append({**picked(tree, "metric, at, measured_at, total"), "level": LEVEL, "callpaths": paths})
    return {
        **(next(models) if len(result.profile.models) == 1 else {"models": models if streamed else list(models)}),
        **{"seconds": result.seconds, "preset": "pmnf", "seed": None, **result.facts},
        **({"trees": trees} if trees else {}),
        "output": result.request.output,
    }


def view(result: Result | ByValue[Result] | PointSuggestions, detail: views.Detail) -> views.View:
    """Yield the models, the data that they rest on, the files, and what to do next; of each value of a context."""
    if isinstance(result, PointSuggestions):
        yield from view_of_points(result)
        yield result.notes
        return
    if isinstance(result, ByValue):
        for index, (value, own) in enumerate(result.results.items()):
            yield from [""] * (index > 0)
            yield f"{result.by} {shown_value(value)}"
            yield from _models(own, detail)
        yield result.notes
        yield views.End(int(any(own.profile.failed for own in result.results.values())))
        return
    if result.request.output != STANDARD:
        yield from _models(result, detail)
    yield result.notes
    yield views.NextSteps(next_steps(result))
    yield views.End(int(bool(result.profile.failed)))


def _models(result: Result, detail: views.Detail) -> views.View:
    models, points = result.profile.models, len(result.experiment)
    if len(models) > 1 or result.trees:
        yield views.Answer(f"{views.counted(len(models), 'model')} at {views.counted(points, 'point')}")
        if result.trees:
            yield from view_of_trees(result.trees, result.request.top)
        else:
            # A column in which every model has the default name is not shown.
            defaults = enumerate((("call path", ROOT_CALLPATH), ("metric", DEFAULT_METRIC)))
            shown = [(at, name) for at, (name, default) in defaults if {key[at] for key in models} != {default}]
            names = [views.Column(name, f"0.{at}") for at, name in shown]
            ends = enumerate(next(iter(result.predictions.values()), ()))
            predicted = [views.Column(scaling_view.point_text(entry.at), f"2.{at}", _short_text) for at, entry in ends]
            rows = [(key, model, result.predictions.get(key, ())) for key, model in models.items()]
            yield views.Rows(rows, (*names, *MODELS, *predicted))
        facts = []
    else:
        ((key, model),) = models.items()
        name = title(key)
        yield views.Answer(f"{name}: {scaling_view.model_text(model)}" if name else scaling_view.model_text(model))
        if detail.quiet:
            return
        yield from scaling_view.view_of_terms(model)
        yield ""
        yield views.Rows(result.predictions[key], scaling_view.PREDICTIONS)
        facts = scaling_view.scaling_facts(model)
    yield ""
    written = (("output", result.request.output), ("plot", result.request.plot))
    yield views.Facts([*facts, ("time", f"{result.seconds:.3g} s"), *written])


MODELS = (
    views.Column("model", lambda entry: scaling_view.model_text(entry[1])),
    views.Column("lead", lambda entry: "constant" if (lead := lead_text(entry[1])) == "1" else lead, optional=3),
    views.Column("SMAPE", "1.smape", percent_text),
    views.Column("noise", "1.noise", partial(percent_text, digits=2), optional=2),
    views.Column("notes", lambda entry: len(entry[1].notes) or None, optional=1),
)


def _short_text(entry: Prediction) -> str:
    interval = views.interval_text((entry.lower, entry.upper), scaling_view.number)
    known = interval and entry.predicted is not None
    return scaling_view.number(entry.predicted) + (f" ({interval})" if known else "")


def next_steps(result: Result) -> Iterator[views.NextStep]:
    """Yield the commands that follow: a prediction beyond the measured points, and the points that make it better."""
    request = result.request
    # Names of parameters with these separators cannot be given on the command line.
    names = result.experiment.parameters
    if request.profile == STANDARD or not result.profile.models or any(set(name) & set(",=") for name in names):
        return
    points = result.experiment.points
    greatest = points.max(axis=0).tolist()
    sizes = [len(set(column)) for column in points.T.tolist()]
    # Where all combinations are measured, only further values are left.
    further = ("--extend", "1") if min(sizes) >= LINE and len(points) >= math.prod(sizes) else ()
    target = ",".join(f"{name}={2 * value:.6g}" for name, value in zip(names, greatest, strict=True))
    if not {*given_fields(request)} - {"profile", "output"}:
        yield views.NextStep(("scale", request.profile, "--predict-at", target), "the value at a larger point")
        words = ("scale", request.profile, "--suggest", "--target", target, *further)
        yield views.NextStep(words, "the point to measure next for it")


def _run(request: Request, watch: views.Watch) -> Result | ByValue[Result] | PointSuggestions:
    if request.suggest:
        return suggested(request)
    for each in fields_of(Request):
        if each.field.panel == SUGGESTIONS and getattr(request, each.name):
            raise RequestError("it is about points to measure; add --suggest", each.name)
    return run(request, watch) if request.by is None else run_by(request, watch)


EXAMPLES = (
    "splc scale profile.txt --predict-at p=1024",
    "splc scale runs.csv --coordinates p,n --metric time -o models.py",
    "splc scale runs.csv --coordinates p,n --suggest --target p=64,n=8",
)
VERB = views.Verb(Request, _run, view, as_json, EXAMPLES, doing="modelling")
