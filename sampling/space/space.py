"""The space of valid configurations of a system: checks, exact counts, enumeration and uniform draws."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from sampling.space.compilation import BUDGETS
from sampling.space.problem import ConstraintProblem, Relation, components, problem_of, stated
from sampling.space.satisfiability import Satisfiability
from sampling.space.solutions import MAX_DIAGRAM, Cache, Solutions, conflict
from splc.data.configurations import Configurations, fixed_indices, with_further_values
from splc.errors import SpaceError, VariabilityError, require_kind
from splc.io.presentation import Bars, page
from splc.system.clauses import Clause, clauses
from splc.system.constraints import ArithmeticConstraint, BooleanConstraint
from splc.system.variability import VariabilityModel, restricted
from splc.types import Array

LIMIT = 2_000_000
MAX_SHOWN = 60  # the most options of a system whose valid configurations are counted to be shown in a notebook
# The engines that answer questions about valid configurations; the solver does not count them.
DIAGRAMS, CIRCUITS, SOLVER = "decision diagrams", "d-DNNF (D4)", "SAT (Glucose)"
WEIGHTED = "MaxSAT (RC2)"  # the engine that finds the best of them for sums of terms
# Configurations that are checked together, and bytes of their literals that are looked up together.
_ROWS, _BYTES = 1 << 13, 1 << 25


class Space:
    """The valid configurations of a system; decision diagrams are built on first use.

    Examples:
        >>> splc.Space(system).with_values({"threads": 8}).count
        4
    """

    def __init__(self, system: VariabilityModel) -> None:
        require_kind(system, VariabilityModel, "splc.infer_system(table), splc.read_variability_model(path)")
        self.system = system
        self.cache: Cache = {}

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: the valid configurations of {self.system.name}>"

    def _repr_html_(self) -> str:
        # Of more options, counting may take long.
        if len(self.system.options) > MAX_SHOWN or not self.is_counted or not self.count:
            return page(f"{self!r}, not counted", self.system.to_columns())
        counts = self.option_counts()
        rows = [(option.name, 100 * counts[option.name][1] / self.count) for option in self.system.binary_options]
        about = "how often each binary option is selected in valid configurations, in percent"
        return page(f"{self!r}: {self.count:,}", self.system.to_columns(), Bars(about, rows))

    @cached_property
    def _clauses(self) -> tuple[Clause, ...]:
        return clauses(self.system)

    @cached_property
    def _clause_table(self) -> ClauseTable:
        return ClauseTable(self._clauses)

    @cached_property
    def _relations(self) -> list[Relation]:
        constraints = self.problem.constraints if self.system.arithmetic_constraints else ()
        return [constraint for constraint in constraints if isinstance(constraint, Relation)]

    @cached_property
    def problem(self) -> ConstraintProblem:
        """The model as variables (its options) and constraints over them."""
        return problem_of(self.system)

    @cached_property
    def solutions(self) -> Solutions:
        """The valid configurations as solutions of `problem`."""
        return Solutions(self.problem, cache=self.cache)

    @cached_property
    def is_counted(self) -> bool:
        """Whether the valid configurations can be counted; where they cannot, draws are only approximately uniform."""
        try:
            self.solutions  # noqa: B018
        except SpaceError:
            return False
        return True

    @cached_property
    def solver(self) -> Satisfiability | None:
        """The SAT solver of binary options that are too many for decision diagrams; None elsewhere, or without it."""
        if self.is_counted and not self.solutions.is_large:
            return None
        return None if any(size > 2 for size in self.problem.sizes) else self.satisfiability

    @cached_property
    def satisfiability(self) -> Satisfiability | None:
        """The SAT solver of the values of all options (see `Satisfiability.of`), None if there is none."""
        return Satisfiability.of(self.problem)

    @cached_property
    def is_large(self) -> bool:
        """True if constraints connect too many options for decision diagrams; known without building any."""
        return any(len(component.variables) > MAX_DIAGRAM for component in components(self.problem) or ())

    @property
    def engine(self) -> str | None:
        """The engine that counts the valid configurations; None where they are not counted."""
        if not self.is_counted:
            return None
        return CIRCUITS if self.solutions.is_large else DIAGRAMS

    def with_values(self, values: Mapping[str, Any]) -> Space:
        """Return the valid configurations with fixed values of some options.

        Args:
            values: option → value: a number or a bool, None for a deselected numeric option; the parent of an
                alternative group may have the text of a member: `{"threads": 4, "codec": "zstd"}`.

        Raises:
            ConfigurationError: if an option is unknown, or has no such value.
        """
        system = with_further_values(self.system, values)
        return Space(restricted(system, fixed_indices(system, values)))

    def check(self, configurations: Configurations) -> Array:
        """Return which configurations are valid, shape (n,), bool."""
        valid = self._clause_table.holds(configurations.indices)
        for relation in self._relations:
            valid &= relation.holds(configurations.indices)
        return valid

    def violations(self, configurations: Configurations, row: int) -> list[str]:
        """Return descriptions of the constraints that a configuration violates, none if it is valid."""
        indices = configurations.indices[[row]]
        broken = [clause.reason for clause in self._clauses if not clause.holds(indices)[0]]
        broken += [relation.origin.text.strip() for relation in self._relations if not relation.holds(indices)[0]]
        return list(dict.fromkeys(broken))

    @property
    def count(self) -> int:
        """The exact number of valid configurations.

        Raises:
            SpaceError: if the constraints are too complex to be counted.
        """
        return self.solutions.count

    def option_counts(self) -> dict[str, tuple[int, ...]]:
        """Return option → the number of valid configurations with each of its value indices."""
        counts = self.solutions.value_counts()
        return {name: tuple(values) for name, values in zip(self.system.names, counts, strict=True)}

    def projection(self, positions: Sequence[int], budgets: Sequence[int] = BUDGETS) -> Solutions:
        """Return the combinations of values of options at some positions that occur in valid configurations."""
        projected = frozenset(positions)
        parts = [part for part in self.solutions.components if not projected.isdisjoint(part.variables)]
        return Solutions(self.problem, positions, cache=self.cache, budgets=budgets, parts=parts)

    def satisfiable(self, domains: Sequence[int], budgets: Sequence[int] = BUDGETS) -> bool:
        """Return whether some valid configuration has only values (bits) of these domains, one per option."""
        return not Solutions(self.problem, domains=domains, cache=self.cache, budgets=budgets).empty

    def count_without(self, constraint: BooleanConstraint | ArithmeticConstraint) -> int:
        """Return the number of valid configurations without one of the model's constraints (this very object)."""
        remaining = tuple(each for each in self.problem.constraints if stated(each) is not constraint)
        return Solutions(replace(self.problem, constraints=remaining), cache=self.cache).count

    def require_valid(self) -> None:
        """Raise a VariabilityError with contradicting constraints if there is no valid configuration."""
        # A large system is not counted for this.
        known = self.satisfiability if self.is_large else None
        if self.solutions.empty if known is None else known.solution() is None:
            raise VariabilityError(conflict(self.problem, self.system.source))

    def enumerate(self, limit: int = LIMIT) -> Configurations:
        """Return all valid configurations, in lexicographic order of their value indices (last option fastest).

        Raises:
            SpaceError: if there are more than `limit`.
        """
        return Configurations(self.system, self.solutions.enumerate(limit))

    def draw(self, n: int, rng: np.random.Generator) -> Configurations:
        """Return n distinct valid configurations, uniformly drawn, in drawing order.

        The first of them are those of a smaller draw with the same generator.

        Raises:
            SpaceError: if there are fewer than n.
        """
        if n > self.count:
            self.require_valid()
            raise SpaceError(
                f"{n:,} distinct configurations are requested, but only {self.count:,} are valid",
                hint=f"ask for at most {self.count:,}",
            )
        return Configurations(self.system, self.solutions.draw(n, rng))

    def draw_approximately(self, n: int, rng: np.random.Generator) -> tuple[Configurations, str]:
        """Return n distinct valid configurations, approximately uniformly drawn, and a note on their distribution.

        This needs no counts (see `is_counted`). Options that few constraints connect are drawn exactly uniformly.
        """
        from sampling.space.approximation import approximate_draws

        rows, note = approximate_draws(self.problem, n, rng, self.cache)
        return Configurations(self.system, rows), note


class ClauseTable:
    """The clauses of a system as numbers of their literals."""

    def __init__(self, clauses: Sequence[Clause]) -> None:
        numbers: dict[tuple[int, tuple[bool, ...]], int] = {}
        by_length: dict[int, list[list[int]]] = {}
        for clause in clauses:
            literal_numbers = [numbers.setdefault(literal, len(numbers)) for literal in clause.literals]
            by_length.setdefault(len(literal_numbers), []).append(literal_numbers)
        self._literals = [(position, np.array(allowed)) for position, allowed in numbers]
        self._clauses = [
            np.array(rows, dtype=np.int32).reshape(len(rows), length) for length, rows in by_length.items()
        ]

    def holds(self, indices: Array) -> Array:
        """Return which configurations satisfy all clauses, shape (n,), bool; `indices`: shape (n, options)."""
        blocks = (indices[start : start + _ROWS] for start in range(0, len(indices), _ROWS))
        return np.concatenate([np.ones(0, dtype=bool), *map(self._block, blocks)])

    def _block(self, indices: Array) -> Array:
        columns = np.asfortranarray(indices)
        width = -(-len(indices) // 8)
        # One bit per configuration for each literal.
        held = np.zeros((len(self._literals), width), dtype=np.uint8)
        for number, (position, allowed) in enumerate(self._literals):
            held[number] = np.packbits(allowed[columns[:, position]])
        valid = np.full(width, 255, dtype=np.uint8)
        for group in self._clauses:
            step = max(1, _BYTES // max(1, group.shape[1] * width))
            for start in range(0, len(group), step):
                satisfied = np.bitwise_or.reduce(held[group[start : start + step]], axis=1)
                valid &= np.bitwise_and.reduce(satisfied, axis=0)
        return np.unpackbits(valid, count=len(indices)).astype(bool)
