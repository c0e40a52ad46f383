"""Several parameters with the methods of Extra-P: single terms, combined."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from splc.formats.experiments.read import read_experiment
from splc.scaling import fit, fit_many
from splc.scaling.multi.extrap import all_combinations, longest_lines
from splc.types import Array
from tests.support import extrap_oracle as oracle
from tests.support.real_data import real

AXES = ([4.0, 8.0, 16.0, 32.0, 64.0], [10.0, 20.0, 30.0, 40.0, 50.0], [1.0, 2.0, 3.0, 4.0, 5.0])
GRID = np.array(list(itertools.product(*AXES[:2])))
CUBE = np.array(list(itertools.product(*AXES)))
CROSS = GRID[(GRID[:, 0] == 4) | (GRID[:, 1] == 10) | ((GRID[:, 0] == 64) & (GRID[:, 1] == 50))]
STAIRS = np.array([(2.0 ** (i + 1), 10.0 * (j + 1)) for i in range(7) for j in range(i, i + 5)])


def noisy(points: Array, models: int, seed: int) -> Array:
    """Return noisy values of random sums of random products, shape (models, n)."""
    rng = np.random.default_rng(seed)
    powers, logs = rng.integers(0, 4, (2, models, points.shape[1]))
    factors = points ** powers[:, None] * np.log2(points) ** (logs[:, None] % 3)
    pieces = np.where(rng.random((models, 1)) < 0.5, factors.prod(axis=2), factors.sum(axis=2))
    values = 10 ** rng.uniform(0, 2, (models, 1)) + pieces
    return np.asarray(values * (1 + rng.uniform(-0.03, 0.03, values.shape)))


@pytest.mark.parametrize("method", ["basic", "refinement"])
@pytest.mark.parametrize("points", [GRID, CROSS, STAIRS, CUBE], ids=["grid", "cross", "stairs", "cube"])
def test_models_are_those_of_a_plain_implementation(points: Array, method: str) -> None:
    """Almost all models are the same; the others differ where two hypotheses fit equally."""
    values = noisy(points, 6, len(points))
    found = fit_many(points, values, method=method)
    plain = [oracle.predicted(points, y, method) for y in values]
    same = [np.allclose(each.predict(points), fitted, rtol=1e-6) for each, fitted in zip(found, plain, strict=True)]
    assert np.mean(same) >= 0.9


@pytest.mark.parametrize("method", ["basic", "refinement", "extrap"])
def test_known_functions(method: str) -> None:
    """Sums and products without noise are found, and a quantity without effects is a constant."""
    p, n = GRID.T
    known = {
        "3 + 2*x1*x2^2": 3 + 2 * p * n**2,
        "3 + 2*x1 + x2^2": 3 + 2 * p + n**2,
        "5 + x2^2": 5 + n**2,
        "7": 0 * p + 7,
    }
    for text, y in known.items():
        model = fit(GRID, y, method=method)
        np.testing.assert_allclose(model.predict(GRID), y, rtol=1e-9, err_msg=text)
        expected = 1 if text == "7" else text.count("+") + 1
        assert len(model.terms) == expected, text
    assert fit(GRID, np.zeros(25), method=method).text == "0"


def test_small_contributions() -> None:
    """A term that contributes less than 0.05 % of all values is no part of a model."""
    exact = 3 + 2 * GRID[:, 0] * GRID[:, 1] ** 2
    model = fit(GRID, exact * (1 + 1e-5 * np.random.default_rng(0).normal(size=25)), method="basic")
    assert list(model.lead) == ["x1", "x2"]
    assert len(model.terms) == 2


def test_combinations() -> None:
    """There are 4 combinations of two terms, 23 of three, and a product and a sum of more (Extra-P 4.2.5)."""
    assert [len(set(all_combinations(number))) for number in (1, 2, 3, 4)] == [1, 4, 23, 2]
    names = {",".join(sorted(each.split("+"))) for each in oracle.COMBINATIONS[3].split(", ")}
    assert {
        ",".join(sorted("".join("abc"[at] for at in some) for some in each)) for each in all_combinations(3)
    } == names


def test_longest_lines() -> None:
    """Only lines through the first value count: a parallelogram has one line, a grid all of them."""
    values, rows = longest_lines(STAIRS, 1)
    assert STAIRS[np.concatenate(rows)].tolist() == STAIRS[:5].tolist()
    assert values.tolist() == [10.0, 20.0, 30.0, 40.0, 50.0]
    assert [len(each) for each in longest_lines(GRID, 0)[1]] == [5] * 5


def test_logarithms_of_zero() -> None:
    """A term that is not defined at all points has no part in the model."""
    points = np.array([(x, 1.0) for x in (2.0, 4.0, 8.0, 16.0)] + [(0.0, 2.0), (2.0, 4.0), (0.0, 8.0)])
    y = np.array([1.0, 2.0, 3.0, 4.0, 0.5, 1.0, 0.5])
    assert np.isfinite(fit(points, y, method="basic").predict(points)).all()


def test_adjusted_r2() -> None:
    """The adjusted coefficient of determination by its definition; undefined without variance or freedom."""
    y = noisy(GRID, 1, 0)[0]
    model = fit(GRID, y, method="basic")
    assert model.adjusted_r2 is not None
    rest, whole = ((model.predict(GRID) - y) ** 2).sum(), ((y - y.mean()) ** 2).sum()
    assert model.adjusted_r2 == pytest.approx(1 - rest / (25 - len(model.terms)) / (whole / 24))
    assert fit([1, 2, 3], [4, 4, 4], method="basic").adjusted_r2 is None


@pytest.mark.real_data
def test_published_model() -> None:
    """Extra-P's own test data have the model that its manual shows: 1.374 + 6.698 * log2(y) + …."""
    experiment = read_experiment(real("extrap_formats", "text", "two_parameter_1.txt"))
    (values,) = experiment.series.values()
    model = fit(experiment.points, values, method="basic", names=["x", "y"])
    assert {"1.374", "6.698"} < {f"{each:.4g}" for each in model.coefficients}
