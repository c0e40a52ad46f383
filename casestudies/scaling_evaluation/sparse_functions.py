"""The synthetic evaluation of Learning Cost-Effective Sampling Strategies (III.B, IV, Fig. 5).

*Points*: all combinations of p = 4, 8, 16, 32, 64; s = 10, 20, …, 50; n = 1000, 2000, …, 5000; g = 2, 4, …, 10 (the
first m of them). The prediction is judged at the next value of every parameter: 128, 60, 6000, 12.

*Functions*: every parameter has one term x^i · log2(x)^j, i uniform in {0, 1, 2, 3} and j uniform in {0, 1, 2}; each of
both factors is dropped (its exponent set to 0) with probability 1/2. With probability 1/2 the function is the sum
c0 + Σ cₖ·tₖ, else the product c0 + c1·Π tₖ. Every coefficient is uniform in (0.01, 1000).

*Left out*, function after function, and counted: (1) functions with a parameter whose term is 1, since their number of
parameters is smaller; (2) unless `least` is 0, functions with a term (of a product: the product) that contributes on
average over all points less than `least`, 15 %, of the value: three times the noise of 5 %, in the words of the
extended evaluation: such terms cannot be seen. Which point the contribution is taken at and how sums and products are
mixed, the paper does not say. Drawn like this, two parameters have 31 % sums, and 9 points cost 9.6 % of all.

*Measurements*: four repetitions (`repetitions`) of each point, the value times 1 + u, u uniform in [-0.05, 0.05].

*Points used*: for each parameter the cheapest line (the others at their smallest value), then the cheapest points one
after the other. A point costs p times the function's value; costs are in percent of those of all points, the mean over
the functions.

*Score*: the share of models whose prediction lies within 5, 10, 15, 20 % of the function's value without noise.

*Draws*: `numpy.random.default_rng([seed, m])`: function after function the kind (sum if `random() < 1/2`), then for
each parameter i, whether i stays, j, whether j stays (as `integers(4)`, `integers(2)`, `integers(3)`, `integers(2)`),
then, unless (1) leaves it out, the coefficients; after all functions the noise.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from splc.errors import SpecError
from splc.scaling.fit import fit_many
from splc.types import Array

AXES = (
    (4.0, 8.0, 16.0, 32.0, 64.0),
    (10.0, 20.0, 30.0, 40.0, 50.0),
    (1000.0, 2000.0, 3000.0, 4000.0, 5000.0),
    (2.0, 4.0, 6.0, 8.0, 10.0),
)
NEXT = (128.0, 60.0, 6000.0, 12.0)
# Numbers of points that are compared, by the number of parameters.
POINTS: Mapping[int, tuple[int, ...]] = {
    1: (5,),
    2: (9, 10, 11, 15, 25),
    3: (13, 14, 15, 25, 75, 125),
    4: (17, 18, 25, 100, 250, 625),
}
# Functions that are drawn by default, by the number of parameters.
NUMBERS: Mapping[int, int] = {1: 1000, 2: 1000, 3: 500, 4: 60}
BANDS = (0.05, 0.10, 0.15, 0.20)
LEAST = 0.15
NOISE = 0.05
_CONSTANT_TERM, _TOO_SMALL = "a parameter without effect", "a term that contributes too little"


@dataclass(frozen=True, eq=False)
class Functions:
    """Synthetic functions of m parameters."""

    points: Array  # all points, shape (5^m, m)
    values: Array  # shape (functions, 5^m)
    next: Array  # the values at the next point, shape (functions,)
    sums: Array  # which are sums, the others being products, shape (functions,)
    left_out: Mapping[str, int]  # why functions were left out → how many


@dataclass(frozen=True)
class SparseScore:
    """The score of models that were made from some of the points."""

    parameters: int  # number of parameters
    points: int  # number of points used
    models: int  # number of models
    within: tuple[float, ...]  # percent of models within 5, 10, 15, 20 %
    # percent of models within 5 % among sums and among products; None where there are none
    sums: float | None
    products: float | None
    cost: float  # mean cost of the points in percent of all, in core hours (p times the value)
    value_cost: float  # the same where a point costs the value of the function, as in the paper's section IV


def functions(parameters: int, number: int, rng: np.random.Generator, least: float = LEAST) -> Functions:
    """Draw functions.

    `parameters`: 1 to 4.
    """
    if parameters not in POINTS:
        raise SpecError(f"there are no synthetic functions of {parameters} parameters", hint="1 to 4 are known")
    points = np.array(list(itertools.product(*AXES[:parameters])))
    x = np.vstack([points, NEXT[:parameters]])
    logs = np.log2(x)
    values, sums = np.empty((number, len(x))), np.zeros(number, dtype=bool)
    left_out = {_CONSTANT_TERM: 0, _TOO_SMALL: 0}
    found = 0
    while found < number:
        is_sum = bool(rng.random() < 0.5)
        chosen = []
        for _ in range(parameters):
            power = int(rng.integers(4)) * int(rng.integers(2))
            chosen.append((power, int(rng.integers(3)) * int(rng.integers(2))))
        if (0, 0) in chosen:
            left_out[_CONSTANT_TERM] += 1
            continue
        terms = np.array([x[:, at] ** power * logs[:, at] ** log for at, (power, log) in enumerate(chosen)])
        if not is_sum:
            terms = terms.prod(axis=0, keepdims=True)
        coefficients = rng.uniform(0.01, 1000, len(terms) + 1)
        parts = coefficients[1:, None] * terms
        total = coefficients[0] + parts.sum(axis=0)
        if ((parts / total)[:, :-1].mean(axis=1) < least).any():
            left_out[_TOO_SMALL] += 1
            continue
        values[found], sums[found] = total, is_sum
        found += 1
    return Functions(points, values[:, :-1], values[:, -1], sums, left_out)


def cheapest_first(points: Array, costs: Array) -> Array:
    """Return the order in which the paper's strategy takes the points of a full grid.

    `points`: shape (n, parameters). `costs`: shape (n,).
    """
    lowest = points == points.min(axis=0)
    on_lines = lowest.sum(axis=1) >= points.shape[1] - 1
    return np.lexsort((costs, ~on_lines))


def evaluate_sparse(
    parameters: int,
    *,
    number: int | None = None,
    seed: int = 0,
    points: Sequence[int] | None = None,
    noise: float = NOISE,
    repetitions: int = 4,
    least: float = LEAST,
    **settings: Any,
) -> tuple[tuple[SparseScore, ...], Functions]:
    """Model synthetic functions from few and from many points.

    `parameters`: 1 to 4. `least`: see `functions`.

    Returns:
        a score for each number of points, and the functions.
    """
    rng = np.random.default_rng([seed, parameters])
    drawn = functions(parameters, NUMBERS.get(parameters, 1) if number is None else number, rng, least)
    shape = (*drawn.values.shape, repetitions)
    measured = drawn.values[:, :, None] * (1 + rng.uniform(-noise, noise, shape))
    costs = drawn.points[:, 0] * drawn.values
    orders = np.array([cheapest_first(drawn.points, each) for each in costs])
    target = np.array([NEXT[:parameters]])
    scores = []
    for size in POINTS[parameters] if points is None else points:
        rows = np.sort(orders[:, :size], axis=1)
        # Quantities with the same points are modelled together.
        patterns, which = np.unique(rows, axis=0, return_inverse=True)
        predicted = np.empty(len(rows))
        for at, pattern in enumerate(patterns):
            those = np.flatnonzero(which.ravel() == at)
            models = fit_many(drawn.points[pattern], measured[those][:, pattern], **settings)
            predicted[those] = [float(model.predict(target)[0]) for model in models]
        error = np.abs(predicted / drawn.next - 1)
        within = tuple(100 * float((error <= band).mean()) for band in BANDS)
        shares = [
            100 * float((np.take_along_axis(each, rows, axis=1).sum(axis=1) / each.sum(axis=1)).mean())
            for each in (costs, drawn.values)
        ]
        sums, products = (
            100 * float((error[kind] <= BANDS[0]).mean()) if kind.any() else None for kind in (drawn.sums, ~drawn.sums)
        )
        scores.append(SparseScore(parameters, size, len(rows), within, sums, products, *shares))
    return tuple(scores), drawn
