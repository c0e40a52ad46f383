"""Describe a system: options, constraints, the number of valid configurations, suspicious parts."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from sampling.space import analysis
from sampling.space.analysis import Description
from sampling.space.space import Space
from splc.project import Project
from splc.workflows.note import Note


@dataclass(frozen=True, kw_only=True)
class Request:
    """A request to describe a system.

    Attributes:
        system: a system description (XML) or a project folder; None is the current folder.
    """

    system: str | None = None


@dataclass(frozen=True)
class Result:
    """A described system.

    Attributes:
        description: the description.
        notes: what the user should know.
    """

    description: Description
    notes: tuple[Note, ...] = ()


def run(request: Request) -> Result:
    """Describe a system.

    Raises:
        InputError: if the description cannot be found or read.
    """
    if request.system is None:
        project = Project.load()
    elif Path(request.system).is_dir():
        project = Project.load(request.system)
    else:
        project = Project(Path(), {"system": request.system})
    found = analysis.describe(Space(project.variability_model()))
    notes: tuple[Note, ...] = ()
    if found.count is None:
        notes = (Note(f"the valid configurations cannot be counted: {found.uncounted}"),)
    return Result(found, notes)
