"""Exchange: a term of the chosen model is replaced by a candidate that brings it closer to the full model."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from splc.learning.projection.candidates import CONSTANT_PLACE, Candidates
from splc.learning.projection.forward import SAME_SCORE, with_right_signs
from splc.types import Array

MAX_ROUNDS = 2
# A replacement must lower the root mean square to this share.
GAIN = 0.97
# Below this share of the sum of squares of the target, differences are roundoff.
CLOSE = 1e-10


def exchanged(candidates: Candidates, chosen: Sequence[int], target: Array) -> tuple[int, ...]:
    """Return terms in which every term was replaced if another one lowers the distance to a target enough.

    `target`: the target, shape (m,).
    """
    terms = list(chosen)
    for _ in range(MAX_ROUNDS):
        previous = list(terms)
        for position in sorted(previous, key=candidates.name):
            if position != CONSTANT_PLACE:
                terms = _with_replaced(candidates, terms, position, target)
        if terms == previous:
            break
    return tuple(terms)


def _with_replaced(candidates: Candidates, terms: list[int], position: int, target: Array) -> list[int]:
    """Return terms with a better candidate instead of one of them; the same ones if there is none."""
    columns = candidates.columns
    at = terms.index(position)
    inner = columns[terms] @ columns.T
    inverse = np.linalg.inv(inner[:, terms])
    coefficients = inverse @ (columns[terms] @ target)
    residual = target - coefficients @ columns[terms]
    projected = inverse @ inner
    direction = projected[at] / inverse[at, at]
    # Squared norms of the candidates, and their products with the residual, orthogonal to the other terms.
    residual_norms = 1 - np.einsum("ij,ij->j", inner, projected) + projected[at] * direction
    moments = columns @ residual + coefficients[at] * direction
    fine = (residual_norms > candidates.limits) & (candidates.free | (moments > 0))
    fine[terms] = False
    fine[CONSTANT_PLACE] = False
    gains = np.where(fine, moments**2 / np.where(fine, residual_norms, 1.0), 0.0)
    scores = gains * candidates.penalties
    best = float(scores.max())
    square = float(residual @ residual)
    square_without = square + float(coefficients[at]) ** 2 / float(inverse[at, at])
    if best <= 0:
        return terms
    replacement = min(np.flatnonzero(scores >= best * (1 - SAME_SCORE)).tolist(), key=candidates.name)
    if square_without - gains[replacement] > GAIN**2 * square or square <= CLOSE * float(target @ target):
        return terms
    trial = [replacement if term == position else term for term in terms]
    valid_terms, _ = with_right_signs(candidates, trial, target)
    return trial if len(valid_terms) == len(trial) else terms
