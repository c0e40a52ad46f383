"""Scaling models of one and of several parameters, by plain computations."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial

import numpy as np

from splc.scaling.data import condensed
from splc.scaling.evidence import LOG_DENSITY, coefficient_density, noise_evidence
from splc.scaling.exponents import EXTRAP, Exponents
from splc.scaling.multi.terms import combinations, parameter_terms
from splc.scaling.single import NO_CONSTANT_SHARE
from splc.types import Array


def column(term: Exponents, x: Array) -> Array:
    """Return a term's values."""
    return np.asarray(x ** float(term.power) * np.log2(x) ** float(term.log))


def smallest_rss(x: Array, y: Array, terms: Sequence[Exponents], number: int) -> tuple[tuple[Exponents, ...], Array]:
    """Return the terms and coefficients with the smallest residual sum of squares, of exactly `number` terms."""
    best: tuple[float, tuple[Exponents, ...], Array] | None = None
    for chosen in itertools.combinations(terms, number):
        design = np.stack([np.ones_like(x), *(column(term, x) for term in chosen)], axis=1)
        coefficients = np.linalg.lstsq(design, y, rcond=None)[0]
        rss = float(((design @ coefficients - y) ** 2).sum())
        if best is None or rss < best[0]:
            best = rss, chosen, coefficients
    assert best is not None
    return best[1], best[2]


def smape(fitted: Array, y: Array) -> float:
    """Return the symmetric mean absolute percentage error."""
    return float(200 * np.mean(np.abs(fitted - y) / (np.abs(fitted) + np.abs(y))))


def left_out(x: Array, y: Array, terms: Sequence[Exponents], small: float = 0.0) -> float:
    """Return the SMAPE of predicting each point from the others by a constant and terms; small constants are 0."""
    design = np.stack([np.ones(len(x)), *(column(term, x) for term in terms)], axis=1)
    predicted = []
    for out in range(len(x)):
        rest = np.arange(len(x)) != out
        coefficients = np.linalg.lstsq(design[rest], y[rest], rcond=None)[0]
        coefficients[0] *= abs(coefficients[0] / y[rest].min()) >= small
        predicted.append(design[out] @ coefficients)
    return smape(np.array(predicted), y)


def smallest_left_out(x: Array, y: Array, terms: Sequence[Exponents]) -> Exponents | None:
    """Return the term that Extra-P's basic learner chooses; None for a constant."""
    best, lead = smape(np.full_like(y, y.mean()), y), None
    for term in terms:
        design = np.stack([np.ones(len(x)), column(term, x)], axis=1)
        slope = np.linalg.lstsq(design, y, rcond=None)[0][1]
        if np.abs(slope * design[:, 1] / y).max() < 0.0005:
            continue
        error = left_out(x, y, [term], 0.0005)
        if error < best:
            best, lead = error, term
    return lead


def refined_as_extrap(x: Array, y: Array) -> Exponents | None:
    """Return the term that Extra-P 4.2.5's refinement chooses; None for a constant. No term contributes too little."""
    return _refined(lambda term: (left_out(x, y, [term], 0.0005),) * 2, y, (5, 5, 5, 2), growth=1.5, least=1.3)


def refined(x: Array, y: Array) -> Exponents | None:
    """Return the term that iterative refinement as the paper has it chooses; None for a constant."""

    def judged(term: Exponents) -> tuple[float, float]:
        design = np.stack([np.ones(len(x)), column(term, x)], axis=1)
        fitted = design @ np.linalg.lstsq(design, y, rcond=None)[0]
        return float(((fitted - y) ** 2).sum()), smape(fitted, y)

    return _refined(judged, y, (6, 6, 6, 3), growth=1.0, least=2.0)


def _refined(
    judged: Callable[[Exponents], tuple[float, float]], y: Array, most: Sequence[int], growth: float, least: float
) -> Exponents | None:
    """Refine the exponents of each slice, which are at most `most`, by mediants.

    `judged` gives two errors of a term: one that is made small, and one whose ratios count. A new term needs a ratio
    that grows by `growth` after each step without one; the final one needs `least` of the error of a constant.
    """

    def error(at: int, exponent: Fraction) -> float:
        return judged(_along(at, exponent))[0]

    states = []
    for at, integers in enumerate((range(1, 6), range(6), range(6), range(1, 3))):
        center = min(map(Fraction, integers), key=partial(error, at))
        states.append((max(center - 1, Fraction(0)), center, min(center + 1, Fraction(most[at]))))

    def best() -> Exponents:
        return min((_along(at, center) for at, (_, center, _) in enumerate(states)), key=lambda term: judged(term)[0])

    accepted, threshold = best(), 1.5
    for _ in range(10):
        gains = []
        for at, (left, center, right) in enumerate(states):
            low, high = _mediant(left, center), _mediant(center, right)
            found = min((center, low, high), key=partial(error, at))
            gains.append(judged(_along(at, center))[1] / judged(_along(at, found))[1])
            moves = [(center, (low, center, high)), (low, (left, low, center)), (high, (center, high, right))]
            # At the largest exponent, the center is the high one, too: Extra-P stays there.
            states[at] = dict(moves if growth == 1 else moves[::-1])[found]
        if judged(accepted)[1] / judged(best())[1] >= threshold:
            accepted, threshold = best(), 1.5
        else:
            threshold *= growth
        if max(gains) < 2:
            break
    return accepted if smape(np.full_like(y, y.mean()), y) / judged(accepted)[1] >= least else None


def _along(slice_: int, exponent: Fraction) -> Exponents:
    """Return an exponent of a slice of refinement: powers with a logarithm to the power of 0, 1 or 2, or logarithms."""
    return Exponents(Fraction(0), exponent) if slice_ == 3 else Exponents(exponent, Fraction(slice_))


def _mediant(a: Fraction, b: Fraction) -> Fraction:
    return Fraction(a.numerator + b.numerator, a.denominator + b.denominator)


# Letters are the terms of parameters with an effect.
COMBINATIONS = {
    2: "ab, a+b, ab+a, ab+b",
    3: "abc, a+b+c, abc+a, abc+b, abc+c, abc+ab, abc+ac, abc+bc, abc+ab+c, abc+bc+a, abc+ac+b, abc+a+b, abc+a+c, "
    "abc+b+c, ab+c, ac+b, bc+a, ab+c+a, ab+c+b, ac+b+a, ac+b+c, bc+a+b, bc+a+c",
}


def line_means(points: Array, y: Array, parameter: int) -> tuple[Array, Array]:
    """Return the points of one parameter, and the mean of the values there, along the longest lines."""
    lines: dict[tuple[float, ...], list[int]] = defaultdict(list)
    for at, point in enumerate(points):
        lines[tuple(np.delete(point, parameter))].append(at)
    longest = max(map(len, lines.values()))
    by_value: dict[float, dict[tuple[float, ...], float]] = defaultdict(dict)
    for others, rows in lines.items():
        if len(rows) == longest:
            for at in rows:
                by_value[points[at, parameter]][others] = y[at]
    first = next(iter(by_value.values())).keys()
    means = {
        value: np.mean([measured[others] for others in first if others in measured])
        for value, measured in by_value.items()
        if any(others in measured for others in first)
    }
    x = np.array(sorted(means))
    return x, np.array([means[each] for each in x])


def single_terms(points: Array, y: Array, method: str) -> dict[int, Exponents]:
    """Return the terms of the parameters that have an effect."""
    found = {}
    for parameter in range(points.shape[1]):
        x, means = line_means(points, y, parameter)
        term = smallest_left_out(x, means, EXTRAP) if method == "basic" else refined(x, means)
        if term is not None:
            found[parameter] = term
    return found


def predicted(points: Array, y: Array, method: str) -> Array:
    """Return the predictions at the points of the model of a quantity."""
    terms = single_terms(points, y, method)
    columns = {name: column(term, points[:, at]) for name, (at, term) in zip("abc", terms.items(), strict=False)}
    if not terms:
        return np.full_like(y, y.mean())
    if len(terms) == 1:
        ((at, term),) = terms.items()
        x, means = line_means(points, y, at)
        fits = []
        for known, values in ((column(term, x), means), (columns["a"], y)):
            constant, slope = np.linalg.lstsq(np.stack([np.ones_like(known), known], axis=1), values, rcond=None)[0]
            fits.append(constant + slope * columns["a"])
        return min(fits, key=lambda fitted: smape(fitted, y))
    best: tuple[float, Array] | None = None
    for combination in COMBINATIONS[len(terms)].split(", "):
        products = [np.prod([columns[name] for name in each], axis=0) for each in combination.split("+")]
        design = np.stack([np.ones(len(y)), *products], axis=1)
        # Columns of sizes from 1 to 1e16 would seem to depend on each other.
        sizes = design.max(axis=0)
        coefficients = np.linalg.lstsq(design / sizes, y, rcond=None)[0] / sizes
        least = min(np.abs(c * p / y).max() for c, p in zip(coefficients[1:], products, strict=True))
        error = smape(design @ coefficients, y)
        if best is None or (least >= 0.0005 and error < best[0] - 1e-7):
            best = error, design @ coefficients
    assert best is not None
    return best[1]


Weigh = Callable[[Sequence[int], Sequence[int]], tuple[float, Array]]


def hypothesis_weights(points: Array, values: Array) -> Weigh:
    """Return what gives the log weight and the coefficients of a hypothesis: a term of each parameter, and products.

    `points`: shape (n, parameters); `values`: positive, shape (n, repetitions). Dependent products have no weight.
    """
    mean = values.mean(axis=1)
    noise = noise_evidence(condensed(values[None], "mean"), mean[None])
    among, known = parameter_terms(points), {each.products: each for each in combinations(points.shape[1])}

    def weigh(terms: Sequence[int], masks: Sequence[int]) -> tuple[float, Array]:
        combination, constant = known[tuple(mask for mask in masks if mask)], 0 in masks
        prior = combination.log_prior
        if combination.products:
            prior += np.log(1 - NO_CONSTANT_SHARE if constant else NO_CONSTANT_SHARE)
        columns = np.ones((len(points), len(masks)))
        for at, own in enumerate(among):
            prior += float(own.log_prior[terms[at]]) * (combination.active >> at & 1)
            columns[:, [bool(mask >> at & 1) for mask in masks]] *= own.columns[terms[at]][:, None]
        design = columns / mean[:, None]
        norms = np.linalg.norm(design, axis=0)
        design /= norms
        coefficients, _, rank, _ = np.linalg.lstsq(design, np.ones(len(mean)), rcond=1e-9)
        if rank < len(masks):
            return -np.inf, coefficients
        squares, free = ((1 - design @ coefficients) ** 2).sum(), len(mean) - len(masks)
        (evidence,), (spread,) = noise.judged(np.array([squares]), free)
        covariance = np.linalg.inv(design.T @ design)
        units = np.sqrt(np.diag(covariance))
        found = prior + float(evidence) + 0.5 * np.linalg.slogdet(covariance)[1]
        for coefficient, unit in zip(coefficients, units, strict=True):
            found += LOG_DENSITY + float(np.log(coefficient_density(coefficient, unit * spread)))
        return found, coefficients / norms

    return weigh
