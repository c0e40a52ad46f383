"""Laws that hold for every method."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from splc.models.influence import InfluenceModel
from splc.models.text.reader import expand_text
from splc.scaling import ScalingModel, fit, fit_many
from splc.scaling.exponents import exponents
from splc.scaling.methods import METHODS
from splc.types import Array
from tests.support.examples import examples

ALL = sorted(METHODS)
X = np.array([2.0, 4.0, 8.0, 16.0, 32.0, 64.0])
# Exponents that every method's search space has.
SHARED: list[tuple[int | str, int]] = [(1, 0), (2, 0), ("1/2", 0), (1, 1), (0, 1), (0, 2), ("3/2", 0), (2, 1)]


def same(first: ScalingModel, second: ScalingModel, factor: float = 1.0) -> None:
    """Assert that one model is the other one times a factor."""
    assert first.terms == second.terms
    assert np.array(first.coefficients) * factor == pytest.approx(np.array(second.coefficients), rel=1e-9)


def noisy(seed: int, models: int = 8, repetitions: int = 1) -> Array:
    """Return noisy values of functions of different growth, shape (models, n, repetitions)."""
    rng = np.random.default_rng(seed)
    powers = rng.choice([-1, 0, 0.5, 1, 1.5, 2], models)[:, None]
    values = 10 ** rng.uniform(-1, 2, (models, 1)) + 10 ** rng.uniform(-1, 2, (models, 1)) * X**powers
    return np.asarray(values[:, :, None] * (1 + rng.uniform(-0.03, 0.03, (models, len(X), repetitions))))


@pytest.mark.parametrize("method", ALL)
@examples(15)
@given(at=st.integers(0, len(SHARED) - 1), constant=st.floats(0.5, 500), slope=st.floats(0.5, 500), falls=st.booleans())
def test_what_is_in_the_search_space_is_found_exactly(
    method: str, at: int, constant: float, slope: float, falls: bool
) -> None:
    """Data without noise give their function: exponents exactly, coefficients to nine digits."""
    power, log = exponents(*SHARED[at])
    slope = -slope if falls else slope
    values = constant + slope * X ** float(power) * np.log2(X) ** float(log)
    # The SMAPE of a value of 0 is 200 %, however small the rounding error is.
    assume(bool((np.abs(values) > 1e-9 * constant).all()))
    model = fit(X, values, method=method)
    assert model.lead == {"x": (power, log)}
    assert model.coefficients == pytest.approx((constant, slope), rel=1e-7)
    assert model.smape == pytest.approx(0, abs=1e-8)
    if method == "default":
        assert model.interval(256.0)[0] == pytest.approx(model.interval(256.0)[1], rel=1e-3)


@pytest.mark.parametrize("method", ALL)
@pytest.mark.parametrize(
    "factor", [1 / 3, 2.0**700, *(pytest.param(each, marks=pytest.mark.slow) for each in (1e-12, 1e12))]
)
def test_the_unit_of_the_values_does_not_matter(method: str, factor: float) -> None:
    """Values times c give the model times c, with the same noise and certainty, and intervals times c."""
    values = noisy(1, repetitions=3)
    for first, second in zip(
        fit_many(X, values, method=method), fit_many(X, values * factor, method=method), strict=True
    ):
        same(first, second, factor)
        assert first.noise == pytest.approx(second.noise)
        assert first.certainty == pytest.approx(second.certainty)
        assert first.smape == pytest.approx(second.smape)
        for one, other in zip(first.interval(128.0), second.interval(128.0), strict=True):
            assert one * factor == pytest.approx(other)


@pytest.mark.parametrize("method", ALL)
def test_the_order_of_points_and_repetitions_does_not_matter(method: str) -> None:
    """Points in another order, with repetitions in another order, give the same model."""
    values = noisy(2, repetitions=4)
    order = np.random.default_rng(0).permutation(len(X))
    for first, second in zip(
        fit_many(X, values, method=method), fit_many(X[order], values[:, order, ::-1], method=method), strict=True
    ):
        same(first, second)


@pytest.mark.parametrize("method", ALL)
def test_many_are_one_after_the_other(method: str) -> None:
    """`fit_many` gives for every row what `fit` gives for it alone, also where values are missing."""
    values = noisy(3, models=8, repetitions=2)
    values[3, 1] = values[5, 0, 1] = values[6, 2] = values[6, 3] = np.nan
    for row, model in zip(values, fit_many(X, values, method=method), strict=True):
        alone = fit(X, row, method=method)
        same(alone, model)
        assert alone.noise == pytest.approx(model.noise)
        assert np.array(alone.interval(128.0)) == pytest.approx(np.array(model.interval(128.0)))
        assert alone.points == model.points


def test_points_that_repeat_are_repetitions() -> None:
    """A repeated value of x is one point with two repetitions, with a note."""
    values = noisy(4, models=1, repetitions=2)[0]
    joined = fit(X, values)
    apart = fit(np.concatenate([X, X]), np.concatenate([values[:, 0], values[:, 1]]))
    same(joined, apart)
    assert apart.points == len(X)
    assert apart.measurements == 2 * len(X)
    assert any("used as repetitions" in note for note in apart.notes)


def test_processes_give_the_same_models() -> None:
    """Several processes give the same models in the same order as one."""
    values = noisy(5, models=6)
    for first, second in zip(fit_many(X, values), fit_many(X, values, jobs=2), strict=True):
        same(first, second)
        assert np.array(first.interval(128.0)) == pytest.approx(np.array(second.interval(128.0)))


@pytest.mark.parametrize("method", ALL)
def test_text_reads_back_as_the_same_model(method: str) -> None:
    """The model's text is a sum of terms that splc reads back, and it predicts what the model predicts."""
    far = np.array([2.0, 100.0, 512.0])
    for model in fit_many(X, noisy(6), method=method, names=["p"]):
        read = InfluenceModel.from_terms(expand_text(model.text, {"p": "p"}), ("p",))
        assert read == model.model
        formula = sum(
            c * far ** float(term[0].power) * np.log2(far) ** float(term[0].log)
            for c, term in zip(model.coefficients, model.terms, strict=True)
        )
        assert model.predict(far) == pytest.approx(formula)
