"""Suggestions of the points to measure next: the cheapest ones, or those that make a prediction better.

`cheapest` (Ritter et al., Learning Cost-Effective Sampling Strategies, section III.E): the cheapest line of five points
per parameter, then the cheapest further point, until the model predicts well enough or the budget is spent. Without a
target, the error of a model is that of predicting each point off the cheapest lines from all other points.

`target`: first every parameter needs a line of two points and a visible effect. Then the point or repetition is chosen
with the largest expected decrease of the logarithm of the variance at the target per cost. Candidates that cost more
than all measurements so far wait while cheaper ones are useful. Before a prediction is good enough, every parameter
needs a line of three points, and a point must be measured where all parameters are larger: cheap points may hide
effects that parameters have together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, get_args

import numpy as np

from sampling.sequential import NextCandidates, SequentialStrategy, select
from splc.data.accuracy import mean_relative_error
from splc.errors import MeasurementError, SpecError, listed, unknown_name_hint
from splc.io.numbers import percentage
from splc.scaling.data import one_quantity, quantities
from splc.scaling.fit import fit, fit_many
from splc.scaling.result import LEVEL, ScalingModel, intervals_of
from splc.scaling.suggestion.candidates import (
    MAX_CANDIDATES,
    CandidatePoints,
    Cost,
    Suggestions,
    TargetPrediction,
    costs_of,
)
from splc.scaling.suggestion.surrogate import TargetSurrogate
from splc.types import Array, PointStrategy

STRATEGIES: tuple[str, ...] = get_args(PointStrategy)
_HIGHEST = 1000.0  # the largest value at a target that counts for its cost, relative to measured and predicted ones
_FARTHEST = 1e12  # targets beyond the largest measured value of a parameter by a larger factor are refused
# Smaller errors, in percent, are due to rounding.
MIN_ERROR = 0.001
_ALL_MEASURED = (
    "all candidates are measured: give more values of a parameter with --axis, or of all others with --extend "
    "(in Python the arguments axes and extend)"
)


def suggest(
    x: Any,
    y: Any,
    *,
    names: Sequence[str] | None = None,
    target: Mapping[str, float] | Sequence[float] | float | None = None,
    strategy: PointStrategy | None = None,
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
        target: the point whose value is to be predicted: parameter → value, or one value per parameter.
        strategy: 'target', the largest expected gain at the target per cost; 'cheapest', Extra-P's strategy; None:
            'target' if there is one.
        cost: points (n, parameters) and values (n,) → the cost of one measurement; None: the value.
        axes: per parameter the values that can be measured; None, for one or all: the measured ones, continued in their
            steps or factors to at least five.
        extend: the number of additional values of axes that are not given.
        until: the error in percent at which the model is good enough: the half width of the 90 % interval of the
            expected value at the target; without a target the mean error at points off the cheapest lines.
        budget: the largest cost of all measurements, including the existing ones.
        count: the number of points to suggest; None: the missing points of a line, or one further point.
        repetitions: measurements per point; None: the number that most measured points have.

    Raises:
        MeasurementError: if measurements cannot be modelled, or costs are not finite numbers of at least 0.
        SpecError: for a wrong setting.
        ConfigurationError: if the model has no finite value at the target.

    Examples:
        >>> splc.scaling.suggest(x, y, target=64, axes=[[32, 64]], count=1).points[0].point
        (32.0,)
    """
    data = quantities(x, one_quantity(y))
    known_points = ~np.isnan(data.values[0]).all(axis=1)
    points, values = data.points[known_points], data.values[0][known_points]
    for setting, number in (("until", until), ("budget", budget)):
        if number is not None and not (number >= 0 and np.isfinite(number)):
            raise SpecError(f"{setting} must be a number of at least 0, not {number:g}")
    for setting, integer in (("count", count), ("repetitions", repetitions)):
        if integer is not None and not 1 <= integer <= MAX_CANDIDATES:
            raise SpecError(f"{setting} must be from 1 to {MAX_CANDIDATES:,}, not {integer:,}")
    if extend > MAX_CANDIDATES:
        raise SpecError(f"extend must be at most {MAX_CANDIDATES:,}, not {extend:,}")
    if strategy not in (None, *STRATEGIES):
        raise SpecError(f"unknown strategy {strategy!r}", hint=unknown_name_hint(str(strategy), STRATEGIES))
    if strategy == "target" and target is None:
        raise SpecError("the strategy 'target' needs a target", hint="give the point whose value is to be predicted")
    known = (~np.isnan(values)).sum(axis=1)
    repeated = int(np.bincount(known).argmax()) if repetitions is None else repetitions
    model = fit(points, values, names=names)
    price = cost or (lambda _, value: value)
    mean = np.nanmean(values, axis=1)
    spent = float((costs_of(price, points, mean) * known).sum())
    candidates = CandidatePoints(points, mean, known, model, price, repeated, axes, extend)
    name, number = strategy or ("cheapest" if target is None else "target"), len(candidates.points)
    result = Suggestions(model.names, (), "", False, model, name, None, None, 0, spent, repeated, number)
    chosen: SequentialStrategy = candidates
    if target is None:
        result = _by_cost(result, candidates, values, points, until)
    else:
        result, by_gain = _at_target(result, candidates, price, _target(target, model.names), until)
        chosen = chosen if strategy == "cheapest" else by_gain
    if result.done:
        return result
    selected = select(chosen, count, candidates.costs, spent=spent, budget=budget)
    suggested = tuple(
        candidates.suggestion(row, choice.reason, choice.gain)
        for row, choice in zip(selected.rows.tolist(), selected.choices, strict=True)
    )
    if selected.unaffordable is not None and budget is not None:
        remaining, price_of_next = max(budget - selected.spent, 0.0), candidates.costs[selected.unaffordable]
        reason = f"the budget is spent: {remaining:.6g} is left, and the next point costs {price_of_next:.6g}"
        return replace(result, points=suggested, why=reason, done=not suggested)
    reasons = [*(choice.reason for choice in selected.choices), *[_ALL_MEASURED] * selected.exhausted]
    return replace(result, points=suggested, why="; ".join(dict.fromkeys(reasons)))


def _by_cost(
    result: Suggestions, candidates: CandidatePoints, values: Array, points: Array, until: float | None
) -> Suggestions:
    """Return `result` with the error of points off the lines; done if that is small enough."""
    lines_first = candidates.next_line() is not None
    if not lines_first and (until is not None or not candidates.taken.all()):
        error, checked = error_off_lines(points, values, candidates.base_lines())
        result = replace(result, error=error, checked=checked)
    if until is not None and result.error is not None and result.error <= until:
        within = percentage(max(result.error, MIN_ERROR), 3)
        reason = f"good enough: points off the lines are predicted within {within} on average"
        return replace(result, why=reason, done=True)
    if until is not None:
        note = "the error at points off the lines says little about larger values: give a target to predict"
        result = replace(result, notes=(note,))
    return result


def _at_target(
    result: Suggestions, candidates: CandidatePoints, price: Cost, target: Array, until: float | None
) -> tuple[Suggestions, TargetStrategy]:
    """Return `result` with the prediction at a target, done if that is known well enough, and the choice by gain."""
    model = candidates.model
    if model.uncertainty is None:
        raise MeasurementError("the model has no posterior, so that nothing is known about its error at the target")
    for name, value, (_, high) in zip(model.names, target.tolist(), model.ranges, strict=True):
        if value > _FARTHEST * high:
            relation = f"{name} = {value:g} is more than {_FARTHEST:g} times the largest measured value, {high:g}"
            raise SpecError(f"the target is too far away: {relation}", hint="give a nearer target")
    surrogate = TargetSurrogate.of(model.uncertainty)
    aim = _prediction(model, surrogate, target, model.uncertainty.unit)
    # By the upper bound: a prediction that is far too small would rule out the points that show it.
    size = max(aim.predicted, float(np.nanmax(candidates.values)), 0.0)
    highest = min(max(size, aim.mean[1]), _HIGHEST * size)
    limit = result.repetitions * float(costs_of(price, target[None], np.array([highest]))[0])
    by_gain = TargetStrategy(candidates, surrogate, target, limit, result.spent, result.repetitions)
    location = ", ".join(f"{name} = {value:g}" for name, value in zip(model.names, target.tolist(), strict=True))
    hidden = [model.names[parameter] for parameter in candidates.without_effect()]
    notes = tuple(f"no line shows an effect of {name}: it may show at larger values" for name in hidden)
    result = replace(result, target=aim, notes=notes)
    enough = until is not None and aim.error <= until
    if enough and by_gain.required(TRUSTED_LINE) is None:
        within = percentage(max(aim.error, MIN_ERROR), 3)
        reason = f"good enough: the expected value at {location} is predicted within {within} (90 % interval)"
        result = replace(result, why=reason, done=True)
    return result, replace(by_gain, enough=enough)


def _prediction(model: ScalingModel, surrogate: TargetSurrogate, target: Array, unit: float) -> TargetPrediction:
    """Return the prediction at a target.

    The interval of the expected value is that of a measurement less the share that noise has in the surrogate, whose
    values are in multiples of `unit`.
    """
    centers = model.predict(target[None]).reshape(1, 1)
    predicted = float(centers[0, 0])
    measured = [float(bound[0, 0]) for bound in intervals_of([model], target[None], centers, LEVEL)]
    center = predicted / unit
    noisy, quiet = (surrogate.interval(target, center, LEVEL, noise=with_noise) for with_noise in (True, False))
    bounds = []
    for side, sign in ((0, -1), (1, 1)):
        distance = max(sign * (measured[side] - predicted), 0.0)
        widths = [max(sign * (interval[side] - center), 0.0) for interval in (noisy, quiet)]
        share = widths[1] / widths[0] if widths[0] > 0 else 0.0
        bounds.append(predicted + sign * distance * min(share, 1.0))
    return TargetPrediction(tuple(target.tolist()), predicted, measured[0], measured[1], (bounds[0], bounds[1]))


def _target(target: Mapping[str, float] | Sequence[float] | float, names: Sequence[str]) -> Array:
    """Return the checked coordinates of the target, shape (parameters,)."""
    if isinstance(target, Mapping):
        for name in target:
            if name not in names:
                raise SpecError(f"target: unknown parameter {name!r}", hint=unknown_name_hint(name, names))
        missing = [name for name in names if name not in target]
        if missing:
            raise SpecError(f"the target has no value of {listed(missing)}", hint="give a value of every parameter")
        target = [target[name] for name in names]
    try:
        point = np.atleast_1d(np.asarray(target, dtype=float))
    except (TypeError, ValueError):
        raise SpecError(f"{target!r} is not a target", hint=f"give numbers for {listed(names)}") from None
    if point.shape != (len(names),):
        raise SpecError(f"the target has {point.size} values, but there are {len(names)} parameters")
    if not np.isfinite(point).all() or (point < 0).any():
        raise SpecError(f"{target!r} is not a target", hint="give finite numbers of at least 0")
    return point


def error_off_lines(points: Array, values: Array, on_lines: Array) -> tuple[float | None, int]:
    """Return the mean relative error in percent of predicting points off lines from all others, and their number."""
    tested = np.flatnonzero(~(points[:, None] == on_lines[None]).all(axis=2).any(axis=1))
    mean = np.nanmean(values, axis=1)
    tested = tested[mean[tested] != 0]
    if len(tested) == 0:
        return None, 0
    training = np.tile(values, (len(tested), 1, 1))
    training[np.arange(len(tested)), tested] = np.nan
    models = fit_many(points, training)
    predicted = np.array([model.predict(points[[row]]).ravel()[0] for model, row in zip(models, tested, strict=True)])
    return mean_relative_error(predicted, mean[tested]), len(tested)


SHORT_LINE = 2
TRUSTED_LINE = 3
_REPEATED = 4  # a point is measured at most this many times as often as others
_WORTHWHILE = 5.0  # smaller expected reductions of the variance are not worth the repetitions of a point, in percent
_NOTHING = 2.0  # smaller ones do not count beside candidates that gain four times as much, however cheap they are
_USEFUL = 10.0  # expensive candidates wait while cheaper ones reduce the variance by this share, in percent
# Predictions with a smaller relative variance are certain.
_EXACT = 1e-10
_CERTAIN = "the prediction at the target is certain: the cheapest point that was not measured"
_COMPARED = 2000  # of more candidates, this number is compared, evenly spread over costs


@dataclass
class TargetStrategy:
    """The choice of points for a prediction at a target."""

    candidates: CandidatePoints  # the candidates
    surrogate: TargetSurrogate  # the posterior after the measurements; points chosen before count as measured
    target: Array  # shape (parameters,)
    limit: float  # the cost of measuring the target itself
    spent: float  # the cost of all measurements, including those chosen before
    repetitions: int  # measurements per suggestion
    enough: bool = False  # whether the prediction is good enough except for the requirements of every prediction

    def required(self, length: int = SHORT_LINE) -> NextCandidates | None:
        """Return points that every prediction needs: lines of this length, and visible effects of all parameters."""
        line = self.candidates.next_line(length)
        if line is not None:
            return NextCandidates(*line)
        further = filter(None, map(self.candidates.further_out, self.candidates.without_effect()))
        return next(further, None) or (self._middle() if length == TRUSTED_LINE else None)

    def _middle(self) -> NextCandidates | None:
        """Return the cheapest point whose values are all in the upper half; None if there is a measured one."""
        candidates = self.candidates
        upper = np.ones(len(candidates.points), dtype=bool)
        for coordinates in candidates.points.T:
            values = np.unique(coordinates)
            upper &= coordinates >= values[(len(values) - 1) // 2]
        rows = np.flatnonzero(upper & (candidates.taken | (candidates.costs <= self.limit)))
        if len(rows) == 0 or candidates.taken[rows].any():
            return None
        reason = "the prediction is good enough unless effects are hidden: a point where all parameters are larger"
        return NextCandidates(rows[[int(candidates.costs[rows].argmin())]], reason)

    def choose(self) -> NextCandidates | None:
        """Return the points to measure next; None if no candidate helps."""
        return self.required(TRUSTED_LINE if self.enough else SHORT_LINE) or self.best()

    def add(self, row: int) -> None:
        """Condition on measurements of a point."""
        candidates = self.candidates
        candidates.add(row)
        self.spent += float(candidates.costs[row])
        self.surrogate = self.surrogate.after(candidates.points[row], self.repetitions, int(candidates.counts[row]))

    def best(self) -> NextCandidates | None:
        """Return the candidate with the largest expected reduction of the variance at the target per cost."""
        candidates = self.candidates
        new = np.flatnonzero(~candidates.taken & (candidates.costs <= self.limit))
        repeated = np.flatnonzero(
            (candidates.counts > 0) & (candidates.counts < _REPEATED * self.repetitions) & ~candidates.suggested
        )
        if len(new) > _COMPARED:
            ordered = new[np.argsort(candidates.costs[new], kind="stable")]
            new = ordered[np.linspace(0, len(ordered) - 1, _COMPARED).astype(int)]
        rows = np.sort(np.concatenate([new, repeated]))
        if len(rows) == 0:
            return None
        counts = np.full(len(rows), float(self.repetitions))
        now, after = self.surrogate.variances(self.target, candidates.points[rows], counts, candidates.counts[rows])
        if now <= _EXACT:
            return NextCandidates(new[[int(candidates.costs[new].argmin())]], _CERTAIN, 0.0) if len(new) else None
        remaining = np.clip(after / now, 1e-12, 1.0)
        costs = np.maximum(candidates.costs[rows], 1e-12 * max(float(candidates.costs.max()), 1e-300))
        rates = -np.log(remaining) / costs
        gains = 100 * (1 - remaining)
        rates = np.where(gains >= min(_NOTHING, gains.max() / 4), rates, 0.0)
        useful = (costs <= self.spent) & (gains >= _USEFUL)
        best = int((np.where(useful, rates, -1.0) if useful.any() else rates).argmax())
        row, gain = rows[best], float(gains[best])
        if candidates.counts[row] == 0:
            return NextCandidates(rows[[best]], "the largest expected gain at the target per cost", gain)
        if len(new) == 0 and gain < _WORTHWHILE:
            return None
        return NextCandidates(
            rows[[best]], "noise dominates: further repetitions gain most at the target per cost", gain
        )
