"""The contract of learners: the registry, results of any learner, predictors without terms, searches of settings."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from sampling import Space
from splc.data.configurations import Configurations
from splc.data.measurements import Measurements
from splc.errors import LearningError
from splc.formats.models.stored_model import learned_file
from splc.learning import LEARNERS, learn, learner_of, registry
from splc.learning.features import feature_table, random_folds
from splc.learning.learner import round_errors
from splc.learning.projection import Ensemble
from splc.learning.registry import LearnerKind, combinations_of, search_settings
from splc.learning.result import Round, Step
from splc.models.influence import InfluenceModel
from splc.system.options import NumericOption
from splc.system.variability import VariabilityModel
from tests.learning.conftest import MadeLearner, mean_of
from tests.support.golden_messages import check_calls, check_messages

MODEL = VariabilityModel("two", (NumericOption("x", (1.0, 2.0, 4.0, 8.0, 16.0)), NumericOption("y", (1.0, 2.0, 3.0))))


MEAN = MadeLearner(mean_of, name="mean")


@pytest.fixture
def measured() -> Measurements:
    """Return all configurations with the property 2 + 3 x."""
    x, y = (column.ravel() for column in np.meshgrid([1.0, 2, 4, 8, 16], [1.0, 2, 3]))
    return Measurements(Configurations.from_columns(MODEL, {"x": x, "y": y}), {"time": 2 + 3 * x})


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
    direct = learn(measured, "time", learner=MEAN, learning_set=np.arange(5))
    kind = LearnerKind({}, lambda preset, settings: MEAN)
    monkeypatch.setattr(registry, "LEARNERS", {**LEARNERS, "mean": lambda: kind})
    named = learn(measured, "time", learner="mean", learning_set=np.arange(5))
    assert named == direct
    values = measured["time"]
    expected = 100 * np.mean(np.abs(values[:5].mean() - values[5:]) / values[5:])
    assert direct.error == pytest.approx(expected)
    assert round_errors(direct) == [pytest.approx(direct.error_all)]


def test_predictors_without_terms(measured: Measurements) -> None:
    """Functions that need terms refuse a predictor without terms, and name the learner."""
    result = learn(measured, "time", learner=MEAN)
    assert not result.readable
    with pytest.raises(LearningError, match="the learner mean gives a predictor without terms"):
        _ = result.model
    with pytest.raises(LearningError, match="without terms"):
        learned_file(result, "measurements.csv")


def test_unknown_learners_presets_and_settings() -> None:
    """Wrong names are refused with the nearest known one."""
    check_messages("learners", lambda text: learner_of(*json.loads(text)))


VALUES = {"abortError": [10, 1], "numberOfRounds": [1, 3]}
EVERY = Space(VariabilityModel.of({"a": bool, "b": bool, "c": bool, "d": bool, "n": [1, 2, 4, 8]})).enumerate()
A, B, C, N = (EVERY.column(name) for name in "abcn")
TIME = (10 + 9 * A + 2 * B * N + 3 * C) * np.random.default_rng(0).normal(1, 0.05, len(EVERY))
MEASURED = Measurements(EVERY, {"time": TIME})
ROWS = np.arange(0, 64, 2)


def searched(values: Any = VALUES, **further: Any) -> list[tuple[dict[str, Any], float | None]]:
    """Return the result of a search in every second measurement."""
    return search_settings(MEASURED, "time", values, ROWS, **{"preset": "splconqueror", **further})


def test_errors_are_those_of_held_out_folds() -> None:
    """Each combination has the mean relative error of models of the other folds."""
    found = searched()
    y, configurations = TIME[ROWS], EVERY[ROWS]
    folds = random_folds(feature_table(configurations, y), 5, 0)
    for settings, error in found:
        errors = np.empty(len(ROWS))
        for fold in range(5):
            held = folds == fold
            model = learn(MEASURED, "time", "splconqueror", settings=settings, learning_set=ROWS[~held]).model
            errors[held] = abs(model.predict(configurations[held]) - y[held]) / y[held] * 100
        assert error == pytest.approx(errors.mean())
    assert [settings for settings, _ in found] == [
        {"abortError": a, "numberOfRounds": n} for a in (10, 1) for n in (1, 3)
    ]
    assert found == searched()


def test_random_search_draws_distinct_combinations() -> None:
    """A random search tries as many distinct combinations as asked for, the same ones for the same seed."""
    values = {"numberOfRounds": list(range(1, 100)), "abortError": list(range(1, 100))}
    found = searched(values, samples=6, seed=3, folds=2)
    settings = [tuple(chosen.values()) for chosen, _ in found]
    assert len(set(settings)) == 6
    assert settings == sorted(settings)
    assert found == searched(values, samples=6, seed=3, folds=2)
    assert settings != [tuple(chosen.values()) for chosen, _ in searched(values, samples=6, seed=4, folds=2)]
    assert len(searched({"numberOfRounds": [1, 2]}, samples=9, folds=2)) == 2


def test_settings_that_nothing_is_learned_with() -> None:
    """Settings that nothing can be learned with have no error; if none has one, the search fails with the reasons."""
    (_, first), (_, second) = searched({"first": ["a", "a * b"]})
    assert first is not None
    assert second is None
    with pytest.raises(LearningError, match=r"none of 1 trial of settings has an error: .*is no candidate"):
        searched({"first": ["a * b"]})


def test_wrong_values_are_refused_before_anything_is_tried() -> None:
    """Unknown settings, wrong values, no values and too many combinations are refused."""
    check_calls("searched-settings", searched)


def test_stopped_searches_keep_finished_trials() -> None:
    """Once asked to stop, a search tries nothing more."""
    answers = iter([False, False, True])
    assert len(searched(should_stop=lambda: next(answers))) == 2
    with pytest.raises(KeyboardInterrupt, match="before the first trial"):
        searched(should_stop=lambda: True)


def test_drawn_combinations_are_distinct_in_any_number() -> None:
    """Repeated values count once; all but one of many combinations are drawn as fast as few of them."""
    values = {"abortError": [1, 2, 1], "numberOfRounds": [3, 4]}
    chosen = combinations_of(values, None, 0)
    assert len(chosen) == 4
    assert chosen[1] == {"abortError": 1, "numberOfRounds": 4}
    many = {"abortError": range(100), "numberOfRounds": range(200)}
    assert len({tuple(each.values()) for each in combinations_of(many, 19_999, 1)}) == 19_999
