"""`splc sample`: pick configurations, and write them as a table or as command lines."""

from __future__ import annotations

from typing import Annotated

import typer

from sampling import command_strings
from splc.cli.json_output import print_object
from splc.cli.options import Json
from splc.cli.progress import progress
from splc.cli.show.sample import SampleObject, given, write
from splc.cli.terminal import show_notes
from splc.io.files import STANDARD
from splc.workflows.fields import Without, as_flag, as_option
from splc.workflows.sample import Request, run

AS_COMMANDS = "As command lines"

EXAMPLES = (
    "splc sample --sampling pb:9,3",
    "splc sample --sampling random:20 --seed 1 -o configurations.csv",
    "splc sample --sampling random:50 --extend configurations.csv -o more.csv",
)


def sample(
    request: Annotated[Request, Without(("nfp", "aggregate"))],
    json: Json = False,
    command: Annotated[
        bool,
        as_flag("--command", "Write command lines as SPL Conqueror's printconfigs does, not a CSV table.", AS_COMMANDS),
    ] = False,
    prefix: Annotated[str, as_option("TEXT", "The beginning of every line.", AS_COMMANDS)] = "",
    postfix: Annotated[str, as_option("TEXT", "The end of every line.", AS_COMMANDS)] = "",
) -> None:
    """Pick configurations to measure, and write them as CSV."""
    if (prefix or postfix) and not command:
        raise typer.BadParameter("they need --command", param_hint="--prefix, --postfix")
    with progress("sampling"):
        result = run(request)
    lines = command_strings(result.sample.configurations, prefix, postfix) if command else None
    if request.output is not None or not json:
        write(result.sample, STANDARD if request.output is None else request.output, lines)
    if json:
        print_object(SampleObject, result.sample, **given(result.sample, request.output, lines))
    show_notes(result.notes)
