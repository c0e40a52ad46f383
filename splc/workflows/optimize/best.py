"""The best configurations by full models, which can only be evaluated: candidates come from the printed models."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from sampling import Space
from sampling.space.local_search import searched
from sampling.space.optimum import positions_of, unused_options
from sampling.space.ranking import Ranking, best, pareto_front, undominated
from splc.data.configurations import Configurations
from splc.errors import SpaceError
from splc.io.numbers import count_text
from splc.types import Array
from splc.workflows.note import Note, Notes, OnProgress, Rank
from splc.workflows.optimize.objectives import Objective

# The number of the best configurations of each printed model that a local search starts from.
STARTS = 1000


def best_of_full_models(
    objectives: Sequence[Objective],
    space: Space,
    top: int,
    limit: int,
    notes: Notes,
    on_progress: OnProgress | None = None,
) -> tuple[Ranking, bool]:
    """Return the best configurations of one property, or the Pareto front of several, as what predicts has them.

    All valid configurations are predicted if there are at most 100,000. Of more, it is a local search from the best
    1,000 of the printed models; a note says so.

    Args:
        objectives: the properties, at least one with a full model.
        space: the valid configurations with the fixed values.
        top: the number of configurations, for one property.
        limit: the greatest number of combinations to examine for a printed model.
        notes: the notes that one is added to.
        on_progress: called after every few thousand predictions.

    Returns:
        The configurations, and whether they are the best of all valid ones.

    Raises:
        SpaceError: if the best configurations of a printed model cannot be found within the limit.
    """
    signs = np.array([-1.0 if each.maximize else 1.0 for each in objectives])

    def predict(configurations: Configurations) -> Array:
        found: Array = np.stack([each.predict(configurations) for each in objectives], axis=1) * signs
        return found

    def kept(values: Array) -> Array:
        # Of equal ones the first counts.
        order = np.lexsort(values.T[::-1])
        return order[:top] if len(objectives) == 1 else order[undominated(values[order])]

    used = set(positions_of(frozenset().union(*(each.options for each in objectives)), space.system))
    starts = partial(_starts, objectives, space, limit)
    found = searched(predict, space, starts, kept, used=used, on_progress=partial(_report, on_progress))
    if not found.exhaustive:
        count = f"{found.examined:,} of {count_text(space.count)}" if space.is_counted else f"{found.examined:,}"
        text = f"{count} valid configurations were predicted: those near the best ones of the printed model"
        notes.append(Note(f"{text}, so that a better one may exist", about=Rank.LIMIT))
    predicted = (found.values * signs).T
    ranking = Ranking(found.configurations, predicted, found.examined, unused_options(space.system, used))
    return ranking, found.exhaustive


def _report(on_progress: OnProgress | None, done: int, total: int) -> None:
    if on_progress is not None:
        on_progress(done, total, f"predicting ({done:,} of {total:,} configurations)")


def _starts(objectives: Sequence[Objective], space: Space, limit: int) -> Configurations:
    """Return the best configurations of each printed model, and those that are on the Pareto front of all."""
    found = [_best(each, space, limit) for each in objectives]
    if len(objectives) > 1:
        maximize = [each.maximize for each in objectives]
        found.append(pareto_front([each.model for each in objectives], space, maximize, limit).configurations)
    return Configurations(space.system, np.concatenate([each.indices for each in found]))


def _best(objective: Objective, space: Space, limit: int) -> Configurations:
    try:
        return best(objective.model, space, STARTS, objective.maximize, limit).configurations
    except SpaceError:
        return best(objective.model, space, 1, objective.maximize, limit).configurations
