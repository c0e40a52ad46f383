"""Calibration: least-squares estimates of the parameters of an analytical model."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

import numpy as np

from splc.calibration.free_parameters import Bound, Free, Sensitivity, free_parameters, with_scale
from splc.calibration.identifiability import findings
from splc.calibration.result import WEIGHTS, Calibration, Estimate, Residual, Weights
from splc.calibration.search import Misfit, search, search_near
from splc.data.accuracy import mean_relative_error
from splc.data.configurations import Configurations, describe_configuration
from splc.data.table import names_of
from splc.errors import ConfigurationError, LearningError, MeasurementError, SpecError, plural, require_kind
from splc.learning.features import feature_table, random_folds
from splc.learning.folds import splits
from splc.models.influence import EvaluationError, InfluenceModel
from splc.types import Array

WORST = 3
# Lower and upper end, in the unit of the parameter, None where it is not determined.
Interval = tuple[float, float] | None


def calibrate(
    model: InfluenceModel,
    configurations: Configurations,
    measured: Array,
    free: str | Sequence[str],
    *,
    guessed: str | Collection[str] = (),
    bounds: Mapping[str, Bound] | None = None,
    weights: Weights = "relative",
    level: float = 0.95,
    folds: int = 0,
    seed: int = 0,
) -> Calibration:
    """Estimate free parameters of a model by bounded least squares.

    The sum of squares to minimize is that of (predicted - measured) / measured, because all reported errors are
    relative, or that of predicted - measured, or of ln(predicted / measured). Relative residuals are at most 1 for
    predictions that are too low, but have no limit for those that are too high. They therefore shrink predictions if
    measurements scatter by factors; logarithms treat both alike. A parameter that is a table has one factor on all its
    rows. The name `scale` is a factor on the whole model (500 in the thesis, section 5.2), unless a parameter has it.

    Args:
        model: the model; its free parameters are names in it (`symbols` of `read_stored_model`).
        configurations: the configurations that were measured, n of them.
        measured: their values, shape (n,); those that are not finite are left out, with relative weights also zeros,
            with logarithms all that are not positive.
        free: the names of the parameters to estimate.
        guessed: those of them without a benchmarked value: their value in the model is only a start.
        bounds: name → (lowest, highest) value, None as by default: at least 0 where the benchmarked value is not
            negative. The bounds of a table are those of its middle row.
        weights: 'relative', 'absolute' or 'log'.
        level: the level of the intervals.
        folds: the number of folds of the cross-validation, each of which is predicted with estimates from the others;
            0: none.
        seed: the seed of the folds.

    Raises:
        SpecError: for invalid names, bounds, weights, levels and numbers of folds.
        ConfigurationError: if the numbers of values and configurations differ, or the model has no value at one.
        MeasurementError: if there are too few measurements.
        LearningError: if no values of the parameters give predictions, or they are out of the range of numbers.

    Examples:
        >>> scaled = splc.parse_model("scale * (20 / threads + tls)", system, parameters={"scale": 1})
        >>> round(splc.calibrate(scaled, measured.configurations, measured["time"], "scale")["scale"].value, 1)
        6.1
    """
    if weights not in WEIGHTS:
        raise SpecError(f"unknown weights {weights!r}", hint=f"one of {', '.join(WEIGHTS)}")
    if not 0 < level < 1:
        raise SpecError(f"the level of an interval must be between 0 and 1, not {level:g}")
    if folds < 0 or folds == 1:
        raise SpecError(f"folds must be at least 2, not {folds}", hint="0: no cross-validation")
    require_kind(model, InfluenceModel, "splc.parse_model(text, system, symbols=free)")
    free, guessed = names_of(free), names_of(guessed)
    scaled = with_scale(model, free)
    parameters = free_parameters(scaled, free, guessed, bounds or {})
    values = np.asarray(measured, dtype=float)
    if values.shape != (len(configurations),):
        raise ConfigurationError(f"{len(configurations)} configurations, but values of shape {values.shape}")
    finite = np.isfinite(values)
    used = finite & {"relative": values != 0, "absolute": True, "log": values > 0}[weights]
    _require_enough(int(used.sum()), parameters, int((finite & ~used).sum()), weights)
    fitted_rows, target = configurations[used], values[used]
    # Squares of huge values would be infinite.
    scale = 1.0 if weights == "log" else 1 / (np.abs(target).max() or 1.0)
    misfit = Misfit(
        Sensitivity(scaled, fitted_rows, parameters),
        target,
        1 / np.abs(target) if weights == "relative" else np.full(len(target), scale),
        np.array([p.low / p.unit for p in parameters]),
        np.array([p.high / p.unit for p in parameters]),
        logarithmic=weights == "log",
    )
    best = search(misfit)
    if best is None:
        # The error of the model names the configuration.
        start = np.array([p.start for p in parameters])
        _with(scaled, parameters, start, [None] * len(parameters), level).predict(fitted_rows)
        kind = "positive, finite" if misfit.logarithmic else "finite"
        message = f"no values of the free parameters give {kind} predictions for all measured configurations"
        hint = "give bounds within which the model has such values: the argument bounds, or --bound NAME=LOW..HIGH"
        raise LearningError(message, hint=hint)
    half, without_effect, confounded, degrees, deviation = findings(misfit, best.at, level)
    # Intervals end at bounds, beyond which no value is right.
    low, high = np.maximum(best.at - half, misfit.low), np.minimum(best.at + half, misfit.high)
    ends = zip(low.tolist(), high.tolist(), strict=True)
    intervals = [None if undetermined else pair for undetermined, pair in zip(np.isnan(half), ends, strict=True)]
    fitted = _with(scaled, parameters, best.at, intervals, level)
    predicted = fitted.predict(fitted_rows)
    other = predictions_from_others(misfit, best.at, folds, seed) if folds else None
    before = None
    if all(p.benchmarked is not None for p in parameters):
        with suppress(EvaluationError):
            before = mean_relative_error(scaled.predict(fitted_rows), target)
    worst = np.argsort(-np.abs(misfit(best.at)[0]), kind="stable")[:WORST]
    rows = zip(worst.tolist(), target[worst].tolist(), predicted[worst].tolist(), strict=True)
    return Calibration(
        fitted,
        tuple(_estimate(p, best.at[k], misfit, k, intervals[k]) for k, p in enumerate(parameters)),
        confounded,
        tuple(parameters[k].name for k in without_effect),
        weights,
        level,
        best.linear,
        best.converged,
        len(target),
        int((finite & ~used).sum()),
        int((~finite).sum()),
        degrees,
        deviation / float(misfit.weights[0] if weights == "absolute" else 1.0),
        before,
        mean_relative_error(predicted, target),
        None if other is None else mean_relative_error(other, target),
        min(folds, len(target)),
        tuple(Residual(fitted_rows.assignment(r), describe_configuration(fitted_rows, r), *pair) for r, *pair in rows),
    )


def _require_enough(count: int, free: Sequence[Free], zeros: int, weights: Weights) -> None:
    """Refuse to fit as many parameters as there are measurements."""
    if count > len(free):
        return
    kind = "positive" if weights == "log" else "not 0 and finite"
    have = plural(count, "measured value is", "measured values are")
    if zeros:
        have = f"{have} {kind}, which is" if count == 1 else f"{have} {kind}, which are"
    lost = "no logarithm" if weights == "log" else "no relative error"
    raise MeasurementError(
        f"{have} too few for {plural(len(free), 'free parameter', 'free parameters')}",
        hint=f"at least {len(free) + 1} are needed"
        + (f"; the others have {lost} (the weights 'absolute' keep them: --weights absolute)" if zeros else ""),
    )


def _with(
    model: InfluenceModel, free: Sequence[Free], at: Array, intervals: Sequence[Interval], level: float
) -> InfluenceModel:
    """Return a model with these values of its free parameters, in their units, and their intervals."""
    new = {p.name: p.at(value, ends, level) for p, value, ends in zip(free, at, intervals, strict=True)}
    return replace(model, derived=tuple(new.get(subexpression.name, subexpression) for subexpression in model.derived))


def _estimate(parameter: Free, at: float, misfit: Misfit, position: int, interval: Interval) -> Estimate:
    low, high = interval or (None, None)
    keys = parameter.parameter.keys
    start = parameter.parameter.values_of[parameter.row] / parameter.unit
    return Estimate(
        parameter.name,
        parameter.value(at),
        None if low is None else parameter.value(low),
        None if high is None else parameter.value(high),
        parameter.benchmarked,
        "low" if at == misfit.low[position] else "high" if at == misfit.high[position] else None,
        low is not None,
        (float(at) / start if start else 1.0) if keys else None,
        keys[parameter.row] if keys else None,
        parameter.parameter.by,
    )


def predictions_from_others(misfit: Misfit, best: Array, folds: int, seed: int) -> Array | None:
    """Return predictions of each configuration with parameters that are estimated, near the best, without its fold."""
    predicted = np.full(len(misfit.measured), np.nan)
    table = feature_table(misfit.predictions.configurations, misfit.measured)
    for held_out, others in splits(random_folds(table, folds, seed)):
        at = search_near(misfit[others], best)
        if at is not None:
            predicted[held_out] = misfit[held_out].predictions(at)[0]
    return predicted if np.isfinite(predicted).all() else None
