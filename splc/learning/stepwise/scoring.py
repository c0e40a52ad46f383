"""Losses by which candidates are selected."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from splc.errors import LearningError
from splc.learning.stepwise.settings import Settings
from splc.types import Array


def rows_that_count(target: Array, settings: Settings) -> Array:
    """Return the rows that the loss is a mean over, shape (n,)."""
    relative = settings.lossFunction == "RELATIVE"
    return rows_with_error(target, settings) if relative else np.ones(len(target), dtype=bool)


def rows_with_error(target: Array, settings: Settings) -> Array:
    """Return the rows whose relative error counts, shape (n,)."""
    return target >= settings.leastValue if settings.leastValue else target != 0


@dataclass(frozen=True, eq=False)
class Loss:
    """A mean over rows of a function of the residual."""

    weights: Array  # shape (n,), the weight of each row, 1/n included
    squared: bool  # whether residuals are squared (else their absolute values count)
    tube: Array | None  # rows with an unweighted loss up to this value count 0; None: no tube
    exact: float  # the largest loss that is only a rounding error

    @classmethod
    def of(cls, target: Array, settings: Settings) -> Loss:
        """Return the loss that the settings ask for."""
        n = len(target)
        epsilon = settings.epsilon if settings.considerEpsilonTube else None
        if settings.lossFunction == "RELATIVE":
            is_counted = rows_that_count(target, settings)
            if not is_counted.any():
                least = settings.leastValue
                raise LearningError(
                    f"all values are below {least:g}, the setting leastValue"
                    if least
                    else "all values are 0, which have no relative error",
                    hint="choose the setting lossFunction=ABSOLUTE (--set) or another property",
                )
            weights = np.zeros(n)
            weights[is_counted] = 100.0 / (np.abs(target[is_counted]) * is_counted.sum())
            tube = None if epsilon is None else np.abs(target) * epsilon
            return cls(weights, False, tube, 1e-9)
        tube = None if epsilon is None else np.full(n, epsilon)
        scale = float(np.mean(np.abs(target)))
        if settings.lossFunction == "ABSOLUTE":
            return cls(np.full(n, 1.0 / n), False, tube, 1e-11 * scale)
        tube = None if tube is None else np.sqrt(tube)
        return cls(np.full(n, 1.0 / n), True, tube, 1e-22 * float(np.mean(target**2)))

    @property
    def convex(self) -> bool:
        """True if it is convex, so that its tangent bounds the gain of a candidate."""
        return self.tube is None

    def of_residuals(self, residuals: Array) -> Array:
        """Return the loss of each row of residuals (shape (m, n) → (m,)); `residuals` is overwritten."""
        np.abs(residuals, out=residuals)
        if self.tube is not None:
            residuals[residuals <= self.tube] = 0.0
        if self.squared:
            np.square(residuals, out=residuals)
        return residuals @ self.weights

    def slope(self, residual: Array) -> Array:
        """Return a subgradient with respect to the residual, shape (n,)."""
        if self.squared:
            return 2.0 * self.weights * residual
        return self.weights * np.sign(residual)
