"""The candidates of a search for the optimum: valid configurations that were not measured, new ones in each step.

A `CandidateSource` lists all valid configurations, or draws from them. The covering first design picks those in which
every value of every option is seen, whatever the model says of it (`covering_row`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from sampling.sequential import most_worth
from sampling.space.space import Space
from splc.data.configurations import Configurations
from splc.learning import projection
from splc.learning.projection import Variable
from splc.types import Array

LISTED = 100_000  # the greatest size of a space that is listed
# Candidates of a step: uniform draws, and those that differ least from each of the best ones.
DRAWS, NEAREST, BEST = 2000, 250, 3
FEW_DRAWS = 1000  # draws of a step from larger spaces; all changes of one option of the best ones are candidates, too
_STEPS = 6  # values on each side that a numeric option is changed to, at doubling distances, beside both ends
# A value that no run has had seems to have no influence, and is then never tried. The design ends when each value was
# seen SEEN times, and has LEAST to MOST rows: fewer rows miss values, more rows delay the search.
SEEN, LEAST, MOST = 2, 5, 8
# The number of uniform draws that each row is chosen from: of small spaces a third, so that seeds make a difference.
COVERING_DRAWS, LEAST_DRAWS = 300, 30
# Numeric options with more than _VALUES values are covered by _RANGES ranges with equal numbers of values, and by how
# often they can be divided by two (decision 17).
_VALUES, _RANGES = 6, 4
_DIFFERENCE = 0.001  # the worth of another option in which a configuration differs from those before it


@dataclass(frozen=True, eq=False)
class _Source(ABC):
    """A source whose configurations may fail: they are not drawn, but candidates, since no failure is certain."""

    fail: Callable[[Configurations], Array] | None = field(default=None, kw_only=True)  # which fail, (n,), bool

    def working(self, configurations: Configurations) -> Array:
        """Return which configurations do not fail."""
        return np.ones(len(configurations), dtype=bool) if self.fail is None else ~self.fail(configurations)

    def draw(self, count: int, rng: np.random.Generator, taken: Configurations) -> Configurations:
        """Return at most so many configurations that are not taken, drawn uniformly, before those that fail go."""
        drawn = self._drawn(count, rng, taken)
        return drawn[self.working(drawn)]

    @abstractmethod
    def _drawn(self, count: int, rng: np.random.Generator, taken: Configurations) -> Configurations: ...


@dataclass(frozen=True, eq=False)
class ListedSource(_Source):
    """Valid configurations that are listed: all of a small space, or the rows of a table."""

    configurations: Configurations  # the configurations, in the order of their values

    @classmethod
    def of(cls, configurations: Configurations) -> ListedSource:
        """Return the source of distinct configurations, whatever their order."""
        return cls(configurations[np.argsort(configurations.keys, kind="stable")])

    @property
    def count(self) -> int:
        """The number of configurations."""
        return len(self.configurations)

    def _free(self, taken: Configurations) -> Array:
        rows = self.configurations.find(taken)
        return np.delete(np.arange(len(self.configurations)), rows[rows >= 0])

    def _drawn(self, count: int, rng: np.random.Generator, taken: Configurations) -> Configurations:
        # In the order of their values.
        return self.configurations[_some(self._free(taken), count, rng)]

    def candidates(self, rng: np.random.Generator, taken: Configurations, best: Configurations) -> Configurations:
        """Return all configurations that are not taken; if there are many, draws and those nearest to the best ones."""
        free = self._free(taken)
        chosen = np.zeros(len(self.configurations), dtype=bool)
        chosen[_some(free, DRAWS, rng)] = True
        indices = self.configurations.indices[free]
        for row in best.indices if len(free) > DRAWS else ():
            distances = (indices != row).sum(axis=1)
            chosen[free[np.argsort(distances, kind="stable")[:NEAREST]]] = True
        return self.configurations[np.flatnonzero(chosen)]

    def valid(self, configurations: Configurations) -> Array:
        """Return which configurations are listed."""
        return np.asarray((self.configurations.find(configurations) >= 0) & self.working(configurations))


@dataclass(frozen=True, eq=False)
class DrawnSource(_Source):
    """A space with more valid configurations than can be listed."""

    space: Space  # the valid configurations
    variables: tuple[Variable, ...]  # the variables of its system

    @property
    def count(self) -> int | None:
        """The number of valid configurations; None if they cannot be counted."""
        return self.space.count if self.space.is_counted else None

    def _drawn(self, count: int, rng: np.random.Generator, taken: Configurations) -> Configurations:
        # Approximately uniformly, if they are not counted.
        draw = self.space.draw if self.space.is_counted else lambda n, rng: self.space.draw_approximately(n, rng)[0]
        configurations = draw(count, rng)
        return configurations[taken.find(configurations) < 0]

    def candidates(self, rng: np.random.Generator, taken: Configurations, best: Configurations) -> Configurations:
        """Return draws, and every valid change of one option of the best configurations."""
        drawn = self._drawn(FEW_DRAWS, rng, taken)
        changed = [changes_of_one(best, row, self.variables) for row in range(len(best))]
        both = Configurations.concatenate([*changed, drawn]).unique()
        near, mask = sum(map(len, changed)), taken.find(both) < 0
        mask[:near] &= self.space.check(both[:near])
        return both[mask]

    def valid(self, configurations: Configurations) -> Array:
        """Return which configurations are valid."""
        return self.space.check(configurations) & self.working(configurations)


# A source of candidates: all valid configurations, or draws from them.
CandidateSource = ListedSource | DrawnSource


def source_of(space: Space | Configurations, variables: tuple[Variable, ...]) -> CandidateSource:
    """Return the source of the valid configurations of a space, or of configurations that are all there are."""
    if isinstance(space, Configurations):
        return ListedSource.of(space.unique())
    space.require_valid()
    if space.is_counted and space.count <= LISTED:
        return ListedSource.of(space.enumerate())
    return DrawnSource(space, variables)


def changes_of_one(configurations: Configurations, row: int, variables: Sequence[Variable]) -> Configurations:
    """Return the configurations that differ from one in the value of one variable; some may not be valid."""
    system, indices = configurations.system, configurations.indices[row]
    rows: list[Array] = []
    for variable in variables:
        columns = [system.positions[name] for name in variable.members]
        if variable.kind == "numeric":
            index, size = int(indices[columns[0]]), system.options[columns[0]].size
            distances = (sign * 2**power for power in range(_STEPS) for sign in (-1, 1))
            near = {0, size - 1, *(index + distance for distance in distances)}
            changes: list[Sequence[int]] = [[value] for value in sorted(near) if 0 <= value < size]
        elif len(columns) == 1:
            changes = [[1 - int(indices[columns[0]])]]
        else:
            # One member of a group, or none.
            changes = [*np.eye(len(columns), dtype=int).tolist(), *([[0] * len(columns)] if variable.optional else [])]
        for change in changes:
            if (indices[columns] != change).any():
                changed = indices.copy()
                changed[columns] = change
                rows.append(changed)
    return Configurations(system, np.array(rows, dtype=indices.dtype).reshape(len(rows), len(indices)))


def _some(rows: Array, count: int, rng: np.random.Generator) -> Array:
    """Return at most so many of some places, uniformly drawn, ascending."""
    if len(rows) <= count:
        return rows
    return np.sort(rows[np.argpartition(rng.random(len(rows)), count)[:count]])


def cells_of(variables: Sequence[Variable], configurations: Configurations) -> Array:
    """Return which value, or range of values, each variable has, integers of shape (n, columns), from 0 on."""
    cells: list[Array] = []
    for variable in variables:
        columns = np.column_stack([configurations.column(name) for name in variable.members])
        if variable.kind == "group":
            # 0 where no member is selected.
            cells.append(np.where((columns > 0).any(axis=1), (columns > 0).argmax(axis=1) + 1, 0))
        elif variable.kind == "binary":
            cells.append(columns[:, 0])
        else:
            known = np.where(absent := np.isnan(columns[:, 0]), variable.values[0], columns[:, 0])
            ranks = np.searchsorted(np.array(variable.values), known)
            if many := len(variable.values) > _VALUES:
                ranks = ranks * _RANGES // len(variable.values)
            cells.append(np.where(absent, 0, ranks + 1))
            if many and projection.divisibility_shapes(variable):
                cells.append(np.where(absent, 0, projection.twos(known) + 1))
    return np.array(cells, dtype=np.int64).reshape(len(cells), len(configurations)).T


def is_covered(cells: Array, drawn: Array, budget: int) -> bool:
    """Return whether a first design is complete; it takes at most half of the budget of runs of the whole search.

    `cells`: the values of its rows, shape (n, columns), see `cells_of`. `drawn`: those of draws, (m, columns).
    """
    most = max(LEAST, min(MOST, budget // 2))
    if not LEAST <= len(cells) < most:
        return len(cells) >= most
    return all(
        (np.bincount(column, minlength=64)[codes] >= SEEN).all() for column, codes in zip(cells.T, drawn.T, strict=True)
    )


def covering_row(cells: Array, drawn: Array) -> int:
    """Return the draw that a first design needs most.

    Its values were seen least by the rows so far; of equal ones it differs most from the nearest of them.
    """
    worths = np.zeros(len(drawn))
    for column, codes in zip(cells.T, drawn.T, strict=True):
        worths += 1 / (1.0 + np.bincount(column, minlength=int(codes.max()) + 1)[codes]) ** 2
    if len(cells):
        worths += _DIFFERENCE * np.min([(drawn != row).sum(axis=1) for row in cells], axis=0)
    return most_worth(worths, np.ones(len(drawn), dtype=bool))
