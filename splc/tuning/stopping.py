"""Early ends: of a search that is expected to gain little, and of runs that cannot be the best."""

from __future__ import annotations

from splc.tuning.history import History
from splc.tuning.objective import TuningObjective

# So many runs of the search one after the other must be expected to gain little, and so many times the number of
# variables must be measured: a model of few rows is too sure.
_STEPS, _ROWS = 5, 3
# A run that is expected to gain less, in percent, is not done (decision 17).
NOTHING = 1e-6


def expects_nothing(history: History, gain: float | None, variables: int) -> bool:
    """Return whether the run that is expected to gain most gains nothing.

    `gain`: its expected gain in percent, None if it is not known.
    """
    return gain is not None and gain < NOTHING and len(history.configurations) >= _ROWS * variables


def has_stalled(history: History, percent: float, variables: int) -> bool:
    """Return whether the last runs of a search were each expected to gain less than some percent."""
    gains = [trial.expected_gain for trial in history.trials if trial.expected_gain is not None][-_STEPS:]
    enough = len(history.configurations) >= _ROWS * variables
    return enough and len(gains) == _STEPS and max(gains) < percent


def racing_value(history: History, objective: TuningObjective, factor: float) -> float | None:
    """Return the value at which a run can be ended: a factor times the best mean value within the limits.

    None before there is a positive one.
    """
    means = [
        history.mean(row, objective.nfp) or 0.0
        for row in range(len(history.configurations))
        if objective.admissible(history, row)
    ]
    return factor * min(means) if means and min(means) > 0 else None
