"""`splc compare`: compare models with each other and with the measurements."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal, TypeVar

import typer

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
from splc.cli.show.compare import TABLE_NAMES

MODELS = "Models"
PREDICTIONS = "Comparison of predictions"
TERMS = "Comparison of terms"
RESULTS = "Output"

W = TypeVar("W")
ROUNDS: dict[str, Literal["last", "best"]] = {"last": "last", "best": "best"}

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
        typer.Option("--round", metavar="N|last|best", help="The round of logs.", rich_help_panel=MODELS),
    ] = "last",
    learning: Annotated[
        str | None,
        typer.Option(
            "--learning",
            metavar="N|all",
            help="The learning of logs that hold several; 'all' compares each. Default: the last.",
            rich_help_panel=MODELS,
        ),
    ] = None,
    at: Annotated[
        list[str] | None,
        typer.Option(
            "--at",
            metavar="NAME=VALUE",
            help="The row of tabled parameters that is their number in terms: 'nodes=4'. Default: their middle row.",
            rich_help_panel=TERMS,
        ),
    ] = None,
    constant: Annotated[
        bool,
        typer.Option(
            "--constant/--no-constant",
            help="Whether the constant takes part, as a separate equivalence class.",
            rich_help_panel=TERMS,
        ),
    ] = True,
    on: Annotated[
        str | None,
        typer.Option(
            "--on",
            metavar="measured|all|FILE|SPEC",
            help="The configurations: the measured ones (default), all valid ones, those of a file, or a sampling.",
            rich_help_panel=PREDICTIONS,
        ),
    ] = None,
    measures: Annotated[
        list[str] | None,
        typer.Option(
            "--measure",
            metavar="NAME",
            help="A further measure: 'minkowski4', 'smape', …; 'list' prints all. Can be repeated.",
            rich_help_panel=PREDICTIONS,
        ),
    ] = None,
    weights: Annotated[
        str | None,
        typer.Option(
            "--weights",
            metavar="measured|predicted|TERMS",
            help="Weigh configurations by the measured value, the first model's prediction, or the share of terms.",
            rich_help_panel=PREDICTIONS,
        ),
    ] = None,
    intervals: Annotated[
        float | None,
        typer.Option(
            "--intervals",
            metavar="LEVEL",
            help="Also compare confidence bands of predictions at this level (0.95): those of learned models from the "
            "measurements, those of analytical ones from the intervals of their parameters.",
            rich_help_panel=PREDICTIONS,
        ),
    ] = None,
    seed: Seed = 0,
    tables: Annotated[
        list[str] | None,
        typer.Option(
            "--table",
            metavar="NAME",
            help=f"A table: {', '.join(TABLE_NAMES)}. Can be repeated. Default: measures, and for two models terms.",
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
            help="End with exit code 1 if a pair has a lower value: 'jaccard=0.9'; 'measured.cosine=0.9' compares the "
            "models with the measurements. Can be repeated.",
            rich_help_panel=RESULTS,
        ),
    ] = None,
    fail_above: Annotated[
        list[str] | None,
        typer.Option(
            "--fail-above",
            metavar="NAME=VALUE",
            help="The same for values above: 'error_rate=20'.",
            rich_help_panel=RESULTS,
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
    from splc.cli.arguments import numbers_of
    from splc.cli.json_output import print_json
    from splc.cli.show.compare import as_json, picture, show, show_measures
    from splc.cli.terminal import note, show_notes, warn, workflow_progress
    from splc.io.files import write_whole
    from splc.plotting import plot_format
    from splc.workflows.compare import Request, run

    if "list" in (measures or []):
        show_measures()
        return
    if view is not None and plot is None:
        raise typer.BadParameter("there is no picture; add --plot FILE", param_hint="--view")
    forms = [name for name, given in (("json", json), ("csv", csv), ("markdown", markdown), ("latex", latex)) if given]
    if len(forms) > 1:
        raise typer.BadParameter("only one form of output can be chosen", param_hint=f"--{forms[0]}, --{forms[1]}")
    form = forms[0] if forms else ""
    names = chosen_tables(tables or [], form, len(models or []))
    request = Request(
        models=tuple(models or []),
        on=on,
        measures=tuple(measures or []),
        weights=weights,
        intervals=0.95 if intervals is None and "intervals" in names else intervals,
        at=numbers_of(at, "--at"),
        constant=constant,
        parameter=numbers_of(parameter, "--parameter"),
        scale=scale,
        round=number_or(ROUNDS, round, "--round"),
        learning=None if learning is None else number_or({"all": 0}, learning, "--learning", 1),
        ranges="ranges" in names,
        correlations="correlations" in names,
        fail_below=numbers_of(fail_below, "--fail-below"),
        fail_above=numbers_of(fail_above, "--fail-above"),
        seed=seed,
        plot=plot,
        system=system,
        measurements=measurements,
        nfp=nfp,
        parameters=parameters,
        invalid=invalid,
        duplicates=duplicates,
        aggregate=aggregate,
    )
    drawn = plot_format(plot) if plot is not None else None
    with workflow_progress("comparing") as on_progress:
        result = run(request, on_progress)
    if plot is not None and drawn is not None:
        write_whole(plot, picture(result, view or "both", drawn))
        note(f"picture written to {plot}")
    show_notes(result.notes)
    if json:
        print_json("compare", as_json(result))
    else:
        show(result, names, form)
    for text in result.failures:
        warn(text)
    if result.failed:
        raise typer.Exit(1)


def chosen_tables(names: list[str], form: str, models: int) -> tuple[str, ...]:
    """Return the tables to print.

    Raises:
        typer.BadParameter: for an unknown table, and for several tables as CSV.
    """
    from splc.errors import unknown_name_hint

    for name in names:
        if name not in TABLE_NAMES:
            hint = unknown_name_hint(name, list(TABLE_NAMES))
            raise typer.BadParameter(f"unknown table {name!r}; {hint}", param_hint="--table")
    if form == "csv" and len(names) > 1:
        raise typer.BadParameter("CSV is one table; choose one", param_hint="--csv, --table")
    if names:
        return tuple(dict.fromkeys(names))
    return ("measures",) if form == "csv" or models > 2 else ("terms", "measures")


def number_or(words: Mapping[str, W], text: str, option: str, least: int = 0) -> W | int:
    """Return the value of a word, or a whole number.

    Raises:
        typer.BadParameter: if the text is neither.
    """
    if text in words:
        return words[text]
    if text.isdecimal() and len(text) < 10 and int(text) >= least:
        return int(text)
    known = " nor ".join(map(repr, words))
    raise typer.BadParameter(f"{text!r} is neither {known} nor a {'positive ' * least}number", param_hint=option)
