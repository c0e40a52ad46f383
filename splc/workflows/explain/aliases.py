"""Options that always change together, so that their effects cannot be separated."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sampling import Space
from splc.data.configurations import Configurations
from splc.errors import SpaceError, listed, plural
from splc.learning.projection import ENUMERATED, Full, valid_configurations
from splc.types import Array
from splc.workflows.note import Note, Rank

# So many sets of options are named.
SHOWN = 5


def alias_notes(full: Full | None, space: Space, choices: Sequence[tuple[int, ...]]) -> tuple[Note, ...]:
    """Return notes about options that always change together.

    They are those of all valid configurations, if these are few, and of the configurations that a full model was
    learned from.
    """
    system = space.system
    groups: list[tuple[str, ...]] = []
    notes = []
    for where, configurations in _sets(full, space):
        # A model may have been learned without some options of the system, or with others.
        own = configurations.system
        names = [[system.names[position] for position in members] for members in choices]
        places = [tuple(own.positions[name] for name in members if name in own.positions) for members in names]
        sets = [tuple(own.names[place] for place in pair) for pair in aliases(configurations.indices, places)]
        # Aliases in all valid configurations are not repeated for some of them.
        new = [alias for alias in sets if not any(set(alias) <= set(other) for other in groups)]
        groups += new
        if new:
            shown = listed([" and ".join(alias) for alias in new], SHOWN)
            text = f"interchangeable, because they always change together in {where}"
            notes.append(Note(f"{text}: {shown}", about=Rank.LIMIT))
    return tuple(notes)


def _sets(full: Full | None, space: Space) -> list[tuple[str, Configurations]]:
    """Return sets of configurations with their descriptions."""
    sets = []
    try:
        if space.count <= ENUMERATED:
            sets.append(("all valid configurations", valid_configurations(space.system, 0)))
    except SpaceError:
        pass
    if full is not None:
        learned = full.configurations.unique()
        count = plural(len(learned), "configuration", "configurations")
        sets.append((f"the {count} learned from", learned))
    return sets


def aliases(indices: Array, choices: Sequence[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """Return sets of options, each of another choice, that always change together.

    `indices`: the value of each option in some configurations, shape (n, options).
    """
    groups: dict[bytes, dict[int, int]] = {}
    for number, positions in enumerate(choices):
        for position in positions:
            column = indices[:, position]
            # Values are numbered in the order of their first rows, so that 0 and 1 may be swapped.
            values = sorted(set(column.tolist()), key=lambda value: int(np.argmax(column == value)))
            if len(values) > 1:
                codes = np.zeros(max(values) + 1, dtype=np.int32)
                codes[values] = np.arange(len(values))
                groups.setdefault(codes[column].tobytes(), {}).setdefault(number, position)
    return [tuple(group.values()) for group in groups.values() if len(group) > 1]


def associations(indices: Array, choices: Sequence[tuple[int, ...]]) -> Array:
    """Return the largest correlation of the values of each two choices, 0 to 1, shape (choices, choices).

    `indices`: the value of each option in some configurations, shape (n, options).
    """
    positions = [position for members in choices for position in members]
    columns = indices[:, positions].astype(float)
    columns -= columns.mean(axis=0)
    size = np.sqrt((columns**2).sum(axis=0))
    # What does not change is not associated with anything.
    columns /= np.where(size > 0, size, 1.0)
    correlations = np.abs(columns.T @ columns)
    starts = np.cumsum([0, *(len(members) for members in choices[:-1])])
    largest = np.maximum.reduceat(np.maximum.reduceat(correlations, starts, axis=0), starts, axis=1)
    return np.asarray(np.minimum(largest, 1.0))
