"""From checked measurements of many quantities to their scaling models: those measured at the same points together."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np

from splc.data.accuracy import smape
from splc.scaling.caveats import Facts, caveats
from splc.scaling.data import Observed
from splc.scaling.exponents import Exponents
from splc.scaling.intervals import PosteriorUncertainty
from splc.scaling.methods import Settings
from splc.scaling.noise import Condensed, condensed, repetition_noise
from splc.scaling.result import ScalingModel
from splc.scaling.scores import rss
from splc.scaling.selection import FAR, Selection
from splc.scaling.single.default import falls
from splc.scaling.single.segmented import LEAST_POINTS, WORTH_A_CHANGE, change_point
from splc.types import Array

_CONSTANT = Exponents(Fraction(0), Fraction(0))


def fitted(data: Observed, settings: Settings, name: str, segmented: bool) -> list[ScalingModel]:
    """Fit all quantities: those that were measured at the same points together."""
    known = ~np.isnan(data.values).all(axis=2)
    patterns, which = np.unique(known, axis=0, return_inverse=True)
    found: list[ScalingModel | None] = [None] * data.models
    for at, pattern in enumerate(patterns):
        rows = np.flatnonzero(which == at)
        part = Observed(data.x[pattern], data.values[rows][:, pattern], data.notes)
        for inner, model in enumerate(_batch(part, settings, name)):
            one = Observed(part.x, part.values[inner : inner + 1], part.notes)
            found[rows[inner]] = _in_segments(one, model, settings, name) if segmented else model
    return [each for each in found if each is not None]


def _in_segments(one: Observed, whole: ScalingModel, settings: Settings, name: str) -> ScalingModel:
    """Return a model of two segments where the behaviour of a quantity changes, else the one of all points."""
    if len(one.x) < LEAST_POINTS:
        few = f"fewer than {LEAST_POINTS} points: no change of behaviour can be found"
        return replace(whole, notes=(*whole.notes, few))
    values = condensed(one.values, settings.aggregate).values[0]
    change = change_point(one.x, values)
    if change is None:
        return whole
    lower, upper, at = change
    below, above = (
        _batch(Observed(one.x[side], one.values[:, side], one.notes), settings, name)[0] for side in (lower, upper)
    )
    note = f"the behaviour changes at {name} = {at:g}: up to there it is {below.text}"
    found = replace(above, notes=(note, *above.notes), below=below, change=at)
    better = float(smape(found.predict(one.x), values)) * WORTH_A_CHANGE < whole.smape
    return found if better else whole


def _batch(data: Observed, settings: Settings, name: str) -> list[ScalingModel]:
    """Fit quantities that were measured at the same points."""
    with np.errstate(invalid="ignore"):
        largest = np.nanmax(np.abs(data.values), axis=(1, 2))
    # A power of two: nothing is rounded, and squares stay within the range of numbers.
    units = np.exp2(np.floor(np.log2(np.where(largest > 0, largest, 1.0))))
    measured = condensed(data.values / units[:, None, None], settings.aggregate)
    chosen = _shortened(settings.select(data.x, measured).compact(), data.x, units)
    fitted = chosen.values(data.x)
    errors = smape(fitted, measured.values, axis=1)
    with np.errstate(over="ignore"):
        squares = rss(fitted, measured.values, axis=1) * units * units
    repeated = repetition_noise(measured)
    noise = _noise(measured, fitted, repeated, chosen)
    with np.errstate(all="ignore"):
        far = chosen.values(np.array([FAR * data.x[-1]]))[:, 0]
    negative = [each.power < 0 for each in chosen.terms] + [False]
    zeros = (measured.values == 0).sum(axis=1)
    fall = falls(measured.values)
    plain = settings.as_dict()
    ranges = ((float(data.x[0]), float(data.x[-1])),)
    models = []
    for row in range(data.models):
        at = int(chosen.first[row]), int(chosen.second[row])
        terms, coefficients = _terms(chosen, row, float(units[row]))
        certainty = float(chosen.certainty[row])
        values = measured.values[row]
        falling = settings.searches_falling(bool(fall[row]))
        facts = Facts(
            points=len(data.x),
            outliers=int(measured.outliers[row]),
            left_out=settings.aggregate == "robust",
            smape=float(errors[row]),
            falls=bool(fall[row]),
            positive=bool((values > 0).all()),
            zeros=int(zeros[row]),
            floored=bool(chosen.floored[row]),
            certainty=None if np.isnan(certainty) else certainty,
            constant=at[0] < 0,
            negative_power=negative[at[0]] or negative[at[1]],
            strong_scaling=falling,
            ends_below=bool(far[row] < 0),
            last_x=ranges[0][1],
            name=name,
        )
        # Also of other methods: what is uncertain is the quantity, not which rule was used to choose one hypothesis.
        wide = falling or (settings.strong_scaling is None and bool(fall[row]))
        uncertainty = PosteriorUncertainty(
            data.x, values, measured.counts[row], measured.squares[row], wide, float(units[row])
        )
        models.append(
            ScalingModel(
                names=(name,),
                terms=terms,
                coefficients=coefficients,
                ranges=ranges,
                method=settings.method,
                settings=plain,
                points=len(data.x),
                measurements=int(measured.counts[row].sum()),
                smape=float(errors[row]),
                rss=float(squares[row]),
                noise=None if np.isnan(noise[row]) else float(noise[row]),
                certainty=facts.certainty,
                notes=(*caveats(facts), *data.notes),
                uncertainty=uncertainty,
            )
        )
    return models


def _terms(chosen: Selection, row: int, unit: float) -> tuple[tuple[tuple[Exponents, ...], ...], tuple[float, ...]]:
    """Return the terms of a model and their coefficients; a constant of 0 beside others is left out."""
    terms, coefficients = [], []
    constant = float(chosen.coefficients[0, row])
    places = [int(place) for place in (chosen.first[row], chosen.second[row]) if place >= 0]
    if constant != 0 or not places:
        terms.append((_CONSTANT,))
        coefficients.append(constant * unit)
    for which, place in enumerate(places, 1):
        terms.append((chosen.terms[place],))
        coefficients.append(float(chosen.coefficients[which, row]) * unit)
    return tuple(terms), tuple(coefficients)


def _shortened(chosen: Selection, x: Array, units: Array) -> Selection:
    """Return it with coefficients of 12 digits where that changes no value by more than rounding: 5, not 5.0000…36."""
    found = chosen.coefficients * units
    short = np.array([float(f"{each:.12g}") for each in found.ravel()]).reshape(found.shape) / units
    largest = np.abs(chosen.values(x)).max(axis=1)
    short[0] = np.where(np.abs(short[0]) < 1e-13 * largest, 0.0, short[0])
    other = replace(chosen, coefficients=short)
    values, changed = chosen.values(x), other.values(x)
    same = (np.abs(changed - values) <= 1e-11 * np.abs(values)).all(axis=1)
    return replace(chosen, coefficients=np.where(same, short, chosen.coefficients))


def _noise(measured: Condensed, fitted: Array, repeated: Array, chosen: Selection) -> Array:
    """Return the relative standard deviation of a measurement in percent, from repetitions or else from residuals."""
    used = 1 * (chosen.coefficients[0] != 0) + (chosen.first >= 0) + (chosen.second >= 0)
    free = measured.values.shape[1] - np.maximum(used, 1)
    size = np.abs(measured.values)
    size = np.where(size > 0, size, size.mean(axis=1, keepdims=True))
    with np.errstate(invalid="ignore", divide="ignore"):
        relative = (measured.values - fitted) / np.where(size > 0, size, 1.0)
        residual = 100 * np.sqrt((measured.counts * relative**2).sum(axis=1) / np.where(free > 0, free, np.nan))
    return np.where(np.isnan(repeated), residual, repeated)
