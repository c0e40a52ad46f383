"""Weighted sums of the full model's predictions, such as mean changes, with their uncertainty."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from splc.data.configurations import Configurations
from splc.learning.projection.cholesky import needs_scipy
from splc.learning.projection.ensemble_sum import EnsembleSum, Full
from splc.learning.projection.kernel import kernel_matrix
from splc.learning.result import Predictor
from splc.learning.threads import one_thread
from splc.types import Array, Link


@dataclass(frozen=True, eq=False)
class WeightedSums:
    """Weighted sums of predictions."""

    values: Array  # the sums, shape (k,)
    covariance: Array  # their posterior covariance, shape (k, k); without the noise of measurements


def predictions(full: Predictor, configurations: Configurations, link: Link) -> Array:
    """Return the predictions, shape (n,); with the link 'log' their natural logarithms."""
    predicted = full.predict(configurations)
    return np.log(predicted) if link == "log" else predicted


def weighted_sums(full: Full, configurations: Configurations, weights: Array, link: Link) -> WeightedSums:
    """Return W f, where f are the predictions, with the link 'log' their natural logarithms.

    Their covariance is that of the Gaussian processes on the full model's scale, at the slope of the predictions (the
    delta method), also where the printed model is a part of predictions. The parts of a sum are independent.

    `weights`: W, shape (k, n). `link`: of a positive property also 'log'; not for the sum of full models.
    """
    if isinstance(full, EnsembleSum):
        parts = [
            weighted_sums(summand.full, configurations, weights * summand.counted(configurations), link)
            for summand in full.summands
        ]
        return WeightedSums(
            np.sum([part.values for part in parts], axis=0), np.sum([part.covariance for part in parts], axis=0)
        )
    configurations = Configurations.of(full.configurations.system, configurations)
    designs = full.basis.designs(configurations) if full.parts else ()
    scale = full.scale
    crosses = [kernel_matrix(part.theta, part.design, designs[part.kind]) for part in full.parts]
    part_means = [part.mean_of(cross) for part, cross in zip(full.parts, crosses, strict=True)]
    t = np.mean(part_means, axis=0) if part_means else np.full(weights.shape[1], full.constant[0])
    y = scale.backward(full.blended(t, configurations))
    # The derivative of the prediction, or of its logarithm, by the value on the scale.
    slopes = scale.slope(y) * scale.divisor(y)
    slopes = slopes / y if link == "log" else slopes * scale.unit
    f = np.log(y * scale.unit) if link == "log" else y * scale.unit
    weighted = weights * slopes
    if not full.parts:
        total = weighted.sum(axis=1)
        return WeightedSums(weights @ f, full.constant[1] ** 2 * np.outer(total, total))
    with one_thread(with_scipy=needs_scipy(len(full.configurations))):
        covariances = [
            part.covariance(cross, kernel_matrix(part.theta, designs[part.kind], designs[part.kind]), weighted)
            for part, cross in zip(full.parts, crosses, strict=True)
        ]
    means = np.array(part_means) @ weighted.T
    mean_deviations = means - means.mean(axis=0)
    return WeightedSums(
        weights @ f, np.mean(covariances, axis=0) + mean_deviations.T @ mean_deviations / len(covariances)
    )
