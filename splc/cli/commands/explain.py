"""`splc explain`: explain a model or one of its predictions."""

from __future__ import annotations

from typing import Annotated

import typer

from splc.cli.options import (
    Context,
    Ignore,
    Json,
    MeasurementsFile,
    Nfp,
    Options,
    Parameter,
    ParametersFile,
    Printed,
    System,
    Where,
    option,
)

EXAMPLES = (
    "splc explain learned.log",
    "splc explain learned.log px=4,py=4,nx=400",
    "splc explain learned.log px=4,py=1,nx=400 --against px=1,py=4,nx=400 --plot difference.svg",
)


def explain(
    model: Annotated[
        str, typer.Argument(metavar="MODEL", help="The model: a log, JSON or model text. '-' is standard input.")
    ],
    configuration: Annotated[
        str | None,
        typer.Argument(
            metavar="[CONFIGURATION]",
            help="The configuration whose prediction is explained: 'cache,threads=4', or a CSV file of one row.",
            show_default=False,
        ),
    ] = None,
    against: Annotated[
        str | None, option("CONFIGURATION", "Another configuration: explain why the predictions of the two differ.")
    ] = None,
    printed: Printed = False,
    plot: Annotated[str | None, option("FILE", "Draw the explanation (.svg, .png, .pdf).")] = None,
    json: Json = False,
    parameter: Parameter = None,
    system: System = None,
    measurements: MeasurementsFile = None,
    nfp: Nfp = None,
    options: Options = None,
    parameters: ParametersFile = None,
    context: Context = None,
    ignore: Ignore = None,
    where: Where = None,
) -> None:
    """Explain a model: the options by their share of the variance, their interactions, and the effect of each value.

    All averages are over the valid configurations. With a configuration, the contribution of each term to its
    prediction is printed, relative to the mean or to another configuration.
    """
    given = dict(locals())
    from splc.cli.arguments import request_of
    from splc.cli.json_output import print_json
    from splc.cli.show.explain import as_json, show
    from splc.cli.terminal import show_notes
    from splc.workflows.explain import Request, run

    result = run(request_of(Request, given, ("json",)))
    show_notes(result.notes)
    if json:
        print_json("explain", as_json(result))
    else:
        show(result)
