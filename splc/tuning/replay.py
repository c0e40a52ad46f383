"""Replays: tuning runs whose runs are answered by the rows of a table, to see how well they work."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from splc.data.configurations import Configurations
from splc.tuning.front import TrueFront
from splc.tuning.objective import TuningObjective
from splc.tuning.result import TuningResult
from splc.tuning.tuner import Tuner
from splc.types import Array


@dataclass(frozen=True, eq=False)
class Replay:
    """A tuning run on the rows of a table."""

    seed: int  # its seed
    budget: int  # the number of runs
    values: tuple[float | None, ...]  # in the order of measurement; of a run that was ended early, its last one
    best: float | None  # the value of the configuration that was found, in the table; None of several properties
    rank_percent: float | None  # the share of better configurations of the table, in percent; None of several
    regret: float | None  # how much worse than the table's best, in percent; None if that is 0, and of several
    result: TuningResult  # what the run reports
    hypervolume_percent: float | None = None  # the hypervolume of the front, in percent of the table's
    front: tuple[int, ...] = ()  # the rows of that front


def replay(
    configurations: Configurations,
    columns: Mapping[str, Array],
    nfp: str,
    budget: int,
    *,
    answer: Callable[[int, str], float] | None = None,
    should_stop: Callable[[], bool] = lambda: False,
    on_run: Callable[[int], None] = lambda number: None,
    **settings: Any,
) -> Replay:
    """Return a tuning run that the rows of a table answer.

    Args:
        configurations: the distinct configurations of the table.
        columns: property → values, shape (n,); NaN where every run fails.
        nfp: the property.
        budget: the number of runs.
        answer: returns the value that a run of a row has, of a property; None: that of the table.
        should_stop: whether to end before the next run.
        on_run: called after each run with its number.
        settings: further arguments of `Tuner`.

    Examples:
        >>> splc.tuning.replay(measured.configurations, {"time": measured["time"]}, "time", 12).rank_percent
        0.0
    """
    tuner = Tuner(configurations, nfp, budget, **settings)
    # Found once: the table may have many rows.
    row_of = {tuple(indices): row for row, indices in enumerate(configurations.indices.tolist())}
    while not should_stop() and (trial := tuner.ask()) is not None:
        row = row_of[tuple(tuner.history.configurations.indices[trial.row].tolist())]
        names = tuner.objective.properties
        values = {name: float(columns[name][row]) if answer is None else answer(row, name) for name in names}
        if any(map(math.isnan, values.values())):
            tuner.tell(trial, failed="it failed")
        elif trial.at_most is not None and values[nfp] > trial.at_most:
            tuner.tell(trial, failed="ended early", at_least=trial.at_most)
        else:
            tuner.tell(trial, values)
        on_run(trial.number)
    result, objective = tuner.report(), tuner.objective
    y = columns[objective.nfp]
    measured = tuple(outcome.values.get(objective.nfp, outcome.at_least) for outcome in tuner.history.outcomes)
    within = rows_within(objective, columns)
    if objective.further:
        found = [int(configurations.find(point.configuration)[0]) for point in result.front]
        points = signed_values(objective, columns)[[row for row in found if within[row]]]
        share = true_front(objective, columns).share(points)
        return Replay(tuner.seed, budget, measured, None, None, None, result, share, tuple(found))
    value = float(y[int(configurations.find(result.best.configuration)[0])])
    good = y[within]
    better = int((good > value).sum() if objective.maximize else (good < value).sum())
    best = float(good.max() if objective.maximize else good.min())
    regret = 100 * abs(value - best) / abs(best) if best else None
    return Replay(tuner.seed, budget, measured, value, 100 * better / len(y), regret, result)


def rows_within(objective: TuningObjective, columns: Mapping[str, Array]) -> Array:
    """Return which rows are within all limits, shape (n,), bool; all rows that do not fail if none is."""
    known = within = ~np.isnan(columns[objective.nfp])
    for limit in objective.limits:
        within = within & [limit.holds(value) for value in columns[limit.nfp].tolist()]
    return within if within.any() else known


def signed_values(objective: TuningObjective, columns: Mapping[str, Array]) -> Array:
    """Return the values of the properties that are tuned, shape (n, properties); less is better."""
    return np.array([-columns[goal.nfp] if goal.maximize else columns[goal.nfp] for goal in objective.goals]).T


def true_front(objective: TuningObjective, columns: Mapping[str, Array]) -> TrueFront:
    """Return the Pareto front of the rows within the limits."""
    return TrueFront.of(signed_values(objective, columns)[rows_within(objective, columns)])
