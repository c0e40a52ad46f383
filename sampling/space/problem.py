"""Constraint problems: variables with finite domains, and disjunctions and relations over them.

A variability model has two such problems. In `whole_problem` each option is a variable, so that the solutions are the
configurations. In `split_problem` each optional numeric option has two variables, its switch (enabled or not) and its
value, so that solutions have a binary and a numeric part.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from splc.system.clauses import Clause, clauses
from splc.system.constraints import ArithmeticConstraint, BooleanConstraint
from splc.system.options import BinaryOption
from splc.system.variability import ROOT, VariabilityModel
from splc.types import Array


def bits_of(flags: Sequence[bool] | Array) -> int:
    """Return a set of values as the bits of an integer."""
    if len(flags) <= 64:
        return sum(1 << position for position, flag in enumerate(flags) if flag)
    packed = np.packbits(np.asarray(flags, dtype=bool), bitorder="little")
    return int.from_bytes(packed.tobytes(), "little")


def flags_of(bits: int, size: int) -> Array:
    """Return which of `size` values are in a set of bits, shape (size,)."""
    raw = np.frombuffer(bits.to_bytes(size // 8 + 1, "little"), dtype=np.uint8)
    return np.unpackbits(raw, bitorder="little")[:size].astype(bool)


@dataclass(frozen=True)
class Disjunction:
    """A disjunction: at least one of its variables has one of the given values (bits)."""

    literals: tuple[tuple[int, int], ...]
    origin: Clause | ArithmeticConstraint = field(compare=False)

    @property
    def scope(self) -> tuple[int, ...]:
        """Its variables."""
        return tuple(variable for variable, _ in self.literals)


@dataclass(frozen=True, eq=False)
class Relation:
    """An arithmetic constraint over variables."""

    origin: ArithmeticConstraint  # the constraint
    guards: dict[int, int]  # variable → the values (bits) that satisfy the constraint regardless of other variables
    # name in the constraint → its variable, and the number for each value of the variable. Names that are not in it
    # have the value 1.
    tables: dict[str, tuple[int, Array]]
    source: str | None = None  # the file of the constraint, for messages

    @property
    def scope(self) -> tuple[int, ...]:
        """Its variables."""
        return tuple(sorted({*self.guards, *(variable for variable, _ in self.tables.values())}))


@dataclass(frozen=True)
class ConstraintProblem:
    """Variables with finite domains, and constraints over them."""

    sizes: tuple[int, ...]  # the number of values of each variable
    parents: tuple[int | None, ...]  # the parent of each variable in the description, for variable orders
    constraints: tuple[Disjunction | Relation, ...]  # the constraints; all must hold

    def without(self, constraint: BooleanConstraint | ArithmeticConstraint) -> ConstraintProblem:
        """Return the problem without one constraint of the model."""
        remaining = tuple(c for c in self.constraints if stated(c) is not constraint)
        return ConstraintProblem(self.sizes, self.parents, remaining)


def stated(constraint: Disjunction | Relation) -> BooleanConstraint | ArithmeticConstraint | None:
    """Return the constraint of the model from which this one was derived, None for the hierarchy."""
    origin = constraint.origin
    return origin.origin if isinstance(origin, Clause) else origin


def whole_problem(system: VariabilityModel) -> ConstraintProblem:
    """Return the problem whose variables are the options and whose values are their value indices."""
    constraints: list[Disjunction | Relation] = [
        Disjunction(tuple((position, bits_of(allowed)) for position, allowed in clause.literals), clause)
        for clause in clauses(system)
    ]

    def switch(position: int) -> tuple[int, int, Array]:
        option = system.options[position]
        enabled = np.arange(option.size) < option.size - 1
        return position, 1 << (option.size - 1), enabled

    constraints += [
        _comparison(system, constraint, lambda position: position, switch)
        for constraint in system.arithmetic_constraints
    ]
    sizes = tuple(option.size for option in system.options)
    return ConstraintProblem(sizes, _parents(system), tuple(constraints))


def split_problem(system: VariabilityModel) -> ConstraintProblem:
    """Return the problem over binary options, then switches, then numeric values.

    Variables: the binary options in order, one switch (0 disabled, 1 enabled) per optional numeric option in order,
    then all numeric options in order, without "deselected".
    """
    binary = len(system.binary_options)
    optional = [system.positions[option.name] for option in system.numeric_options if option.optional]
    switches = {position: binary + rank for rank, position in enumerate(optional)}

    def variable(position: int) -> int:
        return position if position < binary else position + len(optional)

    constraints: list[Disjunction | Relation] = []
    for clause in clauses(system):
        # Literals over a numeric option depend only on whether it is enabled.
        literals = [
            (switches[position], int(allowed[-1]) | int(allowed[0]) << 1)
            if position in switches
            else (variable(position), bits_of(allowed))
            for position, allowed in clause.literals
        ]
        constraints.append(Disjunction(tuple(sorted(literals)), clause))

    def switch(position: int) -> tuple[int, int, Array]:
        return switches[position], 1, np.array([False, True])

    constraints += [_comparison(system, constraint, variable, switch) for constraint in system.arithmetic_constraints]
    sizes = (
        *(option.size for option in system.binary_options),
        *(2 for _ in optional),
        *(len(option.values) for option in system.numeric_options),
    )
    all_parents = _parents(system)
    parents = (*all_parents[:binary], *(all_parents[position] for position in optional), *all_parents[binary:])
    return ConstraintProblem(sizes, parents, tuple(constraints))


def _parents(system: VariabilityModel) -> tuple[int | None, ...]:
    return tuple(
        system.positions.get(option.parent) if option.parent is not None else None for option in system.options
    )


def _comparison(
    system: VariabilityModel,
    constraint: ArithmeticConstraint,
    variable: Callable[[int], int],
    switch: Callable[[int], tuple[int, int, Array]],
) -> Relation:
    """Return a constraint as a relation.

    A deselected numeric option satisfies it. If `requires` is 'none', a deselected binary option has the value 0;
    otherwise it satisfies the constraint, and binary options need no table because they are 1 in all other cases.

    `variable`: position of an option → the variable of its values. `switch`: position of an optional numeric option →
    its switch variable, the values (bits) of that variable that disable it, and which of its values enable it.
    """
    guards: dict[int, int] = {}
    tables: dict[str, tuple[int, Array]] = {}

    def guard(target: int, bits: int) -> None:
        guards[target] = guards.get(target, 0) | bits

    for name in constraint.names:
        if name == ROOT:
            continue
        if name in system.switches:
            position, enabled = system.switches[name]
            target, disabling, enabling = switch(position)
            if constraint.requires == "none":
                tables[name] = (target, (enabling == enabled).astype(float))
            else:
                guard(target, disabling if enabled else bits_of(enabling))
            continue
        position = system.positions[name]
        option = system.options[position]
        if isinstance(option, BinaryOption):
            if constraint.requires == "none":
                tables[name] = (variable(position), np.array([0.0, 1.0]))
            else:
                guard(variable(position), 1)
            continue
        if option.optional:
            target, disabling, _ = switch(position)
            guard(target, disabling)
        # The entry for "deselected", if the variable has one, is guarded and never used.
        spare = (0.0,) if option.optional and target == variable(position) else ()
        tables[name] = (variable(position), np.array([*option.values, *spare], dtype=float))
    return Relation(constraint, guards, tables, system.source)
