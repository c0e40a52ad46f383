"""The contract of learners: the registry, results of any learner, and predictors without terms."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pytest

from splc.data.configurations import Configurations
from splc.data.measurements import Measurements
from splc.errors import LearningError
from splc.formats.models.stored_model import learned_file
from splc.learning import LEARNERS, LearningProblem, LearningResult, learn, learner_of, registry
from splc.learning.judging import judged, round_errors
from splc.learning.projection import Ensemble
from splc.learning.registry import LearnerKind
from splc.learning.result import Round, Step
from splc.models.influence import InfluenceModel
from splc.system.options import NumericOption
from splc.system.variability import VariabilityModel
from splc.types import Array
from tests.support.golden_messages import check_messages

MODEL = VariabilityModel("two", (NumericOption("x", (1.0, 2.0, 4.0, 8.0, 16.0)), NumericOption("y", (1.0, 2.0, 3.0))))


@pytest.fixture
def measured() -> Measurements:
    """Return all configurations with the property 2 + 3 x."""
    x, y = (column.ravel() for column in np.meshgrid([1.0, 2, 4, 8, 16], [1.0, 2, 3]))
    return Measurements(Configurations.from_columns(MODEL, {"x": x, "y": y}), {"time": 2 + 3 * x})


@dataclass(frozen=True)
class Constant:
    """Predicts one value."""

    value: float

    def predict(self, configurations: Configurations) -> Array:
        """Return the value for every configuration."""
        return np.full(len(configurations), self.value)


@dataclass(frozen=True)
class MeanLearner:
    """Predicts the mean of the learning set."""

    name: str = "mean"
    preset: str = "default"
    draws: bool = False
    suffix: str = ".json"
    settings: Mapping[str, Any] = field(default_factory=dict)

    def learn(self, problem: LearningProblem) -> LearningResult:
        """Learn the mean."""
        return judged(problem, self, Constant(float(problem.target.mean())), termination="done", seconds=0.0)


@pytest.mark.parametrize("name", ["stepwise", "pmnf"])
def test_every_learner_finds_a_function_of_both_kinds(measured: Measurements, name: str) -> None:
    """Each learner with readable terms finds a line of one option, is judged, and says what it is."""
    result = learn(measured[:5], "time", learner=name, learning_set=np.arange(4))
    assert result.learner == learner_of(name).name == name
    assert isinstance(result.predictor, InfluenceModel)
    assert result.error == pytest.approx(0, abs=1e-6)
    assert result.learning_configurations == 4
    assert [term.text(MODEL.term_order) for term in result.terms if abs(term.influence) > 1e-9] == ["1", "x"]
    assert result.settings == learner_of(name).settings


def test_default_learner_and_that_of_a_preset() -> None:
    """Without a name the learner is projection, or stepwise for SPL Conqueror's preset."""
    assert learner_of(None).name == learner_of(None, "default").name == "projection"
    assert learner_of(None, "splconqueror").name == "stepwise"
    assert learner_of("stepwise").settings == learner_of(None, "splconqueror").settings


@pytest.mark.parametrize("name", [*LEARNERS, "bag"])
def test_every_learner_reports_its_steps(measured: Measurements, name: str) -> None:
    """Steps are numbered, come in the order of time, and say in one line what was done; the last one has a model."""
    seen: list[Step] = []
    bag: dict[str, Any] = {"learner": "stepwise", "settings": {"bagging": True}}
    chosen: dict[str, Any] = bag if name == "bag" else {"learner": name}
    result = learn(measured, "time", **chosen, on_step=seen.append)
    assert [step.number for step in seen] == [*range(1, len(seen) + 1)]
    assert seen
    assert [step.seconds for step in seen] == sorted(step.seconds for step in seen)
    assert all(step.line(MODEL.term_order) and "\n" not in step.line() for step in seen)
    assert result.rounds == tuple(step for step in seen if isinstance(step, Round))


@pytest.mark.parametrize("name", LEARNERS)
def test_every_learner_ends_when_asked(measured: Measurements, name: str) -> None:
    """Learning that is asked to end after its first step keeps the model of this step, if there is one."""
    seen: list[Step] = []

    result = learn(measured, "time", learner=name, on_step=seen.append, should_stop=lambda: True)
    assert len(seen) == 1
    assert np.isfinite(result.predict(measured.configurations)).all()


def test_shares_of_the_work(measured: Measurements) -> None:
    """The default learner tells the share of its work that is done: it grows, and is below 1 before the end."""
    shares: list[float] = []
    learn(measured, "time", on_share=shares.append)
    assert len(shares) > 5
    assert shares == sorted(shares)
    assert 0 < shares[0] < shares[-1] < 1


def test_a_full_model_without_terms(measured: Measurements) -> None:
    """Learning that ends after the full model predicts by it; a note says that the terms are missing."""
    whole = learn(measured, "time")
    cut = learn(measured, "time", should_stop=lambda: True)
    assert isinstance(whole.predictor, Ensemble)
    alone = replace(whole.predictor, stacked=None)
    np.testing.assert_array_equal(cut.predict(measured.configurations), alone.predict(measured.configurations))
    assert cut.termination == "interrupted"
    assert not cut.model.options
    assert whole.model.options
    assert "interrupted before the terms were found" in cut.notes[0]


def test_another_learner(measured: Measurements, monkeypatch: pytest.MonkeyPatch) -> None:
    """A learner is used as a value, or by its name once it is in the table; its errors come from the same place."""
    direct = learn(measured, "time", learner=MeanLearner(), learning_set=np.arange(5))
    kind = LearnerKind({}, lambda preset, settings: MeanLearner())
    monkeypatch.setattr(registry, "LEARNERS", {**LEARNERS, "mean": lambda: kind})
    named = learn(measured, "time", learner="mean", learning_set=np.arange(5))
    assert named == direct
    values = measured["time"]
    expected = 100 * np.mean(np.abs(values[:5].mean() - values[5:]) / values[5:])
    assert direct.error == pytest.approx(expected)
    assert round_errors(direct) == [pytest.approx(direct.error_all)]


def test_predictors_without_terms(measured: Measurements) -> None:
    """Functions that need terms refuse a predictor without terms, and name the learner."""
    result = learn(measured, "time", learner=MeanLearner())
    assert not result.readable
    with pytest.raises(LearningError, match="the learner mean gives a predictor without terms"):
        _ = result.model
    with pytest.raises(LearningError, match="without terms"):
        learned_file(result, "measurements.csv")


def test_unknown_learners_presets_and_settings() -> None:
    """Wrong names are refused with the nearest known one."""
    check_messages("learners", lambda text: learner_of(*json.loads(text)))
