"""The options that several subcommands share, as annotated types."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from splc import types

INPUTS = "Inputs (default: those of the current folder)"
POLICIES = "Problematic measurements"


def option(metavar: str, text: str, panel: str | None = None, *, names: str = "", **settings: Any) -> Any:
    """Return an option with a value.

    `metavar` stands for the value, `panel` is the section of the help text. An option has the name of its parameter
    unless `names`, separated by spaces, are given.
    """
    return typer.Option(*names.split(), metavar=metavar, help=text, rich_help_panel=panel, **settings)


def flag(names: str, text: str, panel: str | None = None) -> Any:
    """Return an option without a value."""
    return typer.Option(*names.split(), help=text, rich_help_panel=panel)


System = Annotated[str | None, option("FILE", "The system description (XML), or a table.", INPUTS)]
MeasurementsFile = Annotated[str | None, option("FILE", "The measurements (CSV or XML).", INPUTS)]
Nfp = Annotated[str | None, option("NAME", "The non-functional property.", INPUTS, names="--property --nfp")]
ParametersFile = Annotated[
    str | None, option("FILE", "The machine parameters of analytical models (TOML, or lines 'name = number').", INPUTS)
]
Parameter = Annotated[
    list[str] | None,
    option("NAME=VALUE", "A machine parameter: 'alpha=2.2e-7'. Can be repeated; overrides the file.", INPUTS),
]
Invalid = Annotated[types.Invalid, option("error|drop", "Rows whose configuration is unknown or invalid.", POLICIES)]
Duplicates = Annotated[
    types.Duplicates, option("error|first|mean", "XML rows that measure a configuration again.", POLICIES)
]
Context = Annotated[
    list[str] | None,
    option("COLUMN,…", "Contexts with numeric values. Can be repeated.", POLICIES),
]
Options = Annotated[
    list[str] | None,
    option(
        "NAME,…",
        "Without a description: columns that are options, beside the inferred ones.",
        INPUTS,
    ),
]
Ignore = Annotated[list[str] | None, option("COLUMN,…", "Columns that are not read. Can be repeated.", POLICIES)]
Where = Annotated[
    list[str] | None,
    option("COLUMN=VALUE", "The rows with this value only. Can be repeated.", POLICIES),
]
By = Annotated[
    str | None,
    option(
        "COLUMN",
        "Do this for each value of this context (version, machine). Files are written per value: the value replaces {} "
        "in the name, or is added to it.",
        POLICIES,
    ),
]
Aggregate = Annotated[types.Aggregate, option("mean|median|min", "The value that represents repetitions.", POLICIES)]
Seed = Annotated[int, option("N", "The seed of random draws.", min=0)]
Sampling = Annotated[str | None, option("SPEC", "The sampling: 'pb:9,3', 'pairwise+ff', …")]
Binary = Annotated[str | None, option("SPEC", "The sampling of the binary options: 'pairwise', …")]
Numeric = Annotated[str | None, option("SPEC", "The sampling of the numeric options: 'pb:9,3', …")]
Printed = Annotated[bool, flag("--printed", "Predict with the printed model although the file has the full one.")]
Json = Annotated[bool, flag("--json", "Print one JSON object.")]
