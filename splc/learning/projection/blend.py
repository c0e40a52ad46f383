"""Influences: blends of the projection of the full model and of least squares (docs/decisions/0010-printed-model.md).

A blend lambda weighs the full model's predictions against the measured values. Infinity is the projection alone. With a
small blend the full model determines only what the measured values leave undetermined.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from splc.learning.projection.candidates import Candidates
from splc.learning.projection.nonnegative import nonnegative
from splc.learning.projection.rows import ModelRows
from splc.types import Array

PROJECTION = math.inf
# (Of 78 models of the reference, 5 had 1, 54 infinity and 19 a tenth.)
BLENDS = (PROJECTION, 0.1)


@dataclass(frozen=True, eq=False)
class Blend:
    """The influences of terms for one target: the full model, or the model of a fold."""

    rows: ModelRows  # the rows
    candidates: Candidates  # the candidates
    union: tuple[int, ...]  # the positions of all terms that are asked for, ascending
    product: bool  # whether terms are those of ln y
    fold: int | None = None  # the fold whose rows are left out; None for the full model

    @cached_property
    def columns(self) -> Array:
        """The columns of the terms, shape (terms, m)."""
        return self.candidates.columns[list(self.union)]

    @cached_property
    def target(self) -> Array:
        """The scaled predictions that the columns are fitted to, shape (m,)."""
        target = self.rows.target
        return self.rows.scaled(target.predicted if self.fold is None else target.folds[self.fold], self.product)

    @cached_property
    def measured(self) -> Array:
        """The positions of the measured rows that are used, shape (n,)."""
        target = self.rows.target
        return np.flatnonzero(target.fold_of != self.fold)

    @cached_property
    def _projected(self) -> tuple[Array, Array]:
        return self.columns @ self.columns.T, self.columns @ self.target

    @cached_property
    def _fitted(self) -> tuple[Array, Array]:
        """The Gram matrix and moments of the measured rows, of which each has the weight 1."""
        measured, roots = self.measured, self.rows.roots
        columns = self.columns[:, measured] / roots[measured]
        values = self.rows.scaled(self._values, self.product)[measured] / roots[measured]
        return columns @ columns.T, columns @ values

    @cached_property
    def _values(self) -> Array:
        values = self.rows.target.predicted.copy()
        values[: self.rows.learned] = self.rows.target.measured
        return values

    def _ratio(self, blend: float) -> float:
        return blend * max(len(self.measured), 1) / float(self.rows.roots @ self.rows.roots)

    def coefficients(self, chosen: Sequence[int], blend: float) -> Array:
        """Return the coefficients of the columns of terms, shape (terms,)."""
        indices = np.searchsorted(self.union, chosen)
        gram, moments = self._projected
        if not math.isinf(blend):
            ratio = self._ratio(blend)
            gram, moments = self._fitted[0] + ratio * gram, self._fitted[1] + ratio * moments
        gram, moments = gram[indices][:, indices], moments[indices]
        coefficients = np.linalg.solve(gram, moments)
        is_free = self.candidates.free[list(chosen)]
        if (coefficients[~is_free] < 0).any():
            scale = 1 / np.sqrt(np.diag(gram))
            coefficients = scale * nonnegative(gram * np.outer(scale, scale), scale * moments, is_free)
        return np.asarray(coefficients)

    def operator(self, chosen: Sequence[int], blend: float) -> Array:
        """Return the matrix, shape (terms, m), from predictions as `ModelRows.scaled` to coefficients of any sign."""
        indices = np.searchsorted(self.union, chosen)
        columns, gram = self.columns[indices], self._projected[0]
        if not math.isinf(blend):
            ratio = self._ratio(blend)
            gram = self._fitted[0] + ratio * gram
            columns = ratio * columns
            measured = self.measured
            columns[:, measured] += self.columns[np.ix_(indices, measured)] / self.rows.roots[measured] ** 2
        return np.asarray(np.linalg.solve(gram[indices][:, indices], columns))
