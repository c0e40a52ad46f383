"""Orthonormal bases of columns, which grow by one column at a time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from splc.types import Array

# Smaller rests of squared norms are computed from the rest itself: a difference from 1 has lost digits there.
_ACCURATE = 1e-3


@dataclass(frozen=True, eq=False)
class Decomposition:
    """Columns as the product of an orthonormal basis and their coordinates.

    Attributes:
        basis: an orthonormal basis of the columns, shape (m, k).
        coordinates: the columns in this basis, shape (k, k).
        inverse: the inverse of the coordinates, shape (k, k).
    """

    basis: Array
    coordinates: Array
    inverse: Array

    @classmethod
    def of(cls, columns: Array) -> Decomposition:
        """Return the decomposition of linearly independent columns, shape (m, k)."""
        basis, coordinates = np.linalg.qr(columns)
        return cls(basis, coordinates, np.linalg.inv(coordinates) if columns.shape[1] else coordinates)

    def extended(self, column: Array) -> Decomposition:
        """Return the decomposition with a further, independent column, shape (m,) (Gram-Schmidt, twice)."""
        along = self.basis.T @ column
        rest = column - self.basis @ along
        again = self.basis.T @ rest
        rest = rest - self.basis @ again
        along = along + again
        norm = float(np.linalg.norm(rest))
        size = len(along)
        coordinates, inverse = np.zeros((2, size + 1, size + 1))
        coordinates[:size, :size], inverse[:size, :size] = self.coordinates, self.inverse
        coordinates[:size, size], inverse[:size, size] = along, self.inverse @ along / -norm
        coordinates[size, size], inverse[size, size] = norm, 1 / norm
        return Decomposition(np.column_stack([self.basis, rest / norm]), coordinates, inverse)


def perpendicular(columns: Array, basis: Array) -> Array:
    """Return columns, shape (m,) or (m, q), after projecting out an orthonormal basis."""
    return np.asarray(columns - basis @ (basis.T @ columns))


def squares(columns: Array) -> Array:
    """Return the squared norms of columns, shape (q,)."""
    return np.asarray(np.einsum("ij,ij->j", columns, columns))


def residual_norms(columns: Array, basis: Array) -> Array:
    """Return the squared norms of unit columns, shape (m, q), after projecting out an orthonormal basis, shape (q,)."""
    found: Array = 1 - squares(basis.T @ columns)
    small = found < _ACCURATE
    if small.any():
        found[small] = squares(perpendicular(columns[:, small], basis))
    return found
