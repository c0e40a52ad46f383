"""Parameters without a visible effect, and the points that may show one."""

from __future__ import annotations

import numpy as np

from sampling.sequential import NextCandidates
from splc.scaling.multi.lines import lines
from splc.scaling.suggestion.candidates import CandidatePoints
from splc.types import Array

# Values differ if their difference is this number of its standard deviations.
_VISIBLE = 4.0
_LEAST = 1e-9


def without_effect(among: CandidatePoints) -> tuple[int, ...]:
    """Return the parameters, as positions, along which no measured line differs by more than noise."""
    noise = (among.model.noise or 0.0) / 100
    sizes = np.abs(among.values)
    deviations = noise * sizes / np.sqrt(np.maximum(among.counts, 1))
    found = []
    for at in range(among.points.shape[1]):
        for line in _measured_lines(among, at):
            low, high = line[among.values[line].argmin()], line[among.values[line].argmax()]
            limit = _VISIBLE * float(np.hypot(deviations[low], deviations[high])) + _LEAST * float(sizes[line].max())
            if among.values[high] - among.values[low] > limit:
                break
        else:
            found.append(at)
    return tuple(found)


def further_out(among: CandidatePoints, at: int) -> NextCandidates | None:
    """Return the point that may show an effect of a parameter; None if the outermost ones are taken.

    It is the cheapest one beyond the largest value on a line, or else the outermost point of a line along which other
    parameters are larger.
    """
    name, is_taken = among.model.names[at], among.taken
    whole = [(line, line[is_taken[line]]) for line in lines(among.points, at)]
    begun = [(line, taken) for line, taken in whole if len(taken) > 1]
    beyond = [line[among.points[line, at] > among.points[taken, at].max()] for line, taken in begun]
    rows = np.concatenate([*beyond, np.zeros(0, dtype=int)])
    rows = rows[~is_taken[rows]].astype(int)
    if len(rows):
        reason = f"no line shows an effect of {name} yet: a point further out"
        return NextCandidates(rows[[int(among.costs[rows].argmin())]], reason)
    # The ranks of the other coordinates: a line is further out where they are larger.
    ranks = np.stack([np.unique(each, return_inverse=True)[1].ravel() for each in among.points.T], axis=1)
    others = np.delete(ranks, at, axis=1).sum(axis=1)
    partly = [(line, taken) for line, taken in whole if len(taken)]
    if not partly:
        return None
    line, taken = max(partly, key=lambda each: int(others[each[0][0]]))
    if len(taken) > 1 or is_taken[line[-1]]:
        return None
    return NextCandidates(
        line[-1:], f"no line shows an effect of {name} yet: a point where other parameters are larger"
    )


def _measured_lines(among: CandidatePoints, at: int) -> list[Array]:
    """Return the measured points of each line along a parameter, two or more of them."""
    measured = np.flatnonzero(among.counts > 0)
    return [measured[line] for line in lines(among.points[measured], at)]
