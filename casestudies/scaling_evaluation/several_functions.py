"""A broad evaluation of scaling models of two to four parameters: whether predictions and 90 % intervals hold.

*Points*: grids of five values per parameter (of four parameters: three values), or a line of five points per parameter
through the smallest values ("star") and the `EXTRA` cheapest other points.

*Functions*: c0 + Σ cₖ·Πt with one term x^i · log2(x)^j per parameter. The powers are whole, halves, thirds, quarters,
fifths or tenths. Structures are sums, products, mixed sums of products, and functions of which one parameter has no
effect. At the geometric centre of the points the constant is a visible share of the value (none in a quarter of the
functions), and every product contributes at least `LEAST`.

*Noise*: see `NOISES`; every point has four repetitions.

*Targets*: a point inside, and 2, 4 and 16 times the largest value of every parameter. A prediction is compared with the
expected value there, an interval with a new measurement.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from splc.scaling.fit import fit_many
from splc.scaling.multi.terms import combinations
from splc.types import Array

AXES = (
    (8.0, 16.0, 32.0, 64.0, 128.0),
    (2.0, 4.0, 6.0, 8.0, 10.0),
    (32.0, 64.0, 96.0, 128.0, 160.0),
    (10.0, 20.0, 30.0, 40.0, 50.0),
)
INSIDE = (48.0, 5.0, 112.0, 35.0)
FACTORS = (2.0, 4.0, 16.0)
TARGETS = ("inside", *(f"{factor:g}x" for factor in FACTORS))
# Points beside the lines of a star, by the number of parameters.
EXTRA: Mapping[int, int] = {2: 1, 3: 4, 4: 8}
LAYOUTS = ("grid", "star", "star + few")
STRUCTURES = ("sum", "product", "mixed", "without effect")
PARAMETERS = (2, 3, 4)
METHODS = ("default", "basic", "refinement", "extrap")
BANDS = (0.05, 0.10, 0.20)
LEAST = 0.1
REPETITIONS = 4
LEVEL = 0.9

# The denominators of powers with their probabilities, and the numbers of logarithms.
_DENOMINATORS = {1: 0.35, 2: 0.2, 3: 0.15, 4: 0.12, 5: 0.1, 10: 0.08}
_LOGARITHMS = (0.65, 0.25, 0.1)
_LARGEST_POWER = 2.5

Noise = Callable[[Array, np.random.Generator], Array]


def _independent(values: Array, rng: np.random.Generator) -> Array:
    return np.asarray(values * (1 + 0.02 * rng.normal(size=values.shape)))


def _common(values: Array, rng: np.random.Generator) -> Array:
    point = 1 + 0.04 * rng.normal(size=values.shape[:-1])
    return np.asarray(values * point[..., None] * (1 + 0.005 * rng.normal(size=values.shape)))


def _floor(values: Array, rng: np.random.Generator) -> Array:
    size = 0.02 * np.median(values, axis=1, keepdims=True)
    return np.asarray(values * (1 + 0.005 * rng.normal(size=values.shape)) + size * rng.normal(size=values.shape))


def _one_sided(values: Array, rng: np.random.Generator) -> Array:
    return np.asarray(values * (0.97 + rng.exponential(0.03, values.shape)))


def _outliers(values: Array, rng: np.random.Generator) -> Array:
    wrong = rng.random(values.shape) < 0.05
    factor = np.where(wrong, rng.uniform(1.5, 3, values.shape), 1.0)
    factor[:, -1] = 1.0
    return np.asarray(_independent(values, rng) * factor)


# Values (functions, points, repetitions), the target being the last point → measurements. Every measurement has the
# value as its expectation, apart from outliers, which the target has none of.
NOISES: Mapping[str, Noise] = {
    "independent": _independent,
    "common to a point": _common,
    "floor": _floor,
    "one-sided": _one_sided,
    "outliers": _outliers,
}


@dataclass(frozen=True)
class SeveralScore:
    """The score of models of some functions."""

    target: str  # where predictions are compared
    models: int  # their number
    within: tuple[float, ...]  # percent of predictions within 5, 10 and 20 %
    # percent of 90 % intervals that hold a new measurement there; None where they were not asked for
    covered: float | None
    width: float | None  # the median of half the interval's width, in percent of the value; None likewise


def layout(parameters: int, name: str) -> Array:
    """Return the points of a layout, shape (n, parameters)."""
    axes = [axis if parameters < 4 else axis[::2] for axis in AXES[:parameters]]
    if name == "grid":
        return np.array(list(itertools.product(*axes)))
    points = np.array(list(itertools.product(*AXES[:parameters])))
    off = (points > points.min(axis=0)).sum(axis=1)
    extra = EXTRA[parameters] if name == "star + few" else 0
    beside = np.flatnonzero(off > 1)
    # The cheapest ones, which a measurement begins with.
    beside = beside[np.argsort(np.prod(points[beside] / points.min(axis=0), axis=1), kind="stable")][:extra]
    return np.asarray(points[np.sort(np.append(np.flatnonzero(off <= 1), beside))])


def draw(parameters: int, structure: str, x: Array, number: int, rng: np.random.Generator) -> Array:
    """Return the values of random functions at points x (n, parameters), shape (number, n)."""
    centre = np.array([[float(np.exp(np.mean(np.log(axis)))) for axis in AXES[:parameters]]])
    at = np.vstack([x, centre])
    found = np.empty((number, len(x)))
    every = 2**parameters - 1
    whole, single = (every,), tuple(1 << each for each in range(parameters))
    mixed = [each.products for each in combinations(parameters) if each.active == every]
    mixed = [each for each in mixed if each not in (whole, single)]
    for row in range(number):
        terms = np.array([_term(rng, at[:, each]) for each in range(parameters)])
        if structure == "without effect":
            terms[int(rng.integers(parameters))] = 1.0
        kind = whole if structure == "product" or (structure == "without effect" and rng.random() < 0.5) else single
        if structure == "mixed":
            kind = mixed[int(rng.integers(len(mixed)))]
        used = [[at for at in range(parameters) if mask >> at & 1] for mask in kind]
        parts = np.array([terms[members].prod(axis=0) for members in used])
        constant = float(rng.uniform(0.1, 0.6)) if rng.random() < 0.75 else 0.0
        shares = LEAST + (1 - LEAST * len(parts)) * rng.dirichlet(np.ones(len(parts)))
        total = constant + (1 - constant) * (shares[:, None] * parts / parts[:, -1:]).sum(axis=0)
        found[row] = 10 ** rng.uniform(-2, 4) * total[:-1]
    return found


def _term(rng: np.random.Generator, x: Array) -> Array:
    """Return the values of a random term."""
    below = int(rng.choice(list(_DENOMINATORS), p=list(_DENOMINATORS.values())))
    power = int(rng.integers(1, int(_LARGEST_POWER * below) + 1)) / below
    log = int(rng.choice(3, p=_LOGARITHMS))
    if rng.random() < 0.15:
        power, log = 0.0, max(log, 1)
    return np.asarray(x**power * np.log2(x) ** log)


def evaluate_several(
    parameters: int,
    layout_name: str,
    structure: str,
    noise: str,
    *,
    number: int,
    seed: int,
    intervals: bool = True,
    **settings: Any,
) -> tuple[SeveralScore, ...]:
    """Return a score per target.

    `settings`: those of `fit_many`, such as the method.
    """
    cell = [list(values).index(value) for values, value in ((LAYOUTS, layout_name), (STRUCTURES, structure))]
    seeds = [seed, parameters, *cell, list(NOISES).index(noise)]
    rng = np.random.default_rng(seeds)
    points = layout(parameters, layout_name)
    largest = np.array([axis[-1] for axis in AXES[:parameters]])
    targets = np.vstack([INSIDE[:parameters], *(factor * largest for factor in FACTORS)])
    values = draw(parameters, structure, np.vstack([points, targets]), number, rng)
    measured = NOISES[noise](np.repeat(values[:, : len(points), None], REPETITIONS, axis=2), rng)
    models = fit_many(points, measured, **settings)
    found = []
    for at, name in enumerate(TARGETS):
        truth = values[:, len(points) + at]
        x = targets[at : at + 1]
        error = np.abs(np.array([float(model.predict(x)[0]) for model in models]) / truth - 1)
        within = tuple(100 * float((error <= band).mean()) for band in BANDS)
        covered = width = None
        if intervals:
            # The size of noise that does not grow with the value is that of the measured points.
            every = np.concatenate([values[:, : len(points)], truth[:, None]], axis=1)[:, :, None]
            new = NOISES[noise](every, np.random.default_rng([*seeds, at]))[:, -1, 0]
            bounds = np.array([[float(each[0]) for each in model.interval(x, LEVEL)] for model in models])
            covered = 100 * float(((bounds[:, 0] <= new) & (new <= bounds[:, 1])).mean())
            width = 50 * float(np.median((bounds[:, 1] - bounds[:, 0]) / truth))
        found.append(SeveralScore(name, number, within, covered, width))
    return tuple(found)
