"""Studies that compare learners."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from sampling import sample
from splc import read_measurements, read_model, read_variability_model
from splc.data.measurements import Measurements
from splc.io.tables import Cell, Spread
from splc.learning import learn
from splc.study import StudyResult, read_study, run_study
from tests.support.paths import SMG2000
from tests.support.tracked import copy_tracked

NFP = "solve_compute_seconds"
BOTH = """samplings = ["ff", "random:50"]
seeds = [1, 2]
[learners.terms]
learner = "stepwise"
[learners.scaling]
learner = "pmnf"
aggregate = "median"
"""
BASELINES = """samplings = ["ff", "measured:12", "measured:8", "random:40"]
seeds = [1, 2, 3]
[learners.sums]
learner = "stepwise"
[learners.near]
learner = "knn"
neighbours = 2
[learners.forest]
learner = "forest"
trees = 5
"""


@pytest.fixture
def measured(tmp_path: Path) -> Measurements:
    """Return the measurements of the case study SMG2000-2D, of which there is a copy."""
    copy_tracked(SMG2000 / "2d", tmp_path / "2d")
    return read_measurements(
        tmp_path / "2d" / "measurements.csv", read_variability_model(tmp_path / "2d" / "system.xml")
    )


@pytest.fixture
def does(measured: Measurements, tmp_path: Path) -> Callable[..., StudyResult]:
    """Return a function that does a study of the case study."""

    def study(text: str, pictures: bool = False) -> StudyResult:
        (tmp_path / "2d" / "some.toml").write_text(text, encoding="utf-8")
        return run_study(read_study(tmp_path / "2d" / "some.toml"), tmp_path / "results", pictures=pictures)

    return study


def cells(result: StudyResult, caption: str) -> dict[tuple[Cell, ...], tuple[Cell, ...]]:
    """Return the rows of a table, by their first two cells."""
    (table,) = [each for each in result.tables if caption in str(each.caption)]
    return {row[:2]: row[2:] for row in table.rows}


def has_mean(cell: Cell, errors: list[float | None]) -> bool:
    """Return whether a cell has the mean and deviation of errors."""
    values = [error or np.nan for error in errors]
    assert isinstance(cell, Spread)
    return (cell.mean, cell.deviation) == pytest.approx((np.mean(values), np.std(values, ddof=1)))


def test_stepwise_and_pmnf_in_one_table(does: Callable[..., StudyResult], measured: Measurements) -> None:
    """One table has the errors of both learners, each as the learner gives by itself; both forms of models are read."""
    result = does(BOTH)
    compared = cells(result, "Learners compared")
    assert {learner for _, learner in compared} == {"terms", "scaling"}
    for name, kind, settings in (("terms", "stepwise", {}), ("scaling", "pmnf", {"aggregate": "median"})):
        # pmnf has no rounds.
        assert (("rounds",) in {row[:1] for row in cells(result, f"What was learned, learner {name}")}) == (
            name == "terms"
        )
        whole = learn(measured, NFP, learner=kind, settings=settings)
        assert compared["error on all measured, %", name][0] == pytest.approx(whole.error_all, rel=1e-9)
        drawn = [sample(measured.system, "random:50", seed=seed) for seed in (1, 2)]
        errors = [learn(measured, NFP, learner=kind, settings=settings, learning_set=each).error for each in drawn]
        assert has_mean(compared["error on all others, %", name][1], errors)
        suffix = ".log" if name == "terms" else ".json"
        assert read_model(result.folder / "logs" / name / f"ff{suffix}", measured.system).terms


@pytest.mark.slow
def test_baselines_in_a_study(does: Callable[..., StudyResult], measured: Measurements) -> None:
    """Baselines have errors like every learner, no model and no log; the best model has terms."""
    result = does(BASELINES, pictures=True)
    near = [run for run in result.runs if run.learner == "near"]
    assert not result.refused
    for run in near:
        drawn = sample(measured.system, run.sampling, run.task.seed, measured.configurations)
        alone = learn(measured, NFP, learner="knn", settings={"neighbours": 2}, learning_set=drawn)
        assert (run.record.error, run.record.error_all) == (alone.error, alone.error_all)
        assert (run.terms, run.record.model, run.record.log, run.record.rounds) == (None, None, None, None)
    assert result.results is not None
    assert result.results.best is not None
    assert result.results.best.learner == "sums"
    errors = [run.record.error_all for run in near if run.sampling == "measured:8"]
    assert has_mean(cells(result, "Learners compared")["error on all measured, %", "near"][2], errors)
    assert {path.name for path in (result.folder / "logs").iterdir()} == {"sums"}
    again = does(BASELINES, pictures=True)
    assert (again.found, again.tables) == (result.tasks, result.tables)
