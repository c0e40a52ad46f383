"""The terms of each of several parameters: the whole search space, and a shortlist from its lines."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np

from splc.scaling.columns import Factors, HypothesisColumns, columns, exponent_columns, usable
from splc.scaling.evidence import NoiseEvidence
from splc.scaling.exponents import Exponents, exponents
from splc.scaling.multi.lines import by_length, lines
from splc.scaling.single.hypotheses import space, term_weights
from splc.types import Array

# The number of terms per parameter that are combined with those of the others, by the number of parameters, which
# limits the number of choices; and the least log plausibility of a term on the lines, relative to the best one.
_MOST = {1: 40, 2: 20, 3: 7, 4: 4}
_LEAST = 3
LINE_BEHIND = 7.0
# The plausibility of tenths, and of other fractions times a logarithm or its square, relative to whole powers.
_TENTHS, _WITH_LOGARITHM = 0.008, (0.004, 0.002)
# They are considered from this number of points per parameter on. With fewer points they follow the noise: 89 instead
# of 92 % of models are then within 5 % at 9 points of the published sparse evaluation.
DENSE = 10
# A line of fewer points fits any term.
_ENOUGH = 3
# Rounding of normal equations, relative to the sum of squares.
_ROUNDING = 1e-15


@dataclass(frozen=True, eq=False)
class ParameterTerms:
    """All terms of one parameter.

    Attributes:
        terms: their exponents.
        columns: their values at the points, divided by `sizes`, shape (terms, n).
        sizes: the largest absolute value of each, shape (terms,).
        log_prior: shape (terms,).
        falling: whether they have negative powers, shape (terms,).
        powers, logs: the exponents as numbers, each of shape (terms, 1).
        ends: the smallest and the largest value of the parameter.
    """

    terms: tuple[Exponents, ...]
    columns: Array
    sizes: Array
    log_prior: Array
    falling: Array
    powers: Array
    logs: Array
    ends: tuple[float, float]


def parameter_terms(points: Array) -> tuple[ParameterTerms, ...]:
    """Return the terms of every parameter at points, shape (n, parameters); each has several values."""
    return _parameter_terms(np.asarray(points, dtype=float).tobytes(), points.shape[1])


@lru_cache(maxsize=8)
def _parameter_terms(content: bytes, parameters: int) -> tuple[ParameterTerms, ...]:
    points = np.frombuffer(content).reshape(-1, parameters)
    bases = []
    for values in points.T:
        search_space = space(np.unique(values), True)
        known = term_weights()
        dense = len(points) >= DENSE * points.shape[1]
        further = usable([term for term in _further() if term not in known], values) if dense else ()
        terms = search_space.terms + further
        values_of_terms = columns(terms, values)
        sizes = np.abs(values_of_terms).max(axis=1)
        prior = search_space.single
        # The log weight of x in the prior of one parameter.
        log_unit = next(log - np.log(known[term]) for term, log in zip(terms, prior, strict=False) if term in known)
        prior = np.append(prior, [log_unit + np.log(_further()[term]) for term in further])
        prior = prior - np.logaddexp.reduce(prior)
        powers, logs = exponent_columns(terms)
        arrays = (values_of_terms / sizes[:, None], sizes, np.asarray(prior), powers[:, 0] < 0, powers, logs)
        for array in arrays:
            array.setflags(write=False)
        bases.append(ParameterTerms(terms, *arrays, (float(values.min()), float(values.max()))))
    return tuple(bases)


@lru_cache(maxsize=1)
def _further() -> dict[Exponents, float]:
    """Return terms that many points of several parameters can tell from those of one parameter, with their weights."""
    weights = {exponents(Fraction(top, 10)): _TENTHS for top in range(1, 31)}
    fractions = {Fraction(top, bottom) for bottom in (3, 4, 5) for top in range(1, 3 * bottom)}
    for power in sorted(fractions):
        weights |= {exponents(power, log): weight for log, weight in enumerate(_WITH_LOGARITHM, 1)}
    return weights


def product_columns(bases: tuple[ParameterTerms, ...], terms: Array, products: Array) -> HypothesisColumns:
    """Return the products of hypotheses in the unit of their coefficients; 1 where there is no product."""
    factors = []
    for parameter, basis in enumerate(bases):
        places = np.where((products >= 0) & (products >> parameter & 1 == 1), terms[:, [parameter]], -1)
        factors.append(Factors.of(basis.powers, basis.logs, basis.sizes, places))
    return HypothesisColumns(tuple(factors))


def falls(points: Array, values: Array, parameter: int) -> Array:
    """Return which quantities fall from the first to the last points of a parameter's lines, shape (models,)."""
    all_lines = lines(points, parameter)
    if not all_lines:
        order = np.argsort(points[:, parameter])
        half = max(len(order) // 2, 1)
        return np.asarray(values[:, order[-half:]].mean(axis=1) < values[:, order[:half]].mean(axis=1))
    first, last = (np.array([rows[end] for rows in all_lines]) for end in (0, -1))
    return np.asarray((np.sign(values[:, last] - values[:, first])).sum(axis=1) < 0)


def most_terms(parameters: int) -> int:
    """Return the largest number of terms of a shortlist."""
    return _MOST.get(parameters, _LEAST)


def line_scores(points: Array, parameter: int, basis: ParameterTerms, z: Array, noise: NoiseEvidence) -> Array | None:
    """Return the log plausibility of a parameter's terms along its lines, shape (models, terms).

    Each line has a level and a slope, or only a slope (a product without a constant): the better of both
    counts, relative to the best term.

    `points`: shape (n, parameters). `z`: weighted values, shape (models, n). `noise`: the
    evidence on their noise.
    """
    with_level = np.zeros((len(z), len(basis.terms)))
    without = with_level.copy()
    covered = number = 0
    for length, rows in by_length(lines(points, parameter)).items():
        if length < _ENOUGH:
            continue
        # (lines, models, length) and (lines, length, terms)
        w, values = (np.moveaxis(array[:, rows], 1, 0) for array in (noise.weights, z))
        columns = np.moveaxis(basis.columns[:, rows], 0, 2)
        unit = np.sqrt((w**2).sum(axis=2, keepdims=True))
        level = (w * values).sum(axis=2, keepdims=True) / unit
        residuals = values - w / unit * level
        lengths = (w**2) @ columns**2
        shared = (w**2 / unit) @ columns
        centered = lengths - shared**2
        with np.errstate(divide="ignore", invalid="ignore"):
            gain = np.where(centered > 1e-12 * lengths, ((w * residuals) @ columns) ** 2 / centered, 0.0)
            explained = ((w * values) @ columns) ** 2 / lengths
        totals = (values**2).sum(axis=2, keepdims=True)
        with_level += np.maximum((residuals**2).sum(axis=2, keepdims=True) - gain, _ROUNDING * totals).sum(axis=0)
        without += np.maximum(totals - explained, _ROUNDING * totals).sum(axis=0)
        covered += rows.size
        number += len(rows)
    if number == 0:
        return None
    scores = []
    for squares, used in ((with_level, 2), (without, 1)):
        judged = noise.judged(squares, max(covered - used * number, 0), np.arange(len(z))[:, None])[0] + basis.log_prior
        scores.append(judged - judged.max(axis=1, keepdims=True))
    return np.asarray(np.maximum(*scores))


def shortlists(scores: list[Array]) -> tuple[Array, Array]:
    """Return the most plausible terms of each parameter, the best one first.

    `scores`: per parameter the log plausibility of its terms, shape (models, terms), -inf for those that are out.
    """
    most = most_terms(len(scores))
    models = len(scores[0])
    places = np.zeros((models, len(scores), most), dtype=int)
    log_plausibility = np.full((models, len(scores), most), -np.inf)
    for parameter, term_scores in enumerate(scores):
        width = min(most, term_scores.shape[1])
        if width == 0:
            continue
        order = np.argsort(-term_scores, axis=1, kind="stable")[:, :width]
        ranked = np.take_along_axis(term_scores, order, axis=1)
        # Without a plausible term there is nothing to subtract.
        ranked = ranked - np.where(np.isfinite(ranked[:, :1]), ranked[:, :1], 0.0)
        places[:, parameter, :width] = order
        log_plausibility[:, parameter, :width] = np.where(ranked > -LINE_BEHIND, ranked, -np.inf)
    return places, log_plausibility
