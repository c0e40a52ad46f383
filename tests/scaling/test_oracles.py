"""The batched learners against plain ones."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from splc.scaling import Exponents, ScalingModel, fit_many
from splc.scaling.exponents import EXTRAP, PAPER, grid
from splc.scaling.single.classic import left_out
from splc.types import Array
from tests.support import scaling_oracle as oracle

SETS = [[2.0, 4.0, 8.0, 16.0, 32.0], [8.0, 16.0, 32.0, 64.0, 128.0], [3.0, 5.0, 7.0, 20.0, 31.0, 32.0, 90.0]]


LINEAR = Exponents(Fraction(1), Fraction(0))


def noisy(x: Array, models: int, seed: int) -> Array:
    """Return noisy values of random functions, shape (models, n)."""
    rng = np.random.default_rng(seed)
    powers = rng.choice([0.5, 1, 1.5, 2, 2.25], models)[:, None]
    coefficients = 10 ** rng.uniform(-1, 2, (2, models, 1))
    values = coefficients[0] + coefficients[1] * x**powers * np.where(rng.random((models, 1)) < 0.3, 0, 1)
    return np.asarray(values * (1 + rng.uniform(-0.02, 0.02, values.shape)))


def lead(model: ScalingModel) -> Exponents | None:
    """Return the lead term."""
    return Exponents(*model.lead["x"]) if model.lead else None


@pytest.mark.parametrize("points", SETS)
def test_one_term_is_the_best_of_all_single_fits(points: list[float]) -> None:
    """The classic search with one term finds the hypothesis whose `lstsq` fit has the smallest sum of squares."""
    x = np.array(points)
    values = noisy(x, 20, 1)
    models = fit_many(x, values, method="classic", terms=1, criterion="rss", exponents="paper")
    for y, model in zip(values, models, strict=True):
        (term,), coefficients = oracle.smallest_rss(x, y, PAPER, 1)
        assert lead(model) == term
        assert model.coefficients == pytest.approx(coefficients, rel=1e-6)


@pytest.mark.parametrize("points", SETS)
def test_two_terms_are_the_best_of_all_pairs(points: list[float]) -> None:
    """The classic search with two terms finds the pair whose `lstsq` fit has the smallest sum of squares."""
    x = np.array(points)
    values = noisy(x, 5, 2)
    powers: list[Fraction | int] = [0, Fraction(1, 2), 1, 2, 3]
    models = fit_many(x, values, method="classic", terms=2, criterion="rss", exponents=(powers, [0, 1]))
    for y, model in zip(values, models, strict=True):
        terms, coefficients = oracle.smallest_rss(x, y, grid(powers, [0, 1]), 2)
        assert tuple(term for (term,) in model.terms[1:]) == terms
        assert model.coefficients == pytest.approx(coefficients, rel=1e-5)


@pytest.mark.parametrize("points", SETS)
def test_basic_is_the_best_at_points_left_out(points: list[float]) -> None:
    """Extra-P's basic learner chooses the term that predicts points left out best, or the constant."""
    x = np.array(points)
    values = noisy(x, 10, 3)
    for y, model in zip(values, fit_many(x, values, method="basic"), strict=True):
        assert lead(model) == oracle.smallest_left_out(x, y, EXTRAP)


@pytest.mark.parametrize("points", [4, 5, 6, 7])
def test_a_term_predicts_points_left_out_better_than_a_constant(points: int) -> None:
    """By points left out, the classic search takes a term if it predicts them better than the mean of the others."""
    x = 2.0 ** np.arange(1, points + 1)
    values = np.random.default_rng(5).uniform(1, 2, (60, points))
    models = fit_many(x, values, method="classic", terms=1, criterion="loo", exponents=([1], [0]))
    expected = [oracle.left_out_plainly(x, y, [LINEAR]) < oracle.left_out_plainly(x, y, []) for y in values]
    assert [lead(model) is not None for model in models] == expected
    assert 5 < sum(expected) < 55


def test_small_constants_of_points_left_out() -> None:
    """A constant counts as 0 if it is below 0.05 % of the smallest of the other values."""
    x = np.array([1.0, 2.0, 4.0])
    # Without the first point, the line is 0.0005 + x, and the smallest of the others is 2.0005.
    y = np.array([0.1, 2.0005, 4.0005])
    assert left_out(x, y) == pytest.approx(oracle.left_out(x, y, LINEAR), rel=1e-9)
    rng = np.random.default_rng(6)
    values = 0.003 * rng.uniform(-1, 1, (300, 1)) + x * rng.choice([0.05, 0.5, 1.0], (300, 3))
    expected = [oracle.left_out(x, y, LINEAR) for y in values]
    assert left_out(x[:, None], values.T) == pytest.approx(np.array(expected), rel=1e-9)


@pytest.mark.parametrize("points", SETS)
def test_refinement_takes_the_papers_steps(points: list[float]) -> None:
    """Batched refinement ends at the exponents that a plain implementation of the paper's steps ends at."""
    x = np.array(points)
    values = noisy(x, 10, 4)
    for y, model in zip(values, fit_many(x, values, method="refinement"), strict=True):
        assert lead(model) == oracle.refined(x, y)


@pytest.mark.parametrize("points", SETS)
def test_refinement_takes_the_steps_of_extrap(points: list[float]) -> None:
    """With Extra-P's rule, finer exponents have to be the better, the more rounds before brought none.

    Powers are at most 5 then, and logarithms 2.
    """
    x = np.array(points)
    rng = np.random.default_rng(7)
    parts = [x ** rng.uniform(0.1, 5.9, (6, 1)), np.log2(x) ** rng.uniform(0.3, 2.9, (4, 1))]
    values = 10 + np.vstack(parts) * (1 + rng.uniform(-1e-3, 1e-3, (10, len(x))))
    for y, model in zip(values, fit_many(x, values, method="extrap"), strict=True):
        assert lead(model) == oracle.refined_as_extrap(x, y)
