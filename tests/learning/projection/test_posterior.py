"""The kernel of the full model against its definition, its factors, and the search of hyperparameters."""

from __future__ import annotations

import itertools
import time
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from splc.data.configurations import Configurations
from splc.formats.measurements.read import read_measurements
from splc.learning import learn
from splc.learning.projection import constants, posterior
from splc.learning.projection.basis import variables_of
from splc.learning.projection.constants import BOUNDS
from splc.learning.projection.fit import GRID, minimum, penalty, search_hyperparameters, start_of
from splc.learning.projection.full_model import FullModel, fit_full_model
from splc.learning.projection.posterior import (
    Hyperparameters,
    KernelDesign,
    kernel_diagonal,
    kernel_matrix,
    kernel_sums,
    objective,
)
from splc.learning.projection.predictor import Ensemble
from splc.system.options import BinaryOption
from splc.system.variability import VariabilityModel
from splc.types import Array
from tests.support.systems import group


def random_design(seed: int, rows: int, kinds: str) -> KernelDesign:
    """Return a design with blocks: s is ±1, w ±1 and two numbers, n a number, g two of ±1, t ±2."""
    rng = np.random.default_rng(seed)
    signs = rng.choice([-1.0, 1.0], (len(kinds), rows, 1))
    numbers = rng.normal(size=(len(kinds), rows, 2))
    blocks = {"s": signs, "n": numbers[:, :, :1], "w": np.concatenate([signs, numbers], axis=2)}
    blocks["g"] = np.sign(numbers)
    blocks["t"] = 2 * signs
    return KernelDesign.of([blocks[kind][at] for at, kind in enumerate(kinds)])


def defined(theta: Hyperparameters, first: KernelDesign, second: KernelDesign) -> Array:
    """Return the kernel as the sum over all sets of blocks, which the product form abbreviates."""
    found = np.empty((len(first), len(second)))
    spans = list(itertools.pairwise(first.starts))
    for i, j in np.ndindex(found.shape):
        x, y = first.columns[i], second.columns[j]
        blocks = [float((theta.relevances[a:b] * x[a:b] * y[a:b]).sum()) for a, b in spans]
        total = 1.0
        for size in range(1, len(blocks) + 1):
            for chosen in itertools.combinations(blocks, size):
                total += theta.interaction ** (size - 1) * float(np.prod(chosen))
        root = np.sqrt(3 * theta.width * float((theta.relevances * (x - y) ** 2).sum()))
        found[i, j] = total + theta.stationary * (1 + root) * np.exp(-root)
    return found


KINDS = st.text("swngt", min_size=1, max_size=4)
SEEDS = st.integers(0, 2**32 - 1)


@given(SEEDS, KINDS)
def test_product_form_is_sum_over_all_sets_of_options(seed: int, kinds: str) -> None:
    """The kernel is the sum over all sets of options."""
    first, second = random_design(seed, 4, kinds), random_design(seed + 1, 3, kinds)
    theta = Hyperparameters.of(np.random.default_rng(seed).normal(-1, 1.5, first.columns.shape[1] + 4))
    np.testing.assert_allclose(kernel_matrix(theta, first, second), defined(theta, first, second), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(np.diag(kernel_matrix(theta, first, first)), kernel_diagonal(theta, first), rtol=1e-9)


def test_kernel_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """A kernel that is computed in blocks of rows is the same, also if one row is longer than a block."""
    design, other = random_design(0, 7, "sswn"), random_design(1, 5, "sswn")
    theta = Hyperparameters.of(np.random.default_rng(2).normal(size=design.distinct + 4))
    whole, own = kernel_matrix(theta, design, other), kernel_matrix(theta, design, design)
    for elements in (3, 11, 20):
        monkeypatch.setattr(posterior, "BLOCK", elements)
        np.testing.assert_allclose(kernel_matrix(theta, design, other), whole, rtol=1e-12)
        np.testing.assert_allclose(kernel_matrix(theta, design, design), own, rtol=1e-12)


@given(SEEDS, KINDS, st.sampled_from([1, 12, 2**15]))
def test_weighted_sums_are_those_of_the_kernel(seed: int, kinds: str, elements: int) -> None:
    """Weights times the kernel need no kernel, and are the same in blocks of any size."""
    first, second = random_design(seed, 7, kinds), random_design(seed + 1, 4, kinds)
    rng = np.random.default_rng(seed)
    theta = Hyperparameters.of(rng.normal(-1, 1.5, first.columns.shape[1] + 4))
    weights = rng.normal(size=7)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(posterior, "BLOCK", elements)
        found = kernel_sums(theta, weights, first, second)
    scale = float(abs(weights) @ abs(kernel_matrix(theta, first, second)).max(axis=1))
    np.testing.assert_allclose(found, weights @ defined(theta, first, second), rtol=1e-9, atol=1e-9 * scale)


@given(SEEDS, KINDS)
def test_gradient_is_derivative(seed: int, kinds: str) -> None:
    """The gradient is that of finite differences."""
    design = random_design(seed, 12, kinds)
    rng = np.random.default_rng(seed)
    z, noise = rng.normal(size=12), rng.uniform(0.5, 2, 12)
    x = rng.normal(-1, 0.7, design.columns.shape[1] + 4)
    _, gradient = objective(x, design, z, noise)
    step = 1e-5
    for at in range(len(x)):
        move = step * (np.arange(len(x)) == at)
        up, down = objective(x + move, design, z, noise)[0], objective(x - move, design, z, noise)[0]
        assert (up - down) / (2 * step) == pytest.approx(gradient[at], rel=1e-4, abs=1e-4)


def test_objective_is_negative_log_density() -> None:
    """The objective is the negative log density of the targets, up to a constant."""
    from scipy.stats import multivariate_normal

    design = random_design(1, 8, "ssn")
    rng = np.random.default_rng(2)
    z, noise, x = rng.normal(size=8), rng.uniform(0.5, 2, 8), rng.normal(-1, 0.5, 7)
    theta = Hyperparameters.of(x)
    matrix = kernel_matrix(theta, design, design) + np.diag(theta.noise * noise + 1e-8)
    density = multivariate_normal(np.zeros(8), matrix).logpdf(z)
    assert objective(x, design, z, noise)[0] == pytest.approx(-density - 8 / 2 * np.log(2 * np.pi))


SIZES = [1, 2, 9, 50, 131, posterior.MAX_ROWS, posterior.MAX_ROWS + 1]


def positive(size: int) -> Array:
    """Return a positive definite matrix."""
    root = np.random.default_rng(size).normal(size=(size, size + 3))
    return np.asarray(root @ root.T / size)


@pytest.mark.parametrize("size", SIZES)
def test_factor_inverse_and_solutions(size: int) -> None:
    """The factor is lower triangular, its square is the matrix, and solutions are those of the factor."""
    matrix = positive(size)
    factor = posterior.cholesky_factor(matrix.copy())
    right = np.random.default_rng(1).normal(size=(size, 4))
    assert np.array_equal(factor, np.tril(factor))
    assert np.allclose(factor @ factor.T, matrix, rtol=1e-10)
    assert np.allclose(factor @ posterior.solved(factor, right), right)
    assert np.allclose(factor.T @ posterior.solved(factor, right[:, 0], transposed=True), right[:, 0])
    assert np.allclose(posterior.inverse(factor.copy()) @ matrix, np.eye(size), atol=1e-7)


@pytest.mark.parametrize("size", SIZES)
def test_indefinite_matrix(size: int) -> None:
    """A matrix that is not positive definite has no factor."""
    matrix = positive(size)
    matrix[-1, -1] = -1.0
    with pytest.raises(np.linalg.LinAlgError):
        posterior.cholesky_factor(matrix)


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


ROWS, OPTIONS = 60, 1000


def signs(rows: int, options: int) -> Array:
    """Return columns of ±1."""
    drawn: Array = np.random.default_rng(0).choice([-1.0, 1.0], (rows, options))
    return drawn


def full_model(columns: Array, y: Array) -> FullModel:
    """Return the full model of binary options with these columns."""
    system = VariabilityModel("many", tuple(BinaryOption(f"o{at}") for at in range(columns.shape[1])))
    values = {f"o{at}": column for at, column in enumerate((columns.T > 0).astype(float))}
    return fit_full_model(Configurations.from_columns(system, values), y, variables_of(system), tested=False)


def test_folds_are_screened_without_their_rows() -> None:
    """Noise is not explained outside of the folds, however many options fit it: screening is repeated in each fold."""
    noise = np.exp(0.2 * np.random.default_rng(1).normal(size=ROWS))
    refits = full_model(signs(ROWS, OPTIONS), noise).refits
    assert refits is not None
    assert refits.explained < 0.1


def test_the_model_has_the_searched_options_only() -> None:
    """Options that no search was about are in no part of the model; its predictions are those of its JSON."""
    columns = signs(ROWS, OPTIONS)
    found = full_model(columns, 100 + 40 * columns[:, 10] + 10 * columns[:, 500])
    names = {variable.name for variable in found.basis.variables}
    assert {"o10", "o500"} <= names
    assert len(names) < OPTIONS
    again = Ensemble.from_json(found.ensemble.as_json(), found.configurations.system)
    np.testing.assert_allclose(again.predict(found.configurations), found.predict(found.configurations), rtol=1e-9)


@pytest.mark.parametrize(
    ("count", "others", "size", "limits"),
    [(8, 150, 50, {"SCREENED": 30}), pytest.param(150, 2250, 100, {}, marks=pytest.mark.slow)],
)
def test_thousands_of_options(
    count: int, others: int, size: int, limits: dict[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A model of 3,000 options, 600 of them in numbered groups, is learned from 100 rows in a minute of CPU time."""
    for name, limit in limits.items():
        monkeypatch.setattr(constants, name, limit)
    rng = np.random.default_rng(2)
    parents = [f"g{at}" for at in range(count)]
    free = [f"b{at}" for at in range(others)]
    groups = [replace(each, parent=parent) for parent in parents for each in group(*_members(parent))]
    system = VariabilityModel("huge", (*map(BinaryOption, parents), *groups, *map(BinaryOption, free)))
    values = {name: rng.integers(0, 2, 1100).astype(float) for name in (*parents, *free)}
    for parent in parents:
        picked = rng.integers(0, 4, 1100)
        values |= {name: values[parent] * (picked == at) for at, name in enumerate(_members(parent))}
    y = 50 + 40 * values["b7"] + 25 * values["b70"] + 15 * values[free[-90]] + 10 * values["g7"] + 5 * values[free[-9]]
    y *= np.exp(0.01 * rng.normal(size=len(y)))
    configurations = Configurations.from_columns(system, values)
    measured = read_measurements({name: column[:size] for name, column in (values | {"time": y}).items()}, system)
    started = time.process_time()
    result = learn(measured, "time")
    assert time.process_time() - started < 60
    predicted = result.predict(configurations[size:])
    assert float(np.mean(abs(predicted - y[size:]) / y[size:])) < 0.03


def _members(parent: str) -> tuple[str, ...]:
    return tuple(f"{parent}_{number}" for number in (1, 2, 4, 9))
