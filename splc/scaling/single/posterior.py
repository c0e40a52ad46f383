"""The hypotheses of the default learner for one parameter, with their prior, and their posterior, all fitted at once.

Each hypothesis is fitted by least squares relative to the noise of each point (`splc.scaling.least_squares`).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache

import numpy as np

from splc.scaling.evidence import BEYOND, NoiseEvidence, log_excluded, never_negative
from splc.scaling.exponents import FALLING, Exponents, Product, columns, exponent_columns, usable
from splc.scaling.least_squares import Orthogonal, dot, judged
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


# The place of the constant (0), of the first and of the second term → positions of columns, one per hypothesis.
Form = Mapping[int, Array]


@dataclass(frozen=True, eq=False)
class HypothesisSpace:
    """The hypotheses for one set of points: all sums of at most two terms, with and without a constant."""

    terms: tuple[Exponents, ...]  # the terms
    powers: Array  # their exponents, shape (terms, 1)
    logs: Array
    single: Array  # log prior of each term as the only one (with a constant or without), shape (terms,)
    columns: Array  # the values of the terms and of the constant at the points, shape (terms + 1, n)
    # the values of the terms and of none, which are 0, at four and eight times the largest point, shape (2, terms + 1)
    far: Array
    rows: Array  # the hypotheses, of the type `ROW`, those of one form together
    log_prior: Array  # shape (hypotheses,)
    forms: tuple[Form, ...]  # the forms of the hypotheses, in their order

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
    any_pairs = TWO_TERMS_SHARE if len(pairs) else 0.0
    log_single = np.log((1 - CONSTANT_SHARE) * (1 - any_pairs) * single / single.sum())
    log_double = np.log((1 - CONSTANT_SHARE) * any_pairs * double / double.sum())
    forms, rows, log_priors = [], [], []
    for form, log_priors_of in _forms(log_single, pairs, log_double, distinct):
        if len(log_priors_of):
            forms.append(form)
            log_priors.append(log_priors_of)
            rows.append(np.zeros(len(log_priors_of), ROW))
            rows[-1]["first"], rows[-1]["second"] = (form.get(place, -1) for place in (1, 2))
            rows[-1]["constant"] = 0 in form
    arrays = (
        *exponent_columns(terms),
        log_single,
        np.vstack([columns(terms, x), np.ones(distinct)]),
        np.vstack([columns(terms, np.array([FAR, BEYOND]) * x[-1]), np.zeros(2)]).T,
        np.concatenate(rows),
        np.concatenate(log_priors),
    )
    for array in arrays:
        array.setflags(write=False)
    return HypothesisSpace(terms, *arrays, tuple(forms))


def _forms(single: Array, pairs: Array, double: Array, distinct: int) -> Iterator[tuple[Form, Array]]:
    """Yield the forms of hypotheses with their log prior, from that of single terms and pairs."""
    constant, terms, (first, second) = np.array([-1]), np.arange(len(single)), pairs.T
    without, with_constant = np.log(NO_CONSTANT_SHARE), np.log(1 - NO_CONSTANT_SHARE)
    yield {0: constant}, np.log([CONSTANT_SHARE])
    yield {1: terms}, single + without
    # With as many coefficients as points every hypothesis fits.
    if distinct > 2:
        yield {0: constant, 1: terms}, single + with_constant
        yield {1: first, 2: second}, double + without
    if distinct > 3:
        yield {0: constant, 1: first, 2: second}, double + with_constant


# The plausibility of hypotheses whose fit passes through the largest point for any value there: a term that only
# this point shows may be its noise, and is far off at larger ones. The whole factor holds from the second leverage on,
# and none up to the first.
_DECIDED, _LEVERAGES = 0.1, (0.9, 0.95)


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
    z = (values * weights)[:, None]
    columns = space.columns.T[:, :, None] * weights[:, None]
    lengths = np.sqrt(dot(columns, columns))
    columns /= lengths
    shape = len(space.rows), values.shape[1]
    log_weights, squares, sizes = np.empty(shape), np.empty(shape), np.empty(shape[0], dtype=int)
    coefficients, leverages = np.zeros((3, *shape)), np.zeros(shape)
    fitted: dict[tuple[int, ...], Orthogonal] = {(): Orthogonal(z)}
    start = 0
    for form in space.forms:
        *others, last = form
        part = slice(start, start + len(form[last]))
        start = part.stop
        # Each hypothesis has one more term than another one. The fits of single terms have these in their order.
        smaller = fitted[tuple(others)]
        fit = (smaller.take(form[1]) if last == 2 else smaller).extended(columns.take(form[last], axis=1))
        fitted[tuple(form)] = fit
        fits = judged(fit.upper, fit.components, fit.squares, noise)
        log_weights[part], squares[part], sizes[part] = fits.log_weights, fits.squares, len(form)
        for (place, at), coefficient in zip(form.items(), fits.coefficients, strict=True):
            coefficients[place, part] = coefficient / lengths[at]
        # No single point decides a constant.
        if 1 in form:
            leverages[part] = sum(direction[-1] ** 2 for direction in fit.basis)
    log_weights += space.log_prior[:, None] + noise.density
    first, second = (space.far[:, space.rows[place], None] for place in ("first", "second"))
    with np.errstate(invalid="ignore"):
        is_negative = (coefficients[0] + coefficients[1] * first + coefficients[2] * second < 0).any(axis=0)
    log_weights[never_negative(values.T) & is_negative] += log_excluded(len(values))
    low, high = _LEVERAGES
    log_weights += np.log(_DECIDED) / (high - low) * (np.clip(leverages, low, high) - low)
    return Posterior(space.rows, sizes, log_weights, coefficients, squares)
