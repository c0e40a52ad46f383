"""The predictions of a full model for valid configurations, as the printed model needs them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from splc.types import Array


@dataclass(frozen=True, eq=False)
class SpacePredictions:
    """The predictions of a full model for m configurations, in units of its scale."""

    means: Array  # the predictions, shape (m,)
    deviations: Array  # the standard deviations over the divisor of those that were not measured
    folds: Array  # the predictions of the fold models, shape (folds, m)
    covariance: Callable[[Array], Array]  # returns the posterior covariance of W t, shape (k, k), for W of shape (k, m)


def mixed_covariance(parts: Sequence[tuple[Array, Array]]) -> Array:
    """Return the covariance of a mixture of equal weights for the mean and covariance of each part."""
    within = np.mean([covariance for _, covariance in parts], axis=0)
    means = np.array([mean for mean, _ in parts])
    covariance: Array = within + np.cov(means.T, bias=True).reshape(within.shape)
    return covariance
