"""Calibration: parameters of an analytical model from measurements, in the place of a guessed factor."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

import numpy as np

from splc.calibration.determined import Findings, findings
from splc.calibration.free import Bound, Free, free_parameters, with_scale
from splc.calibration.result import Calibration, Estimate, Weights
from splc.calibration.searching import Misfit, search
from splc.calibration.sensitivity import Sensitivity
from splc.configurations import Array, Configurations
from splc.errors import ConfigurationError, LearningError, MeasurementError, SpecError, plural
from splc.influence import EvaluationError, InfluenceModel
from splc.learning.scoring import mean_relative_error


def calibrate(
    model: InfluenceModel,
    configurations: Configurations,
    measured: Array,
    free: Sequence[str],
    *,
    guessed: Collection[str] = (),
    bounds: Mapping[str, Bound] | None = None,
    weights: Weights = "relative",
    level: float = 0.95,
) -> Calibration:
    """Estimate free parameters of a model by bounded least squares.

    What is made least is the sum of squares of (predicted - measured) / measured, because every error that is reported
    is a relative one, or that of predicted - measured. A parameter that is a table has one factor on all its rows. The
    name `scale` is a factor on the whole model (the thesis took 500, section 5.2), unless a parameter has that name.

    Args:
        model: the model; its free parameters are names in it (`symbols` of `splc.formats.models.read_stored_model`).
        configurations: the configurations that were measured, n of them.
        measured: their values, shape (n,); those that are not finite are left out, with relative weights also zeros.
        free: the names of the parameters to estimate.
        guessed: those of them that nobody benchmarked: their value in the model is a mere start.
        bounds: name → (lowest, highest) value, None as by default: at least 0 where the benchmarked value is not
            negative. Of a table they are about the row that stands for it: its middle one.
        weights: 'relative' or 'absolute'.
        level: the level of the intervals.

    Raises:
        SpecError: for names, bounds, weights and levels that cannot be.
        ConfigurationError: if there are not as many values as configurations, or the model has no value at one.
        MeasurementError: if there are too few measurements.
        LearningError: if no values of the parameters are found with which the model has predictions.
    """
    if weights not in ("relative", "absolute"):
        raise SpecError(f"unknown weights {weights!r}", hint="one of relative, absolute")
    if not 0 < level < 1:
        raise SpecError(f"an interval cannot have the level {level:g}", hint="give a fraction, such as 0.95")
    whole = with_scale(model, free)
    found = free_parameters(whole, free, guessed, bounds or {})
    values = np.asarray(measured, dtype=float)
    if values.shape != (len(configurations),):
        raise ConfigurationError(f"{len(configurations)} configurations, but values of shape {values.shape}")
    finite = np.isfinite(values)
    used = finite & (values != 0) if weights == "relative" else finite
    _require_enough(int(used.sum()), found, int((finite & ~used).sum()))
    places, target = configurations[used], values[used]
    misfit = Misfit(
        Sensitivity(whole, places, found),
        target,
        1 / np.abs(target) if weights == "relative" else np.full(len(target), 1 / (np.abs(target).max() or 1.0)),
        np.array([one.low / one.unit for one in found]),
        np.array([one.high / one.unit for one in found]),
    )
    best = search(misfit)
    if best is None:
        # The model itself says best where it has no value.
        _with(whole, found, np.array([one.start for one in found])).predict(places)
        raise LearningError(
            "no values of the free parameters give finite predictions for all measured configurations",
            hint="give bounds within which the model has values: --bound NAME=LOW..HIGH",
        )
    said = findings(misfit, best.at, level)
    fitted = _with(whole, found, best.at, said)
    before = None if any(one.benchmarked is None for one in found) else _error(whole, places, target)
    return Calibration(
        fitted,
        tuple(_estimate(one, best.at[k], k, said) for k, one in enumerate(found)),
        said.confounded,
        tuple(found[k].name for k in said.without_effect),
        weights,
        level,
        best.linear,
        best.converged,
        len(target),
        int((finite & ~used).sum()),
        int((~finite).sum()),
        said.degrees,
        said.deviation * (1.0 if weights == "relative" else 1 / float(misfit.weights[0])),
        before,
        mean_relative_error(fitted.predict(places), target),
    )


def _require_enough(count: int, free: Sequence[Free], zeros: int) -> None:
    """Refuse to fit as many parameters as there are measurements.

    Raises:
        MeasurementError: if no degree of freedom is left.
    """
    if count > len(free):
        return
    have = plural(count, "measured value is", "measured values are")
    if zeros:
        have = f"{have} not 0 and finite; these"
    raise MeasurementError(
        f"{have} too few for {plural(len(free), 'free parameter', 'free parameters')}",
        hint=f"at least {len(free) + 1} are needed"
        + ("; values of 0 have no relative error (--weights absolute keeps them)" if zeros else ""),
    )


def _with(model: InfluenceModel, free: Sequence[Free], at: Array, said: Findings | None = None) -> InfluenceModel:
    """Return a model with these values of its free parameters, in their units, and their intervals."""
    new = {}
    for k, one in enumerate(free):
        low, high = (None, None) if said is None else _interval(one, at[k], k, said)
        new[one.name] = one.at(at[k], low, high)
    return replace(model, derived=tuple(new.get(each.name, each) for each in model.derived))


def _interval(one: Free, at: float, place: int, said: Findings) -> tuple[float | None, float | None]:
    """Return an interval within the bounds, in the parameter's unit.

    Values beyond the bounds are known to be wrong; leaving them out takes nothing from the coverage.
    """
    half = float(said.half_widths[place])
    if math.isnan(half):
        return None, None
    return max(float(at) - half, one.low / one.unit), min(float(at) + half, one.high / one.unit)


def _estimate(one: Free, at: float, place: int, said: Findings) -> Estimate:
    low, high = _interval(one, at, place, said)
    undetermined = {name for group in said.confounded for name in group.names}
    keys = one.parameter.keys
    start = one.parameter.values_of[one.row] / one.unit
    return Estimate(
        one.name,
        one.value(at),
        None if low is None else one.value(low),
        None if high is None else one.value(high),
        one.benchmarked,
        "low" if said.at_low[place] else "high" if said.at_high[place] else None,
        one.name not in undetermined and place not in said.without_effect,
        (float(at) / start if start else 1.0) if keys else None,
        keys[one.row] if keys else None,
        one.parameter.by,
    )


def _error(model: InfluenceModel, configurations: Configurations, measured: Array) -> float | None:
    """Return the mean relative error in percent; None where the model has no predictions."""
    try:
        return mean_relative_error(model.predict(configurations), measured)
    except EvaluationError:
        return None
