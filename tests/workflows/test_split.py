"""Splits of measured configurations: samples of what was measured, cross-validation, and baselines beside a learner."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from functools import partialmethod
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner, Result

from splc.cli.app import app
from splc.data.accuracy import mean_relative_error
from splc.data.configurations import Configurations
from splc.errors import LearningError, RequestError
from splc.io.numbers import percentage
from splc.learning import judging
from splc.learning import learn as learn_model
from splc.learning.projection import Ensemble
from splc.learning.registry import BASELINES
from splc.learning.result import InfluenceEstimate
from splc.types import Array
from splc.workflows import learn
from splc.workflows.learn.learning_sets import LearningRows
from tests.support.watches import Told

PROPERTY = "solve_compute_seconds"
POWERS = [2**k for k in range(1, 13)]


def found(**fields: object) -> learn.Result:
    """Learn without writing anything."""
    return learn.run(learn.Request(nfp=PROPERTY, write=False, **fields))  # type: ignore[arg-type]


def command(*arguments: str) -> Result:
    """Run `splc learn` on the property."""
    return CliRunner().invoke(app, ["learn", "--property", PROPERTY, *arguments], catch_exceptions=False)


def test_the_rest_of_a_split_judges_the_model(project: Path) -> None:
    """With `measured:70%` the error is that of the other 30 %; the seed decides which."""
    one = found(sampling="measured:70%", seed=1, learner="stepwise")
    values = one.measured.column(PROPERTY)
    assert len(one.rows) == round(0.7 * len(values))
    rest = np.setdiff1d(np.arange(len(values)), one.rows)
    predicted = one.result.predictor.predict(one.measured.configurations)
    assert one.result.error == pytest.approx(mean_relative_error(predicted[rest], values[rest]))
    assert set(found(sampling="measured:70%", seed=2, learner="stepwise").rows) != set(one.rows)
    assert set(found(sampling="measured:70%,seed=1", learner="stepwise").rows) == set(one.rows)


@pytest.mark.parametrize("limit", [1000, 20])
def test_rows_are_predicted_once(limit: int, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The full model predicts a measured configuration at most once, whether all of them or a sample judge it."""
    monkeypatch.setattr(judging, "MOST_JUDGED", limit)
    calls: list[tuple[object, Configurations]] = []

    def counted(model: Any, configurations: Configurations, predict: Any) -> Array:
        calls.append((model, configurations))
        return np.asarray(predict(model, configurations))

    monkeypatch.setattr(Ensemble, "predict", partialmethod(counted, predict=Ensemble.predict))
    one = found(sampling="pb:9,3", plot="plot.svg")
    times = np.zeros(len(one.measured), dtype=int)
    for _, configurations in (call for call in calls if call[0] is one.result.predictor):
        rows = one.measured.configurations.find(configurations)
        np.add.at(times, rows[rows >= 0], 1)
    assert times.max() == 1


def test_errors_of_a_sample_are_stated(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The configurations that an error is computed on are counted beside it, and in JSON with their standard error."""
    monkeypatch.setattr(judging, "MOST_JUDGED", 20)
    values = json.loads(command("--sampling", "pb:9,3", "--learner", "tree", "--json").stdout)
    others = values["measured_configurations"] - values["learning_configurations"]
    assert set(values["samples"]) == {"error", "error_all"}
    for sample in (values["samples"]["error"], values["samples"]["error_all"]):
        assert sample["standard_error"] > 0
        assert sample["printed"] is None
    assert values["expected_error"]["configurations"] == values["samples"]["error"]["configurations"] == 20
    assert values["expected_error"]["percent"] == values["error"]
    assert f"20 of {others} configurations" in command("--sampling", "pb:9,3").stdout
    sample = json.loads(Path("learned.json").read_text(encoding="utf-8"))["samples"]["error"]
    assert (sample["configurations"], sample["of"]) == (20, others)
    assert sample["printed"] > 0


def test_only_configurations_with_a_value_are_drawn(project: Path) -> None:
    """A share counts the configurations that have a value of the property."""
    table = (project / "measurements.csv").read_text(encoding="utf-8").splitlines()
    place = table[0].split(",").index(PROPERTY)
    kept = [cells if row % 3 else [*cells[:place], "", *cells[place + 1 :]] for row, cells in enumerate(
        (line.split(",") for line in table[1:]), 0)]  # fmt: skip
    (project / "measurements.csv").write_text("\n".join([table[0], *map(",".join, kept)]) + "\n", encoding="utf-8")
    one = found(sampling="measured:50%", learner="stepwise")
    usable = int((~np.isnan(one.measured.column(PROPERTY))).sum())
    assert len(one.rows) == round(usable / 2)
    assert not np.isnan(one.measured.column(PROPERTY)[one.rows]).any()


@pytest.mark.parametrize("learner", ["stepwise", "tree", pytest.param("pmnf", marks=pytest.mark.slow)])
def test_cross_validation_learns_without_each_fold(project: Path, learner: str) -> None:
    """With as many folds as rows, the error is that of models that lack one configuration each."""
    one = found(sampling="measured:12", folds=99, learner=learner)
    values, errors = one.measured.column(PROPERTY), []
    for row in one.rows:
        others = one.rows[one.rows != row]
        chosen = one.request.chosen_learner(one.request.project())[0]
        model = learn_model(one.measured, PROPERTY, learner=chosen, learning_set=others).predictor
        predicted = model.predict(one.measured.configurations[[row]])[0]
        errors.append(100 * abs(predicted - values[row]) / values[row])
    validated = one.result.cross_validated
    assert validated is not None
    assert validated.mean == pytest.approx(np.mean(errors))
    assert validated.median == pytest.approx(np.median(errors))
    assert validated.p95 == pytest.approx(np.quantile(errors, 0.95))
    assert one.result.predictor != found(sampling="measured:11", learner=learner).result.predictor


def test_folds_change_the_cross_validated_error_only(project: Path) -> None:
    """The model is learned from the whole learning set; the folds depend on the seed, not on the order of rows."""
    plain, one = (found(sampling="measured:40,seed=1", folds=folds, learner="stepwise") for folds in (0, 5))
    assert plain.result.cross_validated is None
    assert one.result.model == plain.result.model
    other = found(sampling="measured:40,seed=1", folds=5, seed=7, learner="stepwise")
    assert other.result.cross_validated != one.result.cross_validated
    lines = (project / "measurements.csv").read_text(encoding="utf-8").splitlines()
    (project / "measurements.csv").write_text("\n".join([lines[0], *lines[:0:-1]]) + "\n", encoding="utf-8")
    again = found(sampling="measured:40,seed=1", folds=5, learner="stepwise").result.cross_validated
    assert again is not None
    assert one.result.cross_validated is not None
    assert again.mean == pytest.approx(one.result.cross_validated.mean, rel=1e-6)


def test_cross_validation_of_one_row_is_undefined(project: Path) -> None:
    """A single row has no folds; fewer than two folds are refused."""
    assert found(sampling="measured:1", folds=3).result.cross_validated is None
    with pytest.raises(RequestError, match="at least 2 folds") as caught:
        found(folds=1)
    assert caught.value.fields == ("folds",)


def scaling_project(folder: Path, options: str, rows: list[str]) -> None:
    """Write a project with the numeric option p of the powers of 2, and further options, into the current folder."""
    values = ";".join(str(2**k) for k in range(1, 13))
    numeric = (
        f"<configurationOption><name>p</name><minValue>2</minValue><maxValue>4096</maxValue><values>{values}</values>"
        "</configurationOption>"
    )
    folder.joinpath("system.xml").write_text(
        f'<vm name="s"><binaryOptions>{options}</binaryOptions><numericOptions>{numeric}</numericOptions></vm>',
        encoding="utf-8",
    )
    folder.joinpath("measurements.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")


@pytest.fixture
def scaling(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a project with one numeric option, which is the current folder: its scaling models are learned fast."""
    monkeypatch.chdir(tmp_path)
    scaling_project(tmp_path, "", [f"p,{PROPERTY}", *(f"{p},{5 + p + 7 * p % 3}" for p in POWERS)])
    return tmp_path


def test_baselines_are_learned_from_the_same_split(scaling: Path) -> None:
    """Each line is the result of that learner alone, with the median and the 95th percentile of the errors outside."""
    one = found(sampling="measured:8", learner="stepwise", baselines=True)
    assert [each.result.learner for each in one.compared] == ["stepwise", "pmnf", *BASELINES]
    values = one.measured.column(PROPERTY)
    rest = np.setdiff1d(np.arange(len(values)), one.rows)
    for each in one.compared:
        alone = found(sampling="measured:8", learner=each.result.learner)
        assert (each.result.error, each.result.learning_error) == (alone.result.error, alone.result.learning_error)
        predicted = each.result.predictor.predict(one.measured.configurations[rest])
        errors = 100 * np.abs(predicted - values[rest]) / values[rest]
        assert (each.median, each.p95) == pytest.approx((np.median(errors), np.quantile(errors, 0.95)))
        assert each.result.error == pytest.approx(errors.mean())


def test_a_baseline_is_not_compared_with_itself(scaling: Path) -> None:
    """A baseline that is the chosen learner is in the table once, with its settings."""
    one = found(sampling="measured:8", learner="knn", settings={"neighbours": "1"}, baselines=True)
    assert [each.result.learner for each in one.compared] == [
        "knn",
        "pmnf",
        *(name for name in BASELINES if name != "knn"),
    ]
    assert one.compared[0].result.settings == {"neighbours": 1}


def test_an_evaluation_set_judges_baselines_too(scaling: Path) -> None:
    """With `--evaluate-on` all errors outside are those on the evaluation set."""
    lines = (scaling / "measurements.csv").read_text(encoding="utf-8").splitlines()
    (scaling / "few.csv").write_text("\n".join(lines[:7]) + "\n", encoding="utf-8")
    one = found(sampling="measured:8", learner="stepwise", evaluate_on="few.csv", baselines=True)
    other = found(sampling="measured:8", learner="stepwise", baselines=True)
    for each, elsewhere in zip(one.compared, other.compared, strict=True):
        assert each.result.error != elsewhere.result.error
        assert each.median != elsewhere.median


@pytest.mark.slow
def test_without_a_rest_baselines_are_cross_validated(project: Path) -> None:
    """If everything measured is learned from, all learners are compared by the same folds, and a note says so."""
    one = found(learner="stepwise", baselines=True)
    assert one.folds == 5
    assert any("learners are compared by 5 folds" in note.text for note in one.notes)
    for each in one.compared:
        assert (each.result.error, each.median) == (None, None)
        assert each.result.cross_validated is not None
        alone = found(learner=each.result.learner, folds=5)
        assert alone.result.cross_validated == each.result.cross_validated


@pytest.mark.slow
def test_a_note_where_pmnf_is_better(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If only numeric options vary, pmnf is a baseline; a note says so if its cross-validated error is smaller."""
    monkeypatch.chdir(tmp_path)
    scaling_project(tmp_path, "", ["p,time", *(f"{p},{5 + 0.01 * p**1.5 * math.log2(p)}" for p in map(float, POWERS))])
    one = learn.run(learn.Request(baselines=True, write=False))
    own, pmnf = (each.result.cross_validated for each in one.compared[:2])
    assert one.compared[1].result.learner == "pmnf"
    assert own is not None
    assert pmnf is not None
    assert pmnf.mean < own.mean
    (note,) = [note.text for note in one.notes if "scaling models predict better here" in note.text]
    assert f"of pmnf is {percentage(pmnf.mean, 3)}, that of projection {percentage(own.mean, 3)}" in note
    constant = ["p,time", *(f"{p},{5 + p}" for p in POWERS)]
    scaling_project(tmp_path, "", constant)
    other = learn.run(learn.Request(baselines=True, write=False, learner="pmnf"))
    assert [each.result.learner for each in other.compared] == ["pmnf", *BASELINES]
    assert not any("predict better here" in note.text for note in other.notes)


def test_no_pmnf_beside_binary_options(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If a binary option varies, pmnf is not a baseline."""
    monkeypatch.chdir(tmp_path)
    option = "<configurationOption><name>b</name><optional>True</optional></configurationOption>"
    scaling_project(tmp_path, option, ["b,p,time", *(f"{b},{p},{5 + b + p}" for p in POWERS for b in (0, 1))])
    one = learn.run(learn.Request(learner="stepwise", sampling="measured:12", baselines=True, write=False))
    assert [each.result.learner for each in one.compared] == ["stepwise", *BASELINES]


def test_a_stop_ends_the_baselines(project: Path) -> None:
    """A request to stop after learning keeps the result, and learns no further baseline."""
    calls = iter([False] * 2)
    request = learn.Request(nfp=PROPERTY, learner="tree", baselines=True, folds=3, write=False)
    one = learn.run(request, Told(lambda: next(calls, True)))
    assert one.interrupted
    assert [each.result.learner for each in one.compared] == ["tree"]
    assert one.result.learner == "tree"


def test_a_plot_of_a_learner_without_terms(project: Path) -> None:
    """Predicted against measured values are drawn for every learner."""
    found_ = learn.run(learn.Request(nfp=PROPERTY, learner="tree", sampling="measured:40", plot="tree.svg"))
    assert found_.plot == "tree.svg"
    assert (project / "tree.svg").read_bytes().startswith(b"<svg")


@pytest.fixture
def few(project: Path) -> Path:
    """Return the project with the first 50 measurements only."""
    lines = (project / "measurements.csv").read_text(encoding="utf-8").splitlines()
    (project / "measurements.csv").write_text("\n".join(lines[:51]) + "\n", encoding="utf-8")
    return project


def test_random_configurations_that_were_not_measured(few: Path) -> None:
    """The message names the sampling that draws from what was measured; designs are not replaced by a draw."""
    with pytest.raises(LearningError, match=r"were not measured") as caught:
        found(sampling="random:9")
    assert "draw from what was measured (--sampling measured:9)" in str(caught.value)
    assert len(found(sampling="measured:9").rows) == 9
    with pytest.raises(LearningError) as caught:
        found(sampling="pb:49,7")
    assert "--sampling" not in str(caught.value)


def test_too_few_configurations_after_dropping(few: Path) -> None:
    """`drop` must leave two configurations, and two per term without intervals; the message says how many."""
    settings = {"abortError": "0", "minImprovementPerRound": "0"}
    one = found(sampling="measured:6", settings=settings, learner="stepwise")
    assert len(one.result.terms) > 3
    with pytest.raises(LearningError, match=r"sampled configurations were measured: the model has \d+ terms") as caught:
        found(sampling="pb:49,7", missing="drop", settings=settings, learner="stepwise")
    assert "draw from what was measured: --sampling measured:N" in str(caught.value)
    kept = found(sampling="pb:49,7", missing="drop", settings={"numberOfRounds": "1"}, learner="stepwise")
    assert 2 * len(kept.result.terms) <= len(kept.rows) == 4
    few_rows = LearningRows(np.arange(2 * len(one.result.terms) - 1), "measured:6", sampled=99, dropped=9)
    with pytest.raises(LearningError, match="each needs at least two"):
        few_rows.require_enough_for(one.result)
    estimates = tuple(InfluenceEstimate(each.term, each.influence, 1, -9, 9, 0.9) for each in one.result.terms)
    few_rows.require_enough_for(replace(one.result, estimates=estimates))
    lines = (few / "measurements.csv").read_text(encoding="utf-8").splitlines()
    (few / "measurements.csv").write_text("\n".join(lines[:2]) + "\n", encoding="utf-8")
    with pytest.raises(LearningError, match="1 of 46 sampled configurations was measured: too few to learn from"):
        found(sampling="pb:49,7", missing="drop")
