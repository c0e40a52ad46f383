"""Binary and numeric parts of configurations, and the valid parts of a system.

The binary part has one selection (0 or 1) per binary option and one per switch of an optional numeric option; the
numeric part has one value index per numeric option. A numeric option whose switch is off is deselected, regardless of
its value. A part is valid if it belongs to a valid configuration.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from sampling.space.problem import ConstraintProblem, split_problem
from sampling.space.satisfiability import Satisfiability
from sampling.space.solutions import Cache, Solutions
from sampling.space.space import Space
from splc.data.configurations import Configurations
from splc.system.variability import ENABLED
from splc.types import Array


class Parts:
    """The parts of one system's valid configurations.

    `existing`: valid configurations that are not selected again; `known`: instead of these, their distinct selections,
    bool of shape (n, selectable). `apart`: whether designs cover what the existing configurations cover, too.
    """

    def __init__(
        self, space: Space, existing: Configurations | None = None, apart: bool = False, known: Array | None = None
    ) -> None:
        self.space = space
        self.existing = existing
        self.apart = apart
        self._known = known
        self.system = space.system
        optional = tuple(option.name for option in self.system.numeric_options if option.optional)
        self.optional_names: tuple[str, ...] = optional
        self._optional = [self.system.positions[name] for name in optional]
        self.binary_names: tuple[str, ...] = tuple(option.name for option in self.system.binary_options)
        self.selectable: tuple[str, ...] = (*self.binary_names, *(ENABLED + name for name in optional))

    @cached_property
    def problem(self) -> ConstraintProblem:
        """The system as variables: selections, then numeric values."""
        return split_problem(self.system) if self._optional else self.space.problem

    @cached_property
    def cache(self) -> Cache:
        """Diagrams built so far."""
        return {} if self._optional else self.space.cache

    @cached_property
    def both(self) -> Solutions:
        """The valid pairs of binary and numeric part."""
        return Solutions(self.problem, cache=self.cache) if self._optional else self.space.solutions

    @cached_property
    def binary(self) -> Solutions:
        """The valid binary parts."""
        return Solutions(self.problem, range(len(self.selectable)), cache=self.cache)

    @cached_property
    def numeric(self) -> Solutions:
        """The valid numeric parts."""
        return Solutions(self.problem, range(len(self.selectable), len(self.problem.sizes)), cache=self.cache)

    @cached_property
    def solver(self) -> Satisfiability | None:
        """The SAT solver of the selections, where these are too many for decision diagrams; None elsewhere."""
        return self.space.solver if self.problem is self.space.problem else None

    @cached_property
    def known(self) -> Array:
        """The distinct selections of existing configurations, bool of shape (n, selectable)."""
        if self._known is not None:
            return self._known
        if self.existing is None or not self.selectable:
            return np.zeros((0, len(self.selectable)), dtype=bool)
        columns = [self.existing.column(name) == 1 for name in self.selectable]
        return np.unique(np.stack(columns, axis=1), axis=0)

    @property
    def covered(self) -> Array:
        """The selections whose combinations need not be covered, bool of shape (n, selectable)."""
        return self.known[:0] if self.apart else self.known

    def compose(self, binary: Array, numeric: Array) -> Configurations:
        """Return the configurations of binary parts and numeric parts, row by row; they may be invalid."""
        indices = np.concatenate(
            [binary[:, : len(self.binary_names)].astype(np.int64), numeric.astype(np.int64)], axis=1
        )
        for switch, position in enumerate(self._optional, len(self.binary_names)):
            indices[binary[:, switch] == 0, position] = self.system.options[position].size - 1
        return Configurations(self.system, indices)

    def switched_off(self, binary: Array) -> list[int]:
        """Return the variables of the numeric values that one binary part deselects."""
        shift = len(self._optional)
        return [
            position + shift
            for switch, position in enumerate(self._optional, len(self.binary_names))
            if not binary[switch]
        ]

    def related(self) -> set[frozenset[int]]:
        """Return the pairs of binary options of which one is an ancestor of the other or implies the other alone."""
        pairs: set[frozenset[int]] = set()
        positions = self.system.positions
        by_name = {option.name: option for option in self.system.binary_options}
        for option in self.system.binary_options:
            position = positions[option.name]
            ancestor = option.parent
            while ancestor is not None:
                pairs.add(frozenset((position, positions[ancestor])))
                ancestor = by_name[ancestor].parent
            for group in option.implied:
                if len(group) == 1 and group[0] in by_name:
                    pairs.add(frozenset((position, positions[group[0]])))
        return pairs
