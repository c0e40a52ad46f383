"""Which combinations of values of a few options occur in valid configurations."""

from __future__ import annotations

import numpy as np

from comparison.bounds import Extreme
from sampling.space.compilation import BUDGETS, build
from sampling.space.solutions import Solutions
from sampling.space.space import Space
from splc.errors import SpaceError
from splc.types import Array

# Diagrams over few options are small, or not worth the wait.
_BUDGETS = BUDGETS[:-1]


class Combinations:
    """Lists the combinations of values of a few options, each set of options once.

    Args:
        space: the valid configurations.
        limit: the greatest number of combinations to list.

    Raises:
        VariabilityError: if there is no valid configuration.
    """

    def __init__(self, space: Space, limit: int) -> None:
        self.space = space
        self.limit = limit
        self.listed: dict[tuple[int, ...], Array | None] = {}
        self.component: dict[int, int] = {}
        try:
            space.require_valid()
            for number, component in enumerate(space.solutions.components):
                self.component.update((variable, number) for variable in component.variables)
        except SpaceError:
            # Too entangled to be counted: nothing is known about which combinations are valid.
            self.entangled = True
        else:
            self.entangled = False

    def tied(self, positions: tuple[int, ...]) -> set[int]:
        """Return the numbers of the components of the constraints that options belong to."""
        return {0 if self.entangled else self.component[position] for position in positions}

    def rows(self, positions: tuple[int, ...]) -> Array | None:
        """Return the valid combinations of values of options, shape (n, positions); None where they are too many."""
        if positions not in self.listed:
            try:
                self.listed[positions] = None if self.entangled and positions else self._combinations(positions)
            except SpaceError:
                self.listed[positions] = None
        return self.listed[positions]

    def _combinations(self, positions: tuple[int, ...]) -> Array | None:
        """Return what `rows` remembers.

        Raises:
            SpaceError: if constraints tie too many others to these options.
        """
        problem = self.space.problem
        place = {position: column for column, position in enumerate(positions)}
        result: Array = np.zeros((1, len(positions)), dtype=np.min_scalar_type(max(problem.sizes, default=1) - 1))
        for number in sorted(self.tied(positions)):
            component = self.space.solutions.components[number]
            diagram = build(component, problem.parents, frozenset(positions), _BUDGETS)
            if diagram.count * len(result) > self.limit:
                return None
            result = np.repeat(result, diagram.count, axis=0)
            expanded = diagram.expand()
            columns = [place[variable] for variable in diagram.variables]
            result[:, columns] = np.tile(expanded, (len(result) // len(expanded), 1))
        return result

    def checked(self, end: Extreme) -> Extreme:
        """Return an extreme without its combination where that is not known to be valid."""
        if end.at is None:
            return end
        domains = [(1 << size) - 1 for size in self.space.problem.sizes]
        for position, index in end.at.items():
            domains[position] = 1 << index
        try:
            valid = (
                not self.entangled
                and not Solutions(self.space.problem, domains=domains, cache=self.space.cache, budgets=_BUDGETS).empty
            )
        except SpaceError:
            valid = False
        return end if valid else Extreme(end.value, None)
