"""The points that a strategy chooses next."""

from __future__ import annotations

from typing import NamedTuple

from splc.types import Array


class ChosenPoints(NamedTuple):
    """Rows of candidates to measure next, in this order.

    `gain`: the expected reduction of the variance at the target, in percent.
    """

    rows: Array
    reason: str
    gain: float | None = None
