"""Prediction intervals of printed models, for files that have no full model (docs/decisions/0010-printed-model.md)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from splc.data.configurations import Configurations
from splc.learning.projection import constants
from splc.learning.projection.scales import Scale
from splc.models.basis.regression import t_quantile
from splc.models.influence import InfluenceModel
from splc.types import Array


@dataclass(frozen=True, eq=False)
class SparseIntervals:
    """Intervals with the prediction as their centre: of positive properties its multiples by a factor."""

    kind: ClassVar[str] = "printed"
    level: ClassVar[float] = constants.LEVEL

    model: InfluenceModel  # the printed model
    scale: Scale  # the scale of the full model, for the divisor of properties that are not positive
    quantile: float  # the half width: of ln y for positive properties, otherwise over the divisor

    def interval(self, configurations: Configurations | Any) -> tuple[Array, Array]:
        """Return lower and upper ends of prediction intervals, shapes (m,), in the unit of the property."""
        predicted = self.model.predict(configurations)
        if self.scale.positive:
            factor = float(np.exp(min(self.quantile, 600.0)))
            ends = predicted / factor, predicted * factor
        else:
            half_interval = self.quantile * self.scale.divisor(predicted / self.scale.unit) * self.scale.unit
            ends = predicted - half_interval, predicted + half_interval
        # Sums may be negative far from what was measured.
        return np.minimum(*ends), np.maximum(*ends)

    def as_json(self) -> dict[str, Any]:
        """Return all but the model, in JSON's types."""
        return {"kind": self.kind, "level": self.level, "scale": self.scale.as_json(), "quantile": self.quantile}

    @classmethod
    def from_json(cls, content: Mapping[str, Any], model: InfluenceModel) -> Self:
        """Return the intervals of `as_json`."""
        return cls(model, Scale(**content["scale"]), float(content["quantile"]))


def run_width(offsets: Array) -> float:
    """Return the half width of 90 % intervals of the offsets of runs from the value of their configuration.

    `offsets` have shape (n, repetitions), NaN where there is none. Without repetitions it is 0.
    """
    known = ~np.isnan(offsets)
    if not (known.sum(axis=1) > 1).any():
        return 0.0
    return half_width(offsets[known], len(offsets) - 1)


def half_width(
    errors: Array, variables: int, limits: tuple[float, float] = (0.0, math.inf), independent: int | None = None
) -> float:
    """Return the half width of 90 % prediction intervals, in the unit of errors of held-out rows.

    With few rows it is a quantile of Student's t distribution for the root mean square of the errors, otherwise a
    quantile of their sizes.

    `errors`: the errors, shape (n,). `independent`: the number of groups of rows whose errors are alike; None: n.
    """
    n = len(errors) if independent is None else independent
    if n >= constants.CONFORMAL_ROWS:
        of_groups = min(math.ceil(constants.LEVEL * (n + 1)), n)
        return float(np.sort(np.abs(errors))[-(-of_groups * len(errors) // n) - 1])
    size = float(np.clip(np.sqrt(np.mean(errors**2)), *limits))
    freedom = max(constants.MIN_FREEDOM, n - variables - 1)
    return size * t_quantile(freedom, (1 + constants.LEVEL) / 2)
