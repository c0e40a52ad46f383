"""A study of each value of a context (version, workload, machine), with a table of all of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from splc.errors import InputError, Problem
from splc.io.file_names import distinct_names, file_name
from splc.io.files import write_whole
from splc.io.tables import Table, csv_text
from splc.study.inputs import space_of
from splc.study.specification import Study
from splc.study.study import RESULTS, StudyResult, run_study
from splc.study.tables import whole_table

TABLE = "contexts.csv"


@dataclass(frozen=True, eq=False)
class ContextStudies:
    """The studies of the values of a context.

    Attributes:
        by: the context.
        folder: the folder of the results, which has a folder per value and the table of all of them.
        studies: value → its study, in natural order; fewer after an interruption.
        interrupted: whether the last one was interrupted.
    """

    by: str
    folder: Path
    studies: Mapping[str, StudyResult]

    @property
    def interrupted(self) -> bool:
        """True if runs are left."""
        return any(study.interrupted for study in self.studies.values())


def run_study_by(
    study: Study,
    output: str | Path | None = None,
    *,
    should_stop: Callable[[], bool] = lambda: False,
    **settings: Any,
) -> ContextStudies:
    """Run a study of each value of the context that it names.

    Args:
        study: the study.
        output: the folder of the results; None: `results` beside the study file.
        should_stop: as in `run_study`.
        settings: the other arguments of `run_study`.

    Raises:
        SplcError: as `run_study`, or if there is no such context.
    """
    context = study.by
    if context is None:
        raise InputError(Problem("the study names no context", str(study.path), hint='write by = "version"'))
    folder = study.folder / RESULTS if output is None else Path(output)
    project = study.project()
    space = space_of(project.variability_model())
    policies: Any = {"invalid": study.invalid, "duplicates": study.duplicates, "aggregate": study.aggregate}
    parts = project.measurement_parts(space.system, space, by=(context,), **policies)
    values = [part.contexts[context] for part in parts]
    names = distinct_names({value: file_name(value) for value in values})
    results: dict[str, StudyResult] = {}
    for value in values:
        filters = {**study.columns.where, context: value}
        context_study = replace(study, by=None, columns=replace(study.columns, where=filters))
        results[value] = run_study(context_study, folder / names[value], should_stop=should_stop, **settings)
        if results[value].interrupted:
            break
    studies = ContextStudies(context, folder, results)
    if not studies.interrupted:
        write_whole(folder / TABLE, csv_text(_table(study, studies)))
    return studies


def _table(study: Study, studies: ContextStudies) -> Table:
    """Return the tables of all values in one, with the value in the first column."""
    columns: tuple[str, ...] = ()
    rows = []
    for value, result in studies.studies.items():
        assert result.results is not None
        table = whole_table(study, result.results)
        columns = (studies.by, *table.columns)
        rows += [(value, *row) for row in table.rows]
    return Table(columns, tuple(rows))
