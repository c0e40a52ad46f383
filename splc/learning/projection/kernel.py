"""The kernel of the full model: products of all options and a stationary part (docs/decisions/0009-default-learner.md).

k = 1 + (prod_i (1 + rho K_i) - 1) / rho + a phi(w D) with K_i = sum_b lambda_b b b' over the columns b of option i,
D the squared distance weighted by lambda, and phi the Matern-3/2 function. rho is the strength of interactions, a and w
are size and width of the stationary part.

In: the columns of configurations (`KernelDesign`, from `basis.py`) and `Hyperparameters`. Out: the kernel as a matrix,
as weighted sums and on its diagonal (`posterior.py`), and its derivative (`search.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from operator import mul

import numpy as np

from splc.types import Array

# Blocks of one ±1 column with rho lambda below this are multiplied through their logarithms.
FAST = 0.9
# Elements of a kernel, and of its sums, that are computed at a time, so that they stay in the processor's cache.
BLOCK, SUMS_BLOCK = 2**16, 2**15


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
        kernel[block, column_block] = KernelParts(theta, first.rows(block), second.rows(column_block)).kernel
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


def kernel_sums(theta: Hyperparameters, weights: Array, first: KernelDesign, second: KernelDesign) -> Array:
    """Return the weights, shape (n,), times the kernel between n and m configurations, shape (m,).

    The kernel is not stored: its parts are summed block by block, with as few passes over each block as possible.
    """
    rho, relevances, (signs, spans) = (
        theta.interaction,
        theta.relevances[first.relevances],
        _split(theta, first, second),
    )
    strengths = rho * relevances[signs]
    a, b = first.columns, second.columns
    constant = np.full(len(a), np.log1p(-(strengths**2)).sum() / 2)
    exponent = _augmented(a[:, signs] * np.arctanh(strengths), constant, b[:, signs])
    weighted = a * relevances
    factors = [_augmented(rho * weighted[:, span], np.ones(len(a)), b[:, span]) for span in spans]
    # 3 w D, whose square root is the argument of the Matern-3/2 function.
    scale = 3 * theta.width
    first_squares, second_squares = scale * (weighted * a).sum(axis=1), scale * (relevances * b**2).sum(axis=1)
    distances = _augmented(-2 * scale * weighted, first_squares, b, second_squares)
    sums = np.full(len(b), (1 - 1 / rho) * weights.sum())
    rows = max(SUMS_BLOCK // max(len(b), 1), 1)
    spaces = np.empty((2, rows, len(b)))
    for start in range(0, len(a), rows):
        block = slice(start, start + rows)
        values, buffer = spaces[:, : len(weights[block])]
        np.exp(np.matmul(exponent[0][block], exponent[1], out=values), out=values)
        for left, right in factors:
            values *= np.matmul(left[block], right, out=buffer)
        sums += weights[block] / rho @ values
        np.matmul(distances[0][block], distances[1], out=values)
        np.sqrt(np.maximum(values, 0.0, out=values), out=values)
        np.exp(np.negative(values, out=buffer), out=buffer)
        values += 1
        values *= buffer
        sums += weights[block] * theta.stationary @ values
    return sums


def _augmented(
    first_columns: Array, added: Array, second_columns: Array, further: Array | None = None
) -> tuple[Array, Array]:
    """Return the factors of `first @ second.T + added[:, None] + further`, shapes (n, k) and (k, m)."""
    columns = [first_columns, added] if further is None else [first_columns, added, np.ones(len(added))]
    rows = [second_columns, np.ones(len(second_columns))] + ([] if further is None else [further])
    return np.column_stack(columns), np.ascontiguousarray(np.column_stack(rows).T)


def _split(theta: Hyperparameters, first: KernelDesign, second: KernelDesign) -> tuple[Array, tuple[slice, ...]]:
    """Return the columns of ±1 whose factors are multiplied through their logarithms, and those of the other blocks.

    1 + c s = exp(ln(1 - c^2)/2 + s artanh c) for s = ±1, so that one matrix product serves all of them.
    """
    begins = np.array(first.starts[:-1], dtype=int)
    fast = first.signs & second.signs & (theta.interaction * theta.relevances[first.relevances[begins]] < FAST)
    return begins[fast], tuple(slice(*first.starts[block : block + 2]) for block in np.flatnonzero(~fast))


class KernelParts:
    """The kernel between two designs, with what its gradient needs.

    Operations are in place: allocating matrices of n^2 elements costs more than computing them.
    """

    def __init__(self, theta: Hyperparameters, first: KernelDesign, second: KernelDesign) -> None:
        self.theta, self.design = theta, first
        rho = theta.interaction
        self.relevances = relevances = theta.relevances[first.relevances]
        self.signs, self.spans = _split(theta, first, second)
        strengths = rho * relevances[self.signs]
        a, b = first.columns, second.columns
        self.fast_product: Array = np.ones(())
        if len(self.signs):
            exponent = (a[:, self.signs] * np.arctanh(strengths)) @ b[:, self.signs].T
            exponent += np.log1p(-(strengths**2)).sum() / 2
            self.fast_product = np.exp(exponent, out=exponent)
        self.factors: list[Array] = []
        self.product = np.broadcast_to(self.fast_product, (len(first), len(second)))
        for span in self.spans:
            factor = (a[:, span] * relevances[span]) @ b[:, span].T
            factor *= rho
            factor += 1
            self.factors.append(factor)
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

    def derivative(self, outer: Array, noise: Array) -> Array:
        """Return the derivative, by the logarithms, of a function whose derivative by the covariance is `outer`.

        It is for the kernel of a design with itself. `noise`: multiples of the noise of each configuration, shape (n,).
        """
        theta, columns, relevances = self.theta, self.design.columns, self.relevances
        rho = theta.interaction
        products = np.zeros(len(relevances))
        if len(self.signs):
            # All blocks at once: the product of the others is the whole product over 1 + c s.
            weighted = outer * self.product
            fast = columns[:, self.signs]
            strengths = rho * relevances[self.signs]
            sums = ((weighted @ fast) * fast).sum(axis=0)
            products[self.signs] = (sums - strengths * weighted.sum()) / (1 - strengths**2)
        if self.spans:
            # Products of all blocks but one, without dividing: factors may be 0.
            later_products = [*accumulate(reversed(self.factors[1:]), mul)]
            earlier_product = outer * self.fast_product if len(self.signs) else outer
            for span, factor in zip(self.spans, self.factors, strict=True):
                block_columns = columns[:, span]
                other_product = earlier_product * later_products.pop() if later_products else earlier_product
                products[span] = ((other_product @ block_columns) * block_columns).sum(axis=0)
                if span is not self.spans[-1]:
                    earlier_product = earlier_product * factor
        local = outer * self.decay
        local *= -1.5 * theta.stationary * theta.width
        distances = 2 * (columns**2).T @ local.sum(axis=1) - 2 * ((local @ columns) * columns).sum(axis=0)
        by_relevance = np.bincount(self.design.relevances, relevances * (products + distances), len(theta.relevances))
        by_others = [
            float(relevances @ products) - (float(np.vdot(outer, self.product)) - float(outer.sum())) / rho,
            theta.stationary * float(np.vdot(outer, self.matern)),
            float(np.vdot(local, self.distances)),
            theta.noise * float(np.diag(outer) @ noise),
        ]
        return np.concatenate([by_relevance, by_others])
