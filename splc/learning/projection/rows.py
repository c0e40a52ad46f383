"""The rows that printed models are fitted to: units, weights and differences."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

# Not numpy's, which imports the masked arrays.
from statistics import median

import numpy as np

from splc.learning.projection.constants import FLOOR
from splc.learning.projection.target import Target
from splc.types import Array

# With fewer rows models are chosen by their distance to the full model, whose expected error is at most so many of its
# standard deviations, and this.
FEW_ROWS, SPREADS, FEW_ROWS_ERROR = 30, 2.0, 0.4


@dataclass(frozen=True, eq=False)
class ModelRows:
    """The predictions of the full model; the n configurations of the learning set come first."""

    target: Target  # the target

    @property
    def learned(self) -> int:
        """The number n of learned configurations."""
        return self.target.learned

    @cached_property
    def roots(self) -> Array:
        """The square roots of the weights, shape (m,)."""
        return np.sqrt(self.target.weights)

    @cached_property
    def smallest(self) -> float:
        """The smallest prediction of a positive property."""
        return float(self.target.measured.min()) / FLOOR

    def weights(self, product: bool) -> Array:
        """Return what columns are multiplied by, shape (m,)."""
        return self.roots if product else self.roots / self.target.divisor

    def scaled(self, values: Array, product: bool) -> Array:
        """Return predictions, shape (..., m), as what columns are fitted to."""
        if product:
            return np.asarray(self.roots * np.log(np.maximum(values, self.smallest)))
        return np.asarray(self.weights(product) * values)

    def predicted(self, scaled: Array, product: bool) -> Array:
        """Return the predictions whose `scaled` values, shape (..., m), are given."""
        if product:
            return np.asarray(np.exp(np.minimum(scaled / self.roots, 600.0)))
        return np.asarray(scaled / self.weights(product))

    def slope(self, product: bool) -> Array:
        """Return the derivative of `scaled` by the full model's t, shape (m,)."""
        slope = self.roots * self.target.slope
        if product:
            slope = slope * (self.target.divisor / np.maximum(self.target.predicted, self.smallest))
        return np.asarray(slope)

    def differences(self, predicted: Array) -> Array:
        """Return predictions for the learning set, shape (..., n), minus measured values.

        They are differences of logarithms for positive properties, otherwise over the divisor.
        """
        measured = self.target.measured
        if self.target.positive:
            return np.asarray(np.log(np.maximum(predicted, self.smallest)) - np.log(measured))
        return np.asarray((predicted - measured) / self.target.divisor[: len(measured)])

    def errors(self, differences: Array) -> Array:
        """Return the absolute errors of `differences`: relative ones of positive properties."""
        if self.target.positive:
            return np.asarray(np.abs(np.expm1(np.minimum(differences, 600.0))))
        return np.asarray(np.abs(differences))

    def distances(self, predicted: Array) -> Array:
        """Return the mean distances of predictions, shape (..., m), to the full model, over the divisor, shape (...).

        It is that at the unmeasured configurations, if there are any.
        """
        unmeasured = slice(self.learned if len(self.roots) > self.learned else 0, None)
        deviations = (predicted[..., unmeasured] - self.target.predicted[unmeasured]) / self.target.divisor[unmeasured]
        return np.asarray(np.abs(deviations).mean(axis=-1))

    @cached_property
    def own_errors(self) -> Array:
        """The errors of the fold models at the rows of their folds, shape (n,)."""
        folds = np.minimum(self.target.fold_of, len(self.target.folds) - 1)
        return self.errors(self.differences(self.target.folds[folds, np.arange(self.learned)]))

    @cached_property
    def expected_error(self) -> float:
        """The expected error of the full model: its mean error at held-out rows; with few rows at most its uncertainty.

        Few held-out rows say little, and the models that leave one of them out know less than the full model.
        """
        expected = float(self.own_errors.mean())
        if self.few:
            spread = self.target.spread * median(self.target.slope.tolist())
            expected = min(expected, SPREADS * spread, FEW_ROWS_ERROR)
        return expected

    @property
    def few(self) -> bool:
        """True if there are too few rows to choose models by their held-out errors."""
        return self.learned < FEW_ROWS
