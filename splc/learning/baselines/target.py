"""The scale of the target: ln y where all values are positive, otherwise y."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from splc.types import Array

# exp of it is a finite, positive number.
_LARGEST = 700.0


@dataclass(frozen=True)
class TargetScale:
    """A scale on which the learning set has mean 0 and standard deviation 1."""

    log: bool  # whether it is one of ln y
    unit: float  # what y is divided by if not
    mean: float  # the mean of the learning set on it
    deviation: float  # the standard deviation of the learning set; 1 if that is 0

    @classmethod
    def of(cls, values: Array) -> TargetScale:
        """Return the scale of a learning set's values, shape (n,)."""
        log = bool((values > 0).all())
        # The squares of large values must not overflow.
        unit = 1.0 if log else float(np.abs(values).max()) or 1.0
        raw = np.log(values) if log else values / unit
        deviation = float(raw.std())
        return cls(log, unit, float(raw.mean()), deviation if deviation > 1e-12 else 1.0)

    def scaled(self, values: Array) -> Array:
        """Return values on the scale, rounded: trees break ties by the last bits, which depend on the unit of y."""
        raw = np.log(values) if self.log else values / self.unit
        return np.round((raw - self.mean) / self.deviation, 10)

    def values(self, scaled: Array) -> Array:
        """Return the values of numbers on the scale, finite ones."""
        raw = self.mean + self.deviation * scaled
        if self.log:
            return np.exp(np.clip(raw, -_LARGEST, _LARGEST))
        return np.asarray(raw * self.unit)
