"""The differences between predictions and unmeasured values that a learner expects."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Expected:
    """The expected differences between predictions and values of configurations that were not learned from."""

    # 90 % of runs differ by at most this factor, or by at most this difference if not all values are positive; None if
    # it is unknown
    within: float | None
    # the mean relative error of held-out configurations in percent, where all values are positive
    percent: float | None = None
    # the mean absolute difference of held-out configurations, where not all values are positive
    difference: float | None = None
    unknown: str = ""  # why the error is unknown, empty if it is known
    # the mean relative error of single runs of these in percent; None without repetitions, or where values are not
    # positive
    run: float | None = None
    printed: float | None = None  # `percent` of the printed model, where another one predicts
    # where folds keep groups together, the mean relative error in percent at further rows of known groups
    known: float | None = None
