"""Backward elimination and exchange: fewer, simpler or better terms at the same distance to the full model."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from splc.learning.projection.decomposition import rests
from splc.learning.projection.subset import (
    CONSTANT_PLACE,
    SAME_SCORE,
    Subset,
    distinguishable,
    fitted,
    ranked,
)
from splc.types import Array

MOST_ROUNDS = 3
# A replacement must lower the root mean square to this share, or have fewer factors.
GAIN = 0.97
# Replacements that are tried for every term (6 in the reference), and candidates that are checked for aliases.
TRIED, CHECKED = 20, 40
# A bound is kept if it is exceeded by roundoff only.
ROUNDOFF = 1 + 1e-9


def reduced(model: Subset, bound: float) -> Subset:
    """Return a model without the terms that it does not need, and with better ones exchanged for others.

    Args:
        model: the model.
        bound: the distance to the full model, a root mean square, that must not be exceeded.
    """
    model = eliminated(model, bound)
    for _ in range(MOST_ROUNDS):
        changed = exchanged(model, bound)
        if changed is model:
            break
        model = eliminated(changed, bound)
    return model


def eliminated(model: Subset, bound: float, most: int | None = None) -> Subset:
    """Return a model without the terms of least effect.

    Args:
        model: the model.
        bound: the distance to the full model that must not be exceeded.
        most: the largest number of summands, which takes precedence over the bound.
    """
    while len(model.chosen) > 1:
        smaller = next_smaller(model)
        if smaller.rms > bound * ROUNDOFF and (most is None or len(model.chosen) <= most):
            break
        model = smaller
    return model


def next_smaller(model: Subset) -> Subset:
    """Return a model without the term of least effect; of equal ones the last in canonical order."""
    losses = model.losses.copy()
    if model.goal.affine:
        losses[model.chosen.index(CONSTANT_PLACE)] = np.inf
    same = np.flatnonzero(losses <= losses.min() * (1 + SAME_SCORE) + 1e-30)
    last = max(same.tolist(), key=lambda at: model.goal.candidates.name(model.chosen[at]))
    return model.without(model.chosen[last])


def exchanged(model: Subset, bound: float) -> Subset:
    """Return a model in which every term was replaced once if a candidate is better; the same model if none is."""
    pending = sorted(model.terms, key=model.goal.candidates.name)
    while pending:
        for position, moments in zip(pending, _moments(model, pending), strict=True):
            better = _replaced(model, position, moments, bound)
            if better is not None:
                for new in set(better.chosen) - set(model.chosen):
                    better.goal.candidates.add_heirs(new)
                model = better
                pending = [each for each in pending[pending.index(position) + 1 :] if each in model.chosen]
                break
        else:
            break
    return model


def _moments(model: Subset, positions: Sequence[int]) -> Array:
    """Return the products of the residuals without each of some terms with the candidates, (positions, candidates)."""
    places = [model.chosen.index(position) for position in positions]
    rows, coefficients = model.inverse[places], model.coefficients[places]
    # What is missing without a term is its part that the other columns do not explain, as a sum of columns.
    missing = (coefficients / (rows**2).sum(axis=1))[:, None] * (rows @ model.inverse.T)
    inner = model.goal.candidates.inner_products(model.chosen)
    found: Array = model.moments_from(inner) + missing @ inner
    return found


def _replaced(model: Subset, position: int, moments: Array, bound: float) -> Subset | None:
    """Return a model in which a term is replaced by a better candidate, None if there is none.

    `moments`: the products of the residual without the term with the candidates.
    """
    goal, candidates = model.goal, model.goal.candidates
    square = model.square + float(model.losses[model.chosen.index(position)])
    values = moments**2 * candidates.penalties
    if CONSTANT_PLACE in model.chosen:
        values[1:] /= candidates.around[1:]
    values[~candidates.free & (moments <= 0)] = 0.0
    values[list(model.chosen)] = 0.0
    # The constant returns in forward selection only.
    values[CONSTANT_PLACE] = 0.0
    places = ranked(values, candidates, CHECKED)
    if not len(places):
        return None
    around, left = _left(model, position, places)
    fine = np.flatnonzero(distinguishable(goal, places, around))[:TRIED]
    best: tuple[float, Subset] | None = None
    for place, rest in zip(places[fine].tolist(), left[fine].tolist(), strict=True):
        simpler = candidates.factors[place] < candidates.factors[position]
        limit = bound if simpler else GAIN * model.rms
        # Signs can only make the sum of squares larger than this.
        if goal.rms(square - float(moments[place] ** 2) / rest) > limit:
            continue
        trial = fitted(goal, [place if each == position else each for each in model.chosen], model)
        gain = (square - trial.square) * float(candidates.penalties[place])
        if place in trial.chosen and trial.rms <= limit and (best is None or gain > best[0] * (1 + SAME_SCORE)):
            best = gain, trial
    return None if best is None else best[1]


def _left(model: Subset, position: int, places: Array) -> tuple[Array, Array]:
    """Return the rest of squared norms of candidates besides the other terms: with the constant, and without."""
    columns = model.goal.candidates.columns[places].T
    at = model.chosen.index(position)

    def left(basis: Array, own: Array) -> Array:
        # What the term alone explains is left, too.
        return np.asarray(rests(columns, basis) + (own[:, at] @ columns) ** 2)

    without = left(model.basis, model.own)
    if CONSTANT_PLACE in model.chosen or model.closed_basis is model.basis:
        return without, without
    return left(model.closed_basis, model.closed_own), without
