"""Decide whether suggestions are configurations of a described system or points of a scaling model."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from splc.errors import RequestError, SplcError
from splc.formats.detect import experiment_format, is_xml
from splc.io.files import STANDARD, Source, read_source
from splc.learning.active.suggestion import MODEL
from splc.project import Project
from splc.workflows.note import Note
from splc.workflows.suggest.configurations import Request

# The fields of a request that say that it is about a described system.
_OF_SYSTEMS = ("system", "nfp", "options", "invalid", "duplicates", "goal", "maximize", "seed", "output")
# Columns that only a table of a profile has.
_OF_PROFILES = {"callpath", "region", "value"}


@dataclass(frozen=True)
class Mode:
    """The kind of a request for suggestions.

    Attributes:
        system: whether it is about a described system (or an inferred one), not a scaling model.
        notes: the default, if nothing decides.
    """

    system: bool
    notes: tuple[Note, ...] = ()


def mode_of(request: Request, of_profile: Sequence[str] = ()) -> Mode:
    """Return whether a request is about a described system or a scaling model.

    Its own fields decide first, then the format of the measurements, then a description, options or a property of the
    project, and a cost that is a property. Other CSV tables are of scaling models.

    Args:
        request: the request.
        of_profile: the given fields that only a request about a profile has.

    Raises:
        InputError: if the measurements cannot be read.
        RequestError: if some fields are about a described system, and others about a profile.
    """
    default = Request()
    own = [name for name in _OF_SYSTEMS if getattr(request, name) != getattr(default, name)]
    if own and of_profile:
        message = (
            "give only one of them: the first one is for configurations of a system, "
            "the second one for points of a profile"
        )
        raise RequestError(message, own[0], of_profile[0])
    if own or of_profile:
        return Mode(bool(own))
    project = request.project()
    described = project.has_system or project.system_table is not None
    stated = described or bool(project.columns.options) or project.nfp is not None or request.cost == MODEL
    if not project.has_measurements or (path := project.measurements_file) == STANDARD:
        return Mode(stated)
    source = read_source(path)
    if is_xml(source):
        return Mode(True)
    if not source.data.strip():
        return Mode(stated)
    if experiment_format(source) != "csv":
        return Mode(False)
    if stated or _is_property(request.cost, project):
        return Mode(True)
    if _names_profile(source):
        return Mode(False)
    text = f"{source.name}: nothing says what the table is about, so points of a scaling model are suggested"
    how = "name the columns with --coordinates and --metric; for configurations of a system add --property or --options"
    return Mode(False, (Note(text, details=(how,)),))


def _is_property(name: str | None, project: Project) -> bool:
    """Return whether a cost is a property of the system that is inferred from the measurements."""
    with suppress(SplcError):
        return name is not None and name in project.infer().properties
    return False


def _names_profile(source: Source) -> bool:
    """Return whether the header of a table has a column of profiles."""
    lines = source.text().split("\n")
    header = next((line for line in lines if line.strip()), "").replace(";", ",").replace("\t", ",")
    return not _OF_PROFILES.isdisjoint(cell.strip().casefold() for cell in header.split(","))
