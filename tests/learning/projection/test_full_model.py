"""The full model against its formulas, its laws, and the target that it gives to the printed model."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from sampling import Space
from splc.data.configurations import Configurations
from splc.data.measurements import Measurements
from splc.learning import learn
from splc.learning.projection import constants
from splc.learning.projection.basis import variables_of
from splc.learning.projection.fit import Data, refits
from splc.learning.projection.full_model import NO_INFLUENCE, ONE_ROW, SAME_VALUE, FullModel, fit_full_model
from splc.learning.projection.posterior import kernel_matrix
from splc.learning.projection.scales import Scale, general_scales, positive_scale
from splc.system.options import BinaryOption, NumericOption
from splc.system.variability import VariabilityModel
from splc.types import Array


def system(binary: int = 4, numeric: int = 2) -> VariabilityModel:
    """Return a system with binary options b0, … and numeric options n0, … with the values 1 to 32."""
    options: tuple[BinaryOption | NumericOption, ...] = (
        *(BinaryOption(f"b{i}") for i in range(binary)),
        *(NumericOption(f"n{i}", (1.0, 2.0, 4.0, 8.0, 16.0, 32.0)) for i in range(numeric)),
    )
    return VariabilityModel("made", options)


def drawn(model: VariabilityModel, rows: int, seed: int = 0) -> Configurations:
    """Return random valid configurations."""
    return Space(model).draw(rows, np.random.default_rng(seed))


def known(configurations: Configurations) -> Array:
    """Return values of a known model."""
    column = configurations.column
    found: Array = 5 + 3 * column("b0") + 0.5 * column("n0") * (1 + column("b1"))
    return found


def learned(configurations: Configurations, y: Array, scale: str = "auto") -> FullModel:
    """Return the full model."""
    return fit_full_model(configurations, y, variables_of(configurations.system), scale=scale)


@pytest.mark.parametrize(("seeds", "most"), [(5, 1), pytest.param(25, 3, marks=pytest.mark.slow)])
def test_noise_is_a_constant(seeds: int, most: int) -> None:
    """The level of the guard is 4 % from 18 configurations on."""
    model = system(5, 1)
    found = []
    for seed in range(seeds):
        configurations = drawn(model, 24, seed)
        y = np.exp(np.random.default_rng(seed).normal(0, 0.3, 24))
        found.append(learned(configurations, y).refits is not None)
    assert sum(found) <= most
    constant = learned(configurations, y)
    if constant.refits is None:
        assert constant.constant == NO_INFLUENCE
        np.testing.assert_allclose(constant.predict(configurations), np.exp(np.log(y).mean()))


def test_guard() -> None:
    """An influence of the size of the noise passes; with many options a clear one does, and noise does not."""
    configurations = drawn(system(5, 1), 60)
    y = np.exp(0.15 * configurations.column("b2") + np.random.default_rng(1).normal(0, 0.1, 60))
    assert learned(configurations, y).refits is not None
    configurations = drawn(system(70, 0), 30)
    noise = np.random.default_rng(3).normal(0, 0.1, 30)
    assert learned(configurations, np.exp(noise)).refits is None
    clear = learned(configurations, np.exp(0.36 * configurations.column("b2") + noise))
    assert clear.refits is not None
    assert clear.refits.first.gain < constants.GUARD_CERTAIN


def test_equal_values_and_one_row() -> None:
    """Equal values and one configuration give a constant, with the reason."""
    configurations = drawn(system(), 6)
    same = learned(configurations, np.full(6, 3.0))
    assert same.constant == SAME_VALUE
    np.testing.assert_allclose(same.predict(configurations), 3.0)
    one = learned(configurations[:1], np.array([7.0]))
    assert one.constant == ONE_ROW
    np.testing.assert_allclose(one.predict(configurations), 7.0)
    # Without the only row there is no prediction, and no error.
    assert np.isnan(one.held_out).tolist() == [True]
    np.testing.assert_allclose(same.held_out * same.scale.unit, 3.0)


@pytest.mark.parametrize("shift", [-12.0, *(pytest.param(shift, marks=pytest.mark.slow) for shift in (-7.0, -100.0))])
def test_values_of_any_sign(shift: float) -> None:
    """Values of any sign are learned; predictions of a property that is never negative are not, either."""
    configurations, others = drawn(system(), 60), drawn(system(), 100, 3)
    zeros = learned(configurations, known(configurations) * configurations.column("b0"))
    assert (zeros.predict(others) >= 0).all()
    found = learned(configurations, known(configurations) + shift)
    assert not found.scale.positive
    error = abs(found.predict(others) - (known(others) + shift))
    assert error.mean() < 0.1 * np.ptp(known(others))
    low, high = found.interval(others)
    assert (low <= high).all()


def test_repetitions_lower_the_noise() -> None:
    """The model follows configurations with many repetitions more closely."""
    configurations = drawn(system(), 30)
    y = known(configurations) * np.exp(np.random.default_rng(0).normal(0, 0.2, 30))
    variables = variables_of(configurations.system)
    counts = np.where(np.arange(30) < 3, 1000.0, 1.0)
    once = fit_full_model(configurations, y, variables)
    often = fit_full_model(configurations, y, variables, counts)
    errors = [abs(np.log(each.predict(configurations) / y))[:3].mean() for each in (often, once)]
    assert errors[0] < errors[1]


def test_held_out_predictions_do_not_know_their_value() -> None:
    """The predictions of a fold do not depend on the values in it."""
    configurations = drawn(system(), 20)
    y = known(configurations)
    first = learned(configurations, y)
    assert first.refits is not None
    # The hyperparameters are those of all rows; given these, a fold's prediction does not depend on its own values.
    fold = first.data.folds == 0
    changed = Data(first.data.designs, np.where(fold, first.data.y * 1.5, first.data.y), first.data.repetitions)
    t = first.scale.forward(changed.y / first.scale.unit)
    start = first.refits.first
    again = refits(changed, [replace(start, posterior=replace(start.posterior, t=t))])
    np.testing.assert_allclose(again.means[fold], first.refits.means[fold], rtol=1e-9)
    assert not np.allclose(again.means[~fold], first.refits.means[~fold], rtol=1e-6)


SCALES = [*(positive_scale(name, np.array([1.0, 5.0])) for name in ("log", "raw", "raw_constant"))]
SCALES += general_scales(np.array([-3.0, 0.0, 5.0]))


@pytest.mark.parametrize("scale", SCALES, ids=lambda scale: f"{scale.name}-{scale.positive}")
def test_scales(scale: Scale) -> None:
    """Scales are inverted by `backward`, and `slope` is the derivative."""
    y = np.linspace(1.0, 4.0, 7) if scale.positive else np.linspace(-0.5, 4.0, 7)
    np.testing.assert_allclose(scale.backward(scale.forward(y)), y, rtol=1e-12)
    step = 1e-6
    rate = 2 * step / (scale.forward(y + step) - scale.forward(y - step))
    np.testing.assert_allclose(scale.slope(y), rate / scale.divisor(y), rtol=1e-6)
    np.testing.assert_allclose(scale.residual(y, y), 0, atol=1e-15)
    assert (scale.residual(y + 0.1, y) > 0).all()


def test_many_rows_use_a_part(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of more than 1,000 rows, here 100, a part is used; the influences fit all, as a note says."""
    assert constants.ROWS_OF_MODEL == 1000
    monkeypatch.setattr(constants, "ROWS_OF_MODEL", 100)
    configurations = drawn(system(8, 0), 120)
    y = 1 + configurations.column("b0") + 2 * configurations.column("b1") * configurations.column("b2")
    result = learn(Measurements(configurations, {"time": y}), "time")
    assert "learned from 100 configurations, drawn from all 120: more change little" in result.notes
    np.testing.assert_allclose(result.predict(configurations), y, rtol=0.02)
    np.testing.assert_allclose(result.model.predict(configurations), y, rtol=1e-5)


@cache
def model_of(scale: str, rows: int = 40, *, constant: bool = False) -> FullModel:
    """Return a full model on a scale; of noise alone if it is to be a constant."""
    configurations = drawn(system(), rows)
    noise = np.random.default_rng(1).normal(0, 0.1, rows)
    return learned(configurations, np.exp(noise) * (1 if constant else known(configurations)), scale)


def others_of(model: FullModel, number: int) -> Configurations:
    """Return valid configurations that were not learned from."""
    some = drawn(model.configurations.system, 300, 5)
    return some[model.configurations.find(some) < 0][:number]


@pytest.mark.parametrize(("number", "weight"), [(0, 1.0), (60, 1.0), (80, 1.0), (120, 1.5), (200, 2.5)])
def test_weights(number: int, weight: float) -> None:
    """Learned rows together weigh at least half as much as the unmeasured ones, and each at least as much as one."""
    model = model_of("log")
    others = others_of(model, number)
    assert len(others) == number
    target = model.target(others)
    np.testing.assert_allclose(target.weights, [weight] * 40 + [1.0] * number)
    assert target.learned == 40
    assert len(target.configurations) == 40 + number


def test_constants() -> None:
    """The target of a constant has one fold."""
    model = model_of("log", constant=True)
    assert model.constant
    target = model.target(others_of(model, 10))
    assert target.folds.shape == (1, 50)
    assert np.ptp(target.predicted) == 0
    # The mean of n values has their variance over n, at all configurations alike.
    variance = model.t.var(ddof=1) / 40
    projection = np.random.default_rng(1).normal(size=(3, 50))
    expected = projection @ np.full((50, 50), variance) @ projection.T
    np.testing.assert_allclose(target.covariance(projection), expected, rtol=1e-9)


@pytest.mark.parametrize("scale", ["log", "raw"])
def test_covariance_is_that_of_the_mixture(scale: str) -> None:
    """The covariance is that of one of the parts, drawn at random: their mean covariance and that of their means."""
    model = model_of(scale)
    others = others_of(model, 25)
    target = model.target(others)
    assert model.refits is not None
    assert len(model.refits.parts) > 1
    means, covariances = [], []
    for part in model.refits.parts:
        # Each part is a conditional normal distribution.
        design, theta = model.basis.designs(target.configurations)[part.kind], part.theta
        own = kernel_matrix(theta, part.design, part.design) + np.diag(theta.noise * part.noise + 1e-8)
        cross = kernel_matrix(theta, part.design, design)
        gain = np.linalg.solve(own, cross).T
        means.append(part.mean + gain @ (part.t - part.mean))
        covariances.append(part.deviation**2 * (kernel_matrix(theta, design, design) - gain @ cross))
    apart = np.array(means) - np.mean(means, axis=0)
    whole: Array = np.mean(covariances, axis=0) + apart.T @ apart / len(means)
    projection = np.random.default_rng(1).normal(size=(4, 65))
    np.testing.assert_allclose(target.covariance(projection), projection @ whole @ projection.T, rtol=1e-7, atol=1e-12)
    np.testing.assert_allclose(target.covariance(projection[:1]), projection[:1] @ whole @ projection[:1].T, rtol=1e-7)
    # Its diagonal is the variance of predictions, without noise.
    noise = model.ensemble.noise * model.scale.noise(target.predicted) / model.ensemble.noise_unit
    deviations = model.ensemble.moments(target.configurations)[1] / model.scale.slope(target.predicted)
    np.testing.assert_allclose(np.diag(whole), deviations**2 - noise, rtol=1e-5, atol=1e-9)
