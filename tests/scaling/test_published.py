"""The sizes of published search spaces, and models of single parameters against oracles of the published methods."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from casestudies.scaling_evaluation import sparse_functions
from casestudies.scaling_evaluation.single_functions import LEARNERS, evaluate
from splc.scaling import Exponents, ScalingModel, fit, fit_many
from splc.scaling.exponents import EXTRAP, PAPER, grid
from splc.types import Array
from tests.support import scaling_oracle as oracle

Curve = Callable[[np.ndarray[Any, Any]], np.ndarray[Any, Any]]


def test_search_spaces_have_their_published_sizes() -> None:
    """The paper's grid has 13 x 3 - 1 terms; Extra-P tries 42, without x^3 log2(x)^2."""
    assert len(PAPER) == 38
    assert len(set(EXTRAP)) == len(EXTRAP) == 42
    assert not any(term.power == 3 and term.log == 2 for term in EXTRAP)


@pytest.mark.parametrize(
    ("points", "lower", "upper", "last"),
    [
        (10, np.square, lambda x: 4 * x**1.5, 5),
        (10, lambda x: 1 + np.log2(x), lambda x: x**1.5, 5),
        (10, lambda x: x * np.log2(x) + 1, lambda x: x**1.5 + 4, 6),
        (8, lambda x: 3 * x + 2, lambda x: x**3, 3),
        (6, lambda x: 3 * x + 2, lambda x: x**3, 3),
    ],
)
@pytest.mark.parametrize("geometric", [False, True])
def test_each_point_is_in_its_segment(points: int, lower: Curve, upper: Curve, last: int, geometric: bool) -> None:
    """Without noise every point is in the segment of its function, from six points on."""
    x = np.arange(1.0, points + 1)
    x = 2**x if geometric else x
    model = fit(x, np.where(np.arange(points) < last, lower(x), upper(x)), segmented=True)
    assert model.below is not None
    assert (model.below.ranges, model.ranges) == (((x[0], x[last - 1]),), ((x[last], x[-1]),))


# Shares of exact lead exponents and of good predictions: the best that any variant of Extra-P reached in each class.
BEST = [(97, 97), (89, 86), (82, 71), (62, 66), (60, 55), (21, 34), (30, 34)]


@pytest.mark.parametrize("number", [50, pytest.param(150, marks=pytest.mark.slow)])
def test_the_default_is_at_least_as_good_as_the_best_of_each_class(number: int) -> None:
    """With one setting the default is as good in every class as the best known variant, within two standard errors."""
    scores = evaluate({"default": LEARNERS["default"]}, number=number, seed=77)
    for score, (exact, within) in zip(scores, BEST, strict=True):
        error = np.sqrt([exact * (100 - exact) / number, within * (100 - within) / number])
        assert score.exact >= exact - 2 * error[0]
        assert score.within >= within - 2 * error[1]


@pytest.mark.parametrize(
    ("parameters", "points", "least"),
    [(2, 9, 60), (2, 11, 90), *(pytest.param(3, *each, marks=pytest.mark.slow) for each in ((13, 57), (25, 82)))],
)
def test_sparse_models_predict_the_next_point(parameters: int, points: int, least: float) -> None:
    """On 100 synthetic functions at least the documented share of predictions is within 5 %."""
    (score,), drawn = sparse_functions.evaluate_sparse(parameters, number=100, seed=7, points=[points])
    assert score.within[0] >= least
    assert list(score.within) == sorted(score.within)
    assert score.models == 100 == len(drawn.values)
    assert 0 < score.cost < 20


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
