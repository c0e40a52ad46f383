"""The best configurations: exactly by printed models; full models can only be evaluated, at candidates near those."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial

import numpy as np

from sampling import Space
from sampling.space.local_search import searched
from sampling.space.optimum import positions_of, unused_options
from sampling.space.ranking import DIGITS, LOCAL, Ranking, best, front_of_rounded, pareto_front, undominated
from sampling.space.space import DIAGRAMS
from splc.data.configurations import Configurations
from splc.data.failures import Failures
from splc.errors import SpaceError, listed, plural
from splc.io.numbers import count_text
from splc.types import Array
from splc.workflows.note import Note, Notes, Rank
from splc.workflows.optimize.objectives import Objective
from splc.workflows.prediction_notes import Interval, learned_values
from splc.workflows.verb import NOBODY, Watch

# The number of the best configurations of each printed model that a local search starts from.
STARTS = 1000
# Why the interval of a best prediction may not hold.
TOO_GOOD = "the best of many predictions is often too good; measure it before you rely on it"


def best_of(
    objectives: Sequence[Objective],
    space: Space,
    top: int,
    limit: int,
    notes: Notes,
    watch: Watch = NOBODY,
    failures: Failures | None = None,
) -> tuple[Ranking, bool]:
    """Return the best configurations of one property, or the Pareto front of several, as what predicts has them.

    The optimum of printed models is exact. With full models, all valid configurations are predicted if there are at
    most 100,000. Of more, and where the printed models are too complex for an exact optimum, it is a local search from
    the best 1,000 of the printed models, or from measured and drawn ones; a note says so.
    """
    inexact = None
    if all(objective.full is None for objective in objectives):
        try:
            exact = _exact(objectives, space, top, limit)
            if failures is None or not failures.among(exact.configurations).any():
                return exact, True
        except SpaceError as error:
            inexact = error.problems[0].message
    signs = signs_of(objectives)

    def predict(configurations: Configurations) -> Array:
        values: Array = np.stack([objective.predict(configurations) for objective in objectives], axis=1) * signs
        return values

    def order(values: Array) -> Array:
        # Of equal ones the first counts.
        order = np.lexsort(values.T[::-1])
        return order[:top] if len(objectives) == 1 else order[undominated(values[order])]

    used = set(positions_of(frozenset().union(*(objective.options for objective in objectives)), space.system))
    starts = partial(_starts, objectives, space, limit, fronts=not inexact)
    excluded = None if failures is None else Configurations(space.system, failures.configurations.indices)

    def report(done: int, total: int) -> None:
        watch.advance(done, total if done else None, f"predicting ({done:,} of {total:,} configurations)")

    result = searched(predict, space, starts, order, used=used, excluded=excluded, on_progress=report)
    if not result.exhaustive:
        count = f"{result.examined:,} of {count_text(space.count)}" if space.is_counted else f"{result.examined:,}"
        sources = "the best ones of the printed model"
        if inexact:
            sources = (
                "measured and drawn ones" if len(objectives) == 1 else "the best ones of each model, or drawn ones"
            )
        text = f"{count} valid configurations were predicted: those near {sources}, so that a better one may exist"
        reason = f"the exact optimum is not known: {inexact}"
        notes.append(Note(text, warning=inexact is not None, details=(reason,) if inexact else (), about=Rank.LIMIT))
    predicted = (result.values * signs).T
    unused = unused_options(space.system, used)
    engine = DIAGRAMS if result.exhaustive else LOCAL
    ranking = Ranking(result.configurations, predicted, result.examined, unused, engine)
    return ranking, result.exhaustive


def without_equals(ranking: Ranking, objectives: Sequence[Objective], notes: Notes) -> Ranking:
    """Return the front without configurations that are dominated except for rounding."""
    if len(objectives) == 1:
        return ranking
    front = front_of_rounded((ranking.predicted * signs_of(objectives)[:, np.newaxis]).T)
    if left_out := ranking.predicted.shape[1] - len(front):
        text = plural(left_out, "configuration is left out", "configurations are left out")
        rest = f"others are at least as good to {DIGITS} digits of the predictions"
        notes.append(Note(f"{text}: {rest}", about=Rank.LIMIT))
    return replace(ranking, configurations=ranking.configurations[front], predicted=ranking.predicted[:, front])


def signs_of(objectives: Sequence[Objective]) -> Array:
    """Return -1 for properties to maximize, 1 for others, shape (objectives,)."""
    return np.array([-1.0 if objective.maximize else 1.0 for objective in objectives])


def _exact(objectives: Sequence[Objective], space: Space, top: int, limit: int) -> Ranking:
    """Return the best configurations of the printed model, or the Pareto front of several."""
    models = [objective.model for objective in objectives]
    if len(models) == 1:
        return best(models[0], space, top, objectives[0].maximize, limit)
    return pareto_front(models, space, [objective.maximize for objective in objectives], limit)


def _starts(objectives: Sequence[Objective], space: Space, limit: int, *, fronts: bool) -> Configurations:
    """Return the best configurations of each printed model, and those that are on the Pareto front of all.

    Where they are too complex, these are measured and drawn configurations. Without `fronts` the optimum or front of
    all is known to be too complex.
    """
    starts: list[Configurations] = []
    for objective in objectives if fronts or len(objectives) > 1 else ():
        with suppress(SpaceError):
            starts.append(_best(objective, space, limit))
    if len(objectives) > 1 and fronts:
        with suppress(SpaceError):
            starts.append(_exact(objectives, space, 1, limit).configurations)
    if not starts:
        pools = [Configurations(space.system, goal.known.indices) for goal in objectives if goal.known is not None]
        starts += (pool[space.check(pool)] for pool in pools)
        starts.append(_drawn(space))
    return Configurations(space.system, np.concatenate([start.indices for start in starts]))


def _drawn(space: Space) -> Configurations:
    rng = np.random.default_rng(0)
    if space.is_counted:
        return space.draw(min(STARTS, space.count), rng)
    return space.draw_approximately(STARTS, rng)[0]


def _best(objective: Objective, space: Space, limit: int) -> Configurations:
    try:
        return best(objective.model, space, STARTS, objective.maximize, limit).configurations
    except SpaceError:
        return best(objective.model, space, 1, objective.maximize, limit).configurations


def unreached_objectives(
    objectives: Sequence[Objective], intervals: Sequence[Sequence[Interval | None]]
) -> tuple[str, ...]:
    """Return the objectives of which no measured value is as good as the worst end of the best interval.

    Intervals hold for configurations that are chosen without the model. The best of very many predictions is the one
    in which errors of many influences add up.
    """
    names = []
    for objective, sign, column in zip(objectives, signs_of(objectives), intervals, strict=True):
        known = np.concatenate([objective.values, learned_values(objective.full)])
        known = known[~np.isnan(known)]
        ends = [sign * (interval.high if sign > 0 else interval.low) for interval in column if interval is not None]
        if len(known) and ends and min(ends) < (sign * known).min():
            names.append(objective.name)
    return tuple(names)


def unreached_notes(names: Sequence[str], count: int) -> tuple[Note, ...]:
    """Return a note on the unreached ones of `count` objectives, none if there are none."""
    if not names:
        return ()
    what = "no measured value" if count == 1 else f"no measured value of {listed(names)}"
    return (Note(f"{what} reaches the interval: {TOO_GOOD}"),)
