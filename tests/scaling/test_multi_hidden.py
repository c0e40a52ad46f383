"""Products that the measured points hide, in intervals of several parameters."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from casestudies.scaling_evaluation.several_functions import AXES, layout
from splc.scaling import fit
from splc.scaling.mixture import Plausible
from splc.scaling.multi.plausible import hidden_products, with_hidden
from splc.scaling.multi.terms import parameter_terms
from splc.scaling.single.posterior import triangular
from splc.types import Array

FEW = layout(4, "star + few")
FAR = np.array([[2 * axis[-1] for axis in AXES]])


def measured(values: Array, seed: int) -> Array:
    """Return four repetitions with 2 % noise."""
    return np.asarray(values[:, None] * (1 + 0.02 * np.random.default_rng(seed).normal(size=(len(values), 4))))


def test_coefficients_of_hidden_products_by_least_squares() -> None:
    """The others fit what a hidden product leaves; its coefficient is at most 1.64 standard errors from the best."""
    rng = np.random.default_rng(2)
    designs = rng.uniform(1, 2, (1, 2, 12)) * np.ones((40, 1, 1))
    hidden = rng.uniform(1, 2, (40, 12))
    z = designs[0].T @ [5.0, 3.0] + 0.1 * rng.normal(size=12)
    _, known, factors = triangular(designs, np.repeat(z[None], 40, axis=0))
    errors, places = np.full(40, 0.1), np.zeros(40)
    others, size = with_hidden(designs, (known, factors), errors, hidden, z, places)
    assert (size > 0).sum() > 20
    for at in range(40):
        expected = np.linalg.lstsq(designs[at].T, z - size[at] * hidden[at], rcond=None)[0]
        assert others[at] == pytest.approx(expected)
        whole = np.column_stack([designs[at].T, hidden[at]])
        best = np.linalg.lstsq(whole, z, rcond=None)[0][-1]
        error = 0.1 * np.sqrt(np.linalg.inv(whole.T @ whole)[-1, -1])
        assert size[at] == pytest.approx(max(best + 1.64 * error, 0.0))
    # Two decades less at the other end.
    assert with_hidden(designs, (known, factors), errors, hidden, z, places + 1)[1] == pytest.approx(size / 100)


def test_hidden_products_leave_the_others_positive() -> None:
    """A product that is a sum of the columns on all points is as large as the others allow."""
    x = np.arange(1.0, 9.0)
    designs = np.array([[np.ones(8), x]])
    z = 2 + 3 * x
    _, known, factors = triangular(designs, z[None])
    others, size = with_hidden(designs, (known, factors), np.zeros(1), 1 + x[None], z, np.zeros(1))
    assert size == pytest.approx([2.0])
    assert others[0] == pytest.approx([0.0, 1.0], abs=1e-9)


def test_hidden_products_of_few_points_only() -> None:
    """Products are drawn for few points of three or more parameters, other than those that hypotheses have."""
    terms, products = np.zeros((2, 4), dtype=int), np.array([[0, 15], [0, 1]])
    drawn = hidden_products(parameter_terms(FEW), terms, products, np.zeros(2), len(FEW))
    assert drawn is not None
    assert not ((drawn.masks == 15) & (drawn.rows == 0)).any()
    assert {int(mask).bit_count() for mask in drawn.masks} == {2, 3, 4}
    assert not (drawn.masks & (drawn.masks - 1) == 0).any()
    # The terms of parameters with an effect are those of the hypothesis.
    assert (drawn.terms[drawn.rows == 0] == 0).all()
    assert (drawn.terms[drawn.rows == 1, 0] == 0).all()
    assert len(np.unique(drawn.terms[drawn.rows == 1, 1])) > 10
    # Only ratios of weights count, however likely or unlikely all hypotheses are.
    for shift in (-2000.0, 2000.0):
        again = hidden_products(parameter_terms(FEW), terms, products, np.zeros(2) + shift, len(FEW))
        assert again is not None
        np.testing.assert_array_equal(again.rows, drawn.rows)
    grid = layout(4, "grid")
    assert hidden_products(parameter_terms(grid), terms, products, np.zeros(2), len(grid)) is None
    pair = np.array(list(itertools.product((1.0, 2.0, 4.0), (1.0, 2.0))))
    assert hidden_products(parameter_terms(pair), terms[:, :2], products % 4, np.zeros(2), len(pair)) is None


def test_intervals_contain_products_that_cheap_points_hide() -> None:
    """Intervals contain a product of parameters whose lines show little of it."""
    first, second, third, fourth = FEW.T
    values = 30 + 0.4 * first ** (5 / 4) * np.log2(first) ** 2 + 3e-4 * second**2 * third * fourth
    far = 30 + 0.4 * 256 ** (5 / 4) * 64 + 3e-4 * 20.0**2 * 320 * 100
    model = fit(FEW, measured(values, 5))
    low, high = model.interval(FAR)
    assert low[0] <= far <= high[0]
    uncertainty = model.uncertainty
    assert uncertainty is not None
    found: Plausible = uncertainty.plausible
    assert 0 < found.hidden < len(found.log_weights)
    assert np.isfinite(found.predictions(FAR)[0]).all()
