"""The points that can be measured next: the measured values of parameters, continued in their steps or factors."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from sampling.sequential import NextCandidates
from splc.errors import MeasurementError, SpecError, plural
from splc.scaling.data import lines
from splc.scaling.result import ScalingModel
from splc.types import Array

_SAME = 1e-6  # ratios that differ by less are equal
MAX_FURTHER = 10_000  # axes are not extended by more values


def continued(values: Array, number: int) -> Array:
    """Return distinct ascending values and `number` more beyond the largest.

    They continue by the same factor if all ratios are equal, by the same step if all differences are, and otherwise by
    the median of the ratios or of the differences, whichever vary less relative to their mean. A single value is
    doubled; 0 is followed by 1.
    """
    steps = np.diff(values)
    positive = values[values > 0]
    ratios = positive[1:] / positive[:-1]
    if len(steps) == 0:
        geometric, factor, step = bool(len(positive)), 2.0, 1.0
    else:
        factor, step = float(np.median(ratios)) if len(ratios) else 1.0, float(np.median(steps))
        # Two values are continued by their ratio: parameters are most often powers.
        even = len(steps) > 1 and np.ptp(steps) <= _SAME * step
        spreads = [np.std(gaps) / np.mean(gaps) if len(gaps) > 1 else np.inf for gaps in (ratios, steps)]
        better = len(steps) == 1 or bool(spreads[0] <= spreads[1])
        geometric = len(ratios) == len(steps) and not even and better
    extended = list(values.tolist())
    for _ in range(number):
        extended.append(extended[-1] * factor if geometric else extended[-1] + step)
    if all(float(value).is_integer() for value in values):
        extended = [float(round(value)) if abs(value) < 2**53 else value for value in extended]
    return np.unique(np.array(extended))


def candidate_axes(
    points: Array, stated: Sequence[Sequence[float] | Array | None] | None, least: int, extend: int
) -> tuple[Array, ...]:
    """Return the values of every parameter: those stated, or else the measured ones, continued."""
    parameters = points.shape[1]
    axes = (None,) * parameters if stated is None else stated
    if len(axes) != parameters:
        raise SpecError(f"{len(axes)} axes, but {parameters} parameters", hint="give one each; None: as measured")
    if not 0 <= extend <= MAX_FURTHER:
        raise SpecError(f"extend must be from 0 to {MAX_FURTHER:,}, not {extend:,}")
    axes_of_values = []
    for parameter, axis in enumerate(axes):
        if axis is not None:
            try:
                stated_values = np.asarray(axis, dtype=float)
            except (TypeError, ValueError):
                raise SpecError(f"{axis!r} are not values of a parameter", hint="give numbers") from None
            wrong = stated_values.ndim != 1 or not len(stated_values) or not np.isfinite(stated_values).all()
            if wrong or (stated_values < 0).any():
                raise SpecError(f"{axis!r} are not values of a parameter", hint="give finite numbers of at least 0")
            axes_of_values.append(np.unique(stated_values))
            continue
        values = np.unique(points[:, parameter])
        more = max(least - len(values), 0) + extend
        # Along a single parameter all new points are beyond the measured ones.
        axes_of_values.append(continued(values, 1 if parameters == 1 and more == 0 else more))
        if not np.isfinite(axes_of_values[-1]).all():
            message = f"an axis from {values[0]:g} to {values[-1]:g} cannot be extended by {extend:,}"
            raise SpecError(f"{message}: its values would be too large", hint="extend it by fewer, or give its values")
    return tuple(axes_of_values)


@dataclass(frozen=True)
class Suggestion:
    """A point to measure."""

    point: tuple[float, ...]  # its coordinates
    expected: float  # the value that the model predicts there, at least 0
    lower: float  # the 90 % interval of a measurement there, at least 0; infinite where too little is known
    upper: float
    cost: float  # the cost of all suggested measurements of it
    reason: str  # the reason for this point
    measured: int = 0  # the number of existing measurements of it; above 0, it is measured again
    gain: float | None = None  # expected reduction of the target's variance in percent; None for other suggestions


@dataclass(frozen=True)
class TargetPrediction:
    """The prediction at the target."""

    point: tuple[float, ...]  # its coordinates
    predicted: float  # the prediction
    lower: float  # the 90 % interval of a measurement there, as of `splc scale`; infinite where too little is known
    upper: float
    mean: tuple[float, float]  # that of the expected value, the mean of many measurements

    @property
    def error(self) -> float:
        """The half width of the interval `mean`: the larger distance of a bound, in percent of the prediction."""
        distance = max(self.mean[1] - self.predicted, self.predicted - self.mean[0])
        if distance == 0:
            return 0.0
        return 100 * distance / abs(self.predicted) if self.predicted else float("inf")


@dataclass(frozen=True)
class Suggestions:
    """The points to measure next, and the model of the measured ones."""

    names: tuple[str, ...]  # the parameters
    points: tuple[Suggestion, ...]  # in the order in which to measure them; empty if no more are needed
    why: str  # the reason for these points, or for none
    done: bool  # whether the model is good enough, or the budget is spent
    model: ScalingModel  # the model of what was measured
    strategy: str  # 'target' or 'cheapest'
    target: TargetPrediction | None  # the prediction at the target; None without one
    error: float | None  # error in percent of predicting points off the cheapest lines from others; None with a target
    checked: int  # the number of these points
    spent: float  # the cost of the existing measurements
    repetitions: int  # measurements per suggested point, which costs include
    candidates: int  # the number of points that were considered
    notes: tuple[str, ...] = ()  # parameters without a visible effect, and limits of the criterion


# Points (n, parameters) and values (n,) → the cost of one measurement at each, (n,).
Cost = Callable[[Array, Array], Array]

LINE = 5  # the points of a line that are measured first
MAX_CANDIDATES = 200_000  # larger grids are refused
# Values differ if their difference is this number of its standard deviations.
_VISIBLE = 4.0
_LEAST = 1e-9
_LARGEST = 1e302  # larger costs are refused


class CandidatePoints:
    """The points of a grid and the measured ones, with their costs; a strategy that chooses the cheapest of them."""

    def __init__(
        self,
        points: Array,
        values: Array,
        counts: Array,
        model: ScalingModel,
        price: Cost,
        repetitions: int,
        axes: Sequence[Sequence[float] | Array | None] | None,
        extend: int,
    ) -> None:
        # All arrays have one entry per candidate; the points ascend.
        values_of_axes = candidate_axes(points, axes, LINE, extend)
        number = int(np.prod([float(len(axis)) for axis in values_of_axes]))
        if number > MAX_CANDIDATES:
            raise SpecError(
                f"{number:,} candidates are too many", hint=f"give axes with fewer values: {MAX_CANDIDATES:,} at most"
            )
        self.model = model
        # Measured points need not be on the grid.
        together = np.vstack([points, list(itertools.product(*values_of_axes))])
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
        expected, cost, measured = float(self.expected[row]), float(self.costs[row]), int(self.counts[row])
        return Suggestion(tuple(point[0].tolist()), expected, lower, upper, cost, reason, measured, gain)

    def next_line(self, length: int = LINE) -> tuple[Array, str] | None:
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

    def base_lines(self) -> Array:
        """Return the points of the cheapest measured line of each parameter, shape (points, parameters)."""
        used, measured = np.zeros(len(self.points), dtype=bool), self.counts > 0
        for parameter in range(self.points.shape[1]):
            full = [line[measured[line]] for line in lines(self.points, parameter)]
            long_lines = [line for line in full if len(line) >= LINE]
            if not long_lines:
                # Lines are measured first, so there are no other points yet.
                return np.asarray(self.points[measured])
            cheapest = min(long_lines, key=lambda line: float(np.sort(self.costs[line])[:LINE].sum()))
            used[cheapest[np.argsort(self.costs[cheapest], kind="stable")[:LINE]]] = True
        return np.asarray(self.points[used])

    def without_effect(self) -> tuple[int, ...]:
        """Return the parameters, as positions, along which no measured line differs by more than noise.

        They are in no hypothesis: the points that may show an effect are those further out (`further_out`).
        """
        noise = (self.model.noise or 0.0) / 100
        sizes = np.abs(self.values)
        deviations = noise * sizes / np.sqrt(np.maximum(self.counts, 1))
        parameters, measured = [], np.flatnonzero(self.counts > 0)
        for parameter in range(self.points.shape[1]):
            for line in (measured[rows] for rows in lines(self.points[measured], parameter)):
                low, high = line[self.values[line].argmin()], line[self.values[line].argmax()]
                limit = _VISIBLE * float(np.hypot(deviations[low], deviations[high])) + _LEAST * float(
                    sizes[line].max()
                )
                if self.values[high] - self.values[low] > limit:
                    break
            else:
                parameters.append(parameter)
        return tuple(parameters)

    def further_out(self, parameter: int) -> NextCandidates | None:
        """Return the point that may show an effect of a parameter; None if the outermost ones are taken.

        It is the cheapest one beyond the largest value on a line, or else the outermost point of a line along which
        other parameters are larger.
        """
        name, is_taken = self.model.names[parameter], self.taken
        all_lines = [(line, line[is_taken[line]]) for line in lines(self.points, parameter)]
        begun = [(line, known) for line, known in all_lines if len(known) > 1]
        beyond = [line[self.points[line, parameter] > self.points[known, parameter].max()] for line, known in begun]
        rows = np.concatenate([*beyond, np.zeros(0, dtype=int)])
        rows = rows[~is_taken[rows]].astype(int)
        if len(rows):
            reason = f"no line shows an effect of {name} yet: a point further out"
            return NextCandidates(rows[[int(self.costs[rows].argmin())]], reason)
        # The ranks of the other coordinates: a line is further out where they are larger.
        ranks = np.stack(
            [np.unique(coordinates, return_inverse=True)[1].ravel() for coordinates in self.points.T], axis=1
        )
        distance = np.delete(ranks, parameter, axis=1).sum(axis=1)
        partly = [(line, known) for line, known in all_lines if len(known)]
        if not partly:
            return None
        line, known = max(partly, key=lambda pair: int(distance[pair[0][0]]))
        if len(known) > 1 or is_taken[line[-1]]:
            return None
        return NextCandidates(
            line[-1:], f"no line shows an effect of {name} yet: a point where other parameters are larger"
        )

    def choose(self) -> NextCandidates | None:
        """Return the missing points of a line, or the cheapest point; None if all are taken."""
        if (line := self.next_line()) is not None:
            return NextCandidates(*line)
        # Of equally cheap points, the one with smaller values.
        rows = np.flatnonzero(~self.taken)
        best = rows[[int(self.costs[rows].argmin())]] if len(rows) else rows
        return NextCandidates(best, "the cheapest point that was not measured") if len(rows) else None

    def add(self, row: int) -> None:
        """Mark a point as suggested."""
        self.suggested[row] = True


def costs_of(price: Cost, points: Array, values: Array) -> Array:
    """Return the cost of a measurement at each point with its measured or expected value, shape (n,)."""
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
