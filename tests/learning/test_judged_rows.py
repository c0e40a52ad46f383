"""The rows that judge a model: all, or samples whose errors agree with those of all rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from splc.data.accuracy import mean_relative_error
from splc.data.configurations import Configurations
from splc.data.measurements import Measurements
from splc.learning import LearningProblem, LearningResult, judging, learn, learner_of
from splc.learning.folds import ERRORS, JudgedRows, Judgement
from splc.learning.judging import judged
from splc.learning.learner import Learner
from splc.models.influence import InfluenceModel
from splc.models.terms import CONSTANT, option_term
from splc.system.options import BinaryOption
from splc.system.variability import VariabilityModel
from splc.types import Array

SYSTEM = VariabilityModel("bits", tuple(BinaryOption(f"b{at}") for at in range(10)))
BITS = (np.arange(1024)[:, None] >> np.arange(10)) & 1
ALL = Configurations(SYSTEM, BITS)
RNG = np.random.default_rng(3)
TRUE = 10 + BITS @ np.arange(1.0, 11.0)
# Some values are missing, and some are 0.
VALUES = np.where(
    RNG.random(1024) < 0.05, np.nan, np.where(RNG.random(1024) < 0.05, 0, TRUE * RNG.normal(1, 0.1, 1024))
)
MEASURED = Measurements(ALL, {"time": VALUES})
LEARNED = np.sort(RNG.choice(1024, 400, replace=False))
EVALUATION = Measurements(ALL[:700], {"time": TRUE[:700] * RNG.normal(1, 0.2, 700)})


def truth(configurations: Configurations) -> Array:
    """Return the values without noise."""
    return np.asarray(10 + configurations.indices @ np.arange(1.0, 11.0))


def errors_of(judgement: Judgement) -> tuple[float | None, ...]:
    """Return the errors in the order of their names."""
    return tuple(judgement.errors[name] for name in ERRORS)


@pytest.mark.parametrize("limit", [None, 1024, 620])
@pytest.mark.parametrize("evaluation", [None, EVALUATION], ids=["others", "evaluation set"])
def test_all_rows(limit: int | None, evaluation: Measurements | None) -> None:
    """Without a limit, or with one that no group of rows exceeds, errors are those of all rows, to the last bit."""
    evaluation = None if evaluation is None else evaluation[:600]
    rows = JudgedRows.of(MEASURED, "time", LEARNED, evaluation, limit=limit)
    others = np.delete(np.arange(1024), LEARNED)
    rest = mean_relative_error(TRUE[others], VALUES[others])
    if evaluation is not None:
        rest = mean_relative_error(TRUE[:600], evaluation["time"])
    found = rows.judge(truth)
    wanted = mean_relative_error(TRUE[LEARNED], VALUES[LEARNED]), rest, mean_relative_error(TRUE, VALUES)
    assert errors_of(found) == wanted
    assert not rows.samples
    assert not found.standard_errors
    assert found.predicted.tolist() == TRUE.tolist()


@pytest.mark.parametrize("evaluation", [None, EVALUATION], ids=["others", "evaluation set"])
@pytest.mark.parametrize("limit", [100, 450])
def test_errors_of_samples(limit: int, evaluation: Measurements | None) -> None:
    """Errors of samples are within four standard errors of those of all rows, which half of them are farther off."""
    whole = errors_of(JudgedRows.of(MEASURED, "time", LEARNED, evaluation, limit=None).judge(truth))
    multiples = []
    for seed in range(10):
        rows = JudgedRows.of(MEASURED, "time", LEARNED, evaluation, seed=seed, limit=limit)
        found = rows.judge(truth)
        assert set(found.standard_errors) == set(rows.samples) == ({*ERRORS} if limit == 100 else {*ERRORS[1:]})
        # The values and predictions of the error outside of the learning set, also without those that were learned.
        values, predicted = rows.tested(found)
        assert mean_relative_error(predicted, values) == found.errors["error"]
        if rows.evaluation is not None:
            is_learned = ALL[LEARNED].find(rows.evaluation.configurations) >= 0
            assert rows.tested(found, unlearned=True)[0].tolist() == values[~is_learned].tolist()
        for name, error, wanted in zip(ERRORS, errors_of(found), whole, strict=True):
            assert error is not None
            assert wanted is not None
            deviation = found.standard_errors.get(name, 0.0)
            assert deviation is not None
            assert abs(error - wanted) <= 4 * deviation
            multiples += [abs(error - wanted) / deviation] if deviation else []
    assert 0.3 < np.median(multiples) < 1.2


@dataclass(frozen=True)
class SlowLearner:
    """Predicts the values without noise, and prints a short sum."""

    name: str = "slow"
    preset: str = "default"
    draws: bool = False
    suffix: str = ".json"
    settings: Mapping[str, Any] = field(default_factory=dict)

    def predict(self, configurations: Configurations) -> Array:
        """Return the values without noise."""
        return truth(configurations)

    def learn(self, problem: LearningProblem) -> LearningResult:
        """Learn nothing."""
        printed = InfluenceModel.of_system([(CONSTANT, 20.0), (option_term("b9"), 9.0)], SYSTEM)
        return judged(problem, self, self, termination="done", seconds=0.0, printed=printed)


def learned(limit: int, monkeypatch: pytest.MonkeyPatch, learner: Learner) -> LearningResult:
    """Return a model that is judged by at most so many rows of each kind."""
    monkeypatch.setattr(judging, "MOST_JUDGED", limit)
    return learn(MEASURED, learner=learner, learning_set=LEARNED[:50], seed=4)


def test_slow_models_are_judged_by_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    """A full model and its printed model are judged by the same sample; a note says how far its error may be off."""
    whole, found = (learned(limit, monkeypatch, SlowLearner()) for limit in (1024, 100))
    assert whole.samples == {}
    assert found.learning_error == pytest.approx(whole.learning_error)
    sample = found.samples["error"]
    assert (sample.configurations, sample.of) == (100, len(MEASURED.measured("time")) - whole.learning_configurations)
    assert set(found.samples) == {"error", "error_all"}
    for error, wanted, deviation in (
        (found.error, whole.error, sample.standard_error),
        (found.error_all, whole.error_all, found.samples["error_all"].standard_error),
        (found.of_printed.error, whole.of_printed.error, sample.printed),
    ):
        assert error is not None
        assert wanted is not None
        assert deviation is not None
        assert 0 < abs(error - wanted) <= 4 * deviation
    assert sample.standard_error != sample.printed
    assert found.of_printed.samples["error"].standard_error == sample.printed
    (note,) = set(found.notes) - set(whole.notes)
    assert f"100 of {sample.of}" in note


def test_terms_are_judged_by_all_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """A performance-influence model that predicts is judged by all rows, however many there are."""
    few, whole = (learned(limit, monkeypatch, learner_of("stepwise")) for limit in (10, 1024))
    assert (few.learning_error, few.error, few.error_all) == (whole.learning_error, whole.error, whole.error_all)
    assert few.samples == {}
