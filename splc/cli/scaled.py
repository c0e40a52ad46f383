"""`splc learn --learner pmnf`: how a property, or a whole profile of a program, scales with parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

from splc.cli.arguments import names_of
from splc.cli.scaling_files import output_form, written
from splc.cli.scaling_inputs import (
    OF_EXPERIMENTS,
    OF_STEPWISE,
    OF_SYSTEMS,
    experiment_source,
    given_options,
    points_of,
    refuse,
    scaling_settings,
)
from splc.workflows.series import chosen_series

if TYPE_CHECKING:
    from collections.abc import Mapping

    from splc.data.experiment import Key
    from splc.io.files import Source
    from splc.project import Project
    from splc.scaling import ScalingModel
    from splc.scaling.profile import Profile

# The log of stepwise learning cannot say fractional exponents, which most scaling models have.
DEFAULT_OUTPUT = "learned.json"


def learn_pmnf(context: typer.Context) -> None:
    """Do what `splc learn --learner pmnf` was asked for, with the options of `splc learn`."""
    from splc.cli.learning_inputs import stated_settings
    from splc.project import Project

    asked = dict(context.params)
    given = given_options(context)
    refuse(context, OF_STEPWISE, "this is about the learner stepwise, not about pmnf")
    if "output" not in given:
        asked["output"] = DEFAULT_OUTPUT
    asked["form"] = output_form(asked["output"])
    if asked["output"] == "-" and asked["json"]:
        raise typer.BadParameter("standard output has the JSON object already", param_hint="--output")
    settings = scaling_settings(stated_settings(asked["assignments"] or []), asked["method"])
    if "aggregate" in given:
        if "aggregate" in settings:
            raise typer.BadParameter("--set aggregate=… says it already", param_hint="--aggregate")
        settings["aggregate"] = {"min": "minimum"}.get(asked["aggregate"], asked["aggregate"])
    project = Project.load(system=asked["system"], measurements=asked["measurements"], nfp=asked["nfp"])
    source = experiment_source(project, asked["measurements"], asked["coordinates"])
    if source is not None:
        what = "there is no system description here: the measurements are about parameters"
        refuse(context, OF_SYSTEMS, what)
        learn_profile(project, source, asked, settings)
    else:
        from splc.cli.scaled_system import learn_system

        refuse(context, (*OF_EXPERIMENTS, "jobs"), "these are measurements of a described system: there is one model")
        learn_system(project, asked, settings)


def learn_profile(project: Project, source: Source, asked: Mapping[str, Any], settings: Mapping[str, Any]) -> None:
    """Learn from measurements at points of parameters: a model per call path and metric."""
    import time

    from splc.cli.show.scale import far_point, note_all, predictions
    from splc.cli.terminal import progress, report
    from splc.errors import MeasurementError
    from splc.formats.experiments.read import parse_experiment
    from splc.io.files import write_whole
    from splc.io.outputs import require_writable
    from splc.scaling.profile import fit_experiment

    output, form = asked["output"], asked["form"]
    require_writable(output, (source.name, asked["measurements"], *project.files))
    experiment = parse_experiment(source, names_of(asked["coordinates"], "--coordinates"))
    report(experiment.report)
    metrics = [*(asked["metric"] or ()), *([asked["nfp"]] if asked["nfp"] else ())]
    series = chosen_series(experiment, asked["callpath"], metrics)
    if form == ".log" and len(series) > 1:
        hint = "a log holds one model; choose it with --callpath and --metric, or write .json, .txt, .py or .tex"
        raise typer.BadParameter(f"there are {len(series):,} models; {hint}", param_hint="--output")
    needed = [name for name in experiment.parameters if name not in experiment.constant]
    points = points_of(asked["predict_at"], experiment.parameters, needed)
    started = time.monotonic()
    try:
        with progress("modelling", len(series)) as advance:
            profile = fit_experiment(
                experiment,
                series,
                jobs=asked["jobs"],
                on_progress=lambda done: advance(done, f"{done:,} of {len(series):,} models"),
                **settings,
            )
    except MeasurementError as error:
        raise error.at(source.name) from None
    seconds = time.monotonic() - started
    # Parameters that are the same at all points of the file need not be said.
    known = [{**experiment.constant, **point} for point in points]
    predicted: dict[Key, list[dict[str, Any]]] = {}
    with progress("predicting", len(profile.models) if known else 1) as advance:
        for key, model in profile.models.items():
            wanted = known or ([far_point(model)] if len(profile.models) == 1 else [])
            if wanted:
                predicted[key] = predictions(model, wanted)
                advance(len(predicted), "predicting")
    facts = {
        "learner": "pmnf",
        "parameters": list(experiment.parameters),
        "points": len(experiment),
        "failed": [{"callpath": key[0], "metric": key[1], "reason": text} for key, text in profile.failed.items()],
        "files": {"measurements": {"path": source.name, "sha256": source.sha256}},
    }
    content = written(profile.models, form, source.name, {k: {"predictions": v} for k, v in predicted.items()}, facts)
    write_whole(output, content)
    note_all(profile.models, profile.failed)
    if asked["json"]:
        from splc.cli.json_output import print_json
        from splc.formats.models.json_writer import series_object

        entries = [
            {**series_object(key, model), **_judged(experiment, key, model), "predictions": predicted.get(key, [])}
            for key, model in profile.models.items()
        ]
        shared = {"seconds": seconds, "preset": "pmnf", "seed": None, **facts, "output": output}
        print_json("learn", {**entries[0], **shared} if len(entries) == 1 else {"models": entries, **shared})
    elif output != "-":
        _show(profile, predicted, len(experiment), seconds, output, asked["predict_at"])


def _judged(experiment: Any, key: Key, model: ScalingModel) -> dict[str, Any]:
    """Return the keys that every JSON object of `splc learn` has."""
    from splc.data.accuracy import mean_relative_error

    x, values = experiment.measured(*key)
    at = [experiment.parameters.index(name) for name in model.names]
    import numpy as np

    with np.errstate(all="ignore"):
        error = mean_relative_error(model.predict(x[:, at]), np.nanmean(values, axis=1))
    return {
        "nfp": key[1],
        "learning_configurations": model.points,
        "learning_error": error,
        "error": None,
        "error_all": error,
        "rounds": [],
        "termination": "noCandidate",
        "settings": {"method": model.method, **model.settings},
        "notes": list(model.notes),
    }


def _show(
    profile: Profile, predicted: Mapping[Key, Any], points: int, seconds: float, output: str, asked_at: Any
) -> None:
    """Print the models, what they rest on, and where they lie."""
    from splc.cli.show.scale import scaling_facts, show_predictions, show_profile, show_terms
    from splc.cli.terminal import say
    from splc.errors import plural
    from splc.formats.models.entries import title

    models = profile.models
    if len(models) > 1:
        show_profile(models, predicted if asked_at else {})
        facts = [("models", f"{plural(len(models), 'model', 'models')} at {plural(points, 'point', 'points')}")]
    else:
        ((key, model),) = models.items()
        if title(key):
            say(title(key))
        show_terms(model)
        say()
        show_predictions(predicted[key])
        facts = scaling_facts(model)
    facts += [("time", f"{seconds:.3g} s"), ("output", output)]
    say()
    width = max(len(name) for name, _ in facts)
    for name, text in facts:
        say(f"{name:{width}}  {text}")
