"""The kernel of the full model against its definition, its gradient against finite differences, and factors."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from splc.learning.projection import posterior
from splc.learning.projection.fit import objective
from splc.learning.projection.posterior import (
    Hyperparameters,
    KernelDesign,
    kernel_diagonal,
    kernel_matrix,
    kernel_sums,
)
from splc.types import Array


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
        patch.setattr(posterior, "SUMS_BLOCK", elements)
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
