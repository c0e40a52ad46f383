"""The search for hyperparameters: scipy's optimum, bounds, and the same end with disturbed rounding."""

from __future__ import annotations

from collections import deque

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from splc.learning.projection.constants import BOUNDS
from splc.learning.projection.kernel import objective
from splc.learning.projection.search import (
    GRID,
    MEMORY,
    descent_direction,
    minimum,
    penalty,
    search_hyperparameters,
    start_of,
)
from splc.types import Array
from tests.learning.projection.test_kernel import random_design


def test_penalty_has_its_gradient() -> None:
    """The gradient of the prior is that of finite differences."""
    x = np.random.default_rng(0).normal(size=9)
    _, gradient = penalty(x)
    for at in range(9):
        move = 1e-6 * (np.arange(9) == at)
        assert np.isclose((penalty(x + move)[0] - penalty(x - move)[0]) / 2e-6, gradient[at], atol=1e-6)


def test_search_finds_what_scipy_finds() -> None:
    """The search ends at the optimum of scipy's search."""
    design = random_design(3, 40, "ssssnw")
    rng = np.random.default_rng(4)
    z = design.columns[:, 0] + 0.5 * design.columns[:, 1] * design.columns[:, 2] + rng.normal(0, 0.2, 40)
    z = (z - z.mean()) / z.std()
    noise = np.ones(40)
    columns = design.columns.shape[1]

    def whole(x: Array) -> tuple[float, Array]:
        value, gradient = objective(x, design, z, noise)
        prior, slope = penalty(x)
        return value + prior, gradient + slope

    names = ["relevance"] * columns + ["interaction", "stationary", "width", "noise"]
    start = start_of(columns, 6)
    expected = minimize(whole, start, jac=True, method="L-BFGS-B", bounds=[BOUNDS[name] for name in names])
    found = search_hyperparameters(design, z, noise, start, 200)
    assert found.value <= expected.fun + 1e-3
    assert found.evidence == found.value - penalty(found.logarithms)[0]


def test_bounds_hold() -> None:
    """A linear function ends at the bounds."""
    x, value = minimum(lambda x: (float(x.sum()), np.ones(3)), np.zeros(3), np.full(3, -1.0), np.ones(3), 50)
    np.testing.assert_array_equal(x, -1)
    assert value == -3


def test_rounding_errors_do_not_accumulate() -> None:
    """Disturbances of the size of rounding errors, as other CPUs cause them, leave every digit of the end."""
    rng = np.random.default_rng(5)
    matrix = rng.normal(size=(8, 8))
    matrix = matrix @ matrix.T + np.eye(8)

    def disturbed(seed: int) -> Array:
        noise = np.random.default_rng(seed)

        def function(x: Array) -> tuple[float, Array]:
            value = float(np.log1p(x @ matrix @ x) + (x - 1) @ (x - 1))
            gradient = 2 * matrix @ x / (1 + x @ matrix @ x) + 2 * (x - 1)
            return value * (1 + 1e-14 * noise.normal()), gradient * (1 + 1e-13 * noise.normal(size=8))

        return minimum(function, np.full(8, 3.0), np.full(8, -9.0), np.full(8, 9.0), 60)[0]

    first = disturbed(0)
    np.testing.assert_array_equal(first, np.rint(first / GRID) * GRID)
    for seed in range(1, 6):
        np.testing.assert_array_equal(disturbed(seed), first)


@given(st.integers(0, 2**32 - 1))
def test_minima_in_a_box(seed: int) -> None:
    """The end of a search is the minimum in the box that scipy finds, from corners, too; none is outside."""
    rng = np.random.default_rng(seed)
    factor, center = rng.normal(size=(4, 4)), rng.normal(0, 2, 4)
    matrix = factor @ factor.T + np.eye(4)

    def function(x: Array) -> tuple[float, Array]:
        assert (abs(x) <= 1).all()
        gradient = matrix @ (x - center)
        return float((x - center) @ gradient / 2), gradient

    start = rng.choice([-3.0, -1.0, 0.0, 1.0, 3.0], 4)
    expected = minimize(function, np.zeros(4), jac=True, method="L-BFGS-B", bounds=[(-1, 1)] * 4, tol=1e-12)
    x, value = minimum(function, start, -np.ones(4), np.ones(4), 200)
    assert value == function(x)[0]
    np.testing.assert_allclose(x, expected.x, atol=5e-3)
    # Without iterations, the end is the start, in the box.
    np.testing.assert_array_equal(minimum(function, start, -np.ones(4), np.ones(4), 0)[0], np.clip(start, -1, 1))
    values = [minimum(function, start, -np.ones(4), np.ones(4), number)[1] for number in range(6)]
    assert values == sorted(values, reverse=True)


@given(st.integers(0, 2**32 - 1), st.integers(0, 4))
def test_directions_are_those_of_bfgs(seed: int, known: int) -> None:
    """The direction is minus the inverse Hessian that BFGS's matrix formula gives, times the gradient."""
    rng = np.random.default_rng(seed)
    pairs = [(move, rng.uniform(0.5, 3, 3) * move) for move in rng.normal(size=(known, 3))]
    memory = deque(((move, change, float(change @ move)) for move, change in pairs), maxlen=MEMORY)
    estimate = np.eye(3)
    if pairs:
        move, change = pairs[-1]
        estimate *= float(change @ move) / float(change @ change)
        for move, change in pairs:
            share = 1 / float(change @ move)
            left = np.eye(3) - share * np.outer(move, change)
            estimate = left @ estimate @ left.T + share * np.outer(move, move)
    gradient = rng.normal(size=3)
    np.testing.assert_allclose(descent_direction(gradient, memory), -estimate @ gradient, rtol=1e-8, atol=1e-10)
