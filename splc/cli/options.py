"""The options that several subcommands share, as annotated types."""

from __future__ import annotations

from typing import Annotated

import typer

from splc import types

INPUTS = "Inputs (default: those of the current folder)"
POLICIES = "Problematic measurements"


System = Annotated[
    str | None,
    typer.Option("--system", metavar="FILE", help="The system description (XML).", rich_help_panel=INPUTS),
]
MeasurementsFile = Annotated[
    str | None,
    typer.Option("--measurements", metavar="FILE", help="The measurements (CSV or XML).", rich_help_panel=INPUTS),
]
Nfp = Annotated[
    str | None,
    typer.Option("--property", "--nfp", metavar="NAME", help="The non-functional property.", rich_help_panel=INPUTS),
]
ParametersFile = Annotated[
    str | None,
    typer.Option(
        "--parameters",
        metavar="FILE",
        help="The machine parameters of analytical models (TOML, or lines 'name = number').",
        rich_help_panel=INPUTS,
    ),
]
Parameter = Annotated[
    list[str] | None,
    typer.Option(
        "--parameter",
        metavar="NAME=VALUE",
        help="A machine parameter: 'alpha=2.2e-7'. Can be repeated; overrides the file.",
        rich_help_panel=INPUTS,
    ),
]
Invalid = Annotated[
    types.Invalid,
    typer.Option(
        "--invalid",
        metavar="error|drop",
        help="Rows whose configuration is unknown or invalid.",
        rich_help_panel=POLICIES,
    ),
]
Duplicates = Annotated[
    types.Duplicates,
    typer.Option(
        "--duplicates",
        metavar="error|first|mean",
        help="XML rows that measure a configuration again.",
        rich_help_panel=POLICIES,
    ),
]
Aggregate = Annotated[
    types.Aggregate,
    typer.Option(
        "--aggregate",
        metavar="mean|median|min",
        help="The value that represents repetitions.",
        rich_help_panel=POLICIES,
    ),
]
Seed = Annotated[int, typer.Option("--seed", min=0, metavar="N", help="The seed of random draws.")]
Sampling = Annotated[
    str | None,
    typer.Option("--sampling", metavar="SPEC", help="The sampling: 'pb:9,3', 'random:50', 'pairwise+ff', …"),
]
Binary = Annotated[
    str | None, typer.Option("--binary", metavar="SPEC", help="The sampling of the binary options: 'pairwise', …")
]
Numeric = Annotated[
    str | None, typer.Option("--numeric", metavar="SPEC", help="The sampling of the numeric options: 'pb:9,3', …")
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
