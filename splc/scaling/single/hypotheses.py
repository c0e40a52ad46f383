"""The hypotheses of the default learner for one parameter, with their prior."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache

import numpy as np

from splc.scaling.columns import Product, columns, exponent_columns, usable
from splc.scaling.evidence import BEYOND
from splc.scaling.exponents import FALLING, Exponents
from splc.scaling.selection import FAR
from splc.scaling.shortlist import ROW
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
    """The hypotheses for one set of points: all sums of at most two terms, with and without a constant.

    Attributes:
        terms: the terms.
        single: log prior of each term as the only one (with a constant or without), shape (terms,).
        first, second: the terms of two-term hypotheses, as positions, shape (pairs,).
        double: log prior of each of them, shape (pairs,).
        values: the terms' columns, shape (terms, n).
        powers, logs: the terms' exponents, shape (terms, 1).
        far: their values at four times the largest point, where contributions are compared, shape (terms,).
        rows: all hypotheses, of the type `ROW`: the constant, each term, each with a constant, the pairs, and those
            with a constant.
        log_prior: shape (hypotheses,).
        sizes: the number of coefficients of each, shape (hypotheses,).
        far_first, far_second: the values of their terms where signs count, 0 for none, shape (places, hypotheses, 1).
    """

    terms: tuple[Exponents, ...]
    single: Array
    first: Array
    second: Array
    double: Array
    values: Array
    powers: Array
    logs: Array
    far: Array
    rows: Array
    log_prior: Array
    sizes: Array
    far_first: Array
    far_second: Array

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
    """Return all hypotheses, as rows of the type `ROW`, and their log prior.

    `single`, `double`: log priors of single terms and of `pairs`. `distinct`: the number of points.
    """
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
