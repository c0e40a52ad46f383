"""`splc describe`: options, constraints, the number of valid configurations, suspicious parts, measurements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, ClassVar

from sampling.space import analysis
from sampling.space.analysis import Description
from sampling.space.space import Space
from splc.data.measurements import Measurements
from splc.data.summary import Summary, summary_of
from splc.errors import RequestError, SplcError
from splc.formats.benchmarks.folders import folder_reader
from splc.formats.detect import is_xml
from splc.formats.measurements.columns import natural
from splc.formats.measurements.file_columns import read_file_columns
from splc.formats.measurements.inference import Inference
from splc.formats.registry import kind_of
from splc.io.csv_rows import first_header
from splc.io.files import STANDARD, read_source, standard_input_kept
from splc.project import Project
from splc.project.files import first_and_further
from splc.system.constraints import ArithmeticConstraint
from splc.workflows.fields import as_argument, as_option, request
from splc.workflows.inputs import SystemInputs
from splc.workflows.note import Note, Notes, reading_notes
from splc.workflows.verb import UNWATCHED, Watch


@request
class Request(SystemInputs):
    """Show a system's options and constraints, count its valid configurations, and list suspicious parts.

    If there are measurements, their properties, repetitions, contexts and drift are summarised. The measurements
    beside a description that is named are left out, unless --measurements names them.
    """

    measured: ClassVar[bool | None] = None

    argument: Annotated[
        str | None,
        as_argument("SYSTEM", "The system description or feature model, a folder with a description, or a table."),
    ] = None
    tree: Annotated[
        int | None, as_option("N", "Print N levels of the options as a tree, long lists as one line.", minimum=1)
    ] = None


@dataclass(frozen=True)
class MeasuredSummary:
    """Measurements in short."""

    source: str  # the file
    summary: Summary  # configurations, properties, repetitions
    contexts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # context → its values, in natural order


@dataclass(frozen=True)
class Result:
    """A described system."""

    description: Description  # the description
    notes: tuple[Note, ...] = ()  # what the user should know
    measured: MeasuredSummary | None = None  # the measurements; None without any
    inference: Inference | None = None  # the inferred description, None where the system has one
    # why there is no summary of the measurements that the request names, None if there is one. Why those of the folder
    # are left out is a warning.
    problem: SplcError | None = None
    tree: int | None = None  # the number of levels of the options to show as a tree; None for tables


@standard_input_kept()
def run(request: Request, watch: Watch = UNWATCHED) -> Result:
    """Describe a system, and its measurements if there are any."""
    if request.argument is not None and request.system is not None:
        raise RequestError("the system description is given twice", "system")
    project = _project(request)
    with Notes() as notes:
        space = Space(request.read_system(project, notes))
        description = analysis.describe(space)
        if description.count is None:
            notes.append(Note(f"the valid configurations cannot be counted: {description.uncounted}"))
            if not any(isinstance(constraint, ArithmeticConstraint) for constraint in space.system.constraints):
                notes.append(Note("random samples (random:N) are approximately uniform"))
        measured, problem = None, None
        described = project.inference is None and "system" in project.given and "measurements" not in project.given
        listed = project.inference is not None and not project.inference.properties
        if project.has_measurements and not described and not listed:
            try:
                parts = project.every_part(space.system, space, **request.policies)
            except SplcError as error:
                if "measurements" in project.given:
                    problem = error
                else:
                    details = tuple(line for entry in error.problems for line in str(entry).splitlines())
                    notes.append(Note("the measurements do not fit and are left out", warning=True, details=details))
            else:
                notes.add(reading_notes(*(part.report for part in parts)))
                measured = MeasuredSummary(parts[0].report.source or "", summary_of(parts), _contexts(parts))
        return Result(description, tuple(notes), measured, project.inference, problem, request.tree)


def _project(request: Request) -> Project:
    argument = request.argument or request.system
    if argument is None or (argument != STANDARD and Path(argument).is_dir() and not folder_reader(argument)):
        return replace(request, system=None).project(argument or "")
    if folder_reader(argument) or kind_of(read_source(argument)) == "measurements":
        if request.argument is None and argument != STANDARD:
            return request.project()
        if request.measurements is not None:
            raise RequestError("the first argument is a table of measurements, too", "measurements")
        project = replace(request, system=None, measurements=argument).project()
        if not _is_of_another_system(project):
            return project
    # The splc.toml of the folder is about its own system.
    first, further = first_and_further(request.measurements)
    files = {"system": argument, "measurements": first, "nfp": request.nfp}
    settings = {key: file for key, file in files.items() if file is not None}
    return Project(Path(), settings, chosen=request.columns, further=further, measured=request.measured)


def _is_of_another_system(project: Project) -> bool:
    """Return whether the table of a project lacks the columns of most options that its folder describes."""
    if not project.has_system:
        return False
    with suppress(SplcError):
        table = project.table
        columns = read_file_columns(table).columns if is_xml(table) else first_header(table.text())
        system = project.variability_model(observed=False)
        names = {system.spellings.get(name, name) for name in columns}
        options = [option for option in system.options if option.name not in system.mandatory]
        lacking = [option for option in options if names.isdisjoint({option.name, option.parent})]
        return 2 * len(lacking) > len(options)
    return False


def _contexts(parts: Sequence[Measurements]) -> dict[str, tuple[str, ...]]:
    names = dict.fromkeys(name for part in parts for name in part.contexts)
    values = {name: {part.contexts[name] for part in parts if name in part.contexts} for name in names}
    return {name: tuple(sorted(texts, key=natural)) for name, texts in values.items()}
