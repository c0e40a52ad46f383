"""Weighted sums of the full model's predictions, such as mean changes, with their uncertainty."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from splc.data.configurations import Configurations
from splc.learning.projection.cholesky import needs_scipy
from splc.learning.projection.ensemble_sum import EnsembleSum, Full
from splc.learning.threads import one_thread
from splc.models.influence import Link
from splc.types import Array


@dataclass(frozen=True, eq=False)
class WeightedSums:
    """Weighted sums of predictions.

    Attributes:
        values: the sums, shape (k,).
        covariance: their posterior covariance, shape (k, k); without the noise of measurements.
    """

    values: Array
    covariance: Array


def predictions(full: Full, configurations: Configurations, link: Link) -> Array:
    """Return the predictions, shape (n,); with the link 'log' their natural logarithms."""
    predicted = full.predict(configurations)
    return np.log(predicted) if link == "log" else predicted


def weighted_sums(full: Full, configurations: Configurations, weights: Array, link: Link) -> WeightedSums:
    """Return W f, where f are the predictions, with the link 'log' their natural logarithms.

    Their covariance is that of the full model's scale, at the slope of the predictions (the delta method).
    What is not known of the parts of a sum is independent.

    Args:
        full: the full model.
        configurations: n configurations.
        weights: W, shape (k, n).
        link: of a positive property also 'log'; not for the sum of full models.
    """
    if isinstance(full, EnsembleSum):
        parts = [
            weighted_sums(each.full, configurations, weights * each.counted(configurations), link)
            for each in full.summands
        ]
        return WeightedSums(
            np.sum([each.values for each in parts], axis=0), np.sum([each.covariance for each in parts], axis=0)
        )
    scale = full.scale
    configurations = Configurations.of(full.configurations.system, configurations)
    y = full.moments(configurations, variances=False)[0]
    # The derivative of the prediction, or of its logarithm, by the value on the scale.
    slopes = scale.slope(y) * scale.divisor(y)
    slopes = slopes / y if link == "log" else slopes * scale.unit
    f = np.log(y * scale.unit) if link == "log" else y * scale.unit
    size = len(weights)
    if not full.parts:
        total = (weights * slopes).sum(axis=1)
        return WeightedSums(weights @ f, full.constant[1] ** 2 * np.outer(total, total))
    designs = full.basis.designs(configurations)
    with one_thread(with_scipy=needs_scipy(len(full.configurations))):
        found = [part.projected(designs[part.kind], weights * slopes) for part in full.parts]
    means = np.array([mean for mean, _ in found])
    apart = means - means.mean(axis=0)
    covariance = np.mean([own for _, own in found], axis=0) + apart.T @ apart / len(found)
    return WeightedSums(weights @ f, covariance.reshape(size, size))
