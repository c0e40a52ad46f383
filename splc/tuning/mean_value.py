"""Means of runs with intervals, and the gain of one over another."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from splc.models.basis.regression import t_quantile

LEVEL = 0.95


@dataclass(frozen=True)
class MeanValue:
    """The mean of some runs.

    Attributes:
        value: the mean.
        low: the lower end of its 95 % interval; None for one run.
        high: the upper end.
        runs: the number of runs.
        error: its standard error; None for one run.
    """

    value: float
    low: float | None
    high: float | None
    runs: int
    error: float | None = None

    @classmethod
    def of(cls, values: Sequence[float]) -> MeanValue:
        """Return the mean of at least one value."""
        n = len(values)
        mean = math.fsum(values) / n
        if n == 1:
            return cls(mean, None, None, 1)
        error = math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (n - 1) / n)
        half = t_quantile(n - 1, (1 + LEVEL) / 2) * error
        return cls(mean, mean - half, mean + half, n, error)


@dataclass(frozen=True)
class Gain:
    """The gain of the best configuration over the default, in percent of the default.

    Attributes:
        percent: the difference of the means.
        low: the lower end of its 95 % interval; None without repeated runs.
        high: the upper end.
    """

    percent: float
    low: float | None
    high: float | None

    @classmethod
    def of(cls, best: MeanValue, default: MeanValue, maximize: bool) -> Gain | None:
        """Return the gain; None if the default is 0."""
        if default.value == 0:
            return None
        ratio = best.value / default.value
        sign = 1.0 if maximize else -1.0
        scale = 100 * (1.0 if default.value > 0 else -1.0)
        percent = scale * sign * (ratio - 1)
        if best.error is None or default.error is None:
            return cls(percent, None, None)
        # The first order of the ratio of two means.
        error = math.hypot(best.error, ratio * default.error) / abs(default.value)
        half = 100 * t_quantile(best.runs + default.runs - 2, (1 + LEVEL) / 2) * error
        return cls(percent, percent - half, percent + half)
