"""The view of scaling models, and their JSON objects."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from splc.data.experiment import DEFAULT_METRIC, ROOT_CALLPATH, Key, title
from splc.errors import RequestError
from splc.formats.column_choice import shown_value
from splc.formats.models.json import model_as_json, scaling_as_json
from splc.formats.models.notation import lead_text, percent_text
from splc.io.files import STANDARD
from splc.io.json import picked
from splc.scaling import ScalingModel
from splc.scaling.prediction import LEVEL, Prediction
from splc.scaling.suggestion.cheapest import LINE
from splc.workflows import views
from splc.workflows.by import ByValue
from splc.workflows.fields import given_fields
from splc.workflows.scale.points import PointSuggestions, points_as_json, suggested, view_of_points
from splc.workflows.scale.scale import Request, Result, run, run_by
from splc.workflows.scale.tree import CallTree, view_of_trees
from splc.workflows.scaling_view import PREDICTIONS, model_text, number, point_text, scaling_facts, view_of_terms
from splc.workflows.verb import Verb, Watch
from splc.workflows.views import Answer, Column, NextStep, Rows, View, columns, counted

# Above this number, models are made one by one for JSON: all at once, a hundred thousand need gigabytes.
MANY = 100


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
    models = _models_as_json(result)
    return {
        **(next(models) if len(result.profile.models) == 1 else {"models": models if streamed else list(models)}),
        **{"seconds": result.seconds, "preset": "pmnf", "seed": None, **result.facts},
        **({"trees": [_tree_as_json(tree) for tree in result.trees]} if result.trees else {}),
        "output": result.request.output,
    }


def _models_as_json(result: Result) -> Iterator[dict[str, Any]]:
    for (callpath, metric), model in result.profile.models.items():
        error = result.errors[callpath, metric]
        yield {
            **{"callpath": callpath, "metric": metric, "model": model_as_json(model.model)},
            **{"scaling": scaling_as_json(model), "nfp": metric},
            **{"learning_configurations": model.points, "learning_error": error, "error": None, "error_all": error},
            **{"rounds": (), "termination": "noCandidate", "settings": {"method": model.method, **model.settings}},
            "notes": model.notes,
            "predictions": result.predictions.get((callpath, metric), ()),
        }


def _tree_as_json(tree: CallTree) -> dict[str, Any]:
    """Return the JSON object of a tree: its call paths with a prediction by their share, then the others."""
    ranked = [*enumerate(tree.ranking, 1), *((None, path) for path in tree.callpaths if path.predicted is None)]
    paths = [{"rank": rank, **vars(path)} for rank, path in ranked]
    return {**picked(tree, "metric, at, measured_at, total"), "level": LEVEL, "callpaths": paths}


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
    as_json,
    (
        "splc scale profile.txt --predict-at p=1024",
        "splc scale runs.csv --coordinates p,n --metric time -o models.py",
        "splc scale runs.csv --coordinates p,n --suggest --target p=64,n=8",
    ),
    doing="modelling",
)
