"""The uncertainty of printed influences against draws of the full model."""

from __future__ import annotations

from dataclasses import replace
from statistics import NormalDist

import numpy as np
import pytest

from splc.learning.projection.printed import Printed, PrintSettings, printed_model
from splc.learning.projection.target import Target
from splc.learning.projection.uncertainty import estimate
from splc.learning.projection.variables import variables_of
from splc.models.terms import CONSTANT
from splc.types import Array
from tests.learning.projection.known_targets import MIXED, target_of


def posterior(target: Target, seed: int = 0) -> tuple[Target, Array]:
    """Return a target whose posterior has a covariance of low rank, and the root of that covariance."""
    rng = np.random.default_rng(seed)
    columns = np.column_stack([target.configurations.column(name) for name in MIXED.names])
    root = 0.02 * np.hstack([columns / columns.max(axis=0), rng.normal(size=(len(columns), 4))])
    covariance = root @ root.T
    return replace(target, covariance=lambda projection: projection @ covariance @ projection.T), root


def influences(printed: Printed, target: Target, predicted: Array) -> Array:
    """Return the influences of a printed model's terms, fitted to predictions by weighted relative least squares."""
    columns = printed.columns(target.configurations)
    weights = np.sqrt(target.weights)
    if printed.form == "sum":
        found = np.linalg.lstsq(columns * (weights / target.divisor)[:, None], weights * predicted / target.divisor)[0]
        found = found * target.unit
    else:
        found = np.linalg.lstsq(columns * weights[:, None], weights * np.log(predicted * target.unit))[0]
    totals = {term: 0.0 for term, _ in printed.terms}
    for each, influence in zip(printed.selected, found.tolist(), strict=True):
        for term, weight in each.expansion:
            totals[term] += weight * influence
    return np.array(list(totals.values()))


@pytest.mark.parametrize("form", ["sum", "product"])
def test_standard_errors_are_those_of_draws(form: str) -> None:
    """Standard errors are the deviations of influences projected from draws, with the jackknife's of the folds."""
    known = target_of(MIXED, lambda c: 9 + c("x") * c("y") - 3 * c("a") + 2 * c("g_5") * c("x"), unit=3.0, error=0.2)
    target, root = posterior(known)
    printed = printed_model(
        target, variables_of(MIXED), PrintSettings(form="sum" if form == "sum" else "product", terms=6)
    )
    rng = np.random.default_rng(1)
    # Small draws, for which ln y is linear.
    size = 1e-3
    draws = [
        influences(printed, target, target.predicted + size * target.divisor * target.slope * (root @ normal))
        for normal in rng.normal(size=(4000, root.shape[1]))
    ]
    folds = np.array([influences(printed, target, fold) for fold in target.folds])
    jackknife = 7 / 8 * ((folds - folds.mean(axis=0)) ** 2).sum(axis=0)
    expected = np.sqrt((np.std(draws, axis=0) / size) ** 2 + jackknife)
    found = [each.standard_error for each in printed.estimates]
    np.testing.assert_allclose(found, expected, rtol=0.03)
    assert [(each.term, each.influence) for each in printed.estimates] == list(printed.terms)


def test_intervals_and_signs() -> None:
    """The interval is that of a normal distribution, and so is the probability of the sign."""
    found = estimate(CONSTANT, -3.0, 2.0)
    normal = NormalDist(-3.0, 2.0)
    assert (found.low, found.high) == pytest.approx((normal.inv_cdf(0.05), normal.inv_cdf(0.95)))
    assert found.sign_probability == pytest.approx(normal.cdf(0))
    assert estimate(CONSTANT, 1.0, 0.0).sign_probability == 1
    assert estimate(CONSTANT, 0.0, 0.0).sign_probability == 0.5
