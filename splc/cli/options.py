"""The options that several subcommands share, as annotated types."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from splc import types

INPUTS = "Inputs (default: those of the current folder)"
POLICIES = "Problematic measurements"


def option(names: str, metavar: str, text: str, panel: str | None = None, **settings: Any) -> Any:
    """Return an option with a value.

    `names` are separated by spaces, `metavar` stands for the value, `panel` is the section of the help text.
    """
    return typer.Option(*names.split(), metavar=metavar, help=text, rich_help_panel=panel, **settings)


def flag(names: str, text: str, panel: str | None = None) -> Any:
    """Return an option without a value."""
    return typer.Option(*names.split(), help=text, rich_help_panel=panel)


System = Annotated[str | None, option("--system", "FILE", "The system description (XML).", INPUTS)]
MeasurementsFile = Annotated[str | None, option("--measurements", "FILE", "The measurements (CSV or XML).", INPUTS)]
Nfp = Annotated[str | None, option("--property --nfp", "NAME", "The non-functional property.", INPUTS)]
ParametersFile = Annotated[
    str | None,
    option(
        "--parameters", "FILE", "The machine parameters of analytical models (TOML, or lines 'name = number').", INPUTS
    ),
]
Parameter = Annotated[
    list[str] | None,
    option(
        "--parameter", "NAME=VALUE", "A machine parameter: 'alpha=2.2e-7'. Can be repeated; overrides the file.", INPUTS
    ),
]
Invalid = Annotated[
    types.Invalid, option("--invalid", "error|drop", "Rows whose configuration is unknown or invalid.", POLICIES)
]
Duplicates = Annotated[
    types.Duplicates,
    option("--duplicates", "error|first|mean", "XML rows that measure a configuration again.", POLICIES),
]
Aggregate = Annotated[
    types.Aggregate, option("--aggregate", "mean|median|min", "The value that represents repetitions.", POLICIES)
]
Seed = Annotated[int, option("--seed", "N", "The seed of random draws.", min=0)]
Sampling = Annotated[str | None, option("--sampling", "SPEC", "The sampling: 'pb:9,3', 'random:50', 'pairwise+ff', …")]
Binary = Annotated[str | None, option("--binary", "SPEC", "The sampling of the binary options: 'pairwise', …")]
Numeric = Annotated[str | None, option("--numeric", "SPEC", "The sampling of the numeric options: 'pb:9,3', …")]
Json = Annotated[bool, flag("--json", "Print one JSON object.")]
