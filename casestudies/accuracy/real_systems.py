"""The preset `real`: learners on real systems, on the splits of published evaluations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from casestudies.accuracy import systems
from casestudies.accuracy.learners import PRESETS, code_of, known, runs, settings_of
from casestudies.accuracy.printed_models import number_of_terms, printed_figures
from casestudies.accuracy.printed_tables import printed_tables
from casestudies.accuracy.real_pictures import PANELS, pictures_of
from casestudies.accuracy.real_tables import tables_of
from casestudies.evaluation.evaluation import Evaluation, Row
from splc.errors import SplcError
from splc.io.tables import Table
from splc.learning import learn
from splc.study.tasks import reason_of

# The runs of a task.
_BLOCK = 10
# Digits of the numbers in rows.
_DIGITS = 5


@dataclass(frozen=True)
class RealEvaluation(Evaluation):
    """Learners on real systems."""

    preset: ClassVar[str] = "real"

    learners: tuple[str, ...] = known()  # names of learners
    # names of systems, see `casestudies.accuracy.systems`
    systems: tuple[str, ...] = tuple(name for name in systems.names() if not systems.absent(name))
    # the most runs per system, number of rows and learner; None: as many as `learners.runs` says
    most: int | None = None

    def cells(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield the title and the cell of each task."""
        for learner in self.learners:
            for system in self.systems:
                for size in systems.sizes(system):
                    number = runs(size)
                    number = min(number, self.most or number)
                    cell = {"learner": learner, "system": system, "size": size, "code": code_of(learner)}
                    for first in range(1, number + 1, _BLOCK):
                        block = {"first": first, "last": min(first + _BLOCK - 1, number)}
                        yield f"{learner}: {system}, {size}, run {first}", {**cell, **block}

    def rows(self, cell: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Return a row per run."""
        runs_of_block = range(cell["first"], cell["last"] + 1)
        return [run_row(cell["learner"], cell["system"], cell["size"], run) for run in runs_of_block]

    def tables(self, rows: Sequence[Row]) -> tuple[Table, ...]:
        """Return the tables of `table.md`."""
        return (*tables_of(rows), *printed_tables(rows))

    def pictures(self, rows: Sequence[Row]) -> dict[str, bytes]:
        """Return a picture per group of systems: error against number of rows."""
        return pictures_of(rows)

    def picture_names(self) -> tuple[str, ...]:
        """Return the names of all pictures."""
        return tuple(PANELS)


def run_row(learner: str, name: str, size: int | str, run: int) -> dict[str, Any]:
    """Return the row of one run."""
    system = systems.load(name)
    rows = systems.learning_set(name, size, run)
    row: dict[str, Any] = {"system": name, "size": size, "rows": len(rows), "learner": learner, "run": run}
    try:
        result = learn(
            system.measurements,
            system.nfp,
            PRESETS.get(learner, "default"),
            learner=learner,
            settings=settings_of(learner, system.learning),
            learning_set=rows,
            seed=run,
        )
    except SplcError as error:
        return {**row, "reason": reason_of(error)}
    others = system.measurements[np.setdiff1d(np.arange(len(system.measurements)), rows)]
    found = {
        "error": result.error,
        "terms": number_of_terms(result),
        "form": result.model.link if result.readable else None,
        "seconds": result.seconds,
        **printed_figures(result, others.configurations, others.column(system.nfp), others.repetitions(system.nfp)),
    }
    return {**row, **{key: rounded(value) for key, value in found.items()}}


def rounded(value: Any) -> Any:
    """Return a number with few digits, anything else as it is."""
    return float(f"{value:.{_DIGITS}g}") if isinstance(value, float) else value
