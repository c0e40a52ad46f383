"""A variability model as variables with finite domains, disjunctions and comparisons over them.

Two readings of a model: `whole_problem` has one variable per option, so that its solutions are the configurations;
`split_problem` gives every optional numeric option two variables, its switch (enabled or not) and its value, so that
binary and numeric part can be told apart.
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
    """At least one of these variables takes one of these values (bits)."""

    literals: tuple[tuple[int, int], ...]
    origin: Clause | ArithmeticConstraint = field(compare=False)

    @property
    def scope(self) -> tuple[int, ...]:
        """The variables it is about."""
        return tuple(variable for variable, _ in self.literals)


@dataclass(frozen=True, eq=False)
class Relation:
    """An arithmetic constraint over variables.

    Attributes:
        origin: the constraint.
        guards: variable → the values (bits) that satisfy it without a look at the others.
        tables: name in the constraint → variable and what the constraint sees of each of its values.
            Names that are not here are worth 1.
        source: the file that states it, for messages.
    """

    origin: ArithmeticConstraint
    guards: dict[int, int]
    tables: dict[str, tuple[int, Array]]
    source: str | None = None

    @property
    def scope(self) -> tuple[int, ...]:
        """The variables it is about."""
        return tuple(sorted({*self.guards, *(variable for variable, _ in self.tables.values())}))


@dataclass(frozen=True)
class ConstraintProblem:
    """Variables, what they must satisfy, and how they hang together.

    Attributes:
        sizes: the number of values of each variable.
        parents: a variable that stands near in the description, for variable orders.
        constraints: all of which must hold.
    """

    sizes: tuple[int, ...]
    parents: tuple[int | None, ...]
    constraints: tuple[Disjunction | Relation, ...]

    def without(self, constraint: BooleanConstraint | ArithmeticConstraint) -> ConstraintProblem:
        """Return the problem with one stated constraint left out."""
        kept = tuple(c for c in self.constraints if stated(c) is not constraint)
        return ConstraintProblem(self.sizes, self.parents, kept)


def stated(constraint: Disjunction | Relation) -> BooleanConstraint | ArithmeticConstraint | None:
    """Return the constraint of the model that this one comes from, None for the hierarchy."""
    origin = constraint.origin
    return origin.origin if isinstance(origin, Clause) else origin


def whole_problem(model: VariabilityModel) -> ConstraintProblem:
    """Return the problem whose variables are the options and whose values are their value indices."""
    constraints: list[Disjunction | Relation] = [
        Disjunction(tuple((position, bits_of(allowed)) for position, allowed in clause.literals), clause)
        for clause in clauses(model)
    ]

    def switch(position: int) -> tuple[int, int, Array]:
        option = model.options[position]
        enabled = np.arange(option.size) < option.size - 1
        return position, 1 << (option.size - 1), enabled

    constraints += [
        _comparison(model, constraint, lambda position: position, switch) for constraint in model.arithmetic_constraints
    ]
    sizes = tuple(option.size for option in model.options)
    return ConstraintProblem(sizes, _parents(model), tuple(constraints))


def split_problem(model: VariabilityModel) -> ConstraintProblem:
    """Return the problem over binary options, then switches, then numeric values.

    Variables: the binary options in order, one switch (0 disabled, 1 enabled) per optional numeric option in order,
    then all numeric options in order, without "deselected".
    """
    binary = len(model.binary_options)
    optional = [model.positions[option.name] for option in model.numeric_options if option.optional]
    switches = {position: binary + rank for rank, position in enumerate(optional)}

    def variable(position: int) -> int:
        return position if position < binary else position + len(optional)

    constraints: list[Disjunction | Relation] = []
    for clause in clauses(model):
        # A literal over a numeric option only asks whether it is enabled.
        literals = [
            (switches[position], int(allowed[-1]) | int(allowed[0]) << 1)
            if position in switches
            else (variable(position), bits_of(allowed))
            for position, allowed in clause.literals
        ]
        constraints.append(Disjunction(tuple(sorted(literals)), clause))

    def switch(position: int) -> tuple[int, int, Array]:
        return switches[position], 1, np.array([False, True])

    constraints += [_comparison(model, constraint, variable, switch) for constraint in model.arithmetic_constraints]
    sizes = (
        *(option.size for option in model.binary_options),
        *(2 for _ in optional),
        *(len(option.values) for option in model.numeric_options),
    )
    whole = _parents(model)
    parents = (*whole[:binary], *(whole[position] for position in optional), *whole[binary:])
    return ConstraintProblem(sizes, parents, tuple(constraints))


def _parents(model: VariabilityModel) -> tuple[int | None, ...]:
    return tuple(model.positions.get(option.parent) if option.parent is not None else None for option in model.options)


def _comparison(
    model: VariabilityModel,
    constraint: ArithmeticConstraint,
    variable: Callable[[int], int],
    switch: Callable[[int], tuple[int, int, Array]],
) -> Relation:
    """Compile a constraint.

    A deselected numeric option satisfies it. So does a deselected binary one, unless `requires` is 'none': then it
    counts as 0, and otherwise it needs no axis, because it is 1 wherever the comparison matters.

    Args:
        model: the system.
        constraint: one of its constraints.
        variable: position of an option → the variable of its values.
        switch: position of an optional numeric option → the variable that switches it, the values (bits) of
            that variable that disable it, and which of its values enable it.
    """
    guards: dict[int, int] = {}
    tables: dict[str, tuple[int, Array]] = {}

    def guard(where: int, bits: int) -> None:
        guards[where] = guards.get(where, 0) | bits

    for name in constraint.names:
        if name == ROOT:
            continue
        if name in model.switches:
            position, wanted = model.switches[name]
            where, disabling, enabling = switch(position)
            if constraint.requires == "none":
                tables[name] = (where, (enabling == wanted).astype(float))
            else:
                guard(where, disabling if wanted else bits_of(enabling))
            continue
        position = model.positions[name]
        option = model.options[position]
        if isinstance(option, BinaryOption):
            if constraint.requires == "none":
                tables[name] = (variable(position), np.array([0.0, 1.0]))
            else:
                guard(variable(position), 1)
            continue
        if option.optional:
            where, disabling, _ = switch(position)
            guard(where, disabling)
        # The entry of "deselected", if the variable has it, is guarded and never looked at.
        spare = (0.0,) if option.optional and where == variable(position) else ()
        tables[name] = (variable(position), np.array([*option.values, *spare], dtype=float))
    return Relation(constraint, guards, tables, model.source)
