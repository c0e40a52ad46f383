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


def without_effect(candidates: CandidatePoints) -> tuple[int, ...]:
    """Return the parameters, as positions, along which no measured line differs by more than noise."""
    noise = (candidates.model.noise or 0.0) / 100
    sizes = np.abs(candidates.values)
    deviations = noise * sizes / np.sqrt(np.maximum(candidates.counts, 1))
    parameters = []
    for parameter in range(candidates.points.shape[1]):
        for line in _measured_lines(candidates, parameter):
            low, high = line[candidates.values[line].argmin()], line[candidates.values[line].argmax()]
            limit = _VISIBLE * float(np.hypot(deviations[low], deviations[high])) + _LEAST * float(sizes[line].max())
            if candidates.values[high] - candidates.values[low] > limit:
                break
        else:
            parameters.append(parameter)
    return tuple(parameters)


def further_out(candidates: CandidatePoints, parameter: int) -> NextCandidates | None:
    """Return the point that may show an effect of a parameter; None if the outermost ones are taken.

    It is the cheapest one beyond the largest value on a line, or else the outermost point of a line along which other
    parameters are larger.
    """
    name, is_taken = candidates.model.names[parameter], candidates.taken
    all_lines = [(line, line[is_taken[line]]) for line in lines(candidates.points, parameter)]
    begun = [(line, known) for line, known in all_lines if len(known) > 1]
    beyond = [
        line[candidates.points[line, parameter] > candidates.points[known, parameter].max()] for line, known in begun
    ]
    rows = np.concatenate([*beyond, np.zeros(0, dtype=int)])
    rows = rows[~is_taken[rows]].astype(int)
    if len(rows):
        reason = f"no line shows an effect of {name} yet: a point further out"
        return NextCandidates(rows[[int(candidates.costs[rows].argmin())]], reason)
    # The ranks of the other coordinates: a line is further out where they are larger.
    ranks = np.stack(
        [np.unique(coordinates, return_inverse=True)[1].ravel() for coordinates in candidates.points.T], axis=1
    )
    distance = np.delete(ranks, parameter, axis=1).sum(axis=1)
    partly = [(line, known) for line, known in all_lines if len(known)]
    if not partly:
        return None
    line, known = max(partly, key=lambda pair: int(distance[pair[0][0]]))
    if len(known) > 1 or is_taken[line[-1]]:
        return None
    return NextCandidates(
        line[-1:], f"no line shows an effect of {name} yet: a point where other parameters are larger"
    )


def _measured_lines(candidates: CandidatePoints, parameter: int) -> list[Array]:
    """Return the measured points of each line along a parameter, two or more of them."""
    measured = np.flatnonzero(candidates.counts > 0)
    return [measured[line] for line in lines(candidates.points[measured], parameter)]
