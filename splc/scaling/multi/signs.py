"""The signs of hypotheses: quantities without negative measurements are not predicted to be negative.

A hypothesis is linear in the term of each parameter. Where it is not negative at the corners of a box of points, it is
therefore not negative inside, either. The box here is that from the smallest values to 8 times the largest ones.
"""

from __future__ import annotations

import itertools

import numpy as np

from splc.scaling.evidence import BEYOND, log_excluded
from splc.scaling.multi.terms import ParameterTerms, product_columns
from splc.types import Array

# Smaller values, relative to their parts, are rounding.
_ROUNDING = 1e-9


def sign_log_weights(bases: tuple[ParameterTerms, ...], terms: Array, products: Array, coefficients: Array) -> Array:
    """Return the logarithms of the factors of hypotheses' plausibility, 0 for those that are nowhere negative.

    `terms`, `products`, `coefficients`: see `splc.scaling.multi.posterior.Hypotheses`.
    """
    log_factors = np.zeros(len(terms))
    # The terms of all parameters are positive.
    rows = np.flatnonzero((coefficients < 0).any(axis=1))
    corners = np.array(
        list(itertools.product(*((low, BEYOND * high) for low, high in (basis.ends for basis in bases))))
    )
    with np.errstate(invalid="ignore", over="ignore"):
        parts = coefficients[rows, :, None] * product_columns(bases, terms[rows], products[rows])(corners)
        negative = (parts.sum(axis=1) < -_ROUNDING * np.abs(parts).sum(axis=1)).any(axis=1)
    log_factors[rows[negative]] = log_excluded(bases[0].columns.shape[1])
    return log_factors
