"""`splc compare`: compare models with each other and with the measurements."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal, TypeVar

import typer

from splc.cli import options
from splc.cli.options import flag, option
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
    parameter: options.Parameter = None,
    scale: Annotated[float | None, option("FACTOR", "Multiply the analytical models.", MODELS)] = None,
    round: Annotated[str, option("N|last|best", "The round of logs.", MODELS)] = "last",
    learning: Annotated[
        str | None,
        option("N|all", "The learning of logs that hold several; 'all' compares each. Default: the last.", MODELS),
    ] = None,
    at: Annotated[
        list[str] | None,
        option(
            "NAME=VALUE",
            "The row of tabled parameters that is their number in terms: 'nodes=4'. Default: their middle row.",
            TERMS,
        ),
    ] = None,
    constant: Annotated[
        bool,
        flag("--constant/--no-constant", "Whether the constant takes part, as a separate equivalence class.", TERMS),
    ] = True,
    on: Annotated[
        str | None,
        option(
            "measured|all|FILE|SPEC",
            "The configurations: the measured ones (default), all valid ones, those of a file, or a sampling.",
            PREDICTIONS,
        ),
    ] = None,
    measures: Annotated[
        list[str] | None,
        option(
            "NAME",
            "A further measure: 'minkowski4', 'smape', …; 'list' prints all. Can be repeated.",
            PREDICTIONS,
            names="--measure",
        ),
    ] = None,
    weights: Annotated[
        str | None,
        option(
            "measured|predicted|TERMS",
            "Weigh configurations by the measured value, the first model's prediction, or the share of terms.",
            PREDICTIONS,
        ),
    ] = None,
    reference: Annotated[
        Literal["first", "second"],
        option(
            "first|second",
            "The model of each pair that relative errors are relative to, in tables and correlations. The keys of "
            "--json and of bounds do not change: error_rate is relative to the first model, error_rate_reversed to "
            "the second.",
            PREDICTIONS,
        ),
    ] = "first",
    intervals: Annotated[
        float | None,
        option(
            "LEVEL",
            "Also compare confidence bands of predictions at this level (0.95): those of learned models from the "
            "measurements, those of analytical ones from the intervals of their parameters.",
            PREDICTIONS,
        ),
    ] = None,
    seed: options.Seed = 0,
    tables: Annotated[
        list[str] | None,
        option(
            "NAME",
            f"A table: {', '.join(TABLE_NAMES)}. Can be repeated. Default: measures, and for two models terms.",
            RESULTS,
            names="--table",
        ),
    ] = None,
    json: options.Json = False,
    csv: Annotated[bool, flag("--csv", "Print the table as CSV.", RESULTS)] = False,
    markdown: Annotated[bool, flag("--markdown", "Print the tables as Markdown.", RESULTS)] = False,
    latex: Annotated[bool, flag("--latex", "Print the tables as LaTeX.", RESULTS)] = False,
    plot: Annotated[str | None, option("FILE", "Draw predictions and terms (.svg, .png, .pdf).", RESULTS)] = None,
    view: Annotated[
        Literal["both", "predictions", "terms"] | None,
        option("both|predictions|terms", "What --plot draws. Default: both.", RESULTS),
    ] = None,
    fail_below: Annotated[
        list[str] | None,
        option(
            "NAME=VALUE",
            "End with exit code 1 if a pair has a lower value: 'jaccard=0.9'; 'measured.cosine=0.9' compares the "
            "models with the measurements. Can be repeated.",
            RESULTS,
        ),
    ] = None,
    fail_above: Annotated[
        list[str] | None, option("NAME=VALUE", "The same for values above: 'error_rate=20'.", RESULTS)
    ] = None,
    system: options.System = None,
    measurements: options.MeasurementsFile = None,
    options: options.Options = None,
    nfp: options.Nfp = None,
    parameters: options.ParametersFile = None,
    context: options.Context = None,
    ignore: options.Ignore = None,
    where: options.Where = None,
    invalid: options.Invalid = "error",
    duplicates: options.Duplicates = "error",
    aggregate: options.Aggregate = "mean",
) -> None:
    """Compare models by their terms and by their predictions, and each with the measurements."""
    given = dict(locals())
    from splc.cli.arguments import request_of
    from splc.cli.json_output import print_json
    from splc.cli.show.compare import as_json, picture, show, show_measures
    from splc.cli.terminal import end_if_negative, note, progress, show_notes, warn
    from splc.io.files import write_whole
    from splc.plotting import plot_format
    from splc.workflows.compare import Request, run

    if "list" in (measures or []):
        if json:
            raise typer.BadParameter("the list of measures is a text; leave out --json", param_hint="--measure, --json")
        show_measures()
        return
    if view is not None and plot is None:
        raise typer.BadParameter("there is no picture; add --plot FILE", param_hint="--view")
    forms = [
        name for name, wanted in (("json", json), ("csv", csv), ("markdown", markdown), ("latex", latex)) if wanted
    ]
    if len(forms) > 1:
        raise typer.BadParameter("only one form of output can be chosen", param_hint=f"--{forms[0]}, --{forms[1]}")
    form = forms[0] if forms else ""
    names = chosen_tables(tables or [], form, len(models or []))
    request = request_of(
        Request,
        given,
        ("tables", "json", "csv", "markdown", "latex", "view"),
        models=tuple(models or ()),
        intervals=0.95 if intervals is None and "intervals" in names else intervals,
        round=number_or(ROUNDS, round, "--round"),
        learning=None if learning is None else number_or({"all": 0}, learning, "--learning", 1),
        ranges="ranges" in names,
        correlations="correlations" in names,
    )
    drawn = plot_format(plot) if plot is not None else None
    with progress("comparing") as on_progress:
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
    end_if_negative(result.notes)


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
