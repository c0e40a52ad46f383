"""Prediction intervals of configurations."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from splc.data.configurations import Configurations
from splc.learning.result import Intervals
from splc.types import Array
from splc.workflows.note import Note


@dataclass(frozen=True)
class Interval:
    """The prediction interval of a configuration."""

    level: float  # the probability that a measured value lies inside
    low: float  # the lower end
    high: float  # the upper end

    def excludes(self, value: float) -> bool:
        """Return whether a value is outside."""
        return not self.low <= value <= self.high


def intervals_of(intervals: Intervals, configurations: Configurations) -> list[Interval | None]:
    """Return the prediction interval of each configuration, None where it is unknown: one row has no scatter."""
    pairs = zip(*(ends.tolist() for ends in intervals.interval(configurations)), strict=True)
    return [None if math.isnan(low) else Interval(intervals.level, low, high) for low, high in pairs]


def outside_notes(outside: Sequence[bool] | Array) -> tuple[Note, ...]:
    """Return a note with the number of predictions outside of their intervals, none if there are none.

    `outside`: for each prediction whether it is, shape (n,).
    """
    count, of = int(np.sum(outside)), len(outside)
    if not count:
        return ()
    if of == 1:
        text = "the prediction is outside of its interval"
    else:
        text = f"{count:,} of {of:,} predictions {'is' if count == 1 else 'are'} outside of their intervals"
    return (
        Note(f"{text}: the printed model is far from the full model there, and intervals are those of the full model"),
    )


def interval_of(intervals: Intervals, configuration: Configurations) -> Interval | None:
    """Return the prediction interval of one configuration, None if it is unknown."""
    return intervals_of(intervals, configuration)[0]
