"""The scales that a full model can have: ln y, y, and those for values that are not positive (sections 1b and 1c)."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np

from splc.learning.projection.constants import CLIP, FLOOR
from splc.types import Array

Name = Literal["log", "raw", "raw_constant", "shifted_log", "asinh"]

# Share of the median value below which the noise of a property with values of any sign is constant.
CONSTANT_NOISE = 0.1
# Distance of the smallest value from the pole of the shifted logarithm, in units of the range.
_SHIFT = 0.02


@dataclass(frozen=True)
class Scale:
    """A monotone scale t(y), for values in a unit."""

    # 'log': ln y; 'raw': y, with noise that grows with it; 'raw_constant': y, with constant noise; 'shifted_log': ln(y
    # + shift); 'asinh': the inverse hyperbolic sine of y
    name: Name
    unit: float  # the unit of the values
    positive: bool  # whether all measured values are positive; then errors are relative ones
    lowest: float  # predictions are at least this, in units of `unit`
    shift: float = 0.0  # see 'shifted_log'

    @property
    def grows(self) -> bool:
        """True if the noise depends on the value on this scale."""
        return self.name == "raw"

    def forward(self, y: Array) -> Array:
        """Return t for values in units of `unit`."""
        if self.name in ("log", "shifted_log"):
            return np.asarray(np.log(y + self.shift))
        return np.asarray(np.arcsinh(y)) if self.name == "asinh" else y - float(self.positive)

    def backward(self, t: Array) -> Array:
        """Return values in units of `unit`."""
        if self.name in ("log", "shifted_log"):
            # The limit e^±600 keeps extreme predictions from overflowing.
            y = np.exp(np.clip(t, -600, 600)) - self.shift
        else:
            y = np.sinh(np.clip(t, -600, 600)) if self.name == "asinh" else t + float(self.positive)
        return np.asarray(np.maximum(y, self.lowest))

    def divisor(self, y: Array) -> Array:
        """Return the divisor of residuals at predicted values: errors are equally bad where it is the same."""
        if self.positive:
            return y
        if self.name == "raw_constant":
            return np.ones_like(y)
        if self.name == "raw":
            return np.asarray(np.sqrt(self.noise(y)))
        return y + self.shift if self.name == "shifted_log" else np.asarray(np.sqrt(y**2 + 1))

    def slope(self, y: Array) -> Array:
        """Return dy/dt over the divisor, at predicted values."""
        rate = np.ones_like(y)
        if self.name in ("log", "shifted_log"):
            rate = y + self.shift
        elif self.name == "asinh":
            rate = np.sqrt(y**2 + 1)
        return np.asarray(rate / self.divisor(y))

    def noise(self, y: Array) -> Array:
        """Return the multiple of the variance of the noise on this scale, at predicted values, up to a constant."""
        if not self.grows:
            return np.ones_like(y)
        return np.asarray(y**2 if self.positive else y**2 + CONSTANT_NOISE**2)

    def residual(self, predicted: Array, measured: Array) -> Array:
        """Return the differences that errors are computed from: of ln y for positive values."""
        if self.positive:
            return np.asarray(np.log(predicted) - np.log(measured))
        return np.asarray((predicted - measured) / self.divisor(predicted))

    def as_json(self) -> dict[str, Any]:
        """Return it in JSON's types, which have no infinite numbers."""
        return {**asdict(self), "lowest": max(self.lowest, -1e300)}


def without_extremes(residuals: Array) -> Array:
    """Return residuals clipped at the quantiles `CLIP` and 1 - `CLIP`."""
    # np.quantile imports numpy's masked arrays, which takes longer than to learn from few rows.
    positions = np.array([CLIP, 1 - CLIP]) * (len(residuals) - 1)
    low, high = np.interp(positions, np.arange(len(residuals)), np.sort(residuals))
    return np.asarray(np.clip(residuals, low, high))


def positive_scale(name: Name, y: Array) -> Scale:
    """Return the scale of positive values: 'log', 'raw' or 'raw_constant'."""
    unit = float(np.exp(np.mean(np.log(y))))
    return Scale(name, unit, True, float(y.min()) / unit / FLOOR)


def general_scales(y: Array) -> tuple[Scale, ...]:
    """Return the scales to try for values of any sign."""
    unit = float(np.median(abs(y))) or float(np.mean(abs(y))) or 1.0
    lowest = 0.0 if y.min() >= 0 else -np.inf
    spread = float(np.ptp(y)) or unit
    shift = (_SHIFT * spread - float(y.min())) / unit
    names: tuple[Name, ...] = ("raw_constant", "raw", "shifted_log", "asinh")
    return tuple(Scale(name, unit, False, lowest, shift if name == "shifted_log" else 0.0) for name in names)
