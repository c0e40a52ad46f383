"""Suggestions of the points to measure next for a scaling model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, get_args

import numpy as np

from sampling.sequential import SequentialStrategy, select
from splc.errors import MeasurementError, SpecError, listed, unknown_name_hint
from splc.io.numbers import percentage
from splc.scaling.data import numbers, quantities
from splc.scaling.fit import fit
from splc.scaling.result import LEVEL, ScalingModel, intervals_of
from splc.scaling.suggestion.candidates import (
    MAX_CANDIDATES,
    CandidatePoints,
    Cost,
    Suggestions,
    TargetPrediction,
    candidate_axes,
    costs_of,
)
from splc.scaling.suggestion.surrogate import TargetSurrogate, without_effect
from splc.scaling.suggestion.target import (
    LINE,
    TRUSTED_LINE,
    CheapestStrategy,
    TargetStrategy,
    base_lines,
    error_off_lines,
)
from splc.types import Array, PointStrategy

STRATEGIES: tuple[str, ...] = get_args(PointStrategy)
# The largest value at a target that counts for its cost, relative to the largest measured or predicted one.
_HIGHEST = 1000.0
# Targets that are further beyond the largest measured value of a parameter, by this factor, are refused.
_FARTHEST = 1e12
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
    """
    points, values = _checked(x, y)
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
    candidates = CandidatePoints(
        points, mean, known, model, price, repeated, candidate_axes(points, axes, LINE, extend)
    )
    result = Suggestions(
        model.names,
        (),
        "",
        False,
        model,
        strategy or "cheapest",
        None,
        None,
        0,
        spent,
        repeated,
        len(candidates.points),
    )
    if target is None:
        return _by_cost(result, candidates, values, points, until, budget, count)
    return _at_target(
        result, candidates, price, _target(target, model.names), strategy or "target", until, budget, count
    )


def _by_cost(
    result: Suggestions,
    candidates: CandidatePoints,
    values: Array,
    points: Array,
    until: float | None,
    budget: float | None,
    count: int | None,
) -> Suggestions:
    """Return `result` with the cheapest points, until points off the lines are predicted well enough."""
    lines_first = candidates.next_line(LINE) is not None
    if not lines_first and (until is not None or not candidates.taken.all()):
        error, checked = error_off_lines(points, values, base_lines(candidates))
        result = replace(result, error=error, checked=checked)
    if until is not None and result.error is not None and result.error <= until:
        within = percentage(max(result.error, MIN_ERROR), 3)
        reason = f"good enough: points off the lines are predicted within {within} on average"
        return replace(result, why=reason, done=True)
    if until is not None:
        note = "the error at points off the lines says little about larger values: give a target to predict"
        result = replace(result, notes=(note,))
    return _collected(result, candidates, CheapestStrategy(candidates), budget, count)


def _at_target(
    result: Suggestions,
    candidates: CandidatePoints,
    price: Cost,
    target: Array,
    strategy: str,
    until: float | None,
    budget: float | None,
    count: int | None,
) -> Suggestions:
    """Return `result` with points for a target, until the value there is known well enough."""
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
    hidden = [model.names[parameter] for parameter in without_effect(candidates)]
    notes = tuple(f"no line shows an effect of {name}: it may show at larger values" for name in hidden)
    result = replace(result, target=aim, strategy=strategy, notes=notes)
    enough = until is not None and aim.error <= until
    if enough and by_gain.required(TRUSTED_LINE) is None:
        within = percentage(max(aim.error, MIN_ERROR), 3)
        reason = f"good enough: the expected value at {location} is predicted within {within} (90 % interval)"
        return replace(result, why=reason, done=True)
    chosen = CheapestStrategy(candidates) if strategy == "cheapest" else replace(by_gain, enough=enough)
    return _collected(result, candidates, chosen, budget, count)


def _collected(
    result: Suggestions,
    candidates: CandidatePoints,
    strategy: SequentialStrategy,
    budget: float | None,
    count: int | None,
) -> Suggestions:
    """Return `result` with the points that a strategy chooses, within the budget."""
    selected = select(strategy, count, candidates.costs, spent=result.spent, budget=budget)
    points = tuple(
        candidates.suggestion(row, choice.reason, choice.gain)
        for row, choice in zip(selected.rows.tolist(), selected.choices, strict=True)
    )
    if selected.unaffordable is not None and budget is not None:
        remaining, cost = max(budget - selected.spent, 0.0), candidates.costs[selected.unaffordable]
        reason = f"the budget is spent: {remaining:.6g} is left, and the next point costs {cost:.6g}"
        return replace(result, points=points, why=reason, done=not points)
    reasons = [*(choice.reason for choice in selected.choices), *[_ALL_MEASURED] * selected.exhausted]
    return replace(result, points=points, why="; ".join(dict.fromkeys(reasons)))


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


def _checked(x: Any, y: Any) -> tuple[Array, Array]:
    """Return distinct points (n, parameters) with a value, and their values (n, repetitions)."""
    values = numbers(y, "y")
    if values.ndim not in (1, 2):
        raise MeasurementError(f"y has the shape {values.shape}", hint="give shape (n,) or (n, repetitions)")
    data = quantities(x, values[None])
    known = ~np.isnan(data.values[0]).all(axis=1)
    return np.asarray(data.points[known]), np.asarray(data.values[0][known])
