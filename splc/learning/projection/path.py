"""The path of printed models: number of terms against expected error."""

from __future__ import annotations

import numpy as np

from splc.learning.projection.exchange import next_smaller
from splc.learning.projection.size import ProjectedModel
from splc.learning.projection.subset import Subset
from splc.learning.result import PathPoint


def path_points(projection: ProjectedModel, model: Subset) -> tuple[PathPoint, ...]:
    """Return models from one summand to many, with their expected errors.

    Up to the size of the printed model they are what backward elimination leaves of it. Longer ones are those of the
    projection, and of forward selection.

    Args:
        projection: the projection.
        model: the printed model.
    """
    shorter = _descent(model)
    longer = []
    if projection.model is not model:
        longer = [pair for pair in _descent(projection.model) if len(pair[0].chosen) > len(model.chosen)]
    points = [*reversed(shorter), *reversed(longer)]
    for before, after in zip(projection.path, projection.path[1:], strict=False):
        last = points[-1][0]
        added = sorted(set(after.chosen) - set(before.chosen))
        if len(after.chosen) > len(last.chosen) and after.rms < last.rms and added:
            points.append((after, added[0]))
    # Where one sequence follows another, the term may be part of the models before.
    for place in range(1, len(points)):
        subset, candidate = points[place]
        added = sorted(set(subset.chosen) - set(points[place - 1][0].chosen))
        points[place] = subset, candidate if candidate in added else added[0]
    return tuple(_point(projection, subset, candidate) for subset, candidate in points)


def _descent(model: Subset) -> list[tuple[Subset, int]]:
    """Return a model and what backward elimination leaves of it, each with the candidate that is eliminated next."""
    found = []
    while len(model.chosen) > 1:
        smaller = next_smaller(model)
        found.append((model, next(each for each in model.chosen if each not in smaller.chosen)))
        model = smaller
    return [*found, (model, model.chosen[0])]


def _point(projection: ProjectedModel, model: Subset, added: int) -> PathPoint:
    """Return the size and the expected error: that of the full model, and the distance to it."""
    rows = projection.rows
    own = float(np.abs(rows.held_out).mean())
    distance = float(rows.roots @ np.abs(model.residual)) / rows.weight
    return PathPoint(len(model.chosen), 100 * float(np.hypot(own, distance)), model.goal.candidates.text(added))
