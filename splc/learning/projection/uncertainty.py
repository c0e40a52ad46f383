"""The uncertainty of printed influences (docs/decisions/0009-default-learner.md)."""

from __future__ import annotations

import math
from statistics import NormalDist

from splc.learning.projection.constants import LEVEL
from splc.learning.result import InfluenceEstimate
from splc.models.terms import Term


def estimate(term: Term, influence: float, standard_error: float, folds: int | None = None) -> InfluenceEstimate:
    """Return the estimate of an influence with a standard error, and the number of folds that support its term."""
    half = NormalDist().inv_cdf((1 + LEVEL) / 2) * standard_error
    if standard_error > 0:
        sign = NormalDist().cdf(min(abs(influence) / standard_error, 40.0))
    else:
        sign = 0.5 if influence == 0 else 1.0
    low, high = influence - half, influence + half
    return InfluenceEstimate(term, influence, standard_error, low, high, sign if math.isfinite(sign) else 0.5, folds)
