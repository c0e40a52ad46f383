"""`splc optimize`: find the valid configuration that a model predicts to be best."""

from __future__ import annotations

from typing import Annotated

import typer

from splc import types
from splc.cli.options import (
    POLICIES,
    Aggregate,
    Context,
    Ignore,
    Json,
    MeasurementsFile,
    Nfp,
    Parameter,
    ParametersFile,
    System,
    Where,
    flag,
    option,
)

EXAMPLES = (
    "splc optimize learned.log",
    "splc optimize analytical.txt --maximize",
)


def optimize(
    model: Annotated[
        str, typer.Argument(metavar="MODEL", help="The model: a log, JSON or model text. '-' is standard input.")
    ],
    maximize: Annotated[bool, flag("--maximize", "Find the greatest predicted value, not the least.")] = False,
    limit: Annotated[
        int | None, option("N", "The number of configurations to examine at most. [default: 2000000]", min=1)
    ] = None,
    json: Json = False,
    parameter: Parameter = None,
    system: System = None,
    measurements: MeasurementsFile = None,
    nfp: Nfp = None,
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
    """Find the valid configuration with the least predicted value, exactly.

    Of several equally good configurations the first is chosen: options in the system's order, lower values first. If
    there are measurements, the measured value of the configuration and the best measured configuration are printed.
    """
    from splc.cli.arguments import request_of
    from splc.cli.json_output import print_json
    from splc.cli.show.optimize import as_json, show
    from splc.cli.terminal import show_notes
    from splc.workflows.optimize import Request, run

    result = run(request_of(Request, locals()))
    if json:
        print_json("optimize", as_json(result, maximize=maximize))
    else:
        show(result, maximize=maximize)
    show_notes(result.notes)
