"""The points that can be measured, with their costs."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

import numpy as np

from splc.errors import MeasurementError, SpecError, plural
from splc.scaling.multi.lines import lines
from splc.scaling.result import ScalingModel
from splc.scaling.suggestion.suggestions import Suggestion
from splc.types import Array

# Points (n, parameters) and values (n,) → the cost of one measurement at each, (n,).
Cost = Callable[[Array, Array], Array]

# Larger grids are refused.
MAX_CANDIDATES = 200_000
# Larger costs are refused.
_LARGEST = 1e302


class CandidatePoints:
    """The points of a grid and the measured ones, with their costs and whether they are measured or suggested.

    Attributes:
        model: the model of what was measured.
        points: shape (candidates, parameters), ascending.
        counts: existing measurements, shape (candidates,).
        values: measured values, NaN for none, shape (candidates,).
        suggested: the points that are suggested, shape (candidates,).
        expected: predicted values, at least 0, shape (candidates,).
        costs: the costs of `repetitions` measurements, shape (candidates,).
    """

    def __init__(
        self,
        points: Array,
        values: Array,
        counts: Array,
        model: ScalingModel,
        price: Cost,
        repetitions: int,
        axes: Sequence[Array],
    ) -> None:
        number = int(np.prod([float(len(axis)) for axis in axes]))
        if number > MAX_CANDIDATES:
            raise SpecError(
                f"{number:,} candidates are too many", hint=f"give axes with fewer values: {MAX_CANDIDATES:,} at most"
            )
        self.model = model
        # Measured points need not be on the grid.
        together = np.vstack([points, list(itertools.product(*axes))])
        self.points, row_of = np.unique(together, axis=0, return_inverse=True)
        self.counts = np.zeros(len(self.points), dtype=int)
        self.counts[row_of.ravel()[: len(points)]] = counts
        self.values = np.full(len(self.points), np.nan)
        self.values[row_of.ravel()[: len(points)]] = values
        self.suggested = np.zeros(len(self.points), dtype=bool)
        self.expected = np.maximum(model.predict(self.points).ravel(), 0.0)
        self.costs = repetitions * costs_of(price, self.points, self.expected)

    @property
    def taken(self) -> Array:
        """The points that are measured or suggested, shape (candidates,)."""
        return np.asarray((self.counts > 0) | self.suggested)

    def suggestion(self, row: int, reason: str, gain: float | None = None) -> Suggestion:
        """Return a point as a suggestion."""
        point = self.points[[row]]
        # The expected value is at least 0, and so is its interval.
        lower, upper = (max(float(bound.ravel()[0]), 0.0) for bound in self.model.interval(point))
        return Suggestion(
            tuple(point[0].tolist()),
            float(self.expected[row]),
            lower,
            upper,
            float(self.costs[row]),
            reason,
            int(self.counts[row]),
            gain,
        )

    def next_line(self, length: int) -> tuple[Array, str] | None:
        """Return the missing points of the line that is the cheapest to complete, of parameters without a line."""
        best: tuple[float, Array, str] | None = None
        is_taken = self.taken
        for parameter, name in enumerate(self.model.names):
            all_lines = lines(self.points, parameter)
            if any(is_taken[line].sum() >= length for line in all_lines):
                continue
            for line in all_lines:
                done = is_taken[line]
                absent = line[~done]
                absent = np.sort(absent[np.argsort(self.costs[absent], kind="stable")][: length - int(done.sum())])
                price = float(self.costs[absent].sum())
                if len(absent) + done.sum() == length and (best is None or price < best[0]):
                    absent = absent[np.argsort(self.costs[absent], kind="stable")]
                    number = plural(len(absent), "point", "points")
                    best = price, absent, f"{number} missing of the cheapest line of {length} along {name}"
        return None if best is None else best[1:]


def costs_of(price: Cost, points: Array, values: Array) -> Array:
    """Return the cost of a measurement at each point, shape (n,).

    `points`: shape (n, parameters). `values`: the measured or expected values there, shape (n,).
    """
    with np.errstate(all="ignore"):
        costs = np.broadcast_to(np.asarray(price(points, values), dtype=float), len(points))
    # Sums of larger costs may overflow.
    wrong = ~((costs >= 0) & (costs <= _LARGEST))
    if wrong.any():
        row = int(np.argmax(wrong))
        hint = f"costs are at least 0 and at most {_LARGEST:g}: give another cost"
        point = ", ".join(f"{number:g}" for number in points[row].tolist())
        raise MeasurementError(f"a measurement at ({point}), value {values[row]:g}, costs {costs[row]:g}", hint=hint)
    return np.array(costs)
