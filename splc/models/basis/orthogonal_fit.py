"""The least-squares fit of columns that are added one at a time."""

from __future__ import annotations

import numpy as np

from splc.types import Array


class OrthogonalFit:
    """A least-squares fit that grows by a column at a time (Gram-Schmidt with reorthogonalisation).

    Args:
        target: the values to fit, shape (n,).

    Attributes:
        target: the values.
        basis: an orthonormal basis of the columns, shape (columns, n).
        triangle: the columns in this basis, upper triangular, shape (columns, columns).
        parts: the components of the values along the basis, shape (columns,).
        residual: the values less the fit, shape (n,).
    """

    def __init__(self, target: Array) -> None:
        self.target = target
        self.basis: Array = np.empty((0, len(target)))
        self.triangle: Array = np.zeros((0, 0))
        self.parts: Array = np.zeros(0)
        self.residual: Array = target.copy()

    def add(self, column: Array, least: float = 0.0) -> bool:
        """Add a column, shape (n,), and return whether it was added.

        It is not where no more of its length than `least` is outside of the span of the others.
        """
        direction = column.astype(float)
        size = len(self.basis)
        shadow = np.zeros(size)
        for _ in range(2):
            step = self.basis @ direction
            direction = direction - step @ self.basis
            shadow += step
        length = float(np.linalg.norm(direction))
        if length <= least:
            return False
        direction /= length
        triangle = np.zeros((size + 1, size + 1))
        triangle[:size, :size] = self.triangle
        triangle[:size, size] = shadow
        triangle[size, size] = length
        self.triangle = triangle
        self.append(direction, float(direction @ self.residual))
        return True

    def append(self, direction: Array, part: float) -> None:
        """Add a direction, shape (n,), along which the fit changes by a part."""
        self.basis = np.vstack([self.basis, direction])
        self.parts = np.append(self.parts, part)
        self.residual = self.residual - part * direction

    @property
    def coefficients(self) -> Array:
        """The coefficients of the columns, shape (columns,)."""
        return np.linalg.solve(self.triangle, self.basis @ self.target)


def independent(columns: Array, least: float) -> list[int]:
    """Return the positions of columns, shape (n, columns), that do not depend linearly on earlier ones.

    More than `least` of their length is outside of the span of these.
    """
    lengths = np.linalg.norm(columns, axis=0)
    fit = OrthogonalFit(np.zeros(len(columns)))
    return [at for at in np.flatnonzero(lengths).tolist() if fit.add(columns[:, at] / lengths[at], least)]
