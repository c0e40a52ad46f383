"""The hypotheses of the default learner for one parameter, with their prior, and their posterior, all fitted at once.

Each hypothesis is fitted by least squares relative to the noise of each point. The columns are made orthogonal one
after the other (modified Gram-Schmidt), for all hypotheses and all quantities together. Unlike normal equations, this
keeps residuals exact to rounding, which distinguishes data without noise from data with little noise.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache

import numpy as np

from splc.scaling.evidence import (
    BEYOND,
    LOG_DENSITY,
    NEGATIVE_CONSTANT,
    NEGATIVE_TERM,
    NoiseEvidence,
    coefficient_density,
    log_excluded,
    never_negative,
)
from splc.scaling.exponents import FALLING, Exponents, Product, columns, exponent_columns, usable
from splc.scaling.selection import FAR, ROW
from splc.types import Array

# The prior (docs/decisions/0014-scaling-prior.md). A power by its denominator, relative to a whole one: halves and
# thirds come from dimensions and surfaces, other fractions more often from noise than from algorithms.
_DENOMINATORS = {1: 1.0, 2: 0.4, 3: 0.3, 4: 0.15, 5: 0.05}
# Powers above 3, up to the largest of the paper: rare.
_HIGH = {Fraction(4): 0.1, Fraction(5): 0.05, Fraction(7, 2): 0.03, Fraction(9, 2): 0.02}
# Logarithms without a power, by their exponent.
_LOGARITHMS = {Fraction(1): 1.0, Fraction(2): 0.5, Fraction(1, 2): 0.05, Fraction(3, 2): 0.05}
# Powers times a logarithm or its square: sorting, trees and reductions beside loops. They are those of Extra-P's list,
# and x^3 log2(x)^2. A fractional power is more plausible with a logarithm, which it often approximates.
_MULTIPLIED = {1: 1.0, 2: 0.75, 3: 0.65, 4: 0.55}
_BY_LOGARITHM = (0.65, 0.5)
_PRODUCTS = tuple(map(Fraction, ("1/4", "1/3", "1/2", "2/3", "3/4", "1", "5/4", "4/3", "3/2", "2", "5/2", "3")))
_FALLING = 0.3
# Other powers, as tenths, from this number of points on: fewer cannot tell them from their neighbours.
_MANY_POINTS, _TENTHS = 7, 0.02

# The constant alone; of all others two terms, and no constant: most programs have a part that does not scale.
CONSTANT_SHARE = 0.3
TWO_TERMS_SHARE = 0.1
NO_CONSTANT_SHARE = 0.35
# The least plausible terms of two-term hypotheses, of powers, logarithms and x log2(x): five points do not suffice for
# more.
_IN_PAIRS = 0.3


def term_weights() -> dict[Exponents, float]:
    """Return the terms of the default search space with their weights (they need not add up to 1)."""
    none = Fraction(0)
    powers = (Fraction(top, bottom) for bottom in _DENOMINATORS for top in range(1, 3 * bottom + 1))
    weights = {Exponents(power, none): _DENOMINATORS[power.denominator] for power in powers}
    weights |= {Exponents(power, none): weight for power, weight in _HIGH.items()}
    weights |= {Exponents(none, log): weight for log, weight in _LOGARITHMS.items()}
    for power in _PRODUCTS:
        for times, weight in enumerate(_BY_LOGARITHM, 1):
            weights[Exponents(power, Fraction(times))] = weight * _MULTIPLIED[power.denominator]
    return weights


@dataclass(frozen=True, eq=False)
class HypothesisSpace:
    """The hypotheses for one set of points: all sums of at most two terms, with and without a constant."""

    terms: tuple[Exponents, ...]  # the terms
    single: Array  # log prior of each term as the only one (with a constant or without), shape (terms,)
    first: Array  # the first terms of two-term hypotheses, as positions, shape (pairs,)
    second: Array  # their second terms
    double: Array  # log prior of each of them, shape (pairs,)
    values: Array  # the terms' columns, shape (terms, n)
    powers: Array  # the terms' exponents, shape (terms, 1)
    logs: Array
    far: Array  # their values at four times the largest point, where contributions are compared, shape (terms,)
    # all hypotheses, of the type `ROW`: the constant, each term, each with a constant, the pairs, those with a constant
    rows: Array
    log_prior: Array  # shape (hypotheses,)
    sizes: Array  # the number of coefficients of each, shape (hypotheses,)
    far_first: Array  # the values of first terms where signs count, 0 for none, shape (places, hypotheses, 1)
    far_second: Array  # those of second terms

    @cached_property
    def products(self) -> tuple[Product, ...]:
        """The terms as products of a single factor."""
        return tuple((term,) for term in self.terms)


def space(x: Array, falling: bool) -> HypothesisSpace:
    """Return the hypotheses for points x, each with fewer coefficients than points."""
    return _space(np.asarray(x, dtype=float).tobytes(), falling)


# The quantities of a profile share their points, and each interval needs the space again.
@lru_cache(maxsize=64)
def _space(points: bytes, falling: bool) -> HypothesisSpace:
    x = np.frombuffer(points)
    distinct = len(x)
    weights = term_weights()
    if distinct >= _MANY_POINTS:
        tenths = (Exponents(Fraction(top, 10), Fraction(0)) for top in range(1, 31))
        weights |= {term: _TENTHS for term in tenths if term not in weights}
    if falling:
        for term in FALLING:
            plain = _DENOMINATORS[term.power.denominator] * (0.2 if term.log != 0 else 1.0)
            weights[term] = _FALLING * plain * (1.0 if abs(term.power) <= 2 else 0.3)
    terms = usable(weights, x) if distinct > 1 else ()
    single = np.array([weights[term] for term in terms])
    simple = [term.power == 0 or term.log == 0 or term.power == term.log == 1 for term in terms]
    paired = [i for i, term in enumerate(terms) if simple[i] and weights[term] >= _IN_PAIRS] if distinct > 2 else []
    pairs = np.array(list(itertools.combinations(paired, 2)), dtype=int).reshape(-1, 2)
    double = single[pairs[:, 0]] * single[pairs[:, 1]]
    with np.errstate(divide="ignore"):
        any_pairs = TWO_TERMS_SHARE if len(pairs) else 0.0
        log_single = np.log((1 - CONSTANT_SHARE) * (1 - any_pairs) * single / max(single.sum(), 1e-300))
        log_double = np.log((1 - CONSTANT_SHARE) * any_pairs * double / max(double.sum(), 1e-300))
    far = columns(terms, FAR * x[-1:])[:, 0]
    rows, log_prior = _all(log_single, pairs, log_double, distinct)
    sizes = 1 * rows["constant"] + (rows["first"] >= 0) + (rows["second"] >= 0)
    # The last one is that of no term.
    places = columns(terms, np.array([FAR, BEYOND]) * x[-1])
    known = np.append(places, np.zeros((1, 2)), axis=0).T[:, :, None]
    arrays = (
        log_single,
        pairs[:, 0].copy(),
        pairs[:, 1].copy(),
        log_double,
        columns(terms, x),
        *exponent_columns(terms),
        far,
        rows,
        log_prior,
        sizes,
        known[:, rows["first"]],
        known[:, rows["second"]],
    )
    for array in arrays:
        array.setflags(write=False)
    return HypothesisSpace(terms, *arrays)


def _all(single: Array, pairs: Array, double: Array, distinct: int) -> tuple[Array, Array]:
    """Return all hypotheses, as rows of the type `ROW`, and their log prior, from those of single terms and pairs."""
    no_term = np.array([-1])
    terms = np.arange(len(single))
    without, with_constant = np.log(NO_CONSTANT_SHARE), np.log(1 - NO_CONSTANT_SHARE)
    parts = [(no_term, no_term, True, np.log([CONSTANT_SHARE])), (terms, no_term, False, single + without)]
    # With as many coefficients as points every hypothesis fits.
    if distinct > 2:
        parts += [(terms, no_term, True, single + with_constant), (pairs[:, 0], pairs[:, 1], False, double + without)]
    if distinct > 3:
        parts.append((pairs[:, 0], pairs[:, 1], True, double + with_constant))
    rows = np.zeros(sum(len(part[0]) for part in parts), ROW)
    firsts, seconds, constants, log_priors = zip(*parts, strict=True)
    lengths = [len(second) for second in firsts]
    rows["first"], rows["constant"] = np.concatenate(firsts), np.repeat(constants, lengths)
    rows["second"] = np.concatenate([np.broadcast_to(second, n) for second, n in zip(seconds, lengths, strict=True)])
    return rows, np.concatenate(log_priors)


def triangular(designs: Array, values: Array) -> tuple[Array, Array, Array]:
    """Fit values (fits, points) by columns (fits, columns, points); a column of zeros is none.

    Returns the sums of squared residuals, the coefficients, and matrices whose products with a point's columns have the
    standard error of the fitted value there, per unit of noise, as their length, shape (fits, columns, columns).
    """
    fits, size, _ = designs.shape
    # Columns by points by fits: sums over the points are fast.
    orthogonal, values = designs.transpose(1, 2, 0).copy(), np.ascontiguousarray(values.T)
    norms = np.sqrt(np.einsum("knf,knf->kf", orthogonal, orthogonal))
    present = norms > 0
    scales = np.where(present, norms, 1.0)
    orthogonal /= scales[:, None]
    factors, parts = np.zeros((size, size, fits)), np.empty((size, fits))
    factors[np.arange(size), np.arange(size)] = np.where(present, 1 / scales, 0.0)
    for column in range(size):
        direction, later = orthogonal[column], slice(column + 1, size)
        length = np.where(present[column], np.sqrt(dot(direction, direction)), 1.0)
        direction = direction / length
        factors[column] /= length
        parts[column] = dot(direction, values)
        values = values - direction * parts[column]
        if column + 1 < size:
            shared = np.einsum("nf,knf->kf", direction, orthogonal[later])[:, None]
            orthogonal[later] -= direction * shared
            factors[later] -= shared * factors[column]
    coefficients = np.einsum("kf,kcf->fc", parts, factors)
    return dot(values, values), coefficients, np.ascontiguousarray(factors.transpose(2, 0, 1))


def dot(first: Array, second: Array) -> Array:
    """Return the sums of products along the first axis, without storing the products."""
    return np.asarray(np.einsum("n...,n...->...", first, second))


# Columns with a smaller part orthogonal to the others are taken as dependent.
_COLLINEAR = 1e-7
_ZERO, _ONE = np.zeros(()), np.ones(())
# The plausibility of hypotheses whose fit passes through the largest point for any value there: a term that only
# this point shows may be its noise, and is far off at larger ones. The whole factor holds from the second leverage on,
# and none up to the first.
_DECIDED, _LEVERAGES = 0.1, (0.9, 0.95)
_NEGATIVES = (NEGATIVE_CONSTANT, NEGATIVE_TERM, NEGATIVE_TERM)


@dataclass(frozen=True, eq=False)
class Posterior:
    """All hypotheses for a batch of quantities."""

    rows: Array  # the terms of each hypothesis and whether it has a constant, of the type `ROW`, shape (hypotheses,)
    sizes: Array  # number of coefficients, shape (hypotheses,)
    log_weights: Array  # unnormalised log posterior, shape (hypotheses, models)
    coefficients: Array  # constant, first and second, shape (3, hypotheses, models); 0 for none
    squares: Array  # sums of squared weighted residuals, shape (hypotheses, models)


def posterior(space: HypothesisSpace, values: Array, noise: NoiseEvidence) -> Posterior:
    """Return the posterior of all hypotheses for values (n, models)."""
    weights = noise.weights.T
    with np.errstate(divide="ignore", invalid="ignore"):
        builder = _Builder(values * weights, weights, space, noise)
        builder.constant()
        if space.terms:
            builder.singles()
        if len(space.first):
            builder.doubles()
        log_weights = builder.log_weights + ((space.log_prior + LOG_DENSITY * space.sizes)[:, None] + noise.density)
        constant, first, second = builder.coefficients
        far = constant + first * space.far_first + second * space.far_second
    log_weights[never_negative(values.T) & (far < 0).any(axis=0)] += log_excluded(len(values))
    low, high = _LEVERAGES
    log_weights += np.log(_DECIDED) / (high - low) * (np.clip(builder.leverages, low, high) - low)
    return Posterior(space.rows, space.sizes, log_weights, builder.coefficients, builder.squares)


class _Builder:
    """Fits constants, single terms and pairs in turn; they share intermediate results."""

    def __init__(self, z: Array, weights: Array, space: HypothesisSpace, noise: NoiseEvidence) -> None:
        self.z, self.space, self.noise = z, space, noise
        shape = len(space.rows), z.shape[1]
        # Without the prior.
        self.log_weights, self.squares, self.coefficients = np.empty(shape), np.empty(shape), np.zeros((3, *shape))
        # Leverages of the largest point; 0 for constants, which no single point decides.
        self.leverages = np.zeros(shape)
        self.filled = 0
        self.ones, self.one_norm = _unit(weights)
        self.level = dot(self.ones, z)
        self.residuals = z - self.ones * self.level
        self.columns, self.norms = _unit(space.values.T[:, :, None] * weights[:, None, :])

    def constant(self) -> None:
        """Add the constant model."""
        self._add(self.residuals[:, None], 1, {0: (self.level, _ONE, self.one_norm)})

    def singles(self) -> None:
        """Add each term alone, and each with a constant."""
        self.size = dot(self.columns, self.z[:, None])
        self.term_residuals = self.z[:, None] - self.columns * self.size
        self._add(self.term_residuals, 1, {1: (self.size, _ONE, self.norms)}, leverage=self.columns[-1] ** 2)
        self.shared = dot(self.ones[:, None], self.columns)
        orthogonal = self.columns - self.ones[:, None] * self.shared
        self.orthogonal_norms, inverse = _length(orthogonal)
        self.orthogonal = orthogonal * inverse
        self.step = dot(self.orthogonal, self.residuals[:, None])
        self.both_residuals = self.residuals[:, None] - self.orthogonal * self.step
        if len(self.z) <= 2:
            return
        size, unit = self.step / self.orthogonal_norms, 1 / self.orthogonal_norms
        base = self.level - self.shared * size
        coefficients = {0: (base, unit, self.one_norm), 1: (size, unit, self.norms)}
        leverage = self.ones[-1] ** 2 + self.orthogonal[-1] ** 2
        # Both errors contain one over the norm; the volume that they span contains it once.
        self._add(self.both_residuals, 2, coefficients, unit, self.orthogonal_norms, leverage)

    def doubles(self) -> None:
        """Add pairs of terms, and pairs with a constant."""
        i, j = self.space.first, self.space.second
        norms = _at(self.norms, i), _at(self.norms, j)
        shared, norm, step, residuals, leverage = _pairs(self.columns, self.term_residuals, i, j)
        second = step / norm
        first, unit = _at(self.size, i) - shared * second, 1 / norm
        self._add(residuals, 2, {1: (first, unit, norms[0]), 2: (second, unit, norms[1])}, unit, norm, leverage)
        if len(self.z) <= 3:
            return
        first_norm, second_norm = _at(self.orthogonal_norms, i), _at(self.orthogonal_norms, j)
        first_share, second_share = _at(self.shared, i), _at(self.shared, j)
        shared, norm, step, residuals, leverage = _pairs(self.orthogonal, self.both_residuals, i, j)
        second = step / norm
        first, second = (_at(self.step, i) - shared * second) / first_norm, second / second_norm
        first_unit, second_unit = 1 / (norm * first_norm), 1 / (norm * second_norm)
        base = self.level - first_share * first - second_share * second
        unit = np.sqrt(1 + (first_share * first_unit) ** 2 + (second_share * second_unit) ** 2)
        pair = {1: (first, first_unit, norms[0]), 2: (second, second_unit, norms[1])}
        # The product of the errors, less the part that correlation removes.
        volume, least_norm = first_unit * second_unit * norm, np.minimum(norm, np.minimum(first_norm, second_norm))
        leverage = self.ones[-1] ** 2 + leverage
        self._add(residuals, 3, {0: (base, unit, self.one_norm), **pair}, volume, least_norm, leverage)

    def _add(
        self,
        residuals: Array,
        size: int,
        coefficients: dict[int, tuple[Array, Array, Array]],
        volume: Array = _ONE,
        least_norm: Array | None = None,
        leverage: Array = _ZERO,
    ) -> None:
        """Add hypotheses with `size` coefficients.

        `coefficients`: position → a coefficient, its standard error per unit of noise, and the length of its column.
        `volume`: that of the errors. `least_norm`: the length of the smallest part of a column orthogonal to the
        others. `leverage`: that of the largest point.
        """
        rows = slice(self.filled, self.filled + residuals.shape[1])
        self.filled = rows.stop
        self.leverages[rows] = leverage
        squares = np.einsum("nhm,nhm->hm", residuals, residuals, out=self.squares[rows])
        log_weights, noise = self.noise.judged(squares, len(self.z) - size)
        density = volume
        for position, (value, unit, norm) in coefficients.items():
            density = density * coefficient_density(value, unit, noise, _NEGATIVES[position])
            np.divide(value, norm, out=self.coefficients[position, rows])
        if least_norm is not None:
            density = np.where(least_norm > _COLLINEAR, density, 0.0)
        np.add(log_weights, np.log(density), out=self.log_weights[rows])


def _pairs(basis: Array, residuals: Array, i: Array, j: Array) -> tuple[Array, Array, Array, Array, Array]:
    """Fit the second terms of pairs, unit columns (n, terms, models), to the residuals of the first ones."""
    first, second, second_residuals = _at(basis, i), _at(basis, j), _at(residuals, i)
    shared = dot(first, second)
    second -= first * shared
    norm, inverse = _length(second)
    step = dot(second, second_residuals) * inverse
    second_residuals -= second * (step * inverse)
    return shared, norm, step, second_residuals, first[-1] ** 2 + (second[-1] * inverse) ** 2


def _at(array: Array, places: Array) -> Array:
    """Return a copy of some terms of an array, whose terms are on the last axis but one."""
    return np.asarray(array.take(places, axis=-2))


def _unit(vectors: Array) -> tuple[Array, Array]:
    """Return vectors (first axis) of length 1, and their lengths."""
    length = np.sqrt(dot(vectors, vectors))
    return vectors / length, length


def _length(vectors: Array) -> tuple[Array, Array]:
    """Return the lengths of vectors (first axis), and one over each, 0 for columns that depend on others."""
    length = np.sqrt(dot(vectors, vectors))
    return length, np.where(length > _COLLINEAR, 1 / length, 0.0)
