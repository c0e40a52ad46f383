"""Trials: the runs that a tuning run proposes, and their outcomes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

# The reasons for a run: it is the default, belongs to the first design, may be better than the best, is another run
# of the best, tells most about all configurations, chooses among finalists, or verifies the winner and the default.
Reason = Literal["default", "cover", "search", "repeat", "explore", "choose", "verify"]


@dataclass(frozen=True)
class TuningTrial:
    """A run that a tuner proposes.

    Attributes:
        number: its number, from 1 on.
        why: the reason for the run.
        configuration: option → value, None where a numeric option is deselected.
        row: the number of its configuration, from 0 on in the order of first appearance.
        repetition: the number of earlier runs of the configuration that were asked for.
        predicted: the predicted value; None before there is a model.
        expected_gain: the expected improvement on the best in percent, only of 'search'.
        at_most: the value at which the run may be ended, since its configuration cannot be the best; None if there is
            none.
    """

    number: int
    why: Reason
    configuration: Mapping[str, float | None]
    row: int
    repetition: int
    predicted: float | None = None
    expected_gain: float | None = None
    at_most: float | None = None


@dataclass(frozen=True)
class TrialOutcome:
    """The result of a run: its values, or why it failed."""

    row: int  # the number of the configuration
    values: Mapping[str, float] = field(default_factory=dict)  # property → value; empty if the run failed
    failure: str | None = None  # why it failed, None if it did not
    at_least: float | None = None  # a bound of the value of a run that was ended early
    trial: TuningTrial | None = None  # the trial that asked for it; None for a value that was not asked for
