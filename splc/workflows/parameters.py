"""The machine parameters of a request: those of the project, changed by the values that the request states."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

from splc.errors import RequestError, unknown_name_hint

if TYPE_CHECKING:
    from splc.models.parameters import Parameters
    from splc.project import Project


def stated_parameters(project: Project, stated: Mapping[str, float]) -> Parameters:
    """Return the project's parameters, changed by the stated values.

    Raises:
        InputError: if the project's parameters cannot be read.
    """
    return project.parameters().changed(stated, given="--parameter")


def require_used(stated: Mapping[str, float], used: Collection[str]) -> None:
    """Refuse a stated parameter that no model uses, since it would have no effect.

    Raises:
        RequestError: naming the nearest parameter that is used.
    """
    for name in stated:
        if name not in used:
            hint = unknown_name_hint(name, sorted(used)) if used else "only model text has parameters"
            raise RequestError(f"no model uses a parameter {name!r}; {hint}", "parameter")
