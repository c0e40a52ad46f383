"""The full model: posterior against its definition, invariances, scales, guard, intervals, extreme values."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sampling import Space
from splc.data.configurations import Configurations
from splc.data.measurements import Measurements
from splc.learning import learn
from splc.learning.projection import constants
from splc.learning.projection.basis import OptionBasis
from splc.learning.projection.fit import Data, refits, refits_below
from splc.learning.projection.full_model import NO_INFLUENCE, ONE_ROW, SAME_VALUE, FullModel, fit_full_model
from splc.learning.projection.kernel import KernelDesign, kernel_matrix
from splc.learning.projection.order import hash_order, hashes, option_constants
from splc.learning.projection.posterior import KernelPosterior
from splc.learning.projection.scales import Scale, general_scales, positive_scale
from splc.learning.projection.variables import variables_of
from splc.system.options import BinaryOption, NumericOption
from splc.system.variability import VariabilityModel
from splc.types import Array
from tests.support.examples import examples


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


@cache
def exact() -> FullModel:
    """Return what is learned from 25 values of the known model."""
    configurations = drawn(system(), 25)
    return learned(configurations, known(configurations))


def test_posterior_is_conditional_normal() -> None:
    """Means, variances and covariances are those of the conditional normal distribution."""
    model = system()
    measured, others = drawn(model, 12), drawn(model, 5, 1)
    basis = OptionBasis(variables_of(model), 12)
    design, other = (KernelDesign.of(basis.blocks(each)) for each in (measured, others))
    rng = np.random.default_rng(3)
    logarithms = rng.normal(-1, 0.5, design.columns.shape[1] + 4)
    t, noise = rng.normal(3, 2, 12), rng.uniform(0.5, 2, 12)
    posterior = KernelPosterior(logarithms, design, t, noise, 3.0, 2.0)
    theta = posterior.theta
    inverse = np.linalg.inv(kernel_matrix(theta, design, design) + np.diag(theta.noise * noise + 1e-8))
    cross = kernel_matrix(theta, design, other)
    means, variances = posterior.moments(other)
    expected = 4 * (kernel_matrix(theta, other, other) - cross.T @ inverse @ cross)
    np.testing.assert_allclose(means, 3 + 2 * (cross.T @ inverse @ ((t - 3) / 2)), rtol=1e-8)
    np.testing.assert_allclose(variances, np.diag(expected), rtol=1e-7)
    weights = rng.normal(size=(3, 5))
    np.testing.assert_allclose(posterior.projected(other, weights)[1], weights @ expected @ weights.T, rtol=1e-7)


def test_order_of_rows_and_options_does_not_matter() -> None:
    """Rows and options in another order give the same predictions."""
    model = system()
    configurations = drawn(model, 25)
    y = known(configurations)
    turned = VariabilityModel("made", tuple(sorted(model.options, key=lambda o: (o.name[0], -int(o.name[1:])))))
    rows = np.random.default_rng(1).permutation(25)
    columns = [model.positions[option.name] for option in turned.options]
    other = Configurations(turned, configurations.indices[rows][:, columns])
    first, second = option_constants(configurations, y), option_constants(other, y[rows])
    np.testing.assert_array_equal(hashes(other, second), hashes(configurations, first)[rows])
    everywhere = drawn(model, 40, 2)
    predicted = exact().predict(everywhere)
    again = learned(other, y[rows]).predict(Configurations(turned, everywhere.indices[:, columns]))
    np.testing.assert_allclose(again, predicted, rtol=1e-9)


def test_hashes_are_distinct() -> None:
    """Distinct configurations have distinct hashes."""
    configurations = drawn(system(6, 2), 1000)
    found = hashes(configurations, option_constants(configurations))
    assert len(set(found.tolist())) == 1000
    assert sorted(hash_order(drawn(system(), 9)).tolist()) == list(range(9))


@given(st.integers(-300, 300))
@examples(4)
def test_unit_of_the_property_does_not_matter(power: int) -> None:
    """A property in another unit gives the same model in that unit."""
    configurations = drawn(system(), 25)
    first, second = exact(), learned(configurations, known(configurations) * 10.0**power)
    np.testing.assert_allclose(second.predict(configurations), first.predict(configurations) * 10.0**power, rtol=1e-6)


def test_additive_property_is_learned_as_sum() -> None:
    """The scale of an additive property is y, with less error than on ln y."""
    configurations = drawn(system(8, 0), 60)
    weights = np.array([9.0, 7, 5, 3, 2, 1, 1, 1])
    y = 1 + np.column_stack([configurations.column(f"b{i}") for i in range(8)]) @ weights
    found = learned(configurations, y)
    assert found.scale.name == "raw"
    others = drawn(system(8, 0), 200, 5)
    expected = 1 + np.column_stack([others.column(f"b{i}") for i in range(8)]) @ weights
    assert np.mean(abs(found.predict(others) / expected - 1)) < 0.5 * np.mean(
        abs(learned(configurations, y, "log").predict(others) / expected - 1)
    )


def test_multiplicative_property_is_learned_as_product() -> None:
    """The scale of a multiplicative property is ln y."""
    configurations = drawn(system(8, 0), 60)
    factors = np.array([2.0, 1.5, 0.5, 1.2, 3.0, 1.0, 1.0, 1.0])
    found = learned(configurations, np.prod(factors**configurations.indices, axis=1))
    assert found.scale.name == "log"
    others = drawn(system(8, 0), 200, 5)
    np.testing.assert_allclose(found.predict(others), np.prod(factors**others.indices, axis=1), rtol=0.01)


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


def test_weak_influence_is_found() -> None:
    """The guard lets an influence of the size of the noise pass."""
    configurations = drawn(system(5, 1), 60)
    y = np.exp(0.15 * configurations.column("b2") + np.random.default_rng(1).normal(0, 0.1, 60))
    assert learned(configurations, y).refits is not None


def test_guard_with_many_options() -> None:
    """With many options a clear influence passes where its gain of evidence is not certain; noise does not."""
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
    assert one.rms == 0
    np.testing.assert_allclose(same.held_out * same.scale.unit, 3.0)


@pytest.mark.parametrize("shift", [-12.0, *(pytest.param(shift, marks=pytest.mark.slow) for shift in (-7.0, -100.0))])
def test_values_of_any_sign(shift: float) -> None:
    """Values of any sign are learned."""
    configurations, others = drawn(system(), 60), drawn(system(), 100, 3)
    found = learned(configurations, known(configurations) + shift)
    assert not found.scale.positive
    error = abs(found.predict(others) - (known(others) + shift))
    assert error.mean() < 0.1 * np.ptp(known(others))
    low, high = found.interval(others)
    assert (low <= high).all()


def test_zeros_give_predictions_that_are_not_negative() -> None:
    """Predictions of a property that is never negative are never negative."""
    configurations = drawn(system(), 60)
    y = known(configurations) * configurations.column("b0")
    assert (learned(configurations, y).predict(drawn(system(), 200, 1)) >= 0).all()


def test_repetitions_lower_the_noise() -> None:
    """The model follows configurations with many repetitions more closely."""
    configurations = drawn(system(), 30)
    y = known(configurations) * np.exp(np.random.default_rng(0).normal(0, 0.2, 30))
    variables = variables_of(configurations.system)
    counts = np.where(np.arange(30) < 3, 1000.0, 1.0)
    once = fit_full_model(configurations, y, variables)
    often = fit_full_model(configurations, y, variables, counts)
    rows = np.arange(3)
    near = abs(np.log(often.predict(configurations[rows]) / y[rows]))
    assert near.mean() < abs(np.log(once.predict(configurations[rows]) / y[rows])).mean()


def test_intervals_cover() -> None:
    """About 90 % of new measurements are inside the 90 % intervals."""
    covered = []
    for seed in range(4):
        configurations, others = drawn(system(), 40, seed), drawn(system(), 200, 100 + seed)
        rng = np.random.default_rng(seed)
        found = learned(configurations, known(configurations) * np.exp(rng.normal(0, 0.1, 40)))
        low, high = found.interval(others)
        y = known(others) * np.exp(rng.normal(0, 0.1, 200))
        covered.append(np.mean((low <= y) & (y <= high)))
    assert 0.82 <= np.mean(covered) <= 0.98


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


def test_refits_end_when_their_error_is_too_large() -> None:
    """There are no refits if their mean error reaches the limit; below the limit nothing changes."""
    configurations = drawn(system(), 20)
    whole = learned(configurations, known(configurations), scale="log")
    assert whole.refits is not None
    first = whole.refits.first
    means = refits(whole.data, [first]).means
    error = abs(np.log(whole.scale.backward(means) * whole.scale.unit / whole.data.y)).mean()
    again = refits_below(whole.data, [first], 1.001 * error)
    assert again is not None
    assert (again.means == means).all()
    assert refits_below(whole.data, [first], 0.999 * error) is None


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


@pytest.mark.parametrize("scale", SCALES, ids=lambda scale: f"{scale.name}-{scale.positive}")
def test_far_values_of_scales(scale: Scale) -> None:
    """With values that grow exponentially, t is limited to ±600; no value is below the least one."""
    scale = replace(scale, lowest=-np.inf, shift=0.0)
    values = scale.backward(np.array([-1e4, -600.0, 600.0, 1e4]))
    if scale.name in ("log", "shifted_log"):
        np.testing.assert_allclose(values, np.exp([-600, -600, 600, 600]), rtol=1e-12)
    elif scale.name == "asinh":
        np.testing.assert_allclose(values, np.sinh([-600, -600, 600, 600]), rtol=1e-12)
    else:
        np.testing.assert_allclose(values, np.array([-1e4, -600, 600, 1e4]) + scale.positive)
    assert replace(scale, lowest=2.0).backward(np.array([-700.0])).tolist() == [2.0]


def test_many_rows_use_a_part(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of more than 1,000 rows, here 100, a part is used; the influences fit all, as a note says."""
    assert constants.ROWS_OF_MODEL == 1000
    monkeypatch.setattr(constants, "ROWS_OF_MODEL", 100)
    configurations = drawn(system(8, 0), 120)
    y = 1 + configurations.column("b0") + 2 * configurations.column("b1") * configurations.column("b2")
    result = learn(Measurements(configurations, {"time": y}), "time")
    assert "the terms were selected with 100 configurations; their influences were fitted to all 120" in result.notes
    np.testing.assert_allclose(result.predict(configurations), y, rtol=0.02)
    np.testing.assert_allclose(result.model.predict(configurations), y, rtol=1e-5)
