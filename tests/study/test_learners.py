"""The learners of studies: terms, scaling models and baselines, observed variables, and parts that are added up."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sampling import sample
from splc.formats.models.read import read_model
from splc.learning import learn, learn_sum
from splc.learning.sums import parts_of
from splc.study import read_study
from splc.study.tasks import load
from tests.study.conftest import Studied, manifest_of
from tests.support.golden_messages import check_messages

OF_ALL_KINDS = """samplings = ["ff", "random:9"]
seeds = [1, 2]
[learners.terms]
preset = "splconqueror"
[learners.scaling]
learner = "pmnf"
aggregate = "median"
[learners.near]
learner = "knn"
neighbours = 2
"""
LEARNERS = """
[learners.whole]
preset = "splconqueror"
learn_logFunction = true

[learners.all]
preset = "splconqueror"
observed = ["C_*", "iterations"]

[learners.levels]
preset = "splconqueror"
sum = "time_{}:level_{}"
observed = "*_{}"
"""


def test_learners_of_all_kinds(study_file: Path, studied: Studied) -> None:
    """A run has the errors and the model that the learner gives by itself; a baseline has no model and no log.

    The best model has terms.
    """
    study_file.write_text(OF_ALL_KINDS, encoding="utf-8")
    result, measured = studied(), load(read_study(study_file)).inputs.measurements
    learners: dict[str, dict[str, Any]] = {
        "terms": {"preset": "splconqueror"},
        "scaling": {"learner": "pmnf", "settings": {"aggregate": "median"}},
        "near": {"learner": "knn", "settings": {"neighbours": 2}},
    }
    for run in result.runs:
        drawn = sample(measured.system, run.sampling, seed=run.task.seed)
        alone = learn(measured, "time", learning_set=drawn, **learners[run.learner])
        for name in ("error", "error_all", "learning_error"):
            expected = getattr(alone, name)
            assert run.number(name) == (None if expected is None else pytest.approx(expected, rel=1e-9))
        assert (run.record.rounds is None) == (run.learner != "terms")
        if run.learner == "near":
            assert (run.terms, run.record.model, run.log, run.reason) == (None, None, None, None)
        else:
            assert run.task.log.endswith(".log" if run.learner == "terms" else ".json")
            found = read_model(result.folder / run.task.log, measured.system).predict(measured.configurations)
            assert found == pytest.approx(alone.model.predict(measured.configurations), rel=1e-9)
    assert result.results is not None
    assert result.results.best is not None
    assert result.results.best.learner != "near"
    assert {path.name for path in (result.folder / "logs").iterdir()} == {"terms", "scaling"}


@pytest.fixture
def leveled(study_file: Path) -> Path:
    """Return the study file of a small project whose second level only some configurations have."""
    table, levels, observed = ["px,nx,time,time_0,time_1"], ["px,nx,level,C"], ["px,nx,iterations"]
    for px in (1, 2, 3, 4):
        for nx in range(8, 49, 8):
            fine, coarse = px * nx + (px * nx) % 7, nx // 2
            first, second = 0.1 + 0.01 * fine, 0.05 * coarse if nx > 16 else 0
            table.append(f"{px},{nx},{first + second!r},{first!r},{second!r}")
            levels += [f"{px},{nx},0,{fine}"] + [f"{px},{nx},1,{coarse}"] * (nx > 16)
            observed.append(f"{px},{nx},{3 + px}")
    for name, lines in (("measurements", table), ("levels", levels), ("observed", observed)):
        (study_file.parent / f"{name}.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    project = 'nfp = "time"\nobserved = ["observed.csv", "levels.csv"]\n'
    (study_file.parent / "splc.toml").write_text(project, encoding="utf-8")
    (study_file.parent / "analytical.txt").write_text("T = f * (C_0 + C_1) + alpha\n", encoding="utf-8")
    study_file.write_text('samplings = ["ff", "random:9"]\nseeds = [0, 1]\n' + LEARNERS, encoding="utf-8")
    return study_file


def test_runs_are_those_of_learning(leveled: Path, studied: Studied) -> None:
    """A run gives the model that `learn` or `learn_sum` gives from the same configurations with the same names.

    A sum has as many rounds as its parts. The manifest has the files, and what each learner learns from and adds up.
    """
    result = studied()
    measured = load(read_study(leveled)).inputs.measurements
    parts = parts_of(["time_{}:level_{}"], measured.properties, ["*_{}"])
    levels = learn_sum(measured, parts, "time", "splconqueror")
    expected = {
        "whole": learn(measured, "time", preset="splconqueror", settings={"learn_logFunction": True}),
        "all": learn(measured, "time", preset="splconqueror", observed=["C_*", "iterations"]),
        "levels": levels.whole,
    }
    found = {run.learner: run for run in result.runs if run.sampling == "ff"}
    assert found.keys() == expected.keys()
    for name, run in found.items():
        logged = read_model(result.folder / run.task.log, measured.system)
        predicted = logged.predict(measured.configurations)
        assert predicted == pytest.approx(expected[name].model.predict(measured.configurations), rel=1e-9)
        assert run.record.error_all == pytest.approx(expected[name].error_all)
        assert {"analytical_learned", "measured_learned"} == run.values.keys()
    assert set(found["whole"].record.learned(measured.system).options) <= {"px", "nx"}  # type: ignore[union-attr]
    rounds = sum(len(part.rounds) for _, part in levels.parts if part is not None)
    assert found["levels"].record.rounds == rounds > 0
    manifest = manifest_of(result.folder)
    files = {key: file["path"] for key, file in manifest["inputs"].items() if key.startswith("observed")}
    assert files == {"observed_1": "observed.csv", "observed_2": "levels.csv"}
    learners = [manifest["study"]["learners"][name] for name in expected]
    assert [each["observed"] for each in learners] == [[], ["C_*", "iterations"], ["*_{}"]]
    assert [each["sum"] for each in learners] == [[], [], ["time_{}:level_{}"]]


def test_what_was_observed_decides_only_where_it_is_learned_from(leveled: Path, studied: Studied) -> None:
    """Other observed values are learned from again by the learners that see them, and by no other."""
    leveled.write_text('samplings = ["random:9"]\n' + LEARNERS, encoding="utf-8")
    first = studied()
    per_learner = first.tasks // 3
    assert [first.found, studied().found] == [0, first.tasks]
    path = leveled.parent / "levels.csv"
    path.write_text(path.read_text(encoding="utf-8").replace("1,8,0,9", "1,8,0,10"), encoding="utf-8")
    assert studied().found == per_learner
    leveled.write_text(leveled.read_text(encoding="utf-8").replace('"C_*", ', ""), encoding="utf-8")
    assert studied().found == 2 * per_learner
    leveled.write_text(leveled.read_text(encoding="utf-8").replace('"*_{}"', '"C_{}"'), encoding="utf-8")
    assert studied().found == 2 * per_learner


def test_bad_learners(leveled: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Wrong variables and parts of all learners are reported with their line before anything is learned.

    A text and a list that holds only it say the same.
    """
    monkeypatch.chdir(leveled.parent)
    learners = read_study(leveled).learners
    leveled.write_text(leveled.read_text(encoding="utf-8").replace('"*_{}"', '["*_{}"]'), encoding="utf-8")
    assert read_study(leveled).learners == learners

    def reject(line: str) -> None:
        leveled.write_text(f'samplings = ["ff"]\n{line}\n', encoding="utf-8")
        load(read_study(leveled.name))

    check_messages("study-learners", reject)
