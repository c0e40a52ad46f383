"""Forward selection: the candidate that lowers the distance to the full model most is added until none helps."""

from __future__ import annotations

import numpy as np

from splc.learning.projection.decomposition import rests
from splc.learning.projection.exchange import exchanged
from splc.learning.projection.subset import (
    CONSTANT_PLACE,
    Goal,
    Subset,
    distinguishable,
    fitted,
    ranked,
)
from splc.types import Array

MOST_TERMS = 120
# The best candidates by score are compared by what they lower the sum of squares by. The reference tries 12; 80 give
# a tenth fewer terms at 2 % less error on the shared systems, in the same time.
TRIED = 80
# Candidates that are checked for aliases at a time.
CHECKED = 100
# Gains that agree to this are equal: members of a group span what their number and its square span, so that the models
# are the same. Gains are differences of sums of squares, whose last digits differ between CPUs.
SAME_GAIN = 1e-6
# Up to so many terms, exchanges follow each addition: a power that was added first, n^2, is replaced by the one that
# fits together with the later terms, n. Otherwise many terms correct the first ones.
EXCHANGED = 12
# The path ends if the last STALLED terms lowered the mean square by less than this share of the squared tolerance.
STALLED, STALLED_SHARE = 3, 0.03
# The path ends at this share of the tolerance. (1/50 in the reference; the terms after a tenth are not printed.)
EXACT = 1 / 10
# A sum that is this many times the tolerance away after so many terms is continued only if no product replaces it.
HOPELESS, HOPELESS_TERMS = 2.0, 40


def forward(goal: Goal, tolerance: float, *, hopeless: bool = False, most: int = MOST_TERMS) -> list[Subset]:
    """Return the models on the forward path, from the constant on.

    Args:
        goal: the candidates and the target.
        tolerance: the distance to the full model that the printed model may have.
        hopeless: whether a path that does not come near the tolerance ends early.
        most: the largest number of terms of a path that has not reached the tolerance.
    """
    path = [fitted(goal, [CONSTANT_PLACE])]
    stalled = STALLED_SHARE * tolerance**2 * goal.weight
    while len(path) <= 3 * MOST_TERMS:
        last = path[-1]
        if last.rms <= EXACT * tolerance or len(last.terms) >= MOST_TERMS:
            break
        if len(last.terms) >= most and last.rms > tolerance:
            break
        if hopeless and is_hopeless(last, tolerance):
            break
        if len(path) > STALLED and path[-1 - STALLED].square - last.square < stalled:
            break
        added = _next(last)
        if added is None or added.square >= last.square * (1 - 1e-12):
            break
        for position in set(added.chosen) - set(last.chosen):
            goal.candidates.add_heirs(position)
        # With no bound to keep, replacements must lower the distance.
        path.append(exchanged(added, 0.0) if len(added.terms) <= EXCHANGED else added)
    return path


def is_hopeless(model: Subset, tolerance: float) -> bool:
    """Return whether a model with many terms is far from the full model."""
    return len(model.terms) >= HOPELESS_TERMS and model.rms > HOPELESS * tolerance


def _next(last: Subset) -> Subset | None:
    """Return a model with the best further candidate, None if there is none."""
    goal = last.goal
    candidates = goal.candidates
    moments = last.moments
    scores = moments**2 * candidates.penalties
    if CONSTANT_PLACE in last.chosen:
        # Columns with a large mean, such as those of x, would otherwise seem worse than those of x^2.
        scores[1:] /= candidates.around[1:]
    # Residuals of roundoff size give no order.
    scores[scores <= (1e-14 * np.linalg.norm(goal.target)) ** 2] = 0.0
    scores[list(last.chosen)] = 0.0
    scores[~candidates.free & (moments <= 0)] = 0.0
    for start in range(0, len(candidates), CHECKED):
        places = ranked(scores, candidates, CHECKED)
        columns = candidates.columns[places].T
        left = rests(columns, last.basis)
        scores[places] = 0.0
        fine = np.flatnonzero(distinguishable(goal, places, _around(last, places, columns, left)))[:TRIED]
        if len(fine):
            best = _best(last, places[fine], moments, left[fine])
            if best is not None:
                return best
        if len(places) < CHECKED or start > 3 * CHECKED:
            break
    return None


def _around(last: Subset, places: Array, columns: Array, left: Array) -> Array:
    """Return the rest of squared norms besides the selected candidates and the constant.

    `left`: the rest besides the selected candidates only.
    """
    if CONSTANT_PLACE in last.chosen:
        return left
    # The constant is judged by its rest besides the selected candidates.
    return np.where(places == CONSTANT_PLACE, left, rests(columns, last.closed_basis))


def _best(last: Subset, places: Array, moments: Array, left: Array) -> Subset | None:
    """Return the model with the candidate that lowers the sum of squares most when all signs are kept."""
    goal = last.goal
    # Without regard to signs no candidate lowers the sum of squares by more than this.
    bounds = moments[places] ** 2 / left * goal.candidates.penalties[places]
    best: tuple[float, int, Subset] | None = None
    for at in np.argsort(-bounds, kind="stable").tolist():
        if best is not None and bounds[at] < best[0] * (1 - SAME_GAIN):
            break
        position = int(places[at])
        trial = fitted(goal, [*last.chosen, position], last)
        gain = (last.square - trial.square) * float(goal.candidates.penalties[position])
        if position in trial.chosen and (best is None or _is_better(goal, gain, position, *best[:2])):
            best = gain, position, trial
    return None if best is None else best[2]


def _is_better(goal: Goal, gain: float, position: int, best: float, other: int) -> bool:
    """Return whether a candidate has a larger gain; of equal ones the first in canonical order is better."""
    if abs(gain - best) > SAME_GAIN * best:
        return gain > best
    return goal.candidates.name(position) < goal.candidates.name(other)
