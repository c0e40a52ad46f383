"""Scaling models as tables and as JSON."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

from splc.cli.show.files import FileObject
from splc.cli.show.scale_tree import point_text, show_trees
from splc.cli.terminal import say, table
from splc.data.experiment import DEFAULT_METRIC, ROOT_CALLPATH, Key, title
from splc.errors import plural
from splc.formats.measurements.columns import shown_value
from splc.formats.models.json_objects import ModelObject, PredictionObject, ScalingObject
from splc.io.json_object import ITSELF, JsonObject, at, json_object, merged, optional
from splc.io.numbers import rounded_text
from splc.models.influence import InfluenceModel
from splc.scaling import ScalingModel
from splc.scaling.prediction import LEVEL, Prediction
from splc.workflows.scale import Result
from splc.workflows.scale.tree import CallPath, CallTree

DIGITS = 4
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
    trees: list[CallTreeObject] = optional(lambda result: [_tree(each) for each in result.trees] or None)
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


class ScaleObject(JsonObject, schema="splc.scale/1"):
    """The only model of a profile."""

    model: SeriesModelObject = merged(lambda result: next(_series(result)))
    profile: ProfileObject = merged(ITSELF)


class ScaleSeveralObject(JsonObject, schema="splc.scale.several/1"):
    """The models of a profile."""

    models: list[SeriesModelObject] = at(_series)
    profile: ProfileObject = merged(ITSELF)


class ValueScaleObject(JsonObject):
    """The models of a value of the context: those of one call path and metric, or a list of several."""

    value: str
    model: SeriesModelObject | None = merged()
    models: list[SeriesModelObject] = optional()
    profile: ProfileObject = merged()


class ContextScaleObject(JsonObject, schema="splc.scale.by/1"):
    """The scaling models of the values of a context."""

    by: str
    values: list[ValueScaleObject]


def as_json(result: Result) -> dict[str, Any]:
    """Return the JSON object; the list of many models is an iterator."""
    models = len(result.profile.models)
    if models == 1:
        return json_object(ScaleObject, result)
    series = _series(result)
    return json_object(ScaleSeveralObject, result, models=series if models > MANY else list(series))


def by_as_json(results: Mapping[str, Result], by: str) -> dict[str, Any]:
    """Return the JSON object of the models of each value of a context."""
    values = []
    for value, result in results.items():
        series = list(_series(result))
        models = {"model": series[0], "models": None} if len(series) == 1 else {"model": None, "models": series}
        values.append({"value": value, "profile": result, **models})
    return json_object(ContextScaleObject, None, by=by, values=values)


def _tree(tree: CallTree) -> dict[str, Any]:
    """Return a call tree, with the call paths by their share."""
    unranked = [(None, each) for each in tree.callpaths if each.predicted is None]
    return {**vars(tree), "level": LEVEL, "callpaths": [*enumerate(tree.ranking, 1), *unranked]}


def show(result: Result) -> None:
    """Print the models, the data that they rest on, and the file that they were written to."""
    models, points = result.profile.models, len(result.experiment)
    if len(models) > 1 or result.trees:
        if result.trees:
            show_trees(result.trees, result.request.top)
        else:
            show_profile(models, result.predictions)
        facts = [("models", f"{plural(len(models), 'model', 'models')} at {plural(points, 'point', 'points')}")]
    else:
        ((key, model),) = models.items()
        if title(key):
            say(title(key))
        show_terms(model)
        say()
        show_predictions(result.predictions[key])
        facts = scaling_facts(model)
    plot = [] if result.request.plot is None else [("plot", result.request.plot)]
    show_facts([*facts, ("time", f"{result.seconds:.3g} s"), ("output", result.request.output), *plot])


def show_by(results: Mapping[str, Result], by: str) -> None:
    """Print the models of each value of a context."""
    for place, (value, result) in enumerate(results.items()):
        if place:
            say()
        say(f"{by} {shown_value(value)}")
        show(result)


def show_facts(facts: Sequence[tuple[str, str]]) -> None:
    """Print an empty line, and names with their values."""
    say()
    width = max(len(name) for name, _ in facts)
    for name, text in facts:
        say(f"{name:{width}}  {text}")


def model_text(model: ScalingModel, digits: int = DIGITS) -> str:
    """Return a model on one line, with logarithms to the base 2; with two segments, both."""
    from splc.formats.models.notation import log2_text

    upper = log2_text(model.model, digits)
    if model.below is None or model.change is None:
        return upper
    return f"{log2_text(model.below.model, digits)} up to {model.changing} = {model.change:g}, then {upper}"


def show_profile(models: Mapping[Key, ScalingModel], predicted: Mapping[Key, Sequence[Prediction]]) -> None:
    """Print one line per model."""
    from splc.formats.models.entries import lead_text, percent_text

    first = next(iter(predicted.values()), ())
    columns = [point_text(entry.at) for entry in first]
    # A column in which every model has the default name stays empty and is not shown.
    silent = [{key[at] for key in models} == {name} for at, name in enumerate((ROOT_CALLPATH, DEFAULT_METRIC))]
    rows = []
    for key, model in models.items():
        named = ["" if quiet else name for name, quiet in zip(key, silent, strict=True)]
        lead = lead_text(model)
        noise = "" if model.noise is None else percent_text(model.noise, 2)
        notes = str(len(model.notes)) if model.notes else ""
        error = percent_text(model.smape)
        own = [_interval_text(entry) for entry in predicted.get(key, ())]
        rows.append([*named, model_text(model), "constant" if lead == "1" else lead, error, noise, notes, *own])
    table(
        ("call path", "metric", "model", "lead", "SMAPE", "noise", "notes", *columns),
        rows,
        right=("SMAPE", "noise", "notes"),
    )


def show_terms(model: ScalingModel) -> None:
    """Print the terms of a model with their coefficients, logarithms to the base 2."""
    from splc.formats.models.notation import log2_text

    for each in (model.below, model):
        if each is None:
            continue
        if model.below is not None and model.change is not None:
            bound = f"{model.changing} = {model.change:g}"
            say(f"up to {bound}:" if each is model.below else f"beyond {bound}:")
        rows = []
        for term, influence in each.model.terms:
            # The text of a model with this term only has the coefficient of logarithms to the base 2.
            coefficient, _, text = log2_text(InfluenceModel.from_terms([(term, influence)], each.names)).partition(
                " * "
            )
            rows.append((text or "1", f"{float(coefficient):.6g}"))
        table(("term", "influence"), rows, right=("influence",))


def scaling_facts(model: ScalingModel) -> list[tuple[str, str]]:
    """Return the properties of a single model, as names and texts."""
    from splc.formats.models.entries import facts_text, lead_text, percent_text

    lead = lead_text(model)
    certain = "" if model.certainty is None else f" (probability {model.certainty:.2f})"
    noise = "unknown" if model.noise is None else f"{percent_text(model.noise, 2)} per measurement"
    return [
        ("formula", model_text(model)),
        ("lead term", ("none: constant" if lead == "1" else lead) + certain),
        ("fit", facts_text(model)),
        ("noise", noise),
        ("method", model.method),
    ]


def show_predictions(entries: Sequence[Prediction]) -> None:
    """Print predictions with intervals and caveats."""
    rows = []
    for entry in entries:
        predicted = "undefined" if entry.predicted is None else rounded_text(entry.predicted, DIGITS)
        interval = ""
        if entry.lower is not None and entry.upper is not None:
            interval = f"{rounded_text(entry.lower, DIGITS)} … {rounded_text(entry.upper, DIGITS)}"
        rows.append((point_text(entry.at), predicted, interval, caveat(entry)))
    table(("at", "predicted", f"{LEVEL:.0%} interval".replace("%", " %"), "caveat"), rows, right=("predicted",))


def caveat(entry: Prediction) -> str:
    """Return how far a prediction is extrapolated, and whether its interval is wide."""
    if entry.predicted is None:
        return "the model has no finite value there"
    found = []
    if entry.distance > 1:
        factor = f"{rounded_text(entry.distance, 3)} times " if math.isfinite(entry.distance) else ""
        found.append(f"{factor}beyond what was measured")
    if entry.lower is None or entry.upper is None:
        return ", ".join([*found, "no interval"])
    sizes = sorted(abs(bound) for bound in (entry.lower, entry.upper))
    if entry.lower * entry.upper < 0 or sizes[1] > 2 * sizes[0]:
        found.append("not known within a factor of 2")
    return ", ".join(found)


def _interval_text(entry: Prediction) -> str:
    if entry.predicted is None:
        return "undefined"
    if entry.lower is None or entry.upper is None:
        return rounded_text(entry.predicted, DIGITS)
    lower, upper = (rounded_text(bound, DIGITS) for bound in (entry.lower, entry.upper))
    return f"{rounded_text(entry.predicted, DIGITS)} [{lower}, {upper}]"
