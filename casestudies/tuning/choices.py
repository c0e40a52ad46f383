"""Choices: a system as other tuners describe it, one choice per option or alternative group."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from splc.data.configurations import Configurations
from splc.learning.projection import Variable, variables_of, without_numbers
from splc.system.variability import VariabilityModel
from splc.types import Array


@dataclass(frozen=True, eq=False)
class Choices:
    """The choices of a system: one for each of its variables, with the codes 0, 1, … of its values."""

    system: VariabilityModel  # the system

    @cached_property
    def variables(self) -> tuple[Variable, ...]:
        """The variables; an alternative group is one."""
        return without_numbers(variables_of(self.system))

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """The number of codes of each variable. Without a member or a value, the last code is used."""
        return tuple(
            2 if each.kind == "binary" else len(each.members if each.kind == "group" else each.values) + each.optional
            for each in self.variables
        )

    def codes(self, configurations: Configurations) -> Array:
        """Return the codes of configurations, shape (n, variables)."""
        found = np.zeros((len(configurations), len(self.variables)), dtype=int)
        for place, (variable, size) in enumerate(zip(self.variables, self.sizes, strict=True)):
            columns = np.column_stack([configurations.column(name) for name in variable.members])
            if variable.kind == "group":
                found[:, place] = np.where(columns.any(axis=1), columns.argmax(axis=1), size - 1)
            elif variable.kind == "binary":
                found[:, place] = columns[:, 0]
            else:
                known = ~np.isnan(columns[:, 0])
                found[:, place] = np.where(known, np.searchsorted(np.array(variable.values), columns[:, 0]), size - 1)
        return found

    def configuration(self, codes: Array) -> Configurations:
        """Return the configuration with some codes, which may not be valid, of a system without groups."""
        indices = np.zeros((1, len(self.system.options)), dtype=int)
        for variable, code in zip(self.variables, codes.tolist(), strict=True):
            indices[0, self.system.positions[variable.members[0]]] = code
        return Configurations(self.system, indices)
