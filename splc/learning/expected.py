"""How far a learner expects predictions to be from what was not measured."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Expected:
    """How far a learner expects values of configurations that it did not learn from to be from the prediction.

    Attributes:
        within: 90 % of them differ by at most this factor, or by at most this difference if not all values
            are positive; None if it is unknown.
        difference: the mean absolute difference of held-out configurations, where not all values are positive.
        unknown: why the error is unknown, empty if it is known.
    """

    within: float | None
    difference: float | None = None
    unknown: str = ""
