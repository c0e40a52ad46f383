"""A plain implementation of how Extra-P 4.2.5 models several parameters: one quantity, one `lstsq` at a time."""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from splc.scaling.exponents import EXTRAP, Exponents
from splc.types import Array
from tests.support.scaling_oracle import column, refined, smallest_left_out, smape

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
