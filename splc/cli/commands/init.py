"""`splc init`: write a system description that is inferred from a table of measurements."""

from __future__ import annotations

from typing import Annotated

import typer

from splc.cli.options import Context, Ignore, Json, Nfp, Options, option

EXAMPLES = (
    "splc init measurements.csv --property solve_seconds",
    "splc init measurements.csv --system system.xml",
)


def init(
    measurements: Annotated[
        str | None, typer.Argument(metavar="TABLE", help="The measurements (CSV or XML). Default: those of the folder.")
    ] = None,
    output: Annotated[
        str, option("FILE", "The description (XML). Default: standard output.", names="--output -o", show_default=False)
    ] = "-",
    system: Annotated[
        str | None, option("FILE", "An existing description (XML): state how the table differs from it.")
    ] = None,
    nfp: Nfp = None,
    options: Options = None,
    context: Context = None,
    ignore: Ignore = None,
    json: Json = False,
) -> None:
    """Write a system description that is inferred from a table of measurements, for editing.

    It has binary options, numeric options with the values that occur, and alternative groups. Constraints are not
    inferred. The assumptions are comments in the description, and notes on standard error.
    """
    # Standard output may have both: the description is written only without JSON.
    given = {**locals(), "json": False}
    from splc.cli.arguments import request_of
    from splc.cli.json_output import print_json
    from splc.cli.show.init import as_json
    from splc.cli.terminal import note, show_notes
    from splc.io.files import STANDARD
    from splc.workflows.init import Request, run

    result = run(request_of(Request, given, ("json",)))
    show_notes(result.notes)
    if not json or output != STANDARD:
        result.write()
    if json:
        print_json("init", as_json(result))
    if output != STANDARD:
        note(f"the description is in {output}")
