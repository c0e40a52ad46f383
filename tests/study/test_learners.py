"""Studies that compare learners."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from sampling import sample
from splc import read_measurements, read_model, read_variability_model
from splc.io.tables import Spread
from splc.learning import learn
from splc.study import read_study, run_study
from tests.support.paths import SMG2000
from tests.support.tracked import copy_tracked

BOTH = """samplings = ["ff", "random:50"]
seeds = [1, 2]

[learners.terms]
learner = "stepwise"

[learners.scaling]
learner = "pmnf"
aggregate = "median"
"""


@pytest.fixture
def case(tmp_path: Path) -> Path:
    """Return a copy of the case study SMG2000-2D."""
    folder = tmp_path / "2d"
    copy_tracked(SMG2000 / "2d", folder)
    return folder


def test_stepwise_and_pmnf_in_one_table(case: Path) -> None:
    """One table has the errors of both learners, each as the learner gives by itself; both forms of models are read."""
    (case / "both.toml").write_text(BOTH, encoding="utf-8")
    result = run_study(read_study(case / "both.toml"), case / "results", jobs=1, pictures=False)
    (table,) = [each for each in result.tables if "Learners compared" in str(each.caption)]
    rows = {(row[0], row[1]): row[2:] for row in table.rows}
    assert {learner for _, learner in rows} == {"terms", "scaling"}
    system = read_variability_model(case / "system.xml")
    measured = read_measurements(case / "measurements.csv", system)
    settings = {"aggregate": "median"}
    learned = {str(each.caption): [row[0] for row in each.rows] for each in result.tables}
    shared = ["terms", "learning error, %", "error on all others, %", "error on all measured, %"]
    start = ["models learned", "of runs", "configurations learned from"]
    seeds = " (mean over the seeds, ± standard deviation in % of the mean)"
    # pmnf has no rounds.
    assert learned[f"What was learned, learner scaling{seeds}"] == [*start, *shared]
    assert learned[f"What was learned, learner terms{seeds}"] == [*start, "rounds", *shared]
    assert result.results is not None
    rounds = {run.task.learner.name: run.record.rounds for run in result.results.runs}
    assert rounds["scaling"] is None
    assert rounds["terms"]
    for name, kind, chosen in (("terms", "stepwise", {}), ("scaling", "pmnf", settings)):
        whole = learn(measured, "solve_compute_seconds", learner=kind, settings=chosen)
        assert rows["error on all measured, %", name][0] == pytest.approx(whole.error_all, rel=1e-9)
        errors = []
        for seed in (1, 2):
            drawn = sample(system, "random:50", seed=seed)
            found = learn(measured, "solve_compute_seconds", learner=kind, settings=chosen, learning_set=drawn)
            errors.append(found.error or np.nan)
        cell = rows["error on all others, %", name][1]
        assert isinstance(cell, Spread)
        assert cell.mean == pytest.approx(np.mean(errors), rel=1e-9)
    for file in ("terms/ff.log", "scaling/ff.json"):
        assert read_model(case / "results" / "logs" / file, system).terms


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


@pytest.mark.slow
def test_baselines_in_a_study(case: Path) -> None:
    """Baselines have errors like every learner, no model and no log; the best model has terms."""
    (case / "curves.toml").write_text(BASELINES, encoding="utf-8")
    result = run_study(read_study(case / "curves.toml"), case / "results", jobs=1)
    assert result.results is not None
    system = read_variability_model(case / "system.xml")
    measured = read_measurements(case / "measurements.csv", system)
    runs = result.results.runs
    assert all(run.reason is None for run in runs)
    for run in runs:
        if run.task.learner.name != "near":
            continue
        drawn = sample(system, run.task.sampling, run.task.seed, measured.configurations)
        alone = learn(measured, "solve_compute_seconds", learner="knn", settings={"neighbours": 2}, learning_set=drawn)
        assert (run.record.error, run.record.error_all) == (alone.error, alone.error_all)
        assert (run.terms, run.record.model, run.record.log, run.record.rounds) == (None, None, None, None)
    assert result.results.best is not None
    assert result.results.best.task.learner.name == "sums"
    (table,) = [each for each in result.tables if "Learners compared" in str(each.caption)]
    (cells,) = [row[2:] for row in table.rows if row[:2] == ("error on all measured, %", "near")]
    errors = [run.record.error_all for run in runs if run.task.title.startswith("near: measured:8")]
    assert isinstance(cells[2], Spread)
    assert cells[2].mean == pytest.approx(sum(error or np.nan for error in errors) / 3)
    assert {path.name for path in (case / "results" / "logs").iterdir()} == {"sums"}
    again = run_study(read_study(case / "curves.toml"), case / "results", jobs=1)
    assert (again.found, again.tables) == (result.tasks, result.tables)


def test_a_draw_of_what_was_measured_runs_for_every_seed(case: Path) -> None:
    """`measured:N` draws, so that it runs once per seed, unlike `measured` and a draw with a seed of its own."""
    text = 'samplings = ["measured", "measured:9", "measured:9,seed=4"]\nseeds = [1, 2, 3]\n'
    (case / "draws.toml").write_text(text + '[learners.a]\nlearner = "knn"\n', encoding="utf-8")
    result = run_study(read_study(case / "draws.toml"), case / "results", jobs=1, pictures=False)
    assert result.results is not None
    assert [run.task.sampling for run in result.results.runs] == ["measured", *["measured:9"] * 3, "measured:9,seed=4"]


def test_errors_by_number_of_configurations(case: Path) -> None:
    """One table has a row per sampling, by size, and a column per learner; the picture has the same numbers."""
    (case / "curves.toml").write_text(BASELINES.replace("[1, 2, 3]", "[1, 2]"), encoding="utf-8")
    result = run_study(read_study(case / "curves.toml"), case / "results", jobs=1)
    assert result.results is not None
    (table,) = [each for each in result.tables if "by the number of configurations" in str(each.caption)]
    assert table.columns == ("sampling", "configurations", "sums", "near", "forest")
    # Nothing is left to judge by after `ff`.
    assert [row[:2] for row in table.rows] == [("measured:8", 8), ("measured:12", 12), ("random:40", 40)]
    for row in table.rows:
        for learner, cell in zip(table.columns[2:], row[2:], strict=True):
            errors = [
                run.record.error or np.nan
                for run in result.results.runs
                if (run.task.sampling, run.task.learner.name) == (row[0], learner)
            ]
            assert isinstance(cell, Spread)
            assert (cell.mean, cell.deviation) == pytest.approx((np.mean(errors), np.std(errors, ddof=1)))
    assert (result.folder / "pictures" / "errors.svg").read_bytes().startswith(b"<svg")
