"""The configurations that a request measures, and the system that they belong to."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace

from sampling import Space
from splc.data.configurations import Configurations
from splc.errors import InputError, listed
from splc.formats.measurements.columns import ColumnChoice
from splc.formats.measurements.configurations_csv import read_configurations
from splc.formats.measurements.file_columns import read_file_columns
from splc.formats.measurements.inference import infer_system
from splc.formats.measurements.shapes import read_table
from splc.formats.measurements.table_union import TableUnion, union_of
from splc.io.files import Source
from splc.learning.active.suggestion import suggested_columns
from splc.project import Project
from splc.system.variability import VariabilityModel
from splc.workflows.measure.preparation import listed_configurations, sampled_configurations

SHOWN = 12


@dataclass(frozen=True)
class MeasurementSubject:
    """The system of a measurement, and its configurations where a table states both.

    Attributes:
        system: the system.
        table: the configurations, where the options are those of a table.
        notes: what the user should know.
    """

    system: VariabilityModel
    table: Source | None = None
    notes: tuple[str, ...] = ()


def subject_of(
    project: Project, file: str | None, earlier: Source | None, name: str | None, properties: Sequence[str]
) -> MeasurementSubject:
    """Return the system; without a description all columns of the table of configurations are its options.

    Args:
        project: the project.
        file: a table of configurations.
        earlier: the configurations of the journal that is continued.
        name: the name of its system.
        properties: the properties to record; columns of these names are left out.

    Raises:
        InputError: if there is neither a description nor a table, or one of them cannot be read.
    """
    described = project.has_system or project.system_table is not None or bool(project.descriptions(None))
    tables = [entry for entry in (earlier, None if file is None else read_table(file)) if entry is not None]
    if described or not tables:
        if not described and not project.has_measurements:
            hint = (
                "name a table of the configurations to measure: splc measure TABLE.csv; or a description with --system"
            )
            raise InputError("neither a system description nor a table of configurations", hint=hint)
        # Observed variables are known only after a run.
        return MeasurementSubject(project.variability_model(observed=False))
    names = [*read_file_columns(tables[-1]).columns]
    left_out = (*suggested_columns(names), *(name for name in properties if name in names))
    choice = ColumnChoice(ignore=left_out, constraints=False).lenient
    table = union_of(tables, choice) if len(tables) > 1 else tables[0]
    result = infer_system(table, choice=choice, measured=False)
    text = (
        f"{tables[-1].name}: without a system description, its columns are the options: {listed(result.columns, SHOWN)}"
    )
    return MeasurementSubject(replace(result.system, name=name or result.system.name), table, (text,))


def configurations_of(
    subject: MeasurementSubject,
    space: Space,
    file: str | None,
    earlier: Source | None,
    sampling: tuple[str | None, str | None, str | None],
    seed: int,
) -> tuple[Configurations, tuple[str, ...]]:
    """Return the distinct configurations to measure, those of the journal first, and notes about them.

    Raises:
        InputError: if a file cannot be read, is empty, or has configurations that are not valid.
        SpecError: if nothing says which configurations are measured, or a sampling is wrong.
    """
    if subject.table is not None:
        with subject.table.placing() if isinstance(subject.table, TableUnion) else nullcontext():
            configurations = read_configurations(subject.table, subject.system)
        return configurations.unique(), ()
    parts: list[Configurations] = []
    notes: tuple[str, ...] = ()
    if earlier is not None:
        parts.append(read_configurations(earlier, subject.system))
    if file is not None:
        part, notes = listed_configurations(space, file)
        parts.append(part)
    elif earlier is None or sampling != (None, None, None):
        part, notes = sampled_configurations(space, *sampling, seed)
        parts.append(part)
    return Configurations.concatenate(parts).unique(), notes
