"""Failures: configurations of which every run failed, and combinations of values that they have in common."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from splc.data.configurations import Configurations
from splc.errors import plural
from splc.system.constraints import BooleanConstraint, Constraint
from splc.system.definition import constraints_of_texts
from splc.system.variability import VariabilityModel
from splc.types import Array


@dataclass(frozen=True)
class FailureRule:
    """A combination of values of options of which every run failed."""

    condition: str  # the values, as text: `pcg and gs`, `mode=fast and n>=300`
    constraint: str  # the constraint that excludes them, as text; empty where the options lack a value among them
    runs: int  # the number of failed runs with them
    configurations: int  # the number of configurations of these runs

    def __str__(self) -> str:
        return f"all {plural(self.runs, 'run', 'runs')} with {self.condition} failed"


@dataclass(frozen=True, eq=False)
class Failures:
    """Configurations that never worked."""

    configurations: Configurations  # distinct configurations of which every run failed, n of them
    runs: Array  # the number of runs of each, shape (n,)
    rules: tuple[FailureRule, ...]  # combinations of values of which every run failed
    explained: Array  # which configurations have one of these combinations, shape (n,), bool
    source: str | None = None  # the file that lists them, None for rows of a table of measurements or of a model

    def __len__(self) -> int:
        return len(self.configurations)

    @cached_property
    def constraints(self) -> tuple[Constraint, ...]:
        """The constraints that exclude the combinations."""
        system = self.configurations.system
        binary = [option.name for option in system.binary_options]
        texts = [rule.constraint for rule in self.rules if rule.constraint]
        return constraints_of_texts(texts, system.name_table, binary)

    def of_system(self, system: VariabilityModel) -> Failures:
        """Return the failures among the configurations of a system with the same options, and other values of them."""
        configurations, kept = self.configurations.within(system)
        return replace(self, configurations=configurations, runs=self.runs[kept], explained=self.explained[kept])

    def among(self, configurations: Configurations) -> Array:
        """Return which configurations of the system, or of a part of it, never worked, shape (m,), bool."""
        rows = Configurations(self.configurations.system, configurations.indices)
        return np.asarray(self.configurations.find(rows) >= 0)

    def expected(self, configurations: Configurations) -> Array:
        """Return which configurations never worked, or have a combination that failed, shape (m,), bool."""
        fail = self.among(configurations)
        for constraint in self.constraints:
            columns = {name: configurations.value(name) for name in constraint.names}
            if isinstance(constraint, BooleanConstraint):
                fail |= np.all([(columns[name] > 0) != positive for name, positive in constraint.literals], axis=0)
            else:
                absent = np.any([np.isnan(column) for column in columns.values()], axis=0)
                fail |= ~constraint.holds(columns.__getitem__) & ~absent
        return fail

    @property
    def texts(self) -> tuple[str, ...]:
        """A line for each rule, and one for configurations without a rule."""
        lines = [str(rule) for rule in self.rules]
        if others := int((~self.explained).sum()):
            noun = "other configuration" if self.rules else "configuration"
            lines.append(f"every run of {plural(others, noun, f'{noun}s')} failed")
        return tuple(lines)
