"""The machine parameters that a command works with: those of the project, changed by `--parameter`."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from splc.models.parameters import Parameters
    from splc.project import Project


def stated_parameters(project: Project, assignments: Sequence[str] | None) -> Parameters:
    """Return the project's parameters with those of the command line.

    Args:
        project: the project.
        assignments: texts `name=value`.

    Raises:
        InputError: if the project's cannot be read.
        typer.BadParameter: for what is no assignment of a number.
    """
    return project.parameters().changed(numbers_of(assignments, "--parameter"), given="--parameter")


def require_used(assignments: Sequence[str] | None, used: Collection[str]) -> None:
    """Refuse `--parameter` for a name that no model uses: it would have no effect.

    Args:
        assignments: texts `name=value`.
        used: the parameters that the models use.

    Raises:
        typer.BadParameter: naming the nearest one that is used.
    """
    from splc.errors import unknown_name_hint

    for name in numbers_of(assignments, "--parameter"):
        if name not in used:
            hint = unknown_name_hint(name, sorted(used)) if used else "only model text has parameters"
            raise typer.BadParameter(f"no model uses a parameter {name!r}; {hint}", param_hint="--parameter")


def numbers_of(assignments: Sequence[str] | None, option: str) -> dict[str, float]:
    """Return what texts `name=number` say.

    Args:
        assignments: the texts.
        option: the option they were given by.

    Raises:
        typer.BadParameter: for what is no assignment of a finite number, and for a name that is there twice.
    """
    found: dict[str, float] = {}
    for text in assignments or []:
        # What a number is about may have signs of its own: 'ceil(nx/4)=2'.
        name, equals, value = text.rpartition("=")
        name = name.strip()
        number = _number(value)
        if not equals or not name or number is None:
            raise typer.BadParameter(f"{text!r} is not NAME=NUMBER", param_hint=option)
        if name in found:
            raise typer.BadParameter(f"{name} is given twice", param_hint=option)
        found[name] = number
    return found


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None
