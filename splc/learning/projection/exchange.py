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
# Nothing is gained where so small a share of the target's sum of squares is left; differences are roundoff.
CLOSE = 1e-10


def exchanged(candidates: Candidates, chosen: Sequence[int], target: Array) -> tuple[int, ...]:
    """Return terms in which every term was replaced if another one lowers the distance to a target enough.

    Args:
        candidates: the candidates.
        chosen: the positions of the terms.
        target: the target, shape (m,).
    """
    found = list(chosen)
    for _ in range(MAX_ROUNDS):
        before = list(found)
        for position in sorted(before, key=candidates.name):
            if position != CONSTANT_PLACE:
                found = _replaced(candidates, found, position, target)
        if found == before:
            break
    return tuple(found)


def _replaced(candidates: Candidates, chosen: list[int], position: int, target: Array) -> list[int]:
    """Return terms with a better candidate instead of one of them; the same ones if there is none."""
    columns = candidates.columns
    at = chosen.index(position)
    inner = columns[chosen] @ columns.T
    inverse = np.linalg.inv(inner[:, chosen])
    coefficients = inverse @ (columns[chosen] @ target)
    residual = target - coefficients @ columns[chosen]
    along = inverse @ inner
    own = along[at] / inverse[at, at]
    # What a candidate, and the residual, have besides the other terms.
    left = 1 - np.einsum("ij,ij->j", inner, along) + along[at] * own
    moments = columns @ residual + coefficients[at] * own
    fine = (left > candidates.limits) & (candidates.free | (moments > 0))
    fine[chosen] = False
    fine[CONSTANT_PLACE] = False
    gains = np.where(fine, moments**2 / np.where(fine, left, 1.0), 0.0)
    scores = gains * candidates.penalties
    best = float(scores.max())
    square = float(residual @ residual)
    without = square + float(coefficients[at]) ** 2 / float(inverse[at, at])
    if best <= 0:
        return chosen
    place = min(np.flatnonzero(scores >= best * (1 - SAME_SCORE)).tolist(), key=candidates.name)
    if without - gains[place] > GAIN**2 * square or square <= CLOSE * float(target @ target):
        return chosen
    trial = [place if each == position else each for each in chosen]
    kept, _ = with_right_signs(candidates, trial, target)
    return trial if len(kept) == len(trial) else chosen
