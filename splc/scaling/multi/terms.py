"""The terms of each of several parameters, and the combinations of their effects: sums of products of one term each.

With a, b, c the terms of three parameters, a combination is a set of their products, such as {a·b, c} for a·b + c. Of
two or three parameters these are all sets of up to three products that use every parameter; of four or more all
partitions into products, such as a·b + c + d, and the product of all with one other product; of three or more also the
sum of all with the product of all: effects that dominate at cheap points, and one of all together that dominates
elsewhere. A product is a bit mask of parameters: 0b101 is a·c.

Quantities without negative measurements are not predicted to be negative. A hypothesis is linear in the term of each
parameter: where it is not negative at the corners of a box of points, it is not negative inside, either. The box is
that from the smallest values to 8 times the largest ones.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np

from splc.scaling.data import lines
from splc.scaling.evidence import BEYOND, NoiseEvidence, log_excluded
from splc.scaling.exponents import Exponents, columns, exponent_columns, exponents, hypothesis_columns, usable
from splc.scaling.single import CONSTANT_SHARE, space, term_weights
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
_ENOUGH = 3  # a line of fewer points fits any term
_ROUNDING = 1e-15  # rounding of normal equations, relative to the sum of squares


@dataclass(frozen=True, eq=False)
class ParameterTerms:
    """All terms of one parameter."""

    terms: tuple[Exponents, ...]  # their exponents
    columns: Array  # their values at the points, divided by `sizes`, shape (terms, n)
    sizes: Array  # the largest absolute value of each, shape (terms,)
    log_prior: Array  # shape (terms,)
    falling: Array  # whether they have negative powers, shape (terms,)
    powers: Array  # the exponents as numbers, each of shape (terms, 1)
    logs: Array
    ends: tuple[float, float]  # the smallest and the largest value of the parameter


Bases = tuple[ParameterTerms, ...]


def parameter_terms(points: Array) -> Bases:
    """Return the terms of every parameter at points, shape (n, parameters); each has several values."""
    return _parameter_terms(np.asarray(points, dtype=float).tobytes(), points.shape[1])


@lru_cache(maxsize=8)
def _parameter_terms(content: bytes, parameters: int) -> Bases:
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


def product_columns(bases: Bases, terms: Array, products: Array) -> Callable[[Array], Array]:
    """Return the products of hypotheses in the unit of their coefficients; 1 where there is no product."""
    factors = []
    for parameter, basis in enumerate(bases):
        places = np.where((products >= 0) & (products >> parameter & 1 == 1), terms[:, [parameter]], -1)
        factors.append((basis.powers, basis.logs, basis.sizes[:, None], places))
    return hypothesis_columns(factors)


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
    """Return the log plausibility of a parameter's terms along its lines, (models, terms), relative to the best one.

    Each line has a level and a slope, or only a slope (a product without a constant): the better of both counts.
    """
    with_level = np.zeros((len(z), len(basis.terms)))
    without = with_level.copy()
    covered = number = 0
    long_lines = [line for line in lines(points, parameter) if len(line) >= _ENOUGH]
    for length in sorted(set(map(len, long_lines))):
        rows = np.array([line for line in long_lines if len(line) == length])
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
    """Return the most plausible terms of each parameter, the best one first; scores of -inf are out."""
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


# The prior that a parameter has an effect, where some have one (parameters are usually varied because they matter); and
# that of a pure product and a pure sum.
ACTIVE_SHARE = 0.67
PRODUCT_SHARE, SUM_SHARE = 0.3, 0.4
_MAX_TERMS = 3
_ALL_SETS = 3
_PER_TERM = 0.6  # each further term makes a mixed combination less plausible by this factor


@dataclass(frozen=True)
class ParameterCombination:
    """A set of products of parameters."""

    products: tuple[int, ...]  # the products, as bit masks of parameters, ascending
    active: int  # the parameters that occur, as a bit mask
    log_prior: float  # among all combinations of any of the parameters


@lru_cache(maxsize=16)
def combinations(parameters: int) -> tuple[ParameterCombination, ...]:
    """Return all combinations of some of the parameters; the constant model, without products, first."""
    all_combinations = []
    probability_of_some = 1 - (1 - ACTIVE_SHARE) ** parameters
    for active in range(2**parameters):
        members = [1 << parameter for parameter in range(parameters) if active >> parameter & 1]
        share = ACTIVE_SHARE ** len(members) * (1 - ACTIVE_SHARE) ** (parameters - len(members))
        share = CONSTANT_SHARE if not members else (1 - CONSTANT_SHARE) * share / probability_of_some
        for products, weight in _weights(tuple(members)).items():
            all_combinations.append(ParameterCombination(products, active, float(np.log(share * weight))))
    return tuple(sorted(all_combinations, key=lambda combination: (len(combination.products), combination.products)))


def _weights(members: tuple[int, ...]) -> dict[tuple[int, ...], float]:
    """Return combination → probability for all combinations of exactly these parameters."""
    if len(members) < 2:
        return {members: 1.0}
    product, single = (sum(members),), tuple(members)
    mixed = {chosen for chosen in _sets(members) if chosen not in (product, single)}
    raw = {chosen: _PER_TERM ** len(chosen) for chosen in sorted(mixed)}
    remaining = (1 - PRODUCT_SHARE - SUM_SHARE) / sum(raw.values())
    return {product: PRODUCT_SHARE, single: SUM_SHARE} | {chosen: remaining * weight for chosen, weight in raw.items()}


def _sets(members: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    product = sum(members)
    subsets = [sum(chosen) for size in range(1, len(members) + 1) for chosen in itertools.combinations(members, size)]
    if len(members) <= _ALL_SETS:
        for size in range(1, _MAX_TERMS + 1):
            for chosen in itertools.combinations(sorted(subsets), size):
                if np.bitwise_or.reduce(chosen) == product:
                    yield chosen
        if len(members) > 2:
            yield (*members, product)
        return
    yield from (tuple(sorted(partition)) for partition in _partitions(members))
    yield from (tuple(sorted((subset, product))) for subset in subsets if subset != product)
    yield (*members, product)


def _partitions(members: tuple[int, ...]) -> Iterator[list[int]]:
    """Yield the partitions of parameters into products."""
    if not members:
        yield []
        return
    first, *others = members
    for smaller in _partitions(tuple(others)):
        yield [first, *smaller]
        for position, product in enumerate(smaller):
            yield [*smaller[:position], product | first, *smaller[position + 1 :]]


_NEGATIVE = 1e-9  # smaller values, relative to their parts, are rounding


def sign_log_weights(bases: Bases, terms: Array, products: Array, coefficients: Array) -> Array:
    """Return the logarithms of the factors of hypotheses' plausibility, 0 for those that are nowhere negative."""
    log_factors = np.zeros(len(terms))
    # The terms of all parameters are positive.
    rows = np.flatnonzero((coefficients < 0).any(axis=1))
    corners = np.array(
        list(itertools.product(*((low, BEYOND * high) for low, high in (basis.ends for basis in bases))))
    )
    with np.errstate(invalid="ignore", over="ignore"):
        parts = coefficients[rows, :, None] * product_columns(bases, terms[rows], products[rows])(corners)
        negative = (parts.sum(axis=1) < -_NEGATIVE * np.abs(parts).sum(axis=1)).any(axis=1)
    log_factors[rows[negative]] = log_excluded(bases[0].columns.shape[1])
    return log_factors
