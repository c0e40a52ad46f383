"""The rows that a printed model is fitted to, in an order that does not depend on that of the measurements."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from splc.data.configurations import Configurations
from splc.learning.projection.constants import FLOOR
from splc.learning.projection.order import hash_order
from splc.learning.projection.scales import without_extremes
from splc.learning.projection.target import Target
from splc.types import Array

# A printed model is never closer to the full one than its influences are printed.
FINEST = 4e-6
# The share of the noise's 2 standard deviations, and the limit of the tolerance at so few rows (section 2, step 1).
SPREADS, FEW_ROWS, FEW_ROWS_TOLERANCE = 2.0, 9, 0.4


@dataclass(frozen=True, eq=False)
class Rows:
    """The predictions of the full model in hash order of the configurations.

    Attributes:
        target: the target.
    """

    target: Target

    @cached_property
    def order(self) -> Array:
        """The positions of the target's configurations in this order, shape (m,)."""
        return hash_order(self.target.configurations)

    @cached_property
    def learned(self) -> Array:
        """The positions in this order of the configurations of the learning set, shape (n,)."""
        return np.argsort(self.order)[: self.target.learned]

    @cached_property
    def configurations(self) -> Configurations:
        """The configurations."""
        return self.target.configurations[self.order]

    @cached_property
    def roots(self) -> Array:
        """The square roots of the weights, shape (m,)."""
        return np.sqrt(self.target.weights[self.order])

    @property
    def weight(self) -> float:
        """The sum of the weights."""
        return float(self.roots @ self.roots)

    @property
    def folds(self) -> Array:
        """The predictions of the fold models, shape (folds, m)."""
        return self.target.folds[:, self.order]

    @cached_property
    def smallest(self) -> float:
        """The smallest prediction of a positive property."""
        return float(self.target.measured.min()) / FLOOR

    @cached_property
    def least(self) -> float:
        """The smallest prediction that has a logarithm: fold models of y may predict less than 0."""
        predicted = self.target.predicted
        return min(self.smallest, float(predicted[predicted > 0].min(initial=self.smallest)))

    def weights(self, product: bool) -> Array:
        """Return what columns are multiplied by, shape (m,)."""
        return self.roots if product else self.roots / self.target.divisor[self.order]

    def scaled(self, predicted: Array, product: bool) -> Array:
        """Return predictions, shape (..., m), as what columns are fitted to."""
        if product:
            return np.asarray(self.roots * np.log(np.maximum(predicted, self.least)))
        return np.asarray(self.weights(product) * predicted)

    def slope(self, product: bool) -> Array:
        """Return the derivative of `scaled` by the full model's t, shape (m,)."""
        slope = self.roots * self.target.slope[self.order]
        if product:
            slope = slope * (self.target.divisor / np.maximum(self.target.predicted, self.least))[self.order]
        return np.asarray(slope)

    def differences(self, predicted: Array) -> Array:
        """Return predictions for the learning set minus measured values: of logarithms, or over the divisor."""
        measured = self.target.measured
        if self.target.positive:
            return np.asarray(np.log(np.maximum(predicted, self.smallest)) - np.log(measured))
        return np.asarray((predicted - measured) / self.target.divisor[: len(measured)])

    @cached_property
    def held_out(self) -> Array:
        """The differences of the fold models at the rows of their folds, shape (n,), without extremes."""
        return without_extremes(self.differences(self.out_of_fold(self.target.folds[:, : self.target.learned])))

    def out_of_fold(self, predicted: Array) -> Array:
        """Return for each learned configuration the prediction, of shape (folds, n), of the model of its fold."""
        folds = np.minimum(self.target.fold_of, len(predicted) - 1)
        return np.asarray(predicted[folds, np.arange(len(folds))])

    @cached_property
    def tolerance(self) -> float:
        """The expected error of the full model, a root mean square, which kappa is a share of."""
        target = self.target
        if (target.slope == 1).all():
            rms, spread = target.rms, target.spread
        else:
            rms, spread = float(np.sqrt(np.mean(self.held_out**2))), target.spread * float(np.median(target.slope))
        limits = [rms, SPREADS * spread]
        if target.learned <= FEW_ROWS:
            limits.append(FEW_ROWS_TOLERANCE)
        return max(min(limits), FINEST)
