"""`splc learn`: a performance-influence model out of measurements."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from splc.cli.options import (
    Aggregate,
    Binary,
    Duplicates,
    Invalid,
    Json,
    MeasurementsFile,
    Nfp,
    Numeric,
    Sampling,
    Seed,
    System,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from splc.learning import Round

DEFAULT_OUTPUT = "learned.log"
LEARNING = "How to learn"
RESULTS = "What comes out"
SCALING = "Scaling models (--learner pmnf)"

EXAMPLES = (
    "splc learn",
    "splc learn --sampling pb:9,3 -o model.json",
)


def learn(
    context: typer.Context,
    learner: Annotated[
        Literal["stepwise", "pmnf"],
        typer.Option(
            "--learner",
            metavar="stepwise|pmnf",
            help="Terms of options, stepwise; or how it scales with a few parameters (performance model normal form).",
            rich_help_panel=LEARNING,
        ),
    ] = "stepwise",
    sampling: Sampling = None,
    binary: Binary = None,
    numeric: Numeric = None,
    missing: Annotated[
        Literal["error", "drop", "nearest"],
        typer.Option("--missing", metavar="error|drop|nearest", help="Sampled configurations that were not measured."),
    ] = "error",
    seed: Seed = 0,
    preset: Annotated[
        str, typer.Option("--preset", metavar="NAME", help="The settings to start from.", rich_help_panel=LEARNING)
    ] = "default",
    assignments: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=VALUE",
            help="A setting, by SPL Conqueror's name: 'abortError=1'. Can be repeated. "
            "It comes before splc.toml's [learning], which comes before the preset. "
            "Of pmnf: aggregate, segmented, strong_scaling, …",
            rich_help_panel=LEARNING,
        ),
    ] = None,
    observed: Annotated[
        list[str] | None,
        typer.Option(
            "--observed",
            metavar="PATTERN",
            help="Observed variables to learn from, beside the options: 'C_*'. Can be repeated.",
            rich_help_panel=LEARNING,
        ),
    ] = None,
    parts: Annotated[
        list[str] | None,
        typer.Option(
            "--sum",
            metavar="NFP[:WHERE]",
            help="Learn this part of the property, and add up the models of all parts; WHERE is 1 where it counts. "
            "'seconds_{}:level_{}' is every level; in --observed, {} is the same level. Can be repeated.",
            rich_help_panel=LEARNING,
        ),
    ] = None,
    method: Annotated[
        str | None,
        typer.Option(
            "--method",
            metavar="NAME",
            help="'default', 'classic', 'basic', 'refinement' or 'extrap'.",
            rich_help_panel=SCALING,
        ),
    ] = None,
    coordinates: Annotated[
        str | None,
        typer.Option(
            "--coordinates",
            metavar="NAME,…",
            help="The columns of a CSV that are parameters, where no system is described: 'p,n'.",
            rich_help_panel=SCALING,
        ),
    ] = None,
    callpath: Annotated[
        list[str] | None,
        typer.Option(
            "--callpath",
            metavar="PATTERN",
            help="Model these call paths only. Can be repeated.",
            rich_help_panel=SCALING,
        ),
    ] = None,
    metric: Annotated[
        list[str] | None,
        typer.Option(
            "--metric", metavar="PATTERN", help="Model these metrics only. Can be repeated.", rich_help_panel=SCALING
        ),
    ] = None,
    predict_at: Annotated[
        list[str] | None,
        typer.Option(
            "--predict-at",
            metavar="NAME=VALUE,…",
            help="Predict this point, with a 90 % interval: 'p=1024,n=64'. Can be repeated.",
            rich_help_panel=SCALING,
        ),
    ] = None,
    jobs: Annotated[
        int,
        typer.Option(
            "--jobs",
            metavar="N",
            help="Processes; -1 is one per core. Worth it for many thousands of models.",
            rich_help_panel=SCALING,
        ),
    ] = 1,
    evaluate_on: Annotated[
        str | None,
        typer.Option(
            "--evaluate-on",
            metavar="FILE",
            help="Measurements to judge the model by, instead of what was not learned from.",
            rich_help_panel=LEARNING,
        ),
    ] = None,
    output: Annotated[
        str,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="The model: .json is JSON with all that produced it, anything else a log as SPL Conqueror writes it; "
            "of pmnf (learned.json) also .txt, .py, .tex.",
            rich_help_panel=RESULTS,
        ),
    ] = DEFAULT_OUTPUT,
    plot: Annotated[
        str | None,
        typer.Option(
            "--plot",
            metavar="FILE",
            help="Draw predicted against measured values (.svg, .png, .pdf).",
            rich_help_panel=RESULTS,
        ),
    ] = None,
    json: Json = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Print every round on standard error.")] = False,
    system: System = None,
    measurements: MeasurementsFile = None,
    nfp: Nfp = None,
    invalid: Invalid = "error",
    duplicates: Duplicates = "error",
    aggregate: Aggregate = "mean",
) -> None:
    """Learn a performance-influence model from measurements, and write it to learned.log.

    Without a sampling all measured configurations are learned from, and none is left to judge the model by.
    With --learner pmnf, --measurements may be a profile: Extra-P's text, JSON or JSON lines, Talpas, or a CSV.
    """
    from splc.cli.scaling_inputs import OF_PMNF, refuse

    if learner == "pmnf":
        from splc.cli.scaled import learn_pmnf

        learn_pmnf(context)
        return
    refuse(context, OF_PMNF, "this is about scaling models: --learner pmnf")

    from sampling import Space, parse_spec
    from splc.cli.interruption import interruption
    from splc.cli.json_output import print_json
    from splc.cli.learning_inputs import (
        evaluation_set,
        input_files,
        learning_rows,
        note_without_effect,
        stated_settings,
        with_deviation,
    )
    from splc.cli.show.learn import as_json, evaluated_on, require_expressible, show, write
    from splc.cli.terminal import note, progress, report
    from splc.errors import plural
    from splc.io.outputs import require_writable
    from splc.learning import learn as learn_model
    from splc.learning import learn_sum
    from splc.learning.stepwise.settings import preset as preset_settings
    from splc.learning.sums import parts_of
    from splc.plotting import plot_format
    from splc.project import Project

    # Whatever can be refused is refused before the measurements are read.
    if parts and evaluate_on is not None:
        raise typer.BadParameter("a sum of parts is judged by what was not learned from", param_hint="--evaluate-on")
    if output == "-" and json:
        raise typer.BadParameter("standard output has the JSON object already", param_hint="--output")
    spec = parse_spec("measured" if sampling is binary is numeric is None else sampling, binary=binary, numeric=numeric)
    stated = stated_settings(assignments or [])
    drawn = plot_format(plot) if plot is not None else None
    project = Project.load(system=system, measurements=measurements, nfp=nfp)
    wanted = {**project.learning, **stated}
    chosen = preset_settings(preset).changed(wanted)
    note_without_effect(wanted)
    inputs = (project.system_file, project.measurements_file, evaluate_on, *project.files)
    require_writable(output, inputs)
    require_writable(plot, (*inputs, output))

    space = Space(project.variability_model())
    require_expressible(output, space.model)
    policies: Any = {"invalid": invalid, "duplicates": duplicates, "aggregate": aggregate}
    measured = project.measurements(space.model, space, **policies)
    report(measured.report)
    name = project.the_nfp(measured)
    evaluation = None
    if evaluate_on is not None:
        evaluation = evaluation_set(project, evaluate_on, name, space, policies)
    wanted = with_deviation(wanted, measured)
    rows, sampled = learning_rows(measured, name, spec, seed, space, missing)
    provenance = {
        "sampling": sampled,
        "measured_configurations": len(measured.measured(name)),
        "files": input_files(project, measured, evaluation),
    }
    shared: Any = {"learning_set": rows, "settings": wanted, "seed": seed, "provenance": provenance}
    with interruption("this round") as stop, progress("learning", chosen.numberOfRounds) as advance:
        after = on_round(advance, verbose, space.model.term_order)
        if parts:
            found_parts = parts_of(parts, measured.properties, observed or ())
            result = learn_sum(
                measured,
                found_parts,
                name,
                preset,
                on_round=lambda part, this: after(this, part.nfp + ", "),
                should_stop=stop,
                **shared,
            ).whole
        else:
            result = learn_model(
                measured,
                name,
                preset,
                observed=observed or (),
                evaluation=evaluation,
                on_round=after,
                should_stop=stop,
                **shared,
            )
    for text in result.notes:
        note(text)
    if evaluation is not None:
        found = evaluated_on(result, measured, rows, evaluation)
        if found["learned_from"]:
            whole = plural(found["configurations"], "configuration", "configurations")
            note(f"{found['learned_from']:,} of the {whole} of {evaluation.report.source} were learned from")
    write(result, output, plot, drawn, measured, rows, evaluation)
    if json:
        print_json("learn", as_json(result, measured, rows, evaluation, output))
    elif output != "-":
        show(result, measured, rows, evaluation, output, plot)
    if result.termination == "interrupted":
        note("learning was interrupted; what was learned until then is kept")
        raise typer.Exit(130)


def on_round(advance: Callable[[int, str], None], verbose: bool, order: Sequence[str]) -> Callable[..., None]:
    """Return what is done after each round (of a part): move the progress bar, print the round where asked for."""
    import sys

    def show_round(this: Round, part: str = "") -> None:
        advance(this.number, f"{part}round {this.number}: error {this.learning_error:.4g} %")
        if verbose:
            text = this.added.log_text(order)
            print(f"{part}round {this.number}: + {text}, error {this.learning_error:.6g} %", file=sys.stderr)

    return show_round
