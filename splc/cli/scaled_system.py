"""`splc learn --learner pmnf` for a described system: its numeric options are the parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from splc.data.measurements import Measurements
    from splc.learning import LearningResult
    from splc.project import Project
    from splc.scaling import ScalingModel


def learn_system(project: Project, asked: Mapping[str, Any], settings: Mapping[str, Any]) -> None:
    """Learn a scaling model from the measurements of a system, judge it, write and show it."""
    from sampling import Space, parse_spec
    from splc.cli.json_output import print_json
    from splc.cli.learning_inputs import evaluation_set, input_files, learning_rows
    from splc.cli.scaling_inputs import points_of
    from splc.cli.show.scale import far_point, predictions
    from splc.cli.terminal import note, report
    from splc.errors import MeasurementError
    from splc.io.files import write_whole
    from splc.io.outputs import require_writable
    from splc.learning import learn
    from splc.plotting import plot_format, prediction_plot

    sampling, binary, numeric = asked["sampling"], asked["binary"], asked["numeric"]
    spec = parse_spec("measured" if sampling is binary is numeric is None else sampling, binary=binary, numeric=numeric)
    plot, output, evaluate_on = asked["plot"], asked["output"], asked["evaluate_on"]
    drawn = plot_format(plot) if plot is not None else None
    inputs = (project.system_file, project.measurements_file, evaluate_on, *project.files)
    require_writable(output, inputs)
    require_writable(plot, (*inputs, output))
    space = Space(project.variability_model())
    policies: Any = {name: asked[name] for name in ("invalid", "duplicates", "aggregate")}
    measured = project.measurements(space.model, space, **policies)
    report(measured.report)
    name = project.the_nfp(measured)
    evaluation = None
    if evaluate_on is not None:
        evaluation = evaluation_set(project, evaluate_on, name, space, policies)
    if project.learning:
        note("[learning] of splc.toml is about the learner stepwise; for pmnf use --method and --set")
    rows, sampled = learning_rows(measured, name, spec, asked["seed"], space, asked["missing"])
    provenance = {
        "sampling": sampled,
        "measured_configurations": len(measured.measured(name)),
        "files": input_files(project, measured, evaluation),
    }
    shared: Any = {"evaluation": evaluation, "seed": asked["seed"], "provenance": provenance}
    try:
        result = learn(measured, name, learner="pmnf", learning_set=rows, settings=settings, **shared)
    except MeasurementError as error:
        raise error.at(measured.report.source) from None
    scaling = result.scaling
    assert scaling is not None
    names = scaling.names
    numbers = [option.name for option in measured.model.numeric_options]
    points = points_of(asked["predict_at"], numbers, names)
    predicted = predictions(scaling, points or [far_point(scaling)])
    for text in result.notes:
        note(text)
    content = _written(result, scaling, asked["form"], measured)
    image = None
    if drawn is not None:
        import numpy as np

        there = np.flatnonzero(~np.isnan(measured.column(name)))
        judged = measured[there]
        values = result.model.predict(judged.configurations)
        learned = np.isin(there, rows)
        image = prediction_plot(judged.column(name), values, learned, name, measured.model.name, drawn)
    write_whole(output, content)
    if plot is not None and image is not None:
        write_whole(plot, image)
    if asked["json"]:
        print_json("learn", _as_json(result, scaling, measured, evaluation, predicted, output))
    elif output != "-":
        _show(result, scaling, measured, evaluation, predicted, output, plot)


def _written(result: LearningResult, scaling: ScalingModel, form: str, measured: Measurements) -> str:
    """Return the content of the output file."""
    from dataclasses import replace

    from splc.cli.scaling_files import written
    from splc.data.experiment import ROOT_CALLPATH
    from splc.errors import OutputError
    from splc.formats.models.json_writer import learned_json_text, scaling_object
    from splc.formats.models.log_writer import learned_log_text

    if form in (".json", ".log"):
        if form == ".log" and scaling.below is not None:
            raise OutputError("a log cannot say a model of two segments", hint="write it as .json, .txt or .py")
        whole = replace(result, provenance={**result.provenance, "scaling": scaling_object(scaling)})
        return learned_json_text(whole) if form == ".json" else learned_log_text(whole)
    origin = measured.report.source or measured.model.name
    return written({(ROOT_CALLPATH, result.nfp): scaling}, form, origin, {}, {})


def _as_json(
    result: LearningResult,
    scaling: ScalingModel,
    measured: Measurements,
    evaluation: Measurements | None,
    predicted: Any,
    output: str,
) -> dict[str, Any]:
    """Return the content of the JSON object, with the keys that stepwise learning has."""
    from splc.formats.models.json_writer import model_object, scaling_object

    return {
        "system": measured.model.name,
        "nfp": result.nfp,
        "learner": "pmnf",
        "model": model_object(result.model),
        "scaling": scaling_object(scaling),
        "predictions": predicted,
        "sampling": result.provenance["sampling"],
        "learning_configurations": result.learning_configurations,
        "measured_configurations": result.provenance["measured_configurations"],
        "learning_error": result.learning_error,
        "error": result.error,
        "error_all": result.error_all,
        "evaluated_on": None if evaluation is None else evaluation.report.source,
        "left_out": result.left_out,
        "rounds": [],
        "termination": result.termination,
        "seconds": result.seconds,
        "preset": result.preset,
        "settings": dict(result.settings),
        "seed": result.seed,
        "files": result.provenance["files"],
        "output": output,
        "notes": list(result.notes),
    }


def _show(
    result: LearningResult,
    scaling: ScalingModel,
    measured: Measurements,
    evaluation: Measurements | None,
    predicted: Any,
    output: str,
    plot: str | None,
) -> None:
    """Print the model, its errors, what it predicts, and where it lies."""
    from splc.cli.show.learn import configurations, percent
    from splc.cli.show.scale import scaling_facts, show_predictions, show_terms
    from splc.cli.terminal import say

    say(f"{measured.model.name}: model of {result.nfp}")
    show_terms(scaling)
    say()
    show_predictions(predicted)
    learned, everything = result.learning_configurations, result.provenance["measured_configurations"]
    facts = scaling_facts(scaling)
    facts.append(("learning error", f"{percent(result.learning_error)} on {configurations(learned)} learned from"))
    rest = everything - learned
    if evaluation is not None:
        facts.append(("error", f"{percent(result.error)} on {evaluation.report.source}"))
    elif rest:
        facts.append(("error", f"{percent(result.error)} on {configurations(rest)} not learned from"))
    else:
        facts.append(("error", "unknown: everything measured was learned from, nothing is left to judge the model by"))
    if rest:
        facts.append(("error, all", f"{percent(result.error_all)} on {configurations(everything)} measured"))
    facts += [("time", f"{result.seconds:.3g} s"), ("model", output)]
    if plot is not None:
        facts.append(("plot", plot))
    say()
    width = max(len(name) for name, _ in facts)
    for name, text in facts:
        say(f"{name:{width}}  {text}")
