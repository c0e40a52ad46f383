"""Replays: tuning runs whose runs are answered by the rows of a table, to see how well they work."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from splc.data.configurations import Configurations
from splc.tuning.result import TuningResult
from splc.tuning.tuner import Tuner
from splc.types import Array


@dataclass(frozen=True, eq=False)
class Replay:
    """A tuning run on the rows of a table.

    Attributes:
        seed: its seed.
        budget: the number of runs.
        values: the values in the order of measurement; of a run that was ended early, that of its end.
        best: the value of the configuration that was found, in the table.
        rank_percent: the share of the configurations of the table that are better, in percent.
        regret: how much worse it is than the best of the table, in percent of that; None if that is 0.
        result: what the run reports.
    """

    seed: int
    budget: int
    values: tuple[float | None, ...]
    best: float
    rank_percent: float
    regret: float | None
    result: TuningResult


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
        columns: property → values, finite, shape (n,).
        nfp: the property.
        budget: the number of runs.
        answer: returns the value that a run of a row has, of a property; None: that of the table.
        should_stop: whether to end before the next run.
        on_run: called after each run with its number.
        settings: further arguments of `Tuner`.
    """
    tuner = Tuner(configurations, nfp, budget, **settings)
    while not should_stop() and (trial := tuner.ask()) is not None:
        row = int(configurations.find(tuner.history.configurations[[trial.row]])[0])
        names = tuner.objective.properties
        values = {name: float(columns[name][row]) if answer is None else answer(row, name) for name in names}
        if trial.at_most is not None and values[nfp] > trial.at_most:
            tuner.tell(trial, failed="ended early", at_least=trial.at_most)
        else:
            tuner.tell(trial, values)
        on_run(trial.number)
    result = tuner.report()
    y = columns[nfp]
    within = np.ones(len(y), dtype=bool)
    for limit in tuner.objective.limits:
        within &= np.array([limit.holds(value) for value in columns[limit.nfp].tolist()])
    value = float(y[int(configurations.find(result.best.configuration)[0])])
    good = y[within] if within.any() else y
    better = int((good > value).sum() if tuner.objective.maximize else (good < value).sum())
    best = float(good.max() if tuner.objective.maximize else good.min())
    regret = 100 * abs(value - best) / abs(best) if best else None
    measured = tuple(outcome.values.get(nfp, outcome.at_least) for outcome in tuner.history.outcomes)
    return Replay(tuner.seed, budget, measured, value, 100 * better / len(y), regret, result)
