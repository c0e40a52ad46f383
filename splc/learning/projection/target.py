"""The target of the printed model: the predictions of the full model, in the units that columns are fitted to.

Columns of sums are fitted to predictions over their divisors, those of products to their logarithms
(docs/decisions/0010-printed-model.md, "Target").
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

# Not numpy's, which imports the masked arrays.
from statistics import median

import numpy as np

from splc.data.configurations import Configurations
from splc.learning.projection.constants import FEW_ROWS, FLOOR
from splc.types import Array

# With fewer rows than `FEW_ROWS` models are chosen by their distance to the full model, whose expected error is at most
# so many of its standard deviations, and this.
SPREADS, FEW_ROWS_ERROR = 2.0, 0.4


@dataclass(frozen=True, eq=False)
class Target:
    """The predictions that the printed model follows, in units of `unit`; t is the scale of the full model."""

    configurations: Configurations  # the m configurations Z; the n configurations of the learning set come first
    weights: Array  # the weights v of the rows, shape (m,)
    predicted: Array  # the predictions g of the full model, shape (m,)
    divisor: Array  # the divisor of residuals, shape (m,): g for positive properties, which makes them relative
    slope: Array  # dy/dt at g over the divisor, shape (m,): 1 for a full model of ln y
    # the predictions of the fold models, which learned from the rows outside of their fold, shape (folds, m)
    folds: Array
    fold_of: Array  # the fold of each configuration of the learning set, shape (n,)
    independent: int  # the number of groups that folds keep together; n without groups
    measured: Array  # the measured values of the learning set, shape (n,)
    unit: float  # the unit of all values, in the unit of the property
    # whether all measured values are positive; else all influences may be negative, and the form is a sum
    positive: bool
    spread: float  # the median predictive standard deviation at the unmeasured configurations, on the scale t
    covariance: Callable[[Array], Array]  # returns the posterior covariance of W t, shape (k, k), for W of shape (k, m)

    @property
    def learned(self) -> int:
        """The number n of configurations of the learning set."""
        return len(self.measured)

    @property
    def few(self) -> bool:
        """True if there are too few rows to choose models by their held-out errors."""
        return self.learned < FEW_ROWS

    @cached_property
    def roots(self) -> Array:
        """The square roots of the weights, shape (m,)."""
        return np.sqrt(self.weights)

    @cached_property
    def smallest(self) -> float:
        """The smallest prediction of a positive property."""
        return float(self.measured.min()) / FLOOR

    def factors(self, product: bool) -> Array:
        """Return what columns are multiplied by, shape (m,)."""
        return self.roots if product else self.roots / self.divisor

    def scaled(self, values: Array, product: bool) -> Array:
        """Return predictions, shape (..., m), as what columns are fitted to."""
        if product:
            return np.asarray(self.roots * np.log(np.maximum(values, self.smallest)))
        return np.asarray(self.factors(product) * values)

    def unscaled(self, scaled: Array, product: bool) -> Array:
        """Return the predictions whose `scaled` values, shape (..., m), are given."""
        if product:
            return np.asarray(np.exp(np.minimum(scaled / self.roots, 600.0)))
        return np.asarray(scaled / self.factors(product))

    def scaled_slope(self, product: bool) -> Array:
        """Return the derivative of `scaled` by the full model's t, shape (m,)."""
        slope = self.roots * self.slope
        if product:
            slope = slope * (self.divisor / np.maximum(self.predicted, self.smallest))
        return np.asarray(slope)

    def differences(self, predicted: Array) -> Array:
        """Return predictions for the learning set, shape (..., n), minus measured values.

        They are differences of logarithms for positive properties, otherwise over the divisor.
        """
        if self.positive:
            return np.asarray(np.log(np.maximum(predicted, self.smallest)) - np.log(self.measured))
        return np.asarray((predicted - self.measured) / self.divisor[: self.learned])

    def errors(self, differences: Array) -> Array:
        """Return the absolute errors of `differences`: relative ones of positive properties."""
        if self.positive:
            return np.asarray(np.abs(np.expm1(np.minimum(differences, 600.0))))
        return np.asarray(np.abs(differences))

    def distances(self, predicted: Array) -> Array:
        """Return the mean distances of predictions, shape (..., m), to the full model, over the divisor, shape (...).

        It is that at the unmeasured configurations, if there are any.
        """
        unmeasured = slice(self.learned if len(self.weights) > self.learned else 0, None)
        deviations = (predicted[..., unmeasured] - self.predicted[unmeasured]) / self.divisor[unmeasured]
        return np.asarray(np.abs(deviations).mean(axis=-1))

    @cached_property
    def own_errors(self) -> Array:
        """The errors of the fold models at the rows of their folds, shape (n,)."""
        folds = np.minimum(self.fold_of, len(self.folds) - 1)
        return self.errors(self.differences(self.folds[folds, np.arange(self.learned)]))

    @cached_property
    def expected_error(self) -> float:
        """The expected error of the full model: its mean error at held-out rows; with few rows at most its uncertainty.

        Few held-out rows say little, and the models that leave one of them out know less than the full model.
        """
        expected = float(self.own_errors.mean())
        if self.few:
            expected = min(expected, SPREADS * self.spread * median(self.slope.tolist()), FEW_ROWS_ERROR)
        return expected
