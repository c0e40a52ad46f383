"""The preset `blocks`: what models state of a run in a new block, beside runs of blocks that were held out.

A fold holds whole blocks out, and the configurations that were measured in them. The reference configuration, which is
measured in all blocks, stays.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from casestudies.accuracy.learners import DEFAULT, code_of
from casestudies.accuracy.real_systems import rounded
from casestudies.evaluation.evaluation import Evaluation, Row, hash_of
from casestudies.two_cores.tables import days_table, error_picture, error_table
from splc.data.measurements import Measurements
from splc.formats.detect import read_variability_model
from splc.formats.measurements.read import read_measurements
from splc.io.tables import Table
from splc.learning import LearningResult, blocks, learn
from splc.types import Array
from splc.workflows.prediction_notes import expected_error

HERE = Path(__file__).parent
CASES = ("1d", "2d", "3d", "boomeramg")
NFP, BLOCK, FOLDS = "solve_compute_seconds", "block", 4
# The fold that learns from the whole first day, and is judged by the second one.
DAY = "day 2"


def day(case: str, file: str) -> Measurements:
    """Return the times of a day, shape (n, runs), with the block of each."""
    folder = HERE / case
    table = read_measurements(folder / file, read_variability_model(folder / "system.xml"))
    return Measurements(table.configurations, {NFP: table.repetitions(NFP), BLOCK: table.repetitions(BLOCK)})


@dataclass(frozen=True)
class BlocksEvaluation(Evaluation):
    """Stated errors beside those of runs in new blocks."""

    preset: ClassVar[str] = "blocks"
    drawn: ClassVar[Mapping[str, Any]] = {"pictures/errors.png": error_picture}

    systems: tuple[str, ...] = CASES

    def cells(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield the title and the cell of each task: a case and what is held out."""
        code = f"{code_of(DEFAULT)} {hash_of(Path(__file__), Path(str(blocks.__file__)))}"
        for system in self.systems:
            for fold in (*map(str, range(FOLDS)), DAY):
                yield f"{system}, {fold}", {"system": system, "fold": fold, "code": code}

    def rows(self, cell: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Return a row: what is stated and what is true, in percent."""
        first = day(cell["system"], "measurements.csv")
        if cell["fold"] == DAY:
            learned, tested = first, day(cell["system"], "judge.csv")
        else:
            learned, tested = held_out(first, int(cell["fold"]))
        result = learn(learned, NFP, block=BLOCK)
        plain = learn(learned, NFP)
        row = {"system": cell["system"], "fold": cell["fold"], **_judged(result, learned, tested)}
        return [{**row, "stated, no blocks": rounded(_stated(plain, learned).percent)}]

    def tables(self, rows: Sequence[Row]) -> tuple[Table, ...]:
        """Return the tables of `table.md`."""
        return (error_table(rows), days_table(rows))


def held_out(table: Measurements, fold: int) -> tuple[Measurements, Measurements]:
    """Return the runs to learn from, and those of the blocks that a fold holds out."""
    labels = table.repetitions(BLOCK)
    numbers = np.unique(labels[~np.isnan(labels)])
    out = np.isin(labels, np.random.default_rng(0).permutation(numbers)[fold::FOLDS])
    is_reference = (~np.isnan(labels)).sum(axis=1) == (~np.isnan(labels)).sum(axis=1).max()
    left_out = out.any(axis=1) & ~is_reference
    return _where(table, ~out & ~left_out[:, None]), _where(table, out & left_out[:, None])


def _where(table: Measurements, kept: Array) -> Measurements:
    values = {name: np.where(kept, table.repetitions(name), np.nan) for name in table.properties}
    return Measurements(table.configurations, values).measured(NFP)


def _stated(result: LearningResult, learned: Measurements) -> Any:
    return expected_error(result, learned.column(NFP), len(learned))


def _judged(result: LearningResult, learned: Measurements, tested: Measurements) -> dict[str, Any]:
    """Return stated errors, and those of the runs in new blocks, as they are and without the median of their block."""
    assert result.intervals is not None
    assert result.blocks is not None
    stated, y, labels = _stated(result, learned), tested.repetitions(NFP), tested.repetitions(BLOCK)
    known = ~np.isnan(y)
    predicted, (low, high) = result.predict(tested.configurations), result.intervals.interval(tested.configurations)
    differences = np.log(y) - np.log(predicted)[:, None]
    within = [differences[known & (labels == number)] for number in np.unique(labels[known])]
    centred = np.concatenate([each - np.median(each) for each in within])
    return {
        "stated": rounded(stated.percent),
        "true": rounded(100 * float(np.abs(np.exp(-differences[known]) - 1).mean())),
        "stated, known block": rounded(stated.known_percent),
        "true, known block": rounded(100 * float(np.abs(np.exp(-centred) - 1).mean())),
        "inside": rounded(100 * float(((low[:, None] <= y) & (y <= high[:, None]))[known].mean())),
        "share": rounded(result.blocks.facts["share"]),
        "factor": rounded(float(np.exp(np.median(differences[known])))),
        "runs": int(known.sum()),
    }
