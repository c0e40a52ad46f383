"""Least squares by projection: all candidates of a round are fitted together, none is refitted by itself.

The columns of the model are kept as an orthonormal basis Q (Gram-Schmidt with reorthogonalisation). Adding a candidate
c to the model changes its least-squares fit by t·c⊥, where c⊥ = c - Q Qᵀc and t = rᵀc / |c⊥|², r the residual. A
candidate's column is head ∘ atom, so that all products with a vector v are one matrix product Aᵀ(H ∘ v).

A convex loss L lies above its tangent: L(r - t·c⊥) ≥ L(r) - t·(s·c⊥) with s a subgradient at r. The right-hand side
needs matrix products only, and says of most candidates that they cannot win; the others are evaluated exactly.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from splc.learning.scoring import Loss

Array = np.ndarray[Any, np.dtype[Any]]

# A candidate of which less than this part (of its length) is outside of the model's span is collinear with the model.
COLLINEAR = 1e-8
# Below this part, the squared length left after projection is not trusted when it comes from a difference of squares.
DOUBTFUL = 1e-6
BLOCK = 4096


def products(atoms: Array, heads: Array, vectors: Array) -> Array:
    """Return Aᵀ(H ∘ v) for each vector: shape (vectors, heads, atoms).

    Args:
        atoms: shape (n, a).
        heads: shape (n, h).
        vectors: shape (n, v).
    """
    n, a = atoms.shape
    h, v = heads.shape[1], vectors.shape[1]
    total = np.zeros((v * h, a))
    for start in range(0, n, BLOCK):
        rows = slice(start, start + BLOCK)
        weighted = (vectors[rows, :, np.newaxis] * heads[rows, np.newaxis, :]).reshape(-1, v * h)
        total += weighted.T @ atoms[rows]
    return total.reshape(v, h, a)


class Projection:
    """The least-squares fit of a growing model on some rows, and its loss on some (the same or other) rows.

    Args:
        atoms: columns of the atoms on the fitted rows, shape (n, a).
        target: shape (n,).
        loss: the loss on the judged rows.
        judged: (atoms, target) of the judged rows; None: they are the fitted rows.
    """

    def __init__(self, atoms: Array, target: Array, loss: Loss, judged: tuple[Array, Array] | None = None) -> None:
        self.atoms = np.ascontiguousarray(atoms)
        self.target = target
        self.loss = loss
        self.same = judged is None
        self.judged_atoms = self.atoms if judged is None else np.ascontiguousarray(judged[0])
        n, m, a = len(target), len(self.judged_atoms), atoms.shape[1]
        self.residual: Array = target.astype(float).copy()
        self.judged_residual: Array = self.residual if judged is None else judged[1].astype(float).copy()
        self.basis: Array = np.zeros((n, 0))
        self.judged_basis: Array = self.basis if self.same else np.zeros((m, 0))
        self.triangle: Array = np.zeros((0, 0))
        self.heads: Array = np.zeros((n, 0))
        self.judged_heads: Array = self.heads if self.same else np.zeros((m, 0))
        self.lengths: Array = np.zeros((0, a))
        self.shadows: Array = np.zeros((0, 0, a))

    def add_head(self, column: Array, judged_column: Array | None = None) -> None:
        """Add a head: its products with all atoms are candidates from now on."""
        weighted = self.atoms * column[:, np.newaxis]
        self.lengths = np.concatenate([self.lengths, np.einsum("ij,ij->j", weighted, weighted)[np.newaxis]])
        shadow = self.basis.T @ weighted
        self.shadows = np.concatenate([self.shadows, shadow[:, np.newaxis, :]], axis=1)
        self.heads = np.column_stack([self.heads, column])
        if self.same:
            self.judged_heads = self.heads
        elif judged_column is not None:
            self.judged_heads = np.column_stack([self.judged_heads, judged_column])

    def add_term(self, column: Array, judged_column: Array | None = None) -> None:
        """Add a term to the model (its column must not be collinear with the model)."""
        direction = column.astype(float)
        shadow = np.zeros(self.basis.shape[1])
        for _ in range(2):
            step = self.basis.T @ direction
            direction = direction - self.basis @ step
            shadow += step
        length = float(np.linalg.norm(direction))
        direction = direction / length
        k = len(shadow)
        triangle = np.zeros((k + 1, k + 1))
        triangle[:k, :k] = self.triangle
        triangle[:k, k] = shadow
        triangle[k, k] = length
        self.triangle = triangle
        self.basis = np.column_stack([self.basis, direction])
        amount = float(direction @ self.residual)
        self.residual = self.residual - amount * direction
        if self.same:
            self.judged_basis, self.judged_residual = self.basis, self.residual
        elif judged_column is not None:
            judged = (judged_column - self.judged_basis @ shadow) / length
            self.judged_basis = np.column_stack([self.judged_basis, judged])
            self.judged_residual = self.judged_residual - amount * judged
        if self.heads.shape[1]:
            new = products(self.atoms, self.heads, direction[:, np.newaxis])
            self.shadows = np.concatenate([self.shadows, new])
        else:
            self.shadows = np.zeros((k + 1, 0, self.atoms.shape[1]))

    @property
    def coefficients(self) -> Array:
        """The least-squares coefficients of the model's terms, in the order in which they were added."""
        return np.linalg.solve(self.triangle, self.basis.T @ self.target)

    @property
    def error(self) -> float:
        """The loss of the model on the judged rows."""
        return self.loss.of_residual(self.judged_residual)

    def bounds(self) -> tuple[Array, Array]:
        """Return, for every cell (shape (heads, atoms)), what a candidate can bring, and what is new in it.

        The first is an upper bound on the drop of the loss, infinite where it is not to be trusted; the second the
        part of the column's squared length that is outside of the model's span.
        """
        slope = self.loss.slope(self.judged_residual)
        if self.same:
            toward, downhill = products(self.atoms, self.heads, np.column_stack([self.residual, slope]))
        else:
            toward = products(self.atoms, self.heads, self.residual[:, np.newaxis])[0]
            downhill = products(self.judged_atoms, self.judged_heads, slope[:, np.newaxis])[0]
        left = self.lengths - np.einsum("kha,kha->ha", self.shadows, self.shadows)
        downhill = downhill - np.einsum("k,kha->ha", slope @ self.judged_basis, self.shadows)
        with np.errstate(divide="ignore", invalid="ignore"):
            part = np.where(self.lengths > 0, left / self.lengths, 0.0)
            drop = np.where(part > DOUBTFUL, toward / left * downhill, np.inf)
        return drop, part

    def losses(self, heads: Array, atoms: Array) -> Array:
        """Return the loss that the model has with each candidate added; NaN for a collinear one.

        Args:
            heads: head of each candidate, shape (m,).
            atoms: its atom, shape (m,).
        """
        columns = self.heads[:, heads] * self.atoms[:, atoms]
        total = np.einsum("ij,ij->j", columns, columns)
        shadow = self.basis.T @ columns
        columns -= self.basis @ shadow
        again = self.basis.T @ columns
        columns -= self.basis @ again
        left = np.einsum("ij,ij->j", columns, columns)
        collinear = left <= COLLINEAR**2 * total
        with np.errstate(divide="ignore", invalid="ignore"):
            amount = np.where(collinear, 0.0, (self.residual @ columns) / left)
        if not self.same:
            columns = self.judged_heads[:, heads] * self.judged_atoms[:, atoms]
            columns -= self.judged_basis @ (shadow + again)
        columns *= -amount
        columns += self.judged_residual[:, np.newaxis]
        result = self.loss.of_residuals(columns)
        result[collinear | (amount == 0)] = np.nan
        return result


def least_squares(columns: Array, target: Array) -> Array:
    """Return the coefficients of the least-squares fit (minimum norm), shape (terms,).

    Columns are scaled to length 1 first, so that their units do not spoil the conditioning.

    Args:
        columns: shape (n, terms).
        target: shape (n,).
    """
    scale = np.linalg.norm(columns, axis=0)
    scale[scale == 0] = 1.0
    solution = np.linalg.lstsq(columns / scale, target, rcond=None)[0]
    return np.asarray(solution / scale)
