"""The rows of printed models: units, weights, differences and errors."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from splc.learning.projection.rows import ModelRows
from splc.learning.projection.target import Target
from tests.learning.projection.known_targets import MIXED, target_of

PRODUCT = pytest.mark.parametrize("product", [False, True])


def target(learned: int = 40, *, positive: bool = True) -> Target:
    """Return a target with unequal weights and a slope."""
    found = target_of(
        MIXED, lambda c: 10 + 5 * c("a") + c("x") - 12 * (not positive), learned=learned, positive=positive
    )
    slope = np.linspace(0.5, 2.0, len(found.slope))
    return replace(found, slope=slope)


@pytest.mark.parametrize(("product", "positive"), [(False, True), (False, False), (True, True)])
def test_predictions_are_scaled(product: bool, positive: bool) -> None:
    """Scaled predictions are weighted and relative, or weighted logarithms, and are scaled back."""
    given = target(positive=positive)
    rows = ModelRows(given)
    scaled = rows.scaled(given.folds, product)
    v = given.weights
    expected = np.sqrt(v) * np.log(given.folds) if product else np.sqrt(v) * given.folds / given.divisor
    np.testing.assert_allclose(scaled, expected)
    np.testing.assert_allclose(rows.predicted(scaled, product), given.folds, rtol=1e-12)
    np.testing.assert_allclose(rows.weights(product) ** 2, v if product else v / given.divisor**2)


def test_small_predictions_have_logarithms() -> None:
    """Predictions below a third of the smallest measured value count as that in products and differences."""
    given = target()
    rows = ModelRows(given)
    least = given.measured.min() / 3
    low = np.where(np.arange(len(given.predicted)) % 2, -1.0, given.predicted)
    np.testing.assert_allclose(
        rows.scaled(low, True), np.sqrt(given.weights) * np.log(np.where(low < 0, least, given.predicted))
    )
    np.testing.assert_allclose(
        rows.differences(low[:40]), np.log(np.where(low[:40] < 0, least, low[:40])) - np.log(given.measured)
    )
    # Very large factors are no overflow.
    assert np.isfinite(rows.predicted(np.full(len(low), 1e9), True)).all()


@PRODUCT
def test_slopes_are_derivatives(product: bool) -> None:
    """The slope is the derivative of scaled predictions by the scale of the full model."""
    given = target()
    given = replace(given, divisor=1.5 * given.predicted)
    rows, size = ModelRows(given), 1e-6
    # dy/dt is the slope times the divisor.
    moved = given.predicted + size * given.slope * given.divisor
    change = (rows.scaled(moved, product) - rows.scaled(given.predicted, product)) / size
    np.testing.assert_allclose(rows.slope(product), change, rtol=1e-5)


@pytest.mark.parametrize("positive", [True, False])
def test_errors(positive: bool) -> None:
    """Errors are relative ones of positive properties, and over the divisor of others."""
    given = target(positive=positive)
    rows = ModelRows(given)
    predicted = given.predicted[:40] * np.linspace(0.5, 2, 40)
    errors = rows.errors(rows.differences(predicted))
    sizes = given.measured if positive else given.divisor[:40]
    np.testing.assert_allclose(errors, np.abs(predicted - given.measured) / sizes, rtol=1e-9)
    held_out = given.folds[given.fold_of, np.arange(40)]
    np.testing.assert_allclose(rows.own_errors, np.abs(held_out - given.measured) / sizes, rtol=1e-9)
    # Those of a constant full model, which has no folds.
    constant = ModelRows(replace(given, folds=given.predicted[None]))
    np.testing.assert_allclose(constant.own_errors, np.abs(given.predicted[:40] - given.measured) / sizes, rtol=1e-9)


@pytest.mark.parametrize("learned", [40, 10_000])
def test_distances(learned: int) -> None:
    """The distance is that at unmeasured configurations; at measured ones if there are no others."""
    given = target(learned)
    rows = ModelRows(given)
    assert rows.learned == min(learned, len(given.predicted))
    predicted = given.predicted * np.linspace(0.9, 1.2, len(given.predicted))
    away = np.abs(predicted / given.predicted - 1)[40 if learned == 40 else 0 :]
    assert rows.distances(predicted) == pytest.approx(away.mean())
    assert rows.distances(np.array([predicted, given.predicted])) == pytest.approx([away.mean(), 0.0])


@pytest.mark.parametrize(
    ("learned", "spread", "limit"), [(29, 0.01, 0.02 * 1.25), (29, 9.0, 0.4), (30, 0.01, 9.0), (2, 9.0, 0.4)]
)
def test_the_expected_error(learned: int, spread: float, limit: float) -> None:
    """With few rows the full model's error is at most twice its median standard deviation, and 0.4."""
    given = replace(target(learned), spread=spread)
    given = replace(given, folds=given.folds * 2)
    rows = ModelRows(given)
    own = float(rows.own_errors.mean())
    assert own > 0.5
    assert rows.expected_error == pytest.approx(min(own, limit))
    assert rows.few is (learned < 30)
