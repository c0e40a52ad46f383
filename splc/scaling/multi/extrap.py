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
from splc.scaling.classic import contributes
from splc.scaling.data import lines
from splc.scaling.exponents import CONSTANT, Exponents, Product, column, product_columns
from splc.scaling.selection import Selection
from splc.types import Array

# A method for one parameter: distinct points, shape (n,), and values, shape (models, n).
Method = Callable[[Array, Array], Selection]
# Sets of products, each a tuple of parameters: ((0, 1), (2,)) is a·b + c.
Combination = tuple[tuple[int, ...], ...]
_ALL_COMBINATIONS = 3  # more parameters are combined by a product of all and a sum of all only
_SAME = 1e-7  # errors in percent that differ by less are equal. On a cross of lines, a + b and a + a·b fit identically.


def combined(points: Array, values: Array, method: Method) -> Selection:
    """Choose a hypothesis for each quantity; `method` finds the terms of single parameters."""
    single = [_along(points, values, parameter, method) for parameter in range(points.shape[1])]
    models = [
        _best(points, measured, [(terms[row], on_lines[row]) for terms, on_lines in single])
        for row, measured in enumerate(values)
    ]
    return Selection.of_models(models, np.full(len(values), np.nan), np.zeros(len(values), dtype=bool))


def longest_lines(points: Array, parameter: int) -> tuple[Array, list[Array]]:
    """Return the values of a parameter on its longest lines, and the points that are averaged at each of them.

    Only lines through the first value of the first line count, so that each value has the same other coordinates.
    """
    all_lines = lines(points, parameter)
    if not all_lines:
        return points[:1, parameter], [np.array([0])]
    most = max(map(len, all_lines))
    longest = [line for line in all_lines if len(line) == most]
    start = points[min(int(line.min()) for line in longest), parameter]
    used_points = np.concatenate([line for line in longest if (points[line, parameter] == start).any()])
    values = np.unique(points[used_points, parameter])
    return values, [used_points[points[used_points, parameter] == value] for value in values]


def _along(points: Array, values: Array, parameter: int, method: Method) -> tuple[list[Exponents], Array]:
    """Return for each quantity the term of a parameter, constant for none, and its coefficients on the lines."""
    x, groups = longest_lines(points, parameter)
    means = np.stack([values[:, rows].mean(axis=1) for rows in groups], axis=1)
    selection = method(x, means)
    terms = [selection.terms[position][0] if position >= 0 else CONSTANT for position in selection.places[0].tolist()]
    # A logarithm is not defined at 0, which other lines may have.
    defined = {term: bool(np.isfinite(column(term, points[:, parameter])).all()) for term in set(terms)}
    return [term if defined[term] else CONSTANT for term in terms], selection.coefficients[:2].T


def _best(
    points: Array, values: Array, single: Sequence[tuple[Exponents, Array]]
) -> tuple[float, list[tuple[Product, float]]]:
    """Return the constant and the products of the best combination; `single`: the terms, and fits on lines."""
    active = [position for position, (term, _) in enumerate(single) if not term.is_constant]
    if not active:
        return float(values.mean()), []
    best: tuple[float, list[Product], list[float]] | None = None
    if len(active) == 1:
        # The coefficients of the lines compete with those of all points.
        products = [_product(single, tuple(active))]
        on_lines = single[active[0]][1].tolist()
        best = _error(points, values, products, on_lines), products, on_lines
    for combination in all_combinations(len(active)):
        products = [_product(single, tuple(active[position] for position in product)) for product in combination]
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
    return best[2][0], list(zip(best[1], best[2][1:], strict=True))


def all_combinations(parameters: int) -> tuple[Combination, ...]:
    """Return the combinations of the terms of some parameters: 4 of two, 23 of three, 2 of more.

    The product of all comes first, then the sum; of combinations that fit equally, the first one is taken.
    """
    every = tuple(range(parameters))
    product, single = (every,), tuple((parameter,) for parameter in every)
    if parameters == 1:
        return (product,)
    sets: list[Combination] = [product, single]
    if parameters == 2:
        sets += [(every, (parameter,)) for parameter in every]
    elif parameters == _ALL_COMBINATIONS:
        pairs = list(subsets(every, 2))
        third = {pair: next(parameter for parameter in every if parameter not in pair) for pair in pairs}
        sets += [(every, subset) for subset in (*single, *pairs)]
        sets += [(every, pair, (third[pair],)) for pair in pairs]
        sets += [(every, *pair_of_singles) for pair_of_singles in subsets(single, 2)]
        sets += [(pair, (third[pair],)) for pair in pairs]
        sets += [(pair, (third[pair],), (parameter,)) for pair in pairs for parameter in pair]
    return tuple(sets)


def _product(single: Sequence[tuple[Exponents, Array]], parameters: tuple[int, ...]) -> Product:
    return tuple(term if at in parameters else CONSTANT for at, (term, _) in enumerate(single))


def _error(points: Array, values: Array, products: Sequence[Product], coefficients: Sequence[float]) -> float:
    """Return the SMAPE of a model at all points."""
    fitted = coefficients[0] + np.array(coefficients[1:]) @ product_columns(products, points)
    return float(smape(fitted, values))
