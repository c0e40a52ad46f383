"""`splc convert`: convert measurements, models and system descriptions."""

from __future__ import annotations

from typing import Annotated

import typer

from splc.cli.options import (
    Aggregate,
    Context,
    Duplicates,
    Ignore,
    Invalid,
    Nfp,
    Parameter,
    ParametersFile,
    System,
    Where,
    option,
)

EXAMPLES = (
    "splc convert learned.log -o model.json",
    "splc convert measurements.csv --to splconqueror-csv -o -",
)


def convert(
    source: Annotated[str, typer.Argument(metavar="INPUT", help="The file to convert; its content tells what it is.")],
    output: Annotated[str, option("FILE", "The file to write.", names="--output -o")],
    to: Annotated[
        str | None,
        option(
            "FORMAT",
            "csv, xml or splconqueror-csv (measurements); json, txt or log (models); xml (systems). "
            "Default: by the suffix of the output.",
        ),
    ] = None,
    parameter: Parameter = None,
    at: Annotated[
        list[str] | None,
        option("NAME=VALUE", "The row of tabled parameters that is inserted: 'nodes=4'. Default: their middle row."),
    ] = None,
    system: System = None,
    nfp: Nfp = None,
    parameters: ParametersFile = None,
    context: Context = None,
    ignore: Ignore = None,
    where: Where = None,
    invalid: Invalid = "error",
    duplicates: Duplicates = "error",
    aggregate: Aggregate = "mean",
) -> None:
    """Convert measurements, learned models and system descriptions into other formats."""
    given = dict(locals())
    from splc.cli.arguments import request_of
    from splc.cli.terminal import note, show_notes
    from splc.io.files import STANDARD
    from splc.workflows.convert import Request, run

    result = run(request_of(Request, given))
    show_notes(result.notes)
    if result.output != STANDARD:
        note(f"{result.content} written to {result.output} ({result.form})")
