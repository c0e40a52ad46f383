"""The default learner for one parameter: a hypothesis out of the most plausible ones.

All sums of up to two PMNF terms, with and without a constant, are fitted by least squares *relative* to the measured
values, since noise grows with the values. Each is weighed by its marginal likelihood over unknown noise and
coefficients (`splc.scaling.evidence`) and by the prior of its exponents (docs/decisions/0014-scaling-prior.md). The
most plausible one is chosen. Where noise is large, it decides which hypothesis is best: of those with at least 0.7
times the weight of the best, the one whose value at four times the largest point is nearest to the median of all is
chosen. All weights give intervals and the certainty of the lead term. Two other kinds of noise are considered by their
evidence: as large for small values as for large ones, and growing with the parameter.

Of hundreds of hypotheses some tens are plausible. These are kept with the model, without their fits: eight bytes each.
Fitting them again, for many quantities at once, takes microseconds.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, partial

import numpy as np

from splc.scaling import evidence
from splc.scaling.data import Condensed
from splc.scaling.exponents import FALLING, Exponents, Product, columns, exponent_columns, hypothesis_columns, usable
from splc.scaling.least_squares import Orthogonal, dot, judged, triangular
from splc.scaling.selection import FAR, MIN_SHARE, MOST, ROW, Plausible, Selection, Shortlist, nearest_to_median
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
_IN_PAIRS = 0.3  # least plausible terms in pairs, of powers, logs and x log2(x): five points do not suffice for more


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

    x: Array  # the points, shape (n,)
    terms: tuple[Exponents, ...]  # the terms
    powers: Array  # their exponents, shape (terms, 1)
    logs: Array
    single: Array  # log prior of each term as the only one (with a constant or without), shape (terms,)
    columns: Array  # the values of the terms and of the constant at the points, shape (terms + 1, n)
    far: Array  # values of the terms and of none (0), at four and eight times the largest point, (2, terms + 1)
    rows: Array  # the hypotheses, of the type `ROW`, those of one form together
    log_prior: Array  # shape (hypotheses,)
    forms: tuple[Form, ...]  # the forms of the hypotheses, in their order


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
        np.vstack([columns(terms, np.array([FAR, evidence.BEYOND]) * x[-1]), np.zeros(2)]).T,
        np.concatenate(rows),
        np.concatenate(log_priors),
    )
    for array in arrays:
        array.setflags(write=False)
    return HypothesisSpace(x, terms, *arrays, tuple(forms))


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
    """All hypotheses for a batch of quantities under one kind of noise."""

    rows: Array  # the terms of each hypothesis and whether it has a constant, of the type `ROW`, shape (hypotheses,)
    sizes: Array  # number of coefficients, shape (hypotheses,)
    log_weights: Array  # unnormalised log posterior, shape (hypotheses, models)
    coefficients: Array  # constant, first and second, shape (3, hypotheses, models); 0 for none
    squares: Array  # sums of squared weighted residuals, shape (hypotheses, models)

    @property
    def best(self) -> tuple[Array, Array]:
        """The squares and the number of coefficients of the most plausible hypothesis of each quantity."""
        rows = self.log_weights.argmax(axis=0)
        return self.squares[rows, np.arange(len(rows))], self.sizes[rows]


def posterior(search_space: HypothesisSpace, measured: Condensed, rows: Array, kind: int) -> Posterior:
    """Weigh all hypotheses for some quantities under one kind of noise."""
    measured = measured[rows]
    noise = evidence.noise_of(measured, kind, search_space.x)
    weights, values = noise.weights.T, measured.values.T
    columns = search_space.columns.T[:, :, None] * weights[:, None]
    lengths = np.sqrt(dot(columns, columns))
    columns /= lengths
    shape = len(search_space.rows), values.shape[1]
    log_weights, squares, sizes = np.empty(shape), np.empty(shape), np.empty(shape[0], dtype=int)
    coefficients, leverages = np.zeros((3, *shape)), np.zeros(shape)
    fitted: dict[tuple[int, ...], Orthogonal] = {(): Orthogonal((values * weights)[:, None])}
    start = 0
    for form in search_space.forms:
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
    log_weights += search_space.log_prior[:, None] + noise.density
    first, second = (search_space.far[:, search_space.rows[name], None] for name in _TERMS)
    with np.errstate(invalid="ignore"):
        is_negative = (coefficients[0] + coefficients[1] * first + coefficients[2] * second < 0).any(axis=0)
    log_weights[evidence.never_negative(measured.values) & is_negative] += evidence.log_excluded(len(values))
    low, high = _LEVERAGES
    log_weights += np.log(_DECIDED) / (high - low) * (np.clip(leverages, low, high) - low)
    return Posterior(search_space.rows, sizes, log_weights, coefficients, squares)


_DIP = 0.1  # a fall of less than this, relative to the first value, is more often noise
CHUNK = 640  # measured values per batch: intermediate results are then small enough for the processor's caches


def falls(values: Array) -> Array:
    """Return which quantities fall somewhere as x grows: they end lower, or fall by a tenth before they rise."""
    first = values[:, 0]
    return np.asarray((values[:, -1] < first) | (first - values.min(axis=1) > _DIP * np.abs(first)))


def default(x: Array, measured: Condensed, strong_scaling: bool | None) -> Selection:
    """Choose a hypothesis for each quantity; without `strong_scaling`, with negative powers if it falls."""
    models = len(measured.values)
    falling = falls(measured.values) if strong_scaling is None else np.full(models, strong_scaling)
    terms: tuple[Product, ...] = ()
    places, coefficients = np.full((2, models), -1), np.zeros((3, models))
    certainty, floored = np.ones(models), np.zeros(models, dtype=bool)
    shortlists: list[Shortlist | None] = [None] * models
    size = max(CHUNK // len(x), 1)
    for negative in np.unique(falling).tolist():
        search_space, quantities = space(x, negative), np.flatnonzero(falling == negative)
        for start in range(0, len(quantities), size):
            batch = quantities[start : start + size]
            kinds = evidence.kinds_of_noise(measured[batch], partial(posterior, search_space, measured[batch]), x)
            found = plausible(kinds, len(batch))
            noisy = np.zeros(len(batch), dtype=bool)
            for _, kind, rows, _ in kinds:
                # Partly absolute noise is considered where noise is large.
                noisy[rows] |= kind == evidence.FLOORED
            best, certainty[batch] = found.chosen(search_space.far[0], noisy)
            chosen = found.rows[best]
            for place, name in zip(places, _TERMS, strict=True):
                at = chosen[name].astype(int)
                place[batch] = np.where(at >= 0, at + len(terms), -1)
            coefficients[:, batch], floored[batch] = found.coefficients[:, best], chosen["noise"] == evidence.FLOORED
            ends = np.cumsum(found.counts).tolist()
            for row, first, end in zip(batch.tolist(), [0, *ends[:-1]], ends, strict=True):
                shortlists[row] = Shortlist(found.rows[first:end], negative)
        terms += tuple((term,) for term in search_space.terms)
    return Selection(terms, places, coefficients, certainty, floored, tuple(shortlists))


_LEFT_OUT = 1e-4  # the probability of all hypotheses that are left out
# Hypotheses with at least this share of the plausibility of the best are about as plausible.
_LIKELY = 0.7
_TERMS = ("first", "second")


@dataclass(frozen=True, eq=False)
class PlausibleHypotheses:
    """The plausible hypotheses of a batch of quantities, grouped by quantity, the most plausible one first."""

    rows: Array  # of the type `ROW`, shape (hypotheses,)
    model: Array  # the quantity of each
    coefficients: Array  # constant, first and second term, shape (3, hypotheses); 0 for none
    counts: Array  # the number of hypotheses of each quantity

    def chosen(self, far: Array, noisy: Array) -> tuple[Array, Array]:
        """Return the hypothesis that is chosen for each quantity, and the probability of its lead term.

        It is the most plausible one, or, where noise is large, the one whose value far away (`far`: those of the terms,
        and 0) is nearest to the median of all, out of those about as plausible as the best.
        """
        first, second = (self.coefficients[1 + at] * far[self.rows[name]] for at, name in enumerate(_TERMS))
        values = self.coefficients[0] + first + second
        weights = np.exp(self.rows["log_weight"].astype(float))
        starts = np.cumsum(self.counts) - self.counts
        totals = np.add.reduceat(weights, starts)
        limit = np.where(noisy, _LIKELY, 1.0) * weights[starts]
        best = nearest_to_median(values, weights, weights >= limit[self.model], self.model, starts)
        lead = np.where(np.abs(second) > np.abs(first), self.rows["second"], self.rows["first"])
        same = np.where(lead == lead[best][self.model], weights, 0.0)
        return best, np.add.reduceat(same, starts) / totals


def plausible(kinds: Sequence[evidence.Weighed[Posterior]], models: int) -> PlausibleHypotheses:
    """Return the plausible hypotheses of a batch, out of those weighed under each kind of noise."""
    highest = np.full(models, -np.inf)
    for fitted, _, quantities, log_share in kinds:
        highest[quantities] = np.maximum(highest[quantities], (fitted.log_weights + log_share).max(axis=0))
    parts = []
    for fitted, kind, quantities, log_share in kinds:
        relative = fitted.log_weights + log_share - highest[quantities]
        row, column = np.nonzero(relative > MIN_SHARE)
        rows = fitted.rows[row]
        rows["noise"], rows["log_weight"] = kind, relative[row, column]
        parts.append((rows, quantities[column], fitted.coefficients[:, row, column].T))
    rows, model, coefficients = map(np.concatenate, zip(*parts, strict=True))
    order = np.lexsort((-rows["log_weight"], model))
    rows, model, coefficients = rows[order], model[order], coefficients[order]
    starts = np.searchsorted(model, np.arange(models))
    share = np.exp(rows["log_weight"].astype(float))
    before = np.cumsum(share) - share
    kept = before - before[starts][model] < (1 - _LEFT_OUT) * np.add.reduceat(share, starts)[model]
    kept &= np.arange(len(rows)) - starts[model] < MOST
    return PlausibleHypotheses(
        rows[kept], model[kept], coefficients[kept].T, np.bincount(model[kept], minlength=models)
    )


def fits(x: Array, measured: Condensed, lists: Sequence[Shortlist]) -> Plausible:
    """Fit the hypotheses of shortlists of one space, those of one quantity after the other."""
    search_space = space(x, lists[0].falling)
    # As whole numbers, which are joined faster.
    rows = np.concatenate([shortlist.rows.view(np.int64) for shortlist in lists]).view(ROW)
    model = np.repeat(np.arange(len(lists)), [len(shortlist.rows) for shortlist in lists])
    # The constant, then the terms.
    places = np.stack([np.full(len(rows), -1), rows["first"], rows["second"]], 1)
    used = places >= 0
    used[:, 0] = rows["constant"]
    columns = hypothesis_columns([(search_space.powers, search_space.logs, 1.0, places)])
    values = np.where(used[:, :, None], columns(x[:, None]), 0.0)
    variances, freedoms, single, floors = (np.zeros(len(rows)) for _ in range(4))
    coefficients, factors = np.zeros((len(rows), 3)), np.zeros((len(rows), 3, 3))
    for kind in np.flatnonzero(np.bincount(rows["noise"])).tolist():
        part = np.flatnonzero(rows["noise"] == kind)
        models = np.flatnonzero(np.bincount(model[part]))
        model_of = np.searchsorted(models, model[part])
        batch = measured[models]
        noise = evidence.noise_of(batch, kind, x)
        weights = noise.weights[model_of]
        squares, coefficients[part], factors[part] = triangular(
            values[part] * weights[:, None], batch.values[model_of] * weights
        )
        free = np.maximum(len(x) - used[part].sum(axis=1), 0)
        variances[part], freedoms[part], _ = noise.moments(squares, free, model_of)
        single[part] = noise.single[model_of]
        floors[part] = np.abs(batch.values).max(axis=1)[model_of] if kind == evidence.FLOORED else 0.0
    log_weights, grows = rows["log_weight"].astype(float), (rows["noise"] == evidence.GROWING)[:, None]

    def growths(points: Array) -> Array:
        return np.where(grows, evidence.growth(points[:, 0], x), 1.0)

    growing = growths if grows.any() else None
    return Plausible(log_weights, coefficients, np.sqrt(variances), single, freedoms, floors, factors, columns, growing)
