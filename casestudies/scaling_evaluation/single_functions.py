"""The synthetic evaluation of Following the Blind Seer (section 4.1, Fig. 3).

*Terms*, by class:

- common: x, x², x³, log2(x);
- rare: x^(i/2) for i in {1, 3, 5}, x^(i/3) for i in {1, 2, 4, 5, 7, 8}, log2(x)²;
- exotic: x^(i/4) for i in {1, 3, …, 11}, x^(i/5) for i in {1, …, 14} without 5 and 10, log2(x)^(1/2), log2(x)^(3/2).

*Functions*: c0 + c1·t1 (n = 1) or c0 + c1·t1 + c2·t2 (n = 2); a constant function is c0. t1 is drawn uniformly from
the class's terms; t2 uniformly from the terms of the class and of the classes before it, other than t1. Every
coefficient is 10^a, with a uniform in [-2, 3]. (The paper does not say how second terms are drawn. Drawn like this,
Extra-P's basic learner gets what was measured for Extra-P itself.)

*Measurements*: every function at {2, …, 32}, {8, …, 128}, {32, …, 512} and {128, …, 2048}, five powers of two each, one
measurement per point, times 1 + u with u uniform in [-0.02, 0.02], drawn anew for every set.

*Scores*: the share of models whose lead exponents are exactly those of the function's lead term, which is the one that
contributes most at four times the largest measured x; and the share of models whose prediction there lies within ±2 %
of the function's value without noise. A constant model has no lead exponents, as a constant function has none.

*Draws*: `numpy.random.default_rng([seed, class])`, class 0 to 6 in the order of `KINDS`; function after function c0,
then t1, t2 (as positions, t2 again until it differs), then c1, c2; after all functions the noise, set after set.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from splc.scaling.exponents import Exponents, column, exponents
from splc.scaling.fit import fit_many
from splc.scaling.selection import FAR
from splc.types import Array

COMMON = tuple(exponents(*each) for each in ((1, 0), (2, 0), (3, 0), (0, 1)))
RARE = (
    *(exponents(Fraction(i, 2)) for i in (1, 3, 5)),
    *(exponents(Fraction(i, 3)) for i in (1, 2, 4, 5, 7, 8)),
    exponents(0, 2),
)
EXOTIC = (
    *(exponents(Fraction(i, 4)) for i in range(1, 12, 2)),
    *(exponents(Fraction(i, 5)) for i in range(1, 15) if i % 5),
    exponents(0, Fraction(1, 2)),
    exponents(0, Fraction(3, 2)),
)
# Class → own terms, terms that a second one is drawn from, number of terms.
KINDS: Mapping[str, tuple[tuple[Exponents, ...], tuple[Exponents, ...], int]] = {
    "constant": ((), (), 0),
    "common, n = 1": (COMMON, COMMON, 1),
    "common, n = 2": (COMMON, COMMON, 2),
    "rare, n = 1": (RARE, COMMON + RARE, 1),
    "rare, n = 2": (RARE, COMMON + RARE, 2),
    "exotic, n = 1": (EXOTIC, COMMON + RARE + EXOTIC, 1),
    "exotic, n = 2": (EXOTIC, COMMON + RARE + EXOTIC, 2),
}
POINTS = tuple(tuple(float(first * 2**i) for i in range(5)) for first in (2, 8, 32, 128))
NOISE = 0.02

# What is compared by default: label → arguments of `fit_many`.
LEARNERS: Mapping[str, Mapping[str, Any]] = {
    "default": {"method": "default"},
    "the paper's algorithm as written": {"method": "refinement"},
    "Extra-P 4.2.5, refining": {"method": "extrap"},
    "Extra-P 4.2.5, basic": {"method": "basic"},
    "classic, n = 1, RSS": {"method": "classic", "terms": 1, "criterion": "rss"},
    "classic, n = 2, RSS": {"method": "classic", "terms": 2, "criterion": "rss"},
    "classic, n = 1, leave-one-out": {"method": "classic", "terms": 1, "criterion": "loo"},
}


@dataclass(frozen=True)
class Function:
    """A function of the evaluation: constant + sum of coefficient * term."""

    constant: float
    terms: tuple[tuple[float, Exponents], ...]

    def values(self, x: Array) -> Array:
        """Return its values."""
        return np.asarray(self.constant + sum(c * column(t, x) for c, t in self.terms) + np.zeros_like(x))

    def lead(self, far: float) -> Exponents | None:
        """Return its lead term at x = far; None for a constant function."""
        at = np.array([far])
        return max(self.terms, key=lambda term: term[0] * float(column(term[1], at)[0]))[1] if self.terms else None


@dataclass(frozen=True)
class Score:
    """The score of a learner on one class of functions (shares in percent)."""

    learner: str  # its label
    kind: str  # the class
    models: int  # number of models: functions times sets of points
    exact: float  # share of models with exactly the function's lead exponents
    within: float  # share of models that predict within the noise at four times the largest x
    # share of 90 % intervals that hold a new measurement there; None where it was not asked for, and for methods other
    # than the default, whose intervals are the same
    covered: float | None = None


def functions(kind: str, number: int, rng: np.random.Generator) -> tuple[Function, ...]:
    """Draw functions of a class."""
    own, among, size = KINDS[kind]
    found = []
    for _ in range(number):
        constant = _coefficient(rng)
        chosen: list[Exponents] = []
        while len(chosen) < size:
            pool = among if chosen else own
            term = pool[int(rng.integers(len(pool)))]
            if term not in chosen:
                chosen.append(term)
        found.append(Function(constant, tuple((_coefficient(rng), term) for term in chosen)))
    return tuple(found)


def _coefficient(rng: np.random.Generator) -> float:
    return float(10 ** rng.uniform(-2, 3))


def evaluate(
    learners: Mapping[str, Mapping[str, Any]] = LEARNERS,
    *,
    number: int = 1000,
    seed: int = 0,
    kinds: Sequence[str] = tuple(KINDS),
    noise: float = NOISE,
    intervals: bool = False,
) -> tuple[Score, ...]:
    """Let learners model the same synthetic measurements.

    `learners`: label → arguments of `fit_many`. `intervals`: whether the coverage of 90 % intervals is found too.
    """
    scores = []
    for kind in kinds:
        rng = np.random.default_rng([seed, list(KINDS).index(kind)])
        drawn = functions(kind, number, rng)
        hits = {label: np.zeros(3) for label in learners}
        for points in POINTS:
            x, far = np.array(points), FAR * points[-1]
            true = np.array([each.values(np.array([far]))[0] for each in drawn])
            leads = [each.lead(far) for each in drawn]
            measured = np.array([each.values(x) for each in drawn])
            measured = measured * (1 + rng.uniform(-noise, noise, measured.shape))
            new = true * (1 + rng.uniform(-noise, noise, true.shape))
            for label, arguments in learners.items():
                for at, model in enumerate(fit_many(x, measured, **arguments)):
                    lead = model.lead.get("x")
                    hits[label][0] += (None if lead is None else Exponents(*lead)) == leads[at]
                    hits[label][1] += abs(float(model.predict(far)) / true[at] - 1) <= noise
                    if intervals and arguments.get("method", "default") == "default":
                        lower, upper = model.interval(far, 0.9)
                        hits[label][2] += bool(lower <= new[at] <= upper)
        for label in learners:
            models = number * len(POINTS)
            exact, within, covered = (100 * hits[label] / models).tolist()
            checked = intervals and learners[label].get("method", "default") == "default"
            scores.append(Score(label, kind, models, exact, within, covered if checked else None))
    return tuple(scores)
