"""`splc suggest`: suggest which point of a scaling model's parameters to measure next."""

from __future__ import annotations

from typing import Annotated

import typer

from splc.cli.options import Json, MeasurementsFile

SUGGESTING = "Suggestions"
SERIES = "Measurements"

EXAMPLES = (
    "splc suggest --coordinates px,py,nx --metric solve_seconds",
    "splc suggest --coordinates px,py,nx --metric solve_seconds --cost 'value * px * py' --count 3",
)


def suggest(
    measurements: MeasurementsFile = None,
    coordinates: Annotated[
        str | None,
        typer.Option(
            "--coordinates",
            metavar="NAME,…",
            help="The columns of a CSV that are parameters: 'p,n'.",
            rich_help_panel=SERIES,
        ),
    ] = None,
    callpath: Annotated[
        list[str] | None,
        typer.Option(
            "--callpath",
            metavar="PATTERN",
            help="Only these call paths; values of several are added up. Can be repeated.",
            rich_help_panel=SERIES,
        ),
    ] = None,
    metric: Annotated[
        str | None,
        typer.Option("--metric", metavar="NAME", help="The metric, where there are several.", rich_help_panel=SERIES),
    ] = None,
    cost: Annotated[
        str | None,
        typer.Option(
            "--cost",
            metavar="EXPRESSION",
            help="What a measurement costs, of parameters and 'value': 'value * p * 24'. "
            "Default: the value, times the number of processes if a parameter is named p, np, processes, ranks, …",
            rich_help_panel=SUGGESTING,
        ),
    ] = None,
    until: Annotated[
        float | None,
        typer.Option(
            "--until",
            min=0,
            metavar="ERROR",
            help="Stop when points off the cheapest lines are predicted with this mean error in percent.",
            rich_help_panel=SUGGESTING,
        ),
    ] = None,
    budget: Annotated[
        float | None,
        typer.Option(
            "--budget",
            min=0,
            metavar="COST",
            help="What all measurements may cost, including those already taken.",
            rich_help_panel=SUGGESTING,
        ),
    ] = None,
    count: Annotated[
        int | None,
        typer.Option(
            "--count",
            min=1,
            metavar="N",
            help="The number of points. Default: what a line lacks, or one.",
            rich_help_panel=SUGGESTING,
        ),
    ] = None,
    axis: Annotated[
        list[str] | None,
        typer.Option(
            "--axis",
            metavar="NAME=VALUE,…",
            help="The possible values of a parameter. Default: the measured ones, continued to five. Can be repeated.",
            rich_help_panel=SUGGESTING,
        ),
    ] = None,
    extend: Annotated[
        int,
        typer.Option(
            "--extend", min=0, metavar="N", help="N more values of every other parameter.", rich_help_panel=SUGGESTING
        ),
    ] = 0,
    repetitions: Annotated[
        int | None,
        typer.Option(
            "--repetitions",
            min=1,
            metavar="N",
            help="Measurements per point. Default: as measured.",
            rich_help_panel=SUGGESTING,
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Suggest which point to measure next for a model of how a program scales.

    The cheapest line of five points along each parameter comes first, then the cheapest other points, until the model
    is good enough or the budget is spent (Ritter et al., Learning Cost-Effective Sampling Strategies).
    """
    from splc.cli.arguments import axes_of, names_of
    from splc.cli.json_output import print_json
    from splc.cli.show.suggest import as_json, show
    from splc.cli.terminal import show_notes
    from splc.workflows.suggest import Request, run

    result = run(
        Request(
            measurements=measurements,
            coordinates=names_of(coordinates, "--coordinates"),
            callpath=callpath,
            metric=metric,
            cost=cost,
            until=until,
            budget=budget,
            count=count,
            axis=axes_of(axis, "--axis"),
            extend=extend,
            repetitions=repetitions,
        )
    )
    if json:
        print_json("suggest", as_json(result, until, budget))
    else:
        show(result, budget)
    show_notes(result.notes)
