"""`splc suggest`: suggest which point of a scaling model's parameters to measure next."""

from __future__ import annotations

from typing import Annotated

from splc.cli.options import Json, MeasurementsFile, option

SUGGESTING = "Suggestions"
SERIES = "Measurements"

EXAMPLES = (
    "splc suggest --coordinates px,py,nx --metric solve_seconds",
    "splc suggest --coordinates px,py,nx --metric solve_seconds --cost 'value * px * py' --count 3",
)


def suggest(
    measurements: MeasurementsFile = None,
    coordinates: Annotated[
        str | None, option("NAME,…", "The columns of a CSV that are parameters: 'p,n'.", SERIES)
    ] = None,
    callpath: Annotated[
        list[str] | None,
        option("PATTERN", "Only these call paths; values of several are added up. Can be repeated.", SERIES),
    ] = None,
    metric: Annotated[str | None, option("NAME", "The metric, where there are several.", SERIES)] = None,
    cost: Annotated[
        str | None,
        option(
            "EXPRESSION",
            "What a measurement costs, of parameters and 'value': 'value * p * 24'. "
            "Default: the value, times the number of processes if a parameter is named p, np, processes, ranks, …",
            SUGGESTING,
        ),
    ] = None,
    until: Annotated[
        float | None,
        option(
            "ERROR",
            "Stop when points off the cheapest lines are predicted with this mean error in percent.",
            SUGGESTING,
            min=0,
        ),
    ] = None,
    budget: Annotated[
        float | None,
        option("COST", "What all measurements may cost, including those already taken.", SUGGESTING, min=0),
    ] = None,
    count: Annotated[
        int | None, option("N", "The number of points. Default: what a line lacks, or one.", SUGGESTING, min=1)
    ] = None,
    axis: Annotated[
        list[str] | None,
        option(
            "NAME=VALUE,…",
            "The possible values of a parameter. Default: the measured ones, continued to five. Can be repeated.",
            SUGGESTING,
        ),
    ] = None,
    extend: Annotated[int, option("N", "N more values of every other parameter.", SUGGESTING, min=0)] = 0,
    repetitions: Annotated[
        int | None, option("N", "Measurements per point. Default: as measured.", SUGGESTING, min=1)
    ] = None,
    json: Json = False,
) -> None:
    """Suggest which point to measure next for a model of how a program scales.

    The cheapest line of five points along each parameter comes first, then the cheapest other points, until the model
    is good enough or the budget is spent (Ritter et al., Learning Cost-Effective Sampling Strategies).
    """
    from splc.cli.arguments import axes_of, names_of, request_of
    from splc.cli.json_output import print_json
    from splc.cli.show.suggest import as_json, show
    from splc.cli.terminal import show_notes
    from splc.workflows.suggest import Request, run

    result = run(
        request_of(Request, locals(), coordinates=names_of(coordinates, "--coordinates"), axis=axes_of(axis, "--axis"))
    )
    if json:
        print_json("suggest", as_json(result, until, budget))
    else:
        show(result, budget)
    show_notes(result.notes)
