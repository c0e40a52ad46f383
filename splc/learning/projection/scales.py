"""The scales that a full model can have, and the widths of intervals (docs/decisions/0009-default-learner.md).

In: measured values. Out: a `Scale`, which tells what a value is on it, how errors count, and how the noise grows; and
the half widths of intervals for errors of held-out rows. Files without a full model have the `PrintedIntervals`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Literal, Self

import numpy as np

from splc.data.configurations import Configurations
from splc.learning.projection import constants
from splc.learning.projection.constants import FLOOR
from splc.models.basis.regression import t_quantile
from splc.models.influence import InfluenceModel
from splc.types import Array

Name = Literal["log", "raw", "raw_constant", "shifted_log", "asinh"]

CONSTANT_NOISE = 0.1  # share of the median below which the noise of a property with any sign is constant
_SHIFT = 0.02  # distance of the smallest value from the pole of the shifted logarithm, in units of the range


@dataclass(frozen=True)
class Scale:
    """A monotone scale t(y), for values in a unit."""

    name: Name  # ln y; y, with noise that grows with it; y, with constant noise; ln(y + shift); arsinh y
    unit: float  # the unit of the values
    positive: bool  # whether all measured values are positive; then errors are relative ones
    lowest: float  # predictions are at least this, in units of `unit`
    shift: float = 0.0  # see 'shifted_log'

    @property
    def words(self) -> str:
        """The scale in words: 'ln y', 'y', …."""
        return {"log": "ln y", "shifted_log": "ln(y + shift)", "asinh": "asinh y"}.get(self.name, "y")

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
        return np.asarray(np.sqrt(self.noise(y))) if self.name == "raw" else self._rate(y)

    def _rate(self, y: Array) -> Array:
        """Return dy/dt at predicted values."""
        if self.name in ("log", "shifted_log"):
            return y + self.shift
        return np.asarray(np.sqrt(y**2 + 1)) if self.name == "asinh" else np.ones_like(y)

    def slope(self, y: Array) -> Array:
        """Return dy/dt over the divisor, at predicted values."""
        return np.asarray(self._rate(y) / self.divisor(y))

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

    def ends(self, g: Array, width: Array) -> tuple[Array, Array]:
        """Return the ends of intervals of half widths of ln y, or over the divisor if not all values are positive."""
        if self.positive:
            factor = np.exp(np.minimum(width, 600.0))
            return g / factor * self.unit, g * factor * self.unit
        t, half = self.forward(g), width / self.slope(g)
        return self.backward(t - half) * self.unit, self.backward(t + half) * self.unit

    def as_json(self) -> dict[str, Any]:
        """Return it in JSON's types, which have no infinite numbers."""
        return {**asdict(self), "lowest": max(self.lowest, -1e300)}


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


@dataclass(frozen=True, eq=False)
class PrintedIntervals:
    """Intervals with the prediction as their centre: of positive properties its multiples by a factor."""

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
        return {"kind": "printed", "level": self.level, "scale": self.scale.as_json(), "quantile": self.quantile}

    @classmethod
    def from_json(cls, content: Mapping[str, Any], model: InfluenceModel) -> Self:
        """Return the intervals of `as_json`."""
        return cls(model, Scale(**content["scale"]), float(content["quantile"]))


def run_width(offsets: Array) -> float:
    """Return the half width of 90 % intervals of runs around configurations, (n, repetitions); 0 if none repeat."""
    known = ~np.isnan(offsets)
    if not (known.sum(axis=1) > 1).any():
        return 0.0
    return half_width(offsets[known], len(offsets) - 1)


def half_width(
    errors: Array, variables: int, limits: tuple[float, float] = (0.0, math.inf), independent: int | None = None
) -> float:
    """Return the half width of 90 % prediction intervals, in the unit of errors of held-out rows, shape (n,).

    It is a quantile of their sizes, or with few (`independent`) ones Student's t for their root mean square.
    """
    n = len(errors) if independent is None else independent
    if n >= constants.CONFORMAL_ROWS:
        of_groups = min(math.ceil(constants.LEVEL * (n + 1)), n)
        return float(np.sort(np.abs(errors))[-(-of_groups * len(errors) // n) - 1])
    size = float(np.clip(np.sqrt(np.mean(errors**2)), *limits))
    freedom = max(constants.MIN_FREEDOM, n - variables - 1)
    return size * t_quantile(freedom, (1 + constants.LEVEL) / 2)
