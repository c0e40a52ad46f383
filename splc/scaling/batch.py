"""Scaling models of many quantities: those measured at the same points together, for one parameter and for several.

All quantities take the same path: repetitions are condensed, a method chooses a hypothesis (`FitSettings.select`),
and model, caveats and uncertainty follow from it. Only the hypotheses that the method searches depend on the number of
parameters. If a single one of several parameters has an effect, the model is that of this parameter alone, whose search
space is larger.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from splc.data.accuracy import smape
from splc.errors import MeasurementError
from splc.scaling.caveats import POOR, about_fits, about_points, ambiguous, hidden
from splc.scaling.data import Quantities, quantities
from splc.scaling.exponents import CONSTANT, Product, product_columns
from splc.scaling.intervals import PosteriorUncertainty
from splc.scaling.methods import FitSettings
from splc.scaling.multi.terms import DENSE
from splc.scaling.noise import Condensed, condensed, repetition_noise, repetition_weights
from splc.scaling.result import Advice, ScalingModel
from splc.scaling.segmented import MIN_POINTS, WORTH_A_CHANGE, changes, jump, long_lines
from splc.scaling.selection import Selection
from splc.types import Array

MAX_PARAMETERS = 5


def fitted(data: Quantities, settings: FitSettings, names: tuple[str, ...], segmented: bool) -> list[ScalingModel]:
    """Fit all quantities."""
    known: Array = np.asarray(~np.isnan(data.values).all(axis=2))
    if known.all():
        return _complete(data, settings, names, segmented)
    patterns, pattern_of = np.unique(known, axis=0, return_inverse=True)
    models: list[ScalingModel | None] = [None] * len(data)
    for number, pattern in enumerate(patterns):
        rows = np.flatnonzero(pattern_of.ravel() == number)
        part = Quantities(data.points[pattern], data.values[rows][:, pattern], data.notes)
        for row, model in zip(rows, _complete(part, settings, names, segmented), strict=True):
            models[row] = model
    return [model for model in models if model is not None]


def _complete(data: Quantities, settings: FitSettings, names: tuple[str, ...], segmented: bool) -> list[ScalingModel]:
    """Fit quantities that have values at all points."""
    models = _batch(data, settings, names) if len(data) else []
    for row, model in enumerate(models):
        if segmented or model.smape > POOR:
            quantity = Quantities(data.points, data.values[row : row + 1], data.notes)
            parts = _segments(quantity, model, settings, names)
            models[row] = _in_segments(quantity, model, parts) if segmented else _with_hint(quantity, model, parts)
    return models


def _segments(
    quantity: Quantities, model: ScalingModel, settings: FitSettings, names: tuple[str, ...]
) -> ScalingModel | None:
    """Return a model of two segments that fits a quantity much better than the one of all points, None without any."""
    (unit,) = _units(quantity.values).tolist()
    values = condensed(quantity.values / unit, settings.aggregate).values[0]
    best, error = None, model.smape / WORTH_A_CHANGE
    for parameter, lower, upper, at in changes(quantity.points, values):
        below, above = (
            _batch(Quantities(quantity.points[side], quantity.values[:, side], quantity.notes), settings, names)[0]
            for side in (lower, upper)
        )
        note = f"the behaviour changes at {names[parameter]} = {at:g}: up to this value another model holds"
        segments = replace(above, notes=(note, *above.notes), below=below, change=at, changing=names[parameter])
        segments_error = float(smape(segments.predict(quantity.points) / unit, values))
        if segments_error < error:
            best, error = segments, segments_error
    return best


def _in_segments(quantity: Quantities, model: ScalingModel, segments: ScalingModel | None) -> ScalingModel:
    """Return the model of two segments if there is one, else the one of all points."""
    if segments is not None or any(long_lines(quantity.points, p) for p in range(len(model.names))):
        return model if segments is None else segments
    required = "points" if len(model.names) == 1 else "points on every line"
    note = f"fewer than {MIN_POINTS} {required}: no change of behaviour can be found"
    return replace(model, notes=(*model.notes, note))


def _with_hint(quantity: Quantities, model: ScalingModel, segments: ScalingModel | None) -> ScalingModel:
    """Return the model of all points, with a note if there is one of two segments, or a jump explains the misfit."""
    # Segments of a single parameter have a jump between them.
    found = None
    if segments is None or len(model.names) > 1:
        found = jump(quantity.points, np.nanmean(quantity.values[0], axis=1))
    if found is not None:
        name, value, factor = model.names[found[0]], *found[1:]
        text = f"a jump at {name} = {value:g} by a factor of about {factor:.2g} explains most of the misfit"
        return replace(
            model, notes=(*model.notes, Advice.of(f"{text}: splc learn has such terms ([{name} >= {value:g}])"))
        )
    if segments is None:
        return model
    text = f"the behaviour seems to change at {segments.changing} = {segments.change:g}: two segments fit better"
    return replace(model, notes=(*model.notes, Advice.of(text, segmented=True)))


def _units(values: Array) -> Array:
    """Return a divisor of the values of each quantity: a power of two, so that nothing is rounded or overflows."""
    largest = np.fmax.reduce(np.abs(values), axis=(1, 2))
    return np.asarray(np.exp2(np.floor(np.log2(np.where(largest > 0, largest, 1.0)))))


def _batch(
    data: Quantities, settings: FitSettings, names: tuple[str, ...], weights: Array | None = None
) -> list[ScalingModel]:
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
    single_parameter = _only_parameter(chosen, measured, len(names))
    fitted_models: list[ScalingModel | None] = [None] * len(data)
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
                models = [
                    replace(model, uncertainty=posterior) for model, posterior in zip(models, posteriors, strict=True)
                ]
        for row, model in zip(rows, models, strict=True):
            fitted_models[row] = model
    return [model for model in fitted_models if model is not None]


def _only_parameter(chosen: Selection, measured: Condensed, parameters: int) -> Array:
    """Return for each quantity the only one of several parameters that has an effect; -1 for any other number."""
    active = chosen.having(np.array([[not factor.is_constant for factor in term] for term in chosen.terms], dtype=bool))
    active = active if chosen.terms else np.zeros((len(measured.values), parameters), dtype=bool)
    # Any product fits zeros; the search along one parameter chooses a constant.
    active[~measured.values.any(axis=1)] = np.arange(parameters) == 0
    return np.where(active.sum(axis=1) == 1, active.argmax(axis=1), -1)


def _along(
    data: Quantities,
    settings: FitSettings,
    names: tuple[str, ...],
    varied: Sequence[int],
    measured: Condensed | None = None,
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
        full_model = _of_all(model, names, varied, data.points)
        hidden_effects = () if measured is None else hidden(names, data.points, full_model.terms, measured, row)
        further_notes = tuple(note for note in (*caveats, *hidden_effects) if note not in model.notes)
        models.append(replace(full_model, notes=(*further_notes, *model.notes)))
    if measured is None:
        return models
    # The means over the others hide how much the single points differ from the model.
    units = _units(data.values)
    estimates = np.array([model.predict(data.points) for model in models]) / units[:, None]
    free = len(data.points) - np.array([len(model.terms) for model in models])
    errors = _errors(estimates, measured.values, free, units)
    return [replace(model, **error) for model, error in zip(models, errors, strict=True)]


def _of_all(model: ScalingModel, names: tuple[str, ...], varied: Sequence[int], points: Array) -> ScalingModel:
    """Return the model of some parameters as one of all; `varied`: their positions."""
    terms = []
    for term in model.terms:
        functions = dict(zip(varied, term, strict=True))
        terms.append(tuple(functions.get(p, CONSTANT) for p in range(len(names))))
    uncertainty = model.uncertainty
    if uncertainty is not None:
        inner = range(len(varied)) if uncertainty.parameters is None else uncertainty.parameters
        positions = tuple(varied[p] for p in inner)
        uncertainty = replace(uncertainty, parameters=positions)
    return replace(
        model, names=names, terms=tuple(terms), ranges=_ranges(points), points=len(points), uncertainty=uncertainty
    )


def _models(
    data: Quantities,
    units: Array,
    measured: Condensed,
    chosen: Selection,
    settings: FitSettings,
    names: tuple[str, ...],
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
                names=names,
                terms=terms,
                coefficients=coefficients,
                ranges=ranges,
                method=settings.method,
                settings=plain,
                points=len(points),
                measurements=int(measured.counts[row].sum()),
                **errors[row],
                noise=float(noise[row]) if np.isfinite(noise[row]) else None,
                certainty=None if np.isnan(certainty) else certainty,
                notes=(*point_caveats, *caveats, *data.notes),
                uncertainty=uncertainties[row],
            )
        )
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
    terms, coefficients = [], []
    constant = float(chosen.coefficients[0, row])
    for i, coefficient in zip(chosen.places[:, row].tolist(), chosen.coefficients[1:, row].tolist(), strict=True):
        if i >= 0:
            terms.append(chosen.terms[i])
            coefficients.append(coefficient * unit)
    if constant != 0 or not terms:
        return ((CONSTANT,) * parameters, *terms), (constant * unit, *coefficients)
    return tuple(terms), tuple(coefficients)


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
    repeated = repetition_noise(measured)
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        relative = residuals / np.where(size > 0, size, 1.0)
        residual = 100 * np.sqrt((measured.counts * relative**2).sum(axis=1) / np.where(free > 0, free, np.nan))
    return np.where(np.isfinite(repeated), repeated, residual)
