"""Families of synthetic functions: truths × noise × sets of points, for models of one parameter.

*Truths* (terms are x^i · log2(x)^j):

- constant: c0;
- common, rare, exotic, two terms: the classes of `single_functions` (common, rare and exotic with n = 1, common n = 2),
  coefficients 10^a with a uniform in [-2, 3];
- products: i in {1, 2, 3}, j in {1, 2};
- fractional products: i in {1/4, 1/3, 1/2, 2/3, 3/4, 3/2, 5/2}, j in {1, 2};
- all integers: i in {0, 1, 2, 3}, j in {0, 1, 2}, not both 0;
- visible constant: the terms of the classes common and rare;
- tenths and sevenths: i = k/10 with k in 1 … 30, or k/7 with k in 1 … 21, j = 0.

The last five have a constant that is seen: at the geometric mean of the points the term contributes a share of the
value that is uniform in [0.2, 0.9]; the value there is 10^a, a uniform in [-2, 3].

*Noise* (five repetitions per point, except where stated; g is standard normal, drawn anew for each repetition):

- independent: y · (1 + 0.02 g);
- single: the same, one repetition;
- lognormal: y · exp(0.05 g);
- common: y · (1 + 0.04 h) · (1 + 0.005 g), h drawn for each point;
- growing: y · (1 + d g), where d grows with log(x) from 0.01 at the first to 0.06 at the last point, and on beyond it;
- floor: y · (1 + 0.01 g) + 0.01 · (largest y) · g';
- one-sided: y · (1 + 0.03 e), e exponential with mean 1;
- outliers: y · (1 + 0.02 g), of which 5 % times a factor uniform in [1.3, 3].

*Scores*: exact lead exponents; predictions within 2 % and 10 % of the function at four times the largest point; 90 %
intervals that hold a new measurement (one repetition with noise of its own) inside, at the geometric mean of the two
middle points, and at 2, 4 and 16 times the largest point.

*Draws*: `numpy.random.default_rng([seed, truth, noise, points])`, positions in `TRUTHS`, `NOISES` and `POINTS`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from casestudies.scaling_evaluation.single_functions import COMMON, RARE, Function, functions
from splc.scaling.exponents import Exponents, column, exponents
from splc.scaling.fit import fit_many
from splc.scaling.result import intervals_of
from splc.scaling.selection import FAR
from splc.types import Array

_CLASSES = {
    "constant": "constant",
    "common": "common, n = 1",
    "rare": "rare, n = 1",
    "exotic": "exotic, n = 1",
    "two terms": "common, n = 2",
}
_VISIBLE = {
    "products": tuple(exponents(i, j) for i in (1, 2, 3) for j in (1, 2)),
    "fractional products": tuple(
        exponents(Fraction(i), j) for i in ("1/4", "1/3", "1/2", "2/3", "3/4", "3/2", "5/2") for j in (1, 2)
    ),
    "all integers": tuple(exponents(i, j) for i in range(4) for j in range(3) if i or j),
    "visible constant": COMMON + RARE,
    "tenths and sevenths": tuple(
        exponents(Fraction(k, bottom)) for bottom in (10, 7) for k in range(1, 3 * bottom + 1)
    ),
}
TRUTHS = (*_CLASSES, *_VISIBLE)
NOISES = ("independent", "single", "lognormal", "common", "growing", "floor", "one-sided", "outliers")
POINTS: Mapping[str, tuple[float, ...]] = {
    "5 geometric": (8, 16, 32, 64, 128),
    "3 geometric": (8, 32, 128),
    "4 geometric": (8, 16, 32, 64),
    "7 geometric": (4, 8, 16, 32, 64, 128, 256),
    "9 geometric": (2, 4, 8, 16, 32, 64, 128, 256, 512),
    "5 linear": (10, 20, 30, 40, 50),
    "9 linear": (10, 20, 30, 40, 50, 60, 70, 80, 90),
}
REPETITIONS = 5
# Where 90 % intervals are checked: label → factor of the largest point; None: between the two middle points.
PLACES: Mapping[str, float | None] = {"inside": None, "2x": 2.0, "4x": FAR, "16x": 16.0}


@dataclass(frozen=True, eq=False)
class Drawn:
    """Functions with their measurements."""

    x: Array  # points, shape (n,)
    values: Array  # measured values, shape (functions, n, repetitions)
    far: Array  # values without noise at four times the largest point, shape (functions,)
    leads: tuple[Exponents | None, ...]  # lead exponents; None for a constant
    places: Array  # where intervals are checked, shape (places,)
    new: Array  # new measurements there, shape (functions, places)


def draw(truth: str, noise: str, points: str, number: int, seed: int) -> Drawn:
    """Draw functions of a truth and measure them."""
    key = [seed, TRUTHS.index(truth), NOISES.index(noise), list(POINTS).index(points)]
    rng = np.random.default_rng(key)
    x = np.array(POINTS[points], dtype=float)
    drawn = functions(_CLASSES[truth], number, rng) if truth in _CLASSES else _visible(_VISIBLE[truth], x, number, rng)
    middle = len(x) // 2
    places = np.array(
        [np.sqrt(x[middle - 1] * x[middle]) if each is None else each * x[-1] for each in PLACES.values()]
    )
    true = np.array([each.values(np.concatenate([x, places])) for each in drawn])
    repetitions = 1 if noise == "single" else REPETITIONS
    at, size = np.concatenate([x, places]), true[:, : len(x)].max(axis=1)
    measured = np.stack([_noisy(noise, true, at, x, size, rng) for _ in range(repetitions)], axis=2)
    if noise == "common":
        measured = measured * (1 + 0.04 * rng.standard_normal(true.shape))[:, :, None]
    # A new measurement is one repetition.
    return Drawn(
        x,
        measured[:, : len(x)],
        true[:, len(x) + list(PLACES.values()).index(FAR)],
        tuple(each.lead(FAR * x[-1]) for each in drawn),
        places,
        measured[:, len(x) :, 0],
    )


def _visible(terms: Sequence[Exponents], x: Array, number: int, rng: np.random.Generator) -> tuple[Function, ...]:
    """Draw functions of a constant and a term that both contribute."""
    center = np.array([np.exp(np.log(x).mean())])
    found = []
    for _ in range(number):
        term = terms[int(rng.integers(len(terms)))]
        share, value = rng.uniform(0.2, 0.9), 10 ** rng.uniform(-2, 3)
        found.append(Function(value * (1 - share), ((value * share / float(column(term, center)[0]), term),)))
    return tuple(found)


def _noisy(noise: str, true: Array, at: Array, x: Array, size: Array, rng: np.random.Generator) -> Array:
    """Return one repetition of each value, shape (functions, points)."""
    g = rng.standard_normal(true.shape)
    if noise == "lognormal":
        return np.asarray(true * np.exp(0.05 * g))
    if noise == "common":
        return np.asarray(true * (1 + 0.005 * g))
    if noise == "growing":
        deviation = 0.01 + 0.05 * np.log(at / x[0]) / np.log(x[-1] / x[0])
        return np.asarray(true * (1 + deviation * g))
    if noise == "floor":
        return np.asarray(true * (1 + 0.01 * g) + 0.01 * size[:, None] * rng.standard_normal(true.shape))
    if noise == "one-sided":
        return np.asarray(true * (1 + 0.03 * rng.exponential(size=true.shape)))
    found = true * (1 + 0.02 * g)
    if noise == "outliers":
        found = np.where(rng.random(true.shape) < 0.05, found * rng.uniform(1.3, 3, true.shape), found)
    return np.asarray(found)


def scores(drawn: Drawn, arguments: Mapping[str, Any], intervals: bool) -> dict[str, float]:
    """Return the percentages of a learner: exact, within 2 % and 10 %, and with `intervals` those that hold."""
    hits: dict[str, float] = dict.fromkeys(("exact", "within 2", "within 10"), 0.0)
    models = fit_many(drawn.x, drawn.values, **arguments)
    if intervals:
        centers = np.array([model.predict(drawn.places) for model in models])
        lower, upper = intervals_of(models, drawn.places[:, None], centers, 0.9)
        held = (lower <= drawn.new) & (drawn.new <= upper)
        hits |= dict(zip(PLACES, held.sum(axis=0).tolist(), strict=True))
    for row, model in enumerate(models):
        lead = model.lead.get("x")
        error = abs(float(model.predict(FAR * drawn.x[-1])) / drawn.far[row] - 1)
        hits["exact"] += (None if lead is None else Exponents(*lead)) == drawn.leads[row]
        hits["within 2"] += error <= 0.02
        hits["within 10"] += error <= 0.1
    return {name: 100 * each / len(models) for name, each in hits.items()}
