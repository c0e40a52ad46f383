"""Prediction intervals of configurations."""

from __future__ import annotations

from dataclasses import dataclass

from splc.data.configurations import Configurations
from splc.learning.result import Intervals


@dataclass(frozen=True)
class Interval:
    """The prediction interval of a configuration.

    Attributes:
        level: the probability that a measured value lies inside.
        low: the lower end.
        high: the upper end.
    """

    level: float
    low: float
    high: float


def intervals_of(intervals: Intervals, configurations: Configurations) -> list[Interval]:
    """Return the prediction interval of each configuration."""
    low, high = intervals.interval(configurations)
    return [Interval(intervals.level, *ends) for ends in zip(low.tolist(), high.tolist(), strict=True)]


def interval_of(intervals: Intervals, configuration: Configurations) -> Interval:
    """Return the prediction interval of one configuration."""
    return intervals_of(intervals, configuration)[0]
