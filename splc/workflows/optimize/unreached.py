"""Best predictions that are better than everything measured."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from splc.errors import listed
from splc.workflows.negative_predictions import learned_values
from splc.workflows.note import Note
from splc.workflows.optimize.best import signs_of
from splc.workflows.optimize.objectives import Objective
from splc.workflows.prediction_intervals import Interval

# Why the interval of a best prediction may not hold.
TOO_GOOD = "the best of many predictions is often too good; measure it before you rely on it"


def unreached_objectives(
    objectives: Sequence[Objective], intervals: Sequence[Sequence[Interval | None]]
) -> tuple[str, ...]:
    """Return the objectives of which no measured value is as good as the worst end of the best interval.

    Intervals hold for configurations that are chosen without the model. The best of very many predictions is the one
    in which errors of many influences add up.

    Args:
        objectives: the properties with their models.
        intervals: the intervals of the best configurations, of each objective.
    """
    names = []
    for objective, sign, column in zip(objectives, signs_of(objectives), intervals, strict=True):
        known = np.concatenate([objective.values, learned_values(objective.full)])
        known = known[~np.isnan(known)]
        ends = [sign * (interval.high if sign > 0 else interval.low) for interval in column if interval is not None]
        if len(known) and ends and min(ends) < (sign * known).min():
            names.append(objective.name)
    return tuple(names)


def unreached_notes(names: Sequence[str], count: int) -> tuple[Note, ...]:
    """Return a note on the unreached ones of `count` objectives, none if there are none."""
    if not names:
        return ()
    what = "no measured value" if count == 1 else f"no measured value of {listed(names)}"
    return (Note(f"{what} reaches the interval: {TOO_GOOD}"),)
