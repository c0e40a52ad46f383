"""Models of every size for one target (docs/decisions/0010-printed-model.md, "Sizes")."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from splc.learning.projection.candidates import CONSTANT_PLACE, Candidates
from splc.learning.projection.forward import TermSelection
from splc.types import Array

# A larger model must lower the sum of squares by this share of that of the target: less is roundoff.
ROUNDOFF = 1e-13
# Losses that agree to this are equal; the canonical order of terms then decides.
SAME_LOSS = 1e-8


def models_of_sizes(selection: TermSelection, most: int) -> list[tuple[int, ...]]:
    """Return the positions of the terms of the best model of each size from 1 to `most`.

    It is the better one of forward selection and of backward elimination from the end of its path. A size that is not
    better than the one below has the same model. The smallest model is the constant, or empty if influences are bounded
    and none was selected.
    """
    total_square = float(selection.target @ selection.target)
    best: dict[int, tuple[float, tuple[int, ...]]] = {}
    forward = zip(selection.sets, selection.squares, strict=True)
    backward = descent(selection.candidates, selection.sets[-1], selection.target) if selection.sets else ()
    for terms, square in (*forward, *backward):
        size = len(terms)
        if size <= most and (size not in best or square < best[size][0] - ROUNDOFF * total_square):
            best[size] = square, terms
    models: list[tuple[int, ...]] = []
    least_square = total_square
    last: tuple[int, ...] = () if selection.candidates.signed else (CONSTANT_PLACE,)
    for size in range(1, most + 1):
        square, terms = best.get(size, (np.inf, ()))
        if square < least_square - ROUNDOFF * total_square:
            least_square, last = square, terms
        models.append(last)
    return models


def descent(candidates: Candidates, chosen: tuple[int, ...], target: Array) -> Iterator[tuple[tuple[int, ...], float]]:
    """Yield what backward elimination leaves of terms, with the sums of squares, one after the other."""
    terms = np.array(chosen, dtype=int)
    columns = candidates.columns[terms]
    inverse, moments = np.linalg.inv(columns @ columns.T), columns @ target
    coefficients = inverse @ moments
    square = float(target @ target - moments @ coefficients)
    while len(terms) > 1:
        dropped: int | None = _least_important(candidates, terms, coefficients**2 / np.diag(inverse))
        while dropped is not None:
            square += float(coefficients[dropped] ** 2 / inverse[dropped, dropped])
            is_kept = np.arange(len(terms)) != dropped
            reduced_inverse = inverse - np.outer(inverse[dropped], inverse[dropped]) / inverse[dropped, dropped]
            terms, moments, inverse = terms[is_kept], moments[is_kept], reduced_inverse[is_kept][:, is_kept]
            coefficients = inverse @ moments
            # The most negative of the bounded influences is dropped, too.
            violations = np.where(candidates.free[terms], 0.0, coefficients)
            dropped = int(np.argmin(violations)) if violations.min(initial=0.0) < 0 else None
        yield tuple(terms.tolist()), square


def _least_important(candidates: Candidates, terms: Array, losses: Array) -> int:
    """Return the place of the term of least effect; of equal ones the last in canonical order."""
    if not candidates.signed:
        losses = np.where(terms == CONSTANT_PLACE, np.inf, losses)
    least_important = np.flatnonzero(losses <= losses.min() * (1 + SAME_LOSS) + 1e-30)
    return max(least_important.tolist(), key=lambda at: candidates.name(int(terms[at])))
