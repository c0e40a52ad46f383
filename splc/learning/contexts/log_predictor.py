"""Full models of ln y with prediction intervals that are factors."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from splc.data.configurations import Configurations
from splc.learning.projection import Ensemble, Scale
from splc.types import Array


@dataclass(frozen=True, eq=False)
class LogPredictor(ABC):
    """A full model of ln y.

    Attributes:
        scale: ln y.
        quantile: the multiple of the standard deviation on each side of intervals.
    """

    level: ClassVar[float] = Ensemble.level

    scale: Scale
    quantile: float

    @abstractmethod
    def moments(self, configurations: Configurations | Any, variances: bool = True) -> tuple[Array, Array]:
        """Return predictions in units of the scale, and their standard deviations with noise, shapes (m,)."""

    def predict(self, configurations: Configurations | Any) -> Array:
        """Return the predictions, shape (m,), in the unit of the property."""
        return self.moments(configurations, variances=False)[0] * self.scale.unit

    def interval(self, configurations: Configurations | Any) -> tuple[Array, Array]:
        """Return lower and upper ends of prediction intervals, shapes (m,), in the unit of the property."""
        g, deviations = self.moments(configurations)
        factor = np.exp(np.minimum(self.quantile * deviations, 600.0))
        return g / factor * self.scale.unit, g * factor * self.scale.unit
