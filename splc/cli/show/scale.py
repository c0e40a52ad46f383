"""Scaling models as tables and as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Literal

from splc.cli.detail import detail
from splc.cli.printer import print_item
from splc.cli.show.blocks import Column, columns, counted, interval_text, narrowed, show_facts, show_rows
from splc.cli.show.scale_tree import show_trees
from splc.cli.terminal import say, tell
from splc.data.experiment import DEFAULT_METRIC, ROOT_CALLPATH, Key, title
from splc.formats.measurements.columns import shown_value
from splc.formats.models.entries import lead_text, percent_text
from splc.formats.models.json_objects import ModelObject, PredictionObject, ScalingObject
from splc.io.json_object import ITSELF, JsonObject, at, by_value, merged, optional
from splc.scaling import ScalingModel
from splc.scaling.prediction import LEVEL, Prediction
from splc.workflows.objects import FileObject
from splc.workflows.scale import Result
from splc.workflows.scale.tree import CallPath, CallTree
from splc.workflows.scaling_view import PREDICTIONS, model_text, number, point_text, scaling_facts, view_of_terms

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
    """Yield the models with their errors and predictions."""
    for key, model in result.profile.models.items():
        yield {
            "key": key,
            "model": model,
            "error": result.errors[key],
            "predictions": result.predictions.get(key, ()),
        }


def _is_single(result: Result) -> bool:
    return len(result.profile.models) == 1


def _all_series(result: Result) -> Iterable[dict[str, Any]]:
    """Return the models; of many an iterator."""
    series = _series(result)
    return series if len(result.profile.models) > MANY else list(series)


class ScaleObject(JsonObject, schema="splc.scale/1"):
    """The only model of a profile."""

    model: SeriesModelObject = merged(lambda result: next(_series(result)))
    profile: ProfileObject = merged(ITSELF)


class ScaleSeveralObject(JsonObject, schema="splc.scale.several/1"):
    """The models of a profile."""

    models: list[SeriesModelObject] = at(_all_series)
    profile: ProfileObject = merged(ITSELF)


class ScaleValueObject(JsonObject):
    """The models of a value of the context: those of one call path and metric, or a list of several."""

    model: SeriesModelObject | None = merged(lambda result: next(_series(result)) if _is_single(result) else None)
    models: list[SeriesModelObject] = optional(lambda result: None if _is_single(result) else list(_series(result)))
    profile: ProfileObject = merged(ITSELF)


ContextScaleObject = by_value(ScaleValueObject, "splc.scale.by/1")


def kind_of(result: Result) -> type[JsonObject]:
    """Return the kind of JSON object: of one model or of several."""
    return ScaleObject if _is_single(result) else ScaleSeveralObject


def _tree(tree: CallTree) -> dict[str, Any]:
    """Return a call tree, with the call paths by their share."""
    unranked = [(None, row) for row in tree.callpaths if row.predicted is None]
    return {**vars(tree), "level": LEVEL, "callpaths": [*enumerate(tree.ranking, 1), *unranked]}


def show(result: Result) -> None:
    """Print the models, the data that they rest on, and the file that they were written to."""
    models, points = result.profile.models, len(result.experiment)
    if len(models) > 1 or result.trees:
        tell(f"{counted(len(models), 'model')} at {counted(points, 'point')}", "answer")
        if result.trees:
            show_trees(result.trees, result.request.top)
        else:
            show_profile(models, result.predictions)
        facts = []
    else:
        ((key, model),) = models.items()
        name = title(key)
        tell(f"{name}: {model_text(model)}" if name else model_text(model), "answer")
        if detail().quiet:
            return
        show_terms(model)
        say()
        show_predictions(result.predictions[key])
        facts = scaling_facts(model)
    say()
    written = (("output", result.request.output), ("plot", result.request.plot))
    show_facts([*facts, ("time", f"{result.seconds:.3g} s"), *written])


def show_by(results: Mapping[str, Result], by: str) -> None:
    """Print the models of each value of a context."""
    for index, (value, result) in enumerate(results.items()):
        if index:
            say()
        say(f"{by} {shown_value(value)}")
        show(result)


def _lead(model: ScalingModel) -> str:
    lead = lead_text(model)
    return "constant" if lead == "1" else lead


MODELS = narrowed(
    (
        Column("model", lambda entry: model_text(entry[1])),
        Column("lead", lambda entry: _lead(entry[1])),
        *columns("SMAPE = 1.smape", percent_text),
        *columns("noise = 1.noise", partial(percent_text, digits=2)),
        Column("notes", lambda entry: len(entry[1].notes) or None),
    ),
    "notes",
    "noise",
    "lead",
)


def show_profile(models: Mapping[Key, ScalingModel], predicted: Mapping[Key, Sequence[Prediction]]) -> None:
    """Print one line per model."""
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
    show_rows(rows, (*names, *MODELS, *points))


def show_terms(model: ScalingModel) -> None:
    """Print the terms of a model with their coefficients, logarithms to the base 2."""
    for item in view_of_terms(model):
        print_item(item)


def show_predictions(entries: Sequence[Prediction]) -> None:
    """Print predictions with intervals and caveats."""
    show_rows(entries, PREDICTIONS)


def _short_text(entry: Prediction) -> str:
    interval = interval_text((entry.lower, entry.upper), number)
    return number(entry.predicted) + (f" ({interval})" if interval and entry.predicted is not None else "")
