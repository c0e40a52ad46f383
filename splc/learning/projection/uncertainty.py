"""The uncertainty of printed influences (reference/default-learner.md, section 1d)."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np

from splc.learning.projection.constants import LEVEL
from splc.learning.projection.size import ProjectedModel
from splc.learning.projection.subset import Subset
from splc.learning.result import InfluenceEstimate
from splc.models.terms import Term
from splc.types import Array


def covariance_of(projection: ProjectedModel, model: Subset) -> Array:
    """Return the covariance of the coefficients of columns of unit norm, shape (terms, terms).

    It is the sum of two: that of the projections of the full model's posterior, and the jackknife's of the
    projections of the fold models.
    """
    rows = projection.rows
    inverse = model.pseudo_inverse()
    # The target's columns are in the order of its configurations.
    projector = np.empty_like(inverse)
    projector[:, rows.order] = inverse * rows.slope(projection.product)
    posterior = np.asarray(rows.target.covariance(projector))
    coefficients = rows.scaled(rows.folds, projection.product) @ inverse.T
    deviations = coefficients - coefficients.mean(axis=0)
    folds = len(coefficients)
    return np.asarray(posterior + (folds - 1) / folds * deviations.T @ deviations)


def estimate(term: Term, influence: float, standard_error: float) -> InfluenceEstimate:
    """Return the estimate of an influence with a standard error."""
    half = NormalDist().inv_cdf((1 + LEVEL) / 2) * standard_error
    if standard_error > 0:
        sign = NormalDist().cdf(min(abs(influence) / standard_error, 40.0))
    else:
        sign = 0.5 if influence == 0 else 1.0
    low, high = influence - half, influence + half
    return InfluenceEstimate(term, influence, standard_error, low, high, sign if math.isfinite(sign) else 0.5)
