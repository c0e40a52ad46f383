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
    """The points of a grid and the measured ones, with costs; which ones are measured or already suggested.

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
        self.points, which = np.unique(together, axis=0, return_inverse=True)
        self.counts = np.zeros(len(self.points), dtype=int)
        self.counts[which.ravel()[: len(points)]] = counts
        self.values = np.full(len(self.points), np.nan)
        self.values[which.ravel()[: len(points)]] = values
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
        lower, upper = (max(float(each.ravel()[0]), 0.0) for each in self.model.interval(point))
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
        taken = self.taken
        for at, name in enumerate(self.model.names):
            own = lines(self.points, at)
            if any(taken[line].sum() >= length for line in own):
                continue
            for line in own:
                done = taken[line]
                rest = line[~done]
                rest = np.sort(rest[np.argsort(self.costs[rest], kind="stable")][: length - int(done.sum())])
                price = float(self.costs[rest].sum())
                if len(rest) + done.sum() == length and (best is None or price < best[0]):
                    rest = rest[np.argsort(self.costs[rest], kind="stable")]
                    number = plural(len(rest), "point", "points")
                    best = price, rest, f"{number} missing of the cheapest line of {length} along {name}"
        return None if best is None else best[1:]


def costs_of(price: Cost, points: Array, values: Array) -> Array:
    """Return the cost of a measurement at each point, shape (n,).

    Args:
        price: the function that gives costs.
        points: shape (n, parameters).
        values: the measured or expected values there, shape (n,).

    Raises:
        MeasurementError: if a cost is negative, too large or not a number.
    """
    with np.errstate(all="ignore"):
        found = np.broadcast_to(np.asarray(price(points, values), dtype=float), len(points))
    # Sums of larger costs may overflow.
    wrong = ~((found >= 0) & (found <= _LARGEST))
    if wrong.any():
        row = int(np.argmax(wrong))
        hint = f"costs are at least 0 and at most {_LARGEST:g}: give another cost"
        where = ", ".join(f"{each:g}" for each in points[row].tolist())
        raise MeasurementError(f"a measurement at ({where}), value {values[row]:g}, costs {found[row]:g}", hint=hint)
    return np.array(found)
