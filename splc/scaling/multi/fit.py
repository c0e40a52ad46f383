"""From checked measurements over several parameters to their scaling models (the learner: `multi_search`)."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from splc.data.accuracy import smape
from splc.errors import SpecError
from splc.scaling.batch import fitted
from splc.scaling.data import Observed, observed
from splc.scaling.exponents import Exponents
from splc.scaling.methods import Settings
from splc.scaling.multi.caveats import about_fit, about_points, untold
from splc.scaling.multi.posterior import Hypotheses
from splc.scaling.multi.search import search
from splc.scaling.multi.terms import ParameterTerms
from splc.scaling.multi.uncertainty import CombinedUncertainty, products
from splc.scaling.noise import Condensed, condensed, repetition_noise
from splc.scaling.result import ScalingModel
from splc.scaling.scores import rss
from splc.scaling.selection import FAR
from splc.types import Array

MOST_PARAMETERS = 5
_CONSTANT = Exponents(Fraction(0), Fraction(0))


def fitted_many_parameters(data: Observed, settings: Settings, names: tuple[str, ...]) -> list[ScalingModel]:
    """Fit all quantities: those that were measured at the same points together.

    Args:
        data: x of shape (n, parameters).
        settings: of the method 'default'.
        names: the parameters.

    Raises:
        SpecError: for another method, or more than five parameters that vary.
    """
    if settings.method != "default":
        hint = "use method='default', or fit one parameter at a time, the others being constant"
        raise SpecError(f"the method {settings.method!r} knows one parameter only", hint=hint)
    known = ~np.isnan(data.values).all(axis=2)
    patterns, which = np.unique(known, axis=0, return_inverse=True)
    found: list[ScalingModel | None] = [None] * data.models
    for at, pattern in enumerate(patterns):
        rows = np.flatnonzero(which == at)
        part = Observed(data.x[pattern], data.values[rows][:, pattern], data.notes)
        for row, model in zip(rows, _same_points(part, settings, names), strict=True):
            found[row] = model
    return [each for each in found if each is not None]


def _same_points(data: Observed, settings: Settings, names: tuple[str, ...]) -> list[ScalingModel]:
    varying = np.flatnonzero((data.x != data.x[0]).any(axis=0))
    if len(varying) > MOST_PARAMETERS:
        hint = "hold some of them constant, and leave them out"
        raise SpecError(f"{len(varying)} parameters vary, but models have at most {MOST_PARAMETERS}", hint=hint)
    notes = about_points(names, data.x)
    if len(varying) > 1:
        return _batch(data, settings, names, notes)
    # One parameter has a larger search space of its own.
    only = int(varying[0]) if len(varying) else 0
    line = Observed(data.x[:, only], data.values, data.notes)
    return [_widened(each, only, data.x, names, notes) for each in fitted(line, settings, names[only], False)]


def _alone(
    data: Observed, row: int, only: int, settings: Settings, names: tuple[str, ...], notes: tuple[str, ...]
) -> ScalingModel:
    """Return a model of the only parameter that has an effect, points that differ in the others being repetitions."""
    line = replace(observed(data.x[:, only], data.values[[row]]), notes=data.notes)
    (model,) = fitted(line, settings, names[only], False)
    return replace(_widened(model, only, data.x, names, notes), points=len(data.x))


class _Along:
    """The uncertainty of a model of one parameter among several."""

    def __init__(self, own: Any, parameter: int) -> None:
        self.own, self.parameter = own, parameter

    def interval(self, x: Array, center: Array, level: float) -> tuple[Array, Array]:
        """Return the bounds for new measurements at points x, shape (points, parameters), around predictions."""
        lower, upper = self.own.interval(x[:, [self.parameter]], center, level)
        return lower, upper


def _widened(
    model: ScalingModel, only: int, points: Array, names: tuple[str, ...], notes: tuple[str, ...]
) -> ScalingModel:
    """Return a model of one parameter as one of several, the others being constant."""
    terms = tuple(tuple(each if at == only else _CONSTANT for at in range(len(names))) for (each,) in model.terms)
    others = tuple(note for note in notes if note not in model.notes)
    return replace(
        model,
        names=names,
        terms=terms,
        ranges=_ranges(points),
        notes=(*others, *model.notes),
        uncertainty=_Along(model.uncertainty, only),
    )


def _ranges(points: Array) -> tuple[tuple[float, float], ...]:
    return tuple((float(each.min()), float(each.max())) for each in points.T)


def _batch(data: Observed, settings: Settings, names: tuple[str, ...], notes: tuple[str, ...]) -> list[ScalingModel]:
    with np.errstate(invalid="ignore"):
        largest = np.nanmax(np.abs(data.values), axis=(1, 2))
    # A power of two: nothing is rounded, and squares stay within the range of numbers.
    units = np.exp2(np.floor(np.log2(np.where(largest > 0, largest, 1.0))))
    measured = condensed(data.values / units[:, None, None], settings.aggregate)
    among, found = search(data.x, measured, settings.strong_scaling)
    first = np.flatnonzero(np.diff(found.model, prepend=-1))
    best = found[first]
    certainty = _certainty(among, found, data.x)
    here = products(among, best, data.x)
    far = products(among, best, FAR * data.x.max(axis=0, keepdims=True))[:, :, 0]
    repeated = repetition_noise(measured)
    ranges, plain = _ranges(data.x), settings.as_dict()
    models = []
    for row, unit in enumerate(units.tolist()):
        size = int(best.sizes[row])
        active = int(np.bitwise_or.reduce(np.maximum(best.products[row], 0)))
        nothing = not measured.values[row].any()
        if active.bit_count() == 1 or nothing:
            # Any product of zeros fits nothing; the learner for one parameter knows that it is a constant.
            only = 0 if nothing else active.bit_length() - 1
            models.append(_alone(data, row, only, settings, names, notes))
            continue
        values = measured.values[row]
        terms, factors = _terms(among, best, row)
        printed = _shortened(best.coefficients[row, :size] * unit / factors, here[row, :size] * factors[:, None])
        coefficients = printed / unit * factors
        estimates = coefficients @ here[row, :size]
        error = float(smape(estimates, values))
        falling = [at for at in range(len(names)) if any(term[at].power < 0 for term in terms)]
        fit_notes = about_fit(
            names,
            outliers=int(measured.outliers[row]),
            left_out=settings.aggregate == "robust",
            smape=error,
            zeros=int((values == 0).sum()),
            floored=bool(best.floored[row]),
            positive=bool((values > 0).all()),
            certainty=float(certainty[row]),
            ends_below=bool((coefficients @ far[row, :size]) < 0),
            falling=falling,
        )
        with np.errstate(over="ignore"):
            squares = float(rss(estimates, values)) * unit * unit
        models.append(
            ScalingModel(
                names=names,
                terms=terms,
                coefficients=tuple(printed.tolist()),
                ranges=ranges,
                method=settings.method,
                settings=plain,
                points=len(data.x),
                measurements=int(measured.counts[row].sum()),
                smape=error,
                rss=squares,
                noise=_noise(measured, row, estimates, size, float(repeated[row])),
                certainty=float(certainty[row]),
                notes=(*notes, *untold(names, data.x, terms), *fit_notes, *data.notes),
                uncertainty=CombinedUncertainty(
                    data.x, values, measured.counts[row], measured.squares[row], settings.strong_scaling, unit
                ),
            )
        )
    return models


def _terms(
    among: tuple[ParameterTerms, ...], best: Hypotheses, row: int
) -> tuple[tuple[tuple[Exponents, ...], ...], Array]:
    """Return the exponents of a model's terms, and what their coefficients are to be divided by."""
    terms, factors = [], []
    for mask in best.products[row, : best.sizes[row]].tolist():
        used = [bool(mask >> at & 1) for at in range(len(among))]
        places = best.terms[row].tolist()
        terms.append(
            tuple(each.terms[k] if there else _CONSTANT for each, k, there in zip(among, places, used, strict=True))
        )
        factors.append(np.prod([each.sizes[k] for each, k, there in zip(among, places, used, strict=True) if there]))
    return tuple(terms), np.array(factors)


def _shortened(coefficients: Array, columns: Array) -> Array:
    """Return coefficients of 12 digits where that changes no value by more than rounding: 5, not 5.0000…36.

    Args:
        coefficients: in the unit that is printed, shape (k,).
        columns: shape (k, n).
    """
    values = coefficients @ columns
    short = np.array([float(f"{each:.12g}") for each in coefficients])
    short[np.abs(coefficients) * np.abs(columns).max(axis=1) < 1e-13 * np.abs(values).max()] = 0.0
    same = (np.abs(short @ columns - values) <= 1e-11 * np.abs(values)).all()
    return short if same else coefficients


def _noise(measured: Condensed, row: int, estimates: Array, size: int, repeated: float) -> float | None:
    """Return the relative standard deviation of a measurement in percent, from repetitions or else from residuals."""
    if np.isfinite(repeated):
        return repeated
    values, counts = measured.values[row], measured.counts[row]
    free = len(values) - size
    if free < 1:
        return None
    scale = np.abs(values)
    scale = np.where(scale > 0, scale, scale.mean() or 1.0)
    with np.errstate(over="ignore"):
        found = float(100 * np.sqrt((counts * ((values - estimates) / scale) ** 2).sum() / free))
    return found if np.isfinite(found) else None


def _certainty(among: tuple[ParameterTerms, ...], found: Hypotheses, points: Array) -> Array:
    """Return the posterior probability of each quantity's lead term."""
    far = products(among, found, FAR * points.max(axis=0, keepdims=True))[:, :, 0]
    with np.errstate(invalid="ignore"):
        sizes = np.where(found.products > 0, np.abs(found.coefficients * far), -1.0)
    place = sizes.argmax(axis=1)
    mask = np.where(sizes.max(axis=1) >= 0, found.products[np.arange(len(place)), place], 0)
    lead = np.zeros(len(mask), dtype=np.int64)
    for at, each in enumerate(among):
        lead = lead * (len(each.terms) + 1) + np.where(mask >> at & 1, found.terms[:, at] + 1, 0)
    first = np.flatnonzero(np.diff(found.model, prepend=-1))
    weights = np.exp(found.log_weights - found.log_weights[first][found.model])
    whole = np.bincount(found.model, weights)
    return np.asarray(np.bincount(found.model, np.where(lead == lead[first][found.model], weights, 0.0)) / whole)
