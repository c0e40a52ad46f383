"""`splc compare`: models against each other and against measurements, by their terms and by their predictions."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from splc.cli.comparing import TABLE_NAMES
from splc.cli.options import (
    Aggregate,
    Duplicates,
    Invalid,
    Json,
    MeasurementsFile,
    Nfp,
    Parameter,
    ParametersFile,
    Seed,
    System,
)

MODELS = "Which models"
WHERE = "Where and how predictions are compared"
TERMS = "How terms are compared"
RESULTS = "What comes out"

EXAMPLES = (
    "splc compare analytical.txt learned.log",
    "splc compare analytical.txt learned.log --on ff --json",
)


def compare(
    models: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="FIRST OTHER...",
            help="The models: model text, logs, JSON. The first one, usually the analytical one, is compared with each "
            "other one. With a single model the first is the analytical model of the folder.",
            show_default=False,
        ),
    ] = None,
    parameter: Parameter = None,
    scale: Annotated[
        float | None,
        typer.Option("--scale", metavar="FACTOR", help="Multiply the analytical models.", rich_help_panel=MODELS),
    ] = None,
    round: Annotated[
        str,
        typer.Option("--round", metavar="N|last|best", help="The round of logs that is meant.", rich_help_panel=MODELS),
    ] = "last",
    learning: Annotated[
        str | None,
        typer.Option(
            "--learning",
            metavar="N|all",
            help="Which learning of logs that hold several; 'all' compares each. Default: the last.",
            rich_help_panel=MODELS,
        ),
    ] = None,
    at: Annotated[
        list[str] | None,
        typer.Option(
            "--at",
            metavar="NAME=VALUE",
            help="The row of tabled parameters that stands for them in terms: 'nodes=4'. Default: their middle row.",
            rich_help_panel=TERMS,
        ),
    ] = None,
    constant: Annotated[
        bool,
        typer.Option(
            "--constant/--no-constant",
            help="Whether the constant takes part, as an equivalence class of its own.",
            rich_help_panel=TERMS,
        ),
    ] = True,
    on: Annotated[
        str | None,
        typer.Option(
            "--on",
            metavar="measured|all|FILE|SPEC",
            help="The configurations: the measured ones (default), all valid ones, those of a file, or a sampling.",
            rich_help_panel=WHERE,
        ),
    ] = None,
    measure: Annotated[
        list[str] | None,
        typer.Option(
            "--measure",
            metavar="NAME",
            help="A further measure: 'minkowski4', 'smape', … ('--measure list' lists them). Can be repeated.",
            rich_help_panel=WHERE,
        ),
    ] = None,
    weights: Annotated[
        str | None,
        typer.Option(
            "--weights",
            metavar="measured|predicted|TERMS",
            help="Weigh configurations by the measured value, the first model's prediction, or the share of terms.",
            rich_help_panel=WHERE,
        ),
    ] = None,
    intervals: Annotated[
        float | None,
        typer.Option(
            "--intervals",
            metavar="LEVEL",
            help="Compare confidence bands of predictions too, at this level (0.95): of learned models from the "
            "measurements, of analytical ones from the intervals of their parameters.",
            rich_help_panel=WHERE,
        ),
    ] = None,
    seed: Seed = 0,
    tables: Annotated[
        list[str] | None,
        typer.Option(
            "--table",
            metavar="NAME",
            help=f"Which table: {', '.join(TABLE_NAMES)}. Can be repeated. Default: measures, and of two models terms.",
            rich_help_panel=RESULTS,
        ),
    ] = None,
    json: Json = False,
    csv: Annotated[bool, typer.Option("--csv", help="Print the table as CSV.", rich_help_panel=RESULTS)] = False,
    markdown: Annotated[
        bool, typer.Option("--markdown", help="Print the tables as Markdown.", rich_help_panel=RESULTS)
    ] = False,
    latex: Annotated[bool, typer.Option("--latex", help="Print the tables as LaTeX.", rich_help_panel=RESULTS)] = False,
    plot: Annotated[
        str | None,
        typer.Option(
            "--plot", metavar="FILE", help="Draw predictions and terms (.svg, .png, .pdf).", rich_help_panel=RESULTS
        ),
    ] = None,
    view: Annotated[
        Literal["both", "predictions", "terms"] | None,
        typer.Option(
            "--view",
            metavar="both|predictions|terms",
            help="What --plot draws. Default: both.",
            rich_help_panel=RESULTS,
        ),
    ] = None,
    fail_below: Annotated[
        list[str] | None,
        typer.Option(
            "--fail-below",
            metavar="NAME=VALUE",
            help="End with exit code 1 if this measure of some pair is below: 'jaccard=0.9'; 'measured.cosine=0.9' is "
            "about the models against the measurements. Can be repeated.",
            rich_help_panel=RESULTS,
        ),
    ] = None,
    fail_above: Annotated[
        list[str] | None,
        typer.Option(
            "--fail-above", metavar="NAME=VALUE", help="The same for above: 'error_rate=20'.", rich_help_panel=RESULTS
        ),
    ] = None,
    system: System = None,
    measurements: MeasurementsFile = None,
    nfp: Nfp = None,
    parameters: ParametersFile = None,
    invalid: Invalid = "error",
    duplicates: Duplicates = "error",
    aggregate: Aggregate = "mean",
) -> None:
    """Compare models by their terms and by their predictions, and each with the measurements."""
    from dataclasses import replace
    from pathlib import Path

    from comparison import compare_all
    from comparison.measures import measure as known_measure
    from comparison.semantic import DEFAULT_KEYS
    from sampling import Space
    from splc.cli.arguments import numbers_of
    from splc.cli.compared_intervals import interval_bounds
    from splc.cli.compared_models import require_factor, require_rows, subjects_of, which_learning, which_round
    from splc.cli.comparing import Places, chosen_tables, configurations_of, read_files, weights_of
    from splc.cli.json_output import print_json
    from splc.cli.show.compare import print_report, say_what_to_know
    from splc.cli.show.compare_tables import Report
    from splc.cli.terminal import note, progress, warn
    from splc.cli.thresholds import broken, require_measured, thresholds
    from splc.io.files import STANDARD, write_whole
    from splc.io.outputs import require_writable
    from splc.plotting import plot_format
    from splc.project import Project
    from splc.workflows.parameters import require_used, stated_parameters

    if "list" in (measure or []):
        from splc.cli.show.compare import list_measures

        list_measures()
        return
    # Whatever can be refused is refused before anything is read.
    if not models:
        raise typer.BadParameter("name the models to compare", param_hint="FIRST OTHER...")
    require_factor(scale)
    chosen_round, chosen_learning = which_round(round), which_learning(learning)
    if view is not None and plot is None:
        raise typer.BadParameter("there is no picture; add --plot FILE", param_hint="--view")
    form = [name for name, wanted in (("json", json), ("csv", csv), ("markdown", markdown), ("latex", latex)) if wanted]
    if len(form) > 1:
        raise typer.BadParameter("only one form of output can be chosen", param_hint=f"--{form[0]}, --{form[1]}")
    wanted = chosen_tables(tables or [], form[0] if form else "", len(models) + (len(models) == 1))
    keys = tuple(dict.fromkeys((*DEFAULT_KEYS, *(known_measure(key).key for key in measure or []))))
    limits = thresholds(fail_below or [], fail_above or [], keys)
    rows = numbers_of(at, "--at")
    if intervals is None and "intervals" in wanted:
        intervals = 0.95
    drawn = plot_format(plot) if plot is not None else None
    project = Project.load(system=system, measurements=measurements, nfp=nfp, parameters=parameters)
    if len(models) == 1:
        if project.analytical_file is None:
            hint = "name two models, or the analytical one as 'analytical' in splc.toml"
            raise typer.BadParameter(
                f"there is nothing to compare {models[0]} with; {hint}", param_hint="FIRST OTHER..."
            )
        if Path(models[0]).exists() and Path(models[0]).samefile(project.analytical_file):
            what = f"{models[0]} is the analytical model of this folder; name what to compare it with"
            raise typer.BadParameter(what, param_hint="FIRST OTHER...")
        models = [project.analytical_file, *models]
    if sum(file == STANDARD for file in (*models, on)) > 1:
        raise typer.BadParameter("only one file can be standard input", param_hint="FIRST OTHER..., --on")
    require_writable(plot, (*models, on, *project.files))

    space = Space(project.variability_model())
    stated = numbers_of(parameter, "--parameter")
    known = stated_parameters(project, stated)
    found = subjects_of(models, space.model, known, chosen_round, chosen_learning, scale)
    require_used(stated, frozenset().union(*(subject.used for subject in found)))
    require_rows(rows, found)
    places: Places = configurations_of(
        on, project, space, seed, {"invalid": invalid, "duplicates": duplicates, "aggregate": aggregate}, found
    )
    if places.configurations is not None:
        places = replace(places, configurations=project.with_observed(places.configurations))
    elif measure:
        raise typer.BadParameter("there are no configurations to measure on; add --on", param_hint="--measure")
    else:
        note("there are no measurements: only terms are compared; --on all compares predictions on all configurations")
    require_measured(limits, places)
    given, weighted_by = weights_of(weights, places, found[0], space.model)
    bands, single = (None, None) if intervals is None else interval_bounds(found, places, intervals)
    with progress("comparing", len(found) - 1) as advance:
        compared = compare_all(
            [(subject.name, subject.model) for subject in found],
            places.configurations,
            measured=places.measured,
            nfp=places.nfp,
            at=rows,
            constant=constant,
            measures=keys,
            weights=given,
            weighted_by=weighted_by,
            intervals=bands,
            measured_intervals=single,
            level=intervals or 0.95,
            on_pair=advance,
        )
    settings = {
        "parameter": numbers_of(parameter, "--parameter"),
        "scale": scale,
        "round": round,
        "learning": learning,
        "invalid": invalid,
        "duplicates": duplicates,
        "aggregate": aggregate,
    }
    report = Report(
        compared, places, tuple(found), keys, wanted, space, seed, given, settings, read_files(project, places)
    )
    if plot is not None and drawn is not None:
        from splc.cli.show.compare import picture

        write_whole(plot, picture(report, view or "both", drawn))
        note(f"picture written to {plot}")
    say_what_to_know(report)
    if json:
        from splc.cli.show.compare_json import as_json

        print_json("compare", as_json(report))
    else:
        print_report(report, form[0] if form else "")
    failures = broken(limits, compared)
    for text in failures:
        warn(text)
    if failures:
        raise typer.Exit(1)
