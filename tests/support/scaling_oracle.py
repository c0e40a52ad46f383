"""Plain implementations of the learners' rules: one hypothesis, one quantity, one `lstsq` at a time."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from splc.scaling.exponents import Exponents
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


def left_out(x: Array, y: Array, term: Exponents) -> float:
    """Return the SMAPE of predicting each point from the others, small constants taken for 0."""
    predicted = []
    for out in range(len(x)):
        rest = np.arange(len(x)) != out
        design = np.stack([np.ones(len(x)), column(term, x)], axis=1)
        constant, slope = np.linalg.lstsq(design[rest], y[rest], rcond=None)[0]
        constant = 0.0 if abs(constant / y[rest].min()) < 0.0005 else constant
        predicted.append(constant + slope * design[out, 1])
    return smape(np.array(predicted), y)


def smallest_left_out(x: Array, y: Array, terms: Sequence[Exponents]) -> Exponents | None:
    """Return the term that Extra-P's basic learner chooses; None for a constant."""
    best, lead = smape(np.full_like(y, y.mean()), y), None
    for term in terms:
        design = np.stack([np.ones(len(x)), column(term, x)], axis=1)
        slope = np.linalg.lstsq(design, y, rcond=None)[0][1]
        if np.abs(slope * design[:, 1] / y).max() < 0.0005:
            continue
        error = left_out(x, y, term)
        if error < best:
            best, lead = error, term
    return lead


def left_out_plainly(x: Array, y: Array, terms: Sequence[Exponents]) -> float:
    """Return the SMAPE of predicting each point from the others, by a constant and terms."""
    design = np.stack([np.ones(len(x)), *(column(term, x) for term in terms)], axis=1)
    predicted = []
    for out in range(len(x)):
        rest = np.arange(len(x)) != out
        predicted.append(design[out] @ np.linalg.lstsq(design[rest], y[rest], rcond=None)[0])
    return smape(np.array(predicted), y)


def refined_as_extrap(x: Array, y: Array) -> Exponents | None:
    """Return the term that Extra-P 4.2.5's refinement chooses; None for a constant. No term contributes too little."""
    states = []
    for slice_, integers in enumerate((range(1, 6), range(6), range(6), range(1, 3))):
        most = integers[-1]
        center = min(map(Fraction, integers), key=lambda each, at=slice_: left_out(x, y, _along(at, each)))  # type: ignore[misc]
        states.append((max(center - 1, Fraction(0)), center, min(center + 1, Fraction(most))))

    def best() -> Exponents:
        terms = [_along(at, center) for at, (_, center, _) in enumerate(states)]
        return min(terms, key=lambda each: left_out(x, y, each))

    accepted, threshold = best(), 1.5
    for _ in range(10):
        gains = []
        for at, (left, center, right) in enumerate(states):
            low, high = _mediant(left, center), _mediant(center, right)
            found = min((center, low, high), key=lambda each, at=at: left_out(x, y, _along(at, each)))  # type: ignore[misc]
            gains.append(left_out(x, y, _along(at, center)) / left_out(x, y, _along(at, found)))
            # At the largest exponent, the center is the high one, too.
            states[at] = {low: (left, low, center), high: (center, high, right), center: (low, center, high)}[found]
        if left_out(x, y, accepted) / left_out(x, y, best()) >= threshold:
            accepted, threshold = best(), 1.5
        else:
            threshold *= 1.5
        if max(gains) < 2:
            break
    return accepted if smape(np.full_like(y, y.mean()), y) / left_out(x, y, accepted) >= 1.3 else None


def _along(slice_: int, exponent: Fraction) -> Exponents:
    """Return an exponent of a slice of refinement: powers with a logarithm to the power of 0, 1 or 2, or logarithms."""
    return Exponents(Fraction(0), exponent) if slice_ == 3 else Exponents(exponent, Fraction(slice_))


def _mediant(a: Fraction, b: Fraction) -> Fraction:
    return Fraction(a.numerator + b.numerator, a.denominator + b.denominator)


def refined(x: Array, y: Array) -> Exponents | None:
    """Return the term that iterative refinement as the paper has it chooses; None for a constant."""

    def judged(term: Exponents) -> tuple[float, float]:
        design = np.stack([np.ones(len(x)), column(term, x)], axis=1)
        fitted = design @ np.linalg.lstsq(design, y, rcond=None)[0]
        return float(((fitted - y) ** 2).sum()), smape(fitted, y)

    state = []
    for which, integers in enumerate((range(1, 6), range(6), range(6), range(1, 3))):
        center = min(map(Fraction, integers), key=lambda value, which=which: judged(_along(which, value))[0])  # type: ignore[misc]
        bound = Fraction(3 if which == 3 else 6)
        state.append((max(center - 1, Fraction(0)), center, min(center + 1, bound)))
    accepted = min((_along(which, each[1]) for which, each in enumerate(state)), key=lambda each: judged(each)[0])
    for _ in range(10):
        improvement = 0.0
        for which, (left, center, right) in enumerate(state):
            low, high = _mediant(left, center), _mediant(center, right)
            best = min((center, low, high), key=lambda value, which=which: judged(_along(which, value))[0])  # type: ignore[misc]
            improvement = max(improvement, judged(_along(which, center))[1] / judged(_along(which, best))[1])
            state[which] = {center: (low, center, high), low: (left, low, center), high: (center, high, right)}[best]
        candidate = min((_along(which, each[1]) for which, each in enumerate(state)), key=lambda each: judged(each)[0])
        if judged(accepted)[1] / judged(candidate)[1] >= 1.5:
            accepted = candidate
        if improvement < 2:
            break
    against = smape(np.full_like(y, y.mean()), y)
    return accepted if against / judged(accepted)[1] >= 2 else None
