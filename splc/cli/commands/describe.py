"""`splc describe`: describe a system and count its valid configurations."""

from __future__ import annotations

from typing import Annotated

import typer

from splc.cli.options import Json, System

EXAMPLES = (
    "splc describe",
    "splc describe system.xml --json",
)


def describe(
    argument: Annotated[
        str | None,
        typer.Argument(metavar="SYSTEM", help="The system description (XML), or a folder with one."),
    ] = None,
    system: System = None,
    json: Json = False,
) -> None:
    """Show a system's options and constraints, count its valid configurations, and list suspicious parts."""
    from splc.cli.json_output import print_json
    from splc.cli.show.describe import as_json, show
    from splc.cli.terminal import show_notes
    from splc.workflows.describe import Request, run

    if argument is not None and system is not None:
        raise typer.BadParameter("the system description is given twice", param_hint="--system")
    result = run(Request(system=argument or system))
    if json:
        print_json("describe", as_json(result.description))
    else:
        show(result.description)
    show_notes(result.notes)
