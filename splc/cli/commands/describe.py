"""`splc describe`: describe a system, its valid configurations and its measurements."""

from __future__ import annotations

from typing import Annotated

import typer

from splc.cli.json_output import print_object
from splc.cli.options import Json
from splc.cli.progress import progress
from splc.cli.show.describe import DescriptionObject, show
from splc.cli.terminal import end_if_negative, show_notes
from splc.workflows.describe import Request, run
from splc.workflows.fields import Without, as_flag, as_option

EXAMPLES = (
    "splc describe",
    "splc describe system.xml --json",
    "splc describe measurements.csv --tree",
)


def describe(
    request: Annotated[Request, Without(("aggregate",))],
    tree: Annotated[bool, as_flag("--tree", "Print the options as a tree, long lists as one line.")] = False,
    depth: Annotated[int | None, as_option("N", "The levels of the tree.", minimum=1, default="3")] = None,
    json: Json = False,
) -> None:
    """Show a system's options and constraints, count its valid configurations, and list suspicious parts.

    If there are measurements, their properties, repetitions, contexts and drift are summarised. The measurements
    beside a description that is named are left out, unless --measurements names them.
    """
    if request.argument is not None and request.system is not None:
        raise typer.BadParameter("the system description is given twice", param_hint="--system")
    if depth is not None and not tree:
        raise typer.BadParameter("it needs --tree", param_hint="--depth")
    with progress("counting"):
        result = run(request)
    if json:
        print_object(DescriptionObject, result)
    else:
        show(result, (3 if depth is None else depth) if tree else None)
    show_notes(result.notes)
    if result.problem is not None:
        raise result.problem
    end_if_negative(result.notes)
