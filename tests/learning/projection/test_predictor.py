"""The predictor and its file; weighted sums of its predictions; its blend with the printed model."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy.special import stdtrit

from sampling import Space
from splc.data.configurations import Configurations
from splc.data.measurements import Measurements
from splc.learning import LearningResult, learn
from splc.learning.folds import CrossValidated
from splc.learning.projection.basis import OptionBasis
from splc.learning.projection.default_learner import weight_of
from splc.learning.projection.full_model import fit_full_model
from splc.learning.projection.posterior import Hyperparameters, kernel_matrix
from splc.learning.projection.predictor import Ensemble, Stacked, predictions
from splc.models.influence import InfluenceModel
from splc.models.terms import Term, option_term
from splc.system.options import BinaryOption, NumericOption
from splc.system.variability import VariabilityModel
from splc.types import Array, Link
from tests.learning.projection.test_full_model import drawn, known, learned, system
from tests.support.objects import present


@cache
def ensemble_of(seed: int, noise: bool) -> Ensemble:
    """Return an ensemble of 25 rows."""
    configurations = drawn(system(), 25, seed)
    rng = np.random.default_rng(seed)
    y = np.exp(rng.normal(size=25)) if noise else known(configurations)
    return learned(configurations, y).ensemble


def stored(seed: int = 0, noise: bool = False) -> tuple[Ensemble, dict[str, Any]]:
    """Return an ensemble, and its JSON read again."""
    ensemble = ensemble_of(seed, noise)
    return ensemble, json.loads(json.dumps(ensemble.as_json(), allow_nan=False))


@pytest.mark.parametrize("noise", [False, True])
def test_round_trip(noise: bool) -> None:
    """The intervals of a stored ensemble are those of the original, also of a constant one."""
    ensemble, content = stored(1, noise)
    again = Ensemble.from_json(content, system())
    others = drawn(system(), 50, 7)
    assert bool(ensemble.parts) is not noise
    np.testing.assert_allclose(again.interval(others), ensemble.interval(others), rtol=1e-9)
    np.testing.assert_allclose(again.predict(others), ensemble.predict(others), rtol=1e-9)


def test_predictions_need_no_factorisation() -> None:
    """The weights of rows are stored; those of files without them are computed again."""
    ensemble, content = stored(1)
    others = drawn(system(), 50, 7)
    expected = ensemble.predict(others)
    # A kernel with this noise has no Cholesky factor.
    broken = Ensemble.from_json({**content, "noises": [-1e9] * len(content["noises"])}, system())
    assert np.array_equal(broken.predict(others), Ensemble.from_json(content, system()).predict(others))
    np.testing.assert_allclose(broken.predict(others), expected, rtol=1e-12)
    del content["weights"]
    np.testing.assert_allclose(Ensemble.from_json(content, system()).predict(others), expected, rtol=1e-9)


def test_damaged_files() -> None:
    """An object without one of its parts, of other options, or with other numbers of them, is refused."""
    _, content = stored()
    for key in ("scale", "quantile", "hyperparameters", "configurations", "values", "mean"):
        with pytest.raises(KeyError):
            Ensemble.from_json({name: value for name, value in content.items() if name != key}, system())
    with pytest.raises(ValueError, match="n1"):
        Ensemble.from_json(content, system(4, 1))
    damaged = [
        {"hyperparameters": [[0.0] * 3]},
        {"values": content["values"][1:]},
        {"weights": [row[1:] for row in content["weights"]]},
        *({"kinds": [*content["kinds"][:-1], kind]} for kind in (-1, 2, 3)),
    ]
    for change in damaged:
        with pytest.raises(ValueError, match="do not fit"):
            Ensemble.from_json({**content, **change}, system())


@pytest.mark.parametrize("scale", ["log", "raw"])
@pytest.mark.parametrize("rows", [12, 40])
def test_intervals_are_those_of_the_average_of_normal_distributions(rows: int, scale: str) -> None:
    """Predictions and intervals are those of the parts' conditional normal distributions, by plain linear algebra."""
    configurations, others = drawn(system(), rows), drawn(system(), 7, 5)
    y = known(configurations) * np.exp(np.random.default_rng(rows).normal(0, 0.1, rows))
    model = learned(configurations, y, scale)
    ensemble, unit = model.ensemble, model.scale.unit
    t = np.log(model.data.y / unit) if scale == "log" else model.data.y / unit - 1
    basis = OptionBasis(ensemble.basis.variables)
    means, variances, noises = [], [], []
    for part in ensemble.parts:
        theta = Hyperparameters.of(part.logarithms)
        design, other = (basis.designs(each)[part.kind] for each in (model.configurations, others))
        inverse = np.linalg.inv(kernel_matrix(theta, design, design) + np.diag(theta.noise * part.noise + 1e-8))
        cross = kernel_matrix(theta, design, other)
        means.append(t.mean() + cross.T @ inverse @ (t - t.mean()))
        variances.append(t.var() * np.diag(kernel_matrix(theta, other, other) - cross.T @ inverse @ cross))
        noises.append(t.var() * theta.noise)
    mean = np.mean(means, axis=0)
    g = np.exp(mean) if scale == "log" else np.maximum(mean + 1, y.min() / unit / 3)
    multiples = 1.0 if scale == "log" else g**2 / ensemble.noise_unit
    deviation = np.sqrt(np.mean(variances, axis=0) + np.var(means, axis=0) + np.mean(noises) * multiples)
    factor = np.exp(model.quantile * (deviation if scale == "log" else deviation / g))
    np.testing.assert_allclose(ensemble.predict(others), g * unit, rtol=1e-7)
    np.testing.assert_allclose(ensemble.interval(others), (g / factor * unit, g * factor * unit), rtol=1e-6)


def test_intervals_of_values_of_any_sign() -> None:
    """Intervals of values that are not all positive have equal halves on the scale, in multiples of the deviation."""
    configurations, others = drawn(system(), 9), drawn(system(), 7, 5)
    model = learned(configurations, known(configurations) - 12 + np.random.default_rng(1).normal(0, 0.3, 9))
    ensemble, scale = model.ensemble, model.scale
    assert not scale.positive
    assert not np.isfinite(scale.lowest)
    ends = *ensemble.interval(others), ensemble.predict(others)
    lower, upper, middle = (scale.forward(each / scale.unit) for each in ends)
    half = model.quantile * ensemble.moments(others)[1] / scale.slope(ensemble.predict(others) / scale.unit)
    assert (half > 0).all()
    np.testing.assert_allclose(middle - lower, half, rtol=1e-9)
    np.testing.assert_allclose(upper - middle, half, rtol=1e-9)


@pytest.mark.parametrize("rows", [12, 29, 30, 40])
def test_quantile_of_intervals(rows: int) -> None:
    """The quantile is that of the errors outside of the folds from 30 rows on, and Student's t below."""
    configurations = drawn(system(), rows)
    y = known(configurations) * np.exp(np.random.default_rng(rows).normal(0, 0.1, rows))
    model = learned(configurations, y, "log")
    assert model.refits is not None
    ratios = np.sort(abs(model.refits.means - np.log(model.data.y / model.scale.unit)) / model.refits.deviations)
    if rows >= 30:
        expected = ratios[int(np.ceil(0.9 * (rows + 1))) - 1]
    else:
        expected = np.clip(np.sqrt(np.mean(ratios**2)), 0.8, 2.5) * stdtrit(max(3, rows - 6 - 1), 0.95)
    assert model.quantile == pytest.approx(expected)


@pytest.mark.parametrize("rows", [2, 3, 9])
@pytest.mark.parametrize("smallest", [1.0, -4.0])
def test_intervals_without_influences(rows: int, smallest: float) -> None:
    """Without variables, an interval is that of one more value of a normal distribution, on the scale of the model."""
    configurations = drawn(system(), rows)
    y = smallest + np.random.default_rng(rows).permutation(np.arange(float(rows)) ** 2)
    found = fit_full_model(configurations, y, ())
    t = np.log(y) if smallest > 0 else y
    half = stdtrit(rows - 1, 0.95) * t.std(ddof=1) * np.sqrt(1 + 1 / rows)
    expected = t.mean() + np.array([-half, half, 0.0])
    new = drawn(system(), 3, 1)
    ends = (*found.interval(new), found.predict(new))
    for end, each in zip(ends, np.exp(expected) if smallest > 0 else expected, strict=True):
        np.testing.assert_allclose(end, np.full(3, each), rtol=1e-9)


@pytest.mark.parametrize("link", ["identity", "log"])
@pytest.mark.parametrize("constant", [False, True])
def test_values_and_covariances(link: Link, *, constant: bool) -> None:
    """Values are sums of predictions; covariances follow those of single predictions as linear maps do."""
    full, _ = stored(1, constant)
    assert bool(full.parts) is not constant
    configurations = drawn(system(), 12, 3)
    f = predictions(full, configurations, link)
    expected = full.predict(configurations)
    np.testing.assert_allclose(f, np.log(expected) if link == "log" else expected, rtol=1e-12)
    rng = np.random.default_rng(0)
    weights = rng.normal(size=(4, 12))
    single = full.weighted_sums(configurations, np.eye(12), link)[1]
    values, covariance = full.weighted_sums(configurations, weights, link)
    np.testing.assert_allclose(values, weights @ f, rtol=1e-9)
    np.testing.assert_allclose(covariance, weights @ single @ weights.T, rtol=1e-6, atol=1e-12)
    assert np.linalg.eigvalsh(single).min() > -1e-9 * np.trace(single)


SYSTEM = VariabilityModel(
    "made", (*(BinaryOption(f"b{i}") for i in range(5)), NumericOption("n", (0.0, 1.0, 2.0, 4.0, 8.0)))
)


def truth(configurations: Configurations, constant: float = 40.0) -> Array:
    """Return a sum of three terms."""
    column = configurations.column
    return np.asarray(constant + 30 * column("b0") + 9 * column("n") * column("b1"))


@cache
def blended(seed: int = 0, rows: int = 32, constant: float = 40.0) -> tuple[LearningResult, Configurations]:
    """Return what is learned from some rows of the sum with a noise of 5 %, and the other configurations."""
    rng = np.random.default_rng(seed)
    every = Space(SYSTEM).enumerate()
    every = every[rng.permutation(len(every))]
    noise = 0.05 * np.clip(rng.standard_normal(len(every)), -3, 3) * truth(every)
    measured = Measurements(every[:rows], {"time": (truth(every, constant) + noise)[:rows]})
    return learn(measured, "time", seed=seed), every[rows:]


def blend_of(result: LearningResult) -> Ensemble:
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
        result, others = blended(seed, constant=constant)
        values = truth(others, constant)
        full.append(error(replace(blend_of(result), stacked=None).predict(others), values))
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
    result, others = blended()
    ensemble = blend_of(result)
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
    result, others = blended(constant=-35.0)
    ensemble = blend_of(result)
    content = json.loads(json.dumps(ensemble.as_json(), allow_nan=False))
    again = Ensemble.from_json(content, SYSTEM)
    np.testing.assert_allclose(again.predict(others), ensemble.predict(others), rtol=1e-12)
    np.testing.assert_allclose(again.interval(others), ensemble.interval(others), rtol=1e-9)
    del content["stacked"]
    earlier = Ensemble.from_json(content, SYSTEM)
    np.testing.assert_allclose(earlier.predict(others), replace(ensemble, stacked=None).predict(others), rtol=1e-12)


def test_without_value() -> None:
    """Where the printed model has no value, the Gaussian processes predict; rows do not depend on each other."""
    result, others = blended()
    inverse = InfluenceModel.from_terms([(Term(), 40.0), (option_term("n", -1), 9.0)], SYSTEM.term_order)
    ensemble = replace(blend_of(result), stacked=Stacked(inverse, 0.5, np.zeros(32)))
    alone = replace(ensemble, stacked=None).predict(others)
    is_zero = others.column("n") == 0
    predicted = ensemble.predict(others)
    assert np.array_equal(predicted[is_zero], alone[is_zero])
    expected = np.sqrt(alone[~is_zero] * (40 + 9 / others.column("n")[~is_zero]))
    np.testing.assert_allclose(predicted[~is_zero], expected, rtol=1e-9)
