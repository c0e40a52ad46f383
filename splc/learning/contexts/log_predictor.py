"""Full models of ln y with prediction intervals that are factors."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from splc.data.configurations import Configurations
from splc.learning.projection import Ensemble, Scale
from splc.types import Array


@dataclass(frozen=True, eq=False)
class LogPredictor(ABC):
    """A full model of ln y."""

    level: ClassVar[float] = Ensemble.level

    scale: Scale  # ln y
    quantile: float  # the multiple of the standard deviation on each side of intervals
    # what the scatter of runs adds to the half width of intervals, in quadrature
    runs: float = field(default=0.0, kw_only=True)

    @abstractmethod
    def moments(self, configurations: Configurations | Any, variances: bool = True) -> tuple[Array, Array]:
        """Return predictions in units of the scale, and their standard deviations with noise, shapes (m,)."""

    def predict(self, configurations: Configurations | Any) -> Array:
        """Return the predictions, shape (m,), in the unit of the property."""
        return self.moments(configurations, variances=False)[0] * self.scale.unit

    def interval(self, configurations: Configurations | Any) -> tuple[Array, Array]:
        """Return lower and upper ends of prediction intervals of a run, shapes (m,), in the unit of the property."""
        g, deviations = self.moments(configurations)
        factor = np.exp(np.minimum(np.hypot(self.quantile * deviations, self.runs), 600.0))
        return g / factor * self.scale.unit, g * factor * self.scale.unit
