"""Reported figures of the fit of a scaling model by their definitions, settings, and exponents."""

from __future__ import annotations

import math
from ast import literal_eval
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from splc.errors import MeasurementError
from splc.scaling import fit
from splc.scaling.exponents import FALLING, SETS, Exponents, column, columns, exponents
from splc.scaling.methods import METHODS, exponent_set, parsed_settings, resolved_settings, settings_of
from tests.support.examples import examples
from tests.support.golden_messages import check_calls, check_messages

X = np.array([2.0, 4.0, 8.0, 16.0, 32.0])
VALUES = st.one_of(st.floats(0.1, 100), st.sampled_from([0.0, -3.0, 1e-200, 50.0]))


@examples(60)
@given(st.lists(st.lists(VALUES, min_size=1, max_size=3), min_size=5, max_size=5), st.sampled_from(sorted(METHODS)))
def test_errors_and_noise(rows: list[list[float]], method: str) -> None:
    """Errors are those of the means, noise that of repetitions, or else of the residuals, by their formulas."""
    width = max(map(len, rows))
    values = np.array([[*row, *[np.nan] * (width - len(row))] for row in rows])
    model = fit(X, values, method=method, aggregate="mean")
    means, counts = np.array([np.mean(row) for row in rows]), np.array([len(row) for row in rows])
    found = model.predict(X)
    both = np.abs(found) + np.abs(means)
    symmetric = np.divide(np.abs(found - means), both, out=np.zeros(5), where=both > 0)
    assert model.smape == pytest.approx(200 * symmetric.mean(), rel=1e-6, abs=1e-6)
    assert model.rss == pytest.approx(((found - means) ** 2).sum(), rel=1e-6, abs=1e-9)
    assert (model.points, model.measurements) == (5, counts.sum())
    assert model.ranges == ((2.0, 32.0),)
    missing = 5 * width - int(counts.sum())
    assert any("missing" in note for note in model.notes) == (missing > 0)
    zeros = int((means == 0).sum())
    assert any("no relative error there" in note for note in model.notes) == (zeros > 0)
    falls_below = any("falls below 0" in note for note in model.notes)
    assert falls_below == (means.min() >= 0 and float(model.predict(128.0)) < 0)
    coefficients = len(model.terms)
    free = 5 - coefficients
    if means.var() > 1e-9 and free > 0:
        expected = 1 - ((found - means) ** 2).sum() / free / (((means - means.mean()) ** 2).sum() / 4)
        assert model.adjusted_r2 == pytest.approx(expected, rel=1e-6, abs=1e-6)
    if np.abs(means).min() < 0.1:
        return
    repeated = [(np.array(row) / mean - 1, mean) for row, mean in zip(rows, means, strict=True) if len(row) > 1]
    if repeated:
        pooled = sum(float((deviations**2).sum()) for deviations, _ in repeated) / float((counts - 1).sum())
        assert model.noise == pytest.approx(100 * np.sqrt(pooled), rel=1e-6, abs=1e-6)
    elif free > 0:
        expected = 100 * np.sqrt((counts * ((means - found) / means) ** 2).sum() / free)
        assert model.noise == pytest.approx(expected, rel=1e-6, abs=1e-4)


@pytest.mark.parametrize("values", [[1e-250, 1.0, 2.0, 3.0, 5.0], [-4.0, -2.0, 3.0, 20.0, 90.0], [3.0] * 5])
@pytest.mark.parametrize("method", sorted(METHODS))
def test_extreme_values_have_figures_or_none(values: list[float], method: str) -> None:
    """Figures are finite, or None where they are undefined, and computing them raises no warning."""
    model = fit(X, values, method=method)
    for figure in (model.smape, model.rss, model.noise, model.adjusted_r2):
        assert figure is None or np.isfinite(figure)
    assert (model.adjusted_r2 is None) == (len(set(values)) == 1)


@pytest.mark.parametrize("method", sorted(METHODS))
@pytest.mark.parametrize("place", [0, 2, 4])
def test_a_value_beyond_all_others_is_refused(method: str, place: int) -> None:
    """A value whose square leaves the range of numbers beside usual ones is an error; those in a large unit are not."""
    values = [7.0, 19.0, 70.0, 250.0, 1030.0]
    assert fit(X, np.array(values) * 1e290, method=method).points == 5
    values[place] = 1e155
    with pytest.raises(MeasurementError, match=r"a value of quantity 0 is 1e\+155"):
        fit(X, values, method=method)


@pytest.mark.parametrize("method", sorted(METHODS))
def test_a_result_states_the_settings_of_its_method(method: str) -> None:
    """A model states the settings that its method has, and no others."""
    stated = fit(X, [1.0, 2.0, 3.0, 5.0, 9.0], method=method).settings
    assert set(stated) - {"method", "aggregate"} == METHODS[method]
    assert stated["aggregate"] == ("robust" if method == "default" else "mean")
    for setting, value in {"strong_scaling": None, "local": True, "terms": 1, "criterion": "loo"}.items():
        assert stated.get(setting, value) == value
    assert settings_of(method).searches_falling == (method == "default")


def test_settings_and_sets_of_exponents() -> None:
    """Settings as texts, all settings of a method, and sets of exponents are what the golden lines show."""
    check_calls(
        "scaling-settings", parsed_settings, resolved_settings, exponent_set, exponents, SETS=SETS, FALLING=FALLING
    )


def test_an_effect_that_no_function_fits_is_stated() -> None:
    """Values that differ on a line by more than their repetitions show an effect, although the model has none."""
    noise = 1 + 0.01 * np.random.default_rng(2).normal(size=(9, 5))
    values = np.array([500.0, 800, 1140, 1140, 1140, 1140, 1140, 1450, 1650])
    x = np.array([[40.0, 3], [50, 3], [60, 3], [70, 3], [80, 3], [60, 1], [60, 2], [60, 4], [60, 5]])
    model = fit(x, values[:, None] * noise, names=["x", "y"])
    assert not any(each for each in model.terms[0] if not each.is_constant)
    assert [note.partition(", although")[0] for note in model.notes[:2]] == [
        "the model has no effect of x",
        "the model has no effect of y",
    ]
    constant = fit(x, 500 * noise, names=["x", "y"])
    assert [note.partition(", where")[0] for note in constant.notes[:2]] == [
        "x shows no effect on its only line",
        "y shows no effect on its only line",
    ]


def test_wrong_sets() -> None:
    """A wrong set is an error that says what to give."""
    check_messages("exponents", lambda text: exponent_set(literal_eval(text)))


def test_terms_without_a_number() -> None:
    """The column of a term that is too large or not defined is not finite, without a warning."""
    x = np.array([0.0, 1.0, 2.0, 1e200])
    assert column(Exponents(Fraction(2), Fraction(0)), x).tolist() == [0.0, 1.0, 4.0, math.inf]
    assert column(Exponents(Fraction(-1), Fraction(0)), x).tolist() == [math.inf, 1.0, 0.5, 1e-200]
    assert column(Exponents(Fraction(0), Fraction(-1)), x)[1:3].tolist() == [math.inf, 1.0]
    assert math.isnan(column(Exponents(Fraction(1), Fraction(1)), x)[0])
    np.testing.assert_array_equal(
        columns([Exponents(Fraction(2), Fraction(0))], x), [column(Exponents(Fraction(2), Fraction(0)), x)]
    )
