"""The target of the printed model: predictions of the full model at measured and unmeasured configurations."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from splc.data.configurations import Configurations
from splc.types import Array


@dataclass(frozen=True, eq=False)
class Target:
    """The predictions that the printed model follows (docs/decisions/0010-printed-model.md, "Target").

    Values are in units of `unit`. t is the scale of the full model, such as ln y.
    """

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
    multiplicative: bool  # whether the full model is one of ln y; else the form is a sum
    rms: float  # the cross-validated error of the full model on the scale t (`rms_cv`)
    spread: float  # the median predictive standard deviation at the unmeasured configurations, on the scale t
    # returns the posterior covariance of W t for W of shape (k, m), shape (k, k): mean of the posterior covariances of
    # the full model's parts plus the covariance of their means
    covariance: Callable[[Array], Array]

    @property
    def learned(self) -> int:
        """The number n of configurations of the learning set."""
        return len(self.measured)
