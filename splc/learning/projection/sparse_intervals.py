"""Prediction intervals of printed models, for files that have no full model (docs/decisions/0010-printed-model.md)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from splc.data.configurations import Configurations
from splc.learning.projection import constants
from splc.learning.projection.scales import Scale
from splc.models.influence import InfluenceModel
from splc.types import Array


@dataclass(frozen=True, eq=False)
class SparseIntervals:
    """Intervals with the prediction as their centre: of positive properties its multiples by a factor.

    Attributes:
        model: the printed model.
        scale: the scale of the full model, for the divisor of properties that are not positive.
        quantile: the half width: of ln y for positive properties, otherwise over the divisor.
    """

    kind: ClassVar[str] = "printed"

    model: InfluenceModel
    scale: Scale
    quantile: float

    @property
    def level(self) -> float:
        """The probability that a measured value lies inside its interval."""
        return constants.LEVEL

    def interval(self, configurations: Configurations | Any) -> tuple[Array, Array]:
        """Return lower and upper ends of prediction intervals, shapes (m,), in the unit of the property."""
        predicted = self.model.predict(configurations)
        if self.scale.positive:
            factor = float(np.exp(min(self.quantile, 600.0)))
            ends = predicted / factor, predicted * factor
        else:
            half = self.quantile * self.scale.divisor(predicted / self.scale.unit) * self.scale.unit
            ends = predicted - half, predicted + half
        # Sums may be negative far from what was measured.
        return np.minimum(*ends), np.maximum(*ends)

    def as_json(self) -> dict[str, Any]:
        """Return all but the model, in JSON's types."""
        return {"kind": self.kind, "level": self.level, "scale": self.scale.as_json(), "quantile": self.quantile}

    @classmethod
    def from_json(cls, content: Mapping[str, Any], model: InfluenceModel) -> Self:
        """Return the intervals of `as_json`.

        Raises:
            KeyError, TypeError, ValueError: if the object is damaged.
        """
        return cls(model, Scale(**content["scale"]), float(content["quantile"]))
