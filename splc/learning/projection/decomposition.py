"""QR decompositions of the columns of selected candidates, which grow by one column at a time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from splc.types import Array

# Smaller rests of squared norms are computed from the rest itself: a difference from 1 has lost digits there.
_ACCURATE = 1e-3


@dataclass(frozen=True, eq=False)
class Decomposition:
    """Columns as the product of an orthonormal basis and a triangle.

    Attributes:
        basis: an orthonormal basis of the columns, shape (m, k).
        triangle: the columns in this basis, shape (k, k), upper triangular.
        inverse: the inverse of the triangle, shape (k, k).
    """

    basis: Array
    triangle: Array
    inverse: Array

    @classmethod
    def of(cls, columns: Array) -> Decomposition:
        """Return the decomposition of linearly independent columns, shape (m, k)."""
        basis, triangle = np.linalg.qr(columns)
        return cls(basis, triangle, np.linalg.inv(triangle) if columns.shape[1] else triangle)

    def extended(self, column: Array) -> Decomposition:
        """Return the decomposition with a further column, shape (m,) (Gram-Schmidt, twice for accuracy)."""
        along = self.basis.T @ column
        rest = column - self.basis @ along
        again = self.basis.T @ rest
        rest = rest - self.basis @ again
        along = along + again
        norm = float(np.linalg.norm(rest))
        size = len(along)
        triangle, inverse = np.zeros((2, size + 1, size + 1))
        triangle[:size, :size], inverse[:size, :size] = self.triangle, self.inverse
        triangle[:size, size], inverse[:size, size] = along, self.inverse @ along / -norm
        triangle[size, size], inverse[size, size] = norm, 1 / norm
        return Decomposition(np.column_stack([self.basis, rest / norm]), triangle, inverse)


def perpendicular(columns: Array, basis: Array) -> Array:
    """Return columns, shape (m, q), after projecting out an orthonormal basis."""
    return np.asarray(columns - basis @ (basis.T @ columns))


def squares(columns: Array) -> Array:
    """Return the squared norms of columns, shape (q,)."""
    return np.asarray(np.einsum("ij,ij->j", columns, columns))


def rests(columns: Array, basis: Array) -> Array:
    """Return the squared norms of unit columns, shape (m, q), after projecting out an orthonormal basis, shape (q,)."""
    found: Array = 1 - squares(basis.T @ columns)
    small = found < _ACCURATE
    if small.any():
        found[small] = squares(perpendicular(columns[:, small], basis))
    return found
