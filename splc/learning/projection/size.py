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

    Args:
        selection: the end of forward selection.
        most: the largest number of terms.
    """
    whole = float(selection.target @ selection.target)
    best: dict[int, tuple[float, tuple[int, ...]]] = {}
    forward = zip(selection.sets, selection.squares, strict=True)
    backward = descent(selection.candidates, selection.sets[-1], selection.target) if selection.sets else ()
    for chosen, square in (*forward, *backward):
        size = len(chosen)
        if size <= most and (size not in best or square < best[size][0] - ROUNDOFF * whole):
            best[size] = square, chosen
    found: list[tuple[int, ...]] = []
    least = whole
    last: tuple[int, ...] = () if selection.candidates.signed else (CONSTANT_PLACE,)
    for size in range(1, most + 1):
        square, chosen = best.get(size, (np.inf, ()))
        if square < least - ROUNDOFF * whole:
            least, last = square, chosen
        found.append(last)
    return found


def descent(candidates: Candidates, chosen: tuple[int, ...], target: Array) -> Iterator[tuple[tuple[int, ...], float]]:
    """Yield what backward elimination leaves of terms, with the sums of squares, one after the other."""
    kept = np.array(chosen, dtype=int)
    columns = candidates.columns[kept]
    inverse, moments = np.linalg.inv(columns @ columns.T), columns @ target
    coefficients = inverse @ moments
    square = float(target @ target - moments @ coefficients)
    while len(kept) > 1:
        least: int | None = _least(candidates, kept, coefficients**2 / np.diag(inverse))
        while least is not None:
            square += float(coefficients[least] ** 2 / inverse[least, least])
            rest = np.arange(len(kept)) != least
            without = inverse - np.outer(inverse[least], inverse[least]) / inverse[least, least]
            kept, moments, inverse = kept[rest], moments[rest], without[rest][:, rest]
            coefficients = inverse @ moments
            # The most negative influence that must not be negative is dropped, too.
            wrong = np.where(candidates.free[kept], 0.0, coefficients)
            least = int(np.argmin(wrong)) if wrong.min(initial=0.0) < 0 else None
        yield tuple(kept.tolist()), square


def _least(candidates: Candidates, kept: Array, losses: Array) -> int:
    """Return the place of the term of least effect; of equal ones the last in canonical order."""
    if not candidates.signed:
        losses = np.where(kept == CONSTANT_PLACE, np.inf, losses)
    same = np.flatnonzero(losses <= losses.min() * (1 + SAME_LOSS) + 1e-30)
    return max(same.tolist(), key=lambda at: candidates.name(int(kept[at])))
