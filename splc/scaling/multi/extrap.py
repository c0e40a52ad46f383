"""Models of several parameters as Extra-P 4.2.5 makes them: the terms of single parameters, combined.

Sources: Ritter et al., Learning Cost-Effective Sampling Strategies, section II, and the rules of Extra-P 4.2.5. Each
parameter's term is found along its longest lines; a term of every parameter that has an effect is combined with the
others by sums and products, and the combination with the smallest SMAPE at all points is taken.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations as subsets

import numpy as np

from splc.data.accuracy import smape
from splc.models.basis.regression import least_squares
from splc.scaling.columns import Product, column, product_columns
from splc.scaling.exponents import CONSTANT, Exponents
from splc.scaling.multi.lines import lines
from splc.scaling.scores import contributes
from splc.scaling.selection import Selection
from splc.types import Array

# A method for one parameter: distinct points, shape (n,), and values, shape (models, n).
Method = Callable[[Array, Array], Selection]
# Sets of products, each a tuple of parameters: ((0, 1), (2,)) is a·b + c.
Combination = tuple[tuple[int, ...], ...]
# More parameters are combined by a product of all and a sum of all only.
_ALL_COMBINATIONS = 3
# Errors in percent that differ by less are equal. On a cross of lines, a + b and a + a·b fit identically.
_SAME = 1e-7


def combined(points: Array, values: Array, method: Method) -> Selection:
    """Choose a hypothesis for each quantity.

    `points`: distinct points in lexicographic order, shape (n, parameters). `values`: shape (models, n). `method`: the
    method that finds the terms of single parameters.
    """
    single = [_along(points, values, at, method) for at in range(points.shape[1])]
    terms: dict[Product, int] = {}
    found = []
    for row, measured in enumerate(values):
        products, best = _best(points, measured, [(each[row], on_lines[row]) for each, on_lines in single])
        found.append(([terms.setdefault(product, len(terms)) for product in products], best))
    width = max(1, *(len(places) for places, _ in found))
    places, sizes = np.full((width, len(values)), -1), np.zeros((1 + width, len(values)))
    for row, (own, coefficients) in enumerate(found):
        places[: len(own), row] = own
        sizes[: len(coefficients), row] = coefficients
    return Selection(tuple(terms), places, sizes, np.full(len(values), np.nan), np.zeros(len(values), dtype=bool))


def longest_lines(points: Array, parameter: int) -> tuple[Array, list[Array]]:
    """Return the values of a parameter on its longest lines, and the points that are averaged at each of them.

    Only lines through the first value of the first line count, so that each value has the same other coordinates.

    `points`: distinct points in lexicographic order, shape (n, parameters).
    """
    every = lines(points, parameter)
    if not every:
        return points[:1, parameter], [np.array([0])]
    most = max(map(len, every))
    longest = [each for each in every if len(each) == most]
    start = points[min(int(each.min()) for each in longest), parameter]
    kept = np.concatenate([each for each in longest if (points[each, parameter] == start).any()])
    values = np.unique(points[kept, parameter])
    return values, [kept[points[kept, parameter] == value] for value in values]


def _along(points: Array, values: Array, parameter: int, method: Method) -> tuple[list[Exponents], Array]:
    """Return for each quantity the term of a parameter, constant for none, and its coefficients on the lines."""
    x, groups = longest_lines(points, parameter)
    means = np.stack([values[:, each].mean(axis=1) for each in groups], axis=1)
    found = method(x, means)
    terms = [found.terms[at][0] if at >= 0 else CONSTANT for at in found.places[0].tolist()]
    # A logarithm is not defined at 0, which other lines may have.
    defined = {term: bool(np.isfinite(column(term, points[:, parameter])).all()) for term in set(terms)}
    return [term if defined[term] else CONSTANT for term in terms], found.coefficients[:2].T


def _best(points: Array, values: Array, single: Sequence[tuple[Exponents, Array]]) -> tuple[list[Product], list[float]]:
    """Return the products of the best combination for a quantity, and the coefficients, the constant's first.

    `single`: the term of each parameter, and its coefficients on the parameter's lines.
    """
    active = [at for at, (term, _) in enumerate(single) if not term.is_constant]
    if not active:
        return [], [float(values.mean())]
    best: tuple[float, list[Product], list[float]] | None = None
    if len(active) == 1:
        # The coefficients of the lines compete with those of all points.
        products = [_product(single, tuple(active))]
        on_lines = single[active[0]][1].tolist()
        best = _error(points, values, products, on_lines), products, on_lines
    for combination in all_combinations(len(active)):
        products = [_product(single, tuple(active[at] for at in each)) for each in combination]
        columns = product_columns(products, points)
        coefficients = least_squares(np.vstack([np.ones(len(values)), columns]).T, values)
        parts = contributes(coefficients[1:, None], columns.T[:, :, None], values[:, None, None])
        # The first combination needs no contribution: there is always a model.
        if best is not None and not parts.all():
            continue
        error = _error(points, values, products, coefficients.tolist())
        if best is None or error < best[0] - _SAME:
            best = error, products, coefficients.tolist()
    assert best is not None
    return best[1], best[2]


def all_combinations(parameters: int) -> tuple[Combination, ...]:
    """Return the combinations of the terms of some parameters: 4 of two, 23 of three, 2 of more.

    The product of all comes first, then the sum; of combinations that fit equally, the first one is taken.
    """
    every = tuple(range(parameters))
    whole, single = (every,), tuple((at,) for at in every)
    if parameters == 1:
        return (whole,)
    found: list[Combination] = [whole, single]
    if parameters == 2:
        found += [(every, (at,)) for at in every]
    elif parameters == _ALL_COMBINATIONS:
        pairs = list(subsets(every, 2))
        rest = {pair: next(at for at in every if at not in pair) for pair in pairs}
        found += [(every, other) for other in (*single, *pairs)]
        found += [(every, pair, (rest[pair],)) for pair in pairs]
        found += [(every, *two) for two in subsets(single, 2)]
        found += [(pair, (rest[pair],)) for pair in pairs]
        found += [(pair, (rest[pair],), (at,)) for pair in pairs for at in pair]
    return tuple(found)


def _product(single: Sequence[tuple[Exponents, Array]], parameters: tuple[int, ...]) -> Product:
    return tuple(term if at in parameters else CONSTANT for at, (term, _) in enumerate(single))


def _error(points: Array, values: Array, products: Sequence[Product], coefficients: Sequence[float]) -> float:
    """Return the SMAPE of a model at all points."""
    fitted = coefficients[0] + np.array(coefficients[1:]) @ product_columns(products, points)
    return float(smape(fitted, values))
