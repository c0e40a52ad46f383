"""A least-squares fit with its uncertainty, of columns that may depend on each other."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from splc.learning.stepwise.least_squares import least_squares
from splc.types import Array

# A direction in which columns of length 1 are shorter than this fraction of the longest one is rounding only.
RANK = 1e-10
SPANNED = 1e-9


@dataclass(frozen=True, eq=False)
class LinearFit:
    """A least-squares fit.

    Attributes:
        influences: the coefficients, of minimum norm, shape (terms,).
        determined: whether the rows determine a coefficient, shape (terms,).
        covariance: the covariance of the coefficients, shape (terms, terms); NaN without degrees of freedom.
        freedom: the degrees of freedom.
    """

    influences: Array
    determined: Array
    covariance: Array
    freedom: int

    @classmethod
    def of(cls, columns: Array, target: Array) -> LinearFit:
        """Fit columns, shape (n, terms), to a target, shape (n,)."""
        influences = least_squares(columns, target)
        scale = np.linalg.norm(columns, axis=0)
        scale[scale == 0] = 1.0
        _, lengths, directions = np.linalg.svd(columns / scale, full_matrices=False)
        kept = lengths > RANK * lengths.max(initial=0.0)
        lengths, directions = lengths[kept], directions[kept]
        freedom = len(target) - len(lengths)
        variance = ((target - columns @ influences) ** 2).sum() / freedom if freedom else np.nan
        covariance = (directions.T / lengths**2) @ directions / np.outer(scale, scale) * variance
        # The directions with a length span those terms completely that have no part in the others.
        return cls(influences, (directions**2).sum(axis=0) > 1 - SPANNED, covariance, freedom)
