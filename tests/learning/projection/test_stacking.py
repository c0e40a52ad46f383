"""What predicts: the full model, the printed one, or a blend of them, as held-out rows prefer."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from sampling import Space
from splc.data.configurations import Configurations
from splc.data.measurements import Measurements
from splc.learning import LearningResult, learn
from splc.learning.folds import CrossValidated
from splc.learning.projection.default_learner import weight_of
from splc.learning.projection.predictor import Ensemble, Stacked
from splc.models.influence import InfluenceModel
from splc.models.terms import Term, option_term
from splc.system.options import BinaryOption, NumericOption
from splc.system.variability import VariabilityModel
from splc.types import Array
from tests.support.objects import present

SYSTEM = VariabilityModel(
    "made", (*(BinaryOption(f"b{i}") for i in range(5)), NumericOption("n", (0.0, 1.0, 2.0, 4.0, 8.0)))
)


def truth(configurations: Configurations, constant: float = 40.0) -> Array:
    """Return a sum of three terms."""
    column = configurations.column
    return np.asarray(constant + 30 * column("b0") + 9 * column("n") * column("b1"))


@cache
def learned(seed: int = 0, rows: int = 32, constant: float = 40.0) -> tuple[LearningResult, Configurations]:
    """Return what is learned from some rows of the sum with a noise of 5 %, and the other configurations."""
    rng = np.random.default_rng(seed)
    every = Space(SYSTEM).enumerate()
    every = every[rng.permutation(len(every))]
    noise = 0.05 * np.clip(rng.standard_normal(len(every)), -3, 3) * truth(every)
    measured = Measurements(every[:rows], {"time": (truth(every, constant) + noise)[:rows]})
    return learn(measured, "time", seed=seed), every[rows:]


def ensemble_of(result: LearningResult) -> Ensemble:
    """Return what predicts."""
    assert isinstance(result.predictor, Ensemble)
    return result.predictor


def error(predicted: Array, values: Array) -> float:
    """Return the mean error in percent of the mean size."""
    return 100 * float(np.mean(np.abs(predicted - values)) / np.mean(np.abs(values)))


@pytest.mark.parametrize("constant", [40.0, -35.0])
def test_better_model_predicts(constant: float) -> None:
    """A short truth, also one of both signs: the printed model is much nearer to it, and so is what predicts."""
    full, printed, predicted = [], [], []
    for seed in range(2):
        result, others = learned(seed, constant=constant)
        values = truth(others, constant)
        full.append(error(replace(ensemble_of(result), stacked=None).predict(others), values))
        printed.append(error(result.model.predict(others), values))
        predicted.append(error(result.predict(others), values))
    assert np.mean(printed) < 0.8 * np.mean(full)
    assert np.mean(predicted) < (np.mean(printed) + np.mean(full)) / 2


def test_weights() -> None:
    """Equal errors give equal weights; smaller ones weigh more, with more rows and fewer terms."""
    small, large = np.full(40, 0.05), np.full(40, 0.1)
    assert weight_of(small, small, 0, 40) == pytest.approx(0.5)
    assert weight_of(small, small, 20, 40) < weight_of(small, small, 5, 40) < 0.5
    assert weight_of(small[:16], small[:16], 0, 16) == pytest.approx(0.25)
    assert weight_of(large[:16], small[:16], 0, 16) < weight_of(large, small, 0, 40) < 1
    assert weight_of(large, small, 0, 40) + weight_of(small, large, 0, 40) == pytest.approx(1)
    assert weight_of(small, np.zeros(40), 5, 40) == 1
    assert weight_of(np.zeros(40), small, 5, 40) == 0


def test_one_error() -> None:
    """The stated errors and the intervals are those of what predicts."""
    result, others = learned()
    ensemble = ensemble_of(result)
    stacked = present(ensemble.stacked)
    assert 0 < stacked.weight < 1
    assert result.cross_validated is not None
    printed = present(present(result.printed_errors).cross_validated)
    measured = ensemble.measured / ensemble.scale.unit
    of_printed = CrossValidated.of(ensemble.scale.residual(ensemble.scale.backward(stacked.held_out), measured))
    assert of_printed.mean == pytest.approx(printed.mean)
    # The prediction is the middle of its interval, on the scale of logarithms.
    low, high = ensemble.interval(others)
    np.testing.assert_allclose(np.sqrt(low * high), ensemble.predict(others), rtol=1e-9)
    ends = sorted([replace(ensemble, stacked=None).predict(others), result.model.predict(others)], key=np.mean)
    between = np.minimum(*ends) * (1 - 1e-9), np.maximum(*ends) * (1 + 1e-9)
    assert ((between[0] <= ensemble.predict(others)) & (ensemble.predict(others) <= between[1])).all()


def test_json() -> None:
    """A stored model predicts the same; files of earlier versions have no weight of the printed model."""
    result, others = learned(constant=-35.0)
    ensemble = ensemble_of(result)
    content = json.loads(json.dumps(ensemble.as_json(), allow_nan=False))
    again = Ensemble.from_json(content, SYSTEM)
    np.testing.assert_allclose(again.predict(others), ensemble.predict(others), rtol=1e-12)
    np.testing.assert_allclose(again.interval(others), ensemble.interval(others), rtol=1e-9)
    del content["stacked"]
    earlier = Ensemble.from_json(content, SYSTEM)
    np.testing.assert_allclose(earlier.predict(others), replace(ensemble, stacked=None).predict(others), rtol=1e-12)


def test_without_value() -> None:
    """Where the printed model has no value, the Gaussian processes predict; rows do not depend on each other."""
    result, others = learned()
    inverse = InfluenceModel.from_terms([(Term(), 40.0), (option_term("n", -1), 9.0)], SYSTEM.term_order)
    ensemble = replace(ensemble_of(result), stacked=Stacked(inverse, 0.5, np.zeros(32)))
    alone = replace(ensemble, stacked=None).predict(others)
    is_zero = others.column("n") == 0
    predicted = ensemble.predict(others)
    assert np.array_equal(predicted[is_zero], alone[is_zero])
    expected = np.sqrt(alone[~is_zero] * (40 + 9 / others.column("n")[~is_zero]))
    np.testing.assert_allclose(predicted[~is_zero], expected, rtol=1e-9)
