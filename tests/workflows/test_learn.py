"""Learning: splits of measured configurations, cross-validation, baselines, and values of a context."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partialmethod
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from splc.data.accuracy import mean_relative_error
from splc.data.configurations import Configurations
from splc.errors import LearningError
from splc.learning import learn as learn_model
from splc.learning import learner
from splc.learning.folds import CrossValidated
from splc.learning.projection import Ensemble
from splc.learning.registry import BASELINES
from splc.learning.result import InfluenceEstimate
from splc.types import Array
from splc.workflows import learn
from splc.workflows.learn.request import LearningRows
from tests.support.objects import Told, present

PROPERTY = "solve_compute_seconds"
POWERS = [2.0**k for k in range(1, 13)]


def found(**fields: Any) -> learn.Result:
    """Learn without writing anything."""
    return learn.run(learn.Request(**{"nfp": PROPERTY, "write": False, **fields}))


def table_of(folder: Path, header: str, *rows: str) -> None:
    """Write a table as the only input, from which the system is inferred."""
    (folder / "measurements.csv").write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")


def test_the_rest_of_a_split_judges_the_model(project: Path) -> None:
    """With `measured:70%` the error is that of the other 30 % that have a value; the seed decides which."""
    header, *rows = (project / "measurements.csv").read_text(encoding="utf-8").splitlines()
    place = header.split(",").index(PROPERTY)
    cells = [row.split(",") for row in rows]
    kept = [[*each[:place], each[place] if row % 3 else "", *each[place + 1 :]] for row, each in enumerate(cells)]
    table_of(project, header, *map(",".join, kept))
    one = found(sampling="measured:70%", seed=1, learner="stepwise")
    values = one.measured.column(PROPERTY)
    usable = np.flatnonzero(~np.isnan(values))
    assert len(one.rows) == round(0.7 * len(usable))
    rest = np.setdiff1d(usable, one.rows)
    assert len(rest) == len(usable) - len(one.rows) < len(values)
    predicted = one.result.predictor.predict(one.measured.configurations)
    assert one.result.error == pytest.approx(mean_relative_error(predicted[rest], values[rest]))
    assert set(found(sampling="measured:70%", seed=2, learner="stepwise").rows) != set(one.rows)
    assert set(found(sampling="measured:70%,seed=1", learner="stepwise").rows) == set(one.rows)


@pytest.mark.parametrize("limit", [1000, 20])
def test_rows_are_predicted_once(limit: int, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The full model predicts a measured configuration at most once, whether all of them or a sample judge it."""
    monkeypatch.setattr(learner, "MOST_JUDGED", limit)
    calls: list[tuple[object, Configurations]] = []

    def counted(model: Any, configurations: Configurations, predict: Any) -> Array:
        calls.append((model, configurations))
        return np.asarray(predict(model, configurations))

    monkeypatch.setattr(Ensemble, "predict", partialmethod(counted, predict=Ensemble.predict))
    one = found(sampling="pb:9,3", plot="plot.svg", write=True)
    times = np.zeros(len(one.measured), dtype=int)
    for _, configurations in (call for call in calls if call[0] is one.result.predictor):
        rows = one.measured.configurations.find(configurations)
        np.add.at(times, rows[rows >= 0], 1)
    assert times.max() == 1
    # The configurations that an error is computed on are counted, with their standard error.
    sample = json.loads((project / "learned.json").read_text(encoding="utf-8")).get("samples", {}).get("error")
    assert (sample is None) == (limit == 1000)
    assert sample is None or (sample["configurations"], sample["of"]) == (20, len(one.measured) - len(one.rows))
    assert sample is None or min(sample["printed"], sample["standard_error"]) > 0


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
    validated = present(one.result.cross_validated)
    assert (validated.mean, validated.median) == pytest.approx((np.mean(errors), np.median(errors)))
    assert validated.p95 == pytest.approx(np.quantile(errors, 0.95))
    assert one.result.predictor != found(sampling="measured:11", learner=learner).result.predictor


def test_folds_change_the_cross_validated_error_only(project: Path) -> None:
    """The model is learned from the whole learning set; the folds depend on the seed, not on the order of rows."""

    def validated(folds: int = 5, **fields: Any) -> tuple[object, CrossValidated | None]:
        result = found(**{"sampling": "measured:40,seed=1", "folds": folds, "learner": "stepwise", **fields}).result
        return result.model, result.cross_validated

    plain, one, other = validated(0), validated(), validated(seed=7)
    assert plain == (one[0], None)
    assert other[1] != one[1]
    header, *lines = (project / "measurements.csv").read_text(encoding="utf-8").splitlines()
    table_of(project, header, *lines[::-1])
    again = present(validated()[1])
    assert one[1] is not None
    assert again.mean == pytest.approx(one[1].mean, rel=1e-6)


@pytest.fixture
def scaling(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a table with one numeric option in the current folder: its scaling models are learned fast."""
    monkeypatch.chdir(tmp_path)
    table_of(tmp_path, f"p,{PROPERTY}", *(f"{p},{5 + p + 7 * p % 3}" for p in POWERS))
    return tmp_path


@pytest.mark.parametrize("settings", [None, {"neighbours": "1"}])
def test_baselines_are_learned_from_the_same_split(scaling: Path, settings: dict[str, str] | None) -> None:
    """Each line is the result of that learner alone, with the median and the 95th percentile of the errors outside.

    A baseline that is the chosen learner is in the table once, with its settings.
    """
    chosen: dict[str, Any] = {"learner": "knn", "settings": settings} if settings else {"learner": "stepwise"}
    one = found(sampling="measured:8", baselines=True, **chosen)
    names = [each.result.learner for each in one.compared]
    assert names == [chosen["learner"], "pmnf", *(name for name in BASELINES if name != chosen["learner"])]
    values = one.measured.column(PROPERTY)
    rest = np.setdiff1d(np.arange(len(values)), one.rows)
    for each in one.compared:
        own = chosen if each is one.compared[0] else {"learner": each.result.learner}
        alone = found(sampling="measured:8", **own)
        assert (each.result.error, each.result.learning_error) == (alone.result.error, alone.result.learning_error)
        assert each.result.settings == alone.result.settings
        errors = 100 * np.abs(each.result.predictor.predict(one.measured.configurations[rest]) / values[rest] - 1)
        assert (each.median, each.p95) == pytest.approx((np.median(errors), np.quantile(errors, 0.95)))
        assert each.result.error == pytest.approx(errors.mean())


def test_a_stop_ends_the_baselines(project: Path) -> None:
    """A request to stop after learning keeps the result, and learns no further baseline."""
    calls = iter([False] * 2)
    request = learn.Request(nfp=PROPERTY, learner="tree", baselines=True, folds=3, write=False)
    one = learn.run(request, Told(lambda: next(calls, True)))
    assert one.interrupted
    assert [each.result.learner for each in one.compared] == ["tree"]


def test_too_few_configurations_after_dropping(project: Path) -> None:
    """Two configurations per term are needed without intervals, not with them."""
    one = found(sampling="measured:6", settings={"abortError": "0", "minImprovementPerRound": "0"}, learner="stepwise")
    few = LearningRows(np.arange(2 * len(one.result.terms) - 1), "measured:6", sampled=99, dropped=9)
    with pytest.raises(LearningError, match="each needs at least two"):
        few.require_enough_for(one.result)
    estimates = tuple(InfluenceEstimate(each.term, each.influence, 1, -9, 9, 0.9) for each in one.result.terms)
    few.require_enough_for(replace(one.result, estimates=estimates))
