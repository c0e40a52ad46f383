"""Scaling models from measurements: `fit` for one quantity, `fit_many` for many quantities at the same points.

All quantities take the same path: repetitions are condensed, a method chooses a hypothesis (`FitSettings.select`),
and model, caveats and uncertainty follow from it. Only the hypotheses that the method searches depend on the number of
parameters. If a single one of several parameters has an effect, the model is that of this parameter alone, whose search
space is larger.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from splc.data.accuracy import smape
from splc.errors import MeasurementError, SpecError, listed
from splc.io.processes import in_processes, processes_for
from splc.scaling.caveats import POOR, about_fits, about_points, ambiguous, hidden
from splc.scaling.data import Condensed, Quantities, condensed, numbers, one_quantity, quantities, repetition_weights
from splc.scaling.exponents import CONSTANT, Product, product_columns
from splc.scaling.intervals import PosteriorUncertainty
from splc.scaling.methods import FitSettings, settings_of
from splc.scaling.multi.terms import DENSE
from splc.scaling.result import Advice, ScalingModel
from splc.scaling.segmented import MIN_POINTS, WORTH_A_CHANGE, changes, jump, long_lines
from splc.scaling.selection import Selection
from splc.types import Array

MAX_PARAMETERS = 5
Names = tuple[str, ...]


def fit(
    x: Any,
    y: Any,
    *,
    method: str = "default",
    names: str | Sequence[str] | None = None,
    aggregate: str | None = None,
    strong_scaling: bool | None = None,
    segmented: bool = False,
    exponents: Any = None,
    terms: int | None = None,
    criterion: str | None = None,
    local: bool | None = None,
) -> ScalingModel:
    """Find a scaling model of a quantity over one or several parameters.

    Args:
        x: values of the parameter, at least 0, in any order, shape (n,); or points of several parameters, shape
            (n, parameters), in any pattern.
        y: measured values, shape (n,) or (n, repetitions); NaN where one is missing.
        method: 'default' (see `single.default`); 'classic', the best of a fixed set of exponents; 'basic', the default
            of Extra-P 4.2.5; 'refinement', as in Following the Blind Seer; or 'extrap', refinement as in Extra-P 4.2.5.
        names: the parameters' names; by default `x`, or `x1`, `x2`, … for several.
        aggregate: the statistic of repetitions, see `splc.scaling.methods.SETTINGS`.
        strong_scaling: whether negative powers are searched ('default', 'classic').
        segmented: whether to look for a change of behaviour along a parameter: two models, if some line has 6 points
            or more.
        exponents: the search space of 'classic', see `splc.scaling.methods.settings_of`.
        terms: the largest number of terms of 'classic', 1 or 2.
        criterion: the error that 'classic' compares, 'loo' or 'rss'.
        local: whether 'default' fits several parameters to the points near the largest values where no hypothesis is
            exact; True unless given. With False all points count alike, which is better for predictions between them.

    Raises:
        MeasurementError: if no model can be fitted to the measurements.
        SpecError: if a setting is unknown or wrong.

    Examples:
        >>> splc.scale(x, y).text
        '1 + 2 * x'
    """
    values = one_quantity(y, "give shape (n,) or (n, repetitions); fit_many takes several")
    return fit_many(
        x, values, method=method, names=names, aggregate=aggregate, strong_scaling=strong_scaling,
        segmented=segmented, exponents=exponents, terms=terms, criterion=criterion, local=local,
    )[0]  # fmt: skip


def fit_many(
    x: Any,
    Y: Any,
    *,
    method: str = "default",
    names: str | Sequence[str] | None = None,
    segmented: bool = False,
    jobs: int = 1,
    **settings: Any,
) -> tuple[ScalingModel, ...]:
    """Find scaling models of many quantities over one or several parameters; each is the one that `fit` finds.

    Args:
        x: values of the parameter, shape (n,), or points, shape (n, parameters).
        Y: measured values, shape (models, n) or (models, n, repetitions).
        method: see `fit`.
        names: the parameters' names.
        segmented: whether to look for a change of behaviour.
        jobs: number of processes; -1 is one per core. One is fastest for less than some thousand quantities.
        settings: the other settings of `fit`, such as `aggregate`.

    Raises:
        MeasurementError: if no model can be fitted to the measurements.
        SpecError: if a setting is unknown or wrong.

    Examples:
        >>> [model.text for model in splc.scaling.fit_many(x, [y, [4, 4, 4, 4, 4]])]
        ['1 + 2 * x', '4']
    """
    chosen = settings_of(method, **settings)
    values = numbers(Y, "Y", "give numbers, shape (models, n) or (models, n, repetitions)")
    if values.ndim not in (2, 3):
        raise MeasurementError(f"Y has the shape {values.shape}", hint="give (models, n) or (models, n, repetitions)")
    data = quantities(x, values, names)
    parameter_names = _names(names, data.points.shape[1])
    if len(parameter_names) > 1 and chosen.method == "classic":
        hint = "use another method, or fit one parameter at a time, the others being constant"
        raise SpecError(f"the method {chosen.method!r} is for one parameter only", hint=hint)
    if isinstance(jobs, bool) or not isinstance(jobs, int) or jobs < -1 or jobs == 0:
        raise SpecError(f"{jobs!r} is not a number of processes", hint="give 1, 2, …, or -1 for one per core")
    if jobs == 1 or len(data) < 2:
        return tuple(fitted(data, chosen, parameter_names, segmented))
    parts = np.array_split(np.arange(len(data)), min(4 * processes_for(jobs), len(data)))
    tasks = (Quantities(data.points, data.values[part], data.notes) for part in parts)
    batches = in_processes((partial(fitted, part, chosen, parameter_names, segmented) for part in tasks), jobs)
    return tuple(model for part in batches for model in part)


def _names(names: str | Sequence[str] | None, width: int) -> tuple[str, ...]:
    """Return the checked names of the parameters: x, or x1, x2, … by default."""
    if names is None:
        return ("x",) if width == 1 else tuple(f"x{number}" for number in range(1, width + 1))
    stated = (names,) if isinstance(names, str) else tuple(names)
    if len(stated) != width or not all(isinstance(name, str) and name.strip() for name in stated):
        needed = "one parameter" if width == 1 else f"{width} parameters"
        example = ", ".join(f"'{name}'" for name in ("p", "n", "s", "g")[:width])
        raise SpecError(f"{stated!r} does not name {needed}", hint=f"give one name each, such as names=[{example}]")
    if len(set(stated)) < width:
        raise SpecError(f"duplicate parameter in {listed(stated)}", hint="names must be distinct")
    return stated


def fitted(data: Quantities, settings: FitSettings, names: Names, segmented: bool) -> list[ScalingModel]:
    """Fit all quantities, those that have values at the same points together."""
    patterns, pattern_of = np.unique(~np.isnan(data.values).all(axis=2), axis=0, return_inverse=True)
    fitted_models: dict[int, ScalingModel] = {}
    for number, pattern in enumerate(patterns):
        rows = np.flatnonzero(pattern_of.ravel() == number)
        part = Quantities(data.points[pattern], data.values[rows][:, pattern], data.notes)
        for at, (row, model) in enumerate(zip(rows.tolist(), _batch(part, settings, names), strict=True)):
            fitted_models[row] = model
            if segmented or model.smape > POOR:
                quantity = Quantities(part.points, part.values[at : at + 1], part.notes)
                fitted_models[row] = _with_changes(quantity, model, settings, segmented)
    return [fitted_models[row] for row in range(len(data))]


def _with_changes(quantity: Quantities, model: ScalingModel, settings: FitSettings, segmented: bool) -> ScalingModel:
    """Return a model of two segments if it is much better than the one of all points, or this one with a note.

    Without `segmented`, return the model of all points, whose note says so, or that a jump explains its misfit.
    """
    points, names = quantity.points, model.names
    (unit,) = _units(quantity.values).tolist()
    values = condensed(quantity.values / unit, settings.aggregate).values[0]
    segments, error = None, model.smape / WORTH_A_CHANGE
    for parameter, lower, upper, at in changes(points, values):
        below, above = (
            _batch(Quantities(points[side], quantity.values[:, side], quantity.notes), settings, names)[0]
            for side in (lower, upper)
        )
        note = f"the behaviour changes at {names[parameter]} = {at:g}: up to this value another model holds"
        both = replace(above, notes=(note, *above.notes), below=below, change=at, changing=names[parameter])
        error_of_both = float(smape(both.predict(points) / unit, values))
        if error_of_both < error:
            segments, error = both, error_of_both
    if segmented:
        if segments is not None or any(long_lines(points, parameter) for parameter in range(len(names))):
            return model if segments is None else segments
        required = "points" if len(names) == 1 else "points on every line"
        note = f"fewer than {MIN_POINTS} {required}: no change of behaviour can be found"
        return replace(model, notes=(*model.notes, note))
    # Segments of a single parameter have a jump between them.
    found = jump(points, np.nanmean(quantity.values[0], axis=1)) if segments is None or len(names) > 1 else None
    if found is not None:
        name, value, factor = names[found[0]], *found[1:]
        text = f"a jump at {name} = {value:g} by a factor of about {factor:.2g} explains most of the misfit"
        advice = Advice.of(f"{text}: splc learn has such terms ([{name} >= {value:g}])")
    elif segments is not None:
        where = f"{segments.changing} = {segments.change:g}"
        advice = Advice.of(f"the behaviour seems to change at {where}: two segments fit better", segmented=True)
    else:
        return model
    return replace(model, notes=(*model.notes, advice))


def _units(values: Array) -> Array:
    """Return a divisor of the values of each quantity: a power of two, so that nothing is rounded or overflows."""
    largest = np.fmax.reduce(np.abs(values), axis=(1, 2))
    return np.asarray(np.exp2(np.floor(np.log2(np.where(largest > 0, largest, 1.0)))))


def _batch(data: Quantities, settings: FitSettings, names: Names, weights: Array | None = None) -> list[ScalingModel]:
    """Fit quantities that were measured at the same points; `weights`: of repetitions, see `condensed`."""
    if len(names) > 1:
        varying = np.flatnonzero((data.points != data.points[0]).any(axis=0))
        if len(varying) > MAX_PARAMETERS:
            message = f"{len(varying)} parameters vary, but models have at most {MAX_PARAMETERS}"
            raise MeasurementError(message, hint="hold some of them constant, and leave them out")
        if len(varying) < len(names):
            return _along(data, settings, names, varying.tolist() or [0])
    units = _units(data.values)
    measured = condensed(data.values / units[:, None, None], settings.aggregate, weights)
    chosen = settings.select(data.points, measured).compact()
    # Extra-P's methods find the terms of single parameters first, and combine them.
    if len(names) == 1 or settings.method != "default":
        return _models(data, units, measured, chosen, settings, names)
    # The only one of several parameters that has an effect; -1 for any other number.
    active = chosen.having(np.array([[not factor.is_constant for factor in term] for term in chosen.terms], dtype=bool))
    active = active if chosen.terms else np.zeros((len(units), len(names)), dtype=bool)
    # Any product fits zeros; the search along one parameter chooses a constant.
    active[~measured.values.any(axis=1)] = np.arange(len(names)) == 0
    single_parameter = np.where(active.sum(axis=1) == 1, active.argmax(axis=1), -1)
    fitted_models: dict[int, ScalingModel] = {}
    for parameter in np.unique(single_parameter).tolist():
        rows = np.flatnonzero(single_parameter == parameter)
        if parameter < 0:
            models = _models(data, units[rows], measured[rows], chosen[rows], settings, names)
        else:
            single_data = Quantities(data.points, data.values[rows], data.notes)
            models = _along(single_data, settings, names, [parameter], measured[rows])
            if len(data.points) < DENSE * len(names):
                # The others may have an effect that so few points do not show.
                posteriors = _uncertainties(data.points, measured[rows], units[rows], settings, chosen[rows])
                pairs = zip(models, posteriors, strict=True)
                models = [replace(model, uncertainty=posterior) for model, posterior in pairs]
        fitted_models |= dict(zip(rows.tolist(), models, strict=True))
    return [fitted_models[row] for row in range(len(data))]


def _along(
    data: Quantities, settings: FitSettings, names: Names, varied: Sequence[int], measured: Condensed | None = None
) -> list[ScalingModel]:
    """Fit quantities along some of their parameters; points that differ in the others alone are repetitions.

    Outliers are those among the repetitions of a point: the others may have an effect. `measured`: one value per point,
    where others vary.
    """
    line = replace(quantities(data.points[:, varied], data.values), notes=data.notes)
    weights = np.nan_to_num(quantities(data.points[:, varied], repetition_weights(data.values)).values)
    caveats = about_points(names, data.points)
    models = []
    for row, model in enumerate(_batch(line, settings, tuple(names[p] for p in varied), weights)):
        functions = [dict(zip(varied, term, strict=True)) for term in model.terms]
        terms = tuple(tuple(own.get(at, CONSTANT) for at in range(len(names))) for own in functions)
        uncertainty = model.uncertainty
        if uncertainty is not None:
            inner = range(len(varied)) if uncertainty.parameters is None else uncertainty.parameters
            uncertainty = replace(uncertainty, parameters=tuple(varied[at] for at in inner))
        hidden_effects = () if measured is None else hidden(names, data.points, terms, measured, row)
        further_notes = tuple(note for note in (*caveats, *hidden_effects) if note not in model.notes)
        models.append(
            replace(
                model, names=names, terms=terms, ranges=_ranges(data.points), points=len(data.points),
                uncertainty=uncertainty, notes=(*further_notes, *model.notes),
            )
        )  # fmt: skip
    if measured is None:
        return models
    # The means over the others hide how much the single points differ from the model.
    units = _units(data.values)
    estimates = np.array([model.predict(data.points) for model in models]) / units[:, None]
    free = len(data.points) - np.array([len(model.terms) for model in models])
    errors = _errors(estimates, measured.values, free, units)
    return [replace(model, **error) for model, error in zip(models, errors, strict=True)]


def _models(
    data: Quantities, units: Array, measured: Condensed, chosen: Selection, settings: FitSettings, names: Names
) -> list[ScalingModel]:
    """Return the models of the chosen hypotheses; `units`: the divisors of the measured values, shape (models,)."""
    points, values = data.points, measured.values
    columns = product_columns(chosen.terms, points)
    chosen, estimates = chosen.rounded(columns, units)
    free = len(points) - np.maximum(1 * (chosen.coefficients[0] != 0) + (chosen.places >= 0).sum(axis=0), 1)
    noise = _noise(measured, estimates - values, free)
    errors = _errors(estimates, values, free, units)
    fit_caveats = about_fits(names, points, measured, chosen, settings, np.array([error["smape"] for error in errors]))
    uncertainties = _uncertainties(points, measured, units, settings, chosen)
    point_caveats, ranges, plain = about_points(names, points), _ranges(points), settings.as_dict()
    models = []
    for row, unit in enumerate(units.tolist()):
        terms, coefficients = _terms(chosen, row, unit, len(names))
        certainty = float(chosen.certainty[row])
        caveats = (*ambiguous(names, points, terms), *hidden(names, points, terms, measured, row), *fit_caveats[row])
        models.append(
            ScalingModel(
                names, terms, coefficients, ranges, settings.method, plain, len(points),
                int(measured.counts[row].sum()), **errors[row],
                noise=float(noise[row]) if np.isfinite(noise[row]) else None,
                certainty=None if np.isnan(certainty) else certainty,
                notes=(*point_caveats, *caveats, *data.notes),
                uncertainty=uncertainties[row],
            )
        )  # fmt: skip
    return models


def _uncertainties(
    points: Array, measured: Condensed, units: Array, settings: FitSettings, chosen: Selection
) -> list[PosteriorUncertainty]:
    """Return the uncertainty of each quantity, with the plausible hypotheses if its method keeps them."""
    shortlists = (None,) * len(units) if chosen.shortlists is None else chosen.shortlists
    arrays = zip(measured.values, measured.counts, measured.squares, units.tolist(), shortlists, strict=True)
    return [
        PosteriorUncertainty(points, values, counts, squares, settings.strong_scaling, unit, shortlist=shortlist)
        for values, counts, squares, unit, shortlist in arrays
    ]


def _ranges(points: Array) -> tuple[tuple[float, float], ...]:
    return tuple((float(column.min()), float(column.max())) for column in points.T)


def _terms(chosen: Selection, row: int, unit: float, parameters: int) -> tuple[tuple[Product, ...], tuple[float, ...]]:
    """Return the terms of a model and their coefficients; a constant of 0 beside others is left out."""
    constant, *others = (chosen.coefficients[:, row] * unit).tolist()
    places = chosen.places[:, row].tolist()
    pairs = [(chosen.terms[at], coefficient) for at, coefficient in zip(places, others, strict=True) if at >= 0]
    if constant != 0 or not pairs:
        pairs.insert(0, ((CONSTANT,) * parameters, constant))
    return tuple(term for term, _ in pairs), tuple(coefficient for _, coefficient in pairs)


def _errors(estimates: Array, values: Array, free: Array, units: Array) -> list[dict[str, Any]]:
    """Return SMAPE, adjusted R² and residual sum of squares of each model; `free`: points less coefficients."""
    points = values.shape[1]
    squares = ((estimates - values) ** 2).sum(axis=1)
    with np.errstate(all="ignore"):
        unexplained = squares / np.where(free > 0, free, np.nan)
        adjusted = 1 - unexplained * (points - 1) / (points * values.var(axis=1))
        rows = zip(smape(estimates, values, axis=1), adjusted, squares * units * units, strict=True)
    return [
        {"smape": float(error), "adjusted_r2": float(share) if np.isfinite(share) else None, "rss": float(rss)}
        for error, share, rss in rows
    ]


def _noise(measured: Condensed, residuals: Array, free: Array) -> Array:
    """Return the relative standard deviation of a measurement in percent, from repetitions or else from residuals."""
    size = np.abs(measured.values)
    size = np.where(size > 0, size, size.mean(axis=1, keepdims=True))
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        relative = residuals / np.where(size > 0, size, 1.0)
        residual = 100 * np.sqrt((measured.counts * relative**2).sum(axis=1) / np.where(free > 0, free, np.nan))
    repeated = measured.noise
    return np.where(np.isfinite(repeated), repeated, residual)
