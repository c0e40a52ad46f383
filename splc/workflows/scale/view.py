"""The view of scaling models, and their JSON objects."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Literal

from splc.data.experiment import DEFAULT_METRIC, ROOT_CALLPATH, Key, title
from splc.errors import RequestError
from splc.formats.measurements.columns import shown_value
from splc.formats.models.json_objects import ModelObject, PredictionObject, ScalingObject
from splc.formats.models.notation import lead_text, percent_text
from splc.io.files import STANDARD
from splc.io.json_object import ITSELF, JsonObject, at, by_value, json_object, merged, optional
from splc.scaling import ScalingModel
from splc.scaling.prediction import LEVEL, Prediction
from splc.scaling.suggestion.cheapest import LINE
from splc.workflows import views
from splc.workflows.by import ByValue
from splc.workflows.fields import given_fields
from splc.workflows.objects import FileObject
from splc.workflows.scale.points import PointSuggestions, PointSuggestionsObject, suggested, view_of_points
from splc.workflows.scale.scale import Request, Result, run, run_by
from splc.workflows.scale.tree import CallPath, CallTree, view_of_trees
from splc.workflows.scaling_view import PREDICTIONS, model_text, number, point_text, scaling_facts, view_of_terms
from splc.workflows.verb import Verb, Watch
from splc.workflows.views import Answer, Column, NextStep, Rows, View, columns, counted

# Above this number, models are made one by one for JSON: all at once, a hundred thousand need gigabytes.
MANY = 100


class SeriesModelObject(JsonObject):
    """The scaling model of a call path and metric; errors are in percent."""

    callpath: str = at("key.0")
    metric: str = at("key.1")
    model: ModelObject = at("model.model")
    scaling: ScalingObject = at("model")
    nfp: str = at("key.1")
    learning_configurations: int = at("model.points")
    learning_error: float | None = at("error")
    error: None = at(lambda _: None)
    error_all: float | None = at("error")
    rounds: list[Any] = at(lambda _: ())
    termination: Literal["noCandidate"] = at(lambda _: "noCandidate")
    settings: dict[str, Any] = at(lambda series: {"method": series["model"].method, **series["model"].settings})
    notes: list[str] = at("model.notes")
    predictions: list[PredictionObject]


class FailedSeriesObject(JsonObject):
    """A call path and metric without a model."""

    callpath: str
    metric: str
    reason: str


class RankedCallPathObject(JsonObject):
    """A call path with its rank, null without a prediction; shares are in percent."""

    rank: int | None = at(0)
    callpath: CallPath = merged(1)


class CallTreeObject(JsonObject):
    """The call paths of a metric, those with a prediction by their share."""

    metric: str
    at: dict[str, float]
    measured_at: dict[str, float]
    total: float
    level: float
    callpaths: list[RankedCallPathObject]


class ProfileObject(JsonObject):
    """A profile, and where its models are."""

    seconds: float
    preset: Literal["pmnf"] = at(lambda _: "pmnf")
    seed: None = at(lambda _: None)
    learner: Literal["pmnf"] = at("facts.learner")
    parameters: list[str] = at("facts.parameters")
    points: int = at("facts.points")
    failed: list[FailedSeriesObject] = at("facts.failed")
    contexts: dict[str, str] = optional("facts.contexts")
    files: dict[str, FileObject] = at("facts.files")
    trees: list[CallTreeObject] = optional(lambda result: [_tree(tree) for tree in result.trees] or None)
    output: str = at("request.output")


def _series(result: Result) -> Iterator[dict[str, Any]]:
    for key, model in result.profile.models.items():
        yield {"key": key, "model": model, "error": result.errors[key], "predictions": result.predictions.get(key, ())}


def _is_single(result: Result) -> bool:
    return len(result.profile.models) == 1


class ScaleObject(JsonObject, schema="splc.scale/1"):
    """The only model of a profile."""

    model: SeriesModelObject = merged(lambda result: next(_series(result)))
    profile: ProfileObject = merged(ITSELF)


class ScaleSeveralObject(JsonObject, schema="splc.scale.several/1"):
    """The models of a profile."""

    models: list[SeriesModelObject] = at(
        lambda result: _series(result) if len(result.profile.models) > MANY else list(_series(result))
    )
    profile: ProfileObject = merged(ITSELF)


class ScaleValueObject(JsonObject):
    """The models of a value of the context: those of one call path and metric, or a list of several."""

    model: SeriesModelObject | None = merged(lambda result: next(_series(result)) if _is_single(result) else None)
    models: list[SeriesModelObject] = optional(lambda result: None if _is_single(result) else list(_series(result)))
    profile: ProfileObject = merged(ITSELF)


ContextScaleObject = by_value(ScaleValueObject, "splc.scale.by/1")


def _tree(tree: CallTree) -> dict[str, Any]:
    unranked = [(None, row) for row in tree.callpaths if row.predicted is None]
    return {**vars(tree), "level": LEVEL, "callpaths": [*enumerate(tree.ranking, 1), *unranked]}


def view(result: Result | ByValue[Result] | PointSuggestions, detail: views.Detail) -> View:
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


def _models(result: Result, detail: views.Detail) -> View:
    models, points = result.profile.models, len(result.experiment)
    if len(models) > 1 or result.trees:
        yield Answer(f"{counted(len(models), 'model')} at {counted(points, 'point')}")
        if result.trees:
            yield from view_of_trees(result.trees, result.request.top)
        else:
            yield _rows_of_models(models, result.predictions)
        facts = []
    else:
        ((key, model),) = models.items()
        name = title(key)
        yield Answer(f"{name}: {model_text(model)}" if name else model_text(model))
        if detail.quiet:
            return
        yield from view_of_terms(model)
        yield ""
        yield Rows(result.predictions[key], PREDICTIONS)
        facts = scaling_facts(model)
    yield ""
    written = (("output", result.request.output), ("plot", result.request.plot))
    yield views.Facts([*facts, ("time", f"{result.seconds:.3g} s"), *written])


MODELS = views.narrowed(
    (
        Column("model", lambda entry: model_text(entry[1])),
        Column("lead", lambda entry: "constant" if (lead := lead_text(entry[1])) == "1" else lead),
        *columns("SMAPE = 1.smape", percent_text),
        *columns("noise = 1.noise", partial(percent_text, digits=2)),
        Column("notes", lambda entry: len(entry[1].notes) or None),
    ),
    "notes",
    "noise",
    "lead",
)


def _rows_of_models(models: Mapping[Key, ScalingModel], predicted: Mapping[Key, Sequence[Prediction]]) -> Rows:
    # A column in which every model has the default name is not shown.
    names = [
        Column(name, f"0.{at}")
        for at, (name, default) in enumerate((("call path", ROOT_CALLPATH), ("metric", DEFAULT_METRIC)))
        if {key[at] for key in models} != {default}
    ]
    points = [
        Column(point_text(entry.at), f"2.{at}", _short_text)
        for at, entry in enumerate(next(iter(predicted.values()), ()))
    ]
    rows = [(key, model, predicted.get(key, ())) for key, model in models.items()]
    return Rows(rows, (*names, *MODELS, *points))


def _short_text(entry: Prediction) -> str:
    interval = views.interval_text((entry.lower, entry.upper), number)
    return number(entry.predicted) + (f" ({interval})" if interval and entry.predicted is not None else "")


def next_steps(result: Result) -> Iterator[NextStep]:
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
        yield NextStep(("scale", request.profile, "--predict-at", target), "the value at a larger point")
        yield NextStep(
            ("scale", request.profile, "--suggest", "--target", target, *further), "the point to measure next for it"
        )


def _as_json(result: Result | ByValue[Result] | PointSuggestions) -> dict[str, Any]:
    if isinstance(result, PointSuggestions):
        return json_object(PointSuggestionsObject, result)
    if isinstance(result, ByValue):
        return json_object(ContextScaleObject, result.results, by=result.by)
    return json_object(ScaleObject if _is_single(result) else ScaleSeveralObject, result)


def _run(request: Request, watch: Watch) -> Result | ByValue[Result] | PointSuggestions:
    if request.suggest:
        return suggested(request)
    for name in ("target", "strategy", "until", "budget", "count", "axis", "extend", "repetitions", "cost"):
        if getattr(request, name):
            raise RequestError("it is about points to measure; add --suggest", name)
    return run(request, watch) if request.by is None else run_by(request, watch)


VERB = Verb(
    Request,
    _run,
    view,
    _as_json,
    (
        "splc scale profile.txt --predict-at p=1024",
        "splc scale runs.csv --coordinates p,n --metric time -o models.py",
        "splc scale runs.csv --coordinates p,n --suggest --target p=64,n=8",
    ),
    doing="modelling",
)
