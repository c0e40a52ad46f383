"""Random grids of positive values: functions of two or three parameters, errors shared by a level, and noise."""

from __future__ import annotations

import itertools

import numpy as np

from splc.types import Array

_POWERS = (0.0, 0.25, 1 / 3, 0.5, 2 / 3, 0.75, 1.0, 1.5, 2.0, 2.5, 3.0)
_TERMS = (
    *((power, log) for power in _POWERS for log in (0, 1, 2) if power or log),
    *((-0.5, 0), (-1.0, 0), (-1.0, 1), (-2.0, 0)),
)


def random_grid(seed: int) -> tuple[Array, Array]:
    """Return the points of a grid, shape (n, parameters), and positive values, shape (n, repetitions)."""
    rng = np.random.default_rng(seed)
    parameters = int(rng.choice([2, 3], p=[0.75, 0.25]))
    axes = [_axis(rng, int(rng.integers(3, 7 if parameters == 2 else 5))) for _ in range(parameters)]
    points = np.array(list(itertools.product(*axes)))
    terms = [_term(rng, values) for values in points.T]
    kind = int(rng.integers(4))
    constant = float(rng.choice([0, 0.01, 0.1, 1]))
    shares = rng.dirichlet(np.ones(parameters))
    if kind == 0:
        values = constant + sum(share * term for share, term in zip(shares, terms, strict=True))
    elif kind == 1:
        values = constant + np.prod(terms, axis=0)
    elif kind == 2:
        values = (constant + terms[0]) * (constant + 0.1 + np.prod(terms[1:], axis=0))
    else:
        values = constant + 0.1 + terms[int(rng.integers(parameters))]
    values = np.maximum(values, 1e-6)
    for column in points.T:
        size = float(rng.choice([0, 0.01, 0.05, 0.1]))
        levels, which = np.unique(column, return_inverse=True)
        values = values * np.exp(size * rng.normal(size=len(levels)))[which.ravel()]
    repetitions = int(rng.choice([1, 1, 3]))
    noise = float(rng.choice([0, 0.01, 0.05, 0.2]))
    unit = 10 ** rng.uniform(-3, 4)
    return points, unit * values[:, None] * np.exp(noise * rng.normal(size=(len(points), repetitions)))


def along_axes(points: Array, factors: tuple[float, ...] = (2.0, 4.0, 8.0)) -> Array:
    """Return points with one value at a time replaced by factors of itself and of the largest one, and 8 × all."""
    found = [8 * points.max(axis=0, keepdims=True)]
    for at in range(points.shape[1]):
        for factor in factors:
            for size in (points[:, at], points[:, at].max()):
                further = points.copy()
                further[:, at] = factor * size
                found.append(further)
    return np.unique(np.vstack(found), axis=0)


def _axis(rng: np.random.Generator, number: int) -> Array:
    start = float(rng.choice([1, 2, 4, 8, 10, 16, 32, 100]))
    if rng.random() < 0.5:
        return np.asarray(start * float(rng.choice([2, 4, 8])) ** np.arange(number))
    return np.asarray(start * (1 + np.arange(number)))


def _term(rng: np.random.Generator, values: Array) -> Array:
    """Return the values of a random term, the largest being 1."""
    power, log = _TERMS[rng.integers(len(_TERMS))]
    found = values**power * np.log2(values) ** log
    return np.asarray(found / found.max() if found.max() > 0 else np.ones(len(values)))
