"""`splc scale`: fit scaling models to a profile, measurements at points of parameters, per call path and metric."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Annotated, Any

import numpy as np

from splc.data.accuracy import mean_relative_error
from splc.data.measurements import Experiment, Key, title
from splc.errors import MeasurementError, RequestError, listed, plural, unknown_name_hint
from splc.formats.column_choice import ColumnChoice
from splc.formats.detect import model_writers
from splc.formats.experiments.extrap import Scaling
from splc.formats.experiments.read import read_experiments
from splc.formats.models.json import models_json_parts
from splc.formats.models.stored_model import Subject, scaling_file
from splc.io.files import require_writable, write_whole
from splc.io.presentation import Reported
from splc.plotting.charts.drawing import require_picture, write_picture
from splc.scaling.methods import parsed_settings
from splc.scaling.profile import Profile, fit_experiment
from splc.scaling.result import Prediction, ScalingModel, far_point, predictions
from splc.scaling.selection import FAR
from splc.types import PointStrategy
from splc.workflows import fields
from splc.workflows.fields import flag, option, request
from splc.workflows.inputs import ByValue, each_context, require_all_values, require_files
from splc.workflows.learn.learn import replaced_notes, scaling_form
from splc.workflows.note import Note, Noted, Notes, notes_of, reading_notes
from splc.workflows.scale.tree import CallTree, call_trees, largest_of, ranking_chart, scaling_chart, tree_notes
from splc.workflows.scaling_view import chosen_series, pooling_notes
from splc.workflows.views import UNWATCHED, Watch

DEFAULT_OUTPUT = "learned.json"
# Methods other than `default` keep no plausible hypotheses. These are searched for the first interval, which takes some
# milliseconds with several parameters.
MAX_INTERVALS = 2000
_TOGETHER = 1000  # models that are predicted together


SELECTION, SUGGESTIONS = "Selection of models", "Suggestions"
PROFILE = (
    "Extra-P's text, JSON, JSON lines or .extra-p, CSV, output of a benchmark tool, or a folder of CUBE profiles or "
    "CSV. '-' is standard input."
)
# The notes that are shown of many models.
SHOWN = 8
_NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?![\w.]*\w)")


@request
class Request:
    """Fit scaling models to a profile, one per call path and metric, and write them to learned.json.

    A profile has measurements at points of one or more parameters. The exit code is 1 if a call path has no model.

    With --suggest and a --target: the point, or the repetition of a measured point, that is expected to make the
    prediction there better at the least cost, until its interval is narrow enough or the budget is spent. Without a
    target the cheapest line of five points along each parameter comes first, then the cheapest other points (Ritter et
    al., Learning Cost-Effective Sampling Strategies).
    """

    profile: Annotated[str, fields.as_argument("PROFILE", PROFILE)]
    settings: Mapping[str, Any] = option({}, "NAME=VALUE", names="--set", parse=fields.texts_of, repeated=True)(
        "A setting: aggregate, segmented, strong_scaling, … Can be repeated."
    )
    predict_at: tuple[Mapping[str, float], ...] = option((), "NAME=VALUE,…", parse=fields.points_of, repeated=True)(
        "Predict this point, with a 90 % interval: 'p=1024,n=64'. Can be repeated."
    )
    coordinates: tuple[str, ...] | None = option(None, "NAME,…", parse=fields.names_of)(
        "The parameters among the columns of CSV: 'p,n'."
    )
    context: fields.ContextColumns = ()
    ignore: fields.IgnoredColumns = ()
    where: fields.SelectedRows = field(default_factory=dict)
    scaling: Scaling | None = option(None, "weak|weak_threaded|strong")(
        "CUBE profiles: model means over processes and threads (weak, the default), means over those with a value "
        "other than 0 (weak_threaded), or sums (strong)."
    )
    inclusive: bool = flag("--inclusive")(
        "The value of a call path includes those of calls inside; CUBE profiles are read so."
    )
    callpaths: tuple[str, ...] = option((), "PATTERN", SELECTION, names="--callpath")(
        "Model these call paths only. Can be repeated."
    )
    metrics: tuple[str, ...] = option((), "PATTERN", SELECTION, names="--metric")(
        "Model these metrics only. Can be repeated."
    )
    tree: bool = flag("--tree")("Show the call tree, and rank call paths by their share at the last --predict-at.")
    top: int = option(20, "N", minimum=1)("The call paths in the ranking.")
    jobs: int = option(1, "N")("Processes; -1 is one per core. Useful for thousands of models.")
    output: str = option(DEFAULT_OUTPUT, "FILE", names="--output -o")("The models: .json, .txt, .log, .py, .tex.")
    plot: str | None = option(None, "FILE")(
        "A plot (.svg, .png, .pdf) of measured values, models and 90 % intervals; with --tree, of the ranking."
    )
    suggest: bool = flag("--suggest", SUGGESTIONS)("Suggest what to measure next, instead.")
    cost: str | None = option(None, "COST", SUGGESTIONS, default="the value, times the processes (p, np, ranks, …)")(
        "What a measurement costs: an expression of parameters and 'value', such as 'value * p * 24'."
    )
    target: Mapping[str, float] = option({}, "NAME=VALUE,…", SUGGESTIONS, parse=fields.point_of)(
        "The point whose value is to be predicted: 'p=1024,n=64'."
    )
    strategy: PointStrategy | None = option(None, "target|cheapest", SUGGESTIONS, default="target, if there is one")(
        "The largest expected gain at the target per cost, or the cheapest lines and points, as Extra-P does."
    )
    until: float | None = option(None, "ERROR", SUGGESTIONS, parse=fields.percentage_of)(
        "Stop when the mean at the target is known within this percentage; without a target, when points off the "
        "cheapest lines are predicted with this mean error."
    )
    budget: float | None = option(None, "N", SUGGESTIONS, minimum=0)(
        "What all measurements may cost, including those already taken."
    )
    count: int | None = option(None, "N", SUGGESTIONS, minimum=1, default="what a line lacks, or one")(
        "The number of points."
    )
    axis: Mapping[str, Sequence[float]] = option(
        {},
        "NAME=VALUE,…",
        SUGGESTIONS,
        parse=fields.axes_of,
        repeated=True,
        default="the measured ones, continued to five",
    )("The possible values of a parameter. Can be repeated.")
    extend: int = option(0, "N", SUGGESTIONS, minimum=0)("N more values of every other parameter.")
    repetitions: int | None = option(None, "N", SUGGESTIONS, minimum=1, default="as measured")(
        "Measurements per point."
    )
    by: fields.By = None
    write: bool = fields.internal(True, "Whether the output is written.")


@dataclass(frozen=True, eq=False)
class Result(Noted, Reported):
    """Scaling models of a profile."""

    request: Request  # the request
    experiment: Experiment  # the measurements
    profile: Profile  # the models, and the series without one
    # those of each model at the points of the request; without any, of a single model beyond the measured ones
    predictions: Mapping[Key, tuple[Prediction, ...]]
    errors: Mapping[Key, float | None]  # the mean relative error of each model at the measured points, in percent
    seconds: float  # the time of fitting
    facts: Mapping[str, Any]  # content of the JSON that holds for all models: parameters, failed series, the file
    trees: tuple[CallTree, ...] = ()  # the call tree of each metric, if it was asked for


def run(request: Request, watch: Watch = UNWATCHED, given: Experiment | None = None) -> Result:
    """Fit scaling models and write them."""
    form = scaling_form(request.output)
    settings = parsed_settings(request.settings)
    if request.top < 1:
        raise RequestError("the ranking shows at least one call path", "top")
    require_writable(request.output, (request.profile,))
    require_picture(request.plot, (request.profile, request.output))
    experiment = experiments_of(request)[0] if given is None else given
    source = experiment.report.source or request.profile
    with Notes() as notes:
        notes += reading_notes(experiment.report)
        series = chosen_series(experiment, request.callpaths, request.metrics)
        notes += pooling_notes(experiment, series)
        if form == ".log" and len(series) > 1:
            hint = "a log holds one model; choose it with --callpath and --metric, or write .json, .txt, .py or .tex"
            raise RequestError(f"there are {len(series):,} models; {hint}", "output")
        if request.plot is not None and len(metrics := sorted({metric for _, metric in series})) > 1:
            text = f"a plot has one metric, but there are {listed(metrics)}; choose with --metric"
            raise RequestError(text, "plot")
        points = _points(request.predict_at, experiment)

        started = time.monotonic()
        settings["on_progress"] = lambda done: watch.advance(done, len(series), f"{done:,} of {len(series):,} models")
        try:
            profile = fit_experiment(experiment, series, jobs=request.jobs, **settings)
        except MeasurementError as error:
            raise error.at(source) from None
        seconds = time.monotonic() - started
        single = list(profile.models.values()) if len(profile.models) == 1 else []
        ends = points or [far_point(model) for model in single]
        tell = partial(watch.advance, total=len(series), text="predicting")
        predicted, without = _predictions(profile.models, ends, tell)
        if without:
            text = f"only the {MAX_INTERVALS:,} models of several parameters with the largest predictions"
            cure = "use the method default, or select models with --callpath or --metric"
            notes.append(Note(f"{text} have intervals; {cure}"))
        trees: tuple[CallTree, ...] = ()
        if request.tree:
            far = {name: experiment.constant.get(name, FAR * value) for name, value in largest_of(experiment).items()}
            end = points[-1] if points else far
            trees = call_trees(experiment, profile.models, end, inclusive=request.inclusive, top=request.top)
            notes += tree_notes(experiment, trees, inclusive=request.inclusive)
        facts = {
            "learner": "pmnf",
            "parameters": list(experiment.parameters),
            "points": len(experiment),
            "failed": [{"callpath": key[0], "metric": key[1], "reason": text} for key, text in profile.failed.items()],
            **({"contexts": dict(experiment.contexts)} if experiment.contexts else {}),
            "files": {"measurements": {"path": source, "sha256": experiment.report.sha256}},
        }
        if request.write:
            extras = {key: {"predictions": values} for key, values in predicted.items()}
            models = scaling_file(profile.models, source, extras, facts)
            parts = models_json_parts(models) if form == ".json" else [model_writers()[form].write(models)]
            only = next(metric for _, metric in profile.models) if len(profile.models) == 1 else None
            notes += replaced_notes([request.output], Subject(f"the profile {source}", only))
            write_whole(request.output, (part.encode() for part in parts))
        if request.plot is not None:
            target = points[-1] if points else None
            ranked = ranking_chart(trees[0], request.top) if trees else None
            write_picture(ranked or scaling_chart(experiment, profile.models, target), request.plot)
        errors = {}
        for key, model in profile.models.items():
            x, values = experiment.measured(*key)
            at = [experiment.parameters.index(name) for name in model.names]
            with np.errstate(all="ignore"):
                errors[key] = mean_relative_error(model.predict(x[:, at]), np.nanmean(values, axis=1))
        found = (*notes, *profile_notes(profile))
        return Result(request, experiment, profile, predicted, errors, seconds, facts, trees, notes=found)


def run_by(request: Request, watch: Watch = UNWATCHED) -> ByValue[Result]:
    """Fit scaling models to a profile for each value of a context (version, machine) of a CSV file."""
    by = request.by
    assert by is not None
    require_files(request.output)
    require_all_values(by, request.where)
    parts = {part.contexts[by]: part for part in experiments_of(request, by)}
    requests = each_context(request, by, list(parts), output=request.output, plot=request.plot)
    return ByValue(by, {value: run(replace(own, by=None), watch, parts[value]) for value, own in requests})


def experiments_of(request: Request, *by: str) -> tuple[Experiment, ...]:
    """Read the measurements, those of each value of a context apart."""
    names = None if request.coordinates is None else list(request.coordinates)
    choice = ColumnChoice(request.context, request.ignore, request.where, by)
    chosen = {name: getattr(request, name) for name in ("metrics", "scaling", "inclusive")}
    return read_experiments(request.profile, names, None, choice, **chosen)


def _predictions(
    models: Mapping[Key, ScalingModel], points: Sequence[Mapping[str, float]], on_progress: Callable[[int], None]
) -> tuple[dict[Key, tuple[Prediction, ...]], int]:
    """Return the predictions of models at points, and how many models have no intervals.

    Of very many slow models only those with the largest predictions at the last point have intervals.
    """
    if not points:
        return {}, 0
    # Their hypotheses are searched first, which takes some milliseconds.
    known = ((key, model.uncertainty) for key, model in models.items() if model.uncertainty is not None)
    slow = [key for key, posterior in known if posterior.shortlist is None and posterior.points.shape[1] > 1]
    few = {*slow} if len(slow) > MAX_INTERVALS else set()
    slow, fast = ([key for key in models if (key in few) is is_few] for is_few in (True, False))
    result: dict[Key, tuple[Prediction, ...]] = {}
    for keys, with_intervals in ((slow, False), (fast, True)):
        for start in range(0, len(keys), _TOGETHER):
            part = keys[start : start + _TOGETHER]
            values = predictions([models[key] for key in part], points, with_intervals=with_intervals)
            result.update(zip(part, values, strict=True))
            on_progress(len(result))
    largest = sorted(slow, key=lambda key: -(result[key][-1].predicted or 0.0))[:MAX_INTERVALS]
    for key in largest:
        (result[key],) = predictions([models[key]], points)
    return {key: result[key] for key in models}, len(slow) - len(largest)


def _points(points: Sequence[Mapping[str, float]], experiment: Experiment) -> list[dict[str, float]]:
    """Return points with a value of every parameter; one that is constant in the profile need not be stated."""
    names = experiment.parameters
    targets = []
    for point in points:
        if unknown := [name for name in point if name not in names]:
            hint = unknown_name_hint(unknown[0], names)
            raise RequestError(f"unknown parameter {unknown[0]!r}; {hint}", "predict_at")
        complete = {**experiment.constant, **point}
        if missing := [name for name in names if name not in complete]:
            raise RequestError(f"a point needs all parameters, there is no value of {listed(missing)}", "predict_at")
        targets.append(complete)
    return targets


def profile_notes(profile: Profile) -> tuple[Note, ...]:
    """Return warnings about series without a model, and the notes of the models."""
    models, failed = profile.models, list(profile.failed.items())
    notes = [Note(f"no model of {title(key) or 'it'}: {reason}", warning=True) for key, reason in failed[:SHOWN]]
    if len(failed) > SHOWN:
        notes.append(Note(f"no model of {len(failed) - SHOWN:,} others either", warning=True))
    if len(models) == 1:
        return (*notes, *notes_of(next(iter(models.values())).notes))
    counts = Counter(text for model in models.values() for text in model.notes)
    kinds: dict[str, list[str]] = {}
    for text, count in counts.items():
        kinds.setdefault(_NUMBER.sub("#", text), []).extend([text] * count)
    groups = sorted(kinds.values(), key=len, reverse=True)
    for texts in groups[:SHOWN]:
        which = "all models" if len(texts) == len(models) else plural(len(texts), "model", "models")
        (note,) = notes_of(texts[:1])
        notes.append(replace(note, text=f"{which}: {merged(texts)}"))
    if len(groups) > SHOWN:
        notes.append(Note(f"{len(groups) - SHOWN:,} more kinds of notes are in the JSON (-o FILE.json, --json)"))
    return tuple(notes)


def merged(texts: Sequence[str]) -> str:
    """Return texts that differ in numbers only as one text with ranges of numbers."""
    numbers = zip(*(_NUMBER.findall(text) for text in dict.fromkeys(texts)), strict=True)
    ranges = []
    for column in numbers:
        low, high = min(column, key=float), max(column, key=float)
        ranges.append(low if low == high else f"{low} … {high}")
    pieces = _NUMBER.split(texts[0])
    return "".join(piece + number for piece, number in zip(pieces, [*ranges, ""], strict=True))
