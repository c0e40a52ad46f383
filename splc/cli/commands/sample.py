"""`splc sample`: pick configurations, and write them as a table or as command lines."""

from __future__ import annotations

from typing import Annotated

import typer

from splc.cli.options import (
    Binary,
    Context,
    Duplicates,
    Ignore,
    Invalid,
    Json,
    MeasurementsFile,
    Numeric,
    Options,
    Sampling,
    Seed,
    System,
    Where,
    flag,
    option,
)

AS_COMMANDS = "As command lines"

EXAMPLES = (
    "splc sample --sampling pb:9,3",
    "splc sample --sampling random:20 --seed 1 -o configurations.csv",
    "splc sample --sampling random:50 --extend configurations.csv -o more.csv",
)


def sample(
    sampling: Sampling = None,
    binary: Binary = None,
    numeric: Numeric = None,
    seed: Seed = 0,
    extend: Annotated[
        str | None,
        option("FILE", "An existing sample (configurations or measurements): only what it lacks is picked."),
    ] = None,
    output: Annotated[
        str | None, option("FILE", "The file to write. Default: standard output.", names="--output -o")
    ] = None,
    json: Json = False,
    command: Annotated[
        bool,
        flag("--command", "Write command lines as SPL Conqueror's printconfigs does, not a CSV table.", AS_COMMANDS),
    ] = False,
    prefix: Annotated[str, option("TEXT", "The beginning of every line.", AS_COMMANDS)] = "",
    postfix: Annotated[str, option("TEXT", "The end of every line.", AS_COMMANDS)] = "",
    system: System = None,
    measurements: MeasurementsFile = None,
    options: Options = None,
    context: Context = None,
    ignore: Ignore = None,
    where: Where = None,
    invalid: Invalid = "error",
    duplicates: Duplicates = "error",
) -> None:
    """Pick configurations to measure, and write them as CSV."""
    given = dict(locals())
    from sampling import command_strings
    from splc.cli.arguments import request_of
    from splc.cli.json_output import print_json
    from splc.cli.show.sample import as_json, write
    from splc.cli.terminal import show_notes
    from splc.io.files import STANDARD
    from splc.workflows.sample import Request, run

    if (prefix or postfix) and not command:
        raise typer.BadParameter("only command lines have one, add --command", param_hint="--prefix, --postfix")
    result = run(request_of(Request, given, ("json", "command", "prefix", "postfix")))
    show_notes(result.notes)
    lines = command_strings(result.sample.configurations, prefix, postfix) if command else None
    if output is not None or not json:
        write(result.sample, STANDARD if output is None else output, lines)
    if json:
        print_json("sample", as_json(result.sample, output, lines))
