"""The covering first design of a search: every value of every option is seen, whatever the model says of it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sampling.sequential import most_worth
from splc.data.configurations import Configurations
from splc.learning.projection import Variable
from splc.types import Array

# A value that no run has had seems to have no influence, and is then never tried. The design ends when each value was
# seen SEEN times, and has LEAST to MOST rows: fewer rows miss values, more rows delay the search.
SEEN, LEAST, MOST = 2, 5, 8
# The number of uniform draws that each row is chosen from: of small spaces a third, so that seeds make a difference.
DRAWS, LEAST_DRAWS = 300, 30
# Numeric options with more than _VALUES values are covered by _RANGES ranges with equal numbers of values.
_VALUES, _RANGES = 6, 4
# The worth of another option in which a configuration differs from those before it.
_DIFFERENCE = 0.001


def cells_of(variables: Sequence[Variable], configurations: Configurations) -> Array:
    """Return which value, or range of values, each variable has, integers of shape (n, variables), from 0 on."""
    cells = np.zeros((len(configurations), len(variables)), dtype=np.int64)
    for index, variable in enumerate(variables):
        if variable.kind == "group":
            selected = np.column_stack([configurations.column(name) for name in variable.members]) > 0
            # 0 where no member is selected.
            cells[:, index] = np.where(selected.any(axis=1), selected.argmax(axis=1) + 1, 0)
            continue
        column = configurations.column(variable.members[0])
        if variable.kind == "binary":
            cells[:, index] = column
            continue
        ranks = np.searchsorted(np.array(variable.values), column)
        if len(variable.values) > _VALUES:
            ranks = ranks * _RANGES // len(variable.values)
        cells[:, index] = np.where(np.isnan(column), 0, ranks + 1)
    return cells


def is_covered(cells: Array, drawn: Array, budget: int) -> bool:
    """Return whether a first design is complete.

    `cells`: the values of its rows, shape (n, variables), see `cells_of`. `drawn`: those of draws from the valid
    configurations, shape (m, variables). `budget`: the number of runs of the whole search; the design takes at most
    half of them.
    """
    most = max(LEAST, min(MOST, budget // 2))
    if not LEAST <= len(cells) < most:
        return len(cells) >= most
    return all((_counts(column)[codes] >= SEEN).all() for column, codes in zip(cells.T, drawn.T, strict=True))


def covering_row(cells: Array, drawn: Array) -> int:
    """Return the draw that a first design needs most.

    Its values were seen least by the rows so far; of equal ones it differs most from the nearest of them.

    `cells`: the values of the rows so far, shape (n, variables). `drawn`: the values of the draws, shape (m,
    variables).
    """
    worths = np.zeros(len(drawn))
    for column, codes in zip(cells.T, drawn.T, strict=True):
        worths += 1 / (1.0 + _counts(column, int(codes.max()))[codes]) ** 2
    if len(cells):
        worths += _DIFFERENCE * np.min([(drawn != row).sum(axis=1) for row in cells], axis=0)
    return most_worth(worths, np.ones(len(drawn), dtype=bool))


def _counts(cells: Array, least: int = 63) -> Array:
    return np.bincount(cells, minlength=least + 1)
