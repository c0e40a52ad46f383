"""Suggestions of points to measure next: the cheapest lines first, then the cheapest points.

Source: Ritter et al., Learning Cost-Effective Sampling Strategies, section III.E: (1) measure the cheapest available
line of five points per parameter and make a first model; (2) measure the cheapest further point; (3) make the model
again; (4) repeat until the model predicts well enough, or the budget is spent.

The error of a model is that of predicting each point off the cheapest lines from all other points.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from splc.data.accuracy import mean_relative_error
from splc.errors import MeasurementError, SpecError, plural
from splc.scaling.data import numbers, quantities
from splc.scaling.fit import fit, fit_many
from splc.scaling.grids import candidate_axes
from splc.scaling.multi.lines import lines
from splc.scaling.result import ScalingModel
from splc.types import Array

# Points (n, parameters) and values (n,) → the cost of one measurement at each, (n,).
Cost = Callable[[Array, Array], Array]

LINE = 5
# Larger grids are refused: so many points are never measured.
MOST_CANDIDATES = 200_000


@dataclass(frozen=True)
class Suggestion:
    """A point to measure.

    Attributes:
        point: its coordinates.
        expected: the value that the model predicts there, at least 0.
        lower, upper: the 90 % interval of a measurement there, at least 0; infinite where too little is known.
        cost: what all repetitions of it cost.
        reason: the reason for this point.
    """

    point: tuple[float, ...]
    expected: float
    lower: float
    upper: float
    cost: float
    reason: str


@dataclass(frozen=True)
class Suggestions:
    """The points to measure next, and the model of the measured ones.

    Attributes:
        names: the parameters.
        points: the points in the order in which to measure them; empty if no more measurements are needed.
        why: the reason for these points, or for none.
        done: whether the model is good enough, or the budget is spent.
        model: the model of what was measured.
        error: mean relative error in percent of predicting points off the cheapest lines from all others; None where
            there are none.
        checked: the number of these points.
        spent: the cost of the existing measurements.
        repetitions: measurements per point that costs include.
        candidates: the number of points that were considered.
    """

    names: tuple[str, ...]
    points: tuple[Suggestion, ...]
    why: str
    done: bool
    model: ScalingModel
    error: float | None
    checked: int
    spent: float
    repetitions: int
    candidates: int


def suggest(
    x: Any,
    y: Any,
    *,
    names: Sequence[str] | None = None,
    cost: Cost | None = None,
    axes: Sequence[Sequence[float] | None] | None = None,
    extend: int = 0,
    until: float | None = None,
    budget: float | None = None,
    count: int | None = None,
    repetitions: int | None = None,
) -> Suggestions:
    """Suggest the points to measure next.

    Args:
        x: measured points, shape (n, parameters), or (n,) for one parameter.
        y: measured values, shape (n,) or (n, repetitions); NaN where one is missing.
        names: the parameters' names.
        cost: points (n, parameters) and values (n,) → the cost of one measurement; None: the value.
        axes: per parameter the values that can be measured; None, for one or all: the measured ones, continued in their
            steps or factors to at least five.
        extend: the number of additional values of axes that are not given.
        until: the error in percent at which the model is good enough.
        budget: the largest cost of all measurements, including the existing ones.
        count: the number of points to suggest; None: the missing points of a line, or one further point.
        repetitions: measurements per point; None: the number that most measured points have.

    Raises:
        MeasurementError: if measurements cannot be modelled, or costs are not finite numbers of at least 0.
        SpecError: for a wrong setting.
    """
    points, values = _checked(x, y)
    for what, number in (("until", until), ("budget", budget)):
        if number is not None and not (number >= 0 and np.isfinite(number)):
            raise SpecError(f"{what} cannot be {number:g}", hint="it is a number of at least 0")
    for what, whole in (("count", count), ("repetitions", repetitions)):
        if whole is not None and whole < 1:
            raise SpecError(f"{what} cannot be {whole}", hint="it is at least 1")
    known = (~np.isnan(values)).sum(axis=1)
    each = int(np.bincount(known).argmax()) if repetitions is None else repetitions
    model = fit(points, values, names=names)
    price = cost or (lambda _, value: value)
    spent = float((_costs(price, points, np.nanmean(values, axis=1)) * known).sum())
    grid = _Grid(points, model, price, each, candidate_axes(points, axes, LINE, extend))
    error, checked = _error(points, values, grid.base())
    found = Suggestions(model.names, (), "", False, model, error, checked, spent, each, len(grid.points))
    return _suggestions(found, grid, until, budget, count)


def _suggestions(
    found: Suggestions, grid: _Grid, until: float | None, budget: float | None, count: int | None
) -> Suggestions:
    """Return `found` with the points to measure next."""
    chosen: list[Suggestion] = []
    spent = found.spent
    line = grid.next_line()
    if line is None and until is not None and found.error is not None and found.error <= until:
        why = f"good enough: points off the lines are predicted within {found.error:.3g} % on average"
        return replace(found, why=why, done=True)
    wanted = count or (len(line[0]) if line else 1)
    whys = []
    while len(chosen) < wanted:
        if line:
            rows, reason = line
            rows = rows[: wanted - len(chosen)]
        else:
            rows = grid.cheapest()
            reason = "the cheapest point that was not measured"
        if len(rows) == 0:
            whys.append("all candidates are measured: give more values, or extend the axes")
            break
        for row in rows:
            if budget is not None and spent + grid.costs[row] > budget:
                left = max(budget - spent, 0.0)
                text = f"the budget is spent: {left:.6g} is left, and the next point costs {grid.costs[row]:.6g}"
                return replace(found, points=tuple(chosen), why=text, done=not chosen)
            chosen.append(grid.suggestion(int(row), reason))
            spent += float(grid.costs[row])
            grid.measured[row] = True
        whys.append(reason)
        line = grid.next_line()
    return replace(found, points=tuple(chosen), why="; ".join(dict.fromkeys(whys)))


class _Grid:
    """The candidates with their costs; which ones are measured or already suggested."""

    def __init__(
        self, points: Array, model: ScalingModel, price: Cost, repetitions: int, axes: Sequence[Array]
    ) -> None:
        self.model = model
        number = int(np.prod([float(len(axis)) for axis in axes]))
        if number > MOST_CANDIDATES:
            raise SpecError(
                f"{number:,} candidates are too many", hint=f"give axes with fewer values: {MOST_CANDIDATES:,} at most"
            )
        # Measured points need not be on the grid.
        self.points = np.unique(np.vstack([points, list(itertools.product(*axes))]), axis=0)
        self.measured = (self.points[:, None] == points[None]).all(axis=2).any(axis=1)
        self.expected = np.maximum(model.predict(self.points).ravel(), 0.0)
        self.costs = repetitions * _costs(price, self.points, self.expected)

    def suggestion(self, row: int, reason: str) -> Suggestion:
        """Return a point as a suggestion."""
        point = self.points[[row]]
        # The expected value is at least 0, and so is its interval.
        lower, upper = (max(float(each.ravel()[0]), 0.0) for each in self.model.interval(point))
        expected = float(self.expected[row])
        return Suggestion(tuple(point[0].tolist()), expected, lower, upper, float(self.costs[row]), reason)

    def cheapest(self) -> Array:
        """Return the cheapest point that is not measured, if any; of equal ones that with smaller values."""
        rows = np.flatnonzero(~self.measured)
        return rows[[int(self.costs[rows].argmin())]] if len(rows) else rows

    def next_line(self) -> tuple[Array, str] | None:
        """Return the missing points of the line that is the cheapest to complete, of parameters without a line."""
        best: tuple[float, Array, str] | None = None
        for at, name in enumerate(self.model.names):
            own = lines(self.points, at)
            if any(self.measured[line].sum() >= LINE for line in own):
                continue
            for line in own:
                done = self.measured[line]
                rest = line[~done]
                rest = np.sort(rest[np.argsort(self.costs[rest], kind="stable")][: LINE - int(done.sum())])
                price = float(self.costs[rest].sum())
                if len(rest) + done.sum() == LINE and (best is None or price < best[0]):
                    rest = rest[np.argsort(self.costs[rest], kind="stable")]
                    number = plural(len(rest), "point", "points")
                    best = price, rest, f"{number} missing of the cheapest line of {LINE} along {name}"
        return None if best is None else best[1:]

    def base(self) -> Array:
        """Return the points of the cheapest measured line of each parameter, shape (points, parameters)."""
        used = np.zeros(len(self.points), dtype=bool)
        for at in range(len(self.model.names)):
            full = [line[self.measured[line]] for line in lines(self.points, at)]
            ample = [line for line in full if len(line) >= LINE]
            if not ample:
                # Lines are measured first, so there are no other points yet.
                return np.asarray(self.points[self.measured])
            cheapest = min(ample, key=lambda line: float(np.sort(self.costs[line])[:LINE].sum()))
            used[cheapest[np.argsort(self.costs[cheapest], kind="stable")[:LINE]]] = True
        return np.asarray(self.points[used])


def _checked(x: Any, y: Any) -> tuple[Array, Array]:
    """Return distinct points (n, parameters) with a value, and their values (n, repetitions)."""
    values = numbers(y, "y")
    if values.ndim not in (1, 2):
        raise MeasurementError(f"y has the shape {values.shape}", hint="give shape (n,) or (n, repetitions)")
    found = quantities(x, values[None])
    known = ~np.isnan(found.values[0]).all(axis=1)
    return np.asarray(found.points[known]), np.asarray(found.values[0][known])


def _costs(price: Cost, points: Array, values: Array) -> Array:
    """Return checked costs."""
    with np.errstate(all="ignore"):
        found = np.broadcast_to(np.asarray(price(points, values), dtype=float), len(points))
    wrong = ~(np.isfinite(found) & (found >= 0))
    if wrong.any():
        row = int(np.argmax(wrong))
        hint = "costs are finite and at least 0: give another cost"
        where = ", ".join(f"{each:g}" for each in points[row].tolist())
        raise MeasurementError(f"a measurement at ({where}), value {values[row]:g}, costs {found[row]:g}", hint=hint)
    return np.array(found)


def _error(points: Array, values: Array, base: Array) -> tuple[float | None, int]:
    """Return the mean relative error in percent of predicting points off the base from all others, and their number."""
    beside = np.flatnonzero(~(points[:, None] == base[None]).all(axis=2).any(axis=1))
    mean = np.nanmean(values, axis=1)
    beside = beside[mean[beside] != 0]
    if len(beside) == 0:
        return None, 0
    without = np.tile(values, (len(beside), 1, 1))
    without[np.arange(len(beside)), beside] = np.nan
    models = fit_many(points, without)
    predicted = np.array([model.predict(points[[row]]).ravel()[0] for model, row in zip(models, beside, strict=True)])
    return mean_relative_error(predicted, mean[beside]), len(beside)
