"""`splc optimize`: the valid configuration that a model predicts to be best."""

from __future__ import annotations

import math
from typing import Annotated

import typer

from splc.cli.options import Json, Parameter, ParametersFile, System

EXAMPLES = (
    "splc optimize learned.log",
    "splc optimize analytical.txt --maximize",
)


def optimize(
    model: Annotated[
        str, typer.Argument(metavar="MODEL", help="The model: a log, JSON or model text. '-' is standard input.")
    ],
    maximize: Annotated[bool, typer.Option("--maximize", help="The greatest predicted value, not the least.")] = False,
    limit: Annotated[
        int | None,
        typer.Option("--limit", min=1, metavar="N", help="How many configurations may be looked at. [2000000]"),
    ] = None,
    json: Json = False,
    parameter: Parameter = None,
    system: System = None,
    parameters: ParametersFile = None,
) -> None:
    """Find the valid configuration with the least predicted value, exactly.

    Of several equally good ones it is the first: options in the system's order, lower values first.
    """
    from sampling import Space
    from sampling.space.optimum import optimum
    from sampling.space.space import LIMIT
    from splc.cli.arguments import numbers_of
    from splc.cli.json_output import print_json
    from splc.cli.terminal import note, say, table
    from splc.formats.models.read import read_stored_model
    from splc.project import Project
    from splc.system.options import BinaryOption
    from splc.workflows.parameters import require_used, stated_parameters

    project = Project.load(system=system, parameters=parameters)
    space = Space(project.variability_model())
    stated = numbers_of(parameter, "--parameter")
    stored = read_stored_model(model, space.model, parameters=stated_parameters(project, stated))
    require_used(stated, stored.used)
    found = optimum(stored.model, space, maximize, LIMIT if limit is None else limit)
    values = {name: plain(value) for name, value in found.configuration.assignment(0).items()}
    if json:
        content = {
            "configuration": values,
            "predicted": found.predicted,
            "maximize": maximize,
            "examined": found.examined,
            "unused": found.unused,
        }
        print_json("optimize", content)
        return
    say(f"predicted: {found.predicted:.10g} ({'greatest' if maximize else 'least'} of all valid configurations)")
    rows = []
    for option in space.model.options:
        value = values[option.name]
        if isinstance(option, BinaryOption):
            text = "selected" if value else "-"
        else:
            text = "deselected" if value is None else f"{value:g}"
        rows.append((option.name, text, "unused" if option.name in found.unused else ""))
    table(("option", "value", "in the model"), rows, right=("value",))
    if found.unused:
        note("the model does not use some options: their values are valid, but no better than other valid ones")


def plain(value: float) -> float | int | None:
    """Return an option's value as a whole number where it is one, None where it is deselected."""
    if math.isnan(value):
        return None
    return int(value) if value.is_integer() else value
