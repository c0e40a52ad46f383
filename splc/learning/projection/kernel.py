"""The kernel of the full model: products of all options and a stationary part (docs/decisions/0009-default-learner.md).

k = 1 + (prod_i (1 + rho K_i) - 1) / rho + a phi(w D) with K_i = sum_b lambda_b b b' over the columns b of option i,
D the squared distance weighted by lambda, and phi the Matern-3/2 function. rho is the strength of interactions, a and w
are size and width of the stationary part.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from operator import mul

import numpy as np

from splc.learning.projection.cholesky import negative_evidence
from splc.learning.projection.constants import JITTER
from splc.types import Array

# Blocks of one ±1 column with rho lambda below this are multiplied through their logarithms.
FAST = 0.9
# Elements of a kernel that are computed at a time, so that they stay in the processor's cache.
BLOCK = 2**16


@dataclass(frozen=True, eq=False)
class KernelDesign:
    """The columns of some configurations, grouped by blocks."""

    columns: Array  # the columns, shape (n, columns)
    starts: tuple[int, ...]  # the first column of each block, ascending, and the number of columns at the end
    signs: Array  # whether a block is a single column of ±1, shape (blocks,)
    relevances: Array  # the relevance that each column has, as a number, shape (columns,); some columns share one
    unscreened: int = 0  # the number of blocks at the end that every search is about

    @classmethod
    def of(cls, blocks: Sequence[Array], relevances: Array | None = None, unscreened: int = 0) -> KernelDesign:
        """Return the design of blocks of columns, by default with a relevance for each column."""
        widths = np.array([block.shape[1] for block in blocks], dtype=int)
        starts = tuple(np.cumsum([0, *widths.tolist()]).tolist())
        columns = np.column_stack(blocks) if blocks else np.zeros((0, 0))
        signs = widths == 1
        signs[signs] = (abs(columns[:, np.array(starts[:-1], dtype=int)[signs]]) == 1).all(axis=0)
        column_relevances = np.arange(columns.shape[1]) if relevances is None else relevances
        return cls(columns, starts, signs, column_relevances, unscreened)

    def __len__(self) -> int:
        return len(self.columns)

    @property
    def distinct(self) -> int:
        """The number of relevances."""
        return int(self.relevances.max()) + 1 if len(self.relevances) else 0

    @property
    def owners(self) -> Array:
        """The position of the block of each column, shape (columns,)."""
        return np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))

    def rows(self, rows: Array | slice) -> KernelDesign:
        """Return some of the configurations."""
        return replace(self, columns=self.columns[rows])

    def blocks(self, blocks: Array) -> tuple[KernelDesign, Array]:
        """Return the design of some of the blocks, and their relevances, as numbers among all of them."""
        widths = np.diff(self.starts)
        is_kept = np.zeros(len(widths), dtype=bool)
        is_kept[blocks] = True
        columns_kept = is_kept[self.owners]
        kept_relevances = self.relevances[columns_kept]
        # Not by np.unique, which imports numpy.ma.
        numbers = np.flatnonzero(np.bincount(kept_relevances))
        relevances = np.searchsorted(numbers, kept_relevances)
        starts = tuple(np.cumsum([0, *widths[blocks].tolist()]).tolist())
        # Column-major order, so that columns are contiguous in memory.
        columns = np.asfortranarray(self.columns[:, columns_kept])
        return KernelDesign(columns, starts, self.signs[blocks], relevances, self.unscreened), numbers


@dataclass(frozen=True, eq=False)
class Hyperparameters:
    """The hyperparameters of the kernel and the noise."""

    relevances: Array  # lambda of each column, or of the columns that share it
    interaction: float  # rho
    stationary: float  # a
    width: float  # w
    noise: float  # the variance of the noise

    @classmethod
    def of(cls, logarithms: Array) -> Hyperparameters:
        """Return them for their logarithms, relevances first."""
        values = np.exp(logarithms)
        return cls(values[:-4], *map(float, values[-4:]))


def kernel_matrix(theta: Hyperparameters, first: KernelDesign, second: KernelDesign) -> Array:
    """Return the kernel between configurations, shape (n, m), without noise."""
    kernel = np.empty((len(first), len(second)))
    rows = max(BLOCK // max(len(second), 1), 1)
    for start in range(0, len(first), rows):
        block = slice(start, start + rows)
        # A kernel of a design with itself is symmetric.
        column_block = slice(start if first is second else 0, None)
        kernel[block, column_block] = _Parts(theta, first.rows(block), second.rows(column_block)).kernel
        if first is second:
            kernel[column_block, block] = kernel[block, column_block].T
    return kernel


def kernel_diagonal(theta: Hyperparameters, design: KernelDesign) -> Array:
    """Return the kernel of each configuration with itself, shape (n,)."""
    squares = design.columns**2 * theta.relevances[design.relevances]
    block_sums = np.add.reduceat(squares, design.starts[:-1], axis=1)
    product = np.prod(1 + theta.interaction * block_sums, axis=1)
    diagonal: Array = 1 + (product - 1) / theta.interaction + theta.stationary
    return diagonal


class _Parts:
    """The kernel between two designs with what its gradient needs."""

    def __init__(self, theta: Hyperparameters, first: KernelDesign, second: KernelDesign) -> None:
        self.theta = theta
        rho = theta.interaction
        starts = first.starts
        self.relevances = relevances = theta.relevances[first.relevances]
        begins = np.array(starts[:-1], dtype=int)
        fast = first.signs & second.signs & (rho * relevances[begins] < FAST)
        self.blocks = [(starts[i], starts[i + 1]) for i in np.flatnonzero(~fast)]
        self.fast_columns = begins[fast]
        strengths = rho * relevances[self.fast_columns]
        a, b = first.columns, second.columns
        # In-place operations: allocating matrices of n^2 elements costs more than computing them.
        self.fast_product: Array = np.ones(())
        if len(self.fast_columns):
            # 1 + c s = exp(ln(1 - c^2)/2 + s artanh c) for s = ±1.
            exponent = (a[:, self.fast_columns] * np.arctanh(strengths)) @ b[:, self.fast_columns].T
            exponent += np.log1p(-(strengths**2)).sum() / 2
            self.fast_product = np.exp(exponent, out=exponent)
        self.factors = [_factor(rho, a[:, i:j] * relevances[i:j], b[:, i:j]) for i, j in self.blocks]
        self.product = np.broadcast_to(self.fast_product, (len(first), len(second)))
        for factor in self.factors:
            self.product = self.product * factor
        weighted = a * relevances
        distances = weighted @ b.T
        distances *= -2
        distances += (weighted * a).sum(axis=1)[:, None]
        distances += ((b * relevances) * b).sum(axis=1)
        self.distances: Array = np.maximum(distances, 0.0, out=distances)
        root = self.distances * (3 * theta.width)
        np.sqrt(root, out=root)
        self.decay: Array = np.exp(-root)
        root += 1
        root *= self.decay
        self.matern: Array = root
        self.kernel: Array = self.product / rho
        self.kernel += theta.stationary * self.matern
        self.kernel += 1 - 1 / rho


def _factor(rho: float, weighted: Array, columns: Array) -> Array:
    """Return 1 + rho K of a block of columns, shape (n, m)."""
    factors: Array = weighted @ columns.T
    factors *= rho
    factors += 1
    return factors


def objective(logarithms: Array, design: KernelDesign, z: Array, noise: Array) -> tuple[float, Array]:
    """Return the negative log evidence of standardised targets (without the constant), and its gradient.

    `logarithms`: the logarithms of the hyperparameters, relevances first, shape (relevances + 4,). `z`: the targets,
    shape (n,). `noise`: multiples of the noise for each configuration, shape (n,).
    """
    theta = Hyperparameters.of(logarithms)
    parts = _Parts(theta, design, design)
    matrix = parts.kernel
    matrix.flat[:: len(z) + 1] += theta.noise * noise + JITTER
    evidence = negative_evidence(matrix, z)
    if evidence is None:
        return np.inf, np.zeros_like(logarithms)
    value, outer = evidence
    return value, _gradient(parts, design, outer, noise)


def _gradient(parts: _Parts, design: KernelDesign, outer: Array, noise: Array) -> Array:
    """Return the gradient by the logarithms, for `outer` = (K^-1 - v v')/2."""
    theta, columns = parts.theta, design.columns
    rho, relevances = theta.interaction, parts.relevances
    products = np.zeros(len(relevances))
    if len(parts.fast_columns):
        # All blocks at once: the product of the others is the whole product over 1 + c s.
        weighted = outer * parts.product
        fast = columns[:, parts.fast_columns]
        strengths = rho * relevances[parts.fast_columns]
        sums = ((weighted @ fast) * fast).sum(axis=0)
        products[parts.fast_columns] = (sums - strengths * weighted.sum()) / (1 - strengths**2)
    if parts.blocks:
        # Products of all blocks but one, without dividing: factors may be 0.
        later_products = [*accumulate(reversed(parts.factors[1:]), mul)]
        earlier_product = outer * parts.fast_product if len(parts.fast_columns) else outer
        for (start, end), factor in zip(parts.blocks, parts.factors, strict=True):
            block_columns = columns[:, start:end]
            other_product = earlier_product * later_products.pop() if later_products else earlier_product
            products[start:end] = ((other_product @ block_columns) * block_columns).sum(axis=0)
            if end < parts.blocks[-1][1]:
                earlier_product = earlier_product * factor
    local = outer * parts.decay
    local *= -1.5 * theta.stationary * theta.width
    distances = 2 * (columns**2).T @ local.sum(axis=1) - 2 * ((local @ columns) * columns).sum(axis=0)
    gradient: Array = np.concatenate(
        [
            np.bincount(design.relevances, relevances * (products + distances), len(theta.relevances)),
            [
                float(relevances @ products) - (float(np.vdot(outer, parts.product)) - float(outer.sum())) / rho,
                theta.stationary * float(np.vdot(outer, parts.matern)),
                float(np.vdot(local, parts.distances)),
                theta.noise * float(np.diag(outer) @ noise),
            ],
        ]
    )
    return gradient
