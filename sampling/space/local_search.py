"""The best configurations of any predictor: of all valid ones where these are few, else by local search.

`sampling.space.ranking` is exact for sums of terms in spaces of any size. Other predictors can only be evaluated: at
every valid configuration, or in the neighbourhood of good ones.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

import numpy as np

from sampling.space.rows import distinct_rows
from sampling.space.space import Space
from splc.data.configurations import Configurations
from splc.types import Array

# The most valid configurations of which all are predicted.
ENUMERATED = 100_000
# The most configurations that the local search predicts, and the good ones whose neighbours it predicts at a time.
MAX_PREDICTED, TOGETHER = 50_000, 20
# The number of predictions between reports of progress.
REPORTED = 4096


@dataclass(frozen=True, eq=False)
class Searched:
    """Configurations with their values."""

    configurations: Configurations  # the configurations, the best first
    values: Array  # what the predictor returned for them, shape (n, values)
    examined: int  # the number of configurations that were predicted
    exhaustive: bool  # whether these are all valid ones


def searched(
    predict: Callable[[Configurations], Array],
    space: Space,
    starts: Callable[[], Configurations],
    kept: Callable[[Array], Array],
    *,
    used: Collection[int] | None = None,
    excluded: Configurations | None = None,
    enumerated: int = ENUMERATED,
    most: int = MAX_PREDICTED,
    on_progress: Callable[[int, int], None] = lambda done, total: None,
) -> Searched:
    """Return the best valid configurations of a predictor.

    The local search changes one option or alternative group of the best configurations, as long as that improves them.

    `predict`: returns values of configurations, shape (n, values). `kept`: returns the positions of the best rows of
    values, the best first; of equal rows the first one. `used`: the positions of the options that the values depend on;
    of configurations that only differ in others, the first one counts. None is all options. `excluded`: configurations
    that are left out; None if there are none.
    """

    def predicted(configurations: Configurations, before: int = 0) -> Array:
        count = len(configurations)
        parts = []
        for start in range(0, max(count, 1), REPORTED):
            parts.append(predict(configurations[start : start + REPORTED]))
            done = before + min(start + REPORTED, count)
            on_progress(done, before + count if with_all else max(most, done))
        return np.concatenate(parts)

    def usable(configurations: Configurations) -> Configurations:
        return configurations if excluded is None else configurations[excluded.find(configurations) < 0]

    with_all = space.is_counted and space.count <= enumerated
    candidates = usable(space.enumerate() if with_all else starts())
    candidates = candidates[_first(candidates, used, space)]
    values = predicted(candidates)
    expanded = np.zeros(len(candidates), dtype=bool)
    while not with_all and len(candidates) < most:
        best = kept(values)
        best = best[~expanded[best]][:TOGETHER]
        if not len(best):
            break
        expanded[best] = True
        # Of equal ones, those that are known come first.
        near = usable(neighbours(candidates[best], space, used))
        both = Configurations(space.system, np.concatenate([candidates.indices, near.indices]))
        both = both[_first(both, used, space)]
        values = np.concatenate([values, predicted(both[len(candidates) :], len(candidates))])
        expanded = np.append(expanded, np.zeros(len(both) - len(candidates), dtype=bool))
        candidates = both
    best = kept(values)
    return Searched(candidates[best], values[best], len(candidates), with_all)


def _first(configurations: Configurations, used: Collection[int] | None, space: Space) -> Array:
    """Return the positions of the first of all configurations that have the same values of the used options."""
    positions = range(len(space.problem.sizes)) if used is None else sorted(used)
    sizes = [space.problem.sizes[position] for position in positions]
    first, _ = distinct_rows(configurations.indices[:, list(positions)], sizes)
    return np.sort(first)


def neighbours(configurations: Configurations, space: Space, used: Collection[int] | None = None) -> Configurations:
    """Return the valid configurations that differ from given ones in one option or alternative group, each once.

    `used`: the positions of the options that are changed, with all members of their groups. None is all options.
    """
    system, indices = space.system, configurations.indices
    blocks = [indices]
    varied = range(len(system.options)) if used is None else used
    groups = system.alternative_groups
    for group in groups:
        positions = [system.positions[name] for name in group]
        parent = system.option(group[0]).parent
        if not any(system.positions[name] in varied for name in (*group, parent) if name is not None):
            continue
        for member in (None, *positions):
            changed = indices.copy()
            changed[:, positions] = 0
            if parent is not None:
                changed[:, system.positions[parent]] = member is not None
            if member is not None:
                changed[:, member] = 1
            blocks.append(changed)
    grouped = {name for group in groups for name in group}
    for position, (option, size) in enumerate(zip(system.options, space.problem.sizes, strict=True)):
        for index in range(0 if option.name in grouped or position not in varied else size):
            changed = indices.copy()
            changed[:, position] = index
            blocks.append(changed)
    rows = np.concatenate(blocks)
    first, _ = distinct_rows(rows, space.problem.sizes)
    changes = Configurations(system, rows[np.sort(first)])
    return changes[space.check(changes)]
