"""`splc optimize`: find the valid configurations that models predict to be best."""

from __future__ import annotations

from typing import Annotated

import typer

from splc import types
from splc.cli.options import (
    INPUTS,
    POLICIES,
    Aggregate,
    Context,
    Ignore,
    Json,
    MeasurementsFile,
    Options,
    Parameter,
    ParametersFile,
    Printed,
    System,
    Where,
    flag,
    option,
)

EXAMPLES = (
    "splc optimize learned.log --fix px=4 --top 5",
    "splc optimize analytical.txt --maximize",
    "splc optimize --property solve_seconds --property messages --maximize-only messages --plot front.svg",
)


def optimize(
    models: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="MODELS",
            help="The models, one for each property: logs, JSON or model text. '-' is standard input. Without any, a "
            "model of each property is learned from the measurements.",
            show_default=False,
        ),
    ] = None,
    maximize: Annotated[bool, flag("--maximize", "Find the greatest predicted values, not the least.")] = False,
    maximize_only: Annotated[
        list[str] | None, option("NAME", "Find the greatest value of this property only. Can be repeated.")
    ] = None,
    fix: Annotated[
        list[str] | None,
        option("NAME=VALUE", "A value that the configurations must have: 'tls=1', 'tls', 'x=4'. Can be repeated."),
    ] = None,
    top: Annotated[int, option("N", "The number of best configurations, for one property.", min=1)] = 1,
    limit: Annotated[
        int | None, option("N", "The number of configurations to examine at most. [default: 2000000]", min=1)
    ] = None,
    printed: Printed = False,
    plot: Annotated[str | None, option("FILE", "Draw the Pareto front (.svg, .png, .pdf).")] = None,
    json: Json = False,
    parameter: Parameter = None,
    system: System = None,
    measurements: MeasurementsFile = None,
    options: Options = None,
    properties: Annotated[
        list[str] | None,
        option(
            "NAME",
            "The non-functional property; repeated, one for each model, in the same order.",
            INPUTS,
            names="--property --nfp",
        ),
    ] = None,
    parameters: ParametersFile = None,
    context: Context = None,
    ignore: Ignore = None,
    where: Where = None,
    invalid: Annotated[
        types.Invalid, option("error|drop", "Rows whose configuration is unknown or invalid.", POLICIES)
    ] = "drop",
    duplicates: Annotated[
        types.Duplicates, option("error|first|mean", "XML rows that measure a configuration again.", POLICIES)
    ] = "mean",
    aggregate: Aggregate = "mean",
) -> None:
    """Find the valid configuration with the least predicted value; of several properties the Pareto front.

    The full model predicts where the file of the model has it: all valid configurations if there are at most 100,000,
    otherwise those of a local search from the 1,000 best of the printed model. Other models have an exact optimum.

    Of several equally good configurations the first is chosen: options in the system's order, lower values first. If
    there are measurements, the measured values and the best measured configuration are printed.
    """
    given = dict(locals())
    from splc.cli.arguments import request_of
    from splc.cli.json_output import print_json
    from splc.cli.show.optimize import as_json, show
    from splc.cli.terminal import progress, show_notes
    from splc.workflows.optimize import Request, run

    request = request_of(Request, given, ("json",))
    with progress("optimizing") as advance:
        result = run(request, lambda done, total, text: advance(done, None, text))
    if json:
        print_json("optimize", as_json(result))
    else:
        show(result)
    show_notes(result.notes)
