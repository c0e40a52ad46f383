"""Models of every size for one target (reference/printed-model.md, section 1.3)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from splc.learning.projection.candidates import CONSTANT_PLACE
from splc.learning.projection.forward import Selection, signed_subset
from splc.types import Array

# A larger model must lower the sum of squares by this share of that of the target: less is roundoff.
ROUNDOFF = 1e-13
# Losses that agree to this are equal; the canonical order of terms then decides.
SAME_LOSS = 1e-8


def models_of_sizes(selection: Selection, most: int) -> list[tuple[int, ...]]:
    """Return the positions of the terms of the best model of each size from 1 to `most`.

    It is the better one of forward selection and of backward elimination from the end of its path. A size that is not
    better than the one below has the same model. The empty model is one if nothing was selected.

    Args:
        selection: the end of forward selection.
        most: the largest number of terms.
    """
    union = selection.union
    columns = selection.candidates.columns[list(union)]
    subsets = _Subsets(selection, union, columns @ columns.T, columns @ selection.target)
    best: dict[int, tuple[float, tuple[int, ...]]] = {}
    for chosen in [*selection.sets, *subsets.descent(selection.sets[-1] if selection.sets else ())]:
        square = subsets.square(chosen)
        size = len(chosen)
        if size <= most and (size not in best or square < best[size][0] - ROUNDOFF * subsets.whole):
            best[size] = square, chosen
    found: list[tuple[int, ...]] = []
    least = subsets.whole
    last: tuple[int, ...] = ()
    for size in range(1, most + 1):
        square, chosen = best.get(size, (np.inf, ()))
        if square < least - ROUNDOFF * subsets.whole:
            least, last = square, chosen
        found.append(last)
    return found


class _Subsets:
    """Subsets of the terms that were selected in some step."""

    def __init__(self, selection: Selection, union: Sequence[int], gram: Array, moments: Array) -> None:
        self.candidates, self.gram, self.moments = selection.candidates, gram, moments
        self.whole = float(selection.target @ selection.target)
        self._place = {position: place for place, position in enumerate(union)}

    def square(self, chosen: Sequence[int]) -> float:
        """Return the sum of squared residuals of terms, whose signs are right."""
        places = [self._place[position] for position in chosen]
        moments = self.moments[places]
        return self.whole - float(moments @ np.linalg.solve(self.gram[np.ix_(places, places)], moments))

    def descent(self, chosen: Sequence[int]) -> list[tuple[int, ...]]:
        """Return what backward elimination leaves of terms, one after the other."""
        found: list[tuple[int, ...]] = []
        kept = list(chosen)
        while len(kept) > 1:
            places = [self._place[position] for position in kept]
            inverse = np.linalg.inv(self.gram[np.ix_(places, places)])
            losses = (inverse @ self.moments[places]) ** 2 / np.diag(inverse)
            if not self.candidates.signed and CONSTANT_PLACE in kept:
                losses[kept.index(CONSTANT_PLACE)] = np.inf
            same = np.flatnonzero(losses <= losses.min() * (1 + SAME_LOSS) + 1e-30)
            least = max(same.tolist(), key=lambda at: self.candidates.name(kept[at]))
            del kept[least]
            if self.candidates.signed:
                places = [self._place[position] for position in kept]
                gram = self.gram[np.ix_(places, places)]
                kept, _ = signed_subset(gram, self.moments[places], self.candidates.free[kept], kept)
            found.append(tuple(kept))
        return found
