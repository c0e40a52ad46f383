"""Solutions of a constraint problem, as the product of its compiled components, and conflicts where there is none."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterable, Iterator, MutableMapping, Sequence
from dataclasses import replace
from functools import cache, cached_property
from typing import Any

import numpy as np

from sampling.draws import distinct_ranks
from sampling.space.circuit import Circuit, d4_circuit, d4_is_installed
from sampling.space.compilation import BUDGETS, build
from sampling.space.diagram import Diagram
from sampling.space.problem import Component, ConstraintProblem, Disjunction, Relation, components, stated
from sampling.space.rows import ascending
from sampling.space.satisfiability import Satisfiability
from splc.errors import Problem, SpaceError
from splc.io.numbers import count_text
from splc.system.clauses import Clause
from splc.types import Array

Compiled = Diagram | Circuit

# Components of more variables are compiled by D4 where it is installed: the sizes of diagrams, and the time for their
# variable orders, grow too fast.
MAX_DIAGRAM = 100
_INT64 = 2**62
# Orders for the diagrams of more variables take too long.
MAX_ORDERED = 500
_MAX_TRIALS = 400
_MAX_UNDECIDED = 20
_MAX_NAMED = 10


class CircuitError(SpaceError):
    """A component is too complex for D4. Trying again would take as long."""


def compiled(
    component: Component,
    parents: Sequence[int | None],
    kept: frozenset[int] | None = None,
    budgets: Sequence[int] = BUDGETS,
) -> Compiled:
    """Return all solutions of a component: a decision diagram, or D4's circuit where it connects many binary options.

    `kept`: the variables of a solution; other variables only need to have some value. None for all variables.
    """
    clauses = component.clauses if len(component.variables) > MAX_DIAGRAM and d4_is_installed() else None
    if clauses is None:
        return build(component, parents, kept, budgets)
    if kept is not None and not kept.issuperset(component.variables):
        # A circuit cannot be projected to some of its variables; only small diagrams are tried.
        return build(component, parents, kept, budgets[:1])
    circuit = d4_circuit(component.variables, clauses)
    if circuit is None:
        raise CircuitError(
            f"the constraints over {len(component.variables):,} connected options are too complex for exact counts",
            hint="state constraints over fewer options, or describe a part of the system",
        )
    return circuit


# The components that were compiled, and the errors of those that D4 could not compile.
Cache = MutableMapping[object, Compiled | CircuitError]


class Solutions:
    """The solutions of a problem: exact counts, uniform draws and enumeration, without a solver.

    `kept`: the variables of a solution; other variables only need to have some value; None for all. `domains`: the
    values (bits) that each variable may take; None for all. `cache`: the components compiled so far; new ones are
    added. `parts`: the components that matter, where they are known; the kept variables are theirs.
    """

    def __init__(
        self,
        problem: ConstraintProblem,
        kept: Sequence[int] | None = None,
        domains: Sequence[int] | None = None,
        cache: Cache | None = None,
        budgets: Sequence[int] = BUDGETS,
        parts: Sequence[Component] | None = None,
    ) -> None:
        self.problem = problem
        self.variables = tuple(range(len(problem.sizes))) if kept is None else tuple(kept)
        cache = {} if cache is None else cache
        projected = None if kept is None else frozenset(kept)
        parts = components(problem, domains) if parts is None else parts
        self.components: tuple[Component, ...] = tuple(parts or ())
        compiled_parts: list[Compiled] = []
        for part in self.components:
            key = (part.key, projected and projected & frozenset(part.variables), projected is None)
            known = cache.get(key, cache.get(part.key))
            if isinstance(known, CircuitError):
                raise CircuitError(known.problems)
            if known is None:
                try:
                    known = cache[key] = compiled(part, problem.parents, projected, budgets)
                except CircuitError as error:
                    cache[part.key] = error
                    raise
            compiled_parts.append(known)
        self.compiled = tuple(compiled_parts)
        self.empty = parts is None or any(part.empty for part in compiled_parts)

    @cached_property
    def component_of(self) -> dict[int, int]:
        """Variable → the number of its component."""
        return {variable: number for number, part in enumerate(self.components) for variable in part.variables}

    @cached_property
    def diagrams(self) -> tuple[Diagram, ...]:
        """The decision diagram of each component; those of circuits are built on first use."""
        diagrams = [diagram for diagram in self.compiled if isinstance(diagram, Diagram)]
        for number, part in enumerate(self.components):
            if isinstance(self.compiled[number], Circuit):
                if len(part.variables) <= MAX_ORDERED:
                    with contextlib.suppress(SpaceError):
                        diagrams.insert(number, build(part, self.problem.parents, budgets=BUDGETS[:2]))
                        continue
                raise SpaceError(
                    f"this needs a decision diagram, which {len(part.variables):,} connected options are too many for",
                    hint="use random:N, optionwise, twise:T or covering:T",
                )
        return tuple(diagrams)

    @property
    def is_large(self) -> bool:
        """True if some component is compiled to a circuit."""
        return any(isinstance(compiled_part, Circuit) for compiled_part in self.compiled)

    @cached_property
    def count(self) -> int:
        """The exact number of solutions."""
        return 0 if self.empty else math.prod(diagram.count for diagram in self.compiled)

    def unrank(self, ranks: Sequence[int]) -> Array:
        """Return the solutions with these ranks (0 … count - 1, not lexicographic), shape (n, variables)."""
        result = np.zeros((len(ranks), len(self.problem.sizes)), dtype=self._kind)
        remaining: Array = np.array(ranks, dtype=np.int64 if self.count < _INT64 else object)
        for product, diagrams in _batches(self.compiled):
            # A rank of many options has thousands of digits: it is divided once for many diagrams.
            part = remaining % product
            remaining = remaining // product
            part = part.astype(np.int64) if product < _INT64 else part
            for diagram in diagrams:
                if diagram.variables:
                    result[:, list(diagram.variables)] = diagram.unrank(part % diagram.count)
                    part = part // diagram.count
        return self._of_kept(result)

    def draw(self, n: int, rng: np.random.Generator) -> Array:
        """Return n distinct solutions, uniformly drawn, in drawing order (n ≤ count)."""
        return self.unrank(distinct_ranks(self.count, n, rng))

    def enumerate(self, limit: int) -> Array:
        """Return all solutions in lexicographic order, shape (count, variables)."""
        if self.count > limit:
            raise SpaceError(
                f"{count_text(self.count)} valid configurations are too many to be listed (the limit is {limit:,})",
                hint="draw a sample of them, such as random:1000",
            )
        sizes = self.problem.sizes
        result = self._of_kept(combined(self.compiled, len(sizes), self._kind)[: self.count])
        return result[ascending(result, [sizes[variable] for variable in self.variables])]

    @property
    def _kind(self) -> np.dtype[Any]:
        """The smallest type of values: a million configurations of a thousand options are a gigabyte of bytes."""
        return np.min_scalar_type(max(self.problem.sizes, default=1) - 1)

    def _of_kept(self, solutions: Array) -> Array:
        """Return the columns of the kept variables, read-only."""
        if self.variables != tuple(range(solutions.shape[1])):
            solutions = solutions[:, list(self.variables)]
        solutions.setflags(write=False)
        return solutions

    def value_counts(self) -> list[list[int]]:
        """Return for each variable the number of solutions with each of its values."""
        value_counts = {variable: [0] * self.problem.sizes[variable] for variable in self.variables}
        # Counts of many options have many digits; most are equal and need memory once.
        product = cache(lambda count, number: self.count // number * count)
        for diagram in self.compiled if not self.empty else ():
            for variable, counts in diagram.marginals(self.problem.sizes).items():
                value_counts[variable] = [product(count, diagram.count) for count in counts]
        return [value_counts[variable] for variable in self.variables]


def combined(diagrams: Sequence[Compiled], width: int, kind: np.dtype[Any]) -> Array:
    """Return all combinations of the solutions of diagrams, shape (n, width); other variables are 0."""
    rows = np.arange(math.prod(diagram.count for diagram in diagrams))
    result = np.zeros((len(rows), width), dtype=kind)
    for diagram in diagrams:
        rows, number = np.divmod(rows, diagram.count)
        for column, values in zip(diagram.variables, diagram.expand().T, strict=True):
            result[:, column] = values[number]
    return result


def _batches(diagrams: Iterable[Compiled]) -> Iterator[tuple[int, list[Compiled]]]:
    """Yield diagrams with variables in groups, each with its number of solutions, which fits 64 bits if possible."""
    product, group = 1, list[Compiled]()
    for diagram in diagrams:
        if group and product * diagram.count >= _INT64:
            yield product, group
            product, group = 1, []
        product *= diagram.count
        group.append(diagram)
    yield product, group


def conflict(problem: ConstraintProblem, source: str | None) -> list[Problem]:
    """Return the error messages for a problem without solutions, one per constraint of a minimal conflict."""
    constraints = minimal_conflict(problem)
    none = "no valid configuration"
    if len(constraints) > _MAX_NAMED:
        hint = f"{len(constraints)} of them together have no solution"
        return [Problem(f"{none}: the constraints contradict each other", source, hint=hint)]
    units: dict[int, Problem] = {}
    for constraint in constraints:
        origin, whole = constraint.origin, stated(constraint)
        text = origin.reason if isinstance(origin, Clause) else origin.text.strip()
        line = None if whole is None else whole.line
        units.setdefault(id(whole or origin), Problem(f"{none}: contradicting constraint", source, line, text=text))
    return list(units.values())


def minimal_conflict(problem: ConstraintProblem) -> list[Disjunction | Relation]:
    """Return constraints that have no solution together, of which none can be left out.

    Chunks of halving size are left out (a deletion filter). After too many trials, the result may not be minimal.
    """
    known: Cache = {}
    remaining = problem.constraints
    trials = undecided = 0
    size = len(remaining)
    while size > 1:
        size, start = size // 2, 0
        while start < len(remaining) and trials < _MAX_TRIALS and undecided < _MAX_UNDECIDED:
            trial = replace(problem, constraints=remaining[:start] + remaining[start + size :])
            trials += 1
            impossible = False
            if len(problem.sizes) > MAX_DIAGRAM and (solver := Satisfiability.of(trial)):
                impossible = solver.solution() is None
            else:
                try:
                    impossible = Solutions(trial, kept=(), cache=known, budgets=BUDGETS[:1]).empty
                except SpaceError:
                    undecided += 1
            if impossible:
                remaining = trial.constraints
            else:
                start += size
    return list(remaining)
