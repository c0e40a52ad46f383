"""The classic search: the hypothesis with the smallest error, of all with up to n terms from a fixed set of exponents.

Errors are those in sample, or with one point left out. Source: Reisert et al., Following the Blind Seer, section 2.1,
and, for `basic`, Extra-P 4.2.5.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from functools import partial
from typing import Literal

import numpy as np

from splc.data.accuracy import smape
from splc.scaling.exponents import EXTRAP, Exponents, columns, usable
from splc.scaling.selection import Selection, batch_size
from splc.types import Array

# Extra-P 4.2.5: constants below this part of the smallest value count as 0 when a point is left out.
_NO_CONSTANT = 0.0005
_NO_FREEDOM = 1e-10


def line(columns: Array, values: Array) -> tuple[Array, Array]:
    """Return constant and slope of values by columns, both (n, …), by least squares; NaN where a column is constant."""
    level, mean = columns.mean(axis=0), values.mean(axis=0)
    centered = columns - level
    squares = (centered**2).sum(axis=0)
    flat = squares <= (1e-13 * np.abs(columns).max(axis=0)) ** 2
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        slope = np.where(flat, np.nan, (centered * (values - mean)).sum(axis=0) / squares)
        return mean - slope * level, slope


def left_out(columns: Array, values: Array) -> Array:
    """Return the SMAPE of predicting each point from all others, as Extra-P 4.2.5 does, shape (…); inf where undefined.

    A constant that is small relative to the smallest of the other values (or in itself, if that is 0) counts as 0. The
    fits without a point follow from the fit to all points, by the point's residual and leverage.
    """
    points = values.shape[0]
    level, mean = columns.mean(axis=0), values.mean(axis=0)
    centered = columns - level
    squares = (centered**2).sum(axis=0)
    constant, slope = line(columns, values)
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        residuals = values - mean - slope * centered
        # One less the leverage; at 0 the other points do not determine the fit.
        free = 1 - 1 / points - centered**2 / squares
        step = np.where(free > _NO_FREEDOM, residuals / free, np.nan)
        without = constant - step * (1 / points - centered * level / squares)
        ordered = np.sort(values, axis=0)[:2]
        smallest = np.where(values == ordered[0], ordered[-1], ordered[0])
        small = np.abs(without / np.where(smallest == 0, 1.0, smallest)) < _NO_CONSTANT
        errors = smape(values - step - np.where(small, without, 0.0), values)
    return np.where(np.isfinite(errors), errors, np.inf)


def contributes(slope: Array, columns: Array, values: Array) -> Array:
    """Return where a term contributes to some value (Extra-P 4.2.5: at least 0.05 % of it, and more than 0)."""
    with np.errstate(invalid="ignore", divide="ignore"):
        part = np.abs(slope * columns / values)
    part = np.where(np.isnan(part), 0.0, part)
    return np.asarray((part.max(axis=0) >= _NO_CONSTANT) & (slope != 0))


Criterion = Literal["rss", "loo"]
CRITERIA = ("rss", "loo")

# Smaller improvements, relative to the squares of the values, are rounding.
_ROUNDING = 1e-26


def classic(x: Array, values: Array, candidates: Sequence[Exponents], number: int, criterion: Criterion) -> Selection:
    """Choose the hypothesis with the smallest error, with at most `number` terms beside the constant.

    `criterion`: 'rss', the residual sum of squares in sample, as in the paper; or 'loo', the SMAPE at points left out,
    as in later versions, which does not always prefer a second term.
    """
    return _in_batches(x, values, candidates, number, partial(_smallest, number=number, criterion=criterion))


def basic(x: Array, values: Array) -> Selection:
    """Choose one of 42 terms as Extra-P 4.2.5 does by default: the smallest SMAPE at points left out."""
    return _in_batches(x, values, EXTRAP, 1, _leave_one_out)


def _in_batches(
    x: Array,
    values: Array,
    candidates: Sequence[Exponents],
    number: int,
    search: Callable[[Array, Array], tuple[Array, Array]],
) -> Selection:
    """Choose by a search: columns of terms and values (n, models) → up to `number` terms, and coefficients."""
    terms = usable(candidates, x) if len(x) > 1 else ()
    places, coefficients = np.full((number, len(values)), -1), np.zeros((1 + number, len(values)))
    size = batch_size(len(x), len(terms) ** number)
    for start in range(0, len(values), size):
        part = slice(start, start + size)
        places[:, part], coefficients[:, part] = search(columns(terms, x), values[part].T)
    return Selection.of_exponents(terms, places, coefficients)


def _smallest(terms: Array, values: Array, number: int, criterion: Criterion) -> tuple[Array, Array]:
    """Return the terms and the coefficients of the hypotheses with the smallest error."""
    points, models = values.shape
    places, coefficients = np.full((number, models), -1), np.zeros((1 + number, models))
    coefficients[0] = values.mean(axis=0)
    residuals = values - coefficients[0]
    if criterion == "loo":
        # The mean of the others differs from a value by n / (n - 1) times its residual.
        lowest = smape(values - residuals * (points / max(points - 1, 1)), values)
        rounding = np.full(models, 1e-9)
    else:
        lowest = (residuals**2).sum(axis=0)
        rounding = _ROUNDING * (values**2).sum(axis=0)
    for size in range(1, number + 1):
        # With as many coefficients as points every hypothesis fits.
        if size + 1 >= points:
            break
        chosen = np.array(list(itertools.combinations(range(len(terms)), size)), dtype=int).reshape(-1, size)
        if not len(chosen):
            break
        fits, errors = _fitted(np.moveaxis(terms[chosen], 1, 2), values, criterion)
        best, at = errors.argmin(axis=0), np.arange(models)
        better = (errors[best, at] < lowest - rounding) & (lowest > rounding)
        lowest = np.where(better, errors[best, at], lowest)
        coefficients[: size + 1, better] = fits[:, best, at][:, better]
        places[:size, better] = chosen[best].T[:, better]
    return places, coefficients


def _fitted(designs: Array, values: Array, criterion: Criterion) -> tuple[Array, Array]:
    """Fit a constant beside each design (hypotheses, n, k); return coefficients, and errors, inf where collinear."""
    level = designs.mean(axis=1, keepdims=True)
    mean = values.mean(axis=0)
    centered = designs - level
    norms = np.sqrt((centered**2).sum(axis=1, keepdims=True))
    q, r = np.linalg.qr(centered / norms)
    ample = (np.abs(np.diagonal(r, axis1=1, axis2=2)) > 1e-10).all(axis=1)
    r[~ample] = np.eye(r.shape[1])
    steps = np.swapaxes(q, 1, 2) @ (values - mean)
    residuals = values - mean - q @ steps
    if criterion == "loo":
        # A point's residual without it is its residual by one less its leverage; at 1 it cannot be predicted.
        free = 1 - 1 / len(values) - (q**2).sum(axis=2, keepdims=True)
        ample &= (free > 1e-9).all(axis=(1, 2))
        errors = smape(values - residuals / np.maximum(free, 1e-9), values[None], axis=1)
    else:
        errors = (residuals**2).sum(axis=1)
    slopes = np.linalg.solve(r, steps) / np.swapaxes(norms, 1, 2)
    constant = mean - (np.swapaxes(level, 1, 2) * slopes).sum(axis=1)
    errors[~ample] = np.inf
    return np.concatenate([constant[None], np.moveaxis(slopes, 1, 0)]), errors


def _leave_one_out(terms: Array, values: Array) -> tuple[Array, Array]:
    """Return the terms with the smallest error at points left out, as Extra-P's basic modeler finds them."""
    models = values.shape[1]
    places, coefficients = np.full((1, models), -1), np.zeros((2, models))
    coefficients[0] = values.mean(axis=0)
    lowest = smape(np.broadcast_to(coefficients[0], values.shape), values)
    if len(values) < 3 or not len(terms):
        return places, coefficients
    design = terms.T[:, :, None]
    constant, slope = line(design, values[:, None])
    scores = np.where(contributes(slope, design, values[:, None]), left_out(design, values[:, None]), np.inf)
    best, at = scores.argmin(axis=0), np.arange(models)
    better = scores[best, at] < lowest
    places[0, better] = best[better]
    coefficients[:, better] = constant[best, at][better], slope[best, at][better]
    return places, coefficients
